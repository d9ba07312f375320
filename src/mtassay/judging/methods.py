"""Every way to score systems from judgements by its name, and to rank them under resampled judgements.

Preferences are scored by the methods of ``human_scores``, and by

- ``trueskill``: the mean skill over as many runs as there are resamples; rank ranges are over the runs (WMT14, WMT15);
- ``trueskill-resampled``: the same where every run has judgements that were drawn anew, one by one unless another unit
  is asked for (WMT16);
- ``feedback-arcs``, ``feedback-arcs-net``: the place in the order that contradicts the fewest judgements (1 is best).

Scores are averaged over a segment, then over segments, as they are or normalised (``normalisation``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.judgements import Preferences, Scores
from mtassay.errors import InputError, unknown_name
from mtassay.judging.feedback_arcs import feedback_arc_order
from mtassay.judging.normalisation import NORMALISATIONS, named, usual_normalisation
from mtassay.judging.rank_ranges import RESAMPLES, ranges, rank_ranges, resampled_counts
from mtassay.judging.trueskill import trueskill
from mtassay.judging.wins import METHODS
from mtassay.stats.resamples import check_resamples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mtassay.execution import Execution
    from mtassay.judging.rank_ranges import RankRanges
    from mtassay.types import Floats

    Progress = Callable[[Iterable[Any]], Iterable[Any]]


RESAMPLED = "trueskill-resampled"
_SKILLS = ("trueskill", RESAMPLED)
_ARCS = {"feedback-arcs": "raw", "feedback-arcs-net": "net"}
OF_PREFERENCES = (*METHODS, *_SKILLS, *_ARCS)
OF_SCORES = NORMALISATIONS
#: Of preferences, in all verbs.
_USUAL = "expected-wins"


@dataclass(frozen=True)
class Resampling:
    """How judgements are resampled.

    Attributes:
        number: how often.
        seed: the seed.
        unit: what is drawn at once.
        alpha: the level of all results.
        skills_unit: what ``trueskill-resampled`` draws at once; WMT16 drew single judgements.
    """

    number: int
    seed: int
    unit: str
    alpha: float
    skills_unit: str = "judgement"

    @property
    def confidence(self) -> float:
        """The share of resamples in a rank range."""
        return 1 - self.alpha


def check_methods(judgements: Preferences | Scores, methods: Sequence[str] | str | None) -> tuple[str, ...]:
    """The methods that are asked for, or the usual one of such judgements; refuses what is not for them."""
    if methods is None:
        return (usual_normalisation(judgements) if isinstance(judgements, Scores) else _USUAL,)
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


def gives_places(method: str) -> bool:
    """Whether a method gives places in an order, of which 1 is best, instead of scores."""
    return method in _ARCS


def preference_scores(preferences: Preferences, method: str, *, resamples: Resampling, execution: Execution) -> Floats:
    """Scores of systems, higher is better (minus the places in an order), shape (systems,)."""
    if method in _SKILLS:
        return _skill_ranges(preferences, method, resamples, execution).scores
    counts = preferences.counts()
    return _places(*counts, weight=_ARCS[method]) if method in _ARCS else METHODS[method](*counts)


def preference_ranges(
    preferences: Preferences, method: str, *, resamples: Resampling, execution: Execution
) -> RankRanges:
    """Ranks of systems under resampled judgements."""
    if method in _SKILLS:
        return _skill_ranges(preferences, method, resamples, execution)

    def of_arcs(wins: Floats, ties: Floats) -> Floats:
        return _places(wins, ties, weight=_ARCS[method])

    return rank_ranges(
        preferences,
        METHODS.get(method, of_arcs),
        resamples=resamples.number,
        seed=resamples.seed,
        unit=resamples.unit,
        confidence=resamples.confidence,
    )


def _skill_ranges(preferences: Preferences, method: str, resamples: Resampling, execution: Execution) -> RankRanges:
    runs = check_resamples(resamples.number) or RESAMPLES
    counts: Any = preferences.counts()
    if method == RESAMPLED:
        drawn = resampled_counts(preferences, resamples=runs, seed=resamples.seed, unit=resamples.skills_unit)
        counts = (np.concatenate(block) for block in zip(*drawn, strict=True))
    skills = trueskill(*counts, runs=runs, seed=resamples.seed, execution=execution)
    return ranges(skills.scores, skills.runs, confidence=resamples.confidence)


def _places(wins: Floats, ties: Floats, *, weight: str) -> Floats:
    """Minus the place of each system in the order of fewest contradictions, shape (..., systems)."""
    n = wins.shape[-1]
    places = np.empty(wins.shape[:-1])
    for index in np.ndindex(wins.shape[:-2]):
        places[index][list(feedback_arc_order(wins[index], ties[index], weight=weight).order)] = -np.arange(1.0, n + 1)
    return places
