"""The time to read a file grows with its size, however it is shaped: many columns, systems, features, long names."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mtassay.data import TestSet, load, load_judgements, read_nbest, read_scores
from mtassay.errors import InputError, MtassayError, did_you_mean

N = 100_000
#: Seconds. Reading takes two or less on a slow machine; comparing all pairs of columns took minutes.
PATIENCE = 20
NAMES = [f"system{number}" for number in range(N)]
TEXTS = {
    "set.tsv": "ref\t" + "\t".join(NAMES) + "\na b" + "\ta" * N + "\n",
    "references.tsv": "\t".join(f"ref:{name}" for name in NAMES) + "\na b" + "\ta" * (N - 1) + "\n",
    "twice.tsv": "ref\t" + "\t".join([*NAMES, NAMES[-1]]) + "\na b" + "\ta" * (N + 1) + "\n",
    "set.jsonl": '{"ref": "a", "tgt": {' + ", ".join(f'"{name}": ""' for name in NAMES) + "}}\n",
    "twice.jsonl": '{"ref": "a", "tgt": {' + ", ".join(f'"{name}": ""' for name in [*NAMES, NAMES[-1]]) + "}}\n",
    "scores.tsv": "segment\t" + "\t".join(NAMES) + "\n1" + "\t1" * N + "\n",
    "twice.scores.tsv": "segment\t" + "\t".join([*NAMES, NAMES[-1]]) + "\n1" + "\t1" * (N + 1) + "\n",
    "judged.tsv": "system\tsegment\tscore\t" + "\t".join([*NAMES, NAMES[-1]]) + "\n",
    "list.nbest": "0 ||| a ||| " + " ".join(f"{name}= 1" for name in [*NAMES, NAMES[-1]]) + " ||| 1\n",
}


@pytest.mark.slow
def test_many_columns(tmp_path: Path) -> None:
    def read(reader: Callable[[Path], object], name: str) -> object:
        (tmp_path / name).write_text(TEXTS[name], encoding="utf-8")
        begin = time.process_time()
        try:
            return reader(tmp_path / name)
        except InputError as error:
            return str(error).removeprefix(str(tmp_path))
        finally:
            assert time.process_time() - begin < PATIENCE, name

    for name in ("set.tsv", "set.jsonl"):
        testset = read(load, name)
        assert isinstance(testset, TestSet)
        assert list(testset.systems) == NAMES
    references = read(load, "references.tsv")
    assert isinstance(references, TestSet)
    assert references.n_references == N
    assert (
        read(load, "twice.tsv")
        == f"/twice.tsv, line 1: two columns are named '{NAMES[-1]}'; give each a name of its own"
    )
    assert read(load, "twice.jsonl") == f"/twice.jsonl, line 1: '{NAMES[-1]}' is given twice in one object"
    assert len(read(lambda path: read_scores(path).rows, "scores.tsv")) == N  # type: ignore[arg-type]
    assert f"column {N + 2} has the same name '{NAMES[-1]}' as another column" in str(
        read(read_scores, "twice.scores.tsv")
    )
    assert f"column {N + 4} has the same name '{NAMES[-1]}' as another column" in str(
        read(load_judgements, "judged.tsv")
    )
    assert f"feature '{NAMES[-1]}_0' occurs twice" in str(read(read_nbest, "list.nbest"))


def test_hints_of_many_names_and_of_long_ones() -> None:
    begin = time.process_time()
    assert did_you_mean("sistem17", NAMES) == "; did you mean 'system17'?"
    assert did_you_mean("x" * 10_000_000, NAMES) == ""
    with pytest.raises(InputError, match="did you mean"):
        TestSet([["a"]], dict.fromkeys(NAMES, ("a",))).select(systems=["sistem17"])
    assert time.process_time() - begin < PATIENCE


def test_messages_are_not_endless() -> None:
    message = str(MtassayError(f"it has: {', '.join(NAMES)} (the end)"))
    assert len(message) < 5000
    assert message.startswith("it has: system0, system1, ")
    assert message.endswith("system99999 (the end)")
