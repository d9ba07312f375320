"""How often tests find a difference where there is none, and intervals miss what they should hold.

Seeds were fixed before the first run. A rate is compared with the range that a binomial variable of that many trials
leaves with a probability of 1 %.

Systems come from a population of segments with two outputs each. Texts are made: words with frequencies like those of
news, outputs with words left out, exchanged, put in and moved. A pair of systems is a sample of segments, drawn with
replacement, in which chance decides which of the two outputs goes to which system. Both systems then have the same
expected score, and exchanging their outputs changes nothing: the null hypothesis holds.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

from mtassay.execution import blocks
from mtassay.metrics import References, StatsTable, build_tables, parse
from mtassay.stats.intervals import bca, jackknife, percentile
from mtassay.stats.procedures import Procedure, p_values, resampled_scores
from mtassay.stats.sample import Sample

pytestmark = pytest.mark.slow

LEVEL = 0.05
N_PAIRS = 2000
N_DRAWS = 999
SEED = 5
CASES = [(metric, n) for metric in ("bleu", "chrf", "ter") for n in (200, 1000)]
N_POPULATION = 4000
_N_WORDS = 3000


@cache
def _tables() -> dict[str, StatsTable]:
    draw = random.Random(20_140_627)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(1, 10))) for _ in range(_N_WORDS)]
    weights = [1 / (rank + 3) for rank in range(_N_WORDS)]

    def changed(text: list[str], rate: float) -> str:
        out = []
        for word in text:
            event = draw.random()
            if event < rate / 3:
                continue
            out.append(draw.choices(words, weights)[0] if event < rate else word)
            if event > 1 - rate / 6:
                out.append(draw.choices(words, weights)[0])
        if len(out) > 4 and draw.random() < rate:
            start = draw.randrange(len(out) - 2)
            block = out[start : start + 2]
            del out[start : start + 2]
            place = draw.randrange(len(out) + 1)
            out[place:place] = block
        return " ".join(out)

    texts = [draw.choices(words, weights, k=max(2, round(draw.gammavariate(3.2, 6.8)))) for _ in range(N_POPULATION)]
    # Segments differ in difficulty, and outputs of a segment in quality.
    rates = [draw.betavariate(3, 4) for _ in texts]
    systems = {
        name: [changed(text, min(1.0, rate * draw.uniform(0.7, 1.3))) for text, rate in zip(texts, rates, strict=True)]
        for name in ("x", "y")
    }
    metrics = [parse(spec) for spec in ("bleu", "chrf", "ter")]
    tables = build_tables(References([[" ".join(text) for text in texts]]), systems, metrics)
    return {table.metric.name: table for table in tables}


def equal_systems(metric: str, n: int, generator: np.random.Generator) -> Sample:
    """A pair of systems without a difference, on `n` segments."""
    table = _tables()[metric]
    segments = generator.integers(N_POPULATION, size=n)
    first = generator.integers(2, size=n)
    rows = np.stack([table.statistics[first, segments], table.statistics[1 - first, segments]])
    return Sample(rows, table.metric.score, table.metric.sign)


def true_score(metric: str) -> float:
    """The score of either system over the population, oriented so that higher is better."""
    table = _tables()[metric]
    totals: Any = table.statistics.sum(axis=(0, 1))
    return table.metric.sign * float(table.metric.score(totals))


def band(share: float, n: int) -> tuple[float, float]:
    """The central 99 % of a binomial share."""
    low, high = stats.binom.ppf([0.005, 0.995], n, share)
    return low / n, high / n


@pytest.mark.parametrize(("metric", "n"), CASES)
def test_approximate_randomisation_keeps_its_level(metric: str, n: int) -> None:
    generator = np.random.default_rng([SEED, n, len(metric)])
    found = 0
    for pair in range(N_PAIRS):
        [p] = p_values([equal_systems(metric, n, generator)], Procedure("ar", resamples=N_DRAWS, seed=pair))
        found += p[0, 1] <= LEVEL
    low, high = band(LEVEL, N_PAIRS)
    assert low <= found / N_PAIRS <= high


def test_blocks_of_units_keep_the_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """Swaps and picks that are drawn for five blocks of units, one by one."""
    monkeypatch.setattr(blocks, "BLOCK", 40)
    generator = np.random.default_rng([SEED, 8])
    found = {"ar": 0, "bs": 0, "pbs": 0}
    for pair in range(N_PAIRS):
        sample = equal_systems("ter", 200, generator)
        for kind in found:
            [p] = p_values([sample], Procedure(kind, resamples=199, seed=pair))
            found[kind] += p[0, 1] <= LEVEL
    low, high = band(LEVEL, N_PAIRS)
    assert low <= found["ar"] / N_PAIRS <= high
    # The bootstrap tests are a little liberal on 200 segments (docs/compare.md).
    assert all(abs(found[kind] / N_PAIRS - LEVEL) <= 0.02 for kind in ("bs", "pbs"))


@pytest.mark.study
@pytest.mark.parametrize(("metric", "n"), CASES)
def test_bootstrap_tests_and_intervals(metric: str, n: int, capsys: pytest.CaptureFixture[str]) -> None:
    generator = np.random.default_rng([SEED + 1, n, len(metric)])
    tests = [("pbs", 1), ("bs", 1), ("bs", 2), ("riezler-maxwell", 2)]
    rates = dict.fromkeys([f"{kind} {sides}-sided" for kind, sides in tests], 0)
    covered = dict.fromkeys(["percentile, score", "bca, score", "percentile, difference", "bca, difference"], 0)
    truth = true_score(metric)
    for pair in range(N_PAIRS):
        sample = equal_systems(metric, n, generator)
        for kind, sides in tests:
            [p] = p_values([sample], Procedure(kind, sides, resamples=N_DRAWS, seed=pair))
            rates[f"{kind} {sides}-sided"] += p[0, 1] <= LEVEL
        [resampled] = resampled_scores([sample], Procedure("bs", resamples=N_DRAWS, seed=pair))
        without, scores = jackknife(sample), sample.scores()
        ends = {
            "percentile, score": (percentile(resampled[0], LEVEL), truth),
            "bca, score": (bca(resampled[0], scores[0], without[0], LEVEL), truth),
            "percentile, difference": (percentile(resampled[0] - resampled[1], LEVEL), 0.0),
            "bca, difference": (
                bca(resampled[0] - resampled[1], scores[0] - scores[1], without[0] - without[1], LEVEL),
                0.0,
            ),
        }
        for name, ((low, high), value) in ends.items():
            covered[name] += low <= value <= high
    with capsys.disabled():
        print(f"\n{metric}, n = {n}, {N_PAIRS} pairs")
        for name, count in rates.items():
            low, high = band(LEVEL, N_PAIRS)
            print(f"  {name:<24} {count / N_PAIRS:.4f}   expected {LEVEL} [{low:.4f}, {high:.4f}]")
        for name, count in covered.items():
            low, high = band(1 - LEVEL, N_PAIRS)
            print(f"  {name:<24} {count / N_PAIRS:.4f}   expected {1 - LEVEL} [{low:.4f}, {high:.4f}]")
    if n == 1000:
        # Riezler and Maxwell's published rule folds before it shifts: its rate is not the level's (docs/compare.md).
        del rates["riezler-maxwell 2-sided"]
        assert all(abs(count / N_PAIRS - LEVEL) <= 0.02 for count in rates.values())
        assert all(abs(count / N_PAIRS - (1 - LEVEL)) <= 0.02 for count in covered.values())
