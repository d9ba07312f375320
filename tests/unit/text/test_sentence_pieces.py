"""SentencePiece tokenizers with a model that the test trains, against sacreBLEU's; tokenizers of other packages."""

from __future__ import annotations

import importlib.metadata
import random
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import sacrebleu.tokenizers.tokenizer_spm
import sacrebleu.utils

import mtassay
import mtassay.compat.sacrebleu
from mtassay.errors import InputError, MissingExtraError, SpecError
from mtassay.text import ENTRY_POINTS, get_tokenizer
from mtassay.text.tokenizers.sentence_pieces import MODELS

LINES = ["", "Das ist ein Haus.", "  two  spaces ", "機械翻訳、ok?", "naïve café\u3000x", "UPPER lower 3.5%", "a\tb\n"]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model of random sentences."""
    sentencepiece = pytest.importorskip("sentencepiece", reason="pip install 'mtassay[spm]'")
    folder = tmp_path_factory.mktemp("spm")
    draw = random.Random(1)
    words = [
        "haus",
        "baum",
        "the",
        "house",
        "tree",
        "ein",
        "eine",
        "ist",
        "is",
        "grün",
        "green",
        "3.5",
        "café",
        "機械",
        "翻訳",
    ]
    sentences = [" ".join(draw.choices(words, k=8)) + "." for _ in range(300)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_prefix=str(folder / "made"), vocab_size=40, minloglevel=2
    )
    return folder / "made.model"


@pytest.fixture
def cache(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache that has the model under the names of all known ones."""
    folder = tmp_path / "cache" / "models"
    folder.mkdir(parents=True)
    for name, _ in MODELS.values():
        (folder / name).write_bytes(model.read_bytes())
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "cache"))
    for module in (sacrebleu.utils, sacrebleu.tokenizers.tokenizer_spm):
        monkeypatch.setattr(module, "SACREBLEU_DIR", str(tmp_path / "cache"))
    get_tokenizer.cache_clear()
    yield folder
    get_tokenizer.cache_clear()


@pytest.mark.filterwarnings("ignore:The 'warn' method is deprecated:DeprecationWarning")  # sacreBLEU's
@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("name", ["spm", "flores101", "flores200", "spBLEU-1K"])
def test_equal_to_sacrebleu(name: str) -> None:
    assert list(MODELS) == list(sacrebleu.tokenizers.tokenizer_spm.SPM_MODELS)
    theirs: Any = import_module("sacrebleu.metrics.bleu")._get_tokenizer(name)()
    compat: Any = import_module("mtassay.compat.sacrebleu.metrics.bleu")._get_tokenizer(name)()
    ours = get_tokenizer(name)
    for line in LINES:
        assert compat(line) == theirs(line)
        assert ours(line) == theirs(line.rstrip()).split(" ") or (not line.strip() and not ours(line))
    assert ours.signature == theirs.signature() == compat.signature()
    hyps, refs = ["the green house is ein Baum.", "café 機械"], [["the house is grün.", "café 翻訳 機械"]]
    for lowercase in (False, True):
        metrics: list[Any] = [
            package.BLEU(tokenize=name, lowercase=lowercase) for package in (mtassay.compat.sacrebleu, sacrebleu)
        ]
        assert vars(metrics[0].corpus_score(hyps, refs)) == vars(metrics[1].corpus_score(hyps, refs))
        assert str(metrics[0].get_signature()) == f"{metrics[1].get_signature()}|backend:mtassay"
        case = "lower" if lowercase else "mixed"
        score = mtassay.metric(f"bleu:tok={name},case={case}").corpus_score(hyps, refs)
        assert score == pytest.approx(metrics[1].corpus_score(hyps, refs).score, rel=1e-12)


def test_a_model_of_your_own(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from mtassay.cli.main import main

    metric = mtassay.metric(f"bleu:tok=spm:{model}")
    assert mtassay.metric(str(metric)) == metric
    signature = str(metric.signature([["a"]]))
    assert "|tok:spm-made-" in signature
    assert str(model.parent) not in signature
    ref = model.parent / "ref.txt"
    ref.write_text("the green house is grün\n", encoding="utf-8")
    assert main(["score", str(ref), "-i", str(ref), "-tok", f"spm:{model}", "-b"]) == 0
    assert capsys.readouterr().out == "100.0\n"


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "bad.model"
    with pytest.raises(InputError, match=r"bad\.model cannot be read as a SentencePiece model: .*No such file"):
        get_tokenizer(f"spm:{path}")
    path.write_text("text")
    with pytest.raises(InputError, match=r"bad\.model cannot be read as a SentencePiece model"):
        get_tokenizer(f"spm:{path}")


def test_a_model_that_is_missing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / MODELS["flores200"][0]).unlink()
    urls = {
        key: value | {"url": "http://127.0.0.1:9/x"}
        for key, value in sacrebleu.tokenizers.tokenizer_spm.SPM_MODELS.items()
    }
    monkeypatch.setattr(sacrebleu.tokenizers.tokenizer_spm, "SPM_MODELS", urls)
    message = r"'flores200' is not in .*models and cannot be downloaded \(.*refused.*\): .* give tok=spm:MODEL"
    with pytest.raises(InputError, match=message):
        mtassay.metric("bleu:tok=flores200")
    monkeypatch.setitem(sys.modules, "sacrebleu.tokenizers.tokenizer_spm", None)
    with pytest.raises(InputError, match=r"pip install 'mtassay\[testsets\]' to download it"):
        mtassay.metric("bleu:tok=flores200")


def test_without_sentencepiece(monkeypatch: pytest.MonkeyPatch) -> None:
    get_tokenizer.cache_clear()
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtraError, match=r"mtassay\[spm\]"):
        get_tokenizer("flores101")


class Halves:
    """A tokenizer of another package."""

    name = "halves"
    signature = "halves-1"

    def __call__(self, line: str) -> list[str]:
        return [line[i : i + 2] for i in range(0, len(line), 2)]


def _entry_point(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Install an entry point that loads an attribute of this module."""
    module = sys.modules[__name__]
    monkeypatch.setitem(sys.modules, "other_package", module)
    point = importlib.metadata.EntryPoint("halves", f"other_package:{value}", ENTRY_POINTS)
    points = importlib.metadata.entry_points
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: [point] if group == ENTRY_POINTS else points(group=group)
    )


def test_tokenizers_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    _entry_point(monkeypatch, "Halves")
    metric = mtassay.metric("bleu:tok=halves,order=2")
    assert metric.corpus_score(["abcdef"], [["abcdef"]]) == pytest.approx(100)
    assert "tok:halves-1" in str(metric.signature([["a"]]))
    get_tokenizer.cache_clear()


def test_tokenizers_of_other_packages_that_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    _entry_point(monkeypatch, "Absent")
    with pytest.raises(SpecError, match=r"'halves' \(other_package:Absent\) cannot be loaded"):
        get_tokenizer("halves")
    _entry_point(monkeypatch, "dict")
    monkeypatch.setitem(globals(), "dict", dict)
    with pytest.raises(SpecError, match="registered as a tokenizer, but"):
        get_tokenizer("halves")
    with pytest.raises(SpecError, match=r"no tokenizer named 'quarters'.*halves"):
        get_tokenizer("quarters")
