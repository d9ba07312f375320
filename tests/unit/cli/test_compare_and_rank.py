"""``mtassay compare``, ``mtassay rank``, and sacreBLEU's paired options of ``mtassay score``."""

from __future__ import annotations

import json
from pathlib import Path

import command
import numpy as np
import pytest
from simulated_texts import write_simulated

import mtassay
from mtassay.cli.main import main
from mtassay.report.wording import better_than, letters_of_rows

SYSTEMS = {"good": 0.05, "close": 0.06, "bad": 0.5}


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference and three systems in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_simulated(SYSTEMS, np.random.default_rng(1))
    Path("docs.txt").write_text("".join(f"d{n // 5}\n" for n in range(40)), encoding="utf-8")


INPUTS = ["ref.txt", "-i", "good.txt", "close.txt", "bad.txt"]


def run(capsys: pytest.CaptureFixture[str], verb: str, *arguments: str) -> str:
    return command.run(capsys, verb, *INPUTS, *arguments)


def refused(capsys: pytest.CaptureFixture[str], verb: str, *arguments: str) -> str:
    return command.refused(capsys, verb, *INPUTS, *arguments)


class TestCompare:
    def test_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "compare", "-m", "bleu", "ter", "--resamples", "500")
        bleu, ter = out.split("\n\n")[0:4:2]
        assert bleu == "BLEU, approximate randomisation, 500 resamples, seed 12345, α = .05, 3 pairs"
        assert ter.startswith("TER, ")
        lines = out.splitlines()
        assert lines[2].split() == ["system", "BLEU", "95", "%", "interval", "better", "than"]
        assert [line.split()[1] for line in lines[3:6]][-1] == "bad"
        assert lines[3].split()[-1] == lines[4].split()[-1] == "c"
        assert "TER ↓" in out
        words = "The metrics lead to the same conclusions on all 3 pairs.\nThe p-values are not adjusted for the 3"
        assert words in out
        assert words not in run(capsys, "compare", "-m", "bleu", "ter", "--resamples", "500", "-q")
        guide = "better than: the letters of systems that the row is significantly better than (p ≤ .05);"
        assert lines[-2] == guide
        assert guide not in run(capsys, "compare", "-m", "bleu", "ter", "--resamples", "500", "-q")

    def test_pairs_and_adjustment(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "compare", "--resamples", "500", "--pairs", "--adjust", "holm", "--signatures")
        assert "Holm's adjustment" in out
        assert "p adjusted" in out
        assert "BLEU|nrefs:1|ar:500|seed:12345|" in out

    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = json.loads(run(capsys, "compare", "--resamples", "300", "-f", "json", "--seed", "7"))
        assert found["schema"] == "mtassay.compare/1"
        assert (found["test"], found["sides"], found["resamples"], found["seed"]) == ("ar", 2, 300, 7)
        [metric] = found["metrics"]
        assert {entry["system"] for entry in metric["systems"]} == set(SYSTEMS)
        worst = metric["systems"][-1]
        assert (worst["system"], worst["better_than"]) == ("bad", [])
        assert len(metric["pairs"]) == 3
        for pair in metric["pairs"]:
            assert 0 < pair["p"] <= 1
            low, high = pair["interval"]
            assert low <= pair["difference"] <= high

    @pytest.mark.parametrize("format_", ["tsv", "latex", "markdown"])
    def test_other_formats(self, capsys: pytest.CaptureFixture[str], format_: str) -> None:
        out = run(capsys, "compare", "--resamples", "200", "-f", format_)
        assert "good" in out
        assert out != run(capsys, "compare", "--resamples", "200", "-f", format_, "--pairs")

    def test_tsv_keeps_names_with_blanks_apart(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("bad.txt").rename("bad, very.txt")
        assert main(["compare", "ref.txt", "-i", "good.txt", "bad, very.txt", "--resamples", "200", "-f", "tsv"]) == 0
        header, best, worst = capsys.readouterr().out.splitlines()
        assert header.split("\t")[-1] == "better_than"
        assert [json.loads(row.split("\t")[-1]) for row in (best, worst)] == [["bad, very"], []]

    def test_tsv_is_one_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ("-m", "bleu", "ter", "--resamples", "200", "-f", "tsv")
        for flags in ([], ["--pairs"]):
            header, *rows = run(capsys, "compare", *arguments, *flags).splitlines()
            assert all(row.count("\t") == header.count("\t") for row in rows)
            assert [row.split("\t")[0] for row in rows] == ["BLEU"] * 3 + ["TER"] * 3

    def test_too_few_draws_for_the_correction(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "use more --resamples" in run(capsys, "compare", "--resamples", "40", "--adjust", "holm")
        assert "use more --resamples" not in run(capsys, "compare", "--resamples", "400", "--adjust", "holm")

    def test_same_seed_same_bytes(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ("-m", "bleu", "chrf", "--resamples", "600", "--pairs", "-f", "json")
        assert run(capsys, "compare", *arguments, "-j", "1") == run(capsys, "compare", *arguments, "-j", "3")
        assert run(capsys, "compare", *arguments) != run(capsys, "compare", *arguments, "--seed", "1")

    def test_documents_and_few_of_them(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "compare", "--unit", "doc", "--documents", "docs.txt")
        assert "all 256 exchanges" in out
        assert "by document" in out

    def test_all_tests(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "compare", "--test", "all", "--resamples", "200")
        assert "riezler-maxwell" in out
        found = json.loads(run(capsys, "compare", "--test", "all", "--resamples", "200", "-f", "json"))
        assert found["tests"][0] == "ar 1-sided"
        np.testing.assert_array_equal(np.diag(found["metrics"][0]["similarity"]), 1.0)

    def test_a_picture(self, capsys: pytest.CaptureFixture[str]) -> None:
        pytest.importorskip("matplotlib")
        run(capsys, "compare", "--resamples", "200", "--plot", "heatmap", "p.svg")
        assert Path("p.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")
        run(capsys, "compare", "--resamples", "200", "--plot", "distribution", "d.svg", "--pair", "good", "bad")
        pictures = ["--plot", "heatmap", "t.svg", "--plot", "distribution", "u.svg"]
        run(capsys, "compare", "--resamples", "200", "--test", "all", *pictures)
        assert Path("t.svg").is_file()
        assert Path("u.svg").is_file()

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--test", "art"], "no test named 'art'"),
            (["-tok", "intl"], "mtassay compare has no -tok: write it into the metric, as in -m bleu:tok=intl"),
            (["-tok=intl"], "mtassay compare has no -tok: write it into the metric, as in -m bleu:tok=intl"),
            (["-tokintl"], "mtassay compare has no -tok: write it into the metric, as in -m bleu:tok=intl"),
            (["--tokenize=intl"], "mtassay compare has no --tokenize: write it into the metric, as in -m bleu:tok"),
            (["-lc"], "mtassay compare has no -lc: write it into the metric, as in -m bleu:case=lower"),
            (["--sides", "1", "--test", "ar2"], "the name ar2 says how many sides the test has"),
            (["--sides", "2", "--test", "pbs"], "the sides of pbs are 1"),
            (["--resamples", "-5"], "resamples must be"),
            (["--alpha", "5"], "alpha must be between 0 and 1"),
            (["--adjust", "holmes"], "did you mean 'holm'"),
            (["--unit", "doc"], "no document labels"),
            (["--baseline", "goood"], "did you mean 'good'"),
            (["-m", "length_ratio"], "no direction"),
            (["--runs", "["], "not a regular expression"),
            (["--runs", "xyz"], "no system's name matches the pattern"),
            (["--runs", ".*"], "leaves nothing"),
            (["--plot", "heatmap", "nowhere/x.svg"], "there is no folder nowhere"),
            (["--plot", "heatmap", "x.svg", "-o", "x.svg"], "name the same file"),
            (["--test", "bs", "bs2"], "bs2 is given twice"),
            (["--plot", "heat", "x.svg"], "no plot named 'heat'; did you mean 'heatmap'"),
            (["--plot", "heatmap", "x.gif"], "x.gif"),
            (["--pair", "good", "bad"], "--pair chooses"),
            (["--test", "all", "--pairs"], "leave out --pairs"),
        ],
    )
    def test_what_is_refused(self, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
        assert said in refused(capsys, "compare", *arguments)
        assert not Path("x.svg").exists()


class TestRank:
    def test_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "rank", "-m", "bleu", "chrf", "--resamples", "500", "--sweep")
        assert "agreement of clusters, S(C, D)" in out
        assert "mean S(C, D)" in out
        rows = out.split("\n\n")[1].splitlines()
        assert rows[0].split() == ["cluster", "BLEU", "systems"]
        assert set(rows[1].split()[-2:]) == {"good", "close"}
        assert rows[2].split()[-1] == "bad"
        assert any(line.startswith(".05 ") for line in out.splitlines())

    def test_json_and_intervals(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = json.loads(run(capsys, "rank", "--resamples", "300", "--by-intervals", "-f", "json"))
        assert (found["schema"], found["criterion"]) == ("mtassay.rank/1", "intervals")
        assert (found["test"], found["sides"], found["adjust"]) == (None, None, None)
        assert "|bs:300|" in found["metrics"][0]["signature"]
        printed = run(capsys, "rank", "--resamples", "300", "--by-intervals")
        assert printed.startswith("BLEU, clusters of overlapping percentile intervals of 95 %, 300 resamples, seed ")
        assert [set(members) for members in found["metrics"][0]["clusters"]] == [{"good", "close"}, {"bad"}]
        swept = json.loads(run(capsys, "rank", "--resamples", "300", "--sweep", "-f", "json"))
        assert swept["sweep"][-1]["alpha"] == 0.05

    def test_bca_intervals_are_called_so(self, capsys: pytest.CaptureFixture[str]) -> None:
        options = ["--resamples", "300", "--interval", "bca"]
        assert "clusters of overlapping BCa intervals of 95 %" in run(capsys, "rank", *options, "--by-intervals")
        assert run(capsys, "compare", *options, "--pairs").count("95 % BCa interval") == 2

    def test_formats_and_a_picture(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "\n\n| cluster |" in run(capsys, "rank", "--resamples", "200", "-f", "markdown")
        header, *rows = run(capsys, "rank", "-m", "bleu", "ter", "--resamples", "200", "-f", "tsv").splitlines()
        assert header.split("\t") == ["metric", "cluster", "system", "score"]
        assert {row.split("\t")[0] for row in rows} == {"BLEU", "TER"}
        pytest.importorskip("matplotlib")
        run(capsys, "rank", "--resamples", "200", "--plot", "clusters", "c.svg")
        assert Path("c.svg").read_bytes().startswith(b"<?xml")

    def test_what_is_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "leave out --test" in refused(capsys, "rank", "--by-intervals", "--adjust", "holm")
        assert "a sweep over significance levels needs tests" in refused(capsys, "rank", "--sweep", "--by-intervals")
        assert "no plot named 'tree'" in refused(capsys, "rank", "--plot", "tree", "x.svg")


class TestPaired:
    def test_bootstrap(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "score", "--paired-bs")
        assert "* p < 0.05 against good" in out
        assert "bs:1000|seed:12345" in out
        assert out.splitlines()[4].split()[-1].startswith(("0.", "*0.", "1."))

    def test_randomisation_in_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        entries = json.loads(run(capsys, "score", "-m", "bleu", "chrf", "-par", "-parn", "300", "-f", "json"))
        assert len(entries) == 6
        assert entries[0]["p_value"] is None
        assert "mean" not in entries[0]
        assert entries[-1]["p_value"] == 1 / 301

    def test_confidence_of_one_system(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["score", "ref.txt", "-i", "bad.txt", "-ci", "-cin", "200", "-f", "tsv"]) == 0
        header, row = capsys.readouterr().out.splitlines()
        assert header.split("\t") == ["system", "metric", "score", "mean", "ci", "p_value"]
        assert row.startswith("bad\tBLEU\t")
        assert row.endswith("\t")

    def test_a_metric_without_direction_has_an_interval(self, capsys: pytest.CaptureFixture[str]) -> None:
        entries = json.loads(run(capsys, "score", "-ci", "-m", "length_ratio", "-f", "json"))
        assert all(abs(entry["mean"] - entry["score"]) < 0.05 for entry in entries)

    def test_the_seed_of_the_environment(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one = run(capsys, "score", "-pbs", "-f", "json")
        monkeypatch.setenv("SACREBLEU_SEED", "1")
        assert run(capsys, "score", "-pbs", "-f", "json") != one
        monkeypatch.setenv("SACREBLEU_SEED", "some")
        assert "SACREBLEU_SEED is 'some'" in refused(capsys, "score", "-pbs")

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["-ci", "-sl"], "leave out -sl"),
            (["-pbs", "-par"], "not allowed with"),
            (["-ci", "-par"], "p-values only"),
            (["-ci", "-cin", "-1"], "resamples must be"),
            (["-pbs", "-m", "length_ratio"], "no direction"),
        ],
    )
    def test_what_is_refused(self, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
        assert said in refused(capsys, "score", *arguments)

    def test_a_test_needs_two(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["score", "ref.txt", "-i", "bad.txt", "-pbs"]) == 2
        assert "needs a baseline and another system" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["compare --test bs", "rank --test bs", "rank --by-intervals", "power --trials 20"])
def test_one_resample_has_no_plural(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert ", 1 resample, " in run(capsys, *command.split(), "--resamples", "1", "--seed", "1")


def test_one_difference_has_no_plural() -> None:
    rng = np.random.default_rng(4)
    reference = "a b c d e f g h"
    systems = {
        name: [" ".join(word if rng.random() > rate else "x" for word in reference.split()) for _ in range(12)]
        for name, rate in {"good": 0.2, "fair": 0.26, "bad": 0.32}.items()
    }
    shown = str(mtassay.compare([[reference] * 12], systems, metrics=["wer"], resamples=1000))
    assert "0 of 1 difference remains; no longer significant: a/c" in shown


def test_letters_go_on_after_z() -> None:
    letters = letters_of_rows()
    names = [next(letters) for _ in range(29)]
    assert names[0] == "a"
    assert names[25:] == ["z", "aa", "ab", "ac"]


def test_runs_of_letters_are_shortened() -> None:
    assert better_than([1, 2, 3, 5, 6], range(8)) == "b–d f g"
    assert better_than([], range(8)) == ""
