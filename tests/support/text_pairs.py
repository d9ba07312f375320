"""Pairs of texts, for kernels that compare them."""

from __future__ import annotations

import numpy as np

from mtassay.kernels import Pairs, Tokens

#: Words of a hypothesis and of a reference.
Pair = tuple[list[int], list[int]]


def pairs_of(texts: list[Pair]) -> Pairs:
    """Each hypothesis with its reference."""
    index = np.arange(len(texts))
    return Pairs(Tokens.of(h for h, _ in texts), Tokens.of(r for _, r in texts), index, index)
