"""Trees for texts that have none: every text is parsed once, in parallel, and its trees are kept in files.

``parse_files`` writes ``NAME.conllu`` and, where the parser gives constituents, ``NAME.ptb``, as ``hwcm`` and ``stm``
read them, and ``parser.json``, which says what made them and how much of each text was parsed. A text that is there
already, parsed by the same parser, is not parsed again.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtassay.data.atomic import atomic_write
from mtassay.data.inputs import open_input
from mtassay.data.lines import read_lines
from mtassay.data.names import system_name
from mtassay.data.parses import text_digest
from mtassay.data.trees import BRACKETS, CONLLU, MISSING_BRACKETS, PARSER_FILE, format_conllu
from mtassay.errors import InputError, did_you_mean
from mtassay.text.parsing.parse import FULL, MISSING, PARTIAL, Parse, Parser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mtassay.data.inputs import PathLike
    from mtassay.data.testset import TestSet

__all__ = ["FULL", "MISSING", "PARSERS", "PARTIAL", "Parse", "ParsedText", "Parser", "check_language"]
__all__ += ["get_parser", "parse_files", "parse_testset", "parse_texts"]

#: Parsers by name; what follows a colon is their model or language.
PARSERS = {
    "link-grammar": "mtassay.text.parsing.link_grammar:LinkGrammar",
    "spacy": "mtassay.text.parsing.packages:Spacy",
    "stanza": "mtassay.text.parsing.packages:Stanza",
}
_AT_ONCE = 50


@dataclass(frozen=True)
class ParsedText:
    """How much of a text was parsed, in segments.

    Attributes:
        sha256: of the text.
        full: with all words in one tree.
        partial: with words that no link leads to.
        missing: without any parse.
        empty: without words.
        has_brackets: whether there are constituents.
    """

    sha256: str
    full: int
    partial: int
    missing: int
    empty: int
    has_brackets: bool


def get_parser(spec: str) -> Parser:
    """A parser by its name, such as ``link-grammar``, ``spacy:en_core_web_sm`` or ``stanza:en``."""
    name, _, model = spec.partition(":")
    if name not in PARSERS:
        raise InputError(f"no parser named '{name}'{did_you_mean(name, PARSERS)} (there are: {', '.join(PARSERS)})")
    module, _, attribute = PARSERS[name].partition(":")
    made: Parser = getattr(import_module(module), attribute)(*([model] if model else []))
    return made


def check_language(spec: str, language: str) -> None:
    """Refuse link-grammar's dictionary of another language than the texts have; '' is a language not known.

    >>> check_language("link-grammar", "en")
    """
    name, _, dictionary = spec.partition(":")
    if name == "link-grammar" and language not in {"", dictionary or "en"}:
        raise InputError(
            f"link-grammar parses {dictionary or 'en'}, and these texts are {language}: choose another --parser, such "
            f"as stanza:{language}"
        )


def parse_files(
    paths: Sequence[PathLike],
    out: PathLike,
    *,
    parser: str | Parser = "link-grammar",
    processes: int = 2,
    progress: Callable[[Sequence[Any]], Iterable[Any]] = iter,
) -> dict[str, ParsedText]:
    """Parse line files, one segment per line; results are named as systems are named by their files.

    Args:
        paths: the files.
        out: folder of the trees; it is made where it is not there.
        parser: its name, or a parser.
        processes: how many run at a time.
        progress: wraps the loop over pieces of the work, for a progress bar.
    """
    named: dict[str, list[str]] = {}
    for path in paths:
        name = system_name(path)
        if name in named:
            raise InputError(f"{path}: another file is called '{name}', too; rename one of them")
        named[name] = read_lines(path)
    return parse_texts(named, out, parser=parser, processes=processes, progress=progress)


def parse_testset(testset: TestSet, out: PathLike, **options: Any) -> dict[str, ParsedText]:
    """Parse the references and the outputs of a test set; options as for ``parse_files``."""
    named: dict[str, Sequence[str | None]] = dict(zip(testset.reference_names, testset.references, strict=True))
    return parse_texts({**named, **testset.systems}, out, **options)


def parse_texts(
    texts: Mapping[str, Sequence[str | None]],
    out: PathLike,
    *,
    parser: str | Parser = "link-grammar",
    processes: int = 2,
    progress: Callable[[Sequence[Any]], Iterable[Any]] = iter,
) -> dict[str, ParsedText]:
    """Parse texts by name; other arguments as for ``parse_files``."""
    chosen = get_parser(parser) if isinstance(parser, str) else parser
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out} cannot be made: {error.strerror}") from None
    before = _read_about(folder)
    known = before["texts"] if before.get("parser") == chosen.name else {}
    done = {name: ParsedText(**about) for name, about in known.items()}
    wanted = {name: lines for name, lines in texts.items() if not _is_there(folder, name, lines, known)}
    for name, parses in _parse_all(wanted, chosen, processes, progress):
        # One text after the other: what was parsed before an interruption is there afterwards.
        done[name] = _write(folder, name, wanted[name], parses)
        _write_about(folder, chosen.name, done)
    _write_about(folder, chosen.name, done)
    return {name: done[name] for name in texts}


def _write_about(folder: Path, parser: str, done: Mapping[str, ParsedText]) -> None:
    about = {"schema": 1, "parser": parser, "texts": {name: asdict(found) for name, found in done.items()}}
    with atomic_write(folder / PARSER_FILE, exact=True) as file:
        json.dump(about, file, ensure_ascii=False, indent=1)


def _read_about(folder: Path) -> dict[str, Any]:
    """What the folder says of its files; nothing where it says nothing that can be understood."""
    try:
        with open_input(folder / PARSER_FILE, is_own=True) as file:
            about = json.load(file)
        texts = {name: asdict(ParsedText(**found)) for name, found in about["texts"].items()}
        return {"parser": about["parser"], "texts": texts}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _is_there(folder: Path, name: str, lines: Sequence[str | None], known: Mapping[str, Any]) -> bool:
    found = known.get(name)
    if found is None or found["sha256"] != text_digest(lines):
        return False
    suffixes = [CONLLU, BRACKETS] if found["has_brackets"] else [CONLLU]
    return all((folder / f"{name}{suffix}").is_file() for suffix in suffixes)


def _parse_all(
    texts: Mapping[str, Sequence[str | None]],
    parser: Parser,
    processes: int,
    progress: Callable[[Sequence[Any]], Iterable[Any]],
) -> Iterator[tuple[str, Mapping[str, Parse]]]:
    """Parse texts in order; after each, its name and the parses of all lines so far. No line is parsed twice."""
    seen: set[str] = set()
    pieces: list[tuple[str, list[str]]] = []
    for name, lines in texts.items():
        new = [line for line in dict.fromkeys(lines) if line and line.strip() and line not in seen]
        seen.update(new)
        # A text without new lines has its turn, too.
        pieces += [(name, new[first : first + _AT_ONCE]) for first in range(0, max(len(new), 1), _AT_ONCE)]
    parses: dict[str, Parse] = {}
    with ThreadPoolExecutor(max(1, processes) if parser.is_parallel else 1) as pool:
        futures = [pool.submit(parser.parse, piece) for _, piece in pieces]
        try:
            for i, future in enumerate(progress(futures)):
                name, piece = pieces[i]
                parses.update(zip(piece, future.result(), strict=True))
                if i + 1 == len(pieces) or pieces[i + 1][0] != name:
                    yield name, parses
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _write(folder: Path, name: str, lines: Sequence[str | None], parses: Mapping[str, Parse]) -> ParsedText:
    """Write the trees of one text; empty lines are marked as missing, which readers know from the text."""
    nothing = Parse(None, None, MISSING)
    found = [parses[line] if line and line.strip() else nothing for line in lines]
    has_brackets = any(parse.brackets for parse in found)
    with atomic_write(folder / f"{name}{CONLLU}", exact=True) as file:
        file.writelines(format_conllu(parse.dependencies) for parse in found)
    if has_brackets:
        with atomic_write(folder / f"{name}{BRACKETS}", exact=True) as file:
            file.writelines(f"{parse.brackets or MISSING_BRACKETS}\n" for parse in found)
    empty = sum(not (line and line.strip()) for line in lines)
    states = [parse.state for parse in found]
    missing = states.count(MISSING) - empty
    return ParsedText(text_digest(lines), states.count(FULL), states.count(PARTIAL), missing, empty, has_brackets)
