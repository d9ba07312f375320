"""``mtassay metaeval``: inputs, formats and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import command
import numpy as np
import pytest
from simulated_texts import made_references, with_losses

SYSTEMS = {"good": 0.05, "fair": 0.2, "poor": 0.4, "bad": 0.6, "unjudged": 0.5}
JUDGED = list(SYSTEMS)[:4]
N_SEGMENTS = 30


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two language pairs, with preferences and scores that follow the rate of dropped words."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(1)
    for lp in ("fr-en", "de-en"):
        Path(lp, "hyp").mkdir(parents=True)
        reference = made_references(N_SEGMENTS)
        write(Path(lp, "ref"), reference)
        for name, rate in SYSTEMS.items():
            write(Path(lp, "hyp", name), with_losses(reference, rate, generator))
        pairs, scores = [], ["system\tsegment\tscore"]
        for segment in range(1, N_SEGMENTS + 1):
            value = {name: 100 * (1 - SYSTEMS[name]) + generator.normal(0, 15) for name in JUDGED}
            ranked = sorted(JUDGED, key=lambda name: -value[name])
            pairs += [f"{segment}\t{ranked[a]}\t{ranked[b]}" for a in range(4) for b in range(a + 1, 4)]
            scores += [f"{name}\t{segment}\t{value[name]}" for name in JUDGED]
        write(Path(lp, "pairs.tsv"), pairs)
        write(Path(lp, "da.tsv"), scores)


def write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.run(capsys, "metaeval", *arguments)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.refused(capsys, "metaeval", *arguments)


PAIRS = ["fr-en", "--judgements", "fr-en/pairs.tsv"]
SCORES = ["fr-en", "--judgements", "fr-en/da.tsv"]


class TestText:
    def test_segment_level(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = run(capsys, *PAIRS, "-m", "bleu", "ter", "chrf", "--level", "segment").splitlines()
        assert lines[0] == "segment level: Kendall τ (WMT13: metric ties ignored)"
        assert lines[1] == "fr-en: 4 systems (not judged: 1), 1 reference (ref), 180 preferences"
        assert lines[3].split() == ["metric", "τ", "(WMT13)", "tied"]
        assert [line.split()[-1] for line in lines[4:7]] == ["%"] * 3
        values = [float(line.split()[1].lstrip("*")) for line in lines[4:7]]
        assert values == sorted(values, reverse=True)
        assert lines[-3:] == ["lower is better, so the sign was changed: TER", "", "* best"]

    def test_unknown_systems_are_named_at_once_or_left_out(self, capsys: pytest.CaptureFixture[str]) -> None:
        judged = Path("fr-en/da.tsv").read_text(encoding="utf-8")
        write(Path("more.tsv"), [judged + "odd\t1\t5\nodd\t2\t6\nstrange\t1\t7"])
        more = ["fr-en", "--judgements", "more.tsv", "-m", "chrf"]
        assert "more.tsv: systems that the test set does not have: 'odd' (line " in refused(capsys, *more)
        assert "'strange' (line " in refused(capsys, *more)
        out = run(capsys, *more, "--ignore-unknown")
        assert out.replace(", judged but left out: odd, strange", "") == run(capsys, *SCORES, "-m", "chrf")
        assert ", judged but left out: odd, strange" in out

    def test_official_outliers(self, capsys: pytest.CaptureFixture[str]) -> None:
        """WMT22 en-de in the layout of mt-metrics-eval, with the outlier of that year."""
        for folder in ("sources", "references", "documents", "system-outputs/en-de"):
            Path("wmt22", folder).mkdir(parents=True)
        shutil.copy("fr-en/ref", "wmt22/sources/en-de.txt")
        shutil.copy("fr-en/ref", "wmt22/references/en-de.refA.txt")
        write(Path("wmt22/documents/en-de.docs"), ["news\td"] * N_SEGMENTS)
        called = {name: "M2M100_1.2B-B4" if name == "bad" else name for name in SYSTEMS}
        for name, new in called.items():
            shutil.copy(f"fr-en/hyp/{name}", f"wmt22/system-outputs/en-de/{new}.txt")
        judged = Path("fr-en/da.tsv").read_text(encoding="utf-8").replace("bad\t", "M2M100_1.2B-B4\t")
        write(Path("da.tsv"), [judged.rstrip()])
        arguments = ["wmt22/en-de", "--judgements", "da.tsv", "-m", "chrf"]
        out = run(capsys, *arguments)
        assert "en-de: official outliers left out: M2M100_1.2B-B4 (--include-outliers" in out
        assert f"en-de: {len(JUDGED) - 1} systems" in out
        out = run(capsys, *arguments, "--include-outliers")
        assert f"en-de: {len(JUDGED)} systems" in out
        assert "outliers" not in out

    def test_variants_are_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, *PAIRS, "-m", "ter", "--level", "segment", "--correlation", "wmt12", "wmt14")
        assert out.startswith("segment level: sorted by Kendall τ (WMT12: metric ties discordant)\n")
        assert "τ (WMT12)" in out
        assert "τ (WMT14)" in out
        for format_ in ("json", "tsv", "latex", "markdown"):
            shown = run(capsys, *PAIRS, "-m", "ter", "--level", "segment", "-f", format_)
            assert "wmt13" in shown.lower()

    def test_several_directions(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "fr-en", "de-en", "--judgements", "{lp}/pairs.tsv", "-m", "chrf", "ter", "--resamples", "50")
        lines = out.splitlines()
        assert lines[0] == "system level: Spearman ρ by direction, then averages"
        assert [line.split(":")[0] for line in lines[1:3]] == ["fr-en", "de-en"]
        assert lines[4].split()[:5] == ["metric", "fr-en", "de-en", "average", "average"]
        assert "±" in lines[5]
        same = run(
            capsys, "fr-en", "de-en", "--judgements", "fr-en/pairs.tsv", "de-en/pairs.tsv", "-m", "chrf", "ter",
            "--resamples", "50",
        )  # fmt: skip
        assert same == out

    def test_clusters_of_metrics(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, *PAIRS, "-m", "chrf", "ter", "--level", "segment", "--test", "bootstrap", "--pairs")
        assert "bootstrap of Kendall τ (WMT13: metric ties ignored), 1,000 resamples, seed 12345, α = .05" in out
        assert "metric  τ (WMT13)  cluster  better than" in out
        assert "p-values of the test that the metric of the row agrees better with human judgements" in out
        assert "row > column" in out
        out = run(capsys, *SCORES, "-m", "chrf", "ter", "--correlation", "pearson", "--test", "zou", "--pairs")
        assert "row − column" in out

    def test_signatures(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = run(capsys, *PAIRS, "-m", "bleu", "ter", "--signatures").splitlines()
        assert [line.split("|")[:2] for line in lines[-2:]] == [["BLEU", "nrefs:1"], ["TER", "nrefs:1"]]
        both = run(
            capsys, "fr-en", "de-en", "--judgements", "{lp}/pairs.tsv", "-m", "chrf", "--resamples", "9", "--signatures"
        )
        assert both.count("chrF2|nrefs:1") == 1

    def test_rounding_is_said(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "rounded to 4 digits" in run(capsys, *PAIRS, "-m", "chrf", "--digits", "4")

    def test_python_prints_the_same(self, capsys: pytest.CaptureFixture[str]) -> None:
        import mtassay
        from mtassay.data import load_judgements

        testset = mtassay.load("fr-en")
        judgements = load_judgements("fr-en/pairs.tsv", testset=testset)
        result = mtassay.metaeval({"fr-en": testset}, judgements=judgements, metrics=["chrf", "ter"])
        assert f"{result}\n" == run(capsys, *PAIRS, "-m", "chrf", "ter")
        assert result._repr_html_().startswith("<p>system level")
        assert repr(result) == "MetaEvaluation(fr-en; system level; chrF2, TER)"


class TestOtherFormats:
    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = json.loads(run(capsys, *SCORES, "-m", "chrf", "ter", "--test", "perm-both", "-f", "json"))
        assert out["schema"] == "mtassay.metaeval/1"
        (direction,) = out["directions"]
        assert set(direction["systems"]) == set(JUDGED)
        assert set(direction["systems"]["good"]) == {"gold", "chrF2", "TER"}
        assert direction["unjudged"] == ["unjudged"]
        assert direction["metrics"][1]["higher_is_better"] is False
        assert direction["test"]["coefficient"] == "pearson"
        assert direction["test"]["exact"] is True
        assert direction["test"]["p"][0][0] is None
        assert set(direction["test"]["clusters"]) == {"chrF2", "TER"}

    def test_tsv_has_all_digits(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ["fr-en", "de-en", "--judgements", "{lp}/da.tsv", "-m", "chrf", "ter", "--level", "segment"]
        rows = [line.split("\t") for line in run(capsys, *arguments, "-f", "tsv").splitlines()]
        described = json.loads(run(capsys, *arguments, "-f", "json"))
        assert rows[0][:4] == ["direction", "metric", "coefficient", "value"]
        assert len(rows) == 1 + 3 * 2 * 3
        first = described["directions"][0]["metrics"][0]["coefficients"]["acc-eq"]
        assert float(rows[1][3]) == first["value"]
        assert rows[-1][0] == "average"
        pairs = run(capsys, *arguments, "--test", "perm-both", "--pairs", "-f", "tsv").splitlines()
        assert len(pairs) == 1 + 2 * 2

    def test_latex_and_markdown(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = [*PAIRS, "-m", "chrf", "ter", "--test", "bootstrap", "--pairs"]
        assert run(capsys, *arguments, "-f", "latex").count(r"\begin{tabular}") == 3
        assert run(capsys, *arguments, "-f", "markdown").count("\n|:--|") == 3

    def test_output_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(capsys, *PAIRS, "-m", "chrf", "-o", "out.txt") == ""
        assert Path("out.txt").read_text(encoding="utf-8").startswith("system level")


class TestInputs:
    def test_separate_files(self, capsys: pytest.CaptureFixture[str]) -> None:
        files = [f"fr-en/hyp/{name}" for name in JUDGED]
        out = run(capsys, "fr-en/ref", "-i", *files, "--judgements", "fr-en/pairs.tsv", "-m", "chrf", "-l", "fr-en")
        whole = run(capsys, *PAIRS, "-m", "chrf", "--systems", *JUDGED)
        assert out == whole

    def test_a_pair_of_the_mt_metrics_eval_layout(self, capsys: pytest.CaptureFixture[str]) -> None:
        for folder in ("references", "system-outputs/fr-en", "metric-scores/fr-en"):
            Path("wmt", folder).mkdir(parents=True)
        write(Path("wmt/references/fr-en.refA.txt"), Path("fr-en/ref").read_text(encoding="utf-8").splitlines())
        for name in JUDGED:
            write(
                Path("wmt/system-outputs/fr-en", f"{name}.txt"),
                Path("fr-en/hyp", name).read_text(encoding="utf-8").splitlines(),
            )
        for place, metric in enumerate(("one", "two")):
            values = [f"{name}\t{-SYSTEMS[name] + 0.1 * place * (n % 3)}" for name in JUDGED for n in range(N_SEGMENTS)]
            write(Path("wmt/metric-scores/fr-en", f"{metric}-refA.seg.score"), values)
        write(Path("wmt/metric-scores/fr-en/one-refA.sys.score"), [f"{name}\t{n}" for n, name in enumerate(JUDGED)])
        arguments = ["wmt/fr-en", "--judgements", "fr-en/da.tsv", "--metric-scores", "wmt/metric-scores", "-f", "json"]
        system = json.loads(run(capsys, *arguments))["directions"][0]
        assert [metric["name"] for metric in system["metrics"]] == ["one-refA", "two-refA"]
        assert system["metrics"][0]["coefficients"]["spearman"]["value"] == pytest.approx(-1.0)
        segment = json.loads(run(capsys, *arguments, "--level", "segment"))["directions"][0]
        assert segment["metrics"][0]["coefficients"]["pearson"]["value"] > 0
        soft = json.loads(run(capsys, *arguments, "--correlation", "spa"))["directions"][0]
        assert soft["metrics"][0]["coefficients"]["soft-accuracy"]["value"] > 0.5
        # With other coefficients, scores of systems stay those of the .sys.score.
        mixed = json.loads(run(capsys, *arguments, "--correlation", "spearman", "soft-accuracy"))["directions"][0]
        for name, of in (("spearman", system), ("soft-accuracy", soft)):
            for metric, same in zip(mixed["metrics"], of["metrics"], strict=True):
                assert metric["coefficients"][name]["value"] == same["coefficients"][name]["value"]
        assert "one-refA.sys.score" in mixed["metrics"][0]["signature"]
        assert "one-refA.seg.score" in mixed["metrics"][0]["signature_of_segments"]
        assert "signature_of_segments" not in mixed["metrics"][1]
        said = run(capsys, *arguments[:-2], "--correlation", "spearman", "soft-accuracy", "--signatures")
        assert "soft accuracy from the .seg.score next to the .sys.score: one-refA\n" in said
        assert "one-refA, segments|" in said
        write(Path("wmt/metric-scores/fr-en/whole-refA.sys.score"), [f"{name}\t{n}" for n, name in enumerate(JUDGED)])
        said = run(capsys, *arguments[:-2], "--correlation", "spearman", "soft-accuracy")
        assert "fr-en: soft accuracy is not defined, without scores of segments: whole-refA\n" in said
        assert [line.split()[-1] for line in said.splitlines() if line.startswith("whole-refA")] == ["–"]
        whole = ["-m", "file:wmt/metric-scores/fr-en/whole-refA.sys.score", "--correlation", "spa"]
        assert "whole-refA has only scores of whole systems" in refused(capsys, *arguments[:-4], *whole)
        by_hand = run(capsys, *arguments[:-4], "-m", "file:wmt/metric-scores/{lp}/one-refA.sys.score", "-f", "json")
        assert (
            json.loads(by_hand)["directions"][0]["metrics"][0]["coefficients"] == system["metrics"][0]["coefficients"]
        )

    def test_systems_that_are_not_chosen_may_be_judged(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, *PAIRS, "-m", "chrf", "--systems", "good", "poor", "bad")
        assert "3 systems, 1 reference (ref), 90 preferences" in out
        assert "judged but left out: fair" in out

    def test_same_seed_same_bytes(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = [*SCORES, "-m", "chrf", "ter", "--test", "bootstrap", "-f", "json"]
        first = run(capsys, *arguments)
        assert run(capsys, *arguments, "-j", "2") == first
        assert run(capsys, *arguments, "--seed", "7") != first


class TestRefused:
    def test_unknown_system(self, capsys: pytest.CaptureFixture[str]) -> None:
        write(Path("typo.tsv"), ["1\tgood\tbad", "2\tgoood\tbad"])
        assert "typo.tsv, line 2: better 'goood' is not a system of the test set; did you mean 'good'" in refused(
            capsys, "fr-en", "--judgements", "typo.tsv"
        )

    def test_unknown_segment(self, capsys: pytest.CaptureFixture[str]) -> None:
        write(Path("far.tsv"), ["1\tgood\tbad", "31\tgood\tbad"])
        assert "far.tsv, line 2" in refused(capsys, "fr-en", "--judgements", "far.tsv")

    def test_not_a_number(self, capsys: pytest.CaptureFixture[str]) -> None:
        write(Path("nan.tsv"), ["system\tsegment\tscore", "good\t1\tNaN"])
        assert "nan.tsv, line 2" in refused(capsys, "fr-en", "--judgements", "nan.tsv")

    def test_numbers_of_files(self, capsys: pytest.CaptureFixture[str]) -> None:
        message = refused(capsys, "fr-en", "--judgements", "fr-en/pairs.tsv", "de-en/pairs.tsv")
        assert "2 files of judgements for 1 test set: give one for each, or one for all" in message

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["-m", "length_ratio"], "length_ratio has no direction"),
            (["-m", "bleu", "bleu"], "twice"),
            (["-m", "chrf", "--test", "willams"], "no test between metrics named 'willams'; did you mean 'williams'"),
            (["-m", "chrf", "--correlation", "acc-eq"], "no coefficient 'acc-eq' at system level for these judgements"),
            (["-m", "chrf", "--correlation", "spearmen"], "did you mean 'spearman'"),
            (["-m", "chrf", "--pairs"], "choose one with --test"),
            (["-m", "chrf", "--gold", "z"], "no gold of preferences named 'z'"),
            (["-m", "chrf", "--level", "segment", "--gold", "expected-wins"], "leave it out"),
            (["-m", "chrf", "--level", "segment", "--average", "none"], "leave out the average"),
            (["-m", "chrf", "--average", "system"], "averaged only at segment level"),
            (["-m", "chrf", "--correlation", "pearson", "--test", "williams"], "give two or more, not only chrF2"),
            (["-m", "chrf", "--alpha", "2"], "alpha"),
            (["-m", "chrf", "--resamples", "-1"], "resamples must be"),
            (["-m", "chrf", "--digits", "-1"], "a whole number from 0 to 15"),
            (["--metric-scores", "nowhere"], "nowhere is not a folder of metric scores"),
            (["--metric-scores", "fr-en"], "has no metric scores"),
            (["-m", "chrf", "--level", "document"], "--level"),
            (["-m", "chrf", "--names", "x"], "fr-en is a whole test set"),
        ],
        ids=lambda value: value if isinstance(value, str) else " ".join(value),
    )
    def test_options(self, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
        assert message in refused(capsys, *PAIRS, *arguments)

    def test_inputs(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "fr-en/ref is not a whole test set" in refused(capsys, "fr-en/ref", "--judgements", "fr-en/pairs.tsv")
        assert "no-en: no such file or folder" in refused(capsys, "no-en", "--judgements", "fr-en/pairs.tsv")
        assert "--judgements" in refused(capsys, "fr-en")
        assert "give each direction once" in refused(capsys, "fr-en", "fr-en", "--judgements", "fr-en/pairs.tsv")
        write(Path("t.jsonl"), ['{"ref": "a", "tgt": {"good": "a", "bad": "b"}}'])
        assert "the language pair is not known" in refused(capsys, "t.jsonl", "--judgements", "{lp}/pairs.tsv")

    def test_nothing_is_written_on_error(self, capsys: pytest.CaptureFixture[str]) -> None:
        refused(capsys, *PAIRS, "-m", "length_ratio", "-o", "out.txt")
        assert not Path("out.txt").exists()
