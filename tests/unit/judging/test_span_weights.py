"""Scores of outputs from the errors marked in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mtassay.data import ErrorSpan, ErrorSpans
from mtassay.errors import InputError
from mtassay.judging.arrays import preferences_or_scores
from mtassay.judging.span_weights import span_scores, span_weights


def judged(*errors: list[tuple[str, str]], score: list[float] | None = None) -> ErrorSpans:
    """One output of x per list of (severity, category)."""
    n = len(errors)
    return ErrorSpans(
        ("x",),
        tuple(map(str, range(1, n + 1))),
        ("",),
        np.arange(n),
        np.zeros(n, dtype=np.int64),
        system=np.zeros(n, dtype=np.int64),
        spans=tuple(tuple(ErrorSpan(start=0, end=1, severity=s, category=c) for s, c in row) for row in errors),
        score=np.full(n, np.nan) if score is None else np.array(score),
        item=np.full(n, ""),
    )


#: Weights of the release of WMT23, from the scores of single errors in its files of ratings.
RELEASED = [
    ("minor", "accuracy/mistranslation", 1.0),
    ("major", "accuracy/mistranslation", 5.0),
    ("minor", "fluency/punctuation", 0.1),
    ("major", "fluency/punctuation", 5.0),
    ("major", "non-translation!", 25.0),
    ("minor", "source issue", 0.0),
    ("major", "source issue", 0.0),
    ("minor", "accuracy/creative reinterpretation", 0.0),
    ("major", "accuracy/creative reinterpretation", 0.0),
    ("major", "accuracy/omission", 5.0),
    ("minor", "other", 1.0),
]


@pytest.mark.parametrize(("severity", "category", "weight"), RELEASED)
def test_weights_of_mqm(severity: str, category: str, weight: float) -> None:
    assert span_weights("mqm").of(severity, category) == weight
    assert span_weights("mqm").of(severity, category.title()) == weight


def test_esa_counts_severities_only() -> None:
    weights = span_weights("esa")
    assert [weights.of(severity, "fluency/punctuation") for severity in ("minor", "major", "critical")] == [1, 5, 25]


def test_the_most_specific_rule_counts() -> None:
    rules = ["minor=1", "*=2", "*/a=3", "minor/a=4", "*/a/b=5", "major/a/b=6"]
    weights = span_weights(rules)
    found = [weights.of(severity, category) for severity in ("minor", "major") for category in ("", "a", "a/b", "c")]
    assert found == [1, 4, 5, 1, 2, 3, 6, 2]
    assert weights.of("critical", "A/B/c") == 5


def test_rules_after_a_name_replace_its_own() -> None:
    weights = span_weights(["mqm", "critical=10", "minor/fluency/punctuation=1"])
    assert (weights.of("critical", ""), weights.of("minor", "fluency/punctuation")) == (10, 1)
    assert weights.of("major", "non-translation!") == 25
    assert weights.name == "mqm critical=10 minor/fluency/punctuation=1"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("mqn", "no span weights named 'mqn'; did you mean 'mqm'"),
        ([], "no span weights named ''"),
        (5, r"span weights must be a list such as \['mqm', 'major=4'\], not 5"),
        (["minor=1", "minor=2"], "'minor' is given twice"),
        (["minor=1", "esa"], "'esa' is not a rule"),
        (["minr=1"], "no severity named 'minr'; did you mean 'minor'"),
        (["minor/=1"], "'minor/' has an empty category"),
        (["minor=-1"], "'minor' has the weight '-1'; it must be a number from 0"),
        (["minor=inf"], "must be a number from 0"),
        (["minor=x"], "must be a number from 0"),
        ({"minor": True}, "must be a number from 0"),
        ({"minor": None}, "must be a number from 0"),
    ],
)
def test_faults(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        span_weights(given)


def test_scores_are_minus_the_sum() -> None:
    spans = judged([("minor", ""), ("major", "a"), ("minor", "fluency/punctuation")], [], [("critical", "")])
    scores = span_scores(spans)
    assert scores.score.tolist() == [-(1 + 5 + 0.1), 0.0, -25.0]
    assert scores.aspect == "error spans (weights mqm)"
    assert scores.higher_is_better
    assert span_scores(spans, {"minor": 2, "major": 3, "critical": 4}).score.tolist() == [-7, 0, -4]
    with pytest.raises(InputError, match=r"have no weight for critical errors: add critical=WEIGHT"):
        span_scores(spans, ["minor=1", "major=5"])


def test_overall_scores_come_first() -> None:
    spans = judged([("minor", "")], [], score=[70, 90])
    assert span_scores(spans).score.tolist() == [70, 90]
    assert span_scores(spans).aspect == "score"
    assert span_scores(spans, "esa").score.tolist() == [-1, 0]
    some = judged([("minor", "")], [], score=[70, np.nan])
    with pytest.raises(InputError, match=r"x, segment 2 has spans but no score, .* --span-weights"):
        span_scores(some)
    assert span_scores(some, "mqm").score.tolist() == [-1, 0]


def test_weights_are_for_spans() -> None:
    scores = span_scores(judged([("minor", "")]))
    assert preferences_or_scores(scores) is scores
    with pytest.raises(InputError, match="span weights are for spans of errors"):
        preferences_or_scores(scores, "mqm")


def test_kinds_and_tasks_stay() -> None:
    controls = replace(judged([], [("major", "")]), item=np.array(["", "BAD"]), hit=np.array([0, 1]))
    scores = span_scores(controls)
    assert scores.item.tolist() == ["", "BAD"]
    assert scores.hit is not None
    assert scores.hit.tolist() == [0, 1]
