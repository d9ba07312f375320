"""Addicter's errors of many hypotheses at once.

Words of a hypothesis are aligned with those of its reference (``mtassay.kernels.addicter``). A word without a
counterpart is missing, extra, or untranslated if the source has it; two aligned words may differ in form, tag or lemma;
and aligned words may be in another order. Only the alignment depends on letter case.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtassay.data.annotations import LEMMAS, UPOS, XPOS
from mtassay.errors import InputError
from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.addicter import addicter_alignments, order_errors
from mtassay.metrics.linguistic.columns import Columns, Numbers, columns_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.annotations import Annotations
    from mtassay.text.annotate import Annotator
    from mtassay.types import Bools, Ids, Index, Ints

#: Kinds of errors, by number: missing, extra and untranslated words; aligned words with another lemma, tag or form;
#: neighbours that are switched, and words that are shifted.
KINDS = ("miss", "extr", "untr", "lex-dis", "diffpos", "infl", "ord-s", "ord-l")
_MISSING, _EXTRA, _UNTRANSLATED, _LEMMA, _TAG, _FORM, _SWITCH, _SHIFT = range(len(KINDS))
_BEAM = 25
#: Number of bytes of a lemma that are compared.
_N_LETTERS = 20
_MARKS = frozenset({".", ",", ";", "?", "!", "SENT", "Z:"})


class Errors(NamedTuple):
    """Errors of many pairs, each of shape (errors,); words are numbered over all texts of their side.

    Attributes:
        pair: number of the pair.
        kind: number of the kind.
        hyp: the word of the hypothesis, -1 if missing.
        ref: the word of the reference, -1 if there is none.
        other: for errors of order the other word, or the last one that is jumped over; else -1.
    """

    pair: Ints
    kind: Ints
    hyp: Ints
    ref: Ints
    other: Ints

    def counts(self, n_pairs: int) -> Ints:
        """Number of errors of each kind, shape (pairs, kinds)."""
        n = len(KINDS)
        return np.bincount(self.pair * n + self.kind, minlength=n_pairs * n).reshape(n_pairs, n).astype(np.int64)


class Factors:
    """Numbers of forms, lemmas and tags, shared by hypotheses, references and sources."""

    def __init__(self) -> None:
        self.forms, self.lemmas, self.tags = Numbers(), Numbers(), Numbers()
        self._folded = tuple(Numbers(str.lower) for _ in range(3))
        self._folded_ids = [np.empty(0, dtype=np.int32) for _ in range(3)]
        self._letters, self._letter_offsets = bytearray(), [0]
        self._lock = Lock()

    def columns(self, annotated: Sequence[Annotations], annotator: Annotator) -> Columns:
        """Forms, lemmas and tags of annotated texts."""
        return columns_of(
            annotated,
            (LEMMAS, tag_layer(annotator)),
            words=self.forms,
            beside=(self.lemmas, self.tags),
            name=annotator.name,
        )

    def folded(self, columns: Columns) -> tuple[Ids, ...]:
        """Numbers of forms, lemmas and tags in lower case, of all words."""
        with self._lock:
            for kind, numbers in enumerate((self.forms, self.lemmas, self.tags)):
                before = self._folded_ids[kind]
                new = self._folded[kind].of(numbers.values[len(before) :])
                self._folded_ids[kind] = np.concatenate([before, new])
            ids = (columns.words.ids, *columns.beside)
            return tuple(folded[of_words] for folded, of_words in zip(self._folded_ids, ids, strict=True))

    def folded_forms(self, words: Sequence[str]) -> Ids:
        """Numbers of forms in lower case, of any words."""
        return self._folded[0].of(words)

    def align(self, hypotheses: Columns, references: Columns, hyps: Index, refs: Index) -> Ids:
        """For each word of the hypotheses of pairs, the position of the reference word, -1 if there is none."""
        return addicter_alignments(
            Pairs(hypotheses.words, references.words, hyps, refs),
            hypothesis_lemmas=hypotheses.beside[0],
            hypothesis_tags=hypotheses.beside[1],
            reference_lemmas=references.beside[0],
            reference_tags=references.beside[1],
            letters=self._letters_of_lemmas(),
            tag_starts=np.array([ord(tag[0]) if tag else 0 for tag in self.tags.values], dtype=np.int32),
            tag_marks=np.array([tag in _MARKS for tag in self.tags.values], dtype=np.int32),
        )

    def _letters_of_lemmas(self) -> Tokens:
        """Upper-cased bytes of all lemmas; those of new lemmas are appended."""
        with self._lock:
            offsets = self._letter_offsets
            for lemma in self.lemmas.values[len(offsets) - 1 :]:
                # Parity: Addicter compares bytes of UTF-8 and ignores the case of ASCII letters only.
                self._letters += lemma.encode("utf-8", "surrogatepass").upper()[:_N_LETTERS]
                offsets.append(len(self._letters))
            return Tokens(np.array(self._letters, dtype=np.int32), np.array(offsets, dtype=np.int64))


def tag_layer(annotator: Annotator) -> str:
    """The annotator's own tags, else universal ones; an error if it gives neither."""
    layer = next((layer for layer in (XPOS, UPOS) if layer in annotator.provides), None)
    if layer is None:
        raise InputError(f"Addicter's errors need tags, but the annotator '{annotator.name}' gives none")
    return layer


class _Side(NamedTuple):
    """The words of the texts of pairs, laid end to end: the pair of each, and its number among all words."""

    pair: Ints
    word: Ints
    offsets: Ints


def _side(words: Tokens, texts: Index) -> _Side:
    lengths = words.lengths[texts]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    pair = np.repeat(np.arange(len(texts)), lengths)
    return _Side(pair, np.arange(offsets[-1]) - offsets[pair] + words.offsets[texts][pair], offsets)


def errors_of(
    factors: Factors,
    hypotheses: Columns,
    references: Columns,
    *,
    hyps: Index,
    refs: Index,
    in_source: Bools | None = None,
) -> Errors:
    """All errors of pairs of a hypothesis and a reference.

    Args:
        factors: the numbers.
        hypotheses: texts.
        references: texts.
        hyps: for each pair the hypothesis, shape (n,).
        refs: for each pair the reference, shape (n,).
        in_source: for each word of the hypotheses of the pairs, pair after pair, whether its source has it.
    """
    to = factors.align(hypotheses, references, hyps, refs)
    hyp, ref = _side(hypotheses.words, hyps), _side(references.words, refs)
    aligned = np.flatnonzero(to >= 0)
    counterpart = ref.offsets[hyp.pair[aligned]] + to[aligned]
    alone = np.ones(len(ref.word), dtype=bool)
    alone[counterpart] = False
    lost, added = np.flatnonzero(alone), np.flatnonzero(to < 0)
    known = np.zeros(len(added), dtype=bool) if in_source is None else in_source[added]
    of_words = zip(factors.folded(hypotheses), factors.folded(references), strict=True)
    form, lemma, tag = (mine[hyp.word[aligned]] != other[ref.word[counterpart]] for mine, other in of_words)
    unequal = np.flatnonzero(form | lemma | tag)
    kinds = np.where(lemma, _LEMMA, np.where(tag, _TAG, _FORM))
    orders = Tokens(to[aligned], np.searchsorted(hyp.pair[aligned], np.arange(len(hyps) + 1)))
    pair, is_shift, first, second = order_errors(orders, beam=_BEAM).T
    first, second = (aligned[orders.offsets[pair] + place] for place in (first, second))
    none = -1
    parts = (
        (ref.pair[lost], _MISSING, none, ref.word[lost], none),
        (hyp.pair[added], np.where(known, _UNTRANSLATED, _EXTRA), hyp.word[added], none, none),
        (hyp.pair[aligned[unequal]], kinds[unequal], hyp.word[aligned[unequal]], ref.word[counterpart[unequal]], none),
        (pair, np.where(is_shift > 0, _SHIFT, _SWITCH), hyp.word[first], none, hyp.word[second]),
    )
    columns = zip(*(np.broadcast_arrays(*part) for part in parts), strict=True)
    return Errors(*(np.concatenate(column).astype(np.int64) for column in columns))
