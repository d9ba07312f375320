"""How far two sets of error spans mark the same characters: precision, recall and F1.

This is the measure of the WMT25 task on error spans (Lavie et al. 2025, "Findings of the WMT25 shared task on automated
translation evaluation systems"), whose half credit comes from the WMT23 task on quality estimation (Blain et al. 2023).
Every character of an output has a number of major and a number of minor marks from each side; critical errors count as
major. Marks of the same severity on both sides match. Of the remaining marks, a mark of one side matches a mark of the
other severity on the other side, and counts as a share of a match, the *credit*:

- credit 1: only the places count;
- credit ½: the measure of WMT25;
- credit 0: severities must be the same.

Precision is matches / marks of one side, recall matches / marks of the other, F1 their harmonic mean, all over the
sums of many outputs. Omissions and spans in the source mark no character of the output.

Differs from WMT25: if a side has no marks, precision or recall is undefined (NaN); the script of WMT25 returns 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.judgements import OUTPUTS

if TYPE_CHECKING:
    from mtassay.data.error_spans import ErrorSpans
    from mtassay.types import Counts, Index, Ints, Offsets

#: Credit for another severity, by the name of the measure.
CREDITS = {"place": 1.0, "half": 0.5, "severity": 0.0}
#: Columns of `match_counts`.
COLUMNS = ("same", "other", "of_first", "of_second")
#: Number of characters compared at a time, to bound memory; a single pair of outputs may have more.
_BLOCK = 1 << 20
_N_LEVELS = 2


@dataclass(frozen=True)
class SpanMatch:
    """Numbers of characters, summed over pairs of marked outputs.

    Attributes:
        same: number of marks with a mark of the same severity on the other side.
        other: number of further marks with a mark of the other severity on the other side.
        of_first: number of marks of the first side.
        of_second: number of marks of the second side.
        n_pairs: number of pairs of marked outputs.

    >>> match = SpanMatch(same=3, other=2, of_first=8, of_second=5, n_pairs=1)
    >>> match.precision(0.5), match.recall(0.5), round(match.f1(1.0), 3)
    (0.5, 0.8, 0.769)
    """

    same: int
    other: int
    of_first: int
    of_second: int
    n_pairs: int

    def precision(self, credit: float) -> float:
        """Share of the marks of the first side that the second has; NaN without marks."""
        return _ratio(self.same + credit * self.other, self.of_first)

    def recall(self, credit: float) -> float:
        """Share of the marks of the second side that the first has; NaN without marks."""
        return _ratio(self.same + credit * self.other, self.of_second)

    def f1(self, credit: float) -> float:
        """Harmonic mean of precision and recall; NaN if neither side has marks."""
        return _ratio(2 * (self.same + credit * self.other), self.of_first + self.of_second)


@dataclass(frozen=True, eq=False)
class SpanAgreement:
    """Agreement of judges who marked the same outputs.

    Attributes:
        match: agreement over all pairs of judges; F1 does not depend on which of two judges is first.
        by_judge: agreement of each judge, as the first side, with the others.
        n_outputs: number of outputs marked by at least two judges.
    """

    match: SpanMatch
    by_judge: tuple[SpanMatch, ...]
    n_outputs: int


def span_agreement(spans: ErrorSpans) -> SpanAgreement:
    """Compare the spans of every two judges of an output; control items do not count."""
    first, second = _judge_pairs(spans)
    counts = match_counts(spans, first, spans, second)
    turned = counts[:, [0, 1, 3, 2]]
    by_judge = tuple(
        summed(np.concatenate([counts[spans.judge[first] == judge], turned[spans.judge[second] == judge]]))
        for judge in range(len(spans.judges))
    )
    n_outputs = len(np.unique(spans.system[first] * len(spans.segments) + spans.segment[first]))
    return SpanAgreement(summed(counts), by_judge, n_outputs)


def _judge_pairs(spans: ErrorSpans) -> tuple[Index, Index]:
    """Rows of the same output by different judges."""
    rows = np.flatnonzero(np.isin(spans.item, list(OUTPUTS)))
    output = spans.system[rows] * len(spans.segments) + spans.segment[rows]
    rows = rows[np.argsort(output, kind="stable")]
    output = np.sort(output)
    ends = np.searchsorted(output, output, side="right")
    n_after = ends - np.arange(len(rows)) - 1
    first = np.repeat(np.arange(len(rows)), n_after)
    second = first + 1 + _counting(n_after)
    different = spans.judge[rows[first]] != spans.judge[rows[second]]
    return rows[first[different]], rows[second[different]]


def match_counts(one: ErrorSpans, rows: Index, other: ErrorSpans, other_rows: Index) -> Counts:
    """Compare row by row, shape (n, 4): the columns of `COLUMNS`."""
    sides = (_Marks(one), _Marks(other))
    length = np.maximum(sides[0].length[rows], sides[1].length[other_rows])
    ends = np.flatnonzero(np.diff(np.cumsum(length) // _BLOCK)) + 1
    found = [
        _block(sides, (rows[start:end], other_rows[start:end]))
        for start, end in pairwise([0, *ends.tolist(), len(rows)])
    ]
    return np.concatenate(found)


def summed(counts: Counts) -> SpanMatch:
    """The sum over all rows of `match_counts`."""
    sums: list[int] = counts.sum(axis=0).tolist()
    return SpanMatch(**dict(zip(COLUMNS, sums, strict=True)), n_pairs=len(counts))


class _Marks:
    """Spans that mark characters of outputs, as arrays; the spans of row i are offsets[i] to offsets[i + 1]."""

    def __init__(self, spans: ErrorSpans) -> None:
        kept = [[span for span in errors if span.marks_output] for errors in spans.spans]
        self.offsets: Offsets = np.concatenate([[0], np.cumsum([len(errors) for errors in kept], dtype=np.int64)])
        flat = [span for errors in kept for span in errors]
        self.start: Ints = np.array([span.start for span in flat], dtype=np.int64)
        self.end: Ints = np.array([span.end for span in flat], dtype=np.int64)
        self.major: Ints = np.array([span.severity != "minor" for span in flat], dtype=np.int64)
        self.length: Ints = np.array([max((span.end or 0 for span in errors), default=0) for errors in kept], np.int64)

    def levels(self, rows: Index, places: Offsets) -> Counts:
        """Minor and major marks of each character, shape (2, characters); row i begins at places[i]."""
        n_spans = self.offsets[rows + 1] - self.offsets[rows]
        chosen = np.repeat(self.offsets[rows], n_spans) + _counting(n_spans)
        base = np.repeat(places[:-1], n_spans)
        changes = np.zeros((_N_LEVELS, int(places[-1]) + 1), dtype=np.int64)
        np.add.at(changes, (self.major[chosen], self.start[chosen] + base), 1)
        np.add.at(changes, (self.major[chosen], self.end[chosen] + base), -1)
        return np.cumsum(changes, axis=1)[:, :-1]


def _block(sides: tuple[_Marks, _Marks], rows: tuple[Index, Index]) -> Counts:
    length = np.maximum(sides[0].length[rows[0]], sides[1].length[rows[1]])
    places = np.concatenate([[0], np.cumsum(length)])
    first, second = (side.levels(of, places) for side, of in zip(sides, rows, strict=True))
    same = np.minimum(first, second).sum(axis=0)
    left_over = [np.maximum(a - b, 0).sum(axis=0) for a, b in ((first, second), (second, first))]
    per_character = np.stack([same, np.minimum(*left_over), first.sum(axis=0), second.sum(axis=0)])
    totals = np.concatenate([np.zeros((len(COLUMNS), 1), dtype=np.int64), np.cumsum(per_character, axis=1)], axis=1)
    sums: Counts = (totals[:, places[1:]] - totals[:, places[:-1]]).T
    return sums


def _counting(sizes: Ints) -> Ints:
    """0, 1, … for each group of the given sizes, one after the other."""
    starts = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) - np.repeat(starts, sizes)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
