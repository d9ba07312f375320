"""Intervals and paired tests with sacreBLEU's resamples."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.compat.sacrebleu.metrics.base import Score, sacrelogger
from mtassay.execution import Execution
from mtassay.stats.procedures import Procedure, p_values, pairs_with
from mtassay.stats.resamples import Resamples
from mtassay.stats.sample import Sample, WeightedBlock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.compat.sacrebleu.metrics.base import Metric, Signature, Streams
    from mtassay.types import Array, Floats


class Result:
    """The result of one system under one metric.

    Args:
        score: the score.
        p_value: p-value of the test against the baseline; None for the baseline.
        mean: mean over resamples; None without intervals.
        ci: half the width of the 95 % interval; None without intervals.
    """

    def __init__(
        self, score: float, p_value: float | None = None, mean: float | None = None, ci: float | None = None
    ) -> None:
        self.score = score
        self.p_value = p_value
        self.mean = mean
        self.ci = ci

    def __repr__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in vars(self).items())


def estimate_ci(scores: Any) -> tuple[float, float]:
    """Mean of resampled scores, and half the width of the range of the middle 95 %."""
    ordered = np.sort(scores)
    left_out = len(ordered) // 40
    return float(ordered.mean()), float(0.5 * (ordered[-left_out - 1] - ordered[left_out]))


def _seed() -> int | None:
    """The seed from the environment; None if ``SACREBLEU_SEED`` is ``none``."""
    seed = os.environ.get("SACREBLEU_SEED", "12345")
    return None if seed.lower() == "none" else int(seed)


def _bootstrap_resample(stats: Array, metric: Metric[Any], n_samples: int = 1000) -> tuple[str, list[Score]]:
    """The seed, and the scores of resamples of one system; `stats` has shape (N, K)."""
    seed = _seed()
    drawn = Resamples(len(stats), n_samples, seed=_drawn_seed(seed), theirs=True)(range(n_samples))
    return str(seed).lower(), [Score("", value) for value in _values(metric, stats, drawn)]


def _drawn_seed(seed: int | None) -> int:
    return secrets.randbits(32) if seed is None else seed


def _values(metric: Metric[Any], stats: Array, weights: Array) -> list[float]:
    """Scores of one system whose segments are weighted by each row of `weights` (resamples, N)."""
    sums = WeightedBlock(stats[None])(weights)[:, 0].T
    # Parity: sacreBLEU sums the statistics of resamples in float32.
    return metric._values_from_stats(sums.astype(np.float32))


class PairedTest:
    """Tests every system against the first one.

    Args:
        named_systems: names and outputs; the first system is the baseline.
        metrics: metrics by name.
        references: reference streams; None for those given to the metrics.
        test_type: ``ar`` (approximate randomisation) or ``bs`` (bootstrap).
        n_samples: number of resamples; 0 is 10000 for ``ar``, 1000 for ``bs``.
        n_ar_confidence: number of resamples for intervals beside ``ar``; -1 is none, 0 is 1000.
        n_jobs: number of threads; 0 is one for each system, at most half of the cores.
    """

    _DEFAULT_SAMPLES = {"ar": 10000, "bs": 1000}  # noqa: RUF012  sacreBLEU's form

    def __init__(
        self,
        named_systems: Sequence[tuple[str, Sequence[str]]],
        metrics: Mapping[str, Metric[Any]],
        references: Streams | None,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        if test_type not in self._DEFAULT_SAMPLES:
            raise AssertionError(f"Unknown test type {test_type!r}")  # Parity: sacreBLEU, the type of the error.
        self.test_type = test_type
        self.named_systems = named_systems
        self.references = references
        self.n_samples = n_samples if n_samples > 0 else self._DEFAULT_SAMPLES[test_type]
        self.n_ar_confidence = n_ar_confidence or self._DEFAULT_SAMPLES["bs"]
        self.n_systems = len(named_systems) - 1
        self.n_jobs = n_jobs or max(1, min((os.cpu_count() or 1) // 2, self.n_systems))
        self._seed = _seed()
        self.metrics: dict[str, Metric[Any]] = {}
        self._signatures: dict[str, Signature] = {}
        self._statistics: dict[str, Array] = {}
        self._scores: dict[str, list[Score]] = {}
        for name, metric in metrics.items():
            self._evaluate(name, metric)

    def _evaluate(self, name: str, metric: Metric[Any]) -> None:
        """Compute the statistics and scores of all systems under one metric."""
        rows = []
        for system, texts in self.named_systems:
            sacrelogger.info("Computing %s for %r", name, system)
            rows.append(metric._extract_corpus_statistics(texts, self.references))
        scores = [metric._aggregate_and_compute(of_system) for of_system in rows]
        name = scores[0].name
        self.metrics[name] = metric
        self._statistics[name] = np.stack(rows)
        self._scores[name] = scores
        signature = metric.get_signature()
        signature.update("seed", str(self._seed).lower())
        signature.update(self.test_type, self.n_samples)
        if self.n_ar_confidence > 0:
            signature.update("bs", self.n_ar_confidence)
        self._signatures[name] = signature

    def __call__(self) -> tuple[dict[str, Signature], dict[str, list[Any]]]:
        """Signatures by metric, and a table by columns: names of the systems, and for each metric their ``Result``."""
        table: dict[str, list[Any]] = {"System": [name for name, _ in self.named_systems]}
        p = self._p_values()
        for name, scores in self._scores.items():
            intervals = self._intervals(name)
            table[name] = [
                Result(score.score, None if s == 0 else p[name][s], *interval)
                for s, (score, interval) in enumerate(zip(scores, intervals, strict=True))
            ]
        return self._signatures, table

    def _p_values(self) -> dict[str, list[float]]:
        """P-values against the first system, by metric and system."""
        # Parity: sacreBLEU, 0 is no seed for tests.
        procedure = Procedure(
            f"sacrebleu-{self.test_type}", resamples=self.n_samples, seed=_drawn_seed(self._seed or None)
        )
        samples = [Sample(self._statistics[name], self._scorer(metric)) for name, metric in self.metrics.items()]
        pairs = pairs_with(0, len(self.named_systems))
        found = p_values(samples, procedure, pairs=pairs, execution=Execution(self.n_jobs))
        return {name: matrix[0].tolist() for name, matrix in zip(self.metrics, found, strict=True)}

    def _scorer(self, metric: Metric[Any]) -> Any:
        """A function from sums (..., K) to scores (...), in the precision of sacreBLEU's test."""
        dtype = np.float32 if self.test_type == "bs" else np.float64

        def score(sums: Array) -> Floats:
            return np.array(metric._values_from_stats(sums.astype(dtype))).reshape(sums.shape[:-1])

        return score

    def _intervals(self, name: str) -> list[tuple[float | None, float | None]]:
        """Mean and half the width of the interval of every system; None without intervals."""
        n_samples = self.n_samples if self.test_type == "bs" else self.n_ar_confidence
        if n_samples <= 0:
            return [(None, None)] * len(self.named_systems)
        metric, statistics = self.metrics[name], self._statistics[name]
        _, resampled = _bootstrap_resample(statistics[0], metric, n_samples)
        found: list[tuple[float | None, float | None]] = [estimate_ci([score.score for score in resampled])]
        weights = self._weights(statistics.shape[1], n_samples)
        for of_system in statistics[1:]:
            found.append(estimate_ci(_values(metric, of_system, weights)))
        return found

    def _weights(self, n_segments: int, n_samples: int) -> Array:
        """How often each segment occurs in the resamples of the systems other than the baseline."""
        seed = self._seed or None
        if self.test_type == "bs":
            return Resamples(n_segments, n_samples, seed=_drawn_seed(seed), theirs=True)(range(n_samples))
        # Parity: sacreBLEU, the same generator has drawn the swaps before.
        generator = np.random.default_rng(seed)
        generator.integers(2, size=(self.n_samples, n_segments), dtype=bool)
        drawn = generator.choice(n_segments, size=(n_samples, n_segments), replace=True)
        return np.stack([np.bincount(row, minlength=n_segments) for row in drawn]).astype(np.float32)
