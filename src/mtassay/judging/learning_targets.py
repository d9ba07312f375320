"""Human scores of the outputs of a test set: what regression learns and every learned metric is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.judgements import Preferences, Rankings, Scores
from mtassay.errors import InputError, unknown_name
from mtassay.judging.assessments import even_out, segment_scores, standardise

if TYPE_CHECKING:
    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.types import Floats, Ints


#: What is done to the scores of each judge: nothing, (score - mean) / deviation, or Blatz et al.'s mapping to the
#: judge's own distribution.
NORMALISATIONS = ("none", "z", "blatz")


def human_scores(testset: TestSet, judged: Judgements | Sequence[Judgements], *, normalise: str = "none") -> Floats:
    """Mean over judges of the scores of each output, higher is better, shape (systems, segments); NaN where missing.

    Only the systems of the test set count: people's translations among the judged ones are left out.

    Args:
        testset: the outputs.
        judged: scores that were read with ``testset=``; several (adequacy and fluency) are averaged where all are.
        normalise: one of ``NORMALISATIONS``, for each judge.
    """
    if normalise not in NORMALISATIONS:
        raise InputError(unknown_name("normalisation of scores", normalise, NORMALISATIONS))
    several = [judged] if not isinstance(judged, Sequence) else list(judged)
    found = [_aligned(testset, scores, normalise) for scores in several]
    mean: Floats = np.mean(found, axis=0)
    if not np.isfinite(mean).any():
        raise InputError("no output of the test set has a human score; check the names of systems")
    if np.nanmin(mean) == np.nanmax(mean):
        raise InputError("all human scores are equal: there is nothing to learn from them")
    return mean


def _aligned(testset: TestSet, scores: Judgements, normalise: str) -> Floats:
    if not isinstance(scores, Scores):
        raise InputError("regression needs scores of outputs, and these judgements are comparisons; train logistic")
    if normalise == "z":
        scores = standardise(scores).scores
    elif normalise == "blatz":
        scores = even_out(scores)
    means = segment_scores(scores) * (1.0 if scores.higher_is_better else -1.0)
    aligned = np.full((len(testset.systems), testset.n_segments), np.nan)
    places = segment_places(testset, scores)
    for row, name in enumerate(testset.systems):
        if name in scores.systems:
            aligned[row, places] = means[scores.systems.index(name)]
    return aligned


def segment_places(testset: TestSet, judged: Judgements) -> Ints:
    """Places, from 0, of the judged segments in the test set, shape (judged segments,)."""
    try:
        places = np.array([int(name) - 1 for name in judged.segments], dtype=np.int64)
    except ValueError:
        raise InputError("segments of the judgements are not numbers; read them with testset=") from None
    if len(places) and not 0 <= places.min() <= places.max() < testset.n_segments:
        raise InputError(f"the judgements have segment {places.max() + 1}, the test set has {testset.n_segments}")
    return places


def human_pairs(testset: TestSet, judged: Judgements) -> tuple[Ints, Ints, Ints]:
    """Strict preferences between outputs of the test set: better system, worse system and segment, each of shape (n,).

    Args:
        testset: the outputs.
        judged: rankings or preferences that were read with ``testset=``.
    """
    preferences: Any = judged.preferences() if isinstance(judged, Rankings) else judged
    if not isinstance(preferences, Preferences):
        raise InputError("logistic learns from rankings or preferences, and these judgements are scores of outputs")
    strict = preferences.strict()
    numbers = {name: number for number, name in enumerate(testset.systems)}
    of_system = np.array([numbers.get(name, -1) for name in strict.systems], dtype=np.int64)
    first, second = of_system[strict.first], of_system[strict.second]
    better, worse = np.where(strict.outcome > 0, (first, second), (second, first))
    known = (better >= 0) & (worse >= 0)
    if not known.any():
        raise InputError("no preference is between two systems of the test set; check the names of systems")
    segment = segment_places(testset, strict)[strict.segment]
    return better[known], worse[known], segment[known]
