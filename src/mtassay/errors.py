"""Exceptions for users. Each message is one line: what is wrong, where, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


#: Largest number of characters of a message and of a misspelt word, and of names compared with it.
_LONGEST, _LONGEST_WORD, _MOST_NAMES = 4000, 200, 2000
#: Largest number of names listed in a message.
_MOST_LISTED = 50


class MtassayError(Exception):
    r"""An error in the user's input; the command line prints it and exits with status 2.

    Line breaks in the message are escaped, and the middle of a very long message is left out.

    >>> print(MtassayError("no metric named 'a" + chr(10) + "b'"))
    no metric named 'a\nb'
    """

    def __str__(self) -> str:
        message = super().__str__()
        if len(message) > _LONGEST:
            message = f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 2 :]}"
        if message.isprintable():
            return message
        return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in message)


class InputError(MtassayError, ValueError):
    """A file or a value cannot be used as it is."""


class SpecError(MtassayError, ValueError):
    """A metric specification cannot be understood."""


class MissingExtraError(MtassayError, ImportError):
    """An optional package is not installed.

    >>> str(MissingExtraError("the tokenizer 'moses'", "moses"))
    "the tokenizer 'moses' needs an optional package: pip install 'mtassay[moses]'"
    """

    def __init__(self, wanted_by: str, extra: str, *, otherwise: str = "") -> None:
        also = f" ({otherwise})" if otherwise else ""
        super().__init__(f"{wanted_by} needs an optional package: pip install 'mtassay[{extra}]'{also}")


def at(path: object, line: int | None = None) -> str:
    """Format a place in a file, the same way in every message.

    >>> at("ref.txt", 17)
    'ref.txt, line 17'
    """
    return f"{path}" if line is None else f"{path}, line {line}"


def counted(n: int, noun: str) -> str:
    """A number with thousands separators, and its noun.

    >>> counted(1, "segment"), counted(3000, "segment")
    ('1 segment', '3,000 segments')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def each_of(values: Any, what: str, *, such_as: str) -> Iterator[Any]:
    """The values of an argument that takes several, one by one; a single value is an error.

    Args:
        values: the argument, as any iterable.
        what: its name.
        such_as: an example of what it takes.

    >>> list(each_of(range(1, 3), "sizes", such_as="[100, 200]"))
    [1, 2]
    >>> each_of(100, "sizes", such_as="[100, 200]")
    Traceback (most recent call last):
    mtassay.errors.InputError: sizes must be a list such as [100, 200], not 100
    """
    try:
        # An array without dimensions has __iter__, too, and raises here.
        found: Iterator[Any] | None = None if isinstance(values, str | bytes) else iter(values)
    except TypeError:
        found = None
    if found is None:
        raise InputError(f"{what} must be a list such as {such_as}, not {values!r}")
    return found


def unknown_name(kind: str, name: object, known: Iterable[str], *, see: str = "", hint: str | None = None) -> str:
    """Return the message for an unknown name, worded the same way for every kind of thing.

    Args:
        kind: the kind of thing, such as ``metric``.
        name: the unknown name.
        known: the names that exist.
        see: where the names are listed, if they are too many for a message.
        hint: replaces the hint of ``did_you_mean``.

    >>> unknown_name("metric", "bleuu", ["bleu", "chrf"])
    "no metric named 'bleuu'; did you mean 'bleu'? (known: bleu, chrf)"
    >>> unknown_name("feature", "xyz", ["bleu"], see="docs/learn-features.md")
    "no feature named 'xyz' (docs/learn-features.md)"
    """
    return f"no {kind} named '{name}'{among(name, known, see=see, hint=hint)}"


def among(name: object, known: Iterable[str], *, see: str = "", hint: str | None = None) -> str:
    """Return the end of an ``unknown_name`` message: a suggestion, and the known names; arguments as there."""
    names = [str(one) for one in known]
    listed = ", ".join(names[:_MOST_LISTED]) + (", …" if len(names) > _MOST_LISTED else "")
    hint = did_you_mean(name, names) if hint is None else hint
    return f"{hint} ({see or 'known: ' + (listed or 'none')})"


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return a hint such as ``; did you mean 'bleu'?``, or nothing.

    There is no hint for a known word (it is not misspelt), for anything but text, and for very long words. Only the
    first of very many names are compared.

    >>> did_you_mean("bleuu", ["bleu", "chrf"])
    "; did you mean 'bleu'?"
    >>> did_you_mean("xyz", ["bleu", "chrf"]), did_you_mean("bleu", ["bleu", "bleu2"])
    ('', '')
    """
    from difflib import get_close_matches  # imported here to start fast
    from itertools import islice

    if not isinstance(word, str) or len(word) > _LONGEST_WORD:
        return ""
    close = get_close_matches(word, list(islice(known, _MOST_NAMES)), n=1)
    return f"; did you mean '{close[0]}'?" if close and close[0] != word else ""
