"""The WMT13 metrics task: cells of Tables 2 and 4 of Macháček & Bojar 2013, by the recipes of the study."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

STUDIES = Path(__file__).resolve().parents[2] / "studies"
ROWS = (
    "BLEU-MTEVAL",
    "BLEU-MTEVAL-INTL",
    "NIST-MTEVAL",
    "NIST-MTEVAL-INTL",
    "BLEU-MOSES",
    "CDER-MOSES",
    "WER-MOSES",
    "PER-MOSES",
    "TER-MOSES",
    "SIMPBLEU-RECALL",
    "SIMPBLEU-PREC",
    "METEOR",
)
DIRECTIONS = ("fr-en", "cs-en")
#: Seeds whose intervals are looked at.
SEEDS = 3


@pytest.fixture(scope="module")
def study() -> Iterator[Callable[[str], ModuleType]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(STUDIES))
        yield import_module


@pytest.fixture(scope="module")
def computed(study: Callable[[str], ModuleType], data_dir: Path) -> Callable[[str, str], tuple[Any, int]]:
    """What was computed for a row of a direction, and the row's number; METEOR, which needs data, by itself."""
    pytest.importorskip("sacremoses")
    scores = study("wmt13_scores")
    folders = {folder.name: folder for folder in scores.folders(data_dir)}

    @cache
    def of_direction(direction: str, meteor: bool) -> tuple[Any, list[str]]:
        recipes = [r for r in scores.RECIPES if r.row in ROWS and (r.row == "METEOR") == meteor]
        return scores.compute(folders[direction], recipes=recipes, seeds=SEEDS), [r.row for r in recipes]

    def of_row(direction: str, row: str) -> tuple[Any, int]:
        if row == "METEOR":
            _need_meteor()
        found, rows = of_direction(direction, row == "METEOR")
        return found, rows.index(row)

    return of_row


def _need_meteor() -> None:
    for package in ("Stemmer", "pycocoevalcap"):
        pytest.importorskip(package, reason=f"METEOR's data need {package} (extra meteor)")


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_spearman_of_table_2(computed: Any, study: Any, direction: str, row: str) -> None:
    found, number = computed(direction, row)
    rho, _ = study("wmt13_published").SYSTEM_LEVEL[0].cell(row, direction)
    assert round(float(found.rho[number]), 3) == rho


@pytest.mark.parametrize("row", ROWS)
def test_intervals_of_table_2(computed: Any, study: Any, row: str) -> None:
    found, number = computed("fr-en", row)
    _, half = study("wmt13_published").SYSTEM_LEVEL[0].cell(row, "fr-en")
    assert found.half.shape[1] == SEEDS
    assert found.half[number] == pytest.approx([half] * SEEDS, abs=0.004)


@pytest.mark.parametrize(
    ("row", "published", "tolerance"),
    [
        ("METEOR", "METEOR", 0.001),
        ("SIMPBLEU-RECALL", "SIMPBLEU-RECALL", 0.001),
        ("BLEU-MOSES", "SENTBLEU-MOSES", 0.003),
    ],
)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_tau_of_table_4(computed: Any, study: Any, direction: str, row: str, published: str, tolerance: float) -> None:
    found, number = computed(direction, row)
    table = study("wmt13_published").SEGMENT_LEVEL[0]
    assert found.n_pairs == table.considered[direction]
    assert found.tau[number] == pytest.approx(table.cell(published, direction)[0], abs=tolerance)


@pytest.mark.slow
def test_sempos(study: Any, data_dir: Path) -> None:
    """Against the figures of an independent script over the same tags and lemmas."""
    scores = study("wmt13_scores")
    recipes = [recipe for recipe in scores.RECIPES if recipe.row == "SEMPOS" and recipe.is_at_hand]
    folders = [folder for folder in scores.folders(data_dir) if folder.name == "fr-en"]
    if not recipes:
        pytest.skip("needs HanTa (pip install 'mtassay[annotate]')")
    found = scores.compute(folders[0], recipes=recipes, seeds=1)
    assert float(found.rho[0]) == pytest.approx(0.956, abs=0.0005)
    assert float(found.tau[0]) == pytest.approx(0.305, abs=0.002)
    assert float(found.tau_of_all[0]) == pytest.approx(0.172, abs=0.002)


def test_runs_of_pairs_stand_for_screens(study: Any, data_dir: Path) -> None:
    """Without screens the study takes runs of lines: fr-en has both, and they are nearly the same in number."""
    import mtassay

    folder = data_dir / "wmt13" / "fr-en"
    scores = study("wmt13_scores")
    testset = mtassay.load(folder)
    screens, runs = (scores.preferences_of(folder / name, testset)[0].strict() for name in scores.JUDGEMENTS)
    assert len(screens) == len(runs)
    assert abs(screens.n_items - runs.n_items) <= 2


def _made_direction(folder: Path) -> None:
    """Ten segments, three systems that drop a word more each, and people who notice."""
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    references = [" ".join(words[i % 3 :] + words[: i % 3]) for i in range(10)]
    systems = {name: [" ".join(text.split()[: 12 - 2 * n]) for text in references] for n, name in enumerate("abc")}
    (folder / "hyp").mkdir(parents=True)
    for path, texts in [(folder / "ref", references), *((folder / "hyp" / name, t) for name, t in systems.items())]:
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    pairs = [f"{i + 1}\t{better}\t{worse}" for i in range(10) for better, worse in ("ab", "ac", "bc", "cb")]
    (folder / "pairs.tsv").write_text("\n".join(pairs) + "\n", encoding="utf-8")


def test_other_directions_need_only_their_data(study: Any, tmp_path: Path) -> None:
    pytest.importorskip("sacremoses")
    _need_meteor()
    scores, page = study("wmt13_scores"), study("wmt13").page
    for name in ("fr-en", "de-en", "es-en", "cs-en", "ru-en", "en-de"):
        _made_direction(tmp_path / "wmt13" / name)
    (tmp_path / "wmt13" / "en-fr").mkdir()
    folders = scores.folders(tmp_path)
    assert [folder.name for folder in folders] == ["fr-en", "de-en", "es-en", "cs-en", "ru-en", "en-de"]
    text = page([scores.compute(folder, seeds=1) for folder in folders])
    assert [f"## Table {n}:" in text for n in (2, 3, 4, 5)] == [True] * 4
    assert "*Results of the WMT13 metrics shared task*, Tables 2, 3, 4 and 5, computed anew" in text
    # LEPOR and NLEPOR are counted apart: 12 other rows in six directions (and LEPOR's and NLEPOR's four).
    assert re.search(r"To three digits as published: \d+ of 72 cells of ρ", text)
    assert re.search(r"\(with LEPOR in three ways: \d+ of 24 cells of ρ", text)
    assert "The published ± of LEPOR v3.100 cs-en cannot be read in the copy at hand" in text
    assert "`meteor:lang=de`" in text
    assert "Over all five directions." in text
    assert "en-fr, en-es, en-cs and en-ru are not among the data" in text
    (row,) = (line for line in text.splitlines() if line.startswith("| METEOR | .9350 | "))
    assert [cell.strip() for cell in row.split("|")[2:-1:2]] == [".9350", ".0120", ".9500", ".9240", ".9360"]
