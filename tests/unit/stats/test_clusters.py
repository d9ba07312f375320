"""Clusters of systems, and how far two rankings agree."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.errors import InputError
from mtassay.stats.clusters import Breach, cluster
from mtassay.stats.ranking_agreement import rand_index, similarity


def relation(n: int, better: list[tuple[int, int]]) -> Any:
    matrix = np.zeros((n, n), dtype=bool)
    for x, y in better:
        matrix[x, y] = True
    return matrix


def ordered(groups: list[list[int]], n: int) -> Any:
    """Everything in a group is better than everything in a later one."""
    pairs = [
        (x, y)
        for i, first in enumerate(groups)
        for later in groups[i + 1 :]
        for x in first
        for y in later
        if x not in later and y not in first
    ]
    return relation(n, pairs)


def test_the_example_of_the_paper() -> None:
    # Left of Figure 1 as section 4 describes it: 10 of 15 pairs agree, and on (0,2) (0,3) (1,2) (1,3) (2,3) one of the
    # clusterings has a difference where the other has none.
    one = ordered([[0, 1, 2, 3], [4], [5]], 6)
    other = one | relation(6, [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    assert similarity(one, other) == pytest.approx(2 * 10 / (6 * 5))
    assert rand_index(one, other) == pytest.approx(10 / 15)


def test_opposite_outcomes_count_against() -> None:
    one, other = relation(3, [(0, 1), (0, 2)]), relation(3, [(1, 0), (0, 2)])
    assert similarity(one, other) == pytest.approx((1 - 1 + 1) / 3)
    assert rand_index(one, other) == 1.0


def test_being_alike_is_not_transitive() -> None:
    found = cluster([3.0, 2.0, 1.0], relation(3, [(0, 2)]))
    assert found.clusters == ((0, 1), (1, 2))
    assert found.clusters_of(1) == (0, 1)
    assert found.breaches == ()


def test_order_of_members_and_clusters() -> None:
    scores = [1.0, 5.0, 3.0, 4.0]
    found = cluster(scores, ordered([[1, 3], [2, 0]], 4))
    assert found.clusters == ((1, 3), (2, 0))


def test_a_tie_of_means_is_broken_by_the_best_member() -> None:
    # {0, 1} and {2, 3} have the mean 2.5.
    better = relation(4, [(0, 2), (0, 3), (2, 1), (3, 1)])
    assert cluster([4.0, 1.0, 3.0, 2.0], better).clusters[0] == (0, 1)


def test_breaches_of_the_order_are_shown() -> None:
    # 0 beats 2, and 3 beats 1: each cluster has a better member.
    both = cluster([4.0, 1.0, 3.0, 2.0], relation(4, [(0, 2), (0, 3), (2, 1), (3, 1)]))
    assert both.breaches == (Breach(0, 1, both_ways=True),)
    # 0 alike 1 alike 2 alike 3 alike 0, and 0-2, 1-3 differ: no breach; without a difference between clusters: breach.
    cycle = cluster([4.0, 3.0, 2.0, 1.0], relation(4, [(0, 2), (1, 3)]))
    assert cycle.clusters == ((0, 1), (0, 3), (1, 2), (2, 3)) or len(cycle.clusters) == 4
    for breach in cycle.breaches:
        first, second = (cycle.clusters[number] for number in (breach.first, breach.second))
        assert not cycle.better[np.ix_(first, second)].any() or cycle.better[np.ix_(second, first)].any()


def test_contradictions_are_refused() -> None:
    with pytest.raises(InputError, match="at the same time"):
        cluster([1.0, 2.0], relation(2, [(0, 1), (1, 0)]))
    with pytest.raises(InputError, match="same systems"):
        similarity(relation(2, []), relation(3, []))
    with pytest.raises(InputError, match="no pair"):
        similarity(relation(1, []), relation(1, []))


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[float], Any]:
    n = draw(st.integers(1, 8))
    scores = draw(st.lists(st.floats(0, 100), min_size=n, max_size=n))
    found = relation(n, [])
    for x, y in combinations(range(n), 2):
        if draw(st.booleans()) and scores[x] != scores[y]:
            found[(x, y) if scores[x] > scores[y] else (y, x)] = True
    return scores, found


@given(rankings())
def test_clusters_are_all_maximal_cliques(ranking: tuple[list[float], Any]) -> None:
    scores, better = ranking
    n = len(scores)
    alike = ~(better | better.T)

    def is_clique(members: tuple[int, ...]) -> bool:
        return all(alike[x, y] for x, y in combinations(members, 2))

    cliques = [m for size in range(1, n + 1) for m in combinations(range(n), size) if is_clique(m)]
    maximal = {frozenset(m) for m in cliques if not any(set(m) < set(other) for other in cliques)}
    found = cluster(scores, better)
    assert {frozenset(members) for members in found.clusters} == maximal
    assert len(found.clusters) == len(maximal)
    means = [np.mean([scores[s] for s in members]) for members in found.clusters]
    assert all(first >= second - 1e-9 for first, second in pairwise(means))
    for breach_i, first in enumerate(found.clusters):
        for breach_j, second in enumerate(found.clusters):
            if breach_i < breach_j:
                forth = any(better[x, y] for x in first for y in second)
                back = any(better[y, x] for x in first for y in second)
                listed = [b for b in found.breaches if (b.first, b.second) == (breach_i, breach_j)]
                assert bool(listed) == (not forth or back)
