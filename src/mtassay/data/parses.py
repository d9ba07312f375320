"""Folders of parses: a file per system and per reference, of that name, and ``parser.json``, which says what made them.

A file must have as many trees as its text has segments, and be of that text: trees of other sentences are refused.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from mtassay.data.inputs import COMPRESSION_SUFFIXES, PathLike, read_bytes, read_text
from mtassay.data.lines import lines_of
from mtassay.data.trees import CONLLU, PARSER_FILE, bracket_trees, conllu_trees
from mtassay.errors import InputError, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.trees import Tree

UNKNOWN = "unknown"
#: So many files stay in memory: metrics and features read the same ones again and again.
_KEPT = 32
#: A tree is of a text that has this share of its trigrams of letters. Link-grammar's trees of WMT21 share at least 71 %
#: with their own texts, and 95 % of them less than a third with the next segment's.
_ENOUGH = 1 / 3
_NO_LETTERS = re.compile(r"[\W_]+")
_DIGITS = 8


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
    trees, own, strange = _compared(read_text(found), str(found), suffix, tuple(texts))
    if len(trees) != len(texts):
        raise InputError(
            f"{found} has parses of {counted(len(trees), 'segment')}, {whose} has {len(texts)}: every segment needs one"
        )
    if len(strange) > own:
        words = " ".join(getattr(trees[strange[0]], "words", ()))
        raise InputError(
            f"{found}: segment {strange[0] + 1} has the tree of another sentence ({words[:40]!r}), as have most: these "
            f"are not parses of {whose}; parse it again (mtassay learn parse)"
        )
    return trees


@lru_cache(maxsize=_KEPT)
def _compared(
    content: str, path: str, suffix: str, texts: tuple[str | None, ...]
) -> tuple[tuple[Tree | None, ...], int, list[int]]:
    """The trees of a file, the number of those that fit their texts, and which do not."""
    trees: tuple[Tree | None, ...] = tuple(
        (conllu_trees if suffix == CONLLU else bracket_trees)(lines_of(content), path)
    )
    pairs = [(place, tree, text) for place, (tree, text) in enumerate(zip(trees, texts, strict=False)) if tree and text]
    strange = [place for place, tree, text in pairs if not fits(tree, text)]
    return trees, len(pairs) - len(strange), strange


def fits(tree: Tree, text: str) -> bool:
    """Whether a tree may be that of a text; parsers leave words out, split, escape and change them.

    >>> tree = bracket_trees(["(S (NP (DT The) (-LRB- -LRB-) (N dog)) (VP (V barks)))"], "a.ptb")[0]
    >>> fits(tree, "the (dog) barks, they say"), fits(tree, "Nobody knows why.")
    (True, False)
    """
    words = "".join(tree.words)
    if _letters(words) == _letters(text):
        return True
    own, other = (_trigrams(_letters(unicodedata.normalize("NFKD", part))) for part in (words, text))
    return len(own & other) >= _ENOUGH * len(own)


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.casefold())


def _trigrams(letters: str) -> set[str]:
    return {letters[place : place + 3] for place in range(len(letters) - 2)}


def parser_of(folder: PathLike) -> str:
    """What made the parses of a folder, as the file beside them says."""
    try:
        found = json.loads((Path(folder) / PARSER_FILE).read_text(encoding="utf-8"))["parser"]
    except (OSError, ValueError, KeyError, TypeError):
        return UNKNOWN
    return "-".join(str(found).split())


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
