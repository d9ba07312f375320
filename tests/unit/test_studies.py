"""Studies: each one can be imported and has what ``studies/run.py`` calls."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mtassay.data import TestSet
from mtassay.metaeval.conclusions import conclusion_table
from mtassay.ranking.human_tests import HumanTests

if TYPE_CHECKING:
    from types import ModuleType

FOLDER = Path(__file__).resolve().parents[2] / "studies"


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module("run")


def test_every_study_has_what_the_command_calls(study: ModuleType) -> None:
    assert study.STUDIES
    for name, what in study.STUDIES.items():
        pytest.importorskip("matplotlib")
        module = import_module(name)
        assert callable(module.run)
        assert what
        assert (FOLDER.parent / "docs" / "studies" / f"{name}.md").is_file()


def test_an_unknown_study_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "run.py"), "nosuch"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no study named nosuch" in done.stderr


def test_sentences_of_graham_follow_the_data(study: ModuleType) -> None:
    graham = import_module("graham")
    reference = [f"the cat number {n} sat on the mat of colour {n % 7} today" for n in range(30)]
    systems = {"a": reference, "b": reference, "c": [line[:20] for line in reference]}
    p = np.array([[np.nan, 0.5, 0.0001], [0.5, np.nan, 0.9], [0.9999, 0.1, np.nan]])
    people = HumanTests(("a", "b", "c"), "rank-sum", np.array([3.0, 2.0, 1.0]), p, None, 90, ())
    table = conclusion_table(TestSet([reference], systems), people, metrics=["bleu", "ter"], tests=graham.TESTS)
    part = graham.Part("made", "Made", "Made data.", table)
    assert "Pairs that people tell apart: 1 at .05, 1 at .01, 1 at .001." in graham._people(part)
    rows = graham._beside(part).markdown().splitlines()
    assert rows[2].startswith("| .05 | BLEU | 2 | 66.7 [9.4, 99.2] |")
    tests, metrics, wrong = graham._sentences(part)[0].splitlines()
    assert tests == "- The three tests reach the same conclusion on every pair, in all 6 rows."
    assert metrics.startswith("- All metrics are most accurate at .05 with ar1 (66.7 %). No two metrics differ")
    assert "2, of which differences that only people find 0, only the test finds 2, opposite 0" in wrong
