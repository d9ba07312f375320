"""``mtassay tune``: tune the weights of a decoder towards any metric."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

from mtassay.cli.arguments import Parser, note_english
from mtassay.cli.judgements import add_judgements, check_named, read_judged
from mtassay.cli.output import OutputFile, add_output, check_plots, finish, without_effect
from mtassay.cli.progress import bar
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from mtassay.judging.preference_shares import PreferenceShares
    from mtassay.metrics import Metric

_NUMBER = r"-?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]{1,3})?"
#: The options of the significance test between the outputs of several objectives, and their defaults.
_TEST = {"test": "ar", "resamples": 0, "alpha": 0.05}
_EXAMPLES = """\
  mtassay tune --nbest nbest.txt -r ref.txt -m bleu        once, on existing lists
  mtassay tune --nbest run*.nbest.gz -r ref.txt -m 0.5*bleu-0.5*ter --start weights.txt --save tuned.txt
  mtassay tune --mert FEATSTAT.txt SCORESTAT.txt           from the files of Moses' extractor
  mtassay tune --nbest nbest.txt -r ref.txt -m bleu RAC1 ter --held-out
                                                           compare several objectives
  mtassay tune --nbest nbest.txt -r ref.txt --start new.txt old.txt --ranges LM0_0=0:2 WordPenalty0_0=-1:1
                                                           random starts from ranges, and two given starts
  mtassay tune --decoder 'moses -f {weights} -n-best-list {nbest} 100 distinct < dev.fr' \\
    -r dev.en -m bleu --ini moses.ini --run-folder run     decode and tune until the weights converge
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "tune", "Tune the weights of features towards any metric, on n-best lists or with a decoder.", _EXAMPLES
    )
    _add_inputs(parser)
    _add_search(parser)
    _add_decoder(parser)
    _add_comparison(parser)
    output = add_output(parser, plots="tune_loop")
    output.add_argument(
        "--save",
        action=OutputFile,
        metavar="FILE",
        help="write the weights: JSON for .json, a moses.ini with --ini, else 'name value'",
    )
    args = parser.parse_args(argv)
    _check(args)
    check_plots(args, "tune_loop")
    from mtassay.metrics.core.spec import parse_all

    metrics = parse_all(args.metrics, args.language_pair)
    note_english(args, args.language_pair)
    if args.decoder is not None:
        return _loop(args, metrics)
    return _objectives(args, metrics) if len(metrics) > 1 else _once(args, metrics[0])


def _add_inputs(parser: Parser) -> None:
    inputs = parser.add_argument_group("inputs (compressed or not)")
    inputs.add_argument("refs", nargs="*", metavar="REF", help="reference files")
    inputs.add_argument("-r", "--refs", dest="more_refs", nargs="+", default=[], metavar="REF", help="reference files")
    inputs.add_argument("--nbest", nargs="+", metavar="FILE", help="n-best lists of one system, merged")
    inputs.add_argument(
        "--mert", nargs=2, metavar=("FEATURES", "SCORES"), help="files of Moses' extractor, instead of --nbest"
    )
    inputs.add_argument(
        "--sparse-weights", metavar="FILE", help="weights of sparse features in the lists, folded into one feature"
    )
    inputs.add_argument("-e", "--encoding", default="utf-8", help="encoding of references (default: %(default)s)")
    inputs.add_argument("-l", "--language-pair", metavar="SRC-TGT", help="language pair, as for mtassay score")


def _add_search(parser: Parser) -> None:
    search = parser.add_argument_group("what to tune towards, and how")
    search.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        default=["bleu"],
        metavar="METRIC",
        help="metric to tune towards, or several to compare (default: bleu)",
    )
    search.add_argument("--optimiser", default="mert", metavar="NAME", help="mert, pro or mira (default: mert)")
    search.add_argument(
        "--start",
        nargs="+",
        default=[],
        metavar="FILE",
        help="weights to start from (default: all equal); mert also starts from further files, such as weights of "
        "earlier runs",
    )
    search.add_argument("--ini", metavar="FILE", help="a moses.ini to start from, and to write weights into")
    search.add_argument("--restarts", type=int, metavar="N", help="random starts of mert (default: 20)")
    search.add_argument(
        "--set",
        nargs="+",
        default=[],
        metavar="NAME=NUMBER",
        help="other options of the optimiser: random_directions (mert); samples, pairs, least_difference, "
        "interpolation, regularisation (pro); epochs, largest_step, decay (mira)",
    )
    search.add_argument(
        "--bounds",
        nargs="+",
        default=[],
        metavar="NAME=LOW:HIGH",
        help="limits of weights (mert); either end may be left out",
    )
    search.add_argument(
        "--ranges",
        nargs="+",
        default=[],
        metavar="NAME=LOW:HIGH",
        help="ranges of the random starts of mert; tuned weights may lie outside",
    )
    search.add_argument("--seed", type=int, default=12345, help="seed of random starts and resamples (default: 12345)")
    search.add_argument(
        "-j", "--threads", type=int, default=1, metavar="N", help="number of threads; 0: all cores (default: 1)"
    )


def _add_decoder(parser: Parser) -> None:
    decoder = parser.add_argument_group("a decoder")
    decoder.add_argument("--decoder", metavar="COMMAND", help="shell command that reads {weights} and writes {nbest}")
    decoder.add_argument(
        "--run-folder", metavar="FOLDER", help="folder for all iterations; an interrupted run resumes from it"
    )
    decoder.add_argument("--iterations", type=int, metavar="N", help="maximum number of iterations (default: 25)")
    decoder.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="stop the decoder after this time (default: a day)"
    )


def _add_comparison(parser: Parser) -> None:
    several = parser.add_argument_group("several objectives (mert)")
    several.add_argument(
        "--also", nargs="+", default=[], metavar="METRIC", help="further metrics to show in the tables"
    )
    several.add_argument(
        "--held-out", action="store_true", help="tune on the first half of the segments, and also score the second"
    )
    several.add_argument(
        "--test",
        default=_TEST["test"],
        metavar="TEST",
        help="significance test between outputs (default: ar)",
    )
    several.add_argument(
        "--resamples", type=int, default=_TEST["resamples"], metavar="R", help="resamples of the test (default: 10000)"
    )
    several.add_argument(
        "--alpha", type=float, default=_TEST["alpha"], metavar="P", help="significance level α (default: .05)"
    )
    several.add_argument(
        "--judgements",
        metavar="FILE",
        help="human judgements of the tuned outputs; their systems are named like the metrics of -m",
    )
    add_judgements(several)


def _check(args: argparse.Namespace) -> None:
    given = [name for name in ("nbest", "mert", "decoder") if getattr(args, name)]
    if len(given) != 1:
        raise MtassayError("give one of --nbest, --mert and --decoder  (mtassay tune --help)")
    refs = [*args.refs, *args.more_refs]
    if args.mert:
        _check_mert(args)
    if not args.mert and not refs:
        raise MtassayError("no references given: write -r REF...")
    if args.start and args.ini:
        raise MtassayError("--start and --ini both give starting weights: use one")
    several = len(args.metrics) > 1
    if not several:
        _check_one(args)
    check_named(args)
    if several and (args.save or args.optimiser != "mert"):
        raise MtassayError("several objectives are tuned by mert, and -f json reports the weights: leave out --save")
    if args.decoder is None:
        if args.run_folder or args.iterations is not None or args.timeout is not None or args.plot:
            raise MtassayError("--run-folder, --iterations, --timeout and --plot need --decoder")
        return
    if several or args.sparse_weights:
        raise MtassayError("with --decoder, give one metric and no --sparse-weights")
    if not args.run_folder:
        raise MtassayError("--decoder needs --run-folder FOLDER for its n-best lists")
    if not (args.start or args.ini):
        raise MtassayError("a decoder needs weights to start with: --start FILE or --ini FILE")
    if args.save and os.path.realpath(args.save) in map(os.path.realpath, [*args.start, *filter(None, [args.ini])]):
        raise MtassayError(
            f"--save {args.save} would replace the weights that the run starts from, so that the same command could "
            "not resume from --run-folder: choose another file"
        )


def _check_mert(args: argparse.Namespace) -> None:
    """Reject options for texts and lists."""
    without_effect(args, "metrics")
    if args.refs or args.more_refs or args.metrics != ["bleu"]:
        raise MtassayError("the files of --mert already have statistics of BLEU: leave out references and -m")
    of_texts = {"--sparse-weights": args.sparse_weights, "-l": args.language_pair, "-e": args.encoding != "utf-8"}
    for flag, given in of_texts.items():
        if given:
            raise MtassayError(f"{flag} is for lists and references, which --mert does not read: leave it out")


def _check_one(args: argparse.Namespace) -> None:
    """Reject options for the comparison of several objectives."""
    without_effect(args, *_TEST)
    given = [name for name in ("held_out", "also", "judgements") if getattr(args, name)]
    given += [name for name, default in _TEST.items() if getattr(args, name) != default]
    if given:
        flag = f"--{given[0].replace('_', '-')}"
        raise MtassayError(f"{flag} is for several objectives: -m METRIC METRIC ...")


def _once(args: argparse.Namespace, metric: Metric) -> int:
    from mtassay.execution import Execution
    from mtassay.tuning.candidates import candidates_of, candidates_of_mert
    from mtassay.tuning.optimise import check_optimiser
    from mtassay.verbs.tune import tune

    options = _options(args)
    check_optimiser(args.optimiser, options)
    if args.mert:
        from mtassay.data.formats.mert_files import read_mert_features, read_mert_scores

        features = read_mert_features(args.mert[0])
        candidates = candidates_of_mert(features, read_mert_scores(args.mert[1], features))
    else:
        candidates = candidates_of(_lists(args), _references(args), metric, execution=Execution(args.threads))
    start, starts = _starts(args, candidates.names)
    result = tune(
        candidates,
        optimiser=args.optimiser,
        start=start,
        starts=starts,
        options=options,
        seed=args.seed,
        threads=args.threads,
        progress=bar("tuning"),
    )
    if args.save:
        _save(args, result.weights)
    return finish(args, result)


def _objectives(args: argparse.Namespace, metrics: list[Metric]) -> int:
    from mtassay.verbs.tune_objectives import tune_objectives

    preferences = _preferences(args, metrics) if args.judgements else None
    nbest = _lists(args)
    start, starts = _starts(args, nbest.features)
    result = tune_objectives(
        nbest,
        _references(args),
        metrics,
        also=args.also,
        lp=args.language_pair,
        start=start,
        starts=starts,
        options=_options(args),
        held_out=args.held_out,
        preferences=preferences,
        test=args.test,
        resamples=args.resamples,
        alpha=args.alpha,
        seed=args.seed,
        threads=args.threads,
        progress=bar("tuning"),
    )
    return finish(args, result)


def _loop(args: argparse.Namespace, metrics: list[Metric]) -> int:
    from mtassay.cli.rerank import warn_of_sparse
    from mtassay.data.formats.weights import read_weights
    from mtassay.report.documents.tune_loop import iteration_line
    from mtassay.tuning.decoder import TIMEOUT, Decoder
    from mtassay.verbs.tune_decoder import ITERATIONS, tune_decoder

    (metric,) = metrics
    start = read_weights(args.ini or args.start[0])
    starts = [read_weights(path, tuple(start)) for path in args.start[1:]]
    decoder = Decoder(args.decoder, TIMEOUT if args.timeout is None else args.timeout)
    result = tune_decoder(
        decoder,
        _references(args),
        metric,
        start=start,
        folder=args.run_folder,
        ini=args.ini,
        optimiser=args.optimiser,
        options=_options(args) | ({"starts": starts} if starts else {}),
        iterations=ITERATIONS if args.iterations is None else args.iterations,
        seed=args.seed,
        threads=args.threads,
        progress=bar("tuning"),
        report=lambda iteration: sys.stderr.isatty() and print(iteration_line(iteration, metric), file=sys.stderr),
    )
    warn_of_sparse(result.left_out, "only the decoder's other features are tuned")
    if args.save:
        _save(args, result.weights)
    return finish(args, result)


def _references(args: argparse.Namespace) -> Sequence[Sequence[str | None]]:
    from mtassay.data import load_files

    return load_files([*args.refs, *args.more_refs], [], encoding=args.encoding).references


def _lists(args: argparse.Namespace) -> Any:
    from mtassay.cli.rerank import read_lists

    return read_lists(args.nbest, args.sparse_weights)


def _starts(
    args: argparse.Namespace, names: Sequence[str]
) -> tuple[Mapping[str, float] | None, list[dict[str, float]]]:
    """The starting weights, and further starts."""
    from mtassay.cli.rerank import read_start
    from mtassay.data.formats.weights import read_weights

    if args.ini:
        return read_start(None, args.ini, names), []
    given = [read_weights(path, names) for path in args.start]
    return given[0] if given else None, given[1:]


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """The given options that belong to the optimiser."""
    options: dict[str, Any] = {} if args.restarts is None else {"restarts": args.restarts}
    for text in args.set:
        name, _, value = text.partition("=")
        if not re.fullmatch(_NUMBER, value):
            raise MtassayError(f"--set {text}: write NAME=NUMBER, such as interpolation=0.1")
        if name in options:
            raise MtassayError(f"--set {text}: {name} is set twice")
        options[name] = int(value) if value.lstrip("-").isdecimal() else float(value)
    for option in ("bounds", "ranges"):
        ends = _ends(option, getattr(args, option))
        options |= {option: ends} if ends else {}
    return options


def _ends(option: str, texts: Sequence[str]) -> dict[str, tuple[float | None, float | None]]:
    """Lower and upper end by feature name; None for an end that is left out."""
    ends: dict[str, tuple[float | None, float | None]] = {}
    for text in texts:
        name, _, given = text.rpartition("=")
        match = re.fullmatch(rf"({_NUMBER})?:({_NUMBER})?", given)
        if not name or match is None:
            raise MtassayError(f"--{option} '{text}': write NAME=LOW:HIGH with finite numbers, such as LM0_0=0:2")
        if name in ends:
            raise MtassayError(f"--{option} {text}: {name} has {option} twice")
        ends[name] = (float(match[1]) if match[1] else None, float(match[2]) if match[2] else None)
    return ends


def _preferences(args: argparse.Namespace, metrics: list[Metric]) -> PreferenceShares:
    from mtassay.data.judgements import Preferences, Rankings
    from mtassay.judging.preference_shares import preference_shares

    judged = read_judged(args.judgements, args)
    if not isinstance(judged, Rankings | Preferences):
        raise MtassayError(f"{args.judgements} has scores of single outputs: give rankings or pairs")
    pairs = judged.preferences() if isinstance(judged, Rankings) else judged
    return preference_shares(pairs, [str(metric) for metric in metrics], resamples=args.resamples, seed=args.seed)


def _save(args: argparse.Namespace, weights: Mapping[str, float]) -> None:
    from mtassay.data import atomic_write
    from mtassay.data.formats.weights import as_json, listed, update_ini

    if args.save.endswith(".json"):
        text = as_json(weights)
    else:
        text = update_ini(args.ini, weights) if args.ini else listed(weights)
    with atomic_write(args.save, exact=True) as file:
        file.write(text)
