"""NIST on texts small enough to count by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mtassay
from mtassay.metrics import References, parse


def test_information_by_hand() -> None:
    # 8 words: a a b c d d d d, so a has log2(8/2), b log2(8/1), d log2(8/4); "a b" has log2(2/1), "d d" log2(4/3).
    nist = parse("nist:order=2")
    [row] = nist.prepare(References([["a a b c d d d d"]])).statistics(["a b d d"])
    assert row[:3].tolist() == [8, 2 + 3 + 1 + 1, 1 + math.log2(4 / 3)]
    assert row[3:].tolist() == [4, 3]
    penalty = math.exp(-math.log(2) * (math.log(4 / 8) / math.log(1.5)) ** 2)
    assert float(nist.score(row)) == pytest.approx(penalty * (7 / 4 + (1 + math.log2(4 / 3)) / 3), rel=1e-14)


def test_two_thirds_of_the_words_halve_the_score() -> None:
    nist = parse("nist:order=1")
    [short, full] = nist.segment_scores(["a b", "a b c"], [["a b c", "a b c"]])
    # Every word has log2(6 / 2).
    assert full == pytest.approx(math.log2(3), rel=1e-14)
    assert short == pytest.approx(math.log2(3) / 2, rel=1e-14)
    assert nist.components(nist.prepare(References([["a b c"]])).statistics(["a b"]))["LP"][0] == pytest.approx(0.5)


def test_matches_are_clipped_at_the_largest_count_in_one_reference() -> None:
    nist = parse("nist:order=1")
    [row] = nist.prepare(References([["a b"], ["a a c c"]])).statistics(["a a a"])
    assert row.tolist() == [3.0, 2 * math.log2(6 / 3), 3]  # (2 + 4) / 2 words; 3 of 6 words are "a"


def test_weights_come_from_all_references() -> None:
    nist = mtassay.metric("nist")
    alone = nist.segment_scores(["a b"], [["a b"]])[0]
    in_company = nist.segment_scores(["a b", "x"], [["a b", "c d e f"]])[0]
    assert (alone, in_company) == (pytest.approx(1), pytest.approx(math.log2(6)))
    # In pairwise all references are the company.
    assert nist.pairwise(["a b"], ["a b", "c d e f"])[0, 0] == in_company


def test_the_word_0_is_no_word_for_mteval() -> None:
    references = [["1 0 goals", "2 0 goals"]]
    [mteval] = parse("nist:order=2").prepare(References(references)).statistics(["0 goals"], [0])
    [formula] = parse("nist:order=2,variant=formula").prepare(References(references)).statistics(["0 goals"], [0])
    assert mteval[2] == math.log2(6 / 2)
    assert formula[2] == math.log2(2 / 2)
    np.testing.assert_array_equal(np.delete(mteval, 2), np.delete(formula, 2))


@pytest.mark.parametrize("texts", [("", "a b"), ("a b", ""), ("", "")])
def test_empty_texts_score_0(texts: tuple[str, str]) -> None:
    hypothesis, reference = texts
    nist = mtassay.metric("nist")
    assert nist.corpus_score([hypothesis], [[reference]]) == 0
    assert nist.segment_scores([hypothesis, "c"], [[reference, "c d"]])[0] == 0


def test_only_letters_a_to_z_are_lowered() -> None:
    lowered, kept = parse("nist").segment_scores(["CAFÉ", "CAFé"], [["cafÉ", "un cafÉ"]])
    assert lowered > 0
    assert kept == 0


def test_a_very_long_segment() -> None:
    words = [f"w{i % 997}" for i in range(20_000)]
    reference = " ".join(words)
    exact, close = parse("nist").segment_scores(
        [reference, " ".join([*words[:7000], "x", *words[7001:]])], [[reference, reference]]
    )
    assert exact * 0.99 < close < exact


def test_verbose_shows_what_the_orders_add() -> None:
    nist = parse("nist:order=2")
    row = nist.prepare(References([["a a b c d d d d"]])).statistics(["a a b c d d d d"])[0]
    parts = nist.components(row)
    assert parts["NIST1"] + parts["NIST2"] == pytest.approx(float(nist.score(row)))
    # (2·2 + 3 + 3 + 4·1) / 8, and ("a a", "a b": 1 each; "b c", "c d": 0; "d d": three times log2(4/3)) / 7.
    assert nist.verbose(row) == "1.7500/0.4636 (LP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8.0)"
