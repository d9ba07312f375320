"""LEPOR with the two references of WMT21: the best one counts, segment by segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mtassay.metrics import parse

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("pair", "streams"), [("cs-en", "AB"), ("en-de", "AC")])
@pytest.mark.parametrize("spec", ["lepor", "nlepor", "hlepor", "hlepor:variant=hlepor-py"])
def test_two_references(data_dir: Path, pair: str, streams: str, spec: str) -> None:
    folder = data_dir / "wmt21" / pair
    references = [(folder / f"ref.{name}").read_text(encoding="utf-8").splitlines() for name in streams]
    metric = parse(spec)
    used = np.zeros(2, dtype=np.int64)
    for path in sorted((folder / "hyp").iterdir())[:3]:
        hypotheses = path.read_text(encoding="utf-8").splitlines()
        alone = np.array([metric.segment_scores(hypotheses, [stream]) for stream in references])
        together = metric.segment_scores(hypotheses, references)
        np.testing.assert_array_equal(together, alone.max(axis=0))
        assert ((alone >= 0) & (alone <= 1 + 1e-12)).all()
        assert metric.corpus_score(hypotheses, references) == pytest.approx(together.mean(), rel=1e-12)
        used += np.bincount(alone.argmax(axis=0), minlength=2)
    assert (used > 0).all()
