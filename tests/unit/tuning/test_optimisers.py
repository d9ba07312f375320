from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.data import read_nbest
from mtassay.errors import InputError, MissingExtraError, SpecError
from mtassay.execution import Execution
from mtassay.metrics import parse
from mtassay.tuning.candidates import Candidates, Pool, candidates_of
from mtassay.tuning.mert import mert
from mtassay.tuning.mira import mira
from mtassay.tuning.pro import pro

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["the", "cat", "sat", "on", "a", "mat", "while", "every", "dog", "slept", "near", "some", "old", "stove"]


def _nbest(path: Path, *, seed: int = 0, n_segments: int = 30) -> tuple[Path, list[str]]:
    """Candidates with more or fewer words replaced; the first feature knows how many, in part, others are noise."""
    rng = np.random.default_rng(seed)
    lines, references = [], []
    for segment in range(n_segments):
        words = rng.choice(WORDS, rng.integers(6, 14)).tolist()
        references.append(" ".join(words))
        for _ in range(12):
            wrong = rng.random(len(words)) < rng.uniform(0, 0.8)
            text = " ".join("x" if bad else word for word, bad in zip(words, wrong, strict=True))
            lm, tm, noise = -wrong.sum() + rng.normal(0, 1.5), 30 * rng.normal(), rng.normal()
            lines.append(f"{segment} ||| {text} ||| LM= {lm:.4f} TM= {tm:.4f} {noise:.4f} ||| 0\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path, references


@pytest.fixture
def listed(tmp_path: Path) -> tuple[Path, list[str]]:
    return _nbest(tmp_path / "nbest")


@pytest.fixture
def candidates(listed: tuple[Path, list[str]]) -> Candidates:
    path, references = listed
    return candidates_of(read_nbest(path), [references], parse("bleu:tok=none"))


class TestCandidates:
    def test_statistics_are_those_of_the_metric(self, listed: tuple[Path, list[str]], candidates: Candidates) -> None:
        path, references = listed
        nbest = read_nbest(path)
        weights = np.array([1.0, 0.01, -0.2])
        chosen = [
            nbest.texts[first + int(np.argmax(nbest.values[first:end] @ weights))]
            for first, end in zip(nbest.offsets[:-1], nbest.offsets[1:], strict=True)
        ]
        expected = parse("bleu:tok=none").corpus_score(chosen, [references])
        assert candidates.score(weights) == expected
        assert candidates.score(dict(zip(candidates.names, weights.tolist(), strict=True))) == expected

    @pytest.mark.parametrize("threads", [1, 2])
    def test_a_pool_is_one_long_list(self, listed: tuple[Path, list[str]], tmp_path: Path, threads: int) -> None:
        path, references = listed
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        pool = Pool(parse("chrf"), [references], execution=Execution(threads))
        for number, part in enumerate((lines[::2], lines[1::3], lines)):
            one = tmp_path / str(number)
            one.write_text("".join(part), encoding="utf-8")
            n_new = pool.add(read_nbest(one))
            assert n_new <= len(part)
        assert pool.add(read_nbest(path)) == 0
        whole = candidates_of(read_nbest(path), [references], parse("chrf"))
        pooled = pool.candidates()

        def rows(found: Candidates) -> list[Any]:
            return sorted(zip(found.segment_index, found.features.T.tolist(), found.statistics.tolist(), strict=True))

        assert rows(pooled) == rows(whole)

    def test_some_segments(self, candidates: Candidates) -> None:
        half = candidates.of_segments(range(1, 30, 2))
        assert (half.n_segments, len(half)) == (15, 180)
        np.testing.assert_array_equal(half.features[:, 12:24], candidates.features[:, 36:48])
        np.testing.assert_array_equal(half.statistics[12:24], candidates.statistics[36:48])

    def test_numbers_of_segments_must_agree(self, listed: tuple[Path, list[str]]) -> None:
        path, references = listed
        nbest, metric = read_nbest(path), parse("bleu")
        with pytest.raises(InputError, match=r"nbest, line 121: sentence 10 has no reference"):
            candidates_of(nbest, [references[:10]], metric)
        with pytest.raises(InputError, match=r"nbest, line 349: sentence 29 is the last one, but .* 31 segments"):
            candidates_of(nbest, [[*references, "x"]], metric)

    def test_metrics_that_cannot_guide(self, listed: tuple[Path, list[str]]) -> None:
        path, references = listed
        nbest = read_nbest(path)
        with pytest.raises(InputError, match="no direction"):
            candidates_of(nbest, [references], parse("length_ratio"))
        with pytest.raises(SpecError, match="not of texts"):
            candidates_of(nbest, [references], parse("file:scores.tsv"))

    def test_equal_features_have_equal_scores_wherever_they_stand(self) -> None:
        features = np.repeat(np.random.default_rng(1).normal(size=(9, 1)), 37, axis=1)
        found = Candidates(parse("bleu"), tuple("abcdefghi"), features, np.zeros((37, 10)), np.array([0, 37]))
        weights = np.random.default_rng(2).normal(size=9)
        assert len(set(found.model_scores(weights).tolist())) == 1
        assert found.winners(found.model_scores(weights)).tolist() == [0]


class TestMert:
    def test_it_learns_and_is_never_below_a_start(self, candidates: Candidates) -> None:
        result = mert(candidates, restarts=3)
        assert result.after > result.before + 10
        assert result.after == candidates.score(result.weights) == max(part.after for part in result.history)
        assert sum(map(abs, result.weights.values())) == pytest.approx(1.0)
        best = dict(zip(candidates.names, (1.0, 0.0, 0.0), strict=True))
        other = mert(candidates, starts=[best, dict(result.weights)], restarts=0)
        assert other.after >= max(result.after, candidates.score(best))
        assert [part.name for part in other.history[:3]] == ["start 1", "start 2", "start 3"]
        assert mert(candidates, result.weights, restarts=0).before == result.after

    @pytest.mark.parametrize("spec", ["ter", "0.5*bleu-0.5*ter"])
    def test_other_objectives(self, listed: tuple[Path, list[str]], spec: str) -> None:
        path, references = listed
        metric = parse(spec)
        result = mert(candidates_of(read_nbest(path), [references], metric), restarts=2)
        assert metric.sign * result.after > metric.sign * result.before

    def test_the_same_whatever_the_threads(self, candidates: Candidates) -> None:
        results = [
            mert(candidates, restarts=6, execution=Execution(threads), seed=4).to_dict() for threads in (1, 2, 5)
        ]
        assert results[0] == results[1] == results[2]
        assert mert(candidates, restarts=6, seed=5).to_dict() != results[0]

    def test_the_usual_start_moves_inside_bounds(self, candidates: Candidates) -> None:
        result = mert(candidates, bounds={"LM_0": (1, 1), "TM_0": (None, 0.1)}, restarts=2)
        assert result.weights["LM_0"] == 1
        assert result.weights["TM_0"] <= 0.1
        assert result.after >= result.before

    @pytest.mark.parametrize(("bounds", "weight"), [({}, 0.0), ({"none": (0.25, 1)}, 0.25), ({"none": (2, 2)}, 2.0)])
    def test_a_feature_that_is_always_0_gets_no_weight(
        self, candidates: Candidates, bounds: dict[str, Any], weight: float
    ) -> None:
        more = replace(
            candidates,
            names=(*candidates.names, "none"),
            features=np.vstack([candidates.features, np.zeros(len(candidates))]),
        )
        result = mert(more, bounds=bounds, restarts=2)
        assert result.weights["none"] == weight
        assert sum(abs(value) for value in result.weights.values()) == pytest.approx(1) or bounds
        assert result.after == more.score(result.weights)

    def test_bounds(self, candidates: Candidates) -> None:
        free = mert(candidates, restarts=3)
        assert free.weights["LM_0"] > 0.1
        start = {"LM_0": 0.01, "TM_0": 0.5, "TM_1": 0.2}
        bounds = {"LM_0": (0.0, 0.02), "TM_0": (0.5, 0.5), "TM_1": (None, 0.3)}
        result = mert(candidates, start, bounds=bounds, restarts=4)
        assert 0 <= result.weights["LM_0"] <= 0.02
        assert result.weights["TM_0"] == 0.5
        assert result.weights["TM_1"] <= 0.3
        assert result.before <= result.after < free.after
        positive = mert(candidates, bounds=dict.fromkeys(candidates.names, (0.0, None)), restarts=2)
        assert min(positive.weights.values()) >= 0
        assert sum(positive.weights.values()) == pytest.approx(1.0)

    def test_random_starts_are_drawn_from_ranges(self, candidates: Candidates) -> None:
        bad = dict(zip(candidates.names, (-1.0, 0.5, -0.25), strict=True))
        result = mert(candidates, ranges={name: (weight, weight) for name, weight in bad.items()}, restarts=5)
        drawn = result.history[1]  # the first of five is drawn anywhere
        assert (drawn.name, drawn.before) == ("start 2", candidates.score(bad))
        assert result.weights["LM_0"] > 0.1  # ranges are no bounds
        # Inside bounds, whatever the range; features without a range are drawn as usual.
        bounds = {"LM_0": (0.0, None), "TM_1": (0.5, 0.5)}
        result = mert(candidates, {"LM_0": 1, "TM_0": 1, "TM_1": 0.5}, bounds=bounds, ranges={"LM_0": (-2, -1)})
        assert result.weights["LM_0"] >= 0
        assert result.weights["TM_1"] == 0.5
        assert mert(candidates, ranges={"LM_0": (0, 2)}).after >= result.after

    def test_every_start_is_tried(self, candidates: Candidates) -> None:
        starts = [{"LM_0": 1.0, "TM_0": 0.0, "TM_1": -1.0}, {"LM_0": -1.0, "TM_0": 0.0, "TM_1": 0.5}]
        result = mert(candidates, starts=starts, restarts=1)
        assert [part.before for part in result.history[1:3]] == [candidates.score(start) for start in starts]
        assert result.after == max(part.after for part in result.history)

    def test_weights_stay_as_they_are_unless_others_are_better(self, candidates: Candidates) -> None:
        best = mert(candidates, restarts=10)
        again = mert(candidates, best.weights, restarts=10, seed=2)
        assert again.after == best.after
        assert again.weights == pytest.approx(best.weights, rel=1e-12)

    def test_weights_stay_of_a_size_that_can_be_read_again(self, candidates: Candidates) -> None:
        tiny = replace(candidates, features=candidates.features * np.array([[1.0], [1e-150], [1e-150]]))
        result = mert(tiny, bounds={"LM_0": (-2, -1)}, restarts=2)
        assert max(map(abs, result.weights.values())) <= 1e100
        assert mert(tiny, result.weights, bounds={"LM_0": (-2, -1)}, restarts=0).before == result.after

    def test_single_candidates_and_features_without_effect(self) -> None:
        found = Candidates(
            parse("bleu"), ("a", "b"), np.array([[1.0, 2, 3], [5, 5, 5]]), np.ones((3, 10)), np.array([0, 1, 3])
        )
        result = mert(found)
        assert result.after == result.before

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"weights": {"LM_0": 1.0}}, "no weight of feature 'TM_0'"),
            ({"weights": {"LM_0": 1.0, "TM_0": np.nan, "TM_1": 0.0}}, "weight of 'TM_0' is nan"),
            ({"weights": dict.fromkeys(("LM_0", "TM_0", "TM_1"), 0.0)}, "all weights are 0"),
            ({"bounds": {"x": (0, 1)}}, "bounds: no feature named 'x'"),
            ({"bounds": {"LM_0": (1, 0)}}, "1 is not below 0"),
            ({"bounds": dict.fromkeys(("LM_0", "TM_0", "TM_1"), (0, 0))}, "bounds leave no weight but 0"),
            (
                {"weights": dict.fromkeys(("LM_0", "TM_0", "TM_1"), 0.25), "bounds": {"LM_0": (0.5, 1)}},
                "outside its bounds 0.5 and 1",
            ),
            ({"restarts": -1}, "restarts must be a whole number"),
            ({"ranges": {"x": (0, 1)}}, "ranges: no feature named 'x'"),
            ({"ranges": {"LM_0": (0, None)}}, "ranges of 'LM_0' need two ends"),
            ({"ranges": {"LM_0": (2, 1)}}, "ranges of 'LM_0': 2 is not below 1"),
            ({"ranges": {"LM_0": (0, 1e200)}}, "ranges of 'LM_0': 1e[+]200 is beyond"),
            ({"ranges": 1}, "ranges must be pairs of numbers by name"),
            ({"bounds": 1}, "bounds must be pairs of numbers by name"),
            ({"starts": {"LM_0": 1.0}}, "starts must be a list of weights"),
            ({"starts": [{"LM_0": 1.0}]}, "no weight of feature 'TM_0'"),
            ({"seed": 1.5}, "seed must be a whole number"),
        ],
    )
    def test_bad_options(self, candidates: Candidates, options: dict[str, Any], message: str) -> None:
        with pytest.raises(InputError, match=message):
            mert(candidates, **options)

    def test_result_as_plain_values(self, candidates: Candidates) -> None:
        found = json.loads(json.dumps(mert(candidates, restarts=1, seed=3).to_dict()))
        assert found["schema"] == "mtassay.tuning/1"
        assert (found["optimiser"], found["metric"], found["candidates"]) == ("mert", "bleu:tok=none", 360)
        assert list(found["weights"]) == list(candidates.names)
        names = [part["name"] for part in found["history"]]
        assert names[:2] == ["start 1", "start 2"]
        assert set(names[2:]) <= {"finish 1", "finish 2"}  # of those that were cut short
        assert found["options"] == {"restarts": 1, "random_directions": 10, "seed": 3}


class TestMira:
    @pytest.mark.parametrize("spec", ["bleu:tok=none", "ter"])
    def test_it_learns(self, listed: tuple[Path, list[str]], spec: str) -> None:
        path, references = listed
        metric = parse(spec)
        found = candidates_of(read_nbest(path), [references], metric)
        result = mira(found, epochs=8)
        best = mert(found, restarts=3).after
        assert metric.sign * result.after > metric.sign * (result.before + 0.8 * (best - result.before))
        assert result.after == found.score(result.weights)
        assert mira(found, epochs=8).to_dict() == result.to_dict()

    def test_the_background_does_not_matter_to_a_mean(self, listed: tuple[Path, list[str]]) -> None:
        """The sum of b scores of the background and one candidate's is (b + 1) times their mean, whatever b is."""
        path, references = listed
        found = candidates_of(read_nbest(path), [references], parse("ribes:tok=none"))
        results = [mira(found, epochs=3, decay=decay).weights for decay in (0.0, 0.5, 0.9)]
        assert results[0] != dict.fromkeys(found.names, 1 / 3)
        assert results[1] == pytest.approx(results[0])
        assert results[2] == pytest.approx(results[0])

    def test_scales_of_features_do_not_matter(self, candidates: Candidates) -> None:
        weights = dict(zip(candidates.names, (0.5, 0.25, 0.25), strict=True))
        scale = np.array([1.0, 1024.0, 0.125])
        scaled = Candidates(
            candidates.metric,
            candidates.names,
            candidates.features * scale[:, None],
            candidates.statistics,
            candidates.offsets,
        )
        start = {name: weight / factor for (name, weight), factor in zip(weights.items(), scale, strict=True)}
        assert mira(scaled, start, epochs=3).after == pytest.approx(mira(candidates, weights, epochs=3).after)

    def test_bad_options(self, candidates: Candidates) -> None:
        with pytest.raises(InputError, match="decay"):
            mira(candidates, decay=1.0)
        with pytest.raises(InputError, match="epochs"):
            mira(candidates, epochs=-1)


class TestPro:
    def test_it_learns(self, candidates: Candidates) -> None:
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")
        result = pro(candidates)
        best = mert(candidates, restarts=3).after
        assert result.after > result.before + 0.8 * (best - result.before)
        assert pro(candidates).to_dict() == result.to_dict()
        assert pro(candidates, interpolation=0.01).after < result.after

    def test_it_finds_the_separating_direction(self) -> None:
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")
        rng = np.random.default_rng(0)
        features = rng.normal(size=(3, 400))
        quality = 2 * features[0] - features[1]
        matches = (quality * 5 + 50).round()
        statistics = np.column_stack([np.full(400, 100), np.full(400, 100), matches, np.full(400, 100)])
        found = Candidates(parse("PAC1"), ("a", "b", "c"), features, statistics, np.arange(0, 401, 20))
        weights = pro(found).weights
        assert weights["a"] / weights["b"] == pytest.approx(-2, rel=0.4)
        assert abs(weights["c"]) < 0.1 * weights["a"]

    @pytest.mark.parametrize(("least", "learns"), [(0.05, False), (0.01, True)])
    def test_small_differences_do_not_count(self, least: float, learns: bool) -> None:
        """The feature "small" differs only where scores differ by 2 of 100: it matters if that is enough."""
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")
        matches = np.array([0, 100, 50, 52])
        statistics = np.column_stack([np.full(4, 100), np.full(4, 100), matches, np.full(4, 100)])
        features = np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
        metric = parse("PAC1^u")
        found = Candidates(metric, ("large", "small"), features, statistics, np.array([0, 2, 4]))
        assert metric.segment_score(statistics).tolist() == matches.tolist()
        weights = pro(found, samples=100, least_difference=least).weights
        assert weights["large"] > 0
        assert (weights["small"] > 0) == learns

    def test_what_cannot_be_learnt_from(self, candidates: Candidates, monkeypatch: pytest.MonkeyPatch) -> None:
        same = Candidates(
            candidates.metric,
            candidates.names,
            candidates.features,
            np.ones_like(candidates.statistics),
            candidates.offsets,
        )
        with pytest.raises(InputError, match="gives no two candidates of a segment scores that differ"):
            pro(same)
        with pytest.raises(InputError, match="interpolation"):
            pro(candidates, interpolation=0.0)
        monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
        with pytest.raises(MissingExtraError, match=r"PRO needs an optional package: pip install 'mtassay\[learn\]'"):
            pro(candidates)
