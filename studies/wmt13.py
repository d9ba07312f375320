"""The WMT13 metrics task: Tables 2 to 5 of Macháček & Bojar 2013 beside what the toolkit gives (``wmt13_scores``)."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING

import numpy as np
from wmt13_connectives import connectives
from wmt13_differences import differences, without_figures
from wmt13_linguistic import left_out
from wmt13_published import SEGMENT_LEVEL, SYSTEM_LEVEL, Published
from wmt13_rows import base_name, listed, published_rows, row_name, shown, signed, sparse_table
from wmt13_scores import LEVEL, RECIPES, Direction, compute, folders, half
from wmt13_trees import segment_rules, trees

from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from wmt13_recipes import Recipe


def run(data: Path) -> str:
    """The page."""
    directions = [compute(folder) for folder in folders(data)]
    if not directions:
        raise InputError(f"{data / 'wmt13'} has no direction with references, system outputs and judgements")
    return page(directions, [*segment_rules(directions), *trees(data), *connectives(data)])


def page(directions: list[Direction], more: Sequence[str] = ()) -> str:
    """The page for directions that were computed, with more sections."""
    parts = [
        "# WMT13 metrics task",
        "Macháček and Bojar 2013, *Results of the WMT13 metrics shared task*, "
        f"{_tables_at_hand(directions)}, computed anew for the directions of the data: "
        f"{listed([d.name for d in directions])}. A difference is computed − published, both rounded to three digits.",
        "## Recipes",
        _recipes(directions),
        *left_out(),
        _rules(directions[0]),
    ]
    for table in SYSTEM_LEVEL:
        parts += _level(table, directions, _system_table, _system_averages)
    for table in SEGMENT_LEVEL:
        parts += _level(table, directions, _segment_table, _segment_averages)
    return "\n\n".join([*parts, *more, "## What differs", *differences(directions), *without_figures(directions)])


def _tables_at_hand(directions: list[Direction]) -> str:
    here = {d.name for d in directions}
    numbers = [str(of.number) for of in (*SYSTEM_LEVEL, *SEGMENT_LEVEL) if here & set(of.directions)]
    return f"Table{'s' if len(numbers) > 1 else ''} {listed(numbers)}"


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
    for recipe in [r for r in RECIPES if any(r in d.recipes for d in directions)]:
        specs = dict.fromkeys(f"`{recipe.metric(target)}`" for target in targets)
        text = "as it is" if recipe.text == "raw" else "LaTeX-style quotes made plain, Moses tokenizer, lower case"
        names = recipe.row if recipe.segment_row in ("", recipe.base) else f"{recipe.row}, {recipe.segment_row}"
        rounded = "no" if recipe.digits is None else f"{recipe.digits} digits"
        rows.append((names, ", ".join(specs), text, rounded))
    return sparse_table(("row", "specification", "text", "system score rounded"), rows, n_labels=4)


def _system_table(table: Published, direction: Direction) -> list[str]:
    rows = []
    for name, number, (rho, plus) in published_rows(table, direction):
        if number is None:
            rows.append((name, shown(rho), "", "", shown(plus), *[""] * 6))
            continue
        found, halves = float(direction.rho[number]), direction.half[number]
        middle = float(np.median(halves))
        of_rho = (shown(rho), shown(found), signed(found, rho))
        spread = f"{shown(halves.min())}–{shown(halves.max())}"
        of_plus = (shown(plus), shown(middle), signed(middle, plus), spread)
        rows.append((name, *of_rho, *of_plus, *map(shown, direction.others[number])))
    step = 12 / (direction.n_systems**3 - direction.n_systems)
    header = ("metric", "ρ published", "computed", "difference", "± published", "computed", "difference", "seeds")
    return [
        f"### {direction.name}",
        f"{direction.n_systems} systems (the paper's table says {table.considered[direction.name]}). Judgements drawn: "
        f"{direction.screens}. With so many systems ρ moves in steps of {shown(step, 4)}.",
        sparse_table((*header, "Pearson", "clusters", "fuzzy ranks"), rows),
    ]


def _segment_table(table: Published, direction: Direction) -> list[str]:
    rows = []
    for name, number, (tau, _) in published_rows(table, direction):
        if number is None:
            rows.append((name, shown(tau), *[""] * 4))
        else:
            found, of_all = float(direction.tau[number]), float(direction.tau_of_all[number])
            share = f"{direction.ties[number]:.1%}"
            rows.append((name, shown(tau), shown(found), signed(found, tau), share, shown(of_all)))
    return [
        f"### {direction.name}",
        f"{direction.n_pairs:,} strict preferences (published: {table.considered[direction.name]:,}). τ is the variant "
        "of WMT13, which leaves out pairs that the metric ties; beside it the share of these pairs, and τ over all "
        "pairs (the variant of WMT14).",
        sparse_table(("metric", "τ published", "computed", "difference", "ties", "τ of all pairs"), rows),
    ]


def _system_averages(table: Published, directions: list[Direction], missing: list[str]) -> list[str]:
    computed = []
    for metric, recipe, numbers in _computed(table, directions):
        of_directions = list(zip(directions, numbers, strict=True))
        plus = np.median(half(np.mean([d.drawn[number] for d, number in of_directions], axis=0)))
        means = (np.mean([d.rho[number] for d, number in of_directions]), plus)
        others = np.mean([d.others[number] for d, number in of_directions], axis=0)
        averages = table.averages(metric)
        known = [nan] * 5 if missing else [*averages[0], *(value for value, _ in averages[1:])]
        if missing:
            known[0] = float(np.mean([table.cell(metric, d.name)[0] for d in directions]))
        computed.append((recipe.row, known, means, others))
    rows, lowest = [], np.full(3, np.inf)
    for name, known, means, others in sorted(computed, key=lambda row: -row[2][0]):
        marks = ["", "", *("≀ " if value > least else "" for value, least in zip(others, lowest, strict=True))]
        lowest = np.minimum(lowest, others)
        found = [mark + shown(value, 4) for mark, value in zip(marks, (*means, *others), strict=True)]
        rows.append((name, *(cell for pair in zip((shown(k, 4) for k in known), found, strict=True) for cell in pair)))
    names = ("ρ", "±", "Pearson", "clusters", "fuzzy ranks")
    header = ("metric", *(f"{name} {what}" for name in names for what in ("published", "computed")))
    return ["### Averages", _about_averages(missing), sparse_table(header, rows)]


def _computed(table: Published, directions: list[Direction]) -> Iterator[tuple[str, Recipe, list[int]]]:
    """Metric, recipe and its row in each direction, of all that have figures everywhere, in the order of the table."""
    for metric in table.rows:
        if any(isnan(table.cell(metric, d.name)[0]) for d in directions):
            continue
        for recipe in RECIPES:
            if metric == base_name(recipe, table) and all(recipe in d.recipes for d in directions):
                yield metric, recipe, [d.recipes.index(recipe) for d in directions]


def _about_averages(missing: list[str]) -> str:
    text = "Sorted by computed ρ; ≀ marks where another average is higher than that of a row above."
    if not missing:
        return text
    return (
        f"{text} {listed(missing)} {'is' if len(missing) == 1 else 'are'} not among the data: published ρ is the "
        "mean of the published cells of the same directions, and the other published averages, which are over all "
        "five, are left out."
    )


def _segment_averages(table: Published, directions: list[Direction], missing: list[str]) -> list[str]:
    computed = []
    for metric, recipe, numbers in _computed(table, directions):
        cells = [table.cell(metric, d.name)[0] for d in directions]
        known = float(np.mean(cells)) if missing else table.averages(metric)[0][0]
        found = [d.tau[number] for d, number in zip(directions, numbers, strict=True)]
        computed.append((row_name(recipe, table), known, float(np.mean(found))))
    rows = [(name, shown(k, 4), shown(f, 4)) for name, k, f in sorted(computed, key=lambda row: -row[2])]
    what = "Published and computed over the directions of the data." if missing else "Over all five directions."
    return ["### Averages", what, sparse_table(("metric", "τ published", "τ computed"), rows)]
