"""What the script of a page shows is what ``analyse`` and ``score`` say."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.analysis.word_marks import ter_marks
from mtassay.data import TestSet, load
from mtassay.report.page.explorer import explorer, explorer_data
from mtassay.sample import sample_path
from mtassay.stats.procedures import all_pairs

METRICS = ["bleu", "ter", "nist"]


@pytest.fixture(scope="module")
def result() -> Any:
    return mtassay.analyse(load(sample_path()), metrics=METRICS, resamples=100)


@pytest.fixture(scope="module")
def data(result: Any) -> dict[str, Any]:
    """As a browser reads it from the page."""
    [text] = re.findall(r'^<script type="application/json" id="data">(.*)</script>$', explorer(result, n_examples=20))
    found: dict[str, Any] = json.loads(text)
    return found


def members(text: str, n_segments: int) -> list[int]:
    bits = np.unpackbits(np.frombuffer(b64decode(text), np.uint8), bitorder="little", count=n_segments)
    return (np.flatnonzero(bits) + 1).tolist()


def test_segment_scores_are_those_of_score(result: Any, data: dict[str, Any]) -> None:
    scores = result.scored.segment_scores()
    for m, metric in enumerate(data["metrics"]):
        numbers = np.frombuffer(b64decode(metric["scores"]), metric["kind"]).reshape(scores.shape[:2])
        for number, score in zip(numbers.ravel().tolist(), scores[:, :, m].ravel().tolist(), strict=True):
            digits = metric["digits"]
            assert f"{number / 10**digits:.{digits}f}" == f"{score:.{digits}f}".replace("-0.0", "0.0")


def test_missing_and_large_scores(tmp_path: Any) -> None:
    texts = TestSet([["a b", "c d"]], {"x": ["a b", "c d"], "y": ["a", "d"]})
    (tmp_path / "odd.seg.score").write_text("x\t1.25\nx\tNone\ny\t-99999.5\ny\t2\n", encoding="utf-8")
    found = mtassay.analyse(texts, metrics=["ter", f"file:{tmp_path / 'odd.seg.score'}"], by=["length"], resamples=20)
    metric = explorer_data(found, n_examples=1)["metrics"][1]
    assert metric["kind"] == "<i4"
    numbers = np.frombuffer(b64decode(metric["scores"]), "<i4") / 10 ** metric["digits"]
    printed = [f"{value:.{metric['digits']}f}" for value in (1.25, -99999.5, 2.0)]
    assert [f"{number:.{metric['digits']}f}" for number in numbers[[0, 2, 3]]] == printed
    assert numbers[1] * 10 ** metric["digits"] == -(2**31)


def test_buckets_are_those_of_analyse(result: Any, data: dict[str, Any]) -> None:
    described = result.to_dict()
    pairs = all_pairs(len(result.systems)).tolist()
    views = {view["name"]: view for view in data["views"]}
    for of_words in described["words"]:
        view = views[of_words["view"]]
        [measure] = view["measures"]
        p = np.frombuffer(b64decode(measure["p"]), "<f8").reshape(len(view["labels"]), -1)
        for b, bucket in enumerate(of_words["buckets"]):
            assert view["labels"][b] == bucket["bucket"]
            assert members(view["members"][b][0], 64) == bucket["segments"]
            assert measure["scores"][b] == [one["f1"] for one in bucket["systems"]]
            assert [*zip(measure["low"][b], measure["high"][b], strict=True)] == [
                tuple(one["interval"] or (None, None)) for one in bucket["systems"]
            ]
            assert_pairs(result, bucket["pairs"], p[b], pairs)
    for of_segments in described["segments"]:
        if of_segments["view"] == "errors":
            continue
        view = views[of_segments["view"]]
        for b, bucket in enumerate(of_segments["buckets"]):
            found = [members(one, 64) for one in view["members"][b]]
            assert found == ([bucket["segments"]] if of_segments["paired"] else [*bucket["segments"].values()])
            for measure, metric in zip(view["measures"], bucket["metrics"], strict=True):
                assert measure["scores"][b] == [one["score"] for one in metric["systems"]]
                p = np.frombuffer(b64decode(measure["p"]), "<f8").reshape(len(view["labels"]), -1)
                assert_pairs(result, metric["pairs"], p[b], pairs)


def assert_pairs(result: Any, described: list[dict[str, Any]], p: Any, pairs: list[list[int]]) -> None:
    of_pairs = {tuple(one["systems"]): one["p_adjusted"] for one in described}
    assert len(p) in {0, len(pairs)}
    if not len(p):
        assert not of_pairs
    for value, (x, y) in zip(p.tolist(), pairs, strict=False):
        expected = of_pairs.get((result.systems[x], result.systems[y]))
        assert (expected is None and np.isnan(value)) or value == expected


def test_texts_are_those_of_the_test_set(result: Any, data: dict[str, Any]) -> None:
    testset = result.scored.testset
    assert len(data["texts"]) == 20
    shown = {example.segment for example in (*result.examples.first, *result.examples.second)}
    assert shown <= {int(segment) for segment in data["texts"]}
    for segment, texts in data["texts"].items():
        assert texts["source"] == testset.sources[int(segment)]
        assert texts["references"] == [stream[int(segment)] for stream in testset.references]
        for system, (pieces, missing, _) in enumerate(texts["outputs"]):
            text = "".join(piece if isinstance(piece, str) else piece[1] for piece in pieces)
            assert text == testset.systems[result.systems[system]][int(segment)]
            _, words, lacking = ter_marks(result.texts, system, int(segment))
            assert missing == " ".join(lacking)
            wrong = " ".join(piece[1] for piece in pieces if not isinstance(piece, str) and piece[0] == 1)
            assert wrong.replace(" ", "") == "".join(word.word for word in words if word.mark == "wrong")


def test_the_number_of_examples_bounds_the_texts(result: Any) -> None:
    assert not explorer_data(result, n_examples=0)["texts"]
    assert len(explorer_data(result, n_examples=1000)["texts"]) == 64
