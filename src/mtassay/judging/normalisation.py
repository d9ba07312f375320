"""What is done to the scores of each assessor before they are averaged: one list for all verbs.

- ``mean``: nothing;
- ``z``: (score - mean) / deviation over all scores of the assessor; assessors without a deviation are dropped;
- ``even``: the place in the assessor's own distribution (Blatz et al. 2003).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.judging.assessments import Kept, even_out, standardise

if TYPE_CHECKING:
    from mtassay.data.judgements import Judgements, Scores


NORMALISATIONS = ("mean", "z", "even")
#: Answers of yes or no have two values: their mean is the share of yes.
_YES_OR_NO = 2


def normalised(scores: Scores, method: str) -> Kept:
    """Scores by one of ``NORMALISATIONS``, and the assessors who were dropped."""
    if method == "z":
        return standardise(scores)
    return Kept(even_out(scores) if method == "even" else scores, ())


def usual_normalisation(scores: Scores) -> str:
    """``z`` where assessors are named and scores are more than yes and no, else ``mean``."""
    return "z" if named(scores) and len(np.unique(scores.score)) > _YES_OR_NO else "mean"


def named(judgements: Judgements) -> bool:
    """Whether judgements say whose they are."""
    return any(judgements.judges)
