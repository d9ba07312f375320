"""Coefficients by name: titles, values and averages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import best_first, equalised
from mtassay.errors import InputError, unknown_name
from mtassay.stats.intervals import percentile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mtassay.types import Floats, Ints


#: Titles in tables.
TITLES = {
    "spearman": "Spearman ρ",
    "pearson": "Pearson r",
    "kendall-b": "Kendall τ-b",
    "kendall-c": "Kendall τ-c",
    "kendall-23": "Kendall τ_23",
    "acc23": "acc_23",
    "clusters": "Pearson r with cluster ranks",
    "fuzzy": "Pearson r with fuzzy ranks",
    "accuracy": "pairwise accuracy",
    "soft-accuracy": "soft pairwise accuracy",
    "orange": "ORANGE",
    "wmt12": "Kendall τ (WMT12: metric ties discordant)",
    "wmt13": "Kendall τ (WMT13: metric ties ignored)",
    "wmt14": "Kendall τ (WMT14: metric ties half right)",
    "acc-eq": "acc_eq*",
    "darr": "Kendall τ (DARR, gold differs by 25 or more)",
}
#: Short titles for narrow columns.
SHORT = {
    **TITLES,
    "clusters": "clusters",
    "fuzzy": "fuzzy ranks",
    "accuracy": "accuracy",
    "soft-accuracy": "soft accuracy",
    "wmt12": "τ (WMT12)",
    "wmt13": "τ (WMT13)",
    "wmt14": "τ (WMT14)",
    "darr": "τ (DARR)",
}
LOWER_IS_BETTER = ("orange",)
#: Coefficients are differences of terms of about 1, so values near 0 have fewer correct digits.
_SCALE = 1.0
_OTHER_NAMES = {"kendall": "kendall-b", "spa": "soft-accuracy", "fuzzy-ranks": "fuzzy", "acc_eq": "acc-eq"}


@dataclass(frozen=True, kw_only=True, eq=False)
class Coefficient:
    """One coefficient of several metrics.

    Attributes:
        name: as in ``TITLES``.
        values: shape (metrics,); NaN if not defined.
        drawn: the values in each resample of the judgements, shape (metrics, resamples); None without resamples.
        alpha: 1 minus the coverage of the intervals.
        ties: share of pairs to which each metric gives equal scores, shape (metrics,); None if ties do not matter.
        epsilon: largest difference of a metric's scores that counts as a tie, shape (metrics,), for acc_eq*.
        n_groups: number of groups in the mean, shape (metrics,); None if the value is not a mean.
        n_dropped: number of groups left out because gold or metric is constant, shape (metrics,).
        n_resamples: number of resamples from which the values are computed; 0 if they need none.
    """

    name: str
    values: Floats
    drawn: Floats | None = None
    alpha: float = 0.05
    ties: Floats | None = None
    epsilon: Floats | None = None
    n_groups: Ints | None = None
    n_dropped: Ints | None = None
    n_resamples: int = 0

    @property
    def title(self) -> str:
        """Its title in tables."""
        return TITLES[self.name]

    @property
    def oriented(self) -> Floats:
        """The values, negated if lower ones are better."""
        return -self.values if self.name in LOWER_IS_BETTER else self.values

    @property
    def order(self) -> list[int]:
        """Metrics from best to worst; ties keep the given order, and those without a value come last."""
        return best_first(self.oriented, scale=_SCALE)

    @property
    def best(self) -> NDArray[np.bool_]:
        """Metrics with the best value, if not all have it, shape (metrics,)."""
        values = equalised(self.oriented, scale=_SCALE)
        known = values[~np.isnan(values)]
        if not len(known) or known.max() == known.min():
            return np.zeros(len(values), dtype=bool)
        best: NDArray[np.bool_] = values == known.max()
        return best

    @cached_property
    def intervals(self) -> Floats | None:
        """Percentile intervals, shape (metrics, 2), over the resamples in which a value is defined."""
        if self.drawn is None:
            return None
        known = [row[~np.isnan(row)] for row in self.drawn]
        return np.array([percentile(row, self.alpha) if len(row) else [np.nan, np.nan] for row in known])

    @property
    def margins(self) -> Floats | None:
        """Half the width of the intervals, shape (metrics,)."""
        ends = self.intervals
        return None if ends is None else (ends[:, 1] - ends[:, 0]) / 2

    def of(self, chosen: Sequence[int]) -> Coefficient:
        """The coefficient for some metrics; -1 stands for a metric without a value."""
        numbers = np.asarray(chosen, dtype=np.int64)

        def taken(values: Any) -> Any:
            if values is None:
                return None
            return np.where((numbers < 0).reshape(-1, *[1] * (values.ndim - 1)), np.nan, values[numbers])

        columns = ("values", "drawn", "ties", "epsilon")
        kept: dict[str, Any] = {name: taken(getattr(self, name)) for name in columns}
        return replace(self, n_groups=None, n_dropped=None, **kept)


def averaged(coefficients: Sequence[Coefficient]) -> Coefficient:
    """Means over directions; for each metric, over the directions in which it has a value.

    Directions are resampled independently, so the mean of their resamples is a resample of the mean.
    """
    first = coefficients[0]
    drawn = [of.drawn for of in coefficients if of.drawn is not None]
    n_resamples = min((of.shape[1] for of in drawn), default=0)
    whole = len(drawn) == len(coefficients) and n_resamples > 0
    ties = [of.ties for of in coefficients if of.ties is not None]
    return Coefficient(
        name=first.name,
        values=_mean([of.values for of in coefficients]),
        drawn=_mean([of[:, :n_resamples] for of in drawn]) if whole else None,
        alpha=first.alpha,
        ties=_mean(ties) if len(ties) == len(coefficients) else None,
    )


def _mean(values: Sequence[Floats]) -> Floats:
    stacked = np.stack(values)
    n = (~np.isnan(stacked)).sum(axis=0)
    means: Floats = np.divide(np.nansum(stacked, axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)
    return means


def canonical(name: str) -> str:
    """The name of a coefficient in ``TITLES``, which some have others for.

    >>> canonical("spa"), canonical("pearson")
    ('soft-accuracy', 'pearson')
    """
    return _OTHER_NAMES.get(name, name)


def checked(names: Sequence[str], known: Sequence[str], *, level: str) -> tuple[str, ...]:
    """Check names of coefficients: each once, and defined at this level."""
    found: list[str] = []
    for given in names:
        name = canonical(given)
        if name not in known:
            if name in TITLES:
                raise InputError(
                    f"no coefficient '{given}' at {level} level for these judgements (known: {', '.join(known)})"
                )
            raise InputError(unknown_name(f"coefficient at {level} level", given, known))
        if name in found:
            raise InputError(f"the coefficient {name} is given twice")
        found.append(name)
    return tuple(found)
