"""Sums over documents are those of their segments, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.execution import blocks
from mtassay.metrics import parse
from mtassay.metrics.core import group_totals
from mtassay.metrics.core.group_totals import group_sums
from mtassay.metrics.core.table import StatsTable


@given(st.lists(st.sampled_from("abcde"), min_size=1, max_size=40), st.integers(1, 9), st.integers(1, 3))
def test_totals_and_scores_are_those_of_the_segments(labels: list[str], block: int, at_once: int) -> None:
    metric = parse("ter")
    random = np.random.default_rng(len(labels))
    statistics = random.integers(1, 9, (2, len(labels), len(metric.columns)))
    tables = [StatsTable(metric, ("x", "y"), statistics)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(blocks, "BLOCK", block)
        patched.setattr(group_totals, "_AT_ONCE", at_once)
        found = group_sums(labels, tables)
        scores, n_segments = found.scores(), found.n_segments
    assert found.labels == tuple(dict.fromkeys(labels))
    assert scores.shape == (len(found.labels), 2, 1)
    for number, label in enumerate(found.labels):
        segments = np.array([i for i, other in enumerate(labels) if other == label])
        assert n_segments[number] == len(segments)
        np.testing.assert_array_equal(scores[number, :, 0], metric.score(statistics[:, segments].sum(axis=1)))
