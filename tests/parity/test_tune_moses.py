"""Moses' extractor and mert: the same statistics, and weights that are at least as good."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from mtassay.data import read_nbest
from mtassay.data.formats.mert_files import read_mert_features, read_mert_scores
from mtassay.data.formats.weights import read_weights
from mtassay.metrics import parse
from mtassay.tuning.candidates import Candidates, Pool, candidates_of, candidates_of_mert
from mtassay.tuning.mert import mert
from mtassay.tuning.mira import mira

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

#: Statistics of BLEU in the order of the extractor.
MERT_COLUMNS = [*(f"{what}_{n}" for n in range(1, 5) for what in ("correct", "total")), "ref_len"]

#: Objectives of the toolkit, and what Moses' own BLEU is here.
OBJECTIVES = ["bleu:tok=none", "RAC1:tok=none", "PABC4:tok=none", "ter", "chrf", "meteor", "0.5*bleu-0.5*ter"]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def _sentences(lines: list[str]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Of every sentence the headings of features and statistics, and the candidates, sorted.

    The extractor moves a candidate from the end of the list to the place of one that it drops.
    """
    blocks: dict[str, list[list[str]]] = {"FEATURES": [], "SCORES": []}
    for line in lines:
        kind = line.split("_TXT_")[0]
        if "_TXT_BEGIN_" in line:
            blocks[kind].append(block := [line])
        elif "_TXT_END_" not in line:
            block.append(line)
    return [
        (features[0], scores[0], sorted(zip(features[1:], scores[1:], strict=True)))
        for features, scores in zip(blocks["FEATURES"], blocks["SCORES"], strict=True)
    ]


def _blocks(kind: str, names: str, values: np.ndarray, offsets: np.ndarray) -> list[str]:
    """Lines as the extractor writes them, six significant digits."""
    lines = []
    for sentence, (first, end) in enumerate(pairwise(offsets.tolist())):
        lines.append(f"{kind}_TXT_BEGIN_0 {sentence} {end - first} {values.shape[1]} {names}")
        lines += ["".join(f"{value:g} " for value in row) for row in values[first:end].tolist()]
        lines.append(f"{kind}_TXT_END_0")
    return lines


def test_statistics_of_the_extractor(data_dir: Path) -> None:
    """Features and statistics after each of five iterations, character by character."""
    folder = data_dir / "nbest" / "regtest" / "mert.extractor-txt"
    truth = [re.sub(r"^STDOUT_\d+=", "", line) for line in _lines(folder / "truth" / "results.txt")]
    pool = Pool(parse("bleu:tok=none"), [_lines(folder / "data" / "reference")])
    columns = [pool.metric.columns.index(name) for name in MERT_COLUMNS]
    lines = []
    for iteration in range(1, 6):
        pool.add(read_nbest(folder / "data" / f"nbest.{iteration}.gz"))
        found, nbest = pool.candidates(), pool.nbest
        assert nbest is not None
        names = "".join(f"{name} " for name in found.names)
        lines += _blocks("FEATURES", names, nbest.values, found.offsets)
        lines += _blocks("SCORES", "BLEU", found.statistics[:, columns], found.offsets)
    expected = [line for line in truth if not line.startswith("TOTAL_WALLTIME")]
    assert len(lines) == len(expected) == 29906
    assert lines[:2040] == expected[:2040]  # the first iteration, in which nothing is dropped, in order
    assert _sentences(lines) == _sentences(expected)


def test_mert_basic(data_dir: Path) -> None:
    folder = data_dir / "nbest" / "regtest" / "mert.basic"
    truth = (folder / "truth" / "results.txt").read_text(encoding="utf-8")
    weights, best = re.findall(r"Best point: (.*)  => (\S+)", truth)[0]
    features = read_mert_features(folder / "data" / "FEATSTAT.txt")
    candidates = candidates_of_mert(features, read_mert_scores(folder / "data" / "SCORESTAT.txt", features))
    theirs = dict(zip(features.names, map(float, weights.split()), strict=True))
    assert candidates.score(theirs) / 100 == pytest.approx(float(best), abs=5e-7)
    start = read_weights(folder / "data" / "INIT", features.names)
    assert mert(candidates, start).after / 100 >= float(best)


@pytest.fixture(scope="module")
def newstest(oracle_dir: Path) -> Candidates:
    text = oracle_dir / "newstest2009-200" / "text"
    references = [_lines(text / f"ref{r}.tok") for r in range(2)]
    return candidates_of(read_nbest(text / "nbest.txt"), references, parse("bleu:tok=none"))


def test_scores_that_mert_printed(newstest: Candidates, recorded: Any) -> None:
    points = recorded.rows("moses-tuning", program="mert")
    assert len(points) == 3
    for row in points:
        point = dict(zip(newstest.names, map(float, row["weights"].split()), strict=True))
        assert newstest.score(point) / 100 == pytest.approx(float(row["bleu"]), abs=5e-6)


def test_mert_reaches_the_best_of_the_original(newstest: Candidates) -> None:
    assert mert(newstest, restarts=20).after / 100 >= 0.3810945


def test_mira_comes_near_the_original(newstest: Candidates, recorded: Any) -> None:
    (row,) = recorded.rows("moses-tuning", program="kbmira")
    theirs = [float(weight) for weight in row["weights"].split()]
    original = newstest.score(dict(zip(newstest.names, theirs, strict=True)))
    assert mira(newstest).after > original - 0.25


def test_objectives_started_from_each_others_optimum(data_dir: Path) -> None:
    folder = data_dir / "nbest" / "test_scorer_data"
    nbest, references = read_nbest(folder / "nbest.out"), [_lines(folder / "reference.txt")[:100]]
    assert (nbest.n_sentences, len(nbest.features)) == (100, 15)
    problems = {spec: candidates_of(nbest, references, parse(spec)) for spec in OBJECTIVES}
    optima = {spec: mert(problem, restarts=0) for spec, problem in problems.items()}
    for spec, problem in problems.items():
        sign = problem.metric.sign
        assert sign * optima[spec].after > sign * optima[spec].before
        found = [mert(problem, optimum.weights, restarts=0, random_directions=2) for optimum in optima.values()]
        for result in found:
            assert sign * result.after >= sign * result.before
        best = max(sign * result.after for result in found)
        assert best >= sign * optima[spec].after
        assert best >= max(sign * problem.score(optimum.weights) for optimum in optima.values())
