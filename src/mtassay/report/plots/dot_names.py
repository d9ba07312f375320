"""Placement of names next to the dots of a scatter plot.

A name is put as near to its dot as possible without covering another name or dot. If it has to be further away, a line
joins them, which crosses no name or dot either. Places are found by local search: each name in turn takes the best
place while the others stay, until none moves; of several orders, the best result is used. All lengths are in inches;
boxes are (left, bottom, right, top).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.report.plots.style import TINY, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mtassay.types import Floats


#: Half a dot, and the height of a line of names.
DOT, LINE = 0.025, 0.085
#: Distances from a dot to its name, nearest first.
_REACHES = (0.04, 0.07, 0.11, 0.16, 0.22, 0.3, 0.4, 0.52, 0.66, 0.82)
#: Names further from their dots than this are joined to them by a line.
_JOINED = 0.075
#: Directions from the dot; right and left are easiest to read.
_SIDES = (
    *((1, 0), (-1, 0), (1, 0.5), (1, -0.5), (-1, 0.5), (-1, -0.5), (1, 1), (1, -1), (-1, 1), (-1, -1)),
    *((0, 1), (0, -1), (0.5, 1), (0.5, -1), (-0.5, 1), (-0.5, -1)),
)
#: Space between names, and around a dot, where a name would seem to belong to the dot.
_GAP, _OWN = 0.008, 0.055
#: Costs in inches of distance: a line, a covered or crossed name or dot, a name beyond the panel.
_A_LINE, _COVERED, _BEYOND = 0.12, 2.0, 1000.0
#: Costs per square inch of a name that covers another or is near another's dot.
_OVERLAP, _NEARNESS = 100.0, 20.0
#: No other order is tried if no name costs more than this.
_GOOD = 0.4
#: Number of orders to try, and maximal number of rounds.
_ORDERS, _PASSES = 4, 10


def place_names(names: Sequence[str], dots: Floats, size: tuple[float, float]) -> tuple[Floats, Floats]:
    """Find places for names.

    Args:
        names: the name of each dot.
        dots: positions of the dots, shape (names, 2).
        size: width and height of the panel.

    Returns:
        the boxes of the names, shape (names, 4), and lines that join them to their dots, shape (names, 2, 2), NaN
        if there is none.
    """
    places = [_places(width_of(name, TINY), dot) for name, dot in zip(names, dots, strict=True)]
    lines = [_lines(boxes, dot) for boxes, dot in zip(places, dots, strict=True)]
    fixed = [_alone(places[n], lines[n], dots, n, size) for n in range(len(names))]
    distances = np.hypot(*(dots[:, None] - dots).transpose(2, 0, 1))
    crowded = np.argsort(np.sort(distances, axis=1)[:, :4].sum(axis=1), kind="stable")
    rng = np.random.default_rng(1)
    orders = [crowded, *(rng.permutation(crowded) for _ in range(_ORDERS - 1))]
    best = np.inf
    for order in orders:
        costs, found = _search(places, lines, fixed, order)
        if costs.sum() < best:
            best, chosen = costs.sum(), found
        if costs.max(initial=0.0) < _GOOD:
            break
    return (
        np.array([boxes[at] for boxes, at in zip(places, chosen, strict=True)]).reshape(-1, 4),
        np.array([joining[at] for joining, at in zip(lines, chosen, strict=True)]).reshape(-1, 2, 2),
    )


def _search(
    places: Sequence[Floats], lines: Sequence[Floats], fixed: Sequence[Floats], order: NDArray[np.int64]
) -> tuple[Floats, list[int]]:
    """Search with names in this order; returns the costs of the places found, and the places."""
    n = len(places)
    boxes, joining, chosen = np.full((n, 4), np.nan), np.full((n, 2, 2), np.nan), [-1] * n
    costs = np.full(n, np.inf)
    for _ in range(_PASSES):
        before = list(chosen)
        for number in order.tolist():
            boxes[number] = joining[number] = np.nan
            wide = places[number] + (-_GAP, -_GAP, _GAP, _GAP)
            area = _overlap(wide, boxes)
            conflicts = (area > 0).sum(axis=1) + _crossed(lines[number], boxes).sum(axis=1)
            conflicts = conflicts + _crossed(joining[~np.isnan(joining[:, 0, 0])], wide).sum(axis=0)
            cost = fixed[number] + _COVERED * conflicts + _OVERLAP * area.sum(axis=1)
            chosen[number] = best = int(np.argmin(cost))
            costs[number] = cost[best]
            boxes[number], joining[number] = places[number][best], lines[number][best]
        if chosen == before:
            break
    return costs, chosen


def _places(width: float, dot: Floats) -> Floats:
    """Boxes for a name around its dot, better ones first, shape (places, 4)."""
    boxes = []
    for reach in _REACHES:
        for side_x, side_y in _SIDES:
            left = dot[0] + side_x * reach - width * (1 - side_x) / 2
            bottom = dot[1] + side_y * (reach + LINE / 2) - LINE / 2
            boxes.append((left, bottom, left + width, bottom + LINE))
    return np.array(boxes)


def _lines(boxes: Floats, dot: Floats) -> Floats:
    """Lines from a dot to the nearest point of each box, shape (boxes, 2, 2); NaN if the box is near enough."""
    near = np.clip(dot, boxes[:, :2], boxes[:, 2:])
    lines = np.stack([np.broadcast_to(dot, near.shape), near], axis=1)
    return np.where((np.hypot(*(near - dot).T) > _JOINED)[:, None, None], lines, np.nan)


def _alone(boxes: Floats, lines: Floats, dots: Floats, number: int, size: tuple[float, float]) -> Floats:
    """Cost of each place of a dot's name, without regard to other names, shape (places,)."""
    others = np.delete(dots, number, axis=0)
    of_dots, round_dots = (np.hstack([others - width, others + width]) for width in (DOT, _OWN))
    # Any line crosses dots that touch its own.
    apart = np.abs(others - dots[number]).max(axis=1) > 2 * DOT
    covered = (_overlap(boxes, of_dots) > 0).sum(axis=1) + _crossed(lines, of_dots[apart]).sum(axis=1)
    outside = np.maximum(0.0, -boxes[:, :2]).sum(axis=1) + np.maximum(0.0, boxes[:, 2:] - size).sum(axis=1)
    reach = np.repeat(_REACHES, len(_SIDES)) + 0.002 * np.tile(np.arange(len(_SIDES)), len(_REACHES))
    near = _overlap(boxes, round_dots).sum(axis=1)
    joined = ~np.isnan(lines[:, 0, 0])
    cost: Floats = reach + _A_LINE * joined + _COVERED * covered + _BEYOND * outside + _NEARNESS * near
    return cost


def _overlap(boxes: Floats, others: Floats) -> Floats:
    """Square inches that boxes share, shape (boxes, others); NaN is a missing box."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    shared: Floats = np.nan_to_num(np.maximum(0.0, high - low).prod(axis=2))
    return shared


def _crossed(lines: Floats, boxes: Floats) -> NDArray[np.bool_]:
    """Whether lines and boxes meet, shape (lines, boxes); NaN is a missing line or box."""
    start, along = lines[:, None, 0], lines[:, None, 1] - lines[:, None, 0]
    # Where along the line, from 0 to 1, it enters and leaves the box's span on each axis. A line parallel to an axis
    # divides by 0: infinity is correct, and 0/0 is a line along an edge of the box, which does not count.
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([(boxes[None, :, :2] - start) / along, (boxes[None, :, 2:] - start) / along])
    enters, leaves = ends.min(axis=0).max(axis=2), ends.max(axis=0).min(axis=2)
    met: NDArray[np.bool_] = np.maximum(enters, 0.0) <= np.minimum(leaves, 1.0)
    return met
