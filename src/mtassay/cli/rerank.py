"""``mtassay rerank``: apply weights to n-best lists."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mtassay.cli.arguments import Parser
from mtassay.cli.output import add_output, finish, writing
from mtassay.errors import MtassayError
from mtassay.report.render import FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.nbest import NBest

_EXAMPLES = """\
  mtassay rerank nbest.txt --weights weights.txt > best.txt       the best text of every segment
  mtassay rerank nbest.txt --weights weights.txt | mtassay score ref.txt
  mtassay rerank a.nbest.gz b.nbest.gz --ini moses.ini -f nbest   all candidates, best first, with new scores
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("rerank", "Apply weights to n-best lists, and write the best text of every segment.", _EXAMPLES)
    parser.add_argument("lists", nargs="+", metavar="LIST", help="n-best lists of one system, merged")
    parser.add_argument(
        "--weights", metavar="FILE", help="weights: 'name value' lines, numbers alone, JSON, or a moses.ini"
    )
    parser.add_argument(
        "--ini", metavar="FILE", help="weights of a moses.ini; those of features that the lists lack are ignored"
    )
    parser.add_argument(
        "--sparse-weights", metavar="FILE", help="weights of sparse features in the lists, folded into one feature"
    )
    add_output(parser, formats=(*FORMATS, "nbest"))
    args = parser.parse_args(argv)
    if (args.weights is None) == (args.ini is None):
        raise MtassayError("give the weights: --weights FILE or --ini FILE  (mtassay rerank --help)")
    from mtassay.data.formats.nbest_writing import nbest_lines
    from mtassay.tuning.rerank import rerank

    nbest = read_lists(args.lists, args.sparse_weights)
    reranked = rerank(nbest, read_start(args.weights, args.ini, nbest.features))
    if args.format != "nbest":
        return finish(args, reranked)
    with writing(args.output) as out:
        for line in nbest_lines(nbest, reranked.scores, reranked.order):
            out.line(line)
    return 0


def read_lists(paths: Sequence[str], sparse_weights: str | None) -> NBest:
    """Read several lists as one, with a warning if sparse features are left out."""
    from mtassay.data.formats.nbest_reading import read_nbest
    from mtassay.data.formats.weights import read_weights
    from mtassay.data.nbest import accumulate

    sparse = None if sparse_weights is None else read_weights(sparse_weights)
    nbest = accumulate([read_nbest(path, sparse_weights=sparse) for path in paths])
    warn_of_sparse(nbest.left_out, "--sparse-weights FILE includes them")
    return nbest


def warn_of_sparse(left_out: frozenset[str], advice: str) -> None:
    """Warn if sparse features are left out."""
    if left_out:
        print(f"mtassay: warning: sparse features ({min(left_out)} …) are left out; {advice}", file=sys.stderr)


def read_start(weights: str | None, ini: str | None, names: Sequence[str]) -> dict[str, float]:
    """Read the weights of the features from a file, or from a moses.ini, which may have more features."""
    from mtassay.data.formats.weights import check_names, read_weights

    if weights is not None:
        return read_weights(weights, names)
    known = read_weights(ini or "")
    found = {name: known[name] for name in names if name in known}
    check_names(found, names, str(ini))
    return found
