"""The pairwise model of LogReg: it compares two outputs, and scores are computed from all comparisons.

Avramidis & Popović 2013. The examples are comparisons of two outputs. Their columns are the features of the source
(once), those of the first output and those of the second. The model learns from both orders of every comparison, since
many files name the better output first; ties are left out. Because of this symmetry, features of the source alone get
weights of (nearly) 0: in a linear model they matter only as parts of features of outputs, such as ``source_ratio``.

Recomposition, over the other systems b of a segment:

    soft    score(a) = Σ_b P(a is better than b)
    hard    score(a) = Σ_b (1 if P > 1/2, -1 if P < 1/2)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.learn.features import SOURCE_LETTERS, SOURCE_WORDS, chosen
from mtassay.learn.models import COMPARISON, standardised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.learn.models import Fitted, ModelKind
    from mtassay.types import Floats

#: Ways of computing scores from comparisons.
RECOMPOSITIONS = ("soft", "hard")


def of_source(features: Sequence[str]) -> Any:
    """Whether each feature is one of the source alone, shape (features,).

    >>> of_source(["source_words", "words", "cross:bleu"]).tolist()
    [True, False, False]
    """
    return np.array([feature.reading in {SOURCE_WORDS, SOURCE_LETTERS} for feature in chosen(features)], dtype=bool)


def n_columns(kind: ModelKind, features: Sequence[str]) -> int:
    """Number of columns that a model of this kind has."""
    return len(features) if kind.framing != COMPARISON else int((2 - of_source(features)).sum())


def columns(first: Floats, second: Floats, features: Sequence[str]) -> Floats:
    """Examples from the features of two outputs each, shapes (..., features) -> (..., columns)."""
    source = of_source(features)
    return np.concatenate([first[..., source], first[..., ~source], second[..., ~source]], axis=-1)


def win_probabilities(fitted: Fitted, x: Any, features: Sequence[str]) -> Floats:
    """For every two systems and segment, the probability that the first is better; the mean of both orders.

    Args:
        fitted: a model of comparisons.
        x: features, shape (systems, segments, features).
        features: their names.

    Returns:
        shape (systems, systems, segments); 1/2 on the diagonal.
    """
    values = np.asarray(x, dtype=np.float64)
    source = of_source(features)
    n_source, n_output = int(source.sum()), int((~source).sum())
    edges = np.cumsum([n_source, n_output])
    blocks = (values[..., source], values[..., ~source], values[..., ~source])
    weights = np.split(fitted.arrays["coef"], edges)
    means, scales = np.split(fitted.mean, edges), np.split(fitted.scale, edges)
    # The linear form of a comparison is the sum of three parts: source, first output and second output.
    of_source_, first, second = (
        (standardised(block, mean, scale) * weight).sum(axis=-1)
        for block, mean, scale, weight in zip(blocks, means, scales, weights, strict=True)
    )
    log_odds = (of_source_ + first)[:, None] + second[None] + fitted.arrays["intercept"].item()
    wins = 1 / (1 + np.exp(-log_odds))
    result: Floats = 0.5 + (wins - wins.swapaxes(0, 1)) / 2
    return result


def recomposed(wins: Floats, how: str) -> Floats:
    """Scores from the probabilities of all comparisons, shape (systems, systems, segments) -> (systems, segments).

    >>> wins = np.array([[0.5, 0.9, 0.4], [0.1, 0.5, 0.5], [0.6, 0.5, 0.5]])[..., None]
    >>> recomposed(wins, "soft")[:, 0].round(1).tolist(), recomposed(wins, "hard")[:, 0].tolist()
    ([1.3, 0.6, 1.1], [0.0, -1.0, 1.0])
    """
    if how == "soft":
        soft: Floats = wins.sum(axis=1) - 0.5  # without the comparison with itself
        return soft
    hard: Floats = np.sign(wins - 0.5).sum(axis=1)
    return hard
