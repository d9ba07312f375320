"""``mtassay compare``: which differences are real."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.cli.arguments import (
    Parser,
    add_inputs,
    add_output,
    add_plot,
    add_tests,
    check_plot,
    finish,
    options_of_tests,
    parse_metrics,
    read_inputs,
    shown,
    width,
    writing,
)
from mtassay.cli.progress import bar
from mtassay.errors import MtassayError
from mtassay.report.plots import COMPARE_KINDS
from mtassay.report.tables import FORMATS

if TYPE_CHECKING:
    import argparse

_EXAMPLES = """\
  mtassay compare ref.txt -i hyp/* -m bleu ter             all pairs, approximate randomisation
  mtassay compare ref.txt -i base.txt a.txt b.txt --baseline base --pairs
  mtassay compare ref.txt -i hyp/* --adjust holm           corrected for the number of pairs
  mtassay compare ref.txt -i hyp/* --test pbs --draws 1000 Koehn's paired bootstrap
  mtassay compare ref.txt -i hyp/* --all-tests             how far the tests agree
  mtassay compare ref.txt -i a.opt* b.opt* --runs '\\.opt[0-9]+$'
  mtassay compare ref.txt -i hyp/* --plot heatmap p.pdf
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("compare", "Test which differences between systems are real: all pairs, all metrics.", _EXAMPLES)
    add_inputs(parser)
    tests = add_tests(parser)
    tests.add_argument("--baseline", metavar="NAME", help="compare this system with every other, and no other pairs")
    tests.add_argument("--all-tests", action="store_true", help="run every test, and show how far they agree")
    output = add_output(parser, FORMATS)
    output.add_argument("--pairs", action="store_true", help="also a row per pair: difference, interval, p-values")
    output.add_argument("-w", "--width", type=width, metavar="N", help="decimals")
    output.add_argument("--signatures", action="store_true", help="show the signature of every metric")
    add_plot(output, COMPARE_KINDS)
    output.add_argument("--pair", nargs=2, metavar="NAME", help="the pair of --plot distribution")
    args = parser.parse_args(argv)
    check_plot(args, COMPARE_KINDS)
    if args.pair and (not args.plot or args.plot[0] != "distribution"):
        raise MtassayError("--pair chooses the systems of --plot distribution FILE")
    if args.all_tests:
        return _all_tests(args)
    from mtassay.report import compare as report
    from mtassay.resampling.compare import compare

    result = compare(
        read_inputs(args),
        metrics=parse_metrics(args),
        baseline=args.baseline,
        **options_of_tests(args),
    )
    text = shown(args, result, report, pairs=args.pairs, width=args.width)
    return finish(args, text, result, pair=args.pair and tuple(args.pair))


def _all_tests(args: argparse.Namespace) -> int:
    import json

    from mtassay.metrics.score import score
    from mtassay.ranking.all_tests import compare_tests
    from mtassay.report.compare import tests_text

    if args.format not in {"text", "json"}:
        raise MtassayError(f"--all-tests writes text or json, not {args.format}")
    if args.pairs or args.baseline or args.test != "ar" or args.sides:
        raise MtassayError("--all-tests is of every test and all pairs: leave out --test, --sides, --pairs, --baseline")
    if args.plot and args.plot[0] != "heatmap":
        raise MtassayError("of all tests a heatmap can be drawn: --plot heatmap FILE")
    scored = score(read_inputs(args), metrics=parse_metrics(args), threads=args.jobs, progress=bar("scoring"))
    tests = compare_tests(
        scored,
        draws=args.draws,
        seed=args.seed,
        level=args.level,
        adjust=args.adjust,
        unit=args.unit,
        threads=args.jobs,
        progress=bar("comparing"),
    )
    text = tests_text(tests) if args.format == "text" else json.dumps(tests.to_dict(), indent=1, ensure_ascii=False)
    if args.plot:
        from mtassay.report.plots import compare_tests as plot_tests

        plot_tests(tests.results, args.plot[1])
    with writing(args.output) as out:
        out.line(text)
    return 0
