"""Normalisation of each judge's scores before averaging, the same for all verbs.

- ``mean``: no normalisation;
- ``z``: (score - mean) / deviation over all scores of the judge; judges with constant scores are dropped;
- ``even``: the mid-rank in the judge's own distribution (Blatz et al. 2003).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError
from mtassay.judging.assessments import Kept, even_out, standardise

if TYPE_CHECKING:
    from mtassay.data.judgements import Judgements, Scores


NORMALISATIONS = ("mean", "z", "even")
#: Yes-or-no answers have two values: their mean is the share of yes.
_YES_OR_NO = 2


def normalised(scores: Scores, method: str) -> Kept:
    """Scores normalised by one of ``NORMALISATIONS``, and the dropped judges."""
    if method != "mean" and not named(scores):
        raise InputError(f"{method} normalises the scores of each judge, but these scores name no judges; use mean")
    if method == "z":
        return standardise(scores)
    return Kept(even_out(scores) if method == "even" else scores, ())


def usual_normalisation(scores: Scores) -> str:
    """``z`` if judges are named and scores have more than two values, else ``mean``."""
    return "z" if named(scores) and len(np.unique(scores.score)) > _YES_OR_NO else "mean"


def named(judgements: Judgements) -> bool:
    """Whether judgements name their judges."""
    return any(judgements.judges)
