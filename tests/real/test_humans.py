"""``mtassay humans`` on the judgements of WMT campaigns: what they published comes out of the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtassay.cli.main import main


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    status = main(["humans", *arguments, "-f", "json"])
    captured = capsys.readouterr()
    assert (status, captured.err) == (0, "")
    found: dict[str, Any] = json.loads(captured.out)
    return found


def expected(recorded: Any, dataset: str, pair: str, statistic: str) -> list[dict[str, Any]]:
    wanted = (dataset, pair)
    return [
        e for e in recorded.metaeval() if (e["dataset"], e["pair"]) == wanted and e["statistic"].startswith(statistic)
    ]


def test_direct_assessment_of_wmt21(data_dir: Path, recorded: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder = data_dir / "wmt21/cs-en"
    found = command(capsys, str(folder / "DA.ad-seg-scores-cs-en.csv"), "--resamples", "100")["aspects"][0]
    (clusters,) = expected(recorded, "wmt21", "cs-en", "DA clusters")
    ours: list[list[str]] = [[] for _ in clusters["value"]]
    for row in found["ranking"]:
        ours[row["wmt_cluster"] - 1].append(row["system"])
    assert ours == clusters["value"]
    scores = {row["system"]: row["scores"]["mean"] for row in found["ranking"]}
    for entry in expected(recorded, "wmt21", "cs-en", "DA z mean"):
        assert scores[entry["metrics"][0]] == pytest.approx(entry["value"], rel=1e-12)
    p = {}
    for pair in found["pairs"]:
        one, other = pair["systems"]
        p[one, other], p[other, one] = pair["p"]
    entries = expected(recorded, "wmt21", "cs-en", "Wilcoxon rank-sum p")
    assert len(entries) == len(p) == 72
    for entry in entries:
        assert p[tuple(entry["metrics"])] == pytest.approx(entry["value"], abs=1e-12, rel=1e-12)
    # The campaign's own ranking: raw mean, z, numbers, name with its number.
    printed = (folder / "DA.ad-sys-ranking-cs-en-z-names.csv").read_text(encoding="utf-8").split("\n")
    official = [line.split() for line in printed if line]
    assert [row["system"] for row in found["ranking"]] == [fields[4] for fields in official]


@pytest.mark.parametrize("pair", ["fi-en", "ru-en"])
def test_expected_wins_of_wmt15(data_dir: Path, recorded: Any, capsys: pytest.CaptureFixture[str], pair: str) -> None:
    rankings = str(data_dir / "wmt15" / pair / "rankings.tsv")
    (entry,) = expected(recorded, "wmt15", pair, "expected wins")
    aspect = command(capsys, rankings, "--resamples", "100")["aspects"][0]
    assert (aspect["judgements"], aspect["ties"]) == (entry["options"]["n_pairwise"], entry["options"]["n_ties"])
    found = {row["system"]: row["scores"]["expected-wins"] for row in aspect["ranking"]}
    assert found == pytest.approx(entry["value"], rel=1e-12)


LOPEZ = {
    "wins": "new_wmt_official",
    "expected-wins": "expected_wins",
    "net-wins": "expected_net_wins",
    "soccer": "soccer",
}


@pytest.mark.parametrize("pair", ["cs-en", "en-es", "es-en"])
def test_lopez_methods_as_columns(data_dir: Path, recorded: Any, capsys: pytest.CaptureFixture[str], pair: str) -> None:
    file = str(data_dir / "wmt12/wmt12.RNK_results.csv")
    arguments = ("-l", pair, "--resamples", "60", "--method")
    ranking = command(capsys, file, *arguments, *LOPEZ, "feedback-arcs")["aspects"][0]["ranking"]
    for method, name in LOPEZ.items():
        (entry,) = expected(recorded, "wmt12", pair, f"Lopez {name}")
        scale = 100 if method == "wins" else 1
        found = {row["system"]: scale * row["scores"][method] for row in ranking}
        assert found == pytest.approx(entry["value"], rel=1e-9)
    (entry,) = expected(recorded, "wmt12", pair, "Lopez mfas_raw_diff")
    assert [row["system"] for row in sorted(ranking, key=lambda row: row["scores"]["feedback-arcs"])] == entry["value"]


def test_mqm_of_wmt23(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Means over segments are the system scores that the campaign stored beside them."""
    folder = data_dir / "wmt23/human-scores"
    found = command(capsys, str(folder / "en-de.mqm.seg.score"), "--resamples", "60")["aspects"][0]["ranking"]
    stored = dict(
        line.split("\t") for line in (folder / "en-de.mqm.sys.score").read_text(encoding="utf-8").splitlines()
    )
    means = {row["system"]: row["scores"]["mean"] for row in found}
    assert means == pytest.approx({name: float(value) for name, value in stored.items() if value != "None"}, rel=1e-9)


def test_adequacy_then_fluency_of_wmt07(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Standardised means from the definition, over the raw lines of the file."""
    file = data_dir / "wmt07-11/wmt07.judgements.csv"
    options = ("-l", "de-en", "--domain", "Europarl", "--task", "adequacy", "--then", "fluency", "--resamples", "60")
    found = command(capsys, str(file), *options)
    for aspect, offset in zip(found["aspects"], (1, 2), strict=True):
        of_judge: dict[str, list[tuple[str, str, float]]] = {}
        for line in file.read_text(encoding="utf-8").splitlines():
            cells = line.split(",")
            if cells[:2] != ["WMT07 German-English Europarl", "NIST"]:
                continue
            for place in range(5, len(cells) - 2, 3):
                if cells[place] and cells[place + offset] not in ("", "-"):
                    row = (cells[place], cells[2], float(cells[place + offset]))
                    of_judge.setdefault(cells[3], []).append(row)
        outputs: dict[str, dict[str, list[float]]] = {}
        for rows in of_judge.values():
            values = np.array([score for *_, score in rows])
            if len(values) < 2 or values.std() == 0:
                continue
            for (system, segment, _), z in zip(rows, (values - values.mean()) / values.std(ddof=1), strict=True):
                outputs.setdefault(system, {}).setdefault(segment, []).append(float(z))
        means = {name: np.mean([np.mean(z) for z in of.values()]) for name, of in outputs.items()}
        assert {row["system"]: row["scores"]["z"] for row in aspect["ranking"]} == pytest.approx(means, rel=1e-9)
    # Where adequacy decides, its conclusion stands.
    decided = {
        tuple(sorted(pair["systems"])): pair["better"] for pair in found["aspects"][0]["pairs"] if pair["better"]
    }
    combined = {tuple(sorted(pair["systems"])): pair for pair in found["combined"]["pairs"]}
    assert decided
    for pair, better in decided.items():
        assert (combined[pair]["by"], combined[pair]["better"]) == ("adequacy", better)
