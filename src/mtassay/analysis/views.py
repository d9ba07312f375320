"""Divisions of words and segments into buckets, by name."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.analysis.example_details import ERROR_COLUMNS
from mtassay.analysis.frequencies import check_counts, frequencies_of, read_frequencies
from mtassay.analysis.matching import match_words
from mtassay.analysis.segments import (
    by_difference,
    by_length,
    by_repetition,
    by_score,
    by_segment_label,
    reference_lengths,
)
from mtassay.analysis.word_labels import by_annotation, by_given_labels, is_given, segment_labels_of
from mtassay.analysis.words import by_case, by_frequency, by_number
from mtassay.data.annotations import LEMMAS
from mtassay.errors import InputError, unknown_name
from mtassay.io.inputs import shown
from mtassay.metrics.core.references import Texts, references_of
from mtassay.metrics.core.spec import parse
from mtassay.text import TOKENIZERS, get_tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.analysis.matching import WordMatches
    from mtassay.analysis.segments import SegmentBuckets
    from mtassay.analysis.words import WordBuckets
    from mtassay.data.testset import TestSet
    from mtassay.io.inputs import PathLike
    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.core.references import References
    from mtassay.metrics.core.table import StatsTable

WORD_VIEWS = ("frequency", "case", "number", "label", "entity")
SEGMENT_VIEWS = ("length", "difference", "score", "domain", "document", "duplicates", "segment-label")
#: Letter case of words.
CASES = ("mixed", "lower")
#: The metric that counts classes of errors.
ERROR_METRIC = "hjerson"


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenisedTexts:
    """A test set split into words.

    Attributes:
        testset: the texts.
        references: the references, in the form that metrics take.
        outputs: outputs of all systems, system after system.
        matches: words of outputs and references.
        vocabulary: words by their ids.
        tok: tokenizer.
        case: letter case.
    """

    testset: TestSet
    references: References
    outputs: Texts
    matches: WordMatches
    vocabulary: tuple[str, ...]
    tok: str
    case: str


def tokenise(testset: TestSet, *, tok: str, case: str) -> TokenisedTexts:
    """Split all texts into words, and match those of outputs with those of references."""
    if not isinstance(tok, str):
        raise InputError(unknown_name("tokenizer", tok, TOKENIZERS))
    get_tokenizer(tok)
    if case not in CASES:
        raise InputError(unknown_name("case", case, CASES))
    references = references_of(testset)
    outputs = Texts.of_checked(tuple(chain.from_iterable(testset.systems.values())))
    of_references, of_outputs = (
        references.encode(texts, tokenizer=tok, case=case) for texts in (references.texts, outputs)
    )
    vocabulary = tuple(references.words(tokenizer=tok, case=case))
    matches = match_words(of_outputs, of_references, references.group_offsets)
    return TokenisedTexts(
        testset=testset,
        references=references,
        outputs=outputs,
        matches=matches,
        vocabulary=vocabulary,
        tok=tok,
        case=case,
    )


def word_buckets(
    name: str,
    texts: TokenisedTexts,
    *,
    frequencies: PathLike | Mapping[str, int] | None,
    labels: str | Sequence[PathLike | Sequence[str]] | None,
    layer: str | None,
) -> tuple[WordMatches, WordBuckets]:
    """The words of a view and their division into buckets; `layer` chooses the annotation of an annotator."""
    matches = texts.matches
    if name == "case":
        return matches, by_case(matches, texts.vocabulary)
    if name == "number":
        return matches, by_number(matches, texts.vocabulary)
    if name == "label":
        if labels is None:
            raise InputError("words by label need labels: an annotator or files (--labels, labels=)")
        if isinstance(labels, str):
            return by_annotation(texts.references, texts.outputs, labels, layer=layer)
        if layer is not None:
            raise InputError(f"only an annotator has layers, but labels are files: leave out the layer {layer}")
        return matches, by_given_labels(matches, texts.testset, labels)
    if name == "entity":
        if not isinstance(labels, str):
            raise InputError("named entities need an annotator that finds them, such as spacy (--labels, labels=)")
        return by_annotation(texts.references, texts.outputs, labels, layer=name)
    n_words = len(texts.vocabulary)
    if frequencies is None:
        counts, source = np.bincount(matches.references.ids, minlength=n_words), "the references"
    elif isinstance(frequencies, str | os.PathLike):
        read = read_frequencies(frequencies, tok=texts.tok, case=texts.case)
        counts, source = frequencies_of(texts.vocabulary, read), shown(frequencies)
    else:
        counts, source = frequencies_of(texts.vocabulary, check_counts(frequencies)), "the counts given"
    return matches, by_frequency(matches, counts, source)


def segment_buckets(
    name: str, texts: TokenisedTexts, table: StatsTable, *, labels: PathLike | Sequence[str] | None
) -> SegmentBuckets:
    """The division of segments of a view; `table` has the scores of the view ``score``."""
    testset, matches = texts.testset, texts.matches
    if name == "length":
        return by_length(reference_lengths(matches.references.lengths, texts.references.group_offsets))
    if name == "difference":
        return by_difference(matches)
    if name == "score":
        return by_score(table.segment_scores(), table.metric)
    if name == "duplicates":
        if testset.sources is None:
            raise InputError("repetition of sources needs source texts (--source, sources=)")
        return by_repetition(testset.sources)
    if name == "segment-label":
        if labels is None:
            raise InputError("segments by label need labels (--segment-labels, segment_labels=)")
        given = segment_labels_of(labels, testset.n_segments)
        return by_segment_label(name, "segments by label", given)
    groups = testset.groups({"document": "doc", "domain": "domain"}[name])
    label_of = {number: label for label, index in groups for number in index.tolist()}
    return by_segment_label(name, f"segments by {name}", [label_of[n] for n in range(testset.n_segments)])


def error_metric(texts: TokenisedTexts, labels: object) -> Metric:
    """Hjerson on the words of the analysis, or on words and lemmas of the annotator of labels if it gives lemmas."""
    hjerson: Any = parse(ERROR_METRIC)
    annotator = labels if is_given(LEMMAS, labels) else ""
    metric: Metric = replace(hjerson, tok=texts.tok, case=texts.case, annotator=annotator)
    return metric


def error_metrics(metric: Any) -> list[Metric]:
    """The rate of each class of errors of Hjerson."""
    return [replace(metric, class_=name) for name in ERROR_COLUMNS]
