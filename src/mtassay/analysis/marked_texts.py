"""Texts as they were written, with the marks of their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.analysis.word_marks import SAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.analysis.word_marks import MarkedWord


def marked_text(text: str, words: Sequence[MarkedWord]) -> list[tuple[str, str]]:
    """Pieces of a text with their marks; if the tokenizer changed the text, its words separated by spaces.

    >>> from mtassay.analysis.word_marks import MarkedWord
    >>> words = [MarkedWord("No", "wrong"), MarkedWord("way", "wrong"), MarkedWord(".", "same")]
    >>> marked_text("No way.", words)
    [('No way', 'wrong'), ('.', 'same')]
    >>> marked_text("No way &quot;", [MarkedWord("no", "same"), MarkedWord('"', "wrong")])
    [('no ', 'same'), ('"', 'wrong')]
    """
    places = _places(text, words)
    if places is None:
        text = " ".join(word.word for word in words)
        places = _places(text, words) or []
    pieces: list[tuple[str, str]] = []
    end = 0
    for word, (start, after) in zip(words, places, strict=True):
        # The text between two words with the same mark gets this mark.
        between = text[end:start]
        if pieces and pieces[-1][1] == word.mark:
            pieces[-1] = (pieces[-1][0] + between + text[start:after], word.mark)
        else:
            _add(pieces, between)
            if word.mark == SAME and pieces and pieces[-1][1] == SAME:
                pieces[-1] = (pieces[-1][0] + text[start:after], SAME)
            else:
                pieces.append((text[start:after], word.mark))
        end = after
    _add(pieces, text[end:])
    return pieces


def _add(pieces: list[tuple[str, str]], text: str) -> None:
    """Add a text without a mark."""
    if not text:
        return
    if pieces and pieces[-1][1] == SAME:
        pieces[-1] = (pieces[-1][0] + text, SAME)
    else:
        pieces.append((text, SAME))


def _places(text: str, words: Sequence[MarkedWord]) -> list[tuple[int, int]] | None:
    """Where each word begins and ends; None if the text does not have all words, with nothing but blanks between."""
    places = []
    end = 0
    for word in words:
        start = text.find(word.word, end)
        if start < 0 or text[end:start].strip():
            return None
        end = start + len(word.word)
        places.append((start, end))
    return None if text[end:].strip() else places
