"""Pairs with differences of any size, and the simulation of tests on them."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from mtassay.analysis.power import Design, Effects, _detectable, _needed_size, simulate_power
from mtassay.errors import InputError
from mtassay.execution import Execution
from mtassay.metrics import References, build_tables, parse
from mtassay.stats.procedures import Procedure
from mtassay.stats.sample import Sample

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "looked", "at", "me"]


def pilot(spec: str = "bleu", *, n: int = 60, rates: tuple[float, float] = (0.3, 0.35)) -> Sample:
    """A better and a worse system that exchange words at random."""
    generator = np.random.default_rng(4)
    references = [" ".join(generator.permutation(WORDS)) for _ in range(n)]
    systems = {
        name: [" ".join("x" if generator.random() < rate else word for word in text.split()) for text in references]
        for name, rate in zip("ab", rates, strict=True)
    }
    [table] = build_tables(References([references]), systems, [parse(spec)])
    return Sample(table.statistics, table.metric.score, table.metric.sign)


def design(**options: Any) -> Design:
    given: dict[str, Any] = {"sizes": (20, 60), "trials": 40, "alpha": 0.05, "power": 0.8} | options
    return Design(given.pop("procedure", Procedure(resamples=100)), **given)


def observed(of: Sample) -> float:
    first, second = of.scores()
    return float(first - second)


class TestEffects:
    @pytest.mark.parametrize("spec", ["bleu", "ter", "chrf"])
    def test_differences_are_those_of_exchanged_outputs(self, spec: str) -> None:
        """The mean over many exchanges is near the difference that an effect stands for."""
        of = pilot(spec)
        pairs = Effects(of)
        generator = np.random.default_rng(1)
        for wanted in (0.0, observed(of) / 2, observed(of), (observed(of) + pairs.largest) / 2, pairs.largest):
            effects, units = pairs.of(np.array([wanted])), np.tile(np.arange(of.n_units), 4000)
            [stay] = pairs.kept(effects, units, generator.random(len(units)))
            exchanged = ~stay.reshape(4000, of.n_units)
            kept, given = of.statistics
            first = np.where(exchanged[..., None], given, kept).sum(axis=1)
            second = np.where(exchanged[..., None], kept, given).sum(axis=1)
            seen = of.sign * (of.score(first) - of.score(second))
            error = float(seen.std() / np.sqrt(len(seen)))
            # A score is no mean, so the score of mean statistics is not quite the mean score.
            assert seen.mean() == pytest.approx(wanted, abs=4 * error + 0.01 * pairs.largest)

    def test_as_observed_nothing_is_exchanged(self) -> None:
        of = pilot()
        pairs = Effects(of)
        assert pairs.of(np.array([observed(of)])) == pytest.approx(1.0)
        units = np.arange(of.n_units)
        assert pairs.kept(np.array([1.0]), units, np.zeros(len(units))).all()

    def test_the_largest_difference_has_the_better_output_everywhere(self) -> None:
        """By brute force for a mean of scores."""
        scores = np.array([[0.9, 0.2, 0.5, 0.6], [0.4, 0.6, 0.5, 0.1]])
        of = Sample(np.stack([scores, np.ones_like(scores)], axis=-1), lambda totals: totals[..., 0] / totals[..., 1])
        pairs = Effects(of)
        assert pairs.largest == pytest.approx(np.abs(scores[0] - scores[1]).mean())
        assert pairs.spread == pytest.approx(np.sqrt(np.mean((scores[0] - scores[1]) ** 2)))
        kept = pairs.kept(np.array([2.0]), np.arange(4), np.full(4, 0.99))
        np.testing.assert_array_equal(kept, [[True, False, True, True]])


class TestSimulation:
    def test_same_seed_same_result_whatever_the_threads(self) -> None:
        for kind in ("ar", "bs"):
            for spec in ("bleu", "ter"):
                wanted = design(procedure=Procedure(kind, resamples=60, seed=9), trials=20)
                one, three = (simulate_power(pilot(spec), wanted, execution=Execution(n)) for n in (1, 3))
                for name in ("power", "wrong_sign", "exaggeration", "detectable"):
                    np.testing.assert_array_equal(getattr(one, name), getattr(three, name))

    def test_a_size_has_the_same_numbers_alone(self) -> None:
        both, alone = simulate_power(pilot(), design()), simulate_power(pilot(), design(sizes=(60,)))
        assert both.power[1] == alone.power[0]
        assert both.detectable[1] == alone.detectable[0]

    def test_another_seed_is_another_simulation(self) -> None:
        of = pilot()
        found = [simulate_power(of, design(procedure=Procedure(resamples=100, seed=seed))) for seed in (1, 2)]
        assert found[0].exaggeration[0] != found[1].exaggeration[0]

    def test_more_segments_find_more(self) -> None:
        found = simulate_power(pilot(), design(sizes=(10, 40, 160, 640), trials=100))
        assert (np.diff(found.power) > 0).all()
        assert (np.diff(found.detectable) < 0).all()

    def test_without_a_difference_the_power_is_the_significance_level(self) -> None:
        """Probits are linear: if a difference of 2 has power .9 and none has α, power .8 lies between."""
        z = NormalDist().inv_cdf
        expected = 2 * (z(0.8) - z(0.05)) / (z(0.9) - z(0.05))
        assert _detectable(np.array([2.0, 5.0]), np.array([0.9, 0.95]), design(trials=400)) == pytest.approx(expected)

    def test_needed_size_of_normal_differences(self) -> None:
        """The power Φ(δ √n - z) is .8 at n = ((z + z.₈) / δ)²; the sizes around it give just that number."""
        normal, effect = NormalDist(), 0.1
        exact = ((normal.inv_cdf(0.975) + normal.inv_cdf(0.8)) / effect) ** 2
        assert exact == pytest.approx(784.9, abs=0.1)

        def needed(*sizes: int) -> float:
            power = [normal.cdf(effect * size**0.5 - normal.inv_cdf(0.975)) for size in sizes]
            return _needed_size(np.array(power), design(sizes=sizes, trials=400))

        assert needed(100, 400, 1000) == pytest.approx(exact)
        assert needed(1000, 2000) == 1000
        assert np.isnan(needed(100, 400))

    def test_a_dip_below_the_wanted_power_counts(self) -> None:
        sizes = design(sizes=(100, 200, 400), trials=400)
        assert 200 < _needed_size(np.array([0.81, 0.79, 0.9]), sizes) < 400
        assert _needed_size(np.array([0.81, 0.85, 0.9]), sizes) == 100

    def test_the_observed_difference_is_a_difference_like_others(self) -> None:
        of = pilot()
        as_given = simulate_power(of, design(), difference=observed(of))
        np.testing.assert_array_equal(as_given.power, simulate_power(of, design()).power)

    def test_a_difference_that_outputs_cannot_have(self) -> None:
        with pytest.raises(InputError, match="a difference of 99 cannot be simulated: exchanging outputs gives"):
            simulate_power(pilot(), design(), difference=99.0)

    def test_equal_outputs(self) -> None:
        """Nothing can be found between them, and there is no answer to how large a difference must be."""
        of = pilot()
        same = of.of_systems([0, 0])
        found = simulate_power(same, design())
        assert (found.power == 0).all()
        for values in (found.wrong_sign, found.exaggeration, found.detectable):
            assert np.isnan(values).all()

    def test_too_few_units_for_any_finding(self) -> None:
        """Of four units all 16 exchanges are taken, two of which are as extreme: p is 1/8 at least."""
        found = simulate_power(pilot(), design(sizes=(4,)))
        assert found.power.tolist() == [0.0]
        assert np.isnan(found.detectable).all()
