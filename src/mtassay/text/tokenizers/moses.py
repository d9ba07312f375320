"""The tokenizer of Moses, by the package sacremoses, without its escapes for XML.

sacremoses 0.2 differs from Moses' tokenizer.perl (2021 and later, ``-no-escape``) on one to four lines of a thousand in
most languages, and on more in Finnish. These differences are corrected here:

- The full stop at the end of a line is a separate token, even after an abbreviation or a number.
- All letters of any script are letters, and full stops are not: sacremoses splits Chinese, Japanese and Korean words in
  texts of other languages into characters, and does not separate Chinese punctuation from Chinese words.
- In Finnish and Swedish a colon before a lower-case letter is part of the word (``USA:n``), and so is the middle dot in
  Catalan.
- In Catalan and Irish an apostrophe goes with the letters before it (``l' ull``), as in French and Italian.

The following differences remain; none of them occurs in 380,000 lines of WMT test sets:

- In Indian scripts Moses splits words at viramas and nuktas; sacremoses and this module do not.
- Tetun has rules for apostrophes that sacremoses does not know.
- sacremoses reads Moses' lists of a few abbreviations of Dutch, Icelandic, Italian, Slovak, Spanish and Swedish
  differently.
- An apostrophe beside a Chinese, Japanese or Korean letter is treated differently.
- So is a literal ``DOTMULTI`` in the text, the word by which both programs mark repeated full stops.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtassay.errors import SpecError, unknown_name

if TYPE_CHECKING:
    import re

#: Increase when the corrections to sacremoses change tokens.
_REVISION = 1


class MosesTokenizer:
    """Splits as Moses' tokenizer.perl does for a language (extra ``moses``)."""

    def __init__(self, name: str = "moses") -> None:
        package = import_module("sacremoses")
        language = name.partition("-")[2] or "en"
        known = sorted(set(import_module("sacremoses.corpus").NonbreakingPrefixes().available_langs.values()))
        if language not in known:  # sacremoses would fall back to English
            raise SpecError(unknown_name("language of Moses' tokenizer", language, known))
        self.name = name
        self.signature = f"moses-{package.__version__}+{_REVISION}-{language}"
        self._language = language
        self._tokenizer: Any = package.MosesTokenizer(lang=language)
        if language in {"ca", "ga"}:
            # sacremoses has read the abbreviations; its language now affects only apostrophes.
            self._tokenizer.lang = "fr"
        # sacremoses pads matches of this pattern by a string; a function can look at the context.
        # The pattern is that of the class, because the pattern of the object treats Chinese full stops as letters.
        pattern, _ = package.MosesTokenizer.PAD_NOT_ISALNUM
        self._tokenizer.PAD_NOT_ISALNUM = (pattern, self._padded)

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        tokens: list[str] = self._tokenizer.tokenize(line.rstrip(), escape=False)
        if tokens and tokens[-1].endswith(".") and tokens[-1].strip("."):
            tokens[-1:] = [tokens[-1][:-1], "."]
        return tokens

    def _padded(self, match: re.Match[str]) -> str:
        """A character that sacremoses does not count as a letter, with spaces around it unless it is part of a word."""
        character = match[0]
        follows = match.string[match.end() : match.end() + 1]
        is_inside = (
            character.isalpha()
            or character.isdecimal()
            or (character == ":" and self._language in {"fi", "sv"} and follows.islower())
            or (character == "·" and self._language == "ca")
        )
        return character if is_inside else f" {character} "
