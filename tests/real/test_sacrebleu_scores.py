"""Corpus and segment scores equal those of sacreBLEU on WMT data, whatever the options."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from mtassay.metrics import References, parse

RELATIVE = 1e-9
PAIRS = [
    "wmt12/cs-en",
    "wmt12/en-es",
    "wmt12/es-en",
    "wmt13/cs-en",
    "wmt13/fr-en",
    "wmt15/fi-en",
    "wmt15/ru-en",
    "wmt21/cs-en",
    "wmt21/en-de",
    "wmt23/en-de",
]


@dataclass(frozen=True)
class Peer:
    """A specification of ours and sacreBLEU's object for the same thing."""

    spec: str
    kind: type
    options: dict[str, Any] = field(default_factory=dict)
    #: Options by which sacreBLEU's segment scores are made, where they differ.
    of_segments: dict[str, Any] = field(default_factory=dict)

    def check(self, hypotheses: list[str], streams: list[list[str | None]]) -> None:
        metric = parse(self.spec)
        rows = metric.prepare(References(streams)).statistics(hypotheses)
        corpus = self.kind(**self.options).corpus_score(hypotheses, streams)
        np.testing.assert_allclose(metric.score(rows.sum(axis=0)), corpus.score, rtol=RELATIVE, atol=0)
        theirs = self.kind(**{**self.options, **self.of_segments})
        per_segment = [[text for text in texts if text is not None] for texts in zip(*streams, strict=True)]
        segments = [theirs.sentence_score(h, r).score for h, r in zip(hypotheses, per_segment, strict=True)]
        np.testing.assert_allclose(metric.segment_score(rows), segments, rtol=RELATIVE, atol=0)


def _bleu(spec: str, **options: Any) -> Peer:
    """By default our segment scores use the effective order, as the sacrebleu command does."""
    of_segments = {} if "eff=" in spec else {"effective_order": True}
    return Peer(spec, BLEU, {"force": True, **options}, of_segments)


DEFAULTS = [
    _bleu("bleu"),
    _bleu("bleu:case=lower,tok=intl", lowercase=True, tokenize="intl"),
    Peer("chrf", CHRF),
    Peer("chrf++:case=lower", CHRF, {"word_order": 2, "lowercase": True}),
]

SMOOTHING: list[tuple[str, float | None]] = [
    ("exp", None),
    ("none", None),
    *(("floor", value) for value in (None, 0.0, 0.01, 0.5)),
    *(("add-k", value) for value in (None, 0.5, 1.0, 2.0)),
]


def _bleu_options() -> list[Peer]:
    peers = []
    for method, value in SMOOTHING:
        words = f"smooth={method}" + ("" if value is None else f",k={value}")
        options = {"smooth_method": method, "smooth_value": value}
        peers.append(_bleu(f"bleu:{words}", **options))
        peers.append(_bleu(f"bleu:{words},eff=no", **options, effective_order=False))
        peers.append(_bleu(f"bleu:{words},eff=yes", **options, effective_order=True))
    for order in range(1, 7):
        peers.append(_bleu(f"bleu:order={order}", max_ngram_order=order))
        peers.append(_bleu(f"bleu:order={order},eff=no", max_ngram_order=order))
    for tokenizer in ("none", "13a", "intl", "zh", "char"):
        peers.append(_bleu(f"bleu:tok={tokenizer}", tokenize=tokenizer))
        peers.append(_bleu(f"bleu:tok={tokenizer},case=lower", tokenize=tokenizer, lowercase=True))
    return peers


def _chrf_options() -> list[Peer]:
    peers = []
    for char_order, word_order in ((6, 0), (6, 1), (6, 2), (6, 3), (1, 0), (3, 1), (9, 2), (0, 2)):
        for beta in (1, 2, 3):
            options = {"char_order": char_order, "word_order": word_order, "beta": beta}
            words = ",".join(f"{name}={value}" for name, value in options.items())
            peers.append(Peer(f"chrf:{words}", CHRF, options))
    for eps in (False, True):
        for whitespace in (False, True):
            for lowercase in (False, True):
                options = {
                    "whitespace": whitespace,
                    "lowercase": lowercase,
                    "eps_smoothing": eps,
                    "word_order": 2,
                }
                words = ",".join(f"{name}={'yes' if value else 'no'}" for name, value in list(options.items())[:3])
                peers.append(Peer(f"chrf++:{words}", CHRF, options))
    return peers


def _ter_options() -> list[Peer]:
    peers = []
    for norm, punct, asian, lower in product((False, True), repeat=4):
        flags = {"norm": norm, "punct": punct, "asian": asian, "lowercase": lower}
        words = ",".join(f"{name}={'yes' if value else 'no'}" for name, value in flags.items())
        options = {"normalized": norm, "no_punct": not punct, "asian_support": asian, "case_sensitive": not lower}
        peers.append(Peer(f"ter:{words}", TER, options))
    return peers


BLEU_OPTIONS, CHRF_OPTIONS, TER_OPTIONS = _bleu_options(), _chrf_options(), _ter_options()


def _spec(peer: Peer) -> str:
    return peer.spec


@cache
def _read(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8").split("\n")[:-1])


def _pair(data_dir: Path, pair: str) -> tuple[dict[str, tuple[str, ...]], list[tuple[str, ...]]]:
    """Outputs by system, and references."""
    if pair == "wmt23/en-de":
        folder = data_dir / "wmt23"
        outputs = sorted((folder / "system-outputs" / "en-de").glob("[A-Z]*.txt"))  # the others are references
        return {path.stem: _read(path) for path in outputs}, [_read(folder / "references" / "en-de.refA.txt")]
    folder = data_dir / pair
    outputs = sorted((folder / "hyp").iterdir())
    return {path.name: _read(path) for path in outputs}, [_read(path) for path in sorted(folder.glob("ref*"))]


def _sample(
    data_dir: Path, pair: str, *, step: int, n_systems: int = 1
) -> tuple[list[list[str]], list[list[str | None]]]:
    """Every `step`-th segment of the first and the last systems in the alphabet."""
    outputs, references = _pair(data_dir, pair)
    names = list(outputs)
    chosen = [names[0], names[-1]][:n_systems]
    return [list(outputs[name][::step]) for name in chosen], [list(stream[::step]) for stream in references]


@pytest.mark.parametrize("peer", DEFAULTS, ids=_spec)
@pytest.mark.parametrize("pair", PAIRS)
def test_language_pairs(pair: str, peer: Peer, data_dir: Path) -> None:
    systems, references = _sample(data_dir, pair, step=20, n_systems=2)
    for hypotheses in systems:
        peer.check(hypotheses, references)


@pytest.mark.parametrize("peer", [*BLEU_OPTIONS, *CHRF_OPTIONS], ids=_spec)
@pytest.mark.parametrize(
    ("pair", "step"), [("wmt13/fr-en", 60), ("wmt21/cs-en", 25)], ids=["1 reference", "2 references"]
)
def test_options(pair: str, step: int, peer: Peer, data_dir: Path) -> None:
    [hypotheses], references = _sample(data_dir, pair, step=step)
    peer.check(hypotheses, references)


@pytest.mark.parametrize("peer", TER_OPTIONS, ids=_spec)
@pytest.mark.parametrize("pair", ["wmt13/fr-en", "wmt15/ru-en"])
def test_ter_options(pair: str, peer: Peer, data_dir: Path) -> None:
    outputs, references = _pair(data_dir, pair)
    # Segments on which the rules have most to do, and their neighbours; sacreBLEU takes 4 ms for each.
    marked = [i for i, text in enumerate(references[0]) if re.search(r"'s[^\w\s]", text)][:3]
    chosen = sorted({i for at in marked for i in (at - 1, at) if i >= 0} | {7, 70})
    hypotheses = list(outputs.values())[-1]
    peer.check([hypotheses[i] for i in chosen], [[stream[i] for i in chosen] for stream in references])


@pytest.mark.parametrize("peer", DEFAULTS, ids=_spec)
def test_missing_references(peer: Peer, data_dir: Path) -> None:
    [hypotheses], references = _sample(data_dir, "wmt21/en-de", step=10)
    assert len(references) == 3
    for i in range(len(hypotheses)):
        for r in range(3):
            # One to three references remain, in changing positions.
            if (i + r) % 3 == 0 or (i % 5 == 0 and (i + r) % 3 == 1):
                references[r][i] = None
    peer.check(hypotheses, references)


@pytest.mark.parametrize("peer", DEFAULTS, ids=_spec)
def test_segments_without_words(peer: Peer, data_dir: Path) -> None:
    [hypotheses], references = _sample(data_dir, "wmt13/cs-en", step=300)
    hypotheses[::2] = ["" for _ in hypotheses[::2]]
    references[0][::3] = ["" for _ in references[0][::3]]
    peer.check(hypotheses, references)
    peer.check(["" for _ in hypotheses], references)


@pytest.mark.study
@pytest.mark.parametrize("peer", DEFAULTS, ids=_spec)
@pytest.mark.parametrize("pair", PAIRS)
def test_whole_corpora(pair: str, peer: Peer, data_dir: Path) -> None:
    outputs, references = _pair(data_dir, pair)
    for name in list(outputs)[::4]:
        peer.check(list(outputs[name]), [list(stream) for stream in references])


@pytest.mark.study
@pytest.mark.parametrize("peer", [*BLEU_OPTIONS, *CHRF_OPTIONS], ids=_spec)
@pytest.mark.parametrize("pair", ["wmt15/ru-en", "wmt21/en-de"])
def test_options_on_long_samples(pair: str, peer: Peer, data_dir: Path) -> None:
    [hypotheses], references = _sample(data_dir, pair, step=3)
    peer.check(hypotheses, references)
