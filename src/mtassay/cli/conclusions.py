"""``mtassay conclusions``: how often tests on metrics conclude what human judgements conclude."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, cast

from mtassay.cli.arguments import Parser, add_execution, add_inputs, add_metrics, read_inputs
from mtassay.cli.judgements import add_judgements, read_judged
from mtassay.cli.output import add_output, check_plots, finish
from mtassay.cli.progress import bar
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    from mtassay.data import TestSet
    from mtassay.data.judgements import Judgements, Scores

_EXAMPLES = """\
  mtassay conclusions wmt12/es-en --judgements wmt12/wmt12.RNK_results.csv -m bleu nist meteor ter
  mtassay conclusions wmt21/cs-en --references refA --judgements wmt21/cs-en/DA.ad-seg-scores-cs-en.csv \\
      -m bleu chrf ter --alpha .05
  mtassay conclusions ref.txt -i hyp/* --judgements adequacy.tsv --fluency fluency.tsv
  mtassay conclusions ref.txt -i hyp/* --judgements pairs.tsv --test ar1 ar2 bs1 bs2 --plot tests p.svg
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "conclusions",
        "Compare the conclusions of significance tests on metrics with those of human judgements, pair by pair.",
        _EXAMPLES,
    )
    add_inputs(parser)
    _add_judgements(parser)
    _add_tests(parser)
    output = add_output(parser, plots="conclusions")
    output.add_argument("--signatures", action="store_true", help="show the signature of every metric")
    args = parser.parse_args(argv)
    check_plots(args, "conclusions")
    from mtassay.verbs.conclusions import conclusions

    testset = read_inputs(args)
    judgements, fluency = _read_judgements(args, testset)
    result = conclusions(
        testset,
        judgements=judgements,
        fluency=fluency,
        human_unit=args.human_unit,
        metrics=args.metrics,
        test=args.test,
        alpha=args.alpha,
        resamples=args.resamples,
        unit=args.unit,
        seed=args.seed,
        threads=args.threads,
        execution=args.execution,
        progress=bar("comparing"),
    )
    return finish(args, result)


def _add_judgements(parser: argparse.ArgumentParser) -> None:
    humans = parser.add_argument_group("human judgements")
    humans.add_argument("--judgements", metavar="FILE", help="rankings, preferences or segment scores (required)")
    humans.add_argument(
        "--fluency",
        metavar="FILE",
        help="fluency scores, which decide pairs that the adequacy scores of --judgements leave undecided",
    )
    humans.add_argument(
        "--human-unit",
        metavar="UNIT",
        help="unit to exchange in tests on preferences: judgement, screen or segment (default: judgement)",
    )
    add_judgements(humans)


def _add_tests(parser: argparse.ArgumentParser) -> None:
    tests = parser.add_argument_group("what to test")
    add_metrics(tests)
    tests.add_argument(
        "--test",
        nargs="+",
        default=["pbs", "bs1", "ar1"],
        metavar="TEST",
        help="pbs (paired bootstrap), bs1 bs2 (bootstrap, one- or two-sided), ar1 ar2 (approximate randomisation), "
        "riezler-maxwell and the other tests of compare (default: pbs bs1 ar1)",
    )
    tests.add_argument(
        "--alpha",
        nargs="+",
        type=float,
        default=[0.05, 0.01, 0.001],
        metavar="P",
        help="significance levels (default: .05 .01 .001)",
    )
    tests.add_argument("--resamples", type=int, default=0, metavar="R", help="resamples of each test (default: 10000)")
    tests.add_argument(
        "--unit", default="segment", metavar="UNIT", help="unit to resample: segment or doc (default: segment)"
    )
    tests.add_argument("--seed", type=int, default=12345, help="seed of the resamples (default: 12345)")
    add_execution(tests)


def _read_judgements(args: argparse.Namespace, testset: TestSet) -> tuple[Judgements, Scores | None]:
    """The judgements, and the fluency judgements if given."""
    if args.judgements is None:
        raise MtassayError("no judgements given: write --judgements FILE")
    if args.fluency is None:
        return read_judged(args.judgements, args, testset=testset), None
    # The same file may have both adequacy and fluency.
    adequacy, fluency = (
        read_judged(path, _with_task(args, task), testset=testset)
        for path, task in ((args.judgements, args.task or "adequacy"), (args.fluency, "fluency"))
    )
    return adequacy, cast("Scores", fluency)


def _with_task(args: argparse.Namespace, task: str) -> argparse.Namespace:
    return argparse.Namespace(**vars(args) | {"task": task})
