"""WER, PER and CDER against brute force from their definitions, and their policies."""

from __future__ import annotations

from collections import Counter
from functools import cache
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.errors import SpecError
from mtassay.metrics import References, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

_words = st.lists(st.sampled_from("abcd"), max_size=7)


def _row(name: str, hypothesis: list[str], reference: list[str]) -> dict[str, int]:
    metric = parse(f"{name}:tok=none")
    row = metric.prepare(References([[" ".join(reference)]])).statistics([" ".join(hypothesis)])[0]
    return dict(zip(metric.columns, row.tolist(), strict=True))


def _alignments(n_hyp: int, n_ref: int) -> Iterator[list[tuple[int | None, int | None]]]:
    """All ways to pair two texts word by word without crossing."""
    if n_hyp == 0 and n_ref == 0:
        yield []
        return
    steps = [(1, 1), (1, 0), (0, 1)]
    for i, j in steps:
        if n_hyp >= i and n_ref >= j:
            pair = (n_hyp - 1 if i else None, n_ref - 1 if j else None)
            yield from ([*before, pair] for before in _alignments(n_hyp - i, n_ref - j))


@given(st.lists(st.sampled_from("abc"), max_size=4), st.lists(st.sampled_from("abc"), max_size=4))
def test_wer_is_the_cheapest_of_all_alignments(hypothesis: list[str], reference: list[str]) -> None:
    counts = set()
    for alignment in _alignments(len(hypothesis), len(reference)):
        both = [(i, j) for i, j in alignment if i is not None and j is not None]
        n_substituted = sum(hypothesis[i] != reference[j] for i, j in both)
        counts.add((n_substituted, len(hypothesis) - len(both), len(reference) - len(both)))
    row = _row("wer", hypothesis, reference)
    found = (row["substitutions"], row["insertions"], row["deletions"])
    assert found in counts
    assert sum(found) == min(map(sum, counts))


@given(_words, _words)
def test_wer_counts_the_documented_alignment(hypothesis: list[str], reference: list[str]) -> None:
    @cache
    def distance(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        both = distance(i - 1, j - 1) + (hypothesis[i - 1] != reference[j - 1])
        return min(both, distance(i - 1, j) + 1, distance(i, j - 1) + 1)

    counts = Counter[str]()
    i, j = len(hypothesis), len(reference)
    while i or j:
        same = i > 0 and j > 0 and hypothesis[i - 1] == reference[j - 1]
        if i and j and distance(i, j) == distance(i - 1, j - 1) + (not same):
            counts["substitutions"] += not same
            i, j = i - 1, j - 1
        elif i and distance(i, j) == distance(i - 1, j) + 1:
            counts["insertions"] += 1
            i -= 1
        else:
            counts["deletions"] += 1
            j -= 1
    assert _row("wer", hypothesis, reference) == {
        "substitutions": counts["substitutions"],
        "insertions": counts["insertions"],
        "deletions": counts["deletions"],
        "ref_len": len(reference),
    }


def _cheapest_cover(hypothesis: list[str], reference: list[str]) -> int:
    """The cheapest path through the grid of Leusch et al. 2006, section 3: jumps along the hypothesis cost one."""
    goal = len(hypothesis), len(reference)
    queue = [(0, 0, 0)]
    done: set[tuple[int, int]] = set()
    while True:
        cost, i, j = heappop(queue)
        if (i, j) == goal:
            return cost
        if (i, j) in done:
            continue
        done.add((i, j))
        if i < goal[0] and j < goal[1]:
            heappush(queue, (cost + (hypothesis[i] != reference[j]), i + 1, j + 1))
        if i < goal[0]:
            heappush(queue, (cost + 1, i + 1, j))
        if j < goal[1]:
            heappush(queue, (cost + 1, i, j + 1))
        for k in range(goal[0] + 1):
            heappush(queue, (cost + 1, k, j))


@given(_words, _words)
def test_cder_is_the_cheapest_cover(hypothesis: list[str], reference: list[str]) -> None:
    row = _row("cder", hypothesis, reference)
    assert row == {"edits": _cheapest_cover(hypothesis, reference), "ref_len": len(reference)}


@given(_words, _words)
def test_per_is_a_comparison_of_bags(hypothesis: list[str], reference: list[str]) -> None:
    missing = (Counter(reference) - Counter(hypothesis)).total()
    extra = (Counter(hypothesis) - Counter(reference)).total()
    metric = parse("per:tok=none")
    totals = metric.prepare(References([[" ".join(reference)]])).statistics([" ".join(hypothesis)])[0]
    parts = metric.components(totals)
    assert [parts["missing"], parts["extra"]] == [missing, extra]
    if reference:
        assert metric.score(totals) == max(missing, extra) / len(reference)


@pytest.mark.parametrize(
    ("name", "hypothesis", "reference", "error"),
    [
        ("wer", "", "", 0),
        ("wer", "", "a b", 1),
        ("wer", "a b", "", 1),
        ("wer", "a b c", "d", 3),
        ("per", "", "", 0),
        ("per", "", "a b", 1),
        ("per", "a b", "", 1),
        ("per", "a b c", "d", 3),
        ("cder", "", "", 0),
        ("cder", "", "a b", 1),
        ("cder", "a b", "", 1),
        ("cder", "a b c", "d", 2),
    ],
)
def test_empty_texts_and_errors_above_one(name: str, hypothesis: str, reference: str, error: float) -> None:
    assert parse(name).corpus_score([hypothesis], [[reference]]) == error
    assert parse(f"{name}:as=accuracy").corpus_score([hypothesis], [[reference]]) == 1 - error


@pytest.mark.parametrize("name", ["wer", "per", "cder"])
class TestOptions:
    def test_the_reference_of_lowest_error_counts_with_its_length(self, name: str) -> None:
        # One edit each, but the second reference is longer; the third is as good and comes too late.
        streams = [["a b"], ["a b c d"], ["a b c e"]]
        metric = parse(name)
        rows = metric.prepare(References(streams)).statistics(["a b c"])
        alone = metric.prepare(References(streams[1:2])).statistics(["a b c"])
        np.testing.assert_array_equal(rows, alone)
        assert rows[0, -1] == 4

    def test_accuracy_chooses_the_same_reference(self, name: str) -> None:
        streams = [["a b"], ["a b c d"]]
        rows = [
            parse(spec).prepare(References(streams)).statistics(["a b c"]) for spec in (name, f"{name}:as=accuracy")
        ]
        np.testing.assert_array_equal(rows[0], rows[1])

    def test_direction_and_label(self, name: str) -> None:
        error, accuracy = parse(name), parse(f"{name}:as=accuracy")
        assert (error.higher_is_better, accuracy.higher_is_better) == (False, True)
        assert (error.label, accuracy.label) == (name.upper(), f"1-{name.upper()}")

    def test_case_and_tokenizer(self, name: str) -> None:
        assert parse(f"{name}:case=lower").corpus_score(["The cat."], [["the cat ."]]) == 0
        assert parse(f"{name}:tok=none").corpus_score(["the cat."], [["the cat ."]]) > 0
        with pytest.raises(SpecError, match="tok"):
            parse(f"{name}:tok=nonsense")
