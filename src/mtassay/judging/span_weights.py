"""Scores of outputs from the errors marked in them: minus the sum of weights by severity and category.

A rule is ``SEVERITY[/CATEGORY[/SUBCATEGORY]]=WEIGHT``; ``*`` is any severity. The most specific rule counts: the one
with the longest category, and between rules with the same category, the one that names the severity.

- ``mqm``: the weights of Freitag et al. 2021, "Experts, errors, and context", as the releases of the WMT metrics task
  use them: minor 1, major 5, non-translation 25, minor punctuation .1; since WMT23 errors of the source and creative
  reinterpretation count 0. Critical errors, which those releases do not have, count 25 as in GEMBA-MQM (Kocmi &
  Federmann 2023).
- ``esa``: by severity only, as in the analyses of Kocmi et al. 2024, "Error Span Annotation": 1, 5 and 25.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.campaign_checks import SEVERITIES
from mtassay.data.judgements import Scores
from mtassay.errors import InputError, each_of, unknown_name

if TYPE_CHECKING:
    from mtassay.data.error_spans import ErrorSpans
    from mtassay.types import Floats

    Weights = str | Sequence[str] | Mapping[str, float]

ANY = "*"
_ESA = {"minor": 1.0, "major": 5.0, "critical": 25.0}
WEIGHTS: dict[str, dict[str, float]] = {
    "mqm": {
        **_ESA,
        "major/non-translation!": 25.0,
        "major/non-translation": 25.0,
        "minor/fluency/punctuation": 0.1,
        f"{ANY}/source issue": 0.0,
        f"{ANY}/accuracy/creative reinterpretation": 0.0,
    },
    "esa": _ESA,
}
USUAL = "mqm"
#: Largest weight; keeps sums of any errors finite.
_LARGEST = 1e9


@dataclass(frozen=True)
class SpanWeights:
    """Weights of errors.

    Attributes:
        name: name of the weights in reports.
        rules: weights by severity and category.

    >>> weights = span_weights("mqm")
    >>> weights.of("minor", "fluency/grammar"), weights.of("minor", "Fluency/Punctuation")
    (1.0, 0.1)
    """

    name: str
    rules: Mapping[str, float]
    _known: dict[tuple[str, str], float] = field(default_factory=dict, repr=False, compare=False)

    def of(self, severity: str, category: str) -> float:
        """The weight of an error."""
        weight = self._known.get((severity, category))
        if weight is None:
            weight = self._known[severity, category] = self._found(severity, category)
        return weight

    def _found(self, severity: str, category: str) -> float:
        parts = category.lower().split("/") if category else []
        for n_parts in range(len(parts), -1, -1):
            for wanted in (severity, ANY):
                rule = "/".join([wanted, *parts[:n_parts]])
                if rule in self.rules:
                    return self.rules[rule]
        raise InputError(f"the span weights {self.name} have no weight for {severity} errors: add {severity}=WEIGHT")

    def sums(self, spans: ErrorSpans) -> Floats:
        """Sum of the weights of each row, added in the order of the spans, shape (rows,)."""
        weights = [self.of(span.severity, span.category) for errors in spans.spans for span in errors]
        rows = np.repeat(np.arange(len(spans)), [len(errors) for errors in spans.spans])
        return np.bincount(rows, np.array(weights, dtype=np.float64), len(spans)).astype(np.float64, copy=False)


def span_weights(given: Weights) -> SpanWeights:
    """Weights from their name, from rules as text, or from rules as a mapping.

    Args:
        given: ``mqm`` or ``esa``; a list of rules such as ``["minor=1", "major=10"]``, which may begin with a name
            (``["mqm", "critical=10"]``); or rules as a mapping, ``{"minor": 1, "major": 10}``.

    >>> span_weights(["esa", "critical=10"]).of("critical", "")
    10.0
    """
    if isinstance(given, Mapping):
        rules = {_rule(name): _weight(name, weight) for name, weight in given.items()}
        return SpanWeights(_named(rules), rules)
    texts = [given] if isinstance(given, str) else list(each_of(given, "span weights", such_as="['mqm', 'major=4']"))
    first = texts[0] if texts else ""
    if "=" not in first:
        if first not in WEIGHTS:
            raise InputError(unknown_name("span weights", first, (*WEIGHTS, "SEVERITY=WEIGHT")))
        base, texts = dict(WEIGHTS[first]), texts[1:]
    else:
        base, first = {}, ""
    own: dict[str, float] = {}
    for text in texts:
        name, equals, weight = text.rpartition("=")
        if not equals:
            raise InputError(f"span weights: '{text}' is not a rule such as major=5 or minor/fluency/punctuation=.1")
        rule = _rule(name)
        if rule in own:
            raise InputError(f"span weights: '{rule}' is given twice")
        own[rule] = _weight(name, weight)
    return SpanWeights(" ".join(filter(None, (first, _named(own)))), base | own)


def span_scores(spans: ErrorSpans, weights: Weights | None = None) -> Scores:
    """Scores of outputs, higher is better.

    Args:
        spans: the errors.
        weights: see `span_weights`. By default the judges' overall scores if there are any, else the weights ``mqm``.
    """
    scored = ~np.isnan(spans.score)
    if weights is None and scored.any():
        if not scored.all():
            row = int(np.flatnonzero(~scored)[0])
            raise InputError(
                f"{spans.systems[spans.system[row]]}, segment {spans.segments[spans.segment[row]]} has spans but no "
                "score, and other outputs have scores: score by spans with --span-weights (span_weights=)"
            )
        score, aspect = spans.score, "score"
    else:
        chosen = span_weights(USUAL if weights is None else weights)
        score, aspect = -chosen.sums(spans), f"error spans (weights {chosen.name})"
    return Scores(
        spans.systems,
        spans.segments,
        spans.judges,
        spans.segment,
        spans.judge,
        system=spans.system,
        score=score,
        aspect=aspect,
        item=spans.item,
        hit=spans.hit,
        ignored=spans.ignored,
    )


def _rule(name: str) -> str:
    """A rule in lower case, checked."""
    severity, slash, category = name.strip().lower().partition("/")
    if severity not in (*SEVERITIES, ANY):
        raise InputError(f"span weights: {unknown_name('severity', severity, (*SEVERITIES, ANY))}")
    if slash and not all(category.split("/")):
        raise InputError(f"span weights: '{name}' has an empty category")
    return f"{severity}{slash}{category}"


def _weight(name: str, weight: object) -> float:
    try:
        value = float(weight)  # type: ignore[arg-type] # other types are an error below
    except (TypeError, ValueError):
        value = math.nan
    if isinstance(weight, bool) or not 0 <= value <= _LARGEST:
        raise InputError(
            f"span weights: '{name}' has the weight {str(weight)!r}; it must be a number from 0 to {_LARGEST:g}"
        )
    return value


def _named(rules: Mapping[str, float]) -> str:
    return " ".join(f"{rule}={weight:g}" for rule, weight in rules.items())
