"""Campaigns of human judgement: the tables of a campaign's SQLite file, and how to read them.

``mtassay.collect`` makes and fills such files. Reading needs only the standard library, so every verb that reads
judgements can read a campaign.

=========  ==========================================================================================================
table      one row per
=========  ==========================================================================================================
meta       property of the campaign: protocol, seed, hash of the test set, instructions, languages …
segment    segment that is shown, with source, reference and the sentences beside it
judge      judge; only a hash of the personal token is stored
task       list of screens that one judge works through; k judges should do each task
screen     screen: its segment, what it is (output, repeat, degraded …) and the outputs in the order shown
lease      task that a judge has started: until when nobody else gets it, and how much is answered
answer     answer, or its revision; rows are only added
=========  ==========================================================================================================
"""

from __future__ import annotations

import hmac
import os
import sqlite3
from base64 import b32encode
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mtassay.data.campaign_checks import (
    check_columns,
    check_meta,
    is_count,
    is_kind,
    is_place,
    is_text,
    is_time,
    read_json,
    read_outputs,
    read_payload,
)
from mtassay.errors import InputError
from mtassay.io import register_input
from mtassay.io.inputs import is_database, shown

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike

#: What SQLite raises; its messages and texts are not UTF-8 in a damaged file.
DATABASE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
#: Value of ``meta.schema``; a file of another version is not read.
SCHEMA = "mtassay.campaign/1"


@dataclass(frozen=True)
class Output:
    """An output on a screen: its text, and the systems that produced it."""

    systems: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Screen:
    """What a judge sees at once.

    Attributes:
        id: its number in the file.
        task: the task.
        segment: number of the segment, from 1.
        kind: ``""`` for ordinary outputs, else ``repeat``, ``degraded``, ``reference`` or ``training``.
        outputs: the outputs in the order shown.
    """

    id: int
    task: int
    segment: int
    kind: str
    outputs: tuple[Output, ...]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One revision of an answer.

    Attributes:
        screen: the screen.
        judge: name of the judge.
        revision: counted from 1.
        payload: the answer; its keys depend on the protocol. ``{"skip": reason}`` if the screen was skipped.
        shown_at: when the screen was shown, in seconds since 1970.
        submitted_at: when the answer was stored.
        active_ms: how long the page was visible, in milliseconds; None if JavaScript is off.
    """

    screen: Screen
    judge: str
    revision: int
    payload: dict[str, Any]
    shown_at: float
    submitted_at: float
    active_ms: int | None

    @property
    def is_skipped(self) -> bool:
        """Whether the judge skipped the screen."""
        return "skip" in self.payload


@dataclass(frozen=True)
class Progress:
    """A judge's work.

    Attributes:
        judge: the name.
        code: the completion code after the finished tasks; empty if there is none.
        disabled: whether the link no longer works.
        n_tasks: number of finished tasks.
        n_answers: number of answered screens, without training.
        is_active: whether the judge has an unfinished task whose lease has not expired.
    """

    judge: str
    code: str
    disabled: bool
    n_tasks: int
    n_answers: int
    is_active: bool


@dataclass(frozen=True)
class Campaign:
    """A campaign as it was when it was read.

    Attributes:
        path: the file, for messages.
        meta: the table of that name.
        answers: latest revisions of all answers, without training.
        log: all revisions in the order in which they were stored, training included.
        judges: how far each judge is.
        tasks: id, wanted judges, number of screens and number of judges who finished, per task without training.
    """

    path: str
    meta: dict[str, str]
    answers: tuple[Answer, ...]
    log: tuple[Answer, ...]
    judges: tuple[Progress, ...]
    tasks: tuple[tuple[int, int, int, int], ...]

    @property
    def protocol(self) -> str:
        """One of `PROTOCOLS`."""
        return self.meta["protocol"]

    @cached_property
    def options(self) -> dict[str, Any]:
        """The options that the campaign was made with."""
        found: dict[str, Any] = read_json(self.meta["options"], dict)
        return found


def read_campaign(path: PathLike) -> Campaign:
    """Read a campaign, even while it runs."""
    from time import time

    with reading(path) as connection:
        meta = read_meta(connection, path)
        log = tuple(_answers(connection, path, meta["protocol"]))
        return Campaign(
            shown(path),
            meta,
            _latest(log),
            log,
            tuple(_progress(connection, path, meta, time())),
            tuple(_tasks(connection, path)),
        )


@contextmanager
def reading(path: PathLike) -> Iterator[sqlite3.Connection]:
    """A read-only connection; it does not see what other processes write in the meantime."""
    check_database(path)
    with Path(path).open("rb") as file:
        register_input(file.fileno(), path)
    try:
        with closing(_read_only(Path(path).absolute())) as connection:
            connection.execute("BEGIN")
            yield connection
    except DATABASE_ERRORS as error:
        raise InputError(f"{shown(path)} cannot be read as a campaign: {error}") from None


def check_database(path: PathLike) -> None:
    """Reject a file that is missing, unreadable or not a database."""
    if is_database(path):
        return
    if not Path(path).exists():
        raise InputError(f"{shown(path)}: no such file")
    if not os.access(path, os.R_OK):
        raise InputError(f"{shown(path)} cannot be read: permission denied")
    raise InputError(f"{shown(path)}: not a campaign of mtassay judge new")


def _read_only(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(os.fsencode(path))}?mode=ro"
    connection = sqlite3.connect(address, uri=True, timeout=10)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        connection.close()
        # Even to read, SQLite makes two files beside a campaign. If it cannot, and there are none, no process is
        # writing, so the file can be read as immutable.
        if os.access(path.parent, os.W_OK) or Path(f"{path}-wal").exists():
            raise
        return sqlite3.connect(f"{address}&immutable=1", uri=True)
    return connection


def read_meta(connection: sqlite3.Connection, path: PathLike) -> dict[str, str]:
    """The properties of a campaign; an error if the file is of another version."""
    try:
        meta = dict(connection.execute("SELECT key, value FROM meta"))
    except sqlite3.DatabaseError:
        raise InputError(f"{shown(path)} is not a campaign of mtassay judge new") from None
    if meta.get("schema") != SCHEMA:
        raise InputError(f"{shown(path)} is a campaign of another version ({meta.get('schema')}); this is {SCHEMA}")
    with _damaged(path, "meta"):
        check_meta(meta)
    return meta


@contextmanager
def _damaged(path: PathLike, table: str, row: object = None) -> Iterator[None]:
    """Name the file, the table and the row in errors of the block."""
    try:
        yield
    except InputError as error:
        place = f"table {table}" if row is None else f"table {table}, row {row}"
        raise InputError(f"{shown(path)} is damaged: {place}: {error}") from None


_ANSWERS = """
SELECT a.id, s.id, s.task, s.segment, s.kind, s.shown, j.name, a.revision, a.payload,
    a.shown_at, a.submitted_at, a.active_ms
FROM answer a JOIN screen s ON s.id = a.screen JOIN judge j ON j.id = a.judge ORDER BY a.id
"""
_PROGRESS = """
SELECT j.id, j.name, j.disabled,
    coalesce(sum(l.done_at IS NOT NULL), 0),
    coalesce(sum(l.answered), 0),
    coalesce(max(l.done_at IS NULL AND l.expires > ?), 0)
FROM judge j LEFT JOIN (SELECT lease.* FROM lease JOIN task t ON t.id = lease.task WHERE NOT t.training) l
    ON l.judge = j.id
GROUP BY j.id ORDER BY j.id
"""
_TASKS = """
SELECT t.id, t.k, t.n_screens, (SELECT count(*) FROM lease l WHERE l.task = t.id AND l.done_at IS NOT NULL)
FROM task t WHERE NOT t.training ORDER BY t.id
"""


def _answers(connection: sqlite3.Connection, path: PathLike, protocol: str) -> Iterator[Answer]:
    screens: dict[int, Screen] = {}
    for row, id_, task, segment, kind, texts, judge, revision, payload, *times in connection.execute(_ANSWERS):
        if id_ not in screens:
            with _damaged(path, "screen", id_):
                check_columns(segment=(segment, is_place), kind=(kind, is_kind))
                outputs = outputs_of(texts)
                if kind != "training" and not all(output.systems for output in outputs):
                    raise InputError("an output without a system")
                screens[id_] = Screen(id_, task, segment, kind, outputs)
        screen = screens[id_]
        shown_at, submitted_at, active_ms = times
        with _damaged(path, "answer", row):
            check_columns(
                judge=(judge, is_text),
                revision=(revision, is_count),
                shown_at=(shown_at, is_time),
                submitted_at=(submitted_at, is_time),
                active_ms=(active_ms or 0, is_count),
            )
            answer = read_payload(payload, protocol, tuple(output.text for output in screen.outputs))
        yield Answer(
            screen=screen,
            judge=judge,
            revision=revision,
            payload=answer,
            shown_at=shown_at,
            submitted_at=submitted_at,
            active_ms=active_ms,
        )


def outputs_of(texts: str) -> tuple[Output, ...]:
    """The outputs in the column ``screen.shown``."""
    return tuple(Output(tuple(one["systems"]), one["text"]) for one in read_outputs(texts))


def _latest(log: tuple[Answer, ...]) -> tuple[Answer, ...]:
    """The last revision of each answer, in the order of the first ones; training is left out."""
    found: dict[tuple[int, str], Answer] = {}
    for answer in log:
        if answer.screen.kind != "training":
            found[answer.screen.id, answer.judge] = answer
    return tuple(found.values())


def completion_code(secret: str, judge: int, n_tasks: int) -> str:
    """The code that a judge gets after a number of tasks.

    >>> len(completion_code("00", 1, 1)), completion_code("00", 1, 1) == completion_code("00", 1, 2)
    (9, False)
    """
    digest = hmac.digest(bytes.fromhex(secret), f"done {judge} {n_tasks}".encode(), "sha256")
    letters = b32encode(digest).decode()
    return f"{letters[:4]}-{letters[4:8]}"


def _tasks(connection: sqlite3.Connection, path: PathLike) -> Iterator[tuple[int, int, int, int]]:
    for id_, k, n_screens, n_done in connection.execute(_TASKS):
        with _damaged(path, "task", id_):
            check_columns(k=(k, is_count), n_screens=(n_screens, is_count))
        yield id_, k, n_screens, n_done


def _progress(connection: sqlite3.Connection, path: PathLike, meta: dict[str, str], now: float) -> Iterator[Progress]:
    for id_, name, disabled, n_tasks, n_answers, active in connection.execute(_PROGRESS, (now,)):
        with _damaged(path, "judge", id_):
            check_columns(name=(name, is_text), answered=(n_answers, is_count))
        code = completion_code(meta["secret"], id_, n_tasks) if n_tasks else ""
        yield Progress(name, code, bool(disabled), n_tasks, n_answers, bool(active))
