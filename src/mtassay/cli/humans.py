"""``mtassay humans``: systems ranked by human judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.cli.arguments import Parser
from mtassay.cli.judgements import add_judgements, add_span_weights, add_test_set, read_judged, read_test_set
from mtassay.cli.output import add_output, check_plots, finish, without_effect
from mtassay.cli.progress import bar
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    import argparse

    from mtassay.data.error_spans import ErrorSpans
    from mtassay.data.judgements import Preferences, Rankings, Scores

_EXAMPLES = """\
  mtassay humans wmt12.RNK_results.csv -l cs-en                    expected wins, rank ranges, clusters
  mtassay humans rankings.tsv --method bradley-terry wins soccer   several methods; ranks are by the first
  mtassay humans rankings.tsv --method trueskill --resamples 200
  mtassay humans DA.ad-seg-scores-cs-en.csv                        direct assessment: means and rank-sum tests
  mtassay humans wmt07.judgements.csv -l de-en --domain Europarl --task adequacy --then fluency
  mtassay humans adequacy.tsv fluency.tsv                          adequacy, then fluency, from two files
  mtassay humans ad-latest.csv -l cs-en --drop-careless            drop judges who fail the control items
  mtassay humans en-de.mqm.merged.seg.rating                       error spans: MQM
  mtassay humans esa.jsonl --span-weights minor=1 major=10         spans of ESA instead of its scores
  mtassay humans rankings.tsv --plot ranks ranks.pdf

methods for rankings and preferences: wins, wins+ties, expected-wins, net-wins, soccer, bradley-terry, trueskill,
trueskill-resampled, feedback-arcs, feedback-arcs-net; for scores: mean, z (standardised per judge), even (rank in
the judge's own distribution)
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "humans", "Rank systems by human judgements: rankings, preferences, scores or error spans.", _EXAMPLES
    )
    _add_inputs(parser)
    _add_methods(parser)
    output = add_output(parser, plots="humans")
    output.add_argument(
        "--pairs",
        action="store_true",
        help="also show a row per pair: p-values and the significantly better system (tsv: only these)",
    )
    args = parser.parse_args(argv)
    check_plots(args, "humans")
    from mtassay.data import Preferences, Rankings
    from mtassay.verbs.humans import humans

    judgements = _judgements(args)
    if not isinstance(judgements, Rankings | Preferences):
        without_effect(args, "unit")
    result = humans(
        judgements,
        method=args.method,
        systems=args.systems,
        alpha=args.alpha,
        resamples=args.resamples,
        unit=args.unit,
        seed=args.seed,
        drop_careless=args.drop_careless,
        drop_inconsistent=args.drop_inconsistent,
        control_test=args.control_test,
        span_weights=args.span_weights,
        progress=bar("playing"),
    )
    return finish(args, result, pairs=args.pairs)


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    inputs = parser.add_argument_group("judgements (docs/formats.md; .gz .bz2 .xz; - is standard input)")
    inputs.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="judgements; the scores of a second file break ties of the first (adequacy, then fluency)",
    )
    add_judgements(inputs)
    add_span_weights(inputs)
    inputs.add_argument("--then", metavar="TASK", help="task (or aspect) of the same file that breaks ties of --task")
    inputs.add_argument("--systems", nargs="+", metavar="NAME", help="rank only these systems")
    add_test_set(inputs)


def _add_methods(parser: argparse.ArgumentParser) -> None:
    methods = parser.add_argument_group("how to rank")
    methods.add_argument(
        "--method",
        nargs="+",
        metavar="METHOD",
        help="methods, see below; the first gives ranks and clusters (default: expected-wins; for scores z if judges "
        "are named and there are more than two values, else mean)",
    )
    methods.add_argument(
        "--resamples",
        type=int,
        default=0,
        metavar="R",
        help="resamples of the judgements for rank ranges, or runs of trueskill (default: 1000)",
    )
    methods.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="P",
        help="significance level α; rank ranges cover 1 - P of the resamples (default: .05)",
    )
    methods.add_argument(
        "--unit",
        metavar="UNIT",
        help="unit to resample and exchange: screen, judgement or segment (default: screen; judgement with "
        "trueskill-resampled; always segment for scores)",
    )
    methods.add_argument("--seed", type=int, default=12345, help="seed of the resamples (default: 12345)")
    methods.add_argument(
        "--drop-careless",
        action="store_true",
        help="drop judges who do not score degraded items (BAD_REF, BAD) significantly lower",
    )
    methods.add_argument(
        "--drop-inconsistent",
        action="store_true",
        help="drop judges who score repeated items (REPEAT, CHK) significantly differently",
    )
    methods.add_argument(
        "--control-test",
        default="t",
        metavar="TEST",
        help="test for dropping judges, at α = .05: t (paired, as in WMT) or signed-rank (default: t)",
    )


def _judgements(args: argparse.Namespace) -> Rankings | Preferences | Scores | ErrorSpans | list[Scores | ErrorSpans]:
    """Read the judgements of one file, or the scores of two aspects (from two files, or by --task and --then)."""
    from mtassay.data import ErrorSpans, Scores

    lp, testset = args.language_pair, read_test_set(args)
    if args.then is None and len(args.files) == 1:
        return read_judged(args.files[0], args, lp=lp, testset=testset)
    if len(args.files) > 2 or (args.then is not None and len(args.files) > 1):
        raise MtassayError("at most two aspects can be combined: give two files, or one file with --task and --then")
    if args.then is not None and args.task is None:
        raise MtassayError("--then needs --task, as in --task adequacy --then fluency")
    found: list[Scores | ErrorSpans] = []
    for path, task in zip((args.files[0], args.files[-1]), (args.task, args.then or args.task), strict=True):
        args.task = task
        judged = read_judged(path, args, lp=lp, testset=testset)
        if not isinstance(judged, Scores | ErrorSpans):
            raise MtassayError(f"{path} has preferences, but only scores of two aspects can be combined: give one file")
        found.append(judged)
    return found
