"""``mtassay learn study`` and ``mtassay learn curve``: what learning gains, and how many judgements it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.cli.arguments import Parser, add_inputs
from mtassay.cli.judgements import read_judged
from mtassay.cli.learn import add_features, add_humans, read_learned, resources_of
from mtassay.cli.output import add_output, check_plots, finish
from mtassay.cli.progress import bar
from mtassay.errors import MtassayError, unknown_name
from mtassay.execution import Execution

if TYPE_CHECKING:
    import argparse

    from mtassay.learn.training_data import Material

#: Studies and their descriptions.
STUDIES = {
    "nested": "gain over the best single feature, by nested cross-validation",
    "grid": "accuracy of classifiers against correlation (Figure 1 of Albrecht & Hwa 2007); needs two references",
    "sets": "train on this test set, score others (Table 1); needs --on",
    "systems": "score each system of another set, trained without the best or without the worst (Table 2); needs --on",
}
_STUDY = """\
  mtassay learn study nested wmt23 -l en-de --references refA --judgements mqm.seg.score
  mtassay learn study grid wmt21/cs-en --judgements da.csv --plot grid grid.svg
  mtassay learn study sets wmt21/en-de --judgements mqm.tsv --on wmt23 en-de mqm.seg.score
  mtassay learn study systems wmt21/en-de --judgements mqm.tsv --on wmt23 en-de mqm.seg.score

METEOR is a baseline of every study, whatever the features: pip install 'mtassay[learn,meteor]'.
Intermediate results are kept in the cache folder (MTASSAY_CACHE): an interrupted study resumes where it stopped.
"""
_CURVE = """\
  mtassay learn curve wmt23 -l en-de --judgements mqm.seg.score
  mtassay learn curve wmt21/cs-en --judgements da.csv --sets small full --annotator link-grammar --corpus news.index \\
    --plot curve curve.svg

METEOR is a baseline of every curve, whatever the sets: pip install 'mtassay[learn,meteor]'.
"""


def study(argv: list[str]) -> int:
    """Run a study by its name."""
    shown = "\n".join(f"  {name:<8} {what}" for name, what in STUDIES.items())
    parser = Parser("learn study STUDY", f"Measure what a learned metric gains. Studies:\n{shown}", _STUDY)
    parser.help_of = "mtassay learn study"
    what = _add_all(parser, plots="learn_grid")
    what.add_argument(
        "--trials", type=int, metavar="R", help="resamples of the bootstrap, in all studies but grid (default: 1000)"
    )
    parser.add_argument(
        "--model", metavar="KIND", help="model for the study systems: svr, ridge or trees (default: svr)"
    )
    parser.add_argument(
        "--on",
        nargs=3,
        action="append",
        default=[],
        metavar=("SET", "LP", "HUMANS"),
        help="another test set (a folder or file), its language pair, and its human scores; may be repeated",
    )
    parser.add_argument(
        "--on-references", nargs="+", metavar="NAME", help="use only these references of the other test sets"
    )
    if not argv or argv[0] in {"-h", "--help"}:
        parser.parse_args(["--help"])
    name, *rest = argv
    if name not in STUDIES:
        raise MtassayError(unknown_name("study", name, STUDIES))
    args = parser.parse_args(rest)
    if args.plot and name != "grid":
        raise MtassayError("--plot is for grid: leave it out")
    check_plots(args, "learn_grid")
    if bool(args.on) != (name in {"sets", "systems"}) or (name == "systems" and len(args.on) > 1):
        raise MtassayError("--on names other test sets: any number for the study sets, one for systems")
    if args.on_references and not args.on:
        raise MtassayError("--on-references is for the test sets of --on: leave it out")
    if args.model is not None and name != "systems":
        raise MtassayError("--model is for systems: leave it out")
    if args.trials is not None and name == "grid":
        raise MtassayError("--trials is not for grid, which has no intervals: leave it out")
    _check_trials(args.trials)
    return finish(args, _STUDY_RUNS[name](args))


def _check_trials(trials: int | None) -> None:
    from mtassay.stats.resamples import MOST_RESAMPLES  # loads NumPy

    if trials is not None and not 2 <= trials <= MOST_RESAMPLES:
        raise MtassayError(f"--trials must be a whole number from 2 to {MOST_RESAMPLES:,}")


def _trials(args: argparse.Namespace) -> dict[str, Any]:
    return {} if args.trials is None else {"n_trials": args.trials}


def _run_nested(args: argparse.Namespace) -> Any:
    from mtassay.learn.nested import nested

    return nested(_material(args, args.features), **_trials(args), **_common(args))


def _run_grid(args: argparse.Namespace) -> Any:
    from mtassay.learn.grid import grid

    return grid(_material(args, args.features, likeness=True), **_common(args))


def _run_sets(args: argparse.Namespace) -> Any:
    from mtassay.learn.generalise import sets

    training, others = _material(args, args.features), _others(args)
    return sets(training, others, **_trials(args), **_common(args))


def _run_systems(args: argparse.Namespace) -> Any:
    from mtassay.learn.generalise import systems

    training, (other,) = _material(args, args.features, likeness=False), _others(args)
    return systems(training, other, model=args.model or "svr", **_trials(args), **_common(args))


_STUDY_RUNS = {"nested": _run_nested, "grid": _run_grid, "sets": _run_sets, "systems": _run_systems}


def curve(argv: list[str]) -> int:
    """Draw learning curves."""
    parser = Parser("learn curve", "Show the correlation with human scores by number of training examples.", _CURVE)
    what = _add_all(parser, plots="learn_curve", sets=True)
    what.add_argument(
        "--sizes", nargs="+", type=int, metavar="N", help="numbers of training examples (default: from 50 to 4000)"
    )
    what.add_argument("--folds", type=int, default=3, metavar="N", help="folds of the cross-validation (default: 3)")
    args = parser.parse_args(argv)
    check_plots(args, "learn_curve")
    if any(size < 1 for size in args.sizes or ()):
        raise MtassayError("--sizes are numbers of examples, 1 or more")
    from mtassay.learn.curve import SIZES
    from mtassay.learn.curve import curve as learning_curve

    made = _material(args, args.sets)
    result = learning_curve(made, args.sets, sizes=args.sizes or SIZES, n_folds=args.folds, **_common(args))
    return finish(args, result)


def _add_all(parser: argparse.ArgumentParser, *, plots: str, sets: bool = False) -> argparse._ArgumentGroup:
    add_inputs(parser)
    add_humans(parser)
    what = add_features(parser, sets=sets)
    what.add_argument("--seed", type=int, default=12345, help="seed of folds and resamples (default: 12345)")
    add_output(parser, plots=plots)
    return what


def _common(args: argparse.Namespace) -> dict[str, Any]:
    return {
        "seed": args.seed,
        "execution": Execution.of(args.execution, threads=args.threads, progress=bar("studying")),
    }


def _material(args: argparse.Namespace, features: list[str], *, likeness: bool | None = None) -> Material:
    """The test set with everything a study needs; with two references, human translations are included."""
    from mtassay.learn.matrix import human_references
    from mtassay.learn.models import require_packages
    from mtassay.learn.training_data import material
    from mtassay.stats.resamples import check_seed

    require_packages()
    check_seed(args.seed)
    testset, judged = read_learned(args)
    return material(
        testset,
        judged,
        features,
        resources=resources_of(args, testset, features, baselines=True),
        normalise=args.normalise,
        likeness=len(human_references(testset)) > 1 if likeness is None else likeness,
        baselines=True,
        execution=Execution.of(args.execution, threads=args.threads, progress=bar("features")),
    )


def _others(args: argparse.Namespace) -> list[Material]:
    from mtassay.data import load
    from mtassay.learn.matrix import Resources
    from mtassay.learn.training_data import material

    found = []
    for path, lp, humans in args.on:
        testset = load(path, lp=lp, encoding=args.encoding)
        if args.on_references:
            testset = testset.select(references=args.on_references)
        judged = read_judged(humans, args, testset=testset)
        resources = Resources(annotator=args.annotator, corpus=args.corpus)
        found.append(
            material(testset, judged, args.features, resources=resources, normalise=args.normalise, baselines=True)
        )
    return found
