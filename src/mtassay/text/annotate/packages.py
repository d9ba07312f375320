"""Trees by spaCy or Stanza, where the user has one of them with a model."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtassay.data.trees import DependencyTree
from mtassay.errors import InputError, MissingExtraError
from mtassay.text.annotate.parse import FULL, MISSING, Parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Spacy:
    """A model of spaCy; it has no constituents.

    Args:
        model: its name, such as ``en_core_web_sm``.
    """

    is_parallel = False

    def __init__(self, model: str = "en_core_web_sm") -> None:
        spacy = _package("spacy")
        try:
            self._pipeline = spacy.load(model)
        except (OSError, ValueError) as error:
            raise InputError(f"spaCy has no model {model}: python -m spacy download {model}") from error
        self.name = f"spacy {spacy.__version__} {model} {self._pipeline.meta.get('version', '')}".rstrip()

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """One tree per text, with a root for every sentence."""
        return [self._parse(document) for document in self._pipeline.pipe(texts)]

    def _parse(self, document: Any) -> Parse:
        tokens = [token for token in document if not token.is_space]
        positions = {token.i: position for position, token in enumerate(tokens, 1)}
        rows = []
        for token in tokens:
            is_root = token.head.i == token.i
            rows.append((token.text, 0 if is_root else positions.get(token.head.i, 0), token.pos_, token.dep_))
        return _parse(rows, None)


class Stanza:
    """A pipeline of Stanza; with constituents where its models have them.

    Args:
        language: its code, such as ``en``.
    """

    is_parallel = False

    def __init__(self, language: str = "en") -> None:
        stanza = _package("stanza")
        try:
            self._pipeline = stanza.Pipeline(language, download_method=None, verbose=False)
        except Exception as error:  # it has an exception of its own for each kind of missing file
            advice = f"python -c \"import stanza; stanza.download('{language}')\""
            raise InputError(f"Stanza has no models for {language}: {advice} ({type(error).__name__})") from error
        self.name = f"stanza {stanza.__version__} {language}"

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """One tree per text, with a root for every sentence."""
        return [self._parse(self._pipeline(text)) for text in texts]

    def _parse(self, document: Any) -> Parse:
        rows: list[tuple[str, int, str, str]] = []
        trees: list[str] = []
        for sentence in document.sentences:
            before = len(rows)
            for word in sentence.words:
                rows.append((word.text, word.head + before if word.head else 0, word.upos or "_", word.deprel or "_"))
            tree = getattr(sentence, "constituency", None)
            if tree is not None:
                trees.append(" ".join(str(tree).split()))
        whole = len(trees) == len(document.sentences)
        return _parse(rows, " ".join(trees) if trees and whole else None)


def _parse(rows: Iterable[tuple[str, int, str, str]], brackets: str | None) -> Parse:
    columns = list(zip(*rows, strict=True))
    if not columns:
        return Parse(None, None, MISSING)
    words, heads, tags, relations = columns
    shown = tuple(_shown(word) for word in words)
    tree = DependencyTree(shown, tuple(heads), tuple(tag or "_" for tag in tags), tuple(r or "_" for r in relations))
    return Parse(tree, brackets, FULL)


def _shown(word: str) -> str:
    """A word as a cell of CoNLL-U."""
    return "_".join(word.split()) or "_"


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(f"the parser {name}", name) from error
