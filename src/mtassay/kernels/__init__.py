"""The hot loops. Each exists twice: readable Python here, and compiled in ``mtassay._native``.

The choice between them is made once, in this file: the compiled one where the installation could build it, else Python.
``MTASSAY_KERNELS=python`` or ``native`` forces one. Both give the same numbers (``tests/equivalence``).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError
from mtassay.kernels.tokens import Counts, Index, Offsets, Tokens, Values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.kernels.meteor import PhraseTable, WordFacts

__all__ = [
    "CASES",
    "CLIPPED",
    "HYPOTHESIS",
    "LEPOR_VARIANTS",
    "MOST_THREADS",
    "REFERENCE",
    "SKIP_UNIGRAMS",
    "TER_VARIANTS",
    "Tokens",
    "Vocabulary",
    "backend",
    "cder_edits",
    "check_threads",
    "chosen_sums",
    "codepoints",
    "encode",
    "gtm_sizes",
    "interval_totals",
    "lcs_lengths",
    "lepor_matches",
    "meteor_statistics",
    "meteor_trace",
    "ngram_matches",
    "nist_matches",
    "nist_weights",
    "resample_counts",
    "skip_bigram_matches",
    "ter_edits",
    "ter_trace",
    "trueskill_plays",
    "upper_envelopes",
    "wlcs_sizes",
    "word_edits",
]

#: Letter case of a text before anything else is done: as it is, Python's ``str.lower``, or A–Z only (mteval's default).
CASES = {"mixed": 0, "lower": 1, "ascii": 2}
#: Ways of counting matched n-grams, see ``mtassay.kernels.ngrams``.
CLIPPED, HYPOTHESIS, REFERENCE = 0, 1, 2
#: Rules of the alignment, see ``mtassay.kernels.lepor``.
LEPOR_VARIANTS = {"paper": 0, "hlepor-py": 1}
#: Rules of the shift search, see ``mtassay.kernels.ter``.
TER_VARIANTS = {"sacrebleu": 0, "tercom": 1, "moses": 2}
#: Single words that count along with skip-bigrams, see ``mtassay.kernels.rouge``.
SKIP_UNIGRAMS = {"none": 0, "all": 1, "all but last": 2}
#: More would only fill memory; machines have fewer cores.
MOST_THREADS = 1024
#: Tokenizers that the compiled kernels have; others are run in Python first.
_COMPILED_TOKENIZERS = frozenset({"none", "ascii-space", "13a", "intl", "zh", "char", "chrf", "rouge"})


def _choose() -> tuple[str, Any]:
    wanted = os.environ.get("MTASSAY_KERNELS", "")
    if wanted not in {"", "python", "native"}:
        raise InputError(f"MTASSAY_KERNELS is {wanted!r}: it can be 'python' or 'native'")
    if wanted != "python":
        try:
            from mtassay import _native
        except ImportError as error:
            if wanted == "native":
                raise InputError(
                    "MTASSAY_KERNELS=native, but this installation has no compiled kernels: "
                    "install a C++ compiler and reinstall mtassay"
                ) from error
        else:
            return "native", _native
    from mtassay.kernels import _python

    return "python", _python


_name, _kernels = _choose()
Vocabulary = _kernels.Vocabulary


def backend() -> str:
    """Which kernels are in use: ``'native'`` or ``'python'``."""
    return _name


def check_threads(threads: int) -> int:
    """Return how many threads to use; 0 asks for all cores."""
    if type(threads) is not int or not 0 <= threads <= MOST_THREADS:
        raise InputError(f"threads must be a whole number from 0 (all cores) to {MOST_THREADS}, not {threads!r}")
    return threads or os.cpu_count() or 1


def encode(texts: Sequence[str], tokenizer: str, *, case: str, vocabulary: Any) -> Tokens:
    """Lower-case, tokenise and intern texts.

    >>> vocabulary = Vocabulary()
    >>> tokens = encode(["The cat, the mat."], "13a", case="lower", vocabulary=vocabulary)
    >>> [vocabulary.word(i) for i in tokens.ids.tolist()]
    ['the', 'cat', ',', 'the', 'mat', '.']
    """
    letter_case = CASES[case]
    if _name == "native" and tokenizer not in _COMPILED_TOKENIZERS:
        from mtassay.text import get_tokenizer, lowercase

        tokenise = get_tokenizer(tokenizer)
        texts = [" ".join(tokenise(lowercase(text, case))) for text in texts]
        tokenizer, letter_case = "none", CASES["mixed"]
    return Tokens(*_kernels.encode(texts, tokenizer, letter_case, vocabulary))


def codepoints(texts: Sequence[str], *, case: str, keep_whitespace: bool) -> Tokens:
    """Code points of texts as ids.

    >>> codepoints(["a b"], case="mixed", keep_whitespace=False).ids.tolist()
    [97, 98]
    """
    return Tokens(*_kernels.codepoints(texts, CASES[case], keep_whitespace))


def lepor_matches(
    hypotheses: Tokens,
    references: Tokens,
    *,
    hyp_index: Index,
    ref_index: Index,
    context: int,
    variant: str,
    threads: int = 1,
) -> Counts:
    """Align the words of pairs; see ``mtassay.kernels.lepor.lepor_matches``."""
    result: Counts = _kernels.lepor_matches(
        *hypotheses, *references, hyp_index, ref_index, context, LEPOR_VARIANTS[variant], threads
    )
    return result


def ngram_matches(
    hypotheses: Tokens,
    references: Tokens,
    *,
    group_offsets: Offsets,
    hyp_index: Index,
    group_index: Index,
    order: int,
    counting: int = CLIPPED,
    threads: int = 1,
) -> Counts:
    """Count matched n-grams of pairs; see ``mtassay.kernels.ngrams.ngram_matches``."""
    result: Counts = _kernels.ngram_matches(
        *hypotheses, *references, group_offsets, hyp_index, group_index, order, counting, threads
    )
    return result


def upper_envelopes(slopes: Values, intercepts: Values, *, offsets: Offsets) -> tuple[Index, Values, Offsets]:
    """Lines that are on top somewhere, by segment; see ``mtassay.kernels.envelopes.upper_envelopes``."""
    result: tuple[Index, Values, Offsets] = _kernels.upper_envelopes(slopes, intercepts, offsets)
    return result


def word_edits(
    hypotheses: Tokens, references: Tokens, *, hyp_index: Index, ref_index: Index, threads: int = 1
) -> Counts:
    """Count substitutions, insertions and deletions of pairs; see ``mtassay.kernels.edits.word_edits``."""
    result: Counts = _kernels.word_edits(*hypotheses, *references, hyp_index, ref_index, threads)
    return result


def cder_edits(
    hypotheses: Tokens, references: Tokens, *, hyp_index: Index, ref_index: Index, threads: int = 1
) -> Counts:
    """Count the edits of pairs where blocks may be moved; see ``mtassay.kernels.edits.cder_edits``."""
    result: Counts = _kernels.cder_edits(*hypotheses, *references, hyp_index, ref_index, threads)
    return result


def nist_weights(references: Tokens, *, order: int, zero: int = -1) -> Any:
    """Information of the n-grams of references; see ``mtassay.kernels.nist.nist_weights``."""
    return _kernels.nist_weights(*references, order, zero)


def nist_matches(
    hypotheses: Tokens,
    references: Tokens,
    weights: Any,
    *,
    group_offsets: Offsets,
    hyp_index: Index,
    group_index: Index,
    threads: int = 1,
) -> Any:
    """Add the weights of matched n-grams of pairs; see ``mtassay.kernels.nist.nist_matches``."""
    order = weights.shape[1]
    return _kernels.nist_matches(
        *hypotheses, *references, weights, group_offsets, hyp_index, group_index, order, threads
    )


def gtm_sizes(
    hypotheses: Tokens,
    references: Tokens,
    *,
    group_offsets: Offsets,
    hyp_index: Index,
    group_index: Index,
    exponent: float,
    threads: int = 1,
) -> Values:
    """Match sizes of pairs; see ``mtassay.kernels.gtm.gtm_sizes``."""
    result: Values = _kernels.gtm_sizes(
        *hypotheses, *references, group_offsets, hyp_index, group_index, exponent, threads
    )
    return result


def interval_totals(candidates: Index, lefts: Values, starts: Offsets, *, statistics: Any) -> tuple[Values, Any]:
    """Totals of the winners between thresholds; see ``mtassay.kernels.envelopes.interval_totals``."""
    result: tuple[Values, Any] = _kernels.interval_totals(candidates, lefts, starts, statistics)
    return result


def lcs_lengths(
    hypotheses: Tokens, references: Tokens, *, hyp_index: Index, ref_index: Index, threads: int = 1
) -> Counts:
    """Longest common subsequences of pairs; see ``mtassay.kernels.rouge.lcs_lengths``."""
    result: Counts = _kernels.lcs_lengths(*hypotheses, *references, hyp_index, ref_index, threads)
    return result


def chosen_sums(values: Any, bits: Any) -> Any:
    """Add up chosen units; see ``mtassay.kernels.resampling.chosen_sums``."""
    return _kernels.chosen_sums(values, bits)


def resample_counts(n_units: int, n_draws: int, *, state: int) -> Any:
    """Draw units with replacement; see ``mtassay.kernels.resampling.resample_counts``."""
    return _kernels.resample_counts(n_units, n_draws, state)


def skip_bigram_matches(
    hypotheses: Tokens,
    references: Tokens,
    *,
    hyp_index: Index,
    ref_index: Index,
    gap: int,
    unigrams: str,
    threads: int = 1,
) -> Counts:
    """Matched skip-bigrams of pairs; see ``mtassay.kernels.rouge.skip_bigram_matches``."""
    result: Counts = _kernels.skip_bigram_matches(
        *hypotheses, *references, hyp_index, ref_index, gap, SKIP_UNIGRAMS[unigrams], threads
    )
    return result


def wlcs_sizes(
    hypotheses: Tokens, references: Tokens, *, hyp_index: Index, ref_index: Index, weight: float, threads: int = 1
) -> Values:
    """Weighted longest common subsequences of pairs; see ``mtassay.kernels.rouge.wlcs_sizes``."""
    result: Values = _kernels.wlcs_sizes(*hypotheses, *references, hyp_index, ref_index, weight, threads)
    return result


def meteor_statistics(
    hypotheses: Tokens,
    references: Tokens,
    *,
    hyp_index: Index,
    ref_index: Index,
    facts: WordFacts,
    phrases: PhraseTable,
    threads: int = 1,
) -> Counts:
    """Align pairs and count what matches; see ``mtassay.kernels.meteor.meteor_statistics``."""
    result: Counts = _kernels.meteor_statistics(*hypotheses, *references, hyp_index, ref_index, facts, phrases, threads)
    return result


def meteor_trace(
    hypothesis: Any, reference: Any, *, facts: WordFacts, phrases: PhraseTable
) -> list[tuple[int, int, int, int, int]]:
    """Matches of one pair; see ``mtassay.kernels.meteor.meteor_trace``."""
    result: list[tuple[int, int, int, int, int]] = _kernels.meteor_trace(hypothesis, reference, facts, phrases)
    return result


def ter_edits(
    hypotheses: Tokens, references: Tokens, *, hyp_index: Index, ref_index: Index, variant: str, threads: int = 1
) -> Counts:
    """Count the edits of pairs; see ``mtassay.kernels.ter.ter_edits``."""
    result: Counts = _kernels.ter_edits(*hypotheses, *references, hyp_index, ref_index, TER_VARIANTS[variant], threads)
    return result


def ter_trace(hypothesis: Any, reference: Any, *, variant: str) -> tuple[str, list[tuple[int, int, int]], list[int]]:
    """Edits and shifts of one pair; see ``mtassay.kernels.ter.ter_trace``."""
    result: tuple[str, list[tuple[int, int, int]], list[int]] = _kernels.ter_trace(
        hypothesis, reference, TER_VARIANTS[variant]
    )
    return result


def trueskill_plays(
    mu: Any, variance: Any, numbers: Any, *, won: Any, drawn: Any, met: Any, beta: float, margin: float
) -> tuple[Any, Any]:
    """Means and variances of skills after plays; see ``mtassay.kernels.trueskill.trueskill_plays``."""
    result: tuple[Any, Any] = _kernels.trueskill_plays(mu, variance, numbers, won, drawn, met, beta, margin)
    return result
