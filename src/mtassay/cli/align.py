"""``mtassay align``: the edits or matches between a reference and a hypothesis."""

from __future__ import annotations

from mtassay.cli.arguments import Parser, add_output, writing
from mtassay.errors import MtassayError

_EXAMPLES = """\
  mtassay align ref.txt hyp.txt --segment 17
  mtassay align refA.txt refB.txt hyp.txt -f json > edits.jsonl   the better reference of each segment
  mtassay align ref.txt hyp.txt --metric ter:variant=tercom,norm=yes
  mtassay align ref.txt hyp.txt --metric meteor                   words that match, by stage and chunk
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "align",
        "Show how hypotheses and references correspond: edits and shifts of TER, or matches of METEOR.",
        _EXAMPLES,
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="REF... HYP: one or more references, then the hypotheses"
    )
    parser.add_argument("--segment", type=int, nargs="+", metavar="N", help="only these segments (from 1)")
    parser.add_argument(
        "-m", "--metric", default="ter", metavar="SPEC", help="a specification of ter or meteor (default: ter)"
    )
    parser.add_argument("-e", "--encoding", default="utf-8", help="encoding of the files (default: %(default)s)")
    add_output(parser, ("text", "json"))
    args = parser.parse_args(argv)
    if len(args.files) < 2:
        raise MtassayError("align needs a reference and a hypothesis file: mtassay align REF... HYP")
    import json

    from mtassay.data import load_files
    from mtassay.verbs.align import align

    *refs, hyp = args.files
    testset = load_files(refs, [hyp], encoding=args.encoding)
    segments = None if args.segment is None else [number - 1 for number in args.segment]
    if len(testset.systems) > 1:
        raise MtassayError(f"{hyp} holds {len(testset.systems)} systems: align takes one")
    (hypotheses,) = testset.systems.values()
    alignments = align(testset.references, hypotheses, metric=args.metric, segments=segments)
    with writing(args.output) as out:
        for number, alignment in enumerate(alignments):
            if args.format == "json":
                out.line(json.dumps(alignment.to_dict(), ensure_ascii=False))
            else:
                out.line(("\n" if number else "") + str(alignment))
    return 0
