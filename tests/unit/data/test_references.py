from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data import check_references, check_texts, default_reference_names
from mtassay.errors import InputError


def test_streams_are_frozen_and_missing_references_stay_none() -> None:
    assert check_references([["a", ""], ["c", None]], 2) == (("a", ""), ("c", None))


def test_generators_are_taken_as_lists() -> None:
    assert check_references(((t for t in "ab") for _ in range(1)), 2) == (("a", "b"),)


@pytest.mark.parametrize(
    ("references", "n_segments", "message"),
    [
        pytest.param([["a", "A"], ["b", "B"], ["c", "C"]], 3, "references look transposed", id="transposed"),
        pytest.param([["a", "A"], ["b"], ["c", "C"]], 3, "references look transposed", id="ragged transposed"),
        pytest.param([["a", "A"]], 1, r"list\(zip\(\*references\)\)", id="two references of one segment"),
        pytest.param("a b", 1, r"single string; .*\[\[", id="one string"),
        pytest.param(["a b", "c"], 2, r"flat list of strings; .*\[references\]", id="flat list"),
        pytest.param(["a b", None], 2, "flat list of strings", id="flat list with None"),
        pytest.param([], 2, "references is empty", id="no reference"),
        pytest.param([[]], None, "no segments", id="no segment"),
        pytest.param([["a"]], 3, "^the hypotheses have 3 segments, the references have 1:", id="too few"),
        pytest.param([["a", "b"], ["a"]], 2, "reference 2 has 1 segment, the hypotheses have 2", id="second"),
        pytest.param([["a", "b"], ["a"]], 7, "reference 2 has 1 segment, reference 1 has 2", id="agree with nothing"),
        pytest.param([["a", "b"], ["c", "d"]], 5, "^the hypotheses have 5 segments, the references have 2", id="five"),
        pytest.param("ref.txt", 2, r"single string; .*mtassay\.load or mtassay\.data\.load_files", id="file name"),
        pytest.param(Path("ref"), 2, r"references is a \w*Path; .*load_files", id="path"),
        pytest.param([Path("ref")], 2, r"reference 1 is a \w*Path; .*load_files", id="list of paths"),
        pytest.param(["data/ref"], 2, "flat list of strings; .*load_files", id="list of file names"),
        pytest.param([["a", "b"], ["a"]], None, "reference 2 has 1 segment, reference 1 has 2", id="uneven"),
        pytest.param([["a", None], ["b", None]], 2, "segment 2 has no reference", id="all None"),
        pytest.param([["a", 3]], 2, "reference 1, segment 2 is an int", id="number"),
        pytest.param([["a", b"b"]], 2, "reference 1, segment 2 is a bytes", id="bytes"),
        pytest.param({"r": ["a"]}, 1, "references is a dict", id="mapping"),
        pytest.param([{"a", "b"}], 2, "reference 1 is a set", id="set"),
        pytest.param(None, 1, "references is a NoneType", id="None"),
        pytest.param([None], 1, "reference 1 is a NoneType", id="None stream"),
    ],
)
def test_each_usual_mistake_has_a_message(references: object, n_segments: int | None, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check_references(references, n_segments)  # type: ignore[arg-type]
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("abc", "hypotheses is a single string"),
        (["a", None], "hypotheses, segment 2 is None"),
        (["a", 1.5], "hypotheses, segment 2 is a float"),
        (None, "hypotheses is a NoneType"),
    ],
)
def test_texts_must_be_lists_of_str(texts: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_texts(texts, "hypotheses")  # type: ignore[arg-type]


def test_texts_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match=r"^the sources have 1 segment, the references have 2"):
        check_texts(["a"], "sources", n_segments=2)


def test_subclasses_of_str_are_texts() -> None:
    class Text(str):
        __slots__ = ()

    assert check_texts([Text("a")], "hypotheses") == ("a",)
    assert check_references([[Text("a"), None], ["b", "c"]], 2)[0][0] == "a"


@pytest.mark.parametrize("text", ["a b.c", "Well.", "", "a / b"])
def test_a_text_is_not_taken_for_a_file_name(text: str) -> None:
    with pytest.raises(InputError) as caught:
        check_references(text, 1)
    assert "load_files" not in str(caught.value)


def test_default_names() -> None:
    assert default_reference_names(3) == ("ref1", "ref2", "ref3")
