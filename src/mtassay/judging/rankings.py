"""One ranking of systems from judgements of one kind: scores, ranks and their ranges, clusters and tests of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.judgements import REPEATS, SCORED, Preferences, Scores
from mtassay.equality import equalised, magnitude
from mtassay.errors import InputError
from mtassay.judging.arrays import preferences_between, score_table
from mtassay.judging.assessments import (
    conclusions,
    official_clusters,
    rank_sum_p,
    system_scores,
)
from mtassay.judging.methods import (
    check_methods,
    gives_places,
    preference_ranges,
    preference_scores,
)
from mtassay.judging.normalisation import named, normalised
from mtassay.judging.preference_clusters import human_clusters, randomisation_p
from mtassay.judging.quality_control import DEGRADED, drop_careless, drop_inconsistent, has_controls
from mtassay.judging.rank_ranges import RankRanges, score_ranges
from mtassay.results import or_none
from mtassay.stats.clusters import Clustering, cluster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.execution import Execution
    from mtassay.judging.methods import Resampling
    from mtassay.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Column:
    """Scores by one method.

    Attributes:
        method: its name.
        scores: shape (systems,); NaN for a system without a score.
        higher_is_better: False for error scores and for positions in an order.
    """

    method: str
    scores: Floats
    higher_is_better: bool


@dataclass(frozen=True)
class Dropped:
    """Dropped judges: the reason, their names, and their number of judgements."""

    reason: str
    judges: tuple[str, ...]
    n_judgements: int


@dataclass(frozen=True, kw_only=True, eq=False)
class HumanRanking:
    """Systems ranked by one kind of judgements.

    Attributes:
        name: ``preferences``, or the aspect that was scored.
        counts: numbers of judgements, ties (of preferences), segments, judges (0 if not named) and units.
        columns: scores by each method; everything else is based on the first.
        ranges: rank ranges; their scores are oriented so that higher is better.
        wmt_clusters: clusters that do not overlap, as in the WMT campaigns, best first.
        of_system: numbers of judgements and of segments behind each system, shape (2, systems).
        p: p-values, shape (systems, systems).
        sides: 2 for the randomisation test of preferences; 1 for the rank-sum test of scores (row better than column).
        clustering: overlapping clusters of systems without significant differences.
        dropped: judges who were left out.
        whole: whether scores are of whole systems. Then there are ranks, but nothing to resample or test: ranges are
            from 0 to 0, p-values are unknown, and all systems are one cluster.
        parts: number of groups of systems that no judgement connects.
    """

    name: str
    counts: dict[str, int]
    columns: tuple[Column, ...]
    ranges: RankRanges
    wmt_clusters: tuple[tuple[int, ...], ...]
    of_system: Ints
    p: Floats
    sides: int
    clustering: Clustering
    dropped: tuple[Dropped, ...] = ()
    whole: bool = False
    parts: int = 1

    @property
    def order(self) -> list[int]:
        """Systems, best first."""
        return self.ranges.order

    @property
    def ranks(self) -> Ints:
        """Rank of each system; equal scores share the better rank, systems without a score the last."""
        scores = np.nan_to_num(equalised(self.ranges.scores, scale=magnitude(self.ranges.scores)), nan=-np.inf)
        ranks: Ints = 1 + (scores[None, :] > scores[:, None]).sum(axis=1)
        return ranks

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of systems, the better one first, in order."""
        return list(combinations(self.order, 2))

    def wmt_cluster_of(self, system: int) -> int:
        """Number of a system's cluster, from 1."""
        return next(number for number, members in enumerate(self.wmt_clusters, 1) if system in members)

    def to_dict(self, systems: Sequence[str]) -> dict[str, Any]:
        """Everything as plain values; `systems` are the names."""
        ranks, better = self.ranks, self.clustering.better
        fuzzy = None if self.whole else self.ranges.fuzzy_ranks()
        return {
            "name": self.name,
            **self.counts,
            "methods": [
                {"method": column.method, "higher_is_better": column.higher_is_better} for column in self.columns
            ],
            "dropped": [
                {"reason": one.reason, "judges": list(one.judges), "judgements": one.n_judgements}
                for one in self.dropped
            ],
            "parts": self.parts,
            "ranking": [
                {
                    "system": systems[s],
                    "scores": {column.method: or_none(column.scores[s]) for column in self.columns},
                    "rank": int(ranks[s]),
                    "rank_range": None if self.whole else [int(self.ranges.low[s]), int(self.ranges.high[s])],
                    "wmt_cluster": None if self.whole else self.wmt_cluster_of(s),
                    "fuzzy_rank": None if fuzzy is None else float(fuzzy[s]),
                    "judgements": int(self.of_system[0, s]),
                    "segments": int(self.of_system[1, s]),
                    "clusters": [] if self.whole else [number + 1 for number in self.clustering.clusters_of(s)],
                    "better_than": [systems[other] for other in self.order if better[s, other]],
                }
                for s in self.order
            ],
            "clusters": [[systems[s] for s in members] for members in self.clustering.clusters if not self.whole],
            "sides": self.sides,
            "pairs": [
                {
                    "systems": [systems[x], systems[y]],
                    "p": [float(self.p[x, y]), float(self.p[y, x])] if self.sides == 1 else float(self.p[x, y]),
                    "better": systems[x] if better[x, y] else systems[y] if better[y, x] else None,
                }
                for x, y in self.pairs
                if not self.whole
            ],
        }


def judged_systems(judgements: Preferences | Scores) -> tuple[str, ...]:
    """Judged systems; systems with only control items do not count."""
    if isinstance(judgements, Preferences):
        return judgements.systems
    outputs = judgements.system[np.isin(judgements.item, SCORED)]
    return tuple(judgements.systems[s] for s in np.unique(outputs).tolist())


def rank_preferences(
    given: Preferences,
    methods: Sequence[str],
    *,
    systems: Sequence[str],
    resamples: Resampling,
    execution: Execution,
) -> HumanRanking:
    """Rank the given systems by preferences."""
    preferences = preferences_between(given, systems)
    if not len(preferences):
        raise InputError("no judgement compares two of the systems")
    first, *others = methods
    found = preference_ranges(preferences, first, resamples=resamples, execution=execution)
    of_methods = [found.scores]
    of_methods += [preference_scores(preferences, name, resamples=resamples, execution=execution) for name in others]
    columns = tuple(
        Column(name, -scores if gives_places(name) else scores, not gives_places(name))
        for name, scores in zip(methods, of_methods, strict=True)
    )
    p = randomisation_p(preferences, unit=resamples.unit)
    grouped = {"segment": preferences.segment, "screen": preferences.item}.get(resamples.unit)
    counts = {
        "judgements": len(preferences),
        "ties": int((preferences.outcome == 0).sum()),
        "segments": len(np.unique(preferences.segment)),
        "judges": len(np.unique(preferences.judge)) if named(preferences) else 0,
        "units": len(preferences) if grouped is None else len(np.unique(grouped)),
    }
    return HumanRanking(
        name="preferences",
        counts=counts,
        columns=columns,
        ranges=found,
        # Parity: wmt-trueskill, whose clusters end with the range of the last system.
        wmt_clusters=found.clusters(last_only=first.startswith("trueskill")),
        of_system=_counts_of_systems(
            np.concatenate([preferences.first, preferences.second]), np.tile(preferences.segment, 2), len(systems)
        ),
        p=p,
        sides=2,
        clustering=human_clusters(
            preferences, lambda wins, ties: found.scores, alpha=resamples.alpha, unit=resamples.unit, p=p
        ),
        parts=_parts(preferences),
    )


def _parts(preferences: Preferences) -> int:
    """Number of groups of systems that no judgement connects."""
    wins, ties = preferences.counts()
    n = len(preferences.systems)
    near = (wins + wins.T + ties > 0) | np.eye(n, dtype=bool)
    for _ in range(n.bit_length()):  # every round doubles the reach
        near = near @ near
    return len(np.unique(near, axis=0))


def rank_scores(
    given: Scores,
    methods: Sequence[str],
    *,
    systems: Sequence[str],
    resamples: Resampling,
    drop_careless: bool,
    drop_inconsistent: bool,
    control_test: str,
) -> HumanRanking:
    """Rank the given systems by scores, which are standardised over all systems and control items of a judge."""
    if not np.isfinite(given.score).all():
        raise InputError("a score is not a number: leave missing scores out of the judgements")
    check_methods(given, methods)
    judged, dropped = _controlled(given, careless=drop_careless, inconsistent=drop_inconsistent, test=control_test)
    places = [judged.systems.index(name) for name in systems]
    outputs = judged.rows(np.isin(judged.item, SCORED) & np.isin(judged.system, places))
    of_system = _counts_of_systems(outputs.system, outputs.segment, len(judged.systems))[:, places]
    tables = []
    for name in methods:
        kept = normalised(judged, name)
        tables.append(score_table(kept.scores, systems))
        if kept.dropped:
            reason = f"{name}: a single score, or only equal scores"
            dropped.append(Dropped(reason, kept.dropped, _n_of(judged, kept.dropped)))
    scored = np.isfinite(tables[0]).any(axis=0)
    columns = tuple(
        Column(name, system_scores(table), judged.higher_is_better) for name, table in zip(methods, tables, strict=True)
    )
    if set(judged.segments) == {""}:
        return _whole_systems(judged.aspect, of_system, columns, dropped, resamples=resamples)
    if scored.sum() < 2:
        raise InputError(
            "there are no scores of at least two segments: nothing can be resampled or tested; give segment scores"
        )
    sign = 1.0 if judged.higher_is_better else -1.0
    oriented = sign * tables[0][:, scored]
    found = score_ranges(oriented, resamples=resamples.number, seed=resamples.seed, confidence=resamples.confidence)
    p, alpha = rank_sum_p(oriented), resamples.alpha
    counts = {
        "judgements": len(outputs),
        "segments": int(scored.sum()),
        "judges": len(np.unique(outputs.judge)) if named(judged) else 0,
        "units": int(scored.sum()),
    }
    oriented_scores = np.nan_to_num(found.scores, nan=-np.inf)
    return HumanRanking(
        name=judged.aspect,
        counts=counts,
        columns=columns,
        ranges=found,
        wmt_clusters=official_clusters(oriented_scores, p, alpha=alpha),
        of_system=of_system,
        p=p,
        sides=1,
        clustering=cluster(oriented_scores, conclusions(p, alpha=alpha) == 1),
        dropped=tuple(dropped),
    )


def _whole_systems(
    name: str, of_system: Ints, columns: tuple[Column, ...], dropped: Sequence[Dropped], *, resamples: Resampling
) -> HumanRanking:
    """Scores of whole systems, in order."""
    scores = columns[0].scores if columns[0].higher_is_better else -columns[0].scores
    n = len(scores)
    nowhere = np.zeros(n, dtype=np.int64)
    found = RankRanges(scores, np.zeros((0, n)), nowhere, nowhere, resamples.confidence)
    of_system = of_system * np.array([[1], [0]])
    counts = {"judgements": int(of_system.sum()), "segments": 0, "judges": 0, "units": 0}
    alike = cluster(np.nan_to_num(scores, nan=-np.inf), np.zeros((n, n), dtype=bool))
    no_p = np.full((n, n), np.nan)
    return HumanRanking(
        name=name,
        counts=counts,
        columns=columns,
        ranges=found,
        wmt_clusters=(tuple(found.order),),
        of_system=of_system,
        p=no_p,
        sides=1,
        clustering=alike,
        dropped=tuple(dropped),
        whole=True,
    )


def _counts_of_systems(system: Ints, segment: Ints, n_systems: int) -> Ints:
    """Numbers of judgements and of different segments of each system, shape (2, systems)."""
    n_segments = int(segment.max(initial=0)) + 1
    different = np.unique(system * n_segments + segment) // n_segments
    return np.stack([np.bincount(of, minlength=n_systems) for of in (system, different)])


def _controlled(scores: Scores, *, careless: bool, inconsistent: bool, test: str) -> tuple[Scores, list[Dropped]]:
    """The scores that pass the control items, and the dropped judges."""
    dropped = []
    for wanted, kinds, drop, reason in (
        (careless, DEGRADED, drop_careless, "careless: degraded items not scored lower"),
        (inconsistent, REPEATS, drop_inconsistent, "inconsistent: repeated items scored differently"),
    ):
        if not wanted:
            continue
        if not has_controls(scores, kinds):
            raise InputError(f"no judge saw control items of the kind {' or '.join(kinds)}: no judge can be checked")
        kept = drop(scores, test=test)
        dropped.append(Dropped(reason, kept.dropped, _n_of(scores, kept.dropped)))
        scores = kept.scores
    if not len(scores):
        raise InputError("every judge was dropped: no judgements are left")
    return scores, dropped


def _n_of(scores: Scores, judges: tuple[str, ...]) -> int:
    """Number of scores of some judges that count, unlike those of other control items than repeats."""
    of_judges = np.isin(scores.judge, [scores.judges.index(name) for name in judges])
    return int((of_judges & np.isin(scores.item, SCORED)).sum())
