"""What people said about the systems of a test set, as arrays that fit its systems and segments.

Preferences give a score of each system by a method of ``ranking.human_scores`` or by TrueSkill. Scores of outputs give
one by their mean, as they are (``mean``) or standardised per assessor (``z``). Both can be drawn anew: preferences by
screens, scores by segments. TrueSkill draws judgements by itself: its runs are the draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.judgements import Preferences, Rankings, Scores
from mtassay.errors import InputError, unknown_name
from mtassay.judging.assessments import segment_scores, standardise, system_scores
from mtassay.judging.methods import check_methods
from mtassay.judging.rank_ranges import DRAWS, resampled_counts
from mtassay.judging.wins import METHODS, method
from mtassay.stats.draws import Resamples, blocks, check_draws, check_seed
from mtassay.stats.weighted_sums import WeightedSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.types import Floats, Ints

TRUESKILL = "trueskill"
#: Names of system scores from preferences, the usual one first.
OF_PREFERENCES = (*METHODS, TRUESKILL)
#: And from scores of outputs.
OF_SCORES = ("mean", "z")


@dataclass(frozen=True, eq=False)
class PreferenceGold:
    """Preferences between systems of a test set.

    Attributes:
        method: what turns them into scores of systems.
        preferences: with the numbers of the test set's segments (from 0); only systems that were compared.
        left_out: systems that were judged and are not in the test set.
        unjudged: systems of the test set that were not judged.
        draws: number of draws.
        seed: of the draws.
    """

    method: str
    preferences: Preferences
    left_out: tuple[str, ...]
    unjudged: tuple[str, ...]
    draws: int
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
        """Scores of the systems, shape (systems,); NaN where judgements do not give one, as where all are ties."""
        if self.method == TRUESKILL:
            mean: Floats = self.drawn.mean(axis=0)
            return mean
        return method(self.method)(*self.preferences.counts())

    @property
    def n_units(self) -> int:
        """Number of screens, which are drawn."""
        return len(np.unique(self.preferences.item))

    @cached_property
    def drawn(self) -> Floats:
        """The same from screens drawn with replacement, shape (draws, systems)."""
        if self.method == TRUESKILL:
            from mtassay.judging.trueskill import trueskill

            return trueskill(*self.preferences.counts(), runs=self.draws, seed=self.seed).runs
        score = method(self.method)
        counts = resampled_counts(self.preferences, draws=self.draws, seed=self.seed)
        return np.concatenate([score(wins, ties) for wins, ties in counts])

    def strict(self) -> tuple[Ints, Ints, Ints]:
        """Segment, better and worse system of each preference that is no tie."""
        rows = self.preferences.strict()
        first_wins = rows.outcome > 0
        better = np.where(first_wins, rows.first, rows.second)
        return rows.segment, better, np.where(first_wins, rows.second, rows.first)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreGold:
    """Scores of the outputs of a test set, higher is better.

    Attributes:
        method: ``mean`` or ``z``.
        aspect: what was scored (``adequacy``, ``da``, ``mqm`` …).
        systems: names of the systems that have scores.
        n_judgements: number of scores.
        per_segment: shape (systems, segments), NaN where there is none; None where only whole systems have scores.
        whole: scores of whole systems, shape (systems,), where there are no others.
        left_out: systems that were judged and are not in the test set.
        unjudged: systems of the test set that were not judged.
        dropped_judges: assessors whose scores cannot be standardised.
        draws: number of draws.
        seed: of the draws.
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
    draws: int
    seed: int

    @cached_property
    def system_scores(self) -> Floats:
        """Scores of the systems, shape (systems,)."""
        return system_scores(self.per_segment) if self.whole is None else self.whole

    @property
    def n_units(self) -> int:
        """Number of segments with scores, which are drawn."""
        return 0 if self.per_segment is None else int((~np.isnan(self.per_segment)).any(axis=0).sum())

    @cached_property
    def drawn(self) -> Floats | None:
        """The same from segments drawn with replacement, shape (draws, systems); None without scores of segments."""
        if self.per_segment is None:
            return None
        judged = self.per_segment[:, ~np.isnan(self.per_segment).all(axis=0)]
        there = ~np.isnan(judged)
        sums_under = WeightedSums(np.concatenate([np.where(there, judged, 0.0), there.astype(np.float64)]))
        resamples = Resamples(judged.shape[1], self.draws, seed=self.seed)
        parts = []
        for numbers in blocks(self.draws):
            total, n = sums_under(resamples(numbers)).reshape(2, len(judged), -1)
            parts.append(np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0).T)
        return np.concatenate(parts)


Gold = PreferenceGold | ScoreGold


def gold_of(
    testset: TestSet, judgements: Judgements, *, method: str | None = None, draws: int = 0, seed: int = 12345
) -> Gold:
    """Bring judgements and a test set together.

    Args:
        testset: the systems that count, and the segments.
        judgements: rankings, preferences or scores; their segments have numbers from 1 or the test set's ids.
        method: a name of ``OF_PREFERENCES`` or ``OF_SCORES``; by default ``wins``, and of scores what the verb
            ``humans`` takes: ``z`` where judges are named, else ``mean``.
        draws: how often judgements are drawn; 0 for 1000.
        seed: of the draws.
    """
    drawing = (check_draws(draws) or DRAWS, check_seed(seed))
    if isinstance(judgements, Scores):
        [usual] = check_methods(judgements, None)
        return _score_gold(testset, judgements, _checked(method, OF_SCORES, "scores") or usual, drawing)
    if isinstance(judgements, Rankings):
        judgements = judgements.preferences()
    if not isinstance(judgements, Preferences):
        raise InputError(f"judgements are rankings, preferences or scores, not {type(judgements).__name__}")
    wanted = _checked(method, OF_PREFERENCES, "preferences") or OF_PREFERENCES[0]
    return _preference_gold(testset, judgements, wanted, drawing)


def _checked(name: str | None, known: tuple[str, ...], kind: str) -> str | None:
    if name is not None and name not in known:
        raise InputError(unknown_name(f"gold of {kind}", name, known))
    return name


def _preference_gold(
    testset: TestSet, judgements: Preferences, method: str, drawing: tuple[int, int]
) -> PreferenceGold:
    known = np.array([system in testset.systems for system in judgements.systems], dtype=bool)
    rows = judgements.rows(known[judgements.first] & known[judgements.second])
    if not len(rows):
        raise InputError("people compared no two systems of the test set")
    compared = {judgements.systems[s] for s in np.unique(np.concatenate([rows.first, rows.second])).tolist()}
    systems = tuple(system for system in testset.systems if system in compared)
    number = np.array([systems.index(name) if name in systems else -1 for name in judgements.systems])
    renamed = Preferences(
        systems,
        tuple(str(n + 1) for n in range(testset.n_segments)),
        rows.judges,
        _segment_numbers(testset, rows.segments)[rows.segment],
        rows.judge,
        first=number[rows.first],
        second=number[rows.second],
        outcome=rows.outcome,
        item=rows.item,
    )
    return PreferenceGold(method, renamed, _left_out(judgements, known), _unjudged(testset, systems), *drawing)


def _score_gold(testset: TestSet, judgements: Scores, method: str, drawing: tuple[int, int]) -> ScoreGold:
    # Assessors are known by all that they scored, also by outputs that do not count here.
    scores, dropped = judgements, tuple[str, ...]()
    if method == "z":
        if judgements.judges == ("",):
            raise InputError("z standardises the scores of each assessor, and these scores name none; take mean")
        kept = standardise(judgements)
        scores, dropped = kept.scores, kept.dropped
        if not len(scores):
            raise InputError(
                f"no scores are left: {', '.join(dropped)} gave one score, or always the same, which cannot be "
                "standardised; take the gold mean"
            )
    sign = 1.0 if scores.higher_is_better else -1.0
    means = sign * segment_scores(scores)
    judged: NDArray[np.bool_] = np.asarray((~np.isnan(means)).any(axis=1))
    of_name = {name: row for row, name in enumerate(scores.systems) if judged[row]}
    systems = tuple(system for system in testset.systems if system in of_name)
    if not systems:
        raise InputError("people scored no system of the test set")
    rows = [of_name[system] for system in systems]
    known = ~judged
    known[rows] = True
    n_judgements = int(np.isin(scores.system, rows).sum())
    per_segment, whole = None, None
    if scores.segments == ("",):
        whole = means[rows, 0]
    else:
        per_segment = np.full((len(systems), testset.n_segments), np.nan)
        per_segment[:, _segment_numbers(testset, scores.segments)] = means[rows]
    draws, seed = drawing
    return ScoreGold(
        method=method,
        aspect=scores.aspect,
        systems=systems,
        n_judgements=n_judgements,
        per_segment=per_segment,
        whole=whole,
        left_out=_left_out(scores, known),
        unjudged=_unjudged(testset, systems),
        dropped_judges=dropped,
        draws=draws,
        seed=seed,
    )


def _left_out(judgements: Judgements, known: Any) -> tuple[str, ...]:
    return tuple(name for name, kept in zip(judgements.systems, known, strict=True) if not kept)


def _unjudged(testset: TestSet, systems: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(system for system in testset.systems if system not in systems)


def _segment_numbers(testset: TestSet, names: tuple[str, ...]) -> Ints:
    """Numbers (from 0) of segments that go by number from 1 or by id."""
    ids = {name: number for number, name in enumerate(testset.ids or ())}
    numbers = []
    for name in names:
        number = int(name) - 1 if name.isdecimal() else ids.get(name, -1)
        if not 0 <= number < testset.n_segments:
            raise InputError(f"people judged segment {name!r}, which the test set does not have")
        numbers.append(number)
    if len(set(numbers)) < len(numbers):
        raise InputError("two names of segments in the judgements mean the same segment of the test set")
    return np.array(numbers, dtype=np.int64)
