"""Hjerson, rates of classes of errors.

Popović 2011, "Hjerson: an open source tool for automatic error classification of machine translation output".

    SUMerr = 100 · (infl / H + reord / H + ext / H + lex / H + miss / R)

The H words of the hypothesis may be wrong in inflection or order, extra, or lexically wrong; the R words of the
reference may be missing. Words are compared in order (edits of the word error rate), without order, and without order
by their base: see ``mtassay.kernels.hjerson``. Bases are lemmas from the option ``annotator``, or, without an
annotator, the first four letters, as in the original. ``class`` chooses one class. ``blocks=yes`` counts runs of words
of one class instead of words (the original's bSUMerr); ``blocks=reord`` does so for reordering only (rbSUMerr).

Several references: the one with the lowest word error rate, the first one in a tie.

Statistics: words of each class in the reference (``r_``) and in the hypothesis (``h_``), blocks of them, the errors
of WER, RPER and HPER, ``hyp_len ref_len segments``; ``segments`` is 0 if the annotator found nothing, else 1. A
rate without words to divide by is 0: an empty hypothesis has all words missing.

Equal to the original, word by word, with ``tok=none`` on tokenised texts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from mtassay.data.annotations import LEMMAS
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs
from mtassay.kernels.hjerson import COUNTS, hjerson_errors
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import option, tok_option
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry, case_entry, tok_entry
from mtassay.metrics.linguistic.annotated import annotator_entry, annotator_with, public_annotator
from mtassay.metrics.linguistic.columns import Columns, Numbers, columns_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mtassay.kernels import Tokens
    from mtassay.types import Array, Floats, Index, Statistics

#: Number of first letters that form the base of a word without a lemma.
_N_LETTERS = 4
#: The side on which each class is counted.
_SIDES = {"infl": "h", "reord": "h", "miss": "r", "ext": "h", "lex": "h"}
_COLUMNS = (*COUNTS, "hyp_len", "ref_len", "segments")


@dataclass(frozen=True)
class Hjerson(Metric):
    """Errors by class: inflection, order, missing, extra and wrong words; per cent of the words.

    >>> Hjerson().corpus_score(["he walked a big dog"], [["he walks a dog"]])
    40.0
    """

    name: ClassVar[str] = "hjerson"
    aligner: ClassVar[str] = "mtassay.metrics.linguistic.hjerson_alignment"
    digits: ClassVar[int] = 2
    higher_is_better: ClassVar[bool] = False
    may_lack_scores: ClassVar[bool] = True
    by_segment: ClassVar[bool] = True

    class_: str = option("all", "class of errors, or all", choices=("all", *_SIDES))
    blocks: str = option("no", "count runs of one class instead of words", choices=("no", "yes", "reord"))
    annotator: str = option("", "source of lemmas and words; without one, bases are the first four letters")
    tok: str = tok_option("13a", "tokenizer, if there is no annotator")
    case: str = option("mixed", "letter case", choices=("mixed", "lower"), aliases=("lowercase",))

    @property
    def label(self) -> str:
        """``SUMerr`` or the class, after ``b`` or ``rb`` for blocks."""
        blocks = {"no": "", "yes": "b", "reord": "rb"}[self.blocks]
        return f"{blocks}SUMerr" if self.class_ == "all" else f"{blocks}{self.class_.upper()}err"

    @property
    def columns(self) -> tuple[str, ...]:
        """Words and blocks by class, errors of three error rates, lengths."""
        return _COLUMNS

    @property
    def statistics_key(self) -> Hashable:
        """All classes are counted together, both words and blocks."""
        return replace(self, class_="all", blocks="no")

    @property
    def annotators(self) -> tuple[str, ...]:
        """The source of lemmas, if there is one."""
        return (self.annotator,) if self.annotator else ()

    @property
    def public_spec(self) -> str:
        """The specification without the folders above the last one."""
        return str(replace(self, annotator=public_annotator(self.annotator)))

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> HjersonScorer:
        """Find words and bases of the references."""
        return HjersonScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """The rate of the class, or the sum of all rates; NaN if nothing was annotated."""
        chosen = _SIDES if self.class_ == "all" else (self.class_,)
        rates = [self._rate(totals, name, blocks=self.blocks in {"yes", name}) for name in chosen]
        there = np.asarray(totals)[..., _COLUMNS.index("segments")] > 0
        result: Floats = np.where(there, np.sum(rates, axis=0), np.nan)
        return result

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """The rate of each class, of words and of blocks."""
        return {
            ("b" if blocks else "") + name: self._rate(totals, name, blocks=blocks)
            for blocks in (False, True)
            for name in _SIDES
        }

    @staticmethod
    def _rate(totals: Statistics, name: str, *, blocks: bool) -> Floats:
        totals = np.asarray(totals, dtype=np.float64)
        side = _SIDES[name]
        n_errors = totals[..., _COLUMNS.index(f"{side}_{name}{'_blocks' if blocks else ''}")]
        n_words = totals[..., _COLUMNS.index("hyp_len" if side == "h" else "ref_len")]
        rate: Floats = 100.0 * n_errors / np.maximum(n_words, 1.0)
        return rate

    def verbose(self, totals: Statistics) -> str:
        """The rate of each class."""
        return " ".join(f"{name} = {float(self._rate(totals, name, blocks=False)):.2f}" for name in _SIDES)

    def signature_entries(self) -> list[Entry]:
        """Class, blocks, letter case, and the source of words and bases."""
        words = [annotator_entry(self.annotator)] if self.annotator else [tok_entry(self.tok)]
        base = Entry("base", "ba", "lemma" if self.annotator else f"first{_N_LETTERS}")
        return [
            Entry("class", "cl", self.class_),
            Entry("blocks", "bl", self.blocks),
            case_entry(self.case),
            base,
            *words,
        ]


class Classified(NamedTuple):
    """Words of one hypothesis and of the reference that it was compared with, and the class of each."""

    reference: int
    hypothesis_words: list[str]
    hypothesis_classes: Array
    reference_words: list[str]
    reference_classes: Array


class HjersonScorer(Scorer):
    """Errors against prepared references; words and bases of references are numbered once."""

    metric: Hjerson

    def __init__(self, metric: Hjerson, references: References, *, execution: Execution = SERIAL) -> None:
        super().__init__(metric, references, execution=execution)
        fold = str.lower if metric.case == "lower" else str
        self._numbers = Numbers(fold), Numbers(fold)
        spec = metric.annotator
        self._annotator = annotator_with(LEMMAS, spec, wanted_by=metric.name) if spec else None
        self._refs = self._columns(self.references.texts)

    def _columns(self, texts: Texts) -> Columns:
        return texts.remember(self._numbers, lambda: self._lemmas(texts) if self._annotator else self._letters(texts))

    def _lemmas(self, texts: Texts) -> Columns:
        annotator: Any = self._annotator
        annotated = self.references.annotate(texts, annotator, execution=self.execution)
        words, lemmas = self._numbers
        return columns_of(annotated, (LEMMAS,), words=words, beside=(lemmas,), name=annotator.name)

    def _letters(self, texts: Texts) -> Columns:
        options = {"tokenizer": self.metric.tok, "case": self.metric.case}
        words: Tokens = self.references.encode(texts, **options)
        different, places = np.unique(words.ids, return_inverse=True)
        starts = [self.references.word(number, **options)[:_N_LETTERS] for number in different.tolist()]
        bases = self._numbers[1].of(starts)[places] if len(starts) else words.ids
        return Columns(words, (bases,), np.ones(len(texts), dtype=bool))

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        columns = self._columns(texts)
        counts, _, _ = self._errors(columns, hyps, refs)
        lengths = columns.words.lengths[hyps], self._refs.words.lengths[refs]
        found = columns.found[hyps] & self._refs.found[refs]
        statistics: Statistics = np.column_stack([counts, *lengths, found]) * found[:, None]
        return statistics if len(rows) == len(hyp_index) else statistics[first_best(-_wer(statistics), rows)]

    def _errors(self, columns: Columns, hyps: Index, refs: Index) -> tuple[Array, Array, Array]:
        pairs = Pairs(columns.words, self._refs.words, hyps, refs)
        (bases,), (ref_bases,) = columns.beside, self._refs.beside
        return hjerson_errors(pairs, hypothesis_bases=bases, reference_bases=ref_bases)

    def classify(self, texts: Texts, segment: int) -> Classified:
        """Classes of the words of one segment, and the number of the reference that was used, from 0."""
        first, last = self.references.group_offsets[segment : segment + 2].tolist()
        index, refs = np.full(last - first, segment), np.arange(first, last)
        columns = self._columns(texts)
        counts, _, _ = self._errors(columns, index, refs)
        lengths = self._refs.words.lengths[refs]
        found = columns.found[index] & self._refs.found[refs]
        rows = np.column_stack([counts, lengths * 0, lengths, found])
        best = int(first_best(-_wer(rows), np.zeros(len(refs), dtype=np.int64))[0])
        _, of_hyp, of_ref = self._errors(columns, index[:1], refs[best : best + 1])
        return Classified(
            best, self._words(texts, segment), of_hyp, self._words(self.references.texts, first + best), of_ref
        )

    def _words(self, texts: Texts, number: int) -> list[str]:
        if self._annotator is not None:
            return list(self.references.annotate(texts, self._annotator)[number].words)
        options = {"tokenizer": self.metric.tok, "case": self.metric.case}
        return [self.references.word(token, **options) for token in self._columns(texts).words.text(number).tolist()]


def _wer(statistics: Statistics) -> Floats:
    """The word error rate of rows, infinite if a text was not annotated."""
    wer, length, found = (statistics[:, _COLUMNS.index(name)] for name in ("wer", "ref_len", "segments"))
    rate = np.where(length > 0, wer / np.maximum(length, 1), wer > 0)
    return np.where(found > 0, rate, np.inf)
