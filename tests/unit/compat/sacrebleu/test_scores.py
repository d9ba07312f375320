"""Functions and classes: every attribute equal to sacreBLEU's, to the last digit."""

from __future__ import annotations

import logging
import random
from typing import Any

import pytest
import sacrebleu as original

import mtassay.compat.sacrebleu as sacrebleu
from mtassay.metrics.strings.bleu import Bleu

WORDS = (
    *("the", "a", "cat", "dog", "sat", "on", "mat", ",", ".", "house", "3.5", "-5", "Über", "straße", "said"),
    *("&quot;", "(hi)", "100%", "no's", "機械", "。", "x-y", "1999."),
)
BACKEND = "|backend:mtassay"


class Corpora:
    """Random hypotheses and references, some of which are missing."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(0, 12)))

    def one(self) -> tuple[list[str], Any]:
        n, n_refs = self.random.randint(1, 6), self.random.randint(1, 3)
        refs = [
            [self.text() if r == 0 or self.random.random() < 0.8 else None for _ in range(n)] for r in range(n_refs)
        ]
        hyps = [refs[0][i] or "" if self.random.random() < 0.3 else self.text() for i in range(n)]
        return hyps, refs

    def options(self, **choices: list[Any]) -> dict[str, Any]:
        return {name: self.random.choice(values) for name, values in choices.items()}


@pytest.mark.parametrize("seed", range(40))
def test_corpus_functions(seed: int) -> None:
    corpora = Corpora(seed)
    either = [False, True]
    for _ in range(4):
        hyps, refs = corpora.one()
        bleu = corpora.options(
            smooth_method=["exp", "floor", "add-k", "none"],
            smooth_value=[None, 0.3],
            lowercase=either,
            tokenize=["13a", "intl", "zh", "char", "none"],
            use_effective_order=either,
        )
        assert vars(sacrebleu.corpus_bleu(hyps, refs, **bleu)) == vars(original.corpus_bleu(hyps, refs, **bleu))
        chrf = corpora.options(
            char_order=[1, 6], word_order=[0, 1, 2], beta=[1, 2, 3], remove_whitespace=either, eps_smoothing=either
        )
        assert vars(sacrebleu.corpus_chrf(hyps, refs, **chrf)) == vars(original.corpus_chrf(hyps, refs, **chrf))
        ter = corpora.options(normalized=either, no_punct=either, asian_support=either, case_sensitive=either)
        assert vars(sacrebleu.corpus_ter(hyps, refs, **ter)) == vars(original.corpus_ter(hyps, refs, **ter))
        assert vars(sacrebleu.raw_corpus_bleu(hyps, refs)) == vars(original.raw_corpus_bleu(hyps, refs))


@pytest.mark.parametrize("seed", range(10))
def test_single_segments(seed: int) -> None:
    corpora = Corpora(seed)
    hyp, refs = corpora.text(), [corpora.text() for _ in range(corpora.random.randint(1, 3))]
    for name in ("sentence_bleu", "sentence_chrf", "sentence_ter"):
        ours, theirs = (getattr(module, name)(hyp, refs) for module in (sacrebleu, original))
        assert vars(ours) == vars(theirs)
        assert str(ours) == str(theirs)


@pytest.mark.parametrize("width", [0, 2, 5])
def test_format(width: int) -> None:
    hyps, refs = ["the cat sat", "a dog"], [["the cat sat down", "a dog"]]
    for name in ("BLEU", "CHRF", "TER"):
        ours, theirs = getattr(sacrebleu, name)(), getattr(original, name)()
        scores = [metric.corpus_score(hyps, refs, n_bootstrap=30) for metric in (ours, theirs)]
        assert scores[0].format(width) == scores[1].format(width)
        assert scores[0].format(width, score_only=True) == scores[1].format(width, score_only=True)
        signature = str(theirs.get_signature())
        assert scores[0].format(width, False, signature, True) == scores[1].format(width, False, signature, True)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("BLEU", {}),
        ("BLEU", {"lowercase": True, "smooth_method": "floor", "smooth_value": 0.25, "effective_order": True}),
        ("BLEU", {"tokenize": None, "trg_lang": "zh"}),
        ("BLEU", {"tokenize": "ja-mecab"}),
        ("BLEU", {"tokenize": "ko-mecab", "max_ngram_order": 2}),
        ("CHRF", {"word_order": 2, "eps_smoothing": True, "whitespace": True, "lowercase": True}),
        ("TER", {"normalized": True, "asian_support": True}),
        ("TER", {"no_punct": True, "case_sensitive": True}),
    ],
)
def test_classes_and_signatures(name: str, options: dict[str, Any]) -> None:
    hyps, refs = ["機械 翻訳 is 3.5% ok.", "A dog"], [["機械翻訳 is 3% ok.", "a dog"], ["機械", None]]
    ours, theirs = getattr(sacrebleu, name)(**options), getattr(original, name)(**options)
    assert vars(ours.corpus_score(hyps, refs)) == vars(theirs.corpus_score(hyps, refs))
    for short in (False, True):
        assert ours.get_signature().format(short) == theirs.get_signature().format(short) + BACKEND
    assert ours.get_signature().info == theirs.get_signature().info
    cached = getattr(sacrebleu, name)(references=refs, **options)
    assert cached.corpus_score(hyps, None).score == theirs.corpus_score(hyps, refs).score
    assert str(cached.get_signature()) == str(ours.get_signature())


def test_positional_arguments() -> None:
    hyps, refs = ["The cat  sat on a mat"], [["the cat sat on the mat"]]
    assert vars(sacrebleu.CHRF(5, 1, 3, True, True, True).corpus_score(hyps, refs)) == vars(
        original.CHRF(5, 1, 3, True, True, True).corpus_score(hyps, refs)
    )
    assert vars(sacrebleu.BLEU(True, True, "intl", "floor", 0.2, 3, True).corpus_score(hyps, refs)) == vars(
        original.BLEU(True, True, "intl", "floor", 0.2, 3, True).corpus_score(hyps, refs)
    )


def test_rounding_of_a_perfect_score() -> None:
    assert sacrebleu.corpus_bleu(["a b c d"], [["a b c d"]]).score == 100.00000000000004


@pytest.mark.parametrize(
    "refs",
    [
        ["the cat", "a dog"],  # flat: every character is a reference
        [["the cat sat", "a dog", "more"]],  # more references than hypotheses
        [["the cat sat"]],  # fewer
        [["the cat sat", "a dog", "x"], ["the cat"]],  # streams of different lengths
    ],
)
def test_what_mtassay_refuses_is_scored_as_sacrebleu_does(refs: Any) -> None:
    hyps = ["the cat sat", "a dog"]
    for name in ("corpus_bleu", "corpus_chrf", "corpus_ter"):
        assert vars(getattr(sacrebleu, name)(hyps, refs)) == vars(getattr(original, name)(hyps, refs))
    text: Any = "abc"
    assert sacrebleu.corpus_chrf(text, [["abc", "b"]]).score == original.corpus_chrf(text, [["abc", "b"]]).score


@pytest.mark.parametrize(
    ("hyps", "refs"),
    [(3, [["a"]]), ([3], [["a"]]), (["a", None], [["a", "b"]]), (["a"], 3), (["a"], [3]), (["a"], [[3]])],
)
def test_wrong_types(hyps: Any, refs: Any) -> None:
    for module in (sacrebleu, original):
        with pytest.raises(TypeError):
            module.corpus_bleu(hyps, refs)


@pytest.mark.parametrize(("hyp", "refs"), [(["a"], ["a"]), ("a", "a"), ("a", [3])])
def test_wrong_types_of_a_segment(hyp: Any, refs: Any) -> None:
    for module in (sacrebleu, original):
        with pytest.raises(TypeError):
            module.sentence_chrf(hyp, refs)


def test_errors_have_the_same_types() -> None:
    for module in (sacrebleu, original):
        with pytest.raises(RuntimeError):
            module.BLEU().corpus_score(["a"], None)
        with pytest.raises(AssertionError):
            module.BLEU(smooth_method="other")
        with pytest.raises(KeyError):
            module.BLEU(tokenize="other")
        with pytest.raises(ValueError, match=r"[Nn]umber of references"):
            module.BLEU().get_signature()
        with pytest.raises(IndexError):
            module.corpus_bleu([], [[]])


def test_counts_after_smoothing() -> None:
    counts: dict[Any, Any] = {}
    for module in (sacrebleu, original):
        correct, total = [3, 1, 0, 0], [4, 3, 2, 1]
        score = module.BLEU.compute_bleu(correct, total, 4, 5, "add-k", 2)
        counts[module] = (correct, total)
        assert score.counts is correct
    assert counts[sacrebleu] == counts[original] == ([3, 3, 2, 2], [4, 5, 4, 3])


@pytest.mark.parametrize("rule", ["exp", "floor", "add-k", "none"])
def test_the_closing_formula_is_that_of_the_metric(rule: str) -> None:
    counts = [9, 12, 7, 4, 1, 0, 9, 8, 7, 6]
    ours = sacrebleu.BLEU.compute_bleu(counts[2:6], counts[6:], 9, 12, rule).score
    import numpy as np

    assert ours == pytest.approx(float(Bleu(smooth=rule).score(np.array(counts))), rel=1e-12)


def test_names_of_the_classes() -> None:
    assert list(sacrebleu.BLEU.TOKENIZERS) == list(original.BLEU.TOKENIZERS)
    for name in ("SMOOTH_DEFAULTS", "TOKENIZER_DEFAULT"):
        assert getattr(sacrebleu.BLEU, name) == getattr(original.BLEU, name)
    for name in ("CHAR_ORDER", "WORD_ORDER", "BETA"):
        assert getattr(sacrebleu.CHRF, name) == getattr(original.CHRF, name)


def test_warns_about_tokenised_texts(caplog: pytest.LogCaptureFixture) -> None:
    texts = [f"text {i} ." for i in range(100)]
    with caplog.at_level(logging.WARNING, logger="sacrebleu"):
        sacrebleu.corpus_bleu(texts, [texts], force=True)
        assert not caplog.records
        sacrebleu.corpus_bleu(texts, [texts])
        assert "tokenised" in caplog.text
        caplog.clear()
        sacrebleu.BLEU().sentence_score("a", ["a"])
        assert "effective_order" in caplog.text
        sacrebleu.BLEU(tokenize="13a", trg_lang="ja")
        assert "ja-mecab" in caplog.text


def test_a_tokenizer_from_elsewhere() -> None:
    class Halves:
        def signature(self) -> str:
            return "halves"

        def __call__(self, line: str) -> str:
            return " ".join(line[i : i + 2] for i in range(0, len(line), 2))

    hyps, refs = ["Abcdefgh", "xy"], [["abcdxxgh", "xy"], [None, "zz"]]
    scores = []
    for module in (sacrebleu, original):
        metric: Any = module.BLEU(lowercase=True, effective_order=True)
        metric.tokenizer = Halves()
        scores.append(vars(metric.corpus_score(hyps, refs)))
    assert scores[0] == scores[1]
