"""``mtassay rank``: systems in clusters, by significance tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.cli.arguments import (
    Parser,
    add_inputs,
    add_tests,
    options_of_tests,
    read_inputs,
)
from mtassay.cli.output import add_output, check_plots, finish, without_effect, without_tsv
from mtassay.cli.streams import may_stream_resamples, of_streams, stream_inputs
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    import argparse

    from mtassay.verbs.rank import RankResult

_EXAMPLES = """\
  mtassay rank ref.txt -i hyp/* -m bleu
  mtassay rank ref.txt -i hyp/* -m bleu chrf ter --sweep   how clusters change with α
  mtassay rank ref.txt -i hyp/* --by-intervals             systems whose intervals overlap share a cluster
  mtassay rank ref.txt -i hyp/* --plot clusters rank.svg
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    description = "Rank systems in clusters. Systems without a common cluster differ significantly."
    parser = Parser("rank", description, _EXAMPLES)
    add_inputs(parser)
    tests = add_tests(parser)
    tests.add_argument(
        "--by-intervals", action="store_true", help="make clusters by confidence intervals instead of tests"
    )
    tests.add_argument("--sweep", action="store_true", help="also show clusters and agreement at α from .001 to .05")
    output = add_output(parser, plots="rank")
    output.add_argument("--signatures", action="store_true", help="show the signature of every metric")
    args = parser.parse_args(argv)
    check_plots(args, "rank")
    if args.by_intervals:
        without_effect(args, "test", "sides", "adjust")
    if args.sweep:
        without_tsv(args)
    if args.sweep and args.format == "tsv":
        raise MtassayError("tsv has only the clusters: leave out --sweep, or choose json")
    return finish(args, _ranked(args), sweep=args.sweep)


def _ranked(args: argparse.Namespace) -> RankResult:
    options = {"by_intervals": args.by_intervals, "metrics": args.metrics, **options_of_tests(args)}
    if may_stream_resamples(args):
        from mtassay.verbs.compare_files import rank_files

        return rank_files(**stream_inputs(args), **of_streams(options))
    from mtassay.verbs.rank import rank

    return rank(read_inputs(args), **options)
