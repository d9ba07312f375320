"""``mtassay learn``: metrics learned from human scores."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from mtassay.cli.actions import run_action
from mtassay.cli.arguments import Parser, add_execution, add_inputs, read_inputs
from mtassay.cli.judgements import add_judgements, read_judged
from mtassay.cli.output import OutputFile, finish
from mtassay.cli.progress import bar
from mtassay.errors import MtassayError
from mtassay.report.render import FORMATS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from mtassay.data import TestSet
    from mtassay.data.error_spans import ErrorSpans
    from mtassay.data.judgements import Preferences, Rankings, Scores
    from mtassay.learn.matrix import Resources

#: Each action with the function that runs it and a description.
ACTIONS = {
    "train": ("mtassay.cli.learn:train", "train a metric on a test set with human judgements"),
    "score": ("mtassay.cli.learn:score", "score systems with a trained metric (mtassay score -m learned:MODEL)"),
    "study": ("mtassay.cli.learn_studies:study", "measure what learning gains: nested, grid, sets or systems"),
    "curve": ("mtassay.cli.learn_studies:curve", "learning curve: correlation by number of training examples"),
    "meant": ("mtassay.cli.learn_meant:meant", "tune the weights of MEANT's roles on rankings or preferences"),
    "index": ("mtassay.cli.learn_texts:index", "build the corpus index that some features need"),
}
_EXAMPLES = """\
  mtassay learn train wmt23 -l en-de --judgements mqm.seg.score -o model.model
  mtassay score ref.txt -i hyp/* -m learned:model.model bleu
  mtassay learn study nested wmt23 -l en-de --judgements mqm.seg.score
"""
_TRAIN = """\
  mtassay learn train wmt23 -l en-de --judgements mqm.seg.score -o model.model
  mtassay learn train refA refB -i hyp/* -l cs-en --judgements da.csv --model svm -o likeness.model
  mtassay learn train ref.txt -i hyp/* -l cs-en --judgements rankings.csv --model logistic -o preferences.model
  mtassay learn train wmt13 -l fr-en --judgements rankings.csv --model ranksvm --features terrorcat -o terrorcat.model
  mtassay learn train wmt12/cs-en --judgements pairs.tsv --model pairwise --features free --stepwise -o logreg.model
  mtassay learn train ref.txt -i hyp/* --judgements adequacy.tsv fluency.tsv --normalise even -o a.model
"""
_SCORE = """\
  mtassay learn score model.model ref.txt -i a.txt b.txt
  mtassay learn score model.model ref.txt -i a.txt -m bleu chrf -sl     any option of mtassay score
  mtassay learn score full.model ref.txt -i hyp/* --annotator link-grammar --corpus news.index
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    description = "Train and study metrics learned from human scores."
    return run_action("learn", argv, ACTIONS, description=description, examples=_EXAMPLES)


def train(argv: list[str]) -> int:
    """Train a metric and save it."""
    parser = Parser("learn train", "Train a metric on outputs with human judgements.", _TRAIN)
    add_inputs(parser)
    add_humans(parser)
    what = add_features(parser)
    what.add_argument(
        "--model",
        default="svr",
        metavar="KIND",
        help="svr, ridge, trees (human scores); svm (human against machine translations, needs two references); "
        "logistic, ranksvm, pairwise (rankings or preferences) (default: svr)",
    )
    what.add_argument("--stepwise", action="store_true", help="for pairwise: select features by likelihood-ratio tests")
    what.add_argument(
        "--no-standardise", action="store_true", help="do not divide features by their standard deviation"
    )
    what.add_argument(
        "--choose-by",
        default="",
        metavar="WHAT",
        help="choose settings by correlation or accuracy on a held-out sixth of the segments (default: correlation if "
        "there are scores)",
    )
    what.add_argument(
        "--strangers",
        action="store_true",
        help="also learn from references of other segments, as fluent but wrong translations with the lowest score",
    )
    what.add_argument("--seed", type=int, default=12345, help="seed for choosing held-out segments (default: 12345)")
    add_learned_output(parser, metavar="MODEL", help="file of the model; must end in .model")
    args = parser.parse_args(argv)
    if not args.output.endswith(".model"):
        raise MtassayError(f"{args.output}: the file name of a model must end in .model")
    from mtassay.learn.models import kind_of, require_packages
    from mtassay.learn.training import train as train_metric

    require_packages()
    kind_of(args.model)
    testset, judged = read_learned(args)
    result = train_metric(
        testset,
        judged,
        model=args.model,
        features=args.features,
        resources=resources_of(args, testset, args.features),
        normalise=args.normalise,
        choose_by=args.choose_by,
        strangers=args.strangers,
        standardise=not args.no_standardise,
        stepwise=args.stepwise,
        seed=args.seed,
        threads=args.threads,
        execution=args.execution,
        progress=bar("training"),
    )
    result.save(args.output)
    return finish(Namespace(format=args.format, output=None), result)


def score(argv: list[str]) -> int:
    """Score systems with a trained metric: ``mtassay score`` with its specification."""
    parser = Parser(
        "learn score", "Score systems with a trained metric: give MODEL, then the arguments of mtassay score.", _SCORE
    )
    parser.usage = "mtassay learn score MODEL REF ... [--annotator NAME] [--corpus INDEX] [options of mtassay score]"
    _add_resources(parser)
    parser.add_argument(
        "-m", "--metrics", nargs="+", default=[], metavar="METRIC", help="other metrics to show beside the model"
    )
    if not argv or argv[0] in {"-h", "--help"}:
        parser.parse_args(["--help"])
    from mtassay.cli.score import run as run_score
    from mtassay.metrics import parse

    model, *rest = argv
    if model.startswith("-"):
        raise MtassayError("the model must come first: mtassay learn score MODEL REF... -i SYS...")
    given, others = parser.parse_known_args(rest)
    learned = parse("learned", path=model, annotator=given.annotator, corpus=given.corpus)
    return run_score([*others, "-m", str(learned), *given.metrics], help_of=parser.prog)


def add_humans(parser: argparse.ArgumentParser) -> None:
    """Add the options for human judgements."""
    humans = parser.add_argument_group("human judgements")
    humans.add_argument(
        "--judgements", nargs="+", required=True, metavar="FILE", help="scores (several are averaged), or rankings"
    )
    humans.add_argument(
        "--normalise",
        default="mean",
        metavar="HOW",
        help="use each judge's scores as they are (mean), standardised (z), or as ranks among the judge's own scores "
        "(even) (default: mean)",
    )
    add_judgements(humans)


def add_learned_output(parser: argparse.ArgumentParser, *, metavar: str, help: str) -> None:
    """Add the options for the file with what was learned, and for the format of the report."""
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", action=OutputFile, required=True, metavar=metavar, help=help)
    output.add_argument("-f", "--format", choices=FORMATS, default="text", metavar="FORMAT", help=" | ".join(FORMATS))


def add_features(parser: argparse.ArgumentParser, *, sets: bool = False) -> argparse._ArgumentGroup:
    """Add the options for features, or sets of features, and the resources they need."""
    what = parser.add_argument_group("what to learn")
    what.add_argument(
        "--sets" if sets else "--features",
        nargs="+",
        default=["small", "modern"] if sets else ["modern"],
        metavar="SET" if sets else "NAME",
        help="feature sets; one curve each (default: small modern)"
        if sets
        else "sets or single features: small, full, modern, terrorcat, free (docs/learn-features.md; default: modern); "
        "full, modern and free contain METEOR (pip install 'mtassay[meteor]')",
    )
    _add_resources(what)
    add_execution(what)
    return what


def _add_resources(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--annotator",
        metavar="NAME",
        help="parser for tree features: link-grammar, spacy:MODEL, stanza:LANGUAGE or file:FOLDER (mtassay annotate)",
    )
    group.add_argument("--corpus", metavar="INDEX", help="corpus index (mtassay learn index)")


def read_learned(args: argparse.Namespace) -> tuple[TestSet, Sequence[Rankings | Preferences | Scores | ErrorSpans]]:
    """The test set with the chosen systems, and the judgements, which may also cover its other systems."""
    testset = read_inputs(args)
    return testset, [_read_humans(path, args, testset) for path in args.judgements]


def _read_humans(path: str, args: argparse.Namespace, testset: TestSet) -> Rankings | Preferences | Scores | ErrorSpans:
    # With --systems, judgements of the other systems are ignored without --ignore-unknown.
    given = Namespace(**{**vars(args), "ignore_unknown": args.ignore_unknown or bool(args.systems)})
    return read_judged(path, given, testset=testset)


def resources_of(
    args: argparse.Namespace, testset: TestSet, features: Sequence[str], *, baselines: bool = False
) -> Resources:
    """The resources that features are computed with; METEOR is an error if the language pair is not known."""
    from mtassay.learn.features import chosen
    from mtassay.learn.matrix import Resources

    needy = [feature.name for feature in chosen(features) if "meteor" in feature.needs]
    if (baselines or needy) and not testset.target_language:
        what = f"the feature {needy[0]}" if needy else "METEOR, beside which learned metrics are shown,"
        raise MtassayError(f"{what} needs the language of the references: give -l SRC-TGT, such as -l cs-en")
    return Resources(annotator=args.annotator, corpus=args.corpus)
