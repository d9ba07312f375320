"""Annotations by spaCy or Stanza, if the user has installed one with a model."""

from __future__ import annotations

from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.data.annotations import CONSTITUENTS, DEPENDENCIES, ENTITIES, LEMMAS, NO_ENTITY, UPOS, XPOS, Annotations
from mtassay.data.formats.brackets import bracket_trees
from mtassay.errors import InputError, MissingExtraError
from mtassay.text.annotate.annotator import Argument

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mtassay.data.trees import ConstituentTree

_COLUMNS = frozenset({LEMMAS, UPOS, XPOS, DEPENDENCIES})
#: Form, lemma, universal and own part of speech, position of the head, relation, kind of named entity.
_Row = tuple[str, str, str, str, int, str, str]
#: spaCy's names of the columns.
_OF_SPACY = {LEMMAS: "LEMMA", UPOS: "POS", XPOS: "TAG", DEPENDENCIES: "DEP"}
#: A text in which any component finds something.
_PROBE = "Paris 1"
#: Hexadecimal digits of a digest.
_DIGITS = 8
#: Added to the versions of annotators that give entities, since older versions of this package stored none.
_WITH_ENTITIES = " entities"


class Spacy:
    """A model of spaCy; it has no constituents, and other columns only if its pipeline has a component for them.

    Args:
        model: the name of the model, such as ``en_core_web_sm``, or the folder of a model that you trained.
    """

    name: ClassVar[str] = "spacy"
    argument: ClassVar[Argument] = Argument.OTHER
    is_parallel: ClassVar[bool] = False
    is_kept: ClassVar[bool] = True

    def __init__(self, model: str = "en_core_web_sm") -> None:
        spacy = package("spacy")
        try:
            self._pipeline = spacy.load(model)
        except (OSError, ValueError) as error:
            raise InputError(f"spaCy has no model {model}: python -m spacy download {model}") from error
        self.version = f"{spacy.__version__} {_model_version(model, self._pipeline.meta.get('version', ''))}".rstrip()
        probe = self._pipeline(_PROBE)
        self.provides = frozenset(column for column, name in _OF_SPACY.items() if probe.has_annotation(name))
        if {"ner", "entity_ruler"} & set(self._pipeline.pipe_names):
            self.provides |= {ENTITIES}
            self.version += _WITH_ENTITIES

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        """Annotations of each text, with a root for every sentence."""
        return [self._annotate(document) for document in self._pipeline.pipe(texts)]

    def _annotate(self, document: Any) -> Annotations:
        tokens = [token for token in document if not token.is_space]
        positions = {token.i: position for position, token in enumerate(tokens, 1)}
        rows: list[_Row] = []
        for token in tokens:
            head = 0 if token.head.i == token.i else positions.get(token.head.i, 0)
            of_word = token.text, token.lemma_, token.pos_, token.tag_, head, token.dep_
            rows.append((*of_word, token.ent_type_ or NO_ENTITY))
        return _annotations(rows, None, self.provides)


def _model_version(model: str, version: str) -> str:
    """Name and version of a model; for a folder, also a digest, since such a version rarely identifies the model."""
    folder = Path(model)
    if not folder.is_dir():
        return f"{model} {version}"
    digest = sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return f"{folder.resolve().name} {version} {digest.hexdigest()[:_DIGITS]}"


class Stanza:
    """A pipeline of Stanza; with constituents if its models have them.

    Args:
        language: its code, such as ``en``.
    """

    name: ClassVar[str] = "stanza"
    argument: ClassVar[Argument] = Argument.LANGUAGE
    is_parallel: ClassVar[bool] = False
    is_kept: ClassVar[bool] = True

    def __init__(self, language: str = "en") -> None:
        stanza = package("stanza")
        try:
            self._pipeline = stanza.Pipeline(language, download_method=None, verbose=False)
        except Exception as error:  # Stanza has a different exception for each kind of missing file
            advice = f"python -c \"import stanza; stanza.download('{language}')\""
            raise InputError(f"Stanza has no models for {language}: {advice} ({type(error).__name__})") from error
        self.version = f"{stanza.__version__} {language}"
        has_constituents = "constituency" in self._pipeline.processors
        self.provides = _COLUMNS | {CONSTITUENTS} if has_constituents else _COLUMNS
        if "ner" in self._pipeline.processors:
            self.provides |= {ENTITIES}
            self.version += _WITH_ENTITIES

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        """Annotations of each text, with a root for every sentence."""
        return [self._annotate(self._pipeline(text)) for text in texts]

    def _annotate(self, document: Any) -> Annotations:
        rows: list[_Row] = []
        trees: list[str] = []
        for sentence in document.sentences:
            before = len(rows)
            for word in sentence.words:
                head = word.head + before if word.head else 0
                of_word = word.text, word.lemma or "", word.upos or "", word.xpos or "", head, word.deprel or ""
                rows.append((*of_word, _kind_of_entity(word.parent.ner if ENTITIES in self.provides else None)))
            tree = getattr(sentence, "constituency", None)
            if tree is not None:
                trees.append(" ".join(str(tree).split()))
        whole = trees and len(trees) == len(document.sentences)
        constituents = next(iter(bracket_trees([" ".join(trees)], "Stanza")), None) if whole else None
        return _annotations(rows, constituents, self.provides)


def _annotations(rows: Iterable[_Row], constituents: ConstituentTree | None, layers: frozenset[str]) -> Annotations:
    columns = list(zip(*rows, strict=True))
    if not columns:
        return Annotations.missing(layers)
    *of_words, heads, relations, entities = columns
    words, lemmas, upos, xpos = (tuple(cell(value) for value in column) for column in of_words)
    has_trees = DEPENDENCIES in layers
    return Annotations(
        words=words,
        lemmas=lemmas if LEMMAS in layers else None,
        upos=upos if UPOS in layers else None,
        xpos=xpos if XPOS in layers else None,
        heads=heads if has_trees else None,
        relations=tuple(cell(relation) for relation in relations) if has_trees else None,
        entities=tuple(cell(entity) for entity in entities) if ENTITIES in layers else None,
        constituents=constituents,
        layers=layers,
    )


def _kind_of_entity(tag: str | None) -> str:
    """The kind of an entity, without the position of the word in it.

    >>> _kind_of_entity("B-PERSON"), _kind_of_entity(None)
    ('PERSON', 'O')
    """
    return tag.partition("-")[2] or NO_ENTITY if tag else NO_ENTITY


def cell(value: str) -> str:
    """A value as a cell of CoNLL-U, without spaces."""
    return "_".join(value.split()) or "_"


def package(name: str, *, wanted_by: str = "", extra: str = "") -> Any:
    """A package, or a module of it, that the annotator `wanted_by` needs; `extra` installs it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(f"the annotator {wanted_by or name}", extra or name) from error
