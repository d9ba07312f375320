"""The verb ``power``: what it puts together, and what it refuses."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from simulated_texts import made_references, with_losses

import mtassay
from mtassay import InputError, TestSet
from mtassay.analysis.power import Design, simulate_power
from mtassay.stats.procedures import Procedure
from mtassay.stats.sample import Sample

REFERENCE = made_references(40)


def system(rate: float, seed: int) -> list[str]:
    return with_losses(REFERENCE, rate, np.random.default_rng(seed))


SYSTEMS = {"bad": system(0.4, 3), "good": system(0.05, 1), "fair": system(0.1, 2)}


def power(**options: Any) -> Any:
    return mtassay.power([REFERENCE], SYSTEMS, **{"trials": 10, "resamples": 40, "sizes": [10, 20], **options})


def test_numbers_are_those_of_the_simulation() -> None:
    result = power(metrics=["bleu", "ter"], pair=["fair", "good"], seed=8, alpha=0.1, power=0.7)
    scored = mtassay.score([REFERENCE], SYSTEMS, metrics=["bleu", "ter"])
    for found, table in zip(result.pairs, scored.tables, strict=True):
        assert (found.better, found.worse) == ("good", "fair")
        good, fair = scored["good", table.metric], scored["fair", table.metric]
        assert found.observed == pytest.approx(abs(good - fair))
        assert found.curve.difference == found.observed
        sample = Sample(table.statistics[[1, 2]], table.metric.score, table.metric.sign)
        expected = simulate_power(sample, Design(Procedure(resamples=40, seed=8), (10, 20), 10, 0.1, 0.7))
        np.testing.assert_array_equal(found.curve.power, expected.power)
        np.testing.assert_array_equal(found.curve.detectable, expected.detectable)


def test_pairs() -> None:
    def names(**options: Any) -> list[tuple[str, str]]:
        return [(pair.better, pair.worse) for pair in power(**options).pairs]

    assert names() == [("good", "bad"), ("fair", "bad"), ("good", "fair")]
    assert names(baseline="fair") == [("fair", "bad"), ("good", "fair")]
    assert names(pair=("bad", "fair")) == [("fair", "bad")]


def test_sizes_by_default_go_from_an_eighth_to_four_times_the_pilot() -> None:
    sizes = power(sizes=None, trials=1).design.sizes
    assert len(sizes) == 8
    assert sizes[0] == 5
    assert 40 in sizes
    assert sizes[-1] == 160


def test_resamples_by_default_suit_the_significance_level() -> None:
    assert power(resamples=0, trials=1).design.procedure.resamples == 500
    assert power(resamples=0, trials=1, alpha=0.01).design.procedure.resamples == 2500


@pytest.mark.parametrize("alpha", [1e-300, 5e-324])
def test_no_significance_level_is_too_low(alpha: float) -> None:
    assert power(resamples=40, trials=1, alpha=alpha).design.alpha == alpha


def test_documents_as_units() -> None:
    texts = TestSet([REFERENCE], SYSTEMS, documents=[f"d{n // 4}" for n in range(40)])
    result = mtassay.power(texts, unit="doc", pair=["bad", "good"], sizes=[5, 10], trials=5, resamples=40)
    assert result.pairs[0].n_units == 10
    assert "10 documents" in str(result)


def test_a_true_difference_other_than_the_observed_one() -> None:
    large, small = (power(pair=["bad", "good"], difference=size, trials=60).pairs[0] for size in (20.0, 0.5))
    assert large.curve.difference == 20.0
    assert large.observed == small.observed
    assert large.curve.power[1] > small.curve.power[1]


def test_segments_without_scores_do_not_count(tmp_path: Any) -> None:
    """External scores of which one system lacks some."""
    rows = [f"{name}\t{n + len(name) * n % 3}" for name in SYSTEMS for n in range(40)]
    rows[5] = "bad\tNone"
    path = tmp_path / "scores.seg.score"
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    result = power(metrics=[f"file:{path}"])
    assert [pair.n_units for pair in result.pairs] == [39, 39, 40]


def test_every_test_that_compare_runs() -> None:
    for test in ("ar", "ar1", "bs", "bs1", "pbs", "riezler-maxwell", "multeval", "sacrebleu-ar", "sacrebleu-bs"):
        curve = power(test=test, pair=["bad", "good"], sizes=[10, 40], trials=5).pairs[0].curve
        assert ((curve.power >= 0) & (curve.power <= 1)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": [20, 10]}, "sizes must increase: 20 10"),
        ({"sizes": [20, 20]}, "sizes must increase: 20 20"),
        ({"sizes": []}, "sizes must increase: there is none"),
        ({"sizes": [1, 20]}, "sizes are whole numbers from 2 to 1,000,000, not 1"),
        ({"sizes": [2.5]}, "sizes are whole numbers from 2 to 1,000,000, not 2.5"),
        ({"trials": 0}, "trials must be a whole number from 1 to 1,000,000, not 0"),
        ({"trials": 1.5}, "trials must be a whole number from 1 to 1,000,000, not 1.5"),
        ({"power": 0.01}, r"the power must be between alpha \(0.05\) and 1, not 0.01"),
        ({"power": 1}, r"the power must be between alpha \(0.05\) and 1, not 1"),
        ({"alpha": 0.0}, "between 0 and 1, not 0.0"),
        ({"difference": 0}, "the difference must be a number above 0, not 0"),
        ({"difference": "1"}, "the difference must be a number above 0, not '1'"),
        ({"difference": 1000.0}, "a difference of 1000 cannot be simulated"),
        ({"pair": ["good", "goood"]}, "no system named 'goood'; did you mean 'good'?"),
        ({"pair": ["good", "good"]}, "a pair needs two different systems, not 'good' twice"),
        ({"pair": ["good"]}, "a pair is two names of systems"),
        ({"pair": "good"}, r"pair must be a list such as \['a', 'b'\], not 'good'"),
        ({"pair": 2}, r"pair must be a list such as \['a', 'b'\], not 2"),
        ({"sizes": 100}, r"sizes must be a list such as \[500, 1000\], not 100"),
        ({"difference": 10**400}, "the difference must be a number above 0, not 1000"),
        ({"pair": ["good", "bad"], "baseline": "bad"}, "give either pair or baseline, not both"),
        ({"baseline": "base"}, "baseline: no system named 'base'"),
        ({"test": "t"}, "no test named 't'"),
        ({"unit": "word"}, "no unit named 'word'"),
        ({"seed": -1}, "seed"),
        ({"metrics": ["length_ratio"]}, "cannot be tested"),
    ],
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        power(**options)


def test_pilots_that_say_nothing() -> None:
    with pytest.raises(InputError, match="a pilot of one segment is not enough: give several"):
        mtassay.power([["a b"]], {"x": ["a b"], "y": ["a"]})
    with pytest.raises(InputError, match="there is only one system: a comparison needs two"):
        mtassay.power([["a b", "c"]], {"x": ["a b", "c"]})
    texts = TestSet([REFERENCE], SYSTEMS, documents=["d"] * 40)
    with pytest.raises(InputError, match="a pilot of one document is not enough"):
        mtassay.power(texts, unit="doc")


def test_a_small_pilot_has_increasing_sizes() -> None:
    result = mtassay.power([["a b", "c d"]], {"x": ["a b", "c d"], "y": ["a", "d"]}, trials=2)
    assert all(before < after for before, after in pairwise(result.design.sizes))
    assert result.design.sizes[0] == 2
