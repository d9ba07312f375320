"""Semantic frames: a predicate and the spans of words that fill its roles.

Positions count from 0, and a span ends before ``end``, so that ``words[span.start : span.end]`` are its words. Labels
are PropBank's in CoNLL's short form: ``A0``, ``AM-TMP``, ``C-A1`` (the rest of a split filler), ``R-A0``.
"""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Words from ``start`` to before ``end``."""

    start: int
    end: int


class Role(NamedTuple):
    """A role and the words that fill it."""

    label: str
    span: Span


class Frame(NamedTuple):
    """A predicate and its roles.

    Attributes:
        predicate: the words of the predicate, mostly one ("took off" may be two).
        sense: the predicate's base form or sense, such as ``take.01``; '' if it is not known.
        roles: the roles, ordered by position; the predicate itself is not a role.
    """

    predicate: Span
    sense: str = ""
    roles: tuple[Role, ...] = ()


def short_label(label: str) -> str:
    """A role's label as CoNLL 2005 writes it.

    >>> [short_label(label) for label in ("ARG0", "ARGM-TMP", "C-ARG1", "A2", "TMP", "AM-LOC")]
    ['A0', 'AM-TMP', 'C-A1', 'A2', 'TMP', 'AM-LOC']
    """
    prefix, label = (label[:2], label[2:]) if label[:2] in {"C-", "R-"} else ("", label)
    if label.startswith("ARGM-"):
        label = "AM-" + label.removeprefix("ARGM-")
    elif label.startswith("ARG") and len(label) > 3:
        label = "A" + label.removeprefix("ARG")
    return prefix + label
