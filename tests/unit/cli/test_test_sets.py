"""``-t SET -l PAIR`` and what can be asked about test sets, on a cache that the test makes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from command import refused, run
from sacrebleu.dataset import DATASETS

from mtassay.cli.main import main

SET = ["-t", "wmt23", "-l", "en-de"]


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sacrebleu_cache: SimpleNamespace) -> SimpleNamespace:
    """A file with a system's outputs, the references themselves."""
    monkeypatch.chdir(tmp_path)
    lines = [f"der Satz d{d} {i} ist lang genug" for d, n in ((1, 2), (2, 3)) for i in range(n)]
    Path("mine.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return sacrebleu_cache


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert end.value.code in {None, 0}
    return capsys.readouterr().out


@pytest.mark.usefixtures("outputs")
class TestScoring:
    def test_a_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = json.loads(run(capsys, "score", *SET, "-i", "mine.txt", "-f", "json"))
        assert (found["name"], round(found["score"], 9)) == ("BLEU", 100)

    def test_standard_input(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("mine.txt").read_bytes())))
        assert run(capsys, "score", *SET, "-b").strip() == "100.0"

    def test_a_terminal(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        class Terminal(io.TextIOWrapper):
            def isatty(self) -> bool:
                return True

        monkeypatch.setattr("sys.stdin", Terminal(io.BytesIO(Path("mine.txt").read_bytes())))
        assert main(["score", *SET, "-b"]) == 0
        assert "reading hypotheses from the terminal" in capsys.readouterr().err

    def test_systems_of_the_release(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = run(capsys, "score", *SET, "--systems", "all", "-i", "mine.txt").splitlines()
        assert [line.split()[0] for line in lines[3:6]] == ["mine", "good", "bad"]
        assert "5 segments" in lines[0]
        assert "bad" not in run(capsys, "score", *SET, "--systems", "good")

    def test_part_of_the_segments(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "score", *SET, "--systems", "good", "--origlang", "de", "--by", "doc")
        assert "3 segments" in out
        assert "d1" not in out
        assert "2 segments" in run(capsys, "score", *SET, "-i", "mine.txt", "--subset", "news")

    def test_several_sets(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("twice.txt").write_text(Path("mine.txt").read_text() * 2)
        for sets in (["-t", "wmt23", "-t", "wmt23"], ["-t", "wmt23,wmt23"]):
            assert "10 segments" in run(capsys, "score", *sets, "-l", "en-de", "-i", "twice.txt")

    def test_references(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "2 references" in run(capsys, "score", *SET, "-i", "mine.txt", "--references", "all")
        assert "ref:refB" in run(capsys, "score", *SET, "-i", "mine.txt", "--references", "ref:refB")

    @pytest.mark.parametrize("verb", ["compare", "rank"])
    def test_other_verbs(self, capsys: pytest.CaptureFixture[str], verb: str) -> None:
        out = run(capsys, verb, *SET, "--systems", "all", "-i", "mine.txt", "--resamples", "50")
        assert all(name in out for name in ("mine", "good", "bad"))

    def test_convert(self, capsys: pytest.CaptureFixture[str]) -> None:
        run(capsys, "convert", *SET, "-o", "set.en-de.jsonl")
        first = json.loads(Path("set.en-de.jsonl").read_text(encoding="utf-8").splitlines()[0])
        assert "bad" in str(first)
        assert "2 systems" in run(capsys, "score", "set.en-de.jsonl")


@pytest.mark.usefixtures("outputs")
class TestQuestions:
    def test_list(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = asked(capsys, "score", "--list")
        assert len(out.splitlines()) == len(DATASETS)
        assert "wmt23 " in out
        assert "wmt09" in asked(capsys, "rank", "--list", "-l", "it-en")
        assert asked(capsys, "compare", "--list", "-t", "wmt23,wmt17/ms") == "wmt23: en-de\nwmt17/ms: zh-en\n"

    def test_cite(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert asked(capsys, "score", "--cite", "-t", "wmt17") == f"{DATASETS['wmt17'].citation}\n"

    def test_echo(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert asked(capsys, "score", *SET, "--echo", "src").splitlines()[1] == "sentence d1 1"
        both = asked(capsys, "score", *SET, "--echo", "docid", "ref:refB", "--origlang", "de").splitlines()
        assert both[0] == "d2\tein der Satz d2 0 ist lang genug"
        assert len(both) == 3
        assert asked(capsys, "score", *SET, "--echo", "ref").startswith("der Satz")
        assert asked(capsys, "score", *SET, "--echo", "all").splitlines()[0].count("\t") == 7

    def test_download(self, capsys: pytest.CaptureFixture[str], outputs: SimpleNamespace) -> None:
        assert asked(capsys, "score", "--download", "wmt23") == ""
        assert (outputs.folder / "wmt23" / "wmt23.en-de.src").is_file()
        outputs.close()
        assert "mine" in run(capsys, "score", *SET, "-i", "mine.txt")


@pytest.mark.usefixtures("outputs")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "wmt17", "-l", "en-de", "-i", "mine.txt"], "run mtassay score --download wmt17 -l en-de on a machine"),
        (["-t", "wmt23", "-i", "mine.txt"], "wmt23 needs a language pair"),
        (["-t", "wmt2", "-l", "en-de", "-i", "mine.txt"], "no test set named 'wmt2'"),
        ([*SET, "ref.txt", "-i", "mine.txt"], "leave out REF"),
        ([*SET, "--source", "s.txt", "-i", "mine.txt"], "leave out --source"),
        ([*SET, "-i"], "-i needs at least one file"),
        ([*SET, "-i", "short.txt"], "short.txt has 1 line, the test set wmt23 has 5"),
        ([*SET, "--systems", "all", "-i", "good.txt"], "already has a system 'good'"),
        ([*SET, "--systems", "other"], "no system named 'other'"),
        (["ref.txt", "-i", "mine.txt", "--origlang", "de"], "give -t SET"),
        (["--echo", "src"], "--echo needs a test set"),
        (["--echo", "src", "-t", "wmt23"], "--echo needs a language pair: -l en-de"),
        ([*SET, "--echo", "dst"], "has no field 'dst'"),
        ([*SET, "--echo", "all", "src"], "leave out the others"),
        (["--cite"], "--cite needs a test set"),
        (["--cite", "-t", "wmt24"], "sacreBLEU has no citation of wmt24"),
        (["--download", "wmt2"], "no test set named 'wmt2'"),
        (["-i", "mine.txt"], "or -t SET"),
    ],
)
def test_errors(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    Path("short.txt").write_text("one line\n")
    Path("good.txt").write_text(Path("mine.txt").read_text())
    assert message in refused(capsys, "score", *arguments)
