"""``mtassay compare``: test which differences between systems are significant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.cli.arguments import (
    Parser,
    add_inputs,
    add_tests,
    options_of_tests,
    read_inputs,
    width,
)
from mtassay.cli.output import add_output, check_plots, finish
from mtassay.cli.progress import bar
from mtassay.cli.streams import may_stream_resamples, of_streams, stream_inputs
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    import argparse

    from mtassay.verbs.compare import CompareResult

_EXAMPLES = """\
  mtassay compare ref.txt -i hyp/* -m bleu ter             all pairs, approximate randomisation
  mtassay compare ref.txt -i base.txt a.txt b.txt --baseline base --pairs
  mtassay compare ref.txt -i hyp/* --adjust holm           corrected for the number of pairs
  mtassay compare ref.txt -i hyp/* --test pbs --resamples 1000   Koehn's paired bootstrap
  mtassay compare ref.txt -i hyp/* --test ar bs pbs        compare tests with each other (all: every test)
  mtassay compare ref.txt -i a.opt* b.opt* --runs '\\.opt[0-9]+$'
  mtassay compare ref.txt -i hyp/* --plot heatmap p.pdf
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "compare", "Test which differences between systems are significant: all pairs, all metrics.", _EXAMPLES
    )
    add_inputs(parser)
    tests = add_tests(parser, several=True)
    tests.add_argument("--baseline", metavar="NAME", help="compare only this system with each of the others")
    output = add_output(parser, plots="compare")
    output.add_argument("--pairs", action="store_true", help="also show a row per pair: difference, interval, p-values")
    output.add_argument("-w", "--width", type=width, metavar="N", help="decimals")
    output.add_argument("--signatures", action="store_true", help="show the signature of every metric")
    output.add_argument("-q", "--quiet", action="store_true", help="leave out the explanation of the table")
    output.add_argument("--pair", nargs=2, metavar="NAME", help="the two systems for --plot distribution")
    args = parser.parse_args(argv)
    several = len(args.test) > 1 or args.test == ["all"]
    check_plots(args, "compare_tests" if several else "compare")
    if args.pair and {kind for kind, _ in args.plot} != {"distribution"}:
        raise MtassayError("--pair chooses the systems for --plot distribution FILE")
    if several:
        return _several_tests(args)
    return finish(
        args,
        _compared(args),
        plot=_plot_options(args),
        pairs=args.pairs,
        width=args.width,
        guide=not args.quiet,
    )


def _compared(args: argparse.Namespace) -> CompareResult:
    options = {"metrics": args.metrics, "baseline": args.baseline, **options_of_tests(args)}
    if may_stream_resamples(args):
        from mtassay.verbs.compare_files import compare_files

        return compare_files(**stream_inputs(args), **of_streams(options))
    from mtassay.verbs.compare import compare

    return compare(read_inputs(args), **options)


def _plot_options(args: argparse.Namespace) -> dict[str, tuple[str, ...]]:
    return {"pair": tuple(args.pair)} if args.pair else {}


def _several_tests(args: argparse.Namespace) -> int:
    from mtassay.verbs.agreement_of_tests import TESTS, compare_tests

    if args.pairs or args.baseline or args.sides or args.runs or args.interval != "percentile":
        raise MtassayError(
            "several tests are compared over all pairs: leave out --pairs, --baseline, --runs and --interval, and "
            "write the sides as in ar1 or bs2"
        )
    tests = compare_tests(
        read_inputs(args),
        metrics=args.metrics,
        test=TESTS if args.test == ["all"] else args.test,
        resamples=args.resamples,
        seed=args.seed,
        alpha=args.alpha,
        adjust=args.adjust,
        unit=args.unit,
        threads=args.threads,
        execution=args.execution,
        progress=bar("comparing"),
    )
    return finish(args, tests, plot=_plot_options(args))
