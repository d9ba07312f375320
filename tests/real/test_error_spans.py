"""Error spans of WMT23: the segment scores of the release come out of its ratings, and the measure of WMT25."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.data import ErrorSpans, Scores, load, load_judgements, write_judgements
from mtassay.judging.assessments import segment_scores
from mtassay.judging.span_matching import match_counts, summed
from mtassay.judging.span_weights import span_scores


@pytest.fixture(scope="module")
def ratings(data_dir: Path) -> ErrorSpans:
    # The test set is given: no span ends after its text.
    path = data_dir / "wmt23/human-scores" / "en-de.mqm.merged.seg.rating"
    found = load_judgements(path, testset=load(data_dir / "wmt23", lp="en-de"))
    assert isinstance(found, ErrorSpans)
    return found


def test_scores_of_the_release_come_out_of_its_ratings(ratings: ErrorSpans, data_dir: Path) -> None:
    released = load_judgements(data_dir / "wmt23/human-scores" / "en-de.mqm.seg.score")
    assert isinstance(released, Scores)
    ours, theirs = (
        {
            (scores.systems[system], scores.segments[segment]): score
            for system, segment, score in zip(scores.system, scores.segment, scores.score.tolist(), strict=True)
        }
        for scores in (span_scores(ratings), released)
    )
    assert len(ours) == 5980
    assert ours == theirs  # to the last bit


def test_ranking_by_ratings_and_by_scores_is_the_same(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for name in ("en-de.mqm.merged.seg.rating", "en-de.mqm.seg.score"):
        assert main(["humans", str(data_dir / "wmt23/human-scores" / name), "--resamples", "50", "-f", "json"]) == 0
        shown.append(json.loads(capsys.readouterr().out)["aspects"][0])
    by_rating, by_score = (sorted(of["ranking"], key=lambda row: str(row["system"])) for of in shown)
    assert [row["scores"] for row in by_rating] == [row["scores"] for row in by_score]
    official = dict(
        line.split("\t")
        for line in (data_dir / "wmt23/human-scores" / "en-de.mqm.sys.score").read_text(encoding="utf-8").splitlines()
    )
    for row in by_rating:
        assert row["scores"]["mean"] == pytest.approx(float(official[row["system"]]), rel=1e-12)


def test_ratings_are_written_and_read_back(ratings: ErrorSpans, tmp_path: Path) -> None:
    write_judgements(ratings, tmp_path / "spans.jsonl", format="jsonl")
    found = load_judgements(tmp_path / "spans.jsonl")
    assert isinstance(found, ErrorSpans)
    assert (found.spans, found.systems, found.segments) == (ratings.spans, ratings.systems, ratings.segments)
    np.testing.assert_array_equal(segment_scores(span_scores(found)), segment_scores(span_scores(ratings)))


#: Printed by get_char_f1 of WMT25 (scripts/scoring/task2/scoring_esa.py of wmt25-mteval at d1f6ab9a) for the spans of
#: two systems in place of gold and prediction: precision, recall and F1 by partial credit.
WMT25 = {
    ("ONLINE-A", "ONLINE-W"): {
        1.0: (0.3012802671861954, 0.25493082131292316, 0.2761743789265555),
        0.5: (0.27504870581686613, 0.2327347659699735, 0.25212871129253434),
        0.0: (0.2488171444475369, 0.21053871062702384, 0.22808304365851326),
    },
    ("AIRC", "ONLINE-A"): {
        1.0: (0.3317044450986164, 0.13261150994468637, 0.1894736842105263),
        0.5: (0.25949367088607594, 0.1037424973520066, 0.1482259963006558),
        0.0: (0.18728289667353548, 0.07487348475932683, 0.10697830839078529),
    },
}


@pytest.mark.parametrize(("gold", "predicted"), list(WMT25))
def test_measure_of_wmt25(ratings: ErrorSpans, gold: str, predicted: str) -> None:
    rows = []
    for name in (predicted, gold):
        of_system = np.flatnonzero(ratings.system == ratings.systems.index(name))
        rows.append(of_system[np.argsort(ratings.segment[of_system])])
    match = summed(match_counts(ratings, rows[0], ratings, rows[1]))
    assert match.n_pairs == 460
    for credit, expected in WMT25[gold, predicted].items():
        found = (match.precision(credit), match.recall(credit), match.f1(credit))
        assert found == pytest.approx(expected, rel=1e-14)


def test_judges_as_their_own_metric_are_perfect(ratings: ErrorSpans, data_dir: Path) -> None:
    testset = load(data_dir / "wmt23", lp="en-de", references="refA").select(systems=["AIRC", "ONLINE-A", "ONLINE-B"])
    result = mtassay.metaeval(
        testset, judgements=ratings, metrics=["chrf"], metric_spans={"itself": ratings}, correlation=["pearson"]
    )
    match = result.directions[0].spans["itself"]
    assert match.n_pairs == 3 * 460
    assert (match.precision(0.0), match.recall(0.0), match.f1(0.0)) == (1.0, 1.0, 1.0)
