"""A campaign of five-way rankings, from ``judge new`` to the ranking."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.collect import exporting
from mtassay.data.campaigns import read_campaign
from mtassay.sample import sample_path
from mtassay.verbs.agreement import OnPreferences

#: The systems of the sample, the best one first; the sample's README says how they were made.
QUALITY = ("atlas", "borealis", "cobalt", "dune", "ember", "fjord")


def ranked_by(sample: mtassay.TestSet) -> Callable[[Any], dict[str, str]]:
    """A judge who knows all outputs and ranks them by their systems."""
    best: dict[str, int] = {}
    for place, system in enumerate(QUALITY):
        for text in sample.systems[system]:
            best.setdefault(text.strip(), place)

    def answer(page: Any) -> dict[str, str]:
        places = [best.get(text, -1) for text in page.outputs]
        order = sorted(set(places))
        return {f"rank-{slot}": str(order.index(place) + 1) for slot, place in enumerate(places, 1)}

    return answer


@pytest.fixture(scope="module")
def judged(campaign: Callable[..., Any], sample: mtassay.TestSet) -> Any:
    """A campaign in which two judges did everything."""
    made = campaign(protocol="rank", judges_per_task=2, training=1)
    for name in ("ann", "ben"):
        assert made.judge(name).work(ranked_by(sample)) == made.plan.n_screens + 1
    return made


def test_from_new_to_the_ranking(judged: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["humans", str(judged.path), "-f", "tsv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[lines[0].split("\t").index("system")] for line in lines[1:]] == list(QUALITY)
    result = mtassay.humans(mtassay.load_judgements(judged.path))
    assert [[result.systems[s] for s in members] for members in result.aspects[0].clustering.clusters] == [
        [name] for name in QUALITY
    ]


def test_agreement_reads_the_file_itself(judged: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agreement", str(judged.path), "-f", "json"]) == 0
    assert '"kappa": 1.0' in capsys.readouterr().out
    found = mtassay.agreement(mtassay.load_judgements(judged.path)).sets[0].found
    assert isinstance(found, OnPreferences)
    assert found.kappas["strict", "inter"].comparable > 0
    assert found.kappas["strict", "intra"].comparable > 0  # by repeated screens


def test_metaeval_reads_the_file_itself(
    judged: Any, sample: mtassay.TestSet, capsys: pytest.CaptureFixture[str]
) -> None:
    judgements = mtassay.load_judgements(judged.path, testset=sample)
    found = mtassay.metaeval(sample, judgements=judgements, metrics=["chrf"], resamples=50)
    words = ["metaeval", str(sample_path()), "-l", "de-en", "--judgements", str(judged.path)]
    assert main([*words, "-m", "chrf", "--resamples", "50", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(found.render("json"))


@pytest.mark.parametrize("joined", [False, True])
def test_exports_read_back_give_the_very_answers(judged: Any, tmp_path: Path, joined: bool) -> None:
    names = mtassay.judge.export(judged.path, tmp_path / "out", joined=joined)
    stem = judged.path.stem
    assert set(names) == {f"{stem}.{end}" for end in ("tsv", "wmt.csv", "log.jsonl", "methods.txt")}
    expected = mtassay.load_judgements(judged.path, split=not joined)
    for end in ("tsv", "wmt.csv"):
        # A table of our own has a row per system, or one of "a+b": there is nothing to split.
        split = True if end == "tsv" else not joined
        read = mtassay.load_judgements(tmp_path / "out" / f"{stem}.{end}", split=split)
        assert (read.systems, read.segments, read.judges) == (expected.systems, expected.segments, expected.judges)
        for column in ("segment", "judge", "system", "rank", "item"):
            np.testing.assert_array_equal(getattr(read, column), getattr(expected, column), err_msg=column)
    assert len((tmp_path / "out" / f"{stem}.log.jsonl").read_text(encoding="utf-8").splitlines()) == len(
        read_campaign(judged.path).log
    )


def test_all_files_of_an_export_are_of_one_moment(judged: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge revises an answer while the files are written."""
    running = tmp_path / "running.db"
    mtassay.judge.backup(judged.path, running)
    n_before = len(read_campaign(running).log)

    def load(path: Path, **options: Any) -> Any:
        with closing(sqlite3.connect(running)) as connection, connection:
            connection.execute(
                "INSERT INTO answer (screen, judge, revision, payload, shown_at, submitted_at, nonce) "
                "SELECT screen, judge, revision + 1, payload, shown_at, submitted_at, 'again' FROM answer "
                "ORDER BY id DESC LIMIT 1"
            )
        return mtassay.load_judgements(path, **options)

    monkeypatch.setattr(exporting, "load_judgements", load)
    monkeypatch.setattr(exporting, "methods", lambda path: str(len(read_campaign(path).log)))
    mtassay.judge.export(running, tmp_path / "out")
    assert len(read_campaign(running).log) == n_before + 1
    assert (tmp_path / "out" / "running.methods.txt").read_text(encoding="utf-8") == f"{n_before}\n"
    assert len((tmp_path / "out" / "running.log.jsonl").read_text(encoding="utf-8").splitlines()) == n_before


def test_an_export_with_nothing_in_it_is_an_error(
    campaign: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = campaign(segments=10)
    assert main(["judge", "export", str(made.path), "-o", str(tmp_path / "out")]) == 2
    assert "no answer yet" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert main(["humans", str(made.path)]) == 2
    assert "no answer yet" in capsys.readouterr().err


def test_answers_are_of_the_slots_that_were_shown(judged: Any, sample: mtassay.TestSet) -> None:
    for answer in read_campaign(judged.path).answers:
        assert len(answer.screen.outputs) == 5
        assert len({output.text for output in answer.screen.outputs}) == 5
        for output in answer.screen.outputs:
            for system in output.systems:
                assert sample.systems[system][answer.screen.segment - 1].strip() == output.text


def test_pairs_of_systems_are_compared_equally_often(campaign: Callable[..., Any]) -> None:
    made = campaign(protocol="rank", screens=120, repeats=0, training=0)
    counts = dict.fromkeys(combinations(sorted(QUALITY), 2), 0)
    with closing(sqlite3.connect(made.path)) as connection:
        for (shown,) in connection.execute("SELECT shown FROM screen"):
            systems = sorted(system for output in json.loads(shown) for system in output["systems"])
            for pair in combinations(systems, 2):
                counts[pair] += 1
    assert max(counts.values()) - min(counts.values()) <= 4
    assert sum(counts.values()) >= 120 * 10


def test_repeats_are_the_same_outputs_at_least_ten_screens_later(campaign: Callable[..., Any]) -> None:
    made = campaign(protocol="rank", training=0)
    with closing(sqlite3.connect(made.path)) as connection:
        rows = connection.execute("SELECT task, position, segment, kind, shown FROM screen ORDER BY id").fetchall()
    repeats = [row for row in rows if row[3] == "repeat"]
    assert len(repeats) == made.plan.kinds["repeat"] == 7
    for task, position, segment, _, shown in repeats:
        [first] = [row for row in rows if row[0] == task and row[2] == segment and row[3] == ""]
        assert position - first[1] >= 10
        assert sorted(texts_of(shown)) == sorted(texts_of(first[4]))


def texts_of(shown: str) -> list[str]:
    return [output["text"] for output in json.loads(shown)]


def test_the_same_seed_gives_the_same_campaign(campaign: Callable[..., Any]) -> None:
    def content(made: Any) -> list[Any]:
        with closing(sqlite3.connect(made.path)) as connection:
            return [connection.execute(f"SELECT * FROM {table}").fetchall() for table in ("segment", "task", "screen")]

    first, second, other = (campaign(seed=seed) for seed in (1, 1, 2))
    assert content(first) == content(second) != content(other)


def test_a_screen_can_be_skipped_with_a_reason(campaign: Callable[..., Any]) -> None:
    made = campaign(protocol="rank", training=0)
    judge = made.judge("ann")
    judge.enter()
    judge.start()
    page = judge.page()
    assert judge.post("/work", {**page.fields, "action": "skip"}).status == 422
    reply = judge.post("/work", {**page.fields, "action": "skip", "reason": "cannot decide"})
    assert reply.status == 303
    [answer] = read_campaign(made.path).answers
    assert answer.payload == {"skip": "cannot decide"}


def test_every_blocked_submission_says_what_is_missing(campaign: Callable[..., Any]) -> None:
    made = campaign(protocol="rank", training=0)
    judge = made.judge("ann")
    judge.enter()
    judge.start()
    page = judge.page()
    reply = judge.save(page, **{"rank-1": "1", "rank-2": "2", "rank-3": "2", "rank-5": "6"})
    assert reply.status == 422
    again = type(page)(reply.text)
    assert again.alerts == ["Output 4 has no rank yet.", "Output 5 has no rank yet."]
    assert {name: again.fields[name] for name in ("rank-1", "rank-2", "rank-3")} == {
        "rank-1": "1",
        "rank-2": "2",
        "rank-3": "2",
    }
    assert not read_campaign(made.path).log


def test_equal_outputs_are_shown_once(campaign: Callable[..., Any]) -> None:
    same = ["one two three", "four five six"]
    texts = {"a": same, "b": same, "c": ["one two", "four five"], "d": ["x y", "z"]}
    made = campaign(testset=mtassay.TestSet([["one two three", "four five"]], texts), protocol="rank", training=0)

    def by_length(page: Any) -> dict[str, str]:
        return {f"rank-{slot}": str(4 - min(3, len(text.split()))) for slot, text in enumerate(page.outputs, 1)}

    judge = made.judge("ann")
    assert judge.work(by_length) == 2
    for answer in read_campaign(made.path).answers:
        assert sorted(output.systems for output in answer.screen.outputs) == [("a", "b"), ("c",), ("d",)]
    assert set(mtassay.load_judgements(made.path).systems) == {"a", "b", "c", "d"}
    assert set(mtassay.load_judgements(made.path, split=False).systems) == {"a+b", "c", "d"}


def test_names_of_systems_may_have_a_plus(campaign: Callable[..., Any], tmp_path: Path) -> None:
    texts = {"a+b": ["one two"], "a": ["one three"], "c": ["one two"]}
    for protocol, given in (
        ("rank", {"rank-1": "1", "rank-2": "2"}),
        ("pair", {"outcome": "1"}),
        ("da", {"score": "7"}),
    ):
        options = {"controls": False} if protocol == "da" else {}
        made = campaign(testset=mtassay.TestSet([["one"]], texts), protocol=protocol, training=0, **options)
        made.judge("ann").work(lambda page, given=given: given)
        judged = mtassay.load_judgements(made.path)
        assert set(judged.systems) == {"a+b", "a", "c"}
        mtassay.judge.export(made.path, tmp_path / protocol)
        assert set(mtassay.load_judgements(tmp_path / protocol / f"{made.path.stem}.tsv").systems) == set(
            judged.systems
        )
