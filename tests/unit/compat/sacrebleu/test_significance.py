"""Paired tests and intervals: sacreBLEU's numbers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import sacrebleu
import sacrebleu.significance

import mtassay.compat.sacrebleu
import mtassay.compat.sacrebleu.significance as ours

PACKAGES: tuple[Any, Any] = (mtassay.compat.sacrebleu, sacrebleu)


@pytest.fixture(scope="module")
def systems() -> tuple[list[tuple[str, list[str]]], list[list[str]]]:
    draw = random.Random(3)
    words = [f"w{i}" for i in range(300)]
    refs = [[" ".join(draw.choices(words, k=draw.randint(3, 25))) for _ in range(80)] for _ in range(2)]
    named = [
        (
            f"s{share}",
            [" ".join(draw.choice(words) if draw.random() < share else w for w in text.split()) for text in refs[0]],
        )
        for share in (0.2, 0.21, 0.4)
    ]
    return [*named, ("same", named[0][1])], refs


@pytest.mark.parametrize("seed", ["12345", "7"])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("bs", {"n_samples": 200}),
        ("ar", {"n_samples": 300}),
        ("ar", {"n_samples": 200, "n_ar_confidence": 100}),
        ("bs", {"n_samples": 100, "n_jobs": 2}),
    ],
)
def test_paired_tests(
    kind: str, options: dict[str, int], seed: str, systems: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    named, refs = systems
    found = []
    for package in PACKAGES:
        metrics = {name: getattr(package, name)(references=refs) for name in ("BLEU", "CHRF", "TER")}
        found.append(package.significance.PairedTest(named, metrics, None, test_type=kind, **options)())
    (signatures, table), (their_signatures, their_table) = found
    assert list(table) == list(their_table)
    assert table["System"] == their_table["System"]
    for name, signature in signatures.items():
        assert str(signature) == f"{their_signatures[name]}|backend:mtassay"
        for result, theirs in zip(table[name], their_table[name], strict=True):
            assert (result.score, result.p_value) == (theirs.score, theirs.p_value)
            if theirs.mean is None:
                assert (result.mean, result.ci) == (None, None)
            elif name == "BLEU":
                assert (result.mean, result.ci) == (theirs.mean, theirs.ci)
                assert str(result) == str(theirs)
            else:  # sacreBLEU rounds every resample to single precision
                assert (result.mean, result.ci) == pytest.approx((float(theirs.mean), float(theirs.ci)), abs=2e-5)


def test_references_of_the_test(systems: Any) -> None:
    named, refs = systems
    tables = [
        package.significance.PairedTest(named, {"BLEU": package.BLEU()}, refs, test_type="ar", n_samples=50)()[1]
        for package in PACKAGES
    ]
    assert [vars(result) for result in tables[0]["BLEU"]] == [vars(result) for result in tables[1]["BLEU"]]


def test_defaults(systems: Any) -> None:
    named, refs = systems
    test = ours.PairedTest(named, {"BLEU": mtassay.compat.sacrebleu.BLEU()}, refs, n_ar_confidence=0, n_jobs=0)
    assert (test.n_samples, test.n_ar_confidence, test.n_systems) == (10000, 1000, 3)
    assert test.n_jobs >= 1
    with pytest.raises(AssertionError):
        ours.PairedTest(named, {}, refs, test_type="other")


def test_without_a_seed(systems: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    named, refs = systems
    metric = mtassay.compat.sacrebleu.BLEU(references=refs)
    means = {metric.corpus_score(named[0][1], None, n_bootstrap=20)._mean for _ in range(3)}
    assert len(means) > 1
    assert "seed:none" in str(metric.get_signature())


def test_intervals(systems: Any) -> None:
    named, refs = systems
    for name in ("BLEU", "CHRF", "TER"):
        scores, signatures = [], []
        for package in PACKAGES:
            metric = getattr(package, name)()
            scores.append(metric.corpus_score(named[1][1], refs, n_bootstrap=120))
            signatures.append(str(metric.get_signature()))
        assert scores[0].score == scores[1].score
        assert scores[0].format(4) == scores[1].format(4)
        assert signatures[0] == f"{signatures[1]}|backend:mtassay"


def test_estimate() -> None:
    values = [float(i * 7 % 100) for i in range(100)]
    assert ours.estimate_ci(values) == sacrebleu.significance.estimate_ci(np.array(values))
