"""Graham, Mathur & Baldwin 2014, "Randomized significance tests in machine translation": Tables 1 and 2, Figures 5–8.

Their gold standard, crowd-sourced adequacy and fluency of all WMT12 systems from and into Spanish, is not among the
data. Here it is the official preferences of WMT12 for the same outputs, direct assessment and MQM of WMT21 for others,
and for Figure 7 the adequacy and fluency of WMT07.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from graham_counts import Part, by_chance, ends_of, level_of, listed, n_compared, names_of, p_of, smallest_p
from graham_figures import SHOWN, distributions, draw_human_tests, examples, of_people, wmt07
from graham_findings import OTHER_TESTS, TESTS, UNITS, between_tests, findings, other_tests, units, units_in_words

from mtassay.data import load, load_judgements
from mtassay.judging.pairwise_tests import HumanTests, human_tests
from mtassay.report.document import Cell, Table
from mtassay.report.documents.conclusions import accuracy_text, title_of_test
from mtassay.report.render.markdown import table_text
from mtassay.verbs.agreement_of_tests import AllTests
from mtassay.verbs.conclusions import USUAL, ConclusionTable, conclusions

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.data import TestSet

#: Conclusions equal to the human ones as printed: by α, for BLEU, NIST, METEOR and TER, those of the three tests.
TABLE_1 = {
    0.05: ((53, 53, 53), (54, 54, 54), (52, 52, 52), (52, 52, 52)),
    0.01: ((51, 51, 51), (51, 51, 51), (53, 53, 53), (51, 51, 51)),
    0.001: ((48, 48, 48), (48, 48, 48), (53, 53, 52), (50, 51, 52)),
}
TABLE_2 = {
    0.05: ((34, 34, 34), (32, 32, 32), (31, 31, 31), (32, 32, 32)),
    0.01: ((33, 33, 33), (32, 32, 32), (31, 32, 32), (30, 30, 30)),
    0.001: ((33, 33, 33), (33, 32, 32), (32, 32, 32), (30, 30, 31)),
}


def run(data: Path) -> str:
    """The page."""
    parts = _parts(data)
    blocks = [_INTRODUCTION, *findings(parts)]
    for part in parts:
        blocks += [f"## {part.heading}", part.about, _people(part), table_text(_beside(part)), *_sentences(part)]
    blocks += ["## What people's unit changes", UNITS, table_text(units(parts)), units_in_words(parts)]
    blocks += ["## Other tests", OTHER_TESTS, table_text(other_tests(parts)), between_tests(parts)]
    blocks += ["## Figures 5 and 6: what the tests compare", *examples(parts[0].table)]
    blocks += ["## Figure 7: people's conclusions", *of_people(data)]
    blocks += [
        "## Figure 8: the tests' conclusions",
        "Spanish–English, WMT12, every metric and test; systems stand in each panel's own order, best first.",
        "![p-values of all pairs under four metrics and three tests](graham-figure8.svg)",
    ]
    return "\n\n".join(blocks)


def draw(data: Path, folder: Path) -> None:
    """The pictures of the page."""
    first = _parts(data)[0].table
    for number, results, pair in distributions(first):
        AllTests(results).plot(folder / f"graham-figure{number}.svg", kind="distribution", pair=pair)
    draw_human_tests(wmt07(data)[SHOWN], folder / "graham-figure7.svg")
    draw_human_tests(first.people, folder / "graham-people-es-en.svg")
    AllTests(first.compared[: len(USUAL)]).plot(folder / "graham-figure8.svg")


_INTRODUCTION = """\
# Do significance tests on metrics conclude what people conclude?

After Graham, Mathur & Baldwin 2014, "Randomized significance tests in machine translation" (WMT14). For every pair \
of systems people find one better, the other, or neither; so does a randomised test on a metric. The paper counts how \
often they agree, for paired bootstrap, bootstrap and approximate randomisation with BLEU, NIST, METEOR and TER, on \
the WMT12 systems from and into Spanish.

`make study ARGS="graham --write"` computes this page and its pictures; every number below that is not the paper's \
comes from that run. For your own data: `mtassay conclusions` ([guide](../conclusions.md)).

**Why the figures cannot be the paper's.** Outputs and references of WMT12 are the same, and so is the number of \
pairs. The gold standard is not: the paper had 1,280 adequacy and 1,013 fluency assessments per system for \
Spanish–English (1,483 and 1,534 for English–Spanish), made for it by crowd workers, and they are not among the data. \
Here stand the official preferences of WMT12, by other people, who were asked another question, with one-sided tests \
by exact randomisation in both directions. The paper does not name versions or options of its metrics, nor its number \
of resamples; here they are the defaults of this toolkit (METEOR 1.5 in the target language) and 10,000 resamples.

Intervals are exact (Clopper–Pearson), 95 %. Accuracies are compared by χ², as the paper does, and by McNemar's exact \
test: both metrics are about the same pairs of systems, which χ² does not know and McNemar's test does. It looks only \
at pairs on which exactly one of the two is right; six, all in favour of the same metric, are the fewest that give \
p ≤ .05. Pairs of one set also share systems and segments, of which no test here takes account. With 15 to \
66 pairs only large differences can be shown: where none is significant, metrics may still differ."""


@cache
def _parts(data: Path) -> list[Part]:
    wmt12, wmt21 = data / "wmt12", data / "wmt21"
    asked = "People ranked outputs, five at a time, in the official evaluation of WMT12"
    ranked = wmt12 / "wmt12.RNK_results.csv"
    parts = []
    for lp, words, heading, published in (
        ("es-en", "Spanish–English", "Table 1: Spanish–English, WMT12", TABLE_1),
        ("en-es", "English–Spanish", "Table 2: English–Spanish, WMT12", TABLE_2),
        ("cs-en", "Czech–English", "Czech–English, WMT12", None),
    ):
        testset = load(wmt12 / lp)
        judgements = load_judgements(ranked, lp=lp, testset=testset)
        people, by_segment = human_tests(judgements), human_tests(judgements, unit="segment")
        about = f"{asked}; one reference."
        if published is None:
            about += " The paper does not have this direction."
        parts.append(Part(f"{words}, WMT12", heading, about, _table(testset, people, lp), published, by_segment))
    testset = load(wmt21 / "cs-en").select(references=["refA"])
    people = human_tests(load_judgements(wmt21 / "cs-en" / "DA.ad-seg-scores-cs-en.csv", testset=testset))
    about = "People scored outputs by themselves (direct assessment, standardised per assessor by WMT); reference A."
    parts.append(Part("Czech–English, WMT21", "Czech–English, WMT21", about, _table(testset, people, "cs-en")))
    parts.append(_english_german(wmt21 / "en-de"))
    return parts


def _english_german(folder: Path) -> Part:
    testset = load(folder)
    rename = {"Nemo": "NVIDIA-NeMo", **{f"metricsystem{number}": None for number in range(1, 6)}}
    people = human_tests(load_judgements(folder / "MQM.avg_seg_scores.tsv", testset=testset, rename=rename))
    # The judgements call refC ref-C.
    of_references = {name: people.scores[people.systems.index(f"ref-{name[-1]}")] for name in testset.reference_names}
    best = max(of_references, key=lambda name: of_references[name])
    shown = ", ".join(f"{name[-1]} {value:.2f}".replace("-", "−") for name, value in of_references.items())
    about = (
        "The data have no direct assessment of this direction: experts marked errors (MQM), and a segment's score is "
        f"the mean of their penalties; reference {best[-1]}, which has the best scores itself ({shown}). Systems that "
        "were not judged take no part."
    )
    table = _table(testset.select(references=[best]), people, "en-de")
    return Part("English–German, WMT21", "English–German, WMT21", about, table)


def _table(testset: TestSet, people: HumanTests, lp: str) -> ConclusionTable:
    target = lp.rpartition("-")[2]
    meteor = "meteor" if target == "en" else f"meteor:lang={target}"
    return conclusions(testset, judgements=people, metrics=["bleu", "nist", meteor, "ter"], test=TESTS)


def _people(part: Part) -> str:
    table, people = part.table, part.table.people
    found = ", ".join(
        f"{int((human != 0).sum())} at {level_of(level)}"
        for level, human in zip(table.alphas, table.human, strict=True)
    )
    return (
        f"{len(table.systems)} systems, {len(table.pairs)} pairs, {people.n_judgements:,} judgements, "
        f"{people.title}. Pairs with a significant difference by human judgements: {found}."
    )


def _beside(part: Part) -> Table:
    """The layout of Tables 1 and 2, with a column of the printed figures after each test's."""
    table = part.table
    header = ["α", "metric"]
    for name, result in list(zip(table.tests, table.compared, strict=True))[: len(USUAL)]:
        header += [
            f"{title_of_test(result.procedure)} ({name})",
            "accuracy (%)",
            *(["paper"] if part.published else []),
        ]
    rows = []
    for place, level in enumerate(table.alphas):
        right = table.n_right[place, :, : len(USUAL)]
        best = (right == right.max(axis=0)) & (right.max(axis=0) > right.min(axis=0))
        for m, name in enumerate(names_of(table)):
            row = [Cell(level_of(level) if m == 0 else ""), Cell(name)]
            for t in range(len(USUAL)):
                row += [Cell(str(right[m, t]), best=bool(best[m, t])), Cell(accuracy_text(table, place, m, t))]
                if part.published:
                    printed = part.published[level][m][t]
                    row.append(Cell(f"{printed} · {100 * printed / len(table.pairs):.1f}"))
            rows.append(tuple(row))
    return Table(tuple(header), tuple(rows), n_labels=2)


def _sentences(part: Part) -> list[str]:
    lines = [_tests_agree(part.table), _metrics_differ(part.table), _what_is_wrong(part.table)]
    if part.published:
        printed = np.array([part.published[level] for level in part.table.alphas])
        n_people = (part.table.human != 0).sum(axis=1)
        n_tests = (part.table.tested[:, :, USUAL.index("ar1")] != 0).sum(axis=-1).mean(axis=-1)
        gaps = printed - part.table.n_right[:, :, : len(USUAL)]
        lines.append(
            f"The paper's counts are higher in {int((gaps > 0).sum())} of {gaps.size} cells; printed minus computed is "
            f"{gaps.min():+d} to {gaps.max():+d}, {gaps[0].mean():+.1f} on average at .05 and "
            f"{gaps[-1].mean():+.1f} at .001. From .05 to .001, differences that people find go from "
            f"{n_people[0]} to {n_people[-1]}, those that ar1 finds, on average over metrics, from "
            f"{n_tests[0]:.1f} to {n_tests[-1]:.1f}."
        )
    return ["\n".join(f"- {line}" for line in lines)]


def _tests_agree(table: ConclusionTable) -> str:
    conclusions = table.tested[:, :, : len(USUAL)]
    apart = np.array(
        [
            (conclusions[:, :, one] != conclusions[:, :, other]).sum(axis=-1)
            for one, other in combinations(range(len(USUAL)), 2)
        ]
    ).max(axis=0)
    same = int((apart == 0).sum())
    if same == apart.size:
        return f"The three tests reach the same conclusion on every pair, in all {apart.size} rows."
    most = f"one pair of {len(table.pairs)}" if apart.max() == 1 else f"{apart.max()} pairs of {len(table.pairs)}"
    return (
        f"The three tests reach the same conclusion on every pair in {same} of {apart.size} rows; "
        f"elsewhere two of them differ on at most {most}."
    )


def _metrics_differ(table: ConclusionTable) -> str:
    right = table.n_right[0, :, USUAL.index("ar1")]
    names = names_of(table)
    best = [names[m] for m in np.flatnonzero(right == right.max())]
    share = 100 * right.max() / len(table.pairs)
    who = "All metrics are" if len(best) == len(names) else f"{listed(best)} {'is' if len(best) == 1 else 'are'}"
    text = f"{who} most accurate at .05 with ar1 ({share:.1f} %). "
    chi, mcnemar = smallest_p(table), smallest_p(table, paired=True)
    figures = f"smallest p by McNemar {p_of(mcnemar[0])}, {mcnemar[1]}; by χ² {p_of(chi[0])}, {chi[1]}"
    if min(chi[0], mcnemar[0]) > 0.05:
        return text + f"No two metrics are shown to differ, at any α with any test ({figures})."
    return text + f"Of {n_compared(table)} comparisons between metrics, not corrected for their number: {figures}."


def _what_is_wrong(table: ConclusionTable) -> str:
    t = USUAL.index("ar1")
    counts = {kind: int(of_kind[0, :, t].sum()) for kind, of_kind in table.n_wrong().items()}
    total = sum(counts.values())
    if total == 0:
        return "No conclusion at .05 with ar1 is wrong."
    return (
        f"Wrong conclusions of all metrics at .05 with ar1: {total}, of which differences that only people find "
        f"{counts['missed']}, only the test finds {counts['extra']}, opposite {counts['opposite']}. A test that found "
        f"as many differences, but between any two systems and in any direction, would be right on "
        f"{ends_of(100 * by_chance(table))} % of the pairs."
    )
