"""Tiny models with random weights on disk, built by the libraries that load them.

`make test-neural` installs the libraries, among them PyTorch, into .venv-neural; without them these tests skip.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import mtassay
from mtassay.metrics.neural import assessments, base

LIBRARIES = ("torch", "comet", "transformers", "bert_score", "bleurt_pytorch", "sentencepiece")
#: Of every transformer here.
SIZES = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 24}
_LONGEST = 80
_TEXT = """\
the cat sat on the mat . a dog barked loudly at the old house by the river while it rained and nobody came home
le chat est assis sur le tapis et un chien a aboyé devant la vieille maison près de la rivière quand il pleuvait
der Hund bellte laut am alten Haus und niemand kam nach Hause , denn es regnete : 1 2 3 4 5 6 7 8 9 0 ! ? ; ( )
translations are judged by people and by metrics such as this one , which knows nothing at all because it is random
source: candidate: reference: äöüß éèê 中文 日本
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip without the libraries; with them ignore what they warn of, most of all about each other."""
    lacking = [name for name in LIBRARIES if find_spec(name) is None]
    why = f"no {', '.join(lacking)}: run make test-neural, which installs PyTorch and the libraries (2 GB)"
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
            if lacking:
                item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder, empty, and no loaded model."""
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "cache"))
    base._loaded.clear()
    assessments._in_memory.clear()
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def testset() -> mtassay.TestSet:
    """Texts of all lengths: empty ones, and some that models cut."""
    words = _TEXT.split()
    references = ["the cat sat on the mat .", "a dog barked", "", "nobody came", " ".join(words * 3), "中文 unknown €"]
    others = ["a cat on the mat", None, "rain", "no one came home !", "the", "日本"]
    systems = {
        "x": ["the cat on a mat .", "dogs barked loudly at me", "rain", "", " ".join(words[::-1] * 2), "中文"],
        "y": ["the cat sat on the mat .", "a dog", "", "somebody came :-)", " ".join(words * 3), "€"],
    }
    sources = ["le chat sur le tapis", "un chien a aboyé", "il pleut", "personne", " ".join(words[50:] * 2), "中"]
    return mtassay.TestSet([references, others], systems, sources=sources, language_pair="fr-en")


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An XLM-R with its tokenizer, from which COMET models start."""
    return _encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="session")
def comet_models(tmp_path_factory: pytest.TempPathFactory, encoder: Path) -> dict[str, Path]:
    """COMET models by kind."""
    kinds = ("regression_metric", "referenceless_regression_metric", "unified_metric", "xcomet_metric")
    return {kind: _comet_model(tmp_path_factory.mktemp(kind), encoder, kind) for kind in kinds}


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with its tokenizer, for BERTScore."""
    return _bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="session")
def word_bleurt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BLEURT of word pieces, as the first ones."""
    return _bleurt(tmp_path_factory.mktemp("bleurt"), kind="words")


@pytest.fixture(scope="session", params=["words", "sentences"])
def bleurt(tmp_path_factory: pytest.TempPathFactory, word_bleurt: Path, request: pytest.FixtureRequest) -> Path:
    """A BLEURT of word pieces, and one of sentence pieces, as BLEURT-20."""
    if request.param == "words":
        return word_bleurt
    return _bleurt(tmp_path_factory.mktemp("bleurt20"), kind="sentences")


@pytest.fixture(scope="session")
def metricx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An mT5 with as many pieces as MetricX has, and a tokenizer that knows a few of them."""
    return _metricx(tmp_path_factory.mktemp("metricx"), n_pieces=250_112)


@pytest.fixture(scope="session")
def small_mt5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An mT5 without the piece that has MetricX's score."""
    return _metricx(tmp_path_factory.mktemp("mt5"), n_pieces=300)


def _sentence_pieces(folder: Path, name: str, **options: Any) -> Path:
    """Train a SentencePiece model."""
    import sentencepiece

    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "text.txt"
    text.write_text(_TEXT * 4, encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text),
        model_prefix=str(folder / "pieces"),
        vocab_size=220,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    text.unlink()
    (folder / "pieces.vocab").unlink()
    return (folder / "pieces.model").rename(folder / name)


def _encoder(folder: Path) -> Path:
    """An XLM-R with its tokenizer, from which COMET models start."""
    import torch
    from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizerFast

    pieces = _sentence_pieces(folder, "sentencepiece.bpe.model")
    tokenizer = XLMRobertaTokenizerFast(vocab_file=str(pieces), model_max_length=_LONGEST)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer), max_position_embeddings=_LONGEST + 2, type_vocab_size=1, pad_token_id=1, **SIZES
    )
    _shaken(XLMRobertaModel(config)).save_pretrained(folder)
    return folder


def _comet_model(folder: Path, pretrained: Path, kind: str) -> Path:
    """A COMET model: a folder with hparams.yaml and a checkpoint, as on the hub."""
    import pytorch_lightning
    import torch
    import yaml
    from comet.models import str2model

    torch.manual_seed(2)
    common = {
        "encoder_model": "XLM-RoBERTa",
        "pretrained_model": str(pretrained),
        "hidden_sizes": [12],
        "layer_transformation": "softmax",
        "dropout": 0.0,
    }
    of_kind: dict[str, Any] = {
        "regression_metric": {"pool": "avg"},
        "referenceless_regression_metric": {"pool": "avg"},
        "unified_metric": {"input_segments": ["mt", "src"], "word_layer": 2, "layer_norm": False},
        "xcomet_metric": {"word_layer": 2},
    }
    model = _shaken(str2model[kind](**common, **of_kind[kind]))
    if kind == "xcomet_metric":
        with torch.no_grad():
            model.hidden2tag.bias.zero_()
            model.hidden2tag.weight.mul_(5)  # many marks
    trainer = pytorch_lightning.Trainer(logger=False, enable_progress_bar=False, accelerator="cpu")
    trainer.strategy.connect(model)
    trainer.save_checkpoint(folder / "checkpoints" / "model.ckpt", weights_only=False)
    values = json.loads(json.dumps(dict(model.hparams)))
    (folder / "hparams.yaml").write_text(yaml.dump(values | {"class_identifier": kind}), encoding="utf-8")
    return folder


def _bert(folder: Path) -> Path:
    """A BERT with its tokenizer, for BERTScore."""
    import torch
    from transformers import BertConfig, BertModel

    tokenizer = _word_pieces(folder)
    torch.manual_seed(3)
    sizes = {**SIZES, "num_hidden_layers": 6}
    config = BertConfig(vocab_size=len(tokenizer), max_position_embeddings=_LONGEST, **sizes)
    _shaken(BertModel(config)).save_pretrained(folder)
    return folder


def _bleurt(folder: Path, *, kind: str) -> Path:
    """A BLEURT model: of word pieces, as the first ones, or of sentence pieces, as BLEURT-20."""
    import torch
    from bleurt_pytorch import BleurtConfig, BleurtForSequenceClassification
    from bleurt_pytorch.bleurt.tokenization_bleurt_sp import BleurtSPTokenizer

    if kind == "words":
        n_pieces = len(_word_pieces(folder))
    else:
        pieces = _sentence_pieces(
            folder, "spm.model", pad_piece="[PAD]", unk_piece="[UNK]", bos_piece="[CLS]", eos_piece="[SEP]",
            pad_id=0, unk_id=1, bos_id=2, eos_id=3, user_defined_symbols=["[MASK]"],
        )  # fmt: skip
        tokenizer = BleurtSPTokenizer(str(pieces))
        tokenizer.save_pretrained(folder)
        n_pieces = len(tokenizer)
    torch.manual_seed(4)
    config = BleurtConfig(vocab_size=n_pieces, max_position_embeddings=_LONGEST, embedding_size=8, **SIZES)
    _shaken(BleurtForSequenceClassification(config)).save_pretrained(folder)
    return folder


def _metricx(folder: Path, *, n_pieces: int) -> Path:
    """An mT5 with as many pieces as MetricX has, among which that of the score; its tokenizer knows a few."""
    import torch
    from transformers import MT5Config, MT5ForConditionalGeneration, T5TokenizerFast

    pieces = _sentence_pieces(folder, "spiece.model", pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    T5TokenizerFast(vocab_file=str(pieces), extra_ids=0).save_pretrained(folder)
    torch.manual_seed(5)
    config = MT5Config(vocab_size=n_pieces, d_model=8, d_kv=4, d_ff=12, num_layers=2, num_heads=2)
    model = MT5ForConditionalGeneration(config)
    with torch.no_grad():
        model.lm_head.weight.mul_(0.1)  # scores of about 1, so that rounding is below 1e-6
    model.save_pretrained(folder)
    return folder


def _word_pieces(folder: Path) -> Any:
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    trained = BertWordPieceTokenizer(lowercase=True)
    trained.train_from_iterator(_TEXT.splitlines() * 4, vocab_size=220, min_frequency=1, show_progress=False)
    trained.save_model(str(folder))
    tokenizer = BertTokenizer(str(folder / "vocab.txt"), model_max_length=_LONGEST)
    tokenizer.save_pretrained(folder)
    return tokenizer


def _shaken(model: Any) -> Any:
    """Larger weights than transformers starts from, which give nearly the same score to every text."""
    import torch

    with torch.no_grad():
        for weights in model.parameters():
            weights.add_(0.3 * torch.randn(weights.shape))
    return model
