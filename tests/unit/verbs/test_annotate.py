"""What ``annotate`` writes, the annotator ``file:`` reads; from Python and from the shell."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import command
import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.data.annotations import CONSTITUENTS, DEPENDENCIES, FULL, LEMMAS, PARTIAL, UPOS, Annotations
from mtassay.data.formats.brackets import bracket_trees
from mtassay.errors import InputError
from mtassay.text import annotate as registry
from mtassay.text.annotate import get_annotator
from mtassay.text.annotate.annotator import Argument
from mtassay.verbs.annotate import annotate, annotate_texts

REFERENCES = ["the dog barked (loudly)", "?", "", "a \u2028cat"]
SYSTEM = ["a dog barked !", "?", "a cat", ""]


class Backwards:
    """Every word hangs from the one behind it."""

    name = "backwards"
    version = "1.0 x"
    is_parallel = True
    is_kept = True
    argument = Argument.OTHER
    provides = frozenset({LEMMAS, UPOS, DEPENDENCIES, CONSTITUENTS})

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        return [self._one(text.split()) for text in texts]

    def _one(self, words: list[str]) -> Annotations:
        n = len(words)
        if words == ["?"]:
            return Annotations.missing(self.provides)
        escaped = [word.replace("(", "-LRB-").replace(")", "-RRB-") for word in words]
        [tree] = bracket_trees([f"(S (NP {escaped[0]}) (VP {' '.join(escaped[1:])}))"], "x")
        return Annotations(
            words=tuple(words),
            lemmas=tuple(word.rstrip("ed") or "_" for word in words),
            upos=("X",) * n,
            heads=(*range(2, n + 1), 0),
            relations=("dep",) * n,
            constituents=tree,
            layers=self.provides,
            state=PARTIAL if "!" in words else FULL,
        )


@pytest.fixture(autouse=True)
def backwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("mtassay_test_annotators")
    module.Backwards = Backwards  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(registry, "ANNOTATORS", {**registry.ANNOTATORS, "backwards": f"{module.__name__}:Backwards"})
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name, lines in (("ref", REFERENCES), ("sys", SYSTEM)):
        Path(f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    registry._made.cache_clear()
    yield
    registry._made.cache_clear()


def test_what_is_written_is_read_exactly() -> None:
    testset = mtassay.TestSet([REFERENCES, [None, *REFERENCES[1:]]], {"sys": SYSTEM}, reference_names=["r1", "r2"])
    result = annotate(testset, annotator="backwards", output="trees", threads=2)
    assert result.annotator == "backwards 1.0 x"
    assert {name: tuple(vars(found).values()) for name, found in result.texts.items()} == {
        "r1": (2, 0, 1, 1),
        "r2": (1, 0, 1, 2),
        "sys": (1, 1, 1, 1),
    }
    names = {path.name for path in Path("trees").iterdir()}
    assert names == {"annotator.json", *(f"{name}{end}" for name in ("r1", "r2", "sys") for end in (".conllu", ".ptb"))}
    texts = [text for text in (*REFERENCES, *SYSTEM) if text]
    from_files = get_annotator("file:trees").annotate(texts)
    for text, read, made in zip(texts, from_files, Backwards().annotate(texts), strict=True):
        assert read == made, text
        if made.constituents is not None:
            assert read.constituents is not None
            assert read.constituents.words == made.constituents.words
            assert read.constituents.word_nodes == made.constituents.word_nodes
    specs = [
        spec for kind in ("hwcm", "stm") for spec in (f"{kind}:annotator=backwards", f"{kind}:annotator=file:trees")
    ]
    scores = mtassay.score([REFERENCES], {"sys": SYSTEM}, metrics=specs).segment_scores()
    np.testing.assert_array_equal(scores[..., ::2], scores[..., 1::2])


def test_results() -> None:
    result = annotate_texts({"news": SYSTEM}, annotator="backwards", output="bank")
    assert result.to_dict() == {
        "schema": "mtassay.annotate/1",
        "annotator": "backwards 1.0 x",
        "texts": [{"name": "news", "full": 1, "partial": 1, "missing": 1, "empty": 1}],
    }
    assert str(result).splitlines()[1].split() == ["news", "1", "1", "1", "1"]
    assert str(result).endswith("by backwards 1.0 x")


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    annotate_texts({"news": SYSTEM}, annotator="backwards", output="bank")
    monkeypatch.setattr(Backwards, "version", "2")
    with pytest.raises(InputError, match=r"bank has annotations by backwards 1\.0 x; choose another folder"):
        annotate_texts({"news": SYSTEM}, annotator="backwards", output="bank")
    with pytest.raises(InputError, match="a system has the name of the reference 'r'"):
        annotate(mtassay.TestSet([["a"]], {"r": ["b"]}, reference_names=["r"]), annotator="backwards", output="other")
    with pytest.raises(InputError, match="give systems either inside the test set or beside"):
        annotate(mtassay.TestSet([["a"]], {"x": ["b"]}), {"x": ["b"]}, annotator="backwards", output="other")
    with pytest.raises(InputError, match=r"ref\.txt cannot be created"):
        annotate([["a"]], {"x": ["b"]}, annotator="backwards", output="ref.txt")
    assert not Path("other").exists()


# The shell


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.refused(capsys, "annotate", *arguments)


def test_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    inputs = ["ref.txt", "-i", "sys.txt", "--annotator", "backwards"]
    assert main(["annotate", *inputs, "-o", "trees"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "text  full  partial  missing  empty",
        "ref      2        0        1      1",
    ]
    assert main(["annotate", *inputs, "-o", "trees", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["annotator"] == "backwards 1.0 x"
    assert main(["annotate", "--texts", "ref.txt", "--annotator", "backwards", "-o", "bank", "-f", "tsv"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "ref\t2\t0\t1\t1"
    assert Path("bank", "ref.conllu").read_bytes() == Path("trees", "ref.conllu").read_bytes()
    score = ["score", "ref.txt", "-i", "sys.txt", "-m", "hwcm:annotator=file:trees", "-b"]
    assert main(score) == 0
    from_files = capsys.readouterr().out
    assert main([*score[:-2], "hwcm:annotator=backwards", "-b"]) == 0
    assert capsys.readouterr().out == from_files


def test_refusals_of_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    inputs = ["ref.txt", "-i", "sys.txt"]
    assert "required: -o" in refused(capsys, *inputs)
    assert "replaces the test set" in refused(capsys, *inputs, "--texts", "ref.txt", "-o", "trees")
    for given in (inputs, ["--texts", "ref.txt"]):
        message = "link-grammar annotates en, but these texts are de"
        assert message in refused(capsys, *given, "-l", "en-de", "-o", "trees")
        assert message in refused(capsys, *given, "-l", "en-de_AT", "-o", "trees")
        assert "en_US: a language pair is written" in refused(capsys, *given, "-l", "en_US", "-o", "trees")
    assert "no annotator named 'nothing'" in refused(capsys, *inputs, "-o", "trees", "--annotator", "nothing")
    assert "--threads must be at least 1" in refused(capsys, *inputs, "-o", "trees", "-j", "0")
    shutil.copy("ref.txt", "ref")
    assert "another file is also called 'ref'" in refused(
        capsys, "--texts", "ref", "ref.txt", "-o", "trees", "--annotator", "backwards"
    )
    assert not Path("trees").exists()
    with pytest.raises(SystemExit) as stop:
        main(["annotate", "--help"])
    assert stop.value.code == 0
    assert "examples:\n  mtassay annotate ref.txt" in capsys.readouterr().out


def test_metrics_of_trees_can_be_tuned_towards(capsys: pytest.CaptureFixture[str]) -> None:
    """The weights under which the reference is chosen are found."""
    lines = [
        f"{n} ||| {text} ||| F= {value} G= {n} ||| 0"
        for n in range(3)
        for text, value in ((REFERENCES[0], -1.0), ("a cat", 1.0))
    ]
    Path("nbest.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path("refs.txt").write_text(f"{REFERENCES[0]}\n" * 3, encoding="utf-8")
    given = ["--nbest", "nbest.txt", "-r", "refs.txt", "-m", "hwcm:annotator=backwards", "-f", "json"]
    assert main(["tune", *given]) == 0
    assert json.loads(capsys.readouterr().out)["after"] == 1.0


def test_a_folder_with_other_files_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("full").mkdir()
    Path("full", "notes.txt").write_text("x", encoding="utf-8")
    assert main(["annotate", "ref.txt", "-i", "sys.txt", "--annotator", "backwards", "-o", "full"]) == 2
    assert "full has other files; choose a new folder" in capsys.readouterr().err
    assert [path.name for path in Path("full").iterdir()] == ["notes.txt"]
