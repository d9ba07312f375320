"""``mtassay metaeval``: which metric agrees best with human judgements."""

from __future__ import annotations

import argparse
import os.path
from typing import TYPE_CHECKING

from mtassay.cli.arguments import Parser, add_execution, add_inputs, read_inputs
from mtassay.cli.judgements import add_judgements, add_span_weights, read_judged
from mtassay.cli.output import add_output, check_plots, finish
from mtassay.cli.progress import bar
from mtassay.errors import MtassayError, counted

if TYPE_CHECKING:
    from mtassay.data import ErrorSpans, TestSet
    from mtassay.data.judgements import Judgements

_EXAMPLES = """\
  mtassay metaeval wmt13/fr-en --judgements wmt13/fr-en/pairs.tsv -m bleu nist RAC1 ter --level segment
  mtassay metaeval wmt13/fr-en wmt13/cs-en --judgements wmt13/{lp}/pairs.tsv -m bleu ter       average over directions
  mtassay metaeval wmt23/en-de --references refA --judgements wmt23/human-scores/en-de.mqm.seg.score \\
      --metric-scores wmt23/metric-scores --correlation pearson accuracy --test perm-both
  mtassay metaeval wmt23/en-de --references refA --judgements wmt23/human-scores/en-de.mqm.merged.seg.rating \\
      --metric-spans xcomet.jsonl -m chrf --level segment          errors that a metric marks
  mtassay metaeval ref.txt -i hyp/* --judgements da.csv --gold z -m chrf --correlation pearson   separate files
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    args = _parser().parse_args(argv)
    check_plots(args, "metaeval")
    from mtassay.verbs.metaeval.verb import metaeval

    if "heatmap" in dict(args.plot) and args.test in {"none", "zou"}:
        raise MtassayError("the heat map shows p-values between metrics: choose a test that gives p-values with --test")
    if args.pairs and args.test == "none":
        raise MtassayError("--pairs shows the result of a test between metrics: choose one with --test")
    testsets = _testsets(args)
    files = _files_of_judgements(args, [testset.language_pair for testset in testsets.values()])
    judgements: dict[str, Judgements] = {}
    metrics: dict[str, list[str]] = {}
    spans: dict[str, dict[str, ErrorSpans]] = {}
    for (name, testset), path in zip(testsets.items(), files, strict=True):
        judgements[name] = read_judged(path, args, testset=testset)
        metrics[name] = [_filled(text, testset.language_pair, "-m") for text in args.metrics]
        spans[name] = _metric_spans(args, testset)
    result = metaeval(
        testsets,
        judgements=judgements,
        metrics=metrics if args.metrics else None,
        metric_scores=args.metric_scores,
        level=args.level,
        gold=args.gold,
        span_weights=args.span_weights,
        metric_spans=spans,
        correlation=args.correlation,
        average=args.average,
        test=args.test,
        resamples=args.resamples,
        seed=args.seed,
        alpha=args.alpha,
        digits=args.digits,
        include_outliers=args.include_outliers,
        threads=args.threads,
        execution=args.execution,
        progress=bar("scoring"),
    )
    return finish(args, result, pairs=args.pairs)


def _parser() -> Parser:
    parser = Parser("metaeval", "Find the metric that agrees best with human judgements.", _EXAMPLES)
    add_inputs(parser)
    humans = parser.add_argument_group("human judgements")
    humans.add_argument(
        "--judgements",
        nargs="+",
        required=True,
        metavar="FILE",
        help="judgements: one file per test set, or one for all; {lp} stands for the language pair",
    )
    humans.add_argument(
        "--gold",
        metavar="METHOD",
        help="human scores of systems; from preferences: expected-wins (default) wins wins+ties net-wins soccer "
        "bradley-terry trueskill; from scores: z (default if judges are named) mean (default otherwise) even",
    )
    add_judgements(humans)
    add_span_weights(humans)
    what = parser.add_argument_group("what to compare with them")
    what.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        default=[],
        metavar="METRIC",
        help="metric specifications (default: bleu, unless there are --metric-scores); {lp} stands for the language "
        "pair",
    )
    what.add_argument(
        "--metric-scores",
        nargs="+",
        default=[],
        metavar="DIR",
        help="folders with *.seg.score or *.sys.score files of metrics, or with one such folder per language pair",
    )
    what.add_argument(
        "--metric-spans",
        nargs="+",
        default=[],
        metavar="[NAME=]FILE",
        help="error spans that metrics mark (formats spans and ratings), compared with those of --judgements",
    )
    what.add_argument(
        "--level",
        choices=("system", "segment"),
        default="system",
        help="compare scores of systems or of segments (default: system)",
    )
    what.add_argument(
        "--correlation",
        nargs="+",
        metavar="NAME",
        help="coefficients; the first sorts the metrics. system: spearman pearson kendall-b kendall-c clusters fuzzy "
        "accuracy soft-accuracy orange; segment, preferences: wmt13 (default) wmt12 wmt14; segment, scores: pearson "
        "spearman kendall-b kendall-c kendall-23 acc23 acc-eq darr",
    )
    what.add_argument(
        "--average",
        choices=("none", "segment", "system"),
        help="for scores at segment level: correlate all outputs together (none), or average the correlations of "
        "segments or of systems (default: segment)",
    )
    what.add_argument(
        "--include-outliers",
        action="store_true",
        help="keep systems that the organisers excluded from the meta-evaluation",
    )
    what.add_argument(
        "--digits",
        type=int,
        metavar="N",
        help="round metric scores before correlating: to N digits on a scale from 0 to 1, N - 2 digits on a scale "
        "from 0 to 100 (WMT13: 4)",
    )
    tests = parser.add_argument_group("tests between metrics")
    tests.add_argument(
        "--test",
        default="none",
        metavar="TEST",
        help="williams williams-graham williams-absolute perm-both zou bootstrap none (default: none)",
    )
    tests.add_argument("--pairs", action="store_true", help="also show a matrix of p-values")
    tests.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="P",
        help="significance level α; intervals cover 1 - P (default: .05)",
    )
    tests.add_argument(
        "--resamples",
        type=int,
        default=0,
        metavar="R",
        help="resamples for intervals and tests (default: 1000; soft-accuracy: 10000; perm-both: all ways of "
        "swapping up to 18 systems, else 10000)",
    )
    tests.add_argument("--seed", type=int, default=12345, help="seed of the resamples (default: 12345)")
    add_execution(tests)
    output = add_output(parser, plots="metaeval")
    output.add_argument("--signatures", action="store_true", help="show the signature of every metric")
    return parser


def _testsets(args: argparse.Namespace) -> dict[str, TestSet]:
    """The test set of each translation direction, by name."""
    refs = [*args.refs, *args.more_refs]
    if args.input is not None or not refs:
        return {args.language_pair or "all": read_inputs(args)}
    found = [_whole(args, path) for path in refs]
    pairs = [testset.language_pair for testset in found]
    names = [
        lp if lp is not None and pairs.count(lp) == 1 else testset.name or path
        for lp, testset, path in zip(pairs, found, refs, strict=True)
    ]
    for name in names:
        if names.count(name) > 1:
            raise MtassayError(f"two test sets are called {name}: give each direction once")
    return dict(zip(names, found, strict=True))


def _whole(args: argparse.Namespace, path: str) -> TestSet:
    """Read a test set that is a folder or file."""
    from mtassay.data import is_test_set
    from mtassay.io.inputs import STDIN, is_url

    if not is_test_set(path, n_ref_columns=args.num_refs):
        if path != STDIN and not is_url(path) and not os.path.exists(path):  # noqa: PTH110
            raise MtassayError(f"{path}: no such file or folder")
        raise MtassayError(
            f"{path} is not a whole test set (a folder, .jsonl, .tsv or .xml); for separate files write REF... -i "
            "SYS..."
        )
    return read_inputs(argparse.Namespace(**{**vars(args), "refs": [path], "more_refs": []}))


def _files_of_judgements(args: argparse.Namespace, pairs: list[str | None]) -> list[str]:
    """The file of judgements for each direction."""
    files = args.judgements * len(pairs) if len(args.judgements) == 1 else args.judgements
    if len(files) != len(pairs):
        raise MtassayError(
            f"{counted(len(files), 'file')} of judgements for {counted(len(pairs), 'test set')}: give one for each, "
            "or one for all"
        )
    return [_filled(path, lp, "--judgements") for path, lp in zip(files, pairs, strict=True)]


def _metric_spans(args: argparse.Namespace, testset: TestSet) -> dict[str, ErrorSpans]:
    """The error spans of metrics, by the given name or else the name of the file."""
    from mtassay.data import ErrorSpans, load_judgements
    from mtassay.data.formats import uncompressed_name, without_suffix

    found: dict[str, ErrorSpans] = {}
    for text in args.metric_spans:
        name, equals, path = text.partition("=")
        if not equals or "/" in name:
            path = text
            name = without_suffix(uncompressed_name(path), (".seg.rating", ".rating", ".jsonl"))
        path = _filled(path, testset.language_pair, "--metric-spans")
        if name in found:
            raise MtassayError(f"--metric-spans: two files are called {name}: write NAME=FILE")
        spans = load_judgements(path, testset=testset, ignore_unknown=True, encoding=args.encoding)
        if not isinstance(spans, ErrorSpans):
            raise MtassayError(f"{path} has no error spans")
        found[name] = spans
    return found


def _filled(text: str, lp: str | None, option: str) -> str:
    if "{lp}" in text and lp is None:
        raise MtassayError(f"{option} {text}: the language pair is not known; give it with -l")
    return text.replace("{lp}", lp or "")
