"""Word vectors in the text format of word2vec: a word and its numbers on each line, under an optional line of sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError, at
from mtassay.io.inputs import shown
from mtassay.io.streams import decode_blocks

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike


def read_word_vectors(path: PathLike) -> tuple[dict[str, int], Any]:
    """Numbers of the words, and their vectors, scaled to the length 1, float32, shape (words, dimensions).

    A word that comes twice keeps its first vector; one whose numbers are all 0 has none.
    """
    numbers: dict[str, int] = {}
    rows: list[Any] = []
    width = 0
    for first, lines in decode_blocks(path):
        for number, line in enumerate(lines, first):
            word, _, rest = line.rstrip().partition(" ")
            if number == 1 and word.isdigit() and rest.isdigit():
                continue
            vector = _vector(rest, width, place=at(shown(path), number))
            width = len(vector)
            if word not in numbers and vector.any():
                numbers[word] = len(rows)
                rows.append(vector)
    if not rows:
        raise InputError(f"{shown(path)} has no word vectors")
    vectors = np.stack(rows)
    return numbers, np.ascontiguousarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _vector(text: str, width: int, *, place: str) -> Any:
    try:
        vector = np.array(text.split(), dtype=np.float64)
    except ValueError:
        raise InputError(f"{place}: not a word and numbers") from None
    if not len(vector) or not np.isfinite(vector).all():
        raise InputError(f"{place}: not a word and finite numbers")
    if width and len(vector) != width:
        raise InputError(f"{place}: {len(vector)} numbers, and {width} in the lines above")
    return vector
