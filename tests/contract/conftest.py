"""An annotator for every text, so that metrics of annotations go through the same contract as all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from annotators import registered

from mtassay.data.annotations import LAYERS, Annotations
from mtassay.data.formats.brackets import bracket_trees
from mtassay.data.frames import Frame, Role, Span
from mtassay.text.annotate.annotator import Argument


def _frame(place: int, n_words: int) -> Frame:
    """The word before a predicate is its agent, those up to the next predicate but one are its patient and its time."""
    roles = [("A0", place - 1, place), ("A1", place + 1, place + 3), ("AM-TMP", place + 3, place + 4)]
    there = tuple(Role(label, Span(start, end)) for label, start, end in roles if end <= n_words)
    return Frame(Span(place, place + 1), "", there)


class Halves:
    """Words between white space; the head of each is the one half as far from the start; phrases by length of words."""

    name = "halves"
    version = "1"
    is_parallel = True
    is_kept = False
    provides = frozenset(LAYERS)
    argument = Argument.OTHER

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        return [self._one(text.split()) for text in texts]

    def _one(self, words: list[str]) -> Annotations:
        [tree] = bracket_trees(["(S " + " ".join(f"(P{len(word) % 3} (W x))" for word in words) + ")"], "x")
        return Annotations(
            words=tuple(words),
            lemmas=tuple(words),
            upos=("X",) * len(words),
            xpos=tuple(("NN", "VB", "JJ")[len(word) % 3] for word in words),
            heads=tuple((i + 1) // 2 for i in range(len(words))),
            relations=("dep",) * len(words),
            constituents=tree,
            frames=tuple(_frame(i, len(words)) for i in range(1, len(words), 3)),
            layers=self.provides,
        )


@pytest.fixture(scope="session", autouse=True)
def halves() -> Iterator[None]:
    with registered(Halves):
        yield
