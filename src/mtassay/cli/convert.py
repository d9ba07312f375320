"""``mtassay convert``: from any format that can be read to JSON lines or the mt-metrics-eval layout."""

from __future__ import annotations

from mtassay.cli.arguments import Parser, add_inputs, read_inputs
from mtassay.errors import MtassayError

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
        "-o", "--output", required=True, metavar="PATH", help="file (jsonl; - is standard output) or folder"
    )
    output.add_argument("--to", choices=("jsonl", "evalset"), default="jsonl", help="format (default: jsonl)")
    args = parser.parse_args(argv)
    from mtassay.data import write_evalset, write_jsonl

    if args.to == "evalset" and not args.language_pair:
        raise MtassayError("the mt-metrics-eval layout names files after a language pair: give -l SRC-TGT")
    if args.to == "evalset" and args.output == "-":
        raise MtassayError("the mt-metrics-eval layout is a folder and cannot go to standard output: give -o FOLDER")
    if args.to == "jsonl" and args.output != "-" and not args.output.endswith(".jsonl"):
        raise MtassayError(f"{args.output}: convert writes plain JSON lines: name the file .jsonl, or say --to evalset")
    testset = read_inputs(args, whole=True)
    if args.to == "evalset":
        write_evalset(testset, args.output, args.language_pair)
    else:
        write_jsonl(testset, args.output)
    return 0
