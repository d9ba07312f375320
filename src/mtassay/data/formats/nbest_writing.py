"""n-best lists as text, in the format that ``read_nbest`` reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.data.nbest import NBest
    from mtassay.types import Floats, Index


_NUMBERED = re.compile(r"(.+)_([0-9]+)")


def nbest_lines(nbest: NBest, scores: Floats, rows: Index) -> Iterator[str]:
    """Lines of some candidates, ``sentence ||| text ||| features ||| score``.

    Args:
        nbest: the list.
        scores: scores of all candidates, shape (n,).
        rows: candidates to write, in this order.
    """
    labels = _labels(nbest)
    sentences = nbest.sentence_index[rows].tolist()
    for row, sentence, values in zip(rows.tolist(), sentences, nbest.values[rows].tolist(), strict=True):
        features = " ".join(f"{label}{_shown(value)}" for label, value in zip(labels, values, strict=True))
        yield f"{sentence} ||| {nbest.texts[row]} ||| {features} ||| {_shown(float(scores[row]))}"


def _labels(nbest: NBest) -> list[str]:
    """The label before each value: ``TM0= `` before TM0_0, none before TM0_1 and bare numbers."""
    labels: list[str] = []
    label, expected = "", 0
    for place, name in enumerate(nbest.features):
        match = _NUMBERED.fullmatch(name)
        if name in nbest.optional or (match is None and name != f"F{place}"):
            label, written = "", f"{name}="
        elif match is None:
            written = ""
        elif match[1] == label and int(match[2]) == expected:
            expected += 1
            written = ""
        else:
            label, expected = match[1], 1
            written = f"{label}= "
        labels.append(written)
    return labels


def _shown(value: float) -> str:
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
