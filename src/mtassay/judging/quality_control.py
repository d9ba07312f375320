"""Which assessors can be trusted, by what they gave to control items (Graham et al. 2014, 2017).

Two kinds of items are hidden among the others: outputs that an assessor sees again (``REPEAT``), and outputs spoilt on
purpose (``BAD-REF``). A row of either kind belongs to the row of the same assessor, system and segment that is neither.

- Degraded items: an assessor must score them lower than the outputs they were made from (signed-rank test of Wilcoxon,
  one-sided, p < level).
- Repeats: an assessor must not score them otherwise than the first time (the same test, two-sided, p >= level).

No campaign's control items are public in a form this reads, so the tests of this module use made data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.equality import equalised, magnitude
from mtassay.judging.assessments import OUTPUTS, Kept, keep_judges
from mtassay.stats.intervals import check_alpha

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from mtassay.data.judgements import Scores
    from mtassay.types import Floats


DEGRADED = ("BAD-REF", "BAD")
REPEATS = ("REPEAT", "REP", "CHK")


def degraded_p(scores: Scores, *, kinds: Collection[str] = DEGRADED) -> Floats:
    """P-value of each assessor for "outputs score higher than what was spoilt", shape (judges,); NaN without items."""
    return _signed_rank_p(scores, kinds, alternative="greater")


def repeats_p(scores: Scores, *, kinds: Collection[str] = REPEATS) -> Floats:
    """P-value of each assessor for "repeats score otherwise than the first time", shape (judges,); NaN without."""
    return _signed_rank_p(scores, kinds, alternative="two-sided")


def drop_careless(scores: Scores, *, alpha: float = 0.05) -> Kept:
    """Drop assessors who do not score degraded items lower; those who saw none are dropped too: nothing vouches."""
    return keep_judges(scores, degraded_p(scores) < check_alpha(alpha))


def drop_inconsistent(scores: Scores, *, alpha: float = 0.05) -> Kept:
    """Drop assessors who score repeats otherwise; those who saw none stay: nothing speaks against them."""
    return keep_judges(scores, ~(repeats_p(scores) < check_alpha(alpha)))


def control_pairs(scores: Scores, kinds: Collection[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the rows of outputs, and of the control items that belong to them.

    An output that was scored several times by the assessor counts where it comes first.
    """
    key = (scores.judge * len(scores.systems) + scores.system) * len(scores.segments) + scores.segment
    outputs = np.flatnonzero(np.isin(scores.item, list(OUTPUTS)))
    controls = np.flatnonzero(np.isin(scores.item, list(kinds)))
    known, first = np.unique(key[outputs], return_index=True)
    place = np.searchsorted(known, key[controls])
    found = place < len(known)
    found[found] = known[place[found]] == key[controls][found]
    return outputs[first[place[found]]], controls[found]


def _signed_rank_p(scores: Scores, kinds: Collection[str], *, alternative: str) -> Floats:
    from scipy.stats import wilcoxon

    outputs, controls = control_pairs(scores, kinds)
    sign = 1.0 if scores.higher_is_better else -1.0
    gap = sign * (scores.score[outputs] - scores.score[controls])
    # Differences are ranked by their size: 0.3 - 0.2 and 0.2 - 0.1 are equal.
    gap = np.sign(gap) * equalised(np.abs(gap), scale=magnitude(scores.score))
    p = np.full(len(scores.judges), np.nan)
    for judge in np.unique(scores.judge[controls]).tolist():
        own = gap[scores.judge[controls] == judge]
        # The test is of differences; where there is none at all, nothing differs.
        p[judge] = float(wilcoxon(own, alternative=alternative).pvalue) if own.any() else 1.0
    return p
