"""What learning gains over the best single feature: ``learn study nested``."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.learn.nested import BEST_FEATURE
from mtassay.report.document import Cell, Document, Records, Sentence, Table, table
from mtassay.report.documents.learn_train import strongest_first
from mtassay.report.wording import MISSING, share, signed

if TYPE_CHECKING:
    from mtassay.learn.nested import NestedResult


def document(result: NestedResult) -> Document:
    """Correlations, gains, and the choices in each fold; records have the correlations."""
    title = (
        f"{result.name}: Spearman's ρ over {result.n_outputs:,} outputs of {counted(result.n_segments, 'segment')}, "
        f"{counted(result.folds.shape[1], 'fold')} by segment, 95 % intervals over resamples of segments"
    )
    blocks = (
        Sentence(title),
        _correlation_table(result),
        Sentence("gain of learning over the feature that was best on the training folds"),
        _gain_table(result),
        Sentence("choices on the training folds"),
        _choice_table(result),
    )
    return Document("gain of learning", blocks, lambda: _records(result), result.to_dict)


def _correlation_table(result: NestedResult) -> Table:
    """Learned metrics first, then the features from the strongest to the weakest."""
    learned = [*result.choices, BEST_FEATURE]
    others = [row for row in result.rows if row not in learned]
    values = dict(zip(result.rows, result.trials.values.tolist(), strict=True))
    ranked = [*learned, *strongest_first({row: values[row] for row in others})]
    top = strongest_first({row: values[row] for row in ranked})[0]
    rows: list[list[str | Cell]] = []
    for row in ranked:
        place = result.rows.index(row)
        low, high = result.trials.interval(place)
        folds = [value for value in result.folds[place].tolist() if isfinite(value)]
        rows.append(
            [
                row,
                Cell(share(values[row]), best=row == top),
                share(float(result.within[place])),
                f"[{share(low)}, {share(high)}]" if isfinite(low) else "constant",
                f"{share(min(folds))} – {share(max(folds))}" if folds else "",
            ]
        )
    return table(["metric", "ρ", "ρ within segments", "95 % interval of ρ", "folds"], rows, n_notes=2)


def _gain_table(result: NestedResult) -> Table:
    rows = []
    for row in result.choices:
        gain = result.gain(row)
        verdict = "significant" if gain.significant_in_paper else "not significant"
        test = [f"{gain.t:.1f}", verdict] if isfinite(gain.t) else [MISSING, MISSING]
        rows.append([row, signed(gain.value), f"[{signed(gain.low)}, {signed(gain.high)}]", *test])
    return table(["learned", "gain over the best feature", "95 % interval", "paper's t", "paper's test, 99.8 %"], rows)


def _choice_table(result: NestedResult) -> Table:
    rows = []
    for framing, chosen in result.choices.items():
        for fold, choice in enumerate(chosen, 1):
            parameters = ", ".join(f"{name} {value:g}" for name, value in choice.parameters.items())
            rows.append(
                [
                    framing,
                    str(fold),
                    share(choice.held_out),
                    str(len(choice.features)),
                    f"{choice.model}: {parameters}",
                    result.best_features[fold - 1],
                ]
            )
    return table(["framing", "fold", "ρ held out", "features", "model", "best feature"], rows, n_notes=2)


def _records(result: NestedResult) -> Records:
    """A row per metric."""
    rows = [
        (
            of["name"],
            of["correlation"],
            *of["interval"],
            of["mean_of_trials"],
            of["within_segments"],
            of["folds"],
        )
        for of in result.to_dict()["metrics"]
    ]
    return Records(("metric", "correlation", "low", "high", "mean_of_trials", "within_segments", "folds"), rows)
