"""Where systems differ: tables of buckets and n-grams, and examples."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.analysis.ngram_counts import KINDS, LONGEST
from mtassay.equality import equalised
from mtassay.errors import InputError, counted, unknown_name
from mtassay.report.document import (
    Cell,
    Document,
    Graphic,
    Heading,
    Notes,
    Preformatted,
    Records,
    Sentence,
    Signatures,
    Tab,
    table,
)
from mtassay.report.example_text import GUIDE, example_text
from mtassay.report.page.explorer import explorer
from mtassay.report.page.markup import CONTROLS, SEGMENTS, bucket_chart
from mtassay.report.page.texts import example_html
from mtassay.report.wording import MISSING, headings, letters_of_rows, number, p_value, plain, share, signed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.analysis.bucket_tests import BucketTests
    from mtassay.analysis.segments import SegmentView
    from mtassay.analysis.words import WordView
    from mtassay.metrics.core.metric import Metric
    from mtassay.report.document import Block, Table
    from mtassay.types import Floats
    from mtassay.verbs.analyse import AnalyseResult

#: What records can be of.
TABLES = ("buckets", "ngrams", "examples")
#: Names of views in pages.
_TABS = {
    "frequency": "word frequency",
    "case": "letter case",
    "number": "numbers",
    "label": "word label",
    "length": "length",
    "difference": "length difference",
    "score": "difficulty",
    "domain": "domain",
    "document": "document",
    "duplicates": "repetition",
    "segment-label": "label",
}
#: Segments whose texts a page has.
_PAGE_EXAMPLES = 100
_ADJUSTMENTS = {
    "none": "p-values are not adjusted",
    "holm": "Holm's adjustment over the buckets and pairs of a table",
    "bh": "Benjamini–Hochberg adjustment over the buckets and pairs of a table",
}


def document(
    result: AnalyseResult, *, table: str = "buckets", signatures: bool = False, guide: bool = True
) -> Document:
    """A table of systems, one for each view and measure, n-grams, and examples.

    Args:
        result: the analysis.
        table: what records are of, one of ``TABLES``.
        signatures: show the signatures of the metrics.
        guide: say how to read the tables.
    """
    if table not in TABLES:
        raise InputError(unknown_name("table", table, TABLES))
    blocks: list[Block] = [Sentence(_headline(result)), _system_table(result)]
    blocks += [Graphic(partial(explorer, result, n_examples=_PAGE_EXAMPLES), scripted=True)]
    blocks += [*bucket_blocks(result), *error_blocks(result), *ngram_blocks(result)]
    blocks += [Graphic(lambda: SEGMENTS, scripted=True), *example_blocks(result, guide=guide)]
    if guide and (result.words or result.segments):
        blocks.append(Notes(_guide(result)))
    if signatures:
        lines = zip(result.scored.metrics, result.scored.signatures, strict=True)
        blocks.append(Signatures(tuple(f"{metric.label}|{signature}" for metric, signature in lines)))
    records = {"buckets": _bucket_records, "ngrams": _ngram_records, "examples": _example_records}[table]
    return Document("analysis of systems", tuple(blocks), lambda: records(result), result.to_dict)


def bucket_blocks(result: AnalyseResult) -> list[Block]:
    """A table for each division of words, and for each division of segments and metric."""
    tabs: list[Tab] = [
        Tab(_TABS[view.name], (Heading(f"F1 of {view.title}"), *_chart(view.name), _word_table(result, view)))
        for view in result.words
    ]
    tabs += [
        Tab(_TABS[view.name], (Heading(view.title), *_chart(view.name), *_segment_tables(result, view)))
        for view in result.segments
        if view.name != "errors"
    ]
    return [Graphic(lambda: CONTROLS, scripted=True), *tabs] if tabs else []


def _chart(name: str) -> list[Block]:
    return [Graphic(partial(bucket_chart, name), scripted=True)]


def error_blocks(result: AnalyseResult) -> list[Block]:
    """Rates of classes of errors, a row for each system."""
    return [
        block
        for view in result.segments
        if view.name == "errors"
        for block in (Heading(view.title), _error_table(result, view))
    ]


def _headline(result: AnalyseResult) -> str:
    testset, procedure = result.scored.testset, result.resampling.procedure
    words = f"words of the tokenizer {result.tok}{', lower case' if result.case == 'lower' else ''}"
    parts = [
        counted(testset.n_segments, "segment"),
        counted(testset.n_references, "reference"),
        counted(len(result.systems), "system"),
        words,
        f"{procedure.title}, {procedure.resamples:,} resamples, seed {procedure.seed}, "
        f"α = {plain(result.resampling.alpha)}",
    ]
    return " · ".join(parts)


def _letters(result: AnalyseResult) -> dict[int, str]:
    """Letters of systems, best first."""
    return dict(zip(result.scored.ranked, letters_of_rows(), strict=False))


def _system_table(result: AnalyseResult) -> Table:
    best = result.scored.best()
    metrics = result.scored.metrics
    rows = []
    for s, letter in _letters(result).items():
        scores = [(float(result.scored.scores[s, m]), metric, bool(best[s, m])) for m, metric in enumerate(metrics)]
        cells = [Cell(number(value, metric), is_best) for value, metric, is_best in scores]
        rows.append([Cell(letter), Cell(result.systems[s]), *cells])
    return table(["", "system", *headings(metrics)], rows, n_labels=2)


def _word_table(result: AnalyseResult, view: WordView) -> Table:
    """A row per bucket: words of the references, F1 of every system, and the difference of the pair."""
    n_words = view.in_reference.max(axis=1)
    return _bucket_table(
        result,
        view.labels,
        ("words", [str(n) for n in n_words]),
        view.f1,
        view.tests,
        sign=1.0,
        shown=share,
        shown_difference=signed,
    )


def _segment_tables(result: AnalyseResult, view: SegmentView) -> list[Table]:
    """A table per metric: a row per bucket."""
    tables = []
    n_segments = view.n_segments
    for metric, tests in zip(view.metrics, view.tests, strict=True):
        counts = [str(n) if view.paired else f"{low}–{n}" for low, n in zip(*_ends(n_segments), strict=True)]
        of_metric = _bucket_table(
            result,
            view.labels,
            ("segments", counts),
            tests.scores,
            tests,
            sign=metric.sign if view.paired else 0.0,
            shown=partial(number, metric=metric),
            shown_difference=partial(_signed_number, metric=metric),
            measure=headings([metric])[0],
        )
        tables.append(of_metric)
    return tables


def _error_table(result: AnalyseResult, view: SegmentView) -> Table:
    """A row per system: rates of each class of errors over all segments."""
    rates = np.stack([tests.scores[0] for tests in view.tests], axis=-1)
    best = np.stack(
        [_best(tests.scores, metric.sign)[0] for metric, tests in zip(view.metrics, view.tests, strict=True)]
    )
    rows = [
        [
            Cell(letter),
            Cell(result.systems[s]),
            *(
                Cell(number(float(rates[s, m]), metric), bool(best[m, s]), _span(tests, s))
                for m, (metric, tests) in enumerate(zip(view.metrics, view.tests, strict=True))
            ),
        ]
        for s, letter in _letters(result).items()
    ]
    return table(["", "system", *headings(view.metrics)], rows, n_labels=2)


def _span(tests: BucketTests, system: int) -> tuple[float, float, float] | None:
    low, high = tests.intervals[0, system].tolist()
    return None if np.isnan(low) else (low, float(tests.scores[0, system]), high)


def _ends(n_segments: Any) -> tuple[Any, Any]:
    return n_segments.min(axis=1), n_segments.max(axis=1)


def _signed_number(value: float, metric: Metric) -> str:
    text = number(value, metric)
    return text if text.startswith(("-", MISSING)) else f"+{text}"


def _bucket_table(
    result: AnalyseResult,
    labels: Sequence[str],
    sizes: tuple[str, Sequence[str]],
    scores: Floats,
    tests: BucketTests,
    *,
    sign: float,
    shown: Callable[[float], str],
    shown_difference: Callable[[float], str],
    measure: str = "bucket",
) -> Table:
    letters = _letters(result)
    pair = _pair_numbers(result) if sign else None
    best = _best(scores, sign)
    rows = []
    for b, label in enumerate(labels):
        row: list[str | Cell] = [label, sizes[1][b]]
        row += [Cell(shown(float(scores[b, s])), bool(best[b, s])) for s in letters]
        if pair is not None:
            x, y = pair
            p = tests.adjusted[b, x, y]
            row.append(shown_difference(float(scores[b, x] - scores[b, y])))
            row.append(MISSING if np.isnan(p) else p_value(p))
        rows.append(row)
    header = [measure, sizes[0], *letters.values()]
    if pair is not None:
        header += [f"{letters[pair[0]]} − {letters[pair[1]]}", "p"]
    return table(header, rows)


def _best(scores: Floats, sign: float) -> Any:
    """Which systems have the best score of a bucket; nobody where all are equal or there is no direction."""
    oriented = sign * np.stack([equalised(of_bucket) for of_bucket in scores])
    high, low = np.nan_to_num(oriented, nan=-np.inf), np.nan_to_num(oriented, nan=np.inf)
    top = high.max(axis=1, keepdims=True)
    return (oriented == top) & (top > low.min(axis=1, keepdims=True)) & (sign != 0)


def _pair_numbers(result: AnalyseResult) -> tuple[int, int] | None:
    if result.pair is None:
        return None
    return result.systems.index(result.pair[0]), result.systems.index(result.pair[1])


def ngram_blocks(result: AnalyseResult) -> list[Block]:
    """n-grams of the pair, by kind."""
    view = result.ngrams
    if view is None or view.pair is None:
        return []
    letters = _letters(result)
    a, b = (letters[system] for system in view.pair)
    header = ["n", *(f"{kind} {letter}" for kind in KINDS for letter in (a, b))]
    totals = [
        [str(n), *(str(view.totals[system, n - 1, k]) for k in range(len(KINDS)) for system in view.pair)]
        for n in range(1, LONGEST + 1)
    ]
    blocks: list[Block] = [
        Heading(f"n-grams of {a} {result.systems[view.pair[0]]} and {b} {result.systems[view.pair[1]]}")
    ]
    blocks.append(table(header, totals))
    for kind, (first, second) in view.differences.items():
        rows = [
            [
                Cell(" ".join(one.words), segments=tuple((one.segments + 1).tolist())),
                str(one.counts[0]),
                str(one.counts[1]),
                share(one.salience),
                MISSING if np.isnan(one.adjusted) else p_value(one.adjusted),
                "*" if one.significant else "",
            ]
            for one in (*first, *second)
        ]
        tested, found = view.n_tested[kind], view.n_significant[kind]
        note = Notes((f"{found:,} of {tested:,} tested n-grams are {kind} significantly more often by one.",))
        header = [f"{kind} n-gram", a, b, "salience", "p", "significant"]
        blocks.append(Tab(kind, (table(header, rows, n_notes=1), note) if rows else (note,)))
    return blocks


def example_blocks(result: AnalyseResult, *, guide: bool) -> list[Block]:
    """Segments in which one system of the pair is better, then those in which the other is."""
    examples = result.examples
    if examples is None:
        return []
    blocks: list[Block] = []
    for name, found in zip(examples.pair, (examples.first, examples.second), strict=True):
        blocks.append(Heading(f"segments in which {name} is better by {examples.metric.label}"))
        pair = result.scored.testset.language_pair
        blocks += [
            Preformatted(example_text(example, examples), partial(example_html, example, examples, pair=pair))
            for example in found
        ]
        if not found:
            blocks.append(Sentence("none"))
    return [*blocks, Notes(GUIDE)] if guide else blocks


def _guide(result: AnalyseResult) -> tuple[str, ...]:
    lines = ["Letters are systems, best first; F1 is that of matched words."]
    if result.pair is not None:
        lines.append(
            f"p: whether the difference before it is significant (p ≤ {plain(result.resampling.alpha)}); "
            f"{_ADJUSTMENTS[result.resampling.adjust]}."
        )
    return tuple(lines)


_BUCKETS = (
    *("view", "bucket", "measure", "system", "score", "low", "high", "n_segments", "matched", "in_output"),
    *("in_reference", "precision", "recall", "better_than"),
)


def _bucket_records(result: AnalyseResult) -> Records:
    """A row per view, bucket, measure and system."""
    data = result.to_dict()
    rows: list[tuple[Any, ...]] = []
    for view in data["words"]:
        for bucket in view["buckets"]:
            for one in bucket["systems"]:
                counts = (one["matched"], one["in_output"], one["in_reference"], one["precision"], one["recall"])
                ends = one["interval"] or (None, None)
                place = (view["view"], bucket["bucket"], "f1", one["system"], one["f1"], *ends)
                rows.append((*place, len(bucket["segments"]), *counts, one["better_than"]))
    for view in data["segments"]:
        for bucket in view["buckets"]:
            for metric in bucket["metrics"]:
                for one in metric["systems"]:
                    ends = one["interval"] or (None, None)
                    place = (view["view"], bucket["bucket"], metric["metric"], one["system"], one["score"], *ends)
                    rows.append((*place, one["n_segments"], *(None,) * 5, one["better_than"]))
    return Records(_BUCKETS, rows)


def _ngram_records(result: AnalyseResult) -> Records:
    """A row per kind and n-gram."""
    found = result.to_dict()["ngrams"] or {"kinds": []}
    rows = [
        (
            of["kind"],
            " ".join(one["words"]),
            *one["counts"],
            one["salience"],
            one["p"],
            one["p_adjusted"],
            one["significant"],
            one["segments"],
        )
        for of in found["kinds"]
        for one in (*of["more_in_first"], *of["more_in_second"])
    ]
    header = ("kind", "ngram", "first", "second", "salience", "p", "p_adjusted", "significant", "segments")
    return Records(header, rows)


def _example_records(result: AnalyseResult) -> Records:
    return example_records(result.to_dict()["examples"])


def example_records(found: dict[str, Any] | None) -> Records:
    """A row per example."""
    texts = ("source", "references", "first", "second")
    header = ("better", "segment", "difference", *texts, "first_scores", "second_scores")
    rows = [
        (
            found["pair"][side],
            one["segment"],
            one["difference"],
            one["source"],
            one["references"],
            *(output["text"] for output in one["outputs"]),
            *(output["scores"] for output in one["outputs"]),
        )
        for side, name in enumerate(("better_first", "better_second"))
        for one in (found or {name: []})[name]
        if found is not None
    ]
    return Records(header, rows)
