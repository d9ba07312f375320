"""Factored text (``.fact``), Moses' format for TreeTagger's output: ``form|tag|lemma``, one segment per line.

A bar inside a factor is written ``&#124;``. An empty line is a text without words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.data.annotations import LEMMAS, XPOS, Annotations
from mtassay.data.formats.conllu import Segment
from mtassay.errors import InputError, at, counted
from mtassay.io.inputs import PathLike, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

_FACTORS = ("form", "tag", "lemma")
_LAYERS = frozenset({LEMMAS, XPOS})


def factored_segments(lines: Sequence[str], path: PathLike) -> list[Segment]:
    """Annotations from the lines of a file; `path` names it in messages.

    >>> factored_segments(["dogs|NNS|dog bark|VBP|bark"], "a.fact")[0].annotations.lemmas
    ('dog', 'bark')
    """
    return [_segment(line, number, path) for number, line in enumerate(lines, 1)]


def _segment(line: str, number: int, path: PathLike) -> Segment:
    rows = []
    for token in line.split():
        factors = token.split("|")
        if len(factors) != len(_FACTORS) or not all(factors):
            raise InputError(
                f"{at(shown(path), number)}: {token[:40]!r} has {counted(len([f for f in factors if f]), 'factor')}; "
                f"a word has three, {'|'.join(_FACTORS)}"
            )
        rows.append([factor.replace("&#124;", "|") for factor in factors])
    if not rows:
        return Segment(None, "", number, Annotations.empty(_LAYERS))
    words, tags, lemmas = (tuple(column) for column in zip(*rows, strict=True))
    annotations = Annotations(words=words, lemmas=lemmas, xpos=tags, layers=_LAYERS)
    return Segment(None, "".join(words), number, annotations)
