"""Scores of systems."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from numbers import Integral
from typing import TYPE_CHECKING, Any, overload

from mtassay.data.references import default_reference_names
from mtassay.errors import counted
from mtassay.report.document import Cell, Document, Records, Sentence, Signatures, Table, table
from mtassay.report.wording import MISSING, headings, number, references_of
from mtassay.results import or_none

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.data.testset import TestSet
    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.core.signature import Signature
    from mtassay.report.document import Block
    from mtassay.types import Floats
    from mtassay.verbs.score import ScoreResult, SystemScores

#: Formats that other programs read: the JSON is sacreBLEU's.
AS_IS = ("json",)
#: With more systems than this, the table of components has a row per system.
_WIDE = 6


def document(
    result: SystemScores,
    *,
    width: int | None = None,
    signatures: bool = False,
    short: bool = False,
    verbose: bool = False,
) -> Document:
    """The best systems first, best values marked, signatures below.

    Args:
        result: the scores.
        width: decimals; by default the metric's own in tables, and all in records and data.
        signatures: show the signatures of all metrics, not only of the first.
        short: short signatures.
        verbose: add the components of every metric.
    """
    blocks: list[Block] = [Sentence(headline(result)), _corpus_table(result, width)]
    if result.groups:
        blocks.append(_group_table(result, width))
    if verbose:
        blocks += [_component_table(result, m) for m in range(len(result.metrics)) if _components(result, m)]
        blocks += [_breakdown_table(result, m) for m in range(len(result.metrics)) if _breakdown(result, m)]
    blocks.append(signature_block(result.metrics, result.signatures, everything=signatures, short=short))
    return Document("scores", tuple(blocks), lambda: score_records(result, width), lambda: _data(result, width))


def headline(result: SystemScores) -> str:
    """One line on what was scored."""
    n_segments, names = result.texts.n_segments, result.texts.reference_names
    references = f"reference {names[0]}" if len(names) == 1 else references_of(names)
    if names and names == default_reference_names(len(names)):
        references = counted(len(names), "reference")
    return " · ".join([counted(n_segments, "segment"), references, counted(len(result.systems), "system")])


def _corpus_table(result: SystemScores, width: int | None) -> Table:
    best = result.best()
    rows: list[tuple[str | Cell, ...]] = [
        (result.systems[s], *_row(result.scores[s], result.metrics, best[s], width)) for s in result.ranked
    ]
    return table(["system", *headings(result.metrics)], rows)


def _group_table(result: SystemScores, width: int | None) -> Table:
    """A row per document or domain and system; the best of every group is marked."""
    rows: list[tuple[str | Cell, ...]] = [
        (
            group.label,
            result.systems[s],
            str(group.n_segments),
            *_row(group.scores[s], result.metrics, best[s], width),
        )
        for group in result.groups
        for best in [result.best(group.scores)]
        for s in result.ranked
    ]
    return table([str(result.by), "system", "segments", *headings(result.metrics)], rows, n_labels=2)


def _row(scores: Any, metrics: Sequence[Metric], best: Any, width: int | None) -> list[Cell]:
    return [
        Cell(number(float(value), metric, width=width), best=bool(mark))
        for value, metric, mark in zip(scores, metrics, best, strict=True)
    ]


def _component_table(result: SystemScores, m: int) -> Table:
    """Components of one metric, a column per system as in Table 8 of Song et al. 2013."""
    metric = result.metrics[m]
    columns = {**_components(result, m), metric.label: result.scores[:, m]}
    lines = [
        [name, *(_component(name, value, metric.digits) for value in _with_counts(metric, name, values, result.ranked))]
        for name, values in columns.items()
    ]
    lines.insert(0, [str(metric), *(result.systems[s] for s in result.ranked)])
    if len(result.systems) > _WIDE:  # too many columns for a line
        lines = [list(line) for line in zip(*lines, strict=True)]
    return table(lines[0], lines[1:])


def _with_counts(metric: Metric, name: str, values: Floats, order: list[int]) -> list[int] | list[float]:
    """The values in this order; integers if they are counts: whole numbers of a column of the statistics."""
    ordered = [float(values[s]) for s in order]
    is_count = name in metric.columns and all(value.is_integer() for value in ordered)
    return [int(value) for value in ordered] if is_count else ordered


def _components(result: SystemScores, m: int) -> dict[str, Any]:
    return result.metrics[m].components(result.tables[m].totals())


def _breakdown_table(result: SystemScores, m: int) -> Table:
    """A metric's breakdown of each system, a row per part."""
    metric = result.metrics[m]
    parts = _breakdown(result, m)
    names = list(next(iter(parts.values())))
    rows = [
        (result.systems[s], part, *(_component(name, values[name][s], metric.digits) for name in names))
        for s in result.ranked
        for part, values in parts.items()
    ]
    return table(["system", str(metric), *names], rows, n_labels=2)


def _breakdown(result: SystemScores, m: int) -> dict[str, dict[str, Any]]:
    return result.metrics[m].breakdown(result.tables[m].totals())


def _component(name: str, value: Any, digits: int) -> str:
    if isinstance(value, Integral):
        return str(value)
    if isnan(value):
        return MISSING
    if name in {"LR", "BP"}:
        return f"{value:.4f}"
    return f"{value:.0f}" if value == int(value) and abs(value) > 100 else f"{value:.{max(digits, 2)}f}"


def signature_block(
    metrics: Sequence[Metric], signatures: Sequence[Signature], *, everything: bool, short: bool
) -> Signatures:
    """Signatures of all metrics, or only the first, with a hint on how to see the others."""
    lines = [
        f"{metric.label}|{signature.format(short=short)}" for metric, signature in zip(metrics, signatures, strict=True)
    ]
    if not everything and len(lines) > 1:
        lines = [f"{lines[0]}   (other signatures: --signatures)"]
    return Signatures(tuple(lines))


def score_records(result: SystemScores, width: int | None) -> Records:
    """A row per system; with groups, the rows of the whole test set come first, without a label."""
    names = headings(result.metrics, arrows=False)
    if result.groups:
        return Records((str(result.by), "system", "segments", *names), _GroupRows(result, width))
    rows = [[result.systems[s], *_numbers(result.scores[s], width)] for s in result.ranked]
    return Records(("system", *names), rows)


class _GroupRows(Sequence[list[Any]]):
    """Rows of the test set and of its documents or domains, made on access, since there may be millions."""

    def __init__(self, result: SystemScores, width: int | None) -> None:
        self._result = result
        self._width = width
        self._ranked = result.ranked

    def __len__(self) -> int:
        return (1 + len(self._result.groups)) * len(self._ranked)

    @overload
    def __getitem__(self, number: int) -> list[Any]: ...
    @overload
    def __getitem__(self, number: slice) -> list[list[Any]]: ...
    def __getitem__(self, number: int | slice) -> list[Any]:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        part, rank = divmod(range(len(self))[number], len(self._ranked))
        result, s = self._result, self._ranked[rank]
        if not part:
            return ["", result.systems[s], result.texts.n_segments, *_numbers(result.scores[s], self._width)]
        group = result.groups[part - 1]
        return [group.label, result.systems[s], group.n_segments, *_numbers(group.scores[s], self._width)]


def _numbers(scores: Floats, width: int | None) -> list[float | None]:
    return [_rounded(or_none(value), width) for value in scores.tolist()]


def _rounded(value: float | None, width: int | None) -> float | None:
    return value if value is None or width is None else round(value, width)


def _data(result: SystemScores, width: int | None) -> Any:
    """Entries with sacreBLEU's field names: an object for a single score, else a list of such objects."""
    entries = result.to_dict()["scores"]
    if width is not None:
        entries = [{**entry, "score": _rounded(entry["score"], width)} for entry in entries]
    return entries[0] if len(entries) == 1 else entries


def segment_lines(
    result: ScoreResult, *, width: int | None = None, as_json: bool = False, first: int = 1
) -> Iterator[str]:
    """One line per segment × system: TSV with a header, or JSON.

    Args:
        result: the scores.
        width: decimals; all by default.
        as_json: whether to write JSON.
        first: number of the first segment; the header is written only before segment 1.
    """
    import json  # most reports are tables

    labels = segment_labels(result.testset)
    names = headings(result.metrics, arrows=False)
    # Sorted by segment, then by system, so that the rows of a segment are adjacent.
    by_segment = result.segment_scores().transpose(1, 0, 2).tolist()
    if not as_json and first == 1:
        yield "\t".join(["segment", "system", *labels, *names])
    for i, of_segment in enumerate(by_segment):
        known = {name: values[i] for name, values in labels.items()}
        for system, scores in zip(result.systems, of_segment, strict=True):
            if as_json:
                shown = [_rounded(or_none(value), width) for value in scores]
                row = {"segment": first + i, "system": system, **known, **dict(zip(names, shown, strict=True))}
                yield json.dumps(row, ensure_ascii=False)
            else:
                yield "\t".join([str(first + i), system, *known.values(), *(_field(value, width) for value in scores)])


def segment_labels(testset: TestSet) -> dict[str, tuple[str, ...]]:
    """The labels of segments in the rows of -sl, by column name."""
    labels = {"id": testset.ids, "doc": testset.documents, "domain": testset.domains}
    return {name: values for name, values in labels.items() if values is not None}


def _field(value: float, width: int | None) -> str:
    """A score of a segment; None if missing, as in files of mt-metrics-eval."""
    if isnan(value):
        return "None"
    return repr(value) if width is None else f"{value:.{width}f}"


def bare_lines(scores: Floats, metrics: Sequence[Metric], *, width: int | None) -> Iterator[str]:
    """Scores alone, one line per row of `scores` (rows, metrics), separated by tabs."""
    for row in scores.tolist():
        yield "\t".join(
            "None" if isnan(value) else number(value, metric, width=width)
            for value, metric in zip(row, metrics, strict=True)
        )
