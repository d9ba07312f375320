"""DEPREF: values by hand, trees carried over to tokens, missing parses, several references and options."""

from __future__ import annotations

from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.data import read_nbest
from mtassay.data.annotations import DEPENDENCIES, Annotations
from mtassay.data.formats.conllu import format_conllu
from mtassay.errors import InputError, SpecError
from mtassay.metrics import References, parse
from mtassay.metrics.linguistic.projection import project_heads
from mtassay.tuning.candidates import candidates_of
from mtassay.tuning.optimise import optimise

#: Text, words and heads.
TREES = [
    ("The dog saw a cat.", "The dog saw a cat .", (2, 3, 0, 5, 3, 3)),
    ("A cat, the dog saw.", "A cat , the dog saw .", (2, 6, 2, 5, 6, 0, 6)),
]


@pytest.fixture
def trees(tmp_path: Path) -> str:
    """The annotator of a file; the last text has no parse."""
    found = [
        Annotations(words=tuple(words.split()), heads=heads, layers=frozenset({DEPENDENCIES}))
        for _, words, heads in TREES
    ]
    texts = [text for text, _, _ in TREES]
    path = tmp_path / "trees.conllu"
    path.write_text("".join(format_conllu(a, text=text) for a, text in zip(found, texts, strict=True)))
    return f"file:{path}"


def row(spec: str, reference: str, hypothesis: str) -> list[float]:
    [found] = parse(spec).prepare(References([[reference]])).statistics([hypothesis])
    return [float(value) for value in found]


def test_values_by_hand(trees: str) -> None:
    # Of two words: the chains the-dog dog-saw a-cat saw-cat saw-. and no other structure: "cat ." lacks its article.
    # Of three: the chains the-dog-saw and saw-a-cat, and "a cat .", complete dependents of "saw" side by side.
    spec = f"depref-exact:annotator={trees},alpha=0.5,weights=1/1/1"
    whole = row(spec, TREES[0][0], TREES[0][0])
    assert whole == [6, 5, 3, 6, 5, 4, 6, 5, 3]
    # "cat" stands one further from "saw" and "a", and so does "." from "saw".
    moved = row(spec, TREES[0][0], "The dog saw a big cat.")
    assert moved[:3] == [6, pytest.approx(2 + 3 * exp(-1)), pytest.approx(1 + exp(-1 / 2))]
    assert row(spec, TREES[0][0], "")[:6] == [0] * 6
    # Backwards no chain is found.
    assert row(spec, TREES[0][0], "cat a saw dog the")[:3] == [5, 0, 0]


def test_the_score_follows_the_formula(trees: str) -> None:
    metric = parse(f"depref-exact:annotator={trees},alpha=0.9,weights=6/3/1")
    totals = np.array([6, 2.5, 1, 10, 9, 8, 12, 10, 4])
    f = []
    for matched, hyp, ref in zip(totals[:3], totals[3:6], totals[6:], strict=True):
        p, r = matched / hyp, matched / ref
        f.append(p * r / (0.9 * p + 0.1 * r))
    assert metric.score(totals) == pytest.approx((6 * f[0] + 3 * f[1] + f[2]) / 10)
    assert metric.components(totals)["F2"] == pytest.approx(f[1])
    # No dependency 3-grams: the mean is of the others.
    totals[[2, 5, 8]] = 0
    assert metric.score(totals) == pytest.approx((6 * f[0] + 3 * f[1]) / 9)


def test_words_alone_are_their_f_measure(trees: str) -> None:
    metric = parse(f"depref-exact:annotator={trees},alpha=0.5,weights=1")
    score = metric.corpus_score(["the dog saw the dog"], [[TREES[0][0]]])
    gtm = parse("gtm:tok=intl,case=lower").corpus_score(["the dog saw the dog"], [[TREES[0][0]]])
    assert score == pytest.approx(gtm) == pytest.approx(2 * 3 / (5 + 6))


def test_a_reference_without_a_parse_is_compared_by_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    from mtassay.text.annotate.files import Files

    monkeypatch.setattr(Files, "provides", frozenset({DEPENDENCIES}))
    monkeypatch.setattr(Files, "version", "1")
    monkeypatch.setattr(Files, "annotate", lambda _, texts: [Annotations.missing({DEPENDENCIES}) for _ in texts])
    metric = parse("depref-exact:annotator=file:x,alpha=0.5")
    assert row(str(metric), "a b c", "a b d") == [2, 0, 0, 3, 0, 0, 3, 0, 0]
    assert metric.corpus_score(["a b d"], [["a b c"]]) == pytest.approx(2 / 3)


def test_the_best_reference_counts(trees: str) -> None:
    metric = parse(f"depref-exact:annotator={trees}")
    streams = [[TREES[0][0]], [TREES[1][0]]]
    both = metric.segment_scores([TREES[1][0]], streams)[0]
    alone = [metric.segment_scores([TREES[1][0]], [stream])[0] for stream in streams]
    assert both == max(alone) == alone[1]
    assert alone[0] < alone[1]


def test_aligned_words_match(trees: str) -> None:
    exact = row(f"depref-align:annotator={trees},stages=exact,data=none", TREES[0][0], "The dogs saw a cat .")
    stems = row(f"depref-align:annotator={trees},stages=exact+stem,data=none", TREES[0][0], "The dogs saw a cat .")
    assert exact[0] == 5
    assert stems[:3] == stems[6:]
    assert stems[0] == 6


@pytest.mark.parametrize(
    ("words", "heads", "tokens", "expected"),
    [
        ("It 's re-elected", (3, 3, 0), "it's re - elected", [3, -1, -1, -1]),
        ("do n't go", (3, 1, 0), "don't go", [1, -1]),
        ("A [?] cat", (3, 3, 0), "a « cat", [2, -1, -1]),
        ("", (), "a b", [-1, -1]),
        ("a b", (2, 0), "", []),
        ("a x b", (2, 3, 0), "a b", [1, -1]),
    ],
)
def test_trees_of_other_words(words: str, heads: tuple[int, ...], tokens: str, expected: list[int]) -> None:
    assert project_heads(words.split(), heads, tokens.split()) == expected


def test_a_long_chain_of_other_words() -> None:
    words = [f"w{i}" for i in range(20_000)]
    tokens = ["x", *words[1:]]
    assert project_heads(words, range(20_000), tokens)[-2:] == [19_997, 19_998]


# Specifications


@pytest.mark.parametrize("name", ["depref-exact", "depref-align"])
def test_specifications(name: str, trees: str) -> None:
    with pytest.raises(SpecError, match=f"{name} needs an annotator"):
        parse(name)
    for weights in ("0/0", "a/b", "1/-1", "/".join("1" * 10)):
        with pytest.raises(SpecError, match="weights"):
            parse(f"{name}:annotator={trees},weights={weights}")
    assert parse(f"{name}:annotator={trees},weights=06/3.0/1") == parse(f"{name}:annotator={trees}")
    metric = parse(f"{name}:annotator={trees}")
    signature = str(metric.signature(References([["a"]])))
    assert "|annotator:file-unknown-" in signature
    assert str(Path(trees[5:]).parent) not in metric.public_spec


def test_an_annotator_without_trees_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.ptb"
    path.write_text("(S (X a))\n")
    with pytest.raises(InputError, match="depref-exact needs dependencies, but the annotator"):
        parse(f"depref-exact:annotator=file:{path}").corpus_score(["a"], [["a"]])


def test_verbs(trees: str) -> None:
    text = TREES[0][0]
    testset = mtassay.TestSet([[text] * 12], {"a": [text] * 12, "b": ["the cat saw a dog ."] * 12})
    specs = [f"depref-exact:annotator={trees}", f"depref-align:annotator={trees},stages=exact,data=none"]
    result: Any = mtassay.score(testset, metrics=specs)
    assert (result.scores[0] > result.scores[1]).all()
    assert mtassay.compare(testset, metrics=specs).to_dict()
    assert mtassay.rank(testset, metrics=specs[:1]).to_dict()
    matrix = parse(specs[0]).pairwise([text, "a cat"], [text, TREES[1][0]])
    assert matrix[0, 0] == matrix.max()


def test_weights_of_a_decoder_are_tuned_towards_it(trees: str, tmp_path: Path) -> None:
    path = tmp_path / "nbest"
    path.write_text(f"0 ||| saw dog ||| LM= 2 TM= 1 ||| 0\n0 ||| {TREES[0][0]} ||| LM= 1 TM= 3 ||| 0\n")
    metric = parse(f"depref-exact:annotator={trees}")
    candidates = candidates_of(read_nbest(path), [[TREES[0][0]]], metric)
    found = optimise(candidates, {"LM_0": 1.0, "TM_0": 0.1})
    assert found.after == pytest.approx(metric.corpus_score([TREES[0][0]], [[TREES[0][0]]]))


def test_both_are_listed_as_reconstructions() -> None:
    from mtassay.verbs.list_metrics import list_metrics

    said = {entry.metric: entry.description for entry in list_metrics().entries if entry.option is None}
    assert all("reconstruction" in said[name] for name in ("depref-exact", "depref-align"))
