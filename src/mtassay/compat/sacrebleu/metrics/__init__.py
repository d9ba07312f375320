"""The metrics and their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.compat.sacrebleu.metrics.bleu import BLEU, BLEUScore
from mtassay.compat.sacrebleu.metrics.chrf import CHRF, CHRFScore
from mtassay.compat.sacrebleu.metrics.ter import TER, TERScore

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.compat.sacrebleu.metrics.base import Metric

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore"]

METRICS: dict[str, Callable[..., Metric[Any]]] = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}
