"""Overlapping clusters of systems.

Stroppa & Owczarzak 2007, "A cluster-based representation for multi-system MT evaluation".

Two systems share a cluster if no significant difference between them was found. This relation is not transitive, so a
system may be in several clusters: they are the maximal cliques of the graph of pairs without significant difference
(Bron & Kerbosch 1973). Clusters are ordered by the mean score of their members, ties by the best member.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import equalised, magnitude
from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.types import Bools, Floats


#: Largest number of clusters. There can be exponentially many, and more than this are not a useful ranking.
_MOST_CLUSTERS = 100_000


@dataclass(frozen=True)
class Breach:
    """Two clusters whose order the tests do not support.

    Attributes:
        first: number of the cluster that comes first (0-based).
        second: number of the other.
        both_ways: True if each cluster has a member that is significantly better than a member of the other; False if
            neither has.
    """

    first: int
    second: int
    both_ways: bool


@dataclass(frozen=True, eq=False)
class Clustering:
    """Systems in ordered, overlapping clusters.

    Attributes:
        scores: oriented so that higher is better, shape (systems,).
        better: better[x, y]: x is significantly better than y, shape (systems, systems).
        clusters: members of each cluster, best first in a cluster.
        breaches: pairs of clusters for which the paper's condition on their order does not hold.
    """

    scores: Floats
    better: Bools
    clusters: tuple[tuple[int, ...], ...]
    breaches: tuple[Breach, ...]

    def clusters_of(self, system: int) -> tuple[int, ...]:
        """Numbers of the clusters that a system is in."""
        return tuple(number for number, members in enumerate(self.clusters) if system in members)


def cluster(scores: Any, better: Any) -> Clustering:
    """Cluster systems.

    Args:
        scores: oriented so that higher is better, shape (systems,).
        better: better[x, y]: x is significantly better than y, shape (systems, systems).

    >>> better = np.array([[False, False, True], [False, False, False], [False, False, False]])
    >>> cluster([3.0, 2.0, 1.0], better).clusters
    ((0, 1), (1, 2))
    """
    values = np.asarray(scores, dtype=np.float64)
    relation = np.asarray(better, dtype=bool)
    if (relation & relation.T).any():
        raise InputError(
            "a system cannot be significantly better and significantly worse than another at the same time"
        )
    compared = equalised(values, scale=magnitude(values))
    alike = ~(relation | relation.T)
    neighbours = [set(np.flatnonzero(row).tolist()) - {system} for system, row in enumerate(alike)]
    cliques = []
    for clique in _cliques(neighbours):
        cliques.append(tuple(sorted(clique, key=lambda system: (-compared[system], system))))
        if len(cliques) > _MOST_CLUSTERS:
            raise InputError(
                f"there are more than {_MOST_CLUSTERS:,} clusters: too few differences are significant for a ranking"
            )
    means = equalised([compared[list(members)].mean() for members in cliques], scale=magnitude(values))
    keys = [(-mean, -compared[members[0]], members) for mean, members in zip(means, cliques, strict=True)]
    in_order = [members for *_, members in sorted(keys)]
    return Clustering(values, relation, tuple(in_order), tuple(_breaches(in_order, relation)))


def _cliques(neighbours: list[set[int]]) -> Iterator[set[int]]:
    """Maximal cliques, by Bron and Kerbosch's algorithm with a pivot, without recursion."""
    pending = [(set[int](), set(range(len(neighbours))), set[int]())]
    while pending:
        clique, candidates, excluded = pending.pop()
        if not candidates and not excluded:
            yield clique
            continue
        pivot = max(candidates | excluded, key=lambda system: (len(neighbours[system] & candidates), -system))
        for system in sorted(candidates - neighbours[pivot]):
            near = neighbours[system]
            pending.append((clique | {system}, candidates & near, excluded & near))
            candidates = candidates - {system}
            excluded = excluded | {system}


def _breaches(clusters: list[tuple[int, ...]], better: Bools) -> Iterator[Breach]:
    for i, first in enumerate(clusters):
        for j, second in enumerate(clusters[i + 1 :], i + 1):
            forth = bool(better[np.ix_(first, second)].any())
            back = bool(better[np.ix_(second, first)].any())
            if not forth or back:
                yield Breach(i, j, both_ways=forth and back)
