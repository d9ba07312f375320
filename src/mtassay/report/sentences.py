"""What tests allow to say, in sentences.

No sentence says more than the numbers hold: a difference that was not found is no equality, and a claim names the
metric, the largest p-value behind it, and the adjustment.
"""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from mtassay.report.wording import UNITS, number, numbered, percent

if TYPE_CHECKING:
    from mtassay.verbs.power import PairPower, PowerResult


def power_sentences(result: PowerResult, pair: PairPower) -> list[str]:
    """Which difference a test set like the pilot shows, and how large a test set one difference needs."""
    design, curve, unit = result.design, pair.curve, UNITS[result.unit]
    wanted = f"with {percent(design.power)} probability"
    place = int(np.argmin(np.abs(np.array(design.sizes) - pair.n_units)))
    size = numbered(design.sizes[place], unit)
    detectable = float(curve.detectable[place])
    systems = f"between {pair.better} and {pair.worse}"
    if isnan(detectable):
        first = f"With {size} no difference {systems} that their outputs can have would be found {wanted}."
    else:
        first = f"With {size} a difference of {_amount(detectable, pair)} {systems} would be found {wanted}."
    return [first, _needed(result, pair, wanted)]


def _needed(result: PowerResult, pair: PairPower, wanted: str) -> str:
    """How large a test set must be for the difference that was simulated."""
    design, curve, unit = result.design, pair.curve, UNITS[result.unit]
    if curve.difference <= 0:
        return "No difference between their scores was observed."
    amount = _amount(curve.difference, pair)
    true = f"A true difference of {amount}" + ("" if result.difference is not None else ", as observed,")
    short = np.flatnonzero(curve.power < design.power)
    enough = int(short[-1]) + 1 if len(short) else 0
    if enough < len(design.sizes):
        return f"{true} would be found {wanted} in {numbered(design.sizes[enough], unit)} or more."
    most = numbered(design.sizes[-1], unit)
    return f"{true} would be found with {percent(round(float(curve.power[-1]), 2))} probability in {most}."


def _amount(difference: float, pair: PairPower) -> str:
    """A difference in a metric's scores.

    One more decimal than scores have: differences are smaller.
    """
    return f"{number(difference, pair.metric, width=pair.metric.digits + 1)} {pair.metric.label}"
