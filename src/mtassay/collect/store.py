"""The queries of the pages: find a judge, find the next screen, save an answer.

Functions take a connection. Functions that write are run by `writer.Writer`, inside a transaction.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from dataclasses import dataclass
from typing import Any

from mtassay.collect.tokens import token_hash
from mtassay.data.campaigns import Output, outputs_of


@dataclass(frozen=True)
class Judge:
    """A judge who is working."""

    id: int
    name: str
    disabled: bool


@dataclass(frozen=True, kw_only=True)
class Place:
    """A screen, and its place in the work of a judge.

    Attributes:
        screen: number of the screen in the file.
        kind: kind of the screen, such as ``repeat``; never shown.
        texts: source and reference, each with the previous and the next text.
        outputs: the outputs in the order shown.
        expected: the right answer of a training screen.
        is_training: whether it is a training screen.
        position: its place in the task, from 1.
        n_screens: number of screens in the task.
        at: its place among all answers of the judge, from 1.
        revision: number of revisions of the answer so far; 0 if there is none.
        payload: the last answer.
    """

    screen: int
    kind: str
    texts: dict[str, list[str | None]]
    outputs: tuple[Output, ...]
    expected: dict[str, Any]
    is_training: bool
    position: int
    n_screens: int
    at: int
    revision: int
    payload: dict[str, Any] | None


class OutdatedError(Exception):
    """The screen has been answered in another tab in the meantime."""


class NoSuchScreenError(Exception):
    """There is no such screen."""


def find_judge(connection: sqlite3.Connection, token: str) -> Judge | None:
    """The judge with a token."""
    row = connection.execute(
        "SELECT id, name, disabled FROM judge WHERE token_hash = ?", (token_hash(token),)
    ).fetchone()
    return None if row is None else Judge(row[0], row[1], bool(row[2]))


_COLUMNS = "s.id, s.kind, g.texts, s.shown, s.expected, t.training, s.position, t.n_screens"
_CURRENT = f"""
SELECT {_COLUMNS} FROM lease l JOIN task t ON t.id = l.task JOIN screen s ON s.task = t.id
    JOIN segment g ON g.number = s.segment
WHERE l.judge = ?1 AND l.done_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM answer a WHERE a.judge = ?1 AND a.screen = s.id)
ORDER BY l.id, s.position LIMIT 1
"""
_OF_SCREEN = f"""
SELECT {_COLUMNS} FROM screen s JOIN task t ON t.id = s.task JOIN segment g ON g.number = s.segment WHERE s.id = ?
"""


def current_place(connection: sqlite3.Connection, judge: int) -> Place | None:
    """The first screen without an answer in the judge's current task."""
    row = connection.execute(_CURRENT, (judge,)).fetchone()
    if row is None:
        return None
    n_answered = count_answers(connection, judge)
    return _place(row, at=n_answered + 1, revision=0, payload=None)


def earlier_place(connection: sqlite3.Connection, judge: int, at: int) -> Place | None:
    """The `at`-th screen that the judge answered, with the answer."""
    row = None
    if at > 0:
        row = connection.execute(
            "SELECT screen FROM answer WHERE judge = ? AND revision = 1 ORDER BY id LIMIT 1 OFFSET ?", (judge, at - 1)
        ).fetchone()
    return None if row is None else place_of_screen(connection, judge, row[0])


def place_of_screen(connection: sqlite3.Connection, judge: int, screen: int) -> Place | None:
    """A screen, with the judge's answer if there is one."""
    row = connection.execute(_OF_SCREEN, (screen,)).fetchone()
    if row is None:
        return None
    answers = connection.execute(
        "SELECT id, revision, payload FROM answer WHERE judge = ? AND screen = ? ORDER BY revision", (judge, screen)
    ).fetchall()
    if not answers:
        return _place(row, at=count_answers(connection, judge) + 1, revision=0, payload=None)
    at = connection.execute(
        "SELECT count(*) FROM answer WHERE judge = ? AND revision = 1 AND id <= ?", (judge, answers[0][0])
    ).fetchone()[0]
    return _place(row, at=at, revision=answers[-1][1], payload=json.loads(answers[-1][2]))


def count_answers(connection: sqlite3.Connection, judge: int) -> int:
    """Number of screens that a judge has answered, training included."""
    row = connection.execute("SELECT coalesce(sum(answered), 0) FROM lease WHERE judge = ?", (judge,)).fetchone()
    return int(row[0])


def count_tasks(connection: sqlite3.Connection, judge: int) -> int:
    """Number of tasks that a judge has finished, without training."""
    row = connection.execute(
        "SELECT count(*) FROM lease l JOIN task t ON t.id = l.task "
        "WHERE l.judge = ? AND l.done_at IS NOT NULL AND NOT t.training",
        (judge,),
    ).fetchone()
    return int(row[0])


def _place(row: tuple[Any, ...], *, at: int, revision: int, payload: dict[str, Any] | None) -> Place:
    screen, kind, texts, shown, expected, training, position, n_screens = row
    return Place(
        screen=screen,
        kind=kind,
        texts=json.loads(texts),
        outputs=outputs_of(shown),
        expected=json.loads(expected) if expected else {},
        is_training=bool(training),
        position=position,
        n_screens=n_screens,
        at=at,
        revision=revision,
        payload=payload,
    )


_OPEN_TASKS = """
SELECT t.id, (SELECT count(*) FROM lease l WHERE l.task = t.id AND (l.done_at IS NOT NULL OR l.expires > ?1)) AS taken
FROM task t
WHERE NOT t.training AND taken < t.k
    AND NOT EXISTS (SELECT 1 FROM lease l WHERE l.task = t.id AND l.judge = ?2)
    AND (?3 OR EXISTS (SELECT 1 FROM personal p WHERE p.task = t.id AND p.judge = ?2))
ORDER BY taken
"""


def has_open_task(connection: sqlite3.Connection, judge: int, *, now: float, pool: bool, most: int | None) -> bool:
    """Whether `take_task` would find a task."""
    if most is not None and count_tasks(connection, judge) >= most:
        return False
    return connection.execute(_OPEN_TASKS, (now, judge, pool)).fetchone() is not None


def take_task(
    connection: sqlite3.Connection, judge: int, *, now: float, lease: float, pool: bool, most: int | None
) -> bool:
    """Lease a task to a judge who has none: first the training, then the open task with the fewest judges.

    Leases that expired before anything was answered are deleted. A judge whose lease expired after some answers
    continues with the task, even if somebody else has started it in the meantime.

    Args:
        connection: inside a transaction.
        judge: the judge.
        now: the time in seconds.
        lease: seconds until the task is free for others.
        pool: whether every judge may take every task; otherwise tasks are personal.
        most: maximum number of tasks of one judge.

    Returns:
        Whether the judge has a task.
    """
    begun = connection.execute("SELECT id FROM lease WHERE judge = ? AND done_at IS NULL", (judge,)).fetchone()
    if begun is not None:
        connection.execute("UPDATE lease SET expires = ? WHERE id = ?", (now + lease, begun[0]))
        return True
    training = connection.execute(
        "SELECT t.id FROM task t WHERE t.training "
        "AND NOT EXISTS (SELECT 1 FROM lease l WHERE l.task = t.id AND l.judge = ?)",
        (judge,),
    ).fetchone()
    connection.execute("DELETE FROM lease WHERE done_at IS NULL AND answered = 0 AND expires <= ?", (now,))
    if training is not None:
        task = training[0]
    elif not has_open_task(connection, judge, now=now, pool=pool, most=most):
        return False
    else:
        free = connection.execute(_OPEN_TASKS, (now, judge, pool)).fetchall()
        # Among tasks with equally few judges, the order differs by judge, but is always the same for one judge.
        tied = [task for task, taken in free if taken == free[0][1]]
        task = min(tied, key=lambda one: zlib.crc32(f"{judge}:{one}".encode()))
    connection.execute("INSERT INTO lease (task, judge, expires) VALUES (?, ?, ?)", (task, judge, now + lease))
    return True


@dataclass(frozen=True, kw_only=True)
class NewAnswer:
    """An answer to be stored.

    Attributes:
        judge: the judge.
        screen: the screen.
        revision: number of this revision, from 1: one more than the revision that the page showed.
        payload: the answer.
        shown_at: when the page was made.
        active_ms: how long the page was visible, if the browser reported it.
        nonce: random value of the page, by which an answer that is sent twice is recognised.
    """

    judge: int
    screen: int
    revision: int
    payload: dict[str, Any]
    shown_at: float
    active_ms: int | None
    nonce: str


def save_answer(connection: sqlite3.Connection, answer: NewAnswer, *, now: float, lease: float) -> None:
    """Store an answer and renew the lease; an answer that is sent twice is stored once.

    Raises:
        OutdatedError: another answer was stored since the page was made.
        NoSuchScreenError: there is no such screen.
    """
    known = connection.execute(
        "SELECT screen FROM answer WHERE judge = ? AND nonce = ?", (answer.judge, answer.nonce)
    ).fetchone()
    if known is not None:
        if known[0] != answer.screen:
            raise OutdatedError
        return
    lease_id, n_screens = _lease_of(connection, answer, now=now)
    last = connection.execute(
        "SELECT coalesce(max(revision), 0) FROM answer WHERE judge = ? AND screen = ?", (answer.judge, answer.screen)
    ).fetchone()[0]
    if answer.revision != last + 1:
        raise OutdatedError
    payload = json.dumps(answer.payload, ensure_ascii=False)
    connection.execute(
        "INSERT INTO answer (screen, judge, revision, payload, shown_at, submitted_at, active_ms, nonce) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            answer.screen,
            answer.judge,
            answer.revision,
            payload,
            answer.shown_at,
            now,
            answer.active_ms,
            answer.nonce,
        ),
    )
    connection.execute(
        "UPDATE lease SET expires = ?1, answered = answered + ?2, "
        "done_at = CASE WHEN done_at IS NULL AND answered + ?2 >= ?3 THEN ?4 ELSE done_at END WHERE id = ?5",
        (now + lease, int(last == 0), n_screens, now, lease_id),
    )


def _lease_of(connection: sqlite3.Connection, answer: NewAnswer, *, now: float) -> tuple[int, int]:
    """The lease of the answer's task and its number of screens.

    If the lease was deleted while the page was open, it is made again: the page proves that the judge had the task.
    """
    row = connection.execute(
        "SELECT t.id, t.n_screens FROM screen s JOIN task t ON t.id = s.task WHERE s.id = ?", (answer.screen,)
    ).fetchone()
    if row is None:
        raise NoSuchScreenError
    connection.execute(
        "INSERT OR IGNORE INTO lease (task, judge, expires) VALUES (?, ?, ?)", (row[0], answer.judge, now)
    )
    lease = connection.execute("SELECT id FROM lease WHERE task = ? AND judge = ?", (row[0], answer.judge)).fetchone()
    return lease[0], row[1]
