"""``mtassay mbr``: choose candidates by minimum Bayes risk."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from mtassay.cli.arguments import Parser, add_execution, note_english
from mtassay.cli.output import add_output, finish, writing
from mtassay.errors import MtassayError
from mtassay.report.render import FORMATS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from mtassay.data.candidate_lists import CandidateList
    from mtassay.tuning.mbr import MbrSegment

_EXAMPLES = """\
  mtassay mbr samples.jsonl -m chrf > best.txt             for every segment, the text with the highest expected chrF
  mtassay mbr nbest.txt -m bleu --weights scores --scale 0.5
  mtassay mbr samples.txt --per-segment 52 -m chrf         52 lines for each segment
  mtassay mbr samples.jsonl -m chrf --aggregate            compare with mean n-gram counts: linear time
  mtassay mbr samples.jsonl -m ter --confidence 0.99       drop unlikely candidates early
  mtassay mbr samples.jsonl -m comet --source src.txt --shortlist chrf --keep 20
  mtassay mbr beam.txt -r samples.txt --n-best 5 -f tsv
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    args = _arguments(argv)
    note_english(args, args.language_pair)
    from mtassay.execution import Execution
    from mtassay.verbs.mbr import MbrResult, mbr_options, mbr_segments

    options = mbr_options(
        metric=args.metrics[0],
        lp=args.language_pair,
        weights=args.weights,
        scale=args.scale,
        aggregate=args.aggregate,
        confidence=args.confidence,
        shortlist=args.shortlist,
        keep=args.n_kept,
        n_best=args.n_best,
        seed=args.seed,
    )
    references = _read(args.refs, args) if args.refs else None
    segments = mbr_segments(
        _read(args.lists, args),
        options,
        references=references,
        sources=_sources(args.source) if args.source else None,
        execution=Execution.of(args.execution, threads=args.threads),
    )
    if args.format == "nbest" or (args.format == "text" and args.n_best == 1 and not args.signatures):
        return _stream(segments, args)
    found = tuple(segments)
    if not found:
        raise MtassayError(f"{args.lists[0]} has no candidates")
    return finish(args, MbrResult(options, found))


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = Parser(
        "mbr",
        "Choose candidates by minimum Bayes risk: for each segment, the candidate with the highest expected score "
        "under a metric, with the other candidates or samples as references. Segments are read, decided and written "
        "one after another.",
        _EXAMPLES,
    )
    parser.add_argument(
        "lists",
        nargs="+",
        metavar="LIST",
        help="candidates: a Moses n-best list, JSONL, or a text per line; several files are read one after another",
    )
    parser.add_argument(
        "-m",
        "--metric",
        dest="metrics",
        nargs=1,
        default=["chrf"],
        metavar="METRIC",
        help="metric to maximise (default: chrf)",
    )
    parser.add_argument(
        "-r", "--refs", nargs="+", metavar="LIST", help="pseudo-references (default: the candidates themselves)"
    )
    parser.add_argument("--source", metavar="FILE", help="source texts, a line per segment, for metrics that read them")
    parser.add_argument(
        "-l", "--language-pair", metavar="PAIR", help="language pair, such as en-de, as for mtassay score"
    )
    parser.add_argument(
        "--list-format",
        choices=("moses", "jsonl", "lines"),
        help="format of the lists (default: recognised by the first line)",
    )
    parser.add_argument(
        "--per-segment", type=int, metavar="N", help="lines per segment, for files with a text per line"
    )
    how = parser.add_argument_group("how candidates are chosen")
    how.add_argument(
        "--weights",
        choices=("uniform", "scores"),
        default="uniform",
        help="weights of pseudo-references: their counts (uniform), or their counts times exp(scale · model score) "
        "(scores) (default: uniform)",
    )
    how.add_argument("--scale", type=float, default=1.0, metavar="X", help="factor of model scores (default: 1)")
    how.add_argument(
        "--aggregate", action="store_true", help="compare with mean n-gram counts, in linear time (bleu, chrf)"
    )
    how.add_argument(
        "--confidence",
        type=float,
        metavar="P",
        help="drop candidates early that are not the best with this confidence, such as 0.99",
    )
    how.add_argument("--shortlist", metavar="METRIC", help="a fast metric that selects the candidates for -m")
    how.add_argument("--keep", dest="n_kept", type=int, metavar="N", help="candidates on the shortlist (default: 20)")
    how.add_argument("--seed", type=int, default=12345, help="seed for --confidence (default: 12345)")
    add_execution(how)
    output = add_output(parser, formats=(*FORMATS, "nbest"))
    output.add_argument(
        "--n-best", type=int, default=1, metavar="N", help="candidates to write for each segment (default: 1)"
    )
    output.add_argument("--signatures", action="store_true", help="show the signature of the metric")
    args: argparse.Namespace = parser.parse_args(argv)
    return args


def _read(paths: list[str], args: argparse.Namespace) -> Iterator[CandidateList]:
    from mtassay.data.formats.candidate_files import read_candidates

    return chain.from_iterable(
        read_candidates(path, file_format=args.list_format, per_segment=args.per_segment) for path in paths
    )


def _sources(path: str) -> Iterator[str]:
    from mtassay.io.streams import stream_lines

    return (line.removesuffix("\r") for lines in stream_lines(path) for line in lines)


def _stream(segments: Iterator[MbrSegment], args: argparse.Namespace) -> int:
    """Write texts as they are chosen, so that memory does not grow with the lists."""
    with writing(args.output) as out:
        for number, segment in enumerate(segments):
            for one in segment.best:
                if "\n" in one.text:
                    raise MtassayError(f"segment {number + 1}: the text has a line break; write -f json or tsv")
                out.line(f"{number} ||| {one.text} ||| MBR= {one.utility!r}" if args.format == "nbest" else one.text)
    return 0
