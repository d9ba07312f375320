"""Annotators: parts of speech, lemmas and trees of texts.

``annotate`` gives the annotations of any texts. Each text is annotated once: annotations are kept on disk
(``mtassay.text.annotate.store``) and looked up by the text and the annotator's version.
"""

from __future__ import annotations

import logging
from functools import cache
from importlib import import_module
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mtassay.data.annotations import Annotations
from mtassay.errors import InputError, unknown_name
from mtassay.execution import SERIAL, Execution
from mtassay.text.annotate.annotator import Annotator, Argument
from mtassay.text.annotate.files import Files
from mtassay.text.annotate.sent import SentAnnotations, annotator_at_hand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "ANNOTATORS",
    "Annotator",
    "annotate",
    "annotations_to_send",
    "check_language",
    "get_annotator",
    "signature_value",
]

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
#: Number of texts annotated together and then written to disk.
_AT_ONCE = 50
#: Specifications of the annotators that were made.
_specs: dict[Annotator, str] = {}
#: Annotators that are not parallel run one at a time.
_one_at_a_time = Lock()
_log = logging.getLogger("mtassay")


def get_annotator(spec: str) -> Annotator:
    """An annotator by its name: ``hanta:de``, ``link-grammar``, ``spacy:en_core_web_sm``, ``file:FOLDER``."""
    if (sent := annotator_at_hand(spec)) is not None:
        return sent
    name, _, model = spec.partition(":")
    if name not in ANNOTATORS:
        raise InputError(unknown_name("annotator", name, ANNOTATORS))
    # Files may change. Models do not, and take seconds to load, so they are cached.
    if name == Files.name:
        return Files(model)
    made = _made(ANNOTATORS[name], model)
    _specs[made] = spec
    return made


@cache
def _made(dotted: str, model: str) -> Annotator:
    made: Annotator = _class(dotted)(*([model] if model else []))
    return made


def _class(dotted: str) -> Any:
    module, _, attribute = dotted.partition(":")
    return getattr(import_module(module), attribute)


def signature_value(annotator: Annotator) -> str:
    """Name and version for signatures, without spaces."""
    return "-".join(f"{annotator.name} {annotator.version}".split())


def check_language(spec: str, language: str) -> None:
    """Reject an annotator whose language is not that of the texts; '' is an unknown language.

    >>> check_language("link-grammar", "en")
    """
    name, _, own = spec.partition(":")
    if name not in ANNOTATORS:
        return
    argument = _class(ANNOTATORS[name]).argument
    is_known = argument is Argument.LANGUAGE_CODE or (argument is Argument.LANGUAGE and not own)
    if is_known and language not in {"", own or "en"}:
        raise InputError(
            f"{spec} annotates {own or 'en'}, but these texts are {language}: choose another annotator, "
            f"such as stanza:{language}"
        )


def annotate(
    texts: Sequence[str],
    annotator: str | Annotator,
    *,
    execution: Execution = SERIAL,
) -> list[Annotations]:
    """Annotations of each text; equal texts are annotated once, and empty texts not at all.

    White space around a text is ignored, since some verbs of the command line strip it and others do not.

    Args:
        texts: any texts.
        annotator: the specification of an annotator, or an annotator.
        execution: how chunks of new texts are run; one thread is used if the annotator is not parallel.
    """
    chosen = get_annotator(annotator) if isinstance(annotator, str) else annotator
    stripped = [text.strip() for text in texts]
    wanted = [text for text in dict.fromkeys(stripped) if text]
    found = _kept(chosen, wanted, execution) if chosen.is_kept else _computed(chosen, wanted)
    empty = Annotations.empty(chosen.provides)
    return [found[text] if text else empty for text in stripped]


def annotations_to_send(texts: Sequence[str], spec: str, *, execution: Execution) -> SentAnnotations:
    """Annotate texts, and pack the annotations so that they can be sent to other processes."""
    annotator = get_annotator(spec)
    found = dict(zip([text.strip() for text in texts], annotate(texts, annotator, execution=execution), strict=True))
    packed = {text: annotations.pack() for text, annotations in found.items() if text}
    return SentAnnotations(annotator.name, annotator.version, tuple(sorted(annotator.provides)), packed)


def _kept(annotator: Annotator, texts: list[str], execution: Execution) -> dict[str, Annotations]:
    """Annotations from disk; new ones are computed and written."""
    from mtassay.text.annotate.store import AnnotationStore

    store = AnnotationStore(annotator)
    found = store.read(texts)
    lacking = [text for text in texts if text not in found]
    if not lacking:
        return found
    _tell_once(str(store.path), signature_value(annotator))

    # The store keeps finished chunks. An annotator without a known specification cannot be sent to another process.
    how = execution.unkept if annotator in _specs else execution.here
    chunks = [lacking[first : first + _AT_ONCE] for first in range(0, len(lacking), _AT_ONCE)]
    results = (how if annotator.is_parallel else how.in_one_thread).map_chunks(
        _annotated, chunks, shared=_SentAnnotator(annotator)
    )
    for chunk, of_chunk in zip(chunks, results, strict=True):
        annotated = dict(zip(chunk, of_chunk, strict=True))
        store.write(annotated)
        found.update(annotated)
    return found


class _SentAnnotator:
    """An annotator that another process makes again from its specification; versions must be the same."""

    def __init__(self, annotator: Annotator) -> None:
        self.annotator = annotator

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (_specs[self.annotator], self.annotator.version)


def _made_again(spec: str, version: str) -> _SentAnnotator:
    annotator = get_annotator(spec)
    if annotator.version != version:
        raise InputError(f"a worker has {spec} {annotator.version}, not {version}: install the same version there")
    return _SentAnnotator(annotator)


def _annotated(sent: _SentAnnotator, texts: list[str]) -> list[Annotations]:
    return list(_computed(sent.annotator, texts).values())


def _computed(annotator: Annotator, texts: list[str]) -> dict[str, Annotations]:
    if annotator.is_parallel:
        return dict(zip(texts, annotator.annotate(texts), strict=True))
    with _one_at_a_time:
        return dict(zip(texts, annotator.annotate(texts), strict=True))


@cache
def _tell_once(path: str, annotator: str) -> None:
    _log.warning("mtassay: annotating texts by %s, to keep in %s", annotator, path)
