"""Several objectives on the same lists: ``tune -m METRIC METRIC ...``."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from mtassay.errors import counted
from mtassay.metrics.core.spec import distinct_names
from mtassay.report.document import Cell, Document, Notes, Records, Sentence, Table, table
from mtassay.report.documents.tune import precise, search
from mtassay.report.wording import MISSING, better_than, headings, letters_of_rows, p_value, plain
from mtassay.results import or_none

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.judging.preference_shares import PreferenceShares
    from mtassay.report.document import Block
    from mtassay.verbs.tune_objectives import ObjectivesResult, Outputs

_LETTERS = "Letters: rows that a row is significantly better than"
_NO_LETTERS = "No row is significantly better than another"


def document(result: ObjectivesResult) -> Document:
    """Outputs on each part of the segments, human preferences if any, and weights; records have the outputs."""
    names = distinct_names(result.objectives)
    blocks: list[Block] = []
    for outputs in result.outputs:
        blocks += [Sentence(_title(result, outputs)), output_table(outputs, names)]
    blocks.append(Notes((_guide(result),)))
    if result.preferences is not None:
        blocks += [Sentence(_preference_title(result.preferences)), preference_table(result.preferences, names)]
    blocks += [Sentence("Weights"), _weight_table(result, names)]
    return Document("several objectives", tuple(blocks), lambda: _records(result, names), result.to_dict)


def _title(result: ObjectivesResult, outputs: Outputs) -> str:
    tuned = result.tuned[0]
    what = "tuned on" if outputs.name == "training" else "held out"
    return f"{counted(outputs.n_segments, 'segment')} {what}, {search(tuned.optimiser, tuned.options)}"


def output_table(outputs: Outputs, names: Sequence[str]) -> Table:
    """A row per objective: components of BLEU, then every metric with the rows that it is significantly better than.

    Args:
        outputs: the outputs of all tuned weights.
        names: names of the objectives, in the order of the systems.
    """
    compared = outputs.compared
    order = range(len(names))
    best = compared.scored.best()
    rows = []
    for s, letter in zip(order, letters_of_rows(), strict=False):
        row = [Cell(letter), Cell(names[s])]
        row += [Cell(part_text(part, float(values[s]))) for part, values in outputs.parts.items()]
        for m, comparison in enumerate(compared.comparisons):
            letters = better_than([other for other in order if comparison.better[s, other]], order)
            value = precise(float(comparison.scores[s]), comparison.metric)
            row.append(Cell(f"{value} {letters}".rstrip(), best=bool(best[s, m])))
        rows.append(row)
    metrics = [comparison.metric for comparison in compared.comparisons]
    return table(["", "tuned towards", *outputs.parts, *headings(metrics)], rows, n_labels=2)


def part_text(name: str, value: float) -> str:
    """A component of BLEU."""
    return f"{value:.4f}" if name == "LR" else f"{value:.2f}"


def _guide(result: ObjectivesResult) -> str:
    outputs = result.outputs[0]
    compared = outputs.compared
    has_letters = any(comparison.better.any() for of in result.outputs for comparison in of.compared.comparisons)
    parts = list(outputs.parts)
    return (
        f"{_LETTERS if has_letters else _NO_LETTERS} ({compared.procedure.title}, "
        f"{counted(compared.procedure.resamples, 'resample')}, α = {plain(compared.alpha)}). "
        f"{parts[0]} to {parts[-1]}: parts of {outputs.bleu.label}."
    )


def preference_table(preferences: PreferenceShares, names: Sequence[str]) -> Table:
    """Share of judgements that prefer the column's system to the row's, with p; marked if it is the larger share."""
    systems = range(len(names))
    rows = []
    for y in systems:
        row = [Cell(names[y])]
        for x in systems:
            often = float(preferences.shares[x, y])
            told = MISSING if isnan(often) else f"{often:.2f} (p {p_value(float(preferences.p[x, y]))})"
            row.append(Cell(told, best=often > float(preferences.shares[y, x])))
        rows.append(row)
    return table(["", *names], rows)


def _preference_title(preferences: PreferenceShares) -> str:
    return (
        "Share of judgements that prefer the system of the column to that of the row, and p of the paired bootstrap "
        f"over judgements ({counted(preferences.resamples, 'resample')}); marked: preferred more often than the other"
    )


def _weight_table(result: ObjectivesResult, names: Sequence[str]) -> Table:
    """A row per feature, a column per objective."""
    rows = [[name, *(f"{tuned.weights[name]:.4f}" for tuned in result.tuned)] for name in result.tuned[0].weights]
    return table(["feature", *names], rows)


def _records(result: ObjectivesResult, names: Sequence[str]) -> Records:
    """A row per part of the segments and objective."""
    first = result.outputs[0]
    header = ["part", "objective", *first.parts]
    for name in headings([comparison.metric for comparison in first.compared.comparisons], arrows=False):
        header += [name, f"{name} better than"]
    rows = []
    for outputs in result.outputs:
        for s, name in enumerate(names):
            row: list[Any] = [outputs.name, name, *(float(values[s]) for values in outputs.parts.values())]
            for comparison in outputs.compared.comparisons:
                better = [other for o, other in enumerate(names) if comparison.better[s, o]]
                row += [or_none(comparison.scores[s]), better]
            rows.append(row)
    return Records(tuple(header), rows)
