"""Word alignment and word order of RIBES, in plain Python: the specification of ``native/ribes.cpp``.

Isozaki et al. 2010, "Automatic evaluation of translation quality for distant language pairs".
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import Pairs, kernel, positions

if TYPE_CHECKING:
    from mtassay.types import Counts

#: Rules of the authors' script, or of NLTK, which looks at contexts to the right first, and not at the longest contexts
#: to the left.
VARIANTS = ("script", "nltk")


@kernel
def ascending_pairs(pairs: Pairs, *, variant: str) -> Counts:
    """Align words and compare their order; `variant` is one of ``VARIANTS``.

    Returns:
        int64, shape (n, 2): aligned words, and pairs of aligned words that have the same order in both texts.
    """
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant '{variant}'")
    rows = []
    for hypothesis, reference in pairs.each():
        aligned = _aligned(hypothesis, reference, variant)
        rows.append((len(aligned), sum(first < second for first, second in combinations(aligned, 2))))
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def _aligned(hyp: list[int], ref: list[int], variant: str) -> list[int]:
    """For each aligned word of the hypothesis, in order, the position of its counterpart in the reference.

    A word that occurs once in each text is aligned. Any other word is aligned by its shortest context, to the left or
    to the right, that occurs once in each text.
    """
    in_hyp, in_ref = positions(hyp), positions(ref)
    found = []
    for i, word in enumerate(hyp):
        if len(in_hyp[word]) == 1 == len(in_ref.get(word, ())):
            found.append(in_ref[word][0])
            continue
        # Where the context occurs, by its direction.
        in_both = {step: (in_hyp[word], in_ref.get(word, [])) for step in ((-1, 1) if variant == "script" else (1, -1))}
        longest = max(i if variant == "script" else i - 1, len(hyp) - i)
        place = next((at for width in range(1, longest + 1) if (at := _unique(hyp, ref, i, width, in_both)) >= 0), -1)
        if place >= 0:
            found.append(place)
    return found


def _unique(hyp: list[int], ref: list[int], i: int, width: int, in_both: dict[int, tuple[list[int], list[int]]]) -> int:
    """The position of word i in the reference if a context of `width` words occurs once in each text, else -1.

    Keeps in `in_both` only the places where that context occurs.
    """
    for step, places in in_both.items():
        if not 0 <= i + step * width < len(hyp):
            continue
        wanted = hyp[i + step * width]
        in_hyp, in_ref = (
            [at for at in of_text if 0 <= at + step * width < len(text) and text[at + step * width] == wanted]
            for of_text, text in zip(places, (hyp, ref), strict=True)
        )
        in_both[step] = in_hyp, in_ref
        if len(in_hyp) == 1 == len(in_ref):
            return in_ref[0]
    return -1
