"""``mtassay.segment_metric``."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.errors import InputError, MtassayError, SpecError
from mtassay.metrics import Metric, References
from mtassay.metrics.core.combination import Combination

HYPOTHESES = ["a b", "c", ""]
STREAMS: list[list[str | None]] = [["a b c", "c", "d"], ["a", None, "e f g"]]


def gap(hypothesis: str, reference: str) -> float:
    return abs(len(hypothesis.split()) - len(reference.split()))


class TestArguments:
    def test_one_reference_at_a_time_and_the_best_one_counts(self) -> None:
        low = mtassay.segment_metric(gap, higher_is_better=False)
        high = mtassay.segment_metric(gap)
        assert low.segment_scores(HYPOTHESES, STREAMS).tolist() == [1.0, 0.0, 1.0]
        assert high.segment_scores(HYPOTHESES, STREAMS).tolist() == [1.0, 0.0, 3.0]

    def test_without_a_direction_the_first_reference_counts(self) -> None:
        metric = mtassay.segment_metric(lambda hypothesis, reference: len(reference), name="l", higher_is_better=None)
        assert metric.segment_scores(HYPOTHESES, STREAMS).tolist() == [5.0, 1.0, 1.0]
        with pytest.raises(SpecError, match="has no direction"):
            Combination(((1.0, metric),))

    def test_all_references_at_once(self) -> None:
        seen: list[Any] = []

        def measure(hypothesis: str, references: Any) -> float:
            seen.append(references)
            return 0.0

        metric = mtassay.segment_metric(measure, name="all")
        metric.corpus_score(HYPOTHESES, STREAMS)
        assert seen == [("a b c", "a"), ("c",), ("d", "e f g")]

    def test_sources(self) -> None:
        metric = mtassay.segment_metric(lambda hypothesis, source: len(source), name="src")
        testset = mtassay.TestSet(STREAMS, {"x": HYPOTHESES}, sources=["s", "ss", "sss"])
        assert mtassay.score(testset, metrics=[metric]).segment_scores().ravel().tolist() == [1.0, 2.0, 3.0]
        assert metric.corpus_score(HYPOTHESES, References(STREAMS, sources=["s", "ss", "sss"])) == 2
        with pytest.raises(InputError, match="src reads source texts, but there are none: give --source FILE"):
            metric.corpus_score(HYPOTHESES, STREAMS)

    def test_batches(self) -> None:
        calls: list[dict[str, Any]] = []

        def lengths(**texts: Any) -> Any:
            calls.append(texts)
            return np.array([len(h) for h in texts["hypothesis"]], dtype=np.float32)

        def batched(hypothesis: list[str], reference: list[str]) -> Any:
            return lengths(hypothesis=hypothesis, reference=reference)

        metric = mtassay.segment_metric(batched, batch=True)
        result = mtassay.score(STREAMS, {"x": HYPOTHESES, "y": ["", "", "abc"]}, metrics=[metric])
        assert result.scores.ravel().tolist() == [pytest.approx(4 / 3), 1.0]
        assert len(calls) == 1
        assert calls[0]["hypothesis"] == ["a b", "a b", "c", "", "", "", "", "", "abc", "abc"]
        assert calls[0]["reference"] == ["a b c", "a", "c", "d", "e f g"] * 2

    def test_parameters_with_defaults_and_partial_functions(self) -> None:
        def scaled(hypothesis: str, scale: float = 1.0, **more: Any) -> float:
            assert not more
            return scale * len(hypothesis)

        assert mtassay.segment_metric(scaled).corpus_score(["ab"], [["x"]]) == 2
        assert mtassay.segment_metric(functools.partial(scaled, scale=3), name="p").corpus_score(["ab"], [["x"]]) == 6

    @pytest.mark.parametrize(
        ("function", "message"),
        [
            (lambda hyp, reference: 0, "f has a parameter 'hyp'; a metric is given hypothesis, reference, references"),
            (lambda hypothesis, referense: 0, "a parameter 'referense'; did you mean 'reference'?"),
            (lambda reference: 0, "f has no parameter 'hypothesis'"),
            (lambda *texts: 0, "f has no parameter 'hypothesis'"),
            (lambda hypothesis, /: 0, "f: 'hypothesis' must not be positional-only (before '/'); a metric is given"),
            (lambda hypothesis="", /: 0, "f: 'hypothesis' must not be positional-only"),
            (lambda hypothesis, reference, references: 0, "choose one reference at a time, or all"),
            ("bleu", "a metric must be a function, not 'bleu'"),
            (print, "f has no parameter 'hypothesis'"),
            (type, "f: the parameters of <class 'type'> cannot be inspected; wrap it in a def"),
        ],
    )
    def test_refused(self, function: Any, message: str) -> None:
        with pytest.raises(SpecError) as raised:
            mtassay.segment_metric(function, name="f")
        assert message in str(raised.value)


class TestFailures:
    def test_an_exception_names_the_place_and_is_chained(self) -> None:
        def broken(hypothesis: str) -> float:
            return 1 / len(hypothesis)

        metric = mtassay.segment_metric(broken)
        with pytest.raises(MtassayError) as raised:
            mtassay.score(STREAMS, {"x": ["a"] * 3, "y": HYPOTHESES}, metrics=["bleu", metric])
        assert str(raised.value) == "broken failed on y, segment 3: ZeroDivisionError: division by zero"
        assert isinstance(raised.value.__cause__, ZeroDivisionError)
        with pytest.raises(MtassayError, match="broken failed on hypothesis 2, segment 1: ZeroDivisionError"):
            metric.pairwise(["a", ""], ["b"])
        with pytest.raises(MtassayError, match="broken failed on hypotheses, segment 3"):
            metric.corpus_score(HYPOTHESES, STREAMS)

    @pytest.mark.parametrize("value", [None, "1", float("nan"), float("inf"), [1.0, 2.0], 1j, 10**400])
    def test_what_is_no_number(self, value: object) -> None:
        metric = mtassay.segment_metric(lambda hypothesis: value, name="f")
        with pytest.raises(MtassayError, match="f must return a finite number, but for hypotheses, segment 1 it"):
            metric.corpus_score(HYPOTHESES, STREAMS)

    def test_sums_stay_finite(self) -> None:
        metric = mtassay.segment_metric(lambda hypothesis: 1e308 if hypothesis == "c" else 1e100, name="f")
        with pytest.raises(MtassayError) as raised:
            mtassay.score(STREAMS, {"x": ["a"] * 3, "y": HYPOTHESES}, metrics=[metric])
        assert str(raised.value) == (
            "f must return a number of at most 1e+100, but for y, segment 2 it returned 1e+308"
        )
        assert metric.corpus_score(["a"] * 3, STREAMS) == pytest.approx(1e100)

    @pytest.mark.parametrize("value", [1, True, 0.5, np.float32(0.5), np.int64(2), np.array(0.5)])
    def test_what_is_a_number(self, value: Any) -> None:
        metric = mtassay.segment_metric(lambda hypothesis: value, name="f")
        assert metric.corpus_score(HYPOTHESES, STREAMS) == float(value)

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ([1, 2], "f returned 2 scores for 3 texts"),
            ("123", "f must return a list of numbers, not '123'"),
            ({1: 1}, "f must return a list of numbers, not {1: 1}"),
            (0.5, "f must return a list of numbers, not 0.5"),
            ([1, None, 2], "f must return a finite number, but for hypotheses, segment 2 it returned None"),
        ],
    )
    def test_wrong_batches(self, value: Any, message: str) -> None:
        metric = mtassay.segment_metric(lambda hypothesis: value, name="f", batch=True)
        with pytest.raises(MtassayError) as raised:
            metric.corpus_score(HYPOTHESES, [["a"] * 3])
        assert message in str(raised.value)

    def test_a_batch_that_raises(self) -> None:
        def broken(hypothesis: list[str]) -> list[float]:
            raise KeyError("model")

        with pytest.raises(MtassayError, match="broken failed on 3 texts: KeyError: 'model'"):
            mtassay.segment_metric(broken, batch=True).corpus_score(HYPOTHESES, [["a"] * 3])


class TestValues:
    def test_names(self) -> None:
        assert str(mtassay.segment_metric(gap)) == mtassay.segment_metric(gap).label == "gap"
        assert str(mtassay.segment_metric(gap, name="Gap 2")) == "Gap 2"
        with pytest.raises(SpecError, match="a function without a name needs name="):
            mtassay.segment_metric(lambda hypothesis: 0)
        for name in ("", " ", "a\tb", "a\x1bb", 5, b"f"):
            with pytest.raises(InputError, match="name"):
                mtassay.segment_metric(gap, name=name)  # type: ignore[arg-type]

    @pytest.mark.parametrize("name", ["segment", "system", "id", "doc", "domain", "Segment"])
    def test_names_of_other_columns(self, name: str) -> None:
        with pytest.raises(SpecError, match=f"'{name}' is the name of another column .*; give the metric another name"):
            mtassay.segment_metric(gap, name=name)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"digits": -1}, "gap: digits must be a whole number from 0 to 17, not -1"),
            ({"digits": 99}, "from 0 to 17, not 99"),
            ({"digits": 2.5}, "from 0 to 17, not 2.5"),
            ({"digits": None}, "from 0 to 17, not None"),
            ({"digits": True}, "from 0 to 17, not True"),
            ({"higher_is_better": "no"}, "gap: higher_is_better must be True, False or None, not 'no'"),
            ({"higher_is_better": 0}, "True, False or None, not 0"),
            ({"batch": "yes"}, "gap: batch must be True or False, not 'yes'"),
            ({"batch": None}, "gap: batch must be True or False, not None"),
        ],
    )
    def test_wrong_options(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises(SpecError) as raised:
            mtassay.segment_metric(gap, **options)
        assert message in str(raised.value)

    def test_decorators(self) -> None:
        @mtassay.segment_metric
        def plain(hypothesis: str) -> float:
            return 1.0

        @mtassay.segment_metric(name="other", digits=2)
        def called(hypothesis: str) -> float:
            return 1.0

        assert isinstance(plain, Metric)
        assert (plain.name, plain.digits) == ("plain", 4)
        assert (called.name, called.digits) == ("other", 2)

    def test_equal_if_made_from_the_same_function(self) -> None:
        class Unhashable:
            __hash__ = None  # type: ignore[assignment]

            def __call__(self, hypothesis: str) -> float:
                return 1.0

        metric = mtassay.segment_metric(Unhashable(), name="u")
        assert metric in {metric}
        assert mtassay.segment_metric(gap) == mtassay.segment_metric(gap)
        assert hash(mtassay.segment_metric(gap)) == hash(mtassay.segment_metric(gap))
        assert mtassay.segment_metric(gap) != mtassay.segment_metric(gap, higher_is_better=False)
        assert mtassay.segment_metric(gap) != mtassay.segment_metric(lambda hypothesis, reference: 0, name="gap")

    def test_two_metrics_of_one_name_are_refused(self) -> None:
        other = mtassay.segment_metric(lambda hypothesis: 0, name="gap")
        with pytest.raises(InputError, match="the metric gap is given twice"):
            mtassay.score(STREAMS, {"x": HYPOTHESES}, metrics=[mtassay.segment_metric(gap), other])

    def test_no_specification(self) -> None:
        with pytest.raises(SpecError, match="no metric named 'gap'"):
            mtassay.metric("gap")

    def test_pairwise_of_no_sources_has_no_columns(self) -> None:
        @mtassay.segment_metric
        def length(hypothesis: str, source: str) -> float:
            return len(hypothesis) + len(source)

        assert length.pairwise(["a", "b"], [], sources=[]).shape == (2, 0)
        assert length.pairwise(["a"], [], sources=["x", "yz"]).tolist() == [[2.0, 3.0]]

    def test_pairwise(self) -> None:
        matrix = mtassay.segment_metric(gap).pairwise(HYPOTHESES, ["a b c", "d"])
        assert matrix.tolist() == [[1.0, 1.0], [2.0, 0.0], [3.0, 1.0]]

    def test_signature_names_the_function(self) -> None:
        signature = str(mtassay.segment_metric(gap).signature(STREAMS))
        assert signature.startswith("nrefs:var|function:")
        assert "test_functions.gap|batch:no|mtassay:" in signature
