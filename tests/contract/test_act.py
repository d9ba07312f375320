"""The contract of ACT, which needs source texts and has no score of segments without connectives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mtassay
from mtassay.execution import Execution
from mtassay.metrics import Metric, References, build_tables, parse
from mtassay.metrics.core.combination import Combination
from mtassay.metrics.linguistic.act import Act

SOURCES = ("Since it rains, however.", "A while ago.", "Yet he came.", "Although late, not yet.", "")
SYSTEMS = {
    "x": ("Car il pleut, mais.", "Il y a longtemps.", "", "Bien qu'il soit tard, pas encore.", "depuis"),
    "y": ("Depuis, cependant.", "", "Mais il vint.", "Toujours pas, mais tard.", "x"),
}
STREAMS: tuple[tuple[str | None, ...], ...] = (
    ("Puisqu'il pleut, cependant.", "Jadis.", "Il vint pourtant.", "Bien que tard, pas encore.", ""),
    ("Car il pleut, mais.", None, "", "Tard.", "depuis"),
)
SPECS = ["act:lang=fr", "act:lang=fr,exclude=5+6", "act:lang=de"]
N = len(SOURCES)


@pytest.fixture(params=SPECS)
def metric(request: pytest.FixtureRequest) -> Metric:
    return parse(request.param)


def references(order: tuple[int, ...] = tuple(range(N))) -> References:
    return References([[s[i] for i in order] for s in STREAMS], sources=[SOURCES[i] for i in order])


def test_rows_are_counts_and_do_not_depend_on_each_other(metric: Metric) -> None:
    scorer = metric.prepare(references())
    together = scorer.statistics(SYSTEMS["x"])
    assert together.shape == (N, len(metric.columns))
    assert len(set(metric.columns)) == len(metric.columns)
    assert np.issubdtype(together.dtype, np.integer)
    assert together.sum(axis=1).tolist() == [2, 0, 1, 2, 0]
    for i, text in enumerate(SYSTEMS["x"]):
        np.testing.assert_array_equal(scorer.statistics([text], [i]), together[i : i + 1])
    order = (3, 0, 4, 2, 1)
    shuffled = metric.prepare(references(order)).statistics([SYSTEMS["x"][i] for i in order])
    np.testing.assert_array_equal(shuffled, together[list(order)])


def test_pairs_in_any_number_and_order(metric: Metric) -> None:
    scorer = metric.prepare(references())
    rows = scorer.statistics(SYSTEMS["x"], [4, 0, 0, 1], hypothesis_index=[0, 0, 0, 3])
    np.testing.assert_array_equal(rows[1], scorer.statistics(SYSTEMS["x"])[0])
    np.testing.assert_array_equal(rows[1], rows[2])
    assert scorer.statistics([], [], hypothesis_index=[]).shape == (0, len(metric.columns))
    matrix = metric.pairwise(SYSTEMS["x"], ["Car.", ""], sources=["Since."] * 2)
    for i, text in enumerate(SYSTEMS["x"]):
        alone = metric.segment_scores([text], References([["Car."]], sources=["Since."]))
        np.testing.assert_array_equal(matrix[i, 0], alone[0])


@pytest.mark.parametrize("threads", [1, 2])
def test_tables_equal_single_systems(metric: Metric, threads: int) -> None:
    [table] = build_tables(references(), SYSTEMS, [metric], execution=Execution(threads))
    for s, texts in enumerate(SYSTEMS.values()):
        assert metric.corpus_score(texts, references()) == table.scores()[s]
        np.testing.assert_array_equal(metric.segment_scores(texts, references()), table.segment_scores()[s])


def test_scores_are_vectorised(metric: Metric) -> None:
    rows = metric.prepare(references()).statistics(SYSTEMS["y"])
    totals = np.random.default_rng(3).integers(0, 4, size=(2, 3, N)) @ rows
    before = totals.copy()
    scores = metric.score(totals)
    assert (scores.shape, scores.dtype.type) == ((2, 3), np.float64)
    np.testing.assert_array_equal(scores[1, 2], metric.score(totals[1, 2]))
    assert metric.score(totals[:0]).shape == (0, 3)
    assert np.isnan(metric.score(np.zeros_like(totals[0, 0])))
    for values in [metric.components(totals), *metric.breakdown(totals).values()]:
        assert all(value.shape == (2, 3) for value in values.values())
    np.testing.assert_array_equal(totals, before)


def test_a_reference_is_as_good_as_can_be() -> None:
    metric = parse("act:lang=fr,exclude=5+6")
    assert metric.corpus_score([str(text) for text in STREAMS[0]], references()) == 1.0
    assert 0 <= metric.corpus_score(SYSTEMS["y"], references()) <= 1


def test_combinations_and_results(metric: Metric) -> None:
    testset = mtassay.TestSet(STREAMS, SYSTEMS, sources=SOURCES, documents=["a", "a", "b", "b", "b"])
    result = mtassay.score(
        testset, metrics=["bleu", metric, Combination(((0.5, parse("bleu")), (2.0, metric)))], by="doc"
    )
    np.testing.assert_allclose(result.scores[:, 2], 0.5 * result.scores[:, 0] + 2 * result.scores[:, 1])
    assert result["x", str(metric)] == result.scores[0, 1]
    signature = metric.signature(references())
    assert str(signature).startswith("nrefs:var|dictionary:en-")
    assert len({entry.short for entry in signature.entries}) == len(signature.entries)


_PATHS = st.text(st.characters(exclude_categories=()), min_size=1)


@given(
    dictionary=_PATHS | st.just(""),
    alignments=_PATHS | st.just(""),
    exclude=st.sampled_from(["none", "5+6"]),
    lang=st.sampled_from(["de", "fr"]),
)
def test_specifications_round_trip(dictionary: str, alignments: str, exclude: str, lang: str) -> None:
    metric = Act(lang=lang, dictionary=dictionary, exclude=exclude, alignments=alignments)
    again = parse(str(metric))
    assert again == metric
    assert hash(again) == hash(metric)
