"""SEMPOS from its definition: items by hand, scores by counting."""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from mtassay.data.annotations import Annotations
from mtassay.errors import InputError, MissingExtraError, SpecError
from mtassay.metrics import References, parse
from mtassay.metrics.linguistic.sempos import Sempos
from mtassay.metrics.linguistic.sempos_items import CLASSES, items_of
from mtassay.text import annotate as registry
from mtassay.verbs.annotate import annotate as write_annotations

#: One tag for some classes.
TAGS = {"n.denot": "NN", "adj.denot": "JJ", "v": "VV", "adv.denot.grad.neg": "RB", "n.quant.def": "CD"}


def items(factored: str) -> list[str]:
    """Items of form|tag|lemma, as lemma|class."""
    words, tags, lemmas = (tuple(column) for column in zip(*(t.split("|") for t in factored.split()), strict=True))
    found = items_of(Annotations(words=words, xpos=tags, lemmas=lemmas))
    return [f"{lemma}|{CLASSES[number]}" for lemma, number in found]


@pytest.mark.parametrize(
    ("factored", "expected"),
    [
        ("The|DT|the Dogs|NNS|Dog are|VBP|be big|JJ|big", "dog|n.denot be|v big|adj.denot"),
        ("They|PRP|they saw|VBD|see their|PRP$|their cat|NN|cat", "#PersPron see|v #PersPron cat|n.denot"),
        ("He|PRP|he is|VBZ|be not|RB|not often|RB|often seen|VBN|see", "#PersPron often|adv see|v"),
        ("had|VBD|have been|VBN|be going|VBG|go", "go|v"),
        ("did|VBD|do n't|RB|not go|VB|go to|TO|to do|VB|do it|PRP|it", "go|v do|v #PersPron"),
        ("has|VBZ|have done|VBN|do", "do|v"),
        ("had|VBD|have a|DT|a car|NN|car", "have|v car|n.denot"),
        ("will|MD|will go|VB|go up|RP|up", "go|v"),
        ("more|RBR|more rare|JJ|rare", "rare|adj.denot"),
        ("most|RBS|most often|RB|often", "often|adv"),
        ("costs|VBZ|cost more|RBR|more", "cost|v more|adv"),
        ("where|WRB|where this|DT|this whose|WP$|whose", "where|adv.pron.indef this|n.pron.indef whose|n.pron.indef"),
        ("all|PDT|all two|CD|two 21st|JJ|21st first|JJ|first", "all|n.quant.def two|n.quant.def 21st|ord first|ord"),
        ("$|$|$ in|IN|in and|CC|and ,|,|, 's|POS|'s there|EX|there", "$|n.denot"),
    ],
)
def test_items(factored: str, expected: str) -> None:
    shown = [
        item.replace("#PersPron|n.pron.def.pers", "#PersPron")
        .replace("adv.denot.grad.neg", "adv")
        .replace("adj.quant.def", "ord")
        for item in items(factored)
    ]
    assert shown == expected.split()


def test_tags_of_another_set_are_refused() -> None:
    with pytest.raises(InputError, match=r"sempos needs Penn tags, but 'VVFIN' \(of 'geht'\) is not one; .*hanta:en"):
        items("geht|VVFIN|gehen")


def write(folder: Path, texts: list[list[tuple[str, str]]]) -> list[str]:
    """Texts of items (lemma, class), annotated in a file."""
    lines = [" ".join(f"{lemma}|{TAGS[name]}|{lemma}" for lemma, name in text) for text in texts]
    (folder / "A.fact").write_text("".join(f"{line}\n" for line in lines))
    return [" ".join(lemma for lemma, _ in text) for text in texts]


def by_counting(hypothesis: list[tuple[str, str]], reference: list[tuple[str, str]]) -> dict[str, tuple[float, float]]:
    """Matched and all items of each class."""
    both, own = Counter(hypothesis) & Counter(reference), Counter(reference)
    return {
        name: (
            sum(n for (_, its), n in both.items() if its == name),
            sum(n for (_, its), n in own.items() if its == name),
        )
        for name in TAGS
    }


def capped(counts: list[dict[str, tuple[float, float]]], variant: str) -> float:
    sums = [tuple(sum(one[name][i] for one in counts) for i in range(2)) for name in TAGS]
    if variant == "micro":
        sums = [tuple(map(sum, zip(*sums, strict=True)))]
    recalls = [matched / total for matched, total in sums if total]
    return sum(recalls) / len(recalls) if recalls else 1.0


@pytest.mark.parametrize("variant", ["micro", "macro"])
def test_scores_by_counting(tmp_path: Path, variant: str) -> None:
    """Words are distinct for each class and text, so that files of texts are found by their words."""
    rng = random.Random(5)
    texts = [
        [(f"w{name[:3]}{rng.randrange(4)}", name) for name in rng.choices([*TAGS], k=rng.randrange(1, 12))]
        for _ in range(90)
    ]
    strings = write(tmp_path, texts)
    metric = parse(f"sempos:variant={variant},annotator=file:{tmp_path}")
    hyps, first, second = (slice(start, start + 30) for start in (0, 30, 60))
    one = metric.segment_scores(strings[hyps], [strings[first]])
    counts = [by_counting(h, r) for h, r in zip(texts[hyps], texts[first], strict=True)]
    assert one.tolist() == pytest.approx([capped([each], variant) for each in counts])
    assert metric.corpus_score(strings[hyps], [strings[first]]) == pytest.approx(capped(counts, variant))
    # Of two references the better one.
    others = [by_counting(h, r) for h, r in zip(texts[hyps], texts[second], strict=True)]
    best = [max(pair, key=lambda each: capped([each], variant)) for pair in zip(counts, others, strict=True)]
    references = [strings[first], strings[second]]
    assert metric.segment_scores(strings[hyps], references).tolist() == pytest.approx(
        [capped([each], variant) for each in best]
    )
    assert metric.corpus_score(strings[hyps], references) == pytest.approx(capped(best, variant))


def test_nothing_to_find(tmp_path: Path) -> None:
    texts = write(tmp_path, [[("a", "n.denot")], [("b", "v")]])
    metric = parse(f"sempos:annotator=file:{tmp_path}")
    assert metric.segment_scores([texts[0], "", texts[0]], [["", texts[0], texts[1]]]).tolist() == [1.0, 0.0, 0.0]
    assert metric.corpus_score([texts[0], ""], [["", ""]]) == 1.0


def test_texts_that_are_not_annotated_have_no_score(tmp_path: Path) -> None:
    lines = ["# text = a", "1\ta\ta\tNOUN\tNN\t_\t_\t_\t_\t_", "", "# text = b", "# parse = missing", ""]
    (tmp_path / "A.conllu").write_text("\n".join(lines))
    metric = parse(f"sempos:annotator=file:{tmp_path}")
    scores = metric.segment_scores(["a", "b", "a"], [["a", "a", "b"], [None, "a", "a"]])
    assert scores[0] == scores[2] == 1.0
    assert math.isnan(scores[1])
    assert metric.corpus_score(["a", "b"], [["a", "a"]]) == 1.0


def test_weights(tmp_path: Path) -> None:
    hypothesis, reference = write(
        tmp_path, [[("a", "n.denot"), ("b", "v")], [("a", "n.denot"), ("b", "n.denot"), ("c", "v")]]
    )
    weights = tmp_path / "weights"
    weights.write_text("a 0.5\n\nc\t3\n")
    metric = parse(f"sempos:annotator=file:{tmp_path},weights={weights}")
    assert metric.segment_scores([hypothesis], [[reference]]).tolist() == [0.5 / 4.5]
    macro = parse(f"sempos:variant=macro,annotator=file:{tmp_path},weights={weights}")
    assert macro.segment_scores([hypothesis], [[reference]]).tolist() == [(0.5 / 1.5 + 0) / 2]
    assert f"weights={tmp_path}" not in metric.public_spec
    assert "weights=weights" in metric.public_spec
    signature = str(metric.signature(References([[reference]])))
    assert "variant:micro|weights:weights|sha256:" in signature
    weights.write_text("a 0\nb 0\nc 0\n")
    assert parse(str(metric)).segment_scores([hypothesis], [[reference]]).tolist() == [1.0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1\nb\n", "weights, line 2: a line must have a base form and its weight"),
        ("a 1 2\n", "weights, line 1: a line must have a base form and its weight"),
        ("a x\n", "weights, line 1: the weight 'x' is not a number of at least 0"),
        ("a -1\n", "weights, line 1: the weight '-1' is not a number of at least 0"),
        ("a nan\n", "weights, line 1: the weight 'nan' is not a number"),
        ("a inf\n", "weights, line 1: the weight 'inf' is not a number"),
        ("a 1\na 2\n", "weights, line 2: the base form 'a' already has a weight"),
    ],
)
def test_bad_weights(tmp_path: Path, content: str, message: str) -> None:
    [text] = write(tmp_path, [[("a", "v")]])
    (tmp_path / "weights").write_text(content)
    with pytest.raises(InputError, match=message):
        parse(f"sempos:annotator=file:{tmp_path},weights={tmp_path / 'weights'}").segment_scores([text], [[text]])


def test_weights_are_in_a_file(tmp_path: Path) -> None:
    for name in ("", "-"):
        with pytest.raises(SpecError, match="sempos needs a file for its weights"):
            Sempos(weights=name)
    with pytest.raises(InputError, match="nowhere"):
        Sempos(weights=str(tmp_path / "nowhere")).weight_of("a")


def test_what_installs_the_default_annotator(monkeypatch: pytest.MonkeyPatch) -> None:
    registry._made.cache_clear()
    monkeypatch.setitem(sys.modules, "HanTa.HanoverTagger", None)
    with pytest.raises(MissingExtraError, match=r"the annotator hanta needs .*: pip install 'mtassay\[annotate\]'"):
        parse("sempos").segment_scores(["a"], [["a"]])


def test_annotators_without_tags_are_refused() -> None:
    pytest.importorskip("simplemma", reason="pip install 'mtassay[annotate]'")
    with pytest.raises(InputError, match=r"sempos needs xpos, but the annotator simplemma:en gives none"):
        parse("sempos:annotator=simplemma:en").prepare(References([["a"]]))


def test_labels_and_columns() -> None:
    assert [parse(f"sempos:variant={variant}").label for variant in ("micro", "macro")] == ["SEMPOS", "SEMPOS-macro"]
    assert str(parse("sempos:annotator=hanta:en,variant=micro")) == "sempos"
    assert len(parse("sempos").columns) == 2 * 9 + 1


def test_files_give_the_scores_of_their_annotator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("HanTa", reason="pip install 'mtassay[annotate]'")
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "cache"))
    registry._made.cache_clear()
    references = ["He didn't see the $ 5 dogs.", "The three voters have left, it seems.", "Yes: (more) | 3.5 %!"]
    hypotheses = ["He saw five dogs not.", "Three voters seem to have gone.", ""]
    write_annotations([references], {"A": hypotheses}, output=tmp_path / "tags", annotator="hanta:en")
    direct = parse("sempos").segment_scores(hypotheses, [references])
    assert 0 < direct[0] < 1
    from_files = parse(f"sempos:annotator=file:{tmp_path / 'tags'}").segment_scores(hypotheses, [references])
    assert from_files.tolist() == direct.tolist()
