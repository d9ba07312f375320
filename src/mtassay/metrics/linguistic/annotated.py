"""Metrics that use annotations of texts: their option ``annotator``, and the trees it gives."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

from mtassay.data.annotations import CONSTITUENTS, DEPENDENCIES, FRAMES
from mtassay.errors import InputError, SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.metric import Metric
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry
from mtassay.text.annotate import get_annotator, signature_value

if TYPE_CHECKING:
    from mtassay.data.trees import Tree
    from mtassay.metrics.core.references import References, Texts
    from mtassay.text.annotate import Annotator

#: Annotators that give trees, for messages; then all annotators.
TREE_ANNOTATORS = "link-grammar, spacy:MODEL, stanza:LANGUAGE or file:FOLDER"
_CHOICES = f"hanta:LANGUAGE, simplemma:LANGUAGE, {TREE_ANNOTATORS}"


@dataclass(frozen=True)
class AnnotatedMetric(Metric):
    """A metric of annotated texts; a text without annotations has no score."""

    may_lack_scores: ClassVar[bool] = True
    by_segment: ClassVar[bool] = True

    annotator: str = option("", f"what annotates the texts: {_CHOICES}")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.annotator:
            choices = TREE_ANNOTATORS if self.layer in {DEPENDENCIES, CONSTITUENTS, FRAMES} else _CHOICES
            raise SpecError(f"{self.name} needs an annotator: {self.name}:annotator=NAME ({choices})")

    @property
    @abstractmethod
    def layer(self) -> str:
        """The layer of annotations that the metric needs."""

    @property
    def public_spec(self) -> str:
        """The specification without the folders above the last one."""
        return str(replace(self, annotator=public_annotator(self.annotator)))

    @property
    def annotators(self) -> tuple[str, ...]:
        """The specification of the annotator."""
        return (self.annotator,)

    def annotator_entry(self) -> Entry:
        """The annotator in the signature: its name, version and other settings that affect annotations."""
        return annotator_entry(self.annotator)


def annotator_entry(spec: str) -> Entry:
    """The signature entry of an annotator."""
    return Entry("annotator", "an", signature_value(get_annotator(spec)))


def annotator_with(layer: str, spec: str, *, wanted_by: str) -> Annotator:
    """The annotator of a specification, which must give `layer`; `wanted_by` names what needs it."""
    annotator = get_annotator(spec)
    if layer not in annotator.provides:
        given = ", ".join(sorted(annotator.provides))
        raise InputError(f"{wanted_by} needs {layer}, but the annotator {spec} gives none (it gives: {given})")
    return annotator


def trees_of(
    references: References, texts: Texts, annotator: Annotator, *, layer: str, execution: Execution = SERIAL
) -> list[Tree | None]:
    """The trees of texts, dependencies or constituents; None if a parse is missing."""
    trees: list[Tree | None] = []
    for text, found in zip(texts.strings, references.annotate(texts, annotator, execution=execution), strict=True):
        if layer not in found.layers:
            raise InputError(f"the annotator '{annotator.name}' has no {layer} for {text[:60]!r}")
        trees.append({DEPENDENCIES: found.dependencies, CONSTITUENTS: found.constituents}[layer])
    return trees


def public_annotator(spec: str) -> str:
    """The specification of an annotator without folders, which differ between machines.

    >>> public_annotator("file:/some/where/parses"), public_annotator("spacy:models/mine")
    ('file:parses', 'spacy:mine')
    """
    name, colon, path = spec.partition(":")
    return f"{name}{colon}{PurePath(path).name or path}" if name in {"file", "spacy"} else spec
