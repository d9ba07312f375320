"""Agreement between randomised tests: ``compare --test``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.document import Document, Records, Sentence, Signatures, Table, table
from mtassay.report.wording import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.report.document import Block
    from mtassay.verbs.agreement_of_tests import AllTests


def document(result: AllTests, *, signatures: bool = False) -> Document:
    """For every metric, in how many pairs each test finds a significant difference, and S(C, D)."""
    first = result.results[0]
    blocks: list[Block] = []
    for m, comparison in enumerate(first.comparisons):
        blocks.append(
            Sentence(
                f"{comparison.metric.label}, {counted(first.procedure.resamples, 'resample')}, "
                f"seed {first.procedure.seed}, α = {plain(first.alpha)}, {counted(len(first.pairs), 'pair')}: "
                "pairs with a significant difference by each test, and agreement S(C, D)"
            )
        )
        blocks.append(agreement_table(result.names, result.similarities(m).tolist(), counts=result.n_different(m)))
    if signatures:
        blocks.append(Signatures(tuple(f"{c.metric.label}|{c.signature}" for c in first.comparisons)))
    return Document("agreement of tests", tuple(blocks), lambda: _records(result), result.to_dict)


def agreement_table(
    names: Sequence[str], values: Sequence[Sequence[float]], *, counts: Sequence[int] | None = None
) -> Table:
    """A square table of agreement; `counts` adds a column with numbers of pairs."""
    rows = [
        [name, *([] if counts is None else [str(counts[place])]), *(f"{value:.2f}" for value in line)]
        for place, (name, line) in enumerate(zip(names, values, strict=True))
    ]
    return table(["", *([] if counts is None else ["pairs"]), *names], rows)


def _records(result: AllTests) -> Records:
    """A row per metric and pair of tests."""
    rows = []
    for of in result.to_dict()["metrics"]:
        for name, n_different, line in zip(result.names, of["n_different"], of["similarity"], strict=True):
            rows += [
                (of["name"], name, n_different, other, value) for other, value in zip(result.names, line, strict=True)
            ]
    return Records(("metric", "test", "n_different", "other_test", "similarity"), rows)
