"""The command ``mtassay score``, run in-process on small files; numbers are sacreBLEU's."""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from pathlib import Path

import command
import pytest
import sacrebleu
from command import refused

from mtassay.cli.main import main

REF = ["The cat sat on the mat.", "There is a dog in the garden, I think.", "Good morning!", "It costs 3.50 euros."]
SYSTEMS = {
    "a": ["The cat sat on a mat.", "There is a dog in the garden I think.", "Good morning!", "It costs 3.50 euros."],
    "b": ["Cat on mat.", "A dog is in the garden.", "Morning good!", "That is 3.50 euro."],
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in {"ref.txt": REF, "a.txt": SYSTEMS["a"], "b.txt": SYSTEMS["b"]}.items():
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    Path("docs.txt").write_text("d1\nd1\nd2\nd2\n")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.run(capsys, "score", *arguments)


def peer(metric: sacrebleu.metrics.base.Metric, system: str) -> float:
    return float(metric.corpus_score(SYSTEMS[system], [REF]).score)


@pytest.mark.usefixtures("files")
class TestTable:
    def test_best_system_first_and_marked(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "ref.txt", "-i", "b.txt", "a.txt", "-m", "bleu", "ter")
        lines = out.splitlines()
        assert lines[0] == "4 segments · 1 reference · 2 systems"
        assert lines[2].split() == ["system", "BLEU", "TER", "↓"]
        assert lines[3].split() == ["a", f"*{peer(sacrebleu.BLEU(), 'a'):.1f}", f"*{peer(sacrebleu.TER(), 'a'):.1f}"]
        assert lines[4].split() == ["b", f"{peer(sacrebleu.BLEU(), 'b'):.1f}", f"{peer(sacrebleu.TER(), 'b'):.1f}"]
        assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|mtassay:" in lines[-1]

    def test_score_only(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "ref.txt", "-i", "a.txt", "-b", "-w", "4")
        assert out == f"{peer(sacrebleu.BLEU(), 'a'):.4f}\n"

    def test_options_given_again_add_up(self, capsys: pytest.CaptureFixture[str]) -> None:
        once = run(capsys, "ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf", "ter", "--names", "x", "y")
        again = ["-i", "a.txt", "-i", "b.txt", "-m", "bleu", "-m", "chrf", "ter", "--names", "x", "--names", "y"]
        assert run(capsys, "ref.txt", *again) == once

    def test_references_given_again_add_up(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "-r", "ref.txt", "-r", "b.txt", "-i", "a.txt", "-m", "chrf")
        assert out.startswith("4 segments · 2 references (ref, b) · 1 system\n")

    def test_defaults_are_not_added_to(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "BLEU" not in run(capsys, "ref.txt", "-i", "a.txt", "-m", "ter", "-m", "chrf")
        assert "BLEU" in run(capsys, "ref.txt", "-i", "a.txt")

    def test_standard_input(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        text = "".join(f"{line}\n" for line in SYSTEMS["a"]).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert run(capsys, "ref.txt", "-b", "-w", "6") == f"{peer(sacrebleu.BLEU(), 'a'):.6f}\n"

    @pytest.mark.parametrize(("format_", "mark"), [("latex", r"\textbf{"), ("markdown", "**"), ("tsv", "\t")])
    def test_other_formats(self, capsys: pytest.CaptureFixture[str], format_: str, mark: str) -> None:
        out = run(capsys, "ref.txt", "-i", "a.txt", "b.txt", "-f", format_)
        assert mark in out
        assert f"{peer(sacrebleu.BLEU(), 'a'):.1f}" in out or format_ == "tsv"

    def test_tsv_has_all_digits(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "ref.txt", "-i", "a.txt", "-m", "chrf", "-f", "tsv")
        header, row = out.splitlines()
        assert header == "system\tchrF2"
        assert float(row.split("\t")[1]) == pytest.approx(peer(sacrebleu.CHRF(), "a"), rel=1e-12)

    def test_components(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "ref.txt", "-i", "a.txt", "b.txt", "-v")
        expected = sacrebleu.BLEU().corpus_score(SYSTEMS["a"], [REF])
        (line,) = [line for line in out.splitlines() if line.startswith("P3")]
        assert line.split()[1] == f"{expected.precisions[2]:.2f}"

    @pytest.mark.parametrize("rule", ["exp", "floor", "add-k", "none"])
    @pytest.mark.parametrize(
        "hypothesis", ["", "zebra", "no word is here", "cat", "The cat", "The zebra sat", "The cat sat on the mat."]
    )
    def test_components_of_few_words(self, capsys: pytest.CaptureFixture[str], hypothesis: str, rule: str) -> None:
        Path("one.txt").write_text(f"{REF[0]}\n", encoding="utf-8")
        Path("short.txt").write_text(f"{hypothesis}\n", encoding="utf-8")
        theirs = sacrebleu.BLEU(smooth_method=rule).corpus_score([hypothesis], [REF[:1]])
        shown = run(capsys, "one.txt", "-i", "short.txt", "-v", "-s", rule)
        precisions = [line.split()[1] for line in shown.splitlines() if line.startswith("P")]
        assert precisions == [f"{precision:.2f}" for precision in theirs.precisions]
        entry = json.loads(run(capsys, "one.txt", "-i", "short.txt", "-f", "json", "-s", rule))
        assert entry["verbose_score"] == theirs._verbose
        assert [entry["components"][f"P{n}"] for n in range(1, 5)] == theirs.precisions
        assert entry["components"]["BP"] == theirs.bp

    def test_output_file_is_written(self, capsys: pytest.CaptureFixture[str], files: Path) -> None:
        assert run(capsys, "ref.txt", "-i", "a.txt", "-b", "-o", "out.txt") == ""
        assert (files / "out.txt").read_text() == f"{peer(sacrebleu.BLEU(), 'a'):.1f}\n"


@pytest.mark.usefixtures("files")
class TestJson:
    def test_one_score_is_an_object_with_sacrebleus_names(self, capsys: pytest.CaptureFixture[str]) -> None:
        entry = json.loads(run(capsys, "ref.txt", "-i", "a.txt", "-f", "json"))
        score = sacrebleu.BLEU().corpus_score(SYSTEMS["a"], [REF])
        theirs = json.loads(
            score.format(signature="nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp", is_json=True, width=9)
        )
        for key in ("name", "verbose_score", "nrefs", "case", "eff", "tok", "smooth"):
            assert entry[key] == theirs[key]
        assert entry["score"] == pytest.approx(theirs["score"], abs=1e-9)
        assert (entry["system"], entry["higher_is_better"], entry["n_segments"]) == ("a", True, 4)
        assert entry["schema"] == "mtassay.score/1"

    def test_several_scores_are_a_list(self, capsys: pytest.CaptureFixture[str]) -> None:
        entries = json.loads(
            run(capsys, "ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "ter", "-f", "json", "-w", "2")
        )
        assert [(entry["system"], entry["name"]) for entry in entries] == [
            ("a", "BLEU"),
            ("a", "TER"),
            ("b", "BLEU"),
            ("b", "TER"),
        ]
        assert entries[3]["score"] == round(peer(sacrebleu.TER(), "b"), 2)


@pytest.mark.usefixtures("files")
class TestLevels:
    def test_segments_as_tsv(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf", "-sl")
        header, *rows = [line.split("\t") for line in out.splitlines()]
        assert header == ["segment", "system", "BLEU", "chrF2"]
        assert [row[:2] for row in rows[:3]] == [["1", "a"], ["1", "b"], ["2", "a"]]
        bleu = sacrebleu.BLEU(effective_order=True)
        for number, system, score, _ in rows:
            i = int(number) - 1
            assert float(score) == pytest.approx(bleu.sentence_score(SYSTEMS[system][i], [REF[i]]).score, rel=1e-9)

    def test_segments_as_json_lines(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "ref.txt", "-i", "a.txt", "-m", "ter", "-sl", "-f", "json", "--documents", "docs.txt")
        rows = [json.loads(line) for line in out.splitlines()]
        assert rows[2] == {"segment": 3, "system": "a", "doc": "d2", "TER": 0.0}

    def test_groups_in_every_format(self, capsys: pytest.CaptureFixture[str]) -> None:
        asked = ["ref.txt", "-i", "a.txt", "b.txt", "--documents", "docs.txt", "--by", "doc"]
        tsv = [line.split("\t") for line in run(capsys, *asked, "-f", "tsv").splitlines()]
        assert tsv[0] == ["doc", "system", "segments", "BLEU"]
        assert [row[:3] for row in tsv[1:4]] == [["", "a", "4"], ["", "b", "4"], ["d1", "a", "2"]]
        assert run(capsys, *asked, "-f", "latex").count(r"\begin{tabular}") == 2
        assert "| d2 | a | 2 |" in run(capsys, *asked, "-f", "markdown")

    def test_documents(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "ref.txt", "-i", "a.txt", "--documents", "docs.txt", "--by", "doc", "-f", "json")
        scores = {entry["doc"]: entry["score"] for entry in json.loads(out) if "doc" in entry}
        assert scores["d1"] == pytest.approx(sacrebleu.BLEU().corpus_score(SYSTEMS["a"][:2], [REF[:2]]).score)
        assert scores["d2"] == pytest.approx(sacrebleu.BLEU().corpus_score(SYSTEMS["a"][2:], [REF[2:]]).score)


@pytest.mark.usefixtures("files")
class TestSacrebleusFlags:
    @pytest.mark.parametrize(
        ("flags", "metric"),
        [
            (["-tok", "char"], sacrebleu.BLEU(tokenize="char")),
            (
                ["-lc", "-s", "floor", "-sv", "0.5"],
                sacrebleu.BLEU(lowercase=True, smooth_method="floor", smooth_value=0.5),
            ),
            (["-l", "en-zh"], sacrebleu.BLEU(trg_lang="zh")),
            (["-m", "chrf", "-cc", "4", "-cw", "1"], sacrebleu.CHRF(char_order=4, word_order=1)),
            (["-m", "chrf", "--chrf-beta", "3", "--chrf-lowercase"], sacrebleu.CHRF(beta=3, lowercase=True)),
            (
                ["-m", "chrf", "--chrf-whitespace", "--chrf-eps-smoothing"],
                sacrebleu.CHRF(whitespace=True, eps_smoothing=True),
            ),
            (
                ["-m", "ter", "--ter-case-sensitive", "--ter-normalized"],
                sacrebleu.TER(case_sensitive=True, normalized=True),
            ),
            (["-m", "ter", "--ter-no-punct", "--ter-asian-support"], sacrebleu.TER(no_punct=True, asian_support=True)),
        ],
    )
    def test_same_number(
        self, capsys: pytest.CaptureFixture[str], flags: list[str], metric: sacrebleu.metrics.base.Metric
    ) -> None:
        assert run(capsys, "ref.txt", "-i", "b.txt", "-b", "-w", "9", *flags) == f"{peer(metric, 'b'):.9f}\n"

    def test_references_in_columns(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = [f"{one}\t{two}\n" for one, two in zip(REF, SYSTEMS["a"], strict=True)]
        Path("refs.tsv.txt").write_text("".join(lines))
        expected = sacrebleu.BLEU().corpus_score(SYSTEMS["b"], [REF, SYSTEMS["a"]]).score
        assert run(capsys, "refs.tsv.txt", "-nr", "2", "-i", "b.txt", "-b", "-w", "9") == f"{expected:.9f}\n"
        Path("refs.tsv.txt").rename("refs.tsv")
        assert run(capsys, "refs.tsv", "-nr", "2", "-i", "b.txt", "-b", "-w", "9") == f"{expected:.9f}\n"

    def test_the_pair_of_a_folder_chooses_the_tokenizer(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("mine/hyp").mkdir(parents=True)
        Path("ref.txt").rename("mine/ref.txt")
        Path("b.txt").rename("mine/hyp/b.txt")
        expected = peer(sacrebleu.BLEU(tokenize="zh"), "b")
        assert run(capsys, "mine", "-l", "en-zh", "-b", "-w", "9") == f"{expected:.9f}\n"

    def test_only_the_last_column_ends_a_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("columns").write_text("a b \tc \n")
        Path("hyp").write_text("a b\n")
        expected = sacrebleu.CHRF(whitespace=True).corpus_score(["a b"], [["a b "], ["c"]]).score
        asked = ["columns", "-nr", "2", "-i", "hyp", "-m", "chrf", "--chrf-whitespace"]
        assert run(capsys, *asked, "-b", "-w", "9") == f"{expected:.9f}\n"

    def test_options_of_a_specification_win(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "ref.txt", "-i", "b.txt", "-b", "-w", "9", "-m", "bleu:tok=none", "-tok", "char")
        assert out == f"{peer(sacrebleu.BLEU(tokenize='none'), 'b'):.9f}\n"

    def test_short_signature(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "#:1|c:mixed|e:no|tok:13a|s:exp|v:" in run(capsys, "ref.txt", "-i", "a.txt", "-sh")

    def test_warns_of_tokenised_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("long.txt").write_text("a b .\n" * 100)
        assert main(["score", "long.txt", "-i", "long.txt"]) == 0
        assert "looks tokenised" in capsys.readouterr().err
        for flags in (["-q"], ["--force"], ["-tok", "none"]):
            run(capsys, "long.txt", "-i", "long.txt", *flags)


@pytest.mark.usefixtures("files")
class TestRefusals:
    def test_unequal_lines(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("short.txt").write_text("one\n")
        line = refused(capsys, "score", "ref.txt", "-i", "short.txt")
        expected = "short.txt has 1 line, ref.txt has 4: every system needs one line per reference line"
        assert line == expected

    def test_an_output_without_its_option(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path("short.txt").write_text("one\n")
        hint = "(nothing was given with -i, so {0} was taken as a reference; to score it, write -i {0})"
        for path, typed, said in (
            ("a.txt", b"", "standard input is empty"),
            (
                "short.txt",
                b"a\n" * 4,
                "short.txt has 1 line, ref.txt has 4: all references need the same number of lines",
            ),
        ):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
            assert refused(capsys, "score", "ref.txt", path) == f"{said} {hint.format(path)}"
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        assert refused(capsys, "score", "ref.txt") == "standard input is empty"

    def test_all_references_and_others(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("set.jsonl").write_text('{"refs": {"refA": "a", "refB": "b"}, "tgt": {"x": "a"}}\n')
        for names in (["all", "refA"], ["refA", "all"]):
            line = refused(capsys, "score", "set.jsonl", "--references", *names)
            assert "--references all takes every reference: leave out the other names" in line

    def test_a_language_pair_that_contradicts_the_name(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("news.en-de.jsonl").write_text('{"ref": "a", "tgt": {"x": "a"}}\n')
        line = refused(capsys, "score", "news.en-de.jsonl", "-l", "en-fr")
        assert "news.en-de.jsonl is a single test set, for en-de by its name; leave out -l en-fr" in line

    def test_unknown_metric(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "did you mean 'bleu'?" in refused(capsys, "score", "ref.txt", "-i", "a.txt", "-m", "bleuu")

    def test_unknown_option(self, capsys: pytest.CaptureFixture[str]) -> None:
        refused(capsys, "score", "ref.txt", "-i", "a.txt", "--no-such-option")

    def test_unknown_verb(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "did you mean 'score'?" in refused(capsys, "scores")

    def test_wrong_encoding(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("latin.txt").write_bytes("ok\nok\nok\ncafé\n".encode("latin-1"))
        line = refused(capsys, "score", "ref.txt", "-i", "latin.txt")
        assert "latin.txt, line 4" in line

    def test_empty_and_missing_files(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("empty.txt").write_text("")
        assert "empty.txt" in refused(capsys, "score", "ref.txt", "-i", "empty.txt")
        assert "nowhere.txt" in refused(capsys, "score", "ref.txt", "-i", "nowhere.txt")

    def test_same_name_twice(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "--names" in refused(capsys, "score", "ref.txt", "-i", "a.txt", "a.txt")

    def test_metric_twice(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "twice" in refused(capsys, "score", "ref.txt", "-i", "a.txt", "-m", "bleu", "bleu:tok=13a")

    def test_nothing_is_half_written(self, capsys: pytest.CaptureFixture[str], files: Path) -> None:
        refused(capsys, "score", "ref.txt", "-i", "a.txt", "-sl", "-f", "latex", "-o", "out.txt")
        assert {path.name for path in files.iterdir()} == {"ref.txt", "a.txt", "b.txt", "docs.txt"}


@pytest.mark.usefixtures("files")
class TestLanguagePair:
    @pytest.mark.parametrize("target", ["xx", "sw"])
    def test_a_target_that_meteor_does_not_know(self, capsys: pytest.CaptureFixture[str], target: str) -> None:
        spec = "meteor:data=none,stages=exact"
        assert "lang:other" in run(capsys, "ref.txt", "-i", "a.txt", "-l", f"en-{target}", "-m", spec)

    def test_the_target_chooses_tokenizers_and_meteors_language(self, capsys: pytest.CaptureFixture[str]) -> None:
        spec = "meteor:stages=exact,data=none"
        out = run(capsys, "ref.txt", "-i", "a.txt", "-l", "en-zh", "-m", "bleu", "wer", "rouge1", spec, "--signatures")
        assert out.count("tok:zh") == 3
        assert "lang:other" in out
        out = run(capsys, "ref.txt", "-i", "a.txt", "-l", "en-de", "-m", "wer", spec, "--signatures")
        assert "tok:13a" in out
        assert "lang:de" in out
        assert "lang:fr" in run(capsys, "ref.txt", "-i", "a.txt", "-l", "en-de", "-m", f"{spec},lang=fr")

    @pytest.mark.parametrize("spec", ["meteor:data=none", "0.5*chrf+50*meteor:data=none", "cross:meteor:data=none"])
    def test_meteor_says_that_it_takes_texts_for_english(self, capsys: pytest.CaptureFixture[str], spec: str) -> None:
        files = ["ref.txt", "-i", "a.txt", "b.txt"]
        assert main(["score", *files, "-m", spec]) == 0
        assert "METEOR takes the texts for English" in capsys.readouterr().err
        for silent in (["-l", "en-de", "-m", spec], ["-q", "-m", spec], ["-m", "meteor:lang=de,data=none"]):
            assert main(["score", *files, *silent]) == 0
            assert not capsys.readouterr().err

    @pytest.mark.parametrize(("missing", "is_warned"), [("b", True), ("ab", False), ("", False)])
    def test_means_over_different_segments_are_warned_of(
        self, capsys: pytest.CaptureFixture[str], missing: str, *, is_warned: bool
    ) -> None:
        n_segments = len(Path("ref.txt").read_text().splitlines())
        rows = [(name, n, None if n == 0 and name in missing else 0.5) for name in "ab" for n in range(n_segments)]
        Path("x.seg.score").write_text("".join(f"{name}\t{score}\n" for name, _, score in rows))
        assert main(["score", "ref.txt", "-i", "a.txt", "b.txt", "-m", "file:x.seg.score"]) == 0
        assert ("lack scores of different segments" in capsys.readouterr().err) == is_warned

    def test_scores_of_whole_systems_lack_no_segment(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("x.sys.score").write_text("a\t0.5\nb\t0.6\n")
        assert main(["score", "ref.txt", "-i", "a.txt", "b.txt", "-m", "file:x.sys.score"]) == 0
        assert not capsys.readouterr().err

    def test_signatures_are_not_left_out_in_silence(self, capsys: pytest.CaptureFixture[str]) -> None:
        message = refused(capsys, "score", "ref.txt", "-i", "a.txt", "--signatures", "-f", "tsv")
        assert "--signatures is for tables of systems" in message

    def test_advice_can_be_typed(self, capsys: pytest.CaptureFixture[str]) -> None:
        message = refused(capsys, "score", "ref.txt", "-i", "a.txt", "-m", "0.5*wer+0.5*bleu")
        assert message.endswith("so write 0.5*bleu-0.5*wer")
        assert run(capsys, "ref.txt", "-i", "a.txt", "-m", "0.5*bleu-0.5*wer", "-b").count(".") == 1


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    line = capsys.readouterr().out
    for flag in ("-V", "--version"):
        assert run(capsys, flag) == line


@pytest.mark.usefixtures("files")
def test_paired_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["ref.txt", "-i", "a.txt", "b.txt", "--paired-bs", "-pbsn", "100"]
    assert run(capsys, *arguments, "--paired-jobs", "2") == run(capsys, *arguments)


def test_all_options_of_sacrebleu_are_known() -> None:
    from mtassay.cli.score import _parser
    from mtassay.compat.sacrebleu.arguments import make_parser

    def flags(parser: argparse.ArgumentParser) -> set[str]:
        return {flag for action in parser._actions for flag in action.option_strings}

    assert flags(make_parser()) <= flags(_parser())


@pytest.mark.usefixtures("files")
def test_detail(capsys: pytest.CaptureFixture[str]) -> None:
    assert "use --by domain" in refused(capsys, "score", "ref.txt", "-i", "a.txt", "--detail")


@pytest.mark.usefixtures("files")
def test_no_seed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "none")
    drawn = {re.findall(r"seed:(\d+)", run(capsys, "ref.txt", "-i", "a.txt", "-ci", "-cin", "5"))[0] for _ in range(3)}
    assert len(drawn) > 1
