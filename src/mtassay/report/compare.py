"""Comparisons of systems as tables and JSON."""

from __future__ import annotations

import json
from functools import partial
from itertools import count, groupby, product
from string import ascii_lowercase
from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.scores import number
from mtassay.report.tables import Cell, Table, names_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mtassay.ranking.all_tests import AllTests
    from mtassay.resampling.compare import CompareResult, Comparison

#: That many pairs are named in a note.
_MOST_NAMED = 12
#: Names of units in sentences.
_UNITS = {"segment": "segment", "doc": "document"}


def text(result: CompareResult, *, pairs: bool = False, width: int | None = None, signatures: bool = False) -> str:
    """A table per metric, best systems first; on request one of all pairs.

    Args:
        result: the comparison.
        pairs: add a table of pairs to each metric's.
        width: decimals; by default what suits the metric.
        signatures: show the signatures.
    """
    blocks = []
    for comparison in result.comparisons:
        blocks.append(f"{headline(result, comparison)}\n\n{system_table(result, comparison, width=width).text()}")
        if pairs:
            blocks.append(pair_table(result, comparison, width=width).text())
        if note := _adjustment_note(result, comparison):
            blocks.append(note)
    if too_few := result.out_of_reach():
        advice = ": take more --draws" if too_few == "draws" else ""
        blocks.append(f"With so few {too_few} no pair can be significant, however different{advice}.")
    if signatures:
        blocks.append("\n".join(f"{c.metric.label}|{c.signature}" for c in result.comparisons))
    return "\n\n".join(blocks)


def pages(result: CompareResult, format_: str, *, pairs: bool = False, width: int | None = None) -> str:
    """The tables in another format: ``tsv``, ``latex``, ``markdown`` or ``html``.

    TSV is one table for all metrics, of systems or of pairs; the others have a caption for each metric.
    """
    if format_ == "tsv":
        return _tsv(result, pairs=pairs, width=width)
    blocks = []
    for comparison in result.comparisons:
        blocks.append(caption(headline(result, comparison), format_))
        blocks.append(getattr(system_table(result, comparison, width=width), format_)())
        if pairs:
            blocks.append(getattr(pair_table(result, comparison, width=width), format_)())
    return "\n\n".join(blocks)


def caption(words: str, format_: str) -> str:
    """A line above a table."""
    if format_ == "html":
        from html import escape

        return f"<p>{escape(words)}</p>"
    return f"% {words}" if format_ == "latex" else words


def _tsv(result: CompareResult, *, pairs: bool, width: int | None) -> str:
    rows = []
    for described, comparison in zip(result.to_dict()["metrics"], result.comparisons, strict=True):
        shown = partial(number, metric=comparison.metric, width=width, exact=True)
        for row in described["pairs" if pairs else "systems"]:
            low, high = row["interval"]
            if pairs:
                values = [*row["systems"], shown(row["difference"]), shown(low), shown(high)]
                values += [repr(row["p"]), repr(row["p_adjusted"]), row["better"] or ""]
            else:
                values = [row["system"], shown(row["score"]), shown(low), shown(high)]
                values += ["" if row[name] is None else shown(row[name]) for name in ("s_sel", "s_opt")]
                values.append(names_cell(row["better_than"]))
            rows.append(tuple(Cell(value) for value in (described["name"], *values)))
    columns = (
        ("first", "second", "difference", "low", "high", "p", "p_adjusted", "better")
        if pairs
        else ("system", "score", "low", "high", "s_sel", "s_opt", "better_than")
    )
    return Table(("metric", *columns), tuple(rows)).tsv()


def json_text(result: CompareResult) -> str:
    """Everything as JSON."""
    return json.dumps(result.to_dict(), indent=1, ensure_ascii=False)


def headline(result: CompareResult, comparison: Comparison) -> str:
    """What was tested and how, in a line."""
    procedure = result.procedure
    of_pairs = [int(comparison.n_units[x, y]) for x, y in result.pairs]
    n_units = max(of_pairs)
    drawn = (
        f"all {procedure.n_draws(n_units):,} exchanges"
        if procedure.exact(n_units)
        else f"{procedure.draws:,} draws, seed {procedure.seed}"
    )
    parts = [comparison.metric.label, procedure.title, drawn, f"level {plain(result.level)}"]
    if result.unit != "segment":
        parts.append(f"by {_UNITS[result.unit]}")
    if result.n_runs > 1:
        parts.append(f"{result.n_runs} runs")
    parts.append(counted(len(result.pairs), "pair"))
    if n_units < int(comparison.n_units.diagonal().max()):
        span = str(n_units) if min(of_pairs) == n_units else f"{min(of_pairs)} to {n_units}"
        parts.append(f"on the {span} {_UNITS[result.unit]}s that both systems have")
    if result.adjust != "none":
        parts.append({"holm": "Holm's adjustment", "bh": "Benjamini–Hochberg adjustment"}[result.adjust])
    return ", ".join(parts)


def system_table(
    result: CompareResult, comparison: Comparison, *, width: int | None = None, exact: bool = False
) -> Table:
    """A row per system: letter, name, score, interval, and the letters of those it is better than."""
    order = comparison.ranked
    letters = dict(zip(order, letters_of_rows(), strict=False))
    metric = comparison.metric
    rows = []
    for s in order:
        better = [letters[other] for other in order if comparison.better[s, other]]
        row = [
            letters[s],
            result.systems[s],
            number(float(comparison.scores[s]), metric, width=width, exact=exact),
            _interval(comparison.intervals[s], comparison, width=width, exact=exact),
        ]
        if result.n_runs > 1:
            spread = (comparison.s_sel[s], comparison.s_opt[s])
            row += [number(float(value), metric, width=width or metric.digits + 1, exact=exact) for value in spread]
        rows.append(tuple(Cell(value) for value in [*row, " ".join(better) if exact else shortened(better, letters)]))
    arrow = " ↓" if metric.higher_is_better is False and not exact else ""
    header = ["", "system", f"{metric.label}{arrow}", f"{100 * (1 - result.level):g} % interval"]
    header += ["s_sel", "s_opt"] if result.n_runs > 1 else []
    return Table((*header, "better than"), tuple(rows), n_labels=2, n_notes=1)


def pair_table(
    result: CompareResult, comparison: Comparison, *, width: int | None = None, exact: bool = False
) -> Table:
    """A row per pair: the better system first, difference, interval and p-values."""
    place = {s: position for position, s in enumerate(comparison.ranked)}
    metric = comparison.metric
    ordered = sorted(
        ((int(x), int(y)) if place[int(x)] < place[int(y)] else (int(y), int(x)) for x, y in result.pairs),
        key=lambda pair: (place[pair[0]], place[pair[1]]),
    )
    rows = []
    for x, y in ordered:
        row = [
            result.systems[x],
            result.systems[y],
            number(float(comparison.differences[x, y]), metric, width=width, exact=exact),
            _interval(comparison.difference_intervals[x, y], comparison, width=width, exact=exact),
            p_value(comparison.p[x, y], exact=exact),
        ]
        if result.adjust != "none":
            row.append(p_value(comparison.adjusted[x, y], exact=exact))
        rows.append(tuple(Cell(value) for value in [*row, "*" if comparison.better[x, y] else ""]))
    header = ["better", "worse", "difference", f"{100 * (1 - result.level):g} % interval", "p"]
    header += ["p adjusted"] if result.adjust != "none" else []
    return Table((*header, "significant"), tuple(rows), n_labels=2, n_notes=1)


def tests_text(tests: AllTests) -> str:
    """How far tests agree with each other: for every metric, how many pairs each tells apart, and S(C, D)."""
    first = tests.results[0]
    blocks = []
    for m, comparison in enumerate(first.comparisons):
        table = agreement_table(tests.names, tests.similarities(m).tolist(), of=tests.n_different(m))
        blocks.append(
            f"{comparison.metric.label}, {first.procedure.draws:,} draws, seed {first.procedure.seed}, "
            f"level {plain(first.level)}, {counted(len(first.pairs), 'pair')}: "
            f"how many each test tells apart, and agreement S(C, D)\n\n{table.text()}"
        )
    return "\n\n".join(blocks)


def agreement_table(names: list[str], values: list[list[float]], *, of: list[int] | None = None) -> Table:
    """A square table of how far things agree; `of` adds a column of counts."""
    rows = []
    for position, (name, line) in enumerate(zip(names, values, strict=True)):
        counts = [] if of is None else [str(of[position])]
        rows.append(tuple(Cell(cell) for cell in (name, *counts, *(f"{value:.2f}" for value in line))))
    return Table(("", *([] if of is None else ["pairs"]), *names), tuple(rows))


def _adjustment_note(result: CompareResult, comparison: Comparison) -> str:
    """Which differences an adjustment would take away."""
    if result.adjust != "none" or len(result.pairs) < 2:
        return ""
    lost = result.lost_by(comparison, "holm")
    n_found = int(comparison.better.sum())
    if not lost:
        return ""
    letters = dict(zip(comparison.ranked, letters_of_rows(), strict=False))
    told = " ".join(f"{letters[x]}/{letters[y]}" for x, y in lost[:_MOST_NAMED])
    if len(lost) > _MOST_NAMED:
        told += f" and {len(lost) - _MOST_NAMED} more"
    return (
        f"Adjusted for {len(result.pairs)} comparisons (--adjust holm), {n_found - len(lost)} of "
        f"{counted(n_found, 'difference')} remain; no longer told apart: {told}"
    )


def letters_of_rows() -> Iterator[str]:
    """Names for rows: a … z, aa … zz, and so on."""
    for length in count(1):
        yield from ("".join(letters) for letters in product(ascii_lowercase, repeat=length))


def shortened(better: Iterable[str], letters: dict[int, str]) -> str:
    """Letters with runs of three or more shortened to first–last."""
    place = {letter: position for position, letter in enumerate(letters.values())}
    runs = groupby(enumerate(better), key=lambda item: place[item[1]] - item[0])
    parts: list[str] = []
    for _, run in runs:
        members = [letter for _, letter in run]
        parts += [f"{members[0]}–{members[-1]}"] if len(members) > 2 else members
    return " ".join(parts)


def _interval(ends: Iterable[float], comparison: Comparison, *, width: int | None, exact: bool) -> str:
    low, high = (number(float(end), comparison.metric, width=width, exact=exact) for end in ends)
    return f"[{low}, {high}]"


def p_value(value: float, *, exact: bool) -> str:
    """A p-value with two digits, or with all of them."""
    if exact:
        return repr(float(value))
    return plain(float(f"{value:.2g}")) if value >= 0.001 else f"{value:.1e}"


def plain(value: float) -> str:
    """A share without its leading zero, as papers write it."""
    return f"{value:g}".removeprefix("0") if 0 < value < 1 else f"{value:g}"
