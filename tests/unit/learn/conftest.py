"""A made test set whose human scores are a known function of what its outputs have in common with the references."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mtassay.data import TestSet
from mtassay.data.judgements import Preferences, Scores, numbered

if TYPE_CHECKING:
    from mtassay.data.judgements import Judgements

N_SEGMENTS, N_WORDS = 60, 8
#: Share of words that each system gets wrong.
ERRORS = {"good": 0.1, "middling": 0.35, "bad": 0.6}


@pytest.fixture(scope="session")
def testset() -> TestSet:
    rng = np.random.default_rng(7)
    words = np.array([f"w{i}" for i in range(300)])
    first = rng.choice(words, (N_SEGMENTS, N_WORDS))
    second = np.where(rng.random(first.shape) < 0.1, rng.choice(words, first.shape), first)
    outputs = {
        name: np.where(rng.random(first.shape) < rate, rng.choice(words, first.shape), first)
        for name, rate in ERRORS.items()
    }
    lines = {name: [" ".join(row) for row in rows] for name, rows in outputs.items()}
    streams = [[" ".join(row) for row in rows] for rows in (first, second)]
    return TestSet(streams, lines, reference_names=["refA", "refB"], name="made")


@pytest.fixture(scope="session")
def quality(testset: TestSet) -> np.ndarray:
    """Share of words that are right, shape (systems, segments): what people see, but for noise."""
    first = np.array([str(text).split() for text in testset.references[0]])
    return np.array(
        [(np.array([line.split() for line in lines]) == first).mean(axis=1) for lines in testset.systems.values()]
    )


@pytest.fixture(scope="session")
def scores(testset: TestSet, quality: np.ndarray) -> Scores:
    """Scores of two judges, one twice as strict, and of a human translation."""
    rng = np.random.default_rng(8)
    names, segments, judges, values = [], [], [], []
    for row, name in enumerate(testset.systems):
        for segment in range(N_SEGMENTS):
            judge = segment % 2
            names.append(name)
            segments.append(str(segment + 1))
            judges.append(f"judge{judge}")
            values.append((100 * quality[row, segment] + rng.normal(0, 3)) / (1 + judge))
    names += ["HUMAN"] * N_SEGMENTS
    segments += [str(n + 1) for n in range(N_SEGMENTS)]
    judges += ["judge0"] * N_SEGMENTS
    values += [100.0] * N_SEGMENTS
    (systems, system), (all_segments, segment_), (all_judges, judge_) = map(numbered, (names, segments, judges))
    return Scores(
        systems,
        all_segments,
        all_judges,
        segment_,
        judge_,
        system=system,
        score=np.array(values),
        aspect="da",
        item=np.full(len(values), ""),
    )


@pytest.fixture(scope="session")
def preferences(testset: TestSet, quality: np.ndarray) -> Judgements:
    """Which of two outputs has more right words, for all pairs."""
    rows = [
        (segment, a, b, int(np.sign(quality[a, segment] - quality[b, segment])))
        for segment in range(N_SEGMENTS)
        for a in range(3)
        for b in range(a)
    ]
    segment, first, second, outcome = np.array(rows, dtype=np.int64).T
    names = tuple(str(n + 1) for n in range(N_SEGMENTS))
    nobody = np.zeros(len(rows), dtype=np.int64)
    return Preferences(
        tuple(testset.systems),
        names,
        ("",),
        segment,
        nobody,
        first=first,
        second=second,
        outcome=outcome,
        item=np.arange(len(rows)),
    )
