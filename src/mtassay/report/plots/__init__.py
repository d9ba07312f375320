"""Pictures for papers, drawn with matplotlib, which is imported when the first one is drawn."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError, MissingExtraError, did_you_mean
from mtassay.io.atomic import atomic_write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.io.inputs import PathLike
    from mtassay.judging.pairwise_tests import HumanTests
    from mtassay.learn.curve import CurveResult
    from mtassay.learn.grid import GridResult
    from mtassay.tune.loop import LoopResult
    from mtassay.verbs.compare import CompareResult
    from mtassay.verbs.conclusions import ConclusionTable
    from mtassay.verbs.humans import HumansResult
    from mtassay.verbs.metaeval.result import MetaEvaluation
    from mtassay.verbs.rank import RankResult

#: What can be drawn of a comparison, of a ranking, of a ranking by people, of metrics beside people, of
#: conclusions, and of a decoder that is tuned. Each kind is a module here.
COMPARE_KINDS = {
    "intervals": "score and confidence interval of each system",
    "heatmap": "p-values of all pairs",
    "distribution": "pseudo-statistics of one pair, with the observed difference",
}
RANK_KINDS = {
    "clusters": "systems at the height of their scores, and the clusters they are in",
    "sweep": "number of clusters, and agreement between metrics, against the level of significance",
}
CONCLUSION_KINDS = {
    "tests": "p-values of all pairs under every metric and test",
    "people": "p-values of all pairs by people's judgements",
}
HUMAN_KINDS = {
    "ranks": "rank ranges of the systems, and the clusters they are in",
    "heatmap": "p-values of all pairs; of both aspects, too, where there are two",
}
METRIC_KINDS = {
    "scatter": "systems by metric and by people, with their names",
    "bars": "coefficients of the metrics with intervals",
    "heatmap": "p-values between metrics",
}
LEARN_KINDS = {
    "curve": "correlation with people by number of training examples",
    "grid": "accuracy of classifiers against their correlation with people",
}
TUNE_KINDS = {"iterations": "score of the decoder in each iteration, and what was expected of it"}
#: File name endings.
FORMATS = ("svg", "pdf", "png")


def compare(
    result: CompareResult, path: PathLike, *, kind: str = "intervals", pair: tuple[str, str] | None = None
) -> None:
    """Draw a comparison into a file.

    Args:
        result: what ``mtassay.compare`` returned.
        path: ends in .svg, .pdf or .png.
        kind: one of ``COMPARE_KINDS``.
        pair: the two systems of a ``distribution``; by default the two best under the first metric.
    """
    _check_kind(kind, COMPARE_KINDS)
    if kind == "distribution":
        _draw(path, kind, [result], pair)
    elif pair is not None:
        raise InputError(f"a pair of systems is for the kind 'distribution', not for '{kind}'")
    else:
        _draw(path, kind, [result] if kind == "heatmap" else result)


def compare_tests(
    results: Sequence[CompareResult], path: PathLike, *, kind: str = "heatmap", pair: tuple[str, str] | None = None
) -> None:
    """Draw several tests side by side: a heat map of p-values, or a pair's distribution, for every metric and test.

    Args:
        results: one comparison per test, all of the same systems under the same metrics.
        path: ends in .svg, .pdf or .png.
        kind: ``heatmap`` or ``distribution``.
        pair: the two systems of a ``distribution``; by default the two best under the first metric.
    """
    _check_kind(kind, {"heatmap": "", "distribution": ""})
    _draw(path, kind, results, *([pair] if kind == "distribution" else []))


def conclusions(result: ConclusionTable, path: PathLike, *, kind: str = "tests") -> None:
    """Draw the p-values behind a table of conclusions into a file.

    Args:
        result: what ``mtassay.verbs.conclusions.conclusion_table`` returned.
        path: ends in .svg, .pdf or .png.
        kind: one of ``CONCLUSION_KINDS``.
    """
    _check_kind(kind, CONCLUSION_KINDS)
    if kind == "tests":
        compare_tests(result.compared, path)
    else:
        human_tests(result.people, path, level=max(result.levels))


def human_tests(tests: HumanTests, path: PathLike, *, level: float = 0.05) -> None:
    """Draw the p-values of people's judgements into a file that ends in .svg, .pdf or .png."""
    _draw(path, "people", tests, level)


def rank(result: RankResult, path: PathLike, *, kind: str = "clusters") -> None:
    """Draw a ranking into a file.

    Args:
        result: what ``mtassay.rank`` returned.
        path: ends in .svg, .pdf or .png.
        kind: one of ``RANK_KINDS``.
    """
    _check_kind(kind, RANK_KINDS)
    _draw(path, kind, result)


def humans(result: HumansResult, path: PathLike, *, kind: str = "ranks") -> None:
    """Draw a ranking by people into a file.

    Args:
        result: what ``mtassay.humans`` returned.
        path: ends in .svg, .pdf or .png.
        kind: one of ``HUMAN_KINDS``.
    """
    _check_kind(kind, HUMAN_KINDS)
    _draw(path, f"human_{kind}", result)


def metrics(result: MetaEvaluation, path: PathLike, *, kind: str = "scatter") -> None:
    """Draw how metrics agree with people into a file.

    Args:
        result: what ``mtassay.evaluate_metrics`` returned.
        path: ends in .svg, .pdf or .png.
        kind: one of ``METRIC_KINDS``.
    """
    _check_kind(kind, METRIC_KINDS)
    _draw(path, f"metric_{kind}", result)


def learn(result: CurveResult | GridResult, path: PathLike, *, kind: str) -> None:
    """Draw a study of learned metrics into a file.

    Args:
        result: what the study returned.
        path: ends in .svg, .pdf or .png.
        kind: ``curve`` or ``grid``, that of the study.
    """
    _check_kind(kind, LEARN_KINDS)
    _draw(path, f"learning_{kind}", result)


def tune(result: LoopResult, path: PathLike, *, kind: str = "iterations") -> None:
    """Draw the tuning of a decoder into a file.

    Args:
        result: what ``tune_decoder`` returned.
        path: ends in .svg, .pdf or .png.
        kind: one of ``TUNE_KINDS``.
    """
    _check_kind(kind, TUNE_KINDS)
    _draw(path, kind, result)


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


def _check_kind(kind: str, kinds: Mapping[str, str]) -> None:
    if kind not in kinds:
        raise InputError(f"no picture named '{kind}'{did_you_mean(kind, kinds)} (choose from {', '.join(kinds)})")


def _draw(path: PathLike, kind: str, *arguments: Any) -> None:
    ending = check(path)
    style = import_module("mtassay.report.plots.style")
    with style.applied():
        content: bytes = style.rendered(import_module(f"mtassay.report.plots.{kind}").draw(*arguments), ending)
    with atomic_write(path, binary=True) as file:
        file.write(content)
