"""``mtassay align``: the edits, matches or errors between references and hypotheses."""

from __future__ import annotations

import argparse
import re
from itertools import chain

from mtassay.cli.arguments import Parser, add_inputs, read_inputs
from mtassay.cli.output import add_output, finish
from mtassay.errors import MtassayError, counted

_EXAMPLES = """\
  mtassay align ref.txt -i hyp.txt --segment 17
  mtassay align ref.txt -i a.txt b.txt --segment 3,9-11       systems one below the other
  mtassay align refA.txt refB.txt -i hyp.txt -f json              the closest reference of each segment
  mtassay align ref.txt -i hyp.txt -m ter:variant=tercom,norm=yes
  mtassay align ref.txt -i hyp.txt -m wer                     edits of words, no shifts
  mtassay align wmt13/fr-en -m meteor --systems online-A      matched words, by stage and chunk
  mtassay align ref.txt -i hyp.txt -m hjerson                 the class of every wrong word
"""
_PART = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "align",
        "Show how hypotheses and references correspond: edits and shifts of TER, edits of WER, matches of "
        "METEOR, or errors of Hjerson or Addicter.",
        _EXAMPLES,
    )
    add_inputs(parser)
    parser.add_argument(
        "-m",
        "--metrics",
        nargs=1,
        default=["ter"],
        metavar="METRIC",
        help="a specification of ter, wer, mer, wil, wip, meteor, hjerson or addicter (default: ter)",
    )
    parser.add_argument(
        "--segment", type=segments, metavar="N", help="show only these segments, counted from 1: 5, 5-7 or 3,9-11"
    )
    add_output(parser)
    args = parser.parse_args(argv)
    _check_systems(args)
    from mtassay.verbs.align import align

    testset = read_inputs(args)
    for part in args.segment or ():
        if part.stop > testset.n_segments:
            given = f"{part.start + 1}-{part.stop}" if len(part) > 1 else str(part.stop)
            raise MtassayError(f"--segment {given}: there are only {counted(testset.n_segments, 'segment')}")
    chosen = None if args.segment is None else chain.from_iterable(args.segment)
    return finish(args, align(testset, metric=args.metrics[0], segment=chosen))


def _check_systems(args: argparse.Namespace) -> None:
    """Require -i with separate files, so that no output is read as another reference."""
    from mtassay.data import is_test_set

    refs = [*args.refs, *args.more_refs]
    whole = len(refs) == 1 and is_test_set(refs[0], n_ref_columns=args.num_refs)
    if args.input is None and not whole:
        raise MtassayError("no outputs given: write REF... -i SYS..., where - is standard input")


def segments(value: str) -> list[range]:
    """Parse the argument of --segment: numbers and ranges counted from 1 become ranges counted from 0.

    >>> segments("3,9-11")
    [range(2, 3), range(8, 11)]
    """
    found = []
    for part in value.split(","):
        match = _PART.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last:
            raise argparse.ArgumentTypeError(f"'{value}' names no segments: write 5, 5-7 or 3,9-11, counted from 1")
        found.append(range(first - 1, last))
    return found
