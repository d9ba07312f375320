"""The options of a campaign, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from mtassay.collect.protocols import CATEGORIES, WEIGHTS, Protocol, find_protocol
from mtassay.data.testset import check_name
from mtassay.errors import InputError, each_of, unknown_name
from mtassay.judging.span_weights import span_weights

if TYPE_CHECKING:
    from mtassay.data.testset import TestSet
    from mtassay.judging.span_weights import Weights

ASPECTS = ("adequacy", "fluency")
ASSIGNMENTS = ("pool", "personal")
SHOWN = ("source", "reference")
#: Default and largest share of screens of rankings and pairs that are repeats.
_SHARE_REPEATED, _MOST_REPEATED = 0.1, 0.5
#: Largest number of judges, tasks or screens.
_MOST = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Choices:
    """The options that pages, export and the methods paragraph need; stored with the campaign."""

    protocol: str
    language_pair: str | None
    segments: int | None
    sample: str
    max_words: int | None
    judges_per_task: int
    task_size: int
    controls: bool
    repeats: float
    training: int
    shows: tuple[str, ...]
    aspect: str | None
    assignment: str
    lease: float
    tasks_per_judge: int | None
    weights: dict[str, float]
    categories: tuple[str, ...]
    systems: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The options as plain values, as stored in the campaign."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def check_count(value: int, what: str, *, least: int = 1) -> int:
    """Reject anything but a whole number from `least` that people can do and memory can hold."""
    if type(value) is not int or not least <= value <= _MOST:
        raise InputError(f"the number of {what} must be a whole number from {least} to {_MOST:,}, not {value!r}")
    return value


def check_assignment(assignment: str) -> str:
    """Reject an unknown way of assigning tasks."""
    if assignment not in ASSIGNMENTS:
        raise InputError(unknown_name("assignment", assignment, ASSIGNMENTS))
    return assignment


def check_stored_name(name: object, what: str) -> None:
    """Reject a name that a campaign cannot store or a page cannot show."""
    check_name(name, what)
    if any("\ud800" <= c <= "\udfff" for c in str(name)):
        raise InputError(f"the {what} name {name!r} is not valid UTF-8; rename it")


def check_duration(value: float, what: str) -> float:
    """Reject anything but a number above 0 of minutes or seconds that people can work or wait."""
    if type(value) not in (int, float) or not 0 < value <= _MOST:
        raise InputError(f"the {what} must be a number above 0, up to {_MOST:,}, not {value!r}")
    return value


def check_instructions(text: object) -> None:
    """Reject instructions that a campaign cannot store."""
    if not isinstance(text, str) or any("\ud800" <= c <= "\udfff" for c in text):
        raise InputError("the instructions must be a text in valid UTF-8")


def check_categories(kind: Protocol, categories: Sequence[str] | None) -> tuple[str, ...]:
    """The error categories of mqm; none for other protocols. A page must be able to show each of them, once."""
    if kind.name != "mqm":
        if categories is not None:
            raise InputError(f"error categories are for mqm, not for the protocol {kind.name}")
        return ()
    categories = CATEGORIES if categories is None else tuple(each_of(categories, "categories", such_as="['style']"))
    for category in categories:
        check_stored_name(category, "category")
    if len(set(categories)) < len(categories):
        raise InputError("an error category is given twice")
    return categories


def check_controls(kind: Protocol, controls: bool | None) -> bool:
    """Whether tasks have control items; the protocol's default if None is given."""
    if controls is not None and type(controls) is not bool:
        raise InputError(f"controls must be True or False, not {controls!r}")
    if controls and kind.compares:
        raise InputError(f"control items are for scores; the protocol {kind.name} has repeats (repeats=)")
    return kind.controls if controls is None else controls


def check_repeats(kind: Protocol, repeats: float | None) -> float:
    """The share of repeated screens; the protocol's default if None is given."""
    if repeats is None:
        return _SHARE_REPEATED if kind.compares else 0.0
    if not kind.compares:
        raise InputError(f"the share of repeats is for rank and pair; {kind.name} has control items (controls=)")
    if type(repeats) not in (int, float) or not 0 <= repeats <= _MOST_REPEATED:
        raise InputError(f"the share of repeated screens must be from 0 to {_MOST_REPEATED}, not {repeats!r}")
    return repeats


def check_shows(kind: Protocol, show: Sequence[str] | None, aspect: str | None, testset: TestSet) -> tuple[str, ...]:
    """The texts to show beside outputs; the test set must have them."""
    there = [one for one in SHOWN if one == "reference" or testset.sources is not None]
    if show is None:
        wanted = () if aspect == "fluency" else kind.shows
        return tuple(one for one in wanted if one in there) or (() if aspect == "fluency" else ("reference",))
    wanted = tuple(each_of(show, "show", such_as="['source']"))
    for one in wanted:
        if one not in there:
            raise InputError(f"{unknown_name('text to show', one, there)}: the test set has no such texts")
    return tuple(one for one in SHOWN if one in wanted)


def check_aspect(kind: Protocol, aspect: str | None) -> str | None:
    """What direct assessment asks for; None for other protocols."""
    if kind.name != "da":
        if aspect is not None:
            raise InputError(f"the aspect is for direct assessment, not for the protocol {kind.name}")
        return None
    if aspect is not None and aspect not in ASPECTS:
        raise InputError(unknown_name("aspect", aspect, ASPECTS))
    return aspect or "adequacy"


def check_weights(kind: Protocol, weights: Weights | None) -> dict[str, float]:
    """Weights of the severities of mqm; none for other protocols."""
    if weights is None:
        return {one: WEIGHTS[one] for one in kind.severities} if kind.name == "mqm" else {}
    rules = span_weights(weights).rules if kind.name == "mqm" else {}
    if kind.name != "mqm" or set(rules) != set(kind.severities):
        raise InputError(f"weights are for mqm, one for each of {', '.join(find_protocol('mqm').severities)}")
    return dict(rules)
