"""Modules and names, their import, and the small functions."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sacrebleu as original

import mtassay.compat.sacrebleu as sacrebleu

MODULES = [
    "compat",
    "dataset",
    "metrics",
    "metrics.base",
    "metrics.bleu",
    "metrics.chrf",
    "metrics.helpers",
    "metrics.lib_ter",
    "metrics.ter",
    "significance",
    "tokenizers",
    "tokenizers.tokenizer_13a",
    "tokenizers.tokenizer_base",
    "tokenizers.tokenizer_char",
    "tokenizers.tokenizer_intl",
    "tokenizers.tokenizer_ja_mecab",
    "tokenizers.tokenizer_ko_mecab",
    "tokenizers.tokenizer_none",
    "tokenizers.tokenizer_re",
    "tokenizers.tokenizer_spm",
    "tokenizers.tokenizer_ter",
    "tokenizers.tokenizer_zh",
    "utils",
    "version",
]
#: Internals of sacreBLEU's own TER and of its downloads, for which mtassay has kernels and the package itself.
ABSENT = {"BeamEditDistance", "trace_to_alignment", "extract_tarball", "get_md5sum"}


@pytest.mark.parametrize("module", MODULES)
def test_public_names(module: str) -> None:
    ours, theirs = (
        importlib.import_module(f"{package}.{module}") for package in ("mtassay.compat.sacrebleu", "sacrebleu")
    )
    defined = {
        name
        for name, value in vars(theirs).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == theirs.__name__
    }
    assert not {name for name in defined - ABSENT if not hasattr(ours, name)}


def test_names_of_the_package() -> None:
    assert sorted(sacrebleu.__all__) == sorted(original.__all__)
    for name in sacrebleu.__all__:
        assert getattr(sacrebleu, name) is not None
    assert sacrebleu.__version__ == original.__version__
    assert sacrebleu.SACREBLEU_DIR == original.SACREBLEU_DIR
    # Loaded by name, as sacreBLEU's users do without importing them.
    assert sacrebleu.metrics.bleu.MAX_NGRAM_ORDER == 4
    assert sacrebleu.significance.Result(1.0).score == 1.0
    assert sacrebleu.dataset.DATASETS is original.DATASETS
    with pytest.raises(AttributeError, match="no attribute 'corpus_meteor'"):
        _ = sacrebleu.corpus_meteor


@pytest.mark.parametrize("name", [*original.__all__, "metrics.BLEU", "metrics.CHRF", "metrics.TER"])
def test_arguments(name: str) -> None:
    def find(package: Any) -> Any:
        for part in name.split("."):
            package = getattr(package, part)
        return package

    ours, theirs = find(sacrebleu), find(original)
    if not callable(theirs) or "test" in name or name.startswith("get_"):  # done by the package
        return
    shapes = [
        [(one.name, one.kind, one.default) for one in inspect.signature(function).parameters.values()]
        for function in (ours, theirs)
    ]
    assert shapes[0] == shapes[1]


def test_importing_is_light() -> None:
    script = "import sys, mtassay.compat.sacrebleu; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"sacrebleu", "numpy", "argparse", "tabulate", "mtassay.metrics"}


def test_scoring_does_not_import_the_package() -> None:
    script = (
        "import sys, mtassay.compat.sacrebleu as s\n"
        "s.corpus_bleu(['a'], [['a']]), s.corpus_chrf(['a'], [['a']]), s.corpus_ter(['a'], [['a']])\n"
        "s.BLEU().corpus_score(['a', 'b'], [['a', 'b']], n_bootstrap=10)\n"
        "assert 'sacrebleu' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("name", ["13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab"])
@pytest.mark.parametrize(
    "line",
    ["", "He said: &quot;3.5%&quot;.", "機械翻訳、です。 5. ", "1999. ", " .5 a-b 3-4", "한국어 문장입니다.", "a  b\n"],
)
def test_tokenizers(name: str, line: str) -> None:
    ours, theirs = (module.metrics.bleu._get_tokenizer(name)() for module in (sacrebleu, original))
    assert ours(line) == theirs(line)
    assert ours.signature() == theirs.signature()


@pytest.mark.parametrize("flags", range(16))
def test_tercom_tokenizer(flags: int) -> None:
    options = [bool(flags & bit) for bit in (1, 2, 4, 8)]
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer as Original

    from mtassay.compat.sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    for line in ("", "Jim's car, (4.2) — &amp; Über.", "美众院 りの拳銃を持。"):
        assert TercomTokenizer(*options)(line) == Original(*options)(line)


def test_regexp_tokenizer() -> None:
    ours, theirs = (
        importlib.import_module(f"{package}.tokenizers.tokenizer_re").TokenizerRegexp()
        for package in ("mtassay.compat.sacrebleu", "sacrebleu")
    )
    assert ours("a,b (3.5)") == theirs("a,b (3.5)")
    assert ours.signature() == theirs.signature()


def test_ngrams() -> None:
    from sacrebleu.metrics import helpers as theirs

    from mtassay.compat.sacrebleu.metrics import helpers as ours

    line = "a rose is a rose  is"
    for module in (ours, theirs):
        assert module.extract_all_word_ngrams(line, 1, 3) == theirs.extract_all_word_ngrams(line, 1, 3)
        assert module.extract_word_ngrams(line.split(), 2) == theirs.extract_word_ngrams(line.split(), 2)
        for keep in (False, True):
            assert module.extract_char_ngrams(line, 3, keep) == theirs.extract_char_ngrams(line, 3, keep)
            assert module.extract_all_char_ngrams(line, 4, keep) == theirs.extract_all_char_ngrams(line, 4, keep)


@pytest.mark.parametrize(("hyp", "ref"), [("d e f a b c", "a b c d e f"), ("", "a b"), ("a b", ""), ("x y", "a x y b")])
def test_edits(hyp: str, ref: str) -> None:
    from sacrebleu.metrics.lib_ter import translation_edit_rate as theirs

    from mtassay.compat.sacrebleu.metrics.lib_ter import translation_edit_rate

    assert translation_edit_rate(hyp.split(), ref.split()) == theirs(hyp.split(), ref.split())


def test_small_functions(tmp_path: Path) -> None:
    from argparse import Namespace

    from sacrebleu import utils as theirs

    from mtassay.compat.sacrebleu import utils as ours

    path = tmp_path / "text.gz"
    with ours.smart_open(str(path), "wt") as file:
        file.write("a\r\nb\n")
    for module in (ours, theirs):
        with module.smart_open(str(path)) as file:
            assert file.readlines() == ["a\r\n", "b\n"]
        assert module.sum_of_lists([[1, 2.5], [3, 4]]) == [4, 6.5]
        assert module.args_to_dict(Namespace(a_x=1, a_y=2, b=3), "a") == {"a_x": 1, "a_y": 2}
        assert module.args_to_dict(Namespace(a_x=1, a_y=2, b=3), "a", strip_prefix=True) == {"x": 1, "y": 2}
        assert [module.my_log(0.0), module.my_log(1.0)] == [-9999999999, 0.0]
        module.sanity_check_lengths(["a"], [["b"]])
        with pytest.raises(SystemExit):
            module.sanity_check_lengths(["a"], [["b", "c"]], test_set="wmt17")
        assert module.get_langpairs_for_testset("wmt17/ms") == ["zh-en"]
