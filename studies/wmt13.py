"""The WMT13 metrics task: Tables 2 to 5 of Macháček & Bojar 2013 beside what the toolkit gives (``wmt13_scores``)."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING

import numpy as np
from wmt13_published import SEGMENT_LEVEL, SYSTEM_LEVEL, Published
from wmt13_scores import LEVEL, RECIPES, Direction, Recipe, compute, folders, half

from mtassay.errors import InputError
from mtassay.report.document import Cell, Table
from mtassay.report.render.markdown import table_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

#: Why a published row has no computed one.
WITHOUT_CODE = {
    "DEPREF": "needs dependency parses of the references and the participants' matcher",
    "MEANT": "needs semantic role labels and the participants' lexical similarities",
    "UMEANT": "needs semantic role labels and the participants' lexical similarities",
    "SEMPOS": "needs a tectogrammatical analysis",
    "TERRORCAT": "a classifier trained by its authors",
    "LOGREGFSS": "a regression trained by its authors",
    "LOGREGNORM": "a regression trained by its authors",
    "LOGREGNORMSOFT": "a regression trained by its authors",
    "ACTA": "counts discourse connectives with its authors' dictionaries",
    "ACTA5+6": "counts discourse connectives with its authors' dictionaries",
}
#: Rows of metrics whose weights in the task are not known: what agrees there may do so by chance.
GUESSED = ("LEPOR", "NLEPOR")


def run(data: Path) -> str:
    """The page."""
    directions = [compute(folder) for folder in folders(data)]
    if not directions:
        raise InputError(f"{data / 'wmt13'} has no direction with references, system outputs and judgements")
    return page(directions)


def page(directions: list[Direction]) -> str:
    """The page for directions that were computed."""
    parts = [
        "# WMT13 metrics task",
        "Macháček and Bojar 2013, *Results of the WMT13 metrics shared task*, "
        f"{_tables_at_hand(directions)}, computed anew for the directions at hand: "
        f"{_listed([d.name for d in directions])}. A difference is computed − published, both rounded to three digits.",
        "## Recipes",
        _recipes(directions),
        _rules(directions[0]),
    ]
    for table in SYSTEM_LEVEL:
        parts += _level(table, directions, _system_table, _system_averages)
    for table in SEGMENT_LEVEL:
        parts += _level(table, directions, _segment_table, _segment_averages)
    parts += [
        "## What differs",
        *_differences(directions),
        "## Rows without computed figures",
        _without_code(directions),
    ]
    return "\n\n".join(parts)


def _tables_at_hand(directions: list[Direction]) -> str:
    here = {d.name for d in directions}
    numbers = [str(of.number) for of in (*SYSTEM_LEVEL, *SEGMENT_LEVEL) if here & set(of.directions)]
    return f"Table{'s' if len(numbers) > 1 else ''} {_listed(numbers)}"


def _rules(direction: Direction) -> str:
    _, n_seeds, n_resamples = direction.drawn.shape
    return (
        "Scores of mteval and of Moses' scorer count with four digits (BLEU and TER, which go to 100 here, with two); "
        "those of participants are not rounded. Equal scores have their average rank. LEPOR is tried in three ways, "
        "because it is not known with which weights its authors took part.\n\n"
        "Human score: wins / (wins + losses) over all strict preferences. ±: half of the interval that holds "
        f"{1 - LEVEL:.0%} of {n_resamples} values of ρ, whole screens (five-way rankings) drawn with replacement; the "
        f"median of {n_seeds} seeds, and the least and the largest. Clusters and fuzzy ranks come from resamples of "
        "the first seed; their columns are Pearson correlations with cluster numbers and fuzzy ranks, turned so that "
        "higher is better."
    )


def _level(
    table: Published,
    directions: list[Direction],
    one: Callable[[Published, Direction], list[str]],
    averages: Callable[[Published, list[Direction], list[str]], list[str]],
) -> list[str]:
    here = [d for d in directions if d.name in table.directions]
    if not here:
        return []
    level = "system" if table in SYSTEM_LEVEL else "segment"
    parts = [f"## Table {table.number}: {level} level, {'into' if here[0].name.endswith('-en') else 'out of'} English"]
    for direction in here:
        parts += one(table, direction)
    missing = [name for name in table.directions if name not in {d.name for d in here}]
    return [*parts, *averages(table, here, missing)]


def _recipes(directions: list[Direction]) -> str:
    targets = sorted({d.name.partition("-")[2] for d in directions})
    rows = []
    for recipe in RECIPES:
        specs = dict.fromkeys(f"`{recipe.metric(target)}`" for target in targets)
        text = "as it is" if recipe.text == "raw" else "LaTeX-style quotes made plain, Moses tokenizer, lower case"
        names = recipe.row if recipe.segment_row in ("", recipe.base) else f"{recipe.row}, {recipe.segment_row}"
        rounded = "no" if recipe.digits is None else f"{recipe.digits} digits"
        rows.append((names, ", ".join(specs), text, rounded))
    return _table(("row", "specification", "text", "system score rounded"), rows, n_labels=4)


def _rows(table: Published, direction: str) -> Iterator[tuple[str, int | None, tuple[float, float]]]:
    """Name, number of the recipe and published cell; metrics that took no part are left out."""
    for metric in table.rows:
        published = table.cell(metric, direction)
        if isnan(published[0]):
            continue
        numbers = [number for name, number in _computed(table) if name == metric]
        for number in numbers:
            yield _name(RECIPES[number], table), number, published
        if not numbers:
            yield metric, None, published


def _base(recipe: Recipe, table: Published) -> str:
    return recipe.base if table in SYSTEM_LEVEL else recipe.segment_row


def _name(recipe: Recipe, table: Published) -> str:
    return recipe.row.replace(recipe.base, _base(recipe, table))


def _system_table(table: Published, direction: Direction) -> list[str]:
    rows = []
    for name, number, (rho, plus) in _rows(table, direction.name):
        if number is None:
            rows.append((name, _shown(rho), "", "", _shown(plus), *[""] * 6))
            continue
        found, halves = float(direction.rho[number]), direction.half[number]
        middle = float(np.median(halves))
        of_rho = (_shown(rho), _shown(found), _signed(found, rho))
        spread = f"{_shown(halves.min())}–{_shown(halves.max())}"
        of_plus = (_shown(plus), _shown(middle), _signed(middle, plus), spread)
        rows.append((name, *of_rho, *of_plus, *map(_shown, direction.others[number])))
    step = 12 / (direction.n_systems**3 - direction.n_systems)
    header = ("metric", "ρ published", "computed", "difference", "± published", "computed", "difference", "seeds")
    return [
        f"### {direction.name}",
        f"{direction.n_systems} systems (the paper's table says {table.considered[direction.name]}). Judgements drawn: "
        f"{direction.screens}. With so many systems ρ moves in steps of {_shown(step, 4)}.",
        _table((*header, "Pearson", "clusters", "fuzzy ranks"), rows),
    ]


def _segment_table(table: Published, direction: Direction) -> list[str]:
    rows = []
    for name, number, (tau, _) in _rows(table, direction.name):
        if number is None:
            rows.append((name, _shown(tau), "", "", ""))
        else:
            found = float(direction.tau[number])
            share = f"{direction.ties[number]:.1%}"
            rows.append((name, _shown(tau), _shown(found), _signed(found, tau), share))
    return [
        f"### {direction.name}",
        f"{direction.n_pairs:,} strict preferences (published: {table.considered[direction.name]:,}). τ is the variant "
        "of WMT13, which leaves out pairs that the metric ties; their share is in the last column.",
        _table(("metric", "τ published", "computed", "difference", "ties"), rows),
    ]


def _system_averages(table: Published, directions: list[Direction], missing: list[str]) -> list[str]:
    computed = []
    for metric, number in _computed(table):
        plus = np.median(half(np.mean([d.drawn[number] for d in directions], axis=0)))
        means = (np.mean([d.rho[number] for d in directions]), plus)
        others = np.mean([d.others[number] for d in directions], axis=0)
        averages = table.averages(metric)
        known = [nan] * 5 if missing else [*averages[0], *(value for value, _ in averages[1:])]
        if missing:
            known[0] = float(np.mean([table.cell(metric, d.name)[0] for d in directions]))
        computed.append((RECIPES[number].row, known, means, others))
    rows, lowest = [], np.full(3, np.inf)
    for name, known, means, others in sorted(computed, key=lambda row: -row[2][0]):
        marks = ["", "", *("≀ " if value > least else "" for value, least in zip(others, lowest, strict=True))]
        lowest = np.minimum(lowest, others)
        found = [mark + _shown(value, 4) for mark, value in zip(marks, (*means, *others), strict=True)]
        rows.append((name, *(cell for pair in zip((_shown(k, 4) for k in known), found, strict=True) for cell in pair)))
    names = ("ρ", "±", "Pearson", "clusters", "fuzzy ranks")
    header = ("metric", *(f"{name} {what}" for name in names for what in ("published", "computed")))
    return ["### Averages", _about_averages(missing), _table(header, rows)]


def _computed(table: Published) -> list[tuple[str, int]]:
    """Metric and number of every recipe that has a row, in the order of the table."""
    return [(m, number) for m in table.rows for number, recipe in enumerate(RECIPES) if m == _base(recipe, table)]


def _about_averages(missing: list[str]) -> str:
    text = "Sorted by computed ρ; ≀ marks where another average is higher than that of a row above."
    if not missing:
        return text
    return (
        f"{text} {_listed(missing)} {'is' if len(missing) == 1 else 'are'} not at hand: published ρ is the mean of the "
        "published cells of the same directions, and the other published averages, which are over all five, are left "
        "out."
    )


def _segment_averages(table: Published, directions: list[Direction], missing: list[str]) -> list[str]:
    computed = []
    for metric, number in _computed(table):
        cells = [table.cell(metric, d.name)[0] for d in directions]
        known = float(np.mean(cells)) if missing else table.averages(metric)[0][0]
        computed.append((_name(RECIPES[number], table), known, float(np.mean([d.tau[number] for d in directions]))))
    rows = [(name, _shown(k, 4), _shown(f, 4)) for name, k, f in sorted(computed, key=lambda row: -row[2])]
    what = "Published and computed over the directions at hand." if missing else "Over all five directions."
    return ["### Averages", what, _table(("metric", "τ published", "τ computed"), rows)]


def _differences(directions: list[Direction]) -> list[str]:
    """Every cell that differs in the third digit, with the reason where it is known."""
    by_reason: dict[str, list[str]] = {}
    equal: dict[bool, dict[str, list[bool]]] = {True: {}, False: {}}
    for name, direction, kind, known, found, why in _cells(directions):
        guessed = name.partition(" ")[0] in GUESSED
        equal[guessed].setdefault(kind, []).append(_off(found, known) == 0)
        if _off(found, known):
            by_reason.setdefault(why, []).append(f"{name} {direction} {kind} {_signed(found, known)}")
    sure, tried = (
        _listed([f"{sum(cells)} of {len(cells)} cells of {kind}" for kind, cells in equal[guessed].items()])
        for guessed in (False, True)
    )
    reasons = [f"- {', '.join(found)}. {why or 'No reason is known.'}" for why, found in by_reason.items()]
    return [
        f"To three digits as published: {sure}. {_listed(list(GUESSED))}, whose weights in the task are not known, are "
        f"not counted in; in their rows, with LEPOR in three ways, it is {tried}.{_illegible(directions)} "
        "What differs:",
        "\n".join(reasons),
    ]


def _illegible(directions: list[Direction]) -> str:
    """Published ± that are left blank."""
    here = {d.name for d in directions}
    found = [
        f"{metric} {direction}"
        for table in SYSTEM_LEVEL
        for direction in table.directions
        if direction in here
        for metric in table.rows
        if not isnan(table.cell(metric, direction)[0]) and isnan(table.cell(metric, direction)[1])
    ]
    return (
        f" The published ± of {_listed(found)} cannot be read in the copy at hand and is left blank." if found else ""
    )


def _cells(directions: list[Direction]) -> Iterator[tuple[str, str, str, float, float, str]]:
    """Row, direction, kind, published and computed value of every cell that has both, and why they would differ."""
    by_name = {d.name: d for d in directions}
    for table in (*SYSTEM_LEVEL, *SEGMENT_LEVEL):
        for direction in [by_name[name] for name in table.directions if name in by_name]:
            for name, number, (known, plus) in _rows(table, direction.name):
                if number is None:
                    continue
                why = RECIPES[number].why
                if table in SEGMENT_LEVEL:
                    yield name, direction.name, "τ", known, float(direction.tau[number]), why
                    continue
                yield name, direction.name, "ρ", known, float(direction.rho[number]), why
                halves = direction.half[number]
                if not isnan(plus):
                    inside = round(halves.min(), 3) <= plus <= round(halves.max(), 3)
                    chance = "The published ± is among those of other seeds." if inside else why
                    yield name, direction.name, "±", plus, float(np.median(halves)), chance


def _without_code(directions: list[Direction]) -> str:
    here = {d.name for d in directions}
    found: dict[str, None] = {}
    for table in (*SYSTEM_LEVEL, *SEGMENT_LEVEL):
        for direction in table.directions:
            if direction in here:
                found |= {name: None for name, number, _ in _rows(table, direction) if number is None}
    lines = [f"- {name}: {WITHOUT_CODE.get(name, WITHOUT_CODE.get(name.partition('-')[0], ''))}." for name in found]
    return "\n".join(["Programs of participants that are not part of this toolkit:", "", *lines])


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]], n_labels: int = 1) -> str:
    """A table without the columns that nothing is in."""
    used = [column for column in range(len(header)) if any(row[column] for row in rows)]
    cells = tuple(tuple(Cell(row[column]) for column in used) for row in rows)
    return table_text(Table(tuple(header[column] for column in used), cells, n_labels=n_labels))


def _shown(value: float, digits: int = 3) -> str:
    """Without the zero before the point, as in the paper; empty if there is no value."""
    return "" if isnan(value) else f"{value:.{digits}f}".replace("0.", ".", 1)


def _off(found: float, known: float) -> int:
    """Difference of rounded values in thousandths."""
    return round(1000 * round(found, 3)) - round(1000 * known)


def _signed(found: float, known: float) -> str:
    if isnan(known):
        return ""
    return f"{_off(found, known) / 1000:+.3f}".replace("0.", ".", 1) if _off(found, known) else "0"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
