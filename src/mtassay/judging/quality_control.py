"""Quality control of judges by their scores of control items (Graham et al. 2014, 2017).

Two kinds of control items are hidden among the others: outputs that a judge sees again (``REPEAT``, in Appraise
``CHK``), and outputs degraded on purpose (``BAD_REF``, in Appraise ``BAD``). A control item is paired with the ordinary
item of the same judge, task (HIT), language pair, system and segment. The pairs of all tasks and language pairs of a
judge are pooled.

- Degraded items: a judge must score them lower than the outputs they were made from (one-sided, kept if p <= .05).
- Repeats: a judge must not score them differently from the first time (two-sided, dropped if p <= .05).

The test is the paired t-test, as in the WMT campaigns (``t``), or the signed-rank test of Wilcoxon (``signed-rank``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.judgements import OUTPUTS, REPEATS
from mtassay.equality import equalised, magnitude
from mtassay.errors import InputError, unknown_name
from mtassay.judging.assessments import Kept, keep_judges
from mtassay.stats.intervals import check_alpha

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from mtassay.data.judgements import Scores
    from mtassay.types import Floats


DEGRADED = ("BAD-REF", "BAD_REF", "BAD")


def degraded_p(scores: Scores, *, test: str = "t") -> Floats:
    """P-value of each judge: do outputs score higher than degraded ones? Shape (judges,), NaN if untested."""
    return _p_values(scores, DEGRADED, test=test, sides=1)


def repeats_p(scores: Scores, *, test: str = "t") -> Floats:
    """P-value of each judge: do repeats score differently? Shape (judges,), NaN if untested."""
    return _p_values(scores, REPEATS, test=test, sides=2)


def drop_careless(scores: Scores, *, test: str = "t", alpha: float = 0.05) -> Kept:
    """Drop judges who do not score degraded items significantly lower, including those who saw none."""
    return keep_judges(scores, degraded_p(scores, test=test) <= check_alpha(alpha))


def drop_inconsistent(scores: Scores, *, test: str = "t", alpha: float = 0.05) -> Kept:
    """Drop judges who score repeats significantly differently; those who saw none stay."""
    return keep_judges(scores, ~(repeats_p(scores, test=test) <= check_alpha(alpha)))


def has_controls(scores: Scores, kinds: Collection[str]) -> bool:
    """Whether any judge saw a control item together with its output."""
    return any(len(control_pairs(part, kinds)[1]) for part in _parts(scores))


def control_pairs(scores: Scores, kinds: Collection[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row numbers of outputs and of their control items, in one language pair.

    If a judge scored an output several times in one task, the first time counts.
    """
    hit = np.zeros(len(scores), dtype=np.int64) if scores.hit is None else scores.hit
    n_hits = int(hit.max(initial=0)) + 1
    key = ((scores.judge * n_hits + hit) * len(scores.systems) + scores.system) * len(scores.segments) + scores.segment
    outputs = np.flatnonzero(np.isin(scores.item, list(OUTPUTS)))
    controls = np.flatnonzero(np.isin(scores.item, list(kinds)))
    known, first = np.unique(key[outputs], return_index=True)
    place = np.searchsorted(known, key[controls])
    found = place < len(known)
    found[found] = known[place[found]] == key[controls][found]
    return outputs[first[place[found]]], controls[found]


def _parts(scores: Scores) -> list[Scores]:
    """The language pairs used to check judges."""
    return [scores, *scores.other_pairs]


def _p_values(scores: Scores, kinds: Collection[str], *, test: str, sides: int) -> Floats:
    if test not in TESTS:
        raise InputError(unknown_name("control test", test, TESTS))
    gaps: dict[str, list[Floats]] = {}
    for part in _parts(scores):
        outputs, controls = control_pairs(part, kinds)
        sign = 1.0 if part.higher_is_better else -1.0
        gap = sign * (part.score[outputs] - part.score[controls])
        # Differences are ranked by size, so 0.3 - 0.2 and 0.2 - 0.1 must be equal.
        gap = np.sign(gap) * equalised(np.abs(gap), scale=magnitude(part.score))
        judge = part.judge[controls]
        for number in np.unique(judge).tolist():
            gaps.setdefault(part.judges[number], []).append(gap[judge == number])
    p = np.full(len(scores.judges), np.nan)
    for number, name in enumerate(scores.judges):
        if name in gaps:
            own = np.concatenate(gaps[name])
            # If all differences are 0, there is nothing to test.
            p[number] = TESTS[test](own, sides) if own.any() else 1.0
    return p


def _t_test(gap: Floats, sides: int) -> float:
    """P-value of the t-test of one mean; NaN for a single difference."""
    from scipy.special import stdtr

    n = len(gap)
    if n < 2:
        return float("nan")
    error, mean = float(gap.std(ddof=1)) / np.sqrt(n), float(gap.mean())
    t = mean / error if error else np.copysign(np.inf, mean)
    return float(stdtr(n - 1, -t) if sides == 1 else 2 * stdtr(n - 1, -abs(t)))


def _signed_rank_test(gap: Floats, sides: int) -> float:
    from scipy.stats import wilcoxon

    return float(wilcoxon(gap, alternative="greater" if sides == 1 else "two-sided").pvalue)


#: Tests of a judge's differences by name, the default first.
TESTS: dict[str, Callable[[Floats, int], float]] = {"t": _t_test, "signed-rank": _signed_rank_test}
