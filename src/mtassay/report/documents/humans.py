"""Rankings of systems by human judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.equality import equalised, magnitude
from mtassay.errors import counted
from mtassay.report.document import Cell, Document, Notes, Records, Sentence, Table, names_cell, table
from mtassay.report.documents.rank import breach_notes
from mtassay.report.wording import (
    MISSING,
    better_than,
    letters_of_rows,
    names,
    p_value,
    percent,
    plain,
    scores_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mtassay.judging.rankings import Column, HumanRanking
    from mtassay.report.document import Block
    from mtassay.stats.clusters import Clustering
    from mtassay.verbs.humans import Combined, HumansResult

#: Decimals of small scores and of large scores; the smallest value that counts as large.
_DIGITS, _DIGITS_OF_LARGE, _LARGE = 3, 2, 10
#: Largest number of judges named in a note.
_MOST_NAMED = 8
#: Largest number of notes about pairs of clusters in doubtful order.
_MOST_BREACHES = 4
#: Names of the tests by their number of sides.
TESTS = {1: "rank-sum test, one-sided", 2: "randomisation test, two-sided"}


def document(result: HumansResult, *, pairs: bool = False) -> Document:
    """A table and the clusters of each aspect, and of both combined; on request a table of pairs.

    Args:
        result: the ranking.
        pairs: add a table of all pairs; records then have a row per pair instead of one per system.
    """
    blocks: list[Block] = []
    for aspect in result.aspects:
        blocks += [Sentence(_headline(result, aspect)), _system_table(result, aspect), Notes(_notes(result, aspect))]
        if not aspect.whole:
            blocks += _clusters(result, aspect.clustering, what=aspect.name if result.combined else "")
    if result.combined is not None:
        blocks += [Sentence(_combined_headline(result, result.combined)), _combined_table(result, result.combined)]
        blocks += _clusters(result, result.combined.clustering, what="both aspects")
    if pairs:
        result.check_tested("pairs show")
        blocks += [_pair_table(result), Notes((_pair_note(result),))]
    records = _pair_records if pairs else _system_records
    return Document("ranking by human judgements", tuple(blocks), lambda: records(result), result.to_dict)


def _headline(result: HumansResult, aspect: HumanRanking) -> str:
    """Two lines: what was judged, and how systems were ranked."""
    counts = aspect.counts
    what = counted(counts["judgements"], "score" if aspect.sides == 1 else "preference")
    what += scores_of(aspect.name).removeprefix("scores") if aspect.sides == 1 else ""
    if counts.get("ties"):
        what += f" ({100 * counts['ties'] / counts['judgements']:.0f} % ties)"
    parts = [what, counted(len(result.systems), "system")]
    parts += [counted(counts[f"{noun}s"], noun) for noun in ("segment", "judge") if counts[f"{noun}s"]]
    return f"{' · '.join(parts)}\n{_procedure(result, aspect)}"


def _procedure(result: HumansResult, aspect: HumanRanking) -> str:
    first = aspect.columns[0].method
    if aspect.whole:
        return f"ranked by {first}; scores of whole systems give no rank ranges and no tests"
    return (
        f"ranked by {first}; rank ranges: {percent(1 - result.alpha)} of {resamples(result, aspect)}, "
        f"seed {result.seed}; better than: {TESTS[aspect.sides]}, α = {plain(result.alpha)}"
    )


def resamples(result: HumansResult, aspect: HumanRanking) -> str:
    """What rank ranges are computed from: resamples of the judgements, or runs of TrueSkill."""
    method = aspect.columns[0].method
    if method.startswith("trueskill"):
        return counted(result.resamples, "run") + (
            "" if method == "trueskill" else f", each on resampled {result.unit}s"
        )
    return f"{counted(result.resamples, 'resample')} of {counted(aspect.counts['units'], result.unit)}"


def _system_table(result: HumansResult, aspect: HumanRanking) -> Table:
    """A row per system: letter, name, scores, rank, rank range, WMT cluster, fuzzy rank, systems it is better than."""
    columns = [_score_cells(column) for column in aspect.columns]
    header = ["", "system", *(f"{of.method}{'' if of.higher_is_better else ' ↓'}" for of in aspect.columns), "rank"]
    rows: list[list[str | Cell]] = [
        [letter, result.systems[s], *(cells[s] for cells in columns), str(aspect.ranks[s])]
        for letter, s in zip(letters_of_rows(), aspect.order, strict=False)
    ]
    if aspect.whole:
        return table(header, rows, n_labels=2)
    fuzzy = aspect.ranges.fuzzy_ranks()
    for row, s in zip(rows, aspect.order, strict=True):
        low, high = int(aspect.ranges.low[s]), int(aspect.ranges.high[s])
        ends = "–".join(map(str, dict.fromkeys([low, high])))
        row += [Cell(ends, span=(low, float(aspect.ranks[s]), high)), str(aspect.wmt_cluster_of(s)), f"{fuzzy[s]:.2f}"]
        row.append(_letters(aspect.clustering.better, aspect.order, s))
    return table([*header, "range", "WMT cluster", "fuzzy rank", "better than"], rows, n_labels=2, n_notes=1)


def _combined_table(result: HumansResult, combined: Combined) -> Table:
    """A row per system: systems it is better than by the first aspect, and by the second if the first is undecided."""
    order, better = result.aspects[0].order, combined.clustering.better
    rows = [
        [
            letter,
            result.systems[s],
            *(_letters(better & by, order, s) for by in (~combined.by_second, combined.by_second)),
        ]
        for letter, s in zip(letters_of_rows(), order, strict=False)
    ]
    header = ["", "system", *(f"better by {aspect.name}" for aspect in result.aspects)]
    return table(header, rows, n_labels=2, n_notes=2)


def _letters(better: NDArray[np.bool_], order: list[int], system: int) -> str:
    return better_than([other for other in order if better[system, other]], order)


def _pair_table(result: HumansResult) -> Table:
    """A row per pair, the better system first: p-values of each aspect, and the significantly better system."""
    header = ["first", "second"]
    for aspect in result.aspects:
        name = f"p {aspect.name}" if result.combined else "p"
        header += [name] if aspect.sides == 2 else [f"{name}, first > second", f"{name}, second > first"]
    rows = [
        [*pair, *(p_value(p) for p in values), *(name or "" for name in decided)]
        for pair, values, decided in _pairs(result)
    ]
    return table([*header, *_decided(result)], rows, n_labels=2, n_notes=len(_decided(result)))


def _pair_note(result: HumansResult) -> str:
    if result.aspects[0].sides == 2:
        return "p: p-value of the test that the two systems differ."
    return "p: p-value of the test that the first system is better than the second, and of the opposite test."


def _pairs(result: HumansResult) -> Iterator[tuple[tuple[str, str], list[float], list[str | None]]]:
    """Names, p-values and conclusion of each pair: the deciding aspect, if there are two, and the better system."""
    better = (result.combined or result.aspects[0]).clustering.better
    for x, y in result.aspects[0].pairs:
        first, second = result.systems[x], result.systems[y]
        values = []
        for aspect in result.aspects:
            values += [float(aspect.p[x, y])] if aspect.sides == 2 else [float(aspect.p[x, y]), float(aspect.p[y, x])]
        by = [result.aspects[int(result.combined.by_second[x, y])].name] if result.combined else []
        yield (first, second), values, [*by, first if better[x, y] else second if better[y, x] else None]


def _decided(result: HumansResult) -> list[str]:
    return ["by", "better"] if result.combined else ["better"]


def _pair_records(result: HumansResult) -> Records:
    """A row per pair."""
    header = ["first", "second"]
    for aspect in result.aspects:
        name = f"p_{aspect.name}" if result.combined else "p"
        header += [name] if aspect.sides == 2 else [f"{name}_first_better", f"{name}_second_better"]
    rows = [(*pair, *values, *decided) for pair, values, decided in _pairs(result)]
    return Records((*header, *_decided(result)), rows)


def _system_records(result: HumansResult) -> Records:
    """A row per aspect and system; clusters are those of WMT, as in the table of systems."""
    methods = [column.method for column in result.aspects[0].columns]
    rows = [
        (
            aspect["name"],
            row["system"],
            *(row["scores"][method] for method in methods),
            row["rank"],
            *(row["rank_range"] or (None, None)),
            row["wmt_cluster"],
            row["fuzzy_rank"],
            row["judgements"],
            row["segments"],
            row["better_than"],
        )
        for aspect in result.to_dict()["aspects"]
        for row in aspect["ranking"]
    ]
    ranks = ("rank", "rank_low", "rank_high", "wmt_cluster", "fuzzy_rank", "judgements", "segments")
    return Records(("aspect", "system", *methods, *ranks, "better_than"), rows)


def _score_cells(column: Column) -> list[Cell]:
    """Scores of one method as cells, the best one marked."""
    values = equalised(column.scores, scale=magnitude(column.scores))
    known = values[~np.isnan(values)]
    best = np.nan if not len(known) else known.max() if column.higher_is_better else known.min()
    return [Cell(text, best=bool(value == best)) for text, value in zip(score_texts(column), values, strict=True)]


def score_texts(column: Column) -> list[str]:
    """Scores of one method, all with the same decimals; a dash if missing."""
    known = column.scores[~np.isnan(column.scores)]
    digits = _DIGITS_OF_LARGE if np.abs(known).max(initial=0.0) >= _LARGE else _DIGITS
    if (known == np.round(known)).all():
        digits = 0
    texts = [MISSING if np.isnan(value) else f"{value:.{digits}f}" for value in column.scores.tolist()]
    return [text.removeprefix("-") if text != MISSING and float(text) == 0 else text for text in texts]


def readable(clustering: Clustering) -> bool:
    """Whether overlapping clusters are worth showing: not if there are more of them than systems."""
    return len(clustering.clusters) <= len(clustering.scores)


def _clusters(result: HumansResult, clustering: Clustering, *, what: str) -> list[Block]:
    """A row per overlapping cluster, and notes where tests contradict their order."""
    if not readable(clustering):
        n_clusters = len(clustering.clusters)
        why = "too many pairs without a significant difference to show them (json has them)"
        return [Sentence(f"{n_clusters} overlapping clusters, more than systems: {why}")]
    rows: list[list[str | Cell]] = [
        [str(position), names_cell(result.systems[s] for s in members)]
        for position, members in enumerate(clustering.clusters, 1)
    ]
    notes = [f"overlapping {note}" for note in breach_notes(clustering)]
    more = len(notes) - _MOST_BREACHES
    if more > 1:
        notes[_MOST_BREACHES:] = [
            f"and {more} other pairs of overlapping clusters whose order the tests do not support"
        ]
    blocks: list[Block] = [Sentence(f"overlapping clusters, {what}")] if what else []
    header = ["overlapping cluster", "systems without a significant difference"]
    return [*blocks, table(header, rows, n_notes=1), Notes(tuple(notes))]


def _combined_headline(result: HumansResult, combined: Combined) -> str:
    first, second = result.aspects
    better, by_second = combined.clustering.better, combined.by_second
    return (
        f"{first.name}, then {second.name}: {int((better & ~by_second).sum())} of "
        f"{counted(len(first.pairs), 'pair')} differ significantly by {first.name}, another "
        f"{int((better & by_second).sum())} by {second.name}"
    )


def _notes(result: HumansResult, aspect: HumanRanking) -> tuple[str, ...]:
    notes = [
        f"dropped {counted(len(one.judges), 'judge')} with {counted(one.n_judgements, 'score')} ({one.reason})"
        + (f": {names(one.judges, _MOST_NAMED)}" if one.judges else "")
        for one in aspect.dropped
    ]
    if result.ignored:
        notes.append(f"judged but left out, not in the test set: {', '.join(result.ignored)}")
    missing = np.flatnonzero(np.isnan(aspect.columns[0].scores)).tolist()
    notes += [f"{result.systems[s]} has no score and is ranked last" for s in missing]
    if aspect.parts > 1:
        notes.append(f"no judgement connects the {aspect.parts} groups of systems: ranks are meaningless across groups")
    return tuple(notes)
