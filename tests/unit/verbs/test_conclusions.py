"""Conclusions of tests on metrics beside those of people."""

from __future__ import annotations

import json
from math import comb
from typing import Any

import numpy as np
import pytest
from simulated_texts import made_references, with_losses

from mtassay.data import TestSet
from mtassay.errors import InputError
from mtassay.judging.pairwise_tests import HumanTests
from mtassay.stats.conclusion_accuracy import mcnemar
from mtassay.stats.procedures import NAMED
from mtassay.verbs.compare import compare
from mtassay.verbs.conclusions import USUAL, ConclusionTable, conclusions

NAMES = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def testset() -> TestSet:
    generator = np.random.default_rng(1)
    reference = made_references(60)
    rates = dict(zip((*NAMES, "unjudged"), (0.02, 0.05, 0.05, 0.3, 0.1), strict=True))
    systems = {name: with_losses(reference, rate, generator) for name, rate in rates.items()}
    return TestSet([reference], systems)


def said(p: Any, names: tuple[str, ...] = (*NAMES, "HUMAN")) -> HumanTests:
    """People's p-values of the better direction; those of the other are 1 minus them."""
    upper = np.triu(np.array(p, dtype=np.float64), k=1)
    whole = upper + np.tril(1 - upper.T, k=-1)
    np.fill_diagonal(whole, np.nan)
    return HumanTests(
        systems=names,
        kind="rank-sum",
        scores=np.arange(len(names), 0.0, -1),
        p=whole,
        fluency=None,
        counts=20 * np.eye(len(names), dtype=int),
        dropped=(),
    )


@pytest.fixture(scope="module")
def people() -> HumanTests:
    p = np.full((5, 5), 0.5)
    p[0, 3], p[1, 3], p[2, 3], p[0, 1], p[1, 2] = 0.0001, 0.004, 0.03, 0.999, np.nan
    return said(p)


@pytest.fixture(scope="module")
def table(testset: TestSet, people: HumanTests) -> ConclusionTable:
    return conclusions(testset, judgements=people, metrics=["bleu", "ter"], test=[*USUAL, "ar2"], resamples=2000)


def test_only_what_people_judged_takes_part(table: ConclusionTable) -> None:
    assert table.systems == NAMES
    assert table.unjudged == ("unjudged",)
    assert table.unscored == ("HUMAN",)
    assert table.pairs.tolist() == [[0, 1], [0, 2], [0, 3], [1, 3], [2, 3]]
    assert table.human.tolist() == [[-1, 0, 1, 1, 1], [-1, 0, 1, 1, 0], [0, 0, 1, 0, 0]]


@pytest.mark.parametrize("place", range(4))
def test_conclusions_are_those_of_compare(table: ConclusionTable, testset: TestSet, place: int) -> None:
    kind, sides = NAMED[table.tests[place]]
    some = testset.select(systems=NAMES)
    result = compare(some, metrics=["bleu", "ter"], test=kind, sides=sides, resamples=2000)
    for m, comparison in enumerate(result.comparisons):
        for level_place, level in enumerate(table.alphas):
            for pair, (x, y) in enumerate(table.pairs.tolist()):
                oriented = comparison.metric.sign * comparison.differences[x, y]
                p = comparison.p[x, y] if oriented > 0 else comparison.p[y, x]
                expected = int(np.sign(oriented)) if p <= level else 0
                assert table.tested[level_place, m, place, pair] == expected


def test_counts_add_up(table: ConclusionTable) -> None:
    wrong = table.n_wrong()
    assert table.n_right.shape == (3, 2, 4)
    np.testing.assert_array_equal(table.n_right + sum(wrong.values()), len(table.pairs))
    # People prefer b to a, against what was made: whoever tells them apart concludes the opposite.
    for level, metric, test in np.ndindex(3, 2, 4):
        equal = [one == other for one, other in zip(table.human[level], table.tested[level, metric, test], strict=True)]
        assert table.n_right[level, metric, test] == sum(equal)


def test_two_pairs_of_metrics_and_tests_by_chi_squared(table: ConclusionTable) -> None:
    statistic, p = table.between_metrics(0, 1)
    n, (one, other) = len(table.pairs), table.n_right[0, :, 1]
    pooled = (one + other) / (2 * n)
    expected = ((one - other) / n) ** 2 / (2 * pooled * (1 - pooled) / n) if 0 < pooled < 1 else 0
    assert statistic[0, 1] == pytest.approx(expected)
    assert table.between_tests(0, 0)[0].shape == (4, 4)
    assert p.shape == (2, 2)


def test_two_metrics_on_the_same_pairs_by_mcnemar(table: ConclusionTable) -> None:
    from scipy.stats import binomtest

    for level, t in np.ndindex(3, 4):
        one, other = table.tested[level, :, t] == table.human[level]
        first, second = int((one & ~other).sum()), int((other & ~one).sum())
        only, p = table.paired_metrics(level, t)
        assert (only[0, 1], only[1, 0]) == (first, second)
        expected = binomtest(first, first + second).pvalue if first + second else 1.0
        assert p[0, 1] == p[1, 0] == pytest.approx(expected)
        assert only[0, 1] - only[1, 0] == table.n_right[level, 0, t] - table.n_right[level, 1, t]
    assert table.paired_tests(0, 0)[1].shape == (4, 4)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (5, 0), (12, 3), (3, 12), (7, 7)])
def test_mcnemar_by_the_binomial_distribution(first: int, second: int) -> None:
    """Of n conclusions that one metric only has right, as few as the smaller count, twice; both right or wrong: 6."""
    right = np.array([[1] * first + [0] * second + [1] * 3 + [0] * 3, [0] * first + [1] * second + [1] * 3 + [0] * 3])
    n, least = first + second, min(first, second)
    expected = min(1.0, 2 * sum(comb(n, k) for k in range(least + 1)) / 2**n)
    assert mcnemar(right)[1][0, 1] == pytest.approx(expected)


def test_mcnemar_needs_pairs() -> None:
    with pytest.raises(InputError, match="at least"):
        mcnemar(np.zeros((2, 0)))


def test_plain_values(table: ConclusionTable) -> None:
    found = json.loads(json.dumps(table.to_dict()))
    assert found["schema"] == "mtassay.conclusions/1"
    assert [level["alpha"] for level in found["alphas"]] == [0.05, 0.01, 0.001]
    first = found["alphas"][0]
    assert (len(first["results"]), len(first["between_metrics"])) == (8, 4)
    between = first["between_metrics"][0]
    only, p = table.paired_metrics(0, 0)
    assert (between["n_only_right"], between["mcnemar_p"]) == ([only[0, 1], only[1, 0]], p[0, 1])
    cell = first["results"][0]
    assert cell["accuracy"] == cell["n_right"] / 5
    assert cell["n_right"] == sum(a == b for a, b in zip(cell["conclusions"], first["people"], strict=True))
    assert "pbs" in str(table)
    assert "<table>" in table._repr_html_()
    assert "5 pairs" in repr(table)


def test_same_seed_same_table(testset: TestSet, people: HumanTests, table: ConclusionTable) -> None:
    metrics = ["bleu", "ter"]
    again = conclusions(testset, judgements=people, metrics=metrics, test=table.tests, resamples=2000, threads=2)
    assert again.to_dict() == table.to_dict()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"test": []}, "test must be a list of one or more"),
        ({"test": "pbs"}, r"test must be a list such as \['ar', 'bs'\], not 'pbs'"),
        ({"test": ["arr"]}, "no test named 'arr'"),
        ({"test": ["pbs", "pbs"]}, "the test pbs is given twice"),
        ({"alpha": ()}, "alpha must be a list"),
        ({"alpha": (0.05, 0.05)}, "the alpha 0.05 is given twice"),
        ({"alpha": (5,)}, "alpha must be between 0 and 1"),
        ({"resamples": 500}, "nothing can be significant at α = 0.001: use more resamples"),
        ({"unit": "docs"}, "no unit named 'docs'"),
        ({"metrics": ["length_ratio"]}, "no direction"),
    ],
)
def test_what_is_refused(testset: TestSet, people: HumanTests, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        conclusions(testset, judgements=people, **options)


def test_people_and_outputs_must_have_systems_in_common(testset: TestSet) -> None:
    with pytest.raises(InputError, match="judgements cover 1 of the 5 systems here"):
        conclusions(testset, judgements=said([[0, 0.5], [0, 0]], ("a", "x")))
    apart = np.full((3, 3), np.nan)
    apart[0, 2] = apart[1, 2] = 0.5
    with pytest.raises(InputError, match="no two of the systems here"):
        conclusions(testset, judgements=said(apart, ("a", "b", "x")))
