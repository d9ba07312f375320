"""Cluster rankings as text, tables and JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mtassay.report.compare import agreement_table, caption, headline
from mtassay.report.scores import headings, number
from mtassay.report.tables import Cell, Table

if TYPE_CHECKING:
    from mtassay.stats.clusters import Clustering
    from mtassay.verbs.rank import RankResult


def text(result: RankResult, *, sweep: bool = False, signatures: bool = False) -> str:
    """Clusters of every metric, and how far metrics agree."""
    blocks = []
    for m, clustering in enumerate(result.clusterings):
        blocks.append(f"{_headline(result, m)}\n\n{cluster_table(result, m).text()}")
        if notes := [*_overlaps(result, clustering), *breach_notes(clustering)]:
            blocks.append("\n".join(notes))
    if len(result.metrics) > 1:
        names = headings(result.metrics, arrows=False)
        table = agreement_table(names, result.similarities().tolist())
        blocks.append(f"agreement of clusters, S(C, D)\n\n{table.text()}")
    if sweep:
        blocks.append(sweep_table(result).text())
    if signatures:
        blocks.append("\n".join(f"{c.metric.label}|{c.signature}" for c in result.compared.comparisons))
    return "\n\n".join(blocks)


def pages(result: RankResult, format_: str, *, sweep: bool = False) -> str:
    """The tables in another format: ``tsv``, ``latex``, ``markdown`` or ``html``."""
    if format_ == "tsv":
        return _tsv(result)
    blocks = []
    for m in range(len(result.metrics)):
        blocks += [caption(_headline(result, m), format_), getattr(cluster_table(result, m), format_)()]
    if sweep:
        blocks.append(getattr(sweep_table(result), format_)())
    return "\n\n".join(blocks)


def _tsv(result: RankResult) -> str:
    """One table: a row per system in a cluster."""
    rows = [
        (metric.label, str(position), result.systems[s], repr(float(comparison.scores[s])))
        for metric, comparison, clustering in zip(
            result.metrics, result.compared.comparisons, result.clusterings, strict=True
        )
        for position, members in enumerate(clustering.clusters, 1)
        for s in members
    ]
    header = ("metric", "cluster", "system", "score")
    return Table(header, tuple(tuple(Cell(value) for value in row) for row in rows)).tsv()


def json_text(result: RankResult, *, sweep: bool = False) -> str:
    """Everything as JSON."""
    described = result.to_dict()
    if sweep:
        described["sweep"] = [
            {"level": at.level, "n_clusters": list(at.n_clusters), "similarity": at.similarities.tolist()}
            for at in result.sweep()
        ]
    return json.dumps(described, indent=1, ensure_ascii=False)


def cluster_table(result: RankResult, m: int) -> Table:
    """A row per cluster: its number, the range of its members' scores, and the members."""
    metric, scores = result.metrics[m], result.compared.comparisons[m].scores
    rows = []
    for position, members in enumerate(result.clusterings[m].clusters, 1):
        ends = [number(float(scores[s]), metric, width=None, exact=False) for s in (members[0], members[-1])]
        shown = ends[0] if ends[0] == ends[1] else f"{ends[0]} – {ends[1]}"
        rows.append((Cell(str(position)), Cell(shown), Cell("  ".join(result.systems[s] for s in members))))
    header = ("cluster", headings((metric,), arrows=True)[0], "systems")
    return Table(header, tuple(rows), n_labels=1, n_notes=1)


def sweep_table(result: RankResult) -> Table:
    """Number of clusters under each metric, and mean agreement between metrics, by level."""
    names = headings(result.metrics, arrows=False)
    several = len(names) > 1
    rows = []
    for at in result.sweep():
        cells = [f"{at.level:g}", *map(str, at.n_clusters)]
        if several:
            n = len(names)
            mean = (at.similarities.sum() - n) / (n * (n - 1))
            cells.append(f"{mean:.3f}")
        rows.append(tuple(Cell(cell) for cell in cells))
    header = ("level", *(f"clusters, {name}" for name in names), *(["mean S(C, D)"] if several else []))
    return Table(header, tuple(rows))


def _headline(result: RankResult, m: int) -> str:
    compared = result.compared
    if result.criterion == "test":
        return headline(compared, compared.comparisons[m])
    label = result.metrics[m].label
    return (
        f"{label}, {compared.interval} intervals of {100 * (1 - compared.level):g} % that do not overlap, "
        f"{compared.procedure.draws:,} draws, seed {compared.procedure.seed}"
    )


def _overlaps(result: RankResult, clustering: Clustering) -> list[str]:
    lines = []
    for s in sorted(range(len(result.systems)), key=lambda s: clustering.clusters_of(s)):
        numbers = [str(number + 1) for number in clustering.clusters_of(s)]
        if len(numbers) > 1:
            lines.append(f"{result.systems[s]} is in clusters {', '.join(numbers[:-1])} and {numbers[-1]}")
    return lines


def breach_notes(clustering: Clustering) -> list[str]:
    """Where the tests do not bear out the order of clusters, a line each."""
    return [
        f"clusters {breach.first + 1} and {breach.second + 1}: "
        + (
            "each has a member that is significantly better than one of the other"
            if breach.both_ways
            else "no member of either is significantly better than one of the other"
        )
        for breach in clustering.breaches
    ]
