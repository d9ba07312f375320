"""DEPREF on WMT13 fr-en and cs-en, with trees of link-grammar where the references were annotated before."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import spearmanr

from mtassay.data.formats.lines import read_lines
from mtassay.metrics import References, build_tables, parse
from mtassay.stats.kendall import preference_counts
from mtassay.text.annotate import get_annotator
from mtassay.text.annotate.store import AnnotationStore

if TYPE_CHECKING:
    from pathlib import Path

#: τ of the F-measure of words alone that a probe with other tokens found, and what WMT13 published for DEPREF-exact.
WORDS = {"fr-en": 0.233, "cs-en": 0.209}
PUBLISHED = {"fr-en": 0.258, "cs-en": 0.227}
SPECS = ("depref-exact:annotator=link-grammar", "depref-align:annotator=link-grammar")


@pytest.fixture(scope="module")
def folder(data_dir: Path) -> Path:
    folder = data_dir / "wmt13"
    if shutil.which("link-parser") is None:
        pytest.skip("there is no program link-parser")
    texts = {text.strip() for text in read_lines(folder / "fr-en" / "ref")} - {""}
    if len(AnnotationStore(get_annotator("link-grammar")).read(texts)) < len(texts):
        pytest.skip("takes ten minutes the first time: mtassay annotate --texts wmt13/fr-en/ref -o FOLDER")
    return folder


@pytest.mark.parametrize("direction", ["fr-en", "cs-en"])
@pytest.mark.parametrize("spec", SPECS)
def test_human_preferences(folder: Path, direction: str, spec: str) -> None:
    pytest.importorskip("pycocoevalcap" if "align" in spec else "mtassay")
    rows = [line.split("\t") for line in read_lines(folder / direction / "pairs.tsv")]
    names = sorted({name for row in rows for name in row[1:3]})
    systems = {name: tuple(read_lines(folder / direction / "hyp" / name)) for name in names}
    segment = np.array([int(row[0]) - 1 for row in rows])
    better, worse = (np.array([names.index(row[column]) for row in rows]) for column in (1, 2))
    [table] = build_tables(References([read_lines(folder / direction / "ref")]), systems, [parse(spec)])
    tau = preference_counts((segment, better, worse), table.segment_scores()[None]).tau("wmt13")[0]
    assert WORDS[direction] < tau
    assert tau == pytest.approx(PUBLISHED[direction], abs=0.02)
    wins = np.bincount(better, minlength=len(names)) / np.bincount(np.r_[better, worse], minlength=len(names))
    assert spearmanr(table.scores(), wins).statistic > 0.85
