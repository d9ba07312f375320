"""Random and nearly valid n-best lists, weights, statistics and trees: something sound, or MtassayError."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import NBest, read_brackets, read_conllu, read_nbest, read_weights
from mtassay.data.candidate_lists import CandidateList
from mtassay.data.formats.annotation_files import open_annotations
from mtassay.data.formats.candidate_files import read_candidates
from mtassay.data.formats.mert_files import read_mert_features, read_mert_scores
from mtassay.errors import MtassayError

ODD = st.sampled_from(
    ["nan", "inf", "-inf", "1e999", "1e-999", "0x1", "1_0", "", " ", "=", ":", "|||", "\x00", "\u2028", "é", "9" * 5000]
)
NUMBER = st.one_of(st.integers(-3, 3).map(str), st.floats(allow_nan=False, width=32).map(repr), ODD)
FEATURE = st.tuples(st.sampled_from(["LM0=", "d:", "TM0=", "wp_x=", "", "a b="]), st.lists(NUMBER, max_size=3)).map(
    lambda parts: " ".join([parts[0], *parts[1]])
)
CANDIDATE = st.tuples(
    st.one_of(st.integers(-1, 3).map(str), ODD),
    st.one_of(st.text(max_size=5), st.sampled_from(["a b", "a |||"])),
    st.lists(FEATURE, max_size=3).map(" ".join),
    NUMBER,
)
NBESTS = st.lists(CANDIDATE.map(" ||| ".join), max_size=6).map("\n".join)
WEIGHTS = st.one_of(
    st.lists(
        st.tuples(st.sampled_from(["LM0", "LM0=", "[weight]", "{", '{"a":', "x y"]), NUMBER).map(" ".join), max_size=4
    ).map("\n".join),
    st.dictionaries(st.text(max_size=3), st.one_of(st.floats(), st.text(max_size=2), st.none())).map(repr),
)
STATISTICS = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "FEATURES_TXT_BEGIN_0 0 2 1 a",
                "FEATURES_TXT_END_0",
                "SCORES_TXT_BEGIN_0 0 2 9 BLEU",
                "SCORES_TXT_END_0",
                "SCORES_TXT_BEGIN_0",
            ]
        ),
        st.lists(NUMBER, max_size=10).map(" ".join),
    ),
    max_size=6,
).map("\n".join)
ROW = st.tuples(
    st.one_of(st.integers(0, 4).map(str), st.sampled_from(["1-2", "1.1", "x"])),
    *[st.sampled_from(["_", "a", "b", ""])] * 5,
    st.one_of(st.integers(-1, 4).map(str), st.just("_")),
    *[st.just("_")] * 3,
).map("\t".join)
CONLLU = st.lists(st.one_of(ROW, st.sampled_from(["", "# newpar", "# parse = missing", "# text = a"])), max_size=8).map(
    "\n".join
)
ROLES = st.lists(
    st.one_of(
        st.lists(
            st.sampled_from(
                ["a", "-", "*", "(V*)", "(A0*", "*)", "1", "2", "_", "0:", "1:", "[ARG0", "[TARGET", "]", "a|NN|a", "|"]
            ),
            max_size=16,
        ).flatmap(lambda cells: st.sampled_from([" ".join(cells), "\t".join(cells)])),
        st.just(""),
    ),
    max_size=5,
).map("\n".join)
BRACKETS = st.lists(st.text("()SNPVab \n\t", max_size=16), max_size=4).map("\n".join)


def check(reader: Callable[..., Any], folder: Path, content: str, *, suffix: str = "") -> Any:
    """What the reader gives, or None after an error fit for a user."""
    path = folder / f"file{suffix}"
    path.write_bytes(content.encode("utf-8", errors="surrogatepass"))
    try:
        return reader(path)
    except MtassayError as error:
        message = str(error)
    assert "\n" not in message
    return None


@given(NBESTS)
def test_nbest_lists(folder: Path, content: str) -> None:
    found = check(read_nbest, folder, content)
    assert found is None or (isinstance(found, NBest) and len(found) > 0)
    assert found is None or np.isfinite(found.values).all()


CANDIDATES = st.one_of(
    NBESTS,
    st.lists(st.tuples(st.text(max_size=3), NUMBER).map("\t".join) | st.just(""), max_size=5).map("\n".join),
    st.lists(
        st.fixed_dictionaries(
            {"candidates": st.lists(st.text(max_size=3) | st.none() | st.fixed_dictionaries({"text": st.text()}))},
            optional={
                "scores": st.lists(st.floats() | st.none(), max_size=2),
                "counts": st.lists(st.integers() | st.booleans(), max_size=2),
                "references": st.lists(st.text(max_size=3), max_size=2) | st.none(),
                "source": st.text(max_size=3) | st.integers(),
            },
        ).map(json.dumps),
        max_size=3,
    ).map("\n".join),
)


@given(CANDIDATES, st.sampled_from([None, None, "moses", "jsonl", "lines"]), st.sampled_from([None, None, 1, 2]))
def test_candidates(folder: Path, content: str, form: str | None, per_segment: int | None) -> None:
    def read(path: Path) -> list[CandidateList]:
        return list(read_candidates(path, file_format=form, per_segment=per_segment))

    found = check(read, folder, content)
    assert found is None or all(len(one.texts) > 0 for one in found)


@given(WEIGHTS)
def test_weights(folder: Path, content: str) -> None:
    found = check(read_weights, folder, content)
    assert found is None or all(np.isfinite(np.asarray(value, dtype=float)).all() for value in found.values())


@given(STATISTICS)
def test_statistics_of_mert(folder: Path, content: str) -> None:
    check(read_mert_features, folder, content)
    check(read_mert_scores, folder, content)


@given(st.one_of(CONLLU, BRACKETS, st.text(max_size=20)))
def test_trees(folder: Path, content: str) -> None:
    check(read_conllu, folder, content)
    check(read_brackets, folder, content)


@given(st.one_of(ROLES, st.text(max_size=40)), st.sampled_from([".fact", ".conll05", ".conll09", ".assert"]))
def test_words_and_roles(folder: Path, content: str, suffix: str) -> None:
    check(open_annotations, folder, content, suffix=suffix)
