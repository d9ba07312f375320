"""A set of systems of the study ``graham``, and what is counted and tested on it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mtassay.report.wording import headings
from mtassay.verbs.conclusions import USUAL

if TYPE_CHECKING:
    from mtassay.judging.pairwise_tests import HumanTests
    from mtassay.types import Floats
    from mtassay.verbs.conclusions import ConclusionTable


@dataclass(frozen=True, eq=False)
class Part:
    """One set of systems.

    Attributes:
        name: of the direction.
        heading: of the section.
        about: what people were asked, and which reference there is.
        table: what was found.
        published: the paper's figures for the same outputs, if any.
        by_segment: the human conclusions if all their judgements of a pair on a segment are exchanged at once.
    """

    name: str
    heading: str
    about: str
    table: ConclusionTable
    published: dict[float, tuple[tuple[int, ...], ...]] | None = None
    by_segment: HumanTests | None = None


def names_of(table: ConclusionTable) -> list[str]:
    return headings(table.metrics, arrows=False)


def level_of(level: float) -> str:
    return f"{level:g}".removeprefix("0")


def p_of(value: float) -> str:
    return f"{value:.{3 if value >= 0.001 else 4}f}".removeprefix("0") if value >= 0.0001 else "< .0001"


def listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def ends_of(values: Floats) -> str:
    ends = dict.fromkeys(f"{end:.0f}" for end in (values.min(), values.max()))
    return " to ".join(ends)


def smallest_p(table: ConclusionTable, n_levels: int | None = None, *, paired: bool = False) -> tuple[float, str]:
    """Of χ² or McNemar's test between metrics, over the first values of α (or all) and the paper's tests, and where."""
    names, found = names_of(table), []
    for place, level in enumerate(table.alphas[:n_levels]):
        for t, test in enumerate(USUAL):
            p = (table.paired_metrics if paired else table.between_metrics)(place, t)[1]
            for m, n in combinations(range(len(names)), 2):
                first, second = (m, n) if table.n_right[place, m, t] >= table.n_right[place, n, t] else (n, m)
                found.append((float(p[m, n]), f"{names[first]} over {names[second]} with {test} at {level_of(level)}"))
    return min(found, key=lambda one: one[0])


def n_compared(table: ConclusionTable) -> int:
    return len(list(combinations(table.metrics, 2))) * len(table.alphas) * len(USUAL)


def smallest_p_of_tests(table: ConclusionTable, tests: tuple[str, ...], *, paired: bool = False) -> float:
    """The smallest p-value of χ² or McNemar's test between two tests under one metric, over all values of α."""
    chosen = [table.tests.index(test) for test in tests]
    cells = [(level, m) for level in range(len(table.alphas)) for m in range(len(table.metrics))]
    compared = table.paired_tests if paired else table.between_tests
    return min(float(compared(level, m)[1][np.ix_(chosen, chosen)].min()) for level, m in cells)


def by_chance(table: ConclusionTable) -> Floats:
    """Accuracy at .05 of conclusions as frequent as those of ar1 that have nothing to do with the pairs, by metric."""
    of_people = (table.human[0] != 0).mean()
    of_tests = (table.tested[0, :, USUAL.index("ar1")] != 0).mean(axis=-1)
    chance: Floats = of_people * of_tests / 2 + (1 - of_people) * (1 - of_tests)
    return chance
