"""mtassay: evaluation of machine translation, with evidence.

>>> import mtassay
>>> result = mtassay.score([["the cat sat on a mat"]], {"a": ["the cat sat on the mat"]}, metrics=["bleu", "chrf"])
>>> round(result["a", "bleu"], 1)
53.7

Everything is loaded on first use, so importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtassay._version import __version__

if TYPE_CHECKING:
    from mtassay.data import TestSet, load
    from mtassay.errors import InputError, MissingExtraError, MtassayError, SpecError
    from mtassay.metaeval.evaluate import evaluate_metrics
    from mtassay.metrics.alignment import align
    from mtassay.metrics.functions import segment_metric
    from mtassay.metrics.score import score
    from mtassay.metrics.spec import parse as metric
    from mtassay.ranking.annotator_agreement import agreement
    from mtassay.ranking.humans import humans
    from mtassay.ranking.rank import rank
    from mtassay.resampling.compare import compare

_PUBLIC = {
    "InputError": "mtassay.errors:InputError",
    "MissingExtraError": "mtassay.errors:MissingExtraError",
    "MtassayError": "mtassay.errors:MtassayError",
    "SpecError": "mtassay.errors:SpecError",
    "TestSet": "mtassay.data:TestSet",
    "agreement": "mtassay.ranking.annotator_agreement:agreement",
    "align": "mtassay.metrics.alignment:align",
    "compare": "mtassay.resampling.compare:compare",
    "evaluate_metrics": "mtassay.metaeval.evaluate:evaluate_metrics",
    "humans": "mtassay.ranking.humans:humans",
    "load": "mtassay.data:load",
    "metric": "mtassay.metrics.spec:parse",
    "rank": "mtassay.ranking.rank:rank",
    "score": "mtassay.metrics.score:score",
    "segment_metric": "mtassay.metrics.functions:segment_metric",
}

__all__ = [
    "InputError",
    "MissingExtraError",
    "MtassayError",
    "SpecError",
    "TestSet",
    "__version__",
    "agreement",
    "align",
    "compare",
    "evaluate_metrics",
    "humans",
    "load",
    "metric",
    "rank",
    "score",
    "segment_metric",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'mtassay' has no attribute {name!r}")
    module, _, attribute = _PUBLIC[name].partition(":")
    found = getattr(import_module(module), attribute)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
