"""``mtassay diff``: segments in which two systems differ, word by word."""

from __future__ import annotations

import os
import sys

from mtassay.cli.analyse import add_alignment, add_human
from mtassay.cli.arguments import Parser, add_execution, add_inputs, read_inputs
from mtassay.cli.judgements import check_judgements_given, read_judged
from mtassay.cli.output import add_output, finish
from mtassay.cli.progress import bar

_EXAMPLES = """\
  mtassay diff ref.txt -i a.txt b.txt                       largest differences under chrF, both ways
  mtassay diff ref.txt -i a.txt b.txt -m ter --better b -n 20
  mtassay diff ref.txt -i a.txt b.txt --grep '\\bnot\\b'      only segments with this word
  mtassay diff ref.txt -i a.txt b.txt --bucket length:20-30
  mtassay diff ref.txt -i a.txt b.txt --alignment meteor     also mark other word forms and synonyms
  mtassay diff wmt13/fr-en --pair online-A online-B -f html -o diff.html
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("diff", "Show the segments in which two systems differ most, word by word.", _EXAMPLES)
    add_inputs(parser)
    which = parser.add_argument_group("what to show")
    which.add_argument(
        "-m", "--metrics", nargs=1, default=["chrf"], metavar="METRIC", help="metric specification (default: chrf)"
    )
    which.add_argument("--pair", nargs=2, metavar="NAME", help="the two systems (default: the two best)")
    which.add_argument("--better", metavar="NAME", help="only segments in which this system is better")
    which.add_argument("--grep", metavar="RE", help="only segments with a text that this regular expression matches")
    which.add_argument(
        "--bucket", metavar="VIEW:BUCKET", help="only segments of a bucket: length:20-30, difference:5-, domain:news"
    )
    which.add_argument("--segment-labels", metavar="FILE", help="labels of segments, one per line, for --bucket")
    add_alignment(which)
    which.add_argument("--tok", metavar="TOK", help="tokenizer for words (default: chosen by -l, else 13a)")
    which.add_argument("-n", "--top", type=int, default=10, metavar="N", help="segments for each system (default: 10)")
    add_execution(which)
    add_human(parser)
    output = add_output(parser)
    output.add_argument("-q", "--quiet", action="store_true", help="leave out how to read the marks")
    args = parser.parse_args(argv)
    check_judgements_given(args)
    from mtassay.verbs.diff import diff

    testset = read_inputs(args)
    result = diff(
        testset,
        metric=args.metrics[0],
        pair=None if args.pair is None else tuple(args.pair),
        better=args.better,
        grep=args.grep,
        bucket=args.bucket,
        segment_labels=args.segment_labels,
        alignment=args.alignment,
        judgements=args.judgements and read_judged(args.judgements, args, lp=testset.language_pair, testset=testset),
        tok=args.tok,
        top=args.top,
        threads=args.threads,
        execution=args.execution,
        progress=bar("scoring"),
    )
    to_screen = args.format == "text" and args.output in {None, "-"}
    colour = to_screen and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return finish(args, result, colour=colour, guide=not args.quiet)
