"""Korean words by MeCab-ko with mecab-ko-dic, as in sacreBLEU."""

from __future__ import annotations

from mtassay.text.tokenizers.mecab import Mecab


class KoreanTokenizer(Mecab):
    """Splits Korean text into the words of mecab-ko-dic (extra ``ko``)."""

    name = "ko-mecab"

    def __init__(self) -> None:
        super().__init__("mecab_ko", "mecab_ko_dic", n_entries=811795)
        self.signature = f"ko-mecab-{self.version}-KO"
