"""A learned metric on other test sets and systems: ``learn study sets`` and ``learn study systems``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.equality import best_first
from mtassay.report.document import Cell, Document, Notes, Records, Sentence, Table, table
from mtassay.report.wording import share

if TYPE_CHECKING:
    from mtassay.learn.generalise import CrossResult


def document(result: CrossResult) -> Document:
    """A row per test set or system, a column per metric; records have a row for each combination."""
    title = (
        f"trained on {result.trained_on}: Spearman's ρ, mean of {len(result.trials[0].by_output):,} resamples of "
        "outputs"
    )
    note = "= not significantly different from the best by the paper's paired t-test (99.8 %)"
    blocks = (Sentence(title), _table(result), Notes((note,)))
    mark = f"best of a {result.title}"
    return Document("other test sets and systems", blocks, lambda: _records(result), result.to_dict, mark)


def _table(result: CrossResult) -> Table:
    rows: list[list[str | Cell]] = []
    for place, name in enumerate(result.rows):
        found, comparable = result.trials[place], result.comparable(place)
        best = best_first(found.values)[0]
        cells = [
            Cell(
                share(found.in_paper(metric)) + ("=" if comparable[metric] and metric != best else ""),
                best=metric == best,
            )
            for metric in range(len(result.columns))
        ]
        rows.append([name, *cells])
    return table([result.title, *result.columns], rows)


def _records(result: CrossResult) -> Records:
    """A row per test set or system and metric."""
    names = ("correlation", "interval", "mean_of_trials", "comparable_to_best")
    rows = []
    for row in result.to_dict()["rows"]:
        for metric, *values in zip(result.columns, *(row[name] for name in names), strict=True):
            correlation, interval, mean, comparable = values
            rows.append((row["name"], metric, correlation, *interval, mean, comparable))
    header = ("metric", "correlation", "low", "high", "mean_of_trials", "comparable_to_best")
    return Records((result.title.replace(" ", "_"), *header), rows)
