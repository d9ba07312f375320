"""Values that SQLite keeps and no campaign has are refused in one line."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import mtassay
from mtassay.data import TestSet, load_judgements
from mtassay.data.campaigns import read_campaign
from mtassay.errors import InputError

TEXTS = TestSet([["a b", "c d"]], {"A": ["a", "c"], "B": ["b", "d"]}, sources=["x", "y"])
SOUND: dict[str, dict[str, Any]] = {
    "rank": {"ranks": [1, 2]},
    "pair": {"outcome": -1},
    "da": {"score": 70},
    "likert": {"adequacy": 1, "fluency": 5},
    "esa": {"score": 70, "spans": []},
    "mqm": {"score": -1.0, "spans": [{"start": 0, "end": 1, "severity": "minor", "category": ""}]},
}


def judged(folder: Path, protocol: str, payload: str) -> Path:
    """A campaign with one answer."""
    path = folder / "campaign.db"
    mtassay.judge.new(path, TEXTS, protocol=protocol, training=0, controls=False)
    mtassay.judge.invite(path, ["ann"])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO answer VALUES (1, 1, 1, 1, ?, 1.0, 2.0, 3, 'n')", (payload,))
    return path


@pytest.mark.parametrize("protocol", SOUND)
def test_sound_answers(tmp_path: Path, protocol: str) -> None:
    path = judged(tmp_path, protocol, json.dumps(SOUND[protocol]))
    task = "adequacy" if protocol == "likert" else None
    assert len(load_judgements(path, task=task)) > 0
    assert read_campaign(path).answers[0].payload == SOUND[protocol]


@pytest.mark.parametrize(
    ("protocol", "payload"),
    [
        ("rank", {"ranks": [1]}),
        ("rank", {"ranks": [1, "2"]}),
        ("rank", {"ranks": [0, 1]}),
        ("rank", {"ranks": [1, 6]}),
        ("pair", {"outcome": 2}),
        ("pair", {"outcome": True}),
        ("da", {"score": None}),
        ("da", {"score": 101}),
        ("da", {"score": float("nan")}),
        ("da", []),
        ("da", {"skip": "unclear"}),  # only screens of rank and pair can be skipped
        ("pair", {"skip": 1}),
        ("likert", {"adequacy": 1}),
        ("esa", {"score": 70}),
        ("mqm", {"score": 1, "spans": [1]}),
        ("mqm", {"score": -(10**200), "spans": []}),
        ("mqm", {"score": -(10**400), "spans": []}),
    ],
)
def test_answers_of_no_protocol(tmp_path: Path, protocol: str, payload: Any) -> None:
    path = judged(tmp_path, protocol, json.dumps(payload))
    for reader in (load_judgements, mtassay.judge.status):
        with pytest.raises(
            InputError, match=rf"campaign\.db is damaged: table answer, row 1: no .*({protocol}|object)$"
        ):
            reader(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE meta SET value = x'00' WHERE key = 'name'", "the property name is no text"),
        ("UPDATE meta SET value = '[]' WHERE key = 'options'", "table meta: no JSON object"),
        ("UPDATE meta SET value = '{' WHERE key = 'options'", "table meta: no JSON object"),
        *(
            (f"UPDATE meta SET value = json_remove(value, '$.{option}') WHERE key = 'options'", f"{option} is missing")
            for option in ("language_pair", "segments", "max_words", "aspect", "tasks_per_judge", "categories")
        ),
        *(
            (f"UPDATE meta SET value = json_set(value, '$.{option}', json('{value}')) WHERE key = 'options'", message)
            for option, value, message in (
                ("lease", 10**400, "the option lease is 10000"),
                ("weights", f'{{"minor": {10**400}}}', "the option weights is {'minor': 10000"),
                ("shows", '["source", "source", "source"]', "the option shows is"),
            )
        ),
        ("UPDATE judge SET name = x'00'", "judge is b"),
        ("UPDATE task SET k = 'x'", "table task, row 1: k is 'x'"),
        ("UPDATE screen SET segment = 'x'", "table screen, row 1: segment is 'x'"),
        ("UPDATE screen SET segment = 0", "table screen, row 1: segment is 0"),
        ("UPDATE screen SET kind = 'x'", "table screen, row 1: kind is 'x'"),
        ("UPDATE screen SET shown = '[]'", "no outputs of a screen"),
        ("UPDATE screen SET shown = '[{}]'", "no outputs of a screen"),
        ("UPDATE answer SET shown_at = 'x'", "table answer, row 1: shown_at is 'x'"),
    ],
)
def test_values_of_other_types(tmp_path: Path, change: str, message: str) -> None:
    path = judged(tmp_path, "da", json.dumps(SOUND["da"]))
    damage(path, change)
    with pytest.raises(InputError, match=rf"campaign\.db is damaged: .*{message}"):
        read_campaign(path)


@pytest.mark.parametrize("weights", ["{}", '{"minor": 1.0, "major": 5.0}'])
def test_every_severity_of_mqm_has_a_weight(tmp_path: Path, weights: str) -> None:
    path = judged(tmp_path, "mqm", json.dumps(SOUND["mqm"]))
    damage(path, f"UPDATE meta SET value = json_set(value, '$.weights', json('{weights}')) WHERE key = 'options'")
    with pytest.raises(InputError, match=r"campaign\.db is damaged: table meta: the option weights is"):
        read_campaign(path)


def damage(path: Path, change: str) -> None:
    """Change what no command changes."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(change)
