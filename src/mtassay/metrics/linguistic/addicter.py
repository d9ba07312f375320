"""Addicter, errors of aligned words.

Zeman, Fishel, Berka and Bojar 2011, "Addicter: what is wrong with my translations?".

    score = 100 · (missing / R + (extra + untranslated + unequal + switched + shifted) / H)

H and R are the numbers of words of hypothesis and reference. Errors are defined in
``mtassay.metrics.linguistic.addicter_errors``. Addicter lists errors and has no score of its own; here each kind of
error is divided by the same length as in TerrorCat.

The option ``annotator`` names the source of lemmas and tags. A word of the hypothesis that is not aligned is
untranslated if the source has it, else extra; the source is tokenised by ``tok``. Without sources, no word is
untranslated.

Several references: the one with the fewest errors, the first one in a tie.

Statistics: the number of errors of each kind, ``hyp_len ref_len segments``; ``segments`` is 0 if the annotator found
nothing, else 1. A rate without words to divide by is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from mtassay.data.annotations import LEMMAS
from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.metric import Scorer
from mtassay.metrics.core.options import option, tok_option
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry, tok_entry
from mtassay.metrics.linguistic.addicter_errors import KINDS, Errors, Factors, errors_of
from mtassay.metrics.linguistic.annotated import AnnotatedMetric, annotator_with
from mtassay.text import get_tokenizer

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mtassay.metrics.linguistic.columns import Columns
    from mtassay.types import Bools, Floats, Index, Ints, Statistics

_N_KINDS = len(KINDS)


@dataclass(frozen=True)
class Addicter(AnnotatedMetric):
    """Errors of aligned words, per cent of the words; needs lemmas and tags."""

    name: ClassVar[str] = "addicter"
    aligner: ClassVar[str] = "mtassay.metrics.linguistic.addicter_alignment"
    digits: ClassVar[int] = 2
    higher_is_better: ClassVar[bool] = False
    layer: ClassVar[str] = LEMMAS
    columns: ClassVar[tuple[str, ...]] = (*KINDS, "hyp_len", "ref_len", "segments")

    class_: str = option("all", "kind of errors, or all", choices=("all", *KINDS))
    tok: str = tok_option("13a", "tokenizer of the source")

    @property
    def label(self) -> str:
        """``Addicter``, followed by the kind of errors if only one kind counts."""
        return "Addicter" if self.class_ == "all" else f"Addicter {self.class_}"

    @property
    def statistics_key(self) -> Hashable:
        """All kinds of errors are counted together."""
        return replace(self, class_="all")

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> AddicterScorer:
        """Find words, lemmas and tags of the references."""
        return AddicterScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """The rate of the kind, or the sum of all rates; NaN if nothing was annotated."""
        totals = np.asarray(totals, dtype=np.float64)
        rates = [rate for name, rate in self.components(totals).items() if self.class_ in {"all", name}]
        result: Floats = np.where(totals[..., -1] > 0, np.sum(rates, axis=0), np.nan)
        return result

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """The rate of each kind."""
        totals = np.asarray(totals, dtype=np.float64)
        hyp_len, ref_len = (np.maximum(totals[..., _N_KINDS + side], 1.0) for side in (0, 1))
        return {
            name: 100.0 * totals[..., number] / (ref_len if name == "miss" else hyp_len)
            for number, name in enumerate(KINDS)
        }

    def signature_entries(self) -> list[Entry]:
        """Kind of errors, annotator and tokenizer of the source."""
        return [Entry("class", "cl", self.class_), tok_entry(self.tok), self.annotator_entry()]


class FoundErrors(NamedTuple):
    """Errors of pairs of a hypothesis and a reference, and the lengths that divide them."""

    errors: Errors
    hypotheses: Columns
    hyps: Index
    refs: Index
    rows: Index


class AddicterScorer(Scorer):
    """Errors against prepared references; words, lemmas and tags of references are numbered once."""

    metric: AnnotatedMetric

    def __init__(self, metric: Any, references: References, *, execution: Execution = SERIAL) -> None:
        super().__init__(metric, references, execution=execution)
        self.annotator = annotator_with(LEMMAS, metric.annotator, wanted_by=metric.name)
        self.factors = Factors()
        self.reference_columns = self.columns(self.references.texts)
        self._source_words = self._read_sources(metric.tok)

    def _read_sources(self, tok: str) -> Ints | None:
        """Words of the sources as sorted numbers, segment by segment; None without sources."""
        if self.references.sources is None:
            return None
        tokenise = get_tokenizer(tok)
        words = [tokenise(source) for source in self.references.sources]
        forms = self.factors.folded_forms([word for source in words for word in source]).astype(np.int64)
        segments = np.repeat(np.arange(len(words)), [len(source) for source in words])
        return np.unique(segments << 32 | forms)

    def columns(self, texts: Texts) -> Columns:
        """Words, lemmas and tags of texts."""
        return texts.remember(
            self.factors,
            lambda: self.factors.columns(
                self.references.annotate(texts, self.annotator, execution=self.execution), self.annotator
            ),
        )

    def words(self, texts: Texts, number: int) -> tuple[str, ...]:
        """The words of one text."""
        return self.references.annotate(texts, self.annotator)[number].words

    def find(self, texts: Texts, hyp_index: Index, segment_index: Index) -> FoundErrors:
        """Errors of pairs, against every reference."""
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        columns = self.columns(texts)
        in_source = self._in_source(columns, hyps, segment_index[rows])
        errors = errors_of(self.factors, columns, self.reference_columns, hyps=hyps, refs=refs, in_source=in_source)
        return FoundErrors(errors, columns, hyps, refs, rows)

    def _in_source(self, columns: Columns, hyps: Index, segments: Index) -> Bools | None:
        if self._source_words is None:
            return None
        forms = self.factors.folded(columns)[0]
        words = columns.words
        numbers = [
            segment << 32 | forms[words.offsets[h] : words.offsets[h + 1]].astype(np.int64)
            for h, segment in zip(hyps, segments, strict=True)
        ]
        return np.isin(np.concatenate([np.empty(0, dtype=np.int64), *numbers]), self._source_words)

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        found = self.find(texts, hyp_index, segment_index)
        return self.chosen(found, found.errors.counts(len(found.hyps)), len(hyp_index))[0]

    def chosen(self, found: FoundErrors, counts: Ints, n: int) -> tuple[Statistics, Index]:
        """For each hypothesis, the statistics for the reference with the fewest errors, and the number of that pair."""
        hyps, refs = found.hypotheses, self.reference_columns
        lengths = hyps.words.lengths[found.hyps], refs.words.lengths[found.refs]
        there = hyps.found[found.hyps] & refs.found[found.refs]
        statistics: Statistics = np.column_stack([counts, *lengths, there]) * there[:, None]
        if len(found.rows) == n:
            return statistics, np.arange(n)
        best = first_best(np.where(there, -counts.sum(axis=1), -np.inf), found.rows)
        return statistics[best], best
