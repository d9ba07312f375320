"""Match sizes of the General Text Matcher, in plain Python: the specification of ``native/gtm.cpp``.

Turian, Shen and Melamed 2003, "Evaluation of machine translation and its evaluation". A *run* is a sequence of
words that occurs in both texts. Runs are chosen greedily, the longest first; among runs of equal length, the one later
in the hypothesis, then the one later in the reference. A word is used once. If some words of a run are taken, the rest
is a shorter run, so no word that could match is left. Therefore all runs of a pair together have as many words as the
texts have in common, and with exponent 1 nothing else matters. Several references are concatenated, and no run crosses
from one to the next.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import Pairs, kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.types import Floats

#: Separates two references; ids of words are not negative.
_BREAK = -1


class _Matcher:
    """Chooses the runs of one hypothesis."""

    def __init__(self, hypothesis: Sequence[int], reference: Sequence[int]) -> None:
        self.chosen: list[int] = []
        self._hypothesis = hypothesis
        self._free_hyp = [True] * len(hypothesis)
        self._free_ref = [True] * len(reference)
        self._positions = defaultdict[int, list[int]](list)
        for j in range(len(reference) - 1, -1, -1):
            self._positions[reference[j]].append(j)
        longest = self._sweep(0)
        while longest:
            longest = self._sweep(longest)

    def _sweep(self, length: int) -> int:
        """Choose the runs of this length, which no remaining run exceeds; return a bound for the length of the others.

        The first words of runs are visited from the end of the hypothesis to its start, which is the order in which
        runs of equal length are chosen.
        """
        bound = 0
        # By position in the reference: length of the run that begins there and at the next word of the hypothesis.
        below: dict[int, int] = {}
        for i in range(len(self._hypothesis) - 1, -1, -1):
            row: dict[int, int] = {}
            for j in self._positions[self._hypothesis[i]] if self._free_hyp[i] else ():
                if not self._free_ref[j]:
                    continue
                n = below.get(j + 1, 0) + 1
                if n == length:
                    self._take(i, j, n)
                    row = {}  # word i is used, so no other run includes it
                    break
                row[j] = n
                bound = max(bound, n)
            below = row
        return bound

    def _take(self, i: int, j: int, n: int) -> None:
        self.chosen.append(n)
        self._free_hyp[i : i + n] = [False] * n
        self._free_ref[j : j + n] = [False] * n


def gtm_runs(hypothesis: Sequence[int], references: Sequence[Sequence[int]]) -> list[int]:
    """Lengths of the runs in the order in which they are chosen.

    >>> gtm_runs([1, 2, 3, 9, 1, 2], [[7, 1, 2, 3], [1, 2, 8]])
    [3, 2]
    """
    joined: list[int] = []
    for reference in references:
        joined += [*reference, _BREAK]
    return _Matcher(hypothesis, joined).chosen


@kernel
def gtm_sizes(pairs: Pairs, *, exponent: float) -> Floats:
    """Match sizes of pairs (hypothesis, group of references): the e-th root of the sum of all run lengths to the e.

    Args:
        pairs: the pairs.
        exponent: e, more than 0.

    Returns:
        float64, shape (n,).
    """
    if not exponent > 0:
        raise ValueError("the exponent must be positive")
    sizes = np.zeros(len(pairs.hyp_index))
    for row, (hypothesis, texts) in enumerate(pairs.each_group()):
        references = [pairs.references.text(text).tolist() for text in texts]
        n_reference_words = sum(map(len, references)) / max(len(references), 1)
        # Parity: GTM limits the number of matching words to the length of the hypothesis and to the mean length of the
        # references; the last run is cut, possibly to a fraction of a word.
        most = min(float(len(hypothesis)), n_reference_words)
        if exponent == 1:
            in_common = Counter(hypothesis) & Counter(chain.from_iterable(references))
            sizes[row] = min(float(in_common.total()), most)
        else:
            sizes[row] = _size(gtm_runs(hypothesis, references), most, exponent)
    return sizes


def _size(runs: list[int], most: float, exponent: float) -> float:
    total = 0.0
    for run in runs:
        counted = min(float(run), most)
        total += counted**exponent
        most -= counted
    return total ** (1.0 / exponent)  # type: ignore[no-any-return]
