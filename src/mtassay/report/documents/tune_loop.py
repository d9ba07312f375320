"""A tuned decoder: ``tune --decoder``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.document import Cell, Document, Notes, Records, Sentence, Table, table
from mtassay.report.documents.tune import gain, precise, search, weight_table
from mtassay.report.wording import headings
from mtassay.tuning.loop import REASONS

if TYPE_CHECKING:
    from mtassay.metrics.core.metric import Metric
    from mtassay.report.document import Block
    from mtassay.tuning.loop import Iteration, LoopResult


def document(result: LoopResult) -> Document:
    """A row per iteration, why the loop ended, and the best weights; records have the iterations."""
    headline = (
        f"{gain(result.metric, result.iterations[0].score, result.best.score)} · "
        f"{search(result.optimiser, result.options)} · {counted(result.n_segments, 'segment')}"
    )
    end = (
        f"Ended after {counted(len(result.iterations), 'iteration')}: {REASONS[result.reason]}. "
        f"Weights of iteration {result.best.number}:"
    )
    blocks: list[Block] = [Sentence(headline), _iteration_table(result)]
    last = result.iterations[-1]
    if 2 * last.n_misplaced > result.n_segments:
        warning = (
            f"In {last.n_misplaced} of {counted(result.n_segments, 'segment')} the list begins with another candidate "
            "than its weights choose: does the decoder read {weights}, and are its scores sums of weighted features?"
        )
        blocks.append(Notes((warning,)))
    blocks += [Sentence(end), weight_table(result.weights)]
    return Document("tuned decoder", tuple(blocks), lambda: _records(result), result.to_dict)


def iteration_line(iteration: Iteration, metric: Metric) -> str:
    """One line about an iteration, shown while the loop runs."""
    return (
        f"iteration {iteration.number}: {metric.label} {precise(iteration.score, metric)}, "
        f"{counted(iteration.n_new, 'new candidate')}"
    )


def _iteration_table(result: LoopResult) -> Table:
    """The decoder's score with the weights of each iteration, and the score expected of the next."""
    metric = result.metric
    rows: list[list[str | Cell]] = [
        [
            str(iteration.number),
            Cell(precise(iteration.score, metric), best=iteration is result.best),
            str(iteration.n_candidates),
            str(iteration.n_new),
            "" if iteration.predicted is None else precise(iteration.predicted, metric),
        ]
        for iteration in result.iterations
    ]
    return table(["iteration", *headings((metric,)), "candidates", "new", "expected next"], rows)


def _records(result: LoopResult) -> Records:
    rows = [(one.number, one.score, one.n_candidates, one.n_new, one.predicted) for one in result.iterations]
    return Records(("iteration", "score", "n_candidates", "n_new", "predicted"), rows)
