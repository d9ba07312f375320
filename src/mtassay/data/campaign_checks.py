"""Checks of what a campaign's file has: it may be damaged, or edited by hand, and no answer may change for that.

Each function raises `InputError`; the reader adds the file and the row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from mtassay.errors import InputError

PROTOCOLS = ("rank", "pair", "da", "likert", "esa", "mqm")
#: Protocols that compare outputs with each other; only their screens can be skipped.
COMPARISONS = ("rank", "pair")
#: Kinds of screens; ordinary outputs have none.
KINDS = ("", "repeat", "degraded", "reference", "training")
N_RANKS = 5
HIGHEST_SCORE = 100
LIKERT_ASPECTS = ("adequacy", "fluency")
#: Severities of errors, from the least to the most severe.
SEVERITIES = ("minor", "major", "critical")
#: Properties that every campaign has.
_PROPERTIES = (
    *("admin_hash", "assignment", "created_at", "instructions", "name", "options", "protocol", "secret", "seed"),
    *("testset_hash", "url", "version"),
)
#: The end of the year 9999, in seconds since 1970: the last time that can be written as a date.
_LAST = 253402300799
#: Largest number, so that squares and sums stay finite; no time, weight or sum of weights is larger.
_LARGEST = 1e15


def check_meta(meta: Mapping[Any, Any]) -> None:
    """Reject properties that are missing, no text, or not what they must be."""
    for name in _PROPERTIES:
        if not isinstance(meta.get(name), str):
            raise InputError(f"the property {name} is {_kind(meta.get(name))}")
    if meta["protocol"] not in PROTOCOLS:
        raise InputError(f"there is no protocol {meta['protocol']!r}")
    try:
        bytes.fromhex(meta["secret"])
    except ValueError:
        raise InputError("the property secret is no hexadecimal number") from None
    options = read_json(meta["options"], dict)
    for name, fits in _OPTIONS.items():
        if name not in options:
            raise InputError(f"the option {name} is missing")
        if not fits(options[name]):
            raise InputError(f"the option {name} is {options[name]!r}")
    if meta["protocol"] == "mqm" and not set(SEVERITIES) <= set(options["weights"]):
        raise InputError(f"the option weights is {options['weights']!r}")


def read_json(text: object, kind: type) -> Any:
    """The value of a JSON text; it must be of a kind."""
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, kind):
        raise InputError(f"no JSON {'object' if kind is dict else 'list'}")
    return found


def check_columns(**columns: tuple[object, Callable[[Any], bool]]) -> None:
    """Reject a value that does not fit its column."""
    for name, (value, fits) in columns.items():
        if not fits(value):
            raise InputError(f"{name} is {value!r}")


def read_payload(text: object, protocol: str, texts: tuple[str, ...]) -> dict[str, Any]:
    """An answer; it must be one that a judge can give.

    Args:
        text: as stored.
        protocol: the protocol.
        texts: the outputs on the screen.
    """
    payload: dict[str, Any] = read_json(text, dict)
    if "skip" in payload:
        fits = protocol in COMPARISONS and is_text(payload["skip"])
    elif protocol == "rank":
        ranks = payload.get("ranks")
        fits = isinstance(ranks, list) and len(ranks) == len(texts) and all(map(_is_rank, ranks))
    elif protocol == "pair":
        fits = len(texts) == 2 and _is_whole(payload.get("outcome"), -1, 1)
    elif protocol == "likert":
        fits = all(_is_rank(payload.get(aspect)) for aspect in LIKERT_ASPECTS)
    else:
        score = payload.get("score")
        fits = _is_number(score) if protocol == "mqm" else _is_whole(score, 0, HIGHEST_SCORE)
        if protocol in ("esa", "mqm"):
            spans = payload.get("spans")
            fits = fits and isinstance(spans, list) and all(_is_span(span, len(texts[0])) for span in spans)
    if not fits:
        raise InputError(f"no answer of the protocol {protocol}")
    return payload


def read_outputs(text: object) -> list[dict[str, Any]]:
    """The outputs of a screen: systems and text of each; those of training screens may be of no system."""
    found: list[Any] = read_json(text, list)
    if not found or not all(_is_output(one) for one in found):
        raise InputError("no outputs of a screen")
    return found


def is_text(value: object) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_kind(value: object) -> bool:
    """Whether a value is the kind of a screen."""
    return value in KINDS


def is_count(value: object) -> bool:
    """Whether a value is a whole number that is not negative."""
    return _is_whole(value, 0, 2**63)


def is_place(value: object) -> bool:
    """Whether a value is a place, counted from 1."""
    return is_count(value) and value != 0


def is_time(value: Any) -> bool:
    """Whether a value is a time in seconds since 1970."""
    return _is_number(value) and 0 <= value <= _LAST


def _is_rank(value: object) -> bool:
    return _is_whole(value, 1, N_RANKS)


def _is_whole(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= _LARGEST


def _is_span(span: object, length: int) -> bool:
    if not isinstance(span, dict):
        return False
    return (
        _is_whole(span.get("end"), 0, length)
        and _is_whole(span.get("start"), 0, span["end"])
        and is_text(span.get("severity"))
        and is_text(span.get("category"))
        and isinstance(span.get("missing", False), bool)
    )


def _is_output(output: object) -> bool:
    return isinstance(output, dict) and is_text(output.get("text")) and _are_texts(output.get("systems"))


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(is_text, value))


def _kind(value: object) -> str:
    return "missing" if value is None else "no text"


def _or_none(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


#: The options that pages, export and the methods paragraph need.
_OPTIONS: dict[str, Callable[[Any], bool]] = {
    "language_pair": _or_none(is_text),
    "segments": _or_none(is_count),
    "sample": lambda value: value in ("random", "document", "length"),
    "max_words": _or_none(is_count),
    "shows": lambda value: value in ([], ["source"], ["reference"], ["source", "reference"]),
    "aspect": _or_none(is_text),
    "assignment": lambda value: value in ("pool", "personal"),
    "lease": lambda value: _is_number(value) and value > 0,
    "tasks_per_judge": _or_none(is_count),
    "weights": lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
    "categories": _are_texts,
    "systems": _are_texts,
}
