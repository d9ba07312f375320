"""``mtassay power``: how many segments a test needs."""

from __future__ import annotations

from mtassay.cli.arguments import Parser, add_inputs, add_procedure, read_inputs, width
from mtassay.cli.output import add_output, check_plots, finish
from mtassay.cli.progress import bar

_EXAMPLES = """\
  mtassay power ref.txt -i a.txt b.txt                      power by number of segments, from this test set
  mtassay power ref.txt -i hyp/* --pair a b -m bleu chrf    one pair of many
  mtassay power ref.txt -i a.txt b.txt --difference .5      for a true difference of .5 BLEU
  mtassay power ref.txt -i a.txt b.txt --sizes 500 1000 2000 4000 --power .9
  mtassay power ref.txt -i a.txt b.txt --plot power power.pdf
"""
_NAMES = (
    *("sizes", "difference", "power", "trials", "pair", "baseline"),
    *("sides", "resamples", "alpha", "unit", "seed", "threads", "execution"),
)


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("power", "Estimate from a pilot test set how likely a test is to find a difference.", _EXAMPLES)
    add_inputs(parser)
    tests = add_procedure(parser, resamples="resamples for each simulated test (default: 25 / α: 500 for α = .05)")
    tests.add_argument("--pair", nargs=2, metavar="NAME", help="the two systems to compare (default: all pairs)")
    tests.add_argument("--baseline", metavar="NAME", help="compare only this system with each of the others")
    tests.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        metavar="N",
        help="sizes of simulated test sets, in segments or documents (default: eight sizes, from 1/8 to 4 times the "
        "test set)",
    )
    tests.add_argument(
        "--difference", type=float, metavar="D", help="true difference between the systems (default: the observed one)"
    )
    tests.add_argument(
        "--power", type=float, default=0.8, metavar="P", help="wanted probability of finding a difference (default: .8)"
    )
    tests.add_argument(
        "--trials", type=int, default=400, metavar="N", help="number of simulated test sets (default: 400)"
    )
    output = add_output(parser, plots="power")
    output.add_argument("-w", "--width", type=width, metavar="N", help="decimals of differences")
    output.add_argument("--signatures", action="store_true", help="show the signature of every metric")
    output.add_argument("-q", "--quiet", action="store_true", help="leave out how to read the table")
    args = parser.parse_args(argv)
    check_plots(args, "power")
    from mtassay.verbs.power import power

    result = power(
        read_inputs(args),
        metrics=args.metrics,
        test=args.test[0],
        progress=bar("simulating"),
        **{name: getattr(args, name) for name in _NAMES},
    )
    return finish(args, result, width=args.width, guide=not args.quiet)
