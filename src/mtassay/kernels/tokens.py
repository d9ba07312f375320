"""Texts as integers: what every kernel reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mtassay.types import Ids, Offsets


class Tokens(NamedTuple):
    """Token ids of many texts laid end to end; text *i* is ``ids[offsets[i]:offsets[i + 1]]``.

    Attributes:
        ids: int32, shape (total number of tokens,).
        offsets: int64, shape (number of texts + 1,).
    """

    ids: Ids
    offsets: Offsets

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each text, shape (number of texts,)."""
        return np.diff(self.offsets)

    def text(self, index: int) -> Ids:
        """Token ids of one text."""
        return self.ids[self.offsets[index] : self.offsets[index + 1]]
