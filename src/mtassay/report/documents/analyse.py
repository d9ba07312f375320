"""Where systems differ: tables of buckets and n-grams, and examples."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.analysis.bucket_tests import BucketTests
from mtassay.analysis.example_details import ERROR_COLUMNS
from mtassay.analysis.ngram_counts import KINDS, LONGEST
from mtassay.equality import equalised
from mtassay.errors import counted
from mtassay.report.analysis_records import records_of
from mtassay.report.document import (
    Cell,
    Document,
    Graphic,
    Heading,
    Notes,
    Preformatted,
    Sentence,
    Signatures,
    Tab,
    table,
)
from mtassay.report.example_text import example_text, guide_of
from mtassay.report.page.explorer import explorer
from mtassay.report.page.markup import CONTROLS, SEGMENTS, bucket_chart
from mtassay.report.page.texts import example_html
from mtassay.report.wording import MISSING, headings, letters_of_rows, number, p_value, plain, share, signed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.analysis.segments import SegmentView
    from mtassay.analysis.words import WordView
    from mtassay.metrics.core.metric import Metric
    from mtassay.report.document import Block, Table
    from mtassay.types import Floats
    from mtassay.verbs.analyse_result import AnalyseResult

#: Names of views in pages.
_TABS = {
    "frequency": "word frequency",
    "case": "letter case",
    "number": "numbers",
    "label": "word label",
    "entity": "named entities",
    "length": "length",
    "difference": "length difference",
    "score": "difficulty",
    "domain": "domain",
    "document": "document",
    "duplicates": "repetition",
    "segment-label": "label",
}
#: Number of segments whose texts are in the page.
_PAGE_EXAMPLES = 100
_ADJUSTMENTS = {
    "none": "p-values are not adjusted",
    "holm": "Holm's adjustment over the buckets and pairs of a table",
    "bh": "Benjamini–Hochberg adjustment over the buckets and pairs of a table",
}

_ERROR_CLASSES = {
    "infl": "inflection",
    "reord": "order",
    "miss": "missing words",
    "ext": "extra words",
    "lex": "lexical",
}


def document(
    result: AnalyseResult,
    *,
    table: str = "buckets",
    intervals: bool = False,
    signatures: bool = False,
    guide: bool = True,
) -> Document:
    """A table of systems, one for each view and measure, n-grams, and examples.

    Args:
        result: the analysis.
        table: the table that records are made from: ``buckets``, ``ngrams`` or ``examples``.
        intervals: show the confidence interval of every score of a bucket.
        signatures: show the signatures of the metrics.
        guide: say how to read the tables.
    """
    records = records_of(table)
    blocks: list[Block] = [Sentence(_headline(result)), _system_table(result)]
    blocks += [Graphic(partial(explorer, result, n_examples=_PAGE_EXAMPLES), scripted=True)]
    blocks += [*bucket_blocks(result, intervals=intervals), *error_blocks(result, intervals=intervals)]
    blocks += [*ngram_blocks(result), Graphic(lambda: SEGMENTS, scripted=True), *example_blocks(result, guide=guide)]
    if guide and (result.words or result.segments):
        blocks.append(Notes(_guide(result)))
    if signatures:
        lines = zip(result.scored.metrics, result.scored.signatures, strict=True)
        blocks.append(Signatures(tuple(f"{metric.label}|{signature}" for metric, signature in lines)))
    return Document("analysis of systems", tuple(blocks), lambda: records(result), result.to_dict)


def bucket_blocks(result: AnalyseResult, *, intervals: bool = False) -> list[Block]:
    """A table for each division of words, and for each division of segments and metric."""
    tabs: list[Tab] = []
    for words in result.words:
        shown = (Heading(f"F1 of {words.title}"), *_chart(words.name), _word_table(result, words, intervals=intervals))
        tabs.append(Tab(_TABS[words.name], shown))
    for segments in result.segments:
        if segments.name != "errors":
            tables = _segment_tables(result, segments, intervals=intervals)
            tabs.append(Tab(_TABS[segments.name], (Heading(segments.title), *_chart(segments.name), *tables)))
    return [Graphic(lambda: CONTROLS, scripted=True), *tabs] if tabs else []


def _chart(name: str) -> list[Block]:
    return [Graphic(partial(bucket_chart, name), scripted=True)]


def error_blocks(result: AnalyseResult, *, intervals: bool = False) -> list[Block]:
    """Rates of classes of errors."""
    blocks: list[Block] = []
    for view in result.segments:
        if view.name == "errors":
            blocks += [Heading(view.title), *_error_tables(result, view, intervals=intervals)]
    return blocks


def _headline(result: AnalyseResult) -> str:
    testset, procedure = result.scored.testset, result.resampling.procedure
    words = f"words of the tokenizer {result.tok}{', lower case' if result.case == 'lower' else ''}"
    parts = [
        counted(testset.n_segments, "segment"),
        counted(testset.n_references, "reference"),
        counted(len(result.systems), "system"),
        words,
        f"{procedure.title}, {counted(procedure.resamples, 'resample')}, seed {procedure.seed}, "
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


def _word_table(result: AnalyseResult, view: WordView, *, intervals: bool) -> Table:
    """A row per bucket: words of the references, F1 of every system, and the difference of the pair."""
    n_words = view.in_reference.max(axis=1)
    return _bucket_table(
        result,
        [(label, str(n)) for label, n in zip(view.labels, n_words, strict=True)],
        view.tests,
        header=("bucket", "words"),
        sign=1.0,
        shown=[share] * len(view.labels),
        shown_difference=[signed] * len(view.labels),
        intervals=intervals,
    )


def _segment_tables(result: AnalyseResult, view: SegmentView, *, intervals: bool) -> list[Table]:
    """A table per metric: a row per bucket."""
    tables = []
    n_segments = view.n_segments
    for metric, tests in zip(view.metrics, view.tests, strict=True):
        counts = [str(n) if view.paired else f"{low}–{n}" for low, n in zip(*_ends(n_segments), strict=True)]
        of_metric = _bucket_table(
            result,
            list(zip(view.labels, counts, strict=True)),
            tests,
            header=(headings([metric])[0], "segments"),
            sign=metric.sign if view.paired else 0.0,
            shown=[partial(number, metric=metric)] * len(view.labels),
            shown_difference=[partial(_signed_number, metric=metric)] * len(view.labels),
            intervals=intervals,
        )
        tables.append(of_metric)
    return tables


def _error_tables(result: AnalyseResult, view: SegmentView, *, intervals: bool) -> list[Table]:
    """One table, a row per class of errors."""
    fields = zip(
        *((tests.scores, tests.intervals, tests.p, tests.adjusted, tests.better) for tests in view.tests), strict=True
    )
    of_classes = _bucket_table(
        result,
        [(_ERROR_CLASSES[name],) for name in ERROR_COLUMNS],
        BucketTests(*(np.concatenate(field) for field in fields)),
        header=("% of words ↓",),
        sign=-1.0,
        shown=[partial(number, metric=metric) for metric in view.metrics],
        shown_difference=[partial(_signed_number, metric=metric) for metric in view.metrics],
        intervals=intervals,
    )
    return [of_classes]


def _ends(n_segments: Any) -> tuple[Any, Any]:
    return n_segments.min(axis=1), n_segments.max(axis=1)


def _signed_number(value: float, metric: Metric) -> str:
    text = number(value, metric)
    return text if text.startswith(("-", MISSING)) else f"+{text}"


def _bucket_table(
    result: AnalyseResult,
    labels: Sequence[tuple[str, ...]],
    tests: BucketTests,
    *,
    header: tuple[str, ...],
    sign: float,
    shown: Sequence[Callable[[float], str]],
    shown_difference: Sequence[Callable[[float], str]],
    intervals: bool,
) -> Table:
    """A row per bucket.

    Args:
        result: the analysis.
        labels: the first cells of each row.
        tests: scores and tests.
        header: header of the first cells.
        sign: 1 if higher is better, -1 if lower is better, 0 if nothing was tested.
        shown: formats a score, one function per row.
        shown_difference: formats a difference, one function per row.
        intervals: whether to show intervals beside scores.
    """
    scores = tests.scores
    letters = _letters(result)
    pair = _pair_numbers(result) if sign else None
    best = _best(scores, sign)
    rows = []
    for b, label in enumerate(labels):
        row: list[str | Cell] = [*label]
        for s in letters:
            ends = f" {_interval(tests.intervals[b, s], shown[b])}" if intervals else ""
            row.append(Cell(shown[b](float(scores[b, s])) + ends, bool(best[b, s])))
        if pair is not None:
            x, y = pair
            p = tests.adjusted[b, x, y]
            row.append(shown_difference[b](float(scores[b, x] - scores[b, y])))
            row.append(MISSING if np.isnan(p) else p_value(p))
        rows.append(row)
    names = [*header, *letters.values()]
    if pair is not None:
        names += [f"{letters[pair[0]]} − {letters[pair[1]]}", "p"]
    return table(names, rows)


def _interval(ends: Floats, shown: Callable[[float], str]) -> str:
    low, high = ends.tolist()
    return MISSING if np.isnan(low) else f"[{shown(low)}, {shown(high)}]"


def _best(scores: Floats, sign: float) -> Any:
    """Which systems have the best score of a bucket; none if all are equal or the metric has no direction."""
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
        [str(n), *(f"{view.totals[system, n - 1, k]:,}" for k in range(len(KINDS)) for system in view.pair)]
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
                f"{one.counts[0]:,}",
                f"{one.counts[1]:,}",
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
    return [*blocks, Notes(guide_of(examples))] if guide else blocks


def _guide(result: AnalyseResult) -> tuple[str, ...]:
    lines = ["Letters are systems, best first; F1 is that of matched words."]
    if result.pair is not None:
        lines.append(
            f"p: whether the difference before it is significant (p ≤ {plain(result.resampling.alpha)}); "
            f"{_ADJUSTMENTS[result.resampling.adjust]}."
        )
    return tuple(lines)
