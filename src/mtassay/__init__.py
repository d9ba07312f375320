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
    from mtassay.metrics.core.spec import parse as metric
    from mtassay.metrics.external.functions import segment_metric
    from mtassay.verbs.agreement import agreement
    from mtassay.verbs.align import align
    from mtassay.verbs.compare import compare
    from mtassay.verbs.humans import humans
    from mtassay.verbs.metaeval.verb import metaeval
    from mtassay.verbs.rank import rank
    from mtassay.verbs.score import score

_PUBLIC = {
    "InputError": "mtassay.errors:InputError",
    "MissingExtraError": "mtassay.errors:MissingExtraError",
    "MtassayError": "mtassay.errors:MtassayError",
    "SpecError": "mtassay.errors:SpecError",
    "TestSet": "mtassay.data:TestSet",
    "agreement": "mtassay.verbs.agreement:agreement",
    "align": "mtassay.verbs.align:align",
    "compare": "mtassay.verbs.compare:compare",
    "metaeval": "mtassay.verbs.metaeval.verb:metaeval",
    "humans": "mtassay.verbs.humans:humans",
    "load": "mtassay.data:load",
    "metric": "mtassay.metrics.core.spec:parse",
    "rank": "mtassay.verbs.rank:rank",
    "score": "mtassay.verbs.score:score",
    "segment_metric": "mtassay.metrics.external.functions:segment_metric",
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
    "humans",
    "load",
    "metaeval",
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
