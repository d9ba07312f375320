"""A learned metric as a metric: ``learned:model.model``.

The model computes the score of a segment from its features; the score of a system is the mean over segments. If
features need trees or an index, ``annotator=`` and ``corpus=`` must be given, as for training.

A model of comparisons (``pairwise``), or one with features that depend on other systems (``cross:bleu``), scores all
systems of a test set together, and cannot score single texts. If no feature reads references, the signature counts
none.

Statistics: ``sum n``.
"""

from __future__ import annotations

import os.path
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import InputError, SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.learn.comparisons import RECOMPOSITIONS, recomposed, win_probabilities
from mtassay.learn.features import chosen
from mtassay.learn.matrix import (
    Resources,
    check_resources,
    feature_values,
    index_values,
    length_values,
    metric_of,
    read,
)
from mtassay.learn.model_file import LearnedModel, load_model
from mtassay.learn.models import COMPARISON
from mtassay.metrics.core.mean import MeanMetric, check_file, printable
from mtassay.metrics.core.metric import Scorer, no_texts
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.core.table import StatsTable
from mtassay.metrics.linguistic.annotated import public_annotator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.learn.corpus_index import CorpusIndex
    from mtassay.metrics.core.references import References, Texts
    from mtassay.types import Floats, Index, Statistics

_SUFFIX = ".model"
_SHORT_DIGEST = 8


@dataclass(frozen=True)
class Learned(MeanMetric):
    """A metric trained by mtassay learn train: learned:model.model."""

    name: ClassVar[str] = "learned"
    first_option: ClassVar[str] = "path"

    path: str = option("", "the model; written first, without the option's name: learned:model.model")
    annotator: str | None = option(None, "annotator, if features need one", kind=str)
    corpus: str | None = option(None, "index of a corpus, if features need one", kind=str)
    lang: str | None = option(None, "language of the references, for METEOR (default: that of training)", kind=str)
    recompose: str = option("soft", "how a pairwise model combines comparisons", choices=RECOMPOSITIONS)
    label_: str | None = option(None, "name in tables (default: that of the file)", kind=str)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.path:
            raise SpecError(f"{self.name} needs a model: {self.name}:FILE (mtassay learn train makes one)")
        check_file(self, self.path, self.label_, what="a model")

    @property
    def label(self) -> str:
        """The label that was given, or the name of the file."""
        return printable(self.label_ or PurePath(self.path).name.removesuffix(_SUFFIX) or self.path)

    @cached_property
    def model(self) -> LearnedModel:
        """The model, read and checked once."""
        return load_model(os.path.expanduser(self.path))  # noqa: PTH111 (Path.expanduser fails where "~" begins a name)

    @property
    def language(self) -> str:
        """The language of METEOR."""
        return self.lang or str(self.model.trained_on.get("language", "en"))

    @cached_property
    def resources(self) -> Resources:
        """The annotator, index and language for the features."""
        return Resources(annotator=self.annotator, corpus=self.corpus, language=self.language)

    @cached_property
    def index(self) -> CorpusIndex | None:
        """The index of a corpus, opened once; None if no feature is looked up in one."""
        needed = any({"corpus", "treebank"} & set(feature.needs) for feature in chosen(self.model.features))
        return self.resources.index if needed else None

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        """Whether a feature reads references."""
        return any(feature.reads_references for feature in chosen(self.model.features))

    @property
    def scores_texts(self) -> bool:  # type: ignore[override]
        """Whether the model scores each output by itself."""
        compares = self.model.fitted.kind.framing == COMPARISON
        return not (compares or any("systems" in feature.needs for feature in chosen(self.model.features)))

    @property
    def annotators(self) -> tuple[str, ...]:
        """The annotator, if a feature needs it."""
        needs = {need for feature in chosen(self.model.features) for need in feature.needs}
        return (self.annotator,) if self.annotator is not None and needs & {"trees", "tags"} else ()

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> LearnedScorer:
        """Prepare the metrics from which features are read."""
        if not self.scores_texts:
            raise no_texts(self)
        return LearnedScorer(self, references, execution=execution)

    def statistics_of_systems(
        self, references: References, systems: Mapping[str, Sequence[str]], *, execution: Execution = SERIAL
    ) -> Any:
        """Statistics of all systems together if the model compares them, else None."""
        if self.scores_texts:
            return None
        names, fitted = self.model.features, self.model.fitted
        features = feature_values(references, systems, names, self.resources, execution=execution.quiet)
        if fitted.kind.framing != COMPARISON:
            return self.rows(features)
        if len(systems) < 2:
            raise InputError(f"{self} compares outputs: give at least two systems")
        return _rows(recomposed(win_probabilities(fitted, features, names), self.recompose))

    def rows(self, features: Any) -> Statistics:
        """Statistics of outputs with these features, shape (..., features) -> (..., 2)."""
        return _rows(self.model.fitted.scores(features))

    @property
    def public_spec(self) -> str:
        """The specification without folders."""
        names = {name: PurePath(value).name or value for name in ("path", "corpus") if (value := getattr(self, name))}
        if self.annotator is not None:
            names["annotator"] = public_annotator(self.annotator)
        return str(replace(self, **names))

    def signature_entries(self) -> list[Entry]:
        """The model by name and content, its kind, its training data, and the resources of its features."""
        model = self.model
        return [
            Entry("model", "m", PurePath(self.path).name),
            Entry("sha256", "sha", model.digest[:_SHORT_DIGEST]),
            Entry("kind", "k", model.fitted.kind.name),
            Entry("features", "f", str(len(model.features))),
            Entry("trained_refs", "tr", str(model.trained_on["n_references"])),
            Entry("data", "d", str(model.trained_on["sha256"])[:_SHORT_DIGEST]),
            *([Entry("recompose", "rc", self.recompose)] if model.fitted.kind.framing == COMPARISON else []),
            Entry("lang", "l", self.language),
            *self.resources.entries(chosen(model.features)),
        ]


def _rows(scores: Floats) -> Statistics:
    return np.stack([scores, np.ones(scores.shape)], axis=-1)


class LearnedScorer(Scorer):
    """A learned metric against prepared references; it has a scorer for each metric behind its features."""

    metric: Learned

    def __init__(self, metric: Learned, references: References, *, execution: Execution = SERIAL) -> None:
        super().__init__(metric, references)  # the metrics have the threads
        self._features = chosen(metric.model.features)
        used = metric.resources
        self._index = metric.index
        check_resources(self._features, used, self._index, self.references)
        metrics = {feature.metric: metric_of(feature.metric, used) for feature in self._features if feature.metric}
        self._scorers = {spec: part.prepare(self.references, execution=execution) for spec, part in metrics.items()}

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        tables = {
            spec: StatsTable(
                scorer.metric, ("",), scorer.statistics(texts, segment_index, hypothesis_index=hyp_index)[None]
            )
            for spec, scorer in self._scorers.items()
        }
        looked_up = index_values(self._features, self.metric.resources, self._index, self.references, texts)
        looked_up = {name: values[hyp_index] for name, values in looked_up.items()}
        looked_up |= length_values(
            self._features, self.references, texts, hyp_index=hyp_index, segment_index=segment_index
        )
        columns = [
            read(feature, tables[feature.metric])[0] if feature.metric else looked_up[feature.name]
            for feature in self._features
        ]
        return self.metric.rows(np.stack(columns, axis=-1))
