"""Smoothing rules of BLEU's shares of matched n-grams.

``exp floor add-k none`` are sacreBLEU's rules, ``mteval`` and ``moses`` those of these tools; ``add`` adds k to all
counts. ``nltk4`` to ``nltk7`` are ``method4`` to ``method7`` of NLTK's ``SmoothingFunction`` (Chen and Cherry 2014, "A
systematic comparison of smoothing techniques for sentence-level BLEU"), where an order without n-grams has 0 matches
of 1:

    nltk4   the i-th order without a match counts ln(hypothesis length) / (2^i · k) matches
    nltk5   x'_n = (x'_(n-1) + x_n + x_(n+1)) / 3, with x'_0 = x_1 + 1; needs n-grams one longer than the longest
    nltk6   from trigrams on, x'_n = (matches + k · x'_(n-1)² / x'_(n-2)) / (n-grams + k)
    nltk7   nltk4, then nltk5
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mtassay.types import Floats

_NLTK = frozenset({"nltk4", "nltk5", "nltk6", "nltk7"})


def smoothed_ratios(
    matched: Any, total: Any, rule: str, *, k: float, hyp_len: Any, order: int, whole: float
) -> tuple[Floats, Any]:
    """Smoothed whole · matched/total for every order.

    Args:
        matched: number of matches, shape (..., order), or (..., order + 1) if the rule needs the next order.
        total: number of n-grams, of the same shape.
        rule: name of the smoothing rule.
        k: the constant of the rule.
        hyp_len: length of the hypothesis, shape (...).
        order: number of orders.
        whole: 1, or 100 for percentages.

    Returns:
        The ratios (0 if an order has no n-grams), and whether the order has n-grams, each of shape (..., order).
    """
    if rule in _NLTK:
        ratios = _nltk(matched, total, rule, k=k, hyp_len=hyp_len, order=order)
        return whole * ratios, total[..., :order] > 0
    matched, total = matched[..., :order].copy(), total[..., :order].copy()
    if rule == "add-k":  # Parity: sacreBLEU, from bigrams on
        matched[..., 1:] += k
        total[..., 1:] += k
    elif rule in {"add", "moses"}:
        added = k if rule == "add" else 1.0
        matched += added
        total += added
    present = total > 0
    zero = present & (matched == 0)
    if rule in {"exp", "mteval"}:
        matched = np.where(zero, 0.5 ** np.cumsum(zero, axis=-1), matched)
    elif rule == "floor":
        matched = np.where(zero, k, matched)
    ratios = np.divide(whole * matched, total, out=np.zeros_like(total), where=present)
    if rule == "mteval":  # Parity: mteval, an order without n-grams counts 1
        ratios = np.where(present, ratios, whole)
    return ratios, present


def _nltk(matched: Any, total: Any, rule: str, *, k: float, hyp_len: Any, order: int) -> Floats:
    counts = np.maximum(total, 1.0)  # Parity: NLTK, an order without n-grams is 0 of 1
    ratios: Floats = matched / counts
    if rule in {"nltk4", "nltk7"}:
        zero = (matched == 0) & (hyp_len > 1)[..., None]
        zero[..., order:] = False
        logs = np.log(np.maximum(hyp_len, 1.0))[..., None]
        ratios = np.where(zero, logs * 0.5 ** np.cumsum(zero, axis=-1) / k / counts, ratios)
    if rule == "nltk4":  # Parity: NLTK leaves out shares of 0; only texts of one word still have them here
        ratios = np.where((ratios == 0) & (hyp_len <= 1)[..., None], 1.0, ratios)
    if rule in {"nltk5", "nltk7"}:
        before = ratios[..., 0] + 1.0
        for n in range(order):
            ratios[..., n] = before = (before + ratios[..., n] + ratios[..., n + 1]) / 3.0
    if rule == "nltk6":
        for n in range(2, order):
            earlier, last = ratios[..., n - 2], ratios[..., n - 1]
            prior = np.divide(last**2, earlier, out=np.zeros_like(last), where=earlier > 0)
            below = total[..., n] + k
            ratios[..., n] = np.divide(matched[..., n] + k * prior, below, out=np.zeros_like(last), where=below > 0)
    return ratios[..., :order]
