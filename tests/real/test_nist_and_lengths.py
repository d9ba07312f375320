"""NIST, length ratio and exact match on WMT data with several references, against sacreBLEU and plain definitions."""

from __future__ import annotations

import math
import string
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International

import mtassay
from mtassay.metrics import References, parse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pairs = pytest.mark.parametrize("pair", ["en-de", "cs-en"], ids=["3 references", "2 references"])
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def _sample(data_dir: Path, pair: str, step: int = 8) -> tuple[list[str], list[list[str | None]]]:
    """Every `step`-th segment of a system and of all references; every third segment lacks the last reference."""
    folder = data_dir / "wmt21" / pair
    references = [path.read_text(encoding="utf-8").split("\n")[:-1][::step] for path in sorted(folder.glob("ref*"))]
    streams: list[list[str | None]] = [list(stream) for stream in references]
    streams[-1][::3] = [None] * len(streams[-1][::3])
    [output] = sorted((folder / "hyp").iterdir())[:1]
    return output.read_text(encoding="utf-8").split("\n")[:-1][::step], streams


def _ngrams(words: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for n in range(1, order + 1) for i in range(len(words) - n + 1))


class Definition:
    """NIST as in Doddington (2002), from n-gram counts of words."""

    def __init__(self, segments: Sequence[tuple[list[str], list[list[str]]]], order: int) -> None:
        self.order = order
        self.segments = segments
        self.counts: Counter[tuple[str, ...]] = Counter()
        for reference in (reference for _, references in segments for reference in references):
            self.counts[()] += len(reference)
            self.counts.update(_ngrams(reference, order))

    def score(self, segments: Sequence[int]) -> float:
        infos: list[list[float]] = [[] for _ in range(self.order)]
        totals = [0] * self.order
        ref_len = 0.0
        for hypothesis, references in (self.segments[i] for i in segments):
            most: Counter[tuple[str, ...]] = Counter()
            for reference in references:
                most |= _ngrams(reference, self.order)
            for ngram, count in (_ngrams(hypothesis, self.order) & most).items():
                infos[len(ngram) - 1].append(count * math.log2(self.counts[ngram[:-1]] / self.counts[ngram]))
            totals = [total + max(len(hypothesis) - k, 0) for k, total in enumerate(totals)]
            ref_len += sum(map(len, references)) / len(references)
        ratio = min(1.0, totals[0] / ref_len)
        penalty = math.exp(-math.log(2) * (math.log(ratio) / math.log(1.5)) ** 2)
        return penalty * sum(math.fsum(info) / total for info, total in zip(infos, totals, strict=True) if total)


@pytest.mark.parametrize("spec", ["nist:variant=formula", "nist:variant=formula,tok=intl,case=mixed,order=3"])
@pairs
def test_nist_is_what_the_definition_says(pair: str, spec: str, data_dir: Path) -> None:
    hypotheses, streams = _sample(data_dir, pair)
    plain = "intl" in spec
    tokenise: Any = (TokenizerV14International if plain else Tokenizer13a)()

    def words(text: str) -> list[str]:
        return list(tokenise(text if plain else text.translate(_LOWER)).split())

    references = [[words(text) for text in texts if text is not None] for texts in zip(*streams, strict=True)]
    metric = parse(spec)
    expected = Definition(list(zip(map(words, hypotheses), references, strict=True)), 3 if plain else 5)
    everything = range(len(hypotheses))
    segments = [expected.score([i]) for i in everything]
    np.testing.assert_allclose(metric.segment_scores(hypotheses, streams), segments, rtol=1e-12)
    assert metric.corpus_score(hypotheses, streams) == pytest.approx(expected.score(everything), rel=1e-12)


@pairs
def test_length_ratio_is_that_of_sacrebleu(pair: str, data_dir: Path) -> None:
    hypotheses, streams = _sample(data_dir, pair)
    theirs = BLEU().corpus_score(hypotheses, streams)  # type: ignore[arg-type]  # None is a missing reference there, too
    assert mtassay.metric("length_ratio").corpus_score(hypotheses, streams) == theirs.ratio
    [row] = parse("length_ratio").prepare(References(streams)).statistics(hypotheses).sum(axis=0, keepdims=True)
    assert row.tolist() == [theirs.sys_len, theirs.ref_len]


@pairs
def test_exact_match_of_outputs_and_references(pair: str, data_dir: Path) -> None:
    hypotheses, streams = _sample(data_dir, pair, step=1)
    mixed = [
        ref if i % 5 == 0 and ref is not None else hypothesis
        for i, (hypothesis, ref) in enumerate(zip(hypotheses, streams[-1], strict=True))
    ]
    expected = [
        any(text == ref.strip() for ref in refs if ref is not None)
        for text, *refs in zip(map(str.strip, mixed), *streams, strict=True)
    ]
    assert 0 < sum(expected) < len(expected)
    assert mtassay.metric("exact").segment_scores(mixed, streams).tolist() == expected
    assert mtassay.metric("exact").corpus_score(mixed, streams) == sum(expected) / len(expected)
