"""Alignments show which text was shifted, and tell the same edits as the score."""

from __future__ import annotations

from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.testset import TestSet
from mtassay.errors import InputError
from mtassay.metrics.strings.edit_alignment import Alignment
from mtassay.metrics.strings.wer import Wer
from mtassay.verbs.align import align

_text = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=1, max_size=12).map(" ".join)
every_variant = pytest.mark.parametrize("variant", ["sacrebleu", "tercom", "moses"])


def _aligned(reference: str, hypothesis: str, variant: str) -> Alignment:
    (alignment,) = align([[reference]], [hypothesis], metric=f"ter:variant={variant}").alignments["hyp"]
    assert isinstance(alignment, Alignment)
    return alignment


def test_moses_shifts_the_reference() -> None:
    reference, hypothesis = "jack built the house today", "today jack built the house"
    alignment = _aligned(reference, hypothesis, "moses")
    assert alignment.shifted_text == alignment.to_dict()["shifted_text"] == "reference"
    (shift,) = alignment.shifts
    assert (shift.words, shift.start, shift.target) == (("today",), 4, 0)
    first = alignment.steps[0]
    assert (first.reference, first.hypothesis, first.position, first.shifted) == ("today", "today", 4, True)
    assert not any(step.shifted for step in alignment.steps[1:])
    assert "* shift 1 of the reference: “today” from position 5 to 1" in str(
        align([[reference]], [hypothesis], metric="ter:variant=moses")
    )


class _Doubled(Wer):
    """A metric of another package, with edits of its own name."""

    name: ClassVar[str] = "doubled"


def test_any_metric_with_an_aligner_aligns() -> None:
    texts = [["the house that jack built"]], ["the building jack built"]
    found, known = (align(*texts, metric=metric) for metric in (_Doubled(), "wer"))
    assert [step.operation for step in found.alignments["hyp"][0].steps] == list("=DS==")  # type: ignore[union-attr]
    for format_ in ("text", "tsv"):
        assert found.render(format_) == known.render(format_).replace("WER", "DOUBLED")


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


REFERENCES: list[list[str | None]] = [
    ["the house that jack built", "the cat is here"],
    ["the building that jack built", None],
]
SYSTEMS = {"a": ["the building jack built", "here is the cat"], "b": ["the house jack built", "the cat"]}


def test_systems_of_a_test_set_segment_by_segment() -> None:
    result = align(TestSet(REFERENCES, SYSTEMS), segment=[1, 0])
    assert result.to_dict() == align(REFERENCES, SYSTEMS, segment=[1, 0]).to_dict()
    found = [(one["system"], one["segment"], one["reference"]) for one in result.to_dict()["alignments"]]
    assert found == [("a", 2, 1), ("b", 2, 1), ("a", 1, 2), ("b", 1, 1)]
    single = align(REFERENCES, SYSTEMS["b"], segment=[1, 0])
    assert single.alignments["hyp"] == result.alignments["b"]
    lines = str(result).splitlines()
    assert [line for line in lines if line.startswith("segment")] == [
        "segment 2   a   TER 50.0",
        "segment 2   b   TER 50.0",
        "segment 1   a   reference 2   TER 20.0",
        "segment 1   b   reference 1   TER 20.0",
    ]
    assert repr(result) == "AlignResult(a, b; ter)"


def test_records_have_what_was_counted() -> None:
    rows = align(REFERENCES, SYSTEMS).to_pandas()
    assert rows.columns.tolist()[4:] == ["matches", "substitutions", "insertions", "deletions", "shifts"]
    assert rows.loc[rows["system"] == "a", "shifts"].tolist() == [0, 2]
    meteor = align(REFERENCES, SYSTEMS, metric="meteor:stages=exact,lang=other").to_pandas()
    assert meteor.columns.tolist()[4:] == ["precision", "recall", "penalty", "matches", "chunks"]
    assert meteor["matches"].tolist() == [4, 4, 4, 2]


def test_what_cannot_be_aligned() -> None:
    with pytest.raises(InputError, match="there is no system to align"):
        align(REFERENCES)
    with pytest.raises(InputError, match="not both"):
        align(TestSet(REFERENCES, SYSTEMS), SYSTEMS)
    with pytest.raises(InputError, match="there is no segment 3: the segments are 1 to 2"):
        align(REFERENCES, SYSTEMS, segment=range(10**12))
    with pytest.raises(InputError, match="whole numbers from 0"):
        align(REFERENCES, SYSTEMS, segment=["1"])  # type: ignore[list-item]


@pytest.mark.parametrize(("spec", "label"), [("wer", "WER"), ("mer", "MER"), ("wil", "WIL"), ("wip", "WIP")])
@given(reference=_text, hypothesis=_text, other=_text)
def test_alignments_of_error_rates(spec: str, label: str, reference: str, hypothesis: str, other: str) -> None:
    result = align([[reference], [other]], [hypothesis], metric=f"{spec}:tok=none")
    [alignment] = result.alignments["hyp"]
    assert isinstance(alignment, Alignment)
    chosen = (reference, other)[alignment.reference - 1]
    assert " ".join(step.reference for step in alignment.steps if step.reference) == chosen
    assert " ".join(step.hypothesis for step in alignment.steps if step.hypothesis) == hypothesis
    metric = result.metric
    scores = [float(metric.segment_scores([hypothesis], [[text]])[0]) for text in (reference, other)]
    assert alignment.score == scores[alignment.reference - 1]
    assert metric.sign * alignment.score == max(metric.sign * score for score in scores)
    assert str(result).startswith(f"segment 1   reference {alignment.reference}   {label} {alignment.score:.4f}\n")
    assert "shift" not in str(result)
    assert result.to_dict()["alignments"][0]["metric"] == spec
