"""The text normalisation of tercom, as sacreBLEU does it and as tercom itself does it.

Both lower-case texts first, which is not done here. They differ in details that matter in a few segments:

- tercom drops ``<skipped>`` and joins words hyphenated at a line end; sacreBLEU looks for the hyphen after the
  line end.
- tercom separates runs of hiragana and katakana; sacreBLEU's patterns for them never match.
- tercom splits at ASCII white space only, and removes control characters at both ends of a segment.
- If removing punctuation leaves a space at the start of a segment, or an empty segment, tercom counts an empty word.
"""

from __future__ import annotations

import re

#: Characters that Java's ``trim`` removes at both ends.
_TRIMMED = "".join(map(chr, range(0x21)))
_ASCII_SPACE = re.compile(r"\s+", re.ASCII)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_WESTERN = (
    (re.compile(r"([ -&(-+/:-@\[-`{-~])"), r" \1 "),
    (re.compile(r"'s "), " 's "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_PUNCTUATION = re.compile(r'[.,?:;!"()]')
_ASIAN_MARKS = (
    r"\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
    r"\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
)
_ASIAN_PUNCTUATION = re.compile(f"[{_ASIAN_MARKS}]")
# Ideographs, strokes, radicals, and compatibility forms.
_CJK = r"\u4e00-\u9fff\u3400-\u4dbf\u31c0-\u31ef\u2e80-\u2eff\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f"
# Parity: in sacreBLEU, the block of enclosed letters and months (3200-32FF) ends at 3F22.
_CJK_SACREBLEU = re.compile(rf"([{_CJK}\u3200-\u3f22{_ASIAN_MARKS}])")
_CJK_TERCOM = re.compile(rf"([{_CJK}\u3200-\u32ff])")
_KANA = re.compile(r"([\u3040-\u309f]+|[\u30a0-\u30ff]+|[\u31f0-\u31ff]+)")
_MARKS_TERCOM = re.compile(f"([{_ASIAN_MARKS}])")


def normalise(text: str, *, normalised: bool, punctuation: bool, asian: bool) -> str:
    """Do what sacreBLEU's tercom tokenizer does after lower-casing; the words are separated by single spaces.

    Args:
        text: one segment.
        normalised: resolve entities and separate punctuation.
        punctuation: keep punctuation; otherwise it is removed.
        asian: also separate ideographs (if normalised) and remove Asian punctuation (if not kept).

    >>> normalise("he said: &quot;3.5%&quot;.", normalised=True, punctuation=True, asian=False)
    'he said : " 3.5 % " .'
    >>> normalise("he said: no.", normalised=False, punctuation=False, asian=False)
    'he said no'
    >>> normalise("機械 翻訳。", normalised=True, punctuation=True, asian=True)
    '機 械 翻 訳 。'
    """
    if normalised:
        # Parity: sacreBLEU looks for the hyphen at the start of the next line.
        text = _separate(text.replace("\n-", ""))
        if asian:
            text = _CJK_SACREBLEU.sub(r" \1 ", text)
    if not punctuation:
        text = _remove_punctuation(text, asian)
    return " ".join(text.split())


def tercom_words(text: str, *, normalised: bool, punctuation: bool, asian: bool) -> list[str]:
    """Return the words that tercom sees after lower-casing; the arguments are those of `normalise`.

    >>> tercom_words('" yes " , he said', normalised=True, punctuation=False, asian=False)
    ['', 'yes', 'he', 'said']
    """
    text = text.strip(_TRIMMED)
    if not text:
        return []
    if normalised:
        text = _separate(text.replace("<skipped>", "").replace("-\n", ""))
        if asian:
            for pattern in (_CJK_TERCOM, _KANA, _MARKS_TERCOM):
                text = pattern.sub(r" \1 ", text)
        text = text.strip(" \t\n\r\f\v")
    if not punctuation:
        text = _remove_punctuation(text, asian)
    # Parity: in tercom, Java's split keeps an empty word at the start and none at the end, but one empty word for a
    # text that has become empty.
    words = _ASCII_SPACE.split(text)
    while words and not words[-1] and text:
        words.pop()
    return words


def split_at_ascii_space(text: str) -> list[str]:
    r"""Split as Java's ``\s`` does.

    >>> split_at_ascii_space(" a\xa0b  c")
    ['a\xa0b', 'c']
    """
    return [word for word in _ASCII_SPACE.split(text) if word]


def _separate(text: str) -> str:
    text = text.replace("\n", " ")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    text = f" {text} "
    for pattern, replacement in _WESTERN:
        text = pattern.sub(replacement, text)
    return text


def _remove_punctuation(text: str, asian: bool) -> str:
    text = _PUNCTUATION.sub("", text)
    return _ASIAN_PUNCTUATION.sub("", text) if asian else text
