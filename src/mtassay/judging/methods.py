"""All methods that score systems from judgements, by name, and rankings under resampled judgements.

Preferences are scored by the methods of ``wins``, and by

- ``trueskill``: the mean skill over as many runs as there are resamples; rank ranges are over the runs (WMT14, WMT15);
- ``trueskill-resampled``: the same, but every run uses resampled judgements, by default single judgements (WMT16);
- ``feedback-arcs``, ``feedback-arcs-net``: the position in the order that contradicts the fewest judgements (1 is
  best).

Scores are averaged over a segment, then over segments, unchanged or normalised (``normalisation``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.judgements import Preferences, Scores
from mtassay.errors import InputError, each_of, unknown_name
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
#: Default method for preferences, in all verbs.
_USUAL = "expected-wins"


@dataclass(frozen=True)
class Resampling:
    """How judgements are resampled.

    Attributes:
        number: number of resamples.
        seed: the seed.
        unit: unit of resampling.
        alpha: the significance level.
        skills_unit: unit of resampling for ``trueskill-resampled``; WMT16 resampled single judgements.
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
    """The given methods, or the default for these judgements; rejects methods for another kind of judgements."""
    if methods is None:
        return (usual_normalisation(judgements) if isinstance(judgements, Scores) else _USUAL,)
    names = (methods,) if isinstance(methods, str) else tuple(each_of(methods, "method", such_as=f"[{_USUAL!r}]"))
    own, what = (OF_SCORES, "scores") if isinstance(judgements, Scores) else (OF_PREFERENCES, "preferences")
    other = OF_PREFERENCES if own is OF_SCORES else OF_SCORES
    for name in names:
        if name in other:
            kind = "preferences" if own is OF_SCORES else "scores"
            raise InputError(f"the method '{name}' is for {kind}, but these are {what} (known: {', '.join(own)})")
        if name not in own:
            raise InputError(unknown_name("method", name, own))
    if not names or len(set(names)) < len(names):
        raise InputError("give at least one method, and none twice")
    if {"z", "even"} & set(names) and not named(judgements):
        raise InputError("these scores name no judges, which z and even need: use the method mean")
    return names


def gives_places(method: str) -> bool:
    """Whether a method gives positions in an order (1 is best) instead of scores."""
    return method in _ARCS


def preference_scores(preferences: Preferences, method: str, *, resamples: Resampling, execution: Execution) -> Floats:
    """Scores of systems, higher is better (for orders, minus the position), shape (systems,)."""
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
    """Minus the position of each system in the order of fewest contradictions, shape (..., systems)."""
    n = wins.shape[-1]
    places = np.empty(wins.shape[:-1])
    for index in np.ndindex(wins.shape[:-2]):
        places[index][list(feedback_arc_order(wins[index], ties[index], weight=weight).order)] = -np.arange(1.0, n + 1)
    return places
