"""Comparisons of systems."""

from __future__ import annotations

from functools import partial
from math import isnan
from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.charts.heatmap import heatmap
from mtassay.report.document import (
    Cell,
    Document,
    Graphic,
    Notes,
    Prose,
    Records,
    Sentence,
    Signatures,
    Tab,
    Table,
    table,
)
from mtassay.report.sentences import comparison_sentences
from mtassay.report.wording import (
    INTERVAL_NAMES,
    UNIT_NAMES,
    better_than,
    headings,
    interval,
    letters_of_rows,
    number,
    p_value,
    percent,
    plain,
)

if TYPE_CHECKING:
    from mtassay.report.document import Block
    from mtassay.verbs.compare import CompareResult, Comparison

#: Largest number of pairs named in a note.
_MOST_NAMED = 12
_ADJUSTMENTS = {"holm": "Holm's adjustment", "bh": "Benjamini–Hochberg adjustment"}


def document(
    result: CompareResult,
    *,
    pairs: bool = False,
    width: int | None = None,
    signatures: bool = False,
    guide: bool = True,
) -> Document:
    """A table per metric, best systems first; on request also a table of all pairs.

    Args:
        result: the comparison.
        pairs: add a table of pairs for each metric; records then have a row per pair instead of one per system.
        width: decimals; by default the metric's own in tables, and all in records.
        signatures: show the signatures.
        guide: add the results of the tests in words, and two lines on how to read the tables.
    """
    blocks: list[Block] = [
        metric_tab(result, comparison, pairs=pairs, width=width) for comparison in result.comparisons
    ]
    blocks += reach_notes(result)
    if guide:
        blocks += [Prose("\n".join(comparison_sentences(result))), Notes(_guide(result))]
    if signatures:
        blocks.append(Signatures(tuple(f"{c.metric.label}|{c.signature}" for c in result.comparisons)))
    records = _pair_records if pairs else _system_records
    return Document("comparison of systems", tuple(blocks), lambda: records(result), result.to_dict)


def metric_tab(result: CompareResult, comparison: Comparison, *, pairs: bool, width: int | None = None) -> Tab:
    """What was found under one metric."""
    blocks: list[Block] = [Sentence(headline(result, comparison))]
    if result.baseline is None:
        blocks.append(Graphic(partial(heatmap, result, comparison)))
    blocks.append(_system_table(result, comparison, width))
    if pairs:
        blocks.append(_pair_table(result, comparison, width))
    if note := _adjustment_note(result, comparison):
        blocks.append(Notes((note,)))
    return Tab(comparison.metric.label, tuple(blocks))


def reach_notes(result: CompareResult) -> list[Notes]:
    """A warning if no pair can be significant."""
    too_few = result.out_of_reach()
    if not too_few:
        return []
    advice = ": use more --resamples" if too_few == "resamples" else ""
    return [Notes((f"With so few {too_few} no pair can be significant, however different{advice}.",))]


def headline(result: CompareResult, comparison: Comparison) -> str:
    """One line on what was tested and how."""
    procedure = result.procedure
    of_pairs = [int(comparison.n_units[x, y]) for x, y in result.pairs]
    n_units = max(of_pairs)
    drawn = (
        f"all {procedure.n_resamples(n_units):,} exchanges"
        if procedure.exact(n_units)
        else f"{counted(procedure.resamples, 'resample')}, seed {procedure.seed}"
    )
    parts = [comparison.metric.label, procedure.title, drawn, f"α = {plain(result.alpha)}"]
    if result.unit != "segment":
        parts.append(f"by {UNIT_NAMES[result.unit]}")
    if result.n_runs > 1:
        parts.append(f"{result.n_runs} runs")
    parts.append(counted(len(result.pairs), "pair"))
    if min(of_pairs) < int(comparison.n_units.diagonal().max()):
        fewest = "" if min(of_pairs) == n_units else f"{min(of_pairs)} to "
        parts.append(f"on the {fewest}{counted(n_units, UNIT_NAMES[result.unit])} that both systems have")
    if result.adjust != "none":
        parts.append(_ADJUSTMENTS[result.adjust])
    return ", ".join(parts)


def _guide(result: CompareResult) -> tuple[str, ...]:
    """How to read the table."""
    p = "adjusted p" if result.adjust != "none" else "p"
    tested = () if result.baseline is None else (f"Only the pairs with the baseline {result.baseline} were tested.",)
    return (
        f"better than: the letters of systems that the row is significantly better than ({p} ≤ {plain(result.alpha)});",
        "no letter means that no significant difference was found, not that the systems are equal.",
        *tested,
    )


def _system_table(result: CompareResult, comparison: Comparison, width: int | None) -> Table:
    """A row per system: letter, name, score, interval, and the letters of those it is better than."""
    order, metric = comparison.ranked, comparison.metric
    rows = []
    for letter, s in zip(letters_of_rows(), order, strict=False):
        row: list[str | Cell] = [
            letter,
            result.systems[s],
            number(float(comparison.scores[s]), metric, width=width),
            Cell(interval(comparison.intervals[s], metric, width=width), span=span(comparison, s)),
        ]
        if result.n_runs > 1:
            spread = (comparison.s_sel[s], comparison.s_opt[s])
            row += [number(float(value), metric, width=width or metric.digits + 1) for value in spread]
        rows.append([*row, better_than([other for other in order if comparison.better[s, other]], order)])
    header = ["", "system", *headings([metric]), _interval_heading(result)]
    header += ["s_sel", "s_opt"] if result.n_runs > 1 else []
    return table([*header, "better than"], rows, n_labels=2, n_notes=1)


def _interval_heading(result: CompareResult) -> str:
    kind = "" if result.interval == "percentile" else f"{INTERVAL_NAMES[result.interval]} "
    return f"{percent(1 - result.alpha)} {kind}interval"


def span(comparison: Comparison, system: int) -> tuple[float, float, float] | None:
    """Interval and score of a system, for drawing; None if there is no interval."""
    low, high = comparison.intervals[system].tolist()
    return None if isnan(low) else (low, float(comparison.scores[system]), high)


def _pair_table(result: CompareResult, comparison: Comparison, width: int | None) -> Table:
    """A row per pair: the better system first, difference, interval and p-values."""
    place = {s: position for position, s in enumerate(comparison.ranked)}
    metric = comparison.metric
    ordered = sorted(
        ((int(x), int(y)) if place[int(x)] < place[int(y)] else (int(y), int(x)) for x, y in result.pairs),
        key=lambda pair: (place[pair[0]], place[pair[1]]),
    )
    adjusted = result.adjust != "none"
    rows = [
        [
            result.systems[x],
            result.systems[y],
            number(float(comparison.differences[x, y]), metric, width=width),
            interval(comparison.difference_intervals[x, y], metric, width=width),
            p_value(comparison.p[x, y]),
            *([p_value(comparison.adjusted[x, y])] if adjusted else []),
            "*" if comparison.better[x, y] else "",
        ]
        for x, y in ordered
    ]
    header = ["better", "worse", "difference", _interval_heading(result), "p"]
    header += ["p adjusted"] if adjusted else []
    return table([*header, "significant"], rows, n_labels=2, n_notes=1)


def _adjustment_note(result: CompareResult, comparison: Comparison) -> str:
    """The differences that an adjustment makes insignificant."""
    if result.adjust != "none" or len(result.pairs) < 2:
        return ""
    lost = result.lost_by(comparison, "holm")
    n_found = int(comparison.better.sum())
    if not lost:
        return ""
    letters = dict(zip(comparison.ranked, letters_of_rows(), strict=False))
    named = " ".join(f"{letters[x]}/{letters[y]}" for x, y in lost[:_MOST_NAMED])
    if len(lost) > _MOST_NAMED:
        named += f" and {len(lost) - _MOST_NAMED} more"
    n_kept = n_found - len(lost)
    kept = f"{n_kept:,} of {counted(n_found, 'difference')} {'remains' if 1 in (n_kept, n_found) else 'remain'}"
    return f"Adjusted for {len(result.pairs):,} comparisons (--adjust holm), {kept}; no longer significant: {named}"


def _system_records(result: CompareResult) -> Records:
    """A row per metric and system."""
    rows = [
        (
            of["name"],
            row["system"],
            row["score"],
            *row["interval"],
            row["s_sel"],
            row["s_opt"],
            row["better_than"],
        )
        for of in result.to_dict()["metrics"]
        for row in of["systems"]
    ]
    return Records(("metric", "system", "score", "low", "high", "s_sel", "s_opt", "better_than"), rows)


def _pair_records(result: CompareResult) -> Records:
    """A row per metric and pair."""
    rows = [
        (
            of["name"],
            *row["systems"],
            row["difference"],
            *row["interval"],
            row["p"],
            row["p_adjusted"],
            row["better"],
        )
        for of in result.to_dict()["metrics"]
        for row in of["pairs"]
    ]
    return Records(("metric", "first", "second", "difference", "low", "high", "p", "p_adjusted", "better"), rows)
