"""Several judges, several tabs, leases that end, and campaigns that change while they run."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.data.campaigns import read_campaign

HALF_AN_HOUR = 30 * 60


def middle(page: Any) -> dict[str, str]:
    return {"score": "50"}


def begun(made: Any, name: str) -> Any:
    """A judge who has taken a task."""
    judge = made.judge(name)
    judge.enter()
    judge.start()
    return judge


@pytest.fixture
def small(campaign: Callable[..., Any]) -> Any:
    """Two tasks of three screens, one judge each."""
    testset = mtassay.TestSet([["a b", "c d", "e f"]], {"x": ["a", "b", "c"], "y": ["d", "e", "f"]})
    return campaign(testset=testset, protocol="da", controls=False, task_size=3, training=0)


def tasks(made: Any) -> list[tuple[str, int]]:
    with closing(sqlite3.connect(made.path)) as connection:
        return connection.execute(
            "SELECT j.name, l.task FROM lease l JOIN judge j ON j.id = l.judge ORDER BY l.id"
        ).fetchall()


def test_two_judges_never_have_the_same_task_while_others_are_free(small: Any) -> None:
    begun(small, "ann")
    begun(small, "ben")
    assert len({task for _, task in tasks(small)}) == 2
    third = small.judge("cid")
    third.enter()
    assert third.start().path == "/done"
    assert "no task for you" in third.get("/done").text


def test_k_judges_share_a_task(campaign: Callable[..., Any]) -> None:
    testset = mtassay.TestSet([["a b"]], {"x": ["a"], "y": ["d"]})
    made = campaign(testset=testset, protocol="da", controls=False, judges_per_task=2, training=0)
    assert [made.judge(name).work(middle) for name in ("ann", "ben", "cid")] == [2, 2, 0]
    assert {answer.judge for answer in read_campaign(made.path).answers} == {"ann", "ben"}


def test_a_lease_that_ends_frees_the_task_and_loses_no_answer(small: Any) -> None:
    begun(small, "ann")
    ben = begun(small, "ben")
    page = ben.page()
    small.clock.now += HALF_AN_HOUR + 60
    cid = begun(small, "cid")
    taken = dict(tasks(small))
    assert taken["cid"] in {1, 2}
    # The page was open all the time: what it sends is stored, and the judge goes on with the task.
    assert ben.save(page, score="70").status == 303
    assert ben.work(middle) == 2
    assert cid.work(middle) == 3
    by_judge = [answer.judge for answer in read_campaign(small.path).answers]
    assert (by_judge.count("ben"), by_judge.count("cid")) == (3, 3)


def test_every_answer_renews_the_lease(small: Any) -> None:
    ann, ben = begun(small, "ann"), begun(small, "ben")
    for _ in range(2):
        small.clock.now += HALF_AN_HOUR - 60
        assert ann.save(ann.page(), score="1").status == 303
        assert ben.save(ben.page(), score="1").status == 303
    cid = small.judge("cid")
    cid.enter()
    assert cid.start().path == "/done"


def test_the_clock_may_be_moved(small: Any) -> None:
    ann = begun(small, "ann")
    page = ann.page()
    small.clock.now -= 5 * 60 * 60
    assert ann.save(page, score="1").status == 303
    small.clock.now += 10 * 60 * 60
    assert ann.work(middle) == 5
    assert len(read_campaign(small.path).answers) == 6


def test_two_tabs_of_one_judge(small: Any) -> None:
    ann = begun(small, "ann")
    first, second = ann.page(), ann.page()
    assert ann.save(first, score="10").status == 303
    reply = ann.save(second, score="20")
    assert reply.status == 409
    again = type(first)(reply.text)
    assert again.alerts == ["This screen has been answered in another tab. Save again to replace that answer."]
    assert again.fields["score"] == "20"
    assert [answer.payload for answer in read_campaign(small.path).log] == [{"score": 10}]
    assert ann.save(again, score="20").status == 303
    log = read_campaign(small.path).log
    assert [(answer.revision, answer.payload["score"]) for answer in log] == [(1, 10), (2, 20)]


def test_an_answer_that_is_sent_twice_is_stored_once(small: Any) -> None:
    ann = begun(small, "ann")
    page = ann.page()
    replies = [ann.save(page, score="10") for _ in range(3)]
    assert [reply.status for reply in replies] == [303] * 3
    assert len(read_campaign(small.path).log) == 1


def test_going_back_keeps_all_revisions(small: Any) -> None:
    ann = begun(small, "ann")
    for score in ("1", "2"):
        ann.save(ann.page(), score=score)
    current = ann.page()
    assert current.links[-1] == "/work?at=2"
    earlier = ann.page("/work?at=2")
    assert earlier.fields["score"] == "2"
    assert earlier.links.count("/work?at=1") == 1
    assert ann.save(earlier, score="99").headers["location"] == "/work"
    assert ann.page().fields["screen"] == current.fields["screen"]
    campaign = read_campaign(small.path)
    assert [answer.payload["score"] for answer in campaign.answers] == [1, 99]
    assert [answer.payload["score"] for answer in campaign.log] == [1, 2, 99]
    assert mtassay.load_judgements(small.path).score.tolist() == [1.0, 99.0]  # type: ignore[union-attr]
    for at in ("0", "7", "-1", "x", "9" * 30):
        assert ann.get(f"/work?at={at}").path in {"/work", "/done"}


def test_pause_and_coming_back(small: Any) -> None:
    ann = begun(small, "ann")
    assert "saved" not in ann.get("/pause").text
    ann.save(ann.page(), score="1")
    assert "Your answer is saved. You can close" in ann.get("/pause").text
    ann.save(ann.page(), score="2")
    assert "All 2 of your answers are saved. You can close" in ann.get("/pause").text
    screen = ann.page().fields["screen"]
    ann.client.cookies.clear()
    assert ann.get("/work").status == 401
    ann.enter()
    assert ann.page().fields["screen"] == screen


def test_the_end_has_a_code_that_the_organiser_sees(small: Any) -> None:
    ann = small.judge("ann")
    ann.work(middle)
    [row] = mtassay.judge.status(small.path).judges
    assert row.tasks == 2
    assert len(row.code) == 9
    assert row.code in ann.get("/done").text


def test_most_tasks_of_one_judge(campaign: Callable[..., Any]) -> None:
    made = campaign(protocol="da", segments=10, controls=False, task_size=5, tasks_per_judge=2, training=0)
    assert made.judge("ann").work(middle) == 10


def test_personal_tasks_are_dealt_to_those_who_are_invited(campaign: Callable[..., Any]) -> None:
    made = campaign(protocol="da", segments=4, controls=False, task_size=6, assignment="personal", training=0)
    ann, ben = made.judges("ann", "ben")
    assert [ann.work(middle), ben.work(middle)] == [12, 12]
    assert made.judge("late").work(middle) == 0


def test_training_comes_first_and_gives_feedback(campaign: Callable[..., Any]) -> None:
    made = campaign(protocol="rank", segments=5, training=2)
    ann = begun(made, "ann")
    page = ann.page()
    assert "Training 1 of 2" in page.text
    worse, better = {"rank-1": "2", "rank-2": "1"}, {"rank-1": "1", "rank-2": "2"}
    first = ann.get(ann.save(page, **worse).headers["location"]).text
    again = ann.page("/work?at=1")
    second = ann.get(ann.save(again, **better).headers["location"]).text
    assert {"That is right" in first, "That is right" in second} == {True, False}
    assert {"Look again: it should come first" in first, "Look again: it should come first" in second} == {True, False}
    ann.save(ann.page(), **better)
    ready = ann.get("/done").text
    assert "<title>Ready – " in ready
    assert "<h1>Ready</h1>" in ready
    ann.start()
    assert len(ann.page().outputs) == 5
    campaign_ = read_campaign(made.path)
    assert not campaign_.answers
    assert len(campaign_.log) == 3


@pytest.mark.parametrize(
    ("protocol", "bad", "good"),
    [
        ("da", {"score": "99"}, {"score": "20"}),
        ("likert", {"adequacy": "5", "fluency": "5"}, {"adequacy": "2", "fluency": "2"}),
    ],
)
def test_feedback_on_scores(
    campaign: Callable[..., Any], protocol: str, bad: dict[str, str], good: dict[str, str]
) -> None:
    made = campaign(protocol=protocol, segments=5, task_size=20, training=2)
    ann = begun(made, "ann")
    assert "should score lower" in ann.get(ann.save(ann.page(), **bad).headers["location"]).text
    assert "That is right" in ann.get(ann.save(ann.page("/work?at=1"), **good).headers["location"]).text
    assert "Have another look" in ann.get(ann.save(ann.page(), **good).headers["location"]).text  # a reference
    assert "That is right" in ann.get(ann.save(ann.page("/work?at=2"), **bad).headers["location"]).text


def test_a_campaign_that_is_changed_while_it_runs(small: Any, tmp_path: Path) -> None:
    ann = begun(small, "ann")
    ann.save(ann.page(), score="1")
    guide = tmp_path / "guide.txt"
    guide.write_text("Read.\n\nThen judge.\n", encoding="utf-8")
    assert main(["judge", "edit", str(small.path), "--instructions", str(guide), "--judges-per-task", "3"]) == 0
    assert "Then judge." in ann.get("/").text
    assert begun(small, "ben").work(middle) == 6
    assert begun(small, "cid").work(middle) == 6
    assert main(["judge", "close", str(small.path)]) == 0
    page = ann.get("/work")
    assert page.status == 403
    assert "closed" in page.text
    assert main(["judge", "close", str(small.path), "--reopen"]) == 0
    assert ann.get("/work").status == 200
    with closing(sqlite3.connect(small.path)) as connection:
        for change in (
            "UPDATE screen SET shown = '[]'",
            "DELETE FROM screen",
            "UPDATE answer SET payload = '{}'",
            "DELETE FROM answer",
            "UPDATE segment SET texts = '{}'",
        ):
            with pytest.raises(sqlite3.IntegrityError, match=r"never change|only added"):
                connection.execute(change)


def test_a_test_set_that_changed_is_noticed(small: Any) -> None:
    begun(small, "ann").work(middle)
    same = {"x": ["a", "b", "c"], "y": ["d", "e", "f"]}
    read = mtassay.load_judgements(small.path, testset=mtassay.TestSet([["a b", "c d", "e f"]], same))
    assert len(read) == 6
    other = mtassay.TestSet([["a b", "c d", "e f"]], {**same, "y": ["d", "e", "F"]})
    with pytest.raises(mtassay.InputError, match="segment 3 of 'y' is not what the judges saw"):
        mtassay.load_judgements(small.path, testset=other)


def test_a_backup_while_the_campaign_runs(small: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ann = begun(small, "ann")
    ann.save(ann.page(), score="1")
    assert mtassay.judge.backup(small.path, tmp_path / "copy.db") == 1
    ann.save(ann.page(), score="2")
    assert len(read_campaign(tmp_path / "copy.db").answers) == 1
    with pytest.raises(mtassay.InputError, match="exists"):
        mtassay.judge.backup(small.path, tmp_path / "copy.db")
    ann.save(ann.page("/work?at=1"), score="3")
    assert main(["judge", "backup", str(small.path), str(tmp_path / "later.db")]) == 0
    assert capsys.readouterr().out.endswith("later.db: 3 answers, with training and all revisions\n")


def test_a_full_disk_loses_nothing(small: Any) -> None:
    ann = begun(small, "ann")
    page = ann.page()
    ann.save(page, score="1")
    # The writer's connection may use no more pages than it has: what SQLite says then is what a full disk makes it say.
    site = small.app.app.state.site
    site.writer.submit(lambda connection: connection.execute("PRAGMA max_page_count = 1")).result()
    reply = fill(ann)
    assert reply.status == 503
    assert "could not be saved" in reply.text
    again = type(page)(reply.text)
    site.writer.submit(lambda connection: connection.execute("PRAGMA max_page_count = 1000000")).result()
    n_before = len(read_campaign(small.path).log)
    assert ann.save(again, score="3").status == 303
    assert len(read_campaign(small.path).log) == n_before + 1


def test_no_answer_is_acknowledged_while_the_file_is_moved(small: Any, tmp_path: Path) -> None:
    """SQLite would store it in a log beside the old name, which a campaign under its new name does not have."""
    ann = begun(small, "ann")
    ann.save(ann.page(), score="1")
    moved = small.path.rename(tmp_path / "moved.db")
    reply = ann.save(ann.page(), score="2")
    assert reply.status == 503
    assert "could not be saved" in reply.text
    moved.rename(small.path)
    assert ann.save(type(ann.page())(reply.text), score="2").status == 303
    assert [answer.payload["score"] for answer in read_campaign(small.path).log] == [1, 2]


def fill(judge: Any) -> Any:
    """Change an answer until no page is left."""
    for score in range(1000):
        reply = judge.save(judge.page("/work?at=1"), score=str(score % 100))
        if reply.status != 303:
            return reply
    return reply
