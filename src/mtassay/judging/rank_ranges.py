"""Uncertainty of human rankings: rank ranges, WMT clusters and fuzzy ranks from resampled judgements.

Bojar et al. 2013, "Findings of the 2013 workshop on statistical machine translation", §3.2.

Judgements are resampled with replacement, and the systems are scored and ranked again. By default whole screens (five
systems ranked at once) are resampled, since the judgements of a screen are not independent; for scores, segments are.
A system's rank range leaves out the lowest and the highest (1 - confidence)/2 of its ranks. Two systems are in
different clusters if the ranges of the upper one and all above do not overlap those of the lower one and all below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtassay.equality import TOLERANCE, best_first, equalised, magnitude
from mtassay.errors import InputError, unknown_name
from mtassay.judging.assessments import system_scores
from mtassay.judging.wins import expected_wins
from mtassay.stats.intervals import check_alpha
from mtassay.stats.resamples import BLOCK, Resamples, blocks, check_resamples, check_seed
from mtassay.stats.sample import Sample, WeightedTotals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mtassay.data.judgements import Preferences
    from mtassay.types import Floats, Ints


#: Units of resampling and of exchange.
JUDGEMENT_UNITS = ("screen", "judgement", "segment")
#: Default number of resamples.
RESAMPLES = 1000
#: Single judgements have their own stream of random numbers.
_STREAM = 3


def unit_of(preferences: Preferences, unit: str) -> str:
    """The unit; judgements in place of screens if every judgement has a screen of its own, since these are the same."""
    alone = len(np.unique(preferences.item)) == len(preferences)
    return "judgement" if alone and unit == "screen" else unit


@dataclass(frozen=True, eq=False)
class RankRanges:
    """Ranks of systems over resamples.

    Attributes:
        scores: scores of all judgements together, shape (systems,).
        drawn: scores of each resample, shape (resamples, systems).
        low: the best rank of each system's range (1 is best), shape (systems,).
        high: the worst rank of the range.
        confidence: the share of resamples in the ranges.
    """

    scores: Floats
    drawn: Floats
    low: Ints
    high: Ints
    confidence: float

    @property
    def order(self) -> list[int]:
        """Systems by score, best first; ties keep their order."""
        return best_first(self.scores, scale=magnitude(self.scores))

    def clusters(self, *, last_only: bool = False) -> tuple[tuple[int, ...], ...]:
        """Systems in groups whose rank ranges do not overlap, best first.

        Args:
            last_only: end a cluster if the range of its last system, whatever the ranges of its others, lies above all
                ranges below. This is the rule of the script behind the official rankings of WMT14 to WMT16.
        """
        order = np.array(self.order)
        below = np.append(np.minimum.accumulate(self.low[order][::-1])[::-1][1:], 0)
        worst = self.high[order] if last_only else np.maximum.accumulate(self.high[order])
        return _cut(order, worst < below)

    def alike(self) -> NDArray[np.bool_]:
        """Which systems are not significantly different: neither beats the other in enough resamples.

        x is significantly better than y if its score is higher in at least `confidence` of the resamples; shape
        (systems, systems).
        """
        drawn = equalised(self.drawn, scale=magnitude(self.drawn))
        higher = (drawn[:, :, None] > drawn[:, None, :]).mean(axis=0)
        better = higher >= self.confidence - TOLERANCE
        neither: NDArray[np.bool_] = ~(better | better.T)
        return neither

    def fuzzy_ranks(self) -> Floats:
        """Mean rank of the systems not significantly different from each, including itself; shape (systems,)."""
        return fuzzy_ranks(self.scores, self.alike())


def fuzzy_ranks(scores: Any, alike: Any) -> Floats:
    """Mean rank of the systems not significantly different from each (Macháček & Bojar 2013); ties share a rank.

    Args:
        scores: higher is better, shape (systems,).
        alike: which systems are not significantly different, bool of shape (systems, systems).

    >>> fuzzy_ranks([3, 2, 1], [[True, True, False], [True, True, False], [False, False, True]]).tolist()
    [1.5, 1.5, 3.0]
    """
    same = np.asarray(alike, dtype=bool) | np.eye(len(np.asarray(scores)), dtype=bool)
    # Systems without a score are last.
    values = np.nan_to_num(equalised(scores, scale=magnitude(scores)), nan=-np.inf)
    ranks = (
        1 + (values[None, :] > values[:, None]).sum(axis=1) + ((values[None, :] == values[:, None]).sum(axis=1) - 1) / 2
    )
    mean: Floats = (same * ranks).sum(axis=1) / same.sum(axis=1)
    return mean


def ranges(scores: Any, drawn: Any, *, confidence: float = 0.95) -> RankRanges:
    """Rank ranges from scores over resamples or runs (those of ``trueskill``, for example).

    Systems with equal scores in a resample share the better rank.

    >>> found = ranges([0.9, 0.5, 0.1], [[0.9, 0.5, 0.1], [0.8, 0.9, 0.2], [0.9, 0.4, 0.3]], confidence=0.9)
    >>> found.low.tolist(), found.high.tolist()
    ([1, 2, 3], [1, 2, 3])
    """
    check_alpha(confidence)
    samples = np.asarray(drawn, dtype=np.float64)
    n_resamples = len(samples)
    compared = equalised(samples, scale=magnitude(samples))
    ranks = np.sort(1 + (compared[:, None, :] > compared[:, :, None]).sum(axis=2), axis=0)
    # Parity: wmt-trueskill, the number of resamples left out at each end is rounded up.
    cut = math.ceil(round(n_resamples * (1 - confidence) / 2, 9))
    if 2 * cut >= n_resamples:
        raise InputError(
            f"{n_resamples} resamples are too few for a rank range of {confidence:.0%}: use more resamples"
        )
    return RankRanges(
        np.asarray(scores, dtype=np.float64), samples, ranks[cut], ranks[n_resamples - 1 - cut], float(confidence)
    )


def rank_ranges(
    preferences: Preferences,
    score: Callable[[Any, Any], Floats] = expected_wins,
    *,
    resamples: int = RESAMPLES,
    seed: int = 12345,
    unit: str = "screen",
    confidence: float = 0.95,
) -> RankRanges:
    """Rank systems under resampled judgements.

    Args:
        preferences: the judgements.
        score: function from wins and ties, each (..., systems, systems), to scores (..., systems).
        resamples: number of resamples of the judgements.
        seed: the seed.
        unit: unit of resampling: ``screen``, ``segment``, or ``judgement`` for single comparisons.
        confidence: the share of resamples in a rank range.
    """
    found = [
        score(wins, ties) for wins, ties in resampled_counts(preferences, resamples=resamples, seed=seed, unit=unit)
    ]
    # A system missing from a resample has no score and is last in it.
    drawn = np.nan_to_num(np.concatenate(found), nan=-np.inf)
    return ranges(score(*preferences.counts()), drawn, confidence=confidence)


def score_ranges(
    per_segment: Any, *, resamples: int = RESAMPLES, seed: int = 12345, confidence: float = 0.95
) -> RankRanges:
    """Rank systems by their mean score under resampled segments.

    Args:
        per_segment: higher is better, shape (systems, segments); NaN if missing.
        resamples: number of resamples of the segments.
        seed: the seed.
        confidence: the share of resamples in a rank range.
    """
    values = np.asarray(per_segment, dtype=np.float64)
    n_resamples = check_resamples(resamples) or RESAMPLES
    known = np.isfinite(values)
    sums = WeightedTotals(Sample(np.stack([np.where(known, values, 0.0), known], axis=-1), _mean))
    counts = Resamples(values.shape[1], n_resamples, seed=check_seed(seed))
    found = [_mean(np.moveaxis(sums(counts.drawn(numbers)), 0, -1)).T for numbers in blocks(n_resamples)]
    drawn = np.nan_to_num(np.concatenate(found), nan=-np.inf)
    return ranges(system_scores(values), drawn, confidence=confidence)


def _mean(totals: Floats) -> Floats:
    """Mean from sum and number of scores; NaN without scores."""
    total, n = totals[..., 0], totals[..., 1]
    mean: Floats = np.divide(total, n, out=np.full(np.shape(n), np.nan), where=n > 0)
    return mean


def resampled_counts(
    preferences: Preferences, *, resamples: int = RESAMPLES, seed: int = 12345, unit: str = "screen"
) -> Iterator[tuple[Floats, Floats]]:
    """Wins and ties in blocks of resamples, shape (resamples, systems, systems); arguments as for ``rank_ranges``."""
    if unit not in JUDGEMENT_UNITS:
        raise InputError(unknown_name("unit", unit, JUDGEMENT_UNITS))
    if len(preferences) == 0:
        raise InputError("there are no judgements to resample")
    n_resamples = check_resamples(resamples) or RESAMPLES
    groups = preferences.segment if unit == "segment" else preferences.item
    items, item = np.unique(groups, return_inverse=True)
    if unit == "judgement" or len(items) == len(preferences):
        yield from _single_judgements(preferences, n_resamples, check_seed(seed))
        return
    n = len(preferences.systems)
    sums = WeightedTotals(Sample(_statistics(preferences, item, len(items)), lambda totals: totals[..., 0]))
    counts = Resamples(len(items), n_resamples, seed=check_seed(seed))
    for numbers in blocks(n_resamples):
        product = sums(counts.drawn(numbers))
        wins, ties = np.moveaxis(product[:n], -1, 0), np.moveaxis(product[n:], -1, 0)
        yield wins.swapaxes(1, 2), ties


def _statistics(preferences: Preferences, item: Ints, n_items: int) -> NDArray[np.int32]:
    """Wins against and ties with each system, by system and screen, shape (systems, screens, 2·systems)."""
    n = len(preferences.systems)
    rows = np.zeros((n, n_items, 2 * n), dtype=np.int32)
    for outcome, x, y, column in _cells(preferences, n):
        np.add.at(rows, (x[outcome], item[outcome], column + y[outcome]), 1)
    return rows


def _cells(preferences: Preferences, n: int) -> Iterator[tuple[NDArray[np.bool_], Ints, Ints, int]]:
    """For each outcome: its judgements, the two systems, and the half of the statistics that it counts in."""
    first, second, outcome = preferences.first, preferences.second, preferences.outcome
    yield outcome == 1, first, second, 0
    yield outcome == -1, second, first, 0
    yield outcome == 0, first, second, n
    yield outcome == 0, second, first, n


def _single_judgements(preferences: Preferences, n_resamples: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Resample single judgements: the counts of each outcome of each pair are multinomial."""
    n = len(preferences.systems)
    low = np.minimum(preferences.first, preferences.second)
    high = np.maximum(preferences.first, preferences.second)
    towards = np.where(preferences.first < preferences.second, preferences.outcome, -preferences.outcome)
    kinds, counts = np.unique((low * n + high) * 3 + towards + 1, return_counts=True)
    x, y, won = kinds // 3 // n, kinds // 3 % n, kinds % 3 - 1
    for block, numbers in enumerate(blocks(n_resamples)):
        generator = np.random.Generator(np.random.SFC64(np.random.SeedSequence((seed, _STREAM, block))))
        # Whole blocks are generated, so that the first resamples do not depend on how many follow.
        drawn = generator.multinomial(len(preferences), counts / counts.sum(), size=BLOCK)[: len(numbers)]
        wins, ties = np.zeros((len(numbers), n, n)), np.zeros((len(numbers), n, n))
        wins[:, x[won == 1], y[won == 1]] = drawn[:, won == 1]
        wins[:, y[won == -1], x[won == -1]] = drawn[:, won == -1]
        ties[:, x[won == 0], y[won == 0]] = ties[:, y[won == 0], x[won == 0]] = drawn[:, won == 0]
        yield wins, ties


def _cut(order: Ints, ends: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Split an order after the systems where a cluster ends."""
    pieces = np.split(order, np.flatnonzero(ends[:-1]) + 1)
    return tuple(tuple(piece.tolist()) for piece in pieces)
