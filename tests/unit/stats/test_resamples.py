"""Resamples of units that come in blocks: drawn block by block, they are those of all units together."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import stats

from mtassay.execution import blocks
from mtassay.stats.resamples import Resamples, Swaps


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of sixteen units."""
    monkeypatch.setattr(blocks, "BLOCK", 16)


def counts_of(n_units: int, n_resamples: int, *, seed: int = 5) -> np.ndarray:
    drawn = Resamples(n_units, n_resamples, seed=seed)
    return np.concatenate([drawn(range(n, n + 256)) for n in range(0, n_resamples, 256)]).astype(np.float64)


@pytest.mark.parametrize("n_units", [1, 15, 16, 17, 40, 48])
def test_bootstrap_counts_add_up(n_units: int) -> None:
    counts = counts_of(n_units, 512)
    assert counts.shape == (512, n_units)
    np.testing.assert_array_equal(counts.sum(axis=1), n_units)


def test_picks_of_blocks_are_multinomial() -> None:
    """Against the exact distribution of the number of picks that fall on the first and the last block of 40 units."""
    n_resamples = 51_200
    counts = counts_of(40, n_resamples)
    for units, share in ((slice(0, 16), 0.4), (slice(16, 32), 0.4), (slice(32, 40), 0.2)):
        found = np.bincount(counts[:, units].sum(axis=1).astype(int), minlength=41)
        expected = n_resamples * stats.binom.pmf(np.arange(41), 40, share)
        common = expected >= 10
        rare = ~common
        observed, wanted = (np.append(values[common], values[rare].sum()) for values in (found, expected))
        assert stats.chisquare(observed, wanted * observed.sum() / wanted.sum()).pvalue > 1e-4


def test_counts_have_the_moments_of_a_multinomial_sample() -> None:
    n_units, n_resamples = 40, 51_200
    counts = counts_of(n_units, n_resamples)
    covariance = np.cov(counts.T)
    # Variance 1 - 1/n and covariance -1/n, within and between blocks; five standard errors.
    expected = np.eye(n_units) - 1 / n_units
    assert np.abs(covariance - expected).max() < 5 * 1.5 / np.sqrt(n_resamples)
    assert np.abs(counts.mean(axis=0) - 1).max() < 5 / np.sqrt(n_resamples)


def test_swaps_of_neighbouring_units_blocks_and_resamples_are_independent() -> None:
    n_resamples = 51_200
    drawn = Swaps(48, n_resamples, seed=3)
    swaps = 2 * np.concatenate([drawn(range(n, n + 256)) for n in range(0, n_resamples, 256)]).astype(np.float64) - 1
    limit = 5 / np.sqrt(n_resamples)
    correlations = swaps.T @ swaps / n_resamples - np.eye(48)
    assert np.abs(correlations).max() < limit
    for lag in (1, 2, 16, 48, 64, 256):
        assert np.abs((swaps[lag:] * swaps[:-lag]).mean(axis=0)).max() < limit
    assert np.abs(swaps.mean(axis=0)).max() < limit
    # Runs of equal resamples would show here: all 2^16 patterns of a block about as often.
    patterns = ((swaps[:, :8] > 0) @ (1 << np.arange(8))).astype(int)
    assert stats.chisquare(np.bincount(patterns, minlength=256)).pvalue > 1e-4


@pytest.mark.parametrize("kind", [Swaps, Resamples])
def test_a_block_is_drawn_the_same_in_another_process_and_for_more_resamples(kind: type) -> None:
    drawn = kind(40, 600, seed=9)
    whole = np.concatenate(list(drawn.drawn(range(600))), axis=1)
    parts = [list(drawn.blocks(numbers)) for numbers in (range(256), range(256, 512), range(512, 600))]
    for block in range(3):
        sent = [pickle.loads(pickle.dumps(of_range[block])).draw() for of_range in parts]
        width = sent[0].shape[1]
        first = sum(part.draw().shape[1] for part in parts[0][:block])
        np.testing.assert_array_equal(np.concatenate(sent), whole[:, first : first + width])


def test_up_to_a_block_of_units_are_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of test sets that fit a block do not depend on how large blocks are."""
    few = counts_of(16, 256), Swaps(16, 256, seed=4)(range(256))
    monkeypatch.setattr(blocks, "BLOCK", 8192)
    np.testing.assert_array_equal(few[0], counts_of(16, 256))
    np.testing.assert_array_equal(few[1], Swaps(16, 256, seed=4)(range(256)))


@pytest.mark.parametrize("seed", [0, 2**32 - 1, 2**32, 2**70])
def test_seeds_of_any_size(seed: int) -> None:
    assert counts_of(20, 256, seed=seed).sum() == 20 * 256


@pytest.mark.parametrize("seed", [0, 12345, 2**32 - 1, 2**32, 2**70])
def test_draws_of_one_block_of_units_are_those_of_0_2_0(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decision 19: the key of a single block of units is (seed, kind, block of resamples)."""
    monkeypatch.setattr(blocks, "BLOCK", 8192)
    sequence = np.random.SeedSequence((seed, 0, 1))
    drawn = np.random.Generator(np.random.SFC64(sequence)).bytes(256 * 5)
    expected = np.unpackbits(np.frombuffer(drawn, np.uint8).reshape(256, 5), axis=1)
    np.testing.assert_array_equal(Swaps(40, 512, seed=seed)(range(256, 512)), expected)


@pytest.mark.parametrize("kind", [Swaps, Resamples])
def test_resamples_of_sacrebleu_are_cut_into_blocks(kind: type) -> None:
    """Against NumPy's draws, as sacreBLEU makes them."""
    found = kind(40, 30, seed=12345, theirs=True)(range(30))
    generator = np.random.default_rng(12345)
    if kind is Swaps:
        expected = generator.integers(2, size=(30, 40), dtype=bool).astype(float)
    else:
        expected = np.array([np.bincount(row, minlength=40) for row in generator.integers(40, size=(30, 40))])
    np.testing.assert_array_equal(found, expected)
