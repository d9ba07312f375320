"""N-grams of one text with their counts; only for callers, since metrics count n-grams in kernels."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def extract_all_word_ngrams(line: str, min_order: int, max_order: int) -> tuple[Counter[tuple[str, ...]], int]:
    """Counts of the word n-grams of several lengths, and the number of words.

    >>> extract_all_word_ngrams("a rose a", 1, 2)[0][("a",)]
    2
    """
    words = tuple(line.split())
    orders = range(min_order, max_order + 1)
    return Counter(words[i : i + n] for n in orders for i in range(len(words) - n + 1)), len(words)


def extract_word_ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    """Counts of the word n-grams of one length, with their words joined by spaces.

    >>> extract_word_ngrams(["a", "rose", "is"], 2)
    Counter({'a rose': 1, 'rose is': 1})
    """
    return Counter(" ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def extract_char_ngrams(line: str, n: int, include_whitespace: bool = False) -> Counter[str]:
    """Counts of the character n-grams of one length.

    >>> extract_char_ngrams("a aa", 2)
    Counter({'aa': 2})
    """
    text = line if include_whitespace else "".join(line.split())
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


def extract_all_char_ngrams(line: str, max_order: int, include_whitespace: bool = False) -> list[Counter[str]]:
    """Counts of the character n-grams of length 1 to `max_order`, one counter per length."""
    return [extract_char_ngrams(line, n, include_whitespace) for n in range(1, max_order + 1)]
