"""HWCM and STM: the paper's example, values by hand, and brute force from the definition."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtassay.data.formats.parses import parses_digest

import mtassay
from mtassay.data.trees import ConstituentTree, DependencyTree, bracket_trees, format_conllu
from mtassay.errors import InputError, SpecError
from mtassay.metrics import References, parse
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
    streams = [["x"] * len(references)] * len(references[0])
    prepared = References(streams)
    return metric.statistics_of_trees(hypotheses, [tree for group in references for tree in group], prepared)


def test_the_example_of_the_paper() -> None:
    """Liu & Gildea 2005, section 2: 6 of 7, 3 of 4 and 1 of 2 sub-trees, (6/7 + 3/4 + 1/2) / 3 = .702."""
    reference = brackets("(S (NP (PRON I)) (VP (V have) (NP (ART a) (N car))))")
    hypothesis = brackets("(S (NP (PRON I)) (VP (V like) (NP (PRON it))))")
    metric = Stm(trees="-", depth=3)
    [row] = rows(metric, [hypothesis], [[reference]])
    assert row.tolist() == [6, 3, 1, 7, 4, 2, 1]
    assert metric.score(row) == pytest.approx((6 / 7 + 3 / 4 + 1 / 2) / 3, rel=1e-15)
    assert round(float(metric.score(row)), 3) == 0.702


def test_chains_by_hand() -> None:
    # "the dog saw a cat": the → dog → saw, a → cat → saw; the second has "saw → dog" nowhere, and one "a".
    reference = dependencies("the dog saw a cat", 2, 3, 0, 5, 3)
    hypothesis = dependencies("The dog saw the dog", 2, 3, 0, 5, 3)
    metric = Hwcm(trees="-", n=3)
    # words: the dog saw (of five); pairs: the-dog dog-saw (of four: each twice); triples: the-dog-saw (of two)
    [row] = rows(metric, [hypothesis], [[reference]])
    assert row.tolist() == [3, 2, 1, 5, 4, 2, 1]
    assert metric.score(row) == pytest.approx((3 / 5 + 2 / 4 + 1 / 2) / 3)
    [row] = rows(Hwcm(trees="-", n=3, case="mixed"), [hypothesis], [[reference]])
    assert row.tolist()[:3] == [3, 2, 1]
    [row] = rows(Hwcm(trees="-", n=3, case="mixed"), [dependencies("The dog", 2, 0)], [[reference]])
    assert row.tolist() == [1, 0, 0, 2, 1, 0, 1]
    assert Hwcm(trees="-", n=3).score(row) == pytest.approx((1 / 2 + 0 / 1) / 2)


# Brute force: every part as a nested tuple


def brute_chains(tree: DependencyTree, n: int) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for start in range(1, len(tree.words) + 1):
        chain, position = [], start
        while position and len(chain) < n:
            chain.append(tree.words[position - 1].lower())
            position = tree.heads[position - 1]
        if len(chain) == n:
            found[tuple(chain)] += 1
    return found


def brute_subtrees(tree: DependencyTree | ConstituentTree, depth: int) -> Counter[Any]:
    def children(node: int) -> list[int]:
        return [other for other, parent in enumerate(tree.parents) if parent == node]

    def height(node: int) -> int:
        return 1 + max((height(child) for child in children(node)), default=0)

    def cut(node: int, levels: int) -> Any:
        below = tuple(cut(child, levels - 1) for child in children(node)) if levels > 1 else ()
        return (tree.labels[node].lower(), below)

    return Counter(cut(node, depth) for node in range(len(tree.labels)) if height(node) >= depth)


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
        (Hwcm(trees="-", n=4), brute_chains),
        (Stm(trees="-", depth=4, over="dependencies"), brute_subtrees),
    ):
        found = rows(metric, hypotheses, references)
        expected = [brute_row(count, 4, h, r) for h, r in zip(hypotheses, references, strict=True)]
        assert found.tolist() == expected


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_chains_of_chains_are_n_grams(hypothesis: list[str], reference: list[str]) -> None:
    """Where every word's head is the next one, chains are n-grams."""

    def line(words: list[str]) -> DependencyTree:
        return dependencies(" ".join(words), *(i + 2 if i + 1 < len(words) else 0 for i in range(len(words))))

    [row] = rows(Hwcm(trees="-", n=4), [line(hypothesis)], [[line(reference)]])
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


# Files


def write(folder: Path, name: str, *found: DependencyTree | None) -> None:
    (folder / f"{name}.conllu").write_text("".join(map(format_conllu, found)))


def test_files_are_found_by_names(tmp_path: Path) -> None:
    tree = dependencies("a b", 2, 0)
    write(tmp_path, "A", tree, None)
    write(tmp_path, "gold", tree, tree)
    testset = mtassay.TestSet([["a b", "a b"]], {"A": ["a b", "b a"]}, reference_names=["gold"])
    result = mtassay.score(testset, metrics=[f"hwcm:trees={tmp_path},n=2"])
    assert result.scores.tolist() == [[1.0]]
    assert np.isnan(result.segment_scores()[0, 1, 0])
    assert f"parser:unknown|trees:{parses_digest(tmp_path, '.conllu')}" in str(result.signatures[0])
    (tmp_path / "parser.json").write_text('{"parser": "by hand"}')
    assert "parser:by-hand" in str(mtassay.score(testset, metrics=[f"hwcm:trees={tmp_path}"]).signatures[0])
    with pytest.raises(InputError, match=r"reference 'gold' has no parse: the file wanted is .*gold\.ptb"):
        mtassay.score(testset, metrics=[f"stm:trees={tmp_path}"])
    (tmp_path / "A.conllu").unlink()
    with pytest.raises(InputError, match=r"system 'A' has no parse: the file wanted is .*A\.conllu"):
        mtassay.score(testset, metrics=[f"hwcm:trees={tmp_path}"])


def test_a_folder_is_needed() -> None:
    with pytest.raises(SpecError, match="hwcm needs the folder of the parses: hwcm:trees=FOLDER"):
        parse("hwcm")
    with pytest.raises(SpecError, match="not of texts"):
        parse("hwcm:trees=x").corpus_score(["a"], [["a"]])
    assert parse("hwcm:n=2,trees=/some/where/parses").public_spec == "hwcm:trees=parses,n=2"
    assert [
        parse(spec).label for spec in ("hwcm:trees=x,n=2", "stm:trees=x", "stm:trees=x,over=dependencies,depth=3")
    ] == [
        "HWCM-2",
        "STM-4",
        "DSTM-3",
    ]
