"""``mtassay analyse``: where systems differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.cli.arguments import Parser, add_execution, add_inputs, add_metrics, read_inputs
from mtassay.cli.judgements import add_judgements, read_optional
from mtassay.cli.output import add_output, finish, without_tsv
from mtassay.cli.progress import bar
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    import argparse

_EXAMPLES = """\
  mtassay analyse ref.txt -i a.txt b.txt -m bleu chrf       everything: words, segments, n-grams, examples
  mtassay analyse ref.txt -i hyp/* --by frequency length    only these tables
  mtassay analyse ref.txt -i a.txt b.txt --frequencies train.en.gz --by frequency
  mtassay analyse ref.txt -i a.txt b.txt --labels stanza:en --by label
  mtassay analyse ref.txt -i a.txt b.txt --labels spacy:en_core_web_sm --by entity
  mtassay analyse ref.txt -i a.txt b.txt --labels ref.pos a.pos b.pos --tok none --by label
  mtassay analyse ref.txt -i hyp/* --pair online-A online-B --by ngrams examples -n 20
  mtassay analyse wmt13/fr-en --judgements wmt13/fr-en/pairs.tsv --by examples
  mtassay analyse ref.txt -i hyp/* -f tsv --table ngrams
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("analyse", "Show where systems differ: kinds of words and segments, n-grams, examples.", _EXAMPLES)
    add_inputs(parser)
    _add_views(parser)
    add_human(parser)
    _add_tests(parser)
    output = add_output(parser)
    output.add_argument(
        "--table",
        metavar="TABLE",
        help="what -f tsv writes: buckets, ngrams or examples (default: the only one that --by asks for, or buckets)",
    )
    output.add_argument("--intervals", action="store_true", help="show the interval of every score of a bucket")
    output.add_argument("--signatures", action="store_true", help="show the signature of every metric")
    output.add_argument("-q", "--quiet", action="store_true", help="leave out how to read the tables")
    args = parser.parse_args(argv)
    if args.table is not None and args.format != "tsv":
        raise MtassayError(f"--table {args.table} is for -f tsv; other formats show what --by names")
    table = _table(args)
    from mtassay.verbs.analyse import analyse

    testset = read_inputs(args)
    result = analyse(
        testset,
        metrics=args.metrics,
        by=args.by,
        pair=None if args.pair is None else tuple(args.pair),
        frequencies=args.frequencies,
        labels=labels_of(args.labels),
        layer=args.layer,
        segment_labels=args.segment_labels,
        alignment=args.alignment,
        judgements=read_optional(args, testset),
        tok=args.tok,
        lowercase=args.lowercase,
        top=args.top,
        resamples=args.resamples,
        alpha=args.alpha,
        adjust=args.adjust,
        seed=args.seed,
        threads=args.threads,
        execution=args.execution,
        progress=bar("analysing"),
    )
    return finish(args, result, table=table, intervals=args.intervals, guide=not args.quiet)


def _table(args: argparse.Namespace) -> str:
    """The table that -f tsv writes; where several were asked for and none chosen, take back a default -f tsv."""
    from mtassay.verbs.analysis_plan import OF_PAIRS

    if args.table is not None:
        return str(args.table)
    tables = [view for view in OF_PAIRS if view in (args.by or ())]
    if not tables or {*args.by} - {*tables}:
        return "buckets"
    if len(tables) > 1:
        without_tsv(args)
        return "buckets"
    return tables[0]


def _add_views(parser: argparse.ArgumentParser) -> None:
    views = parser.add_argument_group("what to show")
    add_metrics(views)
    views.add_argument(
        "--by",
        nargs="+",
        metavar="VIEW",
        help="words by frequency, case, number, label, entity; segments by length, difference, score, domain, "
        "document, duplicates, segment-label; errors; ngrams; examples (default: all that the inputs allow, except "
        "document)",
    )
    views.add_argument(
        "--pair",
        nargs=2,
        metavar="NAME",
        help="systems to compare in tables, n-grams and examples (default: the two best)",
    )
    views.add_argument(
        "--frequencies",
        metavar="FILE",
        help="word frequencies: a corpus, or lines of word, tab and count (default: counts in the references)",
    )
    views.add_argument(
        "--labels",
        nargs="+",
        metavar="LABELS",
        help="labels of words: an annotator such as stanza:en, or a file for each reference and each system",
    )
    views.add_argument(
        "--layer",
        metavar="LAYER",
        help="which annotation is the label: upos, xpos, class (content and function words), relation or entity "
        "(default: the part of speech)",
    )
    views.add_argument("--segment-labels", metavar="FILE", help="labels of segments, one per line")
    add_alignment(views)
    views.add_argument("--tok", metavar="TOK", help="tokenizer for words and n-grams (default: chosen by -l, else 13a)")
    views.add_argument("-lc", "--lowercase", action="store_true", help="compare words and n-grams in lower case")
    views.add_argument(
        "-n", "--top", type=int, default=10, metavar="N", help="n-grams and examples for each system (default: 10)"
    )


def add_alignment(group: argparse._ArgumentGroup) -> None:
    """Add the option that chooses the alignment by which words of examples are marked."""
    group.add_argument(
        "--alignment",
        default="ter",
        metavar="METRIC",
        help="alignment that marks the words of examples: ter, or meteor, which matches stems and synonyms (default: "
        "ter)",
    )


def add_human(parser: argparse.ArgumentParser) -> None:
    """Add the options for human judgements to show beside examples."""
    humans = parser.add_argument_group("human judgements")
    humans.add_argument("--judgements", metavar="FILE", help="human judgements to show beside examples")
    add_judgements(humans)


def _add_tests(parser: argparse.ArgumentParser) -> None:
    tests = parser.add_argument_group("tests in each bucket")
    tests.add_argument(
        "--resamples", type=int, default=1000, metavar="R", help="resamples for tests and intervals (default: 1000)"
    )
    tests.add_argument("--alpha", type=float, default=0.05, metavar="P", help="significance level α (default: .05)")
    tests.add_argument(
        "--adjust", default="bh", metavar="RULE", help="adjustment of p-values: none, holm, bh (default: bh)"
    )
    tests.add_argument("--seed", type=int, default=12345, help="seed of the resamples (default: 12345)")
    add_execution(tests)


def labels_of(given: list[str] | None) -> Any:
    """What --labels names: one annotator, as its specification, or a list of files."""
    from mtassay.text.annotate import ANNOTATORS

    if given is not None and len(given) == 1 and given[0].partition(":")[0] in ANNOTATORS:
        return given[0]
    return given
