"""Pictures of metrics beside people: what is in them, and where."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from plot_files import check_files

pytest.importorskip("matplotlib")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.patches import Rectangle

from mtassay import TestSet, metaeval
from mtassay.data.judgements import Preferences, Scores
from mtassay.errors import InputError
from mtassay.report import plots
from mtassay.report.plots import metric_bars, metric_heatmap, metric_scatter, style

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.verbs.metaeval.result import MetaEvaluation

MODULES = {"scatter": metric_scatter, "bars": metric_bars, "heatmap": metric_heatmap}


def judged(n_systems: int, n_segments: int = 20, seed: int = 3) -> tuple[TestSet, Scores]:
    """Systems that lose more and more words, with human scores that fall with some noise."""
    rng = np.random.default_rng(seed)
    references = [" ".join(map(str, rng.integers(0, 500, 12))) for _ in range(n_segments)]
    names = [f"uedin-heafield-unconstrained.{2700 + number}" for number in range(n_systems)]
    rates = np.linspace(0.05, 0.6, n_systems)
    systems = {
        name: [" ".join(word for word in text.split() if rng.random() > rate) for text in references]
        for name, rate in zip(names, rates, strict=True)
    }
    values = 100 * (1 - rates)[:, None] + rng.normal(0, 8, (n_systems, n_segments))
    system, segment = (index.ravel() for index in np.indices(values.shape))
    scores = Scores(
        tuple(names),
        tuple(str(number + 1) for number in range(n_segments)),
        ("",),
        segment,
        np.zeros_like(segment),
        system=system,
        score=values.ravel(),
        aspect="da",
        item=np.full(values.size, ""),
    )
    return TestSet([references], systems), scores


@pytest.fixture(scope="module")
def one() -> MetaEvaluation:
    testset, scores = judged(30)
    return metaeval(
        {"xx-en": testset},
        judgements=scores,
        metrics=["bleu", "ter"],
        correlation=["pearson", "spearman"],
        test="williams",
        resamples=50,
    )


@pytest.fixture(scope="module")
def several() -> MetaEvaluation:
    directions = {"xx-en": judged(6), "yy-en": judged(5, seed=4)}
    testsets = {name: testset for name, (testset, _) in directions.items()}
    judgements = {name: scores for name, (_, scores) in directions.items()}
    return metaeval(
        testsets,
        judgements=judgements,
        metrics=["bleu", "chrf", "ter"],
        correlation=["pearson"],
        test="perm-both",
        resamples=50,
    )


@cache
def drawn(kind: str, result: MetaEvaluation) -> Figure:
    with style.applied():
        figure: Figure = MODULES[kind].draw(result)
    return figure


def test_scatter_has_a_dot_and_a_name_for_each_system(one: MetaEvaluation, several: MetaEvaluation) -> None:
    assert [len(ax.texts) for ax in drawn("scatter", one).axes] == [30, 30]
    figure = drawn("scatter", several)
    assert sorted(len(ax.texts) for ax in figure.axes) == [5, 5, 5, 6, 6, 6]
    (direction, *_), ax = several.directions, figure.axes[0]
    m = direction.names.index(several.names[several.ranked[0]])
    assert np.array_equal(ax.lines[0].get_xdata(), direction.gold_scores)
    assert np.array_equal(ax.lines[0].get_ydata(), direction.metric_scores[m])


def test_error_rates_are_turned_around(one: MetaEvaluation) -> None:
    figure = drawn("scatter", one)
    titles = [one.names[m] for m in one.ranked]
    rising = {title: ax.get_ylim()[0] < ax.get_ylim()[1] for title, ax in zip(titles, figure.axes, strict=True)}
    assert rising == {"BLEU": True, "TER": False}


def test_axes_name_the_human_score() -> None:
    testset, scores = judged(3)
    for judgements, gold, label in [
        (scores, "mean", "human score: DA, mean"),
        (replace(scores, aspect="mqm"), "mean", "human score: MQM, mean"),
        (replace(scores, aspect="fluency", judges=("judge",)), "z", "human score: fluency, z"),
    ]:
        result = metaeval({"xx-en": testset}, judgements=judgements, metrics=["bleu"], gold=gold, resamples=20)
        assert drawn("scatter", result).axes[0].get_xlabel() == label
    zeros = np.zeros(2, dtype=int)
    pairs = Preferences(
        scores.systems,
        scores.segments,
        ("",),
        zeros,
        zeros,
        first=np.array([0, 1]),
        second=np.array([1, 2]),
        outcome=np.array([1, 1]),
        item=zeros,
    )
    for gold, label in [("expected-wins", "expected wins"), ("bradley-terry", "Bradley–Terry")]:
        result = metaeval({"xx-en": testset}, judgements=pairs, metrics=["bleu"], gold=gold, resamples=20)
        assert drawn("scatter", result).axes[0].get_xlabel() == f"human score: {label}"


def _bars(ax: Axes) -> list[Rectangle]:
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def ends(ax: Axes) -> list[float]:
    return [bar.get_x() + bar.get_width() for bar in _bars(ax)]


def test_bars_end_at_the_coefficients(one: MetaEvaluation, several: MetaEvaluation) -> None:
    for ax, name in zip(drawn("bars", one).axes, one.coefficients, strict=True):
        assert ends(ax) == pytest.approx(one.directions[0].coefficient(name).values[list(one.ranked)])
    figure = drawn("bars", several)
    assert len(figure.axes) == 3
    assert ends(figure.axes[2]) == pytest.approx(several.averages[0].values[list(several.ranked)])


def test_bars_begin_near_high_coefficients(one: MetaEvaluation) -> None:
    figure = drawn("bars", one)
    for ax, name in zip(figure.axes, one.coefficients, strict=True):
        intervals = one.directions[0].coefficient(name).intervals
        assert intervals is not None
        (start,) = {bar.get_x() for bar in _bars(ax)}
        assert 0.5 < start < intervals.min()
        assert ax.get_xlim()[0] == pytest.approx(start)
        assert ax.get_xticks()[0] == pytest.approx(start)
    assert "Scales do not begin at 0." in " ".join(text.get_text() for text in figure.texts).replace("\n", " ")


def test_bars_of_either_sign_begin_at_0(one: MetaEvaluation) -> None:
    first = one.directions[0].coefficient("pearson")
    turned = replace(first, values=first.values * [1, -1], drawn=None)
    assert list(metric_bars._ticks(turned)) == [0.0]


def test_heat_map_has_a_cell_for_each_pair_of_metrics(several: MetaEvaluation, one: MetaEvaluation) -> None:
    for ax in drawn("heatmap", several).axes:
        cells = [part for part in ax.collections if isinstance(part, PathCollection)]
        assert sum(len(part.get_paths()[0]) // 5 for part in cells) == 3 * 2


def test_heat_map_needs_p_values() -> None:
    testset, scores = judged(5)
    result = metaeval(
        {"xx-en": testset}, judgements=scores, metrics=["bleu", "ter"], correlation=["pearson"], resamples=20
    )
    with pytest.raises(InputError, match="choose a test that gives p-values, such"):
        drawn("heatmap", result)


@pytest.mark.parametrize("kind", plots.PLOTS["metaeval"])
@pytest.mark.parametrize("size", ["one", "several"])
def test_no_text_is_cut_or_runs_into_another(kind: str, size: str, request: pytest.FixtureRequest) -> None:
    figure = drawn(kind, request.getfixturevalue(size))
    with style.applied():
        renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
        figure.draw(renderer)
    for ax in figure.axes:
        boxes = [text.get_window_extent(renderer) for text in [*ax.texts, *ax.get_yticklabels()] if text.get_text()]
        assert not any(first.overlaps(second) for first, second in combinations(boxes, 2))
        width, height = figure.bbox.width, figure.bbox.height
        inside = [0 <= box.x0 <= box.x1 <= width and 0 <= box.y0 <= box.y1 <= height for box in boxes]
        assert all(inside[: len(ax.texts)])


@pytest.mark.parametrize("kind", plots.PLOTS["metaeval"])
def test_files(several: MetaEvaluation, tmp_path: Path, kind: str) -> None:
    check_files(several, kind, tmp_path)


def test_unknown_kinds_are_refused(several: MetaEvaluation, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no plot named 'bar'; did you mean 'bars'"):
        several.plot(tmp_path / "x.svg", kind="bar")
