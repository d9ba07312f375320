"""Human rankings as text, tables and JSON."""

from __future__ import annotations

import json
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from mtassay.equality import equalised, magnitude
from mtassay.errors import counted
from mtassay.report.compare import caption, letters_of_rows, p_value, plain, shortened
from mtassay.report.rank import breach_notes
from mtassay.report.tables import Cell, Table, names_cell, numbered, scores_of

if TYPE_CHECKING:
    from mtassay.ranking.clusters import Clustering
    from mtassay.ranking.human_rankings import Column, HumanRanking
    from mtassay.ranking.humans import Combined, HumansResult

#: Decimals of scores, and of those that run to 100.
_DIGITS, _DIGITS_OF_LARGE, _LARGE = 3, 2, 10
#: That many assessors are named in a note.
_MOST_NAMED = 8
#: That many pairs of clusters out of order get a note each.
_MOST_BREACHES = 4
_TESTS = {1: "rank-sum test, one-sided", 2: "randomisation test, two-sided"}


def text(result: HumansResult, *, pairs: bool = False) -> str:
    """A table and the clusters of every aspect, and of both together; on request a row per pair."""
    blocks = []
    for aspect in result.aspects:
        blocks.append(f"{headline(result, aspect)}\n\n{system_table(result, aspect).text()}")
        if notes := _notes(result, aspect):
            blocks.append("\n".join(notes))
        if not aspect.whole:
            blocks.append(_clusters(result, aspect.clustering, what=aspect.name if result.combined else ""))
    if result.combined is not None:
        blocks.append(
            f"{_combined_headline(result, result.combined)}\n\n{combined_table(result, result.combined).text()}"
        )
        blocks.append(_clusters(result, result.combined.clustering, what="both aspects"))
    if pairs:
        blocks.append(pair_table(result).text())
    return "\n\n".join(blocks)


def pages(result: HumansResult, format_: str, *, pairs: bool = False) -> str:
    """The tables in another format: ``tsv``, ``latex``, ``markdown`` or ``html``.

    TSV is one table, of systems or of pairs; the others have captions.
    """
    if format_ == "tsv":
        return pair_table(result, exact=True).tsv() if pairs else _tsv(result)
    blocks = []
    for aspect in result.aspects:
        blocks += [caption(line, format_) for line in headline(result, aspect).split("\n")]
        blocks.append(getattr(system_table(result, aspect), format_)())
        blocks += [caption(line, format_) for line in _notes(result, aspect)]
        if not aspect.whole:
            blocks.append(_cluster_page(result, aspect.clustering, format_))
    if result.combined is not None:
        blocks.append(caption(_combined_headline(result, result.combined), format_))
        blocks.append(getattr(combined_table(result, result.combined), format_)())
        blocks.append(_cluster_page(result, result.combined.clustering, format_))
    if pairs:
        blocks.append(getattr(pair_table(result), format_)())
    return "\n\n".join(blocks)


def json_text(result: HumansResult) -> str:
    """Everything as JSON."""
    return json.dumps(result.to_dict(), indent=1, ensure_ascii=False)


def headline(result: HumansResult, aspect: HumanRanking) -> str:
    """What people judged, and how systems were ranked by it; two lines."""
    counts = aspect.counts
    of_scores = scores_of(aspect.name).removeprefix("scores")
    what = numbered(counts["judgements"], "score" if aspect.sides == 1 else "preference")
    what += of_scores if aspect.sides == 1 else ""
    if counts.get("ties"):
        what += f" ({100 * counts['ties'] / counts['judgements']:.0f} % ties)"
    parts = [what, counted(len(result.systems), "system")]
    if counts["segments"]:
        parts.append(numbered(counts["segments"], "segment"))
    if counts["judges"]:
        parts.append(numbered(counts["judges"], "judge"))
    return f"{' · '.join(parts)}\n{_procedure(result, aspect)}"


def _procedure(result: HumansResult, aspect: HumanRanking) -> str:
    first = aspect.columns[0].method
    if aspect.whole:
        return f"ranked by {first}; scores of whole systems have no ranges, and nothing can be tested"
    drawn = f"{result.draws:,} draws of {numbered(aspect.counts['units'], result.unit)}"
    if first.startswith("trueskill"):
        drawn = f"{result.draws:,} runs" + (f", each of other {result.unit}s" if first != "trueskill" else "")
    return (
        f"ranked by {first}, ranges: {100 * (1 - result.level):g} % of {drawn}, seed {result.seed}; "
        f"better than: {_TESTS[aspect.sides]}, level {plain(result.level)}"
    )


def system_table(result: HumansResult, aspect: HumanRanking) -> Table:
    """A row per system: letter, name, scores, rank and its range, WMT cluster, fuzzy rank, those it is better than."""
    order, ranks = aspect.order, aspect.ranks
    columns = [_cells(column) for column in aspect.columns]
    headings = [f"{column.method}{'' if column.higher_is_better else ' ↓'}" for column in aspect.columns]
    start = [
        (Cell(letter), Cell(result.systems[s]), *(cells[s] for cells in columns), Cell(str(ranks[s])))
        for letter, s in zip(letters_of_rows(), order, strict=False)
    ]
    if aspect.whole:
        return Table(("", "system", *headings, "rank"), tuple(start), n_labels=2)
    fuzzy = aspect.ranges.fuzzy_ranks()
    rows = []
    for cells, s in zip(start, order, strict=True):
        low, high = int(aspect.ranges.low[s]), int(aspect.ranges.high[s])
        row = (
            *cells,
            Cell(str(low) if low == high else f"{low}–{high}"),
            Cell(str(aspect.wmt_cluster_of(s))),
            Cell(f"{fuzzy[s]:.2f}"),
            Cell(_better_than(aspect.clustering.better, order, s)),
        )
        rows.append(row)
    header = ("", "system", *headings, "rank", "range", "cluster", "fuzzy rank", "better than")
    return Table(header, tuple(rows), n_labels=2, n_notes=1)


def combined_table(result: HumansResult, combined: Combined) -> Table:
    """A row per system: those it is better than by the first aspect, and by the second where the first is silent."""
    first, better = result.aspects[0], combined.clustering.better
    rows = [
        (
            Cell(letter),
            Cell(result.systems[s]),
            Cell(_better_than(better & ~combined.by_second, first.order, s)),
            Cell(_better_than(better & combined.by_second, first.order, s)),
        )
        for letter, s in zip(letters_of_rows(), first.order, strict=False)
    ]
    header = ("", "system", *(f"better by {aspect.name}" for aspect in result.aspects))
    return Table(header, tuple(rows), n_labels=2, n_notes=2)


def cluster_table(result: HumansResult, clustering: Clustering) -> Table:
    """A row per cluster: its number and its members."""
    rows = [
        (Cell(str(position)), Cell("  ".join(result.systems[s] for s in members)))
        for position, members in enumerate(clustering.clusters, 1)
    ]
    return Table(("cluster", "systems that are not told apart"), tuple(rows), n_notes=1)


def pair_table(result: HumansResult, *, exact: bool = False) -> Table:
    """A row per pair, the better system first: p-values of every aspect, and who is better."""
    result.check_tested("pairs show")
    header: list[str] = ["first", "second"]
    for aspect in result.aspects:
        name = f" {aspect.name}" if result.combined else ""
        header += [f"p{name}"] if aspect.sides == 2 else [f"p{name}, first better", f"p{name}, second better"]
    better = (result.combined or result.aspects[0]).clustering.better
    rows = []
    for x, y in result.aspects[0].pairs:
        row = [result.systems[x], result.systems[y]]
        for aspect in result.aspects:
            both = (aspect.p[x, y], aspect.p[y, x])
            row += [p_value(float(p), exact=exact) for p in (both if aspect.sides == 1 else both[:1])]
        if result.combined:
            row.append(result.aspects[int(result.combined.by_second[x, y])].name)
        row.append(result.systems[x] if better[x, y] else result.systems[y] if better[y, x] else "")
        rows.append(tuple(Cell(value) for value in row))
    header += ["by", "better"] if result.combined else ["better"]
    return Table(tuple(header), tuple(rows), n_labels=2, n_notes=2 if result.combined else 1)


def _tsv(result: HumansResult) -> str:
    """A row per system and aspect."""
    methods = [column.method for column in result.aspects[0].columns]
    header = ["aspect", "system", *methods, "rank", "rank_low", "rank_high", "wmt_cluster", "fuzzy_rank"]
    rows = []
    for aspect in result.to_dict()["aspects"]:
        for row in aspect["ranking"]:
            values = [aspect["name"], row["system"], *(_exact(row["scores"][method]) for method in methods)]
            ends = row["rank_range"] or (None, None)
            values += [str(value) for value in (row["rank"], *ends, row["wmt_cluster"], row["fuzzy_rank"])]
            values += [" ".join(map(str, row["clusters"])), names_cell(row["better_than"])]
            rows.append(tuple(Cell(value) for value in values))
    return Table((*header, "clusters", "better_than"), tuple(rows)).tsv()


def _exact(value: float | None) -> str:
    return "None" if value is None else repr(value)


def _cells(column: Column) -> list[Cell]:
    """Scores of one method as cells, the best one marked."""
    texts = numbers(column)
    if np.isnan(column.scores).all():
        return [Cell(text) for text in texts]
    values = equalised(column.scores, scale=magnitude(column.scores))
    best = np.nanmax(values) if column.higher_is_better else np.nanmin(values)
    return [Cell(text, best=bool(value == best)) for text, value in zip(texts, values, strict=True)]


def numbers(column: Column) -> list[str]:
    """Scores of one method as texts with as many decimals as suit them all; None where there is none."""
    known = column.scores[~np.isnan(column.scores)]
    digits = _DIGITS_OF_LARGE if np.abs(known).max(initial=0.0) >= _LARGE else _DIGITS
    if (known == np.round(known)).all():
        digits = 0
    texts = ["None" if isnan(value) else f"{value:.{digits}f}" for value in column.scores.tolist()]
    return [text.removeprefix("-") if text != "None" and float(text) == 0 else text for text in texts]


def _better_than(better: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], order: list[int], system: int) -> str:
    letters = dict(zip(order, letters_of_rows(), strict=False))
    return shortened([letters[other] for other in order if better[system, other]], letters)


def readable(clustering: Clustering) -> bool:
    """Whether overlapping clusters say more than the pairs: not where there are more of them than systems."""
    return len(clustering.clusters) <= len(clustering.scores)


def _clusters(result: HumansResult, clustering: Clustering, *, what: str) -> str:
    blocks = [f"overlapping clusters, {what}"] if what else []
    blocks.append(cluster_table(result, clustering).text() if readable(clustering) else _too_many(clustering))
    if (notes := breach_notes(clustering)) and readable(clustering):
        more = len(notes) - _MOST_BREACHES
        if more > 1:
            notes[_MOST_BREACHES:] = [f"and {more} other pairs of clusters whose order the tests do not bear out"]
        blocks.append("\n".join(notes))
    return "\n\n".join(blocks)


def _cluster_page(result: HumansResult, clustering: Clustering, format_: str) -> str:
    if not readable(clustering):
        return caption(_too_many(clustering), format_)
    page: str = getattr(cluster_table(result, clustering), format_)()
    return page


def _too_many(clustering: Clustering) -> str:
    return (
        f"{len(clustering.clusters)} overlapping clusters, more than systems: too many pairs are left open to show "
        "them (json has them)"
    )


def _combined_headline(result: HumansResult, combined: Combined) -> str:
    first, second = result.aspects
    better, by_second = combined.clustering.better, combined.by_second
    return (
        f"{first.name}, then {second.name}: {first.name} tells {int((better & ~by_second).sum())} of "
        f"{counted(len(first.pairs), 'pair')} apart, {second.name} another {int((better & by_second).sum())}"
    )


def _notes(result: HumansResult, aspect: HumanRanking) -> list[str]:
    notes = [*_dropped(aspect), *_without_score(result, aspect)]
    if aspect.parts > 1:
        notes.append(
            f"the systems fall into {aspect.parts} groups that no judgement compares: ranks say nothing across groups"
        )
    return notes


def _dropped(aspect: HumanRanking) -> list[str]:
    lines = []
    for one in aspect.dropped:
        names = ", ".join(one.judges[:_MOST_NAMED]) + (", …" if len(one.judges) > _MOST_NAMED else "")
        who = f": {names}" if names else ""
        lines.append(
            f"dropped {counted(len(one.judges), 'assessor')} with {counted(one.n_judgements, 'score')} "
            f"({one.reason}){who}"
        )
    return lines


def _without_score(result: HumansResult, aspect: HumanRanking) -> list[str]:
    missing = np.isnan(aspect.columns[0].scores)
    return [f"{result.systems[s]} has no score and is put last" for s in np.flatnonzero(missing).tolist()]
