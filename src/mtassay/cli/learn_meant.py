"""``mtassay learn meant``: weights of MEANT's roles from human preferences."""

from __future__ import annotations

from argparse import Namespace

from mtassay.cli.arguments import Parser, add_inputs
from mtassay.cli.learn import add_humans, add_learned_output, read_learned
from mtassay.cli.output import finish
from mtassay.cli.progress import bar

_EXAMPLES = """\
  mtassay learn meant ref.txt -i hyp/* --judgements rankings.csv -m meant:annotator=file:roles -o weights.txt
  mtassay score ref.txt -i hyp/* -m meant:annotator=file:roles,weights=weights.txt
"""


def meant(argv: list[str]) -> int:
    """Tune weights and write them to a file."""
    parser = Parser("learn meant", "Tune the weights of MEANT's roles on human preferences.", _EXAMPLES)
    add_inputs(parser)
    add_humans(parser)
    parser.add_argument(
        "-m",
        "--metrics",
        nargs=1,
        required=True,
        metavar="METRIC",
        help="specification of meant with its annotator, such as meant:annotator=link-grammar,roles=dependencies",
    )
    parser.add_argument(
        "-j", "--threads", type=int, default=1, metavar="N", help="number of threads; 0: all cores (default: 1)"
    )
    add_learned_output(parser, metavar="FILE", help="file to write the weights to, for meant:weights=FILE")
    args = parser.parse_args(argv)
    from mtassay.data.formats.weights import listed
    from mtassay.io.atomic import atomic_write
    from mtassay.learn.role_weights import tune_role_weights

    testset, judged = read_learned(args)
    result = tune_role_weights(testset, judged, args.metrics[0], threads=args.threads, progress=bar("tuning"))
    with atomic_write(args.output) as file:
        file.write(listed(result.weights))
    return finish(Namespace(format=args.format, output=None), result)
