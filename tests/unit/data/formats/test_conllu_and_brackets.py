from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.annotations import DEPENDENCIES, ENTITIES, LEMMAS, MISSING, PARTIAL, UPOS, XPOS, Annotations
from mtassay.data.formats.brackets import bracket_trees, format_brackets, read_brackets
from mtassay.data.formats.conllu import conllu_segments, conllu_trees, format_conllu, read_conllu
from mtassay.data.trees import ConstituentTree, DependencyTree
from mtassay.errors import InputError, MtassayError


def word(number: int | str, form: str, head: int | str, tag: str = "X", relation: str = "dep") -> str:
    return f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_"


def tree(words: str, *heads: int) -> DependencyTree:
    n = len(heads)
    return DependencyTree(tuple(words.split()), heads, ("X",) * n, ("dep",) * n)


def test_sentences_are_segments() -> None:
    lines = ["# text = a b", word(1, "a", 2), word(2, "b", 0), "", "", "# parse = missing", "", word(1, "c", 0)]
    assert conllu_trees(lines, "x") == [tree("a b", 2, 0), None, tree("c", 0)]


def test_named_entities_in_the_last_column() -> None:
    """As Stanza writes them, and as they are written here; a file without any has none."""
    lines = ["1\tAnn\t_\tPROPN\t_\t_\t_\t_\t_\tSpaceAfter=No|ner=B-PERSON", "2\tcame\t_\tVERB\t_\t_\t_\t_\t_\tner=O"]
    [segment] = conllu_segments(lines, "x")
    assert segment.annotations.entities == ("PERSON", "O")
    assert segment.annotations.layers == {UPOS, ENTITIES}
    [again] = conllu_segments(format_conllu(segment.annotations, "Ann came").split("\n"), "x")
    assert again.annotations == segment.annotations
    [without] = conllu_segments([word(1, "came", 0)], "x")
    assert without.annotations.entities is None
    assert ENTITIES not in without.annotations.layers


def test_ranges_and_empty_nodes_are_passed_over() -> None:
    lines = [word("1-2", "don't", "_"), word(1, "do", 0), word(2, "n't", 1), word("2.1", "work", "_"), word(3, ".", 1)]
    assert conllu_trees(lines, "x") == [tree("do n't .", 0, 1, 1)]


def test_paragraphs_are_segments_where_they_are_marked() -> None:
    first = ["# newpar", word(1, "a", 2), word(2, "b", 0), "", word(1, "c", 0), word(2, "d", 1), ""]
    second = ["# newpar id = 2", word(1, "e", 0), "", "# parse = missing", ""]
    assert conllu_trees([*first, *second, "# newpar", word(1, "f", 0)], "x") == [
        tree("a b c d", 2, 0, 0, 3),
        None,
        tree("f", 0),
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["1\ta\t0"], "a.conllu, line 1: 3 columns; a word of CoNLL-U has 10"),
        ([word(1, "a", 0), word(3, "b", 1)], "a.conllu, line 2: word '3' where 2 is expected"),
        (["# x", word(1, "a", 2)], "a.conllu, line 2: the head '2' is not a number from 0 to 1"),
        ([word(1, "a", "_"), word(2, "b", 0)], "a.conllu, line 1: the head '_' is not a number"),
        ([word(1, "a", "_")], "a.conllu, line 1: a sentence without heads, but trees are needed"),
        ([word(1, "a", 0), "", word(1, "a", "_")], "a.conllu, line 3: a sentence without heads, but other sentences"),
        ([word(1, "a", "²")], "a.conllu, line 1: the head '²' is not a number"),
        (["", word(1, "a", 2), word(2, "b", 1), word(3, "c", 0)], "a.conllu, line 2: the heads of word 1 lead back"),
        (["# text = a", "", word(1, "a", 0)], "a.conllu, line 1: a sentence without words"),
        (["# parse = missing", word(1, "a", 0)], "a.conllu, line 1: a sentence that is marked as missing has words"),
        ([word(1, "a", 0), "", "# newpar", word(1, "a", 0)], "a.conllu, line 1: other sentences follow '# newpar'"),
    ],
)
def test_broken_conllu(lines: list[str], message: str) -> None:
    with pytest.raises(InputError) as error:
        conllu_trees(lines, "a.conllu")
    assert str(error.value).startswith(message)


def test_brackets() -> None:
    lines = ["(S (NP (DT the)", "  (NN dog)) (VP (V barks)))", "", "(A x) (B (C y) z)", "()", "(())", "( (S (X a)) )"]
    assert bracket_trees(lines, "x") == [
        ConstituentTree(("S", "NP", "DT", "NN", "VP", "V"), (-1, 0, 1, 1, 0, 4)),
        ConstituentTree(("A", "B", "C"), (-1, -1, 1)),
        None,
        None,
        ConstituentTree(("S", "X"), (-1, 0)),
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["(S (NP a)", "(VP"], "a.ptb, line 2: the file ends before a bracket is closed"),
        (["(S a)", "(S a))"], "a.ptb, line 2: ')' is outside of any bracket"),
        (["no tree"], "a.ptb, line 1: 'no' is outside of any bracket"),
    ],
)
def test_broken_brackets(lines: list[str], message: str) -> None:
    with pytest.raises(InputError, match="^" + message.replace("(", r"\(").replace(")", r"\)")):
        bracket_trees(lines, "a.ptb")


def test_files_compressed_or_not(tmp_path: Path) -> None:
    (tmp_path / "A.conllu").write_text(word(1, "a", 0) + "\n")
    with gzip.open(tmp_path / "B.ptb.gz", "wt") as file:
        file.write("(S a)\n()\n")
    assert read_conllu(tmp_path / "A.conllu") == [tree("a", 0)]
    assert read_brackets(tmp_path / "B.ptb.gz") == [ConstituentTree(("S",), (-1,)), None]


def test_texts_and_words_as_they_are_written() -> None:
    lines = ["# text =  We  don't. ", word(1, "We", 2), word("2-3", "don't", "_"), word(2, "do", 0), word(3, "n't", 2)]
    [segment] = conllu_segments([*lines, word(4, ".", 2)], "x")
    assert (segment.text, segment.surface) == ("We  don't.", "Wedon't.")
    assert segment.annotations.words == ("We", "do", "n't", ".")
    [untexted] = conllu_segments(lines[1:], "x")
    assert untexted.text is None
    paragraph = ["# newpar", "# text = A b.", word(1, "A", 0), "", "# text = C", word(1, "C", 0)]
    assert [segment.text for segment in conllu_segments(paragraph, "x")] == ["A b. C"]
    assert [segment.text for segment in conllu_segments([*paragraph[:4], word(1, "C", 0)], "x")] == [None]


def row(number: int, *cells: str) -> str:
    return "\t".join([str(number), *cells, "_", "_"])


def test_columns_that_nobody_filled_in_are_no_layers() -> None:
    lines = [row(1, "dogs", "dog", "NOUN", "_", "_", "2", "nsubj"), row(2, "bark", "_", "_", "_", "_", "0", "root")]
    [segment, missing] = conllu_segments([*lines, "", "# parse = missing"], "x")
    assert segment.annotations.layers == missing.annotations.layers == {LEMMAS, UPOS, DEPENDENCIES}
    assert segment.annotations.lemmas == ("dog", "_")
    assert (segment.annotations.xpos, missing.annotations.state) == (None, MISSING)
    tagged = [row(1, "dogs", "_", "_", "NNS", "_", "_", "_"), "", row(1, "x", "_", "_", "FW", "_", "_", "_")]
    for segment in conllu_segments(tagged, "x"):
        assert segment.annotations.layers == {XPOS}
        assert (segment.annotations.heads, segment.annotations.relations) == (None, None)


_CELL = st.text("abcÄ_'#(=", min_size=1, max_size=3)


@st.composite
def annotated(draw: st.DrawFn) -> tuple[list[Annotations], list[str]]:
    """Annotations of segments, all with the same layers, and their texts."""
    layers = draw(st.frozensets(st.sampled_from([LEMMAS, UPOS, XPOS, DEPENDENCIES])))
    found = []
    for n in draw(st.lists(st.integers(0, 4), min_size=1, max_size=4)):
        cells = st.lists(_CELL, min_size=n, max_size=n).map(tuple)
        columns: dict[str, Any] = {layer: draw(cells) for layer in (LEMMAS, UPOS, XPOS) if layer in layers}
        if DEPENDENCIES in layers:
            columns["heads"] = tuple(draw(st.integers(0, position)) for position in range(n))
            columns["relations"] = draw(cells)
        state = draw(st.sampled_from(["full", PARTIAL]))
        one = Annotations(words=draw(cells), layers=layers, state=state, **columns)
        found.append(one if n else Annotations.missing(layers))
    return found, [draw(st.text("ab #=\t\n", max_size=5)) for _ in found]


@given(annotated())
def test_what_is_written_is_read(given: tuple[list[Annotations], list[str]]) -> None:
    segments, texts = given
    read = conllu_segments("".join(map(format_conllu, segments, texts)).split("\n"), "x")
    assert [segment.text for segment in read] == [" ".join(text.split()) for text in texts]
    for segment, written in zip(read, segments, strict=True):
        found = segment.annotations
        for column in ("words", "heads", "relations", "state"):
            assert getattr(found, column) == getattr(written, column)
        for layer in (LEMMAS, UPOS, XPOS):
            cells = getattr(written, layer)
            # A column with nothing in it anywhere was not filled in.
            assert getattr(found, layer) == cells or (layer not in found.layers and set(cells) <= {"_"})


_BRACKETS = st.recursive(
    st.just("(X)"),
    lambda inner: st.builds(
        lambda label, pieces: f"({label} {' '.join(pieces)})",
        st.sampled_from("AB"),
        st.lists(inner | st.sampled_from(["a", "-LRB-"]), max_size=4),
    ),
)


@given(st.lists(_BRACKETS, min_size=1, max_size=3).map(" ".join) | _BRACKETS.map(lambda tree: f"({tree} a)"))
def test_brackets_that_are_written_are_read(line: str) -> None:
    [tree] = bracket_trees([line], "x")
    assert tree is not None
    [again] = bracket_trees([format_brackets(tree)], "x")
    assert again is not None
    assert again == tree
    assert (again.words, again.word_nodes) == (tree.words, tree.word_nodes)
    assert format_brackets(None) == format_brackets(ConstituentTree((), ())) == "()"


_PIECES = [
    "(",
    ")",
    "S",
    " ",
    "\n",
    "()",
    "#",
    "# newpar",
    "# parse = missing",
    word(1, "a", 0),
    word(2, "b", 1),
    "\n\n",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join) | st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    for reader in (conllu_trees, bracket_trees):
        try:
            found = reader(text.split("\n"), "x")
        except MtassayError:
            continue
        for each in found:
            assert each is None or all(parent < len(each.labels) for parent in each.parents)
