"""``mtassay metaeval`` on WMT13 and WMT23: published figures and values of mt-metrics-eval, through the command.

All expected values of mt-metrics-eval are checked at the level of functions in ``test_metaeval_expected.py``; here some
of them show that files, systems, segments and metrics are brought together rightly.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mtassay.cli.main import main

Entry = dict[str, Any]
#: Metrics of Tables 2 and 4 of WMT13 by specification, with their published values.
SPEARMAN = {
    "bleu:case=lower": {"fr-en": 0.989, "cs-en": 0.936},
    "bleu:tok=intl,case=lower": {"fr-en": 0.989, "cs-en": 0.936},
    "nist:case=lower": {"fr-en": 0.951, "cs-en": 0.891},
    "nist:tok=intl,case=lower": {"fr-en": 0.951, "cs-en": 0.882},
    "RAC1:tok=none": {"fr-en": 0.978, "cs-en": 0.909},
    "PABC3:tok=none": {"fr-en": 0.989, "cs-en": 0.918},
}
MARGINS = {"bleu:case=lower": 0.014, "nist:case=lower": 0.019, "RAC1:tok=none": 0.014, "PABC3:tok=none": 0.008}


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["metaeval", *map(str, arguments), "-f", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def values(direction: dict[str, Any], coefficient: str) -> dict[str, float]:
    """Values by specification and by name."""
    entries = direction["metrics"]
    found = {entry["metric"]: entry["coefficients"][coefficient]["value"] for entry in entries}
    return found | {entry["name"]: entry["coefficients"][coefficient]["value"] for entry in entries}


def test_all_unknown_systems_are_named_or_left_out(capsys: pytest.CaptureFixture[str], data_dir: Path) -> None:
    folder = data_dir / "wmt21" / "en-de"
    judged = [folder, "--judgements", folder / "MQM.avg_seg_scores.tsv"]
    assert main(["metaeval", *map(str, judged)]) == 2
    said = capsys.readouterr().err
    unknown = ["Nemo", *(f"metricsystem{n}" for n in range(1, 6))]
    assert said.count("\n") == 1
    assert all(f"{name!r} (line " in said for name in unknown)
    (direction,) = run(capsys, *judged, "--ignore-unknown")["directions"]
    assert set(unknown) <= set(direction["left_out"])
    assert not set(unknown) & set(direction["systems"])


class TestWmt13:
    def test_table_2(self, capsys: pytest.CaptureFixture[str], data_dir: Path) -> None:
        folder = data_dir / "wmt13"
        humans = folder / "{lp}" / "pairs.tsv"
        arguments = [
            "--judgements",
            humans,
            "-m",
            *SPEARMAN,
            "--digits",
            4,
            "--correlation",
            "spearman",
            "--resamples",
            10,
        ]
        # The human score of the published table.
        found = run(capsys, folder / "fr-en", folder / "cs-en", *arguments, "--gold", "wins")
        assert [direction["direction"] for direction in found["directions"]] == ["fr-en", "cs-en"]
        assert [direction["n_judgements"] for direction in found["directions"]] == [80741, 85469]
        assert [len(direction["systems"]) for direction in found["directions"]] == [13, 11]
        for direction in found["directions"]:
            for metric, value in values(direction, "spearman").items():
                if metric in SPEARMAN:
                    assert round(value, 3) == SPEARMAN[metric][direction["direction"]], metric

    def test_margins_of_table_2(self, capsys: pytest.CaptureFixture[str], data_dir: Path) -> None:
        folder = data_dir / "wmt13/fr-en"
        humans = folder / "rankings5way.train.csv"
        arguments = ["--judgements", humans, "-m", *MARGINS, "--digits", 4, "--correlation", "spearman"]
        (direction,) = run(capsys, folder, *arguments)["directions"]
        for entry in direction["metrics"]:
            low, high = entry["coefficients"]["spearman"]["interval"]
            assert (high - low) / 2 == pytest.approx(MARGINS[entry["metric"]], abs=0.004)

    def test_table_4(self, capsys: pytest.CaptureFixture[str], data_dir: Path) -> None:
        """SIMPBLEU-RECALL in both directions, from preferences and from whole rankings."""
        folder = data_dir / "wmt13"
        arguments = ["-m", "RAC1:tok=none", "--level", "segment", "--resamples", 10]
        found = run(capsys, folder / "fr-en", folder / "cs-en", "--judgements", folder / "{lp}/pairs.tsv", *arguments)
        taus = [values(direction, "wmt13")["RAC1"] for direction in found["directions"]]
        assert taus == pytest.approx([0.303, 0.260], abs=0.001)
        ties = [of["metrics"][0]["coefficients"]["wmt13"]["ties"] for of in found["directions"]]
        assert [round(100 * share) for share in ties] == [31, 26]
        humans = folder / "fr-en/rankings5way.train.csv"
        arguments += ["--correlation", "wmt13", "wmt12"]
        (direction,) = run(capsys, folder / "fr-en", "--judgements", humans, *arguments)["directions"]
        assert values(direction, "wmt13")["RAC1"] == taus[0]
        assert values(direction, "wmt12")["RAC1"] < 0


class TestWmt23:
    @pytest.fixture
    def entries(self, recorded: Any) -> list[Entry]:
        return [entry for entry in recorded.metaeval() if entry["dataset"] == "wmt23"]

    @pytest.fixture
    def arguments(self, data_dir: Path, entries: list[Entry]) -> list[Any]:
        (recipe,) = {entry["recipe"] for entry in entries if entry["level"] == "data"}
        listed = re.search(r"systems: ([^;]+);", recipe)
        assert listed is not None
        chosen = ["--references", "refA", "--systems", *listed[1].split()]
        return [data_dir / "wmt23/en-de", *chosen, "--metric-scores", data_dir / "wmt23/metric-scores"]

    @staticmethod
    def expected(entries: list[Entry], level: str, statistic: str, **options: str) -> dict[str, float]:
        return {
            entry["metrics"][0]: entry["value"]
            for entry in entries
            if (entry["level"], entry["statistic"]) == (level, statistic)
            and all(entry["options"].get(key) == value for key, value in options.items())
        }

    def test_system_level(
        self, capsys: pytest.CaptureFixture[str], data_dir: Path, entries: list[Entry], arguments: list[Any]
    ) -> None:
        humans = data_dir / "wmt23/human-scores/en-de.mqm.sys.score"
        names = {
            "Pearson": "pearson",
            "Spearman": "spearman",
            "Kendall-b": "kendall-b",
            "pairwise accuracy": "accuracy",
        }
        (direction,) = run(capsys, *arguments, "--judgements", humans, "--correlation", *names.values())["directions"]
        for statistic, name in names.items():
            expected = self.expected(entries, "sys", statistic)
            found = values(direction, name)
            assert len(expected) == 10
            assert {metric: found[metric] for metric in expected} == pytest.approx(expected, abs=1e-9)

    def test_exact_clusters_of_metrics(
        self, capsys: pytest.CaptureFixture[str], data_dir: Path, entries: list[Entry], arguments: list[Any]
    ) -> None:
        (entry,) = (entry for entry in entries if entry["statistic"] == "metric clusters Pearson (exact p)")
        humans = data_dir / "wmt23/human-scores/en-de.mqm.sys.score"
        folder = data_dir / "wmt23/metric-scores/en-de"
        metrics = ["-m", *(f"file:{folder / metric}.sys.score" for metric in entry["metrics"])]
        options = ["--judgements", humans, "--correlation", "pearson", "--test", "perm-both"]
        (direction,) = run(capsys, *arguments[: arguments.index("--metric-scores")], *metrics, *options)["directions"]
        assert direction["test"]["exact"] is True
        assert direction["test"]["clusters"] == entry["value"]

    @pytest.mark.parametrize(("average", "theirs"), [("none", "none"), ("segment", "item"), ("system", "sys")])
    def test_segment_level(
        self,
        capsys: pytest.CaptureFixture[str],
        data_dir: Path,
        entries: list[Entry],
        arguments: list[Any],
        average: str,
        theirs: str,
    ) -> None:
        humans = data_dir / "wmt23/human-scores/en-de.mqm.seg.score"
        names = {"Pearson": "pearson", "Kendall-b": "kendall-b", "KendallVariants-acc23": "acc23"}
        if average == "segment":
            names["acc_eq* (KendallWithTiesOpt)"] = "acc-eq"
        options = ["--judgements", humans, "--level", "segment", "--average", average, "--correlation", *names.values()]
        (direction,) = run(capsys, *arguments, *options)["directions"]
        assert direction["n_judgements"] == 5520
        for statistic, name in names.items():
            expected = self.expected(entries, "seg", statistic, average_by=theirs)
            found = values(direction, name)
            assert len(expected) == 10
            assert {metric: found[metric] for metric in expected} == pytest.approx(expected, abs=1e-9)
