"""Studies: each one can be imported and has what ``studies/run.py`` calls."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from real_data.manifest import Manifest
from simulated_texts import made_references

from mtassay.data import Scores, TestSet
from mtassay.execution import SERIAL
from mtassay.judging.learning_targets import human_scores
from mtassay.judging.pairwise_tests import HumanTests
from mtassay.learn.training_data import Material
from mtassay.report.render.markdown import table_text
from mtassay.verbs.conclusions import conclusions

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parents[2] / "studies"


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module("run")


def test_every_study_has_what_the_command_calls(study: ModuleType) -> None:
    assert study.STUDIES
    for name, what in study.STUDIES.items():
        pytest.importorskip("matplotlib")
        module = import_module(name)
        assert callable(module.run)
        assert what
        assert (FOLDER.parent / "docs" / "studies" / f"{name}.md").is_file()


def test_an_unknown_study_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "run.py"), "nosuch"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no study named nosuch" in done.stderr


def test_sentences_of_graham_follow_the_data(study: ModuleType) -> None:
    graham = import_module("graham")
    reference = made_references(30)
    systems = {"a": reference, "b": reference, "c": [line[:20] for line in reference]}
    p = np.array([[np.nan, 0.5, 0.0001], [0.5, np.nan, 0.9], [0.9999, 0.1, np.nan]])
    people = HumanTests(
        systems=("a", "b", "c"),
        kind="rank-sum",
        scores=np.array([3.0, 2.0, 1.0]),
        p=p,
        fluency=None,
        counts=30 * np.eye(3, dtype=int),
        dropped=(),
    )
    table = conclusions(TestSet([reference], systems), judgements=people, metrics=["bleu", "ter"], test=graham.TESTS)
    part = graham.Part("made", "Made", "Made data.", table)
    assert "Pairs with a significant difference by human judgements: 1 at .05, 1 at .01, 1 at .001." in graham._people(
        part
    )
    rows = table_text(graham._beside(part)).splitlines()
    assert rows[2].startswith("| .05 | BLEU | 2 | 66.7 [9.4, 99.2] |")
    tests, metrics, wrong = graham._sentences(part)[0].splitlines()
    assert tests == "- The three tests reach the same conclusion on every pair, in all 6 rows."
    assert metrics.startswith(
        "- All metrics are most accurate at .05 with ar1 (66.7 %). No two metrics are shown to differ"
    )
    assert "smallest p by McNemar 1.000" in metrics
    assert "2, of which differences that only people find 0, only the test finds 2, opposite 0" in wrong
    # One pair of three is told apart by people, two by tests: 1/3 * 2/3 / 2 + 2/3 * 1/3 = 1/3.
    assert wrong.endswith("would be right on 33 % of the pairs.")
    about = import_module("graham_findings")._about_chance(table)
    assert "so 50 % is not what chance gives" in about
    # No number of three right ones has an interval above a half: its lower end is the cube root of .025.
    assert "of 3 no number of right ones passes it" in about


def test_song_says_on_which_data_a_claim_holds(study: ModuleType) -> None:
    words = import_module("song_finding")._by_word
    assert words({"A": "open", "B": "holds", "C": "open"}) == "holds on B; open on A, C"
    assert words({"A": "open", "B": "open"}) == "open on every set"


def test_stroppa_says_how_far_the_best_metric_is_ahead(study: ModuleType) -> None:
    pytest.importorskip("matplotlib")
    stroppa = import_module("stroppa")
    every = np.ones((4, 40), dtype=np.int64)
    every[1:, 0] = 0
    said = stroppa._who_is_best(every)
    assert said.startswith("Over all 40 pairs S is highest for BLEU, 1.00, and lowest for NIST, .97: 1 of 40, where ")
    assert "BLEU and NIST differ about 1 pair." in said
    assert "[.00, .07]" in said or "[.00, .08]" in said
    assert said.endswith("so the order of the metrics may be chance.")
    every[1:, :30] = 0
    assert stroppa._who_is_best(every).endswith("so the two differ.")


def test_stroppa_names_who_shares_the_first_place(study: ModuleType) -> None:
    pytest.importorskip("matplotlib")
    best = import_module("stroppa")._always_best
    heights = np.array([[0.8, 0.8, 0.7], [0.8, 0.6, 0.5], [0.1, 0.1, 0.1], [0.1, 0.1, 0.1]])
    assert best(heights) == "BLEU is best at every α, together with NIST at 1 of 3"
    assert best(heights[:, ::-1][[1, 0, 2, 3]]) == "NIST is best at every α, together with BLEU at 1 of 3"
    heights[1, 2] = 0.9
    assert best(heights) == "no metric is best at every α"


def test_assessed_outputs_of_one_segment_stand_together(study: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "wmt13-da-segments"
    folder.mkdir()
    (folder / "human-scores.es-en.csv").write_text("LP SYSTEM SID HUMAN\nes-en b 7 0.5\nes-en a 2 -1\nes-en a 7 0.25\n")
    (folder / "sys.es-en").write_text("first\nother\nsecond\n")
    (folder / "ref.es-en").write_text("one\ntwo\none\n")
    testset, scores = import_module("learned_data").assessed_texts(tmp_path, ["es-en"])
    assert testset.references == (("one", "two"),)
    # Where a system was not assessed, the segment's first output stands, and has no score.
    assert testset.systems == {"b": ("first", "other"), "a": ("second", "other")}
    np.testing.assert_array_equal(human_scores(testset, scores), [[0.5, np.nan], [0.25, -1.0]])


def test_pairs_of_languages_are_put_together_by_segment(study: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("learned_data")
    nan = np.nan
    one = _made(np.arange(8.0).reshape(2, 2, 2), [[1.0, nan], [2.0, 3.0]])
    other = _made(10 + np.arange(4.0).reshape(1, 2, 2), [[4.0, 5.0]])
    ids = {True: ["es-en 7", "es-en 8"], False: ["cs-en 9", "cs-en 8"]}
    monkeypatch.setattr(module, "assessed", lambda data, pairs: one if pairs == ("es-en",) else other)
    texts = {first: TestSet([["x", "y"]], {"a": ["x", "y"]}, ids=ids[first]) for first in ids}
    monkeypatch.setattr(module, "assessed_texts", lambda data, pairs: (texts[pairs == ("es-en",)], None))
    found = module.assessed_together(FOLDER)
    # Segment 7 has two outputs of one pair, segment 8 one of each, segment 9 a single one.
    np.testing.assert_array_equal(found.human, [[1.0, 3.0, 4.0], [2.0, 5.0, nan]])
    assert found.x.tolist() == [[[0, 1], [6, 7], [10, 11]], [[4, 5], [12, 13], [10, 11]]]


def _made(x: NDArray[np.float64], human: list[list[float]]) -> Material:
    names = tuple("abc"[: x.shape[2]])
    return Material(
        name="",
        features=names,
        systems=tuple("ab"[: len(x)]),
        x=x,
        human=np.array(human),
        pairs=None,
        machines=None,
        people=None,
        strangers=None,
        baselines={},
        digest="d",
    )


def test_documents_are_compared_by_their_lengths_in_order(study: ModuleType) -> None:
    found = import_module("learned_czech")._order([4, 1, 2, 9], [1, 2, 4, 4])
    assert (found["in_common"], found["run"]) == (3, 2)


def test_metrics_learned_from_preferences_are_compared_on_other_preferences(study: ModuleType) -> None:
    pytest.importorskip("sklearn")
    learned = import_module("learned_preferences")
    rng = np.random.default_rng(1)
    quality = rng.normal(size=(2, 40))
    noise = rng.normal(size=(2, 40, 4))
    noise[..., 3] = -quality
    pairs = np.array(
        [[int(quality[0, n] < quality[1, n]), int(quality[0, n] >= quality[1, n]), n] for n in range(40)]
    ).T
    made = Material(
        name="made",
        features=("meteor", "chrf", "bleu", "ter"),
        systems=("a", "b"),
        x=noise,
        human=None,
        pairs=pairs,
        machines=None,
        people=None,
        strangers=None,
        baselines={},
        digest="",
    )
    found = learned.compared(made, made)
    assert found.feature == "ter"
    assert found.tau[found.names.index("best feature")] == 1.0
    assert found.tau[found.names.index("learned")] > found.tau[found.names.index("METEOR")]
    (header, _, row) = learned.preferences_table([found]).splitlines()
    assert header.startswith("| trained on | tested on | pairs | pairs tested | learned | best feature |")
    assert "| 40 | 40 |" in row
    assert "ter 1.000" in row


def test_one_judge_per_segment_is_each_judge_by_turns(study: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("learned_judges")
    segments = tuple(str(n) for n in range(1, 11))
    segment, judge = np.tile(np.arange(10), 5), np.repeat(np.arange(5), 10)
    scores = Scores(
        ("a",),
        segments,
        module.CAMPAIGNS,
        segment,
        judge,
        system=0 * judge,
        score=judge.astype(np.float64),
        aspect="esa",
        item=np.full(50, ""),
    )
    monkeypatch.setattr(module, "campaigns", lambda data: scores)
    monkeypatch.setattr(module, "_judged", lambda data, who, chosen, *, execution: (who, chosen))
    found = dict(module.judges(FOLDER, execution=SERIAL))
    assert found["four by ESA, one per segment"].judge.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 3, 3]
    assert found["these and MQM, all"].judge.tolist() == judge.tolist()
    assert max(found["four by ESA, all"].judge) == 3


def test_findings_of_learning_count_gains_whose_interval_is_above_zero(study: ModuleType) -> None:
    module = import_module("learned_findings")

    def nested(low: float) -> Any:
        gain = SimpleNamespace(value=low + 0.1, low=low, high=low + 0.2)
        trials = SimpleNamespace(values=[0.5, 0.4])
        return SimpleNamespace(
            rows=("regression", "best feature"), gain=lambda: gain, n_outputs=1200, trials=trials, within=[0.2, 0.1]
        )

    found = {"one": nested(0.01), "two": nested(-0.05)}
    assert module.gains(found).splitlines()[2:] == [
        "| one | 1,200 | .500 | .400 | +.110 [+.010, +.210] | .200 | .100 |",
        "| two | 1,200 | .500 | .400 | +.050 [-.050, +.150] | .200 | .100 |",
    ]
    rankings = [SimpleNamespace(interval=lambda name: (-0.1, 0.1)), SimpleNamespace(interval=lambda name: (0.1, 0.2))]
    differences = [SimpleNamespace(value=value, low=value - 0.05) for value in (0.04, 0.06)]
    judged = [
        SimpleNamespace(learned=SimpleNamespace(difference=lambda *_, found=found: found)) for found in differences
    ]
    gaming = SimpleNamespace(correlation=(0.6, 0.5), fooled=(0.166, 0.001))
    grids = [SimpleNamespace(agreement=-0.25, name="set")]
    lines = module.in_words(found, grids, rankings, judged, gaming).splitlines()
    assert "1 of 2 rows (one)" in lines[0]
    assert lines[1].endswith("is -.250 (set).")
    assert "in 1 of 2 experiments" in lines[2]
    assert "+.040 to +.060" in lines[3]
    assert "with 1 of 2 groups" in lines[3]
    assert "16.6 %" in lines[4]
    assert "0.1 %, and ρ falls from .600 to .500" in lines[4]


def test_tau_of_resampled_segments_is_that_of_their_preferences(study: ModuleType) -> None:
    trees = import_module("wmt13_trees")
    scores = np.array([[1.0, 2.0, 0.0], [1.0, 1.0, 3.0]])
    pairs = (np.array([0, 1, 1, 2]), np.array([0, 0, 1, 0]), np.array([1, 1, 0, 1]))
    counts = trees._by_segment(pairs, scores)
    # Segment 1 is tied; in segment 2 one preference is shared and one reversed; in segment 3 one is reversed.
    assert counts.tolist() == [[0, 1, 0], [0, 1, 1], [1, 0, 0]]
    assert trees._taus(counts[None]).tolist() == [[-1 / 3], [-1 / 4]]
    drawn = trees._drawn(np.stack([counts + 1, counts + 1]))
    assert drawn.shape == (2, trees.RESAMPLES, 2)
    np.testing.assert_array_equal(drawn[..., 0], drawn[..., 1])


def test_a_gain_of_trees_needs_an_interval_above_0_by_both_rules(study: ModuleType) -> None:
    conclusion = import_module("wmt13_trees")._conclusion
    row = ("fr-en", "depref-exact", "x", ".2", "+.010 (+.001, +.020)", "+.010 (+.001, +.020)")
    gained = (*row, ".2", "+.010 (+.001, +.020)", "+.010 (+.002, +.020)")
    open_ = (*gained[:8], "+.010 (-.002, +.020)")
    lost = (*gained[:8], "-.010 (-.020, -.001)")
    assert "by both rules in 1 of 3 rows, and lose by one in 1." in conclusion([gained, open_, lost])
    assert "by both rules in no row." in conclusion([open_])


def test_errors_say_what_separates_systems(study: ModuleType) -> None:
    errors = import_module("errors")
    n = len(errors._specs())
    assert n == 15
    rho = np.linspace(0.9, -0.9, n)
    made = errors.Found(
        "xx-en",
        rates=np.tile(np.arange(1.0, 14.0), (n, 1)),
        n_pairs=78,
        separated=np.arange(n),
        right=np.arange(n) // 2,
        rho=rho,
        interval=np.stack([rho - 0.1, rho + 0.1], axis=1),
        tau=np.stack([rho / 2, rho / 3]),
        ties=np.full(n, 0.25),
        features=np.linspace(0.1, 0.0, 261),
    )
    page = errors.page([made])
    assert "| Hjerson infl | 1.00–13.00 | 0 of 78 | – | .900 [.800, 1.000] | .450 | .300 | 25% |" in page
    assert "most pairs of systems are separated by Addicter ord-l (13), Addicter ord-s (12)" in page
    # With 11 degrees of freedom t is 2.201 at .05, two-sided.
    assert "With 13 systems |ρ| must be .553 to be significant at 0.05" in page
    assert "In every direction ρ is significant for Hjerson infl, Hjerson reord, Hjerson miss." in page
    assert page.count("| `a_miss_") == errors.N_BEST


def test_studies_name_their_data(study: ModuleType) -> None:
    assert set(study.DATA_SETS) == set(study.STUDIES)
    known = set(Manifest.read().sets)
    for name, sets in study.DATA_SETS.items():
        assert set(sets) <= known
        page = (FOLDER.parent / "docs" / "studies" / f"{name}.md").read_text(encoding="utf-8")
        assert study.with_origin("# Title\n\ntext", name).split("\n\n")[1] in page.split("\n\n")
        assert "[data.md](../data.md)" in page
        assert "not at hand" not in page


def test_without_data_the_command_is_named(tmp_path: Path) -> None:
    (tmp_path / "wmt12").mkdir()
    command = [sys.executable, str(FOLDER / "run.py"), "wmt13", "tuning", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f'no nbest, oracles, wmt13 in {tmp_path}: make data SETS="nbest oracles wmt13"\n'
