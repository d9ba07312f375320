"""MEANT and UMEANT, a reconstruction.

Lo & Wu 2013, "MEANT at WMT 2013: a tunable, accurate yet inexpensive semantic frame based MT evaluation metric", whose
program is not available; the formula follows the authors' papers.

    P = Σ_i c_i · (w_pred s_i + Σ_j w_j s_ij) / (w_pred + Σ_j w_j n_ij) / Σ_i c_i      over the hypothesis's frames i
    F = 2 P R / (P + R)                                                                R: the same for the reference

Frames are aligned one to one by the similarity s_i of their predicates, and role fillers of aligned frames by their
similarity, if their roles are equal (``mtassay.kernels.frames``); s_ij is the sum of the similarities of aligned
fillers of role group j, n_ij the number of fillers, and c_i the share of the text's words that the frame covers. A
frame that is not aligned only adds to Σ c_i. Groups of roles: ``mtassay.metrics.linguistic.roles``.

Weights: for ``umeant``, w_j is the share of group j among the role fillers of all references, and w_pred is a quarter
of predicates / fillers. For ``meant``, weights come from the file ``weights``, which ``mtassay learn meant`` tunes;
without a file, all are 1.

The score of a system is the mean of F over segments, as in the papers: F itself is not additive, its sum is. Several
references: the one with the best F. If neither text has a frame, each whole text is compared as one filler; if only one
has frames, F is 0. A text whose annotation is missing has no score.

Statistics: ``score precision recall segments``.

Similarity of two fillers, the F-measure of their words: ``exact`` (equal words, lower-cased), ``stem``, ``meteor``
(words that METEOR matches between the two texts) or ``vectors`` (each word's largest cosine). The paper's own
similarity, from mutual information in a window of five words, needs a corpus and is not implemented.
"""

from __future__ import annotations

import os.path
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.data.annotations import DEPENDENCIES, FRAMES
from mtassay.data.formats.weights import read_weights
from mtassay.data.formats.word_vectors import read_word_vectors
from mtassay.errors import SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.io.inputs import read_bytes
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry, case_entry
from mtassay.metrics.linguistic.annotated import TREE_ANNOTATORS, AnnotatedMetric, public_annotator
from mtassay.metrics.linguistic.roles import GROUPS
from mtassay.metrics.meteor.languages import LANGUAGES
from mtassay.text.annotate import get_annotator

if TYPE_CHECKING:
    from mtassay.metrics.core.references import References
    from mtassay.metrics.linguistic.frame_scorer import FrameScorer
    from mtassay.types import Floats, Statistics

_ORIGINS = (FRAMES, DEPENDENCIES)
SIMILARITIES = ("exact", "stem", "meteor", "vectors")
_DIGITS = 8


@dataclass(frozen=True, kw_only=True)
class FrameMetric(AnnotatedMetric):
    """What MEANT and UMEANT have in common."""

    digits: ClassVar[int] = 4
    columns: ClassVar[tuple[str, ...]] = ("score", "precision", "recall", "segments")

    annotator: str = option("link-grammar", f"what annotates the texts: {TREE_ANNOTATORS}")
    roles: str | None = option(
        None, "frames of a role labeller (default if there are any) or from trees", choices=_ORIGINS, kind=str
    )
    similarity: str = option("exact", "how words of role fillers are compared", choices=SIMILARITIES)
    vectors: str | None = option(None, "word vectors, a text file of word2vec, for similarity=vectors", kind=str)
    lang: str = option("en", "language, for similarity=stem and meteor", choices=tuple(LANGUAGES))
    case: str = option("lower", "letter case", choices=("mixed", "lower"), aliases=("lowercase",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.similarity == "vectors") != (self.vectors is not None):
            raise SpecError(f"{self.name}: similarity=vectors and vectors=FILE go together")

    @property
    def label(self) -> str:
        """``MEANT`` or ``UMEANT``."""
        return self.name.upper()

    @cached_property
    def layer(self) -> str:
        """Frames, or the dependencies from which frames are derived."""
        return self.roles or (FRAMES if FRAMES in get_annotator(self.annotator).provides else DEPENDENCIES)

    @property
    def group_weights(self) -> dict[str, float] | None:
        """Weights of the groups of roles; None if they are computed from the references."""
        return None

    @cached_property
    def word_vectors(self) -> tuple[dict[str, int], Any]:
        """Numbers and vectors of words, read once; empty unless ``similarity=vectors``."""
        if self.vectors is None:
            return {}, np.zeros((0, 0), dtype=np.float32)
        return read_word_vectors(_expanded(self.vectors))

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> FrameScorer:
        """Find the annotator, and compute weights from the references if they are not given."""
        from mtassay.metrics.linguistic.frame_scorer import FrameScorer  # imports METEOR, so only on use

        return FrameScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """Mean of F; NaN if nothing was annotated."""
        return self._mean(totals, 0)

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """Means of precision and recall, 0 if nothing was annotated."""
        return {name: np.nan_to_num(self._mean(totals, place), nan=0.0) for name, place in (("P", 1), ("R", 2))}

    def _mean(self, totals: Statistics, column: int) -> Floats:
        totals = np.asarray(totals, dtype=np.float64)
        n = totals[..., -1]
        result: Floats = np.where(n > 0, totals[..., column] / np.maximum(n, 1.0), np.nan)
        return result

    def verbose(self, totals: Statistics) -> str:
        """The number of annotated segments."""
        return f"(annotated = {totals[-1]:.0f})"

    @property
    def public_spec(self) -> str:
        """The specification without folders."""
        given = {name: getattr(self, name, None) for name in ("vectors", "weights")}
        names = {name: PurePath(path).name or path for name, path in given.items() if path is not None}
        return str(replace(self, annotator=public_annotator(self.annotator), **names))

    def signature_entries(self) -> list[Entry]:
        """Origin of the frames, similarity, weights, letter case and annotator."""
        entries = [Entry("roles", "r", self.layer), Entry("similarity", "s", self.similarity)]
        if self.similarity in {"stem", "meteor"}:
            entries.append(Entry("lang", "l", self.lang))
        if self.vectors is not None:
            entries.append(Entry("vectors", "ve", _digest(self.vectors)))
        return [*entries, self._weights_entry(), case_entry(self.case), self.annotator_entry()]

    def _weights_entry(self) -> Entry:
        return Entry("weights", "w", "references")


@dataclass(frozen=True)
class Umeant(FrameMetric):
    """UMEANT, semantic frames in common, weighted by the references' roles; a reconstruction; needs frames or trees."""

    name: ClassVar[str] = "umeant"
    by_segment: ClassVar[bool] = False  # weights are those of all references


@dataclass(frozen=True, kw_only=True)
class Meant(FrameMetric):
    """MEANT, semantic frames in common, with given weights; a reconstruction; needs frames or dependency trees."""

    name: ClassVar[str] = "meant"

    weights: str | None = option(None, "file of weights: V, A0, A1, A2, TMP, LOC, CAU, other; else 1 each", kind=str)

    @cached_property
    def group_weights(self) -> dict[str, float]:
        """The weights of the file, or 1 for each group."""
        if self.weights is None:
            return dict.fromkeys(GROUPS, 1.0)
        return check_weights(read_weights(_expanded(self.weights), GROUPS), self.weights)

    def _weights_entry(self) -> Entry:
        return Entry("weights", "w", "equal" if self.weights is None else _digest(self.weights))


def check_weights(weights: dict[str, float], whose: str) -> dict[str, float]:
    """Reject weights below 0, and weights that are all 0."""
    if min(weights.values()) < 0 or not any(weights.values()):
        raise SpecError(f"{whose}: weights of roles must be at least 0, and at least one must be above 0")
    return weights


def _expanded(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111  (Path.expanduser fails on plain names that begin with "~")


def _digest(path: str) -> str:
    return f"{PurePath(path).name}-{sha256(read_bytes(_expanded(path))).hexdigest()[:_DIGITS]}"
