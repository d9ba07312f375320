"""Plots for papers, drawn with matplotlib, which is imported when the first plot is drawn."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from mtassay.errors import InputError, MissingExtraError, unknown_name

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike
    from mtassay.results import Result


class Plot(NamedTuple):
    """A kind of plot: the module here with ``draw(result, ...)``, and what it shows."""

    module: str
    about: str


#: Kinds of plots of each verb's result, the default first.
PLOTS = {
    "compare": {
        "intervals": Plot("intervals", "score and confidence interval of each system"),
        "heatmap": Plot("heatmap", "p-values of all pairs"),
        "distribution": Plot("distribution", "pseudo-statistics of one pair, with the observed difference"),
    },
    "compare_tests": {
        "heatmap": Plot("heatmap", "p-values of all pairs by every test"),
        "distribution": Plot("distribution", "pseudo-statistics of one pair by every test"),
    },
    "rank": {
        "clusters": Plot("clusters", "systems by score, and their clusters"),
        "sweep": Plot("sweep", "number of clusters, and agreement between metrics, by significance level"),
    },
    "power": {"power": Plot("power", "power by number of segments, and the smallest difference that is found")},
    "humans": {
        "ranks": Plot("human_ranks", "rank ranges of the systems, and their clusters"),
        "heatmap": Plot("human_heatmap", "p-values of all pairs, for each aspect and combined"),
    },
    "metaeval": {
        "scatter": Plot("metric_scatter", "systems by metric and by human score, with their names"),
        "bars": Plot("metric_bars", "coefficients of the metrics with intervals"),
        "heatmap": Plot("metric_heatmap", "p-values between metrics"),
    },
    "conclusions": {
        "tests": Plot("heatmap", "p-values of all pairs under every metric and test"),
        "humans": Plot("conclusion_humans", "p-values of all pairs by human judgements"),
    },
    "learn_curve": {"curve": Plot("learning_curve", "correlation with human scores by number of training examples")},
    "learn_grid": {
        "grid": Plot("learning_grid", "accuracy of classifiers against their correlation with human scores")
    },
    "tune_loop": {"iterations": Plot("iterations", "score of the decoder in each iteration, and the expected score")},
}
#: File name endings.
FORMATS = ("svg", "pdf", "png")


def draw(result: Result, path: PathLike, *, kind: str | None = None, **options: Any) -> None:
    """Draw a result into a file.

    Args:
        result: the result of a verb.
        path: a file name that ends in .svg, .pdf or .png.
        kind: a name of ``PLOTS``; by default the verb's first.
        options: options of this kind of plot.
    """
    kinds = PLOTS.get(result.verb, {})
    if not kinds:
        raise InputError(f"a result of {result.verb} has no plot")
    name = next(iter(kinds)) if kind is None else kind
    chosen = find_kind(result.verb, name)
    known = signature(_module(chosen.module).draw).parameters
    for option in options:
        if option not in known:
            raise InputError(f"the plot '{name}' has no option '{option}'")
    save(path, chosen.module, result, **options)


def save(path: PathLike, module: str, *arguments: Any, **options: Any) -> None:
    """Draw a plot with a module of this package and write it."""
    ending = check(path)
    style = import_module("mtassay.report.plots.style")
    with style.applied():
        figure = _module(module).draw(*arguments, **options)
        content: bytes = style.rendered(figure, ending)
    from mtassay.io.atomic import atomic_write  # imported here to start fast

    with atomic_write(path, binary=True) as file:
        file.write(content)


def _module(name: str) -> Any:
    return import_module(f"mtassay.report.plots.{name}")


def find_kind(verb: str, kind: str) -> Plot:
    """Look up a kind of plot by name."""
    kinds = PLOTS[verb]
    if kind not in kinds:
        raise InputError(unknown_name("plot", kind, kinds))
    return kinds[kind]


def check(path: PathLike) -> str:
    """Return the format for a file name, or raise the reason why a plot cannot be drawn, before any work is done.

    >>> check("clusters.PDF")
    'pdf'
    """
    ending = PurePath(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise InputError(f"a plot cannot be written to '{path}': its name must end in .svg, .pdf or .png")
    if find_spec("matplotlib") is None:
        raise MissingExtraError("--plot", "plot")
    return ending
