"""DEPREF-exact and DEPREF-align, dependency n-grams of the reference: a reconstruction.

Wu, Yu & Liu 2013, "DCU participation in WMT2013 metrics task", describe the metrics; their formulas are taken here from
the authors' later paper, Yu et al. 2014, "RED: A reference dependency based MT evaluation metric".

    P_n = Σ p / number of n-grams of the hypothesis             (at most 1)
    R_n = Σ p / number of dependency n-grams of the reference
    F_n = P_n · R_n / (α · P_n + (1 - α) · R_n),                DEPREF = Σ w_n · F_n / Σ w_n

Only the reference is parsed. p is the weight of a matched dependency n-gram; ``mtassay.kernels.dependencies`` defines
n-grams and weights. ``depref-exact`` compares words as written, ``depref-align`` words that METEOR aligns, including
stems, synonyms and paraphrases. Trees of the annotator's words are projected to the compared words
(``mtassay.metrics.linguistic.projection``).

If the reference has no dependency n-grams of a length, that length is left out on both sides, so a reference without a
parse is compared by its words alone. Several references: the best one of each segment, the first in a tie. Empty
hypothesis or empty reference: 0.

Statistics: ``matched_1 … matched_n hyp_1 … hyp_n ref_1 … ref_n``, which are summed over segments.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.data.annotations import DEPENDENCIES
from mtassay.data.trees import DependencyTree
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.dependencies import dependency_matches
from mtassay.metrics.core.metric import Scorer
from mtassay.metrics.core.options import case_option, option, parse_weights, show, tok_option
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry, case_entry, tok_entry
from mtassay.metrics.linguistic.annotated import AnnotatedMetric, annotator_with, public_annotator, trees_of
from mtassay.metrics.linguistic.projection import project_heads
from mtassay.metrics.meteor import LANGUAGES
from mtassay.metrics.meteor.languages import of_target
from mtassay.metrics.meteor.metric import STAGE_CHOICES, Meteor, MeteorScorer
from mtassay.metrics.meteor.resources import WITHOUT

if TYPE_CHECKING:
    from mtassay.types import Floats, Ids, Index, Statistics

#: Largest length of n-grams.
_MOST = 9


@dataclass(frozen=True)
class Depref(AnnotatedMetric):
    """Base class of both metrics."""

    digits: ClassVar[int] = 4
    layer: ClassVar[str] = DEPENDENCIES
    may_lack_scores: ClassVar[bool] = False
    annotates_outputs: ClassVar[bool] = False

    alpha: float = option(0.8, "weight of recall in F", minimum=0, maximum=1)
    weights: str = option("6/3/1", "weights of words, 2-grams, …; there are as many lengths as weights")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "weights", "/".join(map(show, self._numbers)))

    @cached_property
    def _numbers(self) -> tuple[float, ...]:
        return parse_weights(self.name, self.weights, most=_MOST)

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self._numbers)

    @property
    def columns(self) -> tuple[str, ...]:
        """Weights of matched n-grams, and numbers of n-grams of hypothesis and reference."""
        return tuple(f"{name}_{n}" for name in ("matched", "hyp", "ref") for n in range(1, self.order + 1))

    def score(self, totals: Statistics) -> Floats:
        """Weighted mean of F over the lengths that the references have."""
        _, _, f, there = self._parts(totals)
        weights = np.array(self._numbers) * there
        above = weights.sum(axis=-1)
        score: Floats = (weights * f).sum(axis=-1) / np.where(above > 0, above, 1.0)
        return score

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """Precision, recall and F of each length, 0 if there are no n-grams of that length."""
        parts = dict(zip("PRF", self._parts(totals), strict=False))
        return {f"{name}{n + 1}": values[..., n] for n in range(self.order) for name, values in parts.items()}

    def _parts(self, totals: Statistics) -> tuple[Any, Any, Any, Any]:
        """Precision, recall, F, and whether there are dependency n-grams, each of shape (..., order)."""
        matched, hyp, ref = np.split(np.asarray(totals, dtype=np.float64), 3, axis=-1)
        precision = np.minimum(matched / np.where(hyp > 0, hyp, 1.0), 1.0)
        recall = matched / np.where(ref > 0, ref, 1.0)
        below = self.alpha * precision + (1 - self.alpha) * recall
        return precision, recall, precision * recall / np.where(below > 0, below, 1.0), ref > 0

    def common_entries(self) -> list[Entry]:
        """Weights and annotator, for signatures."""
        weights = [Entry("alpha", "al", show(self.alpha)), Entry("weights", "w", self.weights)]
        return [*weights, self.annotator_entry()]


@dataclass(frozen=True)
class DeprefExact(Depref):
    """DEPREF-exact, dependency n-grams of the reference (reconstruction); needs dependency trees."""

    name: ClassVar[str] = "depref-exact"
    label: ClassVar[str] = "DEPREF-exact"

    tok: str = tok_option("intl")
    case: str = case_option("lower")

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> DeprefScorer:
        """Tokenise the references; they are annotated when hypotheses are compared with them."""
        return ExactScorer(self, references, execution=execution)

    def signature_entries(self) -> list[Entry]:
        """Case, tokenizer, weights and annotator."""
        tok = tok_entry(self.tok)
        return [case_entry(self.case), tok, *self.common_entries()]


@dataclass(frozen=True)
class DeprefAlign(Depref):
    """DEPREF-align, dependency n-grams over METEOR's alignment (reconstruction); needs dependency trees."""

    name: ClassVar[str] = "depref-align"
    label: ClassVar[str] = "DEPREF-align"

    lang: str = option("en", "language of METEOR", choices=tuple(LANGUAGES))
    stages: str | None = option(
        None, "METEOR's stages, joined by '+' (default: those that have data)", choices=STAGE_CHOICES, kind=str
    )
    data: str | None = option(None, "folder of METEOR's data, or 'none'", kind=str)

    @classmethod
    def language_defaults(cls, source: str, target: str) -> dict[str, Any]:
        """METEOR's language for the target language."""
        return {**super().language_defaults(source, target), "lang": of_target(target)}

    @classmethod
    def _translate(cls, key: str, value: object) -> object:
        return Meteor._translate(key, value)

    @property
    def public_spec(self) -> str:
        """The specification without folders; the signature has digests of what they hold."""
        data = self.data if self.data == WITHOUT else None
        return str(replace(self, annotator=public_annotator(self.annotator), data=data))

    @cached_property
    def meteor(self) -> Meteor:
        """METEOR, which aligns the words."""
        return Meteor(lang=self.lang, stages=self.stages, data=self.data)

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> DeprefScorer:
        """Load METEOR's language; references are annotated when hypotheses are compared with them."""
        return AlignScorer(self, references, execution=execution)

    def signature_entries(self) -> list[Entry]:
        """The settings of METEOR's alignment, the weights and the annotator."""
        chosen = {"lang", "stages", "norm", "data", "meteor"}
        return [*(entry for entry in self.meteor.signature_entries() if entry.name in chosen), *self.common_entries()]


class DeprefScorer(Scorer):
    """DEPREF against prepared references, whose heads are found on demand."""

    metric: Depref

    def __init__(self, metric: Depref, references: References, *, execution: Execution = SERIAL) -> None:
        super().__init__(metric, references, execution=execution)
        self._annotator = annotator_with(metric.layer, metric.annotator, wanted_by=metric.name)
        self._refs = self.tokens(self.references.texts)
        self._heads: Ids = np.full(len(self._refs.ids), -1, dtype=np.int32)
        self._is_parsed = np.full(len(self.references.texts), metric.order == 1)  # words alone need no tree

    @abstractmethod
    def tokens(self, texts: Texts) -> Tokens:
        """The words that are compared, as ids."""

    @abstractmethod
    def words(self) -> list[str]:
        """The words behind the ids."""

    @abstractmethod
    def matched(self, hypotheses: Tokens, hyp_index: Index, ref_index: Index) -> Floats:
        """Result of the kernel ``dependency_matches`` for pairs of a hypothesis and a single reference."""

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        self._parse(np.unique(refs))
        hypotheses = self.tokens(texts)
        matched, of_refs = np.split(self.matched(hypotheses, hyps, refs), 2, axis=1)
        of_hyps = np.maximum(hypotheses.lengths[hyps][:, None] - np.arange(self.metric.order), 0)
        of_hyps[:, 1:] *= of_refs[:, 1:] > 0
        statistics: Statistics = np.column_stack([matched, of_hyps, of_refs])
        if len(rows) > len(hyp_index):
            statistics = statistics[first_best(self.metric.score(statistics), rows)]
        return statistics

    def _parse(self, numbers: Index) -> None:
        # One chunk of segments at a time: chunks run in several threads, and annotating takes most of the time.
        new = numbers[~self._is_parsed[numbers]]
        if not len(new):
            return
        strings = self.references.texts.strings
        texts = Texts.of_checked(tuple(strings[number] for number in new))
        trees = trees_of(self.references, texts, self._annotator, layer=self.metric.layer, execution=self.execution)
        words = self.words()
        for number, tree in zip(new.tolist(), trees, strict=True):
            if isinstance(tree, DependencyTree):
                start, end = self._refs.offsets[number : number + 2]
                tokens = [words[token] for token in self._refs.ids[start:end].tolist()]
                self._heads[start:end] = project_heads(tree.words, tree.heads, tokens)
        self._is_parsed[new] = True


class ExactScorer(DeprefScorer):
    """Scorer that compares words as they are written."""

    metric: DeprefExact

    def tokens(self, texts: Texts) -> Tokens:
        """Tokens of the tokenizer."""
        return self.references.encode(texts, tokenizer=self.metric.tok, case=self.metric.case)

    def words(self) -> list[str]:
        """The words behind the ids."""
        return self.references.words(tokenizer=self.metric.tok, case=self.metric.case)

    def matched(self, hypotheses: Tokens, hyp_index: Index, ref_index: Index) -> Floats:
        """Matches of equal words."""
        pairs = Pairs(hypotheses, self._refs, hyp_index, ref_index)
        return dependency_matches(pairs, heads=self._heads, order=self.metric.order)


class AlignScorer(DeprefScorer):
    """Scorer for which words are equal if METEOR aligns them."""

    metric: DeprefAlign

    def __init__(self, metric: DeprefAlign, references: References, *, execution: Execution = SERIAL) -> None:
        self._meteor = MeteorScorer(metric.meteor, references, execution=SERIAL)
        super().__init__(metric, references, execution=execution)

    def tokens(self, texts: Texts) -> Tokens:
        """METEOR's words."""
        return self._meteor.tokens(texts)

    def words(self) -> list[str]:
        """The words behind the ids."""
        return self._meteor.words()

    def matched(self, hypotheses: Tokens, hyp_index: Index, ref_index: Index) -> Floats:
        """Matches of aligned words: each pair has its own word numbers, equal for aligned words."""
        lengths = self._refs.lengths[ref_index]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        pair, ref_start, n_ref, hyp_start, n_hyp, _ = self._meteor.matches_of_pairs(
            Pairs(hypotheses, self._refs, hyp_index, ref_index)
        ).T
        n = np.minimum(n_ref, n_hyp)  # for phrases of unequal length, up to the shorter one
        aligned = np.full(offsets[-1], -1, dtype=np.int32)
        aligned[_ranges(offsets[pair] + ref_start, n)] = _ranges(hyp_start, n)
        numbered = _ranges(np.zeros(len(hypotheses.lengths), dtype=np.int64), hypotheses.lengths).astype(np.int32)
        heads = self._heads[_ranges(self._refs.offsets[ref_index], lengths)]
        pairs = Pairs(
            Tokens(numbered, hypotheses.offsets), Tokens(aligned, offsets), hyp_index, np.arange(len(ref_index))
        )
        return dependency_matches(pairs, heads=heads, order=self.metric.order)


def _ranges(starts: Index, lengths: Index) -> Index:
    """Ranges of numbers, each given by its start and length, concatenated."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    numbers: Index = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return numbers
