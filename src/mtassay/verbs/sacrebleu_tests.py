"""SacreBLEU's confidence intervals and paired tests: ``score -ci``, ``--paired-ar`` and ``--paired-bs``.

The first system is the baseline. Resamples and p-values equal sacreBLEU's. Means and intervals equal sacreBLEU's to six
digits, since sacreBLEU computes some of them in float32. ``mtassay compare`` has better tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.results import Result, or_none
from mtassay.stats.procedures import Procedure, p_values, pairs_with, resampled_scores
from mtassay.stats.sample import Sample
from mtassay.verbs.compare import check_comparable
from mtassay.verbs.comparison_plan import gaps_of

if TYPE_CHECKING:
    from mtassay.metrics.core.signature import Signature
    from mtassay.types import Floats
    from mtassay.verbs.score import ScoreResult

SCHEMA = "mtassay.paired/1"


@dataclass(frozen=True, eq=False)
class PairedResult(Result):
    """Scores with sacreBLEU's confidence intervals, p-values against the first system, or both.

    Attributes:
        scored: the scores.
        signatures: one per metric; they describe the resamples.
        p: p-values against the first system, shape (systems, metrics), NaN for itself; None without a test.
        means: mean over resamples, shape (systems, metrics); None without intervals.
        halves: half the width of the 95 % interval, shape (systems, metrics); None without intervals.
    """

    verb: ClassVar[str] = "sacrebleu_tests"

    scored: ScoreResult
    signatures: tuple[Signature, ...]
    p: Floats | None
    means: Floats | None
    halves: Floats | None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, with sacreBLEU's field names: an entry per system and metric."""
        entries = []
        for s, system in enumerate(self.scored.systems):
            for m, metric in enumerate(self.scored.metrics):
                entry: dict[str, Any] = {
                    "system": system,
                    "name": metric.label,
                    "metric": str(metric),
                    "score": float(self.scored.scores[s, m]),
                    "signature": str(self.signatures[m]),
                }
                if self.p is not None:
                    entry["p_value"] = or_none(self.p[s, m])
                if self.means is not None and self.halves is not None:
                    entry |= {"mean": float(self.means[s, m]), "ci": float(self.halves[s, m])}
                entries.append(entry)
        return {"schema": SCHEMA, "scores": entries}


def paired(
    scored: ScoreResult,
    test: str | None,
    *,
    resamples: int,
    seed: int = 12345,
    execution: Execution = SERIAL,
) -> PairedResult:
    """Test every system against the first one as sacreBLEU does, or estimate intervals only.

    Args:
        scored: the scores.
        test: ``ar``, ``bs``, or None for intervals without a test.
        resamples: number of resamples.
        seed: seed of the resamples; sacreBLEU's default is 12345.
        execution: how blocks of resamples are run.
    """
    n_systems = len(scored.systems)
    if test is not None and n_systems < 2:
        raise InputError("a paired test needs a baseline and another system: the first system of -i is the baseline")
    for metric in scored.metrics:
        metric.check_level("intervals and tests")
    if test is not None:
        check_comparable(scored.metrics)
        for table in scored.tables:
            if gaps_of(table).any():
                raise InputError(
                    f"{table.metric} has no score of some segments, which these tests would exchange like others: use "
                    "mtassay compare, which compares two systems on the segments that both have"
                )
    # Metrics without a direction cannot be tested, but they have intervals.
    samples = [Sample(table.statistics, table.metric.score, table.metric.sign or 1.0) for table in scored.tables]
    procedure = Procedure("sacrebleu-ar" if test == "ar" else "sacrebleu-bs", resamples=resamples, seed=seed)
    p = means = halves = None
    if test is not None:
        matrices = p_values(samples, procedure, pairs=pairs_with(0, n_systems), execution=execution)
        p = np.column_stack([matrix[0] for matrix in matrices])
    if test != "ar":
        resampled = resampled_scores(samples, procedure, execution=execution)
        estimated = [_estimate(sample.sign * values) for sample, values in zip(samples, resampled, strict=True)]
        means, halves = (np.column_stack(values) for values in zip(*estimated, strict=True))
    drawn = {"ar" if test == "ar" else "bs": procedure.resamples, "seed": seed}
    signatures = tuple(signature.resampled(**drawn) for signature in scored.signatures)
    return PairedResult(scored, signatures, p, means, halves)


def _estimate(scores: Floats) -> tuple[Floats, Floats]:
    """Means of resampled scores (systems, resamples), and half the width of the range of the middle 95 %."""
    in_order = np.sort(scores, axis=1)
    left_out = scores.shape[1] // 40
    return in_order.mean(axis=1), 0.5 * (in_order[:, -left_out - 1] - in_order[:, left_out])
