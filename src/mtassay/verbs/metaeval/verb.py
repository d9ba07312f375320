"""Which metric agrees best with human judgements: the verb ``metaeval``.

In Python it is ``mtassay.evaluate_metrics``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError, unknown_name
from mtassay.judging.gold import PreferenceGold, gold_of
from mtassay.stats.draws import check_draws, check_seed
from mtassay.stats.gold_cells import AVERAGES
from mtassay.stats.intervals import check_level
from mtassay.verbs.metaeval import segment_level, system_level
from mtassay.verbs.metaeval.coefficients import checked
from mtassay.verbs.metaeval.metric_scores import measure
from mtassay.verbs.metaeval.metric_tests import chosen, compare_metrics
from mtassay.verbs.metaeval.result import Direction, MetaEvaluation
from mtassay.verbs.metaeval.segment_level import SegmentLevel
from mtassay.verbs.metaeval.system_level import SystemLevel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.judging.gold import Gold
    from mtassay.metrics.core.metric import Metric
    from mtassay.verbs.metaeval.metric_scores import Measured

    Metrics = Sequence[str | Metric]

LEVELS = ("system", "segment")
#: Over what correlations of scores are averaged at segment level unless something else is asked for.
AVERAGE = "item"


@dataclass(frozen=True, kw_only=True)
class _Options:
    level: str
    coefficients: Sequence[str] | None
    average: str | None
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
    average: str | None = None,
    test: str = "none",
    draws: int = 0,
    seed: int = 12345,
    alpha: float = 0.05,
    digits: int | None = None,
    threads: int = 1,
    progress: Callable[[Any], Any] = iter,
) -> MetaEvaluation:
    """Correlate metrics with human judgements, in one or several translation directions.

    Systems count that are in the test set and were judged. Scores of metrics of which lower is better change their
    sign.

    Args:
        judged: a test set and its judgements (``mtassay.data.read_judgements(path, testset=...)``), by direction.
        metrics: specifications, the same for all directions or by direction; metrics of the same name are one.
        level: ``system`` or ``segment``.
        gold: how judgements score systems: ``wins``, ``expected-wins``, ``bradley-terry``, ``trueskill`` … from
            preferences, ``mean`` or ``z`` from scores; unless said ``wins``, and of scores what ``humans`` takes.
        coefficients: names in ``metaeval.coefficients.TITLES``; metrics are sorted by the first.
        average: of correlations of scores at segment level: ``none``, ``item`` (segments; unless said) or ``system``.
        test: ``none``, or a test between metrics from ``metaeval.between.TESTS``, of the first coefficient that it can
            be of.
        draws: resamples of intervals and tests; 0 for the usual numbers, and for all exchanges where these are few.
        seed: of the resamples.
        alpha: significance level; intervals hold 1 − alpha.
        digits: round metric scores to so many digits (of scores from 0 to 1) before they are correlated.
        threads: number of threads.
        progress: wraps the loop over chunks of each direction's work.

    >>> from mtassay import TestSet
    >>> from mtassay.data import Scores
    >>> import numpy as np
    >>> testset = TestSet([["a b c d", "e f"]], {"x": ["a b c d", "e f"], "y": ["a b c", "f"], "z": ["a", "g"]})
    >>> scores = Scores(("x", "y", "z"), ("1",), ("",), np.zeros(3, int), np.zeros(3, int), system=np.arange(3),
    ...                 score=np.array([90.0, 50.0, 10.0]), aspect="da", item=np.array([""] * 3))
    >>> result = evaluate_metrics({"xx-en": (testset, scores)}, ["chrf", "ter"], coefficients=["spearman"])
    >>> round(result["xx-en", "TER", "spearman"], 3)
    1.0
    """
    _check(level, LEVELS, "level")
    if average is not None:
        _check(average, AVERAGES, "averaging")
        if level == "system":
            raise InputError("correlations are averaged at segment level: leave out the average, or change the level")
    if isinstance(coefficients, str):
        raise InputError(f"coefficients is a single name; give a list: [{coefficients!r}]")
    usual = AVERAGE if level == "segment" else None
    options = _Options(
        level=level,
        coefficients=coefficients,
        average=average or usual,
        test=test,
        draws=check_draws(draws),
        seed=check_seed(seed),
        alpha=check_level(alpha),
    )
    if not isinstance(judged, Mapping) or not judged:  # type: ignore[redundant-expr]
        raise InputError('give test sets with their judgements by direction: {"fr-en": (testset, judgements)}')
    if isinstance(metrics, Mapping) and (absent := [name for name in judged if name not in metrics]):
        raise InputError(f"there are no metrics of {absent[0]}: give them by direction, or the same for all")
    for name, pair in judged.items():
        if not isinstance(pair, tuple | list) or len(pair) != 2:  # type: ignore[redundant-expr]
            raise InputError(f"{name} needs a test set with its judgements: (testset, judgements)")
    directions = []
    for name, (testset, judgements) in judged.items():
        found = gold_of(testset, judgements, method=gold, draws=draws, seed=seed)
        if level == "segment" and isinstance(found, PreferenceGold):
            _check_preferences(gold, average)
        _names(found, options)  # what cannot be had is refused before anything is scored
        wanted = metrics[name] if isinstance(metrics, Mapping) else metrics
        chosen_systems = testset.select(systems=found.systems)
        measured = measure(chosen_systems, wanted, digits=digits, threads=threads, progress=progress)
        directions.append(_direction(name, found, measured, options))
    # Preferences are counted together, not averaged.
    grouped = options.average if any(direction.kind == "scores" for direction in directions) else None
    n_draws = directions[0].gold.draws
    result = MetaEvaluation(
        level=level,
        average=grouped,
        draws=n_draws,
        seed=options.seed,
        alpha=options.alpha,
        digits=digits,
        directions=tuple(directions),
    )
    if not result.coefficients:
        raise InputError("some directions have preferences and others scores: no coefficient can be of both")
    return result


def _check_preferences(gold: str | None, average: str | None) -> None:
    """Refuse what makes no difference to preferences at segment level."""
    if gold is not None:
        raise InputError(
            f"gold '{gold}' scores systems, and at segment level preferences count one by one: leave it out"
        )
    if average is not None:
        raise InputError(
            "correlations of scores are averaged, and these judgements are preferences: leave out the average"
        )


def _names(gold: Gold, options: _Options) -> tuple[str, ...]:
    """Names of the coefficients that are wanted; a test must be of one of them."""
    module = system_level if options.level == "system" else segment_level
    names = checked(options.coefficients or module.usual(gold), module.possible(gold), level=options.level)
    if "darr" in names and gold.method == "z":
        raise InputError(
            "darr takes scores from 0 to 100 that differ by 25 or more, and z standardises them: take mean"
        )
    if options.test != "none":
        chosen(names, options.test, level=options.level, average=options.average or AVERAGE)
    return names


def _direction(name: str, gold: Gold, measured: Measured, options: _Options) -> Direction:
    draws, seed, alpha = options.draws, options.seed, options.alpha
    data: SystemLevel | SegmentLevel = (
        SystemLevel(gold, measured, draws=draws, seed=seed, alpha=alpha)
        if options.level == "system"
        else SegmentLevel(gold, measured, average=options.average or AVERAGE, draws=draws, seed=seed, alpha=alpha)
    )
    names = _names(gold, options)
    coefficients = tuple(data.coefficient(of) for of in names)
    tested = None
    if options.test != "none":
        of = chosen(names, options.test, level=options.level, average=options.average or AVERAGE)
        tested = compare_metrics(data, coefficients[names.index(of)], test=options.test, draws=draws)
    scored = measured.scored
    return Direction(
        name=name,
        names=measured.names,
        metrics=measured.metrics,
        signatures=tuple(map(str, scored.signatures)),
        references=scored.testset.reference_names,
        beside=dict(measured.beside) if "soft-accuracy" in names else {},
        gold=gold,
        metric_scores=scored.scores.T,
        coefficients=coefficients,
        tested=tested,
    )


def _check(value: str, known: Sequence[str], what: str) -> None:
    if value not in known:
        raise InputError(unknown_name(what, value, known))
