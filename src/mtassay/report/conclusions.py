"""Conclusions of tests beside those of people, as text, tables and JSON (the layout of Graham et al. 2014, Table 1)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.compare import caption
from mtassay.report.scores import headings
from mtassay.report.tables import Cell, Table, numbered
from mtassay.stats.procedures import all_pairs

if TYPE_CHECKING:
    from mtassay.stats.procedures import Procedure
    from mtassay.verbs.conclusions import ConclusionTable

#: Metrics differ at this level, whatever the levels of the table.
_LEVEL = 0.05
_MOST_NAMED = 8


def text(result: ConclusionTable, *, signatures: bool = False) -> str:
    """The table, with what it rests on above and what it shows below; `signatures` of the metrics last."""
    blocks = ["\n".join(about(result)), accuracy_table(result).text(), _tests_in_words(result)]
    if len(result.metrics) > 1:
        blocks.append("\n".join(between_metrics(result)))
    if signatures:
        labelled = zip(result.metrics, result.signatures, strict=True)
        blocks.append("\n".join(f"{metric.label}|{signature}" for metric, signature in labelled))
    return "\n\n".join(blocks)


def pages(result: ConclusionTable, format_: str) -> str:
    """The table in another format: ``tsv``, ``latex``, ``markdown`` or ``html``."""
    if format_ == "tsv":
        return _tsv(result)
    above = "\n".join(caption(line, format_) for line in [*about(result), _tests_in_words(result)])
    return f"{above}\n\n{getattr(accuracy_table(result), format_)()}"


def json_text(result: ConclusionTable) -> str:
    """Everything as JSON."""
    return json.dumps(result.to_dict(), indent=1, ensure_ascii=False)


def about(result: ConclusionTable) -> list[str]:
    """What people said, and about which systems."""
    people = result.people
    combined = ", adequacy decides before fluency" if people.fluency is not None else ""
    lines = [
        f"{counted(len(result.systems), 'system')}, {counted(len(result.pairs), 'pair')}, "
        f"{references(result.references)}; "
        f"people: {people.title}{combined}, {numbered(people.n_judgements, 'judgement')}",
        "pairs that people tell apart: "
        + ", ".join(
            f"{int((of_level != 0).sum())} at {_plain(level)}"
            for level, of_level in zip(result.levels, result.human, strict=True)
        ),
    ]
    if people.dropped:
        lines.append(f"left out: {counted(len(people.dropped), 'judge')} who always gave the same score, or only one")
    for names, why in (
        (result.unjudged, "left out, because nobody judged them"),
        (result.unscored, "judged but left out"),
    ):
        if names:
            lines.append(f"{why}: {', '.join(names)}")
    n_never = len(result.systems) * (len(result.systems) - 1) // 2 - len(result.pairs)
    if n_never:
        lines.append(f"left out: {counted(n_never, 'pair')} that nobody judged")
    return lines


def references(names: tuple[str, ...]) -> str:
    """How many references there are and what they are called.

    >>> references(("refA", "refB"))
    '2 references (refA, refB)'
    """
    return f"{counted(len(names), 'reference')} ({', '.join(names)})"


def accuracy_table(result: ConclusionTable) -> Table:
    """Rows are metrics at each level; for each test, conclusions that are right and their share with its interval."""
    names = headings(result.metrics, arrows=False)
    rows = []
    for place, (level, accuracy) in enumerate(zip(result.levels, result.accuracies, strict=True)):
        best = accuracy.n_right.max(axis=0)
        marked = (accuracy.n_right == best) & (best > accuracy.n_right.min(axis=0))
        for m, name in enumerate(names):
            row = [Cell(_plain(level) if m == 0 else ""), Cell(name)]
            for t in range(len(result.tests)):
                row.append(Cell(str(accuracy.n_right[m, t]), best=bool(marked[m, t])))
                row.append(Cell(share(result, place, m, t)))
            rows.append(tuple(row))
    header = ["level", "metric"]
    for test in result.tests:
        header += [test, "accuracy (%)"]
    return Table(tuple(header), tuple(rows), n_labels=2)


def share(result: ConclusionTable, level: int, metric: int, test: int) -> str:
    """An accuracy with its interval, in percent; arguments are positions.

    In the paper's form: ``80.3 [68.7, 89.1]``.
    """
    accuracy = result.accuracies[level]
    low, high = 100 * accuracy.intervals[metric, test]
    return f"{100 * accuracy.values[metric, test]:.1f} [{low:.1f}, {high:.1f}]"


def between_metrics(result: ConclusionTable) -> list[str]:
    """Which metrics differ in accuracy by McNemar's test, or how near the nearest come to it; χ² stands beside it."""
    names = headings(result.metrics, arrows=False)
    # Tests often give the same figures: they are named together.
    found: dict[tuple[float, str, str], list[str]] = {}
    for place, level in enumerate(result.levels):
        for t, test in enumerate(result.tests):
            statistic, p = result.between_metrics(place, t)
            only, exact = result.paired_metrics(place, t)
            for m, n in all_pairs(len(names)).tolist():
                better, worse = (m, n) if only[m, n] >= only[n, m] else (n, m)
                words = f"{names[better]} {{}} {names[worse]} with {{}} at {_plain(level)}"
                figures = (
                    f"only the first is right on {only[better, worse]}, only the second on {only[worse, better]}, "
                    f"McNemar p {_p(exact[m, n])}; χ² {statistic[m, n]:.2f}, p {_p(p[m, n])}"
                )
                found.setdefault((exact[m, n], words, figures), []).append(test)
    lines = [
        (p, words.format("is more accurate than" if p <= _LEVEL else "and", ", ".join(tests)) + f": {figures}")
        for (p, words, figures), tests in sorted(found.items(), key=lambda item: item[0][0])
    ]
    significant = [line for p, line in lines if p <= _LEVEL]
    if not significant:
        return [f"no two metrics are shown to differ in accuracy; nearest to it, {lines[0][1]}"]
    if len(significant) > _MOST_NAMED:
        significant[_MOST_NAMED:] = [f"and {len(significant) - _MOST_NAMED} more (-f json has all)"]
    return significant


def _tests_in_words(result: ConclusionTable) -> str:
    titles = "; ".join(
        f"{name}: {title(one.procedure)}" for name, one in zip(result.tests, result.compared, strict=True)
    )
    first = result.compared[0]
    unit = "segments" if first.unit == "segment" else "documents"
    return f"{titles}; {first.procedure.draws:,} draws of {unit}, seed {first.procedure.seed}; 95 % exact intervals"


def title(procedure: Procedure) -> str:
    """A test's name in words, with its sides where it could have one or two."""
    return f"two-sided {procedure.title}" if procedure.sides == 2 and len(procedure.rule.sides) > 1 else procedure.title


def _tsv(result: ConclusionTable) -> str:
    columns = ("n_right", "accuracy", "low", "high", "n_missed", "n_extra", "n_opposite")
    rows = []
    for of_level in result.to_dict()["levels"]:
        for found in of_level["results"]:
            low, high = found["interval"]
            values = {**found, "low": low, "high": high}
            row = (repr(of_level["level"]), found["name"], found["test"], *(repr(values[name]) for name in columns))
            rows.append(tuple(Cell(value) for value in row))
    return Table(("level", "metric", "test", *columns), tuple(rows)).tsv()


def _plain(level: float) -> str:
    """A level without its leading zero, as papers write it."""
    return f"{level:g}".removeprefix("0")


def _p(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 1 else "1"
