"""The calls that toolkits make: with the import changed, they get the same to the last digit.

Each test makes the calls of a client in the client's way, once with sacreBLEU and once with the module that takes its
place: OpenNMT-py, joeynmt, fairseq, lm-evaluation-harness, and the modules of Hugging Face's evaluate.
"""

from __future__ import annotations

import random
from importlib import import_module
from inspect import getfullargspec
from typing import Any

import numpy as np
import pytest
from packaging.version import parse

PACKAGES = ("mtassay.compat.sacrebleu", "sacrebleu")


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], list[str], list[str]]:
    """Hypotheses and two references."""
    draw = random.Random(9)
    words = [*["the", "The", "cat", "dog", "sat", "on", "a", "mat", ",", "."], "3.5%", "Über", "(hi)", "機械", "x-y"]
    refs = [[" ".join(draw.choices(words, k=draw.randint(2, 15))) for _ in range(50)] for _ in range(2)]
    hyps = [" ".join(draw.choice(words) if draw.random() < 0.3 else w for w in text.split()) for text in refs[0]]
    return hyps, refs[0], refs[1]


def equal(run: Any) -> Any:
    """What `run` returns with either package; it must be the same."""
    ours, theirs = (run(package) for package in PACKAGES)
    assert ours == theirs
    return ours


def test_opennmt(texts: Any) -> None:
    hyps, refs, _ = texts

    def run(package: str) -> float:
        """The scorer takes the function by name, and its score."""
        corpus_bleu = import_module(package).corpus_bleu
        return float(corpus_bleu(hyps, [refs]).score)

    assert equal(run) > 0


@pytest.mark.parametrize("tokenize", ["none", "13a", "intl", "zh", "ja-mecab"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_joeynmt(texts: Any, tokenize: str, lowercase: bool) -> None:
    hyps, refs, _ = texts

    def run(package: str) -> Any:
        """Metrics by class with keywords, scores, signatures in the log, and tokenizers by their private way."""
        metrics = import_module(f"{package}.metrics")
        bleu = metrics.BLEU(tokenize=tokenize, lowercase=lowercase)
        chrf = metrics.CHRF(char_order=6, word_order=2, beta=2, lowercase=lowercase, whitespace=False)
        scores = [metric.corpus_score(hypotheses=hyps, references=[refs]).score for metric in (bleu, chrf)]
        signatures = [str(metric.get_signature()).removesuffix("|backend:mtassay") for metric in (bleu, chrf)]
        tokenizer = import_module(f"{package}.metrics.bleu")._get_tokenizer(tokenize)()
        return scores, signatures, [tokenizer(text) for text in hyps], import_module(package).__version__

    equal(run)


def test_joeynmt_functions(texts: Any) -> None:
    hyps, refs, _ = texts
    equal(
        lambda package: [
            import_module(package).corpus_chrf(hypotheses=hyps, references=[refs], remove_whitespace=keep).score
            for keep in (True, False)
        ]
    )


@pytest.mark.parametrize("tokenizer", ["none", "13a", "intl", "zh", "char"])
def test_fairseq(texts: Any, tokenizer: str) -> None:
    hyps, refs, _ = texts

    def run(package: str) -> Any:
        """Texts are tokenised first, then scored without a tokenizer; validation makes BLEU of summed counts."""
        module = import_module(package)
        split = import_module(f"{package}.metrics.bleu")._get_tokenizer(tokenizer)()
        scored = module.corpus_bleu([split(t) for t in hyps], [[split(t) for t in refs]], tokenize="none")
        parts = [module.corpus_bleu(hyps[i : i + 10], [refs[i : i + 10]], tokenize=tokenizer) for i in (0, 10, 20)]
        sums = [
            [sum(values) for values in zip(*(getattr(p, kind) for p in parts), strict=True)]
            for kind in ("counts", "totals")
        ]
        lengths = [sum(getattr(part, kind) for part in parts) for kind in ("sys_len", "ref_len")]
        compute = module.BLEU.compute_bleu
        summed = compute(correct=sums[0], total=sums[1], sys_len=lengths[0], ref_len=lengths[1], smooth_method="exp")
        return scored.format(), str(scored), scored.score, summed.score, summed.bp, summed.precisions

    equal(run)


def test_fairseq_validation(texts: Any) -> None:
    hyps, refs, _ = texts

    def run(package: str) -> Any:
        """Counts are arrays, summed over batches; the name of an argument is found by inspection."""
        module = import_module(package)
        parts = [module.corpus_bleu(hyps[i : i + 10], [refs[i : i + 10]]) for i in (0, 10)]
        compute = module.BLEU.compute_bleu
        smooth = {"smooth_method" if "smooth_method" in getfullargspec(compute).args else "smooth": "exp"}
        counts, totals = (sum(np.array(getattr(part, kind)) for part in parts) for kind in ("counts", "totals"))
        bleu = compute(correct=counts, total=totals, sys_len=90, ref_len=int(np.int64(95)), **smooth)
        return round(bleu.score, 2), bleu.score, bleu.precisions

    equal(run)


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_joeynmt_finds_arguments(name: str) -> None:
    equal(lambda package: getfullargspec(getattr(import_module(package), name)).args)


def test_lm_evaluation_harness(texts: Any) -> None:
    hyps, *refs = texts
    items = list(zip(zip(*refs, strict=True), hyps, strict=True))

    def run(package: str) -> list[float]:
        """References of a prediction are turned into streams, as tuples; resamples of documents are scored anew."""
        module = import_module(package)
        draw = random.Random(0)
        scores = []
        for sample in (items, draw.choices(items, k=len(items)), draw.choices(items, k=len(items))):
            of_items, predictions = list(zip(*sample, strict=True))
            streams = list(zip(*of_items, strict=True))
            for name in ("corpus_bleu", "corpus_chrf", "corpus_ter"):
                scores.append(getattr(module, name)(predictions, streams).score)
        return scores

    equal(run)


def test_evaluate_sacrebleu(texts: Any) -> None:
    hyps, *refs = texts

    def run(package: str) -> dict[str, Any]:
        """The version is checked, options go by name, and attributes make a dictionary."""
        module = import_module(package)
        assert parse(module.__version__) >= parse("1.4.12")
        output = module.corpus_bleu(
            hyps,
            refs,
            smooth_method="exp",
            smooth_value=None,
            force=False,
            lowercase=True,
            use_effective_order=False,
            tokenize="intl",
        )
        names = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
        found = {name: getattr(output, name) for name in names}
        assert [type(count) for count in output.counts] == [int] * 4
        return found

    equal(run)


def test_evaluate_chrf_and_ter(texts: Any) -> None:
    hyps, *refs = texts

    def run(package: str) -> list[Any]:
        """Classes from the package itself, chrF with arguments by position."""
        module = import_module(package)
        chrf = module.CHRF(module.CHRF.CHAR_ORDER, 2, module.CHRF.BETA, True, False, True).corpus_score(hyps, refs)
        ter = module.TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=False)
        edits = ter.corpus_score(hyps, refs)
        assert isinstance(edits.num_edits, int)
        return [chrf.score, chrf.char_order, chrf.word_order, chrf.beta, edits.score, edits.num_edits, edits.ref_length]

    equal(run)


def test_version_is_comparable() -> None:
    """Clients parse the version, or read its first number."""
    ours, theirs = (parse(import_module(package).__version__) for package in PACKAGES)
    assert ours == theirs
    assert ours.major == 2
