"""Which segments are shown, and how words are found in texts again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mtassay.analysis.marked_texts import marked_text
from mtassay.analysis.selection import select_segments, spread
from mtassay.analysis.word_marks import MarkedWord

segments = st.lists(st.integers(0, 19), max_size=8, unique=True).map(lambda found: np.array(found, dtype=np.int64))


@given(st.lists(segments, max_size=6), st.integers(0, 25))
def test_every_group_has_its_turn(groups: list[np.ndarray], most: int) -> None:
    weights = np.arange(20.0) % 7
    chosen = select_segments(groups, weights, most).tolist()
    assert len(chosen) == min(most, 20)
    assert chosen == sorted(set(chosen))
    if most >= len(groups):
        # Each group got a segment in the first round, unless others took all of its segments.
        assert all(set(group.tolist()) & set(chosen) for group in groups if len(group))


def test_the_heaviest_come_first() -> None:
    assert select_segments([], np.array([1.0, 3.0, 2.0]), 2).tolist() == [1, 2]


def test_spread_ignores_missing_scores() -> None:
    scores = np.array([[1.0, np.nan, np.nan], [4.0, 2.0, np.nan]])
    assert spread(scores).tolist() == [3.0, 0.0, 0.0]


words = st.lists(
    st.tuples(st.sampled_from(["a", "bc", "👩‍👧", "نص", "."]), st.sampled_from(["same", "wrong", "moved"]))
)


@given(words, st.sampled_from([" ", "", "  "]))
def test_pieces_are_the_text(pairs: list[tuple[str, str]], between: str) -> None:
    text = between.join(word for word, _ in pairs)
    pieces = marked_text(text, [MarkedWord(word, mark) for word, mark in pairs])
    assert "".join(piece for piece, _ in pieces) == text
    assert all(one[1] != other[1] for one, other in pairwise(pieces))
    for mark in ("wrong", "moved"):
        shown = "".join(piece for piece, of in pieces if of == mark).replace(" ", "")
        assert shown == "".join(word for word, of in pairs if of == mark)


def test_words_that_the_tokenizer_changed_stand_for_the_text() -> None:
    assert marked_text("A&amp;B", [MarkedWord("a&b", "wrong")]) == [("a&b", "wrong")]
