"""Pairs of a hypothesis and a reference text, which the plain-Python kernels go through one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.kernels.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.types import Index


def each_pair(
    hypotheses: Tokens, references: Tokens, hyp_index: Index, ref_index: Index
) -> Iterator[tuple[int, list[int], list[int]]]:
    """The number of every pair, and its two texts as lists of word numbers.

    >>> import numpy as np
    >>> texts = Tokens(np.array([5, 6, 7], np.int32), np.array([0, 2, 3]))
    >>> list(each_pair(texts, texts, np.array([1, 0]), np.array([0, 0])))
    [(0, [7], [5, 6]), (1, [5, 6], [5, 6])]
    """
    if len(hyp_index) != len(ref_index):
        raise ValueError("hyp_index and ref_index differ in length")
    n_hyps, n_refs = len(hypotheses.offsets) - 1, len(references.offsets) - 1
    for number, (h, r) in enumerate(zip(hyp_index.tolist(), ref_index.tolist(), strict=True)):
        if not (0 <= h < n_hyps and 0 <= r < n_refs):
            raise ValueError("index out of range")
        yield number, hypotheses.text(h).tolist(), references.text(r).tolist()
