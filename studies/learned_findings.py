"""The findings of the study of learned metrics, on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learned_judges import GROUPS
from learned_preferences import BEST
from tables import markdown, shown

from mtassay.judging.normalisation import NORMALISATIONS
from mtassay.learn.nested import BEST_FEATURE
from mtassay.report.wording import signed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learned_judges import Judged
    from learned_preferences import Outcome

    from mtassay.learn.grid import GridResult
    from mtassay.learn.nested import NestedResult
    from mtassay.learn.training import Gaming


def gains(found: Mapping[str, NestedResult]) -> str:
    """A row for each set and set of features: what regression gains over the best single feature."""
    rows = []
    for name, result in found.items():
        gain = result.gain()
        learned, best = (result.rows.index(row) for row in ("regression", BEST_FEATURE))
        rows.append(
            (
                name,
                f"{result.n_outputs:,}",
                shown(result.trials.values[learned]),
                shown(result.trials.values[best]),
                f"{signed(gain.value)} [{signed(gain.low)}, {signed(gain.high)}]",
                shown(result.within[learned]),
                shown(result.within[best]),
            )
        )
    header = (
        "set, features",
        "outputs",
        "learned ρ",
        "best feature ρ",
        "gain [95 % interval]",
        "learned ρ within segments",
        "best feature ρ within segments",
    )
    return markdown(header, rows)


def in_words(
    nested: Mapping[str, NestedResult],
    grids: Sequence[GridResult],
    rankings: Sequence[Outcome],
    judged: Sequence[Judged],
    gaming: Gaming,
) -> str:
    """One line for each question of the page."""
    better = [name for name, result in nested.items() if result.gain().low > 0]
    ends = [outcome.interval(BEST) for outcome in rankings]
    even = NORMALISATIONS.index("even")
    gained = [one.learned.difference(even, 0) for one in judged]
    agreement = " and ".join(f"{shown(grid.agreement)} ({grid.name})" for grid in grids)
    lines = [
        f"Regression on features is significantly better than the best single feature on {len(better)} of "
        f"{len(nested)} rows ({', '.join(better) or 'none'}).",
        "Classifiers of human and machine translations learn another task: over a grid of parameters, Spearman's ρ "
        f"between their accuracy and their correlation with human scores is {agreement}.",
        f"Learned from rankings, a metric is significantly better than the best single feature in "
        f"{sum(low > 0 for low, _ in ends)} of {len(ends)} experiments on another set.",
        f"Mapping the scores of each judge to their places (`even`) gains {signed(min(gain.value for gain in gained))} "
        f"to {signed(max(gain.value for gain in gained))} in ρ over the scores as they are, significantly with "
        f"{sum(gain.low > 0 for gain in gained)} of {len(gained)} groups of judges ({len(GROUPS)} groups, all or one "
        "per segment).",
        f"A metric learned from outputs alone scores {100 * gaming.fooled[0]:.1f} % of them below a fluent sentence "
        f"that translates something else; with such sentences among the examples it is {100 * gaming.fooled[1]:.1f} %, "
        f"and ρ falls from {shown(gaming.correlation[0])} to {shown(gaming.correlation[1])}.",
    ]
    return "\n".join(f"- {line}" for line in lines)
