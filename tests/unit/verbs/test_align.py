"""Alignments show which text was shifted, and tell the same edits as the score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.verbs.align import Alignment, align

_text = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=1, max_size=12).map(" ".join)
every_variant = pytest.mark.parametrize("variant", ["sacrebleu", "tercom", "moses"])


def _aligned(reference: str, hypothesis: str, variant: str) -> Alignment:
    (alignment,) = align([[reference]], [hypothesis], metric=f"ter:variant={variant}")
    return alignment


def test_moses_shifts_the_reference() -> None:
    alignment = _aligned("jack built the house today", "today jack built the house", "moses")
    assert alignment.shifted_text == alignment.to_dict()["shifted_text"] == "reference"
    (shift,) = alignment.shifts
    assert (shift.words, shift.start, shift.target) == (("today",), 4, 0)
    first = alignment.steps[0]
    assert (first.reference, first.hypothesis, first.position, first.shifted) == ("today", "today", 4, True)
    assert not any(step.shifted for step in alignment.steps[1:])
    assert "* shift 1 of the reference: “today” from position 5 to 1" in str(alignment)


@every_variant
@given(reference=_text, hypothesis=_text)
def test_an_alignment_holds_both_texts_and_all_edits(variant: str, reference: str, hypothesis: str) -> None:
    alignment = _aligned(reference, hypothesis, variant)
    texts = {
        "reference": [step.reference for step in alignment.steps if step.reference is not None],
        "hypothesis": [step.hypothesis for step in alignment.steps if step.hypothesis is not None],
    }
    given_texts = {"reference": reference.split(), "hypothesis": hypothesis.split()}
    (unmoved,) = texts.keys() - {alignment.shifted_text}
    assert texts[unmoved] == given_texts[unmoved]
    words = given_texts[alignment.shifted_text]
    for shift in alignment.shifts:
        end = shift.start + len(shift.words)
        assert words[shift.start : end] == list(shift.words)
        rest = words[: shift.start] + words[end:]
        words = [*rest[: shift.target], *shift.words, *rest[shift.target :]]
    assert texts[alignment.shifted_text] == words
    positions = [step.position for step in alignment.steps if step.position is not None]
    assert [given_texts[alignment.shifted_text][p] for p in positions] == words
    n_edits = sum(step.operation != "=" for step in alignment.steps) + len(alignment.shifts)
    assert alignment.score == pytest.approx(100 * n_edits / len(reference.split()))
