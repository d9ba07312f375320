"""HWCM and STM: the paper's example, values by hand, and brute force from the definition."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_parts import brute_chains, brute_subtrees

import mtassay
from mtassay.data.annotations import Annotations
from mtassay.data.formats.brackets import bracket_trees
from mtassay.data.formats.conllu import format_conllu
from mtassay.data.trees import ConstituentTree, DependencyTree
from mtassay.errors import InputError, SpecError
from mtassay.execution import Execution
from mtassay.metrics import Metric, References, build_tables, parse
from mtassay.metrics.linguistic.forest import Forest, Interning, chains, subtrees
from mtassay.metrics.linguistic.hwcm import Hwcm
from mtassay.metrics.linguistic.stm import Stm


def dependencies(words: str, *heads: int) -> DependencyTree:
    return DependencyTree(tuple(words.split()), heads, ("X",) * len(heads), ("_",) * len(heads))


def brackets(line: str) -> ConstituentTree | None:
    [tree] = bracket_trees([line], "x")
    return tree


def rows(metric: Any, hypotheses: list[Any], references: list[list[Any]]) -> Any:
    """Statistics of trees; references per segment."""
    index = np.arange(len(hypotheses))
    return metric.statistics_of_trees(
        hypotheses,
        [tree for group in references for tree in group],
        group_offsets=np.cumsum([0, *map(len, references)]),
        hyp_index=index,
        group_index=index,
    )


def test_the_example_of_the_paper() -> None:
    """Liu & Gildea 2005, section 2: 6 of 7, 3 of 4 and 1 of 2 sub-trees, (6/7 + 3/4 + 1/2) / 3 = .702."""
    reference = brackets("(S (NP (PRON I)) (VP (V have) (NP (ART a) (N car))))")
    hypothesis = brackets("(S (NP (PRON I)) (VP (V like) (NP (PRON it))))")
    metric = Stm(annotator="-", depth=3)
    [row] = rows(metric, [hypothesis], [[reference]])
    assert row.tolist() == [6, 3, 1, 7, 4, 2, 1]
    assert metric.score(row) == pytest.approx((6 / 7 + 3 / 4 + 1 / 2) / 3, rel=1e-15)
    assert round(float(metric.score(row)), 3) == 0.702


def test_chains_by_hand() -> None:
    # "the dog saw a cat": the → dog → saw, a → cat → saw; the second has "saw → dog" nowhere, and one "a".
    reference = dependencies("the dog saw a cat", 2, 3, 0, 5, 3)
    hypothesis = dependencies("The dog saw the dog", 2, 3, 0, 5, 3)
    metric = Hwcm(annotator="-", n=3)
    # words: the dog saw (of five); pairs: the-dog dog-saw (of four: each twice); triples: the-dog-saw (of two)
    [row] = rows(metric, [hypothesis], [[reference]])
    assert row.tolist() == [3, 2, 1, 5, 4, 2, 1]
    assert metric.score(row) == pytest.approx((3 / 5 + 2 / 4 + 1 / 2) / 3)
    [row] = rows(Hwcm(annotator="-", n=3, case="mixed"), [hypothesis], [[reference]])
    assert row.tolist()[:3] == [3, 2, 1]
    [row] = rows(Hwcm(annotator="-", n=3, case="mixed"), [dependencies("The dog", 2, 0)], [[reference]])
    assert row.tolist() == [1, 0, 0, 2, 1, 0, 1]
    assert Hwcm(annotator="-", n=3).score(row) == pytest.approx((1 / 2 + 0 / 1) / 2)


# Brute force


def brute_row(count: Any, largest: int, hypothesis: Any, references: list[Any]) -> list[int]:
    parsed = [tree for tree in references if tree is not None]
    if hypothesis is None or not parsed:
        return [0] * (2 * largest + 1)
    correct, totals = [], []
    for size in range(1, largest + 1):
        own = count(hypothesis, size)
        best = [count(tree, size) for tree in parsed]
        correct.append(sum(min(n, max(bag[part] for bag in best)) for part, n in own.items()))
        totals.append(own.total())
    return [*correct, *totals, 1]


@st.composite
def trees(draw: st.DrawFn) -> DependencyTree:
    """A tree, or several, over few words; heads stand before and behind."""
    n = draw(st.integers(0, 7))
    order = draw(st.permutations(range(n)))
    heads = [0] * n
    for rank, word in enumerate(order):
        above = draw(st.integers(-1, rank - 1))
        heads[word] = 0 if above < 0 else order[above] + 1
    return dependencies(" ".join(draw(st.sampled_from(["a", "A", "b"])) for _ in range(n)), *heads)


_maybe = st.none() | trees()


@given(st.lists(st.tuples(_maybe, _maybe, _maybe), min_size=1, max_size=4))
def test_equal_to_brute_force(segments: list[tuple[Any, Any, Any]]) -> None:
    hypotheses = [hypothesis for hypothesis, *_ in segments]
    references = [list(pair) for _, *pair in segments]
    for metric, count in (
        (Hwcm(annotator="-", n=4), brute_chains),
        (Stm(annotator="-", depth=4, over="dependencies"), brute_subtrees),
    ):
        found = rows(metric, hypotheses, references)
        expected = [brute_row(count, 4, h, r) for h, r in zip(hypotheses, references, strict=True)]
        assert found.tolist() == expected


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_chains_of_chains_are_n_grams(hypothesis: list[str], reference: list[str]) -> None:
    """Where every word's head is the next one, chains are n-grams."""

    def line(words: list[str]) -> DependencyTree:
        return dependencies(" ".join(words), *(i + 2 if i + 1 < len(words) else 0 for i in range(len(words))))

    [row] = rows(Hwcm(annotator="-", n=4), [line(hypothesis)], [[line(reference)]])
    bleu = parse("bleu:tok=none").prepare(References([[" ".join(reference)]])).statistics([" ".join(hypothesis)])[0]
    assert row[:8].tolist() == bleu[2:].tolist()


def test_parts_of_several_trees() -> None:
    forest = Forest.of([brackets("(S (A x) (B y))"), None, brackets("(S (B y) (A x))")])
    assert (forest.names, forest.n_trees) == (("S", "A", "B"), 3)
    one, two = subtrees(forest, forest.labels, deepest=2, combine=Interning(3))
    assert forest.counts(one.nodes).tolist() == [3, 0, 3]
    assert forest.counts(two.nodes).tolist() == [1, 0, 1]
    assert len(set(two.numbers.tolist())) == 2  # the order of children counts
    *_, longest = chains(forest, forest.labels, longest=3, combine=Interning(3))
    assert len(longest.nodes) == 0


# Annotations

N = 6
STREAMS = ("ref1", "ref2")
NAMES = ("x", "y", *STREAMS)
#: Segment 3 of x is empty, and so is its parse.
UNPARSED = {("y", 2), ("x", 3), ("ref1", 4), ("ref1", 5), ("ref2", 5)}
SPECS = [
    "hwcm:annotator=file:{0}",
    "hwcm:annotator=file:{0},n=2,case=mixed",
    "stm:annotator=file:{0}",
    "stm:annotator=file:{0},depth=2",
    "stm:annotator=file:{0},over=dependencies",
]


def texts(name: str) -> tuple[str, ...]:
    chance = random.Random(f"texts {name}")
    lines = [" ".join([name, str(i), *chance.choices("aAbcd", k=chance.randint(1, 7))]) for i in range(N)]
    return tuple("" if (name, i) == ("x", 3) else line for i, line in enumerate(lines))


SYSTEMS = {name: texts(name) for name in ("x", "y")}


@pytest.fixture(params=SPECS)
def metric(request: pytest.FixtureRequest, tmp_path: Path) -> Metric:
    """A metric with files of random trees."""
    for name in NAMES:
        chance = random.Random(f"trees {name}")
        words, lines = "", ""
        for segment, text in enumerate(texts(name)):
            split = text.split()
            missing = (name, segment) in UNPARSED
            tree = dependencies(text, *(chance.randint(0, i) for i in range(len(split))))
            words += format_conllu(Annotations.missing(()) if missing else Annotations.of_trees(tree, None), text)
            pieces = [f"({chance.choice(['NP', 'VP'])} (X {word}))" for word in split]
            lines += "()\n" if missing else f"(S {' '.join(pieces)})\n"
        (tmp_path / f"{name}.conllu").write_text(words)
        (tmp_path / f"{name}.ptb").write_text(lines)
    return parse(request.param.format(tmp_path))


def test_missing_parses(metric: Metric) -> None:
    [table] = build_tables(References([texts(name) for name in STREAMS]), SYSTEMS, [metric])
    scores = table.segment_scores()
    assert np.argwhere(np.isnan(scores)).tolist() == [[0, 5], [1, 2], [1, 5]]
    assert scores[0, 3] == 0  # an empty text is no missing parse
    assert (table.statistics[..., -1] == ~np.isnan(scores)).all()
    assert (table.statistics[np.isnan(scores)] == 0).all()
    assert np.isnan(metric.score(np.zeros(len(metric.columns))))
    [again] = build_tables(
        References([texts(name) for name in STREAMS]), SYSTEMS, [metric], execution=Execution(threads=2)
    )
    np.testing.assert_array_equal(again.statistics, table.statistics)


def test_comparisons_use_segments_that_both_have(metric: Metric) -> None:
    streams = [texts(name) for name in STREAMS]
    result = mtassay.compare(mtassay.TestSet(streams, SYSTEMS), metrics=[metric], seed=1, resamples=50)
    [table] = build_tables(References(streams), SYSTEMS, [metric])
    subset = np.array([0, 1, 3, 4])
    both = table.scores(subset)
    [comparison] = result.comparisons
    assert comparison.n_units[0, 1] == len(subset)
    assert comparison.differences[0, 1] == pytest.approx(both[0] - both[1], rel=1e-12)


def test_any_pair_is_scored(metric: Metric) -> None:
    """Every text against every reference, as MBR decoding and reranking ask for."""
    hypotheses, references = [*SYSTEMS["x"], *SYSTEMS["y"]], texts("ref1")
    matrix = metric.pairwise(hypotheses, references)
    for i, hypothesis in enumerate(hypotheses):
        for j, reference in enumerate(references):
            np.testing.assert_equal(matrix[i, j], metric.segment_scores([hypothesis], [[reference]])[0])
    assert np.isnan(matrix[N + 2]).all()
    assert np.isnan(matrix[:, 4:]).all()
    assert np.isfinite(np.delete(matrix[:, :4], N + 2, axis=0)).all()


def test_texts_without_annotations_are_named(metric: Metric, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"{tmp_path} has no annotations of 'something new'; create them"):
        metric.corpus_score(["something new"], [[texts("ref1")[0]]])


def test_signatures_name_the_annotator(tmp_path: Path) -> None:
    (tmp_path / "A.conllu").write_text(format_conllu(Annotations.of_trees(dependencies("a b", 2, 0), None), "a b"))
    metric = parse(f"hwcm:annotator=file:{tmp_path}")
    assert re.search(r"\|annotator:file-unknown-[0-9a-f]{8}\|", str(metric.signature([["a"]])))
    (tmp_path / "annotator.json").write_text('{"annotator": "by hand"}')
    assert "|an:file-by-hand-" in metric.signature([["a"]]).format(short=True)
    with pytest.raises(InputError, match=r"stm needs constituents, but the annotator file:.* \(it gives: dependencies"):
        parse(f"stm:annotator=file:{tmp_path}").prepare(References([["a b"]]))
    (tmp_path / "B.ptb").write_text("(S c)\n")
    with pytest.raises(InputError, match="the annotator 'file' has no constituents for 'a b'"):
        parse(f"stm:annotator=file:{tmp_path}").corpus_score(["c"], [["a b"]])


def test_an_annotator_is_needed() -> None:
    with pytest.raises(SpecError, match="hwcm needs an annotator: hwcm:annotator=NAME"):
        parse("hwcm")
    with pytest.raises(SpecError, match="hwcm: no option named 'trees'"):
        parse("hwcm:trees=x")
    with pytest.raises(InputError, match="no annotator named 'nobody'"):
        parse("hwcm:annotator=nobody").corpus_score(["a"], [["a"]])
    assert parse("hwcm:n=2,annotator=file:/some/where/parses").public_spec == "hwcm:annotator=file:parses,n=2"
    specs = ("hwcm:annotator=x,n=2", "stm:annotator=x", "stm:annotator=x,over=dependencies,depth=3")
    assert [parse(spec).label for spec in specs] == ["HWCM-2", "STM-4", "DSTM-3"]
