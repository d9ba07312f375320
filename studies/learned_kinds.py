"""What learning gains where the kind of model is given and not chosen, on sets that are small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learned_data import only
from tables import markdown

from mtassay.execution import Execution
from mtassay.learn.models import REGRESSION
from mtassay.learn.nested import BEST_FEATURE, REGRESSORS, nested
from mtassay.report.wording import share, signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.learn.nested import NestedResult
    from mtassay.learn.training_data import Material


def kinds(sets: Sequence[Material], *, execution: Execution) -> dict[tuple[str, str, str], NestedResult]:
    """Nested cross-validation by set, features and kind of model; parameters are chosen as ever."""
    return {
        (made.name, features, kind): nested(only(made, features), regressors=[kind], execution=execution)
        for made in sets
        for features in ("modern", "full")
        for kind in REGRESSORS
    }


def kinds_table(found: dict[tuple[str, str, str], NestedResult]) -> str:
    """A row for each."""
    lines = []
    for names, result in found.items():
        learned, best = (result.trials.values[result.rows.index(row)] for row in (REGRESSION, BEST_FEATURE))
        gain = result.gain(REGRESSION)
        interval = f"[{signed(gain.low)}, {signed(gain.high)}]"
        lines.append((*names, share(float(learned)), share(float(best)), signed(gain.value), interval))
    header = ("set", "features", "model", "ρ", "ρ of the best feature", "gain", "95 % interval")
    return markdown(header, lines, n_labels=3, n_notes=1)
