"""Annotations are found by their texts, and trees of other texts are refused."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from mtassay.data.annotations import CONSTITUENTS, DEPENDENCIES, MISSING, UPOS, Annotations
from mtassay.data.formats.annotation_files import annotator_of, open_annotations
from mtassay.data.formats.conllu import format_conllu
from mtassay.errors import InputError


def flat(words: str | Sequence[str]) -> Annotations:
    """All words are roots."""
    split = tuple(words.split() if isinstance(words, str) else words)
    n = len(split)
    layers = frozenset({UPOS, DEPENDENCIES})
    return Annotations(words=split, upos=("X",) * n, heads=(0,) * n, relations=("dep",) * n, layers=layers)


def write(path: Path, words: Sequence[str], texts: Sequence[str] | None = None) -> None:
    """A CoNLL-U file: of each segment the words, and with which text."""
    named = [None] * len(words) if texts is None else texts
    path.write_text("".join(format_conllu(flat(own), text) for own, text in zip(words, named, strict=True)))


def write_brackets(path: Path, words: Sequence[str]) -> None:
    path.write_text("".join(f"(S {' '.join(f'(X {word})' for word in own.split())})\n" for own in words))


def words_of(path: Path, text: str) -> tuple[str, ...] | None:
    found = open_annotations(path)[0].find(text)
    return None if found is None else found.words


def test_a_text_is_found_whatever_its_file_and_place(tmp_path: Path) -> None:
    write(tmp_path / "A.conllu", ["the dog .", "a cat"], ["The dog.", "A  cat"])
    with gzip.open(tmp_path / "B.conllu.gz", "wt") as file:
        file.write(format_conllu(flat("a bird"), "A bird"))
    for text, words in (("The dog.", "the dog ."), (" A\tcat ", "a cat"), ("A bird", "a bird")):
        assert words_of(tmp_path, text) == tuple(words.split())
    assert words_of(tmp_path, "The dog") is None  # another text, although its letters are the same
    assert words_of(tmp_path / "A.conllu", "A bird") is None
    assert words_of(tmp_path / "B.conllu.gz", "A bird") == ("a", "bird")


def test_texts_may_stand_in_a_file_beside(tmp_path: Path) -> None:
    write(tmp_path / "A.conllu", ["de le chien", "vu"])
    write_brackets(tmp_path / "A.ptb", ["de le chien", "vu"])
    (tmp_path / "A.txt").write_text("du chien\nvu !\n")
    found = open_annotations(tmp_path)[0].find("du chien")
    assert found is not None
    assert found.words == ("de", "le", "chien")
    assert found.layers == {UPOS, DEPENDENCIES, CONSTITUENTS}
    (tmp_path / "A.conllu").unlink()
    of_brackets = open_annotations(tmp_path / "A.ptb")[0]
    assert of_brackets.layers == {CONSTITUENTS}
    alone = of_brackets.find("du chien")
    assert alone is not None
    assert alone.constituents == found.constituents
    assert of_brackets.find("de le chien") is None
    (tmp_path / "A.txt").write_text("du chien\n")
    with pytest.raises(InputError, match=r"A\.ptb has 2 segments, .*A\.txt has 1: every segment needs annotations"):
        open_annotations(tmp_path)


def test_without_texts_words_or_letters_are_compared(tmp_path: Path) -> None:
    write(tmp_path / "A.conllu", ["`` The dog -LRB- barks -RRB- . ''", "everyday", "every day !", ". . ."])
    assert words_of(tmp_path, "“The dog (barks).”") == ("``", "The", "dog", "-LRB-", "barks", "-RRB-", ".", "''")
    assert words_of(tmp_path, "every day!") == ("every", "day", "!")
    assert words_of(tmp_path, "everyday") == ("everyday",)
    assert words_of(tmp_path, "The dog sleeps") is None
    assert words_of(tmp_path, "!!!") is None
    # Words in several parts, as they are written.
    cells = ["1-2\tdu\t_\t_", "1\tde\t_\tADP", "2\tle\t_\tDET"]
    rows = [f"{cell}\t_\t_\t{head}\tx\t_\t_" for cell, head in zip(cells, ("_", 0, 0), strict=True)]
    (tmp_path / "A.conllu").write_text("\n".join(rows) + "\n")
    assert words_of(tmp_path, "Du") == ("de", "le")


def test_of_several_annotations_the_first_whole_one_counts(tmp_path: Path) -> None:
    write(tmp_path / "B.conllu", ["b b", "a"], ["text", "other"])
    write(tmp_path / "C.conllu", ["c c", "a"], ["text", "other"])
    assert words_of(tmp_path, "text") == ("b", "b")
    (tmp_path / "A.conllu").write_text(format_conllu(Annotations.missing(()), "text"))
    assert words_of(tmp_path, "text") == ("b", "b")
    write_brackets(tmp_path / "C.ptb", ["c c", "a"])
    assert words_of(tmp_path, "text") == ("c", "c")
    (tmp_path / "A.conllu").write_text(format_conllu(Annotations.missing(()), "only here"))
    found = open_annotations(tmp_path)[0].find("only here")
    assert found is not None
    assert found.state == MISSING


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere: no such file or folder of annotations"):
        open_annotations(tmp_path / "nowhere")
    (tmp_path / "A.txt").write_text("a\n")
    with pytest.raises(InputError, match=r"has no annotations: \*\.conllu, \*\.fact, .*\*\.ptb, also compressed"):
        open_annotations(tmp_path)
    with pytest.raises(InputError, match="has no annotations"):
        open_annotations(tmp_path / "A.txt")
    write(tmp_path / "A.conllu", ["a", "b"])
    write_brackets(tmp_path / "A.ptb", ["a"])
    (tmp_path / "A.txt").unlink()
    with pytest.raises(InputError, match=r"A\.ptb has 1 segment, .*A\.conllu has 2"):
        open_annotations(tmp_path)


# Trees of other texts


def sentences(seed: int, n: int) -> list[str]:
    rng = random.Random(seed)
    return [" ".join("".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(8)) for _ in range(n)]


def test_trees_of_other_sentences_are_refused(tmp_path: Path) -> None:
    words = ["The dog barks .", "Nobody knows why .", "It rains .", "-LRB- A cat -RRB-", "no"]
    write(tmp_path / "A.conllu", words)
    write_brackets(tmp_path / "B.ptb", words)
    texts = ["the dog barks, it says", "Nobody knows why.", "It rains.", "(a cat)", ""]
    for name in ("A.conllu", "B.ptb"):
        beside = (tmp_path / name).with_suffix(".txt")
        # One strange sentence may be the parser's doing.
        for good in (texts, ["Something else here.", *texts[1:]]):
            beside.write_text("".join(f"{line}\n" for line in good))
            assert words_of(tmp_path / name, "It rains.") == ("It", "rains", ".")
        beside.write_text("".join(f"{line}\n" for line in [texts[0], *texts[2:4], texts[1], ""]))
        message = (
            rf"{name}: 3 of 4 trees do not belong to .*: segment 2 has the tree of 'Nobody knows why \.', but its "
        )
        with pytest.raises(InputError, match=message):
            open_annotations(tmp_path / name)


def test_words_that_end_before_their_text_are_refused(tmp_path: Path) -> None:
    rows = [f"{n}\t{word}\t_\t_\t_\t_\t{n - 1}\t_\t_\t_" for n, word in enumerate(("It", "rains", "."), 1)]
    path = tmp_path / "A.conllu"
    path.write_text("\n".join(["# text = Yes", rows[0].replace("It", "Yes"), "", "# text = It rains.", *rows[:1], ""]))
    with pytest.raises(InputError, match=r"A\.conllu, line 4: 1 word, but the text 'It rains\.' has more words"):
        open_annotations(path)
    # A mark that a tokenizer leaves out is no loss, nor is what a parser marks as partial.
    path.write_text("\n".join(["# text = It rains.", *rows[:2], ""]))
    assert words_of(path, "It rains.") == ("It", "rains")
    path.write_text("\n".join(["# text = It rains.", "# parse = partial", *rows[:1], ""]))
    assert words_of(path, "It rains.") == ("It",)


def test_brackets_of_other_sentences_than_the_words_are_refused(tmp_path: Path) -> None:
    own = sentences(1, 20)
    write(tmp_path / "A.conllu", own)
    write_brackets(tmp_path / "A.ptb", [*own[1:], own[0]])
    with pytest.raises(InputError, match=r"A\.ptb: .* do not belong to their texts: segment 1 has the tree of"):
        open_annotations(tmp_path)


def test_trees_that_are_off_by_one_somewhere_are_refused(tmp_path: Path) -> None:
    texts = sentences(1, 100)
    for first, is_wrong in ((0, True), (50, True), (88, True), (90, False), (99, False)):
        write(tmp_path / "A.conllu", [*texts[:first], *texts[first + 1 :], texts[first]], texts)
        if not is_wrong:
            assert words_of(tmp_path, texts[0]) == tuple(texts[0].split())
            continue
        with pytest.raises(InputError, match=rf"A\.conllu: .* do not belong .*: segment {first + 1} has the tree of"):
            open_annotations(tmp_path)


def test_trees_of_a_similar_system_are_refused(tmp_path: Path) -> None:
    """Three of eight words differ in all segments but one in ten."""
    texts = sentences(1, 100)
    other = [
        own if place % 10 == 0 else " ".join([*strange.split()[:3], *own.split()[3:]])
        for place, (own, strange) in enumerate(zip(texts, sentences(2, 100), strict=True))
    ]
    write(tmp_path / "A.conllu", other, texts)
    message = r"A\.conllu has the trees of other texts, .*only 10 of 100 trees have the words"
    with pytest.raises(InputError, match=message):
        open_annotations(tmp_path)
    write(tmp_path / "A.conllu", other)
    assert words_of(tmp_path, texts[1]) is None


def test_changes_that_parsers_make_are_allowed(tmp_path: Path) -> None:
    """Other quotes and brackets in all segments, one of eight words written otherwise, and words left out."""
    texts = sentences(1, 40)
    changed = [
        ([f"`` -LRB- {text.upper()} -RRB- '' ." for text in texts], [f"“({text})”." for text in texts]),
        ([" ".join(["de", "le", *text.split()[1:]]) for text in texts], [f"du{text[6:]}" for text in texts]),
        ([" ".join(text.split()[1:]) for text in texts], texts),
    ]
    for words, given in changed:
        write(tmp_path / "A.conllu", words, given)
        assert words_of(tmp_path, given[3]) == tuple(words[3].split())


def test_labels_alone_fit_every_text(tmp_path: Path) -> None:
    (tmp_path / "A.ptb").write_text("(S (NP) (VP))\n")
    (tmp_path / "A.txt").write_text("Something.\n")
    assert open_annotations(tmp_path)[0].find("Something.") is not None


# What made them


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not a file written by mtassay annotate"),
        ("{", "is not a file written by mtassay annotate"),
        ("[]", "is not a file written by mtassay annotate"),
        ("{}", "is not a file written by mtassay annotate"),
        ('{"annotator": 3}', "is not a file written by mtassay annotate"),
        ('{"annotator": " "}', "cannot be part of a signature"),
        ('{"annotator": "a|b"}', r"the annotator 'a\|b' cannot be part of a signature"),
        ('{"annotator": "a\\u0007b"}', "cannot be part of a signature"),
    ],
)
def test_a_broken_description_is_refused(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "annotator.json").write_text(content)
    with pytest.raises(InputError, match=rf"annotator\.json.*({message})"):
        annotator_of(tmp_path)


def test_annotations_are_known_by_their_content(tmp_path: Path) -> None:
    assert annotator_of(tmp_path) == "unknown"
    (tmp_path / "annotator.json").write_text(json.dumps({"annotator": "link-grammar 5  en"}))
    assert annotator_of(tmp_path) == "link-grammar 5 en"
    write(tmp_path / "A.conllu", ["a"])
    first = open_annotations(tmp_path)[1]
    assert len(first) == 8
    with gzip.open(tmp_path / "A.conllu.gz", "wt") as file:
        file.write((tmp_path / "A.conllu").read_text())
    (tmp_path / "A.conllu").unlink()
    assert open_annotations(tmp_path)[1] == first
    write(tmp_path / "B.conllu", ["a"])
    second = open_annotations(tmp_path)[1]
    write(tmp_path / "B.conllu", ["b"])
    assert len({first, second, open_annotations(tmp_path)[1]}) == 3
    assert words_of(tmp_path, "b") == ("b",)
