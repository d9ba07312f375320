"""The order of systems that contradicts the fewest judgements: the minimum feedback arc set (Lopez 2012).

If x won more often against y than it lost, an arc leads from x to y; its weight is w - l (``raw``) or twice the share,
2(w - l) / (w + l + e) (``net``, Lopez's "max net wins"). The best order minimises the weight of arcs that lead upwards.
It is found exactly, by a search over sets of systems within each strongly connected component of the graph; between
components, no arc has to lead upwards.

If several orders are equally good, the order is built from the top down: wherever there is a choice, the system with
more expected wins comes next, or else the one listed first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import TOLERANCE, equalised
from mtassay.errors import InputError, unknown_name
from mtassay.judging.bradley_terry import reachable
from mtassay.judging.wins import expected_wins

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mtassay.types import Floats


WEIGHTS = ("raw", "net")
#: Largest number of sets of systems to search; real rankings need some thousands.
_MOST_SETS = 1_000_000


@dataclass(frozen=True)
class ArcOrder:
    """An order of systems.

    Attributes:
        order: numbers of the systems, best first.
        cost: weight of the arcs against the order, which is minimal.
    """

    order: tuple[int, ...]
    cost: float


def arcs(wins: Any, ties: Any = None, *, weight: str = "raw") -> Floats:
    """Weights of the arcs from row to column, shape (systems, systems).

    >>> arcs([[0, 3], [1, 0]]).tolist(), arcs([[0, 3], [1, 0]], weight="net").tolist()
    ([[0.0, 2.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]])
    """
    if weight not in WEIGHTS:
        raise InputError(unknown_name("weight of arcs", weight, WEIGHTS))
    won = np.asarray(wins, dtype=np.float64)
    surplus = np.maximum(won - won.T, 0.0)
    if weight == "raw":
        return surplus
    met = won + won.T + (0.0 if ties is None else np.asarray(ties, dtype=np.float64))
    shares: Floats = np.divide(2 * surplus, met, out=np.zeros_like(surplus), where=met > 0)
    return shares


def feedback_arc_order(wins: Any, ties: Any = None, *, weight: str = "raw") -> ArcOrder:
    """The order that minimises the weight of contradicted judgements.

    Args:
        wins: wins[x, y]: how often x was better than y, shape (systems, systems).
        ties: the same for ties (symmetric); they count only with the weight ``net``.
        weight: ``raw`` or ``net``.

    >>> feedback_arc_order([[0, 1, 5], [4, 0, 2], [2, 3, 0]])
    ArcOrder(order=(1, 0, 2), cost=1.0)
    """
    weights = arcs(wins, ties, weight=weight)
    n = len(weights)
    # Systems without a decided comparison have no expected wins; their position does not matter.
    preferred = np.nan_to_num(equalised(expected_wins(wins)), nan=-1.0)
    parts = [_Component(members, weights) for members in _components(weights > 0)]
    part_of = {system: part for part in parts for system in part.members}
    left = set(range(n))
    order = []
    while left:
        free = [s for s in left if part_of[s].may_come_first(s) and not _led_to(s, left, part_of[s].members, weights)]
        chosen = min(free, key=lambda system: (-preferred[system], system))
        part_of[chosen].remove(chosen)
        left.remove(chosen)
        order.append(chosen)
    return ArcOrder(tuple(order), float(cost(order, weights)))


def cost(order: Any, weights: Floats) -> float:
    """Weight of the arcs that lead upwards in an order."""
    arranged = weights[np.ix_(order, order)]
    return float(np.tril(arranged, k=-1).sum())


def _led_to(system: int, left: set[int], members: list[int], weights: Floats) -> bool:
    """Whether an arc leads to a system from a remaining system of another component."""
    return any(weights[other, system] > 0 for other in left.difference(members))


def _components(leads: NDArray[np.bool_]) -> list[list[int]]:
    """Systems that reach each other along arcs."""
    # SciPy's connected_components takes 0.2 s to import and is not faster for a few dozen systems.
    reach = reachable(leads)
    mutual = reach & reach.T
    return [np.flatnonzero(mutual[x]).tolist() for x in range(len(leads)) if not mutual[x, :x].any()]


class _Component:
    """Best orders of a component; a set of its members is a bit mask."""

    def __init__(self, members: list[int], weights: Floats) -> None:
        self.members = members
        self._place = {system: place for place, system in enumerate(members)}
        self._left = (1 << len(members)) - 1
        self._inner = weights[np.ix_(members, members)]
        self._tolerance = TOLERANCE * float(self._inner.sum())
        self._least = self._least_costs()

    def may_come_first(self, system: int) -> bool:
        """Whether some best order of the remaining members has this one first."""
        place = self._place[system]
        rest = self._left ^ (1 << place)
        if rest not in self._least:
            return False
        first = self._least[rest] + self._on_top(rest)[place]
        return bool(first <= self._least[self._left] + self._tolerance)

    def remove(self, system: int) -> None:
        """Remove a member from the remaining ones."""
        self._left ^= 1 << self._place[system]

    def _least_costs(self) -> dict[int, float]:
        """Least cost of ordering a set of members, for all sets that may be at the bottom of a best order.

        A* search from the empty set, where a step puts a member on top of a set. The lower bound of the final cost is
        the cost of the set's own order plus all arcs that lead from it to members outside, which will be above it.
        """
        least: dict[int, float] = {}
        costs = {0: 0.0}
        pending = [(0.0, 0)]
        limit = math.inf
        while pending and pending[0][0] <= limit:
            in_the_end, chosen = heappop(pending)
            if chosen in least:
                continue
            spent = least[chosen] = costs[chosen]
            if len(least) > _MOST_SETS:
                n = len(self.members)
                raise InputError(f"{n} systems beat each other in too many cycles to find their best order")
            if chosen == self._left:
                limit = spent + self._tolerance
            outside = self._left ^ chosen
            # The arcs from below to the new top member are already in the bound; add its arcs to members above it.
            steps = self._on_top(chosen)
            ends = in_the_end + self._inner[:, self._places(outside)].sum(axis=1)
            for place in self._places(outside):
                larger = chosen | 1 << place
                cost = spent + float(steps[place])
                if cost < costs.get(larger, math.inf):
                    costs[larger] = cost
                    heappush(pending, (float(ends[place]), larger))
        return least

    def _on_top(self, chosen: int) -> Floats:
        """Cost of putting each member on top of a set: the weight of arcs from the set to it."""
        total: Floats = self._inner[self._places(chosen)].sum(axis=0)
        return total

    def _places(self, chosen: int) -> list[int]:
        return [place for place in range(len(self.members)) if chosen >> place & 1]
