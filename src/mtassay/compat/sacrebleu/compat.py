"""The functions: one call from texts to a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.compat.sacrebleu.metrics import BLEU, CHRF, TER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.compat.sacrebleu.metrics import BLEUScore, CHRFScore, TERScore
    from mtassay.compat.sacrebleu.metrics.base import Streams


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Streams,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
) -> BLEUScore:
    """BLEU of a corpus.

    Args:
        hypotheses: one text per segment.
        references: reference streams, each with one text (or None) per segment.
        smooth_method: ``exp``, ``floor``, ``add-k`` or ``none``.
        smooth_value: value for ``floor`` and ``add-k``; None is the default.
        force: do not warn about texts that look tokenised.
        lowercase: ignore case.
        tokenize: name of a tokenizer.
        use_effective_order: leave out n-gram lengths that do not occur.
    """
    metric = BLEU(
        lowercase=lowercase,
        force=force,
        tokenize=tokenize,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        effective_order=use_effective_order,
    )
    return metric.corpus_score(hypotheses, references)


def raw_corpus_bleu(
    hypotheses: Sequence[str], references: Streams, smooth_value: float | None = BLEU.SMOOTH_DEFAULTS["floor"]
) -> BLEUScore:
    """BLEU of tokenised texts, with ``floor`` smoothing and the effective order."""
    return corpus_bleu(
        hypotheses,
        references,
        smooth_method="floor",
        smooth_value=smooth_value,
        force=True,
        tokenize="none",
        use_effective_order=True,
    )


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    """BLEU of one segment; arguments as for ``corpus_bleu``."""
    metric = BLEU(
        lowercase=lowercase,
        tokenize=tokenize,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        effective_order=use_effective_order,
    )
    return metric.sentence_score(hypothesis, references)


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Streams,
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """ChrF of a corpus.

    Args:
        hypotheses: one text per segment.
        references: reference streams, each with one text (or None) per segment.
        char_order: largest length of character n-grams.
        word_order: largest length of word n-grams; 2 is chrF++.
        beta: weight of recall.
        remove_whitespace: leave white space out of character n-grams.
        eps_smoothing: smooth by epsilon, not by the effective order.
    """
    metric = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    return metric.corpus_score(hypotheses, references)


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """ChrF of one segment; arguments as for ``corpus_chrf``."""
    metric = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    return metric.sentence_score(hypothesis, references)


def corpus_ter(
    hypotheses: Sequence[str],
    references: Streams,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """TER of a corpus.

    Args:
        hypotheses: one text per segment.
        references: reference streams, each with one text (or None) per segment.
        normalized: normalise and tokenise as tercom does.
        no_punct: remove punctuation.
        asian_support: split Chinese and Japanese characters.
        case_sensitive: keep case.
    """
    return TER(normalized, no_punct, asian_support, case_sensitive).corpus_score(hypotheses, references)


def sentence_ter(
    hypothesis: str,
    references: Sequence[str],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """TER of one segment; arguments as for ``corpus_ter``."""
    return TER(normalized, no_punct, asian_support, case_sensitive).sentence_score(hypothesis, references)
