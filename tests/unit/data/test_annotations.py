from __future__ import annotations

import json
import re
import zlib

import pytest

from mtassay.data.annotations import DEPENDENCIES, LAYERS, MISSING, Annotations
from mtassay.data.formats.brackets import bracket_trees
from mtassay.data.frames import Frame, Role, Span
from mtassay.data.trees import DependencyTree
from mtassay.errors import InputError

[TREE] = bracket_trees(["(S (NP I) see it)"], "x")
WHOLE = Annotations(
    words=("I", "see", "it\ud800"),
    lemmas=("I", "see", "it"),
    upos=("PRON", "VERB", "PRON"),
    xpos=("PRP", "VBP", "PRP"),
    heads=(2, 0, 2),
    relations=("nsubj", "root", "obj"),
    constituents=TREE,
    frames=(Frame(Span(1, 2), "see.01", (Role("A0", Span(0, 1)), Role("A1", Span(2, 3)))),),
    layers=frozenset(LAYERS),
    state="partial",
)


@pytest.mark.parametrize("annotations", [WHOLE, Annotations.missing({DEPENDENCIES}), Annotations.empty(LAYERS)])
def test_what_is_packed_is_unpacked(annotations: Annotations) -> None:
    again = Annotations.unpack(annotations.pack())
    assert again == annotations
    if annotations.constituents is not None:
        assert again.constituents is not None
        assert again.constituents.words == annotations.constituents.words
        assert again.constituents.word_nodes == annotations.constituents.word_nodes


def test_damage_is_found() -> None:
    whole = WHOLE.pack()
    n_harmless = 0
    for place in range(len(whole)):
        damaged = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        try:
            assert Annotations.unpack(damaged) == WHOLE
            n_harmless += 1
        except ValueError as error:
            assert re.search("damaged|Expecting|codec", str(error))  # noqa: PT017  (not every bit counts)
    assert n_harmless <= 1  # bits that fill up the last byte of the compressed data
    with pytest.raises(ValueError, match="damaged"):
        Annotations.unpack(whole[:-1])


def test_trees() -> None:
    assert WHOLE.dependencies == DependencyTree(
        ("I", "see", "it\ud800"), (2, 0, 2), ("PRON", "VERB", "PRON"), ("nsubj", "root", "obj")
    )
    tagged = Annotations(words=("a",), upos=("X",))
    assert tagged.dependencies is None
    assert Annotations(words=("a",), heads=(0,)).dependencies == DependencyTree(("a",), (0,), ("_",), ("_",))
    assert Annotations.missing({DEPENDENCIES}).dependencies is None
    assert Annotations.missing({DEPENDENCIES}).state == MISSING
    empty = Annotations.empty(LAYERS)
    assert empty.dependencies == DependencyTree((), (), (), ())
    assert empty.constituents is not None


def test_columns_are_as_long_as_the_words() -> None:
    with pytest.raises(InputError, match="annotations have 2 values for 1 words: 'a'"):
        Annotations(words=("a",), heads=(0, 1))


def test_frames_are_of_the_words() -> None:
    for predicate, role in [((0, 2), (0, 1)), ((0, 1), (-1, 1)), ((0, 1), (1, 1))]:
        with pytest.raises(InputError, match=r"a frame has words -?\d to \d, but there are only 1 words"):
            Annotations(words=("a",), frames=(Frame(Span(*predicate), roles=(Role("A0", Span(*role)),)),))


def test_rows_without_frames_are_read() -> None:
    row = zlib.compress(json.dumps(["full", ["upos"], [["a"], None, ["X"], None, None, None], None]).encode())
    assert Annotations.unpack(row) == Annotations(words=("a",), upos=("X",), layers=frozenset({"upos"}))
