"""Annotators: part of speech, lemma and trees of texts that have none.

``annotate`` gives the annotations of any texts. Each text is annotated once: what an annotator found is kept on disk
(``mtassay.text.annotate.store``) and found again by the text and the annotator's version.
"""

from __future__ import annotations

import logging
from functools import cache
from importlib import import_module
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING

from mtassay.data.annotations import Annotations
from mtassay.errors import InputError, unknown_name
from mtassay.execution import SERIAL, Execution
from mtassay.text.annotate.annotator import Annotator
from mtassay.text.annotate.files import Files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ANNOTATORS", "Annotator", "annotate", "check_language", "get_annotator", "signature_value"]

#: Annotators by name; what follows a colon in a specification is their model, language or path.
ANNOTATORS: Mapping[str, str] = MappingProxyType(
    {
        "hanta": "mtassay.text.annotate.hanta:Hanta",
        "simplemma": "mtassay.text.annotate.simplemma:Simplemma",
        "link-grammar": "mtassay.text.annotate.link_grammar:LinkGrammar",
        "spacy": "mtassay.text.annotate.packages:Spacy",
        "stanza": "mtassay.text.annotate.packages:Stanza",
        "file": "mtassay.text.annotate.files:Files",
    }
)
#: Those whose language is English where a specification names none, and of these the ones with plain language codes.
_OF_LANGUAGES = frozenset({"hanta", "simplemma", "link-grammar", "stanza"})
_OF_PLAIN_CODES = frozenset({"hanta", "link-grammar"})
#: Texts that are annotated together; they are on disk once they are done.
_AT_ONCE = 50
#: Those annotators that are not parallel take turns.
_one_at_a_time = Lock()
_log = logging.getLogger("mtassay")


def get_annotator(spec: str) -> Annotator:
    """An annotator by its name: ``hanta:de``, ``link-grammar``, ``spacy:en_core_web_sm``, ``file:FOLDER``."""
    name, _, model = spec.partition(":")
    if name not in ANNOTATORS:
        raise InputError(unknown_name("annotator", name, ANNOTATORS))
    # Files may change, models do not, and take seconds to load.
    return Files(model) if name == Files.name else _made(ANNOTATORS[name], model)


@cache
def _made(dotted: str, model: str) -> Annotator:
    module, _, attribute = dotted.partition(":")
    made: Annotator = getattr(import_module(module), attribute)(*([model] if model else []))
    return made


def signature_value(annotator: Annotator) -> str:
    """Name and version as signatures have them, without blanks."""
    return "-".join(f"{annotator.name} {annotator.version}".split())


def check_language(spec: str, language: str) -> None:
    """Refuse an annotator of another language than the texts have; '' is a language not known.

    >>> check_language("link-grammar", "en")
    """
    name, _, own = spec.partition(":")
    is_known = name in (_OF_PLAIN_CODES if own else _OF_LANGUAGES)
    if is_known and language not in {"", own or "en"}:
        raise InputError(
            f"{spec} annotates {own or 'en'}, and these texts are {language}: choose another --annotator, "
            f"such as stanza:{language}"
        )


def annotate(
    texts: Sequence[str],
    annotator: str | Annotator,
    *,
    execution: Execution = SERIAL,
) -> list[Annotations]:
    """Annotations of each text; equal texts are annotated once, those without words not at all.

    White space around a text does not count: the command line cuts it off in some verbs and not in others.

    Args:
        texts: any texts.
        annotator: its specification, or the annotator.
        execution: of chunks of texts that are not kept yet; in one thread where the annotator allows no more.
    """
    chosen = get_annotator(annotator) if isinstance(annotator, str) else annotator
    stripped = [text.strip() for text in texts]
    wanted = [text for text in dict.fromkeys(stripped) if text]
    found = _kept(chosen, wanted, execution) if chosen.is_kept else _computed(chosen, wanted)
    empty = Annotations.empty(chosen.provides)
    return [found[text] if text else empty for text in stripped]


def _kept(annotator: Annotator, texts: list[str], execution: Execution) -> dict[str, Annotations]:
    """Annotations that are on disk, or are there afterwards."""
    from mtassay.text.annotate.store import AnnotationStore

    store = AnnotationStore(annotator)
    found = store.read(texts)
    lacking = [text for text in texts if text not in found]
    if not lacking:
        return found
    _tell_once(str(store.path), signature_value(annotator))

    def compute(chunk: list[str]) -> dict[str, Annotations]:
        annotated = _computed(annotator, chunk)
        store.write(annotated)
        return annotated

    chunks = [lacking[first : first + _AT_ONCE] for first in range(0, len(lacking), _AT_ONCE)]
    for annotated in (execution if annotator.is_parallel else execution.in_one_thread).map(compute, chunks):
        found.update(annotated)
    return found


def _computed(annotator: Annotator, texts: list[str]) -> dict[str, Annotations]:
    if annotator.is_parallel:
        return dict(zip(texts, annotator.annotate(texts), strict=True))
    with _one_at_a_time:
        return dict(zip(texts, annotator.annotate(texts), strict=True))


@cache
def _tell_once(path: str, annotator: str) -> None:
    _log.warning("mtassay: annotating texts by %s, to keep in %s", annotator, path)
