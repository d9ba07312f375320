"""``mtassay agreement``: how far judges agree with each other and with themselves."""

from __future__ import annotations

from mtassay.cli.arguments import Parser
from mtassay.cli.judgements import add_judgements, add_span_weights, add_test_set, read_judged, read_test_set
from mtassay.cli.output import OutputFile, add_output, writing
from mtassay.errors import MtassayError

_EXAMPLES = """\
  mtassay agreement wmt15/fi-en/rankings.tsv wmt15/ru-en/rankings.tsv
  mtassay agreement rankings.csv -l fr-en --by-judge                          a row per judge
  mtassay agreement rankings.csv -l fr-en --least-self .2 --keep kept.tsv     without judges who contradict themselves
  mtassay agreement rankings.csv -l fr-en --agreed --keep agreed.tsv          pairs on which two judges or more agree
  mtassay agreement wmt07.judgements.csv -l fr-en --task adequacy --domain Europarl   Krippendorff's alpha
  mtassay agreement esa.jsonl --by-judge                                      error spans: also F1 between judges
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("agreement", "Measure how far judges agree with each other and with themselves.", _EXAMPLES)
    inputs = parser.add_argument_group(
        "inputs (rankings, preferences, scores or error spans; .gz .bz2 .xz; - is standard input)"
    )
    inputs.add_argument("files", nargs="+", metavar="FILE", help="files of judgements")
    add_judgements(inputs)
    add_span_weights(inputs)
    add_test_set(inputs)
    filters = parser.add_argument_group("filters (of rankings and preferences)")
    filters.add_argument("--least-self", type=float, metavar="KAPPA", help="drop judges with lower self-agreement")
    filters.add_argument(
        "--least-repeats",
        type=int,
        default=1,
        metavar="N",
        help="never drop judges with fewer pairs of repeated labels than this (default: 1)",
    )
    filters.add_argument(
        "--rule",
        default="strict",
        metavar="RULE",
        help="how self-agreement is counted for --least-self: strict or official (default: strict)",
    )
    filters.add_argument(
        "--agreed",
        action="store_true",
        help="keep only pairs of outputs on which judges agree, one preference per pair",
    )
    filters.add_argument(
        "--least-judges",
        type=int,
        default=2,
        metavar="N",
        help="least number of judges of a pair for --agreed (default: 2)",
    )
    filters.add_argument(
        "--least-share",
        type=float,
        default=0.6,
        metavar="SHARE",
        help="share of a pair's labels that must be equal for --agreed (default: .6)",
    )
    output = add_output(parser)
    output.add_argument("--by-judge", action="store_true", help="also show a row for each judge")
    output.add_argument(
        "--keep",
        action=OutputFile,
        metavar="FILE",
        help="write the remaining preferences to this file: TSV, or JSON lines if it ends in .jsonl",
    )
    args = parser.parse_args(argv)
    from mtassay.verbs.agreement import Filters, agreement

    names = ("least_self", "least_repeats", "rule", "agreed", "least_judges", "least_share")
    chosen = {name: getattr(args, name) for name in names}
    _check_files(args.files, args.keep, drops=Filters(**chosen).drop)
    testset = read_test_set(args)
    judged = {path: read_judged(path, args, lp=args.language_pair, testset=testset) for path in args.files}
    result = agreement(judged, **chosen, span_weights=args.span_weights)
    text = result.render(args.format, by_judge=args.by_judge)
    with writing(args.output) as out:
        if args.keep:
            from mtassay.data import write_judgements

            kind = "jsonl" if args.keep.endswith(".jsonl") else "tsv"
            write_judgements(result.sets[0].judgements, args.keep, format=kind)
        out.line(text)
    return 0


def _check_files(files: list[str], keep: str | None, *, drops: bool) -> None:
    """Reject contradictory arguments before any file is read."""
    for path in files:
        if files.count(path) > 1:
            raise MtassayError(f"{path} is named twice")
    if keep is None:
        return
    if not drops:
        raise MtassayError("--keep writes what a filter leaves: give --least-self or --agreed")
    if len(files) > 1:
        raise MtassayError("--keep is for one file of judgements at a time")
