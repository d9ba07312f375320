"""How many segments a test needs, and which differences it can find: the verb ``power``."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.analysis.power import Design, simulate_power
from mtassay.equality import best_first
from mtassay.errors import InputError, did_you_mean, each_of
from mtassay.execution import SERIAL, Execution, Progress
from mtassay.results import Result, or_none
from mtassay.stats.intervals import check_alpha
from mtassay.stats.procedures import Procedure
from mtassay.stats.resamples import MOST_RESAMPLES
from mtassay.verbs.compare import check_comparable, check_unit, drawn_in_signature, groups_of, pairs_of
from mtassay.verbs.comparison_plan import common, gaps_of, samples_of
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.analysis.power import PowerCurve
    from mtassay.data.testset import TestSet
    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.core.signature import Signature
    from mtassay.metrics.core.table import StatsTable
    from mtassay.types import Array
    from mtassay.verbs.score import ScoreResult

SCHEMA = "mtassay.power/1"
#: Default sizes, as multiples of the pilot's.
MULTIPLES = (0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)
#: Default power of the smallest detectable difference, and number of trials.
POWER, TRIALS = 0.8, 400
#: Largest numbers of segments in a simulated test set, and of trials.
MOST_UNITS, MOST_TRIALS = 1_000_000, 1_000_000
#: The default number of resamples times alpha: with fewer resamples the test has less power.
_SIGNIFICANT_RESAMPLES = 25


@dataclass(frozen=True, kw_only=True, eq=False)
class PairPower:
    """One pair of systems under one metric.

    Attributes:
        metric: the metric.
        signature: signature of the scores and the test.
        better: the system with the better score in the pilot.
        worse: the other.
        observed: size of the difference in the pilot.
        n_units: number of segments or documents of the pilot for which both systems have scores.
        curve: power and detectable difference by size.
    """

    metric: Metric
    signature: Signature
    better: str
    worse: str
    observed: float
    n_units: int
    curve: PowerCurve


@dataclass(frozen=True, eq=False, repr=False)
class PowerResult(Result):
    """Power of a test for pairs of systems under some metrics.

    Attributes:
        design: test, sizes, trials, significance level and wanted power.
        unit: unit of resampling: ``segment`` or ``doc``.
        difference: the true difference, if one was given; None for the observed ones.
        pairs: the results for all pairs, metric by metric.
    """

    verb: ClassVar[str] = "power"

    design: Design
    unit: str
    difference: float | None
    pairs: tuple[PairPower, ...]

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics."""
        return tuple(dict.fromkeys(pair.metric for pair in self.pairs))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        design = self.design
        return {
            "schema": SCHEMA,
            "test": design.procedure.kind,
            "sides": design.procedure.sides,
            "resamples": design.procedure.resamples,
            "seed": design.procedure.seed,
            "alpha": design.alpha,
            "unit": self.unit,
            "power": design.power,
            "trials": design.trials,
            "metrics": [self._of_metric(metric) for metric in self.metrics],
        }

    def _of_metric(self, metric: Metric) -> dict[str, Any]:
        of_metric = [pair for pair in self.pairs if pair.metric == metric]
        return {
            "name": metric.label,
            "metric": str(metric),
            "signature": str(of_metric[0].signature),
            "higher_is_better": metric.higher_is_better,
            "pairs": [self._of_pair(pair) for pair in of_metric],
        }

    def _of_pair(self, pair: PairPower) -> dict[str, Any]:
        curve = pair.curve
        sizes = [
            {
                "size": size,
                "power": float(curve.power[place]),
                "wrong_sign": or_none(curve.wrong_sign[place]),
                "exaggeration": or_none(curve.exaggeration[place]),
                "detectable": or_none(curve.detectable[place]),
            }
            for place, size in enumerate(self.design.sizes)
        ]
        return {
            "better": pair.better,
            "worse": pair.worse,
            "observed": pair.observed,
            "difference": curve.difference,
            "n_units": pair.n_units,
            "needed": or_none(curve.needed),
            "sizes": sizes,
        }

    def __repr__(self) -> str:
        pairs = dict.fromkeys(f"{pair.better}/{pair.worse}" for pair in self.pairs)
        return f"PowerResult({', '.join(pairs)}; {', '.join(map(str, self.metrics))})"


def power(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    sizes: Sequence[int] | None = None,
    difference: float | None = None,
    power: float = POWER,
    trials: int = TRIALS,
    pair: Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "ar",
    sides: int | None = None,
    resamples: int = 0,
    alpha: float = 0.05,
    unit: str = "segment",
    seed: int = 12345,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> PowerResult:
    """Estimate from a pilot test set how likely a test is to find a difference, by number of segments.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each.
        systems: one text per segment, by system name; only without a test set.
        metrics: specifications such as ``"bleu:tok=intl"``.
        sizes: numbers of segments, increasing; None for eight sizes up to four times the pilot's.
        difference: true difference between the systems, positive; None for the observed one.
        power: probability with which the smallest detectable difference is found.
        trials: number of simulated test sets of each size.
        pair: the two systems to compare; None for all pairs.
        baseline: compare only this system with each of the others.
        test: a name from ``mtassay.stats.procedures.PROCEDURES``.
        sides: 1 or 2; None for the test's default.
        resamples: number of resamples for each simulated test; 0 for 25 / `alpha`.
        alpha: significance level; p-values up to it are significant.
        unit: ``segment``, or ``doc`` to resample whole documents; sizes are then numbers of documents.
        seed: seed of the simulation.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps long loops, for a progress bar.

    >>> words = "a b c d e f g h".split()
    >>> systems = {"x": [" ".join(words[:n]) for n in (8, 7, 8, 6)], "y": [" ".join(words[:n]) for n in (5, 6, 4, 6)]}
    >>> result = power([[" ".join(words)] * 4], systems, metrics=["ter"], sizes=[4, 12], trials=50)
    >>> of_four, of_twelve = result.pairs[0].curve.power
    >>> bool(of_four < 0.8 < of_twelve)
    True
    """
    design = design_of(
        test=test,
        sides=sides,
        resamples=resamples,
        seed=seed,
        alpha=alpha,
        sizes=() if sizes is None else _checked_sizes(sizes),
        trials=trials,
        power=power,
    )
    _check_difference(difference)
    check_unit(unit)
    execution = Execution.of(execution, threads=threads, progress=progress)
    scored = score(references, systems, metrics=metrics, execution=execution)
    return power_scored(
        scored, design, difference=difference, pair=pair, baseline=baseline, unit=unit, execution=execution
    )


def design_of(
    *,
    test: str,
    sides: int | None,
    seed: int,
    alpha: float,
    sizes: tuple[int, ...],
    resamples: int = 0,
    trials: int = TRIALS,
    power: float = POWER,
) -> Design:
    """What is simulated; arguments as for ``power``, but `sizes` are checked, and empty for the default ones."""
    alpha = check_alpha(alpha)
    return Design(
        Procedure(test, sides, resamples or _usual_resamples(alpha), seed),
        sizes=sizes,
        trials=_checked_trials(trials),
        alpha=alpha,
        power=_checked_power(power, alpha),
    )


def power_scored(
    scored: ScoreResult,
    design: Design,
    *,
    difference: float | None = None,
    pair: Sequence[str] | None = None,
    baseline: str | None = None,
    unit: str = "segment",
    execution: Execution = SERIAL,
) -> PowerResult:
    """Estimate power from scored systems; arguments as for ``power``."""
    check_comparable(scored.metrics)
    index = _pair_index(scored.systems, pair, baseline)
    groups = groups_of(scored, unit)
    n_units = scored.testset.n_segments if groups is None else len(groups)
    if n_units < 2:
        raise InputError(f"a pilot of one {'segment' if groups is None else 'document'} is not enough: give several")
    if not design.sizes:
        design = replace(design, sizes=tuple(sorted({max(2, round(part * n_units)) for part in MULTIPLES})))
    found = []
    for table in scored.tables:
        signature = table.metric.signature(scored.testset.references, **drawn_in_signature(design.procedure))
        for x, y in index:
            found.append(
                _of_pair(
                    table,
                    (int(x), int(y)),
                    design,
                    signature=signature,
                    groups=groups,
                    options={"difference": difference, "execution": execution},
                )
            )
    return PowerResult(design, unit, difference, tuple(found))


def _of_pair(
    table: StatsTable,
    pair: tuple[int, int],
    design: Design,
    *,
    signature: Signature,
    groups: Sequence[Array] | None,
    options: dict[str, Any],
) -> PairPower:
    """Simulate tests of one pair, on the segments for which both systems have scores."""
    runs = np.array(pair)[:, None]
    [sample] = samples_of(table, runs, common(table, runs, gaps_of(table)), groups)
    names = [table.systems[s] for s in pair]
    if sample.n_units < 2:
        raise InputError(f"{names[0]} and {names[1]} both have {table.metric} scores for only one unit: give several")
    order = best_first(sample.scores())
    sample = sample.of_systems(order)
    better, worse = sample.scores().tolist()
    return PairPower(
        metric=table.metric,
        signature=signature,
        better=names[order[0]],
        worse=names[order[1]],
        observed=better - worse,
        n_units=sample.n_units,
        curve=simulate_power(sample, design, **options),
    )


def _pair_index(systems: tuple[str, ...], pair: Sequence[str] | None, baseline: str | None) -> Array:
    """The pairs of systems to compare, shape (pairs, 2)."""
    if pair is not None and baseline is not None:
        raise InputError("give either pair or baseline, not both")
    if pair is None:
        return pairs_of(systems, baseline)
    pair = list(each_of(pair, "pair", such_as="['a', 'b']"))
    if len(pair) != 2:
        raise InputError(f"a pair is two names of systems, not {pair!r}")
    for name in pair:
        if name not in systems:
            raise InputError(f"no system named '{name}'{did_you_mean(name, systems)}")
    if pair[0] == pair[1]:
        raise InputError(f"a pair needs two different systems, not '{pair[0]}' twice")
    return np.array([[systems.index(name) for name in pair]])


def _usual_resamples(alpha: float) -> int:
    return min(max(100, round(_SIGNIFICANT_RESAMPLES / alpha)), MOST_RESAMPLES)


def _checked_sizes(sizes: Sequence[Any]) -> tuple[int, ...]:
    sizes = list(each_of(sizes, "sizes", such_as="[500, 1000]"))
    for size in sizes:
        if type(size) is not int or not 2 <= size <= MOST_UNITS:
            raise InputError(f"sizes are whole numbers from 2 to {MOST_UNITS:,}, not {size!r}")
    if not sizes or any(after <= before for before, after in pairwise(sizes)):
        raise InputError(f"sizes must increase: {' '.join(map(str, sizes)) or 'there is none'}")
    return tuple(sizes)


def _checked_trials(trials: int) -> int:
    if type(trials) is not int or not 1 <= trials <= MOST_TRIALS:
        raise InputError(f"trials must be a whole number from 1 to {MOST_TRIALS:,}, not {trials!r}")
    return trials


def _checked_power(power: Any, alpha: float) -> float:
    if not isinstance(power, float | np.floating) or not alpha < power < 1:
        raise InputError(f"the power must be between alpha ({alpha:g}) and 1, not {power!r}")
    return float(power)


def _check_difference(difference: Any) -> None:
    if difference is None:
        return
    is_number = isinstance(difference, int | float) and not isinstance(difference, bool)
    if not is_number or not 0 < difference <= sys.float_info.max:  # not inf: every whole number is below it
        raise InputError(f"the difference must be a number above 0, not {difference!r}")
