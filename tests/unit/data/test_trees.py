from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.formats.parses import parser_of, parses_digest, read_parses, text_digest
from mtassay.data.trees import (
    BRACKETS,
    CONLLU,
    ConstituentTree,
    DependencyTree,
    bracket_trees,
    conllu_trees,
    format_conllu,
    read_brackets,
    read_conllu,
)
from mtassay.errors import InputError, MtassayError


def word(number: int | str, form: str, head: int | str, tag: str = "X", relation: str = "dep") -> str:
    return f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_"


def tree(words: str, *heads: int) -> DependencyTree:
    n = len(heads)
    return DependencyTree(tuple(words.split()), heads, ("X",) * n, ("dep",) * n)


def test_sentences_are_segments() -> None:
    lines = ["# text = a b", word(1, "a", 2), word(2, "b", 0), "", "", "# parse = missing", "", word(1, "c", 0)]
    assert conllu_trees(lines, "x") == [tree("a b", 2, 0), None, tree("c", 0)]


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
        ([word(1, "a", 0), word(3, "b", 1)], "a.conllu, line 2: word '3' stands where 2 should"),
        (["# x", word(1, "a", 2)], "a.conllu, line 2: the head '2' is no number from 0 to 1"),
        ([word(1, "a", "_")], "a.conllu, line 1: the head '_' is no number"),
        ([word(1, "a", "²")], "a.conllu, line 1: the head '²' is no number"),
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
        (["(S (NP a)", "(VP"], "a.ptb, line 2: the file ends, and a bracket is open"),
        (["(S a)", "(S a))"], "a.ptb, line 2: ')' stands outside of any bracket"),
        (["no tree"], "a.ptb, line 1: 'no' stands outside of any bracket"),
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
    assert read_parses(tmp_path, "B", suffix=BRACKETS, texts=["a", "b"], whose="B")[1] is None
    assert read_parses(tmp_path, "A", suffix=CONLLU, texts=["a"], whose="A") == (tree("a", 0),)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"system 'B' has no parse: the file wanted is .*B\.conllu"):
        read_parses(tmp_path, "B", suffix=CONLLU, texts=["a"], whose="system 'B'")
    (tmp_path / "B.ptb").write_text("()\n")
    with pytest.raises(InputError, match=r"B.ptb has parses of 1 segment, system 'B' has 2: every segment needs one"):
        read_parses(tmp_path, "B", suffix=BRACKETS, texts=["a", "b"], whose="system 'B'")


def test_trees_of_other_sentences_are_refused(tmp_path: Path) -> None:
    sentences = ["The dog barks .", "Nobody knows why .", "It rains .", "-LRB- A cat -RRB-", "no"]
    (tmp_path / "A.conllu").write_text(
        "".join(format_conllu(tree(text, *[0] * len(text.split()))) for text in sentences)
    )
    lines = [" ".join(f"(X {word})" for word in text.split()) for text in sentences]
    (tmp_path / "A.ptb").write_text("".join(f"(S {line})\n" for line in lines))
    texts = ["the dog barks, it says", "Nobody knows why.", "It rains.", "(a cat)", ""]
    for suffix in (CONLLU, BRACKETS):
        assert len(read_parses(tmp_path, "A", suffix=suffix, texts=texts, whose="A")) == 5
        # One strange sentence may be the parser's doing.
        mostly = ["Something else here.", *texts[1:]]
        assert len(read_parses(tmp_path, "A", suffix=suffix, texts=mostly, whose="A")) == 5
        message = rf"A{suffix}: segment 2 has the tree of another sentence \('Nobody knows why \.'\), as have 3 of 4: "
        with pytest.raises(InputError, match=message):
            read_parses(tmp_path, "A", suffix=suffix, texts=[texts[0], *texts[2:4], texts[1], ""], whose="A")


def _write_dependencies(path: Path, texts: list[str]) -> None:
    path.write_text("".join(format_conllu(tree(text, *[0] * len(text.split()))) for text in texts))


def _sentences(seed: int, n: int) -> list[str]:
    rng = random.Random(seed)
    return [" ".join("".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(8)) for _ in range(n)]


def test_trees_that_are_off_by_one_somewhere_are_refused(tmp_path: Path) -> None:
    texts = _sentences(1, 100)
    for first, is_wrong in ((0, True), (50, True), (88, True), (90, False), (99, False)):
        _write_dependencies(tmp_path / "A.conllu", [*texts[:first], *texts[first + 1 :], texts[first]])
        if not is_wrong:
            assert len(read_parses(tmp_path, "A", suffix=CONLLU, texts=texts, whose="A")) == 100
            continue
        with pytest.raises(InputError, match=rf"A\.conllu: segment {first + 1} has the tree of another sentence"):
            read_parses(tmp_path, "A", suffix=CONLLU, texts=texts, whose="A")


def test_trees_of_a_similar_system_are_refused(tmp_path: Path) -> None:
    """Three of eight words differ in all segments but one in ten."""
    texts = _sentences(1, 100)
    other = [
        own if place % 10 == 0 else " ".join([*strange.split()[:3], *own.split()[3:]])
        for place, (own, strange) in enumerate(zip(texts, _sentences(2, 100), strict=True))
    ]
    _write_dependencies(tmp_path / "A.conllu", other)
    message = r"A\.conllu has the parses of another text than system 'A' has, .*only 10 of 100 trees have its words"
    with pytest.raises(InputError, match=message):
        read_parses(tmp_path, "A", suffix=CONLLU, texts=texts, whose="system 'A'")
    assert len(read_parses(tmp_path, "A", suffix=CONLLU, texts=other, whose="system 'A'")) == 100


def test_changes_that_parsers_make_are_allowed(tmp_path: Path) -> None:
    """Other quotes and brackets in all segments, one of eight words written otherwise, and words left out."""
    texts = _sentences(1, 40)
    _write_dependencies(tmp_path / "A.conllu", [f"`` -LRB- {text.upper()} -RRB- '' ." for text in texts])
    assert len(read_parses(tmp_path, "A", suffix=CONLLU, texts=[f"“({text})”." for text in texts], whose="A")) == 40
    _write_dependencies(tmp_path / "A.conllu", [" ".join(["de", "le", *text.split()[1:]]) for text in texts])
    contracted = [" ".join(["du", *text.split()[1:]]) for text in texts]
    assert len(read_parses(tmp_path, "A", suffix=CONLLU, texts=contracted, whose="A")) == 40
    _write_dependencies(tmp_path / "A.conllu", [" ".join(text.split()[1:]) for text in texts])
    assert len(read_parses(tmp_path, "A", suffix=CONLLU, texts=texts, whose="A")) == 40


def _write_about(folder: Path, texts: list[str | None], **changes: object) -> None:
    about = {"sha256": text_digest(texts), "full": len(texts), "partial": 0, "missing": 0, "empty": 0, **changes}
    (folder / "parser.json").write_text(json.dumps({"parser": "by hand", "texts": {"A": about}}))


def test_the_text_must_be_the_one_that_was_parsed(tmp_path: Path) -> None:
    texts = ["The dog barks .", "It rains ."]
    for name in "AB":
        _write_dependencies(tmp_path / f"{name}.conllu", texts)
    _write_about(tmp_path, [*texts])
    other = ["The dog barks !", "It rains ."]
    assert len(read_parses(tmp_path, "A", suffix=CONLLU, texts=texts, whose="system 'A'")) == 2
    with pytest.raises(
        InputError, match=r"A\.conllu has the parses of another text than system 'A' has; parse it anew"
    ):
        read_parses(tmp_path, "A", suffix=CONLLU, texts=other, whose="system 'A'")
    # Of what is not in the list, only the trees speak.
    assert len(read_parses(tmp_path, "B", suffix=CONLLU, texts=other, whose="system 'B'")) == 2
    _write_about(tmp_path, [*texts], full=5)
    with pytest.raises(InputError, match=r"A\.conllu has parses of 2 segments, and .*parser\.json says 5"):
        read_parses(tmp_path, "A", suffix=CONLLU, texts=texts, whose="system 'A'")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty|cannot be read"),
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ("{}", "cannot be read"),
        ('{"parser": 3}', "cannot be read"),
        ('{"parser": "x", "texts": [1]}', "cannot be read"),
        ('{"parser": "x", "texts": {"A": {}}}', "cannot be read"),
        ('{"parser": "x", "texts": {"A": {"sha256": "", "full": "1"}}}', "cannot be read"),
        ('{"parser": " "}', "cannot stand in a signature"),
        ('{"parser": "a|b"}', r"the parser 'a\|b' cannot stand in a signature"),
        ('{"parser": "a\\u0007b"}', "cannot stand in a signature"),
    ],
)
def test_a_broken_description_is_refused(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "A.conllu").write_text(word(1, "a", 0) + "\n")
    (tmp_path / "parser.json").write_text(content)
    with pytest.raises(InputError, match=rf"parser\.json.*({message})"):
        parser_of(tmp_path)
    with pytest.raises(InputError, match=rf"parser\.json.*({message})"):
        read_parses(tmp_path, "A", suffix=CONLLU, texts=["a"], whose="A")


def test_labels_alone_fit_every_text(tmp_path: Path) -> None:
    (tmp_path / "A.ptb").write_text("(S (NP) (VP))\n")
    assert len(read_parses(tmp_path, "A", suffix=BRACKETS, texts=["Something."], whose="A")) == 1


def test_parses_are_known_by_their_content(tmp_path: Path) -> None:
    assert parses_digest(tmp_path, CONLLU) == parses_digest(tmp_path / "nowhere", CONLLU) == "unknown"
    assert parser_of(tmp_path) == "unknown"
    (tmp_path / "parser.json").write_text('{"parser": "link-grammar 5 en"}')
    (tmp_path / "A.conllu").write_text(word(1, "a", 0) + "\n")
    first = parses_digest(tmp_path, CONLLU)
    assert (len(first), parser_of(tmp_path)) == (8, "link-grammar-5-en")
    (tmp_path / "A.ptb").write_text("(S a)\n")
    assert parses_digest(tmp_path, CONLLU) == first != parses_digest(tmp_path, CONLLU, BRACKETS)
    with gzip.open(tmp_path / "A.conllu.gz", "wt") as file:
        file.write(word(1, "a", 0) + "\n")
    (tmp_path / "A.conllu").unlink()
    assert parses_digest(tmp_path, CONLLU) == first
    (tmp_path / "B.conllu").write_text(word(1, "a", 0) + "\n")
    assert parses_digest(tmp_path, CONLLU) != first


@given(st.lists(st.none() | st.lists(st.sampled_from("abc"), min_size=1, max_size=5), max_size=4), st.data())
def test_what_is_written_is_read(segments: list[list[str] | None], data: st.DataObject) -> None:
    trees = [
        None
        if words is None
        else tree(" ".join(words), *(data.draw(st.integers(0, position)) for position in range(len(words))))
        for words in segments
    ]
    assert conllu_trees("".join(map(format_conllu, trees)).split("\n"), "x") == trees


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
