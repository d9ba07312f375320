"""MEANT on outputs of WMT13, with frames from link-grammar's trees."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mtassay
from mtassay.verbs.annotate import annotate

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("link-parser") is None, reason="there is no program link-parser")

SEGMENTS = slice(100, 115)
SYSTEMS = ("online-A", "online-B", "rbmt-1")


def test_frames_from_trees(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mtassay.text.annotate.store.cache_folder", lambda: tmp_path / "cache")
    folder = data_dir / "wmt13" / "fr-en"
    whole = mtassay.load(folder)
    references = [stream[SEGMENTS] for stream in whole.references]
    systems = {name: whole.systems[name][SEGMENTS] for name in SYSTEMS}
    itself = [text or "" for text in references[0]]
    testset = mtassay.TestSet(references, {**systems, "itself": itself})
    specs = [f"{name}:annotator=link-grammar,roles=dependencies" for name in ("meant", "umeant")]
    scored = mtassay.score(testset, metrics=specs)
    scores = scored.segment_scores()
    np.testing.assert_allclose(scores[-1], 1.0)
    assert ((scores[:-1] >= 0) & (scores[:-1] < 1.0 + 1e-12)).all()
    assert (scores[:-1].mean(axis=1) > 0.1).all()
    assert (scores[:-1].mean(axis=1) < 0.8).all()
    # Trees from files give the same, and threads change nothing.
    annotate(testset, output=tmp_path / "trees", threads=2)
    from_files = [spec.replace("link-grammar", f"file:{tmp_path / 'trees'}") for spec in specs]
    again = mtassay.score(testset, metrics=from_files, threads=2)
    np.testing.assert_array_equal(again.segment_scores(), scores)
