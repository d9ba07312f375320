"""GLEU, Google's sentence-level BLEU.

Wu et al. 2016, "Google's neural machine translation system: bridging the gap between human and machine translation",
section 4. Not the GLEU of grammatical error correction (Napoles et al. 2015).

    GLEU = min(precision, recall) = matches / max(n-grams of the hypothesis, n-grams of the reference)

over n-grams of all lengths from ``min_order`` to ``order`` together. Scores are between 0 and 1; the score of a corpus
uses the sums of matches and of the larger numbers of n-grams. Several references: the one with the best segment score.

Statistics: ``matches total``.

Equal to NLTK, with ``tok=none``. Empty hypothesis or empty reference, or texts without a single n-gram: 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.errors import SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs, n_ngrams
from mtassay.kernels.ngrams import ngram_matches
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import case_option, option, tok_option
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry, case_entry, tok_entry
from mtassay.metrics.core.token_scorer import TokenScorer

if TYPE_CHECKING:
    from mtassay.types import Floats, Index, Statistics


@dataclass(frozen=True)
class Gleu(Metric):
    """Google's sentence-level BLEU.

    >>> Gleu().corpus_score(["the the the the the the the"], [["the cat is on the mat"]])
    0.09090909090909091
    """

    name: ClassVar[str] = "gleu"
    label: ClassVar[str] = "GLEU"
    digits: ClassVar[int] = 4
    columns: ClassVar[tuple[str, ...]] = ("matches", "total")
    by_segment: ClassVar[bool] = True

    tok: str = tok_option()
    case: str = case_option()
    order: int = option(4, "largest n-gram length", minimum=1, maximum=99, aliases=("max_len",))
    min_order: int = option(1, "smallest n-gram length", minimum=1, maximum=99, aliases=("min_len",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_order > self.order:
            raise SpecError(f"gleu: min_order is {self.min_order}, but order is {self.order}")

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Tokenise the references."""
        return _GleuScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """Matches divided by n-grams."""
        matches, total = (np.asarray(totals, dtype=np.float64)[..., i] for i in range(2))
        score: Floats = matches / np.where(total > 0, total, 1.0)
        return score

    def signature_entries(self) -> list[Entry]:
        """Lengths of n-grams, then case and tokenizer."""
        return [
            Entry("n", "n", f"{self.min_order}-{self.order}"),
            case_entry(self.case),
            tok_entry(self.tok),
        ]


class _GleuScorer(TokenScorer):
    metric: Gleu

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        metric = self.metric
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        pairs = Pairs(self._tokens(texts), self._refs, hyps, refs)
        used = slice(metric.min_order - 1, None)
        matches = ngram_matches(pairs, order=metric.order)[:, used].sum(axis=1)
        totals = [n_ngrams(lengths, metric.order)[:, used].sum(axis=1) for lengths in pairs.lengths]
        statistics: Statistics = np.column_stack([matches, np.maximum(*totals)])
        if len(rows) == len(hyp_index):
            return statistics
        return statistics[first_best(metric.score(statistics), rows)]
