"""Judgements from columns of names and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from mtassay.data.judgements import Preferences, Rankings, Scores, numbered
from mtassay.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mtassay.data.formats.judgements.rows import TextTable
    from mtassay.types import Floats, Ints, Labels

Systems = Sequence[str | None]
Cell = TypeVar("Cell")


def by_rows(slots: Sequence[Sequence[Cell]]) -> list[Cell]:
    """Cells of several columns, line by line.

    >>> by_rows([["a", "b"], [1, 2]])
    ['a', 1, 'b', 2]
    """
    return [cell for row in zip(*slots, strict=True) for cell in row]


def rankings(
    table: TextTable,
    *,
    outputs: Sequence[tuple[str, ...]],
    rank: Ints,
    screen: Ints,
    segment: Sequence[str],
    judge: Sequence[str],
) -> Rankings:
    """Rankings from one row per output.

    Args:
        table: the lines, for messages.
        outputs: the systems of each output: several if they are joined, none if it is left out.
        rank: ranks, the best one lowest; 0 is left out.
        screen: the line of the table with each output.
        segment: the segment of each line.
        judge: the judge of each line.
    """
    table.check_known()
    n_systems = np.fromiter(map(len, outputs), np.int64, len(outputs)) * (rank > 0)
    kept = n_systems > 0
    _check_some(table, kept)
    systems, system = numbered(
        [name for output, n in zip(outputs, n_systems.tolist(), strict=True) if n for name in output]
    )
    ranks, lines = np.repeat(rank, n_systems), np.repeat(screen, n_systems)
    _check_once(table, systems, system, lines)
    segments, judges = chosen_names(segment, lines), chosen_names(judge, lines)
    return Rankings(
        systems, segments[0], judges[0], segments[1], judges[1], system=system, rank=ranks, item=_renumbered(lines)[1]
    )


def preferences(
    table: TextTable,
    *,
    first: Systems,
    second: Systems,
    outcome: Ints,
    segment: Sequence[str],
    judge: Sequence[str],
    item: Sequence[str] | None = None,
) -> Preferences:
    """Preferences, one per line; each is its own item unless `item` names items."""
    table.check_known()
    kept = np.flatnonzero(_named(first) & _named(second))
    _check_some(table, kept)
    both = by_rows([first, second])
    names, numbers = numbered([str(cell) for cell in both])
    pairs = numbers.reshape(-1, 2)[kept]
    same = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(same):
        row = int(kept[same[0]])
        raise InputError(f"{table.place(row)}: {first[row]!r} is compared with itself")
    systems, flat = _used(names, pairs.reshape(-1))
    segments, judges = chosen_names(segment, kept), chosen_names(judge, kept)
    items = np.arange(len(kept)) if item is None else chosen_names(item, kept)[1]
    shown = flat.reshape(-1, 2)
    return Preferences(
        systems,
        segments[0],
        judges[0],
        segments[1],
        judges[1],
        first=np.ascontiguousarray(shown[:, 0]),
        second=np.ascontiguousarray(shown[:, 1]),
        outcome=outcome[kept],
        item=items,
    )


def scores(
    table: TextTable,
    *,
    system: Systems,
    score: Floats,
    segment: Sequence[str],
    judge: Sequence[str],
    aspect: str,
    row: Ints | None = None,
    kind: Sequence[str] | None = None,
    hit: Sequence[str] | None = None,
    higher_is_better: bool = True,
) -> Scores:
    """Scores; NaN is left out.

    Args:
        table: the lines, for messages.
        system: names; None is left out.
        score: one per name.
        segment: the segment of each line.
        judge: the judge of each line.
        aspect: what was scored.
        row: the line of the table with each score; in order by default.
        kind: what each line is ("SYSTEM", "REPEAT" …).
        hit: the task (HIT) that each line was scored in.
        higher_is_better: False for error scores.
    """
    table.check_known()
    kept = ~np.isnan(score) & _named(system)
    _check_some(table, kept)
    lines = np.flatnonzero(kept) if row is None else row[kept]
    names, numbers = numbered([cell or "" for cell in system])
    systems, system_ = _used(names, numbers[kept])
    segments, judges = chosen_names(segment, lines), chosen_names(judge, lines)
    item: Labels = np.full(len(lines), "", dtype=np.str_) if kind is None else np.array(kind, dtype=np.str_)[lines]
    return Scores(
        systems,
        segments[0],
        judges[0],
        segments[1],
        judges[1],
        system=system_,
        score=score[kept],
        aspect=aspect,
        item=item,
        higher_is_better=higher_is_better,
        hit=None if hit is None else chosen_names(hit, lines)[1],
    )


def kept_rows(table: TextTable, system: Systems) -> Ints:
    """Rows whose system is not left out; reports systems that the test set does not have."""
    table.check_known()
    kept = np.flatnonzero(_named(system))
    _check_some(table, kept)
    return kept


def _named(cells: Systems) -> NDArray[np.bool_]:
    return np.fromiter((cell is not None for cell in cells), np.bool_, len(cells))


def _check_some(table: TextTable, kept: NDArray[np.generic]) -> None:
    if not len(kept) or (kept.dtype == np.bool_ and not kept.any()):
        raise InputError(f"{table.path} has no judgements: all of them are missing or left out")


def _check_once(table: TextTable, systems: Sequence[str], system: Ints, lines: Ints) -> None:
    """Reject a system that occurs twice on one screen."""
    cells, counts = np.unique(lines * len(systems) + system, return_counts=True)
    twice = cells[counts > 1]
    if len(twice):
        line, number = divmod(int(twice[0]), len(systems))
        raise InputError(f"{table.place(line)}: {systems[number]!r} is ranked twice")


def chosen_names(names: Sequence[str], rows: Ints) -> tuple[tuple[str, ...], Ints]:
    """Distinct names of some rows in order of first appearance, and the number of each row."""
    different, numbers = numbered(names)
    return _used(different, numbers[rows])


def _used(names: Sequence[str], numbers: Ints) -> tuple[tuple[str, ...], Ints]:
    """The names that occur, in order of first appearance, and their new numbers."""
    present, renumbered = _renumbered(numbers)
    return tuple(names[number] for number in present.tolist()), renumbered


def _renumbered(numbers: Ints) -> tuple[Ints, Ints]:
    """The numbers that occur, in order of first appearance, and the place of each number among them."""
    present, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return present[order], place[inverse]
