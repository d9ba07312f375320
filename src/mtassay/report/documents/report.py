"""A report: scores, significant differences, where systems differ, human judgements, and how to reproduce it."""

from __future__ import annotations

import platform
from functools import partial
from importlib.metadata import version
from math import isnan
from typing import TYPE_CHECKING, Any

from mtassay import __version__
from mtassay.equality import best_first
from mtassay.errors import counted
from mtassay.kernels import backend
from mtassay.report.charts.human_scatter import human_scatter
from mtassay.report.document import Cell, Document, Graphic, Notes, Prose, Records, Section, Sentence, Signatures, table
from mtassay.report.documents.analyse import bucket_blocks, error_blocks, example_blocks, ngram_blocks
from mtassay.report.documents.compare import metric_tab, reach_notes, span
from mtassay.report.documents.humans import document as humans_document
from mtassay.report.documents.metaeval import document as metaeval_document
from mtassay.report.documents.rank import cluster_blocks
from mtassay.report.documents.score import headline as scored_headline
from mtassay.report.page.explorer import explorer
from mtassay.report.page.markup import SEGMENTS
from mtassay.report.sentences import comparison_sentences, power_sentences, rank_sentences
from mtassay.report.wording import headings, number, percent, share

if TYPE_CHECKING:
    from mtassay.analysis.bucket_tests import BucketTests
    from mtassay.metrics.core.metric import Metric
    from mtassay.report.document import Block, Table
    from mtassay.verbs.analyse_result import AnalyseResult
    from mtassay.verbs.metaeval.result import MetaEvaluation
    from mtassay.verbs.report import ReportResult

#: Replaces buckets, segments, n-grams and error classes.
_UNSEEN = Prose("There are no references, so this page has no buckets, marked segments, n-grams or error classes.")
_RECORDS = ("metric", "system", "score", "low", "high", "clusters")


def document(result: ReportResult, *, title: str | None = None) -> Document:
    """Sections of all verbs, each with the blocks that the verb itself shows.

    Args:
        result: the report.
        title: title of the page; by default the name of the test set.
    """
    analysed = result.analysed
    sections = [
        Section("summary", "Summary", _summary(result)),
        Section("scores", "Scores", _scores(result)),
        Section("significance", "Significance", _significance(result)),
        Section("clusters", "Clusters", () if result.ranked is None else tuple(cluster_blocks(result.ranked))),
        Section("differences", "Where they differ", (_UNSEEN,) if analysed is None else tuple(bucket_blocks(analysed))),
        Section("segments", "Segments", () if analysed is None else _segments(result, analysed)),
        Section("ngrams", "N-grams", () if analysed is None else tuple(ngram_blocks(analysed))),
        Section("errors", "Error classes", () if analysed is None else _errors(analysed)),
        Section("humans", "Human judgements", () if result.judged is None else humans_document(result.judged).blocks),
        Section("metaeval", "Metrics and humans", () if result.meta is None else _metaeval(result.meta)),
        Section("reproduce", "Reproduce", _reproduction(result)),
    ]
    name = result.scored.testset.name
    return Document(
        title or (f"{name}: systems compared" if name else "Systems compared"),
        tuple(section for section in sections if section.blocks),
        lambda: _records(result),
        result.to_dict,
        subtitle=scored_headline(result.scored),
    )


def _summary(result: ReportResult) -> tuple[Block, ...]:
    """The conclusions that the tests support: metric by metric, then where metrics disagree."""
    if result.ranked is None or result.compared is None:
        system = result.systems[0]
        shown = [
            f"{heading} {number(float(value), metric)}"
            for heading, metric, value in zip(
                headings(result.scored.metrics), result.scored.metrics, result.scored.scores[0], strict=True
            )
        ]
        return (Prose(f"There is one system, {system}, and nothing to compare it with: {', '.join(shown)}."),)
    n_metrics = len(result.scored.metrics)
    compared, ranked = comparison_sentences(result.compared), rank_sentences(result.ranked)
    power = power_sentences(result.powered, result.powered.pairs[0])[:1] if result.powered is not None else []
    names = headings(result.scored.metrics, arrows=False)
    of_metrics = [[compared[m]] for m in range(n_metrics)]
    if len(result.systems) > 2:  # the clusters of two systems would repeat the comparison
        of_metrics = [[compared[m], _without_metric(ranked[m], names[m])] for m in range(n_metrics)]
    of_metrics[0] += power
    prose = [Prose(" ".join(sentences)) for sentences in [*of_metrics, compared[n_metrics:]] if sentences]
    return (*prose, *reach_notes(result.compared))


def _without_metric(sentence: str, metric: str) -> str:
    """A sentence without its first words, for use after another sentence about the same metric.

    >>> _without_metric("By BLEU, there are 5 clusters.", "BLEU")
    'There are 5 clusters.'
    """
    rest = sentence.removeprefix(f"By {metric}, ")
    return rest[0].upper() + rest[1:]


def _scores(result: ReportResult) -> tuple[Block, ...]:
    """All metrics side by side, with intervals and clusters."""
    blocks: list[Block] = [_score_table(result)]
    if result.compared is not None:
        coverage = percent(1 - result.compared.alpha)
        lines = f"Lines beside scores, on wide pages, are {coverage} intervals."
        blocks.append(Notes(("The best score of each metric is marked.", lines)))
    return tuple(blocks)


def _score_table(result: ReportResult) -> Table:
    scored, compared = result.scored, result.compared
    best = scored.best()
    rows = []
    for s in scored.ranked:
        spans = [None] * len(scored.metrics) if compared is None else [span(c, s) for c in compared.comparisons]
        cells = [
            Cell(number(float(scored.scores[s, m]), metric), bool(best[s, m]), spans[m])
            for m, metric in enumerate(scored.metrics)
        ]
        row = [Cell(scored.systems[s]), *cells]
        if result.ranked is not None:
            row += [Cell(" ".join(str(n + 1) for n in result.ranked.clusterings[0].clusters_of(s)))]
        rows.append(row)
    header = ["system", *headings(scored.metrics)]
    if result.ranked is None:
        return table(header, rows)
    return table([*header, f"clusters, {scored.metrics[0].label}"], rows, n_notes=1)


def _significance(result: ReportResult) -> tuple[Block, ...]:
    if result.compared is None:
        return ()
    tabs = [metric_tab(result.compared, comparison, pairs=True) for comparison in result.compared.comparisons]
    return (*tabs, *reach_notes(result.compared))


def _segments(result: ReportResult, analysed: AnalyseResult) -> tuple[Block, ...]:
    """The segments that the script shows, and examples of the pair for readers without scripts."""
    gold = None if result.meta is None else result.meta.directions[0].gold
    shown = [
        Graphic(partial(explorer, analysed, n_examples=result.n_examples, gold=gold), scripted=True),
        Graphic(lambda: SEGMENTS, scripted=True),
    ]
    return (*shown, *example_blocks(analysed, guide=True))


def _errors(result: AnalyseResult) -> tuple[Block, ...]:
    """Rates of classes of errors: a row for each system with intervals, then tests of the pair."""
    views = [view for view in result.segments if view.name == "errors"]
    if not views:
        return ()
    metrics, tests = views[0].metrics, views[0].tests
    rows = [
        [Cell(result.systems[s]), *(_rate(of, metric, s) for of, metric in zip(tests, metrics, strict=True))]
        for s in result.scored.ranked
    ]
    heading, *tables = error_blocks(result)
    return (heading, table(["system", *headings(metrics)], rows), *tables)


def _rate(tests: BucketTests, metric: Metric, system: int) -> Cell:
    score, (low, high) = float(tests.scores[0, system]), tests.intervals[0, system].tolist()
    return Cell(number(score, metric), span=None if isnan(low) else (low, score, high))


def _metaeval(result: MetaEvaluation) -> tuple[Block, ...]:
    """Coefficients, and the scores behind them."""
    direction = result.directions[0]
    scores = [direction.gold_scores, *direction.metric_scores]
    order = best_first(direction.gold_scores)
    rows = [
        [direction.systems[s], share(float(scores[0][s]))]
        + [number(float(of[s]), metric) for of, metric in zip(scores[1:], direction.metrics, strict=True)]
        for s in order
    ]
    header = ["system", f"human {direction.gold.method}", *headings(direction.metrics)]
    return (
        *metaeval_document(result).blocks,
        Graphic(partial(human_scatter, direction)),
        table(header, rows),
    )


def _reproduction(result: ReportResult) -> tuple[Block, ...]:
    """Command, versions and signatures."""
    signed = result.compared.comparisons if result.compared is not None else ()
    pairs = [(c.metric, c.signature) for c in signed] or [
        *zip(result.scored.metrics, result.scored.signatures, strict=True)
    ]
    versions = [
        f"mtassay {__version__} ({backend()} kernels)",
        f"Python {platform.python_version()}",
        *(f"{name} {version(name)}" for name in ("numpy", "scipy")),
    ]
    settings = []
    if (analysed := result.analysed) is not None:
        procedure = analysed.resampling.procedure
        settings = [
            f"Words: tokenizer {analysed.tok}{', lower case' if analysed.case == 'lower' else ''}.",
            f"Buckets: {counted(procedure.resamples, 'resample')}, seed {procedure.seed}.",
        ]
    if result.powered is not None:
        design = result.powered.design
        settings.append(f"Power: {counted(design.trials, 'simulated test set')}, seed {design.procedure.seed}.")
    lines = [Signatures((f"$ {result.command}",))] if result.command else []
    return (
        *lines,
        Sentence(" · ".join(versions)),
        *([Sentence("\n".join(settings))] if settings else []),
        Signatures(tuple(f"{metric.label}|{signature}" for metric, signature in pairs)),
    )


def _records(result: ReportResult) -> Records:
    """A row per metric and system: scores, intervals, clusters."""
    if result.ranked is None or result.compared is None:
        scores: list[tuple[Any, ...]] = [
            (of["name"], of["system"], of["score"], None, None, []) for of in result.scored.to_dict()["scores"]
        ]
        return Records(_RECORDS, scores)
    rows = [
        (
            of["name"],
            row["system"],
            row["score"],
            *row["interval"],
            [n for n, members in enumerate(clusters["clusters"], 1) if row["system"] in members],
        )
        for of, clusters in zip(result.compared.to_dict()["metrics"], result.ranked.to_dict()["metrics"], strict=True)
        for row in of["systems"]
    ]
    return Records(_RECORDS, rows)
