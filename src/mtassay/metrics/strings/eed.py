"""EED, the extended edit distance.

Stanchev, Wang and Ney 2019, "EED: extended edit distance measure for machine translation".

    EED = min(1, (e + ρ·v) / (reference length + ρ·v))

e is the cost of the cheapest path over the characters of both texts: a substitution costs 1; a character that only the
reference has costs ``insertion``; one that only the hypothesis has costs ``deletion``; a jump from a space of the
reference to any place in the hypothesis costs ``alpha``. v counts places of the hypothesis that are visited again or
not at all. 0 is best, 1 is worst; the score of a corpus is the mean over segments. Several references: the one with the
lowest score.

Texts are prepared as in the original. ``lang=en`` (default, for every language with spaces) puts a space before
``. , ! ?``, except in numbers and some abbreviations, and a space at both ends of the text. ``lang=ja`` (for Japanese)
applies NFKC normalisation.

Statistics: ``sum n``; for one segment, its score and 1.

Equal to torchmetrics. The authors' C++ program computes in single precision, truncates the lowest cost of a row to a
whole number before it looks up its position, and does not count the place before the first character; this is not
imitated. An empty hypothesis or reference needs no rule for ``en``, since the prepared text still has spaces at both
ends; for ``ja``, the score is 1 if the hypothesis has characters and the reference has none, and 0 if both have none.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.kernels import Tokens
from mtassay.kernels.eed import eed_costs
from mtassay.kernels.encoding import codepoints
from mtassay.metrics.core.options import case_option, option, show
from mtassay.metrics.core.signature import Entry, case_entry
from mtassay.metrics.strings.best_reference import BestReferenceMean

if TYPE_CHECKING:
    from mtassay.kernels import Pairs
    from mtassay.metrics.core.references import References, Texts
    from mtassay.types import Floats

_DIGITS = re.compile(r"\d")
_NUMBERS = re.compile(r"(\d) ([.,]) (\d)")
_TITLES = ("Dr ", "Jr ", "Prof ", "Rev ", "Gen ", "Mr ", "Mt ", "Mrs ", "Ms ")
# Parity: in the original, too, the full stop matches any character: "Mr Smith" becomes "Mr.mith".
_TITLE = re.compile("(Dr|Jr|Prof|Rev|Gen|Mr|Mt|Mrs|Ms) .")
_ABBREVIATIONS = {"e . g .": "e.g.", "i . e .": "i.e.", "U . S .": "U.S."}


def prepare_english(text: str) -> str:
    """Separate punctuation, and put a space at both ends.

    >>> prepare_english("Mr. X paid 3.5, e.g. today.")
    ' Mr. X paid 3 .5 , e .g . today . '
    """
    text = text.rstrip()
    for mark in ".!?,":
        text = text.replace(mark, f" {mark}")
    text = (" " if text[:1].isspace() else "") + " ".join(text.split())
    # Regular expressions are slow, and most texts have nothing that they match.
    if _DIGITS.search(text):
        text = _NUMBERS.sub(r"\1\2\3", text)
    if any(title in text for title in _TITLES):
        text = _TITLE.sub(r"\1.", text)
    for separated, joined in _ABBREVIATIONS.items():
        text = text.replace(separated, joined)
    return f" {text} "


def prepare_japanese(text: str) -> str:
    """Normalise characters (NFKC)."""
    return unicodedata.normalize("NFKC", text.rstrip())


_LANGUAGES = {"en": prepare_english, "ja": prepare_japanese}


@dataclass(frozen=True)
class Eed(BestReferenceMean):
    """Extended edit distance of characters.

    >>> round(Eed().corpus_score(["this is the prediction"], [["this is the reference"]]), 4)
    0.3835
    """

    name: ClassVar[str] = "eed"
    label: ClassVar[str] = "EED"
    higher_is_better: ClassVar[bool] = False

    lang: str = option("en", "preparation of texts: en for languages with spaces, or ja", choices=tuple(_LANGUAGES))
    case: str = case_option()
    alpha: float = option(2.0, "cost of a jump", minimum=0, maximum=1e6)
    rho: float = option(0.3, "weight of places visited again or not at all", minimum=0, maximum=1e6)
    deletion: float = option(0.2, "cost of a character that only the hypothesis has", minimum=0, maximum=1e6)
    insertion: float = option(1.0, "cost of a character that only the reference has", minimum=0, maximum=1e6)

    @classmethod
    def language_defaults(cls, source: str, target: str) -> dict[str, str]:
        """``lang=ja`` for Japanese, whose texts are prepared in another way."""
        del source
        return {"lang": "ja"} if target == "ja" else {}

    def encode(self, references: References, texts: Texts) -> Tokens:
        """Code points of the prepared texts."""
        del references
        prepare = _LANGUAGES[self.lang]
        return texts.remember(
            ("eed", self.lang, self.case),
            lambda: Tokens(
                *codepoints([prepare(text) for text in texts.strings], case=self.case, keep_whitespace=True)
            ),
        )

    def pair_scores(self, references: References, pairs: Pairs) -> Floats:
        """EED of every pair."""
        del references
        costs = eed_costs(pairs, jump=self.alpha, deletion=self.deletion, insertion=self.insertion)
        coverage = self.rho * costs[:, 1]
        hyp_len, ref_len = pairs.lengths
        below = ref_len + coverage
        scores: Floats = np.minimum(
            1.0, np.divide(costs[:, 0] + coverage, below, out=np.ones(len(below)), where=below > 0)
        )
        return np.where((hyp_len == 0) & (ref_len == 0), 0.0, scores)

    def signature_entries(self) -> list[Entry]:
        """Preparation and costs."""
        costs = (self.alpha, self.rho, self.deletion, self.insertion)
        return [
            Entry("lang", "l", self.lang),
            case_entry(self.case),
            Entry("costs", "co", "/".join(map(show, costs))),
        ]
