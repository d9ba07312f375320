"""Weights of MEANT's roles: made people who look at one role only."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.cli.learn import run
from mtassay.data import TestSet
from mtassay.data.annotations import Annotations
from mtassay.data.formats.conllu import format_conllu
from mtassay.data.judgements import Preferences, Scores
from mtassay.data.trees import DependencyTree
from mtassay.errors import InputError
from mtassay.learn import tune_role_weights
from mtassay.metrics import parse

if TYPE_CHECKING:
    from pathlib import Path

N = 12
#: Agent, predicate and patient of each output: which of them are those of the reference.
RIGHT = {"agent": (True, True, False), "patient": (False, True, True), "none": (False, True, False)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts of three words with their trees."""
    made = tmp_path_factory.mktemp("roles")
    for name, right in {"ref": (True, True, True), **RIGHT}.items():
        words = [[w if ok else f"x{w}" for w, ok in zip(line(n), right, strict=True)] for n in range(N)]
        (made / f"{name}.txt").write_text("".join(f"{' '.join(each)}\n" for each in words))
        relations = ("nsubj", "root", "obj")
        trees = [DependencyTree(tuple(each), (2, 0, 2), ("NOUN", "VERB", "NOUN"), relations) for each in words]
        found = [Annotations.of_trees(tree, None) for tree in trees]
        (made / f"{name}.conllu").write_text("".join(map(format_conllu, found, map(" ".join, words))))
    rows = [f"{n + 1}\tpatient\t{loser}\n" for n in range(N) for loser in ("agent", "none")]
    (made / "pairs.tsv").write_text("".join(rows))
    return made


def line(segment: int) -> list[str]:
    return [f"dog{segment}", f"bites{segment}", f"man{segment}"]


def read(folder: Path, name: str) -> list[str]:
    return (folder / f"{name}.txt").read_text().splitlines()


@pytest.fixture
def testset(folder: Path) -> TestSet:
    return TestSet([read(folder, "ref")], {name: read(folder, name) for name in RIGHT})


@pytest.fixture
def judged() -> Preferences:
    """People prefer what has the right patient."""
    segment = np.repeat(np.arange(N), 2)
    first, second = np.full(2 * N, 1), np.tile([0, 2], N)
    zeros = np.zeros(2 * N, dtype=np.int64)
    names = tuple(str(n + 1) for n in range(N))
    compared: dict[str, Any] = {"first": first, "second": second, "outcome": zeros + 1, "item": np.arange(2 * N)}
    return Preferences(tuple(RIGHT), names, ("",), segment, zeros, **compared)


def test_the_role_that_people_look_at_counts_most(folder: Path, testset: TestSet, judged: Preferences) -> None:
    spec = f"meant:annotator=file:{folder},roles=dependencies"
    found = tune_role_weights(testset, judged, spec, grid=(0.0, 1.0, 2.0))
    # By equal weights agent and patient count the same: half of the preferences are ties.
    assert (found.tau_before, found.tau, found.n_preferences) == (0.5, 1.0, 2 * N)
    assert found.weights["A1"] > found.weights["A0"]
    best = max(
        _tau(testset, judged, spec, folder / "w", v, a0, a1) for v, a0, a1 in product((0.0, 1.0, 2.0), repeat=3) if v
    )
    assert found.tau == best
    with pytest.raises(InputError, match="only weights of meant without weights= can be tuned, not those of bleu"):
        tune_role_weights(testset, judged, "bleu")


def _tau(testset: TestSet, judged: Preferences, spec: str, path: Path, v: float, a0: float, a1: float) -> float:
    path.write_text(f"V {v}\nA0 {a0}\nA1 {a1}\nA2 1\nTMP 1\nLOC 1\nCAU 1\nother 1\n")
    metric = parse(f"{spec},weights={path}")
    scores = np.array([metric.segment_scores(texts, testset.references) for texts in testset.systems.values()])
    return float(np.sign(scores[judged.first, judged.segment] - scores[judged.second, judged.segment]).mean())


def test_scores_of_outputs_are_no_preferences(folder: Path, testset: TestSet) -> None:
    zeros = np.zeros(1, dtype=np.int64)
    scored: dict[str, Any] = {"system": zeros, "score": np.ones(1), "aspect": "da", "item": np.array([""])}
    scores = Scores(("agent",), ("1",), ("",), zeros, zeros, **scored)
    with pytest.raises(InputError, match="preferences between outputs are needed here"):
        tune_role_weights(testset, scores, f"meant:annotator=file:{folder},roles=dependencies")


def test_the_command(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder)
    spec = f"meant:annotator=file:{folder},roles=dependencies"
    systems = ["ref.txt", "-i", *(f"{name}.txt" for name in RIGHT)]
    assert run(["meant", *systems, "--judgements", "pairs.tsv", "--metrics", spec, "-o", "weights.txt"]) == 0
    assert "Kendall's τ 1.000 on 24 preferences, with equal weights .500" in capsys.readouterr().out
    tuned = parse(f"{spec},weights=weights.txt")
    assert tuned.corpus_score(read(folder, "patient"), [read(folder, "ref")]) > tuned.corpus_score(
        read(folder, "agent"), [read(folder, "ref")]
    )
