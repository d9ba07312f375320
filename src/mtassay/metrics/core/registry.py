"""Names of metrics and their classes.

A name maps to a dotted string ``module:Class`` that is imported on use. Third parties add metrics by the same
mechanism: an entry point in the group ``mtassay.metrics`` whose value names a subclass of ``Metric``.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from mtassay.errors import SpecError, did_you_mean, unknown_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from mtassay.metrics.core.metric import Metric

ENTRY_POINTS = "mtassay.metrics"

BUILT_IN = {
    "bleu": "mtassay.metrics.strings.bleu:Bleu",
    "nist": "mtassay.metrics.strings.nist:Nist",
    "chrf": "mtassay.metrics.strings.chrf:Chrf",
    "chrf+": "mtassay.metrics.strings.chrf:Chrf",
    "chrf++": "mtassay.metrics.strings.chrf:Chrf",
    "meteor": "mtassay.metrics.meteor.metric:Meteor",
    "ter": "mtassay.metrics.strings.ter:Ter",
    "wer": "mtassay.metrics.strings.wer:Wer",
    "cer": "mtassay.metrics.strings.cer:Cer",
    "mer": "mtassay.metrics.strings.mer:Mer",
    "wil": "mtassay.metrics.strings.mer:Wil",
    "wip": "mtassay.metrics.strings.mer:Wil",
    "per": "mtassay.metrics.strings.per:Per",
    "cder": "mtassay.metrics.strings.cder:Cder",
    "character": "mtassay.metrics.strings.character:CharacTer",
    "eed": "mtassay.metrics.strings.eed:Eed",
    "gleu": "mtassay.metrics.strings.gleu:Gleu",
    "ribes": "mtassay.metrics.strings.ribes:Ribes",
    "gtm": "mtassay.metrics.strings.gtm:Gtm",
    "lepor": "mtassay.metrics.strings.lepor:Lepor",
    "nlepor": "mtassay.metrics.strings.lepor:Nlepor",
    "hlepor": "mtassay.metrics.strings.lepor:Hlepor",
    "rouge1": "mtassay.metrics.strings.rouge:RougeN",
    "rouge2": "mtassay.metrics.strings.rouge:RougeN",
    "rouge3": "mtassay.metrics.strings.rouge:RougeN",
    "rouge4": "mtassay.metrics.strings.rouge:RougeN",
    "rougeL": "mtassay.metrics.strings.rouge:RougeL",
    "rougeLsum": "mtassay.metrics.strings.rouge_summary:RougeLsum",
    "rougeW": "mtassay.metrics.strings.rouge:RougeW",
    "rougeS": "mtassay.metrics.strings.rouge:RougeS",
    "rougeSU": "mtassay.metrics.strings.rouge:RougeS",
    "hwcm": "mtassay.metrics.linguistic.hwcm:Hwcm",
    "stm": "mtassay.metrics.linguistic.stm:Stm",
    "sempos": "mtassay.metrics.linguistic.sempos:Sempos",
    "hjerson": "mtassay.metrics.linguistic.hjerson:Hjerson",
    "addicter": "mtassay.metrics.linguistic.addicter:Addicter",
    "depref-exact": "mtassay.metrics.linguistic.depref:DeprefExact",
    "depref-align": "mtassay.metrics.linguistic.depref:DeprefAlign",
    "act": "mtassay.metrics.linguistic.act:Act",
    "length_ratio": "mtassay.metrics.strings.length_ratio:LengthRatio",
    "exact": "mtassay.metrics.strings.exact:Exact",
    "meant": "mtassay.metrics.linguistic.meant:Meant",
    "umeant": "mtassay.metrics.linguistic.meant:Umeant",
    "cross": "mtassay.metrics.core.cross:Cross",
    "file": "mtassay.metrics.external.file:FileMetric",
    "comet": "mtassay.metrics.neural.comet:Comet",
    "cometkiwi": "mtassay.metrics.neural.comet:Comet",
    "xcomet": "mtassay.metrics.neural.xcomet:Xcomet",
    "bertscore": "mtassay.metrics.neural.bertscore:BertScore",
    "metricx": "mtassay.metrics.neural.metricx:MetricX",
    "metricx-qe": "mtassay.metrics.neural.metricx:MetricX",
    "bleurt": "mtassay.metrics.neural.bleurt:Bleurt",
    "learned": "mtassay.learn.metric:Learned",
    "terrorcat": "mtassay.learn.terrorcat:TerrorCat",
}


def metric_names() -> list[str]:
    """All names of metrics, except the codes of the BLEU family.

    >>> "chrf++" in metric_names()
    True
    """
    return [*BUILT_IN, *sorted(_third_party())]


def metric_class(name: str) -> type[Metric]:
    """The class behind a name.

    >>> metric_class("RAC1").__name__
    'Bleu'
    """
    if name in BUILT_IN:
        return _load(BUILT_IN[name])
    from mtassay.metrics.strings.bleu import CODE, Bleu

    if CODE.fullmatch(name):
        return Bleu
    if name in _third_party():
        return _load(_third_party()[name].value)
    raise SpecError(unknown_name("metric", name, (), see="mtassay score --list-metrics", hint=_hint(name)))


def spelled_alike(name: str) -> str | None:
    """The metric whose name differs from `name` only in case and hyphens.

    >>> spelled_alike("ROUGE-L"), spelled_alike("bleu-ter")
    ('rougeL', None)
    """
    from mtassay.metrics.strings.bleu import CODE

    known = [*metric_names(), name.upper()] if CODE.fullmatch(name.upper()) else metric_names()
    return next((other for other in known if _plain(other) == _plain(name)), None)


def _plain(name: str) -> str:
    return name.lower().replace("-", "")


def _hint(name: str) -> str:
    """A suggestion for an unknown name."""
    plain = _plain(name)
    if alike := spelled_alike(name):
        return f"; did you mean '{alike}'?"
    if order := re.fullmatch(r"rouge([1-9][0-9]?)", plain):
        return f"; did you mean 'rouge1:n={order[1]}'?"
    if gap := re.fullmatch(r"rouge(su?)([0-9]+)", plain):
        return f"; did you mean 'rouge{gap[1].upper()}:gap={gap[2]}'?"
    family = [other for other in metric_names() if plain and _plain(other).startswith(plain)]
    if len(family) > 1:
        return f"; there are: {', '.join(family)}"
    return did_you_mean(name, metric_names()) or did_you_mean(name.lower(), metric_names())


@cache
def _third_party() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINTS) if point.name not in BUILT_IN}


@cache
def package_of(metric: type[Metric], name: str) -> str | None:
    """Name and version of the package whose entry point `name` is the class; None for metrics of mtassay.

    The packages are looked up only for a class that is defined elsewhere.
    """
    if metric.__module__.startswith("mtassay."):
        return None
    point = _third_party().get(name)
    if point is None or point.dist is None or _load(point.value) is not metric:
        return None
    return f"{point.dist.name}-{point.dist.version}"


@cache
def _load(dotted: str) -> type[Metric]:
    from mtassay.metrics.core.metric import Metric

    module, _, attribute = dotted.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise SpecError(f"the metric {dotted} cannot be loaded: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Metric)):
        raise SpecError(f"{dotted} is registered as a metric, but is not a subclass of mtassay.metrics.Metric")
    return found
