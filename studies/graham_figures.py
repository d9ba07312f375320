"""Figures 5 to 7 of the study ``graham``: pseudo-statistics of two pairs of systems, and people's own conclusions."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data import atomic_write, load_judgements
from mtassay.judging.assessments import conclusions
from mtassay.judging.pairwise_tests import human_tests
from mtassay.report.document import Cell, Table
from mtassay.report.render.markdown import table_text
from mtassay.verbs.agreement_of_tests import compare_tests
from mtassay.verbs.conclusions import USUAL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mtassay.judging.pairwise_tests import HumanTests
    from mtassay.verbs.compare import CompareResult
    from mtassay.verbs.conclusions import ConclusionTable

#: Figures 5 and 6: number of the figure, metric, extreme resamples of the three tests as printed.
EXAMPLES = ((5, "bleu", (13, 14, 11)), (6, "meteor", (269, 275, 260)))
#: The paper does not say how many resamples its figures have; its counts are read as out of this many.
N_RESAMPLES = 1000
WMT07 = ("cs-en", "de-en", "es-en", "fr-en", "en-cs", "en-de", "en-es", "en-fr")
DOMAINS = ("Europarl", "News Commentary")
#: The picture of WMT07 is of the paper's direction, in the domain with most systems.
SHOWN = ("es-en", "Europarl")


@cache
def distributions(table: ConclusionTable) -> list[tuple[int, tuple[CompareResult, ...], tuple[str, str]]]:
    """Figure, comparisons by the three tests, and the pair whose p-value is nearest to the printed one."""
    found = []
    for figure, name, printed in EXAMPLES:
        m = [metric.name for metric in table.metrics].index(name)
        comparison = table.compared[0].comparisons[m]
        far = np.abs(np.nan_to_num(comparison.p, nan=9.0) - printed[0] / N_RESAMPLES)
        x, y = np.unravel_index(int(far.argmin()), far.shape)
        pair = table.systems[x], table.systems[y]
        chosen = table.compared[0].scored.testset.select(systems=pair)
        tested = compare_tests(chosen, metrics=[comparison.metric], test=USUAL, resamples=N_RESAMPLES)
        found.append((figure, tested.results, pair))
    return found


def examples(table: ConclusionTable) -> Iterator[str]:
    """Figures 5 and 6: a table of counts, and the pictures."""
    yield (
        "The paper names its systems by letters, so its pairs cannot be found again; here they are the pairs of "
        "Spanish–English, WMT12, whose p-value by paired bootstrap is nearest to the printed one, taking its counts as "
        f"out of {N_RESAMPLES:,} resamples. c is the number of resamples that count against a difference."
    )
    rows = []
    for (_, _, printed), (figure, results, pair) in zip(EXAMPLES, distributions(table), strict=True):
        counts = [int(result.pseudo_statistics(*pair)[0].extreme.sum()) for result in results]
        label = results[0].comparisons[0].metric.label
        cells = [f"{count} ({old})" for count, old in zip(counts, printed, strict=True)]
        rows.append(tuple(Cell(text) for text in (f"Figure {figure}", label, " – ".join(pair), *cells)))
    header = ("", "metric", "pair", *(f"c by {test} (paper)" for test in USUAL))
    yield table_text(Table(header, tuple(rows), n_labels=3))
    for figure, _, _ in EXAMPLES:
        yield f"![pseudo-statistics of a pair under three tests](graham-figure{figure}.svg)"


@cache
def wmt07(data: Path) -> dict[tuple[str, str], HumanTests]:
    """Tests of adequacy and fluency by direction and domain."""
    path = data / "wmt07-11" / "wmt07.judgements.csv"
    found = {}
    for lp in WMT07:
        for domain in DOMAINS if "cs" not in lp else DOMAINS[1:]:
            aspects = [load_judgements(path, lp=lp, task=task, domain=domain) for task in ("adequacy", "fluency")]
            found[lp, domain] = human_tests(*aspects)
    return found


def draw_human_tests(tests: HumanTests, path: Path) -> None:
    """Draw p-values of human judgements, at the significance level .05, into an SVG file."""
    from mtassay.report.plots import conclusion_humans, style

    with style.applied():
        content = style.rendered(conclusion_humans.draw_tests(tests, 0.05), "svg")
    with atomic_write(path, binary=True) as file:
        file.write(content)


def of_people(data: Path) -> Iterator[str]:
    """Figure 7: in how many pairs each kind of judgement finds a significant difference, and the pictures."""
    yield (
        "Adequacy and fluency from 1 to 5 of WMT07, standardised per assessor within a direction and domain; rank-sum "
        "tests over segments; the combined conclusion is that of adequacy where it finds a difference, else that of "
        "fluency. The data have no outputs of that year, so no metric can be set beside these judgements. Pairs with "
        "a significant difference at .05:"
    )
    rows, sums, per_system = [], np.zeros(4, dtype=np.int64), []
    for (lp, domain), tests in wmt07(data).items():
        each = np.triu_indices(len(tests.systems), k=1)
        found = [conclusions(tests.p), conclusions(tests.fluency), tests.conclusions(0.05)]
        counts = [len(each[0]), *(int((one[each] != 0).sum()) for one in found)]
        sums += counts
        per_system.append(tests.n_judgements / 2 / len(tests.systems))
        texts = [lp, domain, str(len(tests.systems)), f"{tests.n_judgements:,}", *map(str, counts)]
        rows.append(tuple(Cell(text) for text in texts))
    header = ("direction", "domain", "systems", "judgements", "pairs", "adequacy", "fluency", "combined")
    yield table_text(Table(header, tuple(rows), n_labels=2))
    yield (
        f"Of {sums[0]} pairs, {sums[1]} differ significantly by adequacy, {sums[2]} by fluency, {sums[3]} by both "
        f"together. Judgements are few: {min(per_system):.0f} to {max(per_system):.0f} of each kind per system, "
        "where the paper had over a thousand. Spanish–English, Europarl:"
    )
    yield "![p-values of adequacy, fluency and both](graham-figure7.svg)"
    yield "And the preferences of WMT12 for Spanish–English, the paper's systems, which Table 1 above rests on:"
    yield "![p-values of preferences](graham-people-es-en.svg)"
