"""Pictures of rankings by people: what is in them, and where."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from plot_files import check_files

pytest.importorskip("matplotlib")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.patches import FancyBboxPatch

from mtassay.data.judgements import Preferences, Scores
from mtassay.errors import InputError
from mtassay.report import plots
from mtassay.report.plots import human_heatmap, human_ranks, style
from mtassay.verbs.humans import HumansResult, humans

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


def preferences(n_systems: int, per_pair: int) -> Preferences:
    """Each pair compared so often; neighbours win against each other about as often as they lose."""
    rng = np.random.default_rng(5)
    pairs = np.repeat(np.array(list(combinations(range(n_systems), 2))), per_pair, axis=0)
    chance = 1 / (1 + np.exp((pairs[:, 0] - pairs[:, 1]) * 0.35))
    outcome = np.where(rng.random(len(pairs)) < chance, 1, -1)
    item = np.arange(len(pairs))
    names = tuple(f"uedin-heafield-unconstrained.{2700 + number}" for number in range(n_systems))
    zeros = np.zeros_like(item)
    return Preferences(
        names, ("1",), ("",), zeros, zeros, first=pairs[:, 0], second=pairs[:, 1], outcome=outcome, item=item
    )


def scores(aspect: str, gaps: list[float], n_segments: int = 40) -> Scores:
    rng = np.random.default_rng(6)
    values = np.array(gaps)[:, None] + rng.normal(0, 1, (len(gaps), n_segments))
    system, segment = (index.ravel() for index in np.indices(values.shape))
    names, segments = tuple("abcdefgh"[: len(gaps)]), tuple(map(str, range(n_segments)))
    return Scores(
        names,
        segments,
        ("",),
        segment,
        np.zeros_like(segment),
        system=system,
        score=values.ravel(),
        aspect=aspect,
        item=np.full(values.size, ""),
    )


@pytest.fixture(scope="module")
def many() -> HumansResult:
    return humans(preferences(30, 90), resamples=100)


@pytest.fixture(scope="module")
def two() -> HumansResult:
    return humans([scores("adequacy", [0.9, 0.0, 0.0]), scores("fluency", [0.0, 1.2, 0.0])], resamples=100)


def cells_of(figure: Figure, panel: int) -> int:
    collections = [one for one in figure.axes[panel].collections if isinstance(one, PathCollection)]
    return sum(len(one.get_paths()[0]) // 5 for one in collections)


def test_heat_map_has_a_cell_for_each_pair(many: HumansResult, two: HumansResult) -> None:
    with style.applied():
        assert cells_of(human_heatmap.draw(many), 0) == 30 * 29 // 2
        figure = human_heatmap.draw(two)
    assert [cells_of(figure, panel) for panel in range(3)] == [6, 6, 6]


def test_dots_are_where_fluency_decides(two: HumansResult) -> None:
    assert two.combined is not None
    with style.applied():
        figure = human_heatmap.draw(two)
    (line,) = figure.axes[2].lines
    order = two.aspects[0].order
    found = {(order[int(y)], order[int(x)]) for x, y in np.asarray(line.get_xydata())}
    first, second = (aspect.clustering.better for aspect in two.aspects)
    told = {(x, y) for x in range(3) for y in range(3) if second[x, y] and not first[x, y] and not first[y, x]}
    assert found == told
    assert told


def test_a_box_for_each_cluster(many: HumansResult) -> None:
    clusters = many.aspects[0].clustering.clusters
    assert len(clusters) <= 30
    with style.applied():
        (ax,) = human_ranks.draw(many).axes
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == len(clusters)
    assert all(box.get_x() + box.get_width() <= ax.get_xlim()[1] for box in boxes)


def test_more_clusters_than_systems_are_left_out() -> None:
    sparse = humans(preferences(20, 8), resamples=60)
    assert len(sparse.aspects[0].clustering.clusters) > 20
    with style.applied():
        figure = human_ranks.draw(sparse)
    assert not figure.axes[0].patches
    assert "Boxes" not in " ".join(text.get_text() for text in figure.texts)
    assert "more than systems" in str(sparse)


@pytest.mark.parametrize("kind", plots.PLOTS["humans"])
def test_no_text_is_cut_or_runs_into_another(many: HumansResult, two: HumansResult, kind: str) -> None:
    module = {"ranks": human_ranks, "heatmap": human_heatmap}[kind]
    for result in (many, two):
        with style.applied():
            figure = module.draw(result)
            renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
            figure.draw(renderer)
        width, height = figure.bbox.width, figure.bbox.height
        for ax in figure.axes:
            boxes = [label.get_window_extent(renderer) for label in ax.get_yticklabels()]
            boxes += [text.get_window_extent(renderer) for text in ax.texts]
            assert all(0 <= box.x0 <= box.x1 <= width and 0 <= box.y0 <= box.y1 <= height for box in boxes)
            assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


@pytest.mark.parametrize("kind", plots.PLOTS["humans"])
def test_files(two: HumansResult, tmp_path: Path, kind: str) -> None:
    check_files(two, kind, tmp_path)


def test_unknown_kinds_are_refused(two: HumansResult, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no plot named 'rank'; did you mean 'ranks'"):
        two.plot(tmp_path / "x.svg", kind="rank")
