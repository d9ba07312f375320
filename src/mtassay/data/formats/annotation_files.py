"""Files of annotations: a single file, or a folder.

Words and their annotations come from CoNLL-U (``.conllu``), factored text (``.fact``) and files of semantic roles
(``.conll09``, ``.conll05``, ``.assert``), constituents from brackets (``.ptb``). If several files have the same name,
the first in this order gives the words. Roles and brackets are added from the others; files of roles must have the same
number of words.

Annotations are looked up by their text. CoNLL-U gives the text of each segment in ``# text = …``; ``NAME.ptb`` takes
the texts of the ``NAME.conllu`` beside it; and a ``NAME.txt`` with a segment per line gives the texts of any file
beside it. Otherwise the words in the file are compared with the text without white space, and then by their letters.

Trees must match their texts: trees of another system, of other texts or shifted by a line are rejected.
``annotator.json`` in the folder names the annotator, and may name its tag set (``tags``), which gives universal parts
of speech if a file has none. If it names no tag set, the first known one that has all tags is used.
"""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mtassay.data.annotations import CONSTITUENTS, FRAMES, MISSING, PARTIAL, UPOS, XPOS, Annotations
from mtassay.data.formats.annotation_fit import check_fit, letters_of
from mtassay.data.formats.brackets import bracket_trees
from mtassay.data.formats.conllu import Segment, conllu_segments
from mtassay.data.formats.factored import factored_segments
from mtassay.data.formats.lines import lines_of
from mtassay.data.formats.role_frames import assert_segments, conll05_segments, conll09_segments
from mtassay.data.tag_sets import TagSet, get_tag_set, tag_set_of
from mtassay.errors import InputError, at, counted
from mtassay.io.inputs import COMPRESSION_SUFFIXES, PathLike, open_input, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mtassay.data.trees import ConstituentTree

CONLLU, BRACKETS, TEXTS = ".conllu", ".ptb", ".txt"
#: Files with words, by suffix, from the one with most annotations to the one with fewest.
_READERS: dict[str, Callable[[Sequence[str], PathLike], list[Segment]]] = {
    CONLLU: conllu_segments,
    ".fact": factored_segments,
    ".conll09": conll09_segments,
    ".conll05": conll05_segments,
    ".assert": assert_segments,
}
_SUFFIXES = (*_READERS, BRACKETS)
#: The file next to the annotations that names the annotator.
ANNOTATOR_FILE = "annotator.json"
UNKNOWN = "unknown"
#: Number of folders to keep in memory: metrics and features read the same folders repeatedly.
_KEPT = 4
_DIGITS = 8
#: Annotations already read, by path and SHA-256 of the content.
_OPENED: dict[tuple[str, str], AnnotationFiles] = {}


class _Content(NamedTuple):
    """The content of a file, and where it is from."""

    path: str
    text: str


class AnnotationFiles:
    """Annotations of one or several files, by text; use ``open_annotations``.

    Attributes:
        layers: layers that any of the files has.
    """

    def __init__(self) -> None:
        self.layers: frozenset[str] = frozenset()
        self._of_texts: dict[str, Annotations] = {}
        self._of_words: dict[str, Annotations] = {}
        self._of_letters: dict[str, Annotations] = {}

    def add(self, segments: Iterable[Segment]) -> None:
        """Add the segments of a file."""
        for segment in segments:
            self.layers |= segment.annotations.layers
            if segment.text is not None:
                _put(self._of_texts, _one_line(segment.text), segment.annotations)
            elif segment.surface:
                _put(self._of_words, segment.surface, segment.annotations)
                if letters := letters_of(segment.surface):
                    _put(self._of_letters, letters, segment.annotations)

    def find(self, text: str) -> Annotations | None:
        """The annotations of a text; None if no file has them."""
        found = self._of_texts.get(_one_line(text)) or self._of_words.get("".join(text.split()))
        return found or self._of_letters.get(letters_of(text))


def _put(known: dict[str, Annotations], key: str, found: Annotations) -> None:
    """Of several annotations of one text, keep the first, or one that is more complete."""
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
        kinds = ", ".join(f"*{suffix}" for suffix in _SUFFIXES)
        raise InputError(f"{shown(path)} has no annotations: {kinds}, also compressed")
    tags = _tag_set(path)
    digest = sha256(b"" if tags is None else tags.name.encode())
    for name, files in named.items():
        for suffix, content in files.items():
            digest.update(repr((name + suffix, content.text)).encode("utf-8", "surrogatepass"))
    key = (str(path), digest.hexdigest())
    if key not in _OPENED:
        found = AnnotationFiles()
        for files in named.values():
            found.add(_segments(files, tags))
        while len(_OPENED) >= _KEPT:
            _OPENED.pop(next(iter(_OPENED)))
        _OPENED[key] = found
    return _OPENED[key], digest.hexdigest()[:_DIGITS]


def _files(path: Path) -> dict[str, dict[str, Path]]:
    """Files by name and suffix; texts without annotations are left out."""
    if path.is_dir():
        candidates = sorted(path.iterdir())
    elif path.is_file():
        candidates = [path, *(_beside(path, end) for end in ("", *COMPRESSION_SUFFIXES))]
    else:
        raise InputError(f"{shown(path)}: no such file or folder of annotations")
    found: dict[str, dict[str, Path]] = {}
    for file in candidates:
        plain = file.with_suffix("") if file.suffix in COMPRESSION_SUFFIXES else file
        if plain.suffix in {*_SUFFIXES, TEXTS} and file.is_file():
            found.setdefault(plain.stem, {}).setdefault(plain.suffix, file)
    return {name: files for name, files in found.items() if files.keys() & {*_SUFFIXES}}


def _beside(path: Path, end: str) -> Path:
    """The file with the texts of a file of annotations."""
    plain = path.with_suffix("") if path.suffix in COMPRESSION_SUFFIXES else path
    return plain.with_name(plain.stem + TEXTS + end)


def _segments(files: Mapping[str, _Content], tags: TagSet | None) -> list[Segment]:
    """Segments of files with the same name: one gives the words, others add roles, constituents and texts."""
    with_words = [(files[suffix], read) for suffix, read in _READERS.items() if suffix in files]
    trees, lines = files.get(BRACKETS), files.get(TEXTS)
    brackets = [] if trees is None else bracket_trees(lines_of(trees.text), trees.path)
    of_files = [(content.path, read(lines_of(content.text), content.path)) for content, read in with_words]
    main, found = of_files[0] if of_files else (trees.path if trees else "", [_of_brackets(tree) for tree in brackets])
    for segment in found:
        _check_end(segment, main)
    if lines is not None and not any(segment.text is not None for segment in found):
        texts = lines_of(lines.text)
        _check_number(len(found), main, len(texts), lines.path)
        found = [segment._replace(text=text) for segment, text in zip(found, texts, strict=True)]
    texts = [segment.surface if segment.text is None else segment.text for segment in found]
    check_fit([segment.annotations.words for segment in found], texts, main)
    for path, others in of_files[1:]:
        _check_number(len(others), path, len(found), main)
        found = [_with_frames(segment, other, path, main) for segment, other in zip(found, others, strict=True)]
    if of_files and trees is not None:
        _check_number(len(brackets), trees.path, len(found), main)
        check_fit([() if tree is None else tree.words for tree in brackets], texts, trees.path)
        found = [_with_tree(segment, tree) for segment, tree in zip(found, brackets, strict=True)]
    return _with_universal_tags(found, tags, main)


def _with_frames(segment: Segment, other: Segment, path: str, main: str) -> Segment:
    """Add roles from another file with the same words."""
    own = segment.annotations
    if FRAMES not in other.annotations.layers or FRAMES in own.layers:
        return segment
    n_words, n_own = len(other.annotations.words), len(own.words)
    if n_words != n_own and other.annotations.state != MISSING:
        place = at(path, other.line)
        raise InputError(f"{place}: {counted(n_words, 'word')}, but {at(main, segment.line)} has {n_own}")
    layers = own.layers | {FRAMES}
    return segment._replace(annotations=replace(own, frames=other.annotations.frames, layers=layers))


def _with_universal_tags(segments: list[Segment], named: TagSet | None, path: str) -> list[Segment]:
    """Add universal parts of speech, from the named or a recognised tag set."""
    layers = frozenset[str]().union(*(segment.annotations.layers for segment in segments))
    if UPOS in layers or XPOS not in layers:
        return segments
    all_tags = {tag for segment in segments for tag in segment.annotations.xpos or ()}
    tag_set = named or tag_set_of(all_tags - {"_"})
    if tag_set is None:
        return segments
    return [_with_upos(segment, tag_set, path) for segment in segments]


def _with_upos(segment: Segment, tag_set: TagSet, path: str) -> Segment:
    own = segment.annotations
    tagged = list(zip(own.xpos or (), own.words, strict=True)) if own.state != MISSING else []
    upos = []
    for tag, word in tagged:
        universal = "_" if tag == "_" else tag_set.universal(tag, word)
        if universal is None:
            raise InputError(
                f"{at(path, segment.line)}: the tag {tag[:20]!r} of {word[:40]!r} is not in {tag_set.name}"
            )
        upos.append(universal)
    universal_tags = None if own.state == MISSING else tuple(upos)
    return segment._replace(annotations=replace(own, upos=universal_tags, layers=own.layers | {UPOS}))


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
        raise InputError(
            f"{file} has {counted(n, 'segment')}, {other} has {n_other:,}: every segment needs annotations"
        )


def _check_end(segment: Segment, path: str) -> None:
    """Reject words that end before their text does, as in a truncated file."""
    words, text = letters_of(segment.surface), letters_of(segment.text or "")
    if words and len(words) < len(text) and text.startswith(words) and segment.annotations.state != PARTIAL:
        n_words = counted(len(segment.annotations.words), "word")
        raise InputError(f"{at(path, segment.line)}: {n_words}, but the text {segment.text!r:.80} has more words")


def _one_line(text: str) -> str:
    return " ".join(text.split())


# The annotator and its tag set


def annotator_of(path: PathLike, *, is_own: bool = False) -> str:
    """The annotator named in a folder's ``annotator.json``; ``unknown`` without the file.

    Args:
        path: the folder, or a file in it.
        is_own: whether the folder is about to be written, so that its file may be replaced.
    """
    description = _description(path, is_own=is_own)
    if not description:
        return UNKNOWN
    made_by = description["annotator"]
    words = made_by.split()
    if not words or "|" in made_by or not made_by.isprintable():
        raise InputError(
            f"{_description_file(path)}: the annotator {made_by[:40]!r} cannot be part of a signature; give another "
            "name"
        )
    return " ".join(words)


def _description(path: PathLike, *, is_own: bool = False) -> dict[str, str]:
    """The contents of ``annotator.json``: ``annotator``, and perhaps ``tags``; empty without the file."""
    file = _description_file(path)
    if not file.exists():
        return {}
    try:
        with open_input(file, is_own=is_own) as opened:
            read = json.loads(opened.read())
        # Values that are not text raise TypeError.
        found = {key: "" + read[key] for key in ("annotator", "tags") if key == "annotator" or key in read}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{file} is not a file written by mtassay annotate; annotate again, or remove it") from None
    return found


def _tag_set(path: PathLike) -> TagSet | None:
    """The tag set named in the folder's ``annotator.json``."""
    name = _description(path).get("tags")
    try:
        return None if name is None else get_tag_set(name)
    except InputError as error:
        raise InputError(f"{_description_file(path)}: {error}") from None


def _description_file(path: PathLike) -> Path:
    return (Path(path) if Path(path).is_dir() else Path(path).parent) / ANNOTATOR_FILE
