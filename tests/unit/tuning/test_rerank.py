"""Weights applied to lists, and lists written so that they are read again as they were."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.formats.nbest_reading import read_nbest
from mtassay.data.formats.nbest_writing import nbest_lines
from mtassay.data.nbest import NBest
from mtassay.errors import InputError
from mtassay.tuning.rerank import rerank


def written(nbest: NBest) -> list[str]:
    return list(nbest_lines(nbest, np.zeros(len(nbest)), np.arange(len(nbest))))


def read(path: Path, *lines: str) -> NBest:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return read_nbest(path)


def test_the_best_first_and_ties_in_order(tmp_path: Path) -> None:
    nbest = read(
        tmp_path / "list",
        "0 ||| a ||| LM= 1 TM= 2 0 ||| 9",
        "0 ||| b ||| LM= 3 TM= 0 0 ||| 8",
        "0 ||| c ||| LM= 1 TM= 0 4 ||| 7",
        "1 ||| d ||| LM= -1 TM= -1 -1 ||| 6",
    )
    found = rerank(nbest, {"LM_0": 1.0, "TM_0": 0.5, "TM_1": 0.5})
    assert found.scores.tolist() == [2, 3, 3, -2]
    assert found.texts == ("b", "d")
    assert found.order.tolist() == [1, 2, 0, 3]
    assert found.n_misplaced() == 1
    lines = list(nbest_lines(nbest, found.scores, found.order))
    assert lines[0] == "0 ||| b ||| LM= 3 TM= 0 0 ||| 3"
    assert lines[-1] == "1 ||| d ||| LM= -1 TM= -1 -1 ||| -2"


def test_weights_must_be_those_of_the_features(tmp_path: Path) -> None:
    nbest = read(tmp_path / "list", "0 ||| a ||| LM= 1 W= 2 ||| 9")
    with pytest.raises(InputError, match="no weight of feature 'W_0'"):
        rerank(nbest, {"LM_0": 1.0})
    with pytest.raises(InputError, match="no feature named 'W_1'; did you mean 'W_0'"):
        rerank(nbest, {"LM_0": 1.0, "W_1": 1.0})


@given(
    st.lists(st.lists(st.floats(-1e9, 1e9), min_size=6, max_size=6), min_size=1, max_size=8),
    st.sampled_from(
        ["{} {} {} {} {} {}", "LM= {} TM= {} {} {} W= {} {}", "lm={} tm_pt_0={} tm_pt_1={} a={} b={} c={}"]
    ),
)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[float]], form: str
) -> None:
    path = tmp_path_factory.mktemp("lists") / "list"
    lines = [f"{n // 3} ||| text {n} ||| {form.format(*map(repr, row))} ||| 0" for n, row in enumerate(rows)]
    nbest = read(path, *lines)
    again = read(path, *written(nbest))
    assert again.features == nbest.features
    assert again.optional == nbest.optional
    assert again.texts == nbest.texts
    assert np.array_equal(again.values, nbest.values)
    assert np.array_equal(again.offsets, nbest.offsets)


def test_compressed_lists(tmp_path: Path) -> None:
    path = tmp_path / "list.gz"
    path.write_bytes(gzip.compress(b"0 ||| a ||| 1 2 ||| 9\n"))
    assert rerank(read_nbest(path), {"F0": 1.0, "F1": 1.0}).scores.tolist() == [3]
