"""Pictures: what is in them, that they can be read, and that the same result is the same file."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, StepPatch
from matplotlib.text import Text

from mtassay.errors import InputError, MissingExtraError
from mtassay.judging.pairwise_tests import HumanTests
from mtassay.report import plots
from mtassay.report.plots import clusters, distribution, heatmap, style, sweep
from mtassay.verbs.agreement_of_tests import AllTests
from mtassay.verbs.compare import compare
from mtassay.verbs.rank import ALPHAS, rank

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.verbs.rank import RankResult

ALL_KINDS = [(verb, kind) for verb in ("compare", "rank") for kind in plots.PLOTS[verb]]


def texts(names: list[str], n_segments: int, *, rates: list[float]) -> tuple[list[str], dict[str, list[str]]]:
    draw = random.Random(7)
    words = [f"w{number}" for number in range(300)]
    reference = [" ".join(draw.choices(words, k=12)) for _ in range(n_segments)]
    systems = {
        name: [
            " ".join(word if draw.random() > rate else draw.choice(words) for word in text.split())
            for text in reference
        ]
        for name, rate in zip(names, rates, strict=True)
    }
    return reference, systems


@pytest.fixture(scope="module")
def small() -> RankResult:
    reference, systems = texts(["good", "fair", "poor", "a_b$c$"], 60, rates=[0.1, 0.2, 0.5, 0.2])
    return rank([reference], systems, metrics=["bleu", "chrf", "ter"], resamples=300)


@pytest.fixture(scope="module")
def many() -> RankResult:
    names = [f"uedin-heafield-unconstrained.{2700 + number}" for number in range(30)]
    reference, systems = texts(names, 100, rates=[0.2 + 0.01 * (number % 16) for number in range(30)])
    return rank([reference], systems, metrics=["bleu", "ter"], resamples=200)


def figure_of(kind: str, result: RankResult) -> Figure:
    compared = result.compared
    p = compared.comparisons[0].p
    people = HumanTests(
        systems=compared.systems,
        kind="rank-sum",
        scores=compared.comparisons[0].scores,
        p=p,
        fluency=p.T,
        counts=np.eye(len(p), dtype=int),
        dropped=(),
    )
    arguments: dict[str, list[Any]] = {
        "tests": [AllTests((compared,) * 3)],
        "distributions": [AllTests((compared,) * 3)],
        "clusters": [result],
        "sweep": [result],
        "people": [people, 0.05],
    }
    home = {"tests": "heatmap", "distributions": "distribution", "people": "conclusion_humans"}.get(kind, kind)
    module = import_module(f"mtassay.report.plots.{home}")
    draw = module.draw_tests if kind == "people" else module.draw
    figure: Figure = draw(*arguments.get(kind, [compared]))
    return figure


def save(verb: str, kind: str, result: RankResult, path: Path) -> bytes:
    plots.draw(result if verb == "rank" else result.compared, path, kind=kind)
    return path.read_bytes()


def words_of(svg: bytes) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


# Every kind, every format


@pytest.mark.parametrize(("verb", "kind"), ALL_KINDS)
@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")])
def test_every_kind_in_every_format_whatever_the_users_settings(
    verb: str,
    kind: str,
    ending: str,
    start: bytes,
    small: RankResult,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(mpl.rcParams, "font.size", 20)
    monkeypatch.setitem(mpl.rcParams, "lines.linewidth", 5)
    before = dict(mpl.rcParams)
    content = save(verb, kind, small, tmp_path / f"picture.{ending}")
    assert content.startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [f"picture.{ending}"]
    assert dict(mpl.rcParams) == before
    monkeypatch.undo()
    # All formats are drawn with the same settings; to draw in one of them again is enough, and SVG is the fastest.
    if ending == "svg":
        assert save(verb, kind, small, tmp_path / "again.svg") == content


def test_files_are_the_same_in_every_process(tmp_path: Path) -> None:
    script = """
import sys
from mtassay.verbs.rank import rank
result = rank([["a b c d", "e f g h"]], {"x": ["a b c d", "e f g h"], "y": ["a b c", "f g"]}, metrics=["ter", "chrf"])
result.plot(sys.argv[1] + "clusters.pdf")
result.compared.plot(sys.argv[1] + "heatmap.svg", kind="heatmap")
assert "matplotlib.pyplot" not in sys.modules
"""
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": seed, "MPLBACKEND": "TkAgg"}
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)
        subprocess.run([sys.executable, "-c", script, f"{tmp_path}/{seed}-"], check=True, env=environment)
    names = {path.name[2:] for path in tmp_path.iterdir()}
    assert len(names) == 2
    for name in names:
        assert (tmp_path / f"1-{name}").read_bytes() == (tmp_path / f"2-{name}").read_bytes(), name


# What is in them


@pytest.mark.parametrize(("verb", "kind"), [pair for pair in ALL_KINDS if pair[1] not in {"distribution", "sweep"}])
def test_names_scores_and_metrics_are_text(verb: str, kind: str, small: RankResult, tmp_path: Path) -> None:
    words = words_of(save(verb, kind, small, tmp_path / "picture.svg"))
    for name in small.systems:
        assert sum(name in word for word in words) == len(small.metrics)
    assert {"BLEU", "chrF2", "TER ↓"} <= set(words)
    assert any("0.05" in word or "95 %" in word for word in words)
    if kind in {"intervals", "clusters"}:
        shown = [f"{score:.1f}" for score in small.compared.comparisons[0].scores]
        assert all(score in words for score in shown)


@pytest.mark.parametrize(
    ("test", "sides"), [("ar", 2), ("ar", 1), ("bs", 2), ("bs", 1), ("pbs", 1), ("riezler-maxwell", 2), ("multeval", 2)]
)
def test_distribution_shows_what_the_test_counted(test: str, sides: int, tmp_path: Path) -> None:
    reference, systems = texts(["x", "y", "z"], 80, rates=[0.30, 0.31, 0.5])
    result = compare([reference], systems, metrics=["bleu", "ter"], test=test, sides=sides, resamples=400)
    found = result.pseudo_statistics("x", "y")
    for one, comparison in zip(found, result.comparisons, strict=True):
        assert one.p == comparison.p[0, 1]
        assert one.observed == pytest.approx(comparison.metric.sign * (comparison.scores[0] - comparison.scores[1]))
        assert (one.extreme.sum() + 1) / 401 == one.p
    result.plot(tmp_path / "picture.svg", kind="distribution", pair=("x", "y"))
    words = words_of((tmp_path / "picture.svg").read_bytes())
    observed = abs(found[0].observed) if test == "riezler-maxwell" else found[0].observed
    assert any(f"= {observed:.3g}".replace("-", "−") in word for word in words)
    assert f"c = {found[0].extreme.sum()}, p = {found[0].p:.2g}" in words
    assert any(word.startswith("X: x. Y: y. ") for word in words)


def test_bins_have_all_draws_and_an_edge_at_the_difference(small: RankResult) -> None:
    with style.applied():
        figure = distribution.draw(small.compared, ("good", "poor"))
    for ax, found in zip(figure.axes, small.compared.pseudo_statistics("good", "poor"), strict=True):
        drawn, extreme = (patch.get_data() for patch in ax.patches if isinstance(patch, StepPatch))
        (values, edges, _), (extreme_values, *_) = drawn, extreme
        assert values.sum() == 300
        assert extreme_values.sum() == found.extreme.sum()
        assert np.abs(edges - found.observed).min() < 1e-6


def test_distribution_is_of_the_two_best_systems_by_default(small: RankResult, tmp_path: Path) -> None:
    small.compared.plot(tmp_path / "picture.svg", kind="distribution")
    best = [small.systems[s] for s in small.compared.comparisons[0].ranked[:2]]
    assert any(f"X: {best[0]}. Y: {best[1]}." in word for word in words_of((tmp_path / "picture.svg").read_bytes()))


def test_pseudo_statistics_of_documents_and_runs() -> None:
    reference, systems = texts(["x.opt1", "x.opt2", "y.opt1", "y.opt2"], 60, rates=[0.2, 0.22, 0.25, 0.27])
    result = compare([reference], systems, metrics=["bleu"], runs=r"\.opt\d$", resamples=200)
    assert result.n_runs == 2
    assert result.pseudo_statistics("y", "x")[0].p == result.comparisons[0].p[1, 0]


def test_heatmap_has_a_cell_for_each_pair(small: RankResult) -> None:
    with style.applied():
        figure = heatmap.draw(small.compared)
    for ax, comparison in zip(figure.axes, small.compared.comparisons, strict=True):
        order = comparison.ranked
        expected = {(x, y) for y in range(4) for x in range(y + 1, 4)}
        dark = {(x, y) for x, y in expected if comparison.better[order[y], order[x]]}
        found: dict[tuple[int, int], Any] = {}
        for cells in ax.collections:
            for corners in np.asarray(cells.get_paths()[0].vertices).reshape(-1, 5, 2):
                x, y = corners.min(axis=0).round().astype(int).tolist()
                found[x, y] = cells.get_facecolor()[0]
        assert set(found) == expected
        assert {place for place, color in found.items() if tuple(color[:3]) != (1, 1, 1)} == dark


def test_heatmap_of_a_baseline_shows_only_what_was_tested() -> None:
    reference, systems = texts(["x", "y", "z"], 40, rates=[0.1, 0.2, 0.3])
    result = compare([reference], systems, metrics=["chrf"], resamples=100, baseline="y")
    with style.applied():
        n_cells = sum(len(cells.get_paths()[0]) // 5 for cells in heatmap.draw(result).axes[0].collections)
    assert n_cells == 2


def test_tests_side_by_side(small: RankResult, tmp_path: Path) -> None:
    reference, systems = texts(["x", "y", "z"], 40, rates=[0.1, 0.2, 0.3])
    results = [
        compare([reference], systems, metrics=["bleu", "ter"], test=t, resamples=100) for t in ("pbs", "bs", "ar")
    ]
    AllTests(tuple(results)).plot(tmp_path / "tests.svg")
    words = words_of((tmp_path / "tests.svg").read_bytes())
    assert {"Paired bootstrap", "Bootstrap", "Approximate randomisation"} <= set(words)
    assert words.count("BLEU") == words.count("TER ↓") == 3
    for wrong in ([], [results[0], small.compared]):
        with pytest.raises(InputError):
            AllTests(tuple(wrong)).plot(tmp_path / "wrong.svg")


def test_cluster_boxes_hold_their_members(many: RankResult) -> None:
    with style.applied():
        figure = clusters.draw(many)
    for ax, clustering in zip(figure.axes, many.clusterings, strict=True):
        heights = {text.get_text(): text.get_position()[1] for text in ax.texts if text.get_text() in many.systems}
        boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
        dots = [line for line in ax.lines if line.get_marker() == "o"]
        assert len(boxes) == len(dots) == len(clustering.clusters)
        for box, dot, members in zip(boxes, dots, clustering.clusters, strict=True):
            of_dots = np.asarray(dot.get_ydata())
            assert of_dots.tolist() == [heights[many.systems[s]] for s in members]
            assert box.get_y() < of_dots.min() <= of_dots.max() < box.get_y() + box.get_height()
        order = sorted(many.systems, key=lambda name: -heights[name])
        assert order == [many.systems[s] for s in sorted(range(30), key=lambda s: (-clustering.scores[s], s))]


@pytest.mark.parametrize("seed", range(20))
def test_names_move_apart_as_little_as_needed(seed: int) -> None:
    heights = np.random.default_rng(seed).beta(0.5, 2, size=12) * 9 + 0.5
    moved = clusters._apart(heights, 0.6, 10.0)
    order = np.argsort(heights)
    assert (np.diff(moved[order]) > 0.6 - 1e-9).all()
    assert moved.min() >= 0.3 - 1e-9
    assert moved.max() <= 9.7 + 1e-9
    # No small step that keeps the distances brings the names nearer to their scores.
    total = ((moved - heights) ** 2).sum()
    for first in range(12):
        for last in range(first, 12):
            for step in (-1e-4, 1e-4):
                tried = moved.copy()
                tried[order[first : last + 1]] += step
                inside = tried.min() >= 0.3 and tried.max() <= 9.7
                if inside and (np.diff(tried[order]) >= 0.6).all():
                    assert ((tried - heights) ** 2).sum() >= total


def test_sweep_shows_agreement_and_numbers_of_clusters(small: RankResult) -> None:
    with style.applied():
        figure = sweep.draw(small)
    assert len(figure.axes) == 4
    swept = small.sweep()
    lines = [line for line in figure.axes[0].lines if np.size(line.get_xdata()) == len(ALPHAS)]
    assert [np.asarray(line.get_ydata()).tolist() for line in lines] == [
        [at.n_clusters[m] for at in swept] for m in range(3)
    ]
    lines = [line for line in figure.axes[1].lines if np.size(line.get_xdata()) == len(ALPHAS)]
    assert [np.asarray(line.get_ydata()).tolist() for line in lines] == [
        [at.similarities[0, m] for at in swept] for m in (1, 2)
    ]


@pytest.mark.parametrize(("metrics", "n_panels"), [(["bleu"], 1), (["bleu", "ter"], 2)])
def test_sweep_of_few_metrics(metrics: list[str], n_panels: int) -> None:
    reference, systems = texts(["x", "y", "z"], 40, rates=[0.1, 0.2, 0.3])
    with style.applied():
        assert len(sweep.draw(rank([reference], systems, metrics=metrics, resamples=100)).axes) == n_panels


def test_equal_systems_are_drawn(tmp_path: Path) -> None:
    same = ["a b c d", "e f g h"]
    result = rank([same], {"x": same, "y": same}, metrics=["bleu", "ter"])
    for verb, kind in ALL_KINDS:
        save(verb, kind, result, tmp_path / "picture.svg")


def test_caption_counts_the_segments_that_pairs_have_in_common(tmp_path: Path) -> None:
    scored = {"x": range(50), "y": range(30), "z": range(10, 50)}
    lines = [f"{name}\t{s % 7 if s in known else None}\n" for name, known in scored.items() for s in range(50)]
    path = tmp_path / "human.seg.score"
    path.write_text("".join(lines), encoding="utf-8")
    result = rank([["w"] * 50], dict.fromkeys(scored, ["w"] * 50), metrics=[f"file:{path}"], resamples=300)
    assert "300 resamples of 20 to 40 segments" in " ".join(
        words_of(save("rank", "clusters", result, tmp_path / "x.svg"))
    )


# Whether they can be read


@pytest.mark.parametrize("ends", [(2.97, 3.03), (0.95, 1.05), (1, 2), (0, 40)])
def test_ticks_of_counts_are_whole_numbers(ends: tuple[float, float]) -> None:
    axis = Figure().add_subplot().xaxis
    axis.set_major_locator(style.whole_numbers(5))
    axis.axes.set_xlim(*ends)
    ticks = [tick for tick in axis.get_majorticklocs() if ends[0] <= tick <= ends[1]]
    assert ticks == [round(tick) for tick in ticks] != []


@pytest.mark.parametrize(
    "kind", ["intervals", "heatmap", "tests", "distribution", "distributions", "clusters", "sweep", "people"]
)
@pytest.mark.parametrize("size", ["small", pytest.param("many", marks=pytest.mark.slow)])
def test_no_text_runs_into_another_or_off_the_page(kind: str, size: str, request: pytest.FixtureRequest) -> None:
    with style.applied():
        figure = figure_of(kind, request.getfixturevalue(size))
        renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]  # Matplotlib's types
        figure.draw(renderer)
        hidden = _labels_of_ticks_outside(figure)
        shown = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text() and t not in hidden]
        boxes = np.array([text.get_window_extent(renderer).extents for text in shown])
        words = [text.get_text() for text in shown]
    low, high = boxes[:, :2], boxes[:, 2:]
    outside = (low < -0.5).any(axis=1) | (high > np.array(figure.bbox.size) + 0.5).any(axis=1)
    assert not outside.any(), [words[i] for i in np.flatnonzero(outside)]
    # Half a point: boxes reach over what is inked.
    spare = 0.5 * figure.dpi / 72
    overlap: Any = ((low[:, None] + spare < high[None]) & (low[None] + spare < high[:, None])).all(axis=2)
    np.fill_diagonal(overlap, False)
    assert not overlap.any(), [(words[i], words[j]) for i, j in np.argwhere(overlap) if i < j]


def _labels_of_ticks_outside(figure: Figure) -> set[Text]:
    """Matplotlib makes labels beyond the ends of an axis, and does not draw them."""
    hidden = set()
    for ax in figure.axes:
        for axis, limits in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
            for tick in axis.get_major_ticks():
                if not min(limits) <= tick.get_loc() <= max(limits):
                    hidden |= {tick.label1, tick.label2}
    return hidden


@pytest.mark.parametrize("kind", ["intervals", "heatmap", "distribution", "clusters", "sweep"])
def test_small_pictures_fit_a_page_and_letters_are_legible(kind: str, small: RankResult) -> None:
    with style.applied():
        figure = figure_of(kind, small)
        sizes = {float(text.get_fontsize()) for text in figure.findobj(Text) if text.get_text()}
    assert figure.get_size_inches()[0] <= style.PAGE
    assert min(sizes) >= 5


def test_names_are_clear_of_boxes(many: RankResult) -> None:
    with style.applied():
        figure = clusters.draw(many)
        renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]  # Matplotlib's types
        for ax in figure.axes:
            boxes = [patch.get_window_extent(renderer) for patch in ax.patches]
            for text in ax.texts:
                assert not any(text.get_window_extent(renderer).overlaps(box) for box in boxes)


def _lightness(color: str) -> float:
    """CIELAB's L* of an sRGB colour."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    y = float(np.dot([0.2126, 0.7152, 0.0722], linear))
    return 116 * y ** (1 / 3) - 16 if y > 216 / 24389 else y * 24389 / 27


def test_shades_stay_apart_in_grey() -> None:
    steps = [_lightness(color) for color in (*style.SHADES, "white")]
    assert all(lighter - darker >= 15 for darker, lighter in pairwise(steps))
    assert _lightness(distribution._LIGHT) - _lightness(distribution._DARK) >= 15


def test_lines_differ_in_more_than_colour() -> None:
    assert len({marker for _, marker, _ in style.LINES}) == len(style.LINES)


# What can go wrong


@pytest.mark.parametrize("name", ["picture", "picture.jpg", "-", "svg"])
def test_unknown_endings(name: str, small: RankResult, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape("must end in .svg, .pdf or .png")):
        small.plot(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_unknown_kinds_and_pairs(small: RankResult, tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    with pytest.raises(InputError, match="no plot named 'heat'"):
        small.compared.plot(path, kind="heat")
    with pytest.raises(InputError, match="no plot named 'heatmap'"):
        small.plot(path, kind="heatmap")
    with pytest.raises(InputError, match="no system named 'god'; did you mean 'good'"):
        small.compared.plot(path, kind="distribution", pair=("god", "fair"))
    with pytest.raises(InputError, match="'good' twice"):
        small.compared.plot(path, kind="distribution", pair=("good", "good"))
    with pytest.raises(InputError, match="'heatmap' has no option 'pair'"):
        small.compared.plot(path, kind="heatmap", pair=("good", "fair"))
    with pytest.raises(InputError, match="there is no folder"):
        small.plot(tmp_path / "missing" / "picture.svg")
    assert list(tmp_path.iterdir()) == []


def test_characters_without_a_font(tmp_path: Path) -> None:
    result = rank([["a b", "c d"]], {"日本": ["a b", "c d"], "Ω🙂": ["a", "d"]}, metrics=["ter"])
    result.plot(tmp_path / "picture.svg")
    assert {"日本", "Ω🙂"} <= set(words_of((tmp_path / "picture.svg").read_bytes()))
    for ending in ("png", "pdf"):
        with pytest.raises(InputError, match=r"has no 日 本 🙂; write an \.svg file"):
            result.plot(tmp_path / f"picture.{ending}")


def test_without_matplotlib(small: RankResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        MissingExtraError, match=re.escape("--plot needs an optional package: pip install 'mtassay[plot]'")
    ):
        small.plot(tmp_path / "picture.svg")


def test_matplotlib_is_imported_only_to_draw() -> None:
    script = "import sys, mtassay.report.plots as p; p.PLOTS; sys.exit('matplotlib' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)


def test_every_kind_has_its_module() -> None:
    for plot in (plot for kinds in plots.PLOTS.values() for plot in kinds.values()):
        assert callable(import_module(f"mtassay.report.plots.{plot.module}").draw)


def test_too_many_clusters_are_refused(small: RankResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_MOST_LANES", 0)
    with pytest.raises(InputError, match="more than can be drawn"):
        small.plot(tmp_path / "picture.svg")


def test_p_values_at_the_level_are_significant(small: RankResult) -> None:
    """As conclusions are: the legend says so, and a p-value at the level is shaded."""
    from mtassay.report.plots.heatmap import cells, legend

    assert legend(0.05).labels[-2:] == ["p ≤ 0.05", "p > 0.05"]
    labels = [text.get_text() for of in figure_of("people", small).legends for text in of.get_texts()]
    assert "p ≤ 0.05" in labels
    ax = mpl.figure.Figure().subplots()
    cells(ax, np.array([[np.nan, 0.05], [np.nan, np.nan]]), ["a", "b"], alpha=0.05)
    (collection,) = ax.collections
    assert not (np.asarray(collection.get_facecolor())[0] == 1).all()
