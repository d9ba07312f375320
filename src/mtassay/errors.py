"""The exceptions a user can meet. Each message is one line that says what is wrong, where, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


#: Characters of a message, and of a word that is compared with others; names with which it is compared.
_LONGEST, _LONGEST_WORD, _MOST_NAMES = 4000, 200, 2000
#: Names that a message lists.
_MOST_LISTED = 50


class MtassayError(Exception):
    r"""Anything wrong with what the user gave us; the command line prints it and exits with status 2.

    Whatever the user's words contain, the message is one line; of very long ones the middle is left out.

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

    def __init__(self, wanted_by: str, extra: str) -> None:
        super().__init__(f"{wanted_by} needs an optional package: pip install 'mtassay[{extra}]'")


def at(path: object, line: int | None = None) -> str:
    """Name a place in a file as every message does.

    >>> at("ref.txt", 17)
    'ref.txt, line 17'
    """
    return f"{path}" if line is None else f"{path}, line {line}"


def counted(n: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "segment"), counted(2, "segment")
    ('1 segment', '2 segments')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def unknown_name(kind: str, name: object, known: Iterable[str], *, see: str = "", hint: str | None = None) -> str:
    """Return the message for a name that does not exist: the same words for every kind of thing that has a name.

    Args:
        kind: what the name is of, such as ``metric``.
        name: what was given.
        known: the names that exist.
        see: where the names are listed, if they are too many for a message.
        hint: in place of that of ``did_you_mean``.

    >>> unknown_name("metric", "bleuu", ["bleu", "chrf"])
    "no metric named 'bleuu'; did you mean 'bleu'? (known: bleu, chrf)"
    >>> unknown_name("feature", "xyz", ["bleu"], see="docs/learn-features.md")
    "no feature named 'xyz' (docs/learn-features.md)"
    """
    return f"no {kind} named '{name}'{among(name, known, see=see, hint=hint)}"


def among(name: object, known: Iterable[str], *, see: str = "", hint: str | None = None) -> str:
    """Return the end of such a message: what may have been meant, and what there is; arguments as ``unknown_name``."""
    names = [str(one) for one in known]
    listed = ", ".join(names[:_MOST_LISTED]) + (", …" if len(names) > _MOST_LISTED else "")
    hint = did_you_mean(name, names) if hint is None else hint
    return f"{hint} ({see or 'known: ' + (listed or 'none')})"


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return a hint such as ``; did you mean 'bleu'?``, or nothing.

    A word that is known as it stands is not misspelt: what is wrong with it is something else. A word that is no text,
    or very long, has no hint; of very many names only the first are looked at.

    >>> did_you_mean("bleuu", ["bleu", "chrf"])
    "; did you mean 'bleu'?"
    >>> did_you_mean("xyz", ["bleu", "chrf"]), did_you_mean("bleu", ["bleu", "bleu2"])
    ('', '')
    """
    from difflib import get_close_matches  # only where something is wrong: start-up counts
    from itertools import islice

    if not isinstance(word, str) or len(word) > _LONGEST_WORD:
        return ""
    close = get_close_matches(word, list(islice(known, _MOST_NAMES)), n=1)
    return f"; did you mean '{close[0]}'?" if close and close[0] != word else ""
