"""TER with sacreBLEU's rules: the number of edits and the normalised text are sacreBLEU's, computed here."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_inputs import examples

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.ter import ter_edits
from mtassay.metrics import parse
from mtassay.text.tokenizers.tercom import normalise

if TYPE_CHECKING:
    from pathlib import Path

lib_ter = pytest.importorskip("sacrebleu.metrics.lib_ter")
tokenizer_ter = pytest.importorskip("sacrebleu.tokenizers.tokenizer_ter")
TER = pytest.importorskip("sacrebleu.metrics").TER

Words = list[str]


def _kernels() -> list[Any]:
    try:
        from mtassay import _native
    except ImportError:
        return [pytest.param(ter_edits.specification, id="python")]
    return [pytest.param(_native.ter_edits, id="native"), pytest.param(ter_edits.specification, id="python")]


KERNELS = pytest.mark.parametrize("kernel", _kernels())


def _edits(kernel: Any, hyps: list[Words], refs: list[Words]) -> list[int]:
    numbers: dict[str, int] = {}
    hypotheses, references = (
        Tokens.of([numbers.setdefault(word, len(numbers)) for word in text] for text in texts) for texts in (hyps, refs)
    )
    index = np.arange(len(hyps))
    pairs = Pairs(hypotheses, references, index, index)
    edits: list[int] = kernel(pairs, variant="sacrebleu")[:, :4].sum(axis=1).tolist()
    return edits


def _expected(hyps: list[Words], refs: list[Words]) -> list[int]:
    return [lib_ter.translation_edit_rate(hyp, ref)[0] for hyp, ref in zip(hyps, refs, strict=True)]


@pytest.mark.parametrize("metric", ["ter:norm=yes", "ter:norm=yes,punct=no", "ter:norm=yes,asian=yes"])
@pytest.mark.parametrize("end", ["", " ", "\t", "\r", "\xa0", "\u3000", "\u2028", " \t\x1f"])
@pytest.mark.parametrize("hypothesis", ["a's.", "a 's .", "a's", "it's late", "don't"])
@pytest.mark.parametrize("reference", ["a's.", "a's", "(it's)", "it's: late"])
def test_references_are_normalised_twice(metric: str, end: str, hypothesis: str, reference: str) -> None:
    options = {"no_punct": "punct=no" in metric, "asian_support": "asian" in metric}
    theirs = TER(normalized=True, **options)
    for hyp, ref in ((hypothesis + end, reference), (hypothesis, reference + end)):
        assert parse(metric).corpus_score([hyp], [[ref]]) == pytest.approx(theirs.corpus_score([hyp], [[ref]]).score)


@st.composite
def texts(draw: st.DrawFn) -> tuple[Words, Words]:
    words = st.sampled_from("abcdefghijklmnopqrstuvwxyz"[: draw(st.sampled_from([2, 3, 6, 26]))])
    return draw(st.lists(words, max_size=35)), draw(st.lists(words, max_size=35))


@KERNELS
@settings(max_examples=60)
@given(pair=texts())
def test_random_texts(kernel: Any, pair: tuple[Words, Words]) -> None:
    assert _edits(kernel, [pair[0]], [pair[1]]) == _expected([pair[0]], [pair[1]])


@KERNELS
@pytest.mark.parametrize(
    ("n_hyp", "n_ref", "n_words"),
    [
        (1, 120, 30),
        (2, 120, 30),
        (3, 160, 5),
        (120, 1, 30),
        (90, 4, 10),
        *(pytest.param(*sizes, marks=pytest.mark.slow) for sizes in [(60, 60, 8), (70, 62, 40), (75, 75, 200)]),
        *(pytest.param(*sizes, marks=pytest.mark.slow) for sizes in [(50, 75, 30), (75, 50, 30)]),
    ],
)
def test_texts_beyond_the_beam(kernel: Any, n_hyp: int, n_ref: int, n_words: int) -> None:
    rng = random.Random(n_hyp * 1000 + n_ref)
    hyps = [[str(rng.randrange(n_words)) for _ in range(n_hyp)] for _ in range(2)]
    refs = [[str(rng.randrange(n_words)) for _ in range(n_ref)] for _ in range(2)]
    assert _edits(kernel, hyps, refs) == _expected(hyps, refs)


@KERNELS
@pytest.mark.parametrize("n_words", [30, 80])
def test_long_texts_with_moved_blocks(kernel: Any, n_words: int) -> None:
    rng = random.Random(n_words)
    ref = [str(i) for i in range(n_words)]
    hyp = list(ref)
    for _ in range(4):
        start, length, to = rng.randrange(n_words), rng.randint(1, 12), rng.randrange(n_words)
        block = hyp[start : start + length]
        del hyp[start : start + length]
        hyp[to:to] = block
    for _ in range(n_words // 2 if n_words > 50 else 3):
        hyp[rng.randrange(n_words)] = ref[rng.randrange(n_words)]
    assert _edits(kernel, [hyp], [ref]) == _expected([hyp], [ref])


@KERNELS
@pytest.mark.parametrize(("folder", "ref"), [("wmt13/fr-en", "ref"), ("wmt21/en-de", "ref.A")])
def test_real_segments(kernel: Any, folder: str, ref: str, data_dir: Path) -> None:
    def read(path: Path) -> list[Words]:
        # Every tenth segment of the first 300.
        return [line.lower().split() for line in path.read_text(encoding="utf-8").split("\n")[:300:10]]

    refs = read(data_dir / folder / ref)
    for system in sorted((data_dir / folder / "hyp").iterdir())[::4]:
        hyps = read(system)
        assert _edits(kernel, hyps, refs) == _expected(hyps, refs), system.name


PIECES = st.sampled_from(
    [
        *"aé0 9.,-'\"!?:;()[]{}~`@/&\n\t\xa0\u2028",
        *[
            "'s",
            "'s ",
            "&quot;",
            "&amp;",
            "&lt;",
            "&gt;",
            "&amp;lt;",
            "\n-",
            "-\n",
            "<skipped>",
            "1.5",
            "U.S.",
        ],
        *"中㐀㇀⺀㌀豈︰㈀㿿あアㇰ。、「】・｡･．，？：；！＂（）한",
    ]
)


@examples(6)
@given(text=st.lists(PIECES, max_size=15).map("".join) | st.text(max_size=30))
@pytest.mark.parametrize("options", list(product([True, False], repeat=3)))
def test_normalised_text(text: str, options: tuple[bool, bool, bool]) -> None:
    normalised, punctuation, asian = options
    tokenizer = tokenizer_ter.TercomTokenizer(normalised, not punctuation, asian, case_sensitive=True)
    assert normalise(text, normalised=normalised, punctuation=punctuation, asian=asian) == tokenizer(text)
