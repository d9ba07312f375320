from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mtassay.data.formats.word_vectors import read_word_vectors
from mtassay.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def test_vectors_have_the_length_1_whatever_their_size(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("4 2\na 3 4\nlarge 3e300 4e300\nsmall 3e-300 4e-300\nzero 0 0\na 1 1\n")
    words, vectors = read_word_vectors(path)
    assert words == {"a": 0, "large": 1, "small": 2}
    np.testing.assert_allclose(vectors, [[0.6, 0.8]] * 3, rtol=1e-7)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1 x\n", "line 1: not a word and numbers"),
        ("a 1\nb inf\n", "line 2: not a word and finite numbers"),
        ("a 1 2\nb 1\n", "line 2: 1 numbers, but 2 in the lines above"),
        ("a 0\n", "has no word vectors"),
    ],
)
def test_bad_vectors(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_word_vectors(path)
