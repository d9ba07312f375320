"""Names of metrics shown side by side."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.metrics.core.metric import Metric


def distinct_names(metrics: Sequence[Metric]) -> list[str]:
    """The label of each metric, or its specification if labels coincide.

    >>> from mtassay.metrics.core.spec import parse
    >>> distinct_names([parse(text) for text in ("bleu", "bleu:tok=intl", "ter")])
    ['bleu', 'bleu:tok=intl', 'TER']
    """
    labels = Counter(metric.label for metric in metrics)
    return [metric.label if labels[metric.label] == 1 else str(metric) for metric in metrics]
