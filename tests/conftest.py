"""Where real data and the outputs of original tools are found, and how hypothesis runs."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

#: Scripts that tests run; no tests themselves.
collect_ignore = ["real/compare_mt_counts.py", "parity/sacrebleu_commands.py"]

_SHARED = Path(__file__).resolve().parents[2] / "shared"

settings.register_profile("mtassay", deadline=None, print_blob=True)
# With what random inputs every change is tried takes a part of CI's quarter of an hour; `make fuzz` tries many more.
settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True, max_examples=50)
# Under sanitizers Python itself is many times slower.
settings.register_profile("sanitize", deadline=None, print_blob=True, derandomize=True, max_examples=15)
settings.load_profile("mtassay")
# What a developer configured must not change what tests expect, nor what the commands they start print.
os.environ["MTASSAY_CONFIG"] = "none"


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts commands in the background with Ctrl-C ignored, and commands of tests would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _folder(variable: str, name: str) -> Path:
    folder = Path(os.environ.get(variable, str(_SHARED / name)))
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: set {variable} to where it lies")
    return folder


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Real evaluation data."""
    return _folder("MTASSAY_DATA", "data")


@pytest.fixture(scope="session")
def oracle_dir() -> Path:
    """Inputs with the outputs of the original tools."""
    return _folder("MTASSAY_ORACLES", "oracles")
