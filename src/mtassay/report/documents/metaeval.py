"""Agreement of metrics with human judgements."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import counted
from mtassay.judging.span_matching import CREDITS, SpanMatch
from mtassay.report.document import Cell, Document, Notes, Records, Sentence, Signatures, Table, table
from mtassay.report.wording import (
    MISSING,
    better_than,
    letters_of_rows,
    percent,
    plain,
    references_of,
    share,
)
from mtassay.results import or_none
from mtassay.verbs.metaeval.coefficients import LOWER_IS_BETTER, SHORT, TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.report.document import Block
    from mtassay.verbs.metaeval.coefficients import Coefficient
    from mtassay.verbs.metaeval.metric_tests import MetricTest
    from mtassay.verbs.metaeval.result import Direction, MetaEvaluation

_TESTS = {
    "williams": "Williams' test (signed, n − 3)",
    "williams-graham": "Williams' test (Graham: absolute, n − 2)",
    "williams-absolute": "Williams' test (absolute, n − 3)",
    "perm-both": "PERM-BOTH",
    "zou": "Zou's intervals",
    "bootstrap": "bootstrap",
}
_AVERAGES = {"none": "over all outputs", "segment": "averaged over segments", "system": "averaged over systems"}
#: Marks an average that is out of sequence, as in WMT13.
_MARK = "≀"
#: Coefficients of groups of systems that resampled judgements separate.
_OF_RANGES = ("clusters", "fuzzy")
_HALF = CREDITS["half"]
#: Columns of the table of spans, by the credit for another severity.
_SPAN_COLUMNS = {
    CREDITS["place"]: {"precision": SpanMatch.precision, "recall": SpanMatch.recall, "F1": SpanMatch.f1},
    _HALF: {"F1, half credit": SpanMatch.f1},
    CREDITS["severity"]: {"F1, same severity": SpanMatch.f1},
}
_DETAILS = ("ties", "epsilon", "n_groups", "n_dropped")


def document(result: MetaEvaluation, *, pairs: bool = False, signatures: bool = False) -> Document:
    """Coefficients of all metrics, the best first, and the result of the test between them.

    Args:
        result: the evaluation.
        pairs: add a matrix of p-values or intervals; records then have a row per pair of metrics instead of one per
            coefficient.
        signatures: show the signatures.
    """
    blocks: list[Block] = [Sentence(_headline(result)), _main_table(result), Notes(tuple(_notes(result)))]
    for direction, tested in _tests(result):
        blocks += [Sentence(_test_line(result, direction, tested)), _cluster_table(direction, tested)]
        if pairs:
            blocks += [Sentence(_pair_line(tested)), _pair_table(direction, tested)]
    blocks += [block for direction in result.directions for block in _spans(result, direction)]
    if signatures:
        blocks.append(Signatures(tuple(_signatures(result))))
    records = _pair_records if pairs else _records
    mark = "best; between metrics: significant" if pairs else "best"
    return Document("metrics and human judgements", tuple(blocks), lambda: records(result), result.to_dict, mark)


def _spans(result: MetaEvaluation, direction: Direction) -> Iterator[Block]:
    """How well metrics find the errors that judges marked, the best first."""
    if not direction.spans:
        return
    where = f"{direction.name}: " if len(result.directions) > 1 else ""
    yield Sentence(
        f"{where}characters in error spans, of metrics and of judges: places, with half credit for another severity, "
        "and with none"
    )
    ordered = sorted(direction.spans.items(), key=lambda of: -np.nan_to_num(of[1].f1(_HALF), nan=-1.0))
    columns = [
        (heading, [measure(match, credit) for _, match in ordered])
        for credit, headings in _SPAN_COLUMNS.items()
        for heading, measure in headings.items()
    ]
    best = [np.nanmax([*values, -1.0]) for _, values in columns]
    rows: list[tuple[str | Cell, ...]] = [
        (
            name,
            *(Cell(share(of[m]), best=bool(of[m] == top)) for (_, of), top in zip(columns, best, strict=True)),
            f"{match.n_pairs:,}",
        )
        for m, (name, match) in enumerate(ordered)
    ]
    yield table(["metric", *(heading for heading, _ in columns), "outputs"], rows)


def _signatures(result: MetaEvaluation) -> list[str]:
    """Each signature once, with its direction if directions differ."""
    of_directions = [
        [f"{name}|{signature}" for name, signature in zip(of.names, of.signatures, strict=True)]
        + [f"{name}, segments|{signature}" for name, signature in of.beside.items()]
        for of in result.directions
    ]
    if all(lines == of_directions[0] for lines in of_directions):
        return of_directions[0]
    named = zip(result.directions, of_directions, strict=True)
    return [f"{direction.name}: {line}" for direction, lines in named for line in lines]


def _headline(result: MetaEvaluation) -> str:
    """A line about coefficients, and one for each direction."""
    first, *others = (TITLES[name] for name in result.coefficients)
    if len(result.directions) > 1 and others:
        first = f"{first} by direction, then averages"
    elif others:
        first = f"sorted by {first}"
    line = f"{result.level} level: {first}" + ("" if result.average is None else f", {_AVERAGES[result.average]}")
    return "\n".join([line, *(_about(result, direction) for direction in result.directions)])


def _about(result: MetaEvaluation, direction: Direction) -> str:
    n_systems = counted(len(direction.systems), "system")
    if direction.gold.unjudged:
        n_systems += f" (not judged: {len(direction.gold.unjudged)})"
    judgements = counted(direction.n_judgements, direction.kind.removesuffix("s"))
    parts = [n_systems, references_of(direction.references), judgements]
    if direction.n_ties:
        parts[-1] += f" and {counted(direction.n_ties, 'tie')}"
    if result.level == "system" or direction.kind == "scores":
        parts.append(f"human scores: {direction.gold.method}")
    if left_out := [name for name in direction.gold.left_out if name not in direction.outliers]:
        parts.append(f"judged but left out: {', '.join(left_out)}")
    if direction.dropped_judges:
        parts.append(f"judges with constant scores left out: {', '.join(direction.dropped_judges)}")
    return f"{direction.name}: {', '.join(parts)}"


def _main_table(result: MetaEvaluation) -> Table:
    """All coefficients of a single direction; or the first coefficient by direction, and averages of all."""
    first, *others = result.coefficients
    columns = []
    if len(result.directions) == 1:
        for name in result.coefficients:
            columns += _columns(result.of(result.directions[0], name), SHORT[name])
    else:
        for direction in result.directions:
            columns += _columns(result.of(direction, first), direction.name)
        columns += _columns(result.averages[0], "average")
        columns += [_other_average(result, number, SHORT[name]) for number, name in enumerate(others, 1)]
    rows: list[tuple[str | Cell, ...]] = [
        (_named(result, metric), *(cells[metric] for _, cells in columns)) for metric in result.ranked
    ]
    return table(["metric", *(heading for heading, _ in columns)], rows)


def _columns(of: Coefficient, heading: str) -> list[tuple[str, list[Cell]]]:
    """A column of values with their margins, and one of ties if ties matter."""
    shown = [share(value) for value in of.values.tolist()]
    if of.margins is not None:
        ends = [f" ± {share(margin)}" for margin in of.margins.tolist()]
        shown = [value if value == MISSING else value + end for value, end in zip(shown, ends, strict=True)]
    columns = [_column(of, heading, shown)]
    if of.ties is not None:
        columns.append(("tied", [Cell("" if isnan(tied) else f"{100 * tied:.0f} %") for tied in of.ties.tolist()]))
    return columns


def _other_average(result: MetaEvaluation, number: int, name: str) -> tuple[str, list[Cell]]:
    """Averages of a coefficient other than the one that sorts the rows."""
    of, marks = result.averages[number], result.out_of_sequence(number)
    values = [share(value) for value in of.values.tolist()]
    return _column(
        of, f"average {name}", [f"{_MARK} {v}" if mark else v for v, mark in zip(values, marks, strict=True)]
    )


def _column(of: Coefficient, heading: str, shown: list[str]) -> tuple[str, list[Cell]]:
    cells = [Cell(value, best=best) for value, best in zip(shown, of.best.tolist(), strict=True)]
    return f"{heading} ↓" if of.name in LOWER_IS_BETTER else heading, cells


def _named(result: MetaEvaluation, metric: int) -> str:
    n = int(result.n_directions[metric])
    return result.names[metric] + ("" if n == len(result.directions) else f" ({n} of {len(result.directions)})")


def _cluster_table(direction: Direction, tested: MetricTest) -> Table:
    """A row per metric: letter, name, value, cluster, and the letters of the metrics it is better than."""
    of = direction.coefficient(tested.coefficient)
    rows = [
        [
            letter,
            direction.names[m],
            share(float(of.values[m])),
            str(int(tested.clusters[m])),
            better_than([other for other in of.order if tested.better[m, other]], of.order),
        ]
        for letter, m in zip(letters_of_rows(), of.order, strict=False)
    ]
    return table(["", "metric", SHORT[of.name], "cluster", "better than"], rows, n_labels=2, n_notes=1)


def _pair_table(direction: Direction, tested: MetricTest) -> Table:
    """A matrix of p-values, or of intervals of the differences; significant ones are marked."""
    order = direction.coefficient(tested.coefficient).order
    rows: list[tuple[str | Cell, ...]] = [
        (direction.names[m], *(_pair(tested, m, other) for other in order)) for m in order
    ]
    return table(["row − column" if tested.p is None else "row > column", *(direction.names[m] for m in order)], rows)


def _pair_line(tested: MetricTest) -> str:
    if tested.p is None:
        return "intervals of the differences between metrics"
    return "p-values of the test that the metric of the row agrees better with human judgements than that of the column"


def _pair(tested: MetricTest, m: int, other: int) -> Cell:
    if m == other:
        return Cell("")
    better = bool(tested.better[m, other])
    if tested.p is not None:
        return Cell(share(float(tested.p[m, other]), digits=4), best=better)
    ends = [] if tested.intervals is None else tested.intervals[m, other].tolist()
    return Cell(f"[{', '.join(map(share, ends))}]", best=better)


def _tests(result: MetaEvaluation) -> Iterator[tuple[Direction, MetricTest]]:
    for direction in result.directions:
        if direction.tested is not None:
            yield direction, direction.tested


def _test_line(result: MetaEvaluation, direction: Direction, tested: MetricTest) -> str:
    parts = [f"{_TESTS[tested.test]} of {TITLES[tested.coefficient]}"]
    if tested.exact:
        parts.append("exact")
    elif tested.n_resamples:
        parts.append(f"{counted(tested.n_resamples, 'resample')}, seed {result.seed}")
    parts.append(f"α = {plain(result.alpha)}")
    where = f"{direction.name}: " if len(result.directions) > 1 else ""
    return where + ", ".join(parts)


def _notes(result: MetaEvaluation) -> Iterator[str]:
    others = range(1, len(result.coefficients)) if len(result.directions) > 1 else ()
    if any(result.out_of_sequence(number).any() for number in others):
        yield f"{_MARK} better than an average above it"
    if any(of.drawn is not None for of in result.averages):
        yield f"± half the {percent(1 - result.alpha)} interval over resampled judgements"
    flipped = dict.fromkeys(
        name
        for direction in result.directions
        for name, metric in zip(direction.names, direction.metrics, strict=True)
        if metric.higher_is_better is False
    )
    if flipped:
        yield f"lower is better, so the sign was changed: {', '.join(flipped)}"
    for direction in result.directions:
        if direction.sign_changed:
            yield f"{direction.name}: lower human scores are better in the judgements, so their sign was changed"
        if direction.outliers:
            yield (
                f"{direction.name}: official outliers left out: {', '.join(direction.outliers)} "
                "(--include-outliers, include_outliers=True, keeps them)"
            )
    if result.digits is not None:
        yield f"metric scores rounded to {counted(result.digits, 'digit')} (those in percent to two fewer)"
    beside = dict.fromkeys(name for direction in result.directions for name in direction.beside)
    if beside:
        yield f"soft accuracy from the .seg.score next to the .sys.score: {', '.join(beside)}"
    for direction in result.directions:
        yield from _undefined(direction, several=len(result.directions) > 1)


def _undefined(direction: Direction, *, several: bool) -> Iterator[str]:
    """Notes on coefficients that are undefined because gold or metric is constant."""
    for of in direction.coefficients:
        without = [name for name, value in zip(direction.names, of.values, strict=True) if isnan(value)]
        if without:
            what = f"{SHORT[of.name]} is not defined" + (", and not in the average" if several else "")
            yield f"{direction.name}: {what}, {_why_undefined(direction, of)}: {', '.join(without)}"
        if of.n_groups is not None and of.n_dropped is not None and of.n_dropped.any():
            ends = dict.fromkeys([int(of.n_dropped.min()), int(of.n_dropped.max())])
            dropped = f"{' to '.join(map(str, ends))} of {int(of.n_groups[0] + of.n_dropped[0])} groups"
            yield f"{direction.name}: {SHORT[of.name]} leaves out {dropped}, in which gold or metric is constant"


def _why_undefined(direction: Direction, of: Coefficient) -> str:
    if of.name == "soft-accuracy":
        return "without scores of segments"
    scores = direction.metric_scores[np.isnan(of.values)]
    if of.name in _OF_RANGES and (scores.max(axis=1) > scores.min(axis=1)).all():
        return "since the rank ranges of the judgements do not separate the systems"
    return "since gold or metric is constant"


def _records(result: MetaEvaluation) -> Records:
    """A row per direction, metric and coefficient."""
    rows = []
    for direction, metric, coefficient, of in (*_entries(result), *_span_entries(result)):
        ends = of.get("interval", (None, None))
        rows.append((direction, metric, coefficient, of["value"], *ends, *(of.get(key) for key in _DETAILS)))
    return Records(("direction", "metric", "coefficient", "value", "low", "high", *_DETAILS), rows)


def _entries(result: MetaEvaluation) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    described = result.to_dict()
    for direction in described["directions"]:
        for metric in direction["metrics"]:
            for name, of in metric["coefficients"].items():
                yield direction["direction"], metric["name"], name, of
    if len(result.directions) > 1:
        for metric, coefficients in described["averages"].items():
            for name, of in coefficients.items():
                yield "average", metric, name, of


def _span_entries(result: MetaEvaluation) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Precision, recall and F1 of spans as further coefficients: ``spans-place-f1`` and so on."""
    for direction in result.to_dict()["directions"]:
        for metric, of in direction.get("spans", {}).items():
            for credit in CREDITS:
                for measure, value in of[credit].items():
                    yield direction["direction"], metric, f"spans-{credit}-{measure}", {"value": value}


def _pair_records(result: MetaEvaluation) -> Records:
    """A row per ordered pair of metrics."""
    rows = []
    for direction, tested in _tests(result):
        for a, b in np.argwhere(~np.eye(len(direction.names), dtype=bool)).tolist():
            p = None if tested.p is None else or_none(tested.p[a, b])
            ends = (None, None) if tested.intervals is None else tuple(map(or_none, tested.intervals[a, b]))
            pair = (direction.names[a], direction.names[b], p, *ends, bool(tested.better[a, b]))
            rows.append((direction.name, tested.test, tested.coefficient, *pair))
    return Records(("direction", "test", "coefficient", "first", "second", "p", "low", "high", "better"), rows)
