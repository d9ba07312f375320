"""P-values of all pairs of metrics: one panel per direction, metrics from best to worst."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError
from mtassay.report.plots.heatmap import cells, legend, square
from mtassay.report.plots.page import page
from mtassay.report.wording import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from mtassay.types import Floats
    from mtassay.verbs.metaeval.metric_tests import MetricTest
    from mtassay.verbs.metaeval.result import Direction, MetaEvaluation


def draw(result: MetaEvaluation) -> Figure:
    """Draw the p-values of a meta-evaluation."""
    shown = list(_tested(result))
    titles = [direction.name for direction, _, _ in shown]
    direction, tested, _ = shown[0]
    caption = (
        "Cells: p-value of the test that the metric of the row agrees better with human judgements than that of the "
        f"column; {direction.coefficient(tested.coefficient).title}, {tested.test}, {result.level} level, "
        f"α = {plain(result.alpha)}."
    )
    figure, axes = page(titles, square(result.names), caption=caption, legend=legend(result.alpha))
    for ax, (direction, tested, p) in zip(axes, shown, strict=True):
        order = direction.coefficient(tested.coefficient).order
        without_diagonal = np.where(np.eye(len(order), dtype=bool), np.nan, p[np.ix_(order, order)])
        cells(ax, without_diagonal, [direction.names[m] for m in order], alpha=result.alpha)
    return figure


def _tested(result: MetaEvaluation) -> Iterator[tuple[Direction, MetricTest, Floats]]:
    """Each direction, its test and the p-values."""
    for direction in result.directions:
        tested = direction.tested
        if tested is None or tested.p is None:
            raise InputError(
                "the heat map shows p-values between metrics: choose a test that gives p-values, such as perm-both"
            )
        yield direction, tested, tested.p
