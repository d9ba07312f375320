"""Mistakes that sacreBLEU lets pass with a wrong number are errors here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import mtassay
from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

HYPOTHESES = ["a b c", "d e", "f g h"]
REFERENCES = ["a b c", "d x", "f h"]


def corpus_score(hypotheses: Any, references: Any) -> Any:
    return mtassay.metric("bleu").corpus_score(hypotheses, references)


def segment_scores(hypotheses: Any, references: Any) -> Any:
    return mtassay.metric("chrf").segment_scores(hypotheses, references)


def score(hypotheses: Any, references: Any) -> Any:
    return mtassay.score(references, {"x": hypotheses}, metrics=["bleu"])


every_way_in = pytest.mark.parametrize("function", [corpus_score, segment_scores, score], ids=lambda f: f.__name__)


def _refusal(function: Callable[[Any, Any], Any], hypotheses: Any, references: Any) -> str:
    with pytest.raises(InputError) as raised:
        function(hypotheses, references)
    message = str(raised.value)
    assert "\n" not in message
    return message


@every_way_in
def test_the_right_shape_is_accepted(function: Callable[[Any, Any], Any]) -> None:
    function(HYPOTHESES, [REFERENCES])
    function(tuple(HYPOTHESES), (tuple(REFERENCES), ["a", None, "b"]))


@every_way_in
def test_transposed_references(function: Callable[[Any, Any], Any]) -> None:
    assert "transposed" in _refusal(function, HYPOTHESES, [[text] for text in REFERENCES])
    assert "transposed" in _refusal(function, HYPOTHESES, [[text, text] for text in REFERENCES])


@every_way_in
def test_fewer_references_than_hypotheses(function: Callable[[Any, Any], Any]) -> None:
    assert "3 segments, the references have 2" in _refusal(function, HYPOTHESES, [REFERENCES[:2]])
    assert "reference 2 has 1 segment" in _refusal(function, HYPOTHESES, [REFERENCES, REFERENCES[:1]])
    assert "3 segments, the references have 4" in _refusal(function, HYPOTHESES, [[*REFERENCES, "x"]])


@every_way_in
def test_a_single_string(function: Callable[[Any, Any], Any]) -> None:
    assert "single string" in _refusal(function, "a b c", [REFERENCES])
    assert "single string" in _refusal(function, HYPOTHESES, "a b c")
    assert "wrap a single reference in a list: [references]" in _refusal(function, HYPOTHESES, REFERENCES)
    assert "single string" in _refusal(function, b"a b c", [REFERENCES])


@every_way_in
def test_no_references(function: Callable[[Any, Any], Any]) -> None:
    assert "needs references, but there are none" in _refusal(function, HYPOTHESES, [])
    assert "the references are empty" in _refusal(function, HYPOTHESES, [[]])
    assert "segment 2 has no reference" in _refusal(function, HYPOTHESES, [["a", None, "b"], ["a", None, None]])


@every_way_in
def test_no_segments(function: Callable[[Any, Any], Any]) -> None:
    assert "no segments" in _refusal(function, [], [[]])


@every_way_in
def test_texts_of_other_types(function: Callable[[Any, Any], Any]) -> None:
    assert "segment 2 is None" in _refusal(function, ["a", None, "b"], [REFERENCES])
    assert "segment 3" in _refusal(function, ["a", "b", 3], [REFERENCES])
    assert "reference 1, segment 1" in _refusal(function, HYPOTHESES, [[b"a", "b", "c"]])


def test_pairwise() -> None:
    metric = mtassay.metric("chrf")
    with pytest.raises(InputError, match="references is a single string"):
        metric.pairwise(["a"], "a")
    with pytest.raises(InputError, match="single string"):
        metric.pairwise("a", ["a"])
    with pytest.raises(InputError, match="no segments"):
        metric.pairwise(["a"], [])
    with pytest.raises(InputError, match="references is a NoneType"):
        metric.pairwise(["a"], None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="sources is an int"):
        metric.pairwise(["a"], ["a"], sources=1)  # type: ignore[arg-type]
    assert metric.pairwise([], ["a", "b"]).shape == (0, 2)


def test_no_metric_or_system() -> None:
    with pytest.raises(InputError, match="no system"):
        mtassay.score([REFERENCES], {}, metrics=["bleu"])
    with pytest.raises(InputError, match="no metric"):
        mtassay.score([REFERENCES], {"x": HYPOTHESES}, metrics=[])
    result = mtassay.score([REFERENCES], {"online": HYPOTHESES})
    with pytest.raises(InputError, match="no system named 'onlin'; did you mean 'online'"):
        _ = result["onlin", "bleu"]
    with pytest.raises(InputError, match="chrf was not among the metrics: bleu"):
        _ = result["online", "chrf"]
