"""Details of the outputs of single segments: errors by class, and human judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtassay.data.judgements import Preferences
from mtassay.data.testset import TestSet
from mtassay.judging.arrays import preferences_between, preferences_or_scores, score_table
from mtassay.metrics.core.references import references_of
from mtassay.metrics.core.table import build_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.judgements import Judgements
    from mtassay.metrics.core.metric import Metric

#: Classes of Hjerson's errors, and the columns of its statistics that count them.
ERROR_COLUMNS = {"infl": "h_infl", "reord": "h_reord", "miss": "r_miss", "ext": "h_ext", "lex": "h_lex"}


def part_of(testset: TestSet, segments: Sequence[int], systems: Sequence[str]) -> TestSet:
    """Some segments of some systems, with their references."""
    return TestSet(
        [[stream[segment] for segment in segments] for stream in testset.references],
        {system: [testset.systems[system][segment] for segment in segments] for system in systems},
        language_pair=testset.language_pair,
    )


def errors_of(
    testset: TestSet, segments: Sequence[int], systems: Sequence[str], metric: Metric
) -> dict[tuple[str, int], dict[str, int]]:
    """The number of words in each error class in the outputs, by system and segment.

    Args:
        testset: the texts.
        segments: the segments.
        systems: names of the systems.
        metric: Hjerson.
    """
    if not segments:
        return {}
    part = part_of(testset, segments, systems)
    [table] = build_tables(references_of(part), part.systems, [metric])
    places = [metric.columns.index(column) for column in ERROR_COLUMNS.values()]
    there = table.statistics[..., metric.columns.index("segments")] > 0
    return {
        (system, segment): dict(zip(ERROR_COLUMNS, table.statistics[s, n, places].astype(int).tolist(), strict=True))
        for s, system in enumerate(systems)
        for n, segment in enumerate(segments)
        if there[s, n]
    }


class SegmentPreferences(NamedTuple):
    """How often judges preferred the first or the second of two outputs, or neither."""

    first: int
    second: int
    ties: int


class HumanJudgements:
    """Judgements of two systems, by segment.

    Args:
        judgements: rankings, preferences or scores; None if there are none.
        testset: determines the numbers of segments.
        pair: names of the two systems.
    """

    def __init__(self, judgements: Judgements | None, testset: TestSet, pair: tuple[str, str]) -> None:
        self._preferences: Preferences | None = None
        self._scores = np.full((2, testset.n_segments), np.nan)
        if judgements is None:
            return
        judged = preferences_or_scores(judgements)
        if isinstance(judged, Preferences):
            self._preferences = preferences_between(judged, pair, testset=testset)
        else:
            self._scores = score_table(judged, pair, testset=testset)

    def score(self, side: int, segment: int) -> float | None:
        """Mean score of the output of the first (0) or the second system (1); None if nobody scored it."""
        value = float(self._scores[side, segment])
        return None if np.isnan(value) else value

    def preferences(self, segment: int) -> SegmentPreferences | None:
        """Preferences between the two outputs; None if nobody compared them."""
        if self._preferences is None:
            return None
        rows = self._preferences.rows(self._preferences.segment == segment)
        if not len(rows):
            return None
        for_first = np.where(rows.first == 0, rows.outcome, -rows.outcome)
        return SegmentPreferences(*(int((for_first == outcome).sum()) for outcome in (1, -1, 0)))
