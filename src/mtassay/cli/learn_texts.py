"""``mtassay learn index``: build the corpus index that some features need."""

from __future__ import annotations

from typing import Any

from mtassay.cli.arguments import Parser
from mtassay.cli.output import OutputFile, writing
from mtassay.cli.progress import bar
from mtassay.errors import counted
from mtassay.execution import Execution

_INDEX = """\
  mtassay learn index news.en -o news.index
  mtassay learn index news.en --trees treebank/*.conllu -o news.index
"""


def index(argv: list[str]) -> int:
    """Build the index of a corpus."""
    parser = Parser("learn index", "Build the corpus index that some features need.", _INDEX)
    parser.add_argument("texts", nargs="*", metavar="CORPUS", help="texts in the target language, one segment per line")
    parser.add_argument(
        "--trees", nargs="+", default=[], metavar="FILE", help="dependency trees (CoNLL-U; mtassay annotate)"
    )
    parser.add_argument("--tok", default="13a", metavar="NAME", help="the tokenizer (default: 13a)")
    parser.add_argument("-o", "--output", action=OutputFile, required=True, metavar="INDEX", help="file of the index")
    args = parser.parse_args(argv)
    from mtassay.learn.corpus_index import build_index

    built = build_index(
        args.texts, args.output, trees=args.trees, tok=args.tok, execution=Execution(progress=bar("indexing"))
    )
    with writing(None) as out:
        out.line(_index_text(built.about))
    return 0


def _index_text(about: dict[str, Any]) -> str:
    lines = []
    for part, what in (("text", "texts"), ("trees", "trees")):
        files = about[part]
        n_segments, n_words = (sum(entry[name] for entry in files) for name in ("segments", "words"))
        if files:
            lines.append(f"{what}: {counted(len(files), 'file')}, {n_segments:,} segments, {n_words:,} words")
    return "\n".join([*lines, f"tokenizer {about['tok']}, sha256 {about['sha256'][:8]}"])
