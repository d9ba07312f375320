"""``mtassay rank``: systems in clusters of those that no test tells apart."""

from __future__ import annotations

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
)
from mtassay.errors import MtassayError
from mtassay.report.plots import RANK_KINDS
from mtassay.report.tables import FORMATS

_EXAMPLES = """\
  mtassay rank ref.txt -i hyp/* -m bleu
  mtassay rank ref.txt -i hyp/* -m bleu chrf ter --sweep   how clusters change with the level
  mtassay rank ref.txt -i hyp/* --by-intervals             told apart by intervals that do not overlap
  mtassay rank ref.txt -i hyp/* --plot clusters rank.svg
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("rank", "Rank systems in clusters of those that are not told apart.", _EXAMPLES)
    add_inputs(parser)
    tests = add_tests(parser)
    tests.add_argument("--by-intervals", action="store_true", help="compare confidence intervals instead of testing")
    tests.add_argument("--sweep", action="store_true", help="also clusters and agreement at levels from .001 to .05")
    output = add_output(parser, FORMATS)
    output.add_argument("--signatures", action="store_true", help="show the signature of every metric")
    add_plot(output, RANK_KINDS)
    args = parser.parse_args(argv)
    check_plot(args, RANK_KINDS)
    if args.by_intervals and (args.test != "ar" or args.adjust != "none" or args.sides):
        raise MtassayError("--by-intervals tests nothing: leave out --test, --sides and --adjust")
    if args.sweep and args.format == "tsv":
        raise MtassayError("tsv has the clusters only: leave out --sweep, or take json")
    from mtassay.report import rank as report
    from mtassay.verbs.rank import rank

    result = rank(
        read_inputs(args),
        criterion="intervals" if args.by_intervals else "test",
        metrics=parse_metrics(args),
        **options_of_tests(args),
    )
    if args.format == "json":
        text = report.json_text(result, sweep=args.sweep)
    elif args.format == "text":
        text = report.text(result, sweep=args.sweep, signatures=args.signatures)
    else:
        text = report.pages(result, args.format, sweep=args.sweep)
    return finish(args, text, result)
