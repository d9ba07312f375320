"""Spans of errors that metrics mark, compared with those of human judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.error_spans import ErrorSpans
from mtassay.data.judgements import SCORED
from mtassay.errors import InputError
from mtassay.judging.arrays import segment_places, system_places
from mtassay.judging.span_matching import match_counts, summed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.judging.span_matching import SpanMatch
    from mtassay.types import Ints


def match_metrics(
    testset: TestSet, judged: Judgements, metrics: Mapping[str, ErrorSpans], *, systems: Sequence[str]
) -> dict[str, SpanMatch]:
    """Compare the spans of metrics (the first side of each match) with those of judges, over all judged outputs.

    An output that several judges marked is compared with each of them.

    Args:
        testset: the outputs.
        judged: the judgements, which must be spans.
        metrics: spans by name of the metric; each output at most once.
        systems: systems that count.
    """
    if not metrics:
        return {}
    if not isinstance(judged, ErrorSpans):
        raise InputError("spans of metrics are compared with spans of judges, but these judgements have none")
    shape = (len(systems), testset.n_segments)
    human = _outputs(testset, judged, systems)
    rows = np.flatnonzero((human >= 0) & np.isin(judged.item, SCORED))
    found = {}
    for name, spans in metrics.items():
        marked = _outputs(testset, spans, systems)
        row_of = np.full(shape[0] * shape[1], -1, dtype=np.int64)
        known = np.flatnonzero(marked >= 0)
        row_of[marked[known]] = known
        if len(np.unique(marked[known])) < len(known):
            raise InputError(f"the spans of {name} are of several judges: a metric marks every output once")
        absent = human[rows][row_of[human[rows]] < 0]
        if len(absent):
            system, segment = divmod(int(absent[0]), shape[1])
            raise InputError(
                f"{name} has no spans for {systems[system]}, segment {segment + 1}, which was judged: "
                "write [] where it marks nothing"
            )
        found[name] = summed(match_counts(spans, row_of[human[rows]], judged, rows))
    return found


def _outputs(testset: TestSet, spans: ErrorSpans, systems: Sequence[str]) -> Ints:
    """The output of each row: system × number of segments + segment; -1 if its system does not count."""
    place = system_places(spans, systems)[spans.system]
    return np.where(place >= 0, place * testset.n_segments + segment_places(spans, testset)[spans.segment], -1)
