"""Labels of words: parts of speech, classes, relations and named entities of an annotator, or labels of files."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtassay.analysis.matching import match_words
from mtassay.analysis.words import by_word_label
from mtassay.data.annotations import DEPENDENCIES, ENTITIES, MISSING, NO_ENTITY, UPOS, XPOS
from mtassay.data.formats.lines import read_lines
from mtassay.data.references import check_texts
from mtassay.errors import InputError, at, counted, each_of, unknown_name
from mtassay.io.inputs import shown
from mtassay.kernels import Tokens
from mtassay.text.annotate import get_annotator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mtassay.analysis.matching import WordMatches
    from mtassay.analysis.words import WordBuckets
    from mtassay.data.annotations import Annotations
    from mtassay.data.testset import TestSet
    from mtassay.io.inputs import PathLike
    from mtassay.metrics.core.references import References, Texts
    from mtassay.types import Offsets

#: Universal parts of speech of content words, and those of neither class; all others are function words.
_CONTENT = frozenset({"ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB"})
_NEITHER = frozenset({"PUNCT", "SYM", "X", "_"})


class WordLayer(NamedTuple):
    """A layer of annotations that labels words.

    Attributes:
        title: name of the layer in titles.
        needs: the layer that the annotator must give.
        column: attribute of annotations with a value per word.
        name_of: function from a value to its label.
    """

    title: str
    needs: str
    column: str
    name_of: Callable[[str], str] = str

    def labels(self, found: Annotations) -> list[str]:
        """The label of each word."""
        return [self.name_of(value) for value in getattr(found, self.column)]


def _class_of(tag: str) -> str:
    if tag in _NEITHER:
        return "other"
    return "content word" if tag in _CONTENT else "function word"


def _entity_of(kind: str) -> str:
    return "no entity" if kind == NO_ENTITY else kind


#: Layers by which words can be divided.
WORD_LAYERS = {
    UPOS: WordLayer("part of speech", UPOS, UPOS),
    XPOS: WordLayer("part of speech of the annotator's own tag set", XPOS, XPOS),
    "class": WordLayer("content and function words", UPOS, UPOS, _class_of),
    "relation": WordLayer("relation to the head", DEPENDENCIES, "relations"),
    "entity": WordLayer("named entity", ENTITIES, ENTITIES, _entity_of),
}


def by_annotation(
    references: References, outputs: Texts, annotator: str, *, layer: str | None
) -> tuple[WordMatches, WordBuckets]:
    """The words of an annotator, by one of its layers; segments that it cannot annotate are left out.

    Args:
        references: the references.
        outputs: outputs of all systems, system after system.
        annotator: its specification.
        layer: a name from ``WORD_LAYERS``; None for the universal part of speech, or else the annotator's own.
    """
    chosen = get_annotator(annotator)
    name = layer or (XPOS if XPOS in chosen.provides and UPOS not in chosen.provides else UPOS)
    if name not in WORD_LAYERS:
        raise InputError(unknown_name("layer", name, WORD_LAYERS))
    of_words = WORD_LAYERS[name]
    if of_words.needs not in chosen.provides:
        given = ", ".join(known for known, other in WORD_LAYERS.items() if other.needs in chosen.provides)
        raise InputError(
            f"{annotator} does not label words by {of_words.title} (it gives: {given or 'no labels of words'})"
        )
    of_references = references.annotate(references.texts, chosen)
    of_outputs = references.annotate(outputs, chosen)
    segments = np.repeat(np.arange(references.n_segments), references.counts)
    places = [*segments.tolist(), *(n % references.n_segments for n in range(len(of_outputs)))]
    every = [*of_references, *of_outputs]
    lacking = {place for place, found in zip(places, every, strict=True) if not _is_labelled(found, of_words)}
    kept = [() if place in lacking else found.words for place, found in zip(places, every, strict=True)]
    labels = [() if place in lacking else of_words.labels(found) for place, found in zip(places, every, strict=True)]
    n_references = len(of_references)
    tokens = _interned(kept)
    matches = match_words(_part(tokens, n_references, None), _part(tokens, 0, n_references), references.group_offsets)
    flat = [chain.from_iterable(part) for part in (labels[n_references:], labels[:n_references])]
    view = "entity" if name == "entity" else "label"
    return matches, by_word_label(flat[0], flat[1], f"words by {of_words.title} ({annotator})", name=view)


def is_given(layer: str, labels: object) -> bool:
    """Whether labels come from an annotator that gives a layer."""
    return isinstance(labels, str) and layer in get_annotator(labels).provides


def _is_labelled(found: Annotations, layer: WordLayer) -> bool:
    return found.state != MISSING and getattr(found, layer.column) is not None


def _interned(texts: Iterable[Sequence[str]]) -> Tokens:
    numbers: dict[str, int] = {}
    return Tokens.of([[numbers.setdefault(word, len(numbers)) for word in text] for text in texts])


def _part(tokens: Tokens, first: int, last: int | None) -> Tokens:
    offsets: Offsets = tokens.offsets[first : None if last is None else last + 1]
    return Tokens(tokens.ids[offsets[0] : offsets[-1]], offsets - offsets[0])


def by_given_labels(matches: WordMatches, testset: TestSet, given: Sequence[PathLike | Sequence[str]]) -> WordBuckets:
    """Words by labels of files: one for each reference, then one for each system, with a label for each word.

    Args:
        matches: the words.
        testset: references and systems.
        given: files, or lists of lines.
    """
    owners = [
        *(f"reference {name}" for name in testset.reference_names),
        *(f"system {name}" for name in testset.systems),
    ]
    files = list(each_of(given, "labels", such_as="['ref.pos', 'a.pos', 'b.pos']"))
    if len(files) != len(owners):
        raise InputError(
            f"{counted(len(files), 'file')} of labels for {counted(testset.n_references, 'reference')} and "
            f"{counted(len(testset.systems), 'system')}: give one for each, references first, or "
            "an annotator such as stanza:en"
        )
    streams = [_lines(one, owner, testset.n_segments) for one, owner in zip(files, owners, strict=True)]
    of_references, of_systems = streams[: testset.n_references], streams[testset.n_references :]
    # In the order of the flat references: segment by segment, without missing references.
    in_references = [
        (name, number, line)
        for number, texts in enumerate(zip(*testset.references, strict=True))
        for text, (name, lines) in zip(texts, of_references, strict=True)
        if text is not None
        for line in [lines[number]]
    ]
    in_outputs = [(name, number, line) for name, lines in of_systems for number, line in enumerate(lines)]
    return by_word_label(
        _split(in_outputs, matches.outputs), _split(in_references, matches.references), "words by label"
    )


def _lines(given: PathLike | Sequence[str], owner: str, n_segments: int) -> tuple[str, Sequence[str]]:
    """The name of the labels in messages, and their lines."""
    if isinstance(given, list | tuple):
        return f"labels of {owner}", check_texts(given, f"labels of {owner}", n_segments=n_segments)
    lines = read_lines(given)  # type: ignore[arg-type]
    if len(lines) != n_segments:
        raise InputError(
            f"{shown(given)} has {counted(len(lines), 'line')}, but there are {counted(n_segments, 'segment')}: "  # type: ignore[arg-type]
            "labels need one line per segment"
        )
    return shown(given), lines  # type: ignore[arg-type]


def _split(lines: Sequence[tuple[str, int, str]], tokens: Tokens) -> list[str]:
    """All labels of lines; a line must have as many labels as its text has words."""
    labels: list[str] = []
    for (name, number, line), n_words in zip(lines, tokens.lengths.tolist(), strict=True):
        of_line = line.split()
        if len(of_line) != n_words:
            raise InputError(
                f"{at(name, number + 1)}: {counted(len(of_line), 'label')} for {counted(n_words, 'word')}; words are "
                "those of the tokenizer (--tok none: split at blanks)"
            )
        labels += of_line
    return labels


def segment_labels_of(given: PathLike | Sequence[str], n_segments: int) -> Sequence[str]:
    """A label for each segment, from a file with one label per line or from a list."""
    return _lines(given, "segments", n_segments)[1]
