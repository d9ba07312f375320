"""Buckets of segments, their tests, examples and refusals of ``mtassay.analyse`` and ``mtassay.diff``."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mtassay
from mtassay.data import TestSet
from mtassay.data.annotations import ENTITIES, LEMMAS, MISSING, UPOS, Annotations
from mtassay.data.judgements import Preferences, Scores
from mtassay.sample import human_scores_path, sample_path

if TYPE_CHECKING:
    from pathlib import Path

METRICS = ["bleu", "chrf", "ter"]


@pytest.fixture(scope="module")
def testset() -> TestSet:
    return mtassay.load(sample_path())


def part_of(testset: TestSet, segments: Any) -> TestSet:
    """A test set of some segments."""
    return TestSet(
        [[stream[n] for n in segments] for stream in testset.references],
        {name: [texts[n] for n in segments] for name, texts in testset.systems.items()},
    )


@pytest.mark.parametrize("view", ["length", "score", "domain", "document"])
def test_a_bucket_is_a_comparison_of_its_segments(testset: TestSet, view: str) -> None:
    """Scores, intervals and p-values are those of ``compare`` on the segments alone: the same resamples."""
    (found,) = mtassay.analyse(testset, metrics=METRICS, by=[view], resamples=300, adjust="none").segments
    assert sorted(n for of_bucket in found.segments for n in of_bucket[0]) == list(range(testset.n_segments))
    for b in range(min(3, len(found.labels))):
        alone = mtassay.compare(part_of(testset, found.segments[b][0]), metrics=METRICS, resamples=300)
        for tests, comparison in zip(found.tests, alone.comparisons, strict=True):
            np.testing.assert_allclose(tests.scores[b], comparison.scores)
            np.testing.assert_array_equal(tests.p[b], comparison.p)
            np.testing.assert_array_equal(tests.better[b], comparison.better)
            if len(found.segments[b][0]) > 1:
                np.testing.assert_allclose(tests.intervals[b], comparison.intervals)


def test_0_resamples_are_the_default(testset: TestSet) -> None:
    zero, default = (
        mtassay.analyse(testset, metrics=["bleu"], by=["length"], resamples=n).to_dict() for n in (0, 1000)
    )
    assert zero == default


def test_threads_change_nothing(testset: TestSet) -> None:
    one, two = (mtassay.analyse(testset, metrics=METRICS, resamples=100, threads=n).to_dict() for n in (1, 2))
    assert one == two


def test_lengths_and_differences() -> None:
    def words(n: int) -> str:
        return " ".join("w" * n)

    references = [[words(n) for n in (0, 9, 10, 19, 20, 59, 60)]]
    systems = {"x": [words(n) for n in (0, 9, 10, 19, 20, 59, 60)], "y": [words(n) for n in (1, 9, 5, 40, 22, 59, 50)]}
    length, difference = mtassay.analyse(references, systems, by=["difference", "length"], tok="none").segments
    assert length.labels == ("0–9", "10–19", "20–29", "50–59", "≥ 60")
    assert [of_bucket[0].tolist() for of_bucket in length.segments] == [[0, 1], [2, 3], [4], [5], [6]]
    assert length.paired
    assert not difference.paired
    assert np.isnan(difference.tests[0].p).all()
    by_label = {
        label: [index.tolist() for index in of_bucket]
        for label, of_bucket in zip(difference.labels, difference.segments, strict=True)
    }
    assert by_label == {
        "-10 to -6": [[], [6]],
        "-5": [[], [2]],
        "0": [[0, 1, 2, 3, 4, 5, 6], [1, 5]],
        "1": [[], [0]],
        "2": [[], [4]],
        "≥ 21": [[], [3]],
    }


def test_of_several_references_the_mean_length_counts() -> None:
    (view,) = mtassay.analyse([["a " * 8], ["a " * 14]], {"x": ["a"]}, by=["length"], tok="none").segments
    assert view.labels == ("10–19",)


def test_deciles_have_equal_size_and_the_worst_come_first(testset: TestSet) -> None:
    for metric in ("chrf", "ter"):
        (view,) = mtassay.analyse(testset, metrics=[metric], by=["score"]).segments
        sizes = view.n_segments[:, 0]
        assert sizes.max() - sizes.min() <= 2
        scored = mtassay.score(testset, metrics=[metric])
        means = scored.segment_scores()[..., 0].mean(axis=0) * scored.metrics[0].sign
        ends = [(means[index[0]].min(), means[index[0]].max()) for index in view.segments]
        assert all(low >= before for (_, before), (low, _) in pairwise(ends))


def test_labels_of_segments_and_repeated_sources() -> None:
    testset = TestSet([["a", "b", "c"]], {"x": ["a", "b", "d"]}, sources=["s", "t", "s"])
    repeated, labelled = mtassay.analyse(
        testset, by=["duplicates", "segment-label"], segment_labels=["u", "v", "u"]
    ).segments
    assert [(label, of[0].tolist()) for label, of in zip(labelled.labels, labelled.segments, strict=True)] == [
        ("u", [0, 2]),
        ("v", [1]),
    ]
    assert [of[0].tolist() for of in repeated.segments] == [[1], [0, 2]]


def test_frequencies_of_a_mapping_a_corpus_and_a_file(tmp_path: Path) -> None:
    references, systems = [["a b"]], {"x": ["a c"]}
    corpus, counts = tmp_path / "corpus", tmp_path / "counts"
    corpus.write_text("a a a a a\nc a, c\n", encoding="utf-8")
    counts.write_text("a\t6\nc\t2\n,\t1\n", encoding="utf-8")
    expected = [("0", 0, 0, 1), ("2", 0, 1, 0), ("5–9", 1, 1, 1)]
    for given in ({"a": 6, "c": 2}, corpus, str(counts)):
        (view,) = mtassay.analyse(references, systems, by=["frequency"], frequencies=given).words
        found = zip(view.labels, view.matched[:, 0], view.in_output[:, 0], view.in_reference[:, 0], strict=True)
        assert list(found) == expected
    (view,) = mtassay.analyse(references, systems, by=["frequency"], frequencies=counts).words
    assert str(counts) in view.title


class Tagger:
    """Parts of speech by letter case, Ann is a person, and texts with a question mark fail."""

    name, version, is_parallel, is_kept = "tagger", "1", True, False
    provides = frozenset({UPOS, ENTITIES, LEMMAS})

    def annotate(self, texts: list[str]) -> list[Annotations]:
        return [
            Annotations(layers=self.provides, state=MISSING)
            if "?" in text
            else Annotations(
                words=tuple(text.split()),
                lemmas=tuple({"saw": "see", "sees": "see"}.get(word, word) for word in text.split()),
                upos=tuple("NOUN" if word.istitle() else "DET" if word == "the" else "VERB" for word in text.split()),
                entities=tuple("PERSON" if word == "Ann" else "O" for word in text.split()),
                layers=self.provides,
            )
            for text in texts
        ]


@pytest.fixture
def tagger(monkeypatch: pytest.MonkeyPatch) -> str:
    """The specification of the annotator above."""
    monkeypatch.setattr("mtassay.analysis.word_labels.get_annotator", lambda spec: Tagger())
    return "tagger"


TAGGED = [["He sees Ann", "He?"]], {"x": ["He saw the Ann", "He"]}


@pytest.mark.parametrize(
    ("by", "layer", "expected"),
    [
        ("label", None, [("NOUN", 2, 2, 2), ("VERB", 0, 1, 1), ("DET", 0, 1, 0)]),
        ("label", "class", [("content word", 2, 3, 3), ("function word", 0, 1, 0)]),
        ("label", "entity", [("no entity", 1, 3, 2), ("PERSON", 1, 1, 1)]),
        ("entity", None, [("no entity", 1, 3, 2), ("PERSON", 1, 1, 1)]),
    ],
)
def test_labels_of_an_annotator(
    tagger: str, by: str, layer: str | None, expected: list[tuple[str, int, int, int]]
) -> None:
    """Words are the annotator's, a segment that it failed on is left out."""
    (view,) = mtassay.analyse(*TAGGED, by=[by], labels=tagger, layer=layer).words
    found = zip(view.labels, view.matched[:, 0], view.in_output[:, 0], view.in_reference[:, 0], strict=True)
    assert list(found) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer": "lemma"}, "no layer named 'lemma'"),
        ({"layer": "relation"}, "tagger does not label words by relation to the head (it gives: upos, class, entity)"),
    ],
)
def test_layers_that_are_not_there(tagger: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(mtassay.MtassayError) as error:
        mtassay.analyse(*TAGGED, by=["label"], labels=tagger, **options)
    assert message in str(error.value)


def test_missing_scores_are_left_out_of_buckets(testset: TestSet, tmp_path: Path) -> None:
    name = next(iter(testset.systems))
    scores = tmp_path / "m.seg.score"
    scores.write_text(
        "".join(
            f"{system}\t{'None' if system == name and n < 5 else n % 7}\n"
            for system in testset.systems
            for n in range(testset.n_segments)
        ),
        encoding="utf-8",
    )
    result = mtassay.analyse(testset, metrics=[f"file:{scores}"], by=["length", "score"], resamples=50)
    for view in result.segments:
        assert np.isfinite(view.tests[0].scores).all()


def test_metrics_without_a_direction_are_not_tested(testset: TestSet) -> None:
    (view,) = mtassay.analyse(testset, metrics=["length_ratio"], by=["length"], resamples=50).segments
    assert np.isfinite(view.tests[0].scores).all()
    assert np.isnan(view.tests[0].p).all()
    assert not view.tests[0].better.any()


def test_one_system_has_no_pair() -> None:
    result = mtassay.analyse([["a b c d e"] * 3], {"x": ["a b c d e"] * 3})
    assert result.pair is None
    assert result.examples is None
    assert result.ngrams is not None
    assert not result.ngrams.differences
    assert str(result)


def test_ngrams_that_differ_in_too_few_segments_are_not_tested() -> None:
    """Signs of six segments are all the same in 2 of 64 cases; an n-gram that differs in one segment has p = 1."""
    references = [f"w{n} good" for n in range(6)]
    systems = {"x": references, "y": [f"w{n} bad" for n in range(6)]}
    found = mtassay.analyse([references], systems, by=["ngrams"], pair=("x", "y"), adjust="holm").ngrams
    assert found is not None
    kinds = ("matched", "over-generated", "under-generated")
    assert found.n_tested == found.n_significant == dict.fromkeys(kinds, 1)
    of_x = {entry.words: entry for entry in found.differences["matched"][0]}
    assert (of_x[("good",)].p, of_x[("good",)].adjusted) == pytest.approx((2 / 64, 2 / 64))
    assert of_x["w0", "good"].p == 1
    assert np.isnan(of_x["w0", "good"].adjusted)


def test_counts_of_ngrams_have_thousands_separators() -> None:
    references = ["good"] * 3210
    systems = {"x": references, "y": ["good"] * 3100 + ["bad"] * 110}
    shown = str(mtassay.analyse([references], systems, by=["ngrams"], resamples=20))
    assert shown.count("3,210") == 3  # segments, all n-grams, and this n-gram
    assert "3,100" in shown
    assert "3210" not in shown


def test_the_pair_is_the_two_best_or_the_one_named(testset: TestSet) -> None:
    scored = mtassay.score(testset, metrics=["ter"])
    names = [scored.systems[s] for s in scored.ranked]
    assert mtassay.analyse(testset, metrics=["ter"], by=["case"]).pair == tuple(names[:2])
    assert mtassay.analyse(testset, by=["case"], pair=(names[3], names[1])).pair == (names[3], names[1])


def test_examples_are_ordered_and_without_duplicates() -> None:
    references = [["a b c d", "e f", "g h", "e f", "i j"]]
    systems = {"x": ["a b c d", "e f", "h", "e f", "i j"], "y": ["a b", "k", "g h", "k", "i j"]}
    found = mtassay.analyse(references, systems, metrics=["ter"], by=["examples"], pair=("x", "y")).examples
    assert found is not None
    assert [example.segment for example in found.first] == [1, 0]
    assert [example.segment for example in found.second] == [2]
    assert [example.difference for example in found.first] == [-100.0, -50.0]
    assert found.first[0].outputs[1].scores == (100.0,)


def test_marks_of_words() -> None:
    found = mtassay.diff(
        [["one two three four five six"]], {"x": ["four five six one two three"], "y": ["one three 4"]}
    )
    (example,) = [*found.examples.first, *found.examples.second]
    moved, wrong = (output for output in sorted(example.outputs, key=lambda output: output.system))
    marks = {word.word: word.mark for word in moved.words}
    assert set(marks) == {"one", "two", "three", "four", "five", "six"}
    assert sorted(marks.values()) == ["moved"] * 3 + ["same"] * 3
    assert moved.missing == ()
    assert [(word.word, word.mark) for word in wrong.words] == [("one", "same"), ("three", "same"), ("4", "wrong")]
    assert wrong.missing == ("two", "four", "five", "six")


def test_diff_filters(testset: TestSet) -> None:
    everything = mtassay.diff(testset, metric="ter", top=1000)
    better = everything.examples.pair[1]
    only = mtassay.diff(testset, metric="ter", top=1000, better=better)
    assert only.examples.first == ()
    assert [e.segment for e in only.examples.second] == [e.segment for e in everything.examples.second]
    found = mtassay.diff(testset, metric="ter", top=1000, grep=r"\bnot\b")
    for example in (*found.examples.first, *found.examples.second):
        texts = [example.source, *example.references, *(output.text for output in example.outputs)]
        assert any(" not " in f" {text} " for text in texts)
    assert 0 < found.n_segments < testset.n_segments
    found = mtassay.diff(testset, metric="ter", bucket="length:8-10", tok="none", top=1000)
    for example in (*found.examples.first, *found.examples.second):
        assert 8 <= np.mean([len(text.split()) for text in example.references]) <= 10
    domain = (testset.domains or ("",))[0]
    found = mtassay.diff(testset, bucket=f"domain:{domain}", top=1000)
    assert found.n_segments == (testset.domains or ()).count(domain)


REFERENCES, SYSTEMS = [["a b", "c"]], {"x": ["a", "c"], "y": ["b", "c"]}


@pytest.mark.parametrize("view", ["ngrams", "examples"])
def test_views_of_two_systems_need_two(view: str) -> None:
    with pytest.raises(mtassay.MtassayError, match=f"there is only one system: {view} need two"):
        mtassay.analyse(REFERENCES, {"x": ["a", "c"]}, by=[view])
    assert mtassay.analyse(REFERENCES, {"x": ["a", "c"]}).examples is None


@pytest.mark.parametrize(
    "options", [{"alignment": "meteor"}, {"judgements": mtassay.load_judgements(human_scores_path())}, {"top": 3}]
)
def test_options_of_two_systems_need_two(testset: TestSet, options: dict[str, Any]) -> None:
    with pytest.raises(mtassay.MtassayError, match=r"\(\w+=\) is for .*examples, which need two systems"):
        mtassay.analyse(testset.select(systems=["atlas"]), **options)
    assert mtassay.analyse(testset, resamples=20, **options).examples is not None


@pytest.mark.parametrize(("by", "table"), [(["length"], "ngrams"), (["ngrams"], "buckets"), (["ngrams"], "examples")])
def test_a_table_that_is_not_there(by: list[str], table: str) -> None:
    with pytest.raises(mtassay.MtassayError, match=f"there are no {table}: choose --table"):
        mtassay.analyse(REFERENCES, SYSTEMS, by=by).render("tsv", table=table)
    alone = mtassay.analyse(REFERENCES, {"x": ["a", "c"]})
    if table != "buckets":
        with pytest.raises(mtassay.MtassayError, match=f"there are no {table}: choose --table"):
            alone.render("tsv", table=table)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": ["frequencies"]}, "no view named 'frequencies'; did you mean 'frequency'?"),
        ({"by": "length"}, "by must be a list such as ['length', 'ngrams'], not 'length'"),
        ({"by": 3}, "by must be a list such as ['length', 'ngrams'], not 3"),
        ({"pair": "xy"}, "pair must be a list such as ['a', 'b'], not 'xy'"),
        ({"layer": "upos"}, "the layer upos chooses labels of words, but there are no labels"),
        ({"by": ["label"]}, "words by label need labels"),
        ({"by": ["segment-label"]}, "segments by label need labels"),
        ({"by": ["case"], "lowercase": True}, "words in lower case (-lc, lowercase=True) cannot be divided by"),
        ({"by": ["length"], "frequencies": {"a": 1}}, "--frequencies (frequencies=) is for frequency: add"),
        ({"by": ["length"], "labels": "stanza:en"}, "is for label, entity, errors, examples: add one to --by"),
        ({"by": ["errors", "examples"], "labels": [["N N", "N"]] * 3}, "labels of files are for the view label"),
        ({"by": ["errors"], "labels": "stanza:en", "layer": "xpos"}, "--layer (layer=) is for label: add one"),
        ({"by": ["length"], "segment_labels": ["u", "v"]}, "is for segment-label"),
        ({"by": ["ngrams"], "alignment": "meteor"}, "is for examples"),
        ({"by": ["length"], "top": 3}, "--top (top=) is for ngrams, examples: add one to --by"),
        ({"by": ["examples"], "metrics": ["length_ratio"]}, "put another metric first, or leave examples out of --by"),
        ({"metrics": []}, "there is no metric to score with"),
        ({"by": ["duplicates"]}, "needs source texts"),
        ({"by": ["document"]}, "no document labels"),
        ({"pair": ("x", "z")}, "no system named 'z'"),
        ({"pair": ("x", "x")}, "two different systems"),
        ({"labels": 5}, "labels must be a list such as ['ref.pos', 'a.pos', 'b.pos'], not 5"),
        ({"tok": 5}, "no tokenizer named '5'"),
        ({"tok": ["x"]}, "no tokenizer named"),
        ({"labels": [["N N", "N"]]}, "give one for each, references first, or an annotator such as stanza:en"),
        ({"labels": [["N", "N"], ["N", "N"], ["N", "N"]]}, "labels of reference ref, line 1: 1 label for 2 words"),
        ({"labels": [["N N"], ["N", "N"], ["N", "N"]]}, "labels of reference ref has 1 segment"),
        ({"by": ["entity"], "labels": [["N N", "N"]] * 3}, "named entities need an annotator"),
        ({"labels": [["N N", "N"]] * 3, "layer": "upos"}, "only an annotator has layers"),
        ({"alignment": "bleu"}, "alignment of ter or meteor, not of bleu"),
        ({"labels": "spaccy:en"}, "no annotator named 'spaccy'; did you mean 'spacy'?"),
        ({"segment_labels": ["u"]}, "labels of segments has 1 segment"),
        ({"frequencies": {"a": -1}}, "the frequency of 'a' must be a whole number"),
        ({"frequencies": 3}, "frequencies are a file or a mapping"),
        ({"tok": "13b"}, "13b"),
        ({"top": 0}, "must be a whole number from 1"),
        ({"alpha": 2.0}, "between 0 and 1"),
        ({"adjust": "fdr"}, "no adjustment named 'fdr'"),
        ({"resamples": -1}, "resamples must be"),
        ({"seed": -1}, "seed"),
    ],
)
def test_refusals(options: dict[str, Any], message: str) -> None:
    with pytest.raises(mtassay.MtassayError) as error:
        mtassay.analyse(REFERENCES, SYSTEMS, **options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"better": "z"}, "'z' is not among the two systems"),
        ({"grep": "("}, "is not a regular expression"),
        ({"grep": b"x"}, "b'x' is not a regular expression"),
        ({"bucket": 5}, "bucket must be VIEW:BUCKET, such as length:20-30, not 5"),
        ({"tok": b"x"}, "no tokenizer named 'b'x''"),
        ({"bucket": "lenght:5-9"}, "no buckets named 'lenght'; did you mean 'length'?"),
        ({"bucket": "length:short"}, "length has no bucket 'short'"),
        ({"bucket": "length"}, "length has no bucket ''"),
        ({"bucket": "length:30-20"}, "length has no bucket '30-20' (choose a range such as 20-30, or one of: "),
        ({"bucket": "domain:news"}, "no domain labels"),
        ({"segment_labels": ["u", "v"]}, "segment labels choose segments by a bucket: give one of them"),
        ({"segment_labels": ["u", "v"], "bucket": "length:0-9"}, "segment labels choose segments by a bucket"),
    ],
)
def test_refusals_of_diff(options: dict[str, Any], message: str) -> None:
    with pytest.raises(mtassay.InputError) as error:
        mtassay.diff(REFERENCES, SYSTEMS, **options)
    assert message in str(error.value)


def test_diff_takes_two_systems() -> None:
    with pytest.raises(mtassay.InputError, match="differences need two"):
        mtassay.diff(REFERENCES, {"x": ["a", "c"]})


def test_texts_without_words_are_refused() -> None:
    with pytest.raises(mtassay.InputError, match="there are no words"):
        mtassay.analyse([["", ""]], {"x": ["", ""], "y": ["", ""]})


def test_some_empty_texts() -> None:
    result = mtassay.analyse([["", "a b"]], {"x": ["", ""], "y": ["a", "a b"]}, metrics=METRICS, resamples=20)
    assert str(result)
    assert str(mtassay.diff([["", "a b"]], {"x": ["", ""], "y": ["a", "a b"]}))


def test_p_values_of_error_classes_are_corrected_together(testset: TestSet) -> None:
    (view,) = mtassay.analyse(testset, by=["errors"], resamples=200, adjust="holm").segments
    first, second = np.triu_indices(len(testset.systems), 1)
    p, corrected = (
        np.concatenate([of[0, first, second] for of in every])
        for every in ([tests.p for tests in view.tests], [tests.adjusted for tests in view.tests])
    )
    order = np.argsort(p, kind="stable")
    by_hand = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    np.testing.assert_allclose(corrected[order], by_hand)


def test_examples_have_error_classes_by_the_words_of_the_analysis() -> None:
    references, systems = (
        [["he walks a dog", "a b"]],
        {"x": ["he walks a dog", "a b"], "y": ["he walked a big dog", "a"]},
    )
    (example,) = mtassay.diff(references, systems, metric="ter", bucket="length:4-4").examples.first
    good, bad = example.outputs
    assert good.errors == {"infl": 0, "reord": 0, "miss": 0, "ext": 0, "lex": 0}
    assert bad.errors == {"infl": 1, "reord": 0, "miss": 0, "ext": 1, "lex": 0}
    assert "1 infl, 1 ext" in str(mtassay.diff(references, systems, metric="ter"))


def test_examples_have_human_preferences_and_scores() -> None:
    references, systems = [["a b c", "d e"]], {"x": ["a b c", "d"], "y": ["a", "d e"]}
    testset = TestSet(references, systems)
    common: dict[str, Any] = {"systems": ("y", "x"), "segments": ("1", "2"), "judges": ("",)}
    rows: dict[str, Any] = {"segment": np.array([0, 0, 0]), "judge": np.zeros(3, dtype=int)}
    preferences = Preferences(
        first=np.array([0, 1, 0]),
        second=np.array([1, 0, 1]),
        outcome=np.array([-1, 1, 0]),
        item=np.arange(3),
        **common,
        **rows,
    )
    shown = mtassay.diff(testset, metric="ter", pair=("x", "y"), judgements=preferences)
    assert [example.preferences for example in shown.examples.first] == [(2, 0, 1)]
    assert [example.preferences for example in shown.examples.second] == [None]
    assert "preferred by judges: x 2, y 0, neither 1" in str(shown)
    of_outputs: dict[str, Any] = {"system": np.array([0, 1, 1]), "score": np.array([10.0, 70.0, 80.0])}
    scores = Scores(aspect="da", item=np.array([""] * 3), **of_outputs, **common, **rows)
    (example,) = mtassay.diff(testset, metric="ter", pair=("x", "y"), judgements=scores).examples.first
    assert [output.human for output in example.outputs] == [75.0, 10.0]


def test_words_marked_by_meteor() -> None:
    found = mtassay.diff(
        [["the cats sat down"]],
        {"x": ["the cat sat there"], "y": ["dogs"]},
        metric="ter",
        alignment="meteor:lang=en,stages=exact+stem",
    )
    (example,) = found.examples.first
    assert [(word.word, word.mark) for word in example.outputs[0].words] == [
        ("the", "same"),
        ("cat", "similar"),
        ("sat", "same"),
        ("there", "wrong"),
    ]
    assert example.outputs[0].missing == ("down",)
    assert "(cat)" in str(found)


def test_error_classes_are_metrics(testset: TestSet) -> None:
    """Rates of error classes are scores over all segments, with the tests of ``compare``."""
    specs = [f"hjerson:class={name}" for name in ("infl", "reord", "miss", "ext", "lex")]
    (view,) = mtassay.analyse(testset, by=["errors"], resamples=200, adjust="none").segments
    alone = mtassay.compare(testset, metrics=specs, resamples=200)
    assert [str(metric) for metric in view.metrics] == specs
    for tests, comparison in zip(view.tests, alone.comparisons, strict=True):
        np.testing.assert_allclose(tests.scores[0], comparison.scores)
        np.testing.assert_array_equal(tests.p[0], comparison.p)
