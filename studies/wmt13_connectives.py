"""ACT on WMT13 English-French: the metric's own column, beside the original program's."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import kendalltau, spearmanr
from tables import markdown, shown
from wmt13_published import SYSTEM_LEVEL

import mtassay

if TYPE_CHECKING:
    from mtassay.types import Floats

DIRECTION = "en-fr"
_CASES = [f"C{case}" for case in range(1, 7)]
#: What the original program printed.
_RECORDED = Path(__file__).resolve().parent.parent / "tests" / "expected" / "act.tsv.gz"


def connectives(data: Path) -> list[str]:
    """The section about ACTA and ACTA5+6; nothing where the direction is not among the data."""
    folder = data / "wmt13" / DIRECTION
    if not folder.is_dir():
        return []
    testset = mtassay.load(folder)
    scored = mtassay.score(testset, metrics=["act:lang=fr", "act:lang=fr,exclude=5+6"])
    table = scored.tables[0]
    cases = np.stack([table.metric.components(table.totals())[name] for name in _CASES], axis=-1)
    names = list(testset.systems)
    original = _original(names)
    published = SYSTEM_LEVEL[1].cell("ACTA", DIRECTION)
    order = np.argsort(-scored.scores[:, 0], kind="stable")
    rows = [
        (
            names[i],
            *(f"{count:.0f}" for count in cases[i]),
            *map(shown, scored.scores[i]),
            shown(original[i, :2].sum() / original[i].sum()),
        )
        for i in order
    ]
    header = ("system", *map(str.lower, _CASES), "ACTA", "ACTA5+6", "ACTA of the original")
    return [
        f"## Table 3: ACTA and ACTA5+6, {DIRECTION}",
        f"Published are ρ = {shown(published[0])} ± {shown(published[1])} for {DIRECTION} and ρ = "
        f"{shown(SYSTEM_LEVEL[1].cell('ACTA', 'en-de')[0])} for en-de, the same for both scores, which rank systems "
        "alike. Judgements of these directions, and outputs of en-de, are not among the data, so ρ is not computed; "
        f"here is the column of the metric that ρ is of, for all {len(names)} outputs. Every output has the "
        f"{cases[0].sum():.0f} connectives of the source.",
        _beside(cases, original),
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


def _original(names: list[str]) -> Floats:
    """Cases of the original by system."""
    with gzip.open(_RECORDED, "rt", encoding="utf-8", newline="") as file:
        rows = {row["system"]: row for row in csv.DictReader(file, delimiter="\t")}
    return np.array([[float(rows[name][case.lower()]) for case in _CASES] for name in names])
