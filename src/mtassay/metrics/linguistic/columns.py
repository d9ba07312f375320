"""Words of texts and further columns (lemma, part of speech), as numbers that kernels compare."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.annotations import MISSING
from mtassay.errors import InputError
from mtassay.kernels import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mtassay.data.annotations import Annotations
    from mtassay.types import Bools, Ids


class Numbers:
    """Numbers distinct values from 0, in order of first appearance.

    Args:
        fold: function applied to values before they are compared, such as lower-casing.

    >>> Numbers(str.lower).of(["The", "cat", "the"]).tolist()
    [0, 1, 0]
    """

    def __init__(self, fold: Callable[[str], str] = str) -> None:
        self.values: list[str] = []
        self._known = _KnownNumbers(self.values, fold)
        self._lock = Lock()

    def of(self, values: Sequence[str]) -> Ids:
        """Numbers of values, int32."""
        with self._lock:
            return np.fromiter(map(self._known.__getitem__, values), np.int32, len(values))


class _KnownNumbers(dict[str, int]):
    """The numbers of values; a value that is looked up for the first time gets the next one."""

    def __init__(self, values: list[str], fold: Callable[[str], str]) -> None:
        super().__init__()
        self._values = values
        self._fold = fold
        self._of_folded: dict[str, int] = {}

    def __missing__(self, value: str) -> int:
        folded = self._fold(value)
        number = self._of_folded.setdefault(folded, len(self._values))
        if number == len(self._values):
            self._values.append(folded)
        self[value] = number
        return number


@dataclass(frozen=True, eq=False)
class Columns:
    """Words of many texts, and further columns.

    Attributes:
        words: numbers of the words.
        beside: numbers of the values of each further column, laid end to end like the words.
        found: whether a text was annotated, shape (texts,).
    """

    words: Tokens
    beside: tuple[Ids, ...]
    found: Bools


def columns_of(
    annotated: Sequence[Annotations], layers: Sequence[str], *, words: Numbers, beside: Sequence[Numbers], name: str
) -> Columns:
    """Words and layers of annotated texts.

    Args:
        annotated: the annotations.
        layers: names of the further columns.
        words: gives the numbers of words.
        beside: gives the numbers of each column.
        name: name of the annotator, for messages.
    """
    offsets = np.concatenate([[0], np.cumsum([len(one.words) for one in annotated], dtype=np.int64)])
    made = []
    for layer, numbers in zip(layers, beside, strict=True):
        values = list[str]()
        for one in annotated:
            column = getattr(one, layer)
            if column is None and one.words:
                raise InputError(f"the annotator '{name}' has no {layer} for {' '.join(one.words)[:60]!r}")
            values += column or ()
        made.append(numbers.of(values))
    ids = words.of(_joined(one.words for one in annotated))
    found = np.array([one.state != MISSING for one in annotated], dtype=bool)
    return Columns(Tokens(ids, offsets.astype(np.int64)), tuple(made), found)


def _joined(parts: Iterable[Iterable[str]]) -> list[str]:
    joined: list[str] = []
    for part in parts:
        joined += part
    return joined
