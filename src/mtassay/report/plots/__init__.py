"""Pictures for papers, drawn with matplotlib, which is imported when the first one is drawn."""

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
    """A kind of picture: the module here that has ``draw(result, ...)``, and what it shows."""

    module: str
    about: str


#: Kinds of pictures of each verb's result, the usual one first.
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
        "clusters": Plot("clusters", "systems at the height of their scores, and the clusters they are in"),
        "sweep": Plot("sweep", "number of clusters, and agreement between metrics, against the level of significance"),
    },
    "power": {"power": Plot("power", "power by number of segments, and the smallest difference that is found")},
    "humans": {
        "ranks": Plot("human_ranks", "rank ranges of the systems, and the clusters they are in"),
        "heatmap": Plot("human_heatmap", "p-values of all pairs; of both aspects, too, where there are two"),
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
    "tune_loop": {"iterations": Plot("iterations", "score of the decoder in each iteration, and what was expected")},
}
#: File name endings.
FORMATS = ("svg", "pdf", "png")


def draw(result: Result, path: PathLike, *, kind: str | None = None, **options: Any) -> None:
    """Draw a result into a file.

    Args:
        result: what a verb returned.
        path: ends in .svg, .pdf or .png.
        kind: a name of ``PLOTS``; by default the verb's first.
        options: those of the kind.
    """
    kinds = PLOTS.get(result.verb, {})
    if not kinds:
        raise InputError(f"a result of {result.verb} has no picture")
    name = next(iter(kinds)) if kind is None else kind
    chosen = find_kind(result.verb, name)
    known = signature(_module(chosen.module).draw).parameters
    for option in options:
        if option not in known:
            raise InputError(f"the picture '{name}' has no option '{option}'")
    save(path, chosen.module, result, **options)


def save(path: PathLike, module: str, *arguments: Any, **options: Any) -> None:
    """Write the picture that a module here draws."""
    ending = check(path)
    style = import_module("mtassay.report.plots.style")
    with style.applied():
        figure = _module(module).draw(*arguments, **options)
        content: bytes = style.rendered(figure, ending)
    from mtassay.io.atomic import atomic_write  # only where something is drawn: start-up counts

    with atomic_write(path, binary=True) as file:
        file.write(content)


def _module(name: str) -> Any:
    return import_module(f"mtassay.report.plots.{name}")


def find_kind(verb: str, kind: str) -> Plot:
    """A kind of picture by its name."""
    kinds = PLOTS[verb]
    if kind not in kinds:
        raise InputError(unknown_name("picture", kind, kinds))
    return kinds[kind]


def check(path: PathLike) -> str:
    """Return the format that a file name asks for, or say why no picture can be drawn: before the work, not after it.

    >>> check("clusters.PDF")
    'pdf'
    """
    ending = PurePath(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise InputError(f"a picture cannot be written to '{path}': its name must end in .svg, .pdf or .png")
    if find_spec("matplotlib") is None:
        raise MissingExtraError("--plot", "plot")
    return ending
