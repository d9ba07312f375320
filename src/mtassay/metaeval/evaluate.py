"""Which metric agrees best with people: the verb ``metaeval``.

In Python it is ``mtassay.evaluate_metrics``: ``mtassay.metaeval`` is this package, and a function of that name would
hide it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError, did_you_mean
from mtassay.metaeval import segment_level, system_level
from mtassay.metaeval.between import chosen, compare_metrics
from mtassay.metaeval.cells import AVERAGES
from mtassay.metaeval.coefficients import checked
from mtassay.metaeval.gold import gold_of
from mtassay.metaeval.measured import measure
from mtassay.metaeval.result import Direction, MetaEvaluation
from mtassay.metaeval.segment_level import SegmentLevel
from mtassay.metaeval.system_level import SystemLevel
from mtassay.resampling.draws import check_draws, check_seed
from mtassay.resampling.intervals import check_level

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.metaeval.gold import Gold
    from mtassay.metaeval.measured import Measured
    from mtassay.metrics.base import Metric

    Metrics = Sequence[str | Metric]

LEVELS = ("system", "segment")


@dataclass(frozen=True)
class _Options:
    level: str
    coefficients: Sequence[str] | None
    average: str
    test: str
    draws: int
    seed: int
    alpha: float


def evaluate_metrics(
    judged: Mapping[str, tuple[TestSet, Judgements]],
    metrics: Metrics | Mapping[str, Metrics],
    *,
    level: str = "system",
    gold: str | None = None,
    coefficients: Sequence[str] | None = None,
    average: str = "item",
    test: str = "none",
    draws: int = 0,
    seed: int = 12345,
    alpha: float = 0.05,
    digits: int | None = None,
    threads: int = 1,
    progress: Callable[[Any], Any] = iter,
) -> MetaEvaluation:
    """Correlate metrics with people, in one or several translation directions.

    Systems count that are in the test set and were judged. Scores of metrics of which lower is better change their
    sign.

    Args:
        judged: a test set and its judgements (``mtassay.data.read_judgements(path, testset=...)``), by direction.
        metrics: specifications, the same for all directions or by direction; metrics of the same name are one.
        level: ``system`` or ``segment``.
        gold: how systems are scored by people: ``wins``, ``expected-wins``, ``bradley-terry``, ``trueskill`` … from
            preferences, ``mean`` or ``z`` from scores.
        coefficients: names in ``metaeval.coefficients.TITLES``; metrics are sorted by the first.
        average: of correlations of scores at segment level: ``none``, ``item`` (segments) or ``system``.
        test: ``none``, or a test between metrics from ``metaeval.between.TESTS``, of the first coefficient that it can
            be of.
        draws: of intervals and tests; 0 for the usual numbers, and for all ways of swapping where these are few.
        seed: of the draws.
        alpha: level of significance; intervals hold 1 − alpha.
        digits: round metric scores to so many digits (of scores from 0 to 1) before they are correlated.
        threads: number of threads.
        progress: wraps the loop over chunks of each direction's work.

    >>> from mtassay import TestSet
    >>> from mtassay.data import Scores
    >>> import numpy as np
    >>> testset = TestSet([["a b c d", "e f"]], {"x": ["a b c d", "e f"], "y": ["a b c", "f"], "z": ["a", "g"]})
    >>> scores = Scores(("x", "y", "z"), ("1",), ("",), np.zeros(3, int), np.zeros(3, int), np.arange(3),
    ...                 np.array([90.0, 50.0, 10.0]), "da", np.array([""] * 3))
    >>> result = evaluate_metrics({"xx-en": (testset, scores)}, ["chrf", "ter"], coefficients=["spearman"])
    >>> round(result["xx-en", "TER", "spearman"], 3)
    1.0
    """
    _check(level, LEVELS, "level")
    _check(average, AVERAGES, "averaging")
    if isinstance(coefficients, str):
        raise InputError(f"coefficients is a single name; give a list: [{coefficients!r}]")
    options = _Options(level, coefficients, average, test, check_draws(draws), check_seed(seed), check_level(alpha))
    if not isinstance(judged, Mapping) or not judged:  # type: ignore[redundant-expr]
        raise InputError('give test sets with their judgements by direction: {"fr-en": (testset, judgements)}')
    if isinstance(metrics, Mapping) and (absent := [name for name in judged if name not in metrics]):
        raise InputError(f"there are no metrics of {absent[0]}: give them by direction, or the same for all")
    directions = []
    for name, (testset, judgements) in judged.items():
        found = gold_of(testset, judgements, method=gold, draws=draws, seed=seed)
        _names(found, options)  # what cannot be had is refused before anything is scored
        wanted = metrics[name] if isinstance(metrics, Mapping) else metrics
        chosen_systems = testset.select(systems=found.systems)
        measured = measure(chosen_systems, wanted, digits=digits, threads=threads, progress=progress)
        directions.append(_direction(name, found, measured, options))
    result = MetaEvaluation(level, average, options.draws, options.seed, options.alpha, digits, tuple(directions))
    if not result.coefficients:
        raise InputError("some directions have preferences and others scores: no coefficient can be of both")
    return result


def _names(gold: Gold, options: _Options) -> tuple[str, ...]:
    """Names of the coefficients that are wanted; a test must be of one of them."""
    module = system_level if options.level == "system" else segment_level
    names = checked(options.coefficients or module.usual(gold), module.possible(gold), level=options.level)
    if options.test != "none":
        chosen(names, options.test, level=options.level, average=options.average)
    return names


def _direction(name: str, gold: Gold, measured: Measured, options: _Options) -> Direction:
    draws, seed, alpha = options.draws, options.seed, options.alpha
    data: SystemLevel | SegmentLevel = (
        SystemLevel(gold, measured, draws=draws, seed=seed, alpha=alpha)
        if options.level == "system"
        else SegmentLevel(gold, measured, average=options.average, draws=draws, seed=seed, alpha=alpha)
    )
    names = _names(gold, options)
    coefficients = tuple(data.coefficient(of) for of in names)
    tested = None
    if options.test != "none":
        of = chosen(names, options.test, level=options.level, average=options.average)
        tested = compare_metrics(data, coefficients[names.index(of)], test=options.test, draws=draws)
    scores = measured.scored.scores.T
    return Direction(name, measured.names, measured.metrics, gold, scores, coefficients, tested)


def _check(value: str, known: Sequence[str], what: str) -> None:
    if value not in known:
        hint = did_you_mean(str(value), known)
        raise InputError(f"no {what} named '{value}'{hint} (choose from {', '.join(known)})")
