"""ACT on WMT13 English-French: the metric's own column, beside the original program's where its output is at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import kendalltau, spearmanr
from tables import markdown, shown
from wmt13_published import SYSTEM_LEVEL

import mtassay
from mtassay.data.formats.lines import read_lines

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.types import Floats

DIRECTION = "en-fr"
_CASES = [f"C{case}" for case in range(1, 7)]


def connectives(data: Path) -> list[str]:
    """The section about ACTA and ACTA5+6; nothing where the direction is not at hand."""
    folder = data / "wmt13" / DIRECTION
    if not folder.is_dir():
        return []
    testset = mtassay.load(folder)
    scored = mtassay.score(testset, metrics=["act:lang=fr", "act:lang=fr,exclude=5+6"])
    table = scored.tables[0]
    cases = np.stack([table.metric.components(table.totals())[name] for name in _CASES], axis=-1)
    names = list(testset.systems)
    original = _original(data.parent / "oracles" / "linguistic" / "act" / f"wmt13-{DIRECTION}.tsv", names)
    published = SYSTEM_LEVEL[1].cell("ACTA", DIRECTION)
    order = np.argsort(-scored.scores[:, 0], kind="stable")
    rows = [
        (
            names[i],
            *(f"{count:.0f}" for count in cases[i]),
            *map(shown, scored.scores[i]),
            "" if original is None else shown(original[i, :2].sum() / original[i].sum()),
        )
        for i in order
    ]
    header = ("system", *map(str.lower, _CASES), "ACTA", "ACTA5+6", "ACTA of the original")
    return [
        f"## Table 3: ACTA and ACTA5+6, {DIRECTION}",
        f"Published are ρ = {shown(published[0])} ± {shown(published[1])} for {DIRECTION} and ρ = "
        f"{shown(SYSTEM_LEVEL[1].cell('ACTA', 'en-de')[0])} for en-de, the same for both scores, which rank systems "
        "alike. Judgements of these directions, and outputs of en-de, are not at hand, so ρ is not computed; here is "
        f"the column of the metric that ρ is of, for all {len(names)} outputs. Every output has the "
        f"{cases[0].sum():.0f} connectives of the source.",
        *([] if original is None else [_beside(cases, original)]),
        markdown(header, rows),
    ]


def _beside(ours: Floats, original: Floats) -> str:
    """How the two rankings agree, and in which cases the counts differ."""
    mine, theirs = (counts[:, :2].sum(axis=1) for counts in (ours, original))
    differences = ours - original
    cases = ", ".join(
        f"c{case + 1} {differences[:, case].mean():+.1f} ({differences[:, case].min():+.0f} to "
        f"{differences[:, case].max():+.0f})"
        for case in range(len(_CASES))
    )
    return (
        f"The original program, with its own dictionary and without alignments, ranks the {len(ours)} outputs with "
        f"Spearman's ρ = {shown(spearmanr(mine, theirs).statistic)} and Kendall's τ = "
        f"{shown(kendalltau(mine, theirs).statistic)} to ours. Mean difference of the numbers of cases, ours − "
        f"original, with the smallest and the largest: {cases}. The dictionaries differ, "
        "[act.md](../metrics/act.md) says where."
    )


def _original(path: Path, names: list[str]) -> Floats | None:
    """Cases of the original by system; None where its output is not at hand or has other systems."""
    if not path.exists():
        return None
    rows = [line.split("\t") for line in read_lines(path)]
    counts = {row[1].removeprefix(f"newstest2013.{DIRECTION}."): [float(n) for n in row[2:8]] for row in rows}
    return np.array([counts[name] for name in names]) if set(names) <= set(counts) else None
