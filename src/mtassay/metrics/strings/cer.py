"""CER, the character error rate.

    CER = (substitutions + insertions + deletions) / reference length, in characters

The edits are those of WER, on code points. White space at both ends of a text does not count; inside a text every
character of white space counts, or none with ``whitespace=no``.

Options, several references and empty texts: see ``mtassay.metrics.strings.error_rate``.

Statistics: ``substitutions insertions deletions ref_len``, as for WER.

Equal to jiwer, except for empty references, where jiwer gives the number of characters of the hypothesis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mtassay.kernels import Tokens
from mtassay.kernels.encoding import codepoints
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.strings.wer import EditRate

if TYPE_CHECKING:
    from mtassay.metrics.core.references import References, Texts


@dataclass(frozen=True)
class Cer(EditRate):
    """Character error rate.

    >>> Cer().corpus_score(["a bad cat"], [["a bed rat"]])
    0.2222222222222222
    """

    name: ClassVar[str] = "cer"

    whitespace: bool = option(True, "count white space inside texts")

    def encode(self, references: References, texts: Texts) -> Tokens:
        """Code points."""
        del references
        return texts.remember(
            ("stripped codepoints", self.case, self.whitespace),
            lambda: Tokens(
                *codepoints([text.strip() for text in texts.strings], case=self.case, keep_whitespace=self.whitespace)
            ),
        )

    def signature_entries(self) -> list[Entry]:
        """Letter case, white space, and whether the score is an error or an accuracy."""
        case, as_ = super().signature_entries()
        return [case, Entry("space", "s", "yes" if self.whitespace else "no"), as_]
