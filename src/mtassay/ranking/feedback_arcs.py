"""The order of systems that contradicts the fewest judgements: the minimum feedback arc set (Lopez 2012).

Where x won more often against y than it lost, an arc leads from x to y; its weight is w - l (``raw``) or the doubled
share 2(w - l) / (w + l + e) (``net``, Lopez's "max net wins"). The best order has the least weight of arcs that lead
upwards. It is found exactly, by dynamic programming over the sets of systems inside each strongly connected component
of the graph: between components no arc need lead upwards.

Several orders may be equally good. Then the one is taken that has, from the top on, the system with more expected wins
(then the one that comes first) wherever there is a choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError, did_you_mean
from mtassay.ranking.bradley_terry import reachable
from mtassay.ranking.human_scores import expected_wins

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

WEIGHTS = ("raw", "net")
#: A component of more systems has too many subsets.
LARGEST_COMPONENT = 20


@dataclass(frozen=True)
class ArcOrder:
    """An order of systems.

    Attributes:
        order: numbers of the systems, best first.
        cost: weight of the arcs against the order; the least possible.
    """

    order: tuple[int, ...]
    cost: float


def arcs(wins: Any, ties: Any = None, *, weight: str = "raw") -> Floats:
    """Weights of the arcs from row to column, shape (systems, systems).

    >>> arcs([[0, 3], [1, 0]]).tolist(), arcs([[0, 3], [1, 0]], weight="net").tolist()
    ([[0.0, 2.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]])
    """
    if weight not in WEIGHTS:
        hint = did_you_mean(weight, WEIGHTS)
        raise InputError(f"no weight of arcs named '{weight}'{hint} (choose from {', '.join(WEIGHTS)})")
    won = np.asarray(wins, dtype=np.float64)
    surplus = np.maximum(won - won.T, 0.0)
    if weight == "raw":
        return surplus
    met = won + won.T + (0.0 if ties is None else np.asarray(ties, dtype=np.float64))
    return np.divide(2 * surplus, met, out=np.zeros_like(surplus), where=met > 0)


def feedback_arc_order(wins: Any, ties: Any = None, *, weight: str = "raw") -> ArcOrder:
    """The order that contradicts the least weight of judgements.

    Args:
        wins: wins[x, y]: how often x was better than y, shape (systems, systems).
        ties: the same for ties (symmetric); they count with the weight ``net`` only.
        weight: ``raw`` or ``net``.

    >>> feedback_arc_order([[0, 1, 5], [4, 0, 2], [2, 3, 0]])
    ArcOrder(order=(1, 0, 2), cost=1.0)
    """
    weights = arcs(wins, ties, weight=weight)
    n = len(weights)
    # Systems without a decided comparison have no expected wins; nothing depends on their place.
    preferred = np.nan_to_num(expected_wins(wins), nan=-1.0)
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
    """Whether an arc leads to a system from one that is left in another component."""
    return any(weights[other, system] > 0 for other in left.difference(members))


def _components(leads: NDArray[np.bool_]) -> list[list[int]]:
    """Systems that reach each other along arcs."""
    reach = reachable(leads)
    mutual = reach & reach.T
    return [np.flatnonzero(mutual[x]).tolist() for x in range(len(leads)) if not mutual[x, :x].any()]


class _Component:
    """The least cost of ordering every subset of a component; a subset is a number whose bits are its members."""

    def __init__(self, members: list[int], weights: Floats) -> None:
        n = len(members)
        if n > LARGEST_COMPONENT:
            raise InputError(
                f"{n} systems beat each other in circles: the best order can be found for at most {LARGEST_COMPONENT}"
            )
        self.members = members
        self._bit = {system: 1 << place for place, system in enumerate(members)}
        self._left = (1 << n) - 1
        inner = weights[np.ix_(members, members)]
        self._tolerance = 1e-9 * max(1.0, float(inner.sum()))
        # What it costs to put a member above a subset: the arcs that lead to it from there.
        self._above = np.zeros((n, 1 << n))
        for place in range(n):
            half = 1 << place
            self._above[:, half : 2 * half] = self._above[:, :half] + inner[place][:, None]
        self._least = _least_costs(self._above)

    def may_come_first(self, system: int) -> bool:
        """Whether an order of the members that are left is best with this one first."""
        bit = self._bit[system]
        first = self._above[bit.bit_length() - 1, self._left] + self._least[self._left ^ bit]
        return bool(first <= self._least[self._left] + self._tolerance)

    def remove(self, system: int) -> None:
        """Leave a member out from now on."""
        self._left ^= self._bit[system]


def _least_costs(above: Floats) -> Floats:
    """Least cost of every subset, smaller subsets first (Held & Karp 1962), shape (2^n,)."""
    n, n_subsets = above.shape
    subsets = np.arange(n_subsets)
    sizes = sum((subsets >> place) & 1 for place in range(n))
    least = np.zeros(n_subsets)
    for size in range(1, n + 1):
        chosen = np.flatnonzero(sizes == size)
        best = np.full(len(chosen), np.inf)
        for place in range(n):
            inside = np.flatnonzero((chosen >> place) & 1)
            sets = chosen[inside]
            best[inside] = np.minimum(best[inside], above[place, sets] + least[sets ^ (1 << place)])
        least[chosen] = best
    return least
