"""P-values of human judgements for all pairs of systems (Figure 7 of Graham et al. 2014).

Systems are sorted from best to worst; columns are named by rank. If adequacy and fluency were judged, each has a panel,
and a third one combines them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import counted
from mtassay.report.plots.heatmap import beside, cells, legend, square
from mtassay.report.plots.page import page
from mtassay.report.plots.style import capital
from mtassay.report.wording import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mtassay.judging.pairwise_tests import HumanTests
    from mtassay.verbs.conclusions import ConclusionTable


def draw(result: ConclusionTable) -> Figure:
    """Draw the human judgements behind a table of conclusions."""
    return draw_tests(result.people, max(result.alphas))


def draw_tests(tests: HumanTests, alpha: float) -> Figure:
    """Draw tests on human judgements."""
    panels = {"Humans": tests.p}
    if tests.fluency is not None:
        panels = {"Adequacy": tests.p, "Fluency": tests.fluency, "Combined": tests.p_at(alpha)}
    # Systems without a score come last.
    order = np.argsort(-np.nan_to_num(tests.scores, nan=-np.inf), kind="stable")
    names = [tests.systems[system] for system in order]
    caption = (
        "Cells: p-value of the test that the system of the row is better than that of the column. "
        f"{capital(tests.title)}, {counted(tests.n_judgements, 'judgement')}, α = {plain(alpha)}."
    )
    figure, axes = page(
        list(panels),
        beside(len(names)),
        caption=caption,
        legend=legend(alpha),
        columns=len(panels),
        indent=square(names).left,
    )
    for number, (ax, p) in enumerate(zip(axes, panels.values(), strict=True)):
        cells(ax, p[np.ix_(order, order)], names, alpha=alpha, named=number == 0)
    return figure
