"""Whether the rows of a campaign that was read are those of a campaign: SQLite keeps any value in any column."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

    from mtassay.data.campaigns import Answer, Campaign

_KINDS = frozenset({"", "repeat", "degraded", "reference", "training"})
_ASPECTS = ("adequacy", "fluency")


def check_campaign(campaign: Campaign, protocols: Collection[str]) -> None:
    """Raise ValueError, which says what is wrong, for rows that no campaign of these protocols has."""
    _need(all(isinstance(value, str) for value in campaign.meta.values()), "a property of the campaign is not a text")
    _need(campaign.protocol in protocols, f"its protocol is {campaign.protocol!r}")
    _need(_are_options(campaign.options, campaign.protocol), "its options cannot be read")
    _need(all(isinstance(row.judge, str) for row in campaign.judges), "the name of a judge is not a text")
    _need(all(map(_is_whole, (number for task in campaign.tasks for number in task))), "a task is not of numbers")
    for number, answer in enumerate(campaign.log, 1):
        _need(_is_row(answer), f"answer {number} or its screen has values of other types")
        is_known = _is_payload(answer.payload, campaign.protocol, n_outputs=len(answer.screen.outputs))
        _need(is_known, f"answer {number} is not one of the protocol {campaign.protocol}")


def _are_options(options: Any, protocol: str) -> bool:
    """Whether options have what readers of answers need."""
    if not isinstance(options, dict):
        return False
    pair, aspect = options.get("language_pair"), options.get("aspect")
    return (pair is None or isinstance(pair, str)) and (protocol != "da" or isinstance(aspect, str))


def _is_row(answer: Answer) -> bool:
    """Whether all but the payload has the right types."""
    screen = answer.screen
    outputs = screen.outputs
    return (
        _is_whole(screen.segment)
        and screen.segment > 0
        and screen.kind in _KINDS
        and bool(outputs)
        and all(isinstance(output.text, str) for output in outputs)
        and (screen.kind == "training" or all(output.systems for output in outputs))  # training is of no system
        and all(isinstance(system, str) for output in outputs for system in output.systems)
        and _is_whole(answer.revision)
        and all(map(_is_number, (answer.shown_at, answer.submitted_at)))
        and (answer.active_ms is None or _is_whole(answer.active_ms))
    )


def _is_payload(payload: Any, protocol: str, *, n_outputs: int) -> bool:
    """Whether an answer has what its protocol asks for."""
    if not isinstance(payload, dict):
        return False
    if "skip" in payload:
        return isinstance(payload["skip"], str)
    if protocol == "rank":
        ranks = payload.get("ranks")
        return (
            isinstance(ranks, list) and len(ranks) == n_outputs and all(_is_whole(rank) and rank > 0 for rank in ranks)
        )
    if protocol == "pair":
        return n_outputs == 2 and _is_whole(payload.get("outcome")) and payload["outcome"] in (-1, 0, 1)
    if protocol == "likert":
        return all(_is_whole(payload.get(aspect)) for aspect in _ASPECTS)
    spans = payload.get("spans", [])
    has_spans = isinstance(spans, list) and all(isinstance(span, dict) for span in spans)
    return _is_number(payload.get("score")) and has_spans and ("spans" in payload or protocol == "da")


def _is_whole(value: object) -> bool:
    return type(value) is int and abs(value) < 1 << 53


def _is_number(value: object) -> bool:
    return _is_whole(value) or (type(value) is float and math.isfinite(value))


def _need(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)
