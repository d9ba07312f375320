"""Japanese words by MeCab with the IPA dictionary, as in sacreBLEU."""

from __future__ import annotations

from mtassay.text.tokenizers.mecab import Mecab


class JapaneseTokenizer:
    """Splits Japanese text into the words of the IPA dictionary (extra ``ja``)."""

    name = "ja-mecab"

    def __init__(self) -> None:
        self._mecab = Mecab("MeCab", "ipadic", n_entries=392126)
        self.signature = f"ja-mecab-{self._mecab.version}-IPA"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        return self._mecab.split(line)
