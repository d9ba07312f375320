"""PERM-BOTH (Deutsch et al. 2021): does one metric agree better with gold than another?

Both metrics are standardised over the scored cells, each cell is swapped between them with probability ½, and the
difference of the two correlations is compared with the observed one: p[a, b], of the test that a is better than b, is
the share of resamples in which a is ahead of b by at least as much. Few cells, as at system level, are swapped in all
2^n ways, and p is exact.

The sums for Pearson's r are linear in the swaps, so all pairs of metrics share one matrix product per block of
resamples. The number of agreeing pairs is quadratic in the swaps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import TOLERANCE, alike, equalised
from mtassay.errors import InputError
from mtassay.stats import resamples as drawing
from mtassay.stats.grouped_gold import GroupedGold, system_level
from mtassay.stats.weighted_sums import WeightedSums

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.types import Floats


#: Largest number of cells that are swapped in all ways.
MOST_EXACT = 18
#: Blocks of resamples at a time.
_AT_A_TIME = 2


def pearson_p(gold: Any, metrics: Any, *, resamples: int = 0, seed: int = 12345) -> Floats:
    """Test differences of Pearson's r at system level.

    Args:
        gold: shape (systems,), NaN if missing.
        metrics: shape (metrics, systems).
        resamples: number of resamples; 0 for all swaps of up to ``MOST_EXACT`` systems, or 10,000 resamples of more.
        seed: seed of the resamples.

    Returns:
        p[a, b], p-value of the test that a is better than b, shape (metrics, metrics), NaN on the diagonal.

    >>> gold = [1.0, 2.0, 3.0, 4.0]
    >>> pearson_p(gold, [[1.0, 2.0, 3.0, 5.0], [4.0, 1.0, 3.0, 2.0]])[0, 1].item()
    0.25
    """
    values, scores = system_level(gold, metrics)
    return _counted(
        len(values), len(scores), _pearson_differences(values, scores), resamples=resamples, seed=seed, usual=10_000
    )


def segment_pearson_p(gold: Any, metrics: Any, *, resamples: int = 1000, seed: int = 12345) -> Floats:
    """Test differences of Pearson's r of cells; gold (systems, segments), metrics (metrics, systems, segments)."""
    cells = GroupedGold(gold, average="none")
    scores = cells.of(metrics)
    differences = _pearson_differences(cells.gold, scores)
    return _counted(len(cells.gold), len(scores), differences, resamples=resamples, seed=seed, usual=1000)


def accuracy_p(gold: Any, metrics: Any, *, resamples: int = 0, seed: int = 12345) -> Floats:
    """Test differences of pairwise accuracy at system level; arguments and result as for ``pearson_p``."""
    values, scores = system_level(gold, metrics)
    # Standardised scores are differences from a mean, of a size of about 1.
    differences = _accuracy_differences(values, equalised(_standardised(scores), scale=1.0))
    return _counted(len(values), len(scores), differences, resamples=resamples, seed=seed, usual=10_000)


def _counted(
    n_cells: int, n_metrics: int, differences: Callable[[Any], Floats], *, resamples: int, seed: int, usual: int
) -> Floats:
    """Count resamples that are as extreme as the observed data.

    Args:
        n_cells: number of cells.
        n_metrics: number of metrics.
        differences: function from weights (resamples, cells) to first minus second metric, shape (pairs, resamples).
        resamples: number of resamples; 0 for all, or for `usual` if all are too many.
        seed: seed of the resamples.
        usual: default number of resamples.
    """
    wanted = drawing.check_resamples(resamples)
    exact = wanted == 0 and n_cells <= MOST_EXACT
    n_resamples = 2**n_cells if exact else wanted or usual
    swaps: Callable[[range], Any] = (
        drawing.AllSwaps(n_cells) if exact else drawing.Swaps(n_cells, n_resamples, seed=drawing.check_seed(seed))
    )
    observed = differences(np.zeros((1, n_cells)))
    first, second = np.triu_indices(n_metrics, k=1)
    ahead, behind = (np.zeros(len(first), dtype=np.int64) for _ in range(2))
    for numbers in drawing.blocks(n_resamples, at_a_time=_AT_A_TIME):
        simulated = differences(swaps(numbers))
        # Smaller differences of correlations come from rounding.
        ahead += (simulated >= observed - TOLERANCE).sum(axis=1)
        behind += (simulated <= observed + TOLERANCE).sum(axis=1)
    p = np.full((n_metrics, n_metrics), np.nan)
    # Parity: mt-metrics-eval, p = count / resamples even for random resamples, so it can be 0.
    p[first, second], p[second, first] = ahead / n_resamples, behind / n_resamples
    return p


def _standardised(scores: Floats) -> Floats:
    spread = scores.std(axis=1, keepdims=True)
    constant = np.flatnonzero(alike(scores.max(axis=1), scores.min(axis=1)))
    if len(constant):
        raise InputError(f"metric {int(constant[0]) + 1} is constant: it has no correlation to test")
    standardised: Floats = (scores - scores.mean(axis=1, keepdims=True)) / spread
    return standardised


def _pearson_differences(gold: Floats, scores: Floats) -> Callable[[Any], Floats]:
    n = len(gold)
    if alike(gold.max(), gold.min()):
        raise InputError("gold is constant: it has no correlation")
    around = gold - gold.mean()
    around /= np.sqrt(around @ around)
    z = _standardised(scores)
    rows = np.concatenate([z * around, z, z**2])
    sums_under = WeightedSums(rows)
    totals = rows.sum(axis=1).reshape(3, -1, 1)
    first, second = np.triu_indices(len(z), k=1)

    def r(sums: Floats) -> Floats:
        spread = sums[2] - sums[1] ** 2 / n
        # Squares of standardised scores sum to n; swapping may leave constant scores, which have no correlation.
        defined = spread > TOLERANCE * n
        root = np.sqrt(np.where(defined, spread, 1.0))
        found: Floats = np.where(defined, sums[0] / root, np.nan)
        return found

    def differences(weights: Any) -> Floats:
        swapped = sums_under(weights).reshape(3, len(z), -1)
        gain = swapped[:, second] - swapped[:, first]
        return r(totals[:, first] + gain) - r(totals[:, second] - gain)

    return differences


def _accuracy_differences(gold: Floats, scores: Floats) -> Callable[[Any], Floats]:
    """Differences in the share of pairs of systems that agree with gold; quadratic in the weights."""
    n_pairs = len(gold) * (len(gold) - 1) / 2
    order = np.sign(gold[:, None] - gold)

    def agree(x: Floats, y: Floats) -> Floats:
        """Whether x of one system and y of another are ordered as gold orders them."""
        alike: Floats = (np.sign(x[:, None] - y) == order).astype(np.float64)
        return alike

    forms = []
    for a, b in np.column_stack(np.triu_indices(len(scores), k=1)).tolist():
        stay, both = agree(scores[a], scores[a]), agree(scores[b], scores[b])
        one = agree(scores[b], scores[a])
        # Ordered pairs count each pair of systems twice, and every system agrees with itself.
        np.fill_diagonal(one, 1.0)
        forms.append((stay.sum(), 2 * (one - stay).sum(axis=1), stay + both - one - one.T))

    def agreeing(form: Any, weights: Any) -> Floats:
        constant, linear, quadratic = form
        counted: Floats = constant + weights @ linear + ((weights @ quadratic) * weights).sum(axis=1)
        return counted

    def differences(weights: Any) -> Floats:
        if not forms:
            return np.zeros((0, len(weights)))
        both = [agreeing(form, weights) - agreeing(form, 1 - weights) for form in forms]
        shares: Floats = np.stack(both) / (2 * n_pairs)
        return shares

    return differences
