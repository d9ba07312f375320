"""Word vectors in word2vec's text format: an optional line of sizes, then a word and its numbers on each line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError, at
from mtassay.io.inputs import shown
from mtassay.io.streams import decode_blocks

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike


def read_word_vectors(path: PathLike) -> tuple[dict[str, int], Any]:
    """The row of each word, and the vectors, scaled to length 1, float32, shape (words, dimensions).

    A word that occurs twice keeps its first vector; a word whose numbers are all 0 has no vector.
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
    # By a power of two, which rounds nothing: squares of very large or small numbers would not be finite, or 0.
    vectors = np.ldexp(vectors, -np.frexp(np.abs(vectors).max(axis=1, keepdims=True))[1])
    return numbers, np.ascontiguousarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _vector(text: str, width: int, *, place: str) -> Any:
    try:
        vector = np.array(text.split(), dtype=np.float64)
    except ValueError:
        raise InputError(f"{place}: not a word and numbers") from None
    if not len(vector) or not np.isfinite(vector).all():
        raise InputError(f"{place}: not a word and finite numbers")
    if width and len(vector) != width:
        raise InputError(f"{place}: {len(vector)} numbers, but {width} in the lines above")
    return vector
