"""``mtassay convert``: write a test set as JSON lines or in the mt-metrics-eval layout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mtassay.cli.arguments import Parser, add_inputs, read_inputs
from mtassay.cli.output import OutputPath
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    import argparse

    from mtassay.data import TestSet

_EXAMPLES = """\
  mtassay convert ref.txt -i sysA.txt sysB.txt -o set.jsonl
  mtassay convert wmt23 -l en-de -o wmt23.en-de.jsonl
  mtassay convert set.jsonl --to evalset -l cs-en -o my-set
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("convert", "Turn a test set into another file format.", _EXAMPLES)
    add_inputs(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o",
        "--output",
        action=OutputPath,
        required=True,
        metavar="PATH",
        help="file to write (jsonl; - is standard output), or folder (evalset)",
    )
    output.add_argument("--to", choices=("jsonl", "evalset"), default="jsonl", help="output format (default: jsonl)")
    args = parser.parse_args(argv)
    from mtassay.data import write_evalset, write_jsonl

    if args.to == "evalset" and args.output == "-":
        raise MtassayError("the mt-metrics-eval layout is a folder and cannot go to standard output: give -o FOLDER")
    if args.to == "jsonl" and args.output != "-" and not args.output.endswith(".jsonl"):
        raise MtassayError(
            f"{args.output}: convert writes plain JSON lines: name the file .jsonl, or give --to evalset"
        )
    testset = read_inputs(args, whole=True)
    if args.to == "evalset":
        if testset.language_pair is None:
            raise MtassayError("the mt-metrics-eval layout names files after a language pair: give -l SRC-TGT")
        write_evalset(testset, args.output, testset.language_pair)
    else:
        write_jsonl(testset, args.output)
        _tell_pair(args.output, testset.language_pair)
    _tell_references(args, testset)
    return 0


def _tell_pair(output: str, pair: str | None) -> None:
    """Tell the user if the language pair, which chooses tokenizers, is lost: JSON lines have it in their name only."""
    from mtassay.data.testset import pair_in_name

    stem = Path(output).name.removesuffix(".jsonl")
    if pair is None or pair_in_name(stem) == pair:
        return
    renamed = f"{stem}.{pair}"
    name = f"name the file {renamed}.jsonl or " if output != "-" and pair_in_name(renamed) == pair else ""
    print(f"mtassay: note: {output} does not say that it is {pair}: {name}give -l {pair} with it", file=sys.stderr)


def _tell_references(args: argparse.Namespace, testset: TestSet) -> None:
    """Tell the user if scores use other references of the new test set than of the old one.

    Of a folder in the mt-metrics-eval layout they use the standard reference, of JSON lines all references.
    """
    from mtassay.data.formats.evalset import is_evalset, read_evalset

    if testset.n_references < 2:
        return
    was_folder = not args.test_set and not args.references and is_evalset(Path([*args.refs, *args.more_refs][0]))
    if was_folder == (args.to == "evalset"):
        return
    if was_folder:
        [standard] = read_inputs(args).reference_names
        used = f"scores use all of them; the standard one is {standard}: --references {standard}"
    else:
        [standard] = read_evalset(args.output, testset.language_pair or "").reference_names
        every = " ".join(testset.reference_names)
        used = f"scores use the standard one, {standard}; for all of them: --references {every}"
    print(f"mtassay: note: {args.output} has all {testset.n_references} references, and {used}", file=sys.stderr)
