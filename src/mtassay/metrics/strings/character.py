"""CharacTER, translation edit rate on character level.

Wang et al. 2016, "CharacTer: translation edit rate on character level".

    CharacTER = min(1, (edits of characters + cost of shifts) / characters of the hypothesis)

Words of the hypothesis are first shifted to where the reference has them, as long as that lowers the edit distance of
words; a shift costs the mean length of the shifted words. Then the characters are compared, including the spaces
between words. 0 is best, 1 is worst. The score of a corpus is the mean over segments. Several references: the one with
the lowest score.

Statistics: ``sum n``; for one segment, its score and 1.

Equal to the authors' program, which splits words at white space (``tok=none``, default) and takes one reference. Empty
hypothesis: 1, but 0 if the reference is empty, too, where the program gives 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.kernels import Tokens
from mtassay.kernels.character import character_costs
from mtassay.kernels.encoding import codepoints
from mtassay.metrics.core.options import case_option, tok_option
from mtassay.metrics.core.signature import Entry, case_entry, tok_entry
from mtassay.metrics.strings.best_reference import BestReferenceMean

if TYPE_CHECKING:
    from mtassay.kernels import Pairs
    from mtassay.metrics.core.references import References, Texts
    from mtassay.types import Floats


@dataclass(frozen=True)
class CharacTer(BestReferenceMean):
    """Edit rate of characters after shifts of words.

    >>> round(CharacTer().corpus_score(["cat the sat"], [["the cat sat"]]), 4)
    0.2727
    """

    name: ClassVar[str] = "character"
    label: ClassVar[str] = "CharacTER"
    higher_is_better: ClassVar[bool] = False

    tok: str = tok_option("none")
    case: str = case_option()

    def encode(self, references: References, texts: Texts) -> Tokens:
        """Words."""
        return references.encode(texts, tokenizer=self.tok, case=self.case)

    def pair_scores(self, references: References, pairs: Pairs) -> Floats:
        """Cost per character of the hypothesis, at most 1."""
        spelled = references.words(tokenizer=self.tok, case=self.case)
        words = Tokens(*codepoints(spelled, case="mixed", keep_whitespace=True))
        cost, length = character_costs(pairs, words=words).T
        rates = np.where(length > 0, cost / np.where(length > 0, length, 1.0), pairs.lengths[1] > 0)
        scores: Floats = np.minimum(rates, 1.0)
        return scores

    def signature_entries(self) -> list[Entry]:
        """Case and tokenizer."""
        return [case_entry(self.case), tok_entry(self.tok)]
