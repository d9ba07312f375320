"""What comes out of the study ``graham``: the paper's findings, people's other unit, and other tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from graham_counts import (
    by_chance,
    ends_of,
    level_of,
    listed,
    n_compared,
    names_of,
    p_of,
    smallest_p,
    smallest_p_of_tests,
)

from mtassay.report.document import Cell, Table
from mtassay.report.render.markdown import table_text
from mtassay.stats.conclusion_accuracy import clopper_pearson
from mtassay.verbs.conclusions import USUAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graham_counts import Part

    from mtassay.types import Ints
    from mtassay.verbs.conclusions import ConclusionTable

TESTS = (*USUAL, "bs2", "ar2", "riezler-maxwell")


def findings(parts: list[Part]) -> Iterator[str]:
    yield "## What comes out"
    rows = []
    for part in parts:
        table = part.table
        right = table.n_right[0, :, : len(USUAL)]
        spread = int((right.max(axis=1) - right.min(axis=1)).max())
        values = [
            f"{int((table.human[0] != 0).sum())} of {len(table.pairs)}",
            *(f"{100 * value / len(table.pairs):.1f}" for value in right[:, USUAL.index("ar1")]),
            ends_of(100 * by_chance(table)),
            str(spread),
            p_of(smallest_p(table)[0]),
            p_of(smallest_p(table, paired=True)[0]),
        ]
        rows.append(tuple(Cell(value) for value in (part.name, *values)))
    header = (
        "",
        "different by human judgements",
        *(f"{name} (%)" for name in names_of(parts[0].table)),
        "by chance (%)",
        "largest spread of tests",
        "smallest p between metrics, χ²",
        "McNemar",
    )
    yield (
        "Accuracies at .05 with one-sided approximate randomisation, and what conclusions as frequent as the test's "
        "would have by chance; how many right conclusions the three tests are apart at most under one metric, at .05; "
        "and the smallest p-values between two metrics at any α:"
    )
    yield table_text(Table(header, tuple(rows)))
    yield from _against_the_paper(parts)


def _against_the_paper(parts: list[Part]) -> Iterator[str]:
    yield "The paper's findings:\n\n" + "\n".join(
        f"- {line}" for line in (_about_tests(parts), _about_metrics(parts), _about_chance(parts[1].table))
    )


def _about_tests(parts: list[Part]) -> str:
    chi, paired = (
        min(smallest_p_of_tests(part.table, USUAL, paired=paired) for part in parts) for paired in (False, True)
    )
    conclusions = [part.table.tested[:, :, : len(USUAL)] for part in parts]
    same = sum(int((of == of[:, :, :1]).all(axis=2).sum()) for of in conclusions)
    total = sum(of[:, :, 0].size for of in conclusions)
    return (
        f"*Very little difference between the tests*: {'so it is' if min(chi, paired) > 0.05 else 'not so'} here. On "
        f"{same:,} of {total:,} pairs (all sets, values of α and metrics) the three reach the same conclusion; the "
        f"smallest p-value between two of them under one metric, at any α, is {p_of(chi)} by χ² and {p_of(paired)} by "
        "McNemar's test."
    )


def _about_metrics(parts: list[Part]) -> str:
    words = []
    for name, paired in (("χ²", False), ("McNemar's test", True)):
        differ = [part.name for part in parts if smallest_p(part.table, 1, paired=paired)[0] <= 0.05]
        found = [(*smallest_p(part.table, paired=paired), part.table, part.name) for part in parts]
        p, where, table, of = min(found, key=lambda one: one[0])
        n = n_compared(table)
        words.append(
            f"By {name} {f'some differ at .05 on {listed(differ)}' if differ else 'none is found at .05 on any set'}; "
            f"the smallest p-value at any α is {p_of(p)} on {of} ({where}), {p_of(min(1.0, p * n))} if corrected "
            f"for the {n} comparisons made there (Bonferroni)."
        )
    return (
        f"*No significant differences between metrics* at .05. {' '.join(words)} Where none is found, that is no "
        "proof that metrics are equal: these sets are too small for any but large differences."
    )


def _about_chance(table: ConclusionTable) -> str:
    n = len(table.pairs)
    lower = table.accuracies[0].intervals[:, : len(USUAL), 0]
    passing = [k for k in range(n + 1) if clopper_pearson(k, n)[0] >= 0.5]
    needed = (
        f"it takes {passing[0]} right ones ({100 * passing[0] / n:.0f} %)"
        if passing
        else "no number of right ones passes it"
    )
    shares = 100 * table.accuracies[0].values[:, USUAL.index("ar1")]
    return (
        "*English–Spanish is no better than tossing a coin*, because the lower ends of its intervals are below 50 %: "
        f"{int((lower < 0.5).sum())} of {lower.size} are here, too. But a conclusion has three outcomes, so 50 % is "
        f"not what chance gives, and which accuracy passes it depends on the number of pairs: of {n} {needed}. By "
        f"chance conclusions as frequent as those of ar1 would be right on {ends_of(100 * by_chance(table))} % of "
        f"these pairs; they are on {ends_of(shares)} %."
    )


UNITS = """\
People's tests above take every judgement as independent of the others. Several judgements of two outputs of the same \
segment are not, and with them differences come out more certain than they are. Here all judgements of a pair of \
systems on a segment are exchanged at once (`--human-unit segment`). Pairs with a significant difference by human \
judgements, and right conclusions with ar1, by judgement and by segment:"""


OTHER_TESTS = """\
The three tests of the paper are one-sided, made in both directions: of two equal systems they call one better about \
twice as often as α says. Right conclusions at α = .05 beside those of the two-sided tests (bs2, ar2), and \
of the bootstrap as Riezler & Maxwell printed it, which the paper criticises:"""


def _by_segment(part: Part) -> Ints | None:
    """Conclusions of people by segment, shape (levels, pairs)."""
    if part.by_segment is None:
        return None
    people, pairs = part.by_segment.select(part.table.systems), tuple(part.table.pairs.T)
    return np.array([people.conclusions(level)[pairs] for level in part.table.alphas])


def units(parts: list[Part]) -> Table:
    rows = []
    for part in parts:
        human = _by_segment(part)
        if human is None:
            continue
        table, t = part.table, USUAL.index("ar1")
        for place, level in enumerate(table.alphas):
            right = (table.tested[place, :, t] == human[place]).sum(axis=-1)
            apart = (int((table.human[place] != 0).sum()), int((human[place] != 0).sum()))
            cells = [apart, *zip(table.n_right[place, :, t].tolist(), right.tolist(), strict=True)]
            labels = (part.name if place == 0 else "", level_of(level))
            texts = (*labels, *(f"{one} · {other}" for one, other in cells), str(len(table.pairs)))
            rows.append(tuple(Cell(text) for text in texts))
    names = names_of(parts[0].table)
    return Table(("", "α", "different", *names, "pairs"), tuple(rows), n_labels=2)


def units_in_words(parts: list[Part]) -> str:
    gains, lost = [], 0
    for part in parts:
        human = _by_segment(part)
        if human is not None:
            tested = part.table.tested[:, :, USUAL.index("ar1")]
            right = (tested == human[:, None]).sum(axis=-1)
            gains.append(right - part.table.n_right[:, :, USUAL.index("ar1")])
            lost += int((part.table.human != 0).sum() - (human != 0).sum())
    every = np.concatenate(gains, axis=None)
    return (
        f"By segment people find {lost} differences fewer over all sets and values of α, and right conclusions change "
        f"by {every.min():+d} to {every.max():+d}, {every.mean():+.1f} on average: accuracies hang on how people's "
        "judgements are tested, too."
    )


def other_tests(parts: list[Part]) -> Table:
    rows = []
    for part in parts:
        for m, name in enumerate(names_of(part.table)):
            right = part.table.n_right[0, m]
            best = right == right.max()
            cells = [Cell(str(n), best=bool(b and not best.all())) for n, b in zip(right, best, strict=True)]
            rows.append((Cell(part.name if m == 0 else ""), Cell(name), *cells, Cell(str(len(part.table.pairs)))))
    return Table(("", "metric", *TESTS, "pairs"), tuple(rows), n_labels=2)


def between_tests(parts: list[Part]) -> str:
    total = np.sum([part.table.n_right[0].sum(axis=0) for part in parts], axis=0)
    cells = sum(len(part.table.pairs) * len(part.table.metrics) for part in parts)
    summed = ", ".join(f"{test} {n}" for test, n in zip(TESTS, total.tolist(), strict=True))
    smallest = min(smallest_p_of_tests(part.table, TESTS) for part in parts)
    verdict = "no two tests differ significantly" if smallest > 0.05 else "some tests differ"
    return (
        f"Right conclusions over all sets and metrics, of {cells}: {summed}. By χ² under one metric of one set, at any "
        f"α, {verdict} (smallest p {p_of(smallest)})."
    )
