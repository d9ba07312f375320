"""Files of annotations, CoNLL-U (``.conllu``) and brackets (``.ptb``): one of them, or a folder of them.

Annotations are found by the text that they are of. A file says what its texts are: CoNLL-U by ``# text = …`` in each
segment, ``NAME.ptb`` by the ``NAME.conllu`` beside it, and both by a ``NAME.txt`` beside them with a segment per line.
Where nothing says it, a text is that of the words in the file, whatever its white space, or else its letters.

Trees must be of the texts that they are said to be of: those of another system, off by a line or of other texts are
refused. ``annotator.json`` in the folder says what made the annotations.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mtassay.data.annotations import CONSTITUENTS, MISSING, Annotations
from mtassay.data.formats.brackets import bracket_trees
from mtassay.data.formats.conllu import Segment, conllu_segments
from mtassay.data.formats.lines import lines_of
from mtassay.errors import InputError, at, counted
from mtassay.io.inputs import COMPRESSION_SUFFIXES, PathLike, open_input, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mtassay.data.trees import ConstituentTree

CONLLU, BRACKETS, TEXTS = ".conllu", ".ptb", ".txt"
#: Beside the annotations: what made them.
ANNOTATOR_FILE = "annotator.json"
UNKNOWN = "unknown"
#: So many folders stay in memory: metrics and features ask for the same ones again and again.
_KEPT = 4
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
#: What was read, by path and SHA-256 of the content.
_OPENED: dict[tuple[str, str], AnnotationFiles] = {}


class _Content(NamedTuple):
    """The content of a file, and where it is from."""

    path: str
    text: str


class AnnotationFiles:
    """Annotations of one or several files, by text; use ``open_annotations``.

    Attributes:
        layers: what any of the files has.
    """

    def __init__(self) -> None:
        self.layers: frozenset[str] = frozenset()
        self._of_texts: dict[str, Annotations] = {}
        self._of_words: dict[str, Annotations] = {}
        self._of_letters: dict[str, Annotations] = {}

    def add(self, segments: Iterable[Segment]) -> None:
        """Take in the segments of a file."""
        for segment in segments:
            self.layers |= segment.annotations.layers
            if segment.text is not None:
                _put(self._of_texts, _one_line(segment.text), segment.annotations)
            elif segment.surface:
                _put(self._of_words, segment.surface, segment.annotations)
                if letters := _letters(segment.surface):
                    _put(self._of_letters, letters, segment.annotations)

    def find(self, text: str) -> Annotations | None:
        """Annotations of a text; None where no file has them."""
        found = self._of_texts.get(_one_line(text)) or self._of_words.get("".join(text.split()))
        return found or self._of_letters.get(_letters(text))


def _put(known: dict[str, Annotations], key: str, found: Annotations) -> None:
    """Of several annotations of one text the first counts, unless another has more."""
    old = known.get(key)
    if old is None or (old.state == MISSING, -len(old.layers)) > (found.state == MISSING, -len(found.layers)):
        known[key] = found


def open_annotations(path: PathLike) -> tuple[AnnotationFiles, str]:
    """Annotations of a file or a folder, and the first digits of the SHA-256 of their content."""
    named = {
        name: {suffix: _Content(str(file), read_text(file)) for suffix, file in files.items()}
        for name, files in _files(Path(path)).items()
    }
    if not named:
        raise InputError(f"{shown(path)} has no annotations: *{CONLLU} or *{BRACKETS}, also compressed")
    digest = sha256()
    for name, files in named.items():
        for suffix, content in files.items():
            digest.update(repr((name + suffix, content.text)).encode("utf-8", "surrogatepass"))
    key = (str(path), digest.hexdigest())
    if key not in _OPENED:
        found = AnnotationFiles()
        for files in named.values():
            found.add(_segments(files))
        while len(_OPENED) >= _KEPT:
            _OPENED.pop(next(iter(_OPENED)))
        _OPENED[key] = found
    return _OPENED[key], digest.hexdigest()[:_DIGITS]


def _files(path: Path) -> dict[str, dict[str, Path]]:
    """Files by name and suffix; without annotations a text is left out."""
    if path.is_dir():
        candidates = sorted(path.iterdir())
    elif path.is_file():
        candidates = [path, *(_beside(path, end) for end in ("", *COMPRESSION_SUFFIXES))]
    else:
        raise InputError(f"{shown(path)}: no such file or folder of annotations")
    found: dict[str, dict[str, Path]] = {}
    for file in candidates:
        plain = file.with_suffix("") if file.suffix in COMPRESSION_SUFFIXES else file
        if plain.suffix in {CONLLU, BRACKETS, TEXTS} and file.is_file():
            found.setdefault(plain.stem, {}).setdefault(plain.suffix, file)
    return {name: files for name, files in found.items() if files.keys() & {CONLLU, BRACKETS}}


def _beside(path: Path, end: str) -> Path:
    """The text of a file of annotations."""
    plain = path.with_suffix("") if path.suffix in COMPRESSION_SUFFIXES else path
    return plain.with_name(plain.stem + TEXTS + end)


def _segments(files: Mapping[str, _Content]) -> list[Segment]:
    """Segments of the files of one name: words of the one and constituents of the other, of the texts of the third."""
    words, trees, lines = (files.get(suffix) for suffix in (CONLLU, BRACKETS, TEXTS))
    brackets = [] if trees is None else bracket_trees(lines_of(trees.text), trees.path)
    if words is None:
        found = [_of_brackets(tree) for tree in brackets]
    else:
        found = conllu_segments(lines_of(words.text), words.path)
        if trees is not None:
            _check_number(len(brackets), trees.path, len(found), words.path)
    main = next(content for content in (words, trees) if content is not None)
    if lines is not None and not any(segment.text is not None for segment in found):
        texts = lines_of(lines.text)
        _check_number(len(found), main.path, len(texts), lines.path)
        found = [segment._replace(text=text) for segment, text in zip(found, texts, strict=True)]
    texts = [segment.surface if segment.text is None else segment.text for segment in found]
    _check_fit([segment.annotations.words for segment in found], texts, main.path)
    if words is not None and trees is not None:
        _check_fit([() if tree is None else tree.words for tree in brackets], texts, trees.path)
        found = [_with_tree(segment, tree) for segment, tree in zip(found, brackets, strict=True)]
    return found


def _of_brackets(tree: ConstituentTree | None) -> Segment:
    layers = frozenset({CONSTITUENTS})
    if tree is None:
        return Segment(None, "", 0, Annotations.missing(layers))
    return Segment(None, "".join(tree.words), 0, Annotations(words=tree.words, constituents=tree, layers=layers))


def _with_tree(segment: Segment, tree: ConstituentTree | None) -> Segment:
    layers = segment.annotations.layers | {CONSTITUENTS}
    return segment._replace(annotations=replace(segment.annotations, constituents=tree, layers=layers))


def _check_number(n: int, file: str, n_other: int, other: str) -> None:
    if n != n_other:
        raise InputError(f"{file} has {counted(n, 'segment')}, {other} has {n_other}: every segment needs annotations")


# Whether trees are of their texts


class _Fit(NamedTuple):
    """The share of a tree's trigrams of letters that a text has, and of both's that both have; exact: same letters."""

    share: float
    similarity: float
    exact: bool


def _check_fit(words: Sequence[tuple[str, ...]], texts: Sequence[str], path: str) -> None:
    """Refuse trees that are not of their texts.

    Args:
        words: of each tree; none without a tree.
        texts: of each tree; '' without a text.
        path: the file of the trees.
    """
    pairs = enumerate(zip(words, texts, strict=True))
    fits = {place: _fit("".join(own), text) for place, (own, text) in pairs if own and text}
    strange = [place for place, fit in fits.items() if fit.share < _ENOUGH]
    if len(strange) > max(1, _STRANGE * len(fits)):
        place = strange[0]
        raise InputError(
            f"{path}: segment {place + 1} has the tree of another sentence ({' '.join(words[place])[:40]!r}), as have "
            f"{len(strange)} of {len(fits)}: these are not annotations of {texts[place][:40]!r} and the like"
        )
    exact = sum(fit.exact for fit in fits.values())
    similarity = sum(fit.similarity for fit in fits.values()) / max(len(fits), 1)
    if len(fits) >= _MANY and 2 * exact < len(fits) and similarity < _SIMILAR:
        raise InputError(
            f"{path} has the trees of other texts than it says, of another system, perhaps: only {exact} of "
            f"{len(fits)} trees have the words of their text"
        )


def _fit(words: str, text: str) -> _Fit:
    """How well a tree fits a text; parsers leave words out, split, escape and change them.

    >>> words = "The-LRB-dog-RRB-barks"
    >>> [_fit(words, text).share >= _ENOUGH for text in ("the (dog) barks, they say", "Nobody knows why.")]
    [True, False]
    """
    if _letters(words) == _letters(text):
        return _Fit(1.0, 1.0, exact=True)
    own, other = (_trigrams(_letters(unicodedata.normalize("NFKD", part))) for part in (words, text))
    if not own:
        return _Fit(1.0, 1.0, exact=True)
    n_both = len(own & other)
    return _Fit(n_both / len(own), 2 * n_both / (len(own) + len(other)), exact=False)


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", _BRACKET.sub("", text).casefold())


def _trigrams(letters: str) -> set[str]:
    return {letters[place : place + 3] for place in range(len(letters) - 2)}


def _one_line(text: str) -> str:
    return " ".join(text.split())


# What made the annotations


def annotator_of(path: PathLike, *, is_own: bool = False) -> str:
    """What made the annotations of a folder, as the file in it says; ``unknown`` without one.

    Args:
        path: the folder, or a file in it.
        is_own: the folder is about to be written, so that its file may be replaced.
    """
    file = (Path(path) if Path(path).is_dir() else Path(path).parent) / ANNOTATOR_FILE
    if not file.exists():
        return UNKNOWN
    try:
        with open_input(file, is_own=is_own) as opened:
            made_by = json.loads(opened.read())["annotator"]
        words = made_by.split()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(
            f"{file} cannot be read as what mtassay annotate writes; annotate anew, or remove it"
        ) from None
    if not words or "|" in made_by or not made_by.isprintable():
        raise InputError(f"{at(file)}: the annotator {made_by[:40]!r} cannot stand in a signature; give another name")
    return " ".join(words)
