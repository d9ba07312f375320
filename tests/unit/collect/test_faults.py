"""Judges at work while the server is killed, the disk is full and the clock is moved: nothing is lost or doubled.

A small run of ``benchmarks/judging.py``, which measures speed, too.
"""

from __future__ import annotations

import asyncio
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'mtassay[judge]'")


def _benchmark() -> Any:
    path = Path(__file__).parents[3] / "benchmarks" / "judging.py"
    spec = spec_from_file_location("judging_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look it up
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits and kills another process")
def test_every_acknowledged_answer_is_stored_once(tmp_path: Path) -> None:
    random.seed(3)
    job = _benchmark().run(tmp_path, n_judges=20, n_answers=15, kills=3, other_faults=True)
    with ThreadPoolExecutor(1) as thread:  # Playwright keeps an event loop in the main thread of a worker
        found = thread.submit(asyncio.run, job).result()
    assert found["acknowledged"] == found["stored"] == found["counted by leases"] == 300
    assert (found["lost"], found["twice"], found["intact"]) == (0, 0, 1)
    assert found["megabytes"] < 100
