"""Parsers: link-parser itself where it is installed, stand-ins for it, spaCy and Stanza where not."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from mtassay.data.testset import TestSet
from mtassay.data.trees import DependencyTree, read_brackets, read_conllu
from mtassay.errors import InputError, MissingExtraError, MtassayError
from mtassay.text.annotate import FULL, MISSING, PARTIAL, Parse, get_parser, parse_files, parse_testset, parse_texts
from mtassay.text.annotate.link_grammar import LinkGrammar
from mtassay.text.annotate.linkage import parsed

real = pytest.mark.skipif(shutil.which("link-parser") is None, reason="there is no program link-parser")

SECTION = """
(S (S (NP it) (VP is.v (NP one))) . (S (NP dogs.n) (VP bark.v {the})) .)

[(LEFT-WALL)(it)(is.v)(one)(.)(dogs.n)(bark.v)([the])(()
())(.)(RIGHT-WALL)]
[[0 4 0 (Xp)][0 2 0 (WV)][0 1 0 (Wd)][1 2 0 (Ss)][2 3 0 (Ost)]
[4 6 0 (WV)][4 5 0 (Wd)][5 6 0 (Sp)][4 10 0 (Xp)][6 8 0 (Xd)][6 9 0 (Xc)][10 11 0 (RW)]]
[0]

(S (another linkage))
"""


def heads_by_word(tree: DependencyTree | None) -> list[tuple[str, str, str]]:
    assert tree is not None
    names = ["-", *tree.words]
    return [(w, names[h], r) for w, h, r in zip(tree.words, tree.heads, tree.relations, strict=True)]


def test_links_become_heads() -> None:
    found = parsed(SECTION)
    assert found.state == PARTIAL
    assert heads_by_word(found.dependencies) == [
        ("it", "is", "S"),
        ("is", "-", "root"),
        ("one", "is", "O"),
        (".", "is", "X"),
        ("dogs", "bark", "S"),
        ("bark", "-", "root"),
        ("the", "-", "null"),
        ("(", "bark", "X"),
        (")", "bark", "X"),
        (".", "bark", "X"),
    ]
    assert found.brackets == (
        "(S (S (NP (PRON it)) (VP (VERB is) (NP (PRON one)))) (PUNCT .) "
        "(S (NP (NOUN dogs)) (VP (VERB bark) (X the))) (PUNCT .))"
    )


def test_a_subject_hangs_from_its_verb_and_not_from_the_conjunction() -> None:
    section = """[(LEFT-WALL)(I.p)(know.v)(that.j-c)(he)(came.v-d)(RIGHT-WALL)]
[[0 6 0 (RW)][0 2 0 (WV)][0 1 0 (Wd)][1 2 0 (Sp*i)][2 3 0 (TH)][3 5 0 (CV)][3 4 0 (Ce)][4 5 0 (Ss)]]
[0]
"""
    found = parsed(section)
    assert found.state == FULL
    assert found.brackets is None
    assert [head for _, head, _ in heads_by_word(found.dependencies)] == ["know", "-", "know", "came", "that"]
    assert found.dependencies is not None
    assert found.dependencies.tags == ("PRON", "VERB", "CCONJ", "PRON", "VERB")


@pytest.mark.parametrize(
    "section",
    ["", "No complete linkages found.\n", "[(LEFT-WALL)(RIGHT-WALL)]\n[]\n", "[(LEFT-WALL)(a)]\n[[5 1 0 (A)]]\n"],
)
def test_output_without_a_linkage(section: str) -> None:
    found = parsed(section)
    assert found.state == MISSING or found.dependencies == DependencyTree(("a",), (0,), ("X",), ("root",))


# A program that answers like link-parser, or does not

FAKE = """#!{python}
import sys, time
if "--version" in sys.argv:
    print("Version: link-grammar-0.0.1")
    sys.exit()
for line in sys.stdin:
    if line.startswith("!width="):
        print("width set to " + line.strip().split("=")[1])
    elif "crash" in line:
        sys.stdout.flush()
        sys.exit(3)
    elif "sleep" in line:
        time.sleep(60)
    elif "garbage" in line:
        print("[(LEFT-WALL)(")
    else:
        words = line.split()
        print("(S " + " ".join(words) + ")")
        print()
        print("[(LEFT-WALL)" + "".join("(%s)" % word for word in words) + "(RIGHT-WALL)]")
        print("[" + "".join("[%d %d 0 (MV)]" % (i, i + 1) for i in range(len(words))) + "]")
        print("[0]")
"""


@pytest.fixture
def fake(tmp_path: Path) -> str:
    program = tmp_path / "fake-parser"
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(0o755)
    return str(program)


def test_bad_output_crashes_and_sleep(fake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = LinkGrammar(command=fake)
    run = LinkGrammar._run

    def impatient(self: LinkGrammar, arguments: list[str], text: str, seconds: float) -> Any:
        assert seconds >= 20
        return run(self, arguments, text, 1.0)

    monkeypatch.setattr(LinkGrammar, "_run", impatient)
    found = parser.parse(["a b", "crash", "c", "garbage", "d e f", "sleep", "!g %h"])
    assert [parse.state for parse in found] == [FULL, MISSING, FULL, MISSING, FULL, MISSING, FULL]
    assert heads_by_word(found[4].dependencies) == [("d", "-", "root"), ("e", "d", "MV"), ("f", "e", "MV")]
    assert found[6].dependencies is not None
    assert found[6].dependencies.words == ("!g", "%h")


def test_a_program_that_is_not_there_or_is_another_one(tmp_path: Path) -> None:
    with pytest.raises(MtassayError, match=r"no program no-such-parser; install it: apt-get install link-grammar"):
        LinkGrammar(command="no-such-parser")
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho 'Error: nothing here' >&2\nexit 1\n")
    other.chmod(0o755)
    with pytest.raises(MtassayError, match="does not answer as link-parser does"):
        _ = LinkGrammar(command=str(other)).name
    with pytest.raises(InputError, match="link-parser xx does not run: Error: nothing here"):
        LinkGrammar("xx", command=str(other)).parse(["a"])


@real
def test_the_real_one() -> None:
    parser = LinkGrammar()
    assert parser.name.startswith("link-grammar ")
    texts = ["The dog that barked sat on the mat.", "!help of of the the", "\tHe\u2028saw  it.\x00"]
    sat, odd, saw = parser.parse(texts)
    assert sat.state == FULL
    assert heads_by_word(sat.dependencies)[:3] == [("the", "dog", "D"), ("dog", "sat", "S"), ("that", "dog", "R")]
    assert ("mat", "on") in [(word, head) for word, head, _ in heads_by_word(sat.dependencies)]
    assert odd.state == PARTIAL
    assert saw.dependencies is not None
    assert saw.dependencies.words == ("he", "saw", "it", ".")
    assert saw.dependencies.tags == ("PRON", "VERB", "PRON", "PUNCT")


# Files


class Counting:
    """Every word hangs from the one before it; counts what it is asked."""

    is_parallel = True

    def __init__(self, name: str = "counting 1") -> None:
        self.name = name
        self.seen: list[str] = []

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        self.seen += texts
        return [self._one(text.split()) for text in texts]

    def _one(self, words: list[str]) -> Parse:
        if words == ["?"]:
            return Parse(None, None, MISSING)
        n = len(words)
        tree = DependencyTree(tuple(words), tuple(range(n)), ("X",) * n, ("dep",) * n)
        return Parse(tree, f"(S {' '.join(words)})", PARTIAL if "!" in words else FULL)


def test_texts_are_parsed_once(tmp_path: Path) -> None:
    (tmp_path / "A.txt").write_text("a b\n\n?\na !\n")
    (tmp_path / "B.txt").write_text("a b\nc\nd\ne\n")
    out, parser = tmp_path / "new" / "trees", Counting()
    found = parse_files([tmp_path / "A.txt", tmp_path / "B.txt"], out, parser=parser)
    assert sorted(parser.seen) == ["?", "a !", "a b", "c", "d", "e"]
    a, b = found["A"], found["B"]
    assert (a.full, a.partial, a.missing, a.empty, a.has_brackets) == (1, 1, 1, 1, True)
    assert (b.full, b.partial, b.missing, b.empty) == (4, 0, 0, 0)
    trees = read_conllu(out / "A.conllu")
    assert [tree and tree.words for tree in trees] == [("a", "b"), None, None, ("a", "!")]
    assert [tree is None for tree in read_brackets(out / "A.ptb")] == [False, True, True, False]
    assert json.loads((out / "parser.json").read_text())["parser"] == "counting 1"

    again = Counting()
    assert parse_files([tmp_path / "A.txt", tmp_path / "B.txt"], out, parser=again) == found
    assert again.seen == []
    (tmp_path / "B.txt").write_text("a b\nc\nd\nf\n")
    (out / "A.ptb").unlink()
    parse_files([tmp_path / "A.txt", tmp_path / "B.txt"], out, parser=again)
    assert sorted(again.seen) == ["?", "a !", "a b", "c", "d", "f"]
    other = Counting("counting 2")
    parse_files([tmp_path / "B.txt"], out, parser=other)
    assert sorted(other.seen) == ["a b", "c", "d", "f"]
    assert list(json.loads((out / "parser.json").read_text())["texts"]) == ["B"]


def test_test_sets_and_number_of_processes(tmp_path: Path) -> None:
    lines = [f"w{i} w{i + 1}" for i in range(130)]
    testset = TestSet([lines, [None, *lines[1:]]], {"sys": lines[::-1]}, reference_names=["r1", "r2"])
    for processes in (1, 3):
        out = tmp_path / str(processes)
        found = parse_testset(testset, out, parser=Counting(), processes=processes)
        assert list(found) == ["r1", "r2", "sys"]
        assert (found["r2"].empty, found["r2"].full) == (1, 129)
    assert (tmp_path / "1" / "sys.conllu").read_bytes() == (tmp_path / "3" / "sys.conllu").read_bytes()


def test_a_failing_parser_leaves_nothing(tmp_path: Path) -> None:
    class Failing(Counting):
        def parse(self, texts: Sequence[str]) -> list[Parse]:
            raise MtassayError("out of order")

    with pytest.raises(MtassayError, match="out of order"):
        parse_texts({"A": ["a"]}, tmp_path / "out", parser=Failing())
    assert list((tmp_path / "out").iterdir()) == []
    (tmp_path / "out" / "parser.json").write_text("[1]")
    assert parse_texts({"A": ["a"]}, tmp_path / "out", parser=Counting())["A"].full == 1


def test_what_was_parsed_before_an_interruption_stays(tmp_path: Path) -> None:
    class Interrupted(Counting):
        def parse(self, texts: Sequence[str]) -> list[Parse]:
            if "stop" in texts:
                raise KeyboardInterrupt
            return super().parse(texts)

    texts = {"A": ["a", "b"], "B": ["b", "a"], "C": ["c", "stop"]}
    with pytest.raises(KeyboardInterrupt):
        parse_texts(texts, tmp_path, parser=Interrupted(), processes=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["A.conllu", "A.ptb", "B.conllu", "B.ptb", "parser.json"]
    after = Counting()
    assert list(parse_texts(texts, tmp_path, parser=after)) == ["A", "B", "C"]
    assert after.seen == ["c", "stop"]


def test_names_of_parsers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"no parser named 'link'.*there are: link-grammar, spacy, stanza"):
        get_parser("link")
    for name in ("spacy", "stanza"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(MissingExtraError, match=rf"the parser {name} needs .* 'mtassay\[{name}\]'"):
            get_parser(name)
    (tmp_path / "A").write_text("a\n")
    with pytest.raises(InputError, match="another file is called 'A', too"):
        parse_files([tmp_path / "A", tmp_path / "A"], tmp_path / "out", parser=Counting())


# Packages


def test_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens with absolute positions, white space among them, a root per sentence."""

    def document(text: str) -> list[Any]:
        words = [("He", 1, "PRON", "nsubj"), ("came", 1, "VERB", "ROOT"), (" ", 1, "SPACE", ""), ("Yes", 3, "", "")]
        made = [
            SimpleNamespace(text=w, i=i, pos_=pos, dep_=dep, is_space=w.isspace())
            for i, (w, _, pos, dep) in enumerate(words)
        ]
        for token, (_, head, *_) in zip(made, words, strict=True):
            token.head = made[head]
        return made if text else []

    pipeline = SimpleNamespace(meta={"version": "3.7"}, pipe=lambda texts: map(document, texts))
    module = ModuleType("spacy")
    module.__version__ = "3.0"  # type: ignore[attr-defined]
    module.load = lambda model: pipeline  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", module)
    parser = get_parser("spacy:model")
    assert parser.name == "spacy 3.0 model 3.7"
    [found, nothing] = parser.parse(["He came  Yes", ""])
    assert found == Parse(
        DependencyTree(("He", "came", "Yes"), (2, 0, 0), ("PRON", "VERB", "_"), ("nsubj", "ROOT", "_")), None, FULL
    )
    assert nothing.state == MISSING

    def absent(model: str) -> None:
        raise OSError

    module.load = absent  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="python -m spacy download model"):
        get_parser("spacy:model")


def test_stanza(monkeypatch: pytest.MonkeyPatch) -> None:
    def word(text: str, head: int, upos: str) -> Any:
        return SimpleNamespace(text=text, head=head, upos=upos, deprel="dep")

    first = SimpleNamespace(
        words=[word("He", 2, "PRON"), word("came", 0, "VERB")], constituency="(S (NP He)\n (VP came))"
    )
    second = SimpleNamespace(words=[word("Yes", 0, "INTJ")], constituency="(X Yes)")
    module = ModuleType("stanza")
    module.__version__ = "1.0"  # type: ignore[attr-defined]
    module.Pipeline = lambda *_, **__: lambda _: SimpleNamespace(sentences=[first, second])  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "stanza", module)
    [found] = get_parser("stanza").parse(["He came. Yes"])
    assert found.dependencies is not None
    assert found.dependencies.heads == (2, 0, 0)
    assert found.brackets == "(S (NP He) (VP came)) (X Yes)"

    def absent(*_: Any, **__: Any) -> None:
        raise FileNotFoundError

    module.Pipeline = absent  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"Stanza has no models for de: .*stanza.download\('de'\)"):
        get_parser("stanza:de")
