"""Hjerson: every word's class and all totals as the original prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.data.annotations import LEMMAS, Annotations
from mtassay.kernels.hjerson import CLASSES
from mtassay.metrics import References, parse
from mtassay.metrics.core.references import Texts

if TYPE_CHECKING:
    from pathlib import Path

#: Names in the original's output.
_TOTALS = {"Wer": "wer", "Rper": "rper", "Hper": "hper", "MISer": "r_miss", "EXTer": "h_ext"}
for _side in ("ref", "hyp"):
    for _name, _ours in (("INFer", "infl"), ("Rer", "reord"), ("LEXer", "lex")):
        _TOTALS[_side + _name] = f"{_side[0]}_{_ours}"
_TOTALS |= {f"b{name}": f"{ours}_blocks" for name, ours in _TOTALS.items() if ours[1] == "_"}
_SUMS = {"SUMerr": "hjerson", "bSUMerr": "hjerson:blocks=yes", "rbSUMerr": "hjerson:blocks=reord"}


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def _printed(recorded: Any, **where: str) -> dict[str, tuple[int, float]]:
    rows = recorded.rows("hjerson-totals", **where)
    return {row["error"]: (int(row["count"]), float(row["percent"])) for row in rows}


@pytest.fixture(scope="module")
def scored(oracle_dir: Path, oracle_annotator: Any) -> dict[str, Any]:
    folder = oracle_dir / "linguistic" / "hjerson"
    texts = {side: _lines(folder / f"{side}.tok") for side in ("jhu", "ref")}
    for side, lines in texts.items():
        for text, lemmas in zip(lines, _lines(folder / f"{side}.lem"), strict=True):
            layers = frozenset({LEMMAS})
            words, bases = tuple(text.split()), tuple(lemmas.split())
            oracle_annotator.known[text] = Annotations(words=words, lemmas=bases, layers=layers)
    scorer = parse("hjerson:annotator=oracle").prepare(References([texts["ref"]]))
    return {"scorer": scorer, "hypotheses": Texts(texts["jhu"])}


def test_every_word_has_the_class_of_the_original(scored: dict[str, Any], recorded: Any) -> None:
    references, hypotheses = (recorded.rows("hjerson-words", side=side) for side in ("ref", "hyp"))
    assert len(references) == 3000
    for segment, (ref, hyp) in enumerate(zip(references, hypotheses, strict=True)):
        found = scored["scorer"].classify(scored["hypotheses"], segment)
        for words, classes, wanted in (
            (found.hypothesis_words, found.hypothesis_classes, hyp),
            (found.reference_words, found.reference_classes, ref),
        ):
            assert [CLASSES[number] for number in classes] == wanted["classes"].split()
            assert recorded.digest(words) == wanted["words_digest"]


def test_totals_of_the_original(scored: dict[str, Any], recorded: Any) -> None:
    metric = scored["scorer"].metric
    totals = scored["scorer"].statistics(scored["hypotheses"]).sum(axis=0)
    printed = _printed(recorded, input="wmt13-fr-en")
    ours = {name: totals[metric.columns.index(column)] for name, column in _TOTALS.items()}
    assert ours == {name: printed[name][0] for name in _TOTALS}
    for name, spec in _SUMS.items():
        assert f"{parse(spec).score(totals):.2f}" == f"{printed[name][1]:.2f}"


@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
def test_first_four_letters_where_there_are_no_lemmas(oracle_dir: Path, recorded: Any, system: str) -> None:
    folder = oracle_dir / "newstest2009-200"
    references, hypotheses = (_lines(folder / "text" / f"{name}.tok") for name in ("ref0", system))
    metric = parse("hjerson:tok=none")
    rows = metric.prepare(References([references])).statistics(hypotheses)
    printed = _printed(recorded, input=folder.name, system=system)
    totals = rows.sum(axis=0)
    assert {name: totals[metric.columns.index(column)] for name, column in _TOTALS.items()} == {
        name: printed[name][0] for name in _TOTALS
    }
    segments = recorded.numbers("hjerson-segments", "percent", system=system)
    np.testing.assert_allclose(metric.segment_score(rows), segments, atol=0.0051)
    for name, spec in _SUMS.items():
        assert f"{parse(spec).score(totals):.2f}" == f"{printed[name][1]:.2f}"
