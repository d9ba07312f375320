"""TrueSkill as WMT14 to WMT16 used it.

Herbrich, Minka & Graepel 2007, "TrueSkill"; Sakaguchi, Post & Van Durme 2014, "Efficient elicitation of annotations for
human evaluation of machine translation".

Systems are players whose skills are initially normal with mean μ = 0 and deviation σ = .5. There are as many plays as
judgements, n. In each play, the system with the largest σ (the first in a tie) meets an opponent drawn with weight
exp(-|difference of μ|), and one judgement of the two, drawn at random, updates both. A play's noise is β = σ·n/40, a
draw has probability .25, and skills do not drift (τ = 0). With c² = 2β² + σx² + σy², ε = √2·β·Φ⁻¹((1 + .25)/2),
t = (μx - μy)/c and e = ε/c, the winner x gains σx²/c·v and its variance is multiplied by 1 - σx²/c²·w, where

- x better: v = φ(t - e)/Φ(t - e), w = v(v + t - e);
- a draw: v = (φ(-e - t) - φ(e - t))/D, w = v² + ((e - t)φ(e - t) + (e + t)φ(e + t))/D, D = Φ(e - t) - Φ(-e - t).

A system's score is its mean μ over many runs. Every run has its own random numbers, generated from the seed and the
run's number, so that a run does not depend on how many there are. A pair that was never judged is never drawn.

On the judgements of WMT15, the official means of fi-en are reproduced to .003 with 200 runs; those of ru-en are not:
online-F is .035 too high, both systems of USAAR .025 too low, others are up to .02 off. The package trueskill (0.4.5),
with these rules on these judgements, agrees with this module (24 runs: online-F at -.751 ± .005, official -.781). Means
converge to a limit that can be computed without random numbers, by replacing every play with its mean. The limit
reproduces fi-en to .002 and misses ru-en by as much as the runs do, so the cause is not chance. The limit was computed
with each of these changes, and none brings ru-en within .02:

- ties left out, or screens with only ties; ties of joined systems with each other left out; only the first or the last
  system of a joined output, or none of them, or all with a share of the weight;
- only the first or the last ranking or pair of each segment, segment and judge, or segment and set of systems;
- any one judge left out (the best choice of four out of 45 reaches .018, as a choice among so many may), the three
  busiest weighted from 0 to 3; any tenth of the segments left out; the first or last part of the file;
- another number of plays (β grows with it, so that it hardly matters);
- judgements of a pair looked up in the order in which Python 2 lists the set of its two names, as the published program
  does: if hashes collide the order varies, and some judgements are not found. This moves a mean by .003 at most.

The remaining explanation is that the official ru-en was computed from other judgements than those released. In the file
of fi-en that was published with the official means, the numbers of rankings and judges, which count the whole campaign,
are 12 and 5 higher than in the released file, so judgements were withdrawn in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.kernels.trueskill import trueskill_plays
from mtassay.stats.resamples import check_seed

if TYPE_CHECKING:
    from mtassay.types import Floats


SIGMA = 0.5
DRAW = 0.25
#: Plays per unit of noise.
_PLAYS_OF_BETA = 40
#: Numbers of runs and plays whose random numbers are generated at a time, 8 MB.
_RUNS_AT_A_TIME, _PLAYS_AT_A_TIME = 256, 2048
#: ε in units of β; from the standard library, because SciPy takes 0.2 s to import.
_MARGIN = NormalDist().inv_cdf((1 + DRAW) / 2) * 2**0.5
#: The runs have their own stream of random numbers.
_STREAM = 2


@dataclass(frozen=True, eq=False)
class TrueSkill:
    """Skills after all plays.

    Attributes:
        runs: μ of each system after each run, shape (runs, systems).
    """

    runs: Floats

    @property
    def scores(self) -> Floats:
        """Mean μ over the runs, shape (systems,)."""
        mean: Floats = self.runs.mean(axis=0)
        return mean


def trueskill(
    wins: Any,
    ties: Any,
    *,
    runs: int = 1000,
    seed: int = 12345,
    execution: Execution = SERIAL,
) -> TrueSkill:
    """Skills of systems.

    Args:
        wins: how often x was better than y, shape (systems, systems), or (runs, systems, systems) for judgements
            resampled for each run, as in WMT16.
        ties: the same for ties (symmetric).
        runs: number of runs.
        seed: the seed.
        execution: how the work is run.

    >>> skills = trueskill([[0, 30], [10, 0]], [[0, 5], [5, 0]], runs=20)
    >>> bool(skills.scores[0] > 0 > skills.scores[1])
    True
    """
    if type(runs) is not int or runs < 1:
        raise InputError(f"the runs of TrueSkill must be a whole number of at least 1, not {runs!r}")
    won, tied = np.asarray(wins, dtype=np.float64), np.asarray(ties, dtype=np.float64)
    if won.ndim > 2 and len(won) != runs:
        raise InputError(f"there are judgements for {len(won)} runs of TrueSkill, but {runs} were requested")
    met = won + np.swapaxes(won, -1, -2) + tied
    if not (met > 0).any(axis=-1).all():
        if (met.sum(axis=tuple(range(met.ndim - 1))) > 0).all():
            raise InputError(
                "a system has so few comparisons that a resample has none of them: leave it out, or use the method "
                "trueskill, which does not resample judgements"
            )
        raise InputError(
            "TrueSkill needs a comparison of every system with another: leave out systems without comparisons"
        )
    n_plays = round(float(met.sum(axis=(-1, -2)).max()) / 2)
    beta = SIGMA * n_plays / _PLAYS_OF_BETA
    n, asked = won.shape[-1], np.where(met > 0, met, 1.0)
    likely = {"won": won / asked, "drawn": won / asked + tied / asked, "met": (met > 0).astype(np.float64)}
    mu = np.zeros((runs, n))
    for first in execution.progress(range(0, runs, _RUNS_AT_A_TIME)):
        of_runs = slice(first, first + _RUNS_AT_A_TIME)
        outcomes = {name: (p if p.ndim == 2 else p[of_runs]).reshape(-1, n) for name, p in likely.items()}
        generators = [
            np.random.Generator(np.random.SFC64(np.random.SeedSequence((check_seed(seed), _STREAM, run))))
            for run in range(runs)[of_runs]
        ]
        variance = np.full((len(generators), n), SIGMA**2)
        for play in range(0, n_plays, _PLAYS_AT_A_TIME):
            numbers = np.empty((len(generators), min(_PLAYS_AT_A_TIME, n_plays - play), 2))
            for generator, of_run in zip(generators, numbers, strict=True):
                generator.random(out=of_run)
            mu[of_runs], variance = trueskill_plays(
                mu[of_runs], variance, numbers, **outcomes, beta=beta, margin=_MARGIN * beta
            )
    return TrueSkill(mu)
