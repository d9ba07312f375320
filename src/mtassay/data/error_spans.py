"""Errors that a judge, or a metric, marked in outputs: MQM and ESA.

A span is a half-open range of code points (Python's characters) of the output, counted from 0: text[start:end]. The
spans of one judge may overlap, and two may have the same range.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mtassay.data.campaign_checks import SEVERITIES
from mtassay.data.judgements import JudgedOutputs
from mtassay.errors import InputError, unknown_name

#: Code points of the longest text.
_LONGEST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSpan:
    """One error.

    Attributes:
        start: the first code point; None only if something is missing and its place is not given.
        end: the code point after the last; equal to `start` only if something is missing there.
        severity: one of `SEVERITIES`.
        category: such as ``accuracy/mistranslation``; "" if there is none.
        missing: whether the error is an omission: something that the output lacks.
        in_source: whether the range is of the source, not of the output.

    >>> ErrorSpan(start=3, end=5, severity="minor").marks_output
    True
    """

    start: int | None = None
    end: int | None = None
    severity: str
    category: str = ""
    missing: bool = False
    in_source: bool = False

    def __post_init__(self) -> None:
        """Reject values out of range."""
        if self.severity not in SEVERITIES:
            raise InputError(unknown_name("severity", self.severity, SEVERITIES))
        if self.start is None and self.end is None and self.missing:
            return
        for name, value in (("start", self.start), ("end", self.end)):
            if type(value) is not int or not 0 <= value <= _LONGEST:
                raise InputError(f"{name} {str(value)[:40]!r} is not a whole number from 0 to {_LONGEST:,}")
        if self.start > self.end:  # type: ignore[operator] # both are numbers
            raise InputError(f"the span {self.range} ends before it starts")
        if self.start == self.end and not self.missing:
            raise InputError(
                f"the span {self.range} is empty: end is the character after the last one; "
                'where a text lacks something, write "missing": true'
            )

    @property
    def range(self) -> str:
        """Start and end for messages."""
        return f"{self.start}–{self.end}"

    @property
    def marks_output(self) -> bool:
        """Whether the span marks characters of the output."""
        return not self.missing and not self.in_source


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ErrorSpans(JudgedOutputs):
    """Outputs with their errors, one row per output and judge; scores are ESA's overall scores, NaN if missing.

    Attributes:
        spans: the errors of each row; none if the output was judged to have no error.
    """

    spans: tuple[tuple[ErrorSpan, ...], ...]

    def __post_init__(self) -> None:
        """Check that columns match."""
        super().__post_init__()
        if len(self.spans) != len(self.segment):
            raise InputError("judgements: spans differs in length from segment")

    @property
    def n_spans(self) -> int:
        """Number of spans of all rows."""
        return sum(map(len, self.spans))

    def rows(self, chosen: Any) -> Self:
        """Select rows by a mask or by numbers; names stay the same."""
        numbers = np.arange(len(self))[chosen]
        columns = {name: values[numbers] for name, values, _ in self._columns()}
        return replace(self, spans=tuple(self.spans[number] for number in numbers.tolist()), **columns)
