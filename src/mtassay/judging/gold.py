"""Gold: human judgements of a test set, as arrays over its systems and segments.

Preferences give system scores by a method of ``wins`` or by TrueSkill. Scores of outputs are averaged, unchanged or
normalised per judge (``normalisation``). Both can be resampled: preferences by screen, scores by segment. TrueSkill
samples judgements itself: its runs are the resamples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.judgements import SCORED, Preferences, Scores
from mtassay.errors import InputError, unknown_name
from mtassay.judging.arrays import preferences_between, preferences_or_scores, score_table
from mtassay.judging.assessments import system_scores
from mtassay.judging.methods import check_methods
from mtassay.judging.normalisation import NORMALISATIONS, normalised
from mtassay.judging.rank_ranges import RESAMPLES, resampled_counts
from mtassay.judging.wins import METHODS, method
from mtassay.stats.resamples import Resamples, blocks, check_resamples, check_seed
from mtassay.stats.weighted_sums import WeightedSums

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.judging.span_weights import Weights
    from mtassay.types import Floats, Ints

TRUESKILL = "trueskill"
#: Names of methods that score systems from preferences.
OF_PREFERENCES = (*METHODS, TRUESKILL)


@dataclass(frozen=True, eq=False)
class PreferenceGold:
    """Preferences between systems of a test set.

    Attributes:
        method: the method that gives scores of systems.
        preferences: preferences with segments numbered as in the test set (from 0); only compared systems.
        left_out: judged systems that are not in the test set.
        unjudged: systems of the test set that were not judged.
        resamples: number of resamples.
        seed: seed of the resamples.
    """

    method: str
    preferences: Preferences
    left_out: tuple[str, ...]
    unjudged: tuple[str, ...]
    resamples: int
    seed: int

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.preferences.systems

    @property
    def n_judgements(self) -> int:
        """Number of preferences, without ties."""
        return len(self.preferences) - self.n_ties

    @property
    def n_ties(self) -> int:
        """Number of ties."""
        return int((self.preferences.outcome == 0).sum())

    @cached_property
    def system_scores(self) -> Floats:
        """Scores of the systems, shape (systems,); NaN if the judgements give no score, as when all are ties."""
        if self.method == TRUESKILL:
            mean: Floats = self.drawn.mean(axis=0)
            return mean
        return method(self.method)(*self.preferences.counts())

    @property
    def n_units(self) -> int:
        """Number of screens, the units of resampling."""
        return len(np.unique(self.preferences.item))

    @cached_property
    def drawn(self) -> Floats:
        """Scores of the systems in resamples of screens, shape (resamples, systems)."""
        if self.method == TRUESKILL:
            from mtassay.judging.trueskill import trueskill

            return trueskill(*self.preferences.counts(), runs=self.resamples, seed=self.seed).runs
        score = method(self.method)
        counts = resampled_counts(self.preferences, resamples=self.resamples, seed=self.seed)
        return np.concatenate([score(wins, ties) for wins, ties in counts])

    def strict(self) -> tuple[Ints, Ints, Ints]:
        """Segment, better and worse system of each preference that is not a tie."""
        rows = self.preferences.strict()
        first_wins = rows.outcome > 0
        better = np.where(first_wins, rows.first, rows.second)
        return rows.segment, better, np.where(first_wins, rows.second, rows.first)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreGold:
    """Scores of the outputs of a test set, higher is better.

    Attributes:
        method: one of ``NORMALISATIONS``.
        aspect: what was scored (``adequacy``, ``da``, ``mqm`` …).
        systems: names of the systems that have scores.
        n_judgements: number of scores.
        per_segment: shape (systems, segments), NaN if missing; None if only whole systems have scores.
        whole: scores of whole systems, shape (systems,), if there are no scores of segments.
        left_out: judged systems that are not in the test set.
        unjudged: systems of the test set that were not judged.
        dropped_judges: judges whose scores cannot be standardised.
        sign_changed: whether scores were negated because lower judgements are better.
        resamples: number of resamples.
        seed: seed of the resamples.
    """

    method: str
    aspect: str
    systems: tuple[str, ...]
    n_judgements: int
    per_segment: Floats | None
    whole: Floats | None
    left_out: tuple[str, ...]
    unjudged: tuple[str, ...]
    dropped_judges: tuple[str, ...]
    sign_changed: bool
    resamples: int
    seed: int

    @cached_property
    def system_scores(self) -> Floats:
        """Scores of the systems, shape (systems,)."""
        return system_scores(self.per_segment) if self.whole is None else self.whole

    @property
    def n_units(self) -> int:
        """Number of segments with scores, the units of resampling."""
        return 0 if self.per_segment is None else int((~np.isnan(self.per_segment)).any(axis=0).sum())

    @cached_property
    def drawn(self) -> Floats | None:
        """Scores of the systems in resamples of segments, shape (resamples, systems); None without segment scores."""
        if self.per_segment is None:
            return None
        judged = self.per_segment[:, ~np.isnan(self.per_segment).all(axis=0)]
        there = ~np.isnan(judged)
        sums_under = WeightedSums(np.concatenate([np.where(there, judged, 0.0), there.astype(np.float64)]))
        resamples = Resamples(judged.shape[1], self.resamples, seed=self.seed)
        parts = []
        for numbers in blocks(self.resamples):
            total, n = sums_under(resamples(numbers)).reshape(2, len(judged), -1)
            parts.append(np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0).T)
        return np.concatenate(parts)


Gold = PreferenceGold | ScoreGold


def gold_of(
    testset: TestSet,
    judgements: Judgements,
    *,
    method: str | None = None,
    span_weights: Weights | None = None,
    resamples: int = 0,
    seed: int = 12345,
) -> Gold:
    """Match judgements with a test set.

    Args:
        testset: the test set, whose systems and segments count.
        judgements: rankings, preferences, scores or spans; their segments have numbers from 1 or the test set's ids.
        method: a name of ``OF_PREFERENCES`` or ``NORMALISATIONS``; by default as in the verb ``humans``:
            ``expected-wins`` for preferences; for scores ``z`` if judges are named, else ``mean``.
        span_weights: how errors in spans count, see `span_scores`.
        resamples: number of resamples of the judgements; 0 for 1000.
        seed: seed of the resamples.
    """
    drawing = (check_resamples(resamples) or RESAMPLES, check_seed(seed))
    judged = preferences_or_scores(judgements, span_weights)
    [usual] = check_methods(judged, None)
    if isinstance(judged, Scores):
        return _score_gold(testset, judged, _checked(method, NORMALISATIONS, "scores") or usual, drawing)
    return _preference_gold(testset, judged, _checked(method, OF_PREFERENCES, "preferences") or usual, drawing)


def _checked(name: str | None, known: tuple[str, ...], kind: str) -> str | None:
    if name is not None and name not in known:
        raise InputError(unknown_name(f"gold of {kind}", name, known))
    return name


def _preference_gold(
    testset: TestSet, judgements: Preferences, method: str, drawing: tuple[int, int]
) -> PreferenceGold:
    between = preferences_between(judgements, testset.systems, testset=testset)
    if not len(between):
        raise InputError("no judgement compares two systems of the test set")
    compared = np.unique(np.concatenate([between.first, between.second])).tolist()
    systems = tuple(between.systems[system] for system in compared)
    left_out = (*_missing(judgements.systems, testset.systems), *judgements.ignored)
    about = (left_out, _missing(testset.systems, systems))
    return PreferenceGold(method, preferences_between(between, systems), *about, *drawing)


def _score_gold(testset: TestSet, judgements: Scores, method: str, drawing: tuple[int, int]) -> ScoreGold:
    # A judge's scores are standardised over all outputs, including those that do not count here.
    kept = normalised(judgements, method)
    scores, dropped = kept.scores, kept.dropped
    if dropped and not len(scores):
        raise InputError(
            f"no scores are left: {', '.join(dropped)} gave one score, or always the same, which cannot be "
            "standardised; use the gold mean"
        )
    of_systems = scores.segments == ("",)
    means = score_table(scores, testset.systems, testset=None if of_systems else testset)
    judged = np.flatnonzero((~np.isnan(means)).any(axis=1))
    everyone = tuple(testset.systems)
    systems = tuple(everyone[system] for system in judged.tolist())
    if not systems:
        raise InputError("no system of the test set was scored")
    table = means[judged] * (1.0 if scores.higher_is_better else -1.0)
    counted = np.isin(scores.item, SCORED)
    names = [scores.systems[system] for system in np.unique(scores.system[counted]).tolist()]
    in_use = [scores.systems.index(name) for name in systems]
    return ScoreGold(
        method=method,
        aspect=scores.aspect,
        systems=systems,
        n_judgements=int((counted & np.isin(scores.system, in_use)).sum()),
        per_segment=None if of_systems else table,
        whole=table[:, 0] if of_systems else None,
        left_out=(*_missing(names, testset.systems), *judgements.ignored),
        unjudged=_missing(testset.systems, systems),
        dropped_judges=dropped,
        sign_changed=not scores.higher_is_better,
        resamples=drawing[0],
        seed=drawing[1],
    )


def _missing(names: Iterable[str], among: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in among)
