"""ROUGE-Lsum, ROUGE-L of texts of several sentences.

Lin 2004, "ROUGE: a package for automatic evaluation of summaries", section 3.2, as Google's rouge-score computes it.

    hits = words of the reference that are in the longest common subsequence of their sentence with some sentence of the
           hypothesis; a word counts at most as often as it occurs in either text

P, R and F follow from hits and numbers of words as in ``mtassay.metrics.strings.rouge``. Sentences are lines of a text
(``split=lines``), or are separated by the mark ``<n>`` (``split=<n>``), for files with one text per line. A text of one
sentence has the score of ``rougeL``.

Equal to rouge-score, except that rouge-score can also split texts into sentences, by NLTK's punkt; here the texts must
be split already.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.rouge import lcs_lengths, union_lcs_hits
from mtassay.metrics.core.options import option
from mtassay.metrics.core.references import References, Texts
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.strings.rouge_base import Rouge, RougeScorer

if TYPE_CHECKING:
    from mtassay.metrics.core.metric import Scorer
    from mtassay.types import Index

_SEPARATORS = {"lines": "\n", "<n>": "<n>"}


@dataclass(frozen=True)
class RougeLsum(Rouge):
    r"""ROUGE-Lsum, common subsequences of texts of several sentences.

    >>> round(RougeLsum().corpus_score(["the cat\nthe dog ran"], [["the dog ran\na cat"]]), 4)
    0.8
    """

    name: ClassVar[str] = "rougeLsum"
    kind: ClassVar[str] = "Lsum"

    split: str = option("lines", "what separates sentences: line breaks, or the mark <n>", choices=tuple(_SEPARATORS))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant != "rouge_score":
            raise SpecError("rougeLsum follows rouge-score: leave out variant")

    @property
    def separator(self) -> str:
        """The text between sentences."""
        return _SEPARATORS[self.split]

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Split and tokenise the references."""
        return _RougeLsumScorer(self, references, execution=execution)

    def count(self, pairs: Pairs) -> tuple[Any, Any, Any]:
        """Hits and totals of texts of one sentence, as for ROUGE-L."""
        return (lcs_lengths(pairs), *pairs.lengths)

    def signature_entries(self) -> list[Entry]:
        """ROUGE's entries, and how sentences are separated."""
        return [*super().signature_entries(), Entry("split", "sp", self.split)]


class _RougeLsumScorer(RougeScorer):
    metric: RougeLsum

    def _counts(self, texts: Texts, hyps: Index, refs: Index) -> tuple[Any, Any, Any]:
        (hyp_words, hyp_ends), (ref_words, ref_ends) = map(self._sentences, (texts, self.references.texts))
        pairs = Pairs(hyp_words, ref_words, hyps, refs)
        if len(hyp_ends.ids) == len(texts) and len(ref_ends.ids) == len(self.references.texts):
            return self.metric.count(pairs)
        return (union_lcs_hits(pairs, hyp_ends=hyp_ends, ref_ends=ref_ends), *pairs.lengths)

    def _sentences(self, texts: Texts) -> tuple[Tokens, Tokens]:
        """The words of every text, and where its sentences end."""

        def split() -> tuple[Tokens, Tokens]:
            by_text = [text.split(self.metric.separator) for text in texts.strings]
            words = self._tokens(Texts(chain.from_iterable(by_text)))
            edges = np.cumsum([0, *map(len, by_text)])
            starts = words.offsets[edges]
            ends = words.offsets[1:] - np.repeat(starts[:-1], np.diff(edges))
            return Tokens(words.ids, starts), Tokens(ends.astype(np.int32), edges)

        return texts.remember((self, "sentences"), split)
