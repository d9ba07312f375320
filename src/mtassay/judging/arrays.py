"""Judgements as arrays over the systems and segments of a test set, shared by all verbs.

Rankings are first converted to preferences. Systems are numbered by their position in a list of names, segments by
their position in the test set (from 0). Judgements name segments by number from 1 or by the identifiers of the test
set; without a test set, segments keep their numbers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.error_spans import ErrorSpans
from mtassay.data.judgements import Preferences, Rankings, Scores
from mtassay.errors import InputError
from mtassay.judging.assessments import segment_scores
from mtassay.judging.span_weights import span_scores

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.judging.span_weights import Weights
    from mtassay.types import Floats, Ints


def preferences_or_scores(judgements: Any, span_weights: Weights | None = None) -> Preferences | Scores:
    """The judgements, with rankings converted to preferences and spans of errors to scores.

    Args:
        judgements: rankings, preferences, scores or spans of errors.
        span_weights: weights of errors, see `span_scores`; only for spans.
    """
    if isinstance(judgements, ErrorSpans):
        return span_scores(judgements, span_weights)
    if span_weights is not None:
        raise InputError("span weights are for spans of errors, but these judgements have none: leave them out")
    if isinstance(judgements, Rankings):
        return judgements.preferences()
    if not isinstance(judgements, Preferences | Scores):
        raise InputError(f"judgements must be rankings, preferences, scores or spans, not {type(judgements).__name__}")
    return judgements


def system_places(judgements: Judgements, names: Iterable[str]) -> Ints:
    """Position of each judged system in a list of names, shape (judged systems,); -1 if absent."""
    places = {name: place for place, name in enumerate(names)}
    return np.array([places.get(name, -1) for name in judgements.systems], dtype=np.int64)


def segment_places(judgements: Judgements, testset: TestSet) -> Ints:
    """Position, from 0, of each judged segment in a test set, shape (judged segments,)."""
    ids = {name: place for place, name in enumerate(testset.ids or ())}
    repeated = {name for name, n in Counter(testset.ids or ()).items() if n > 1 and not name.isdecimal()}
    if ambiguous := sorted(repeated.intersection(judgements.segments)):
        raise InputError(f"the judgements have segment {ambiguous[0]!r}, which is several times in the test set")
    places = np.array(
        [int(name) - 1 if name.isdecimal() else ids.get(name, -1) for name in judgements.segments], dtype=np.int64
    )
    unknown = np.flatnonzero((places < 0) | (places >= testset.n_segments))
    if len(unknown):
        name = judgements.segments[unknown[0]]
        if not name:
            raise InputError("these judgements score whole systems, but scores of segments are needed here")
        raise InputError(f"the judgements have segment {name!r}, which the test set does not have")
    if len(np.unique(places)) < len(places):
        raise InputError("two names of segments in the judgements mean the same segment of the test set")
    return places


def preferences_between(
    preferences: Preferences, systems: Iterable[str], *, testset: TestSet | None = None
) -> Preferences:
    """Preferences between the named systems, renumbered by position in `systems`; may be empty.

    Args:
        preferences: the preferences.
        systems: names.
        testset: determines the numbers of segments.
    """
    names = tuple(systems)
    place = system_places(preferences, names)
    kept = preferences.rows((place[preferences.first] >= 0) & (place[preferences.second] >= 0))
    found = replace(kept, systems=names, first=place[kept.first], second=place[kept.second])
    if testset is None:
        return found
    segments = tuple(str(number + 1) for number in range(testset.n_segments))
    return replace(found, segments=segments, segment=segment_places(kept, testset)[kept.segment])


def score_table(scores: Scores, systems: Iterable[str], *, testset: TestSet | None = None) -> Floats:
    """Mean score of each output of some systems, shape (systems, segments); NaN if missing.

    Args:
        scores: the scores, which may include other systems.
        systems: names.
        testset: determines the numbers of segments; without it they keep those of the judgements.
    """
    names = tuple(systems)
    means, place = segment_scores(scores), system_places(scores, names)
    segments = np.arange(means.shape[1]) if testset is None else segment_places(scores, testset)
    table = np.full((len(names), means.shape[1] if testset is None else testset.n_segments), np.nan)
    known = np.flatnonzero(place >= 0)
    table[np.ix_(place[known], segments)] = means[known]
    return table
