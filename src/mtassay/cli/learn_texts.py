"""``mtassay learn index`` and ``mtassay learn parse``: what features of corpora and of trees are computed from."""

from __future__ import annotations

from typing import Any

from mtassay.cli.arguments import Parser, add_inputs, read_inputs
from mtassay.cli.output import add_output, writing
from mtassay.cli.progress import bar
from mtassay.errors import MtassayError, counted

_INDEX = """\
  mtassay learn index news.en -o news.index
  mtassay learn index news.en --trees treebank/*.conllu -o news.index
"""
_PARSE = """\
  mtassay learn parse ref.txt -i hyp/* -o trees              with link-grammar
  mtassay learn parse wmt21/cs-en -o trees --parser spacy:en_core_web_sm
  mtassay learn parse --texts news.en -o treebank            texts alone, for an index
"""


def index(argv: list[str]) -> int:
    """Build the index of a corpus."""
    parser = Parser("learn index", "Build the index of a corpus that features are looked up in.", _INDEX)
    parser.add_argument("texts", nargs="*", metavar="CORPUS", help="texts in the target language, a segment per line")
    parser.add_argument("--trees", nargs="+", default=[], metavar="FILE", help="dependency trees (CoNLL-U)")
    parser.add_argument("--tok", default="13a", metavar="NAME", help="the tokenizer (default: 13a)")
    parser.add_argument("-o", "--output", required=True, metavar="INDEX", help="the index")
    args = parser.parse_args(argv)
    from mtassay.learn.corpus_index import build_index

    built = build_index(args.texts, args.output, trees=args.trees, tok=args.tok, progress=bar("indexing"))
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


def parse(argv: list[str]) -> int:
    """Parse references and outputs, or texts."""
    parser = Parser("learn parse", "Parse references and outputs for features of trees, each text once.", _PARSE)
    add_inputs(parser)
    parser.add_argument("--texts", nargs="+", default=[], metavar="FILE", help="texts alone, in place of a test set")
    parser.add_argument(
        "--parser", default="link-grammar", metavar="NAME", help="link-grammar, spacy:MODEL, stanza:LANGUAGE"
    )
    parser.add_argument("-j", "--jobs", type=int, default=2, metavar="N", help="parsers at a time (default: 2)")
    add_output(parser, folder="folder of the trees; what it has already is not parsed again")
    args = parser.parse_args(argv)
    if args.jobs < 1:
        raise MtassayError("--jobs must be at least 1")
    if args.texts and (args.refs or args.more_refs or args.input is not None):
        raise MtassayError("--texts stands in place of a test set: leave out references and -i")
    from mtassay.cli.metaeval import pair_of
    from mtassay.report.document import Document, Records, table
    from mtassay.report.render import render
    from mtassay.text.annotate import check_language, parse_files, parse_testset

    options = {"parser": args.parser, "processes": args.jobs, "progress": bar("parsing")}
    testset = None if args.texts else read_inputs(args, may_lack_systems=True)
    pair = args.language_pair or (pair_of(testset) if testset is not None else None)
    check_language(args.parser, (pair or "").rpartition("-")[2])
    if testset is None:
        found = parse_files(args.texts, args.output, **options)
    else:
        found = parse_testset(testset, args.output, **options)
    header = ("text", "full", "partial", "missing", "empty")
    rows = [(name, *(getattr(text, state) for state in header[1:])) for name, text in sorted(found.items())]
    document = Document(
        "parsed texts",
        (table(header, [[str(value) for value in row] for row in rows]),),
        lambda: Records(header, rows),
        lambda: [dict(zip(header, row, strict=True)) for row in rows],
    )
    with writing(None) as out:
        out.line(render(document, args.format))
    return 0
