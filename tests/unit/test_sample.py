"""The built-in sample: complete, well formed, and graded in the order its README promises."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest
import sacrebleu

from mtassay.sample import human_scores_path, sample_path

SYSTEMS = ["atlas", "borealis", "cobalt", "dune", "ember", "fjord"]


@pytest.fixture(scope="module")
def segments() -> list[dict[str, Any]]:
    lines = sample_path().read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def judgements() -> list[dict[str, str]]:
    with human_scores_path().open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def references(segments: list[dict[str, Any]]) -> list[list[str]]:
    return [[segment["refs"][which] for segment in segments] for which in (0, 1)]


def hypotheses(segments: list[dict[str, Any]], system: str) -> list[str]:
    return [segment["tgt"][system] for segment in segments]


def assert_graded(score: dict[str, float], *, near: float) -> None:
    """Atlas > {borealis, cobalt} > dune > ember > fjord, and the second two within `near` of each other."""
    good = [score["borealis"], score["cobalt"]]
    assert score["atlas"] > max(good)
    assert min(good) > score["dune"] > score["ember"] > score["fjord"]
    assert abs(good[0] - good[1]) < near


def test_every_segment_is_complete(segments: list[dict[str, Any]]) -> None:
    assert len(segments) >= 60
    for segment in segments:
        assert set(segment) == {"id", "doc", "domain", "src", "refs", "tgt"}
        assert list(segment["tgt"]) == SYSTEMS
        assert len(segment["refs"]) == 2
        for text in [segment["id"], segment["src"], *segment["refs"], *segment["tgt"].values()]:
            assert text
            assert text == text.strip()
            assert text.isprintable()


def test_nothing_is_said_twice(segments: list[dict[str, Any]]) -> None:
    for field in ("id", "src"):
        assert len({segment[field] for segment in segments}) == len(segments)
    # Also no hypothesis equals another one or a reference, within a segment or across them.
    english = [text for segment in segments for text in [*segment["refs"], *segment["tgt"].values()]]
    assert [text for text, count in Counter(english).items() if count > 1] == []


def test_documents_are_contiguous_and_have_one_domain(segments: list[dict[str, Any]]) -> None:
    labels = list(dict.fromkeys((segment["domain"], segment["doc"]) for segment in segments))
    runs = 1 + sum(a["doc"] != b["doc"] for a, b in pairwise(segments))
    assert len(labels) == len({doc for _, doc in labels}) == runs == 8
    assert {domain for domain, _ in labels} == {"news", "travel", "technical"}


def test_lengths_vary(segments: list[dict[str, Any]]) -> None:
    lengths = [len(text.split()) for segment in segments for text in segment["refs"]]
    assert 5 <= min(lengths) < 8
    assert 25 < max(lengths) <= 30


def test_judgements_cover_every_segment_and_system(
    segments: list[dict[str, Any]], judgements: list[dict[str, str]]
) -> None:
    assessors: dict[tuple[int, str], list[str]] = defaultdict(list)
    for row in judgements:
        assert list(row) == ["segment", "system", "judge", "score"]
        assert 0 <= int(row["score"]) <= 100
        assessors[int(row["segment"]), row["system"]].append(row["judge"])
    assert set(assessors) == {(n + 1, system) for n in range(len(segments)) for system in SYSTEMS}
    assert all(len(set(who)) == len(who) >= 2 for who in assessors.values())


@pytest.mark.parametrize("n_references", [1, 2])
def test_bleu_grades_the_systems(segments: list[dict[str, Any]], n_references: int) -> None:
    refs = references(segments)[:n_references]
    bleu = {s: sacrebleu.corpus_bleu(hypotheses(segments, s), refs).score for s in SYSTEMS}
    assert_graded(bleu, near=1.5)


def test_second_reference_helps_the_freest_system(segments: list[dict[str, Any]]) -> None:
    refs, atlas = references(segments), hypotheses(segments, "atlas")
    assert sacrebleu.corpus_bleu(atlas, refs).score > sacrebleu.corpus_bleu(atlas, refs[:1]).score


def test_human_scores_grade_the_systems(judgements: list[dict[str, str]]) -> None:
    mean = {s: fmean(int(row["score"]) for row in judgements if row["system"] == s) for s in SYSTEMS}
    assert_graded(mean, near=2.0)


def test_the_files_are_small_and_said_to_be_invented() -> None:
    folder = sample_path().parent
    files = [path for path in folder.iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 200_000
    assert "Made for illustration" in (folder / "README.md").read_text(encoding="utf-8")
