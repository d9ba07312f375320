"""Ranking systems by human judgements: the verb ``humans``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mtassay.data.error_spans import ErrorSpans
from mtassay.data.judgements import Preferences, Rankings, Scores
from mtassay.errors import InputError, each_of, unknown_name
from mtassay.execution import Execution, Progress
from mtassay.judging.arrays import preferences_or_scores
from mtassay.judging.assessments import check_aspects, combined_p, conclusions
from mtassay.judging.methods import RESAMPLED, Resampling, check_methods
from mtassay.judging.rank_ranges import RESAMPLES, unit_of
from mtassay.judging.rankings import HumanRanking, judged_systems, rank_preferences, rank_scores
from mtassay.results import Result
from mtassay.stats.clusters import Clustering, cluster
from mtassay.stats.intervals import check_alpha
from mtassay.stats.resamples import check_resamples, check_seed

if TYPE_CHECKING:
    from mtassay.judging.span_weights import Weights
    from mtassay.types import Floats

    Judged = Rankings | Preferences | Scores | ErrorSpans


SCHEMA = "mtassay.humans/1"
#: Number of aspects that are combined: adequacy and fluency.
_N_COMBINED = 2
_FEWEST = 2


@dataclass(frozen=True, eq=False)
class Combined:
    """Conclusions about pairs from two aspects: the first where it decides, else the second (Graham et al. 2014).

    Attributes:
        p: one-sided p-values for "row better than column", shape (systems, systems).
        by_second: pairs for which the second aspect was used, bool of the same shape.
        clustering: overlapping clusters by these conclusions.
    """

    p: Floats
    by_second: NDArray[np.bool_]
    clustering: Clustering


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HumansResult(Result):
    """Systems ranked by human judgements.

    Attributes:
        systems: names of the systems.
        aspects: one ranking; two if adequacy and fluency are combined.
        combined: conclusions from both aspects, if there are two.
        alpha: the significance level; rank ranges cover 1 - alpha of the resamples.
        resamples: number of resamples of the judgements, or runs of TrueSkill; 0 for scores of whole systems.
        seed: the seed.
        unit: the unit of resampling; ``system`` if nothing was resampled.
        ignored: judged systems that were left out because the test set does not have them.
    """

    verb: ClassVar[str] = "humans"

    systems: tuple[str, ...]
    aspects: tuple[HumanRanking, ...]
    combined: Combined | None
    alpha: float
    resamples: int
    seed: int
    unit: str
    ignored: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "schema": SCHEMA,
            "alpha": self.alpha,
            "resamples": self.resamples,
            "seed": self.seed,
            "unit": self.unit,
            "systems": list(self.systems),
            "ignored": list(self.ignored),
            "aspects": [aspect.to_dict(self.systems) for aspect in self.aspects],
            "combined": None if self.combined is None else self._combined(self.combined),
        }

    def _combined(self, combined: Combined) -> dict[str, Any]:
        better, names = combined.clustering.better, self.systems
        return {
            "clusters": [[names[s] for s in members] for members in combined.clustering.clusters],
            "pairs": [
                {
                    "systems": [names[x], names[y]],
                    "p": [float(combined.p[x, y]), float(combined.p[y, x])],
                    "by": self.aspects[int(combined.by_second[x, y])].name,
                    "better": names[x] if better[x, y] else names[y] if better[y, x] else None,
                }
                for x, y in self.aspects[0].pairs
            ],
        }

    def check_tested(self, what: str) -> None:
        """Reject requests for ranges and tests if the scores are of whole systems."""
        if self.aspects[0].whole:
            raise InputError(
                f"{what} ranges and tests, which scores of whole systems do not allow: give scores of segments"
            )

    def __repr__(self) -> str:
        methods = ", ".join(column.method for column in self.aspects[0].columns)
        return f"HumansResult({', '.join(self.systems)}; {methods})"


def humans(
    judgements: Judged | Sequence[Scores | ErrorSpans],
    *,
    method: str | Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    alpha: float = 0.05,
    resamples: int = RESAMPLES,
    unit: str | None = None,
    seed: int = 12345,
    drop_careless: bool = False,
    drop_inconsistent: bool = False,
    control_test: str = "t",
    span_weights: Weights | None = None,
    progress: Progress = iter,
) -> HumansResult:
    """Rank systems by human judgements.

    Args:
        judgements: rankings, preferences, scores or spans of errors from ``mtassay.data.load_judgements``; or the
            scores of two aspects, the second of which breaks ties of the first (adequacy, then fluency).
        method: one or several methods of ``human_methods``; the first gives ranks, ranges and clusters. By default
            ``expected-wins`` for preferences; for scores ``z`` if they (the first of two) name judges and have more
            than two values, else ``mean``.
        systems: only these systems.
        alpha: the significance level; rank ranges cover 1 - alpha of the resamples.
        resamples: number of resamples of the judgements for rank ranges, or runs of TrueSkill.
        unit: unit that is resampled, and exchanged by the test: ``screen``, ``judgement`` or ``segment`` for
            preferences, ``segment`` for scores. By default screens; judgements if the first method is
            ``trueskill-resampled``.
        seed: the seed.
        drop_careless: for scores, drop judges who do not score degraded items significantly lower.
        drop_inconsistent: for scores, drop judges who score repeated items significantly differently.
        control_test: the test that drops judges: ``t`` (paired, as in the WMT campaigns) or ``signed-rank``.
        span_weights: how errors in spans count: ``mqm``, ``esa`` or rules such as ``["minor=1", "major=5"]``. By
            default the judges' overall scores if there are any, else ``mqm``.
        progress: wraps long loops, for a progress bar.

    >>> from mtassay.data.judgements import Scores, numbered
    >>> systems, system = numbered(["x", "y"] * 30)
    >>> nobody, segment = np.zeros(60, dtype=np.int64), np.arange(60) // 2
    >>> score = np.where(system == 0, 70.0, 50.0) + np.arange(60) % 7
    >>> names = tuple(map(str, range(30)))
    >>> columns = {"system": system, "score": score, "aspect": "da", "item": np.full(60, "")}
    >>> judged = Scores(systems, names, ("",), segment, nobody, **columns)
    >>> humans(judged).aspects[0].clustering.clusters
    ((0,), (1,))
    """
    given = _given(judgements, span_weights)
    if 1 - check_alpha(alpha) == 1:
        raise InputError(f"the significance level {alpha!r} is too small: rank ranges would cover all resamples")
    if control_test != "t" and not drop_careless and not drop_inconsistent:
        raise InputError(
            "--control-test (control_test=) decides which judges are dropped: also give --drop-careless or "
            "--drop-inconsistent (drop_careless=True, drop_inconsistent=True)"
        )
    methods = check_methods(given[0], method)
    names = _names(given, systems)
    if unit is None and methods[0] == RESAMPLED:
        unit = "judgement"
    drawn = Resampling(
        check_resamples(resamples) or RESAMPLES,
        check_seed(seed),
        _unit(given[0], unit),
        check_alpha(alpha),
        unit or "judgement",
    )
    aspects: list[HumanRanking] = []
    for judged in given:
        if isinstance(judged, Scores):
            aspects.append(
                rank_scores(
                    judged,
                    methods,
                    systems=names,
                    resamples=drawn,
                    drop_careless=drop_careless,
                    drop_inconsistent=drop_inconsistent,
                    control_test=control_test,
                )
            )
        elif drop_careless or drop_inconsistent:
            raise InputError(
                "control items are scored, but these judgements are preferences: leave out the options that drop judges"
            )
        else:
            execution = Execution(progress=progress)
            aspects.append(rank_preferences(judged, methods, systems=names, resamples=drawn, execution=execution))
    whole = [aspect.whole for aspect in aspects]
    if any(whole) and len(aspects) == _N_COMBINED:
        raise InputError(
            "aspects are combined by tests, which scores of whole systems do not allow: give scores of segments"
        )
    combined = _combine(aspects, alpha) if len(aspects) == _N_COMBINED else None
    n_resamples, of = (0, "system") if any(whole) else (drawn.number, drawn.unit)
    ignored = tuple(dict.fromkeys(name for judged in given for name in judged.ignored))
    return HumansResult(
        systems=names,
        aspects=tuple(aspects),
        combined=combined,
        alpha=alpha,
        resamples=n_resamples,
        seed=seed,
        unit=of,
        ignored=ignored,
    )


def _given(judgements: Judged | Sequence[Scores | ErrorSpans], weights: Weights | None) -> list[Preferences | Scores]:
    """The judgements of each aspect; rankings become preferences, spans scores."""
    if isinstance(judgements, Rankings | Preferences | Scores | ErrorSpans):
        return [preferences_or_scores(judgements, weights)]
    several = list(judgements)
    if len(several) != _N_COMBINED or not all(isinstance(judged, Scores | ErrorSpans) for judged in several):
        raise InputError("give rankings, preferences or scores, or the scores of two aspects (adequacy, then fluency)")
    both = [preferences_or_scores(judged, weights if isinstance(judged, ErrorSpans) else None) for judged in several]
    scores = [judged for judged in both if isinstance(judged, Scores)]
    check_aspects(*scores)
    return [*scores]


def _unit(judgements: Preferences | Scores, unit: str | None) -> str:
    if isinstance(judgements, Preferences):
        return unit_of(judgements, unit or "screen")
    if unit not in (None, "segment"):
        raise InputError(f"scores are resampled by segment: unit cannot be '{unit}'")
    return "segment"


def _names(given: Sequence[Preferences | Scores], wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Systems to rank: the wanted ones, or all, if both aspects have the same systems."""
    there = [judged_systems(judged) for judged in given]
    if wanted is None and (odd := sorted(set(there[0]) ^ set(there[-1]))):
        raise InputError(f"'{odd[0]}' was judged in only one aspect: choose systems that have both")
    names = there[0] if wanted is None else tuple(each_of(wanted, "systems", such_as="['a', 'b']"))
    for name in names:
        for known in there:
            if name not in known:
                raise InputError(unknown_name("judged system", name, known))
    if len(set(names)) < len(names):
        raise InputError("a system is named twice")
    if len(names) < _FEWEST:
        raise InputError(f"a ranking needs two systems, but there is {len(names) or 'none'}")
    return names


def _combine(aspects: Sequence[HumanRanking], alpha: float) -> Combined:
    first, second = aspects
    p = combined_p(first.p, second.p, alpha=alpha)
    better = conclusions(p, alpha=alpha) == 1
    return Combined(p, conclusions(first.p, alpha=alpha) == 0, cluster(first.clustering.scores, better))
