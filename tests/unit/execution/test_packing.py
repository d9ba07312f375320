from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from mtassay.execution.packing import fingerprint, pack, unpack
from mtassay.tuning.mbr import MbrCandidate, MbrSegment


@pytest.mark.parametrize(
    "value",
    [
        None,
        (1, 2.5, "ä\udcff", True, None, float("inf")),
        [{"a": (1,), 2: []}],
        {"nested": [{"x"}, frozenset({"y", "z"})]},
        MbrSegment((MbrCandidate("a", 0, 0.1 + 0.2),), 1, 2, 3),
    ],
)
def test_values_come_back(value: object) -> None:
    found = unpack(pack(value))
    assert found == value
    assert type(found) is type(value)


def test_arrays_come_back() -> None:
    given = [np.arange(6, dtype=np.int32).reshape(2, 3), np.array([0.1, np.nan]), np.zeros((0, 4), dtype=bool)]
    found = unpack(pack(tuple(given)))
    for one, other in zip(given, found, strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
    number = unpack(pack(np.float64(0.1)))
    assert type(number) is np.float64
    assert number == 0.1


def test_other_objects_are_refused() -> None:
    with pytest.raises(TypeError, match="cannot be packed"):
        pack(object())


def test_fingerprints_depend_on_values_alone() -> None:
    text = "a" * 50
    assert fingerprint([text, text]) == fingerprint(["a" * 50, "".join(["a"] * 50)])
    assert fingerprint([text, text]) != fingerprint([text, text, text])
    assert fingerprint(np.arange(3)) != fingerprint(np.arange(3.0))


def test_fingerprints_are_the_same_in_every_process() -> None:
    script = "from mtassay.execution.packing import fingerprint; print(fingerprint(('x', 'y'), {'a': 1}))"
    found = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert found == {fingerprint(("x", "y"), {"a": 1}) + "\n"}
