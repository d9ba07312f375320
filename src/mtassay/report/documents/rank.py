"""Cluster rankings of systems."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from mtassay.errors import counted
from mtassay.report.charts.clusters import clusters
from mtassay.report.document import (
    Cell,
    Document,
    Graphic,
    Notes,
    Records,
    Sentence,
    Signatures,
    Tab,
    Table,
    names_cell,
    table,
)
from mtassay.report.documents.compare import headline, reach_notes
from mtassay.report.documents.compare_tests import agreement_table
from mtassay.report.wording import INTERVAL_NAMES, UNIT_NAMES, headings, number, percent, plain

if TYPE_CHECKING:
    from mtassay.report.document import Block
    from mtassay.stats.clusters import Clustering
    from mtassay.verbs.rank import RankResult


def document(result: RankResult, *, sweep: bool = False, signatures: bool = False) -> Document:
    """Clusters under each metric, and agreement between metrics.

    Args:
        result: the ranking.
        sweep: add clusters and agreement at other significance levels.
        signatures: show the signatures.
    """
    blocks = cluster_blocks(result)
    if result.criterion == "test":
        blocks += reach_notes(result.compared)
    if sweep:
        blocks.append(_sweep_table(result))
    if signatures:
        blocks.append(Signatures(tuple(f"{c.metric.label}|{c.signature}" for c in result.compared.comparisons)))
    return Document("clusters of systems", tuple(blocks), lambda: _records(result), lambda: _data(result, sweep=sweep))


def cluster_blocks(result: RankResult) -> list[Block]:
    """Clusters under each metric, and agreement between metrics."""
    blocks: list[Block] = [
        Tab(
            metric.label,
            (
                Sentence(_headline(result, m)),
                Graphic(partial(clusters, result, m)),
                _cluster_table(result, m),
                Notes((*_overlaps(result, result.clusterings[m]), *breach_notes(result.clusterings[m]))),
            ),
        )
        for m, metric in enumerate(result.metrics)
    ]
    if len(result.metrics) > 1:
        names = headings(result.metrics, arrows=False)
        blocks += [Sentence("agreement of clusters, S(C, D)"), agreement_table(names, result.similarities().tolist())]
    return blocks


def _headline(result: RankResult, m: int) -> str:
    compared = result.compared
    if result.criterion == "test":
        return headline(compared, compared.comparisons[m])
    by_unit = "" if compared.unit == "segment" else f", by {UNIT_NAMES[compared.unit]}"
    return (
        f"{result.metrics[m].label}, clusters of overlapping {INTERVAL_NAMES[compared.interval]} intervals of "
        f"{percent(1 - compared.alpha)}, {counted(compared.procedure.resamples, 'resample')}, "
        f"seed {compared.procedure.seed}{by_unit}"
    )


def _cluster_table(result: RankResult, m: int) -> Table:
    """A row per cluster: its number, the range of its members' scores, and the members."""
    metric, scores = result.metrics[m], result.compared.comparisons[m].scores
    rows: list[list[str | Cell]] = []
    for position, members in enumerate(result.clusterings[m].clusters, 1):
        ends = dict.fromkeys(number(float(scores[s]), metric) for s in (members[0], members[-1]))
        rows.append([str(position), " – ".join(ends), names_cell(result.systems[s] for s in members)])
    return table(["cluster", *headings([metric]), "systems"], rows, n_notes=1)


def _sweep_table(result: RankResult) -> Table:
    """Number of clusters under each metric, and mean agreement between metrics, by significance level."""
    names = headings(result.metrics, arrows=False)
    n = len(names)
    rows = [
        [
            plain(at.alpha),
            *map(str, at.n_clusters),
            *([f"{(at.similarities.sum() - n) / (n * (n - 1)):.3f}"] if n > 1 else []),
        ]
        for at in result.sweep()
    ]
    return table(["α", *(f"clusters, {name}" for name in names), *(["mean S(C, D)"] if n > 1 else [])], rows)


def _overlaps(result: RankResult, clustering: Clustering) -> list[str]:
    lines = []
    for s in sorted(range(len(result.systems)), key=lambda s: clustering.clusters_of(s)):
        numbers = [str(place + 1) for place in clustering.clusters_of(s)]
        if len(numbers) > 1:
            lines.append(f"{result.systems[s]} is in clusters {', '.join(numbers[:-1])} and {numbers[-1]}")
    return lines


def breach_notes(clustering: Clustering) -> list[str]:
    """A line for each pair of clusters whose order the tests do not support."""
    return [
        f"clusters {breach.first + 1} and {breach.second + 1}: "
        + (
            "each has a member that is significantly better than one of the other"
            if breach.both_ways
            else "no member of either is significantly better than one of the other"
        )
        for breach in clustering.breaches
    ]


def _records(result: RankResult) -> Records:
    """A row per metric, cluster and member."""
    rows = [
        (metric.label, position, result.systems[s], float(comparison.scores[s]))
        for metric, comparison, clustering in zip(
            result.metrics, result.compared.comparisons, result.clusterings, strict=True
        )
        for position, members in enumerate(clustering.clusters, 1)
        for s in members
    ]
    return Records(("metric", "cluster", "system", "score"), rows)


def _data(result: RankResult, *, sweep: bool) -> dict[str, Any]:
    data = result.to_dict()
    if sweep:
        data["sweep"] = [
            {"alpha": at.alpha, "n_clusters": list(at.n_clusters), "similarity": at.similarities.tolist()}
            for at in result.sweep()
        ]
    return data
