"""The document level of Song et al. 2013: Table 6, and the human side of the three tasks of WMT08."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bleu_family as family
import numpy as np
from tables import markdown, shown

from mtassay.data import load_judgements
from mtassay.judging.wins import win_ratio
from mtassay.report.document import Cell
from mtassay.stats.correlations import correlation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bleu_family import Family, Floats

    from mtassay.data.judgements import Preferences

TASKS = ("rank", "constituent", "acceptability")
TABLE_6_CODES = ("PGBC4", "RGBC4", "PABC4", "PGB4", "RAC4", "PGBC2")
TABLE_6 = {
    "es-en": (0.7995, 0.8111, 0.7995, 0.7995, 0.8135, 0.7925),
    "fr-en": (0.9501, 0.9267, 0.9443, 0.9501, 0.9414, 0.9428),
    "de-en": (0.5939, 0.5818, 0.5939, 0.5939, 0.5939, 0.5939),
    "en-es": (0.7757, 0.7545, 0.8060, 0.7757, 0.7545, 0.8060),
    "en-fr": (0.9388, 0.9388, 0.9388, 0.9388, 0.9388, 0.9388),
    "en-de": (0.7151, 0.7151, 0.7212, 0.7151, 0.7151, 0.7212),
    "mean": (0.7955, 0.7881, 0.8006, 0.7955, 0.7928, 0.7992),
}


def rho(preferences: Preferences, scored: Family) -> Floats:
    """Spearman's ρ of every code's system scores with people's, shape (codes,)."""
    scores = np.round(scored.scores, family.DIGITS)
    return correlation(win_ratio(*preferences.counts()), scores, kind="spearman")


def document_level(found: dict[str, Floats]) -> str:
    """Table 6, from ρ of every code by name of the data."""
    mean = dict(zip(family.CODES, np.mean(list(found.values()), axis=0).tolist(), strict=True))
    chosen = [family.CODES.index(code) for code in TABLE_6_CODES]
    here = [mean[code] for code in TABLE_6_CODES]
    published = dict(zip(TABLE_6_CODES, TABLE_6["mean"], strict=True))
    rows = [_row(name, of_data[chosen].tolist()) for name, of_data in found.items()]
    rows.append(_row("mean, here", here))
    rows += [_row(f"WMT08 {lp}, published", values) for lp, values in TABLE_6.items()]
    table = markdown(["", *(f"`{code}`" for code in TABLE_6_CODES)], rows)
    distinct = [code for code in family.CODES if "^" not in code]
    best = max(distinct, key=lambda code: mean[code])
    above = sum(mean[code] > mean["PGBC4"] for code in distinct)
    clipped, unclipped = (family.CODES.index(code) for code in ("PGBC4", "PGB4"))
    clipping = max(abs(float(of_data[clipped] - of_data[unclipped])) for of_data in found.values())
    return f"""\
## Table 6: document level

Spearman's ρ of the scores of whole systems with wins / (wins + losses), all strict preferences. The published values \
are means over the three tasks of WMT08, on other systems. The best of a row is bold.

{table}

The six codes' means lie within {shown(max(here) - min(here), 4)} of each other here, within \
{shown(max(published.values()) - min(published.values()), 4)} in the paper. The best is {_best(mean)} here, \
{_best(published)} in the paper. `RAC4` is {_than(mean["RAC4"], mean["PGBC4"])} `PGBC4` here, and \
{_than(published["RAC4"], published["PGBC4"])} it in the paper. Clipping, `PGBC4` against `PGB4`, changes ρ by \
{shown(clipping, 4)} at most. Of all {len(distinct)} codes (marks change segment scores only) {above} have a higher \
mean than `PGBC4`; the highest is `{best}`, {shown(mean[best], 4)}."""


def _row(label: str, values: Sequence[float]) -> list[str | Cell]:
    return [label, *(Cell(shown(value, 4), best=value == max(values)) for value in values)]


def _best(mean: dict[str, float]) -> str:
    highest = max(mean[code] for code in TABLE_6_CODES)
    return " and ".join(f"`{code}`" for code in TABLE_6_CODES if mean[code] == highest)


def _than(one: float, other: float) -> str:
    return "better than" if one > other else "worse than" if one < other else "as good as"


def tasks(data: Path) -> str:
    """How far the three tasks agree, and what that leaves for a metric to attain."""
    path = data / "wmt07-11" / "wmt08-human-judgments.csv"
    if not path.exists():
        return f"## The three tasks of WMT08, judgement side\n\nThere are no judgements of WMT08 here ({path.name})."
    rows, gains = [], {}
    for lp in list(TABLE_6)[:-1]:
        scores, sizes = _task_scores(path, lp)
        between = correlation(scores[:, None], scores[None], kind="spearman")
        attainable = _attainable(scores)
        gains[lp] = attainable - max(TABLE_6[lp])
        pairs = [shown(between[x, y], 4) for x, y in ((0, 1), (0, 2), (1, 2))]
        ends = (shown(attainable, 4), shown(max(TABLE_6[lp]), 4))
        rows.append((lp, str(scores.shape[1]), *(f"{size:,}" for size in sizes), *pairs, *ends))
    header = ("", "systems", *TASKS, "ρ rank–const.", "ρ rank–acc.", "ρ const.–acc.", "attainable", "best published")
    least, *_, most = sorted(gains, key=lambda lp: gains[lp])
    return f"""\
## The three tasks of WMT08, judgement side

The outputs of test2008 are not among the data, but its judgements are: rankings of segments, rankings of \
constituents, and yes/no acceptability of constituents. Scores of systems are wins / (wins + losses), and the share of \
yes; ρ is between the tasks. *Attainable* is the highest mean ρ over the three tasks that any order of the systems \
has: no metric can pass it on these systems (the paper does not say which systems it had). Columns of tasks count \
judged outputs; systems are those judged in all three.

{markdown(header, rows)}

The best published metric is nearest to what is attainable in {least} (by {shown(gains[least], 4)}) and farthest in \
{most} (by {shown(gains[most], 4)})."""


def _task_scores(path: Path, lp: str) -> tuple[Floats, list[int]]:
    """Scores of the systems judged in all three tasks, shape (tasks, systems); and how many outputs were judged."""
    by_task, sizes = [], []
    for task in TASKS:
        read = load_judgements(path, lp=lp, task=task, domain="Europarl")
        if task == "acceptability":
            n = np.bincount(read.system, minlength=len(read.systems))
            values = np.bincount(read.system, read.score, len(read.systems)) / n
        else:
            values = win_ratio(*read.preferences().counts())
        by_task.append(dict(zip(read.systems, values.tolist(), strict=True)))
        sizes.append(len(read))
    names = [name for name in by_task[0] if all(name in scores for scores in by_task)]
    return np.array([[scores[name] for name in names] for scores in by_task]), sizes


def _attainable(scores: Floats) -> float:
    """The highest mean ρ with several scores (scores, systems): that of the order of mean standardised ranks."""
    from scipy.stats import rankdata

    ranks = rankdata(scores, axis=1)
    standard = (ranks - ranks.mean(axis=1, keepdims=True)) / ranks.std(axis=1, keepdims=True)
    order = np.argsort(np.argsort(standard.mean(axis=0), kind="stable"))
    return float(correlation(scores, order[None], kind="spearman").mean())
