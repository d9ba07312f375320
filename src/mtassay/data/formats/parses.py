"""Folders of parses: a file per system and per reference, of that name, and ``parser.json``, which says what made them.

A file must have as many trees as its text has segments, and be of that text: trees of other sentences are refused, and
so are trees of a text that was another one when it was parsed, as ``parser.json`` knows.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mtassay.data.formats.lines import lines_of
from mtassay.data.trees import CONLLU, PARSER_FILE, bracket_trees, conllu_trees
from mtassay.errors import InputError, counted
from mtassay.io.inputs import COMPRESSION_SUFFIXES, PathLike, read_bytes, read_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.trees import Tree

UNKNOWN = "unknown"
#: So many files stay in memory: metrics and features read the same ones again and again.
_KEPT = 32
#: A tree is of a text that has this share of its trigrams of letters. Link-grammar's trees of WMT21 share at least 71 %
#: with their own texts, and 95 % of them less than a third with the next segment's.
_ENOUGH = 1 / 3
#: This share of trees may be strange, and one in any case: that may be the parser's doing.
_STRANGE = 0.1
#: In this many segments or more, trees are another text's if less than half of them have exactly the letters of theirs
#: and what they have in common is less than this on average. WMT21's link-grammar trees have 98 % in common with their
#: own texts, or 85 % if every article, "to" and "of" is changed, and with the most similar other system's 81 %.
_MANY, _SIMILAR = 10, 0.83
_BRACKET = re.compile("-[LR][RSC]B-")
_NO_LETTERS = re.compile(r"[\W_]+")
_DIGITS = 8
_COUNTS = ("full", "partial", "missing", "empty")


def read_parses(
    folder: PathLike, name: str, *, suffix: str, texts: Sequence[str | None], whose: str
) -> tuple[Tree | None, ...]:
    """The parses of one text, from ``folder/name.suffix`` or a compressed file of that name.

    Args:
        folder: where the parses lie.
        name: of the system or reference.
        suffix: ``CONLLU`` or ``BRACKETS``, which is also the format.
        texts: the segments that were parsed, None where there is none.
        whose: what the text is called in messages.
    """
    wanted = Path(folder) / f"{name}{suffix}"
    files = [wanted, *(wanted.with_name(wanted.name + end) for end in COMPRESSION_SUFFIXES)]
    found = next((file for file in files if file.is_file()), None)
    if found is None:
        raise InputError(f"{whose} has no parse: the file wanted is {wanted} (or {wanted.name}.gz)")
    found_trees = _compared(read_text(found), str(found), suffix, tuple(texts))
    trees = found_trees.trees
    if len(trees) != len(texts):
        raise InputError(
            f"{found} has parses of {counted(len(trees), 'segment')}, {whose} has {len(texts)}: every segment needs one"
        )
    _check_parsed_text(Path(folder), name, found, texts, whose)
    strange = found_trees.strange
    if len(strange) > max(1, _STRANGE * found_trees.compared):
        words = " ".join(getattr(trees[strange[0]], "words", ()))
        raise InputError(
            f"{found}: segment {strange[0] + 1} has the tree of another sentence ({words[:40]!r}), as have "
            f"{len(strange)} of {found_trees.compared}: these are not parses of {whose}; parse it anew (mtassay learn "
            "parse)"
        )
    if not found_trees.is_similar:
        raise InputError(
            f"{found} has the parses of another text than {whose} has, of another system, perhaps: only "
            f"{found_trees.exact} of {found_trees.compared} trees have its words; parse it anew (mtassay learn parse)"
        )
    return trees


def _check_parsed_text(folder: Path, name: str, file: Path, texts: Sequence[str | None], whose: str) -> None:
    """Refuse parses of a text that is not the one that was parsed, as far as ``parser.json`` knows it."""
    about = _about(folder).get("texts", {}).get(name)
    if about is None:
        return
    if about["sha256"] != text_digest(texts):
        raise InputError(f"{file} has the parses of another text than {whose} has; parse it anew (mtassay learn parse)")
    if (n := sum(about[count] for count in _COUNTS)) != len(texts):
        says = f"{folder / PARSER_FILE} says {n}"
        raise InputError(
            f"{file} has parses of {counted(len(texts), 'segment')}, and {says}; parse it anew (mtassay learn parse)"
        )


class _Compared(NamedTuple):
    """The trees of a file and how well they fit their texts.

    Attributes:
        trees: one per segment.
        compared: number of segments with a tree and a text.
        exact: of these, how many have the same letters.
        similarity: what trees and texts have in common on average.
        strange: segments whose trees do not fit.
    """

    trees: tuple[Tree | None, ...]
    compared: int
    exact: int
    similarity: float
    strange: list[int]

    @property
    def is_similar(self) -> bool:
        """Whether the trees may be those of the text as a whole."""
        return self.compared < _MANY or 2 * self.exact >= self.compared or self.similarity >= _SIMILAR


@lru_cache(maxsize=_KEPT)
def _compared(content: str, path: str, suffix: str, texts: tuple[str | None, ...]) -> _Compared:
    trees: tuple[Tree | None, ...] = tuple(
        (conllu_trees if suffix == CONLLU else bracket_trees)(lines_of(content), path)
    )
    pairs = [(place, tree, text) for place, (tree, text) in enumerate(zip(trees, texts, strict=False)) if tree and text]
    common = {place: _common(tree, text) for place, tree, text in pairs}
    exact = sum(found == (1.0, 1.0) for found in common.values())
    similarity = sum(similar for _, similar in common.values()) / max(len(common), 1)
    return _Compared(trees, len(pairs), exact, similarity, [k for k, (share, _) in common.items() if share < _ENOUGH])


def _common(tree: Tree, text: str) -> tuple[float, float]:
    """The share of a tree's trigrams of letters that a text has, and of both's that both have; 1 if it has no words.

    Parsers leave words out, split, escape and change them.

    >>> tree = bracket_trees(["(S (NP (DT The) (-LRB- -LRB-) (N dog)) (VP (V barks)))"], "a.ptb")[0]
    >>> [_common(tree, text)[0] >= _ENOUGH for text in ("the (dog) barks, they say", "Nobody knows why.")]
    [True, False]
    """
    words, wanted = (_BRACKET.sub("", part) for part in ("".join(tree.words), text))
    if _letters(words) == _letters(wanted):
        return 1.0, 1.0
    own, other = (_trigrams(_letters(unicodedata.normalize("NFKD", part))) for part in (words, wanted))
    if not own:
        return 1.0, 1.0
    n_both = len(own & other)
    return n_both / len(own), 2 * n_both / (len(own) + len(other))


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.casefold())


def _trigrams(letters: str) -> set[str]:
    return {letters[place : place + 3] for place in range(len(letters) - 2)}


def text_digest(texts: Sequence[str | None]) -> str:
    """The SHA-256 of a text, by which ``parser.json`` knows it."""
    content = "\n".join("" if text is None else text for text in texts)
    return sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def parser_of(folder: PathLike) -> str:
    """What made the parses of a folder, as the file beside them says."""
    return "-".join(_about(Path(folder)).get("parser", UNKNOWN).split())


def _about(folder: Path) -> dict[str, Any]:
    """What ``parser.json`` says, nothing where there is none; it is refused unless it has the right form."""
    path = folder / PARSER_FILE
    if not path.exists():
        return {}
    try:
        about = json.loads(read_text(path))
        parser, texts = about["parser"], about.get("texts", {})
        right = all(isinstance(found["sha256"], str) for found in texts.values())
        right = right and all(type(found[count]) is int for found in texts.values() for count in _COUNTS)
        words = parser.split()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        right = False
    if not right:
        raise InputError(f"{path} cannot be read as what mtassay learn parse writes: parse anew, or remove it")
    if not words or "|" in parser or not parser.isprintable():
        raise InputError(f"{path}: the parser {parser[:40]!r} cannot stand in a signature; give it another name")
    return {"parser": parser, "texts": texts}


def parses_digest(folder: PathLike, *suffixes: str) -> str:
    """What all parses of these formats in a folder are, in eight characters, compressed or not."""
    files: dict[str, str] = {}
    try:
        for path in Path(folder).iterdir():
            name = path.name.removesuffix(path.suffix) if path.suffix in COMPRESSION_SUFFIXES else path.name
            if name.endswith(suffixes) and path.is_file():
                files[name] = sha256(read_bytes(path)).hexdigest()
    except (OSError, ValueError, InputError):
        return UNKNOWN
    return (
        sha256(repr(sorted(files.items())).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS] if files else UNKNOWN
    )
