"""Pictures of metrics beside people: what is in them, and where."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection

from mtassay import TestSet, evaluate_metrics
from mtassay.data.judgements import Scores
from mtassay.errors import InputError
from mtassay.report import plots
from mtassay.report.plots import metric_bars, metric_heatmap, metric_scatter, style

if TYPE_CHECKING:
    from pathlib import Path

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
        system,
        values.ravel(),
        "da",
        np.full(values.size, ""),
    )
    return TestSet([references], systems), scores


@pytest.fixture(scope="module")
def one() -> MetaEvaluation:
    return evaluate_metrics(
        {"xx-en": judged(30)}, ["bleu", "ter"], coefficients=["pearson", "spearman"], test="williams", draws=50
    )


@pytest.fixture(scope="module")
def several() -> MetaEvaluation:
    directions = {"xx-en": judged(6), "yy-en": judged(5, seed=4)}
    return evaluate_metrics(directions, ["bleu", "chrf", "ter"], coefficients=["pearson"], test="perm-both", draws=50)


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


def test_names_are_near_their_dots() -> None:
    across, up = np.random.default_rng(1).uniform(0.2, 2.0, (2, 30))
    boxes = metric_scatter._names(["system"] * 30, across, up, (2.75, 2.2))
    for (left, bottom, right, top), x, y in zip(boxes, across, up, strict=True):
        assert np.hypot(x - np.clip(x, left, right), y - np.clip(y, bottom, top)) < 1.5


def test_bars_are_as_long_as_the_coefficients(one: MetaEvaluation, several: MetaEvaluation) -> None:
    for ax, name in zip(drawn("bars", one).axes, one.coefficients, strict=True):
        values = one.directions[0].coefficient(name).values[list(one.ranked)]
        assert [bar.get_width() for bar in ax.patches] == values.tolist()
    figure = drawn("bars", several)
    assert len(figure.axes) == 3
    assert [bar.get_width() for bar in figure.axes[2].patches] == several.averages[0].values[
        list(several.ranked)
    ].tolist()


def test_heat_map_has_a_cell_for_each_pair_of_metrics(several: MetaEvaluation, one: MetaEvaluation) -> None:
    for ax in drawn("heatmap", several).axes:
        cells = [part for part in ax.collections if isinstance(part, PathCollection)]
        assert sum(len(part.get_paths()[0]) // 5 for part in cells) == 3 * 2


def test_heat_map_needs_p_values() -> None:
    result = evaluate_metrics({"xx-en": judged(5)}, ["bleu", "ter"], coefficients=["pearson"], draws=20)
    with pytest.raises(InputError, match="take a test that has them"):
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
    for ending, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        path = tmp_path / f"picture.{ending}"
        several.plot(path, kind=kind)
        content = path.read_bytes()
        assert content.startswith(start)
        several.plot(path, kind=kind)
        assert path.read_bytes() == content


def test_unknown_kinds_are_refused(several: MetaEvaluation, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no picture named 'bar'; did you mean 'bars'"):
        several.plot(tmp_path / "x.svg", kind="bar")
