"""Spans of errors as data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mtassay.data import ErrorSpan, ErrorSpans
from mtassay.errors import InputError


def test_a_span_marks_a_half_open_range() -> None:
    span = ErrorSpan(start=0, end=1, severity="critical", category="accuracy/addition")
    assert span.marks_output
    assert not ErrorSpan(severity="minor", missing=True).marks_output
    assert not ErrorSpan(start=2, end=2, severity="minor", missing=True).marks_output
    assert not ErrorSpan(start=2, end=5, severity="minor", in_source=True).marks_output


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"start": 0, "end": 1, "severity": "majr"}, "no severity named 'majr'; did you mean 'major'"),
        ({"start": 0, "end": 1, "severity": ""}, "no severity named ''"),
        ({"start": 5, "end": 3, "severity": "minor"}, "5–3 ends before it starts"),
        ({"start": 3, "end": 3, "severity": "minor"}, "3–3 is empty"),
        ({"start": -1, "end": 3, "severity": "minor"}, "start '-1' is not a whole number from 0"),
        ({"start": 0, "end": 2.0, "severity": "minor"}, "end '2.0' is not a whole number"),
        ({"start": True, "end": 2, "severity": "minor"}, "start 'True' is not a whole number"),
        ({"start": 0, "end": 10**9, "severity": "minor"}, "end '1000000000' is not a whole number from 0 to 1,000,000"),
        ({"severity": "minor"}, "start 'None' is not a whole number"),
        ({"start": 1, "severity": "minor", "missing": True}, "end 'None' is not a whole number"),
    ],
)
def test_faults_of_a_span(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ErrorSpan(**values)


def spans(n_spans: int = 2) -> ErrorSpans:
    one = ErrorSpan(start=0, end=2, severity="minor")
    return ErrorSpans(
        ("x", "y"),
        ("1",),
        ("a", "b"),
        np.zeros(2, dtype=np.int64),
        np.array([0, 1]),
        system=np.array([0, 1]),
        spans=((one, one), ())[:n_spans],
        score=np.array([70.0, np.nan]),
        item=np.array(["", "REPEAT"]),
    )


def test_rows_of_spans() -> None:
    assert (len(spans()), spans().n_spans) == (2, 2)
    kept = spans().rows(np.array([False, True]))
    assert (kept.spans, kept.judge.tolist(), kept.system.tolist(), kept.item.tolist()) == (((),), [1], [1], ["REPEAT"])
    assert kept.systems == ("x", "y")
    with pytest.raises(InputError, match="spans differs in length"):
        spans(1)
