"""All features on real texts: a few segments of WMT21, parsed by link-parser, against a corpus of another year."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mtassay
from mtassay.data import read_lines
from mtassay.errors import MissingExtraError
from mtassay.learn import FEATURE_SETS, Resources, build_index, feature_matrix, likeness_matrices
from mtassay.verbs.annotate import annotate, annotate_texts

pytestmark = pytest.mark.skipif(shutil.which("link-parser") is None, reason="there is no program link-parser")

SEGMENTS = slice(100, 112)
SYSTEMS = ("Facebook-AI", "Online-G")


def test_all_features_have_values(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mtassay.text.annotate.store.cache_folder", lambda: tmp_path / "cache")
    whole = mtassay.load(data_dir / "wmt21" / "cs-en")
    testset = mtassay.TestSet(
        [stream[SEGMENTS] for stream in whole.references],
        {name: whole.systems[name][SEGMENTS] for name in SYSTEMS},
        reference_names=whole.reference_names,
    )
    parsed = annotate(testset, output=tmp_path / "trees", threads=2).texts
    assert all(found.full + found.partial + found.missing == 12 for found in parsed.values())
    assert sum(found.full for found in parsed.values()) > 12
    corpus = data_dir / "wmt13" / "cs-en" / "ref"
    annotate_texts({"corpus": read_lines(corpus)[:60]}, output=tmp_path / "bank", threads=2)
    build_index([corpus], tmp_path / "index", trees=[tmp_path / "bank" / "corpus.conllu"])
    resources = Resources(annotator="link-grammar", corpus=tmp_path / "index")
    try:
        values = feature_matrix(testset, "full", resources)
    except MissingExtraError as missing:
        pytest.skip(str(missing))
    assert values.shape == (2, 12, 53)
    n_missing = sum(parsed[name].missing for name in SYSTEMS)
    unparsed_references = max(parsed[name].missing for name in whole.reference_names)
    assert np.isnan(values).any(axis=-1).sum() <= n_missing + 2 * unparsed_references
    for name, column in zip(FEATURE_SETS["full"], np.moveaxis(values, -1, 0), strict=True):
        is_rare = name.startswith("treebank") or name == "corpus_precision_5"
        assert np.nanmax(column) > 0 or is_rare, name
        assert np.nanmin(column) >= 0, name
        if not name.startswith(("corpus_frequency", "length_ratio", "wer", "per")):
            assert np.nanmax(column) <= 1, name
    from_files = replace(resources, annotator=f"file:{tmp_path / 'trees'}")
    np.testing.assert_array_equal(feature_matrix(testset, "full", from_files), values)
    machines, people = likeness_matrices(testset, "full", resources)
    assert (machines.shape, people.shape) == ((2, 12, 53), (2, 12, 53))
