"""Files of semantic roles and factored text; what is wrong with them is told with file and line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mtassay.data.annotations import DEPENDENCIES, FRAMES, LEMMAS, UPOS, XPOS, Annotations
from mtassay.data.formats.annotation_files import open_annotations
from mtassay.data.formats.conllu import format_conllu
from mtassay.data.formats.factored import factored_segments
from mtassay.data.formats.role_frames import assert_segments, conll05_segments, conll09_segments
from mtassay.data.frames import Frame, Role, Span
from mtassay.errors import InputError

#: The example of the shared task's own description.
CONLL05 = """\
The             *   DT   (NP*   (S*        (S(NP*          -    -             (A0*    (A0*
$               *   $      *     *     (ADJP(QP*           -    -                *       *
1.4             *   CD     *     *             *           -    -                *       *
billion         *   CD     *     *             *))         -    -                *       *
robot           *   NN     *     *             *           -    -                *       *
spacecraft      *   NN     *)    *             *)          -    -                *)      *)
faces           *   VBZ  (VP*)   *          (VP*           01   face           (V*)      *
a               *   DT   (NP*    *          (NP*           -    -             (A1*       *
six-year        *   JJ     *     *             *           -    -                *       *
journey         *   NN     *)    *             *           -    -                *       *
to              *   TO   (VP*   (S*        (S(VP*          -    -                *       *
explore         *   VB     *)    *          (VP*           01   explore          *     (V*)
Jupiter      (ORG*) NNP  (NP*)   *          (NP(NP*)       -    -                *     (A1*
and             *   CC     *     *             *           -    -                *       *
its             *   PRP$ (NP*    *          (NP*           -    -                *       *
16              *   CD     *     *             *           -    -                *       *
known           *   JJ     *     *             *           -    -                *       *
moons           *   NNS    *)    *)            *)))))))    -    -                *)      *)
.               *   .      *     *)            *)          -    -                *       *
"""
TEXT = "The $ 1.4 billion robot spacecraft faces a six-year journey to explore Jupiter and its 16 known moons ."
FRAMES05 = (
    Frame(Span(6, 7), "face", (Role("A0", Span(0, 6)), Role("A1", Span(7, 18)))),
    Frame(Span(11, 12), "explore", (Role("A0", Span(0, 6)), Role("A1", Span(12, 18)))),
)


def test_conll05() -> None:
    lines = [*CONLL05.splitlines(), "", "Yes DT -", "", "took (X* take (V*", ". *) - *)"]
    first, second, third = conll05_segments(lines, "a.conll05")
    assert first.annotations.words == tuple(TEXT.split())
    assert first.annotations.frames == FRAMES05
    assert (second.line, second.annotations.words, second.annotations.frames) == (21, ("Yes",), ())
    assert third.annotations.frames == (Frame(Span(0, 2), "take", ()),)  # a predicate of two words


def conll09(*rows: str) -> list[str]:
    """Rows of form, lemma, tag, head, relation, predicate and roles, in the places of CoNLL 2009."""
    made = []
    for number, row in enumerate(rows, 1):
        form, lemma, tag, head, relation, *roles = row.split()
        cells = [str(number), form, lemma, "_", tag, "_", "_", "_", head, "_", relation, "_", "_", *roles]
        made.append("\t".join(cells))
    return made


def test_conll09() -> None:
    lines = conll09(
        "The the DT 2 NMOD _ _ _",
        "man man NN 5 SBJ _ A0 _",
        "who who WP 4 SBJ _ R-A0 A0",
        "slept sleep VBD 2 NMOD sleep.01 _ _",
        "ate eat VBD 0 ROOT eat.01 _ AM-TMP",
        "fish fish NN 5 OBJ _ _ A1",
    )
    [segment] = conll09_segments(lines, "a.conll09")
    found = segment.annotations
    assert found.frames == (
        # "the man who slept" has the predicate in it.
        Frame(Span(3, 4), "sleep.01", (Role("A0", Span(1, 2)), Role("R-A0", Span(2, 3)))),
        Frame(Span(4, 5), "eat.01", (Role("A0", Span(2, 3)), Role("AM-TMP", Span(4, 5)), Role("A1", Span(5, 6)))),
    )
    assert found.lemmas == ("the", "man", "who", "sleep", "eat", "fish")
    assert found.heads == (2, 5, 4, 2, 0, 5)
    assert found.layers == {LEMMAS, XPOS, DEPENDENCIES, FRAMES}


def test_fillers_of_conll09() -> None:
    """The whole of what hangs from the marked word, as far as it stands together; predicted columns where need be."""
    lines = conll09(
        "dogs dog NNS 3 SBJ _ A0", "big big JJ 1 NMOD _ _", "bark bark VBP 0 ROOT bark _", "loud _ JJ 1 X _ _"
    )
    lines[3] = lines[3].replace("\t_\t_\tJJ", "\t_\tloud\tJJ")
    [segment] = conll09_segments(lines, "a.conll09")
    assert segment.annotations.frames == (Frame(Span(2, 3), "bark", (Role("A0", Span(0, 2)),)),)
    assert segment.annotations.lemmas == ("dog", "big", "bark", "loud")
    [headless] = conll09_segments(conll09("big _ JJ _ _ _ _", "dogs _ NN _ _ _ A0", "bark _ V _ _ bark _"), "x")
    assert headless.annotations.frames == (Frame(Span(2, 3), "bark", (Role("A0", Span(1, 2)),)),)
    assert DEPENDENCIES not in headless.annotations.layers


def test_assert_brackets() -> None:
    lines = [
        "0: [ARG0 I] [TARGET saw ] [ARG1 that you left ] [ARGM-TMP at night] .",
        "0: I saw that [ARG0 you] [TARGET left ] at night .",
        "2: Nothing [ 1 ] here",
    ]
    first, second, third = assert_segments(lines, "a.assert")
    assert first.annotations.words == ("I", "saw", "that", "you", "left", "at", "night", ".")
    assert first.annotations.frames == (
        Frame(Span(1, 2), "", (Role("A0", Span(0, 1)), Role("A1", Span(2, 5)), Role("AM-TMP", Span(5, 7)))),
        Frame(Span(4, 5), "", (Role("A0", Span(3, 4)),)),
    )
    assert second.annotations.state == "missing"
    assert (third.annotations.words, third.annotations.frames) == (("Nothing", "[", "1", "]", "here"), ())
    unnumbered = assert_segments(["[TARGET Go]", "[TARGET Go]"], "a.assert")
    assert [len(segment.annotations.frames or ()) for segment in unnumbered] == [1, 1]
    assert assert_segments([], "a.assert") == []


def test_factored_text(oracle_dir: Path) -> None:
    path = oracle_dir / "linguistic" / "terrorcat" / "en.fact"
    segments = factored_segments(path.read_text(encoding="utf-8").splitlines(), path)
    assert len(segments) == 120
    words = segments[0].annotations
    assert words.words[:5] == ("However", ",", "the", "Brennan", "Centre")
    assert words.xpos is not None
    assert words.lemmas is not None
    assert (words.xpos[3], words.lemmas[4]) == ("NP", "centre")
    opened = open_annotations(path)[0]
    assert opened.layers == {LEMMAS, XPOS, UPOS}
    found = opened.find(" ".join(words.words))
    assert found is not None
    assert found.upos is not None
    assert found.upos[:5] == ("ADV", "PUNCT", "DET", "PROPN", "NOUN")
    [bar] = factored_segments(["&#124;|SYM|&#124;"], "x")
    assert bar.annotations.words == ("|",)
    assert factored_segments([""], "x")[0].annotations.words == ()


def test_roles_are_added_to_words(tmp_path: Path) -> None:
    words = tuple(TEXT.split())
    n = len(words)
    tree = Annotations(words=words, upos=("X",) * n, heads=(0,) * n, relations=("x",) * n)
    (tmp_path / "A.conllu").write_text(format_conllu(tree, "its text: " + TEXT))
    (tmp_path / "A.conll05").write_text(CONLL05)
    found = open_annotations(tmp_path)[0].find("its text: " + TEXT)
    assert found is not None
    assert found.frames == FRAMES05
    assert found.layers == {UPOS, DEPENDENCIES, FRAMES}
    (tmp_path / "A.conll05").write_text("\n".join(CONLL05.splitlines()[:-1]))
    with pytest.raises(InputError, match=r"A\.conll05, line 1: 18 words, but .*A\.conllu, line 1 has 19"):
        open_annotations(tmp_path)
    (tmp_path / "A.conll05").write_text(CONLL05 + "\n" + CONLL05)
    with pytest.raises(InputError, match=r"A\.conll05 has 2 segments, .*A\.conllu has 1"):
        open_annotations(tmp_path)


@pytest.mark.parametrize(
    ("read", "lines", "message"),
    [
        (factored_segments, ["a|b|c", "a|b"], "x, line 2: 'a|b' has 2 factors; a word has three, form|tag|lemma"),
        (factored_segments, ["a||c"], "x, line 1: 'a||c' has 2 factors"),
        (conll05_segments, ["a"], "x, line 1: 1 column; there must be 2 or more"),
        (conll05_segments, ["", "a -", "b - -"], "x, line 3: 3 columns, but other words of the segment have 2"),
        (conll05_segments, ["a go *"], "x, line 1: no column of predicates is followed by a column of roles"),
        (conll05_segments, ["a go (V*)", "b - (A0*"], "x, line 1: no column of predicates"),
        (conll05_segments, ["a go (V*)", "b - *)"], "x, line 1: no column of predicates"),
        (conll05_segments, ["a go *", "b - (V*)"], "x, line 1: no column of predicates"),
        (conll09_segments, ["1\ta"], "x, line 1: 2 columns; there must be 14 or more"),
        (conll09_segments, conll09("a a X 0 R p"), "x, line 1: 1 predicate, but 0 columns of roles"),
        (conll09_segments, conll09("a a X 3 R _"), "x, line 1: the head '3' is not a number from 0 to 1"),
        (conll09_segments, conll09("a a X 2 R _", "b b X 1 R _"), "x, line 1: the heads of word 1 lead back to itself"),
        (conll09_segments, conll09("a a X 0 R _")[:1] * 2, "x, line 2: word '1' where 2 is expected"),
        (assert_segments, ["[ARG0 I] go"], "x, line 1: 0 predicates ([TARGET …]); a line has one"),
        (assert_segments, ["[TARGET I] [TARGET go]"], "x, line 1: 2 predicates"),
        (assert_segments, ["[TARGET go"], "x, line 1: the role TARGET has no end"),
        (assert_segments, ["[TARGET ] go"], "x, line 1: the role TARGET has no words"),
        (assert_segments, ["[ARG0 a [TARGET go]]"], "x, line 1: the role TARGET begins inside of ARG0"),
        (assert_segments, ["0: a", "b"], "x, line 2: some lines begin with a number, others do not"),
        (assert_segments, ["1: a", "0: a"], "x, line 2: segment 0 follows segment 1"),
        (assert_segments, ["99999999: a"], "x, line 1: segment 99999999 follows segment -1"),
        (
            assert_segments,
            ["0: a", "0: b"],
            "x, line 2: different words than in line 1, which has the same segment number",
        ),
    ],
)
def test_bad_files(read: Callable[[list[str], str], object], lines: list[str], message: str) -> None:
    with pytest.raises(InputError) as raised:
        read(lines, "x")
    assert message in str(raised.value)


def test_annotations_of_other_texts_are_refused(tmp_path: Path) -> None:
    for name, lines in (
        ("A.fact", ["dogs|NNS|dog", "cats|NNS|cat"]),
        ("B.assert", ["[TARGET barking]", "[TARGET mewing]"]),
    ):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
        (tmp_path / name).with_suffix(".txt").write_text("Something\nelse here\n")
        with pytest.raises(
            InputError, match=rf"{name}: .* trees do not belong to their texts: segment 1 has the tree of"
        ):
            open_annotations(tmp_path / name)


def test_tag_sets_of_files(tmp_path: Path) -> None:
    file = tmp_path / "A.fact"
    file.write_text("dogs|NNS|dog\nbarking|ODD|bark\n")
    assert open_annotations(file)[0].layers == {LEMMAS, XPOS}  # of no set that is known
    description = tmp_path / "annotator.json"
    description.write_text('{"annotator": "mine", "tags": "penn"}')
    with pytest.raises(InputError, match=r"A\.fact, line 2: the tag 'ODD' of 'barking' is not in penn"):
        open_annotations(file)
    description.write_text('{"annotator": "mine", "tags": "pen"}')
    with pytest.raises(InputError, match=r"annotator\.json: no tag set named 'pen'; did you mean 'penn'"):
        open_annotations(file)
    file.write_text("dogs|NN2|dog\n")
    description.write_text('{"annotator": "mine", "tags": "c5"}')
    found = open_annotations(tmp_path)[0].find("dogs")
    assert found is not None
    assert found.upos == ("NOUN",)
    description.write_text('{"annotator": "mine", "tags": 3}')
    with pytest.raises(InputError, match=r"annotator\.json is not a file written by mtassay annotate"):
        open_annotations(file)
