"""``mtassay tune`` and ``mtassay rerank``: every way to run them, and what they say about bad input."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from command import refused, run
from simulated_texts import made_references

from mtassay.cli.main import main
from mtassay.data.formats.weights import read_weights
from mtassay.metrics.core.spec import parse

EXAMPLE = Path(__file__).parents[3] / "examples" / "lattice_decoder.py"
REFERENCES = made_references(12)


def candidates(n: int) -> list[str]:
    words = REFERENCES[n].split()
    texts = [words, words[:-2], [*words, "indeed"], words[::-1], words[:4]]
    matches = [len(set(text) & set(words)) for text in texts]
    return [
        f"{n} ||| {' '.join(text)} ||| LM= {(7 * n + 3 * k) % 5 - match} TM= {match + (n + k) % 3} {k} "
        f"W= {-len(text)} ||| 0"
        for k, (text, match) in enumerate(zip(texts, matches, strict=True))
    ]


LINES = [line for n in range(len(REFERENCES)) for line in candidates(n)]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """References and a list in the current folder."""
    monkeypatch.chdir(tmp_path)
    save("ref.txt", REFERENCES)
    save("list.txt", LINES)


def save(name: str, lines: list[str]) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


ONCE = ["tune", "--nbest", "list.txt", "-r", "ref.txt", "--restarts", "3"]


class TestOnce:
    def test_the_weights_choose_what_the_report_says(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = json.loads(run(capsys, *ONCE, "-m", "bleu", "-f", "json", "--save", "w.txt"))
        assert found["schema"] == "mtassay.tuning/1"
        assert found["after"] > found["before"]
        assert read_weights("w.txt") == found["weights"]
        best = run(capsys, "rerank", "list.txt", "--weights", "w.txt").splitlines()
        assert parse("bleu").corpus_score(best, [REFERENCES]) == pytest.approx(found["after"])

    def test_text_and_other_formats(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = run(capsys, *ONCE, "-m", "ter").splitlines()
        assert re.fullmatch(
            r"TER ↓ [\d.]+ → [\d.]+ · mert, restarts 3, random directions \d+, seed 12345 · 12 segments · "
            r"60 candidates",
            lines[0],
        )
        assert lines[2].split() == ["feature", "weight"]
        assert [line.split()[0] for line in lines[3:]] == ["LM_0", "TM_0", "TM_1", "W_0"]
        tsv = run(capsys, *ONCE, "-m", "ter", "-f", "tsv").splitlines()
        assert [line.split("\t")[0] for line in tsv] == ["feature", "LM_0", "TM_0", "TM_1", "W_0"]
        assert r"\begin{tabular}" in run(capsys, *ONCE, "-f", "latex")
        assert "| LM_0 |" in run(capsys, *ONCE, "-f", "markdown")

    def test_several_threads_give_the_same_bytes(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(capsys, *ONCE, "-f", "json") == run(capsys, *ONCE, "-f", "json", "-j", "2")

    @pytest.mark.parametrize("optimiser", ["mert", "pro", "mira"])
    def test_optimisers(self, capsys: pytest.CaptureFixture[str], optimiser: str) -> None:
        if optimiser == "pro":
            pytest.importorskip("sklearn")
        arguments = ["tune", "ref.txt", "--nbest", "list.txt", "--optimiser", optimiser, "-f", "json"]
        found = json.loads(run(capsys, *arguments))
        assert found["optimiser"] == optimiser
        assert found["after"] > found["before"]

    def test_options_of_optimisers(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = json.loads(run(capsys, *ONCE, "--set", "random_directions=2", "-f", "json"))
        assert found["options"]["random_directions"] == 2
        mira = ["tune", "ref.txt", "--nbest", "list.txt", "--optimiser", "mira"]
        assert json.loads(run(capsys, *mira, "--set", "decay=0.9", "-f", "json"))["options"]["decay"] == 0.9
        assert "mira: no option named 'restarts'" in refused(capsys, *mira, "--restarts", "3")
        assert "did you mean 'decay'" in refused(capsys, *mira, "--set", "decoy=1")
        assert "write NAME=NUMBER" in refused(capsys, *mira, "--set", "decay")
        assert "--task is about human judgements" in refused(capsys, *ONCE, "--task", "rank")
        assert "no optimiser named 'mer'" in refused(capsys, *ONCE, "--optimiser", "mer")

    def test_bounds(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = json.loads(run(capsys, *ONCE, "--bounds", "LM_0=0.1:", "TM_1=-1:1", "-f", "json"))
        assert found["weights"]["LM_0"] >= 0.1
        assert -1 <= found["weights"]["TM_1"] <= 1
        assert "write NAME=LOW:HIGH" in refused(capsys, *ONCE, "--bounds", "LM_0=0.1")
        for ends in ("nan:", ":nan", "inf:", "-inf:inf"):
            told = f"--bounds 'LM_0={ends}': write NAME=LOW:HIGH with finite numbers, such as LM0_0=0:2"
            assert told in refused(capsys, *ONCE, "--bounds", f"LM_0={ends}")
        assert "bounds: no feature named 'LM'" in refused(capsys, *ONCE, "--bounds", "LM=0:1")

    @pytest.mark.parametrize("bounds", ["1e200:", ":-1e200", "-1e308:1e308", "1e999:", "1e10:1e10"])
    def test_bounds_of_any_size(self, capsys: pytest.CaptureFixture[str], bounds: str) -> None:
        told = refused(capsys, *ONCE, "--bounds", f"LM_0={bounds}")
        assert re.fullmatch(r"bounds of 'LM_0': \S+ is beyond 1e\+09; only ratios of weights matter", told)
        found = json.loads(run(capsys, *ONCE, "--bounds", "LM_0=1e9:", "TM_0=1e-300:2e-300", "-f", "json"))
        assert found["weights"]["LM_0"] >= 1e9
        assert 1e-300 <= found["weights"]["TM_0"] <= 2e-300

    def test_several_starts_and_ranges(self, capsys: pytest.CaptureFixture[str]) -> None:
        save("one.txt", ["LM_0 -1", "TM_0 0", "TM_1 0", "W_0 0"])
        save("two.txt", ["0 1 -1 0.5"])
        alone = [
            json.loads(run(capsys, *ONCE, "--start", name, "-f", "json"))["before"] for name in ("one.txt", "two.txt")
        ]
        found = json.loads(run(capsys, *ONCE, "--start", "one.txt", "two.txt", "-f", "json"))
        assert [part["before"] for part in found["history"][:2]] == alone
        assert found["before"] == alone[0]
        assert found["after"] >= max(alone)
        ranges = ["--ranges", "LM_0=-1:-1", "TM_0=0:0", "TM_1=0:0", "W_0=0:0"]
        found = json.loads(run(capsys, *ONCE, *ranges, "-f", "json"))
        assert found["history"][1]["before"] == alone[0]
        several = [*ONCE, "-m", "bleu", "ter", "--start", "one.txt", "two.txt", "--resamples", "100", "-f", "json"]
        objective = json.loads(run(capsys, *several))["objectives"][0]
        assert [part["before"] for part in objective["history"][:2]] == alone
        for options, told in [
            (["--ranges", "LM_0=0"], "--ranges 'LM_0=0': write NAME=LOW:HIGH with finite numbers, such as LM0_0=0:2"),
            (["--ranges", "LM_0=0:"], "ranges of 'LM_0' need two ends, such as 0 and 1"),
            (["--ranges", "LM_0=0:1", "LM_0=0:2"], "--ranges LM_0=0:2: LM_0 has ranges twice"),
            (["--set", "ranges=3"], "ranges must be pairs of numbers by name of the feature, not 3"),
            (["--set", "starts=3"], "starts must be a list of weights by name of the feature, not 3"),
        ]:
            assert refused(capsys, *ONCE, *options) == told
        pro = [*ONCE[:-2], "--start", "one.txt", "two.txt", "--optimiser", "mira"]
        assert "mira: no option named 'starts'" in refused(capsys, *pro)

    def test_weights_in_every_form(self, capsys: pytest.CaptureFixture[str]) -> None:
        save("moses.ini", ["[weight]", "Unknown0= 1", "LM= 0.5", "TM= 0.2 0.1", "W= -1"])
        save("bare.txt", ["0.5 0.2 0.1 -1"])
        save("named.txt", ["LM_0 0.5", "TM_0 0.2", "TM_1= 0.1", "W_0=-1"])
        save("weights.json", ['{"weights": {"LM_0": 0.5, "TM_0": 0.2, "TM_1": 0.1, "W_0": -1}}'])
        starts = [["--ini", "moses.ini"], *(["--start", name] for name in ("bare.txt", "named.txt", "weights.json"))]
        found = {run(capsys, *ONCE, *start, "-f", "json") for start in starts}
        assert len(found) == 1
        weights = json.loads(found.pop())["weights"]
        run(capsys, *ONCE, "--ini", "moses.ini", "--save", "tuned.ini")
        assert read_weights("tuned.ini") == {"Unknown0_0": 1.0, **weights}
        run(capsys, *ONCE, "--ini", "moses.ini", "--save", "tuned.json")
        assert read_weights("tuned.json") == weights
        best = {
            run(capsys, "rerank", "list.txt", *given) for given in (["--ini", "tuned.ini"], ["--weights", "tuned.json"])
        }
        assert len(best) == 1

    def test_several_lists_are_taken_together(self, capsys: pytest.CaptureFixture[str]) -> None:
        save("half1.txt", LINES[::2])
        save("half2.txt", [line for n, line in enumerate(LINES) if n % 2 or n % 5 == 0])
        found = json.loads(run(capsys, "tune", "--nbest", "half1.txt", "half2.txt", "-r", "ref.txt", "-f", "json"))
        assert found["candidates"] == len(LINES)

    def test_mert_files(self, capsys: pytest.CaptureFixture[str], data_dir: Path) -> None:
        folder = data_dir / "nbest" / "regtest" / "mert.basic" / "data"
        if not folder.is_dir():
            pytest.skip(f"no folder {folder}")
        files = [str(folder / name) for name in ("FEATSTAT.txt", "SCORESTAT.txt")]
        found = json.loads(run(capsys, "tune", "--mert", *files, "--restarts", "5", "-f", "json"))
        assert found["candidates"] == 1000
        assert "leave out references" in refused(capsys, "tune", "ref.txt", "--mert", *files)


class TestBadInput:
    def test_lists(self, capsys: pytest.CaptureFixture[str]) -> None:
        for lines, told in [
            (LINES[:5] + LINES[10:], r"bad\.txt, line 6: sentence 2, but sentence 1 has no candidates"),
            ([*LINES[:7], LINES[7].replace(" W= ", " W= 1 ")], r"bad\.txt, line 8: .*"),
            ([*LINES[:7], re.sub(r"LM= \S+", "LM= nan", LINES[7])], r"bad\.txt, line 8: feature 'LM_0' is nan"),
            (LINES[:55], r"bad\.txt, line 51: sentence 10 is the last one, but the references have 12 segments"),
            ([*LINES, LINES[-1].replace("11", "12", 1)], r"bad\.txt, line 61: sentence 12 has no reference"),
            (["no list"], r"bad\.txt, line 1: 1 field"),
        ]:
            save("bad.txt", lines)
            assert re.match(told, refused(capsys, "tune", "--nbest", "bad.txt", "-r", "ref.txt"))

    def test_weights(self, capsys: pytest.CaptureFixture[str]) -> None:
        for lines, told in [
            (["LM_0 1", "TM_0 1", "TM_1 1"], "start.txt: no weight of feature 'W_0'"),
            (["LM_0 1", "TM_0 1", "TM_1 1", "W_1 1"], "start.txt: no feature named 'W_1'; did you mean 'W_0'"),
            (["1 2 3"], "start.txt, line 1: 3 weights of 4 features"),
            (["LM_0 x"], "start.txt, line 1: 'x' is not a finite number"),
            (['{"LM_0": "x"}'], "start.txt: the weight of 'LM_0' is not a finite number"),
            (['{"weights": {}}'], "start.txt has no weights"),
            (["{"], "start.txt is not JSON"),
        ]:
            save("start.txt", lines)
            assert told in refused(capsys, *ONCE, "--start", "start.txt")
            assert told in refused(capsys, "rerank", "list.txt", "--weights", "start.txt")

    def test_arguments(self, capsys: pytest.CaptureFixture[str]) -> None:
        for arguments, told in [
            (["-r", "ref.txt"], "give one of --nbest, --mert and --decoder"),
            (["--nbest", "list.txt"], "no references given"),
            ([*ONCE[1:], "--start", "a", "--ini", "b"], "--start and --ini both"),
            *(
                (["--mert", "F", "S", *options], f"{options[0]} is for lists and references")
                for options in (["--sparse-weights", "w"], ["-e", "utf-16"], ["-l", "en-zh"])
            ),
            ([*ONCE[1:], "--held-out"], "--held-out is for several objectives"),
            ([*ONCE[1:], "--alpha", ".01"], "--alpha is for several objectives"),
            (
                [*ONCE[1:], "--task", "rank"],
                "--task is about human judgements, but there are none: also give --judgements FILE",
            ),
            ([*ONCE[1:], "--run-folder", "x"], "need --decoder"),
            ([*ONCE[1:], "-m", "bleu", "ter", "--save", "x"], "leave out --save"),
            ([*ONCE[1:], "-m", "bleuu"], "did you mean 'bleu'"),
            ([*ONCE[1:], "-m", "length_ratio"], "nothing to tune towards"),
            (["-r", "ref.txt", "--decoder", "x {weights} {nbest}"], "needs --run-folder"),
            (["-r", "ref.txt", "--decoder", "x {weights} {nbest}", "--run-folder", "x"], "needs weights to start with"),
            *(
                (
                    [*("-r", "ref.txt", "--decoder", "x {weights} {nbest}", "--run-folder", "x"), *options],
                    "--save ./w would replace the weights that the run starts from",
                )
                for options in (
                    ["--start", "w", "--save", "./w"],
                    ["--start", "v", "w", "--save", "./w"],
                    ["--ini", "w", "--save", "./w"],
                )
            ),
        ]:
            assert told in refused(capsys, "tune", *arguments)
        assert "give the weights" in refused(capsys, "rerank", "list.txt")


class TestObjectives:
    def test_tables(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = [*ONCE, "-m", "bleu", "ter", "RAC1", "--also", "chrf", "--held-out", "--resamples", "200"]
        out = run(capsys, *arguments)
        assert out.count("tuned towards") == 2
        assert "6 segments held out" in out
        assert [line.split()[1] for line in out.splitlines()[3:6]] == ["BLEU", "TER", "RAC1"]
        found = json.loads(run(capsys, *arguments, "-f", "json"))
        assert [objective["metric"] for objective in found["objectives"]] == ["bleu", "ter", "RAC1"]
        assert [metric["metric"] for metric in found["outputs"][1]["compare"]["metrics"]] == [
            "bleu",
            "ter",
            "RAC1",
            "chrf",
        ]
        assert len(run(capsys, *arguments, "-f", "tsv").splitlines()) == 7

    def test_the_legend_explains_only_letters_that_are_there(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, *ONCE, "-m", "bleu", "ter", "--resamples", "1")  # p-values are .5 or 1
        assert "No row is significantly better than another (approximate randomisation, 1 resample, α = .05)." in out
        assert "Letters" not in out
        out = run(capsys, *ONCE, "-m", "bleu", "RAC1")
        assert "Letters: rows that a row is significantly better than" in out

    def test_preferences(self, capsys: pytest.CaptureFixture[str]) -> None:
        rows = ["segment\tfirst\tsecond\toutcome", *(f"{n}\tbleu\tter\t{1 if n % 3 else -1}" for n in range(1, 10))]
        save("pairs.tsv", rows)
        arguments = [*ONCE, "-m", "bleu", "ter", "--judgements", "pairs.tsv", "--resamples", "500"]
        out = run(capsys, *arguments)
        assert "0.67 (p" in out
        pairs = json.loads(run(capsys, *arguments, "-f", "json"))["preferences"]["pairs"]
        assert {(pair["system"], pair["judgements"]) for pair in pairs} == {("bleu", 9), ("ter", 9)}
        assert "no system 'chrf'" in refused(capsys, *ONCE, "-m", "bleu", "chrf", "--judgements", "pairs.tsv")


@pytest.mark.parametrize(
    "options",
    [
        ["--restarts", "100000000000"],
        ["--set", "random_directions=10000000000000"],
        ["--optimiser", "pro", "--set", "samples=99999999999999"],
        ["--optimiser", "pro", "--set", "samples=0"],
        ["--optimiser", "pro", "--set", "pairs=0"],
        ["--optimiser", "mira", "--set", "epochs=99999999999999"],
    ],
    ids=" ".join,
)
def test_counts_that_no_memory_could_hold(capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    told = refused(capsys, "tune", "--nbest", "list.txt", "-r", "ref.txt", *options)
    assert re.search(r"must be a whole number from [01] to 1,000,000, not \d+$", told)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--save", "x.txt", "-o", "x.txt"], "-o and --save name the same file: x.txt"),
        (["--save", "x.txt", "-o", "./x.txt"], "-o and --save name the same file: x.txt"),
        (["--save", "x.txt", "-o", "none/y"], "none/y cannot be written: there is no folder none; create it first"),
        (["--save", "none/y"], "none/y cannot be written: there is no folder none; create it first"),
        (["--save", "."], ". is a folder; give a file name"),
        (["--bounds", "LM_0=0:", "LM_0=1:"], "--bounds LM_0=1:: LM_0 has bounds twice"),
        (["--set", "restarts=2"], "--set restarts=2: restarts is set twice"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_refused_before_any_work(capsys: pytest.CaptureFixture[str], options: list[str], told: str) -> None:
    before = sorted(Path().iterdir())
    Path("ref.txt").rename("away.txt")  # it would be missed if it were read
    assert refused(capsys, *ONCE, *options) == told
    Path("away.txt").rename("ref.txt")
    assert sorted(Path().iterdir()) == before


def test_small_numbers_and_zeros(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, *ONCE[:-1], "0", "--set", "random_directions=0", "--bounds", "LM_0=1e-4:2E+1")
    assert "mert, restarts 0, random directions 0, seed 12345" in out
    out = run(capsys, *ONCE[:-2], "--optimiser", "mira", "--set", "largest_step=1e-2", "epochs=2")
    assert "epochs 2, largest step 0.01" in out


def test_messages_have_no_names_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    save("short.txt", LINES[:5])
    save("ref1.txt", REFERENCES[:1])
    once = ["tune", "--nbest", "short.txt", "-r", "ref1.txt", "-m", "bleu", "ter", "--held-out"]
    assert refused(capsys, *once) == "holding out half of 1 sentence leaves too few; tune on all of them"
    save("scores.txt", ["1"])
    assert "nothing to tune towards" in refused(capsys, *ONCE, "-m", "file:scores.txt")


class TestDecoder:
    def arguments(self) -> list[str]:
        save("one.txt", [f"{line} indeed" for line in REFERENCES])
        save("two.txt", [" ".join(line.split()[2:]) for line in REFERENCES])
        save("start.txt", ["Votes_0 0.1", "LM_0 0.1", "Words_0 1", "Sys_0 0.1", "Sys_1 0.1"])
        command = f"{shlex.quote(sys.executable)} {shlex.quote(str(EXAMPLE))} one.txt two.txt"
        return [
            *("tune", "--decoder", f"{command} --size 10 --weights {{weights}} --nbest {{nbest}}", "-r", "ref.txt"),
            *("--start", "start.txt", "--run-folder", "run", "--restarts", "2", "--iterations", "3"),
        ]

    def test_formats_and_pictures(self, capsys: pytest.CaptureFixture[str]) -> None:
        pytest.importorskip("matplotlib")
        arguments = self.arguments()
        out = run(
            capsys,
            *arguments,
            "--save",
            "tuned.txt",
            *("--plot", "iterations", "scores.svg", "--plot", "iterations", "x.pdf"),
        )
        assert out.startswith("BLEU ")
        assert all(Path(name).stat().st_size > 0 for name in ("scores.svg", "x.pdf"))
        found = json.loads(run(capsys, *arguments, "-f", "json"))
        assert found == json.loads(Path("run/result.json").read_text(encoding="utf-8"))
        assert read_weights("tuned.txt") == found["weights"]
        assert found["after"] > found["before"]
        rows = run(capsys, *arguments, "-f", "tsv").splitlines()
        assert len(rows) == 1 + len(found["iterations"])
        assert run(capsys, *arguments, "-f", "latex").count(r"\begin{tabular}") == 2
        assert "| Sys_1 |" in run(capsys, *arguments, "-f", "markdown")
        assert "<td>Sys_1</td>" in run(capsys, *arguments, "-f", "html")

    def test_a_failing_decoder(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("one.txt").unlink(missing_ok=True)
        arguments = self.arguments()
        Path("two.txt").unlink()
        told = refused(capsys, *arguments)
        assert told.startswith("the decoder failed with exit status 1 in iteration 1; its last lines (")
        assert "FileNotFoundError" in told

    def test_a_stuck_decoder(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ["sleep 60; : {weights} {nbest}" if "{nbest}" in word else word for word in self.arguments()]
        told = refused(capsys, *arguments, "--timeout", "0.2")
        assert told == "the decoder was stopped in iteration 1 after 0.2 seconds; it printed nothing"

    def test_sparse_features_are_said_to_be_left_out(self, capsys: pytest.CaptureFixture[str]) -> None:
        save("sparse.txt", [line.replace(" W=", " dlm_x= 3 W=") for line in LINES])
        save("start.txt", ["LM_0 1", "TM_0 1", "TM_1 1", "W_0 1"])
        arguments = ["tune", "--decoder", "cp sparse.txt {nbest} # {weights}", "-r", "ref.txt", "--start", "start.txt"]
        assert main([*arguments, "--run-folder", "run", "--restarts", "1"]) == 0
        captured = capsys.readouterr()
        assert "mert, restarts 1, random directions 10, seed 12345" in captured.out
        assert captured.err == (
            "mtassay: warning: sparse features (dlm_x …) are left out; only the decoder's other features are tuned\n"
        )

    def test_several_starts_and_ranges(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = self.arguments()
        save("more.txt", ["1 0.5 1 2 0"])
        arguments.insert(arguments.index("start.txt") + 1, "more.txt")
        found = json.loads(run(capsys, *arguments, "--ranges", "LM_0=0:1", "-f", "json"))
        assert found["options"]["starts"] == [{"Votes_0": 1, "LM_0": 0.5, "Words_0": 1, "Sys_0": 2, "Sys_1": 0}]
        assert found["options"]["ranges"] == {"LM_0": [0, 1]}
        assert "ranges: no feature named 'LM'" in refused(capsys, *arguments, "--ranges", "LM=0:1")

    def test_another_run(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = self.arguments()
        run(capsys, *arguments)
        assert 'other options (metric: "bleu", now "ter")' in refused(capsys, *arguments, "-m", "ter")
        assert "one metric" in refused(capsys, *arguments, "-m", "ter", "bleu")


def test_rerank_writes_lists(capsys: pytest.CaptureFixture[str]) -> None:
    save("w.txt", ["LM_0 0", "TM_0 1", "TM_1 0", "W_0 0.001"])
    lines = run(capsys, "rerank", "list.txt", "--weights", "w.txt", "-f", "nbest", "-o", "new.txt")
    assert lines == ""
    written = Path("new.txt").read_text(encoding="utf-8").splitlines()
    assert len(written) == len(LINES)
    scores = [float(line.rpartition("|||")[2]) for line in written[:5]]
    assert scores == sorted(scores, reverse=True)
    assert {line.rpartition(" ||| ")[0] for line in written} == {line.rpartition(" ||| ")[0] for line in LINES}


def test_rerank_in_other_formats(capsys: pytest.CaptureFixture[str]) -> None:
    save("w.txt", ["LM_0 0", "TM_0 1", "TM_1 0", "W_0 0.001"])
    arguments = ["rerank", "list.txt", "--weights", "w.txt"]
    best = run(capsys, *arguments).splitlines()
    found = json.loads(run(capsys, *arguments, "-f", "json"))
    assert found["schema"] == "mtassay.rerank/1"
    assert [one["text"] for one in found["sentences"]] == best
    rows = [line.split("\t") for line in run(capsys, *arguments, "-f", "tsv").splitlines()]
    assert rows[0] == ["sentence", "score", "text"]
    assert [(int(row[0]), float(row[1]), row[2]) for row in rows[1:]] == [
        (one["sentence"], one["score"], one["text"]) for one in found["sentences"]
    ]
    assert best[0] in run(capsys, *arguments, "-f", "html")


def test_sparse_features_are_counted_in_or_said_to_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    save("sparse.txt", ["0 ||| a ||| LM= 1 dlm_x= 1 ||| 0", "0 ||| b ||| LM= 1.5 ||| 0"])
    save("w.txt", ["LM_0 1"])
    assert main(["rerank", "sparse.txt", "--weights", "w.txt"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "b\n"
    assert (
        captured.err
        == "mtassay: warning: sparse features (dlm_x …) are left out; --sparse-weights FILE includes them\n"
    )
    save("w.txt", ["LM_0 1", "sparse 1"])
    save("s.txt", ["dlm_x 2"])
    assert run(capsys, "rerank", "sparse.txt", "--weights", "w.txt", "--sparse-weights", "s.txt") == "a\n"
