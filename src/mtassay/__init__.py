"""mtassay: evaluation of machine translation, with evidence.

>>> import mtassay
>>> result = mtassay.score([["the cat sat on a mat"]], {"a": ["the cat sat on the mat"]}, metrics=["bleu", "chrf"])
>>> round(result["a", "bleu"], 1)
53.7

Modules are imported on first use, so importing the package is fast.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mtassay import collect as judge
    from mtassay import learn
    from mtassay.collect.report_serving import serve
    from mtassay.data import TestSet, load, load_judgements
    from mtassay.errors import InputError, MissingExtraError, MtassayError, SpecError
    from mtassay.execution import Execution
    from mtassay.execution.cluster import Cluster
    from mtassay.metrics.core.spec import parse as metric
    from mtassay.metrics.external.functions import segment_metric
    from mtassay.tuning.rerank import rerank
    from mtassay.verbs.agreement import agreement
    from mtassay.verbs.agreement_of_tests import compare_tests
    from mtassay.verbs.align import align
    from mtassay.verbs.analyse import analyse
    from mtassay.verbs.annotate import annotate
    from mtassay.verbs.compare import compare
    from mtassay.verbs.compare_files import compare_files, rank_files
    from mtassay.verbs.conclusions import conclusions
    from mtassay.verbs.configured import configured
    from mtassay.verbs.diff import diff
    from mtassay.verbs.humans import humans
    from mtassay.verbs.mbr import mbr
    from mtassay.verbs.metaeval.verb import metaeval
    from mtassay.verbs.power import power
    from mtassay.verbs.rank import rank
    from mtassay.verbs.report import report
    from mtassay.verbs.score import score
    from mtassay.verbs.score_files import score_files
    from mtassay.verbs.tune import tune
    from mtassay.verbs.tune_decoder import tune_decoder
    from mtassay.verbs.tune_objectives import tune_objectives

__version__ = "0.3.0"

#: The module of each public name, as for `lazy_names`.
_PUBLIC = {
    "Cluster": "mtassay.execution.cluster:Cluster",
    "Execution": "mtassay.execution:Execution",
    "InputError": "mtassay.errors:InputError",
    "MissingExtraError": "mtassay.errors:MissingExtraError",
    "MtassayError": "mtassay.errors:MtassayError",
    "SpecError": "mtassay.errors:SpecError",
    "TestSet": "mtassay.data:TestSet",
    "agreement": "mtassay.verbs.agreement:agreement",
    "align": "mtassay.verbs.align:align",
    "analyse": "mtassay.verbs.analyse:analyse",
    "annotate": "mtassay.verbs.annotate:annotate",
    "compare": "mtassay.verbs.compare:compare",
    "compare_files": "mtassay.verbs.compare_files:compare_files",
    "compare_tests": "mtassay.verbs.agreement_of_tests:compare_tests",
    "conclusions": "mtassay.verbs.conclusions:conclusions",
    "configured": "mtassay.verbs.configured:configured",
    "diff": "mtassay.verbs.diff:diff",
    "humans": "mtassay.verbs.humans:humans",
    "judge": "mtassay.collect:",
    "learn": "mtassay.learn:",
    "load": "mtassay.data:load",
    "load_judgements": "mtassay.data:load_judgements",
    "mbr": "mtassay.verbs.mbr:mbr",
    "metaeval": "mtassay.verbs.metaeval.verb:metaeval",
    "metric": "mtassay.metrics.core.spec:parse",
    "power": "mtassay.verbs.power:power",
    "rank": "mtassay.verbs.rank:rank",
    "rank_files": "mtassay.verbs.compare_files:rank_files",
    "report": "mtassay.report:",
    "rerank": "mtassay.tuning.rerank:rerank",
    "score": "mtassay.verbs.score:score",
    "score_files": "mtassay.verbs.score_files:score_files",
    "segment_metric": "mtassay.metrics.external.functions:segment_metric",
    "serve": "mtassay.collect.report_serving:serve",
    "tune": "mtassay.verbs.tune:tune",
    "tune_decoder": "mtassay.verbs.tune_decoder:tune_decoder",
    "tune_objectives": "mtassay.verbs.tune_objectives:tune_objectives",
}

__all__ = [
    "Cluster",
    "Execution",
    "InputError",
    "MissingExtraError",
    "MtassayError",
    "SpecError",
    "TestSet",
    "__version__",
    "agreement",
    "align",
    "analyse",
    "annotate",
    "compare",
    "compare_files",
    "compare_tests",
    "conclusions",
    "configured",
    "diff",
    "humans",
    "judge",
    "learn",
    "load",
    "load_judgements",
    "mbr",
    "metaeval",
    "metric",
    "power",
    "rank",
    "rank_files",
    "report",
    "rerank",
    "score",
    "score_files",
    "segment_metric",
    "serve",
    "tune",
    "tune_decoder",
    "tune_objectives",
]


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose names are imported on first use.

    Args:
        package: the package.
        homes: for each name the module that defines it; ``module:attribute`` if it has another name there, ``module:``
            for the module itself.
    """

    def load_name(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, colon, attribute = homes[name].partition(":")
        found: Any = import_module(module)
        if attribute or not colon:
            found = getattr(found, attribute or name)
        setattr(sys.modules[package], name, found)
        return found

    return load_name


__getattr__ = lazy_names(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted(__all__)
