"""Metrics: the core (Metric, Scorer, StatsTable), the specification language, and one file per family."""

from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.references import References, Texts
from mtassay.metrics.core.registry import metric_names
from mtassay.metrics.core.signature import Signature
from mtassay.metrics.core.spec import parse
from mtassay.metrics.core.table import StatsTable, build_tables

__all__ = [
    "Metric",
    "References",
    "Scorer",
    "Signature",
    "StatsTable",
    "Texts",
    "build_tables",
    "metric_names",
    "parse",
]
