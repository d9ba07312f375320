"""Characters that two sets of spans mark, by brute force from the definition."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import ErrorSpan, ErrorSpans
from mtassay.judging import span_matching
from mtassay.judging.span_matching import CREDITS, SpanMatch, match_counts, span_agreement, summed

Row = tuple[int, int, list[ErrorSpan]]

SPANS = st.builds(
    lambda start, length, severity, missing, in_source: ErrorSpan(
        start=start, end=start + length, severity=severity, missing=missing, in_source=in_source
    ),
    st.integers(0, 6),
    st.integers(1, 5),
    st.sampled_from(["minor", "major", "critical"]),
    st.sampled_from([False, False, False, True]),
    st.sampled_from([False, False, False, True]),
)
#: Judge, output and spans.
ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.lists(SPANS, max_size=3)),
    unique_by=lambda row: row[:2],
    max_size=9,
)


def judged(rows: list[Row], *, kinds: list[str] | None = None) -> ErrorSpans:
    judge, output = (np.array([row[side] for row in rows], dtype=np.int64) for side in (0, 1))
    return ErrorSpans(
        ("x", "y"),
        ("1", "2"),
        ("a", "b", "c"),
        output % 2,
        judge,
        system=output // 2,
        spans=tuple(tuple(row[2]) for row in rows),
        score=np.full(len(rows), np.nan),
        item=np.array(kinds or [""] * len(rows), dtype=np.str_),
    )


def brute_force(one: list[ErrorSpan], other: list[ErrorSpan], credit: float) -> tuple[float, int, int]:
    """Matches and marks: every mark of a character is matched with one of the other side, best ones first."""
    marks = []
    for spans in (one, other):
        marks.append(
            Counter(
                (place, "minor" if span.severity == "minor" else "major")
                for span in spans
                if not span.missing and not span.in_source
                for place in range(span.start or 0, span.end or 0)
            )
        )
    first, second = marks
    matched = 0.0
    for place in range(20):
        left = [[level for level in ("minor", "major") for _ in range(of[place, level])] for of in (first, second)]
        for level in list(left[0]):
            if level in left[1]:
                left[0].remove(level)
                left[1].remove(level)
                matched += 1
        matched += credit * min(map(len, left))
    return matched, first.total(), second.total()


@given(ROWS)
def test_agreement_by_brute_force(rows: list[Row]) -> None:
    found = span_agreement(judged(rows))
    pairs = [(a, b) for a, b in combinations(rows, 2) if a[1] == b[1]]
    assert found.match.n_pairs == len(pairs)
    assert found.n_outputs == len({a[1] for a, _ in pairs})
    for judge in (None, 0, 1, 2):
        match = found.match if judge is None else found.by_judge[judge]
        for credit in CREDITS.values():
            matched, total, own = 0.0, 0.0, 0.0
            for a, b in pairs:
                if judge in (None, a[0], b[0]):
                    of_pair = brute_force(a[2], b[2], credit)
                    matched, total = matched + of_pair[0], total + of_pair[1] + of_pair[2]
                    own += of_pair[1 if a[0] == judge else 2]
            expected = 2 * matched / total if total else nan
            assert match.f1(credit) == pytest.approx(expected, nan_ok=True)
            if judge is not None and own:
                assert match.precision(credit) == pytest.approx(matched / own)


@given(st.lists(st.tuples(st.lists(SPANS, max_size=3), st.lists(SPANS, max_size=3)), max_size=5), st.integers(1, 30))
def test_precision_and_recall_by_brute_force(pairs: list[tuple[list[ErrorSpan], list[ErrorSpan]]], block: int) -> None:
    one = judged([(0, 0, first) for first, _ in pairs])
    other = judged([(0, 0, second) for _, second in pairs])
    numbers = np.arange(len(pairs))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(span_matching, "_BLOCK", block)
        counts = match_counts(one, numbers, other, numbers)
    np.testing.assert_array_equal(counts, match_counts(one, numbers, other, numbers))
    for credit in CREDITS.values():
        expected = np.array([brute_force(first, second, credit) for first, second in pairs]).reshape(-1, 3).sum(axis=0)
        match = summed(counts)
        assert match.precision(credit) == pytest.approx(expected[0] / expected[1] if expected[1] else nan, nan_ok=True)
        assert match.recall(credit) == pytest.approx(expected[0] / expected[2] if expected[2] else nan, nan_ok=True)


def test_half_credit_by_hand() -> None:
    # Characters 2 to 4 are major for one and minor for the other, 4 and 5 minor for both.
    one = judged([(0, 0, [ErrorSpan(start=0, end=4, severity="major"), ErrorSpan(start=4, end=6, severity="minor")])])
    other = judged([(1, 0, [ErrorSpan(start=2, end=6, severity="minor")])])
    match = summed(match_counts(one, np.array([0]), other, np.array([0])))
    assert match == SpanMatch(same=2, other=2, of_first=6, of_second=4, n_pairs=1)
    assert [match.f1(credit) for credit in (1, 0.5, 0)] == pytest.approx([0.8, 0.6, 0.4])
    assert (match.precision(0.5), match.recall(0.5)) == (0.5, 0.75)


def test_nothing_marked_and_control_items() -> None:
    empty = span_agreement(judged([(0, 0, []), (1, 0, [])]))
    assert isnan(empty.match.f1(1.0))
    assert (empty.match.n_pairs, empty.n_outputs) == (1, 1)
    controls = span_agreement(judged([(0, 0, []), (1, 0, []), (2, 0, [])], kinds=["", "BAD", "REPEAT"]))
    assert (controls.match.n_pairs, controls.n_outputs) == (0, 0)
