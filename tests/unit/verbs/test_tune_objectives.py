"""Several objectives on the same lists: each is best with its own weights, and the tables say what the texts are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mtassay.data.formats.nbest_reading import read_nbest
from mtassay.data.nbest import NBest
from mtassay.errors import InputError
from mtassay.metrics.core.spec import parse
from mtassay.tuning.candidates import candidates_of
from mtassay.tuning.rerank import rerank
from mtassay.verbs.tune_objectives import ObjectivesResult, tune_objectives

OBJECTIVES = ("bleu:tok=none", "RAC1:tok=none", "PABC4:tok=none", "ter", "chrf", "0.5*bleu:tok=none-0.5*ter")


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> tuple[NBest, list[list[str]]]:
    """Candidates that differ in length, in words and in order, with features that know a little of each."""
    draw = np.random.default_rng(5)
    words = [f"w{number}" for number in range(40)]
    references, lines = [], []
    for sentence in range(24):
        reference = draw.choice(words, size=draw.integers(6, 14)).tolist()
        references.append(" ".join(reference))
        for _ in range(12):
            text = [word if draw.random() > 0.3 else str(draw.choice(words)) for word in reference]
            text = (
                text[: draw.integers(len(text) // 2, len(text) + 1)]
                + draw.choice(words, size=draw.integers(3)).tolist()
            )
            good = sum(a == b for a, b in zip(text, reference, strict=False))
            features = [good + draw.normal(0, 2), -len(text), len(set(text) & set(reference)) + draw.normal(0, 2)]
            lines.append(f"{sentence} ||| {' '.join(text)} ||| {' '.join(map(repr, map(float, features)))} ||| 0\n")
    path = tmp_path_factory.mktemp("lists") / "list"
    path.write_text("".join(lines), encoding="utf-8")
    return read_nbest(path), [references]


@pytest.fixture(scope="module")
def result(lists: tuple[NBest, list[list[str]]]) -> ObjectivesResult:
    nbest, references = lists
    return tune_objectives(
        nbest, references, OBJECTIVES, also=["wer"], held_out=True, options={"restarts": 2}, resamples=500
    )


def test_no_objective_is_lower_with_its_own_weights_than_with_others(result: ObjectivesResult) -> None:
    signs = np.array([metric.sign for metric in result.objectives])
    gains = signs[:, None] * result.cross
    assert (np.diag(gains)[:, None] >= gains).all()
    assert result.cross[0, 0] == result.tuned[0].after


def test_outputs_are_the_texts_that_the_weights_choose(
    result: ObjectivesResult, lists: tuple[NBest, list[list[str]]]
) -> None:
    nbest, [references] = lists
    training, held_out = result.outputs
    assert (training.n_segments, held_out.n_segments) == (12, 12)
    for outputs, part in ((training, slice(0, 12)), (held_out, slice(12, 24))):
        assert outputs.compared.systems == OBJECTIVES
        for s, tuned in enumerate(result.tuned):
            texts = rerank(nbest, tuned.weights).texts[part]
            for comparison in outputs.compared.comparisons:
                expected = comparison.metric.corpus_score(texts, [references[part]])
                assert comparison.scores[s] == pytest.approx(expected)
    assert [str(c.metric) for c in training.compared.comparisons] == [*OBJECTIVES, "wer"]


def test_parts_of_bleu_multiply_to_bleu(result: ObjectivesResult) -> None:
    for outputs in result.outputs:
        parts = outputs.parts
        assert list(parts) == ["P1", "P2", "P3", "P4", "LR"]
        penalty = np.exp(np.minimum(0.0, 1 - 1 / parts["LR"]))
        mean = np.exp(np.mean([np.log(parts[f"P{n}"]) for n in (1, 2, 3, 4)], axis=0))
        assert penalty * mean == pytest.approx(outputs.compared.comparisons[0].scores)


def test_reports(result: ObjectivesResult) -> None:
    text = str(result)
    assert "12 segments tuned on, mert, restarts 2" in text
    assert "12 segments held out" in text
    assert "resamples, α = .05). P1 to LR: parts of BLEU." in text
    assert text.endswith("* best")
    rows = result.render("tsv").split("\n")
    assert len(rows) == 1 + 2 * len(OBJECTIVES)
    assert len({row.count("\t") for row in rows}) == 1
    assert all(set(json.loads(row.split("\t")[-1])) < set(OBJECTIVES) for row in rows[1:])
    for format_ in ("latex", "markdown", "html"):
        assert "PABC4" in result.render(format_)
    frame = result.to_pandas()
    assert list(frame["objective"][:4]) == ["BLEU", "RAC1", "PABC4", "TER"]
    assert frame["WER"].tolist() == [
        score for outputs in result.outputs for score in outputs.compared.comparisons[-1].scores.tolist()
    ]
    found = json.loads(result.render("json"))
    assert found["schema"] == "mtassay.tuning-objectives/1"
    assert [part["name"] for part in found["outputs"]] == ["training", "held out"]
    assert repr(result).startswith("ObjectivesResult(bleu:tok=none, RAC1")


def test_further_starts_are_tried_by_every_objective(lists: tuple[NBest, list[list[str]]]) -> None:
    nbest, references = lists
    start = dict(zip(nbest.features, (1.0, -2.0, 0.5), strict=True))
    objectives = ["bleu:tok=none", "ter"]
    found = tune_objectives(nbest, references, objectives, starts=[start], options={"restarts": 0}, resamples=100)
    for name, tuned in zip(objectives, found.tuned, strict=True):
        score = candidates_of(nbest, references, parse(name)).score(start)
        assert tuned.history[1].name == "start 2"
        assert tuned.history[1].before == pytest.approx(score)


def test_the_same_whatever_the_threads(lists: tuple[NBest, list[list[str]]]) -> None:
    nbest, references = lists
    found = [
        tune_objectives(
            nbest, references, ["bleu:tok=none", "ter"], options={"restarts": 2}, resamples=200, threads=threads
        )
        for threads in (1, 2)
    ]
    assert found[0].to_dict() == found[1].to_dict()


def test_wrong_arguments(lists: tuple[NBest, list[list[str]]], tmp_path: Path) -> None:
    nbest, references = lists
    with pytest.raises(InputError, match="needs two or more"):
        tune_objectives(nbest, references, ["bleu"])
    with pytest.raises(InputError, match="the metric bleu is given twice"):
        tune_objectives(nbest, references, [parse("bleu"), "bleu"])
    with pytest.raises(InputError, match="has no direction"):
        tune_objectives(nbest, references, ["bleu", "ter"], also=["length_ratio"])
    path = tmp_path / "list"
    path.write_text("0 ||| a ||| 1 ||| 0\n1 ||| a ||| 1 ||| 0\n", encoding="utf-8")
    with pytest.raises(InputError, match="holding out half of 2 sentences"):
        tune_objectives(read_nbest(path), [["a", "b"]], ["bleu", "ter"], held_out=True)
