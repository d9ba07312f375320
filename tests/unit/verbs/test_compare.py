"""The verb ``compare``: what it puts together, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated_texts import made_references, with_losses

import mtassay
from mtassay import InputError, TestSet
from mtassay.stats.adjust import adjust as adjusted
from mtassay.stats.procedures import Procedure, p_values
from mtassay.stats.sample import Sample

REFERENCE = made_references(40)


def system(rate: float, seed: int) -> list[str]:
    return with_losses(REFERENCE, rate, np.random.default_rng(seed))


SYSTEMS = {"good": system(0.05, 1), "also good": system(0.06, 2), "bad": system(0.4, 3)}


def compared(**options: Any) -> Any:
    return mtassay.compare([REFERENCE], SYSTEMS, **{"resamples": 300, **options})


def test_scores_and_p_values_are_those_of_the_table_and_the_test() -> None:
    result = compared(metrics=["bleu", "ter"])
    scored = mtassay.score([REFERENCE], SYSTEMS, metrics=["bleu", "ter"])
    for m, comparison in enumerate(result.comparisons):
        np.testing.assert_array_equal(comparison.scores, scored.scores[:, m])
        table = scored.tables[m]
        [p] = p_values([Sample(table.statistics, table.metric.score, table.metric.sign)], Procedure(resamples=300))
        np.testing.assert_array_equal(comparison.p, p)
        assert comparison.better[0, 2]
        assert not comparison.better[2, 0]
        low, high = comparison.intervals.T
        assert (low < comparison.scores).all()
        assert (comparison.scores < high).all()
        np.testing.assert_allclose(comparison.difference_intervals[0, 2], -comparison.difference_intervals[2, 0][::-1])
    bleu, ter = result.comparisons
    assert bleu.differences[0, 2] > 0 > ter.differences[0, 2]
    assert [result.systems[s] for s in ter.ranked][-1] == "bad"


def test_intervals_of_a_lower_is_better_metric_are_not_turned_round() -> None:
    [ter] = compared(metrics=["ter"], interval="bca").comparisons
    assert (ter.intervals[:, 0] <= ter.intervals[:, 1]).all()
    assert ter.difference_intervals[0, 2, 0] < ter.difference_intervals[0, 2, 1] < 0


def test_perfect_error_rates_are_0_not_minus_0() -> None:
    result = mtassay.compare([REFERENCE], {"perfect": REFERENCE, "again": REFERENCE}, metrics=["ter"], resamples=100)
    [perfect, _] = result.to_dict()["metrics"][0]["systems"]
    assert str(perfect["score"]) == "0.0"
    assert str(perfect["interval"]) == "[0.0, 0.0]"
    assert "-0.0" not in result.render("json")
    analysed = mtassay.analyse([REFERENCE], {"perfect": REFERENCE, "bad": SYSTEMS["bad"]}, metrics=["ter"])
    assert "-0.0" not in [value for row in analysed.render("tsv").splitlines() for value in row.split("\t")]


@pytest.mark.parametrize("interval", ["percentile", "bca"])
@pytest.mark.parametrize("unit", ["segment", "doc"])
def test_a_single_unit_has_no_interval(unit: str, interval: str) -> None:
    """All resamples of one unit are the same, which says nothing about other texts."""
    n = 1 if unit == "segment" else 40
    systems = {name: texts[:n] for name, texts in SYSTEMS.items()}
    testset = TestSet([REFERENCE[:n]], systems, documents=["d"] * n)
    result = mtassay.compare(testset, metrics=["chrf", "ter"], unit=unit, interval=interval, resamples=50)
    for comparison in result.comparisons:
        assert np.isnan(comparison.intervals).all()
        assert np.isnan(comparison.difference_intervals).all()
        assert np.isnan(comparison.s_sel).all()
        assert comparison.p[0, 1] == 1
    assert result.to_dict()["metrics"][0]["systems"][0]["interval"] == [None, None]
    with pytest.raises(InputError, match="a single segment or document cannot be resampled"):
        mtassay.rank(testset, metrics=["chrf"], unit=unit, by_intervals=True, resamples=50)


def test_clusters_by_intervals_refuse_a_test() -> None:
    for options in ({"test": "pbs"}, {"sides": 1}, {"adjust": "holm"}):
        with pytest.raises(InputError, match="runs no test: leave out --test, --sides and --adjust"):
            mtassay.rank([REFERENCE], SYSTEMS, by_intervals=True, resamples=50, **options)


def test_documents_are_drawn_as_wholes() -> None:
    documents = [f"d{n // 8}" for n in range(40)]
    testset = TestSet([REFERENCE], SYSTEMS, documents=documents)
    result = mtassay.compare(testset, unit="doc", resamples=1000)
    [comparison] = result.comparisons
    assert comparison.n_units.max() == 5
    assert result.procedure.exact(5)
    # All five documents are better: only the exchange of all or of none is as extreme, 2 of 32.
    assert comparison.p[0, 2] == 2 / 32


def test_adjustment_is_over_the_pairs_of_a_metric() -> None:
    plain, holm = (compared(adjust=method).comparisons[0] for method in ("none", "holm"))
    upper = np.triu_indices(3, 1)
    order = np.argsort(plain.p[upper])
    expected = np.maximum.accumulate(plain.p[upper][order] * [3, 2, 1]).clip(max=1)
    np.testing.assert_allclose(holm.adjusted[upper][order], expected)
    np.testing.assert_array_equal(plain.adjusted[upper], plain.p[upper])


def test_one_sided_tests_have_two_p_values_per_pair() -> None:
    [comparison] = compared(test="bs", sides=1).comparisons
    assert comparison.p[0, 2] < 0.05 < comparison.p[2, 0]
    pair = compared(test="bs", sides=1).to_dict()["metrics"][0]["pairs"][1]
    assert pair["systems"] == ["good", "bad"]
    assert (pair["p"], pair["p_reverse"]) == (comparison.p[0, 2], comparison.p[2, 0])


def test_a_baseline() -> None:
    result = compared(baseline="bad")
    [comparison] = result.comparisons
    assert np.isnan(comparison.p[0, 1])
    assert len(result.to_dict()["metrics"][0]["pairs"]) == 2
    assert "Only the pairs with the baseline bad were tested." in str(result)
    assert "were tested." not in str(compared())


def test_runs_of_one_system() -> None:
    systems = {
        f"{name}.opt{run}": system(rate, 10 * run + n)
        for n, (name, rate) in enumerate([("a", 0.1), ("b", 0.3)])
        for run in range(3)
    }
    result = mtassay.compare([REFERENCE], systems, runs=r"\.opt\d$", resamples=200)
    [comparison] = result.comparisons
    assert (result.systems, result.n_runs) == (("a", "b"), 3)
    scored = mtassay.score([REFERENCE], systems)
    of_a = [scored[f"a.opt{run}", "bleu"] for run in range(3)]
    assert comparison.scores[0] == pytest.approx(np.mean(of_a))
    assert comparison.s_opt[0] == pytest.approx(np.std(of_a, ddof=1))
    assert 0 < comparison.s_sel[0] < 10
    with pytest.raises(InputError, match="same number of runs, but they have: a 3, b 2"):
        mtassay.compare([REFERENCE], {k: v for k, v in systems.items() if k != "b.opt1"}, runs=r"\.opt\d$")
    with pytest.raises(InputError, match="not a regular expression"):
        mtassay.compare([REFERENCE], systems, runs="(")


def test_missing_scores_are_left_out_pair_by_pair(tmp_path: Path) -> None:
    generator = np.random.default_rng(4)
    values = {name: generator.normal(rate, 1, 40) for name, rate in (("good", 2.0), ("also good", 2.0), ("bad", 0.0))}
    values["bad"][:10] = np.nan
    path = tmp_path / "x.seg.score"
    rows = [f"{name}\t{'None' if np.isnan(v) else repr(float(v))}\n" for name, vs in values.items() for v in vs]
    path.write_text("".join(rows), encoding="utf-8")
    [comparison] = compared(metrics=[f"file:{path}"]).comparisons
    assert comparison.n_units[0, 1] == 40
    assert comparison.n_units[0, 2] == comparison.n_units[2, 0] == 30
    assert comparison.scores[0] == pytest.approx(values["good"].mean())
    assert comparison.differences[0, 2] == pytest.approx(values["good"][10:].mean() - values["bad"][10:].mean())
    statistics = np.stack([np.stack([values[n][10:], np.ones(30)], axis=-1) for n in ("good", "bad")])
    [p] = p_values([Sample(statistics, lambda t: t[..., 0] / t[..., 1])], Procedure(resamples=300))
    assert comparison.p[0, 2] == p[0, 1]
    assert "on the 30 to 40 segments that both systems have" in str(compared(metrics=[f"file:{path}"]))


def test_a_difference_is_significant_if_p_is_alpha() -> None:
    """One segment of two differs: p is ½ exactly."""
    systems = {"x": ["a b c d", "e f"], "y": ["a b c d", "f"]}
    for alpha, expected in ((0.5, True), (0.499, False)):
        [comparison] = mtassay.compare(
            [["a b c d", "e f"]], systems, metrics=["ter"], test="ar1", alpha=alpha
        ).comparisons
        assert comparison.p[0, 1] == 0.5
        assert bool(comparison.better[0, 1]) is expected
        assert bool(comparison.better_at(0.5)[0, 1]) is True


@pytest.mark.parametrize("adjust", ["holm", "bh"])
def test_one_sided_tests_of_both_directions_are_adjusted_together(adjust: str) -> None:
    result = compared(test="ar1", adjust=adjust)
    [comparison] = result.comparisons
    first, second = result.pairs.T
    tests = np.concatenate([comparison.p[first, second], comparison.p[second, first]])
    expected = adjusted(tests, adjust)
    np.testing.assert_array_equal(comparison.adjusted[first, second], expected[:3])
    np.testing.assert_array_equal(comparison.adjusted[second, first], expected[3:])
    assert (expected > tests).any()


def test_intervals_that_are_not_known_are_null_in_json(tmp_path: Path) -> None:
    """Most resamples of a system with one score have none."""
    scores = [("a", 0.1), *[("a", None)] * 5, *[("b", 0.1 * number) for number in range(6)]]
    path = tmp_path / "x.seg.score"
    path.write_text("".join(f"{name}\t{score}\n" for name, score in scores), encoding="utf-8")
    texts = ["a b c"] * 6
    result = mtassay.compare([texts], {"a": texts, "b": texts}, metrics=[f"file:{path}"], resamples=100)
    found = json.loads(result.render("json"), parse_constant=lambda constant: pytest.fail(constant))
    intervals = {system["system"]: system["interval"] for system in found["metrics"][0]["systems"]}
    assert intervals["a"] == [None, None]
    assert None not in intervals["b"]
    assert "on the 1 segment that both systems have" in str(result)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"baseline": "goood"}, "baseline: no system named 'goood'; did you mean 'good'"),
        ({"metrics": ["length_ratio"]}, "has no direction"),
        ({"unit": "docs"}, "no unit named 'docs'; did you mean 'doc'"),
        ({"unit": "doc"}, "no document labels"),
        ({"interval": "bootstrap"}, "no interval named"),
        ({"adjust": "bonferroni"}, "no adjustment named"),
        ({"alpha": 5}, "alpha must be between 0 and 1"),
        ({"test": "t"}, "no test named"),
    ],
)
def test_what_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        compared(**options)


@pytest.mark.parametrize("verb", [mtassay.compare, mtassay.rank])
@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("test", "no test named"),
        ("sides", "the sides of ar are 1 or 2, not"),
        ("resamples", "resamples must be a whole number"),
        ("alpha", "alpha must be between 0 and 1, not"),
        ("adjust", "no adjustment named"),
        ("unit", "no unit named"),
        ("interval", "no interval named"),
        ("seed", "the seed must be a whole number"),
    ],
)
@pytest.mark.parametrize("value", [None, 3.5, True, "0.05", b"ar", [], ["ar"], {}, object(), float("nan"), 1j])
def test_values_of_another_type_are_refused(verb: Any, option: str, said: str, value: Any) -> None:
    if option == "sides" and value is None:
        return  # what is usual with the test
    with pytest.raises(InputError, match=said) as refused:
        verb([["a b c"]], {"x": ["a b c"], "y": ["a"]}, **{option: value})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("option", "said"), [("baseline", "no system named"), ("runs", "not a regular expression")])
@pytest.mark.parametrize("value", [3.5, True, b"ar", []])
def test_names_and_patterns_of_another_type_are_refused(option: str, said: str, value: Any) -> None:
    with pytest.raises(InputError, match=said):
        mtassay.compare([["a b c"]], {"x": ["a b c"], "y": ["a"]}, **{option: value})


def test_one_segment_can_be_exchanged_but_not_resampled() -> None:
    systems = {"a": ["x y"], "b": ["x z"]}
    assert mtassay.compare([["x y"]], systems, metrics=["ter"]).comparisons[0].p[0, 1] == 1
    with pytest.raises(InputError, match="a single segment or document cannot be resampled"):
        mtassay.compare([["x y"]], systems, metrics=["ter"], test="pbs")


def test_what_there_are_too_few_of_is_said() -> None:
    references, systems = [["a b", "c d", "e f"]], {"x": ["a b", "c d", "e f"], "y": ["a", "c", "e"]}
    assert "so few segments no pair" in str(mtassay.compare(references, systems, metrics=["ter"]))
    assert "use more --resamples" in str(mtassay.compare(references, systems, metrics=["ter"], test="bs", resamples=5))
    assert "so few segments no pair" in str(mtassay.rank(references, systems, metrics=["ter"]))
    assert "use more --resamples" in str(mtassay.rank(references, systems, metrics=["ter"], test="bs", resamples=5))
    assert "so few" not in str(mtassay.rank(references, systems, metrics=["ter"], by_intervals=True))


@pytest.mark.filterwarnings("error")
def test_one_draw_has_no_deviation() -> None:
    result = mtassay.compare([["a b", "c d"]], {"x": ["a b", "c d"], "y": ["a", "c"]}, metrics=["ter"], resamples=1)
    described = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert [row["s_sel"] for row in described["metrics"][0]["systems"]] == [None, None]


def test_one_system_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="comparison needs two"):
        mtassay.compare([REFERENCE], {"a": REFERENCE})


def test_a_result_prints_as_text_and_html() -> None:
    result = compared(metrics=["bleu", "ter"])
    assert "better than" in str(result)
    assert result._repr_html_().count("<table>") == 2
    assert "also good" in repr(result)
