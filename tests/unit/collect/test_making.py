"""``judge new``: which segments and items a campaign has, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.collect.database import serialized
from mtassay.errors import InputError
from mtassay.sample import sample_path


def screens(path: Path) -> list[tuple[int, int, int, str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT task, position, segment, kind, shown FROM screen ORDER BY id").fetchall()


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    sample = mtassay.load(sample_path(), lp="de-en")

    def new(testset: mtassay.TestSet = sample, **options: Any) -> Path:
        path = tmp_path / "c.db"
        path.unlink(missing_ok=True)
        mtassay.judge.new(path, testset, **options)
        return path

    return new


def test_blocks_of_direct_assessment(make: Callable[..., Path]) -> None:
    """A full task: 10 blocks of 7 outputs, a degraded one, a repeat and a reference; pairs 41 to 59 places apart."""
    rows = screens(make(protocol="da", training=0))
    task = [row for row in rows if row[0] == 1]
    assert len(task) == 100
    for block in range(10):
        kinds = [row[3] for row in task[10 * block : 10 * block + 10]]
        assert sorted(kinds) == [""] * 7 + ["degraded", "reference", "repeat"]
    outputs = {(row[2], json.loads(row[4])[0]["systems"][0]): row for row in task if row[3] == ""}
    for _, position, segment, kind, shown in task:
        [item] = json.loads(shown)
        if kind in ("degraded", "repeat"):
            first = outputs[segment, item["systems"][0]]
            assert 41 <= abs(position - first[1]) <= 59
            assert (item["text"] == json.loads(first[4])[0]["text"]) == (kind == "repeat")


def test_every_output_is_in_one_task(make: Callable[..., Path]) -> None:
    rows = [row for row in screens(make(protocol="da", task_size=20, segments=11, training=0)) if row[3] == ""]
    shown = [(row[2], system) for row in rows for system in json.loads(row[4])[0]["systems"]]
    assert len(shown) == len(set(shown)) == 66


def test_samples_of_segments(make: Callable[..., Path]) -> None:
    sample = mtassay.load(sample_path(), lp="de-en")
    assert sample.documents is not None
    assert sample.sources is not None
    chosen = {row[2] for row in screens(make(protocol="mqm", sample="document", segments=10, training=0))}
    documents = {sample.documents[segment - 1] for segment in chosen}
    assert chosen == {number for number, name in enumerate(sample.documents, 1) if name in documents}
    chosen = {row[2] for row in screens(make(protocol="mqm", sample="length", segments=8, training=0))}
    ranks = sorted(range(64), key=lambda at: (len(sample.sources[at].split()), at))  # type: ignore[index]
    assert sorted(ranks.index(segment - 1) // 8 for segment in chosen) == list(range(8))
    rows = screens(make(protocol="rank", max_words=8, training=0))
    assert all(len(sample.sources[row[2] - 1].split()) <= 8 for row in rows)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--protocol", "rnk"], "no protocol named 'rnk'; did you mean 'rank'?"),
        (["--protocol", "da", "--task-size", "30"], "a task with control items has 20, 40"),
        (["--segments", "65"], "65 segments cannot be chosen"),
        (["--max-words", "1"], "no segment of at most 1 words has 2 different outputs"),
        (["--sample", "docs"], "no way of choosing segments named 'docs'"),
        (["--repeats", ".9"], "share of repeated screens"),
        (["--protocol", "da", "--screens", "5"], "da shows every output"),
        (["--judges-per-task", "0"], "judges per task must be a whole number from 1"),
        (["--judges-per-task", "9" * 26], "judges per task must be a whole number from 1 to 1,000,000"),
        (["--screens", "1" + "0" * 18], "screens must be a whole number from 1 to 1,000,000"),
        (["--aspect", "fluency"], "for direct assessment"),
        (["--protocol", "da", "--aspect", "style"], "no aspect named 'style'"),
        (["--show", "picture"], "no text to show named 'picture'"),
        (["--protocol", "mqm", "--weights", "minor=x"], "'minor' has the weight 'x'; it must be a number from 0"),
        (["--protocol", "mqm", "--weights", "minor=nan", "major=5", "critical=25"], "has the weight 'nan'"),
        (["--protocol", "mqm", "--weights", "minor=1", "minor=2", "major=5", "critical=25"], "'minor' is given twice"),
        (["--protocol", "mqm", "--weights", "minor=1e308", "major=5", "critical=25"], "a number from 0 to 1e+09"),
        (["--protocol", "esa", "--categories", "style"], "error categories are for mqm, not for the protocol esa"),
        (["--sample", "document"], "the sample 'document' is of some segments: give their number, --segments"),
        (["--protocol", "mqm", "--weights", "minor=1"], "one for each of minor, major, critical"),
        (["--url", "ftp://x"], "not an address such as"),
        (["--url", "http://a/\r\nX: y"], "not an address such as"),
        (["--assignment", "all"], "no assignment named 'all'"),
        (["--controls", "yes"], "control items are for scores"),
        (["--lease", "0"], "the lease must be a number above 0"),
        (["--lease", "inf"], "the lease must be a number above 0, up to 1,000,000, not inf"),
        (["--pace", "1e300"], "the pace must be a number above 0, up to 1,000,000, not 1e+300"),
        (["--seed", "-1"], "the seed must be a whole number that is not negative"),
        (["--name", ""], "'' is not a valid campaign name"),
        (["--name", "\udcff"], r"the campaign name '\udcff' is not valid UTF-8"),
        (["--protocol", "mqm", "--categories", "\udcff"], r"the category name '\udcff' is not valid UTF-8"),
        (["--protocol", "mqm", "--categories", "style", "style"], "an error category is given twice"),
    ],
)
def test_what_cannot_be_made(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", "new", str(tmp_path / "c.db"), str(sample_path()), *words]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"segments": 2.5}, "the number of segments must be a whole number from 1"),
        ({"max_words": "30"}, "the number of words must be a whole number from 1"),
        ({"lease": "30"}, "the lease must be a number above 0"),
        ({"instructions": 3}, "the instructions must be a text"),
        ({"protocol": []}, "no protocol named '\\[\\]'"),
        ({"repeats": "x"}, "the share of repeated screens must be from 0 to 0.5, not 'x'"),
        ({"show": 5}, "show must be a list such as .*, not 5"),
        ({"show": "source"}, "show must be a list such as .*, not 'source'"),
        ({"protocol": "mqm", "categories": 5}, "categories must be a list such as .*, not 5"),
        ({"protocol": "mqm", "categories": "abc"}, "categories must be a list such as .*, not 'abc'"),
        ({"protocol": "da", "controls": "no"}, "controls must be True or False, not 'no'"),
        ({"protocol": "da", "controls": {1}}, "controls must be True or False, not {1}"),
        ({"protocol": "da", "controls": float("nan")}, "controls must be True or False, not nan"),
        ({"url": 5}, "5 is not an address such as"),
        ({"instructions": "\udcff"}, "in valid UTF-8"),
    ],
)
def test_values_of_another_type(options: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(mtassay.InputError, match=message):
        mtassay.judge.new(tmp_path / "c.db", mtassay.load(sample_path(), lp="de-en"), **options)
    assert not list(tmp_path.iterdir())


def test_the_plan_does_not_replace_its_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "c.db")
    assert main(["judge", "new", path, str(sample_path()), "-o", path]) == 2
    assert f"CAMPAIGN and -o name the same file: {path}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_plan_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["judge", "new", str(tmp_path / "c.db"), str(sample_path()), "--judges-per-task", "2"]
    assert main([*words, "--pace", "30"]) == 0
    printed = capsys.readouterr().out
    assert (
        "4 tasks with 71 screens, 2 judges per task: about 1.2 hours of work at 30 s per screen (as given)" in printed
    )
    assert main(words) == 2
    assert "exists; choose another name" in capsys.readouterr().err
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "nowhere")
    assert main(["judge", "new", str(link), str(sample_path())]) == 2
    assert "exists; choose another name" in capsys.readouterr().err
    assert link.is_symlink()


def test_folders_that_are_missing(
    make: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "none" / "c.db")
    for words in (["new", missing, str(sample_path())], ["backup", str(make()), missing]):
        assert main(["judge", *words]) == 2
        assert f"{missing} cannot be written: there is no folder" in capsys.readouterr().err


def test_a_campaign_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a full disk: one line, and no file."""

    def fail(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("mtassay.collect.making.set_meta", fail)
    with pytest.raises(mtassay.errors.InputError, match=r"c\.db cannot be written: database or disk is full"):
        mtassay.judge.new(tmp_path / "c.db", mtassay.load(sample_path(), lp="de-en"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("serializes", [True, False], ids=["now", "before-3.36"])
def test_a_new_campaign_can_be_changed_while_others_read(
    serializes: bool, make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not serializes:

        def old(connection: sqlite3.Connection) -> bytes:
            return serialized(cast("sqlite3.Connection", SimpleNamespace(backup=connection.backup)))

        monkeypatch.setattr("mtassay.collect.making.serialized", old)
    path = make()
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM meta").fetchall()
        mtassay.judge.edit(path, name="news")
        assert reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("action", ["new", "backup"])
def test_a_campaign_of_another_process_is_not_replaced(
    action: str,
    make: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "other.db"
    words = [str(path), str(sample_path())] if action == "new" else [str(make()), str(path)]
    # The last step before the file gets its name.
    monkeypatch.setattr("mtassay.io.atomic.check_replaceable", lambda _: path.write_text("another", encoding="utf-8"))
    assert main(["judge", action, *words]) == 2
    assert capsys.readouterr().err == f"mtassay: {path} exists; choose another name\n"
    assert path.read_text(encoding="utf-8") == "another"
    assert not [one for one in tmp_path.iterdir() if one.suffix == ".tmp"]


@pytest.mark.skipif(sys.platform == "win32", reason="kills another process")
def test_a_killed_command_leaves_no_file(tmp_path: Path) -> None:
    script = """
import os, signal, sys
from mtassay.cli.main import main
from mtassay.collect import making

making._add_task = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
main(["judge", "new", *sys.argv[1:]])
"""
    words = [sys.executable, "-c", script, str(tmp_path / "c.db"), str(sample_path())]
    assert subprocess.run(words, check=False, timeout=60).returncode == -signal.SIGKILL
    assert not list(tmp_path.iterdir())


def test_campaigns_are_not_written_to_standard_output(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make()
    monkeypatch.chdir(path.parent)
    for words in (["new", "-", str(sample_path())], ["backup", str(path), "-"]):
        assert main(["judge", *words]) == 2
        assert "a campaign cannot be written to standard output; give a file name" in capsys.readouterr().err


@pytest.mark.parametrize("action", ["invite", "status", "export", "backup", "close", "edit", "serve"])
def test_files_that_are_no_campaigns(action: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE t (a)")
    text = tmp_path / "text.db"
    text.write_text("hello", encoding="utf-8")
    more = {"invite": ["ann"], "export": ["-o", str(tmp_path / "out")], "backup": [str(tmp_path / "copy.db")]}
    more["edit"] = ["--name", "news"]
    for path, message in (
        (other, "is not a campaign"),
        (text, "not a campaign"),
        (tmp_path / "none.db", "no such file"),
    ):
        assert main(["judge", action, str(path), *more.get(action, [])]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["edit"], "nothing to change: give --name, --instructions"),
        (["edit", "--name", ""], "'' is not a valid campaign name"),
        (["edit", "--name", "\udcff"], r"the campaign name '\udcff' is not valid UTF-8"),
        (["invite", "ann", "\udcff"], r"the judge name '\udcff' is not valid UTF-8"),
    ],
)
def test_changes_that_are_refused(
    words: list[str], message: str, make: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = make()
    before = path.read_bytes()
    assert main(["judge", words[0], str(path), *words[1:]]) == 2
    assert message in capsys.readouterr().err
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_written(make: Callable[..., Path], tmp_path: Path) -> None:
    """An archived campaign can be read, and is called a campaign."""
    folder = tmp_path / "archive"
    folder.mkdir()
    path = make().rename(folder / "c.db")
    folder.chmod(0o555)
    try:
        if os.access(folder, os.W_OK):
            pytest.skip("this user may write into any folder: run as another one")
        assert mtassay.judge.status(path).judges == ()
        assert mtassay.judge.backup(path, tmp_path / "copy.db") == 0
        with pytest.raises(mtassay.InputError, match=r"c\.db cannot be written: attempt to write a readonly database"):
            mtassay.judge.close(path)
        assert [one.name for one in folder.iterdir()] == ["c.db"]
        path.chmod(0)
        for read in (mtassay.judge.status, mtassay.judge.close):
            with pytest.raises(mtassay.InputError, match=r"c\.db cannot be read: permission denied"):
                read(path)
    finally:
        folder.chmod(0o755)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has file names of any bytes")
def test_a_file_name_that_is_not_utf8(make: Callable[..., Path], tmp_path: Path) -> None:
    path = make().rename(tmp_path / "\udcff.db")
    assert mtassay.judge.status(path).judges == ()


def test_invitations(make: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    path = str(make())
    assert main(["judge", "invite", path, "ann", "--url", "https://example.org/x/"]) == 0
    name, link = capsys.readouterr().out.strip().split("\t")
    assert name == "ann"
    assert link.startswith("https://example.org/x/j/")
    assert main(["judge", "invite", path, "--number", "3"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in printed] == ["judge-1", "judge-2", "judge-3"]
    assert all("https://example.org/x/j/" in line for line in printed)
    for words, message in (
        (["ann"], "already invited"),
        (["ben", "ben"], "already invited"),
        (["--renew", "nobody"], "no judge named 'nobody'"),
        ([], "nobody to invite"),
        (["--number", "0"], "from 1 to"),
        (["x", "--number", "1"], "not both"),
    ):
        assert main(["judge", "invite", path, *words]) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(InputError, match="judges must be a list such as"):
        mtassay.judge.invite(path, "ben")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_links_that_cannot_be_shown_can_be_renewed(unbuffered: str, tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    made = f"the campaign is made: for a new link run mtassay judge edit {path} --new-organiser-link\n"
    no_space = "cannot write to standard output: No space left on device"

    def judge(arguments: str) -> str:
        done = subprocess.run(
            f"{sys.executable} -m mtassay judge {arguments}",
            shell=True,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )
        assert done.returncode == 2
        return done.stderr

    assert judge(f"new {path} {sample_path()} > /dev/full") == f"mtassay: {no_space}; {made}"
    assert judge(f"invite {path} ann > /dev/full") == (
        f"mtassay: {no_space}; the judges are invited: for a new link run mtassay judge invite {path} --renew NAME\n"
    )
    path.unlink()
    found = judge(f"new {path} {sample_path()} -o /dev/full")
    assert found == f"mtassay: /dev/full cannot be written: No space left on device; {made}"


def test_fewer_training_screens_than_asked_for_are_announced(tmp_path: Path) -> None:
    testset = mtassay.load(sample_path())
    plan = mtassay.judge.new(tmp_path / "few.db", testset, training=1000)
    assert (plan.n_training, plan.n_training_asked) == (testset.n_segments, 1000)
    assert f"{testset.n_segments} training screens instead of 1,000: each needs a segment of its own" in str(plan)
    assert "instead of" not in str(mtassay.judge.new(tmp_path / "some.db", testset, training=3))


def test_many_screens_take_seconds_and_compare_all_pairs_alike(tmp_path: Path) -> None:
    testset = mtassay.load(sample_path())
    mtassay.judge.new(tmp_path / "many.db", testset, protocol="pair", screens=6000, repeats=0.0)
    pairs = Counter(
        frozenset(system for output in json.loads(shown) for system in output["systems"])
        for *_, kind, shown in screens(tmp_path / "many.db")
        if not kind
    )
    n_pairs = len(testset.systems) * (len(testset.systems) - 1) // 2
    met = [sum(n for names, n in pairs.items() if {a, b} <= names) for a, b in combinations(testset.systems, 2)]
    assert len(met) == n_pairs
    assert max(met) - min(met) < 0.05 * 6000 / n_pairs
