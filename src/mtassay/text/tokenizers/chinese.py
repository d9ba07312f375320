"""sacreBLEU's tokenizer for Chinese: every Chinese character is a token, the rest is split as by 13a."""

from __future__ import annotations

import re

from mtassay.text.tokenizers.mteval_13a import split_western

CHINESE = (
    # Parity: sacreBLEU intends U+20000-U+2A6D6 and U+2F800-U+2FA1D here, but writes them so that they cover the two
    # ranges below. So rare ideographs do not count as Chinese, but dashes, arrows and currency signs do.
    (0x2001, 0x2A6D),
    (0x2F81, 0x2FA1),
    (0x2E80, 0x2EFF),  # radicals
    (0x2F00, 0x2FDF),
    (0x2FF0, 0x303F),  # description characters and punctuation
    (0x3100, 0x312F),  # phonetic signs
    (0x31A0, 0x31BF),
    (0x31C0, 0x31EF),  # strokes
    (0x3200, 0x33FF),  # enclosed and squared signs
    (0x3400, 0x4DB5),  # ideographs
    (0x4E00, 0x9FBB),
    (0xF900, 0xFA2D),
    (0xFA30, 0xFA6A),
    (0xFA70, 0xFAD9),
    (0xFE10, 0xFE1F),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFFEF),  # full-width and half-width forms
)
"""First and last code point of the ranges that count as Chinese."""

_CHINESE = re.compile("([" + "".join(f"{chr(first)}-{chr(last)}" for first, last in CHINESE) + "])")


class ChineseTokenizer:
    """Separates every Chinese character, and ASCII punctuation as 13a does.

    >>> ChineseTokenizer()("我有2.5公斤rice。")
    ['我', '有', '2.5', '公', '斤', 'rice', '。']
    """

    name = "zh"
    signature = "zh"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        # Parity: sacreBLEU adds no spaces around the line, unlike in 13a: "5." at the end stays one token.
        return split_western(_CHINESE.sub(r" \1 ", line.strip()))
