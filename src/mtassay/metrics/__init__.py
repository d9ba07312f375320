"""Metrics: the core (Metric, Scorer, StatsTable), the specification language, and one file per family."""

from mtassay.metrics.base import Metric, Scorer
from mtassay.metrics.references import References, Texts
from mtassay.metrics.registry import metric_names
from mtassay.metrics.signature import Signature
from mtassay.metrics.spec import parse
from mtassay.metrics.table import StatsTable, build_tables

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
