"""Direct assessment of WMT22 with control items: what the campaign published comes out."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtassay.cli.main import main
from mtassay.data import Scores, load_judgements
from mtassay.data.judgements import SCORED
from mtassay.judging.assessments import rank_sum_p, segment_scores
from mtassay.judging.quality_control import DEGRADED, control_pairs, degraded_p, drop_careless

#: Judgements and segments of de-en that the released file lacks. Their official scores are 0: they are of judges who
#: gave the same score throughout, and so have no deviation to be standardised with.
LACKING = {"cs-en": (0, 0), "de-en": (73, 65)}
#: Judges of each language pair who have all their official control items in it.
ONE_PAIR = {"cs-en": 23, "de-en": 16, "ja-en": 42, "lv-en": 2, "ru-en": 52, "uk-en": 16, "zh-en": 26}


@pytest.fixture(scope="module")
def folder(data_dir: Path) -> Path:
    return data_dir / "wmt22-da"


def file_of(folder: Path, lp: str) -> Path:
    return folder / f"ad-{lp.replace('-', '')}-good-stnd.csv"


def scores_of(folder: Path, lp: str) -> Scores:
    found = load_judgements(file_of(folder, lp))
    assert isinstance(found, Scores)
    return found


def lines_of(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def official_tests(folder: Path) -> dict[str, tuple[float, int]]:
    """P-value and number of control items of each judge."""
    return {name: (float(p), int(n)) for name, p, _, n in lines_of(folder / "ad-trk-stats.csv")}


def test_official_p_values_of_judges(folder: Path) -> None:
    """Official p-values pool the seven language pairs of the campaign; 178 of the judges who passed have one only.

    All files of the release give 177 of these. The other one has 33 official pairs of items, of which 12 were released.
    Files that are not there are left out: cs-en and de-en alone have 39 such judges.
    """
    official = official_tests(folder)
    parts = {lp: scores_of(folder, lp) for lp in ONE_PAIR if file_of(folder, lp).exists()}
    judges = [name for part in parts.values() for name in part.judges]
    compared = dict.fromkeys(parts, 0)
    for lp, part in parts.items():
        p = degraded_p(part)
        n = np.bincount(part.judge[control_pairs(part, DEGRADED)[1]], minlength=len(part.judges))
        for number, name in enumerate(part.judges):
            if judges.count(name) == 1 and n[number] == official[name][1]:
                assert p[number] == pytest.approx(official[name][0], rel=1e-4)
                compared[lp] += 1
    assert compared == {lp: ONE_PAIR[lp] for lp in parts}
    # All judges in the files passed.
    assert all(official[name][0] <= 0.05 for name in judges)
    assert sum(p <= 0.05 for p, _ in official.values()) == 428


def test_official_p_values_of_judges_with_two_pairs(folder: Path, tmp_path: Path) -> None:
    """Three judges have control items in cs-en and de-en, and in no other pair.

    The files standardise each pair on its own, so that a point of the scale of 100 differs between them. A point is the
    smallest difference of two scores.
    """
    lines = ["HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"]
    for lp in LACKING:
        rows = lines_of(file_of(folder, lp))[1:]
        scores: dict[str, list[float]] = {}
        for row in rows:
            scores.setdefault(row[1], []).append(float(row[10]))
        points = {name: float(np.diff(np.unique(np.round(own, 9))).min(initial=1.0)) for name, own in scores.items()}
        lines += ["\t".join([*row[:10], repr(float(row[10]) / points[row[1]]), row[11]]) for row in rows]
    (tmp_path / "both.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    both: Any = load_judgements(tmp_path / "both.csv", lp="cs-en")
    p = dict(zip(both.judges, degraded_p(both), strict=True))
    official = official_tests(folder)
    for name, n in {"M0986": 40, "M0853": 20, "M0669": 25}.items():
        assert p[name] == pytest.approx(official[name][0], rel=1e-4)
        assert official[name][1] == n


def test_control_items_of_all_language_pairs_are_pooled(folder: Path, tmp_path: Path) -> None:
    """One file with both pairs: the control items of cs-en and de-en count together."""
    texts = [file_of(folder, lp).read_text(encoding="utf-8") for lp in LACKING]
    (tmp_path / "both.csv").write_text(texts[0] + texts[1].split("\n", 1)[1], encoding="utf-8")
    both: Any = load_judgements(tmp_path / "both.csv", lp="cs-en")
    czech, german = (scores_of(folder, lp) for lp in LACKING)
    assert len(both) == len(czech)
    assert [len(other) for other in both.other_pairs] == [len(german)]
    alone = dict(zip(czech.judges, degraded_p(czech), strict=True))
    pooled = dict(zip(both.judges, degraded_p(both), strict=True))
    shared = set(czech.judges) & set(german.judges)
    assert {name for name in pooled if pooled[name] != alone[name]} <= shared
    name = max(shared, key=lambda judge: abs(pooled[judge] - alone[judge]))
    gaps = []
    for part in (czech, german):
        outputs, controls = control_pairs(part, DEGRADED)
        own = part.judge[controls] == part.judges.index(name)
        gaps += (part.score[outputs] - part.score[controls])[own].tolist()
    from scipy.stats import ttest_1samp

    assert pooled[name] == pytest.approx(ttest_1samp(gaps, 0, alternative="greater").pvalue, rel=1e-9)
    # Judges who fail on cs-en alone pass with what they scored in other pairs, as officially.
    assert len(drop_careless(both).dropped) < len(drop_careless(czech).dropped)


@pytest.mark.parametrize("lp", LACKING)
def test_official_scores_of_systems(folder: Path, lp: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = file_of(folder, lp)
    assert main(["humans", str(path), "--method", "mean", "--resamples", "100", "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["aspects"][0]["ranking"]
    for kind in ("z", "raw"):  # the same systems and numbers in two orders; raw scores were not released
        official = {line[4]: line[1:4] for line in lines_of(folder / f"ad-sys-ranking-{lp}-{kind}.csv")}
        assert official.keys() == {row["system"] for row in found}
        lacking = np.zeros(2, dtype=int)
        for row in found:
            z, n_segments, n_judgements = (float(cell) for cell in official[row["system"]])
            lacking += np.array([n_judgements - row["judgements"], n_segments - row["segments"]], dtype=int)
            with_zeros = row["scores"]["mean"] * row["segments"] / n_segments
            assert round(with_zeros, 3) == pytest.approx(z, abs=1e-9)
        assert tuple(lacking.tolist()) == LACKING[lp]
    printed = [line[4] for line in lines_of(folder / f"ad-sys-ranking-{lp}-z.csv")]
    assert [row["system"] for row in found] == printed


def test_official_scores_of_segments(folder: Path) -> None:
    found = scores_of(folder, "cs-en")
    means = segment_scores(found)
    header, *rows = lines_of(folder / "ad-seg-scores-cs-en.csv")
    assert header == ["SYS", "SID", "RAW.SCR", "Z.SCR", "N"]
    counted = np.isin(found.item, SCORED)
    n = np.zeros(means.shape, dtype=int)
    np.add.at(n, (found.system[counted], found.segment[counted]), 1)
    assert len(rows) == np.isfinite(means).sum() == 16_008
    for system, segment, _, z, n_scores in rows:
        at = found.systems.index(system), found.segments.index(segment)
        assert means[at] == pytest.approx(float(z), abs=1e-12)
        assert n[at] == int(n_scores)


@pytest.mark.parametrize("lp", LACKING)
def test_official_rank_sum_tests(folder: Path, lp: str) -> None:
    """The campaign prints differences of z, with stars for p-values of at most .05, .01 and .001."""
    found = scores_of(folder, lp)
    p = rank_sum_p(segment_scores(found))
    systems, *rows = lines_of(folder / f"ad-DA-diff-wilcoxon-rs-{lp.replace('-', '')}.csv")
    off = []
    for (name, *cells), place in zip(rows, range(len(rows)), strict=True):
        for other, cell in list(zip(systems, cells, strict=True))[place + 1 :]:
            stars = sum(
                p[found.systems.index(name), found.systems.index(other)] <= alpha for alpha in (0.05, 0.01, 0.001)
            )
            if stars != cell.count("*"):
                off.append((name, other, cell, stars))
    assert off == []


def test_an_export_of_appraise(folder: Path) -> None:
    path = folder / "appraise.SegLvlLivSrc.csv"
    found: Any = load_judgements(path, lp="en-liv")
    assert set(found.systems) == {"HuaweiTSC", "Liv4ever", "NiuTrans", "TAL-SJTU", "TartuNLP", "refA"}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len(found) == sum(row[4] == "eng" for row in rows)
    (other,) = found.other_pairs
    assert len(found) + len(other) == len(rows)
    degraded = sum(row[3] == "BAD" for row in rows)
    # Every degraded item has its output.
    assert sum(len(control_pairs(part, DEGRADED)[0]) for part in (found, other)) == degraded == 638
