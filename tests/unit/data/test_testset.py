from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from mtassay.data import TestSet
from mtassay.data.testset import as_testset
from mtassay.errors import InputError


@pytest.fixture
def testset() -> TestSet:
    return TestSet(
        [["a", "b", "c"], ["A", None, "C"]],
        {"online-A": ["x", "", "z"], "jhu": ["1", "2", "3"]},
        sources=["s", "t", "u"],
        documents=["d2", "d1", "d2"],
        domains=["news", "news", "talk"],
    )


def test_counts_and_order(testset: TestSet) -> None:
    assert (testset.n_segments, testset.n_references) == (3, 2)
    assert list(testset.systems) == ["online-A", "jhu"]
    assert testset.reference_names == ("ref1", "ref2")
    assert testset.systems["online-A"] == ("x", "", "z")


def test_it_is_frozen(testset: TestSet) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        testset.sources = None  # type: ignore[misc]


def test_inputs_are_untouched_and_not_shared() -> None:
    outputs = ["x"]
    testset = TestSet([["a"]], {"A": outputs})
    outputs[0] = "y"
    assert testset.systems["A"] == ("x",)


def test_groups_follow_first_appearance(testset: TestSet) -> None:
    assert [(label, i.tolist()) for label, i in testset.groups("doc")] == [("d2", [0, 2]), ("d1", [1])]
    assert [(label, i.tolist()) for label, i in testset.groups("domain")] == [("news", [0, 1]), ("talk", [2])]


def test_groups_without_labels_say_how_to_give_them() -> None:
    with pytest.raises(InputError, match=r"no document labels; give documents="):
        TestSet([["a"]], {}).groups("doc")


def test_groups_by_something_else(testset: TestSet) -> None:
    with pytest.raises(InputError, match="'doc' or 'domain'"):
        testset.groups("speaker")


def test_select_keeps_the_order_asked_for(testset: TestSet) -> None:
    chosen = testset.select(systems=["jhu", "online-A"])
    assert list(chosen.systems) == ["jhu", "online-A"]
    assert chosen.references == testset.references


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["onlin-A"], "did you mean 'online-A'"),
        (["zzz"], "known: online-A, jhu"),
        (["jhu", "jhu"], "named twice"),
        ("jhu", r"single string; .*\['jhu'\]"),
    ],
)
def test_select_refuses(testset: TestSet, names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        testset.select(systems=names)


def test_select_references(testset: TestSet) -> None:
    chosen = testset.select(references=["ref2", "ref1"])
    assert chosen.references == testset.references[::-1]
    assert chosen.reference_names == ("ref2", "ref1")
    assert chosen.systems == testset.systems
    assert testset.select() == testset


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["reff1"], "no reference named 'reff1'; did you mean 'ref1'"),
        (["zzz"], "known: ref1, ref2"),
        (["ref1", "ref1"], "reference 'ref1' is named twice"),
        ([], "no reference chosen; there are: ref1, ref2"),
        ("ref1", r"references is a single string; .*\['ref1'\]"),
        (["ref2"], "segment 2 has no reference"),
    ],
)
def test_select_refuses_references(testset: TestSet, names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        testset.select(references=names)


def test_outputs_are_set_aside_and_taken_back() -> None:
    outputs = {"refA": ["a", "b"], "B": ["a", "b"], "refD": ["d", "d"]}
    testset = TestSet([["a", "b"], ["c", "d"]], outputs, reference_names=["refA", "refC"])
    without = testset.setting_aside(testset.reference_names)
    assert list(without.systems) == ["B", "refD"]
    assert without.set_aside == {"refA": ("a", "b")}
    assert without.select(systems=["refA"]).systems == {"refA": ("a", "b")}
    assert set(without.select(systems=["refA"]).set_aside) == {"B", "refD"}
    assert without.outputs.keys() == outputs.keys()


def test_both_spellings_check_and_freeze() -> None:
    direct = TestSet(references=[["a"]], systems={"A": ["x"]}, ids=["1"])
    assert direct == TestSet([["a"]], {"A": ["x"]}, ids=["1"])
    assert direct.references == (("a",),)
    assert direct.reference_names == ("ref",)
    with pytest.raises(InputError, match="flat list of strings"):
        TestSet(references=["a"], systems={})
    with pytest.raises(InputError, match="documents have 2 segments"):
        dataclasses.replace(direct, documents=("d", "d"))


@pytest.mark.parametrize(
    ("references", "systems", "message"),
    [
        pytest.param(
            [["a", "b"]],
            {"A": ["x", "y", "z"]},
            "system 'A' has 3 segments, the references have 2",
            id="fewer references",
        ),
        pytest.param([["a"], ["b"], ["c"]], {"A": ["x", "y", "z"]}, "look transposed", id="transposed"),
        pytest.param([["a"]], {"A": "text"}, "system 'A' is a single string", id="string output"),
        pytest.param([["a"]], {"A": [None]}, "system 'A', segment 1 is None", id="missing output"),
        pytest.param([["a"]], {"A": ["x"], "B": []}, "^system 'B' has 0 segments, the references have 1", id="uneven"),
        pytest.param([["a"]] * 2, {"A": [], "B": ["x"]}, "^system 'A' has 0 segments, the ref", id="first is short"),
        pytest.param([[]], {"A": []}, "no segments", id="no segments"),
        pytest.param([["a"]], [("A", ["x"]), ("A", ["y"])], "two systems are named 'A'", id="same name"),
        pytest.param([["a"]], [["x"]], "list without names", id="no names"),
        pytest.param([["a"]], ["xy"], "list without names", id="a string of two letters"),
        pytest.param([["a"]], {3: ["x"]}, "^3 is not a valid system name", id="name is a number"),
        pytest.param([["a"]], "x", "systems is a str", id="systems must be a string"),
        pytest.param([["a"]], {"A": np.array("x")}, "system 'A' is a ndarray", id="array without dimensions"),
        pytest.param([["a"]], None, "systems is a NoneType", id="systems is None"),
        pytest.param([["a"]], {" ": ["x"]}, "is not a valid system name", id="blank name"),
        pytest.param([["a"]], {"a\tb": ["x"]}, "contains a tab", id="tab in a name"),
    ],
)
def test_build_refuses(references: object, systems: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TestSet(references, systems)  # type: ignore[arg-type]


def test_outputs_in_an_array_have_no_names() -> None:
    with pytest.raises(InputError, match="systems is a list without names"):
        as_testset([["a", "b"]], np.array(["x", "y"]))


@pytest.mark.parametrize("field", ["sources", "documents", "domains", "ids"])
def test_every_list_has_one_item_per_segment(field: str) -> None:
    with pytest.raises(InputError, match=rf"the {field} have 1 segment, the references have 2"):
        TestSet([["a", "b"]], {}, **{field: ["x"]})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["r"], "1 reference name for 2 references"),
        (["r", "r"], "two references are named 'r'"),
        (["r", ""], "not a valid reference name"),
    ],
)
def test_reference_names_are_checked(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TestSet([["a"], ["b"]], {}, reference_names=names)


@pytest.mark.parametrize("name", [5, b"x", ["x"]])
def test_a_name_is_text(name: Any) -> None:
    with pytest.raises(InputError, match="the name of a test set must be a str, not "):
        TestSet([["x"]], {}, name=name)


def test_repr_is_short(testset: TestSet) -> None:
    assert repr(testset) == "TestSet(3 segments, 2 references, 2 systems)"
    assert repr(dataclasses.replace(testset, name="x/y")) == "TestSet('x/y': 3 segments, 2 references, 2 systems)"


def test_the_language_pair_is_kept() -> None:
    testset = TestSet([["a "]], {"A": ["x"], "B": ["y"]}, name="news", language_pair="en-bho")
    for other in (testset.select(systems=["A"]), testset.setting_aside(["A"]), testset.without_trailing_space()):
        assert (other.language_pair, other.target_language) == ("en-bho", "bho")
    assert testset.with_language_pair("en-pt_BR").target_language == "pt"


@pytest.mark.parametrize(
    ("pair", "target"),
    [
        ("eng-liv", "liv"),
        ("zh_CN-en", "en"),
        ("en-sr_Cyrl_RS", "sr"),
        ("eng_Latn-zho_Hans", "zho"),
        ("en-es-419", "es"),
        ("pt_BR-zh-CN", "zh"),
        ("EN-ZH-Hant", "zh"),
        ("Czech-English", "english"),
    ],
)
def test_languages_may_have_regions_and_scripts(pair: str, target: str) -> None:
    assert TestSet([["x"]], {}, language_pair=pair).target_language == target


@pytest.mark.parametrize(
    "pair",
    [
        *("en_zh", "zh", "en-", "", 5, "en--zh", "en-_zh", "en-zh ", "-zh", "en-zh_"),
        *("pt-BR-zh", "zh-Hant-ja", "PT-BR-ZH", "pt-br-zh", "en-zh-Hant-TW"),
    ],
)
def test_what_is_no_language_pair_is_refused(pair: Any) -> None:
    """It would choose the tokenizer and the METEOR of other languages."""
    with pytest.raises(InputError, match=f"{pair}: a language pair is written SRC-TGT"):
        TestSet([["x"]], {}, language_pair=pair)
    with pytest.raises(InputError, match=f"{pair}: a language pair is written SRC-TGT"):
        TestSet([["x"]], {}).with_language_pair(pair)


def test_the_language_pair_is_the_end_of_the_name_unless_given() -> None:
    of_name = TestSet([["a"]], {}, name="wmt21/en-de")
    assert (of_name.language_pair, of_name.target_language) == ("en-de", "de")
    assert TestSet([["a"]], {}, name="wmt21/en-de", language_pair="en-zh").language_pair == "en-zh"
    for name in (None, "news", "my-set", "wmt21/en-de/x"):
        unknown = TestSet([["a"]], {}, name=name)
        assert (unknown.language_pair, unknown.target_language) == (None, "")
