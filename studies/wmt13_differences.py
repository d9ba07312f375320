"""What differs from the published figures of the WMT13 metrics task, and why; rows that are not computed."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy as np
from wmt13_published import SEGMENT_LEVEL, SYSTEM_LEVEL
from wmt13_rows import listed, published_rows, signed, thousandths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmt13_scores import Direction

#: Why a published row has no computed one.
WITHOUT_FIGURES = {
    "DEPREF": "needs `link-grammar`, or another annotator of trees in MTASSAY_TREES",
    "MEANT": "parses all outputs, so it needs a fast annotator of trees in MTASSAY_TREES",
    "UMEANT": "parses all outputs, so it needs a fast annotator of trees in MTASSAY_TREES",
    "SEMPOS": "needs HanTa, and English",
    "TERRORCAT": "needs HanTa, scikit-learn, English, and preferences of WMT12 to learn from",
    "LOGREGFSS": "needs source features and preferences of the same direction to learn from",
    "LOGREGNORM": "needs source features and preferences of the same direction to learn from",
    "LOGREGNORMSOFT": "needs source features and preferences of the same direction to learn from",
    "ACTA": "looks at connectives of the source, see its own section",
    "ACTA5+6": "looks at connectives of the source, see its own section",
}


def differences(directions: list[Direction]) -> list[str]:
    """Every cell that differs in the third digit, with the reason where it is known."""
    by_reason: dict[str, list[str]] = {}
    equal: dict[str, dict[str, list[bool]]] = {"": {}, "guessed": {}, "linguistic": {}}
    for name, direction, kind, known, found, (group, why) in _cells(directions):
        equal[group].setdefault(kind, []).append(thousandths(found, known) == 0)
        if thousandths(found, known):
            by_reason.setdefault(why, []).append(f"{name} {direction} {kind} {signed(found, known)}")
    sure, tried, other = (
        listed([f"{sum(cells)} of {len(cells)} cells of {kind}" for kind, cells in of_group.items()])
        if of_group
        else "none"
        for of_group in equal.values()
    )
    reasons = [f"- {', '.join(found)}. {why or 'No reason is known.'}" for why, found in by_reason.items()]
    return [
        f"To three digits as published: {sure}. Not counted in are LEPOR and NLEPOR, whose weights in the task are not "
        f"known (with LEPOR in three ways: {tried}), and metrics whose analyses by their authors cannot be had "
        f"({other}).{_illegible(directions)} What differs:",
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
    return f" The published ± of {listed(found)} cannot be read in the copy at hand and is left blank." if found else ""


def _cells(directions: list[Direction]) -> Iterator[tuple[str, str, str, float, float, tuple[str, str]]]:
    """Row, direction, kind, published and computed value of cells that have both; group, and why they would differ."""
    by_name = {d.name: d for d in directions}
    for table in (*SYSTEM_LEVEL, *SEGMENT_LEVEL):
        for direction in [by_name[name] for name in table.directions if name in by_name]:
            for name, number, (known, plus) in published_rows(table, direction):
                if number is None:
                    continue
                group, why = direction.recipes[number].group, direction.recipes[number].why
                if table in SEGMENT_LEVEL:
                    yield name, direction.name, "τ", known, float(direction.tau[number]), (group, why)
                    continue
                yield name, direction.name, "ρ", known, float(direction.rho[number]), (group, why)
                halves = direction.half[number]
                if not isnan(plus):
                    inside = round(halves.min(), 3) <= plus <= round(halves.max(), 3)
                    chance = "The published ± is among those of other seeds." if inside else why
                    yield name, direction.name, "±", plus, float(np.median(halves)), (group, chance)


def without_figures(directions: list[Direction]) -> list[str]:
    """The rows without computed figures, and why; nothing where all have some."""
    found: dict[str, None] = {}
    for table in (*SYSTEM_LEVEL, *SEGMENT_LEVEL):
        for direction in [d for d in directions if d.name in table.directions]:
            found |= {name: None for name, number, _ in published_rows(table, direction) if number is None}
    lines = [f"- {name}: {_reason(name)}." for name in found]
    return ["## Rows without computed figures", "\n".join(lines)] if lines else []


def _reason(name: str) -> str:
    return WITHOUT_FIGURES.get(name) or WITHOUT_FIGURES[name.partition("-")[0]]
