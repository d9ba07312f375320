"""Campaigns whose files were damaged or edited: one line names the table and the row, and no number changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mtassay.cli.main import main

pytest.importorskip("starlette", reason="no Starlette: pip install 'mtassay[judge]'")

CHANGES = [
    ("DELETE FROM meta WHERE key = 'secret'", "table meta: the property secret is missing"),
    ("UPDATE meta SET value = x'ff' WHERE key = 'name'", "table meta: the property name is no text"),
    ("UPDATE meta SET value = 'xyz' WHERE key = 'secret'", "table meta: the property secret is no hexadecimal number"),
    ("UPDATE meta SET value = 'rnk' WHERE key = 'protocol'", "table meta: there is no protocol 'rnk'"),
    ("UPDATE meta SET value = '[]' WHERE key = 'options'", "table meta: no JSON object"),
    ("UPDATE meta SET value = '{}' WHERE key = 'options'", "table meta: the option language_pair is missing"),
    ("UPDATE meta SET value = json_set(value, '$.lease', -1) WHERE key = 'options'", "the option lease is -1"),
    ("UPDATE judge SET name = x'ff'", "table answer, row 1: judge is b'\\xff'"),
    ("UPDATE task SET k = 'x'", "table task, row 1: k is 'x'"),
    ("UPDATE lease SET answered = 'x'", "table judge, row 1: answered is 0.0"),
    ("UPDATE screen SET kind = 'other'", "kind is 'other'"),
    ('UPDATE screen SET shown = \'[{"systems": [], "text": "a"}]\'', ": an output without"),
    ("UPDATE screen SET shown = '[{\"systems\": 5}]'", ": no outputs of a screen"),
    ("UPDATE screen SET shown = printf('%.100000c', '[')", ": no JSON list"),
    ("UPDATE answer SET submitted_at = 1e300", "table answer, row 1: submitted_at is 1e+300"),
    ("UPDATE answer SET shown_at = 'x'", "table answer, row 1: shown_at is 'x'"),
    ("UPDATE answer SET active_ms = 'x'", "table answer, row 1: active_ms is 'x'"),
    ("UPDATE answer SET payload = 'x'", "table answer, row 1: no JSON object"),
    *(
        (f"UPDATE answer SET payload = '{payload}'", "table answer, row 1: no answer of the protocol esa")
        for payload in (
            "{}",
            '{"skip": 5}',
            '{"score": 101, "spans": []}',
            '{"score": "5", "spans": []}',
            '{"score": NaN, "spans": []}',
            '{"score": 5}',
            '{"score": 5, "spans": [{"start": 0, "end": 9999, "severity": "minor", "category": ""}]}',
            '{"score": 5, "spans": [{"start": 2, "end": 1, "severity": "minor", "category": ""}]}',
            '{"score": 5, "spans": [7]}',
        )
    ),
]
COMMANDS = [["judge", "status"], ["judge", "export", "-o", "exported"], ["humans"]]


@pytest.fixture
def answered(campaign: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    made = campaign(protocol="esa", controls=False, training=0)
    judge = made.judge("ann")
    judge.enter()
    judge.start()
    assert judge.save(judge.page(), score="40").status == 303
    monkeypatch.chdir(Path(made.path).parent)
    with closing(sqlite3.connect(made.path)) as connection:
        for trigger in ("answers_stay", "screens_stay"):
            connection.execute(f"DROP TRIGGER {trigger}")
    return made


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_damage_is_one_line(answered: Any, change: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(answered.path)) as connection, connection:
        connection.execute(change)
    for verb, *words in COMMANDS:
        action, words = (words[:1], words[1:]) if verb == "judge" else ([], words)
        assert main([verb, *action, str(answered.path), *words]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"mtassay: {answered.path} is damaged: ")
        assert message in error
        assert error.count("\n") == 1
    assert not Path("exported").exists()


@pytest.mark.parametrize("command", [["judge", "status"], ["judge", "invite"], ["judge", "close"], ["humans"]])
def test_messages_of_sqlite_need_not_be_utf8(
    answered: Any, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = Path("damaged.db")
    with closing(sqlite3.connect(damaged)) as connection:
        answered_file = closing(sqlite3.connect(answered.path))
        with answered_file as source:
            source.backup(connection)
        connection.execute("PRAGMA journal_mode = DELETE")
    content = damaged.read_bytes()
    assert b"CREATE TABLE segment" in content
    damaged.write_bytes(content.replace(b"CREATE TABLE segment", b"CREATE TABLE \xf8egment"))
    assert main([*command, str(damaged), *(["ben"] if "invite" in command else [])]) == 2
    error = capsys.readouterr().err
    assert error.startswith("mtassay: damaged.db ")
    assert error.count("\n") == 1


def test_damage_while_it_is_served_is_a_page(answered: Any) -> None:
    ben = answered.judge("ben")
    ben.enter()
    ben.start()
    for change, path in (("UPDATE screen SET shown = '{}'", "/work"), ("DELETE FROM meta", "/organiser")):
        with closing(sqlite3.connect(answered.path)) as connection, connection:
            connection.execute(change)
        reply = ben.get(path)
        assert reply.status == 503
        assert "All saved answers are kept" in reply.text
