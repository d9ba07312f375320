"""Human scores of the outputs of a test set: the targets of regression, and what learned metrics are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.judgements import Preferences, Scores
from mtassay.errors import InputError, unknown_name
from mtassay.judging.arrays import preferences_between, preferences_or_scores, score_table
from mtassay.judging.normalisation import NORMALISATIONS, normalised

if TYPE_CHECKING:
    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.types import Floats, Ints


def human_scores(testset: TestSet, judged: Judgements | Sequence[Judgements], *, normalise: str = "mean") -> Floats:
    """Mean over judges of the scores of each output, higher is better, shape (systems, segments); NaN if missing.

    Only the systems of the test set count: judged human translations are left out.

    Args:
        testset: the outputs.
        judged: scores read with ``testset=``; several (adequacy and fluency) are averaged where all are present.
        normalise: one of ``NORMALISATIONS``, for each judge.
    """
    if normalise not in NORMALISATIONS:
        raise InputError(unknown_name("normalisation of scores", normalise, NORMALISATIONS))
    several = [judged] if not isinstance(judged, Sequence) else list(judged)
    found = [_table(testset, scores, normalise) for scores in several]
    mean: Floats = np.mean(found, axis=0)
    if not np.isfinite(mean).any():
        raise InputError("no output of the test set has a human score; check the names of systems")
    if np.nanmin(mean) == np.nanmax(mean):
        raise InputError("all human scores are equal: there is nothing to learn from them")
    return mean


def _table(testset: TestSet, scores: Judgements, normalise: str) -> Floats:
    scores = preferences_or_scores(scores)
    if not isinstance(scores, Scores):
        raise InputError("regression needs scores of outputs, but these judgements are comparisons; train logistic")
    table = score_table(normalised(scores, normalise).scores, testset.systems, testset=testset)
    return table if scores.higher_is_better else -table


def human_pairs(testset: TestSet, judged: Judgements) -> tuple[Ints, Ints, Ints]:
    """Strict preferences between outputs of the test set: better system, worse system and segment, each of shape (n,).

    Args:
        testset: the outputs.
        judged: rankings or preferences read with ``testset=``.
    """
    preferences = preferences_or_scores(judged)
    if not isinstance(preferences, Preferences):
        raise InputError("preferences between outputs are needed here, but these judgements are scores of outputs")
    strict = preferences_between(preferences.strict(), testset.systems, testset=testset)
    if not len(strict):
        raise InputError("no preference is between two systems of the test set; check the names of systems")
    better, worse = np.where(strict.outcome > 0, (strict.first, strict.second), (strict.second, strict.first))
    return better, worse, strict.segment
