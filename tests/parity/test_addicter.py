"""Addicter: alignments and errors of five outputs, as the original prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.kernels.addicter import strcmp95
from mtassay.metrics import References, parse
from mtassay.metrics.core.references import Texts
from mtassay.metrics.linguistic.addicter_errors import KINDS

if TYPE_CHECKING:
    from pathlib import Path

SYSTEMS = ("_ref", "jhu", "onlineB", "shef", "uedin")
every_system = pytest.mark.parametrize("system", SYSTEMS)


def test_published_similarities() -> None:
    assert strcmp95(b"IT IS A DOG", b"I AM A DOG.") == pytest.approx(0.865619834710744, abs=1e-14)
    assert strcmp95(b"MARTHA", b"MARHTA") == pytest.approx(0.970833333333333, abs=1e-14)


@pytest.fixture(scope="module")
def scored(oracle_dir: Path, oracle_annotator: Any) -> dict[str, Any]:
    texts, sources = oracle_annotator.read_terrorcat(oracle_dir, SYSTEMS)
    scorer = parse("addicter:annotator=oracle,tok=none").prepare(References([texts["_ref"]], sources=sources))
    return {"scorer": scorer, "texts": {name: Texts(of) for name, of in texts.items()}}


@every_system
def test_alignments(scored: dict[str, Any], recorded: Any, system: str) -> None:
    scorer = scored["scorer"]
    columns, every = scorer.columns(scored["texts"][system]), np.arange(120)
    aligned = scorer.factors.align(columns, scorer.reference_columns, every, every)
    offsets = columns.words.offsets
    for segment, row in enumerate(recorded.rows("addicter-alignments", system=system)):
        places = aligned[offsets[segment] : offsets[segment + 1]]
        assert {f"{h}-{r}" for h, r in enumerate(places) if r >= 0} == set(row["alignment"].split())


def _printed(recorded: Any, system: str) -> list[set[tuple[Any, ...]]]:
    """Errors of each segment: kind, and the places of the words."""
    segments: list[set[tuple[Any, ...]]] = [set() for _ in range(120)]
    if system == "_ref":  # the reference itself has no errors
        return segments
    for row in recorded.rows("addicter-errors", system=system):
        segments[int(row["segment"]) - 1].add((row["error"], int(row["word"]), int(row["other"])))
    return segments


def _found(scored: dict[str, Any], system: str) -> list[set[tuple[Any, ...]]]:
    scorer, every = scored["scorer"], np.arange(120)
    found = scorer.find(scored["texts"][system], every, every)
    hyp_starts, ref_starts = found.hypotheses.words.offsets, scorer.reference_columns.words.offsets
    segments: list[set[tuple[Any, ...]]] = [set() for _ in every]
    for pair, kind, hyp, ref, other in zip(*(column.tolist() for column in found.errors), strict=True):
        place = hyp - hyp_starts[pair] if hyp >= 0 else -1
        second = other - hyp_starts[pair] if other >= 0 else ref - ref_starts[pair] if ref >= 0 else -1
        segments[pair].add((KINDS[kind], place, second))
    return segments


@every_system
def test_errors_of_words(scored: dict[str, Any], recorded: Any, system: str) -> None:
    printed = _printed(recorded, system)
    for ours, theirs in zip(_found(scored, system), printed, strict=True):
        assert {error for error in ours if error[0][:3] != "ord"} == {
            error for error in theirs if error[0][:3] != "ord"
        }


@every_system
def test_errors_of_order(scored: dict[str, Any], recorded: Any, system: str) -> None:
    printed = _printed(recorded, system)
    for ours, theirs in zip(_found(scored, system), printed, strict=True):
        assert {error for error in ours if error[0][:3] == "ord"} == {
            error for error in theirs if error[0][:3] == "ord"
        }
