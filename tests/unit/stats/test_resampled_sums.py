"""Sums of blocks that come one by one are the bytes of sums in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mtassay.errors import InputError
from mtassay.execution import Execution, blocks
from mtassay.stats.procedures import (
    PROCEDURES,
    Procedure,
    p_values,
    p_values_of_sums,
    pseudo_statistics,
    resampled_scores,
    resampled_scores_of_sums,
)
from mtassay.stats.resampled_sums import SumsInMemory, SumsOfBlocks, block_draws, block_sums
from mtassay.stats.sample import Sample

OURS = [(kind, sides) for kind, rule in PROCEDURES.items() for sides in rule.sides if not rule.theirs]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of sixteen units."""
    monkeypatch.setattr(blocks, "BLOCK", 16)


def ratio(totals: Any) -> Any:
    return totals[..., 0] / totals[..., 1]


def samples(n_units: int = 53, n_systems: int = 4) -> list[Sample]:
    """Counts, counts too large for float32, and fractions."""
    generator = np.random.default_rng(n_units)
    right = generator.integers(0, 20, size=(n_systems, n_units))
    counts = np.stack([right, np.broadcast_to(generator.integers(20, 30, size=n_units), right.shape)], axis=-1)
    large = counts * 2**27
    fractions = counts * generator.random((n_systems, n_units, 1))
    return [Sample(counts, ratio), Sample(large, ratio), Sample(fractions, ratio, -1.0)]


def streamed(of: list[Sample], procedure: Procedure) -> SumsOfBlocks:
    sums = SumsOfBlocks(procedure, of[0].n_units, scoring=[(sample.score, sample.sign) for sample in of])
    pieces = zip(*[sample.blocks() for sample in of], strict=True)
    for statistics, draws in zip(pieces, block_draws(procedure, of[0].n_units), strict=True):
        sums.add(block_sums(statistics, draws))
    return sums


@pytest.mark.parametrize(("kind", "sides"), OURS)
@pytest.mark.parametrize("n_units", [2, 7, 16, 53])
def test_a_stream_gives_the_same_bytes(kind: str, sides: int, n_units: int) -> None:
    of = samples(n_units)
    procedure = Procedure(kind, sides, resamples=1100, seed=3)
    sums = streamed(of, procedure)
    for execution in (Execution(1), Execution(4)):
        for whole, stream in zip(
            p_values(of, procedure, execution=execution), p_values_of_sums(sums, execution=execution), strict=True
        ):
            assert whole.tobytes() == stream.tobytes()
    drawing = Procedure("bs", resamples=1100, seed=3)
    for whole, stream in zip(resampled_scores(of, drawing), resampled_scores_of_sums(sums), strict=True):
        assert whole.tobytes() == stream.tobytes()
    for sample, summed in zip(of, sums.samples, strict=True):
        assert sample.scores().tobytes() == summed.scores().tobytes()
        assert summed.n_units == n_units


def test_pseudo_statistics_of_a_stream() -> None:
    of = samples()
    procedure = Procedure(resamples=300)
    whole = pseudo_statistics(SumsInMemory(of, procedure), (1, 3))
    for one, other in zip(whole, pseudo_statistics(streamed(of, procedure), (1, 3)), strict=True):
        assert one.p == other.p
        assert one.values.tobytes() == other.values.tobytes()


def test_blocks_do_not_change_the_sums_they_were_made_of() -> None:
    of = samples()
    before = [sample.statistics.copy() for sample in of]
    streamed(of, Procedure(resamples=50))
    for sample, statistics in zip(of, before, strict=True):
        np.testing.assert_array_equal(sample.statistics, statistics)


@pytest.mark.parametrize("kind", ["sacrebleu-ar", "sacrebleu-bs"])
def test_resamples_of_sacrebleu_need_all_units(kind: str) -> None:
    with pytest.raises(InputError, match="needs all of them in memory"):
        SumsOfBlocks(Procedure(kind), 100, scoring=[])


def test_sums_of_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="nothing to resample"):
        p_values_of_sums(SumsOfBlocks(Procedure(), 0, scoring=[]))
