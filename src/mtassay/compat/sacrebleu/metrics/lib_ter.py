"""Edits of TER for texts that are already split into words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def translation_edit_rate(words_hyp: Sequence[str], words_ref: Sequence[str]) -> tuple[int, int]:
    """Number of edits, and number of reference words.

    >>> translation_edit_rate("d e f g h a b c".split(), "a b c d e f g h".split())
    (1, 8)
    """
    import numpy as np

    from mtassay.kernels import Pairs, Tokens
    from mtassay.kernels.ter import ter_edits

    ids: dict[str, int] = {}
    hyp, ref = (Tokens.of([[ids.setdefault(word, len(ids)) for word in words]]) for words in (words_hyp, words_ref))
    first = np.zeros(1, dtype=np.int64)
    edits = ter_edits(Pairs(hyp, ref, first, first), variant="sacrebleu")
    return int(edits[0, :4].sum()), len(words_ref)
