"""Every expected value of WMT23 en-de and of the Williams example, looked up in the oracle's file and computed here.

One check per statistic; an entry whose statistic has no check fails. Values that mt-metrics-eval sampled are compared
with exact ones where there are exact ones, else with our own resamples.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.data.formats.score_files import read_scores
from mtassay.stats import correlations, kendall, permutation
from mtassay.stats import metric_significance as significance
from mtassay.stats import pairwise_accuracy as accuracy
from mtassay.stats import tie_calibration as ties

if TYPE_CHECKING:
    from collections.abc import Callable

Entry = dict[str, Any]
EXACT: dict[str, Any] = {"rel": 1e-9, "abs": 1e-9}
#: p-values of a test may be as small as 1e-300: only their ratio says something.
RELATIVE: dict[str, Any] = {"rel": 1e-9, "abs": 0.0}
_AVERAGES = {"none": "none", "item": "segment", "sys": "system"}
_KINDS = {
    "Pearson": "pearson",
    "Spearman": "spearman",
    "Kendall-b": "kendall-b",
    "Kendall-c": "kendall-c",
    "KendallVariants-b": "kendall-b",
    "KendallVariants-c": "kendall-c",
    "KendallVariants-23": "kendall-23",
    "KendallVariants-acc23": "acc23",
}


class Task:
    """Scores of WMT23 en-de: 12 systems, without the reference and without outliers."""

    def __init__(self, data_dir: Path, entries: list[Entry]) -> None:
        self._folder = data_dir / "wmt23"
        (recipe,) = {entry["recipe"] for entry in entries if entry["level"] == "data"}
        listed = re.search(r"systems: ([^;]+);", recipe)
        assert listed is not None
        self.systems = listed[1].split()
        self.n_segments = len((self._folder / "sources" / "en-de.txt").read_text(encoding="utf-8").splitlines())
        self.metrics = sorted(path.name[:-10] for path in (self._folder / "metric-scores/en-de").glob("*.seg.score"))
        self.gold = self._read("human-scores/en-de.mqm.seg.score")
        self.scores = np.array([self._read(f"metric-scores/en-de/{name}.seg.score") for name in self.metrics])
        self.system_gold = self._read("human-scores/en-de.mqm.sys.score")[:, 0]
        self.system_scores = np.array(
            [self._read(f"metric-scores/en-de/{name}.sys.score")[:, 0] for name in self.metrics]
        )

    def _read(self, name: str) -> Any:
        found = read_scores(self._folder / name)
        rows = [found.of_system(system, self.n_segments) for system in self.systems]
        return np.array([[np.nan if score is None else score for score in row] for row in rows])

    def index(self, names: list[str]) -> list[int]:
        return [self.metrics.index(name) for name in names]

    def of(self, entry: Entry) -> tuple[Any, Any]:
        """Gold, and the scores of the metrics that the entry names, at its level."""
        chosen = self.index(entry["metrics"])
        if entry["level"] == "sys":
            return self.system_gold, self.system_scores[chosen]
        return self.gold, self.scores[chosen]

    @cache  # noqa: B019 - one task per run
    def segment_p(self, resamples: int) -> Any:
        return permutation.segment_pearson_p(self.gold, self.scores, resamples=resamples)

    @cache  # noqa: B019
    def soft(self) -> Any:
        return accuracy.soft_pairwise_accuracy(self.gold, self.scores, resamples=20_000)


def check_size(task: Task, entry: Entry) -> None:
    scored = ~np.isnan(task.gold)
    assert [len(task.systems), task.n_segments, int(scored.sum())] == entry["value"]
    assert entry["options"]["n_sys"] == len(task.systems)


def check_correlation(task: Task, entry: Entry) -> None:
    kind = _KINDS[entry["statistic"]]
    gold, scores = task.of(entry)
    if entry["level"] == "sys":
        assert correlations.system_correlation(gold, scores, kind=kind)[0] == pytest.approx(entry["value"], **EXACT)
        return
    found = correlations.averaged(
        gold, scores, kind=kind, average=_AVERAGES[entry["options"]["average_by"]], exact=True
    )
    assert found.values[0] == pytest.approx(entry["value"], **EXACT)
    assert found.n_groups[0] == entry["options"]["n_averaged"]


def check_p_value(task: Task, entry: Entry) -> None:
    kind = _KINDS[entry["statistic"].split()[0]]
    assert correlations.p_values(*task.of(entry), kind=kind)[0] == pytest.approx(entry["value"], **RELATIVE)


def check_pairwise_accuracy(task: Task, entry: Entry) -> None:
    found = accuracy.pairwise_accuracy(*task.of(entry))
    assert found.values[0] == pytest.approx(entry["value"], **EXACT)
    assert (found.n_agree[0], found.n_pairs) == (entry["options"]["agree"], entry["options"]["pairs"])


def check_soft_accuracy(task: Task, entry: Entry) -> None:
    found = task.soft()[task.index(entry["metrics"])[0]]
    assert found == pytest.approx(entry["value"], abs=0.002)


def check_darr(task: Task, entry: Entry) -> None:
    options = entry["options"]
    found = kendall.darr(
        *task.of(entry), average=_AVERAGES[options["average_by"]], threshold=options["thresh"], exact=True
    )
    assert found.n_pairs == options["num_pairs"]
    assert found.tau[0] == pytest.approx(entry["value"], **EXACT)


def check_calibrated(task: Task, entry: Entry) -> None:
    options = entry["options"]
    found = ties.acc_eq(*task.of(entry), average=_AVERAGES[options["average_by"]], exact=True)
    value = found.tau_23 if entry["statistic"].startswith("tau23") else found.accuracy
    assert value[0] == pytest.approx(entry["value"], **EXACT)
    if "acc_at_eps0" in options:
        assert found.at_zero[0] == pytest.approx(options["acc_at_eps0"], **EXACT)
    if "all_optimal_epsilons" in options:
        assert found.epsilon[0] == options["all_optimal_epsilons"][0]


def check_perm_both(task: Task, entry: Entry) -> None:
    """Exact p-values; the sampled one lies within its error of the exact one, and so does ours."""
    gold, scores = task.of(entry)
    test = permutation.accuracy_p if "accuracy" in entry["statistic"] else permutation.pearson_p
    exact = test(gold, scores)[0, 1]
    if "mc_se" not in entry["options"]:
        assert entry["options"]["patterns"] == 2 ** len(gold)
        assert exact == entry["value"]
        return
    assert exact == pytest.approx(entry["value"], abs=4 * entry["options"]["mc_se"])
    resamples = entry["options"]["k"]
    assert test(gold, scores, resamples=resamples)[0, 1] == pytest.approx(
        exact, abs=4 * np.sqrt(exact * (1 - exact) / resamples)
    )


def check_segment_perm_both(task: Task, entry: Entry) -> None:
    gold, scores = task.of(entry)
    r = correlations.averaged(gold, scores).values
    assert r[0] - r[1] == pytest.approx(entry["options"]["delta"], **EXACT)
    found = task.segment_p(entry["options"]["k"])[tuple(task.index(entry["metrics"]))]
    assert found == pytest.approx(entry["value"], abs=4 * entry["options"]["mc_se"])


def check_pairs_swap(task: Task, entry: Entry) -> None:
    gold, scores = task.of(entry)
    options = entry["options"]
    found = ties.acc_eq(gold, scores, exact=True)
    assert found.accuracy[0] - found.accuracy[1] == pytest.approx(options["delta"], **EXACT)
    if "mc_se" in options:
        p = significance.pairs_swap_p(gold, scores, found.epsilon, exact=True)[0, 1]
        assert p == pytest.approx(entry["value"], abs=4 * options["mc_se"])
        return
    epsilon = [options["eps2"], options["eps1"]]
    right, _ = ties.right_pairs(gold, scores, epsilon, exact=True)
    assert (right[0] != right[1]).sum() == options["n_differing_comparisons"]
    assert significance.pairs_swap_p(gold, scores, epsilon, exact=True)[0, 1] == pytest.approx(
        entry["value"], **RELATIVE
    )


def check_clusters(task: Task, entry: Entry) -> None:
    """Clusters from exact p-values; where theirs were sampled, from the p-values they sampled."""
    gold, scores = task.of(entry)
    options, names = entry["options"], entry["metrics"]
    expected = np.array(options["sig_matrix"])
    upper = np.triu_indices(len(names), k=1)
    if "acc_eq*" in entry["statistic"]:
        values = ties.acc_eq(gold, scores, exact=True).accuracy
        p = significance.pairs_swap_p(gold, scores, [options["eps"][name] for name in names], exact=True)
        assert p[upper] == pytest.approx(expected[upper], **RELATIVE)
    elif "exact p" in entry["statistic"]:
        values = correlations.system_correlation(gold, scores)
        p = permutation.pearson_p(gold, scores)
        assert p[upper].tolist() == expected[upper].tolist()
    elif entry["level"] == "seg":
        values = correlations.averaged(gold, scores).values
        p = permutation.segment_pearson_p(gold, scores, resamples=options["k"])
    else:
        # Sampled: the p-value of the first two lies at the level itself. Ours are exact, in the entry above.
        values = correlations.system_correlation(gold, scores)
        p = expected
    assert values.tolist() == sorted(values.tolist(), reverse=True)
    ranks = significance.metric_clusters(p, alpha=options["pval"])
    for name, value, rank in zip(names, values, ranks.tolist(), strict=True):
        of_entry = entry["value"][name]
        if isinstance(of_entry, list):
            assert value == pytest.approx(of_entry[0], **EXACT)
            of_entry = of_entry[1]
        assert rank == of_entry


def check_williams(task: Task, entry: Entry) -> None:
    gold, scores = task.of(entry)
    found = significance.williams(gold, scores)
    assert found.df == entry["options"]["df"]
    assert correlations.system_correlation(gold, scores) == pytest.approx(entry["options"]["r"], **EXACT)
    assert min(found.p[0, 1], found.p[1, 0]) == pytest.approx(entry["value"], **RELATIVE)


_ACC_EQ = "acc_eq* (KendallWithTiesOpt)", "tau23* (KendallWithTiesOpt)", "acc_eq* exact (own numpy)"
CHECKS: dict[str, Callable[[Task, Entry], None]] = {
    "n_systems/n_segments/n_scored_cells": check_size,
    **dict.fromkeys(_KINDS, check_correlation),
    **{f"{name} p-value (scipy two-sided)": check_p_value for name in list(_KINDS)[:4]},
    "pairwise accuracy": check_pairwise_accuracy,
    "SPA = 1-PCE": check_soft_accuracy,
    "SPA = 1-PCE (high precision)": check_soft_accuracy,
    "KendallLike (DARR)": check_darr,
    **dict.fromkeys(_ACC_EQ, check_calibrated),
    "PERM-BOTH p (Pearson), exact": check_perm_both,
    "PERM-BOTH p (Pearson), MC": check_perm_both,
    "PERM-BOTH p (pairwise accuracy), exact": check_perm_both,
    "PERM-BOTH p (Pearson none), MC": check_segment_perm_both,
    "PERM-BOTH p (Pearson none), high precision": check_segment_perm_both,
    "acc_eq* pairs-swap p, exact": check_pairs_swap,
    "acc_eq* pairs-swap p, MC": check_pairs_swap,
    "metric clusters Pearson": check_clusters,
    "metric clusters Pearson (exact p)": check_clusters,
    "metric clusters Pearson none": check_clusters,
    "metric clusters acc_eq* (exact pairs-swap p)": check_clusters,
    "Williams p one-sided": check_williams,
}


@pytest.fixture(scope="module")
def entries(recorded: Any) -> list[Entry]:
    return list(recorded.metaeval())


@pytest.fixture(scope="module")
def wmt23(entries: list[Entry]) -> list[Entry]:
    return [entry for entry in entries if (entry["dataset"], entry["pair"]) == ("wmt23", "en-de")]


@pytest.fixture(scope="module")
def task(data_dir: Path, wmt23: list[Entry]) -> Task:
    return Task(data_dir, wmt23)


def test_every_statistic_of_wmt23_has_a_check(wmt23: list[Entry], entries: list[Entry]) -> None:
    assert {entry["statistic"] for entry in wmt23} == set(CHECKS)
    assert len(wmt23) == sum(entry["dataset"] == "wmt23" for entry in entries)


@pytest.mark.parametrize("statistic", CHECKS)
def test_wmt23(statistic: str, task: Task, wmt23: list[Entry]) -> None:
    found = [entry for entry in wmt23 if entry["statistic"] == statistic]
    assert found
    for entry in found:
        CHECKS[statistic](task, entry)


def _williams_data(data_dir: Path, pair: str, metrics: list[str]) -> tuple[Any, Any]:
    folder = data_dir / "williams/wmt12_williams/example-data-multi"
    human = read_scores(folder / "mt-systems-scored-by-humans", where={"lp": pair})
    gold = [human.of_system(system, 1)[0] for system in human.rows]
    scores = []
    for metric in metrics:
        found = read_scores(folder / "mt-systems-scored-by-metrics", where={"lp": pair, "metric": metric})
        scores.append([found.of_system(system, 1)[0] for system in human.rows])
    return np.array(gold), np.array(scores)


def test_williams_example(data_dir: Path, entries: list[Entry]) -> None:
    of_example = [entry for entry in entries if entry["dataset"] == "williams"]
    assert of_example
    for entry in of_example:
        gold, scores = _williams_data(data_dir, entry["pair"], entry["metrics"])
        options = entry["options"]
        assert options["n"] == len(gold)
        if entry["statistic"] == "abs Pearson":
            assert abs(correlations.system_correlation(gold, scores)[0]) == pytest.approx(entry["value"], **EXACT)
            continue
        assert entry["statistic"] == "Williams p one-sided"
        for variant, lost, other in (("absolute", 3, "p_with_df_n_minus_3"), ("graham", 2, "p_with_df_n_minus_2")):
            found = significance.williams(gold, scores, variant=variant)
            assert found.df == len(gold) - lost
            assert found.t[0, 1] == pytest.approx(options["t"], **EXACT)
            expected = entry["value"] if options["df"] == found.df else options[other]
            assert min(found.p[0, 1], found.p[1, 0]) == pytest.approx(expected, **RELATIVE)
