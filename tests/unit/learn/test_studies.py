from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import spearmanr, ttest_rel

from mtassay.errors import InputError
from mtassay.execution import Execution
from mtassay.learn import nested as nested_module
from mtassay.learn import stored_parts
from mtassay.learn.bootstrap import trials
from mtassay.learn.curve import curve
from mtassay.learn.generalise import CrossResult, sets, systems
from mtassay.learn.grid import grid
from mtassay.learn.models import MODELS
from mtassay.learn.nested import BEST_FEATURE, folds_of, nested
from mtassay.learn.search import measured, split
from mtassay.learn.stored_parts import cached, code_digest
from mtassay.learn.training_data import Material, material

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.data import TestSet

FEATURES = ["small", "bleu", "chrf"]
RNG = np.random.default_rng(4)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def made(testset: TestSet, scores: Any) -> Material:
    found = material(testset, scores, FEATURES, likeness=True, normalise="even")
    # METEOR's data may be absent; any two metrics serve as lines.
    return replace(found, baselines={"BLEU": found.x[..., -2], "chrF": found.x[..., -1]})


def test_trials_against_scipy() -> None:
    gold = RNG.normal(size=(3, 20)).round(1)
    gold[0, :5] = np.nan
    scores = np.stack([gold + RNG.normal(size=gold.shape), RNG.normal(size=gold.shape).round(), np.ones(gold.shape)])
    found = trials(gold, np.nan_to_num(scores), n_trials=30, seed=1)
    there = np.isfinite(gold)
    for number in (0, 1):
        expected = spearmanr(np.nan_to_num(scores)[number][there], gold[there])[0]
        assert found.values[number] == pytest.approx(expected, abs=1e-12)
    assert np.isnan(found.values[2])
    drawn = np.random.default_rng(1).integers(0, 20, 20)
    y = np.concatenate([gold[:, segment] for segment in drawn])
    x = np.concatenate([np.nan_to_num(scores)[0][:, segment] for segment in drawn])
    assert found.by_segment[0, 0] == pytest.approx(spearmanr(x[np.isfinite(y)], y[np.isfinite(y)])[0], abs=1e-12)


def test_differences_by_hand() -> None:
    gold = RNG.normal(size=(2, 40))
    found = trials(gold, [gold + 0.5 * RNG.normal(size=gold.shape), RNG.normal(size=gold.shape)], n_trials=200)
    gain = found.difference(0, 1)
    paired = found.by_output[:, 0] - found.by_output[:, 1]
    assert gain.t == pytest.approx(paired.mean() / (paired.std(ddof=1) / np.sqrt(200)))
    assert 0 < gain.low < gain.value < gain.high
    assert gain.significant_in_paper
    same = found.difference(1, 1)
    assert (same.value, same.t, same.p) == (0, 0, 1)


def test_trials_without_a_correlation_do_not_count() -> None:
    """A metric that scores two outputs of 60 is constant in every eighth resample."""
    rng = np.random.default_rng(1)
    gold, rare = rng.normal(size=(2, 30)), np.zeros((2, 30))
    rare[0, 3] = rare[1, 7] = 1
    found = trials(gold, [gold + rng.normal(size=gold.shape), rare], n_trials=200)
    there = np.isfinite(found.by_output[:, 1])
    assert 0 < (~there).sum() < 60
    expected = found.by_output[there]
    assert found.in_paper(1) == pytest.approx(expected[:, 1].mean())
    assert found.in_paper(0) == pytest.approx(found.by_output[:, 0].mean())
    paired = ttest_rel(expected[:, 0], expected[:, 1])
    gain = found.difference(0, 1)
    assert (gain.t, gain.p) == pytest.approx((paired.statistic, paired.pvalue))
    assert gain.significant_in_paper
    nothing = trials(gold, [gold, np.ones((2, 30))], n_trials=10)
    assert np.isnan(nothing.in_paper(1))
    assert np.isnan(nothing.difference(0, 1).p)
    # Without a correlation, a metric is not as good as the best.
    assert CrossResult("set", "test set", ("other",), ("good", "constant"), (nothing,)).comparable(0) == [True, False]


def test_folds_share_no_segment() -> None:
    segments = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31])
    folds = folds_of(segments, 5, seed=1)
    assert sorted(np.concatenate(folds).tolist()) == segments.tolist()
    assert sorted(map(len, folds)) == [2, 2, 2, 2, 3]
    with pytest.raises(InputError, match="cannot be split into 5 folds"):
        folds_of(segments[:8], 5, seed=1)


def test_nested(made: Material) -> None:
    result = nested(made, regressors=["ridge"], n_folds=3, n_trials=50)
    assert result.rows[:3] == ("regression", "classification", BEST_FEATURE)
    assert result.n_outputs == 180
    assert result.trials.values[0] > 0.8
    assert "regression" in str(result)
    assert "<td>regression</td>" in result._repr_html_()
    described = result.to_dict()
    assert described["metrics"][0]["name"] == "regression"
    assert len(described["choices"]["classification"]) == 3


def test_the_best_feature_may_be_an_error_rate(made: Material) -> None:
    """It is turned so that higher is better: minus the human score, turned, is the human score."""
    x = made.x.copy()
    x[..., 0] = -made.gold
    alone = replace(made, x=x, people=None, machines=None, digest="with an error rate")
    result = nested(alone, regressors=["ridge"], n_folds=3, n_trials=2)
    assert result.best_features == (made.features[0],) * 3
    assert result.folds[result.rows.index(BEST_FEATURE)].tolist() == pytest.approx([1.0] * 3)
    assert result.folds[result.rows.index(made.features[0])].tolist() == pytest.approx([-1.0] * 3)


def test_a_constant_learned_metric_has_no_test(made: Material) -> None:
    result = nested(replace(made, people=None, machines=None), regressors=["ridge"], n_folds=3, n_trials=10)
    constant = np.where(np.arange(len(result.rows)) == 0, np.nan, result.trials.by_output)
    undefined = replace(result, trials=replace(result.trials, by_output=constant))
    lines = undefined.render("text").splitlines()
    gain = lines[next(number for number, line in enumerate(lines) if "paper's t" in line) + 1]
    assert gain.split()[0] == "regression"
    assert gain.split()[-2:] == ["–", "–"]
    assert undefined.to_dict()["gains"]["regression"]["p"] is None


def test_nothing_of_a_fold_reaches_what_is_chosen_for_it(made: Material, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changing the human scores of a fold changes neither its model nor its scores nor its best feature."""
    seen = []
    fold_of = nested_module._fold

    def watched(*args: Any) -> Any:
        found = fold_of(*args)
        seen.append((set(args[2].tolist()) & set(args[3].tolist()), found["scores"], found["parameters"]))
        return found

    monkeypatch.setattr(nested_module, "_fold", watched)
    alone = replace(made, people=None, machines=None)
    before = nested(alone, regressors=["ridge"], n_folds=3, n_trials=2)
    fold = folds_of(made.judged, 3, seed=12345)[0]
    human = made.gold.copy()
    human[:, fold] = RNG.normal(size=human[:, fold].shape)
    after = nested(replace(alone, human=human, digest="other"), regressors=["ridge"], n_folds=3, n_trials=2)
    assert not any(shared for shared, _, _ in seen)
    assert len(seen) == 6
    assert seen[0][1:] == seen[3][1:]
    assert before.best_features[0] == after.best_features[0]


def test_an_interrupted_study_goes_on(made: Material, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = replace(made, people=None, machines=None)
    options: dict[str, Any] = {"regressors": ["ridge"], "n_folds": 3, "n_trials": 2}

    def stopping(items: Any) -> Any:
        for place, item in enumerate(items):
            if place == 2:
                raise KeyboardInterrupt
            yield item

    with pytest.raises(KeyboardInterrupt):
        nested(alone, execution=Execution(progress=stopping), **options)
    calls = []
    fold_of = nested_module._fold

    def counted(*args: Any) -> Any:
        calls.append(1)
        return fold_of(*args)

    monkeypatch.setattr(nested_module, "_fold", counted)
    result = nested(alone, **options)
    assert len(calls) == 1
    again = nested(alone, **options)
    assert len(calls) == 1
    assert again.to_dict() == result.to_dict()


def test_cached_results_depend_on_the_key(cache: Path) -> None:
    assert cached({"a": 1}, lambda: [1, 2]) == [1, 2]
    assert cached({"a": 1}, lambda: pytest.fail("computed again")) == [1, 2]
    assert cached({"a": 2}, lambda: {"b": None}) == {"b": None}
    for path in (cache / "studies").iterdir():
        path.write_text("{", encoding="utf-8")
    assert cached({"a": 1}, lambda: [3]) == [3]


def test_cached_results_depend_on_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    (package / "inner" / "__pycache__").mkdir(parents=True)
    for name in ("__init__.py", "inner/code.py", "inner/table.tsv", "inner/__pycache__/code.pyc"):
        (package / name).write_text(name, encoding="utf-8")
    monkeypatch.setattr(stored_parts, "_PACKAGE", package)

    def result(new: int) -> int:
        code_digest.cache_clear()  # as in another process
        found: int = cached({"a": 1}, lambda: new)
        return found

    try:
        assert (result(1), result(2)) == (1, 1)
        (package / "inner/__pycache__/code.pyc").write_text("compiled again", encoding="utf-8")
        assert result(3) == 1
        (package / "inner/code.py").write_text("other code", encoding="utf-8")
        assert (result(4), result(5)) == (4, 4)
        (package / "inner/table.tsv").rename(package / "inner/other.tsv")
        assert (result(6), result(7)) == (6, 6)
    finally:
        code_digest.cache_clear()


def test_curve(made: Material) -> None:
    result = curve(made, ["small"], sizes=[20, 60, 100_000], n_folds=2)
    assert set(result.curves) == {("small", "svr"), ("small", "svm")}
    points = result.curves["small", "svr"]
    assert [point.examples for point in points] == [21, 60]
    assert points[1].correlation > 0.7
    assert all(0 <= point.accuracy <= 1 for point in result.curves["small", "svm"])
    assert set(result.baselines) == {"BLEU", "chrF"}
    assert "standard metrics" in str(result)
    assert [type(point["examples"]) for point in result.to_dict()["curves"][0]["points"]] == [int, int]
    with pytest.raises(InputError, match="needs a model"):
        curve(made, [], sizes=[20])
    with pytest.raises(InputError, match="a fold has 75 examples to train svr on: give a number below that"):
        curve(made, ["small"], sizes=[100_000], n_folds=2)


def test_grid(made: Material) -> None:
    result = grid(made, slacks=[0.1, 10], widths=[0.001, 0.1], execution=Execution(2))
    assert [one.parameters["C"] for one in result.tried] == [0.1, 0.1, 10, 10]
    assert -1 <= result.agreement <= 1
    assert all(0 <= one.accuracy <= 1 for one in result.tried)
    again = grid(made, slacks=[0.1, 10], widths=[0.001, 0.1])
    assert again.to_dict() == result.to_dict()


def test_threads_change_nothing(made: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for threads in (1, 2):
        # A folder each: what one kept would be the other's answer.
        monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / str(threads)))
        options: dict[str, Any] = {"seed": 5, "execution": Execution(threads)}
        results = [
            nested(made, regressors=["svr", "trees"], n_folds=2, n_trials=20, **options),
            curve(made, ["small"], sizes=[20, 60], n_folds=2, **options),
            grid(made, slacks=[0.1, 10], widths=[0.001, 0.1], **options),
        ]
        found.append([result.to_dict() for result in results])
    assert found[0] == found[1]


def test_correlation_and_accuracy_by_definition(made: Material) -> None:
    training, tested = split(made.judged, 1 / 3, seed=2)
    fitted = made.train(MODELS["svm"], {"C": 1.0, "gamma": 0.03}, training)
    x, y = made.examples(MODELS["svm"], tested)
    guessed = (fitted.scores(x) > 0).astype(int)
    distances = fitted.scores(made.machines[:, tested])  # type: ignore[index]
    correlation, accuracy = measured(made, fitted, tested)
    assert accuracy == pytest.approx(np.mean([np.mean(guessed[y == label] == label) for label in (0, 1)]))
    assert correlation == pytest.approx(spearmanr(distances.ravel(), made.gold[:, tested].ravel())[0])


def test_other_sets_and_systems(made: Material) -> None:
    table = sets(made, [made, replace(made, name="again")], n_trials=20)
    assert table.columns == ("SVR", "SVM", "BLEU", "chrF")
    assert table.rows == ("made", "again")
    assert table.trials[0].values[0] > 0.8
    by_system = systems(made, made, model="ridge", n_trials=20)
    assert by_system.rows == ("good", "middling", "bad", "all")
    assert by_system.columns[:3] == ("ridge all", "ridge without best", "ridge without worst")
    assert "trained on made" in str(by_system)
    with pytest.raises(InputError, match="other features"):
        sets(made, [made.with_features(["bleu"])], n_trials=20)


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_pictures(made: Material, tmp_path: Path, ending: str) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    curve(made, ["small"], sizes=[20, 40], n_folds=2).plot(tmp_path / f"curve.{ending}")
    grid(made, slacks=[1, 10], widths=[0.01, 0.1]).plot(tmp_path / f"grid.{ending}")
    assert (tmp_path / f"curve.{ending}").stat().st_size > 1000
    assert (tmp_path / f"grid.{ending}").stat().st_size > 1000
