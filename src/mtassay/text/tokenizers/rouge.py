"""The words of ROUGE: the letters A to Z and digits; everything else separates words."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module

_WORDS = re.compile("[A-Za-z0-9]+")
#: Shorter words are not stemmed.
_SHORTEST_STEMMED = 4


class RougeTokenizer:
    """Keeps only ASCII letters and digits, as ROUGE-1.5.5 and rouge-score do; meant for English.

    >>> RougeTokenizer()("the 5-year-old's café")
    ['the', '5', 'year', 'old', 's', 'caf']
    """

    name = "rouge"
    signature = "rouge"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        return _WORDS.findall(line)


class RougeStemTokenizer:
    """The words of ``RougeTokenizer``, stemmed like in rouge-score by NLTK's Porter stemmer (extra ``rouge``)."""

    name = "rouge-stem"

    def __init__(self) -> None:
        package = import_module("nltk")
        # Stemming a word takes about 20 microseconds, and most words are repeated.
        self._stem = lru_cache(maxsize=1 << 18)(import_module("nltk.stem.porter").PorterStemmer().stem)
        self.signature = f"rouge-stem-nltk-{package.__version__}"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        return [self._stem(word) if len(word) >= _SHORTEST_STEMMED else word for word in _WORDS.findall(line)]
