"""The result of a meta-evaluation: coefficients of each direction, and their averages."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.equality import TOLERANCE
from mtassay.errors import InputError, unknown_name
from mtassay.judging.gold import PreferenceGold, ScoreGold
from mtassay.judging.span_matching import CREDITS
from mtassay.results import Result, or_none
from mtassay.verbs.metaeval.coefficients import averaged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from mtassay.judging.gold import Gold
    from mtassay.judging.span_matching import SpanMatch
    from mtassay.metrics.core.metric import Metric
    from mtassay.types import Floats, Ints
    from mtassay.verbs.metaeval.coefficients import Coefficient
    from mtassay.verbs.metaeval.metric_tests import MetricTest

SCHEMA = "mtassay.metaeval/1"


@dataclass(frozen=True, kw_only=True, eq=False)
class Direction:
    """Metrics and human judgements in one translation direction.

    Attributes:
        name: the language pair, or another name of the direction.
        names: names of the metrics.
        metrics: the metrics.
        signatures: signatures of the metrics' scores.
        references: names of the references that outputs were compared with.
        outliers: systems left out because the organisers of the test set excluded them.
        beside: by metric, the signature of segment scores read from the file next to its own.
        gold: the human judgements.
        metric_scores: scores of the systems as each metric gives them, shape (metrics, systems).
        coefficients: coefficients of all metrics.
        tested: the test between metrics, if any.
        spans: spans of errors that metrics mark, compared with those of judges, by name of the metric.
    """

    name: str
    names: tuple[str, ...]
    metrics: tuple[Metric, ...]
    signatures: tuple[str, ...]
    references: tuple[str, ...]
    outliers: tuple[str, ...]
    beside: dict[str, str]
    gold: Gold
    metric_scores: Floats
    coefficients: tuple[Coefficient, ...]
    tested: MetricTest | None
    spans: dict[str, SpanMatch] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems that were judged."""
        return self.gold.systems

    @property
    def gold_scores(self) -> Floats:
        """Human scores of the systems, shape (systems,); NaN if missing."""
        return self.gold.system_scores

    @property
    def n_judgements(self) -> int:
        """Number of preferences without ties, or of scores."""
        return self.gold.n_judgements

    @property
    def n_ties(self) -> int:
        """Number of ties among preferences."""
        return self.gold.n_ties if isinstance(self.gold, PreferenceGold) else 0

    @property
    def kind(self) -> str:
        """Kind of the judgements: ``preferences`` or ``scores``."""
        return "preferences" if isinstance(self.gold, PreferenceGold) else "scores"

    @property
    def dropped_judges(self) -> tuple[str, ...]:
        """Judges whose scores could not be standardised."""
        return () if isinstance(self.gold, PreferenceGold) else self.gold.dropped_judges

    @property
    def sign_changed(self) -> bool:
        """Whether human scores were negated because lower judgements are better."""
        return isinstance(self.gold, ScoreGold) and self.gold.sign_changed

    def coefficient(self, name: str) -> Coefficient:
        """The coefficient of a name."""
        found: Coefficient = _find(name, {of.name: of for of in self.coefficients}, "coefficient")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "direction": self.name,
            "references": list(self.references),
            "judgements": self.kind,
            "n_judgements": self.n_judgements,
            "n_ties": self.n_ties,
            "gold": self.gold.method,
            "gold_sign_changed": self.sign_changed,
            "left_out": list(self.gold.left_out),
            "outliers": list(self.outliers),
            "unjudged": list(self.gold.unjudged),
            "systems": {
                system: {
                    "gold": or_none(self.gold_scores[s]),
                    **{name: or_none(self.metric_scores[m, s]) for m, name in enumerate(self.names)},
                }
                for s, system in enumerate(self.systems)
            },
            "metrics": [
                {
                    "name": name,
                    "metric": str(metric),
                    "signature": self.signatures[m],
                    **({"signature_of_segments": self.beside[name]} if name in self.beside else {}),
                    "higher_is_better": metric.higher_is_better,
                    "coefficients": {of.name: _described(of, m) for of in self.coefficients},
                }
                for m, (name, metric) in enumerate(zip(self.names, self.metrics, strict=True))
            ],
            "test": None if self.tested is None else _test(self.tested, self.names),
            **({"spans": {name: _matched(match) for name, match in self.spans.items()}} if self.spans else {}),
        }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MetaEvaluation(Result):
    """Metrics and human judgements in all directions.

    Attributes:
        level: ``system`` or ``segment``.
        average: what correlations of scores are averaged over at segment level; None if not applicable.
        resamples: number of resamples of the judgements for intervals; a test between metrics has its own number.
        seed: seed of the resamples.
        alpha: significance level; intervals cover 1 − alpha.
        digits: digits to which metric scores were rounded; None for no rounding.
        directions: one or more.
    """

    verb: ClassVar[str] = "metaeval"

    level: str
    average: str | None
    resamples: int
    seed: int
    alpha: float
    digits: int | None
    directions: tuple[Direction, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the metrics of all directions."""
        return tuple(dict.fromkeys(name for direction in self.directions for name in direction.names))

    @cached_property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients that all directions have; metrics are sorted by the first."""
        first, *others = ([of.name for of in direction.coefficients] for direction in self.directions)
        return tuple(name for name in first if all(name in names for names in others))

    @cached_property
    def averages(self) -> tuple[Coefficient, ...]:
        """Means of each coefficient over the directions, metrics in the order of ``names``."""
        return tuple(
            averaged([self.of(direction, name) for direction in self.directions]) for name in self.coefficients
        )

    @cached_property
    def n_directions(self) -> Ints:
        """Number of directions of each metric, shape (metrics,)."""
        return np.array([sum(name in direction.names for direction in self.directions) for name in self.names])

    @cached_property
    def ranked(self) -> tuple[int, ...]:
        """Metrics by their average, best first; metrics missing in some direction come last, as in WMT13."""
        whole = self.n_directions == len(self.directions)
        return tuple(sorted(self.averages[0].order, key=lambda metric: not whole[metric]))

    def of(self, direction: Direction, coefficient: str) -> Coefficient:
        """A coefficient in a direction, metrics in the order of ``names``; NaN for metrics that it lacks."""
        found = direction.coefficient(coefficient)
        return found.of([direction.names.index(name) if name in direction.names else -1 for name in self.names])

    def out_of_sequence(self, coefficient: int) -> NDArray[np.bool_]:
        """Metrics with a better average than one ranked above them, shape (metrics,): "≀" in WMT13."""
        marks = np.zeros(len(self.names), dtype=bool)
        worst = np.inf
        for metric in self.ranked:
            value = self.averages[coefficient].oriented[metric]
            if self.n_directions[metric] == len(self.directions) and not np.isnan(value):
                marks[metric] = value > worst + TOLERANCE
                worst = min(worst, value)
        return marks

    def __getitem__(self, key: tuple[str, str, str]) -> float:
        """The value of a (direction, metric, coefficient)."""
        direction, metric, coefficient = key
        found: Direction = _find(direction, {of.name: of for of in self.directions}, "direction")
        values = found.coefficient(coefficient).values
        return float(values[_find(metric, {name: m for m, name in enumerate(found.names)}, "metric")])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "schema": SCHEMA,
            "level": self.level,
            "average": self.average,
            "resamples": self.resamples if any(of.drawn is not None for of in self.averages) else None,
            "seed": self.seed,
            "alpha": self.alpha,
            "rounded_to": self.digits,
            "coefficients": list(self.coefficients),
            "ranked": [self.names[metric] for metric in self.ranked],
            "directions": [direction.to_dict() for direction in self.directions],
            "averages": {self.names[m]: {of.name: _described(of, m) for of in self.averages} for m in self.ranked},
        }

    def __repr__(self) -> str:
        directions = ", ".join(direction.name for direction in self.directions)
        return f"MetaEvaluation({directions}; {self.level} level; {', '.join(self.names)})"


def _find(name: str, known: dict[str, Any], what: str) -> Any:
    if name not in known:
        raise InputError(unknown_name(what, name, known))
    return known[name]


def _described(of: Coefficient, m: int) -> dict[str, Any]:
    found: dict[str, Any] = {"value": or_none(of.values[m])}
    if of.n_resamples:
        found["n_resamples"] = of.n_resamples
    if of.intervals is not None:
        found["interval"] = _plains(of.intervals[m])
    for name in ("ties", "epsilon"):
        values = getattr(of, name)
        if values is not None:
            found[name] = or_none(values[m])
    if of.n_groups is not None and of.n_dropped is not None:
        found |= {"n_groups": int(of.n_groups[m]), "n_dropped": int(of.n_dropped[m])}
    return found


def _matched(match: SpanMatch) -> dict[str, Any]:
    """Precision, recall and F1 of a metric's spans by the credit for another severity."""
    return {
        "outputs": match.n_pairs,
        "characters": match.of_first,
        "human_characters": match.of_second,
        **{
            name: {
                "precision": or_none(match.precision(credit)),
                "recall": or_none(match.recall(credit)),
                "f1": or_none(match.f1(credit)),
            }
            for name, credit in CREDITS.items()
        },
    }


def _test(tested: MetricTest, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "test": tested.test,
        "coefficient": tested.coefficient,
        "exact": tested.exact,
        "n_resamples": tested.n_resamples,
        "metrics": list(names),
        "p": None if tested.p is None else [_plains(row) for row in tested.p],
        "intervals": None
        if tested.intervals is None
        else [[_plains(ends) for ends in row] for row in tested.intervals],
        "better": {
            name: [names[other] for other in np.flatnonzero(tested.better[m]).tolist()] for m, name in enumerate(names)
        },
        "clusters": {name: int(tested.clusters[m]) for m, name in enumerate(names)},
    }


def _plains(values: Iterable[Any]) -> list[float | None]:
    return [or_none(value) for value in values]
