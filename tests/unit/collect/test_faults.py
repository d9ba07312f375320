"""Judges at work while the server is killed, the disk is full and the clock is moved: nothing is lost or doubled.

A small run of ``benchmarks/judging.py``, which measures speed, too.
"""

from __future__ import annotations

import asyncio
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from scripts import load_script

pytest.importorskip("starlette", reason="no Starlette: pip install 'mtassay[judge]'")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits and kills another process")
def test_every_acknowledged_answer_is_stored_once(tmp_path: Path) -> None:
    random.seed(3)
    job = load_script("benchmarks/judging.py").run(tmp_path, n_judges=20, n_answers=15, kills=3, other_faults=True)
    with ThreadPoolExecutor(1) as thread:  # Playwright keeps an event loop in the main thread of a worker
        found = thread.submit(asyncio.run, job).result()
    assert found["acknowledged"] == found["stored"] == found["counted by leases"] == 300
    assert (found["lost"], found["twice"], found["intact"]) == (0, 0, 1)
    assert found["megabytes"] < 100
