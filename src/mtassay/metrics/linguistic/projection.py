"""Projection of trees from an annotator's words to a tokenizer's words."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def project_heads(words: Sequence[str], heads: Sequence[int], tokens: Sequence[str]) -> list[int]:
    """For each token the position of its head, -1 for none.

    Words and tokens are matched by their common letters, ignoring case. A token of several words has the head of the
    one that is highest in the tree.

    Args:
        words: words of the annotator.
        heads: for each of them the position of its head, counted from 1; 0 for a root.
        tokens: tokens of the same text.

    >>> project_heads(["they", "do", "n't", "re-elect"], [4, 4, 2, 0], ["they", "don't", "re", "-", "elect"])
    [4, 4, -1, -1, -1]
    """
    places = _places(words, tokens)
    depths = _depths(heads)
    found = [-1] * len(tokens)
    # Lower words first, so that higher ones overwrite them; in a tie, the first word wins.
    for word in sorted(range(len(words)), key=lambda word: (-depths[word], -word)):
        own = places[word]
        if own is None:
            continue
        head = heads[word]
        while head and places[head - 1] in (None, own):
            head = heads[head - 1]
        above = places[head - 1] if head else None
        found[own] = -1 if above is None else above
    return found


def _depths(heads: Sequence[int]) -> list[int]:
    """Number of words above each word, including itself."""
    depths = [0] * len(heads)
    for word in range(len(heads)):
        path = [word]
        while not depths[path[-1]] and heads[path[-1]]:
            path.append(heads[path[-1]] - 1)
        depth = depths[path[-1]] or 1
        for step, below in enumerate(reversed(path)):
            depths[below] = depth + step
    return depths


def _places(words: Sequence[str], tokens: Sequence[str]) -> list[int | None]:
    """For each word the token with most of its letters, the last one in a tie; None if no token has any of them."""
    counts: list[dict[int, int]] = [{} for _ in words]
    for word, token, n in _common_letters([word.lower() for word in words], [token.lower() for token in tokens]):
        counts[word][token] = counts[word].get(token, 0) + n
    return [max(zip(count.values(), count, strict=True))[1] if count else None for count in counts]


def _common_letters(words: list[str], tokens: list[str]) -> Iterator[tuple[int, int, int]]:
    """Word, token, and number of common letters; equal words are matched first, to have fewer letters to compare."""
    if "".join(words) == "".join(tokens):
        yield from _overlaps(words, tokens)
        return
    for kind, first, end, start, stop in SequenceMatcher(None, words, tokens, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from ((first + k, start + k, 1) for k in range(end - first))
        elif kind == "replace":
            word_of, token_of = _numbers(words[first:end]), _numbers(tokens[start:stop])
            matcher = SequenceMatcher(None, "".join(words[first:end]), "".join(tokens[start:stop]), autojunk=False)
            for a, b, n in matcher.get_matching_blocks():
                yield from ((first + word_of[a + k], start + token_of[b + k], 1) for k in range(n))


def _overlaps(words: list[str], tokens: list[str]) -> Iterator[tuple[int, int, int]]:
    """Common letters of the words and tokens of one text."""
    token, begin = 0, 0  # the token, and where it begins in the text
    place = 0
    for word, letters in enumerate(words):
        end = place + len(letters)
        while place < end:
            stop = begin + len(tokens[token])
            if stop > place:
                yield word, token, min(stop, end) - place
                place = min(stop, end)
            if stop <= end:
                token, begin = token + 1, stop


def _numbers(words: list[str]) -> list[int]:
    """For each letter the number of its word."""
    return [number for number, word in enumerate(words) for _ in word]
