"""Scores as tables and JSON."""

from __future__ import annotations

import json
from math import isnan
from typing import TYPE_CHECKING, Any

from mtassay.equality import best_first
from mtassay.errors import counted
from mtassay.metrics.names import distinct_names
from mtassay.report.tables import Cell, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.metrics.base import Metric, Scores
    from mtassay.metrics.score import ScoreResult

#: More systems than this get a row each in the table of components.
_WIDE = 6


def text(
    result: ScoreResult,
    *,
    width: int | None = None,
    signatures: bool = False,
    short: bool = False,
    verbose: bool = False,
) -> str:
    """The table for people: best systems first, best values marked, signatures below.

    Args:
        result: the scores.
        width: decimals; by default what suits the metric.
        signatures: show the signatures of all metrics, not only of the first.
        short: short signatures.
        verbose: add the components of every metric.
    """
    blocks = [headline(result), corpus_table(result, width=width).text()]
    if result.groups:
        blocks.append(group_table(result, width=width).text())
    if verbose:
        blocks += [component_table(result, m).text() for m in range(len(result.metrics)) if _components(result, m)]
    return "\n\n".join([*blocks, _signature_lines(result, everything=signatures, short=short)])


def html(result: ScoreResult) -> str:
    """The tables for notebooks."""
    return pages(result, "html")


def headline(result: ScoreResult) -> str:
    """What was scored, in a line."""
    testset = result.testset
    counts = ((testset.n_segments, "segment"), (testset.n_references, "reference"), (len(result.systems), "system"))
    return " · ".join(counted(n, noun) for n, noun in counts)


def corpus_table(result: ScoreResult, *, width: int | None = None, exact: bool = False) -> Table:
    """Systems × metrics; the best system of the first metric comes first.

    Args:
        result: the scores.
        width: decimals; by default what suits the metric.
        exact: show all digits where `width` is not given.
    """
    order = ranked(result)
    best = result.best()
    rows = tuple(
        (Cell(result.systems[s]), *_row(result.scores[s], result.metrics, width=width, exact=exact, best=best[s]))
        for s in order
    )
    return Table(("system", *headings(result.metrics, arrows=not exact)), rows)


def group_table(result: ScoreResult, *, width: int | None = None) -> Table:
    """Documents or domains × systems, one row each; the best of every group is marked."""
    blocks = [(group.label, group.n_segments, group.scores) for group in result.groups]
    return _block_table(result, blocks, width=width, exact=False)


def whole_table(result: ScoreResult, *, width: int | None = None) -> Table:
    """All numbers with all digits, for machines; with groups, the rows of everything come first, without a label."""
    if not result.groups:
        return corpus_table(result, width=width, exact=True)
    blocks = [("", result.testset.n_segments, result.scores)]
    blocks += [(group.label, group.n_segments, group.scores) for group in result.groups]
    return _block_table(result, blocks, width=width, exact=True)


def _block_table(
    result: ScoreResult, blocks: list[tuple[str, int, Scores]], *, width: int | None, exact: bool
) -> Table:
    order = ranked(result)
    rows = tuple(
        (
            Cell(label),
            Cell(result.systems[s]),
            Cell(str(n_segments)),
            *_row(scores[s], result.metrics, width=width, exact=exact, best=result.best(scores)[s]),
        )
        for label, n_segments, scores in blocks
        for s in order
    )
    header = (str(result.by), "system", "segments", *headings(result.metrics, arrows=not exact))
    return Table(header, rows, n_labels=2)


def pages(result: ScoreResult, format_: str, *, width: int | None = None) -> str:
    """The tables for papers and web pages: ``latex``, ``markdown`` or ``html``."""
    tables = [corpus_table(result, width=width)] + ([group_table(result, width=width)] if result.groups else [])
    return "\n\n".join(getattr(table, format_)() for table in tables)


def component_table(result: ScoreResult, m: int) -> Table:
    """Parts of one metric, a column per system as in Table 8 of Song et al. 2013."""
    order = ranked(result)
    metric = result.metrics[m]
    columns = {**_components(result, m), metric.label: result.scores[:, m]}
    lines = [
        [name, *(_component(name, float(values[s]), metric.digits) for s in order)] for name, values in columns.items()
    ]
    lines.insert(0, [str(metric), *(result.systems[s] for s in order)])
    if len(order) > _WIDE:  # more systems than fit on a line: a row for each instead
        lines = [list(line) for line in zip(*lines, strict=True)]
    return Table(tuple(lines[0]), tuple(tuple(Cell(text) for text in line) for line in lines[1:]))


def json_text(result: ScoreResult, *, width: int | None = None) -> str:
    """JSON with sacreBLEU's field names: an object for a single score, else a list of such objects."""
    entries = result.to_dict()["scores"]
    if width is not None:
        entries = [{**entry, "score": _rounded(entry["score"], width)} for entry in entries]
    return json.dumps(entries[0] if len(entries) == 1 else entries, indent=1, ensure_ascii=False)


def segment_lines(result: ScoreResult, *, width: int | None = None, as_json: bool = False) -> Iterator[str]:
    """One line per segment × system: TSV with a header, or JSON."""
    testset = result.testset
    labels: dict[str, Any] = {"id": testset.ids, "doc": testset.documents, "domain": testset.domains}
    labels = {name: values for name, values in labels.items() if values is not None}
    names = headings(result.metrics, arrows=False)
    # By segment, then by system: the rows of one segment stand together.
    by_segment = result.segment_scores().transpose(1, 0, 2).tolist()
    if not as_json:
        yield "\t".join(["segment", "system", *labels, *names])
    for i, of_segment in enumerate(by_segment):
        known = {name: values[i] for name, values in labels.items()}
        for system, scores in zip(result.systems, of_segment, strict=True):
            if as_json:
                shown = [_rounded(None if isnan(value) else value, width) for value in scores]
                row = {"segment": i + 1, "system": system, **known, **dict(zip(names, shown, strict=True))}
                yield json.dumps(row, ensure_ascii=False)
            else:
                values = [
                    number(value, metric, width=width, exact=True)
                    for value, metric in zip(scores, result.metrics, strict=True)
                ]
                yield "\t".join([str(i + 1), system, *known.values(), *values])


def _rounded(value: float | None, width: int | None) -> float | None:
    return value if value is None or width is None else round(value, width)


def bare_lines(scores: Scores, metrics: tuple[Metric, ...], *, width: int | None) -> Iterator[str]:
    """Only numbers, one line per row of `scores` (rows, metrics), separated by tabs."""
    for row in scores:
        yield "\t".join(cell.text for cell in _row(row, metrics, width=width, exact=False))


def ranked(result: ScoreResult) -> list[int]:
    """Systems from best to worst under the first metric; ties keep the order given."""
    sign = result.metrics[0].sign
    return best_first(sign * result.scores[:, 0])


def headings(metrics: tuple[Metric, ...], *, arrows: bool) -> list[str]:
    """Column names: the metric's label, or its specification where labels coincide; ↓ where lower is better."""
    return [
        f"{name} ↓" if metric.higher_is_better is False and arrows else name
        for name, metric in zip(distinct_names(metrics), metrics, strict=True)
    ]


def number(value: float, metric: Metric, *, width: int | None, exact: bool) -> str:
    """A score as text; None where it is missing."""
    if isnan(value):
        return "None"
    if exact and width is None:
        return repr(float(value))
    text = f"{value:.{metric.digits if width is None else width}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _row(
    scores: Any, metrics: tuple[Metric, ...], *, width: int | None, exact: bool = False, best: Any = None
) -> list[Cell]:
    marks = [False] * len(metrics) if best is None else best
    return [
        Cell(number(float(value), metric, width=width, exact=exact), best=bool(mark))
        for value, metric, mark in zip(scores, metrics, marks, strict=True)
    ]


def _components(result: ScoreResult, m: int) -> dict[str, Any]:
    return result.metrics[m].components(result.tables[m].totals())


def _component(name: str, value: float, digits: int) -> str:
    if name in {"LR", "BP"}:
        return f"{value:.4f}"
    return f"{value:.0f}" if value == int(value) and abs(value) > 100 else f"{value:.{max(digits, 2)}f}"


def _signature_lines(result: ScoreResult, *, everything: bool, short: bool) -> str:
    pairs = zip(result.metrics, result.signatures, strict=True)
    lines = [f"{metric.label}|{signature.format(short=short)}" for metric, signature in pairs]
    shown = lines if everything or len(lines) == 1 else [f"{lines[0]}   (other signatures: --signatures)"]
    if result.best().any():
        shown = [f"* best   {shown[0]}"] if len(shown) == 1 else ["* best", *shown]
    return "\n".join(shown)
