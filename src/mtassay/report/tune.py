"""Tuned weights as text, tables and JSON: of one search, of a loop, and of several objectives."""

from __future__ import annotations

import json
from math import isnan
from typing import TYPE_CHECKING, Any

from mtassay.errors import counted
from mtassay.report.compare import caption, letters_of_rows, p_value, shortened
from mtassay.report.scores import headings, number
from mtassay.report.tables import Cell, Table, names_cell
from mtassay.tune.loop import REASONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.metrics.base import Metric
    from mtassay.ranking.preference_shares import PreferenceShares
    from mtassay.tune.loop import Iteration, LoopResult
    from mtassay.tune.objectives import ObjectivesResult, Outputs
    from mtassay.tune.result import TuneResult


def json_text(result: TuneResult | LoopResult | ObjectivesResult) -> str:
    """Everything as JSON."""
    return json.dumps(result.to_dict(), indent=1, ensure_ascii=False)


# One search


def text(result: TuneResult) -> str:
    """What was gained, and the weights."""
    return f"{_headline(result)}\n\n{weights_table(result.weights).text()}"


def pages(result: TuneResult, format_: str) -> str:
    """The table in another format: ``tsv``, ``latex``, ``markdown`` or ``html``."""
    return _page(_headline(result), weights_table(result.weights, exact=format_ == "tsv"), format_)


def weights_table(weights: Mapping[str, float], *, exact: bool = False) -> Table:
    """A row per feature."""
    rows = tuple((Cell(name), Cell(repr(value) if exact else f"{value:.6f}")) for name, value in weights.items())
    return Table(("feature", "weight"), rows)


def _headline(result: TuneResult) -> str:
    return (
        f"{_gain(result.metric, result.before, result.after)} · {_how(result.optimiser, result.options)} · "
        f"{counted(result.n_segments, 'segment')} · {counted(result.n_candidates, 'candidate')}"
    )


def _gain(metric: Metric, before: float, after: float) -> str:
    (name,) = headings((metric,), arrows=True)
    return f"{name} {_score(before, metric)} → {_score(after, metric)}"


def _how(optimiser: str, options: Mapping[str, Any]) -> str:
    numbers = {name: value for name, value in options.items() if isinstance(value, int | float)}
    told = [f"{name.replace('_', ' ')} {_plain(value)}" for name, value in numbers.items()]
    return ", ".join([optimiser, *told])


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _score(value: float, metric: Metric, *, exact: bool = False) -> str:
    """A score with one decimal more than usual: what tuning changes is often small."""
    return number(value, metric, width=None if exact else metric.digits + 1, exact=exact)


def _page(title: str, table: Table, format_: str) -> str:
    shown: str = getattr(table, format_)()
    return shown if format_ == "tsv" else f"{caption(title, format_)}\n\n{shown}"


# The loop


def loop_text(result: LoopResult) -> str:
    """A row per iteration, why the loop ended, and the best weights."""
    blocks = [_loop_headline(result), iterations_table(result).text(), _end(result)]
    last = result.iterations[-1]
    if 2 * last.n_misplaced > result.n_segments:
        blocks.append(
            f"In {last.n_misplaced} of {counted(result.n_segments, 'segment')} the list begins with another candidate "
            "than its weights choose: does the decoder read {weights}, and are its scores sums of weighted features?"
        )
    return "\n\n".join([*blocks, weights_table(result.weights).text()])


def loop_pages(result: LoopResult, format_: str) -> str:
    """The tables in another format: ``tsv`` (iterations only), ``latex``, ``markdown`` or ``html``."""
    first = _page(_loop_headline(result), iterations_table(result, exact=format_ == "tsv"), format_)
    if format_ == "tsv":
        return first
    return f"{first}\n\n{_page(_end(result), weights_table(result.weights), format_)}"


def iterations_table(result: LoopResult, *, exact: bool = False) -> Table:
    """What the decoder reached with the weights of each iteration, and what is expected of the next ones."""
    (name,) = headings((result.metric,), arrows=not exact)
    header = ("iteration", name, "candidates", "new", "expected next")
    rows = [_iteration_row(iteration, result, exact=exact) for iteration in result.iterations]
    return Table(header, tuple(rows))


def _iteration_row(iteration: Iteration, result: LoopResult, *, exact: bool) -> tuple[Cell, ...]:
    predicted = "" if iteration.predicted is None else _score(iteration.predicted, result.metric, exact=exact)
    return (
        Cell(str(iteration.number)),
        Cell(_score(iteration.score, result.metric, exact=exact), best=iteration is result.best),
        Cell(str(iteration.n_candidates)),
        Cell(str(iteration.n_new)),
        Cell(predicted),
    )


def iteration_line(iteration: Iteration, metric: Metric) -> str:
    """An iteration in a line, while the loop runs."""
    return (
        f"iteration {iteration.number}: {metric.label} {_score(iteration.score, metric)}, "
        f"{counted(iteration.n_new, 'new candidate')}"
    )


def _loop_headline(result: LoopResult) -> str:
    return (
        f"{_gain(result.metric, result.iterations[0].score, result.best.score)} · "
        f"{_how(result.optimiser, result.options)} · {counted(result.n_segments, 'segment')}"
    )


def _end(result: LoopResult) -> str:
    return (
        f"Ended after {counted(len(result.iterations), 'iteration')}: {REASONS[result.reason]}. "
        f"Weights of iteration {result.best.number}:"
    )


# Several objectives


def objectives_text(result: ObjectivesResult) -> str:
    """A table of outputs for each set of sentences, preferences where there are any, and the weights."""
    blocks = []
    for outputs in result.outputs:
        blocks += [_outputs_title(result, outputs), outputs_table(outputs).text(), _outputs_note(outputs)]
    if result.preferences is not None:
        blocks += [_preferences_title(result.preferences), preferences_table(result.preferences).text()]
    blocks += ["Weights", objective_weights_table(result).text()]
    return "\n\n".join(blocks)


def objectives_pages(result: ObjectivesResult, format_: str) -> str:
    """The tables in another format: ``tsv`` (outputs only), ``latex``, ``markdown`` or ``html``."""
    if format_ == "tsv":
        return _outputs_tsv(result)
    blocks = []
    for outputs in result.outputs:
        title = f"{_outputs_title(result, outputs)} {_outputs_note(outputs)}"
        blocks.append(_page(title, outputs_table(outputs), format_))
    if result.preferences is not None:
        table = preferences_table(result.preferences)
        blocks.append(_page(_preferences_title(result.preferences), table, format_))
    blocks.append(_page("Weights.", objective_weights_table(result), format_))
    return "\n\n".join(blocks)


def outputs_table(outputs: Outputs) -> Table:
    """A row per objective: parts of BLEU, then every metric with the rows than which it is significantly better."""
    compared = outputs.compared
    letters = dict(zip(range(len(compared.systems)), letters_of_rows(), strict=False))
    metrics = tuple(comparison.metric for comparison in compared.comparisons)
    best = compared.scored.best()
    rows = []
    for s, system in enumerate(compared.systems):
        row = [Cell(letters[s]), Cell(system)]
        row += [Cell(part_text(name, float(values[s]))) for name, values in outputs.parts.items()]
        for m, comparison in enumerate(compared.comparisons):
            worse = [letters[other] for other in range(len(letters)) if comparison.better[s, other]]
            value = _score(float(comparison.scores[s]), comparison.metric)
            row.append(Cell(f"{value} {shortened(worse, letters)}".rstrip(), best=bool(best[s, m])))
        rows.append(tuple(row))
    return Table(("", "tuned towards", *outputs.parts, *headings(metrics, arrows=True)), tuple(rows), n_labels=2)


def _outputs_tsv(result: ObjectivesResult) -> str:
    """One table: a row per objective and set of sentences, all digits."""
    rows = []
    for outputs in result.outputs:
        compared = outputs.compared
        for s, system in enumerate(compared.systems):
            row = [outputs.name, system, *(repr(float(values[s])) for values in outputs.parts.values())]
            for comparison in compared.comparisons:
                worse = [compared.systems[o] for o in range(len(compared.systems)) if comparison.better[s, o]]
                row += [_score(float(comparison.scores[s]), comparison.metric, exact=True), names_cell(worse)]
            rows.append(tuple(Cell(cell) for cell in row))
    first = result.outputs[0]
    names = headings(tuple(comparison.metric for comparison in first.compared.comparisons), arrows=False)
    header = ["sentences", "objective", *first.parts]
    for name in names:
        header += [name, f"{name} better than"]
    return Table(tuple(header), tuple(rows), n_labels=2).tsv()


def objective_weights_table(result: ObjectivesResult) -> Table:
    """A row per feature, a column per objective."""
    rows = tuple(
        (Cell(name), *(Cell(f"{tuned.weights[name]:.4f}") for tuned in result.tuned))
        for name in result.tuned[0].weights
    )
    return Table(("feature", *(str(tuned.metric) for tuned in result.tuned)), rows)


def preferences_table(preferences: PreferenceShares) -> Table:
    """How often the system of a column was better than that of a row, with p; marked where it was more often so."""
    systems = range(len(preferences.systems))
    rows = []
    for y in systems:
        row = [Cell(preferences.systems[y])]
        for x in systems:
            share = float(preferences.shares[x, y])
            told = "–" if isnan(share) else f"{share:.2f} (p {p_value(float(preferences.p[x, y]), exact=False)})"
            row.append(Cell(told, best=share > float(preferences.shares[y, x])))
        rows.append(tuple(row))
    return Table(("", *preferences.systems), tuple(rows))


def part_text(name: str, value: float) -> str:
    """A part of BLEU."""
    return f"{value:.4f}" if name == "LR" else f"{value:.2f}"


def _outputs_title(result: ObjectivesResult, outputs: Outputs) -> str:
    tuned = result.tuned[0]
    what = "tuned on" if outputs.name == "training" else "held out"
    return f"{counted(outputs.n_segments, 'sentence')} {what}, {_how(tuned.optimiser, tuned.options)}."


def _outputs_note(outputs: Outputs) -> str:
    compared = outputs.compared
    return (
        f"* best; letters: rows than which it is significantly better ({compared.procedure.title}, "
        f"{compared.procedure.draws:,} draws, level {compared.level:g}). Parts of {outputs.bleu}."
    )


def _preferences_title(preferences: PreferenceShares) -> str:
    return (
        "How often people preferred the system of the column to that of the row, and p of the paired bootstrap over "
        f"judgements ({preferences.draws:,} draws)."
    )
