"""Hjerson, Addicter and TerrorCat on annotations from files: choices, alignments, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mtassay.data.judgements import Preferences
from mtassay.data.testset import TestSet
from mtassay.errors import InputError, SpecError
from mtassay.learn.training import train
from mtassay.metrics import References, build_tables, parse
from mtassay.verbs.align import align

if TYPE_CHECKING:
    from pathlib import Path

#: Words with their tags and lemmas.
WORDS = {
    "he": ("PRP", "he"),
    "walks": ("VBZ", "walk"),
    "walked": ("VBD", "walk"),
    "a": ("DT", "a"),
    "big": ("JJ", "big"),
    "dog": ("NN", "dog"),
    "chien": ("FW", "chien"),
    "today": ("NN", "today"),
    ".": (".", "."),
}
REFERENCE = "he walks a dog today ."


def _conllu(texts: list[str], *, columns: str = "lemma tag") -> str:
    """Words, and of tags and lemmas those that are wanted."""
    blocks = []
    for text in texts:
        rows = [f"# text = {text}"]
        for number, word in enumerate(text.split(), 1):
            tag, lemma = WORDS[word]
            lemma, tag = (lemma if "lemma" in columns else "_"), (tag if "tag" in columns else "_")
            rows.append("\t".join([str(number), word, lemma, "_", tag, "_", "_", "_", "_", "_"]))
        blocks.append("\n".join(rows) + "\n")
    return "\n".join(blocks) + "\n"


@pytest.fixture
def annotator(tmp_path: Path) -> str:
    texts = ["he walked a big dog today .", "today he walks a dog .", "he walks a chien .", "dog", REFERENCE]
    (tmp_path / "texts.conllu").write_text(_conllu(texts), encoding="utf-8")
    return f"file:{tmp_path}"


class TestHjerson:
    def test_lemmas_find_inflections_that_letters_do_not(self) -> None:
        texts = ["he sees it"], [["he saw it"]]
        assert parse("hjerson:class=infl").corpus_score(*texts) == 0
        assert parse("hjerson:class=lex").corpus_score(*texts) == pytest.approx(100 / 3)

    def test_with_an_annotator(self, annotator: str) -> None:
        metric = parse(f"hjerson:annotator={annotator}")
        score = metric.corpus_score(["he walked a big dog today ."], [[REFERENCE]])
        assert score == pytest.approx(100 * 2 / 7)
        assert "base:lemma" in str(metric.signature([[REFERENCE]]))
        assert "base:first4" in str(parse("hjerson").signature([[REFERENCE]]))

    def test_the_reference_of_the_lowest_word_error_rate(self) -> None:
        row = parse("hjerson").prepare(References([["a b c d"], ["a x"], ["a x"]])).statistics(["a x c"])[0]
        assert row[parse("hjerson").columns.index("ref_len")] == 4

    def test_blocks_of_reordering_only(self) -> None:
        texts = ["c d a b e x y"], [["a b c d e"]]
        words, blocks, order = (parse(f"hjerson:blocks={how}").corpus_score(*texts) for how in ("no", "yes", "reord"))
        assert blocks < order < words

    def test_an_unknown_class_is_refused(self) -> None:
        with pytest.raises(SpecError, match="known: all, infl, reord, miss, ext, lex"):
            parse("hjerson:class=inf")

    def test_an_annotator_without_lemmas_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "dog.ptb").write_text("(S (NN dog))\n", encoding="utf-8")
        with pytest.raises(InputError, match="hjerson needs lemmas"):
            parse(f"hjerson:annotator=file:{tmp_path}").corpus_score(["dog"], [["dog"]])


class TestAddicter:
    def test_errors_of_a_segment(self, annotator: str) -> None:
        systems = {"x": ["he walked a big dog today ."], "y": ["today he walks a dog ."]}
        result = align([[REFERENCE]], systems, metric=f"addicter:annotator={annotator}")
        one, other = result.to_dict()["alignments"]
        assert one["links"] == [0, 1, 2, None, 3, 4, 5]
        assert [(error["kind"], error["hypothesis"], error["reference"]) for error in one["errors"]] == [
            ("extr", 3, None),
            ("diffpos", 1, 1),
        ]
        assert one["score"] == pytest.approx(100 * 2 / 7)
        assert other["errors"] == [{"kind": "ord-l", "hypothesis": 0, "reference": None, "other": 4}]
        text = str(result)
        assert "HYP  he  walked  a  big  dog  today  .\nREF  he  walks   a  @    dog  today  ." in text
        assert "diffpos: walked (2) / walks (2)" in text
        assert "ord-l: today (1) to the place of dog (5)" in text
        assert json.loads(result.render("json"))["alignments"][0]["extr"] == 1
        assert "ord-l" in result.render("html")

    def test_kinds_add_up(self, annotator: str) -> None:
        texts = ["he walked a big dog today ."], [[REFERENCE]]
        kinds = ("miss", "extr", "untr", "lex-dis", "diffpos", "infl", "ord-s", "ord-l")
        found = {k: parse(f"addicter:annotator={annotator},class={k}").corpus_score(*texts) for k in kinds}
        # One extra word and one of another tag, of the seven words of the hypothesis.
        assert found == dict.fromkeys(kinds, 0.0) | dict.fromkeys(("extr", "diffpos"), pytest.approx(100 / 7))
        assert sum(found.values()) == pytest.approx(parse(f"addicter:annotator={annotator}").corpus_score(*texts))

    @pytest.mark.parametrize(("sources", "untranslated"), [(["Chien !"], 1), (["un chat"], 0), (None, 0)])
    def test_words_of_the_source_are_untranslated(
        self, annotator: str, sources: list[str] | None, untranslated: int
    ) -> None:
        metric = parse(f"addicter:annotator={annotator}")
        rows = metric.prepare(References([[REFERENCE]], sources=sources)).statistics(["he walks a chien ."])
        found = dict(zip(metric.columns, rows[0].tolist(), strict=True))
        # "chien" is no word of the reference, and its tag and letters are unlike those of the two that are left.
        assert (found["untr"], found["extr"]) == (untranslated, 1 - untranslated)

    def test_the_reference_with_the_fewest_errors(self, annotator: str) -> None:
        metric = parse(f"addicter:annotator={annotator}")
        assert metric.segment_scores([REFERENCE], [["dog"], [REFERENCE]]).tolist() == [0.0]

    def test_an_annotator_without_tags_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "x.conllu").write_text(_conllu(["dog"], columns="lemma"), encoding="utf-8")
        with pytest.raises(InputError, match="tags"):
            parse(f"addicter:annotator=file:{tmp_path}").corpus_score(["dog"], [["dog"]])


@pytest.mark.parametrize(
    ("line", "message"),
    [("1\tdog\tdog\t_\tNN", r"x\.conllu.*2"), ("3\tdog\tdog\t_\tNN\t_\t_\t_\t_\t_", r"x\.conllu.*2")],
)
def test_bad_files_are_refused_by_line(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "x.conllu").write_text(f"# text = dog\n{line}\n\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        parse(f"addicter:annotator=file:{tmp_path}").corpus_score(["dog"], [["dog"]])


class TestTerrorCat:
    @pytest.fixture
    def trained(self, annotator: str, tmp_path: Path) -> tuple[str, TestSet]:
        pytest.importorskip("sklearn")
        from mtassay.learn.matrix import Resources

        n = 6
        good, bad = [REFERENCE] * n, ["he walked a big dog today ."] * n
        testset = TestSet([[REFERENCE] * n], {"good": good, "bad": bad, "worse": ["dog"] * n})
        first, second = np.repeat([0, 0, 1], n), np.repeat([1, 2, 2], n)
        segment = np.tile(np.arange(n), 3)
        judged = Preferences(
            tuple(testset.systems),
            tuple(str(number + 1) for number in range(n)),
            ("",),
            segment,
            np.zeros(3 * n, np.int64),
            first=first,
            second=second,
            outcome=np.ones(3 * n, np.int64),
            item=np.arange(3 * n),
        )
        path = tmp_path / "m.model"
        resources = Resources(annotator=annotator)
        train(testset, judged, model="ranksvm", features="terrorcat", resources=resources).save(path)
        return f"terrorcat:{path},annotator={annotator}", testset

    def test_scores_of_systems(self, trained: tuple[str, TestSet]) -> None:
        spec, testset = trained
        [table] = build_tables(References(testset.references), testset.systems, [parse(spec)])
        good, bad, worse = table.scores()
        assert good > bad > worse
        # The reference takes part, so that sums over systems and the reference, equal to "good" here, are 0.
        assert 2 * good + bad + worse == pytest.approx(0)
        np.testing.assert_allclose(table.segment_scores().mean(axis=1), table.scores())

    def test_single_texts_have_no_score(self, trained: tuple[str, TestSet]) -> None:
        with pytest.raises(SpecError, match="systems of a test set"):
            parse(trained[0]).corpus_score(["dog"], [["dog"]])

    def test_other_models_are_refused(self, trained: tuple[str, TestSet], tmp_path: Path) -> None:
        from mtassay.learn.matrix import Resources

        _, testset = trained
        pairs = Preferences(
            ("good", "worse"),
            ("1", "2"),
            ("",),
            np.array([0, 1]),
            np.zeros(2, np.int64),
            first=np.zeros(2, np.int64),
            second=np.ones(2, np.int64),
            outcome=np.ones(2, np.int64),
            item=np.arange(2),
        )
        path = tmp_path / "logistic.model"
        train(testset, pairs, model="logistic", features=["bleu"], resources=Resources()).save(path)
        with pytest.raises(InputError, match="TerrorCat needs ranksvm"):
            build_tables(References(testset.references), testset.systems, [parse(f"terrorcat:{path}")])
