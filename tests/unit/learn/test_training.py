from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mtassay
from mtassay.data.annotations import Annotations
from mtassay.data.formats.conllu import format_conllu
from mtassay.errors import InputError
from mtassay.execution import Execution
from mtassay.judging.learning_targets import human_pairs, human_scores
from mtassay.learn import Resources, build_index, feature_matrix
from mtassay.learn.metric import Learned
from mtassay.learn.models import MODELS
from mtassay.learn.search import rho, search, spearman, split
from mtassay.learn.training import train
from mtassay.learn.training_data import material

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.data import TestSet

FEATURES = ["bleu", "chrf", "wer", "length_ratio"]


def test_human_scores_by_hand(testset: TestSet, scores: Any) -> None:
    found = human_scores(testset, scores)
    assert found.shape == (3, 60)
    one = (scores.system == scores.systems.index("middling")) & (scores.segment == 4)
    assert found[list(testset.systems).index("middling"), 4] == scores.score[one].mean()
    z = human_scores(testset, scores, normalise="z")
    own = scores.score[scores.judge == 1]
    expected = (found[0, 1] - own.mean()) / own.std(ddof=1)
    assert z[0, 1] == pytest.approx(expected)
    even = human_scores(testset, scores, normalise="even")
    assert even[0, 1] == pytest.approx(((own < found[0, 1]).sum() + (own == found[0, 1]).sum() / 2) / len(own))


def test_human_scores_of_errors_and_of_several_files(testset: TestSet, scores: Any) -> None:
    errors = replace(scores, score=-scores.score, higher_is_better=False)
    np.testing.assert_array_equal(human_scores(testset, errors), human_scores(testset, scores))
    np.testing.assert_allclose(human_scores(testset, [scores, errors]), human_scores(testset, scores))
    with pytest.raises(InputError, match="no normalisation of scores named 'zz'; did you mean 'z'"):
        human_scores(testset, scores, normalise="zz")


def test_pairs(testset: TestSet, preferences: Any, scores: Any, quality: Any) -> None:
    better, worse, segment = human_pairs(testset, preferences)
    assert (quality[better, segment] > quality[worse, segment]).all()
    with pytest.raises(InputError, match="preferences between outputs are needed here"):
        human_pairs(testset, scores)
    with pytest.raises(InputError, match="needs scores of outputs"):
        human_scores(testset, preferences)


@pytest.mark.parametrize("resumed", [False, True])
def test_parameters_are_tried_with_the_model_that_is_trained(
    testset: TestSet, scores: Any, tmp_path: Path, resumed: bool
) -> None:
    """Without standardised features, too, and where attempts are sent to other processes."""
    execution = Execution(resume=tmp_path / "chunks") if resumed else None
    options: dict[str, Any] = {"model": "svr", "features": FEATURES, "seed": 3, "execution": execution}
    found = train(testset, scores, standardise=False, **options).search
    made = material(testset, scores, FEATURES)
    kind = replace(MODELS["svr"], standardise=False)
    train_part, held_out = split(made.judged, 1 / 6, seed=3)
    assert found.n_held_out == len(held_out)
    for tried in found.tried:
        expected = spearman(made, made.train(kind, tried.parameters, train_part), held_out)
        other = spearman(made, made.train(MODELS["svr"], tried.parameters, train_part), held_out)
        assert tried.correlation == expected != other


def test_no_segment_is_held_out_and_trained_on(testset: TestSet, scores: Any) -> None:
    made = material(testset, scores, FEATURES)
    train_part, held_out = split(made.judged, 1 / 6, seed=3)
    assert not set(train_part) & set(held_out)
    assert sorted([*train_part, *held_out]) == made.judged.tolist()
    assert len(held_out) == 10
    # Scores of held-out segments do not reach the model.
    human = made.gold.copy()
    human[:, held_out] = -1e6
    other = replace(made, human=human)
    kind = MODELS["ridge"]
    same = [part.train(kind, {"alpha": 1.0}, train_part).scores(made.x) for part in (made, other)]
    np.testing.assert_array_equal(same[0], same[1])


@pytest.mark.parametrize("model", ["svr", "ridge", "trees"])
def test_regression_follows_people(model: str, testset: TestSet, scores: Any, quality: Any) -> None:
    result = train(testset, scores, model=model, features=FEATURES, normalise="z")
    assert result.search.best.correlation > 0.8
    assert rho(quality, result.model.fitted.scores(material(testset, scores, FEATURES).x)) > 0.85
    assert result.best_feature in {"bleu", "chrf", "wer"}
    assert set(result.features) == set(FEATURES)
    assert result.model.trained_on["examples"] == 180


def test_people_against_machines(testset: TestSet, scores: Any) -> None:
    result = train(testset, scores, model="svm", features=FEATURES, choose_by="accuracy")
    assert result.search.best.accuracy > 0.6
    assert result.search.best.accuracy == max(tried.accuracy for tried in result.search.tried)
    assert result.model.trained_on["examples"] == 5 * 60
    assert result.model.trained_on["n_references"] == 1
    alone = testset.select(references=["refA"])
    with pytest.raises(InputError, match="at least two human references"):
        train(alone, scores, model="svm", features=FEATURES)


def test_regression_refuses_preferences_before_it_computes_features(testset: TestSet, preferences: Any) -> None:
    with pytest.raises(InputError, match=r"svr learns from human scores, .* logistic, ranksvm or pairwise"):
        train(testset, preferences, features=["no feature is looked up"])


def test_preferences(testset: TestSet, preferences: Any, quality: Any) -> None:
    result = train(testset, preferences, model="logistic", features=FEATURES)
    assert result.search.criterion == "accuracy"
    assert result.search.best.accuracy > 0.9
    assert rho(quality, result.model.fitted.scores(material(testset, preferences, FEATURES).x)) > 0.8
    assert result.best_feature is None


def test_automatically_assessed_examples(testset: TestSet, scores: Any) -> None:
    """The length alone cannot tell another segment's reference from a translation, unless it is shown some."""
    result = train(testset, scores, model="ridge", features=FEATURES, strangers=True)
    assert result.gaming is not None
    assert result.gaming.fooled[1] <= result.gaming.fooled[0]
    assert result.model.trained_on["examples"] == 180 + 60
    assert "effect of automatically assessed examples" in str(result)


def test_the_same_seed_gives_the_same_model(testset: TestSet, scores: Any, tmp_path: Path) -> None:
    digests = {train(testset, scores, features=FEATURES, seed=9).save(tmp_path / f"{i}.model") for i in range(2)}
    assert len(digests) == 1


def test_a_learned_metric_is_a_metric(testset: TestSet, scores: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.model"
    result = train(testset, scores, features=FEATURES)
    digest = result.save(path)
    table = mtassay.score(testset, metrics=[f"learned:{path}", "bleu"])
    expected = result.model.fitted.scores(material(testset, scores, FEATURES).x).mean(axis=1)
    np.testing.assert_allclose([table[name, f"learned:{path}"] for name in testset.systems], expected, rtol=1e-12)
    metric = mtassay.metric(f"learned:{path}")
    assert metric.public_spec == "learned:m.model"
    signature = str(metric.signature(testset.references))
    assert f"model:m.model|sha256:{digest[:8]}|kind:svr|features:4" in signature
    assert mtassay.compare(testset, metrics=[metric], resamples=100).comparisons[0].scores.shape == (3,)
    assert list(metric.segment_scores(["w1 w2"], [["w1 w2"]])) == list(metric.pairwise(["w1 w2"], ["w1 w2"])[0])


def test_criteria(testset: TestSet, scores: Any, preferences: Any) -> None:
    made = material(testset, scores, FEATURES)
    with pytest.raises(InputError, match="has no accuracy"):
        search(made, MODELS["svr"], made.judged, criterion="accuracy")
    with pytest.raises(InputError, match="no criterion named 'corelation'; did you mean 'correlation'"):
        search(made, MODELS["svr"], made.judged, criterion="corelation")
    with pytest.raises(InputError, match="preferences have no correlation"):
        train(testset, preferences, model="logistic", features=FEATURES, choose_by="correlation")
    with pytest.raises(InputError, match="automatically assessed examples have a score"):
        train(testset, preferences, model="logistic", features=FEATURES, strangers=True)


def test_systems_without_judgements_are_not_named(testset: TestSet, scores: Any, preferences: Any) -> None:
    bad = scores.systems.index("bad")
    some = replace(scores, score=np.where(scores.system == bad, np.nan, scores.score))
    assert material(testset, some, ["bleu"]).judged_systems == ("good", "middling")
    assert material(testset, preferences, ["bleu"]).judged_systems == ("good", "middling", "bad")


def test_the_digest_depends_on_the_index(testset: TestSet, scores: Any, tmp_path: Path) -> None:
    """Parts of studies are kept by it."""
    digests = []
    for name in ("good", "bad"):
        (tmp_path / name).write_text("\n".join(testset.systems[name]) + "\n", encoding="utf-8")
        index = build_index([tmp_path / name], tmp_path / f"{name}.index")
        digests.append(material(testset, scores, ["corpus_run"], resources=Resources(corpus=index)).digest)
    assert digests[0] != digests[1]


def test_signatures_name_index_and_annotator(testset: TestSet, scores: Any, tmp_path: Path) -> None:
    texts = {**testset.systems, **dict(zip(testset.reference_names, testset.references, strict=True))}

    def write(parser: str, root: int) -> None:
        for name, lines in texts.items():
            trees = [flat(str(line).split(), root) for line in lines]
            (tmp_path / f"{name}.conllu").write_text("".join(map(format_conllu, trees)), encoding="utf-8")
        (tmp_path / "annotator.json").write_text(json.dumps({"annotator": parser}), encoding="utf-8")

    def flat(words: list[str], root: int) -> Annotations:
        heads = tuple(0 if place == root else root for place in range(1, len(words) + 1))
        return Annotations(words=tuple(words), heads=heads)

    write("first 1", 1)
    (tmp_path / "text").write_text("w1 w2\n", encoding="utf-8")
    index = build_index([tmp_path / "text"], tmp_path / "index")
    resources = Resources(annotator=f"file:{tmp_path}", corpus=tmp_path / "index")
    result = train(testset, scores, model="ridge", features=["chain_2", "corpus_run"], resources=resources)
    result.save(tmp_path / "m.model")
    assert f"|corpus:{index.digest}|annotator:file-first-1-" in result.model.signature
    metric = mtassay.metric("learned", path=str(tmp_path / "m.model"), annotator=f"file:{tmp_path}", corpus=index.path)
    used = "|".join(f"{name}:{value}" for name, value in result.model.trained_on["resources"].items())
    assert used in str(metric.signature(testset.references))
    # It scores any text that has annotations, as the features of a whole test set are scored.
    outputs = next(iter(testset.systems.values()))
    scored = mtassay.score(testset, metrics=[metric]).segment_scores()[0, :, 0]
    np.testing.assert_array_equal(metric.segment_scores(outputs, testset.references), scored)
    of_features = feature_matrix(testset, ["chain_2", "corpus_run"], resources)
    np.testing.assert_array_equal(result.model.fitted.scores(of_features)[0], scored)
    assert np.isfinite(metric.pairwise(outputs[:3], [str(text) for text in testset.references[0][:2]])).all()
    gamed = train(testset, scores, model="ridge", strangers=True, features=["chain_2"], resources=resources)
    assert gamed.gaming is not None
    write("second", 2)
    assert "annotator:file-second-" in str(metric.signature(testset.references))
    assert used.rpartition("|")[2] not in str(metric.signature(testset.references))
    assert isinstance(metric, Learned)
    assert used in metric.model.signature
    assert train(testset, scores, model="ridge", features=["bleu"]).model.trained_on["resources"] == {}
