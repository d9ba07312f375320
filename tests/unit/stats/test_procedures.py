"""The tests against brute force from their definitions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.errors import InputError
from mtassay.execution import Execution, blocks
from mtassay.metrics import References, build_tables, parse
from mtassay.stats import procedures, resamples
from mtassay.stats.procedures import (
    PROCEDURES,
    Procedure,
    ProcedureKind,
    all_pairs,
    exchanged_p_values,
    p_values,
    pairs_with,
    pseudo_statistics,
)
from mtassay.stats.resampled_sums import SumsInMemory
from mtassay.stats.sample import ChosenBlock, Sample, WeightedBlock

N_UNITS = 30
EVERY = [(kind, sides) for kind, rule in PROCEDURES.items() for sides in rule.sides]


def sample(spec: str = "bleu", *, n_systems: int = 3, n_units: int = N_UNITS, seed: int = 1) -> Sample:
    """Systems of some quality on made texts."""
    generator = np.random.default_rng(seed)
    words = np.array(list("abcdefghij"))
    references = [" ".join(generator.choice(words, size=8)) for _ in range(n_units)]

    def system(rate: float) -> list[str]:
        return [
            " ".join(w if generator.random() > rate else str(generator.choice(words)) for w in text.split())
            for text in references
        ]

    systems = {f"s{number}": system(0.3 + 0.02 * number) for number in range(n_systems)}
    [table] = build_tables(References([references]), systems, [parse(spec)])
    return Sample(table.statistics, table.metric.score, table.metric.sign)


def score_of(of: Sample, rows: Any) -> float:
    return of.sign * float(of.score(np.asarray(rows).sum(axis=0)))


def brute_force(of: Sample, procedure: Procedure, x: int, y: int) -> float:
    """The p-value of "x is better than y", or that they differ, by the definition, one draw after another."""
    rule, n_units = procedure.rule, of.n_units
    observed = score_of(of, of.statistics[x]) - score_of(of, of.statistics[y])
    simulated = []
    numbers = range(procedure.resamples)
    if rule.swaps:
        drawn = resamples.Swaps(n_units, procedure.resamples, seed=procedure.seed, theirs=rule.theirs)
        for kept in np.concatenate([drawn(block) for block in resamples.blocks(procedure.resamples)]):
            first = [of.statistics[x if keep else y, u] for u, keep in enumerate(kept)]
            second = [of.statistics[y if keep else x, u] for u, keep in enumerate(kept)]
            simulated.append(score_of(of, first) - score_of(of, second))
    else:
        counts_of = resamples.Resamples(n_units, procedure.resamples, seed=procedure.seed, theirs=rule.theirs)
        for counts in np.concatenate([counts_of(block) for block in resamples.blocks(procedure.resamples)]):
            picked = np.repeat(np.arange(n_units), counts.astype(int))
            simulated.append(score_of(of, of.statistics[x, picked]) - score_of(of, of.statistics[y, picked]))
    values = np.array(simulated)
    tie = 1e-9
    if procedure.kind == "pbs":
        extreme = [value <= tie for value in values]
    elif procedure.kind in {"riezler-maxwell", "sacrebleu-bs"}:
        shifted = np.abs(values) - np.abs(values).mean()
        extreme = [s > abs(observed) if rule.strict else s >= abs(observed) - tie for s in shifted]
    else:
        if procedure.kind == "bs":
            values = values - values.mean()
        if procedure.sides == 1:
            extreme = [value >= observed - tie for value in values]
        else:
            extreme = [abs(v) > abs(observed) if rule.strict else abs(v) >= abs(observed) - tie for v in values]
    assert len(extreme) == len(numbers)
    return float((sum(extreme) + 1) / (procedure.resamples + 1))


@pytest.mark.parametrize("n_in_block", [8, 8192])
@pytest.mark.parametrize("spec", ["bleu", "ter", "0.5*bleu-0.5*ter"])
@pytest.mark.parametrize(("kind", "sides"), EVERY)
def test_brute_force(spec: str, kind: str, sides: int, n_in_block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", n_in_block)
    of = sample(spec)
    procedure = Procedure(kind, sides, resamples=300, seed=7)
    [p] = p_values([of], procedure)
    for x, y in product(range(3), repeat=2):
        if x != y:
            assert p[x, y] == brute_force(of, procedure, x, y)
    assert np.isnan(np.diag(p)).all()


def test_all_exchanges_are_taken_where_there_are_few() -> None:
    of = sample(n_systems=2, n_units=8)
    [p] = p_values([of], Procedure(resamples=256))
    [one_sided] = p_values([of], Procedure(sides=1, resamples=256))
    observed = score_of(of, of.statistics[0]) - score_of(of, of.statistics[1])
    simulated = []
    for kept in product((True, False), repeat=8):
        rows = [[of.statistics[s if keep else 1 - s, u] for u, keep in enumerate(kept)] for s in (0, 1)]
        simulated.append(score_of(of, rows[0]) - score_of(of, rows[1]))
    assert p[0, 1] == np.mean([abs(value) >= abs(observed) - 1e-9 for value in simulated])
    assert one_sided[0, 1] == np.mean([value >= observed - 1e-9 for value in simulated])
    assert one_sided[1, 0] == np.mean([-value >= -observed - 1e-9 for value in simulated])


@pytest.mark.parametrize("n_in_block", [8, 8192])
def test_sampling_agrees_with_enumeration(n_in_block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", n_in_block)
    of = sample(n_systems=2, n_units=14)
    n_resamples = 15_000
    [exact] = p_values([of], Procedure(resamples=2**14))
    [sampled] = p_values([of], Procedure(resamples=n_resamples))
    assert not Procedure(resamples=n_resamples).exact(14)
    share = exact[0, 1]
    assert abs(sampled[0, 1] - share) < 4 * np.sqrt(share * (1 - share) / n_resamples) + 1 / n_resamples


@pytest.mark.parametrize(("kind", "sides"), EVERY)
def test_threads_and_sizes_of_blocks_change_nothing(kind: str, sides: int, monkeypatch: pytest.MonkeyPatch) -> None:
    of = sample(n_systems=5)
    procedure = Procedure(kind, sides, resamples=1500, seed=3)
    [p] = p_values([of], procedure)
    [in_threads] = p_values([of], procedure, execution=Execution(3))
    np.testing.assert_array_equal(in_threads, p)
    for at_once in (1, 1000, 10**6):
        monkeypatch.setattr(procedures, "_AT_ONCE", at_once)
        [again] = p_values([of], procedure)
        np.testing.assert_array_equal(again, p)


@pytest.mark.parametrize(("kind", "sides"), EVERY)
def test_order_of_systems_changes_nothing(kind: str, sides: int) -> None:
    of = sample(n_systems=4)
    procedure = Procedure(kind, sides, resamples=400, seed=3)
    order = [2, 0, 3, 1]
    [p] = p_values([of], procedure)
    [turned] = p_values([of.of_systems(order)], procedure)
    np.testing.assert_array_equal(turned, p[np.ix_(order, order)])


def exchanged(of: Sample, kept: Any) -> Sample:
    """Two systems that keep some units and exchange the others."""
    rows = [[of.statistics[s if keep else 1 - s, u] for u, keep in enumerate(kept)] for s in (0, 1)]
    return Sample(np.array(rows), of.score, of.sign)


@pytest.mark.parametrize("spec", ["bleu", "ter"])
@pytest.mark.parametrize(("kind", "sides"), EVERY)
def test_systems_that_exchanged_units(spec: str, kind: str, sides: int) -> None:
    """Every way has the p-value of its systems: a bootstrap's exactly, that of a swap on resamples of its own."""
    of = sample(spec, n_systems=2)
    n_resamples = 4000 if PROCEDURES[kind].swaps else 200
    procedure = Procedure(kind, sides, resamples=n_resamples, seed=3)
    kept = np.random.default_rng(2).random((4, N_UNITS)) < np.array([[1.0], [0.9], [0.5], [0.0]])
    differences, p = exchanged_p_values(of, procedure, kept)
    for way, chosen in enumerate(kept):
        of_way = exchanged(of, chosen)
        [expected] = p_values([of_way], procedure)
        assert differences[way] == pytest.approx(of_way.scores()[0] - of_way.scores()[1], abs=1e-12)
        for found, wanted in zip(p[way], (expected[0, 1], expected[1, 0]), strict=True):
            error = 5 * np.sqrt(wanted * (1 - wanted) / n_resamples) if PROCEDURES[kind].swaps and way else 0.0
            assert found == pytest.approx(wanted, abs=1.5 * error + 1e-12)


def test_systems_that_exchanged_units_have_exact_p_values_where_units_are_few() -> None:
    of = sample(n_systems=2, n_units=8)
    kept = np.random.default_rng(2).random((5, 8)) < 0.6
    for sides in (1, 2):
        procedure = Procedure(sides=sides, resamples=256)
        _, p = exchanged_p_values(of, procedure, kept)
        expected = [p_values([exchanged(of, chosen)], procedure)[0] for chosen in kept]
        np.testing.assert_array_equal(p, [[found[0, 1], found[1, 0]] for found in expected])


def test_metrics_are_tested_on_the_same_draws() -> None:
    bleu, ter = sample("bleu"), sample("ter")
    procedure = Procedure(resamples=500)
    together = p_values([bleu, ter], procedure)
    for of, p in zip((bleu, ter), together, strict=True):
        np.testing.assert_array_equal(p_values([of], procedure)[0], p)


def test_a_baseline_is_compared_with_all_others_only() -> None:
    of = sample(n_systems=4)
    procedure = Procedure(sides=1, resamples=300)
    [everything] = p_values([of], procedure)
    [p] = p_values([of], procedure, pairs=pairs_with(2, 4))
    expected = np.full((4, 4), np.nan)
    expected[2], expected[:, 2] = everything[2], everything[:, 2]
    np.testing.assert_array_equal(p, expected)


@pytest.mark.parametrize(("kind", "sides"), EVERY)
def test_a_system_and_itself(kind: str, sides: int) -> None:
    one = sample(n_systems=1)
    twice = Sample(np.concatenate([one.statistics, one.statistics]), one.score, one.sign)
    [p] = p_values([twice], Procedure(kind, sides, resamples=99))
    strict = PROCEDURES[kind].strict  # these tools call identical systems significant
    # Folded at 0, all resamples are 0, and equal to their mean.
    assert p[0, 1] == p[1, 0] == (0.01 if strict else 1.0)


@pytest.mark.parametrize("compares", ["plain", "shifted", "sign"])
def test_a_strict_test_counts_no_ties_with_one_side_either(compares: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = ProcedureKind(title="x", swaps=compares == "plain", sides=(1,), compares=compares, strict=True)
    monkeypatch.setitem(PROCEDURES, "x", kind)
    test_a_system_and_itself("x", 1)


@given(st.integers(1, 40), st.integers(0, 1000))
def test_bootstrap_counts_add_up(n_units: int, seed: int) -> None:
    drawn = resamples.Resamples(n_units, 300, seed=seed)(range(256, 300))
    assert drawn.shape == (44, n_units)
    np.testing.assert_array_equal(drawn.sum(axis=1), n_units)


def test_swaps_are_fair() -> None:
    drawn = resamples.Swaps(1000, 1024, seed=5)
    kept = np.concatenate([drawn(block) for block in resamples.blocks(1024, at_a_time=2)])
    assert set(np.unique(kept)) == {0.0, 1.0}
    assert abs(kept.mean() - 0.5) < 4 * 0.5 / np.sqrt(kept.size)
    assert abs(kept.mean(axis=0) - 0.5).max() < 6 * 0.5 / np.sqrt(1024)


def test_large_counts_are_added_exactly() -> None:
    statistics = np.array([[[2**23 + 1], [2**23 + 3], [5]]])
    sums = WeightedBlock(statistics)(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 2.0]], dtype=np.float32))
    assert sums.ravel().tolist() == [2**24 + 9, 10]


@pytest.mark.parametrize(
    ("dtype", "values"),
    [(np.int64, [3, 5, 7]), (np.int64, [2**31, 2**31, 1]), (np.int64, [-3, 5, 7]), (np.float64, [0.5, 0.25, 2.0])],
)
def test_any_statistics_can_be_added_over_chosen_units(dtype: type, values: list[float]) -> None:
    sums = ChosenBlock(np.array(values, dtype=dtype)[None, :, None])(np.packbits([[1, 1, 1], [0, 1, 0]], axis=1))
    assert sums.shape == (1, 1, 2)
    assert sums.ravel().tolist() == [sum(values), values[1]]


@pytest.mark.parametrize(("kind", "sides"), EVERY)
def test_pseudo_statistics_are_what_the_test_compares(kind: str, sides: int) -> None:
    of = sample(n_systems=2)
    procedure = Procedure(kind, sides, resamples=500)
    [found] = pseudo_statistics(SumsInMemory([of], procedure), (0, 1))
    [p] = p_values([of], procedure)
    assert found.values.shape == found.extreme.shape == (500,)
    assert found.p == p[0, 1] == (found.extreme.sum() + 1) / 501
    assert found.observed == of.scores()[0] - of.scores()[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"kind": "pbss"}, "no test named 'pbss'; did you mean 'pbs'"),
        ({"kind": "pbs", "sides": 2}, "the sides of pbs are 1, not 2"),
        ({"sides": 3}, "the sides of ar are 1 or 2, not 3"),
        ({"kind": "ar2", "sides": 1}, "the name ar2 says how many sides the test has: leave out the sides"),
        ({"resamples": -1}, "resamples must be"),
        ({"resamples": 10**9}, "resamples must be"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 1.5}, "seed must be"),
    ],
)
def test_bad_procedures(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Procedure(**arguments)


def test_pairs() -> None:
    assert all_pairs(3).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert pairs_with(1, 3).tolist() == [[1, 0], [1, 2]]
