"""``file:PATH`` in Python and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import command
import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.errors import InputError, SpecError
from mtassay.metrics.external.file import FileMetric

SEGMENTS = "a\t0.25\na\t0.5\na\t1\nb\t-1\nb\t0\nb\t0.1\nhuman\tNone\nhuman\t1\nhuman\t1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {
        "ref.txt": "the cat\na dog\nit rains\n",
        "a.txt": "the cat\na dog\nit rained\n",
        "b.txt": "cat\ndog\nrain\n",
        "docs.txt": "d\nd\ne\n",
        "COMET.seg.score": SEGMENTS,
        "COMET.sys.score": "a\t0.1\nb\t0.7\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    Path("sub").mkdir()
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.run(capsys, "score", "ref.txt", "-i", "a.txt", "b.txt", "-m", *arguments)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.refused(capsys, "score", "ref.txt", "-i", "a.txt", "b.txt", "-m", *arguments)


class TestCommand:
    def test_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = run(capsys, "file:COMET.seg.score", "bleu", "--signatures").splitlines()
        assert lines[2].split() == ["system", "COMET", "BLEU"]
        assert lines[3].split()[:2] == ["a", "*0.5833"]
        assert lines[4].split()[:2] == ["b", "-0.3000"]
        assert "COMET|nrefs:1|file:COMET.seg.score|sha256:" in lines[-2]

    def test_direction_and_label(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "file:COMET.seg.score,higher_is_better=no,label=My errors")
        assert "My errors ↓" in out
        assert out.splitlines()[3].split() == ["b", "*-0.3000"]

    def test_documents(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "file:COMET.seg.score", "--documents", "docs.txt", "--by", "doc", "-f", "tsv")
        rows = [line.split("\t") for line in out.splitlines()]
        assert ["d", "a", "2", "0.375"] in rows
        assert ["e", "b", "1", "0.1"] in rows

    def test_segments(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "file:COMET.seg.score", "-sl")
        assert out.splitlines()[:3] == ["segment\tsystem\tCOMET", "1\ta\t0.25", "1\tb\t-1.0"]

    @pytest.mark.parametrize(("flags", "name"), [(["-f", "tsv"], "own.tsv"), (["-f", "json"], "own.jsonl")])
    def test_own_segment_scores_read_back(
        self, capsys: pytest.CaptureFixture[str], flags: list[str], name: str
    ) -> None:
        table = run(capsys, "chrf", "bleu", "-sl", *flags)
        Path(name).write_text(table)
        result = mtassay.score(
            mtassay.TestSet(
                [Path("ref.txt").read_text().splitlines()],
                {name: Path(f"{name}.txt").read_text().splitlines() for name in "ab"},
            ),
            metrics=["chrf", f"file:{name},column=chrF2", "bleu", f"file:{name},column=BLEU"],
        )
        scores = result.segment_scores()
        np.testing.assert_array_equal(scores[..., 1::2], scores[..., ::2])

    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        entries = json.loads(run(capsys, "file:COMET.sys.score", "-f", "json"))
        assert [(entry["system"], entry["score"], entry["level"]) for entry in entries] == [
            ("a", 0.1, "system"),
            ("b", 0.7, "system"),
        ]
        assert entries[0]["name"] == "COMET"
        assert entries[0]["file"] == "COMET.sys.score"

    @pytest.mark.parametrize("flags", [["-sl"], ["-sl", "-f", "json"], ["-sl", "-b"], ["-sl", "-o", "out.tsv"]])
    def test_system_scores_have_no_segments(self, capsys: pytest.CaptureFixture[str], flags: list[str]) -> None:
        for spec in ("file:COMET.sys.score", "0.5*bleu+0.5*file:COMET.sys.score"):
            assert refused(capsys, "bleu", spec, *flags) == (
                f"{spec} has only scores of whole systems, but segment scores need scores of segments"
            )
        assert not Path("out.tsv").exists()

    def test_system_scores_have_no_documents(self, capsys: pytest.CaptureFixture[str]) -> None:
        message = refused(capsys, "file:COMET.sys.score", "--documents", "docs.txt", "--by", "doc")
        assert "scores of documents, domains and other parts need scores of segments" in message

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("file:COMMET.seg.score", "COMMET.seg.score: no such file; did you mean 'COMET.seg.score'?"),
            ("file:sub", "sub is a folder; give a file"),
            ("file:ref.txt", "ref.txt, line 1: neither a header with 'system' nor scores"),
        ],
    )
    def test_wrong_files(self, capsys: pytest.CaptureFixture[str], spec: str, message: str) -> None:
        assert message in refused(capsys, spec)

    def test_a_system_is_missing(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["score", "ref.txt", "-i", "a.txt", "--names", "humans", "-m", "file:COMET.seg.score"]) == 2
        assert "no system named 'humans'; did you mean 'human'?" in capsys.readouterr().err

    def test_a_score_is_missing(self, capsys: pytest.CaptureFixture[str]) -> None:
        rows = ["1", "None", "2"]
        Path("gap.seg.score").write_text("".join(f"a\t{row}\n" for row in rows), encoding="utf-8")
        command = ["score", "ref.txt", "-i", "a.txt", "-m", "file:gap.seg.score"]
        assert main([*command, "-b"]) == 0
        assert capsys.readouterr().out == "1.5000\n"
        assert main([*command, "-sl"]) == 0
        assert [line.split("\t")[2] for line in capsys.readouterr().out.splitlines()[1:]] == ["1.0", "None", "2.0"]
        assert main([*command, "-sl", "-f", "json", "-w", "1"]) == 0
        assert [json.loads(line)["gap"] for line in capsys.readouterr().out.splitlines()] == [1.0, None, 2.0]
        Path("docs.txt").write_text("x\ny\nx\n", encoding="utf-8")
        assert main([*command, "--documents", "docs.txt", "--by", "doc", "-f", "json"]) == 0
        entries = json.loads(capsys.readouterr().out)
        assert [entry["score"] for entry in entries] == [1.5, 1.5, None]
        assert [entry["n_segments"] for entry in entries] == [3, 2, 1]  # also those without a score

    def test_listing(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["score", "--list-metrics"]) == 0
        names = [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()]
        assert {"file", "comet"} <= set(names)


class TestPython:
    def test_texts_cannot_be_scored(self) -> None:
        hypotheses = Path("a.txt").read_text().splitlines()
        for spec in ("file:COMET.seg.score", "0.5*bleu+0.5*file:COMET.seg.score"):
            metric = mtassay.metric(spec)
            for call in (metric.corpus_score, metric.segment_scores):
                with pytest.raises(SpecError, match=r"of the systems of a test set, not of texts; use mtassay\.score"):
                    call(hypotheses, [hypotheses])
            with pytest.raises(SpecError, match="not of texts"):
                metric.pairwise(hypotheses, hypotheses)

    def test_a_system_that_is_called_hypotheses_does_not_help(self) -> None:
        Path("x.sys.score").write_text("hypotheses\t1\n")
        with pytest.raises(SpecError, match="not of texts"):
            mtassay.metric("file:x.sys.score").corpus_score(["a"], [["a"]])

    def test_identifiers_of_the_test_set(self) -> None:
        Path("x.tsv").write_text("id\tsystem\tscore\nq\ta\t2\np\ta\t1\n")
        testset = mtassay.TestSet([["x", "y"]], {"a": ["x", "y"]}, ids=["p", "q"])
        assert mtassay.score(testset, metrics=["file:x.tsv"]).segment_scores().ravel().tolist() == [1.0, 2.0]

    def test_number_of_segments(self) -> None:
        with pytest.raises(InputError, match=r"COMET\.seg\.score, line 3: 3 scores of a, the test set has 1 segment:"):
            mtassay.score([["x"]], {"a": ["x"]}, metrics=["file:COMET.seg.score"])

    @pytest.mark.parametrize(
        ("spec", "label"),
        [
            ("file:sub/COMET-refA.seg.score.gz", "COMET-refA"),
            ("file:x.tsv", "x"),
            ("file:x.tsv,column=COMET", "COMET"),
            ("file:x.tsv,column=COMET,metric=M", "M"),
            ("file:x.tsv,column=COMET,label=L", "L"),
            ("file:.tsv", ".tsv"),
            ("file:a\tb.tsv", "a\\tb"),
        ],
    )
    def test_labels(self, spec: str, label: str) -> None:
        assert mtassay.metric(spec).label == label

    @pytest.mark.parametrize(
        ("spec", "better"),
        [
            ("file:segment.tsv", "'segment' is the name of another column in tables of segments; give segment.tsv"),
            ("file:sub/system.seg.score", "give system.seg.score another label: label=..."),
            ("file:x.tsv,label=id", "give x.tsv another label: label=..."),
            ("file:x.tsv,label=Doc", "'Doc' is the name of another column"),
            ("file:x.tsv,column=domain", "'domain' is the name of another column"),
        ],
    )
    def test_labels_of_other_columns(self, spec: str, better: str) -> None:
        with pytest.raises(SpecError) as raised:
            mtassay.metric(spec)
        assert better in str(raised.value)

    def test_another_label_for_a_file_that_is_called_like_a_column(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("segment.tsv").write_text(SEGMENTS)
        lines = run(capsys, "file:segment.tsv,label=mine", "-sl", "-f", "json").splitlines()
        assert json.loads(lines[0]) == {"segment": 1, "system": "a", "mine": 0.25}

    def test_signatures_do_not_name_folders(self) -> None:
        Path("sub/COMET.seg.score").write_text(SEGMENTS)
        path = Path("sub/COMET.seg.score").resolve()
        metric = mtassay.metric(f"0.5*bleu+0.5*file:{path}")
        result = mtassay.score([["x"] * 3], {"a": ["x"] * 3}, metrics=[metric, f"file:{path}"])
        for signature in result.signatures:
            assert str(path.parent) not in str(signature)
            assert "COMET.seg.score" in str(signature)

    def test_home(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for variable in ("HOME", "USERPROFILE"):
            monkeypatch.setenv(variable, str(folder / "sub"))
        (folder / "sub" / "x.seg.score").write_text(SEGMENTS)
        (folder / "~draft.seg.score").write_text(SEGMENTS.replace("0.25", "0.75"))
        metric = mtassay.metric("file:~/x.seg.score")
        assert str(metric) == "file:~/x.seg.score"
        assert mtassay.metric(str(metric)) == metric
        result = mtassay.score([["x"] * 3], {"a": ["x"] * 3}, metrics=[metric, "file:~draft.seg.score"])
        assert result.scores.tolist() == [[1.75 / 3, 2.25 / 3]]

    def test_the_content_makes_the_signature(self) -> None:
        def digest() -> str:
            entries = FileMetric(path="COMET.seg.score").signature_entries()
            return next(entry.value for entry in entries if entry.name == "sha256")

        before = digest()
        Path("COMET.seg.score").write_text(SEGMENTS.replace("0.25", "0.26"))
        assert digest() != before
