"""TER, the translation edit rate.

Snover et al. 2006, "A study of translation edit rate with targeted human annotation".

    TER = 100 · (insertions + deletions + substitutions + shifts) / reference length

A shift moves a block of words of the hypothesis and costs one edit; shifts are found greedily before the edit
distance is computed. ``variant=sacrebleu`` (default) follows sacreBLEU, ``variant=tercom`` the original Java program
(0.7.25): they search shifts in different orders and with different beams, so they differ by an edit in a few segments.
``variant=moses`` is the scorer of the Moses tuner: it exchanges the two texts, so that blocks of the reference are
shifted, tries only the first ten shifts of each search, and keeps the letter case.
Several references: the one with the fewest edits counts (the first in a tie); the length is the mean over all.

Statistics: ``insertions deletions substitutions shifts ref_len``.

Empty reference: every hypothesis word is an insertion; the score of such a segment alone is 100, and 0 if the
hypothesis is empty too. Empty hypothesis: every reference word is a deletion, 100.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs
from mtassay.kernels.ter import VARIANTS, ter_edits
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import case_option, option
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry, case_entry
from mtassay.text import lowercase
from mtassay.text.tokenizers.tercom import normalise, tercom_words

if TYPE_CHECKING:
    from mtassay.kernels import Tokens
    from mtassay.types import Floats, Index, Statistics

#: Represents tercom's empty word; a code point that Unicode reserves for internal use.
_EMPTY_WORD = "\ufdd0"


@dataclass(frozen=True)
class Ter(Metric):
    """Translation edit rate."""

    name: ClassVar[str] = "ter"
    aligner: ClassVar[str] = "mtassay.metrics.strings.edit_alignment"
    by_segment: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = False
    label: ClassVar[str] = "TER"
    columns: ClassVar[tuple[str, ...]] = (
        "insertions",
        "deletions",
        "substitutions",
        "shifts",
        "ref_len",
    )

    variant: str = option("sacrebleu", "rules of the shift search", choices=VARIANTS)
    case: str | None = case_option(None, "letter case; by default lower, mixed for variant=moses")
    norm: bool = option(False, "tercom's normalisation and tokenization", aliases=("normalized", "normalised"))
    punct: bool = option(True, "keep punctuation")
    asian: bool = option(False, "split Chinese and Japanese characters", aliases=("asian_support",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.case == self._own_case:
            object.__setattr__(self, "case", None)

    @property
    def _own_case(self) -> str:
        # Parity: Moses, texts are compared unchanged.
        return "mixed" if self.variant == "moses" else "lower"

    @property
    def letter_case(self) -> str:
        """Letter case of the words that are compared.

        >>> Ter().letter_case, Ter(variant="moses").letter_case
        ('lower', 'mixed')
        """
        return self.case or self._own_case

    @property
    def shifts_reference(self) -> bool:
        """Whether blocks of the reference are shifted, not of the hypothesis."""
        return self.variant == "moses"

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Normalise and tokenise the references."""
        return TerScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """Edits over reference length, in per cent."""
        totals = np.asarray(totals, dtype=np.float64)
        edits = totals[..., :4].sum(axis=-1)
        length = totals[..., 4]
        # Parity: sacreBLEU, without reference words the score is 100 if there are edits, else 0.
        result: Floats = 100.0 * np.where(length > 0, edits / np.where(length > 0, length, 1.0), edits > 0)
        return result

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """The five statistics."""
        return {name: np.asarray(totals[..., i], dtype=np.float64) for i, name in enumerate(self.columns)}

    def signature_entries(self) -> list[Entry]:
        """SacreBLEU's entries, and the variant if it is not sacreBLEU's."""
        entries = [
            case_entry(self.letter_case),
            Entry("tok", "t", "tercom"),
            Entry("norm", "nr", "yes" if self.norm else "no"),
            Entry("punct", "pn", "yes" if self.punct else "no"),
            Entry("asian", "as", "yes" if self.asian else "no"),
        ]
        return entries if self.variant == "sacrebleu" else [*entries, Entry("variant", "var", self.variant)]


class TerScorer(Scorer):
    """TER against prepared references; also gives the words and traces that ``mtassay align`` shows."""

    metric: Ter

    def __init__(self, metric: Ter, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references, execution=execution)
        texts = self.references.texts
        if metric.variant == "sacrebleu" and not self._plain:
            # Parity: sacreBLEU normalises references twice; "that's." becomes "that's ." and then "that 's .".
            texts = self._normalised(texts)
        #: The words of the references, as ids.
        self.reference_tokens = self.tokens(texts)

    def tokens(self, texts: Texts) -> Tokens:
        """The words that are compared, as ids."""
        return self.references.encode(texts if self._plain else self._normalised(texts), **self._encoding)

    def word(self, token: int) -> str:
        """The word behind an id."""
        word = self.references.word(token, **self._encoding)
        return "" if word == _EMPTY_WORD else word

    @property
    def _plain(self) -> bool:
        """Whether words are split at any white space, so that tokens can be shared with other metrics."""
        return self.metric.variant != "tercom" and self.metric.punct and not self.metric.norm

    @property
    def _encoding(self) -> dict[str, str]:
        """How (normalised) texts are encoded as ids."""
        if self._plain:
            return {"tokenizer": "none", "case": self.metric.letter_case}
        # Parity: tercom, only ASCII white space separates words.
        return {"tokenizer": "ascii-space" if self.metric.variant == "tercom" else "none", "case": "mixed"}

    def _normalised(self, texts: Texts) -> Texts:
        metric = self.metric
        options = {"normalised": metric.norm, "punctuation": metric.punct, "asian": metric.asian}

        def prepared(text: str) -> str:
            text = lowercase(text, metric.letter_case)
            if metric.variant == "tercom":
                return " ".join(word or _EMPTY_WORD for word in tercom_words(text, **options))
            # Parity: sacreBLEU, any white space at the end is removed before the rules look for a space.
            return normalise(text.rstrip(), **options)

        key = ("tercom", metric.variant, metric.letter_case, *options.values())
        return texts.remember(key, lambda: Texts(prepared(text) for text in texts.strings))

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        pairs = Pairs(self.tokens(texts), self.reference_tokens, hyps, refs)
        edits = ter_edits(pairs, variant=self.metric.variant)[:, :4]
        lengths: Any = self.reference_tokens.lengths
        if len(rows) > len(hyp_index):
            edits = edits[first_best(-edits.sum(axis=1), rows)]
        if self.references.n_references != "1":
            sums = np.add.reduceat(lengths, self.references.group_offsets[:-1])
            lengths = sums / self.references.counts
        return np.column_stack([edits, lengths[segment_index]])
