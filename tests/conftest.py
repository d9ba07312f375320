"""Where real data and the outputs of original tools are found, and how hypothesis runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
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


class ClusterProcesses:
    """A scheduler and workers of Dask on this machine, each started by hand.

    Args:
        folder: where their files lie.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self._all: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(self.file), "--no-dashboard")
        deadline = time.monotonic() + 60
        while not self.file.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def worker(self, *options: str) -> subprocess.Popen[bytes]:
        """Start a worker of one thread, without the process that would start it again."""
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--scheduler-file", str(self.file), *options)
        return self._start("worker", *options)

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        jobs = str(Path(__file__).parent / "unit" / "execution")
        settings = {
            "PYTHONPATH": os.pathsep.join(filter(None, [jobs, os.environ.get("PYTHONPATH")])),
            # A worker that does not answer for four seconds is given up.
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "4s",
        }
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--host", "127.0.0.1", *options]
        started = subprocess.Popen(
            command, cwd=self.folder, env=os.environ | settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._all.append(started)
        return started

    def end(self) -> None:
        """End all of them."""
        for process in self._all:
            process.kill()
        for process in self._all:
            process.wait()


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[ClusterProcesses]:
    """A scheduler without workers."""
    pytest.importorskip("distributed")
    started = ClusterProcesses(tmp_path)
    yield started
    started.end()
