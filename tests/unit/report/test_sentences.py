"""Sentences on made results: every kind of outcome, word by word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mtassay.analysis.power import Design, PowerCurve
from mtassay.metrics import parse
from mtassay.report.sentences import comparison_sentences, power_sentences, rank_sentences
from mtassay.stats.clusters import cluster
from mtassay.stats.procedures import Procedure
from mtassay.verbs.compare import CompareResult, Comparison
from mtassay.verbs.power import PairPower, PowerResult
from mtassay.verbs.rank import RankResult

UNADJUSTED = "The p-values are not adjusted for the {} comparisons."
EACH = "The p-values are not adjusted for the {} comparisons of each metric."
nothing: Any = None


def comparison(spec: str, scores: list[float], p: dict[tuple[int, int], float], alpha: float = 0.05) -> Comparison:
    """A comparison with these p-values; pairs that are not named have p = .5."""
    n = len(scores)
    values = np.full((n, n), 0.5)
    for (x, y), value in p.items():
        values[x, y] = values[y, x] = value
    metric = parse(spec)
    oriented = metric.sign * np.array(scores)
    better = (values <= alpha) & (oriented[:, None] > oriented)
    unused = dict.fromkeys(("intervals", "difference_intervals", "n_units", "s_sel", "s_opt"), nothing)
    return Comparison(
        metric=metric,
        signature=nothing,
        scores=np.array(scores),
        differences=np.subtract.outer(np.array(scores), np.array(scores)),
        p=values,
        adjusted=values,
        better=better,
        **unused,
    )


def compared(
    *comparisons: Comparison,
    names: str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    adjust: str = "none",
    baseline: str | None = None,
) -> CompareResult:
    n = len(comparisons[0].scores)
    return CompareResult(
        of_pair=lambda _, __: [],
        scored=nothing,
        systems=tuple(names[:n]),
        runs=np.arange(n)[:, None],
        procedure=Procedure(),
        alpha=0.05,
        adjust=adjust,
        unit="segment",
        interval="percentile",
        baseline=baseline,
        comparisons=comparisons,
    )


class TestComparison:
    def test_two_systems(self) -> None:
        assert comparison_sentences(compared(comparison("bleu", [30, 31], {(0, 1): 0.00304}))) == [
            "By BLEU, B is significantly better than A (p = .003)."
        ]
        assert comparison_sentences(compared(comparison("bleu", [30, 31], {(0, 1): 0.21}))) == [
            "By BLEU, B and A do not differ significantly (p = .21)."
        ]

    def test_lower_is_better(self) -> None:
        assert comparison_sentences(compared(comparison("ter", [30, 31], {(0, 1): 0.01}))) == [
            "By TER, A is significantly better than B (p = .01)."
        ]

    def test_four_systems(self) -> None:
        p = {(0, 2): 0.001, (0, 3): 0.00291, (1, 3): 0.04, (2, 3): 0.05}
        result = compared(comparison("bleu", [40, 39, 38, 37], p), adjust="holm")
        assert comparison_sentences(result) == [
            "By BLEU, A is significantly better than C and D (p ≤ .003, Holm); "
            "B is significantly better than D (p = .04, Holm); C is significantly better than D (p = .05, Holm); "
            "A and B do not differ significantly; B and C do not differ significantly."
        ]

    def test_a_bound_is_rounded_up(self) -> None:
        """.0304 is not at most .03."""
        p = {(0, 1): 0.0304, (0, 2): 0.01, (1, 2): 0.01}
        [first, _] = comparison_sentences(compared(comparison("bleu", [3, 2, 1], p)))
        assert "A is significantly better than B and C (p ≤ .031)" in first

    def test_several_that_one_does_not_differ_from(self) -> None:
        result = compared(comparison("bleu", [3, 2, 1], {(1, 2): 0.01}), adjust="bh")
        assert comparison_sentences(result) == [
            "By BLEU, B is significantly better than C (p = .01, Benjamini–Hochberg); "
            "A does not differ significantly from B or C."
        ]

    def test_nothing_significant(self) -> None:
        assert comparison_sentences(compared(comparison("bleu", [3, 2, 1], {}), adjust="holm")) == [
            "By BLEU, no two of A, B and C differ significantly."
        ]

    def test_p_values_that_are_not_adjusted_say_so(self) -> None:
        of_three = comparison("bleu", [3, 2, 1], {})
        assert comparison_sentences(compared(of_three))[-1] == UNADJUSTED.format(3)
        assert comparison_sentences(compared(of_three, of_three))[-1] == EACH.format(3)
        assert len(comparison_sentences(compared(of_three, adjust="holm"))) == 1

    def test_one_system(self) -> None:
        assert comparison_sentences(compared(comparison("bleu", [3], {}))) == [
            "There is one system, A, and nothing to compare it with."
        ]

    def test_many_systems(self) -> None:
        """The best are those that none is better than; the rest is counted."""
        scores = [float(score) for score in range(20, 0, -1)]
        p = {(x, y): 0.002 for x in range(3) for y in range(3, 20)}
        result = compared(comparison("bleu", scores, p), adjust="holm")
        assert comparison_sentences(result) == [
            "By BLEU, no system is significantly better than A, B or C; "
            "51 of 190 pairs differ significantly (p ≤ .002, Holm)."
        ]
        assert comparison_sentences(compared(comparison("bleu", scores, {}), adjust="holm")) == [
            "By BLEU, none of the 190 pairs of systems differ significantly."
        ]
        [said] = comparison_sentences(compared(comparison("bleu", scores, {(0, 19): 0.01}), adjust="holm"))
        assert said == (
            "By BLEU, no system is significantly better than A, B, C, D, E, F, G, H and 11 more; "
            "1 of 190 pairs differs significantly (p = .01, Holm)."
        )

    def test_one_that_is_better_than_all_others(self) -> None:
        scores = [float(score) for score in range(7, 0, -1)]
        p = {(0, y): 0.003 for y in range(1, 7)} | {(1, 6): 0.04}
        assert comparison_sentences(compared(comparison("bleu", scores, p), adjust="holm")) == [
            "By BLEU, A is significantly better than every other system (p ≤ .003, Holm); "
            "7 of 21 pairs differ significantly (p ≤ .04, Holm)."
        ]

    def test_baseline(self) -> None:
        p = {(0, 2): 0.01, (1, 2): 0.03, (2, 3): 0.02}
        result = compared(comparison("bleu", [5, 4, 3, 2, 1], p), adjust="holm", baseline="C")
        assert comparison_sentences(result) == [
            "By BLEU, A and B are significantly better than the baseline C (p ≤ .03, Holm); "
            "D is significantly worse than the baseline C (p = .02, Holm); "
            "E does not differ significantly from the baseline C."
        ]
        result = compared(comparison("bleu", [5, 4, 3], {}), baseline="C")
        assert comparison_sentences(result) == [
            "By BLEU, A and B do not differ significantly from the baseline C.",
            UNADJUSTED.format(2),
        ]

    def test_metrics_that_agree(self) -> None:
        scores = {"bleu": [2.0, 1.0], "ter": [1.0, 2.0]}
        pair = [comparison(spec, of_spec, {(0, 1): 0.01}) for spec, of_spec in scores.items()]
        assert comparison_sentences(compared(*pair)) == [
            "By BLEU, A is significantly better than B (p = .01).",
            "By TER, A is significantly better than B (p = .01).",
            "The metrics lead to the same conclusion.",
        ]
        three = comparison("bleu", [3, 2, 1], {(0, 2): 0.01})
        assert (
            comparison_sentences(compared(three, three))[-2]
            == "The metrics lead to the same conclusions on all 3 pairs."
        )

    def test_metrics_that_contradict_each_other(self) -> None:
        pair = [comparison(spec, [2, 1], {(0, 1): 0.01}) for spec in ("bleu", "ter", "chrf")]
        assert comparison_sentences(compared(*pair))[3:] == [
            "A is significantly better than B by BLEU and chrF2, and B is significantly better than A by TER."
        ]

    def test_metrics_of_which_some_find_a_difference(self) -> None:
        found = [
            comparison("bleu", [3, 2, 1], {(0, 2): 0.01}),
            comparison("chrf", [3, 2, 1], {(0, 2): 0.01, (1, 2): 0.01}),
        ]
        assert comparison_sentences(compared(*found, adjust="holm"))[2:] == [
            "B is significantly better than C by chrF2, not by BLEU."
        ]

    def test_many_pairs_on_which_metrics_disagree_are_counted(self) -> None:
        scores = [float(score) for score in range(20, 0, -1)]
        found = [comparison("bleu", scores, {(0, y): 0.01 for y in range(1, 20)}), comparison("chrf", scores, {})]
        assert comparison_sentences(compared(*found, adjust="holm"))[2:] == [
            "On 19 of 190 pairs some metrics find a significant difference and others do not."
        ]
        turned = comparison("ter", scores, {(0, y): 0.01 for y in range(1, 20)})
        assert comparison_sentences(compared(found[0], turned, adjust="holm"))[2:] == [
            "On 19 of 190 pairs metrics contradict each other."
        ]

    @pytest.mark.parametrize("adjust", ["none", "holm"])
    def test_no_sentence_says_equal(self, adjust: str) -> None:
        generator = np.random.default_rng(3)
        for n in (2, 3, 5, 8):
            p = {(x, y): float(generator.choice([0.01, 0.3])) for x in range(n) for y in range(x)}
            said = " ".join(comparison_sentences(compared(comparison("bleu", [*range(n)], p), adjust=adjust)))
            assert "equal" not in said
            assert "same" not in said


class TestRank:
    def ranked(self, better: list[tuple[int, int]], n: int, criterion: str = "test") -> RankResult:
        scores = [float(n - s) for s in range(n)]
        of_test = comparison("bleu", scores, dict.fromkeys(better, 0.01))
        return RankResult(compared(of_test), criterion, (cluster(scores, of_test.better),))

    def test_overlapping_clusters(self) -> None:
        assert rank_sentences(self.ranked([(0, 2), (0, 3), (1, 3), (2, 3)], 4)) == [
            "By BLEU, there are 3 clusters of systems that do not differ significantly: A and B; B and C; D."
        ]

    def test_one_cluster_and_as_many_as_systems(self) -> None:
        assert rank_sentences(self.ranked([], 4)) == ["By BLEU, no two of the 4 systems differ significantly."]
        assert rank_sentences(self.ranked([(0, 1), (0, 2), (1, 2)], 3)) == [
            "By BLEU, all 3 systems differ significantly from each other: A, B and C, best first."
        ]

    def test_intervals(self) -> None:
        assert rank_sentences(self.ranked([(0, 1), (0, 2)], 3, "intervals")) == [
            "By BLEU, there are 2 clusters of systems whose intervals overlap: A; B and C."
        ]
        assert rank_sentences(self.ranked([], 3, "intervals")) == [
            "By BLEU, the intervals of any two of the 3 systems overlap."
        ]

    def test_many_clusters(self) -> None:
        better = [(x, y) for y in range(10) for x in range(y) if (x, y) != (0, 1)]
        assert rank_sentences(self.ranked(better, 10)) == [
            "By BLEU, there are 9 clusters of systems that do not differ significantly, the first of them A and B."
        ]

    def test_an_order_that_tests_do_not_bear_out(self) -> None:
        """A is better than D, and B than C: {A, C} and {B, D} are better than each other."""
        ranked = self.ranked([(0, 3), (1, 2)], 4)
        listed = (
            "By BLEU, there are 4 clusters of systems that do not differ significantly: A and B; A and C; B and D; "
            "C and D (the tests do not support the order of "
        )
        assert rank_sentences(ranked) == [f"{listed}clusters 2 and 3)."]
        [clustering] = ranked.clusterings
        several = replace(clustering, breaches=clustering.breaches * 2)
        assert rank_sentences(replace(ranked, clusterings=(several,))) == [f"{listed}2 pairs of clusters)."]


class TestPower:
    def pair(self, **options: Any) -> PairPower:
        found = {
            "difference": 0.9,
            "power": np.array([0.35, 0.62, 0.93]),
            "wrong_sign": np.zeros(3),
            "exaggeration": np.ones(3),
            "detectable": np.array([1.6, 1.13, 0.6]),
            "needed": 2187.2,
        }
        return PairPower(
            metric=parse("bleu"),
            signature=nothing,
            better="A",
            worse="B",
            observed=0.9,
            n_units=1500,
            curve=PowerCurve(**{**found, **options}),
        )

    def said(
        self, *, unit: str = "segment", difference: float | None = None, n: int = 1500, **options: Any
    ) -> list[str]:
        pair = replace(self.pair(**options), n_units=n)
        design = Design(Procedure(resamples=500), (750, 1500, 3000), 400, 0.05, 0.8)
        return power_sentences(PowerResult(design, unit, difference, (pair,)), pair)

    def test_pilot_and_larger_test_set(self) -> None:
        assert self.said() == [
            "With 1,500 segments a difference of 1.13 BLEU between A and B would be found with 80 % probability.",
            "A true difference of 0.90 BLEU, as observed, would be found with 80 % probability "
            "in about 2,188 segments.",
        ]

    def test_another_unit_and_difference(self) -> None:
        assert self.said(unit="doc", difference=0.9, n=2900) == [
            "With 3,000 documents a difference of 0.60 BLEU between A and B would be found with 80 % probability.",
            "A true difference of 0.90 BLEU would be found with 80 % probability in about 2,188 documents.",
        ]

    def test_too_few(self) -> None:
        assert self.said(power=np.array([0.1, 0.2, 0.344]), detectable=np.full(3, np.nan), needed=np.nan) == [
            "With 1,500 segments no difference between A and B that their outputs can have would be found "
            "with 80 % probability.",
            "A true difference of 0.90 BLEU, as observed, would be found with 34 % probability in 3,000 segments.",
        ]

    def test_enough_in_the_smallest_size(self) -> None:
        assert self.said(power=np.array([0.81, 0.85, 0.9]), needed=750.0)[1].endswith(
            "would be found with 80 % probability or more in 750 segments, the smallest simulated size."
        )

    def test_no_difference(self) -> None:
        assert self.said(power=np.zeros(3), needed=np.nan)[1].endswith("with 0 % probability in 3,000 segments.")
        pair = self.pair(difference=0.0)
        design = Design(Procedure(resamples=500), (750, 1500, 3000), 400, 0.05, 0.8)
        said = power_sentences(PowerResult(design, "segment", None, (pair,)), pair)
        assert said[1] == "No difference between their scores was observed."
