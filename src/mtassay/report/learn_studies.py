"""Studies of learned metrics as text and tables."""

from __future__ import annotations

from functools import singledispatch
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import best_first, equalised
from mtassay.errors import counted
from mtassay.learn.curve import CurveResult
from mtassay.learn.generalise import CrossResult
from mtassay.learn.grid import GridResult
from mtassay.learn.nested import BEST_FEATURE, NestedResult
from mtassay.report.learn import by_size, rho, shown
from mtassay.report.tables import Cell, Table

if TYPE_CHECKING:
    from mtassay.learn.bootstrap import Difference
    from mtassay.report.learn import Titled


def page(result: Any, format_: str) -> str:
    """All tables of a study in a format."""
    return shown(tables(result), format_, result)


@singledispatch
def tables(result: Any) -> list[Titled]:
    """The tables of a study."""
    raise TypeError(f"no study: {type(result).__name__}")


@tables.register(NestedResult)
def _nested(result: NestedResult) -> list[Titled]:
    learned = [*result.choices, BEST_FEATURE]
    others = [row for row in result.rows if row not in learned]
    values = dict(zip(result.rows, result.trials.values.tolist(), strict=True))
    ranked = [*learned, *by_size({row: values[row] for row in others})]
    top = by_size({row: values[row] for row in ranked})[0]
    rows = []
    for row in ranked:
        place = result.rows.index(row)
        low, high = result.trials.interval(place)
        interval = f"[{low:.3f}, {high:.3f}]" if isfinite(low) else "constant"
        folds = [value for value in result.folds[place].tolist() if isfinite(value)]
        spread = f"{min(folds):.3f} – {max(folds):.3f}" if folds else ""
        within = float(result.within[place])
        rows.append((Cell(row), rho(values[row], best=row == top), rho(within), Cell(interval), Cell(spread)))
    title = (
        f"{result.name}: Spearman's ρ over {result.n_outputs:,} outputs of {counted(result.n_segments, 'segment')}, "
        f"{counted(result.folds.shape[1], 'fold')} by segment, 95 % intervals over draws of segments"
    )
    header = ("metric", "ρ", "ρ within segments", "95 % interval of ρ", "folds")
    gains = tuple((Cell(row), *_difference(result.gain(row))) for row in result.choices)
    gain_header = ("learned", "gain over the best feature", "95 % interval", "paper's t", "paper's test, 99.8 %")
    return [
        (title, Table(header, tuple(rows), n_notes=2)),
        ("what learning gains over the single feature that was best on the training folds", Table(gain_header, gains)),
        ("what was chosen on the training folds", _choices(result)),
    ]


def _difference(found: Difference) -> tuple[Cell, ...]:
    verdict = "significant" if found.significant_in_paper else "not significant"
    return (
        Cell(f"{found.value:+.3f}"),
        Cell(f"[{found.low:+.3f}, {found.high:+.3f}]"),
        Cell(f"{found.t:.1f}"),
        Cell(verdict),
    )


def _choices(result: NestedResult) -> Table:
    rows = []
    for framing, chosen in result.choices.items():
        for fold, choice in enumerate(chosen, 1):
            parameters = ", ".join(f"{name} {value:g}" for name, value in choice.parameters.items())
            rows.append(
                (
                    Cell(framing),
                    Cell(str(fold)),
                    rho(choice.held_out),
                    Cell(str(len(choice.features))),
                    Cell(f"{choice.model}: {parameters}"),
                    Cell(result.best_features[fold - 1]),
                )
            )
    header = ("framing", "fold", "ρ held out", "features", "model", "best feature")
    return Table(header, tuple(rows), n_labels=1, n_notes=2)


@tables.register(CurveResult)
def _curve(result: CurveResult) -> list[Titled]:
    rows = []
    for (features, model), points in result.curves.items():
        correlations = equalised([point.correlation for point in points])
        best = correlations[np.isfinite(correlations)].max(initial=-np.inf)
        rows += [
            (
                Cell(features),
                Cell(model),
                Cell(f"{point.examples:.0f}"),
                rho(point.correlation, best=bool(correlation == best)),
                rho(point.deviation),
                rho(point.accuracy),
            )
            for point, correlation in zip(points, correlations, strict=True)
        ]
    header = ("features", "model", "examples", "ρ", "deviation", "accuracy")
    found = [
        (
            f"{result.name}: Spearman's ρ by number of training examples, mean of {counted(result.n_folds, 'fold')}",
            Table(header, tuple(rows), n_labels=2),
        )
    ]
    if result.baselines:
        lines = tuple((Cell(name), rho(value)) for name, value in result.baselines.items())
        found.append(("standard metrics on the same segments", Table(("metric", "ρ"), lines)))
    return found


@tables.register(GridResult)
def _grid(result: GridResult) -> list[Titled]:
    compared = [equalised([getattr(one, name) for one in result.tried]) for name in ("accuracy", "correlation")]
    accurate, correlated = (values == np.nanmax(values) for values in compared)
    rows = tuple(
        (
            Cell(f"{one.parameters['C']:g}"),
            Cell(f"{one.parameters['gamma']:g}"),
            rho(one.accuracy, best=bool(accurate[place])),
            rho(one.correlation, best=bool(correlated[place])),
        )
        for place, one in enumerate(result.tried)
    )
    title = (
        f"{result.name}: people told from machines by {counted(result.n_features, 'feature')}, accuracy and "
        f"correlation with people; Spearman's ρ between the two over the grid {result.agreement:.3f}"
    )
    return [(title, Table(("C", "γ", "accuracy", "ρ"), rows, n_labels=0))]


@tables.register(CrossResult)
def _cross(result: CrossResult) -> list[Titled]:
    rows = []
    for place, name in enumerate(result.rows):
        found, comparable = result.trials[place], result.comparable(place)
        means = [found.in_paper(metric) for metric in range(len(result.columns))]
        best = best_first(found.values)[0]
        rows.append(
            (
                Cell(name),
                *(
                    Cell(f"{mean:.3f}{'=' if comparable[metric] and metric != best else ''}", best=metric == best)
                    for metric, mean in enumerate(means)
                ),
            )
        )
    title = (
        f"trained on {result.trained_on}: Spearman's ρ, mean of {len(result.trials[0].by_output):,} draws of outputs; "
        "= where the paper's paired t-test (99.8 %) does not tell it from the best"
    )
    return [(title, Table((result.title, *result.columns), tuple(rows)))]
