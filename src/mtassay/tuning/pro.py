"""Pairwise ranking optimisation (Hopkins & May 2011, "Tuning as ranking").

Pairs of candidates are sampled from each segment, those whose scores differ enough are kept, and the ones that differ
most are chosen. A logistic regression without intercept then learns from the differences of their features which of the
two is better. The score of a candidate is its ``segment_score``.

The paper keeps pairs whose BLEU differs by at least .05 of 1; here it is the same share of the range of all segment
scores, since metrics have different scales. Features are scaled to the same spread before the regression, and weights
are scaled back after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError, MissingExtraError
from mtassay.stats.resamples import check_seed
from mtassay.tuning.result import Round, TuneResult
from mtassay.tuning.weights import as_array, check_counts, normalised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.tuning.candidates import Candidates
    from mtassay.types import Floats


def pro(
    candidates: Candidates,
    weights: Mapping[str, float] | None = None,
    *,
    samples: int = 5000,
    pairs: int = 50,
    least_difference: float = 0.05,
    interpolation: float = 1.0,
    regularisation: float = 1.0,
    seed: int = 12345,
) -> TuneResult:
    """Tune weights so that the better one of two candidates has the higher model score.

    Args:
        candidates: the candidates, with the objective.
        weights: weights to start from, by name; all equal by default. They matter only if `interpolation` is below 1.
        samples: number of pairs drawn from each segment.
        pairs: number of these pairs that are used, those with the largest difference.
        least_difference: smallest difference of the segment scores of a pair, as a share of the range of all scores.
        interpolation: share of the new weights in the result; the rest is the share of the old ones. Both are
            normalised before.
        regularisation: strength of the L2 penalty; 1 is scikit-learn's default.
        seed: seed of the random numbers.
    """
    check_options(
        samples=samples,
        pairs=pairs,
        least_difference=least_difference,
        interpolation=interpolation,
        regularisation=regularisation,
    )
    check_seed(seed)
    start = as_array(weights, candidates.names)
    better, worse = _sampled(candidates, samples, pairs, least_difference, np.random.default_rng(seed))
    if len(better) == 0:
        raise InputError(
            f"{candidates.metric} gives no two candidates of a segment scores that differ enough to learn from"
        )
    scale = np.where(candidates.spreads > 0, candidates.spreads, 1.0)
    differences = (candidates.features[:, better] - candidates.features[:, worse]).T / scale
    learnt = normalised(_regression(differences, regularisation) / scale)
    if not learnt.any():
        raise InputError("the features do not show which candidate is better")
    tuned = normalised(interpolation * learnt + (1 - interpolation) * normalised(start))
    return TuneResult.build(
        "pro",
        candidates,
        start=start,
        weights=tuned,
        history=(Round("regression", candidates.score(start), candidates.score(tuned), len(better)),),
        options={
            "samples": samples,
            "pairs": pairs,
            "least_difference": least_difference,
            "interpolation": interpolation,
            "regularisation": regularisation,
            "seed": seed,
        },
    )


def check_options(
    *, samples: int, pairs: int, least_difference: float, interpolation: float, regularisation: float
) -> None:
    """Reject invalid options of ``pro``."""
    check_counts(least=1, samples=samples, pairs=pairs)
    if not 0 < interpolation <= 1:
        raise InputError(f"interpolation must be above 0 and at most 1, not {interpolation!r}")
    if not (0 <= least_difference < 1 and 0 < regularisation < float("inf")):
        raise InputError("least_difference must be from 0 to below 1, and regularisation above 0")


def _sampled(
    candidates: Candidates, samples: int, pairs: int, least_difference: float, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Pairs of candidates, the better one of each first."""
    scores = candidates.segment_gains()
    threshold = least_difference * (scores.max() - scores.min())
    chosen = []
    for first, end in zip(candidates.offsets[:-1].tolist(), candidates.offsets[1:].tolist(), strict=True):
        drawn = rng.integers(first, end, (2, samples))
        difference = scores[drawn[0]] - scores[drawn[1]]
        size = np.abs(difference)
        kept = np.flatnonzero((size >= threshold) & (size > 0))
        largest = kept[np.argsort(-size[kept], kind="stable")[:pairs]]
        of_segment = drawn[:, largest]
        chosen.append(np.where(difference[largest] > 0, of_segment, of_segment[::-1]))
    better, worse = np.concatenate(chosen, axis=1)
    return better, worse


def _regression(differences: Floats, regularisation: float) -> Floats:
    """Weights that put the better candidate first; `differences` are better minus worse, shape (pairs, K)."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingExtraError("PRO", "learn") from None
    # Without an intercept, a pair and the reversed pair have the same loss, so one of them is enough. scikit-learn
    # needs both classes, so every other pair is reversed.
    labels = np.where(np.arange(len(differences)) % 2 == 0, 1, -1)
    model = LogisticRegression(C=1.0 / regularisation, fit_intercept=False, max_iter=1000)
    if len(differences) == 1:
        differences, labels = np.concatenate([differences, -differences]), np.array([1, -1])
        model.fit(differences, labels)
    else:
        model.fit(differences * labels[:, None], labels)
    fitted: Floats = model.coef_[0]
    return fitted
