"""Semantic roles as role labellers write them: CoNLL 2005, CoNLL 2009 and the brackets of ASSERT.

**CoNLL 2005** (``.conll05``): one word per line, a blank line after each segment, columns separated by spaces. The
first column is the word. A later column has the base forms of predicates, and ``-`` for other words; it is followed by
one column of brackets for each predicate: ``(A0*``, ``*``, ``*)``, ``(V*)``. Columns in between (tags, parses, names)
are ignored.

**CoNLL 2009** (``.conll09``): fourteen columns separated by tabs, and one for each predicate. A role is marked on one
word. Its filler is the adjacent words below that word in the dependency tree, or only that word if there are no heads
or if the predicate is among the words below.

**ASSERT** (``.assert``): one predicate per line, ``0: [ARG0 The dog] [TARGET barked ] [ARGM-TMP at night]``. Lines with
the same number belong to one segment; segments are counted from 0, and segments without a line are missing. Without
numbers, each line is a segment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mtassay.data.annotations import DEPENDENCIES, FRAMES, LEMMAS, XPOS, Annotations
from mtassay.data.formats.conllu import Segment, blocks, heads_of
from mtassay.data.frames import Frame, Role, Span, short_label
from mtassay.errors import InputError, at, counted
from mtassay.io.inputs import PathLike, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VERB, _TARGET = "V", "TARGET"
_NONE = "-"
_UNKNOWN = "_"
_FRAMES = frozenset({FRAMES})
#: A cell in a column of roles: the roles that begin at a word, and the brackets of roles that end there.
_CELL = re.compile(r"((?:\([^\s()*]+)*)\*((?:[^\s()*]*\))*)")
_LABEL = re.compile(r"\(([^\s()*]+)")
_N_COLUMNS_2009 = 14
_FORM, _LEMMA, _TAG, _HEAD, _RELATION, _PREDICATE = 1, 2, 4, 8, 10, 13
_NUMBER = re.compile(r"([0-9]{1,9}):(?:\s|$)")
_ASSERT_TOKENS = re.compile(r"\[(?=[A-Z][A-Z0-9-]*\s)[A-Z][A-Z0-9-]*|\]|[^\s\[\]]+|\[")


# CoNLL 2005


def conll05_segments(lines: Sequence[str], path: PathLike) -> list[Segment]:
    """Frames from the lines of a file of CoNLL 2005; `path` names it in messages."""
    return [_of_2005([line.split() for line in block], first, path) for first, block in blocks(lines)]


def _of_2005(rows: list[list[str]], first: int, path: PathLike) -> Segment:
    n_columns = len(rows[0])
    _check_columns(rows, first, path, least=2)
    words = tuple(row[0] for row in rows)
    columns = list(zip(*rows, strict=True))
    targets = [[n for n, cell in enumerate(column) if cell != _NONE] for column in columns]
    spans = [_spans(column) for column in columns]
    place = next(
        (
            place
            for place in range(1, n_columns)
            if len(targets[place]) == n_columns - place - 1 and all(map(_is_of, spans[place + 1 :], targets[place]))
        ),
        None,
    )
    if place is None:
        raise InputError(
            f"{at(shown(path), first)}: no column of predicates is followed by a column of roles for each of them"
        )
    frames = []
    for roles, predicate in zip(spans[place + 1 :], targets[place], strict=True):
        [own] = [role.span for role in roles or () if role.label == _VERB]
        others = tuple(role for role in roles or () if role.label != _VERB)
        frames.append(Frame(own, columns[place][predicate], others))
    return Segment(None, "".join(words), first, Annotations(words=words, frames=tuple(frames), layers=_FRAMES))


def _is_of(roles: list[Role] | None, predicate: int) -> bool:
    """Whether a column of roles is that of a predicate."""
    verbs = [role.span for role in roles or () if role.label == _VERB]
    return len(verbs) == 1 and verbs[0].start <= predicate < verbs[0].end


def _spans(column: Sequence[str]) -> list[Role] | None:
    """Roles of a column, by position; None if it is not a column of brackets that open and close."""
    found: list[Role] = []
    open_: list[tuple[str, int]] = []
    for position, cell in enumerate(column):
        match = _CELL.fullmatch(cell)
        if match is None:
            return None
        open_ += [(label, position) for label in _LABEL.findall(match[1])]
        for _ in range(match[2].count(")")):
            if not open_:
                return None
            label, start = open_.pop()
            found.append(Role(short_label(label), Span(start, position + 1)))
    return None if open_ else sorted(found, key=lambda role: role.span)


# CoNLL 2009


def conll09_segments(lines: Sequence[str], path: PathLike) -> list[Segment]:
    """Annotations from the lines of a file of CoNLL 2009; `path` names it in messages."""
    return [_of_2009([line.split("\t") for line in block], first, path) for first, block in blocks(lines)]


def _of_2009(rows: list[list[str]], first: int, path: PathLike) -> Segment:
    _check_columns(rows, first, path, least=_N_COLUMNS_2009)
    for number, row in enumerate(rows):
        if row[0] != str(number + 1):
            raise InputError(f"{at(shown(path), first + number)}: word {row[0][:20]!r} where {number + 1} is expected")
    predicates = [n for n, row in enumerate(rows) if row[_PREDICATE] != _UNKNOWN]
    n_roles = len(rows[0]) - _N_COLUMNS_2009
    if len(predicates) != n_roles:
        raise InputError(
            f"{at(shown(path), first)}: {counted(len(predicates), 'predicate')}, but "
            f"{counted(n_roles, 'column')} of roles"
        )
    words, lemmas, tags, heads, relations = (
        tuple(_given_or_predicted(row, column) for row in rows) for column in (_FORM, _LEMMA, _TAG, _HEAD, _RELATION)
    )
    numbers = list(range(first, first + len(rows)))
    governors = heads_of(list(heads), numbers, path)
    below = None if governors is None else _words_below(governors)
    frames = tuple(
        Frame(
            Span(predicate, predicate + 1),
            rows[predicate][_PREDICATE],
            tuple(
                Role(short_label(row[_N_COLUMNS_2009 + n]), _filler(word, predicate, below))
                for word, row in enumerate(rows)
                if row[_N_COLUMNS_2009 + n] != _UNKNOWN
            ),
        )
        for n, predicate in enumerate(predicates)
    )
    annotations = Annotations(
        words=words,
        lemmas=lemmas,
        xpos=tags,
        heads=governors,
        relations=None if governors is None else relations,
        frames=frames,
        layers=frozenset({LEMMAS, XPOS, FRAMES} | (set() if governors is None else {DEPENDENCIES})),
    )
    return Segment(None, "".join("".join(words).split()), first, annotations)


def _given_or_predicted(row: list[str], column: int) -> str:
    """The gold value, or else the predicted one in the next column; words have no second column."""
    return row[column] if column == _FORM or row[column] != _UNKNOWN else row[column + 1]


def _words_below(heads: tuple[int, ...]) -> list[set[int]]:
    """For each word, the positions (from 0) of the word itself and of all words below it."""
    below: list[set[int]] = [{word} for word in range(len(heads))]
    for word in range(len(heads)):
        head = heads[word]
        while head:
            below[head - 1].add(word)
            head = heads[head - 1]
    return below


def _filler(word: int, predicate: int, below: list[set[int]] | None) -> Span:
    if below is None or predicate in below[word]:
        return Span(word, word + 1)
    start, end = word, word + 1
    while start - 1 in below[word]:
        start -= 1
    while end in below[word]:
        end += 1
    return Span(start, end)


def _check_columns(rows: list[list[str]], first: int, path: PathLike, *, least: int) -> None:
    for number, row in enumerate(rows, first):
        if len(row) < least:
            raise InputError(f"{at(shown(path), number)}: {counted(len(row), 'column')}; there must be {least} or more")
        if len(row) != len(rows[0]):
            raise InputError(
                f"{at(shown(path), number)}: {counted(len(row), 'column')}, but other words of the segment have "
                f"{len(rows[0])}"
            )


# ASSERT


class _Line(NamedTuple):
    number: int
    segment: int
    words: tuple[str, ...]
    frame: Frame | None


def assert_segments(lines: Sequence[str], path: PathLike) -> list[Segment]:
    """Frames from the lines of ASSERT's output; `path` names it in messages.

    >>> [segment] = assert_segments(["[ARG0 The dog] [TARGET barked ] ."], "a.assert")
    >>> segment.annotations.frames
    (Frame(predicate=Span(start=2, end=3), sense='', roles=(Role(label='A0', span=Span(start=0, end=2)),)),)
    """
    of_segments: dict[int, list[_Line]] = {}
    for line in _assert_lines(lines, path):
        before = of_segments.setdefault(line.segment, [])
        if before and before[0].words != line.words:
            raise InputError(
                f"{at(shown(path), line.number)}: different words than in line {before[0].number}, which has the same "
                "segment number"
            )
        before.append(line)
    if not of_segments:
        return []
    missing = Segment(None, "", 0, Annotations.missing(_FRAMES))
    return [
        _of_assert(of_segments[number]) if number in of_segments else missing for number in range(max(of_segments) + 1)
    ]


def _of_assert(lines: list[_Line]) -> Segment:
    words = lines[0].words
    frames = sorted(line.frame for line in lines if line.frame is not None)
    return Segment(
        None, "".join(words), lines[0].number, Annotations(words=words, frames=tuple(frames), layers=_FRAMES)
    )


def _assert_lines(lines: Sequence[str], path: PathLike) -> Iterator[_Line]:
    numbered = [_NUMBER.match(line) for line in lines]
    last = -1
    for number, (line, match) in enumerate(zip(lines, numbered, strict=True), 1):
        if (match is None) != (numbered[0] is None):
            raise InputError(f"{at(shown(path), number)}: some lines begin with a number, others do not")
        segment = number - 1 if match is None else int(match[1])
        if not last <= segment <= last + len(lines):
            raise InputError(f"{at(shown(path), number)}: segment {segment} follows segment {last}")
        last = segment
        try:
            words, frame = _of_line(line[match.end() :] if match else line)
        except ValueError as error:
            raise InputError(f"{at(shown(path), number)}: {error}") from None
        yield _Line(number, segment, words, frame)


def _of_line(line: str) -> tuple[tuple[str, ...], Frame | None]:
    words: list[str] = []
    roles: list[Role] = []
    label, start = "", 0
    for token in _ASSERT_TOKENS.findall(line):
        if len(token) > 1 and token.startswith("["):
            if label:
                raise ValueError(f"the role {token[1:][:20]} begins inside of {label}")
            label, start = token[1:], len(words)
        elif token == "]" and label:
            if start == len(words):
                raise ValueError(f"the role {label[:20]} has no words")
            roles.append(Role(label if label == _TARGET else short_label(label), Span(start, len(words))))
            label = ""
        else:
            words.append(token)
    if label:
        raise ValueError(f"the role {label[:20]} has no end")
    targets = [role.span for role in roles if role.label == _TARGET]
    if len(targets) > 1 or (roles and not targets):
        raise ValueError(f"{counted(len(targets), 'predicate')} ([{_TARGET} …]); a line has one")
    others = tuple(role for role in roles if role.label != _TARGET)
    return tuple(words), Frame(targets[0], "", others) if targets else None
