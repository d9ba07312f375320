"""Every way to score systems from judgements by its name, and to rank them under resampled judgements.

Preferences are scored by the methods of ``human_scores``, and by

- ``trueskill``: the mean skill over as many runs as there are draws; rank ranges are over the runs (WMT14, WMT15);
- ``trueskill-resampled``: the same where every run has judgements that were drawn anew, one by one unless another unit
  is asked for (WMT16);
- ``feedback-arcs``, ``feedback-arcs-net``: the place in the order that contradicts the fewest judgements (1 is best).

Scores are averaged over a segment, then over segments,

- ``mean``: as they are;
- ``z``: standardised per assessor;
- ``even``: as places in the assessor's own distribution (Blatz et al. 2003).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.judgements import Preferences, Scores
from mtassay.errors import InputError, unknown_name
from mtassay.judging.assessments import even_out, segment_scores, standardise
from mtassay.judging.feedback_arcs import feedback_arc_order
from mtassay.judging.rank_ranges import DRAWS, ranges, rank_ranges, resampled_counts
from mtassay.judging.trueskill import trueskill
from mtassay.judging.wins import METHODS
from mtassay.stats.draws import check_draws

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mtassay.judging.rank_ranges import RankRanges
    from mtassay.types import Floats

    Progress = Callable[[Iterable[Any]], Iterable[Any]]


RESAMPLED = "trueskill-resampled"
_SKILLS = ("trueskill", RESAMPLED)
_ARCS = {"feedback-arcs": "raw", "feedback-arcs-net": "net"}
OF_PREFERENCES = (*METHODS, *_SKILLS, *_ARCS)
OF_SCORES = ("mean", "z", "even")
#: Answers of yes or no have two values: their mean is the share of yes.
_YES_OR_NO = 2


@dataclass(frozen=True)
class Draws:
    """How judgements are resampled.

    Attributes:
        number: how often.
        seed: the seed.
        unit: what is drawn at once.
        level: the level of all results.
        skills_unit: what ``trueskill-resampled`` draws at once; WMT16 drew single judgements.
    """

    number: int
    seed: int
    unit: str
    level: float
    skills_unit: str = "judgement"

    @property
    def confidence(self) -> float:
        """The share of draws in a rank range."""
        return 1 - self.level


def check_methods(judgements: Preferences | Scores, methods: Sequence[str] | str | None) -> tuple[str, ...]:
    """The methods that are asked for, or the usual one of such judgements; refuses what is not for them."""
    if methods is None:
        return (_usual(judgements),)
    names = (methods,) if isinstance(methods, str) else tuple(methods)
    own, what = (OF_SCORES, "scores") if isinstance(judgements, Scores) else (OF_PREFERENCES, "preferences")
    other = OF_PREFERENCES if own is OF_SCORES else OF_SCORES
    for name in names:
        if name in other:
            kind = "preferences" if own is OF_SCORES else "scores"
            raise InputError(f"the method '{name}' is for {kind}, and these are {what} (known: {', '.join(own)})")
        if name not in own:
            raise InputError(unknown_name("method", name, own))
    if not names or len(set(names)) < len(names):
        raise InputError("name at least one method, and none twice")
    if {"z", "even"} & set(names) and not named(judgements):
        raise InputError("these scores do not say whose they are, and z and even need assessors: take the method mean")
    return names


def _usual(judgements: Preferences | Scores) -> str:
    if isinstance(judgements, Preferences):
        return "expected-wins"
    return "z" if named(judgements) and len(np.unique(judgements.score)) > _YES_OR_NO else "mean"


def named(judgements: Preferences | Scores) -> bool:
    """Whether judgements say whose they are."""
    return any(judgements.judges)


def gives_places(method: str) -> bool:
    """Whether a method gives places in an order, of which 1 is best, instead of scores."""
    return method in _ARCS


def preference_scores(preferences: Preferences, method: str, *, draws: Draws, progress: Progress) -> Floats:
    """Scores of systems, higher is better (minus the places in an order), shape (systems,)."""
    if method in _SKILLS:
        return _skill_ranges(preferences, method, draws, progress).scores
    counts = preferences.counts()
    return _places(*counts, weight=_ARCS[method]) if method in _ARCS else METHODS[method](*counts)


def preference_ranges(preferences: Preferences, method: str, *, draws: Draws, progress: Progress) -> RankRanges:
    """Ranks of systems under resampled judgements."""
    if method in _SKILLS:
        return _skill_ranges(preferences, method, draws, progress)

    def of_arcs(wins: Floats, ties: Floats) -> Floats:
        return _places(wins, ties, weight=_ARCS[method])

    return rank_ranges(
        preferences,
        METHODS.get(method, of_arcs),
        draws=draws.number,
        seed=draws.seed,
        unit=draws.unit,
        confidence=draws.confidence,
    )


def _skill_ranges(preferences: Preferences, method: str, draws: Draws, progress: Progress) -> RankRanges:
    runs = check_draws(draws.number) or DRAWS
    counts: Any = preferences.counts()
    if method == RESAMPLED:
        drawn = resampled_counts(preferences, draws=runs, seed=draws.seed, unit=draws.skills_unit)
        counts = (np.concatenate(block) for block in zip(*drawn, strict=True))
    skills = trueskill(*counts, runs=runs, seed=draws.seed, progress=progress)
    return ranges(skills.scores, skills.runs, confidence=draws.confidence)


def _places(wins: Floats, ties: Floats, *, weight: str) -> Floats:
    """Minus the place of each system in the order of fewest contradictions, shape (..., systems)."""
    n = wins.shape[-1]
    places = np.empty(wins.shape[:-1])
    for index in np.ndindex(wins.shape[:-2]):
        places[index][list(feedback_arc_order(wins[index], ties[index], weight=weight).order)] = -np.arange(1.0, n + 1)
    return places


def per_segment(scores: Scores, method: str) -> tuple[Floats, tuple[str, ...]]:
    """Scores of segments, shape (systems, segments), NaN where there is none; and the assessors who were dropped."""
    if method == "z":
        kept = standardise(scores)
        return segment_scores(kept.scores), kept.dropped
    return segment_scores(even_out(scores) if method == "even" else scores), ()
