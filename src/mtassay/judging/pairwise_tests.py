"""Significance tests of human judgements: one test for every pair of systems.

Scores are compared by the rank-sum test over segments (see ``assessments``), and standardised first if ``humans`` would
do so. If fluency is given beside adequacy, it decides the pairs that adequacy leaves undecided (Graham et al. 2014).
Preferences are compared by exact one-sided randomisation over judgements, screens or segments (see
``preference_clusters``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.judgements import SCORED, Preferences, Scores
from mtassay.errors import InputError, unknown_name
from mtassay.judging.arrays import preferences_or_scores, score_table
from mtassay.judging.assessments import (
    check_aspects,
    combined_p,
    conclusions,
    rank_sum_p,
    system_scores,
)
from mtassay.judging.methods import check_methods
from mtassay.judging.normalisation import normalised
from mtassay.judging.preference_clusters import randomisation_p
from mtassay.judging.rank_ranges import unit_of
from mtassay.judging.wins import expected_wins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mtassay.types import Floats, Ints


#: Default unit of exchange in tests on preferences.
_USUAL_UNIT = "judgement"


@dataclass(frozen=True, kw_only=True, eq=False)
class HumanTests:
    """Tests of every pair of systems on human judgements.

    Attributes:
        systems: names of the systems.
        kind: ``rank-sum`` or ``randomisation``.
        scores: mean score of each system, or its expected wins, higher is better, shape (systems,).
        p: p-values of one-sided tests that the row is better than the column, shape (systems, systems); NaN for pairs
            without judgements.
        fluency: p-values of fluency, which decide pairs that `p` does not; None if only one aspect was judged.
        counts: numbers of judgements, shape (systems, systems): scores of each system on the diagonal, preferences of
            each pair above it, 0 elsewhere.
        dropped: judges whose scores cannot be standardised.
        unit: unit of exchange, ``judgement``, ``screen`` or ``segment``; always segments for scores.
        ignored: names of systems that were left out because a test set does not have them.
    """

    systems: tuple[str, ...]
    kind: str
    scores: Floats
    p: Floats
    fluency: Floats | None
    counts: Ints
    dropped: tuple[str, ...]
    unit: str = "segment"
    ignored: tuple[str, ...] = ()

    @property
    def n_judgements(self) -> int:
        """Number of scores or preferences."""
        return int(self.counts.sum())

    @property
    def title(self) -> str:
        """Name of the test in sentences."""
        if self.kind == "rank-sum":
            return "rank-sum test over segment scores"
        return f"exact randomisation over {self.unit}s"

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Pairs with judgements, shape (systems, systems)."""
        known: NDArray[np.bool_] = ~np.isnan(self.p)
        return known if self.fluency is None else known | ~np.isnan(self.fluency)

    def p_at(self, alpha: float) -> Floats:
        """P-values at a significance level: those of fluency for pairs that adequacy does not decide."""
        if self.fluency is None:
            return self.p
        combined = combined_p(self.p, self.fluency, alpha=alpha)
        return np.where(np.isnan(combined), self.p, combined)

    def conclusions(self, alpha: float) -> NDArray[np.int64]:
        """1 if the row's system is significantly better, -1 if the column's is, else 0."""
        return conclusions(self.p_at(alpha), alpha=alpha)

    def select(self, systems: Sequence[str]) -> HumanTests:
        """Select systems, in the given order; p-values stay the same."""
        for name in systems:
            if name not in self.systems:
                raise InputError(unknown_name("judged system", name, self.systems))
        places = [self.systems.index(name) for name in systems]
        both = np.ix_(places, places)
        fluency = None if self.fluency is None else self.fluency[both]
        # In another order, a pair above the diagonal may move below it.
        counts = np.triu((self.counts + np.triu(self.counts, k=1).T)[both])
        return replace(
            self, systems=tuple(systems), scores=self.scores[places], p=self.p[both], fluency=fluency, counts=counts
        )


def human_tests(judgements: Any, fluency: Any = None, *, unit: str | None = None) -> HumanTests:
    """Test every pair of systems on judgements.

    Args:
        judgements: Rankings, Preferences or Scores (of adequacy, if fluency is also given).
        fluency: Scores that decide the pairs left undecided by `judgements`.
        unit: unit of exchange for preferences: ``judgement`` (default), ``screen`` or ``segment``.

    >>> from mtassay.data.judgements import Preferences
    >>> ones, zeros = np.ones(6, dtype=int), np.zeros(6, dtype=int)
    >>> columns = {"first": zeros, "second": ones, "outcome": ones, "item": np.arange(6)}
    >>> six_times = Preferences(("a", "b"), ("1",), ("",), zeros, zeros, **columns)
    >>> tests = human_tests(six_times)
    >>> tests.p.round(6).tolist(), tests.conclusions(0.05).tolist()
    ([[nan, 0.015625], [1.0, nan]], [[0, 1], [-1, 0]])
    """
    judgements = preferences_or_scores(judgements)
    if isinstance(judgements, Preferences):
        if fluency is not None:
            raise InputError("fluency needs scores of adequacy, but these judgements are preferences")
        return _of_preferences(judgements, _USUAL_UNIT if unit is None else unit)
    if unit is not None:
        raise InputError(f"the unit '{unit}' is for preferences, but these judgements are scores: leave it out")
    if fluency is None:
        return _of_scores(judgements)
    if not isinstance(fluency, Scores):
        raise InputError("fluency must be scores, like adequacy, not preferences")
    check_aspects(judgements, fluency)
    first, second = _of_scores(judgements), _of_scores(fluency)
    if odd := sorted(set(first.systems) ^ set(second.systems)):
        raise InputError(f"adequacy and fluency must be of the same systems; only one of them has {', '.join(odd)}")
    second = second.select(first.systems)
    return replace(
        first,
        fluency=second.p,
        counts=first.counts + second.counts,
        dropped=tuple(dict.fromkeys((*first.dropped, *second.dropped))),
    )


def _of_preferences(preferences: Preferences, unit: str) -> HumanTests:
    unit = unit_of(preferences, unit)
    wins, ties = preferences.counts()
    p = randomisation_p(preferences, unit=unit, sides=1)
    p[wins + wins.T + ties == 0] = np.nan
    scores = expected_wins(wins, ties)
    won_or_lost = np.triu(wins + wins.T, k=1)
    # Ties are counted on both sides of the diagonal.
    counts = (won_or_lost + np.triu(ties, k=1)).astype(np.int64)
    return HumanTests(
        systems=preferences.systems,
        kind="randomisation",
        scores=scores,
        p=p,
        fluency=None,
        counts=counts,
        dropped=(),
        unit=unit,
        ignored=preferences.ignored,
    )


def _of_scores(scores: Scores) -> HumanTests:
    if set(scores.segments) <= {""}:
        raise InputError("scores of whole systems cannot be tested: give scores of segments")
    if not np.isfinite(scores.score).all():
        raise InputError("a score is not a number: leave missing scores out of the judgements")
    # Scores without judges are taken to be means already, standardised or not.
    [method] = check_methods(scores, None)
    kept = normalised(scores, method)
    dropped = kept.dropped
    if len(dropped) == len(set(scores.judge.tolist())):
        raise InputError(
            f"no scores are left to compare: {', '.join(dropped)} gave one score, or always the same, which cannot be "
            "standardised; leave out the names of the judges to use scores unchanged"
        )
    table = score_table(kept.scores, scores.systems)
    oriented = table if scores.higher_is_better else -table
    p = rank_sum_p(oriented)
    np.fill_diagonal(p, np.nan)
    without = ~np.isfinite(oriented).any(axis=1)
    p[without], p[:, without] = np.nan, np.nan
    counted = kept.scores.system[np.isin(kept.scores.item, SCORED)]
    counts = np.diag(np.bincount(counted, minlength=len(scores.systems)))
    return HumanTests(
        systems=scores.systems,
        kind="rank-sum",
        scores=system_scores(oriented),
        p=p,
        fluency=None,
        counts=counts,
        dropped=dropped,
        ignored=scores.ignored,
    )
