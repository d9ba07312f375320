"""``mtassay annotate``: write parts of speech, lemmas and trees of a test set to files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.cli.arguments import Parser, add_execution, add_inputs, read_inputs
from mtassay.cli.output import add_output, writing
from mtassay.cli.progress import bar
from mtassay.errors import InputError, MtassayError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Aligns outputs with sources; unlike the annotators it does not annotate single texts.
EFLOMAL = "eflomal"
_EXAMPLES = """\
  mtassay annotate ref.txt -i hyp/* --annotator link-grammar -o trees
  mtassay score ref.txt -i hyp/* -m hwcm:annotator=file:trees            reads what was written
  mtassay annotate wmt21/cs-en --annotator spacy:en_core_web_sm -o trees -j 4
  mtassay annotate --texts news.en --annotator stanza:en -o treebank     texts alone, for mtassay learn index
  mtassay annotate ref.fr -i hyp/* --source src.en -l en-fr --annotator eflomal -o links
  mtassay score ref.fr -i hyp/* --source src.en -l en-fr -m act:alignments=links

Metrics can also annotate texts themselves (hwcm:annotator=link-grammar). Either way each text is annotated only once:
annotations are kept in the cache folder (MTASSAY_CACHE), and an interrupted run resumes where it stopped.
"""


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("annotate", "Annotate references and outputs: CoNLL-U, and brackets for constituents.", _EXAMPLES)
    add_inputs(parser)
    parser.add_argument(
        "--texts", nargs="+", default=[], metavar="FILE", help="annotate these texts instead of a test set"
    )
    parser.add_argument(
        "--annotator",
        default="link-grammar",
        metavar="NAME",
        help="hanta:LANGUAGE, simplemma:LANGUAGE, link-grammar, spacy:MODEL, stanza:LANGUAGE, file:FOLDER, or eflomal "
        "for word alignments with the source (default: link-grammar)",
    )
    add_execution(parser, default=2, help="annotators to run in parallel (default: 2)")
    add_output(parser, folder="folder of the annotations, one file per reference and system")
    args = parser.parse_args(argv)
    if args.threads < 1:
        raise MtassayError("--threads must be at least 1")
    if args.texts and (args.refs or args.more_refs or args.input is not None):
        raise MtassayError("--texts replaces the test set: leave out references and -i")
    if args.texts and args.annotator == EFLOMAL:
        raise MtassayError("eflomal aligns a test set with its source texts: leave out --texts")
    from mtassay.data.testset import check_language_pair, languages_of
    from mtassay.text.annotate import check_language
    from mtassay.verbs.annotate import annotate, annotate_texts
    from mtassay.verbs.word_alignments import write_word_alignments

    testset = None if args.texts else read_inputs(args, whole=True)
    if testset is None:
        check_language_pair(args.language_pair)
        check_language(args.annotator, languages_of(args.language_pair)[1])
        result = annotate_texts(
            _read_texts(args.texts, args.encoding),
            output=args.output,
            annotator=args.annotator,
            threads=args.threads,
            execution=args.execution,
            progress=bar("annotating"),
        )
    elif args.annotator == EFLOMAL:
        result = write_word_alignments(testset, output=args.output)
    else:
        result = annotate(
            testset,
            output=args.output,
            annotator=args.annotator,
            threads=args.threads,
            execution=args.execution,
            progress=bar("annotating"),
        )
    with writing(None) as out:
        out.line(result.render(args.format))
    return 0


def _read_texts(paths: Sequence[str], encoding: str) -> dict[str, list[str]]:
    """Read the lines of each file, by file name."""
    from mtassay.data import read_lines, system_name

    named: dict[str, list[str]] = {}
    for path in paths:
        name = system_name(path)
        if name in named:
            raise InputError(f"{path}: another file is also called '{name}'; rename one of them")
        named[name] = read_lines(path, encoding=encoding)
    return named
