"""How often words occur: in references, in a corpus, or in a file of counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.formats.lines import read_lines
from mtassay.errors import InputError, at
from mtassay.io.inputs import shown
from mtassay.kernels import Vocabulary
from mtassay.metrics.core.references import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.io.inputs import PathLike
    from mtassay.types import Counts

_COUNT = re.compile(r"[^\t]+\t[0-9]{1,18}\r?")


def read_frequencies(path: PathLike, *, tok: str, case: str) -> dict[str, int]:
    """Counts of words, from a file of counts or a corpus.

    Args:
        path: a file whose lines have a word, a tab and its count; or, if the first line has not, a corpus of texts.
        tok: tokenizer of texts.
        case: letter case of texts and words.
    """
    lines = read_lines(path)
    if not _COUNT.fullmatch(lines[0]):
        return count_words_of(lines, tok=tok, case=case)
    counts: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not _COUNT.fullmatch(line):
            raise InputError(f"{at(shown(path), number)}: expected a word, a tab and its count")
        word, _, count = line.rpartition("\t")
        word = word.lower() if case == "lower" else word
        counts[word] = counts.get(word, 0) + int(count)
    return counts


def count_words_of(texts: Sequence[str], *, tok: str, case: str) -> dict[str, int]:
    """How often each word occurs in texts.

    >>> count_words_of(["a b a"], tok="none", case="mixed")
    {'a': 2, 'b': 1}
    """
    vocabulary = Vocabulary()
    ids = encode(texts, tok, case=case, vocabulary=vocabulary).ids
    return dict(zip(vocabulary.words(), np.bincount(ids, minlength=len(vocabulary)).tolist(), strict=True))


def frequencies_of(vocabulary: Sequence[str], counts: Mapping[str, int]) -> Counts:
    """The count of each word of a vocabulary, shape (words,); 0 for those that were not counted."""
    return np.array([counts.get(word, 0) for word in vocabulary], dtype=np.int64)


def check_counts(counts: object) -> Mapping[str, int]:
    """Return counts by word; reject invalid ones."""
    if not isinstance(counts, Mapping):
        raise InputError(f"frequencies are a file or a mapping from words to counts, not {type(counts).__name__}")
    for word, count in counts.items():
        if not isinstance(word, str) or not isinstance(count, int | np.integer) or count < 0:
            raise InputError(f"the frequency of {word!r} must be a whole number that is not negative, not {count!r}")
    return counts
