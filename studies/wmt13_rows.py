"""Rows of the tables of the WMT13 metrics task: their names, published figures, and numbers as the paper shows them."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from wmt13_published import SYSTEM_LEVEL, Published

from mtassay.report.document import Cell, Table
from mtassay.report.render.markdown import table_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wmt13_recipes import Recipe
    from wmt13_scores import Direction


def published_rows(table: Published, direction: Direction) -> Iterator[tuple[str, int | None, tuple[float, float]]]:
    """Name, number of the row in the direction and published cell; metrics that took no part are left out."""
    for metric in table.rows:
        published = table.cell(metric, direction.name)
        if isnan(published[0]):
            continue
        numbers = [number for number, recipe in enumerate(direction.recipes) if base_name(recipe, table) == metric]
        for number in numbers:
            yield row_name(direction.recipes[number], table), number, published
        if not numbers:
            yield metric, None, published


def base_name(recipe: Recipe, table: Published) -> str:
    """The name of its row in a table, without brackets."""
    return recipe.base if table in SYSTEM_LEVEL else recipe.segment_row


def row_name(recipe: Recipe, table: Published) -> str:
    """The name of its row in a table."""
    return recipe.row.replace(recipe.base, base_name(recipe, table))


def sparse_table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]], n_labels: int = 1) -> str:
    """A table without the columns that nothing is in."""
    used = [column for column in range(len(header)) if any(row[column] for row in rows)]
    cells = tuple(tuple(Cell(row[column]) for column in used) for row in rows)
    return table_text(Table(tuple(header[column] for column in used), cells, n_labels=n_labels))


def shown(value: float, digits: int = 3) -> str:
    """Without the zero before the point, as in the paper; empty if there is no value."""
    return "" if isnan(value) else f"{value:.{digits}f}".replace("0.", ".", 1)


def thousandths(found: float, known: float) -> int:
    """Difference of rounded values in thousandths."""
    return round(1000 * round(found, 3)) - round(1000 * known)


def signed(found: float, known: float) -> str:
    """The difference with its sign, of values rounded to three digits; 0 without one."""
    if isnan(known):
        return ""
    return f"{thousandths(found, known) / 1000:+.3f}".replace("0.", ".", 1) if thousandths(found, known) else "0"


def listed(names: list[str]) -> str:
    """Names in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
