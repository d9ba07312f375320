"""Conclusions of tests on metrics and on human judgements, laid out as Table 1 of Graham et al. 2014."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.document import Cell, Document, Notes, Records, Sentence, Signatures, Table, table
from mtassay.report.wording import headings, p_value, plain, references_of
from mtassay.stats.procedures import all_pairs

if TYPE_CHECKING:
    from mtassay.report.document import Block
    from mtassay.stats.procedures import Procedure
    from mtassay.verbs.conclusions import ConclusionTable

#: Significance level for differences between metrics, independent of the levels of the table.
_ALPHA = 0.05
_MOST_NAMED = 8


def document(result: ConclusionTable, *, signatures: bool = False) -> Document:
    """The data, the table, and the differences between metrics.

    Args:
        result: the conclusions.
        signatures: show the signatures.
    """
    blocks: list[Block] = [
        Sentence("\n".join(_about(result))),
        _accuracy_table(result),
        Sentence(_tests_in_words(result)),
    ]
    if len(result.metrics) > 1:
        blocks.append(Notes(tuple(_between_metrics(result))))
    if signatures:
        labelled = zip(result.metrics, result.signatures, strict=True)
        blocks.append(Signatures(tuple(f"{metric.label}|{signature}" for metric, signature in labelled)))
    return Document(
        "conclusions of tests and of human judgements", tuple(blocks), lambda: _records(result), result.to_dict
    )


def _about(result: ConclusionTable) -> list[str]:
    """The judged systems, and the conclusions of the judgements."""
    people = result.people
    combined = ", adequacy decides before fluency" if people.fluency is not None else ""
    lines = [
        f"{counted(len(result.systems), 'system')}, {counted(len(result.pairs), 'pair')}, "
        f"{references_of(result.references)}; "
        f"{counted(people.n_judgements, 'human judgement')}, {people.title}{combined}",
        "pairs that differ significantly by human judgements: "
        + ", ".join(
            f"{int((of_level != 0).sum())} at α = {plain(alpha)}"
            for alpha, of_level in zip(result.alphas, result.human, strict=True)
        ),
    ]
    if people.dropped:
        lines.append(f"left out: {counted(len(people.dropped), 'judge')} who always gave the same score, or only one")
    if result.unjudged:
        lines.append(f"left out, because they have no judgements: {', '.join(result.unjudged)}")
    if result.unscored:
        lines.append(f"judged but left out: {', '.join(result.unscored)}")
    n_never = len(result.systems) * (len(result.systems) - 1) // 2 - len(result.pairs)
    if n_never:
        lines.append(f"left out: {counted(n_never, 'pair')} without judgements")
    return lines


def _accuracy_table(result: ConclusionTable) -> Table:
    """A row per level and metric; for each test, the number of correct conclusions, and accuracy with its interval."""
    names = headings(result.metrics, arrows=False)
    rows: list[list[str | Cell]] = []
    for place, (alpha, accuracy) in enumerate(zip(result.alphas, result.accuracies, strict=True)):
        best = accuracy.n_right.max(axis=0)
        marked = (accuracy.n_right == best) & (best > accuracy.n_right.min(axis=0))
        for m, name in enumerate(names):
            row: list[str | Cell] = [plain(alpha) if m == 0 else "", name]
            for t in range(len(result.tests)):
                row.append(Cell(str(accuracy.n_right[m, t]), best=bool(marked[m, t])))
                row.append(accuracy_text(result, place, m, t))
            rows.append(row)
    header = ["α", "metric"]
    for test in result.tests:
        header += [test, "accuracy (%)"]
    return table(header, rows, n_labels=2)


def accuracy_text(result: ConclusionTable, alpha: int, metric: int, test: int) -> str:
    """An accuracy with its interval, in percent; arguments are positions.

    In the paper's form: ``80.3 [68.7, 89.1]``.
    """
    accuracy = result.accuracies[alpha]
    low, high = 100 * accuracy.intervals[metric, test]
    return f"{100 * accuracy.values[metric, test]:.1f} [{low:.1f}, {high:.1f}]"


def _between_metrics(result: ConclusionTable) -> list[str]:
    """Which metrics differ significantly in accuracy by McNemar's test, or the smallest p-value; also the χ² test."""
    names = headings(result.metrics, arrows=False)
    # Tests with the same figures share a line.
    found: dict[tuple[float, str, str], list[str]] = {}
    for place, alpha in enumerate(result.alphas):
        for t, test in enumerate(result.tests):
            statistic, p = result.between_metrics(place, t)
            only, exact = result.paired_metrics(place, t)
            for m, n in all_pairs(len(names)).tolist():
                better, worse = (m, n) if only[m, n] >= only[n, m] else (n, m)
                words = f"{names[better]} {{}} {names[worse]} with {{}} at α = {plain(alpha)}"
                figures = (
                    f"only the first is right on {only[better, worse]}, only the second on {only[worse, better]}, "
                    f"McNemar p {p_value(exact[m, n])}; χ² {statistic[m, n]:.2f}, p {p_value(p[m, n])}"
                )
                found.setdefault((exact[m, n], words, figures), []).append(test)
    lines = [
        (p, words.format("is more accurate than" if p <= _ALPHA else "and", ", ".join(tests)) + f": {figures}")
        for (p, words, figures), tests in sorted(found.items(), key=lambda item: item[0][0])
    ]
    significant = [line for p, line in lines if p <= _ALPHA]
    if not significant:
        return [f"no two metrics differ significantly in accuracy; smallest p-value: {lines[0][1]}"]
    if len(significant) > _MOST_NAMED:
        significant[_MOST_NAMED:] = [f"and {len(significant) - _MOST_NAMED} more (-f json has all)"]
    return significant


def _tests_in_words(result: ConclusionTable) -> str:
    titles = "; ".join(
        f"{name}: {title_of_test(one.procedure)}" for name, one in zip(result.tests, result.compared, strict=True)
    )
    first = result.compared[0]
    unit = "segments" if first.unit == "segment" else "documents"
    procedure = first.procedure
    return (
        f"{titles}; {counted(procedure.resamples, 'resample')} of {unit}, seed {procedure.seed}; 95 % exact intervals"
    )


def title_of_test(procedure: Procedure) -> str:
    """A test's name in words, with its sides if it can be one- or two-sided."""
    return f"two-sided {procedure.title}" if procedure.sides == 2 and len(procedure.rule.sides) > 1 else procedure.title


def _records(result: ConclusionTable) -> Records:
    """A row per level, metric and test."""
    counts = ("n_missed", "n_extra", "n_opposite")
    rows = [
        (
            of_level["alpha"],
            found["name"],
            found["test"],
            found["n_right"],
            found["accuracy"],
            *found["interval"],
            *(found[name] for name in counts),
        )
        for of_level in result.to_dict()["alphas"]
        for found in of_level["results"]
    ]
    return Records(("alpha", "metric", "test", "n_right", "accuracy", "low", "high", *counts), rows)
