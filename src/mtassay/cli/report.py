"""``mtassay report``: everything about a test set in one page."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from mtassay.cli.analyse import add_alignment, labels_of
from mtassay.cli.arguments import Parser, add_inputs, add_procedure, read_inputs
from mtassay.cli.judgements import add_judgements, add_span_weights, check_judgements_given, read_judged
from mtassay.cli.output import add_output, finish
from mtassay.cli.progress import bar
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    import argparse

_EXAMPLES = """\
  mtassay report ref.txt -i hyp/* -o report.html                  all views, BLEU, chrF and TER
  mtassay report wmt13/fr-en -m bleu chrf meteor -j 0 -o report.html
  mtassay report ref.txt -i a.txt b.txt --source src.txt -l de-en --title 'Release 7' -o report.html
  mtassay report ref.txt -i hyp/* --judgements da.tsv -o report.html   with human scores and meta-evaluation
  mtassay report ref.txt -i hyp/* --examples 1000 -o report.html       texts of more segments, a larger file
  mtassay report ref.txt -i hyp/* -f json                         the numbers of all verbs

the page is one file: it opens from disk and needs no network. docs/report.md shows it.
"""
_NAMES = (
    *(
        "gold",
        "span_weights",
        "level",
        "pair",
        "frequencies",
        "layer",
        "segment_labels",
        "alignment",
        "tok",
        "lowercase",
        "top",
        "examples",
    ),
    *("sides", "resamples", "alpha", "adjust", "unit", "seed", "threads", "execution"),
)


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("report", "Write a page with everything about a test set: scores, tests, differences.", _EXAMPLES)
    add_inputs(parser)
    _add_tests(parser)
    _add_views(parser)
    _add_judgements(parser)
    output = add_output(parser, default="html")
    output.add_argument("--title", metavar="TEXT", help="title of the page (default: the name of the test set)")
    args = parser.parse_args(argv)
    check_judgements_given(args)
    if args.format == "html" and args.output is None and sys.stdout.isatty():
        raise MtassayError("a page is for a browser, not for a terminal: write it to a file, as in -o report.html")
    from mtassay.verbs.report import report

    testset = read_inputs(args)
    judged = None
    if args.judgements is not None:
        judged = read_judged(args.judgements, args, lp=args.language_pair, testset=testset)
    result = report(
        testset,
        metrics=args.metrics,
        judgements=judged,
        labels=labels_of(args.labels),
        test=args.test[0],
        command=shlex.join(["mtassay", "report", *argv]),
        progress=bar("reporting"),
        **{name: getattr(args, name) for name in _NAMES},
    )
    return finish(args, result, title=args.title)


def _add_tests(parser: argparse.ArgumentParser) -> None:
    resamples = "resamples for tests and intervals of systems (default: 10000; sacrebleu-bs: 1000)"
    tests = add_procedure(parser, resamples=resamples, metrics="bleu chrf ter")
    tests.add_argument(
        "--adjust",
        default="holm",
        metavar="RULE",
        help="adjust p-values for the number of comparisons: none, holm, bh (default: holm)",
    )


def _add_views(parser: argparse.ArgumentParser) -> None:
    views = parser.add_argument_group("what to show")
    views.add_argument(
        "--examples",
        type=int,
        default=200,
        metavar="N",
        help="number of segments whose texts are in the page, which limits its size (default: 200)",
    )
    views.add_argument(
        "--pair",
        nargs=2,
        metavar="NAME",
        help="systems to compare in n-grams, and to show first (default: the two best)",
    )
    views.add_argument(
        "-n", "--top", type=int, default=10, metavar="N", help="n-grams and examples for each system (default: 10)"
    )
    views.add_argument(
        "--frequencies", metavar="FILE", help="word frequencies: a corpus, or lines of word, tab and count"
    )
    views.add_argument(
        "--labels",
        nargs="+",
        metavar="LABELS",
        help="labels of words: an annotator such as stanza:en, or a file for each reference and each system",
    )
    views.add_argument(
        "--layer", metavar="LAYER", help="which annotation is the label: upos, xpos, class, relation or entity"
    )
    add_alignment(views)
    views.add_argument("--segment-labels", metavar="FILE", help="labels of segments, one per line")
    views.add_argument("--tok", metavar="TOK", help="tokenizer for words and n-grams (default: chosen by -l, else 13a)")
    views.add_argument("-lc", "--lowercase", action="store_true", help="compare words and n-grams in lower case")


def _add_judgements(parser: argparse.ArgumentParser) -> None:
    judged = parser.add_argument_group("human judgements (docs/formats.md)")
    judged.add_argument("--judgements", metavar="FILE", help="rankings, preferences or scores of the systems")
    judged.add_argument(
        "--gold", metavar="METHOD", help="how judgements become scores of systems, as in humans --method"
    )
    judged.add_argument(
        "--level",
        default="system",
        metavar="LEVEL",
        help="level of the meta-evaluation: system or segment (default: system)",
    )
    add_judgements(judged)
    add_span_weights(judged)
