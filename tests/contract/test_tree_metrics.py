"""The contract of metrics that compare trees, on random trees in files."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mtassay
from mtassay.data.trees import DependencyTree, format_conllu
from mtassay.metrics import Metric, References, build_tables, parse
from mtassay.metrics.core.combination import Combination
from mtassay.metrics.linguistic.hwcm import Hwcm
from mtassay.metrics.linguistic.stm import Stm

N = 6
SPECS = [
    "hwcm:trees={0}",
    "hwcm:trees={0},n=2,case=mixed",
    "stm:trees={0}",
    "stm:trees={0},depth=2",
    "stm:trees={0},over=dependencies",
]
#: Segment 2 of y and of both references has no parse; segment 3 of x is empty, and so is its parse.
NAMES = ("x", "y", "ref1", "ref2")


def texts(name: str) -> tuple[str, ...]:
    chance = random.Random(f"texts {name}")
    lines = [" ".join(chance.choices("aAbcd", k=chance.randint(1, 7))) for _ in range(N)]
    return tuple("" if (name, i) == ("x", 3) else line for i, line in enumerate(lines))


def is_missing(name: str, segment: int) -> bool:
    return (name, segment) in {("y", 2), ("x", 3), ("ref1", 4), ("ref1", 5), ("ref2", 5)}


def write_parses(folder: Path, order: list[int]) -> None:
    """Files of random trees for all texts, segments in the given order."""
    for name in NAMES:
        dependencies, brackets = [], []
        chance = random.Random(f"trees {name}")
        for segment, text in enumerate(texts(name)):
            words = text.split()
            n = len(words)
            heads = tuple(chance.randint(0, i) for i in range(n))
            missing = is_missing(name, segment)
            tree = DependencyTree(tuple(words), heads, ("X",) * n, ("_",) * n)
            dependencies.append(format_conllu(None if missing else tree))
            pieces = [f"({chance.choice(['NP', 'VP'])} (X {word}))" for word in words]
            brackets.append("()\n" if missing else f"(S {' '.join(pieces)})\n")
        (folder / f"{name}.conllu").write_text("".join(dependencies[i] for i in order))
        (folder / f"{name}.ptb").write_text("".join(brackets[i] for i in order))


@pytest.fixture(params=SPECS)
def metric(request: pytest.FixtureRequest, tmp_path: Path) -> Metric:
    write_parses(tmp_path, list(range(N)))
    return parse(request.param.format(tmp_path))


def references(order: list[int] | None = None) -> References:
    return References([[texts(name)[i] for i in order or range(N)] for name in ("ref1", "ref2")])


SYSTEMS = {name: texts(name) for name in ("x", "y")}


def test_statistics(metric: Metric) -> None:
    [table] = build_tables(references(), SYSTEMS, [metric])
    assert table.statistics.shape == (2, N, len(metric.columns))
    assert len(set(metric.columns)) == len(metric.columns)
    assert np.issubdtype(table.statistics.dtype, np.integer)
    assert (table.statistics >= 0).all()
    scores = table.segment_scores()
    assert np.argwhere(np.isnan(scores)).tolist() == [[0, 5], [1, 2], [1, 5]]
    assert scores[0, 3] == 0  # an empty text is no missing parse
    assert ((scores >= 0) & (scores <= 1) | np.isnan(scores)).all()
    assert (table.statistics[..., -1] == ~np.isnan(scores)).all()
    assert (table.statistics[np.isnan(scores)] == 0).all()


def test_order_of_segments_does_not_matter(metric: Metric, tmp_path: Path) -> None:
    [table] = build_tables(references(), SYSTEMS, [metric])
    order = [3, 0, 5, 4, 2, 1]
    write_parses(tmp_path, order)
    shuffled = {name: [lines[i] for i in order] for name, lines in SYSTEMS.items()}
    [again] = build_tables(references(order), shuffled, [metric])
    np.testing.assert_array_equal(again.statistics, table.statistics[:, order])
    np.testing.assert_array_equal(again.scores(), table.scores())


def test_tables_equal_single_systems(metric: Metric) -> None:
    [together] = build_tables(references(), SYSTEMS, [metric])
    for s, name in enumerate(SYSTEMS):
        [alone] = build_tables(references(), {name: SYSTEMS[name]}, [metric], threads=2)
        np.testing.assert_array_equal(alone.statistics[0], together.statistics[s])


def test_scores_are_vectorised(metric: Metric) -> None:
    [table] = build_tables(references(), SYSTEMS, [metric])
    totals = np.random.default_rng(3).integers(0, 4, size=(2, 3, N)) @ table.statistics[0]
    before = totals.copy()
    scores = metric.score(totals)
    assert (scores.shape, scores.dtype) == ((2, 3), np.float64)
    assert scores[1, 2] == metric.score(totals[1, 2])
    assert metric.score(totals[:0]).shape == (0, 3)
    assert all(part.shape == (2, 3) and np.isfinite(part).all() for part in metric.components(totals).values())
    np.testing.assert_array_equal(totals, before)
    assert np.isnan(metric.score(np.zeros(len(metric.columns))))


def test_a_reference_is_perfect(metric: Metric) -> None:
    streams = references().streams
    [table] = build_tables(References(streams), {"ref1": streams[0], "ref2": streams[1]}, [metric])
    scores = table.segment_scores()
    assert np.isnan(scores[:, 5]).all()
    assert scores[0, :4].tolist() == [1.0] * 4
    assert scores[1, :5].tolist() == [1.0] * 5


def test_combinations_and_results(metric: Metric) -> None:
    combination = Combination(((0.5, parse("bleu")), (2.0, metric)))
    bleu, alone, both = build_tables(references(), SYSTEMS, [parse("bleu"), metric, combination])
    np.testing.assert_allclose(both.scores(), 0.5 * bleu.scores() + 2 * alone.scores(), rtol=1e-14)
    testset = mtassay.TestSet(references().streams, SYSTEMS)
    result = mtassay.score(testset, metrics=["bleu", metric])
    entries = json.loads(json.dumps(result.to_dict(), allow_nan=False))["scores"]
    assert [e["score"] for e in entries if e["metric"] == str(metric)] == alone.scores().tolist()
    names = [signed.name for signed in result.signatures[1].entries]
    assert len(set(names)) == len(names)
    assert len({signed.short for signed in result.signatures[1].entries}) == len(names)
    assert "parser" in names


def test_comparisons_use_segments_that_both_have(metric: Metric) -> None:
    testset = mtassay.TestSet(references().streams, SYSTEMS)
    result = mtassay.compare(testset, metrics=[metric], seed=1, draws=50)
    [table] = build_tables(references(), SYSTEMS, [metric])
    subset = np.array([0, 1, 3, 4])
    both = table.scores(subset)
    [comparison] = result.comparisons
    assert comparison.n_units[0, 1] == len(subset)
    assert comparison.differences[0, 1] == pytest.approx(both[0] - both[1], rel=1e-12)


@given(
    trees=st.text(st.characters(exclude_categories=()), min_size=1),
    size=st.integers(1, 20),
    case=st.sampled_from(["mixed", "lower"]),
    over=st.sampled_from(["constituents", "dependencies"]),
)
def test_specifications_round_trip(trees: str, size: int, case: str, over: str) -> None:
    for metric in (Hwcm(trees=trees, n=size, case=case), Stm(trees=trees, depth=size, case=case, over=over)):
        again = parse(str(metric))
        assert again == metric
        assert hash(again) == hash(metric)
        assert parse(f"0.5*bleu+0.5*{metric}").parts[1] == metric
