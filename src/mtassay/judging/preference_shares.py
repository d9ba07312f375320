"""Shares of judgements that prefer one system to another, with p-values (Table 7 of Song et al. 2013).

The share is of all judgements that compare the two systems, ties included. The p-value is that of the paired bootstrap
(Koehn 2004): judgements of the pair are resampled, and p is the share of resamples in which x does not win more often
than y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtassay.errors import InputError
from mtassay.stats.resamples import Resamples, blocks, check_resamples, check_seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.judgements import Preferences
    from mtassay.types import Floats


RESAMPLES = 10_000


@dataclass(frozen=True, eq=False)
class PreferenceShares:
    """Preferences between systems.

    Attributes:
        systems: names.
        shares: shares[x, y], share of judgements in which x was better than y; NaN if they were never compared.
        p: p[x, y], p-value of the test that x is better than y; NaN if they were never compared.
        n: number of judgements of each pair, shape (systems, systems).
        resamples: number of resamples.
        seed: seed of the resamples.
    """

    systems: tuple[str, ...]
    shares: Floats
    p: Floats
    n: NDArray[np.int64]
    resamples: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; a list entry for every ordered pair that was judged."""
        pairs = [(int(x), int(y)) for x, y in np.argwhere(self.n > 0)]
        return {
            "resamples": self.resamples,
            "seed": self.seed,
            "pairs": [
                {
                    "system": self.systems[x],
                    "better_than": self.systems[y],
                    "share": float(self.shares[x, y]),
                    "p": float(self.p[x, y]),
                    "judgements": int(self.n[x, y]),
                }
                for x, y in pairs
            ],
        }


def preference_shares(
    preferences: Preferences, systems: Sequence[str] | None = None, *, resamples: int = 0, seed: int = 12345
) -> PreferenceShares:
    """Shares and p-values of all pairs.

    Args:
        preferences: pairwise judgements.
        systems: names of the systems, in order; all by default.
        resamples: number of resamples; 0 for 10,000.
        seed: seed of the resamples.
    """
    resamples, seed = check_resamples(resamples) or RESAMPLES, check_seed(seed)
    names = tuple(preferences.systems if systems is None else systems)
    for name in names:
        if name not in preferences.systems:
            judged = ", ".join(preferences.systems)
            raise InputError(f"the judgements have no system '{name}' (systems: {judged})")
    size = len(names)
    shares, p = np.full((size, size), np.nan), np.full((size, size), np.nan)
    n = np.zeros((size, size), dtype=np.int64)
    for x in range(size):
        for y in range(x + 1, size):
            outcomes = _outcomes(preferences, *(preferences.systems.index(names[s]) for s in (x, y)))
            n[x, y] = n[y, x] = len(outcomes)
            if len(outcomes):
                shares[x, y], shares[y, x] = (outcomes == 1).mean(), (outcomes == -1).mean()
                p[x, y], p[y, x] = _bootstrap(outcomes, resamples, seed)
    return PreferenceShares(names, shares, p, n, resamples, seed)


def _outcomes(preferences: Preferences, x: int, y: int) -> NDArray[np.int64]:
    """All judgements of two systems: 1 if x is better than y, -1 if y is, 0 for ties."""
    forth = (preferences.first == x) & (preferences.second == y)
    back = (preferences.first == y) & (preferences.second == x)
    return np.concatenate([preferences.outcome[forth], -preferences.outcome[back]])


def _bootstrap(outcomes: NDArray[np.int64], resamples: int, seed: int) -> tuple[float, float]:
    """P-values of the tests that x is better and that y is better."""
    draw = Resamples(len(outcomes), resamples, seed=seed)
    not_x = not_y = 0
    for numbers in blocks(resamples):
        sums = draw(numbers).astype(np.float64) @ outcomes
        not_x += int((sums <= 0).sum())
        not_y += int((sums >= 0).sum())
    return (not_x + 1) / (resamples + 1), (not_y + 1) / (resamples + 1)
