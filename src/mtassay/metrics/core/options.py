"""Options of a metric, declared once: name, kind, default, allowed values, description, other spellings.

A metric is a frozen dataclass whose fields are made by ``option``. The specification language, the signature, the
command line and the documentation all read these declarations.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from mtassay.errors import SpecError, unknown_name
from mtassay.text import CASES, tokenizer_signature

if TYPE_CHECKING:
    from collections.abc import Callable

_YES = frozenset({"yes", "true", "on", "1"})
_NO = frozenset({"no", "false", "off", "0"})
#: Largest value of options that are weights.
LARGEST_WEIGHT = 1e9


def option(
    default: Any,
    description: str,
    *,
    choices: tuple[str, ...] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    aliases: tuple[str, ...] = (),
    kind: type | None = None,
    check: Callable[[Any], object] | None = None,
) -> Any:
    """Declare an option of a metric.

    Args:
        default: the default value; None if it depends on other options.
        description: one line for ``--list-metrics`` and the documentation.
        choices: the allowed values; empty if any value is allowed.
        minimum: the smallest allowed number.
        maximum: the largest allowed number.
        aliases: other names, such as sacreBLEU's.
        kind: bool, int, float or str; by default the type of `default`.
        check: called with the value; raises an error if the value cannot be used.
    """
    declaration = {
        "description": description,
        "choices": choices,
        "minimum": minimum,
        "maximum": maximum,
        "aliases": aliases,
        "kind": kind or type(default),
        "check": check,
    }
    return dataclasses.field(default=default, metadata=declaration)


def tok_option(default: str = "13a", description: str = "tokenizer") -> Any:
    """Declare the option ``tok``; an unknown or missing tokenizer is reported before any work."""
    return option(default, description, aliases=("tokenize",), check=tokenizer_signature)


def case_option(default: str | None = "mixed", description: str = "letter case") -> Any:
    """Declare the option ``case``; None if the default depends on other options."""
    return option(default, description, kind=str, choices=CASES, aliases=("lowercase",))


def written(field: dataclasses.Field[Any]) -> str:
    """The name of an option in specifications; a field named like a Python keyword has a trailing underscore.

    >>> @dataclasses.dataclass
    ... class Example:
    ...     as_: str = option("error", "what is given")
    >>> [written(field) for field in dataclasses.fields(Example)]
    ['as']
    """
    return field.name.removesuffix("_")


def yes_or_no(value: object) -> bool | None:
    """Parse a word for yes or no, in any letter case; None if it is neither.

    >>> yes_or_no("On"), yes_or_no("false"), yes_or_no(1), yes_or_no("smooth")
    (True, False, True, None)
    """
    word = str(value).lower()
    return word in _YES if word in _YES | _NO else None


def convert(metric_name: str, field: dataclasses.Field[Any], value: object) -> Any:
    """Convert the user's value to the option's type, or raise an error.

    Args:
        metric_name: for the message.
        field: the declaration.
        value: a string from a specification, or a Python value.
    """
    kind: Any = field.metadata["kind"]
    if value is None and field.default is None:
        return None
    if kind is bool:
        converted: Any = yes_or_no(value)
    elif kind in (int, float):
        converted = _number(kind, value)
    else:
        converted = show(value)
    choices = field.metadata["choices"]
    if {"yes", "no"}.issubset(choices) and (meant := yes_or_no(value)) is not None:
        converted = show(meant)
    if choices and converted not in choices:
        raise SpecError(f"{metric_name}: {unknown_name('value of ' + written(field), value, choices)}")
    if converted is None:
        wanted = {bool: "'yes' or 'no'", int: "a whole number", float: "a number"}[kind]
        raise SpecError(f"{metric_name}: {written(field)} must be {wanted}, not {value!r}")
    minimum = field.metadata["minimum"]
    if minimum is not None and converted < minimum:
        raise SpecError(f"{metric_name}: {written(field)} must be at least {minimum:g}, not {converted:g}")
    maximum = field.metadata["maximum"]
    if maximum is not None and converted > maximum:
        raise SpecError(f"{metric_name}: {written(field)} must be at most {maximum:g}, not {converted:g}")
    check = field.metadata["check"]
    if check is not None:
        check(converted)
    return converted


def _number(kind: type, value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    if not math.isfinite(number) or (kind is int and number != int(number)):
        return None
    return kind(number)  # type: ignore[no-any-return]


def parse_weights(metric_name: str, text: str, *, most: int = 99) -> tuple[float, ...]:
    """Parse an option with one weight per n-gram length; at least one weight must be above 0.

    Args:
        metric_name: for the message.
        text: numbers separated by slashes.
        most: largest number of weights.

    >>> parse_weights("nlepor", "4/3/0")
    (4.0, 3.0, 0.0)
    """
    wrong = f"{metric_name}: weights must be numbers such as 1/1 or 4/3/2/1, not {text!r}"
    try:
        numbers = tuple(float(word) for word in text.split("/"))
    except ValueError:
        raise SpecError(wrong) from None
    if len(numbers) > most or not all(0 <= number <= LARGEST_WEIGHT for number in numbers):
        raise SpecError(f"{wrong} (at most {most}, from 0 to {LARGEST_WEIGHT:g})")
    if sum(numbers) == 0:
        raise SpecError(f"{metric_name}: weights cannot all be 0")
    return numbers


def show(value: object) -> str:
    """Write a value as a specification does.

    >>> show(True), show(0.5), show(2.0), show("intl")
    ('yes', '0.5', '2', 'intl')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)


def quoted(text: str) -> str:
    """A value as written in a specification: quoted if it would be misread, with inner quotes doubled.

    >>> print(quoted("scores.tsv"), quoted("a,b.tsv"), quoted('5" 2*x'))
    scores.tsv "a,b.tsv" "5"" 2*x"
    """
    if text and text == text.strip() and not set(text) & set(',"*'):
        return text
    return '"' + text.replace('"', '""') + '"'
