"""GTM against several real references."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

import pytest

import mtassay
from mtassay.metrics import parse

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("pair", ["wmt21/cs-en", "wmt21/en-de"])
def test_words_in_common_with_all_references(data_dir: Path, pair: str) -> None:
    test_set = mtassay.load(data_dir / pair)
    streams = test_set.references
    assert len(streams) > 1
    hypotheses = next(iter(test_set.systems.values()))
    sizes, hyp_lens, ref_lens, f_scores = [], [], [], []
    for hypothesis, *references in zip(hypotheses, *streams, strict=True):
        words, texts = hypothesis.split(), [text.split() for text in references if text is not None]
        mean = sum(map(len, texts)) / len(texts)
        in_common = (Counter(words) & Counter(chain.from_iterable(texts))).total()
        size = min(in_common, len(words), mean)
        sizes.append(size)
        hyp_lens.append(len(words))
        ref_lens.append(mean)
        f_scores.append(2 * size / (len(words) + mean))
    metric = parse("gtm:tok=none")
    assert metric.segment_scores(hypotheses, streams) == pytest.approx(f_scores, abs=1e-12)
    assert metric.corpus_score(hypotheses, streams) == pytest.approx(2 * sum(sizes) / (sum(hyp_lens) + sum(ref_lens)))
    assert any(size < n for size, n in zip(sizes, hyp_lens, strict=True))
