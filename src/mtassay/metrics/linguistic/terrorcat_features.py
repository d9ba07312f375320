"""TerrorCat's features: frequencies of the errors of Addicter and Hjerson, by class of the word's tag.

Fishel, Sennrich, Popović and Bojar 2012, "TerrorCat: a translation error categorization-based MT quality metric".

    261 values: Addicter's 8 kinds of errors × 20 classes of tags, one value for all errors of punctuation marks, and
    Hjerson's 5 classes of errors × 20 classes of tags

Missing words are counted by the tag of the reference word and divided by the reference length; all other errors by the
tag of the hypothesis word and the hypothesis length. Values are truncated to six decimals, as the original writes them.

Hjerson's classes are miss, reord, infl, lex and infl again: like the original, this counts inflection twice and extra
words never. The original writes the classes of tags in another order for every system (the order of a Perl hash), so
its differences between two systems compare different columns; here the order of columns is fixed.

``tag_classes.tsv`` has the classes of English tags: those of the Penn Treebank, of TreeTagger, and universal ones. Tags
that it lacks have no class; errors of words with such a tag count only if the words are punctuation marks.

Statistics: the 261 values and ``segments``, which is 0 if the annotator found nothing. With several references, each
tool's errors are those for the reference that it would choose (fewest errors; lowest word error rate).
"""

from __future__ import annotations

import string
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs
from mtassay.kernels.hjerson import CLASSES, hjerson_errors
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.linguistic.addicter import Addicter, AddicterScorer
from mtassay.metrics.linguistic.addicter_errors import KINDS

if TYPE_CHECKING:
    from mtassay.metrics.linguistic.addicter import FoundErrors
    from mtassay.metrics.linguistic.columns import Columns
    from mtassay.types import Array, Floats, Index, Ints, Statistics

#: Classes of tags, in the order of columns.
TAG_CLASSES = (
    *("pu", "cc", "cd", "aux", "fw", "jj", "ls", "md", "nn", "np"),
    *("pdt", "pos", "pp", "rb", "rp", "to", "uh", "vb", "dt", "wp"),
)
_N = len(TAG_CLASSES)
_OF_HJERSON = ("miss", "reord", "infl", "lex", "infl2")
FEATURE_NAMES = (
    *(f"a_miss_{name}" for name in TAG_CLASSES),
    "a_punct",
    *(f"a_{kind}_{name}" for kind in KINDS[1:] for name in TAG_CLASSES),
    *(f"h_{kind}_{name}" for kind in _OF_HJERSON for name in TAG_CLASSES),
)
_PUNCT = FEATURE_NAMES.index("a_punct")
_N_ADDICTER = _PUNCT + 1 + (len(KINDS) - 1) * _N
_DECIMALS = 6


@cache
def tag_classes() -> dict[str, int]:
    """The number of the class of each tag."""
    lines = files("mtassay.metrics.linguistic").joinpath("tag_classes.tsv").read_text(encoding="utf-8").splitlines()
    return {tag: TAG_CLASSES.index(name) for tag, name in (line.split("\t") for line in lines[1:])}


def is_punctuation(word: str) -> bool:
    """Whether a word consists of punctuation marks.

    >>> is_punctuation("..."), is_punctuation("’"), is_punctuation("%"), is_punctuation("n't")
    (True, True, True, False)
    """
    marks = (char in string.punctuation or unicodedata.category(char)[0] == "P" for char in word)
    return bool(word) and all(marks)


@dataclass(frozen=True)
class TerrorCatFeatures(Addicter):
    """The features as statistics; only means of their sums are meaningful."""

    name: ClassVar[str] = "terrorcat_features"
    aligner: ClassVar[str] = ""
    columns: ClassVar[tuple[str, ...]] = (*FEATURE_NAMES, "segments")

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> TerrorCatScorer:
        """Find words, lemmas and tags of the references."""
        return TerrorCatScorer(self, references, execution=execution)

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """The mean of each feature."""
        totals = np.asarray(totals, dtype=np.float64)
        n = np.maximum(totals[..., -1], 1.0)
        return {name: totals[..., number] / n for number, name in enumerate(FEATURE_NAMES)}


class TerrorCatScorer(AddicterScorer):
    """Errors of both tools, found in the same words."""

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        found = self.find(texts, hyp_index, segment_index)
        n = len(hyp_index)
        rows, best = self.chosen(found, found.errors.counts(len(found.hyps)), n)
        lengths = rows[:, -3:-1]
        of_addicter = self._of_addicter(found)[best] / _divisors(lengths, (_N, 0), (_PUNCT - _N + 1, 1), (7 * _N, 1))
        of_hjerson = self._of_hjerson(found, n)
        values = np.column_stack([of_addicter, of_hjerson])
        cut = np.floor(values * 10**_DECIMALS + 1e-6) / 10**_DECIMALS
        return np.column_stack([cut * (rows[:, -1:] > 0), rows[:, -1]])

    def _tag_classes(self, columns: Columns) -> Ints:
        """The number of the class of each word's tag, -1 if it has none."""
        known = tag_classes()
        of_tags = np.array([known.get(tag, -1) for tag in self.factors.tags.values], dtype=np.int64)
        return of_tags[columns.beside[1]] if len(columns.beside[1]) else np.empty(0, dtype=np.int64)

    def _of_addicter(self, found: FoundErrors) -> Ints:
        """Counts of pairs, shape (pairs, 161)."""
        errors, (hyps, refs) = found.errors, (found.hypotheses, self.reference_columns)
        is_missing = errors.hyp < 0
        marks = np.array([is_punctuation(form) for form in self.factors.forms.values], dtype=bool)
        word = np.where(is_missing, errors.ref, errors.hyp)
        class_, form = (
            _either(is_missing, refs_column, hyps_column, word)
            for refs_column, hyps_column in (
                (self._tag_classes(refs), self._tag_classes(hyps)),
                (refs.words.ids, hyps.words.ids),
            )
        )
        is_mark = marks[form] if len(form) else np.empty(0, dtype=bool)
        switched = np.flatnonzero(errors.kind == KINDS.index("ord-s"))
        if len(switched):
            is_mark[switched] |= marks[hyps.words.ids[errors.other[switched]]]
        column = np.where(is_mark, _PUNCT, errors.kind * _N + class_ + (errors.kind > 0))
        return _counted(errors.pair, column, is_mark | (class_ >= 0), (len(found.hyps), _N_ADDICTER))

    def _of_hjerson(self, found: FoundErrors, n: int) -> Floats:
        """Rates of Hjerson's classes, shape (hypotheses, 100)."""
        hyps, refs = found.hypotheses, self.reference_columns
        folded = [self.factors.folded(side) for side in (hyps, refs)]
        words = [side.words._replace(ids=forms) for side, (forms, _, _) in zip((hyps, refs), folded, strict=True)]
        pairs = Pairs(words[0], words[1], found.hyps, found.refs)
        counts, of_hyp, of_ref = hjerson_errors(pairs, hypothesis_bases=folded[0][1], reference_bases=folded[1][1])
        lengths = np.column_stack(pairs.lengths)
        made = _by_class(of_hyp, self._tag_classes(hyps), hyps, found.hyps, ("reord", "infl", "lex", "infl"))
        missing = _by_class(of_ref, self._tag_classes(refs), refs, found.refs, ("miss",))
        rates: Floats = np.column_stack([missing, made]) / _divisors(lengths, (_N, 0), (4 * _N, 1))
        if len(found.rows) == n:
            return rates
        wer = counts[:, -3] / np.maximum(lengths[:, 1], 1)
        return rates[first_best(-wer, found.rows)]


def _divisors(lengths: Array, *blocks: tuple[int, int]) -> Floats:
    """Divisors of columns, shape (n, columns).

    Args:
        lengths: lengths of hypothesis and reference, shape (n, 2).
        *blocks: (number of columns, 0 for the reference length or 1 for the hypothesis length).
    """
    least = np.maximum(lengths, 1).astype(np.float64)
    return np.repeat(least[:, [1 - side for _, side in blocks]], [n for n, _ in blocks], axis=1)


def _either(first: Array, of_refs: Array, of_hyps: Array, word: Ints) -> Array:
    """Values of words: of reference words where `first` is true, of hypothesis words elsewhere."""
    values = np.zeros(len(word), dtype=np.int64)
    values[first], values[~first] = of_refs[word[first]], of_hyps[word[~first]]
    return values


def _by_class(classes: Array, tags: Ints, columns: Columns, texts: Index, names: tuple[str, ...]) -> Ints:
    """Number of words of each error class and tag class in the texts of pairs, shape (pairs, names · 20)."""
    lengths = columns.words.lengths[texts]
    pair = np.repeat(np.arange(len(texts)), lengths)
    offsets = np.cumsum(lengths) - lengths
    of_word = tags[columns.words.offsets[texts][pair] + np.arange(len(pair)) - offsets[pair]]
    found = [
        _counted(pair, of_word, (classes == CLASSES.index(name)) & (of_word >= 0), (len(texts), _N)) for name in names
    ]
    return np.concatenate(found, axis=1)


def _counted(pair: Ints, column: Ints, chosen: Array, shape: tuple[int, int]) -> Ints:
    places = pair[chosen] * shape[1] + column[chosen]
    return np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape).astype(np.int64)
