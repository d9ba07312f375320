"""SEMPOS, the overlap of content words with their semantic classes.

Kos & Bojar 2009, "Evaluation of machine translation metrics for Czech as the target language"; Macháček & Bojar 2011,
"Approximating a deep-syntactic metric for MT evaluation and tuning".

A text is a multiset of items, base forms with classes (``mtassay.metrics.linguistic.sempos_items``); w is 1, or the
weight of a base form from a file.

    cap-micro = Σ min(count in hypothesis, count in reference)·w / Σ count in reference·w            over all items
    cap-macro = mean of that ratio over the classes that the references have

Several references: the one with the highest segment score, the first in a tie. If the references have no items, the
score is 1.

Statistics: ``matched_… total_…`` for each class, and ``segments``, which is 1 if the hypothesis and a reference are
annotated. Other segments do not count and have no score.

For the same items, the scores are equal to those of Moses' scorer, except that Moses takes the last reference. The
items are an approximation: the authors' items come from an analysis by TectoMT.
"""

from __future__ import annotations

import math
import os.path
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain, islice
from pathlib import PurePath
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from mtassay.data.annotations import LEMMAS, MISSING, XPOS
from mtassay.data.formats.lines import lines_of
from mtassay.errors import InputError, SpecError, at
from mtassay.execution import SERIAL, Execution
from mtassay.io.inputs import STDIN, read_text
from mtassay.metrics.core.metric import Scorer
from mtassay.metrics.core.options import option
from mtassay.metrics.core.references import first_best
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.linguistic.annotated import AnnotatedMetric, annotator_with, public_annotator
from mtassay.metrics.linguistic.sempos_items import CLASSES, Item, items_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.metrics.core.references import References, Texts
    from mtassay.types import Floats, Index, Statistics

_N_CLASSES = len(CLASSES)
#: Number of pairs of texts compared at once: the items of a text take a few hundred bytes.
_AT_ONCE = 50_000
#: An item of a text is numbered by the number of the text, shifted left by these bits, plus the number of the item.
_ITEM_BITS = 32


@dataclass(frozen=True)
class Sempos(AnnotatedMetric):
    """SEMPOS, overlap of content words with semantic classes (English); needs tags and lemmas."""

    name: ClassVar[str] = "sempos"
    digits: ClassVar[int] = 4
    layer: ClassVar[str] = XPOS

    annotator: str = option("hanta:en", "annotator of the texts: hanta:en, spacy:MODEL, stanza:en or file:FOLDER")
    variant: str = option("micro", "ratio over all items, or mean over classes", choices=("micro", "macro"))
    weights: str | None = option(None, "file with a base form and its weight per line; others have weight 1", kind=str)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights in {"", STDIN}:
            raise SpecError("sempos needs a file for its weights: sempos:weights=FILE")

    @property
    def label(self) -> str:
        """``SEMPOS``, ``SEMPOS-macro``."""
        return "SEMPOS" if self.variant == "micro" else "SEMPOS-macro"

    @property
    def columns(self) -> tuple[str, ...]:
        """Matched items and all items of each class, and whether there are annotations."""
        return (*(f"matched_{name}" for name in CLASSES), *(f"total_{name}" for name in CLASSES), "segments")

    @cached_property
    def _weight_file(self) -> _WeightFile:
        return _WeightFile({}, "") if self.weights is None else _read_weights(self.weights)

    def weight_of(self, lemma: str) -> float:
        """The weight of a base form."""
        return self._weight_file.weights.get(lemma, 1.0)

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> SemposScorer:
        """Find the annotator; references are annotated when hypotheses are compared with them."""
        return SemposScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """Recall of items; NaN if nothing was annotated."""
        totals = np.asarray(totals, dtype=np.float64)
        matched, possible = totals[..., :_N_CLASSES], totals[..., _N_CLASSES:-1]
        if self.variant == "micro":
            matched, possible = matched.sum(axis=-1, keepdims=True), possible.sum(axis=-1, keepdims=True)
        there = possible > 0
        recall = np.where(there, matched / np.where(there, possible, 1.0), 0.0)
        mean = recall.sum(axis=-1) / np.maximum(there.sum(axis=-1), 1)
        scores: Floats = np.where(there.any(axis=-1), mean, 1.0)
        return np.where(totals[..., -1] > 0, scores, np.nan)

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """The recall of each class, 0 if the references have none of it."""
        totals = np.asarray(totals, dtype=np.float64)
        possible = totals[..., _N_CLASSES:-1]
        recall = totals[..., :_N_CLASSES] / np.where(possible > 0, possible, 1.0)
        return {name: recall[..., n] for n, name in enumerate(CLASSES)}

    @property
    def public_spec(self) -> str:
        """The specification without folders."""
        weights = None if self.weights is None else PurePath(self.weights).name or self.weights
        return str(replace(self, annotator=public_annotator(self.annotator), weights=weights))

    def signature_entries(self) -> list[Entry]:
        """Variant, weights and annotator."""
        entries = [Entry("variant", "var", self.variant)]
        if self.weights is not None:
            entries += [
                Entry("weights", "w", PurePath(self.weights).name),
                Entry("sha256", "sha", self._weight_file.digest),
            ]
        return [*entries, self.annotator_entry()]


class _WeightFile(NamedTuple):
    weights: dict[str, float]
    digest: str


def _read_weights(path: str) -> _WeightFile:
    # Path.expanduser fails on plain names that begin with "~".
    text = read_text(os.path.expanduser(path))  # noqa: PTH111
    weights: dict[str, float] = {}
    for number, line in enumerate(lines_of(text), 1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != 2:
            raise InputError(f"{at(path, number)}: a line must have a base form and its weight")
        try:
            weight = float(cells[1])
        except ValueError:
            weight = math.nan
        if not (0 <= weight < math.inf):
            raise InputError(f"{at(path, number)}: the weight {cells[1][:20]!r} is not a number of at least 0")
        if cells[0] in weights:
            raise InputError(f"{at(path, number)}: the base form {cells[0][:40]!r} already has a weight")
        weights[cells[0]] = weight
    return _WeightFile(weights, sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8])


class Bags(NamedTuple):
    """Distinct items of texts: those of text *i* are ``offsets[i]`` to ``offsets[i + 1]``, in ascending order.

    Attributes:
        offsets: shape (texts + 1,).
        items: numbers of items.
        counts: number of occurrences in the text.
        is_missing: texts without annotations, shape (texts,).
    """

    offsets: Index
    items: Index
    counts: Index
    is_missing: Index

    def of_texts(self, texts: Index) -> tuple[Index, Index]:
        """The concatenated items of some texts, each combined with the text's position in `texts`, and the counts."""
        sizes = self.offsets[texts + 1] - self.offsets[texts]
        places = np.repeat(np.arange(len(texts)), sizes)
        within = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        chosen = self.offsets[texts][places] + within
        return (places << _ITEM_BITS) | self.items[chosen], self.counts[chosen]


class ItemNumbers:
    """Numbers of items; several threads may ask at once.

    Args:
        weight_of: gives the weight of a base form.
    """

    def __init__(self, weight_of: Callable[[str], float]) -> None:
        self._weight_of = weight_of
        self._numbers: dict[Item, int] = {}
        self._classes: Index = np.empty(0, dtype=np.int64)
        self._weights: Floats = np.empty(0)
        self._lock = Lock()

    def bags(self, texts: Sequence[Sequence[Item] | None]) -> Bags:
        """The items of texts; None if annotations are missing."""
        sizes = np.fromiter((len(items or ()) for items in texts), np.int64, len(texts))
        numbers = self._numbers
        with self._lock:
            flat = [numbers.setdefault(item, len(numbers)) for item in chain.from_iterable(i or () for i in texts)]
        keys = (np.repeat(np.arange(len(texts)), sizes) << _ITEM_BITS) | np.array(flat, dtype=np.int64)
        unique, counts = np.unique(keys, return_counts=True)
        return Bags(
            np.searchsorted(unique >> _ITEM_BITS, np.arange(len(texts) + 1)),
            unique & ((1 << _ITEM_BITS) - 1),
            counts,
            np.array([items is None for items in texts], dtype=np.int64),
        )

    def tables(self) -> tuple[Index, Floats]:
        """Class and weight of each item so far, both of shape (items,)."""
        with self._lock:
            new = [*islice(self._numbers, len(self._classes), None)]
            if new:
                self._classes = np.concatenate([self._classes, [number for _, number in new]])
                self._weights = np.concatenate([self._weights, [self._weight_of(lemma) for lemma, _ in new]])
            return self._classes, self._weights


class SemposScorer(Scorer):
    """SEMPOS against prepared references, whose items are found once."""

    metric: Sempos

    def __init__(self, metric: Sempos, references: References, *, execution: Execution = SERIAL) -> None:
        super().__init__(metric, references, execution=execution)
        for layer in (XPOS, LEMMAS):
            self._annotator = annotator_with(layer, metric.annotator, wanted_by=metric.name)
        self._numbers = ItemNumbers(metric.weight_of)

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps, refs = self._bags(texts), self._bags(self.references.texts)
        hyp, ref, rows = self.references.each_reference(hyp_index, segment_index)
        statistics = self.statistics_of_bags(hyps, refs, hyp, ref)
        if len(rows) == len(hyp_index):
            return statistics
        scores = self.metric.segment_score(statistics)
        best: Statistics = statistics[first_best(np.where(np.isnan(scores), -1.0, scores), rows)]
        return best

    def _bags(self, texts: Texts) -> Bags:
        def compute() -> Bags:
            annotated = self.references.annotate(texts, self._annotator, execution=self.execution)
            return self._numbers.bags([None if found.state == MISSING else items_of(found) for found in annotated])

        return texts.remember(self._numbers, compute)

    def statistics_of_bags(self, hyps: Bags, refs: Bags, hyp_index: Index, ref_index: Index) -> Statistics:
        """Statistics of pairs of a hypothesis and one reference, shape (n, K)."""
        classes, weights = self._numbers.tables()
        statistics = np.zeros((len(hyp_index), len(self.metric.columns)))
        for first in range(0, len(hyp_index), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            hyp, ref = hyp_index[part], ref_index[part]
            keys, counts = refs.of_texts(ref)
            other_keys, other_counts = hyps.of_texts(hyp)
            common, place, other_place = np.intersect1d(keys, other_keys, assume_unique=True, return_indices=True)
            matches = np.minimum(counts[place], other_counts[other_place])
            for column, these, amounts in ((0, common, matches), (_N_CLASSES, keys, counts)):
                item = these & ((1 << _ITEM_BITS) - 1)
                cells = (these >> _ITEM_BITS) * _N_CLASSES + classes[item]
                sums = np.bincount(cells, amounts * weights[item], minlength=len(hyp) * _N_CLASSES)
                statistics[part, column : column + _N_CLASSES] = sums.reshape(len(hyp), _N_CLASSES)
            statistics[part, -1] = 1 - (hyps.is_missing[hyp] | refs.is_missing[ref])
            statistics[part] *= statistics[part, -1:]
        return statistics if self.metric.weights is not None else statistics.astype(np.int64)
