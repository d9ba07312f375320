"""Length ratio and exact match."""

from __future__ import annotations

import pytest

import mtassay
from mtassay.errors import SpecError
from mtassay.metrics import References, parse

REFERENCES: list[list[str | None]] = [["a b c", "a"], ["a b c d e f", None]]


@pytest.mark.parametrize(("rule", "expected"), [("closest", 6 / 7), ("shortest", 6 / 4), ("average", 6 / 5.5)])
def test_lengths_of_several_references(rule: str, expected: float) -> None:
    metric = parse(f"length_ratio:ref_len={rule}")
    assert metric.corpus_score(["v w x y z", "a"], REFERENCES) == expected


def test_the_longest_reference() -> None:
    metric = mtassay.metric("length_ratio:ref_len=longest")
    assert metric.segment_scores(["v w x", "a b"], REFERENCES).tolist() == [3 / 6, 2 / 1]


def test_a_tie_takes_the_shorter_reference() -> None:
    assert mtassay.metric("length_ratio").segment_scores(["v w x y z"], [["a b c d"], ["a b c d e f"]])[0] == 5 / 4


def test_words_are_those_of_the_tokenizer() -> None:
    assert mtassay.metric("length_ratio").corpus_score(["Yes, sir."], [["yes"]]) == 4
    assert mtassay.metric("length_ratio:tok=none").corpus_score(["Yes, sir."], [["yes"]]) == 2


@pytest.mark.parametrize(("hypothesis", "expected"), [("", 1), ("a b", 2)])
def test_no_reference_word(hypothesis: str, expected: float) -> None:
    assert mtassay.metric("length_ratio").segment_scores([hypothesis], [[""]])[0] == expected


def test_a_ratio_has_no_direction() -> None:
    assert mtassay.metric("length_ratio").higher_is_better is None
    with pytest.raises(SpecError):
        parse("0.5*bleu+0.5*length_ratio")


def test_ratio_of_sums_not_mean_of_ratios() -> None:
    metric = mtassay.metric("length_ratio")
    row = metric.prepare(References([["a b c", "a"]])).statistics(["a", "a b"]).sum(axis=0)
    assert float(metric.score(row)) == 3 / 4
    assert metric.verbose(row) == "(hyp_len = 3 ref_len = 4)"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", [1, 1, 0, 0, 0]),
        (":space=none", [1, 0, 0, 0, 0]),
        (":space=runs", [1, 1, 1, 0, 0]),
        (":case=lower", [1, 1, 0, 1, 0]),
        (":case=ascii", [1, 1, 0, 0, 0]),
        (":lowercase=yes,space=runs", [1, 1, 1, 1, 0]),
    ],
)
def test_what_counts_as_identical(options: str, expected: list[int]) -> None:
    hypotheses = ["le café", " le café\t", "le  café", "le CAFÉ", "le cafe"]
    scores = mtassay.metric(f"exact{options}").segment_scores(hypotheses, [["le café"] * 5])
    assert scores.tolist() == expected


def test_any_reference_of_the_segment_will_do_but_of_no_other() -> None:
    metric = mtassay.metric("exact")
    rows = metric.prepare(References([["a", "b", "c"], [None, "d", None]])).statistics(["a", "d", "d"])
    assert rows.tolist() == [[1, 1], [1, 1], [0, 1]]
    assert float(metric.score(rows.sum(axis=0))) == 2 / 3
    assert metric.verbose(rows.sum(axis=0)) == "(2 of 3)"


def test_empty_equals_empty() -> None:
    assert mtassay.metric("exact").segment_scores(["", " ", "a"], [["", "", ""]]).tolist() == [1, 1, 0]
