"""Japanese words by MeCab with the IPA dictionary, as in sacreBLEU."""

from __future__ import annotations

from mtassay.text.tokenizers.mecab import Mecab


class JapaneseTokenizer(Mecab):
    """Splits Japanese text into the words of the IPA dictionary (extra ``ja``)."""

    name = "ja-mecab"

    def __init__(self) -> None:
        super().__init__("MeCab", "ipadic", n_entries=392126)
        self.signature = f"ja-mecab-{self.version}-IPA"
