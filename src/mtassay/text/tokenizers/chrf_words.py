"""The words of chrF+ and chrF++: split at white space, with one punctuation mark separated at the end or the start."""

from __future__ import annotations

from string import punctuation


class ChrfWordTokenizer:
    """Splits words for chrF's word n-grams; other metrics cannot choose this tokenizer.

    >>> ChrfWordTokenizer()('He said "(hi)" !')
    ['He', 'said', '"(hi)', '"', '!']
    """

    name = "chrf"
    signature = "chrf"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        tokens: list[str] = []
        for word in line.split():
            # Parity: sacreBLEU and chrF++.py separate a mark at the start only if there is none at the end.
            if len(word) > 1 and word[-1] in punctuation:
                tokens += [word[:-1], word[-1]]
            elif len(word) > 1 and word[0] in punctuation:
                tokens += [word[0], word[1:]]
            else:
                tokens.append(word)
        return tokens
