"""Features that are looked up in the index of a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.kernels import Vocabulary
from mtassay.learn.corpus_index import CASE, DEEPEST, GAP, LONGEST, ORDER
from mtassay.learn.hashing import hash_words, hashed_frames, hashed_ngrams, hashed_parts, hashed_skips
from mtassay.metrics.core.references import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mtassay.data.trees import DependencyTree
    from mtassay.learn.corpus_index import CorpusIndex
    from mtassay.learn.features import Feature
    from mtassay.learn.hashing import Hashed
    from mtassay.types import Floats

#: Factor for each word by which an n-gram is shortened (Brants et al. 2007).
_BACKOFF = 0.4


def text_values(index: CorpusIndex, texts: Sequence[str], features: Iterable[Feature]) -> dict[str, Floats]:
    """Features of texts by name, each of shape (texts,); only those that need the text of the corpus."""
    vocabulary = Vocabulary()
    tokens = encode(texts, index.tok, case=CASE, vocabulary=vocabulary)
    words = hash_words(vocabulary.words())
    n = len(texts)
    grams = list(hashed_ngrams(tokens, words, order=ORDER))
    counts = [index.values(f"ngrams_{size}", found.hashes) for size, found in enumerate(grams, 1)]
    pairs = list(hashed_skips(tokens, words, gap=GAP))
    nearest = [index.values("skips", found.hashes) for found in pairs]
    values: dict[str, Floats] = {}
    for feature in features:
        size = feature.size
        if feature.needs != ("corpus",):
            continue
        if feature.reading == "skips":
            owners = np.concatenate([found.owners for found in pairs[: size + 1]])
            gaps = np.concatenate(nearest[: size + 1])
            values[feature.name] = _mean(owners, (gaps >= 0) & (gaps <= size), n)
        elif feature.reading == "ngrams":
            values[feature.name] = _mean(grams[size - 1].owners, counts[size - 1] > 0, n)
        elif feature.reading == "frequency":
            logs = np.log2(1.0 + np.maximum(counts[size - 1], 0))
            values[feature.name] = _mean(grams[size - 1].owners, logs, n)
        elif feature.reading == "logprob":
            values[feature.name] = _mean(grams[0].owners, _backed_off(index, grams[:size], counts[:size]), n)
        else:
            values[feature.name] = _longest_runs(grams[1].owners, counts[1] > 0, tokens.lengths)
    return values


def _backed_off(index: CorpusIndex, grams: Sequence[Hashed], counts: Sequence[Any]) -> Floats:
    """Log2 of the stupid backoff score of each word, shape (words,).

    The score of a word is the count of the n-gram that ends with it, divided by the count of that n-gram without the
    word. An n-gram that the corpus lacks is shortened by its first word, which costs a factor of .4.
    """
    n_words = sum(part["words"] for part in index.about["text"])
    scores = np.maximum(counts[0], 0.5) / max(n_words, 1)
    owners = grams[0].owners
    begins = np.flatnonzero(np.append(True, owners[1:] != owners[:-1])) if len(owners) else np.arange(0)
    place = np.arange(len(owners)) - np.repeat(begins, np.diff(np.append(begins, len(owners))))
    for size in range(2, len(grams) + 1):
        ends = np.flatnonzero(place >= size - 1)
        # The n-gram without its last word is the (n - 1)-gram that ends one word before.
        before = np.searchsorted(np.flatnonzero(place >= size - 2), ends - 1)
        known = counts[size - 1] > 0
        share = np.maximum(counts[size - 1], 1) / np.maximum(counts[size - 2][before], 1)
        scores[ends] = np.where(known, share, _BACKOFF * scores[ends])
    result: Floats = np.log2(scores)
    return result


def tree_values(
    index: CorpusIndex, trees: Sequence[DependencyTree | None], features: Iterable[Feature]
) -> dict[str, Floats]:
    """Features of trees by name, each of shape (trees,); NaN if a parse is missing."""
    chained, cut = hashed_parts(trees, longest=LONGEST, deepest=DEEPEST)
    parts: dict[tuple[str, int], Any] = {("chains", n): found for n, found in enumerate(chained, 1)}
    parts |= {("subtrees", depth): found for depth, found in enumerate(cut, 1)}
    frames = hashed_frames(trees)
    missing = np.array([tree is None for tree in trees], dtype=bool)
    values: dict[str, Floats] = {}
    for feature in features:
        if "treebank" not in feature.needs:
            continue
        section, _, kind = feature.reading.partition(" ")
        if kind:
            hashed = frames[kind][section == "word_frames"]
        else:
            hashed, section = parts[section, feature.size], f"{section}_{feature.size}"
        share = _mean(hashed.owners, index.values(section, hashed.hashes) > 0, len(trees))
        values[feature.name] = np.where(missing, np.nan, share)
    return values


def _mean(owners: Any, values: Any, n: int) -> Floats:
    """Mean of the values of each owner, 0 if it has none, shape (n,)."""
    totals = np.bincount(owners, minlength=n)
    sums = np.bincount(owners, weights=values, minlength=n)
    result: Floats = sums / np.maximum(totals, 1)
    return result


def _longest_runs(owners: Any, known: Any, lengths: Any) -> Floats:
    """Length of the longest run of words whose bigrams are all known, divided by the number of words, shape (texts,).

    >>> _longest_runs(np.array([0, 0, 0]), np.array([True, True, False]), np.array([4, 1, 0])).tolist()
    [0.75, 1.0, 0.0]
    """
    begins = np.flatnonzero(np.append(True, owners[1:] != owners[:-1])) if len(owners) else np.arange(0)
    # Known bigrams since the last unknown one, or since the text began.
    position = np.arange(len(owners))
    barrier = np.where(known, -1, position)
    barrier[begins] = np.maximum(barrier[begins], begins - 1)
    since = position - np.maximum.accumulate(barrier) if len(owners) else position
    best = np.zeros(len(lengths), np.int64)
    np.maximum.at(best, owners, since)
    result: Floats = np.where(lengths > 0, (best + 1) / np.maximum(lengths, 1), 0.0)
    return result
