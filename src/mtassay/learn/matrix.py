"""Features of all systems and segments at once, from the statistics of the toolkit's metrics and from an index.

With several references, each metric follows its own rule: WER and PER are the lowest, METEOR and ROUGE the best, and
n-grams, chains and sub-trees match if any reference has them. A feature that needs a parse is NaN if there is none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.annotations import DEPENDENCIES
from mtassay.data.references import check_texts, no_references
from mtassay.data.testset import TestSet
from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.learn.corpus_index import CorpusIndex
from mtassay.learn.corpus_values import text_values, tree_values
from mtassay.learn.features import (
    ANNOTATED,
    COLUMN,
    CROSS,
    FRAGMENTATION,
    PRECISION,
    RECALL,
    SHARE,
    SOURCE_LETTERS,
    SOURCE_RATIO,
    SOURCE_WORDS,
    WORDS,
    chosen,
)
from mtassay.metrics.core.references import Texts, references_of
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.core.spec import parse
from mtassay.metrics.core.table import build_tables
from mtassay.metrics.linguistic.annotated import annotator_entry, annotator_with, trees_of
from mtassay.metrics.linguistic.terrorcat_features import TerrorCatFeatures
from mtassay.metrics.meteor.languages import of_target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mtassay.io.inputs import PathLike
    from mtassay.learn.features import Feature
    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.core.references import References
    from mtassay.metrics.core.table import StatsTable
    from mtassay.types import Floats, Index

#: Values of ``Feature.reading`` that are lengths.
_LENGTHS = {SOURCE_WORDS, SOURCE_LETTERS, WORDS, SOURCE_RATIO}


@dataclass(frozen=True)
class Resources:
    """The annotator, index and language that features need.

    Attributes:
        annotator: specification of the annotator: ``link-grammar``, ``file:FOLDER``.
        corpus: an index, or its file.
        language: language of the references, for METEOR; by default that of the test set's language pair, else ``en``.
    """

    annotator: str | None = None
    corpus: CorpusIndex | PathLike | None = None
    language: str | None = None

    @property
    def index(self) -> CorpusIndex | None:
        """The open index; None if none is given."""
        if self.corpus is None or isinstance(self.corpus, CorpusIndex):
            return self.corpus
        return CorpusIndex.open(self.corpus)

    def with_language_of(self, testset: TestSet) -> Resources:
        """These resources with the language of the test set if none is given."""
        if self.language is not None or not testset.target_language:
            return self
        return replace(self, language=of_target(testset.target_language))

    def entries(self, features: Iterable[Feature]) -> list[Entry]:
        """Signature entries of the index and the annotator, if these features need them."""
        needs = {need for feature in features for need in feature.needs}
        index = self.index if needs & {"corpus", "treebank"} else None
        found = [] if index is None else [Entry("corpus", "co", index.digest)]
        if needs & {"trees", "tags"} and self.annotator is not None:
            found.append(annotator_entry(self.annotator))
        return found


def feature_matrix(
    testset: TestSet,
    names: str | Sequence[str],
    resources: Resources | None = None,
    *,
    execution: Execution = SERIAL,
) -> Floats:
    """Features of a test set, shape (systems, segments, features).

    Args:
        testset: references and outputs.
        names: names of features or of sets: ``"small"``, ``["modern", "chain_2"]``.
        resources: annotator, index and language.
        execution: how the work is run.

    >>> testset = TestSet([["a b c"], ["a b c d e f"]], {"x": ["a b d"]})
    >>> feature_matrix(testset, ["precision_1", "precision_3", "length_ratio_min", "length_ratio_max"]).tolist()
    [[[1.0, 0.0, 0.5, 1.0]]]
    """
    used = (resources or Resources()).with_language_of(testset)
    return feature_values(references_of(testset), testset.systems, names, used, execution=execution)


def feature_values(
    references: References,
    systems: Mapping[str, Sequence[str]],
    names: str | Sequence[str],
    resources: Resources | None = None,
    *,
    execution: Execution = SERIAL,
) -> Floats:
    """Like ``feature_matrix``, but from prepared references and texts by system, as metrics get them."""
    used = resources or Resources()
    features = chosen(names)
    index = used.index
    check_resources(features, used, index, references)
    texts = {name: check_texts(systems[name], name, n_segments=references.n_segments) for name in systems}
    of_metrics = [feature for feature in features if feature.metric]
    metrics = {feature.metric: metric_of(feature.metric, used) for feature in of_metrics}
    tables: dict[str, StatsTable] = {}
    if metrics:
        built = build_tables(references, texts, list(metrics.values()), execution=execution)
        tables = dict(zip(metrics, built, strict=True))
    flat = Texts.of_checked(tuple(line for lines in texts.values() for line in lines))
    shape = (len(texts), references.n_segments)
    values = index_values(features, used, index, references, flat, execution=execution.quiet)
    segments = np.tile(np.arange(references.n_segments), len(texts))
    values |= length_values(features, references, flat, hyp_index=np.arange(len(flat)), segment_index=segments)
    looked_up = {name: found.reshape(shape) for name, found in values.items()}
    columns = [
        read(feature, tables[feature.metric]) if feature.metric else looked_up[feature.name] for feature in features
    ]
    return np.stack(columns, axis=-1)


def index_values(
    features: tuple[Feature, ...],
    resources: Resources,
    index: CorpusIndex | None,
    references: References,
    texts: Texts,
    *,
    execution: Execution = SERIAL,
) -> dict[str, Floats]:
    """Features of texts that are looked up in an index, by name, each of shape (texts,)."""
    found: dict[str, Floats] = {}
    if index is not None and any(feature.needs == ("corpus",) for feature in features):
        found |= text_values(index, texts.strings, features)
    of_trees = next((feature.name for feature in features if "treebank" in feature.needs), None)
    if index is not None and of_trees is not None:
        annotator = annotator_with(DEPENDENCIES, str(resources.annotator), wanted_by=f"the feature {of_trees}")
        trees: Any = trees_of(references, texts, annotator, layer=DEPENDENCIES, execution=execution)
        found |= tree_values(index, trees, features)
    return found


def length_values(
    features: tuple[Feature, ...], references: References, texts: Texts, *, hyp_index: Index, segment_index: Index
) -> dict[str, Floats]:
    """Features of the lengths of sources and hypotheses, by name, each of shape (pairs,).

    Args:
        features: all features; those that are not lengths are skipped.
        references: the references, with sources if a feature needs them.
        texts: the hypotheses.
        hyp_index: for each pair the hypothesis, shape (pairs,).
        segment_index: for each pair the segment, shape (pairs,).
    """
    readings = {feature.name: feature.reading for feature in features if feature.reading in _LENGTHS}
    if not readings:
        return {}
    found: dict[str, Any] = {WORDS: _words(references, texts)[hyp_index]}
    if sources := references.sources:
        n_words = np.maximum(_words(references, Texts.of_checked(sources)), 1.0)
        letters = np.array([len("".join(source.split())) for source in sources], dtype=np.float64)
        found[SOURCE_WORDS] = n_words[segment_index]
        found[SOURCE_LETTERS] = (letters / n_words)[segment_index]
        found[SOURCE_RATIO] = found[WORDS] / found[SOURCE_WORDS]
    return {name: found[reading] for name, reading in readings.items()}


def _words(references: References, texts: Texts) -> Any:
    return references.encode(texts, tokenizer="13a", case="lower").lengths.astype(np.float64)


def likeness_matrices(
    testset: TestSet, names: str | Sequence[str], resources: Resources | None = None
) -> tuple[Floats, Floats]:
    """Features of machine and human translations under the same conditions, to train a classifier on.

    Each human translation is one reference, compared with the others. Outputs are compared with every set of references
    that leaves one out, and their features are averaged. Systems that are one of the references are left out, and so
    are references that no person wrote (``human_references``).

    Returns:
        shapes (systems, segments, features) and (references, segments, features).
    """
    by_people = human_references(testset)
    if len(by_people) < 2:
        raise InputError(
            "classifying human and machine translations needs at least two human references; this test set has "
            f"{len(by_people)} (--references all takes every reference of a folder)"
        )
    machines = testset.setting_aside(testset.reference_names).select(references=by_people)
    if any(text is None for stream in machines.references for text in stream):
        raise InputError(
            "classifying human and machine translations needs references of all segments, but some are missing"
        )
    n_systems = len(machines.systems)
    total: Any = 0.0
    people = []
    for name, stream in zip(by_people, machines.references, strict=True):
        others = [other for other in by_people if other != name]
        human = tuple(text for text in stream if text is not None)
        against = machines.select(references=others)
        values = feature_values(references_of(against), {**machines.systems, name: human}, names, resources)
        total = total + values[:n_systems]
        people.append(values[n_systems])
    return total / len(by_people), np.stack(people)


def human_references(testset: TestSet) -> list[str]:
    """Names of the references that people wrote: those that do not begin with "synthetic".

    >>> human_references(TestSet([["a"], ["b"]], {}, reference_names=["refA", "synthetic_ref"]))
    ['refA']
    """
    return [name for name in testset.reference_names if not name.lower().startswith("synthetic")]


def check_resources(
    features: tuple[Feature, ...], resources: Resources, index: CorpusIndex | None, references: References
) -> None:
    """Raise an error if a feature needs something that is not given."""
    for feature in features:
        if feature.reads_references and not len(references.texts):
            raise no_references(f"the feature {feature.name}")
        if "sources" in feature.needs and references.sources is None:
            raise InputError(f"the feature {feature.name} needs source texts, but the test set has none")
        if "trees" in feature.needs and resources.annotator is None:
            raise InputError(
                f"the feature {feature.name} needs trees: give an annotator, --annotator link-grammar (annotator=)"
            )
        if "tags" in feature.needs and resources.annotator is None:
            raise InputError(
                f"the feature {feature.name} needs lemmas and tags: give an annotator, --annotator spacy:MODEL "
                "(annotator=)"
            )
        for need, part in (("corpus", "text"), ("treebank", "trees")):
            if need in feature.needs:
                if index is None:
                    raise InputError(f"the feature {feature.name} needs the index of a corpus: give --corpus (corpus=)")
                index.require(part, f"the feature {feature.name}")


def metric_of(spec: str, resources: Resources) -> Metric:
    """The metric of a feature, with the annotator or the language that it needs."""
    name = spec.partition(":")[0]
    if name == TerrorCatFeatures.name:
        return TerrorCatFeatures(annotator=str(resources.annotator))
    if spec.startswith(CROSS):
        return parse("cross", metric=str(metric_of(spec.removeprefix(CROSS), resources)))
    if name in ANNOTATED:
        return parse(spec, annotator=str(resources.annotator))
    return parse(spec, lang=resources.language or "en") if name == "meteor" else parse(spec)


def read(feature: Feature, table: StatsTable) -> Floats:
    """A feature from the statistics of its metric, shape (systems, segments)."""
    metric, rows = table.metric, np.asarray(table.statistics, dtype=np.float64)
    if feature.reading == COLUMN:
        return np.where(rows[..., -1] > 0, rows[..., feature.size], np.nan)
    column = {name: rows[..., i] for i, name in enumerate(metric.columns)}
    if feature.reading == SHARE:
        total = column[f"total_{feature.size}"]
        share: Floats = np.where(total > 0, column[f"correct_{feature.size}"] / np.where(total > 0, total, 1.0), 0.0)
        # Statistics of trees have a column that is 0 if a tree is missing.
        return np.where(column["segments"] > 0, share, np.nan) if "segments" in column else share
    if feature.reading in {PRECISION, RECALL}:
        return metric.components(rows)[feature.reading]
    if feature.reading == FRAGMENTATION:
        matches = (column["hyp_matches"] + column["ref_matches"]) / 2
        fragments: Floats = np.where(matches > 0, column["chunks"] / np.where(matches > 0, matches, 1.0), 1.0)
        return fragments
    return table.segment_scores()
