"""n-best lists: candidate translations of every sentence, with the values of their features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError, at, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.types import Floats, Index


@dataclass(frozen=True, kw_only=True, eq=False)
class NBest:
    """Candidates of every sentence.

    Attributes:
        features: names of the K features.
        values: values of the features, shape (n, K).
        texts: one per candidate, n of them.
        offsets: candidates of sentence s are offsets[s] to offsets[s + 1], shape (sentences + 1,).
        origin: the file, for messages.
        lines: line number of the first candidate of each sentence, shape (sentences,).
        optional: names of features that a list may lack; absent means 0.
        left_out: names of sparse features that have no column.
    """

    features: tuple[str, ...]
    values: Floats
    texts: tuple[str, ...]
    offsets: Index
    origin: str
    lines: Index
    optional: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()

    def __len__(self) -> int:
        """Number of candidates."""
        return len(self.texts)

    @property
    def n_sentences(self) -> int:
        """Number of sentences."""
        return len(self.offsets) - 1

    @property
    def sentence_index(self) -> Index:
        """The sentence of every candidate, shape (n,)."""
        return np.repeat(np.arange(self.n_sentences, dtype=np.int64), np.diff(self.offsets))

    def place(self, sentence: int) -> str:
        """Where the candidates of a sentence begin, for messages."""
        return at(self.origin, int(self.lines[sentence]))

    def with_features(self, names: tuple[str, ...]) -> NBest:
        """The same list with its features in this order; optional features that it lacks are 0."""
        if names == self.features:
            return self
        values = np.zeros((len(self), len(names)))
        place = {name: k for k, name in enumerate(names)}
        values[:, [place[name] for name in self.features]] = self.values
        return replace(self, features=names, values=values)


def accumulate(lists: Sequence[NBest]) -> NBest:
    """Merge lists: the candidates of the first list, then the new ones of the next.

    Args:
        lists: lists of the same sentences, such as those of several iterations of a decoder.
    """
    if not lists:
        raise InputError("no n-best list; give one or more")
    first = lists[0]
    names = common_features(lists)
    for other in lists[1:]:
        if other.n_sentences != first.n_sentences:
            raise InputError(
                f"{other.origin} has {counted(other.n_sentences, 'sentence')}, {first.origin} has "
                f"{first.n_sentences:,}: lists of one system must have the same sentences"
            )
    # One at a time, since lists are large and common candidates need not be stored twice.
    merged = first.with_features(names)
    for other in lists[1:]:
        merged = _joined(merged, other.with_features(names))
    return merged


def common_features(lists: Sequence[NBest]) -> tuple[str, ...]:
    """The features of all lists; only optional features may be missing from a list."""
    names = list(dict.fromkeys(chain.from_iterable(nbest.features for nbest in lists)))
    for nbest in lists:
        others = set(names) - set(nbest.features)
        for other in lists:
            lacking = sorted(others & set(other.features) - other.optional)
            if lacking:
                raise InputError(f"{nbest.origin} has no feature '{lacking[0]}', which {other.origin} has")
    return tuple(names)


def _joined(one: NBest, other: NBest) -> NBest:
    sentence = np.concatenate([one.sentence_index, other.sentence_index])
    values, texts = np.concatenate([one.values, other.values]), one.texts + other.texts
    order = np.argsort(sentence, kind="stable")
    kept, offsets = distinct(order, sentence, texts, values, n_sentences=one.n_sentences)
    return replace(
        one,
        values=values[kept],
        texts=tuple(texts[i] for i in kept.tolist()),
        offsets=offsets,
        optional=one.optional | other.optional,
        left_out=one.left_out | other.left_out,
    )


def distinct(
    order: Index, sentence: Index, texts: Sequence[str], values: Floats, *, n_sentences: int
) -> tuple[Index, Index]:
    """Candidates without repetitions, and their offsets.

    Args:
        order: the candidates by sentence, shape (n,).
        sentence: sentence of every candidate, shape (n,).
        texts: text of every candidate.
        values: values of their features, shape (n, K).
        n_sentences: number of sentences.
    """
    kept: list[int] = []
    seen: set[tuple[str, bytes]] = set()
    last = -1
    for i, s in zip(order.tolist(), sentence[order].tolist(), strict=True):
        if s != last:
            seen = set()
            last = s
        key = texts[i], values[i].tobytes()
        if key not in seen:
            seen.add(key)
            kept.append(i)
    index = np.array(kept, dtype=np.int64)
    return index, np.searchsorted(sentence[index], np.arange(n_sentences + 1)).astype(np.int64)
