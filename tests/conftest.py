"""Where real data and the outputs of original tools are found, and how hypothesis runs."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PosixPath
from typing import TYPE_CHECKING, Any, Self

import pytest
from hypothesis import settings
from real_data import COMMAND, data_folder
from real_data.folder import oracle_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed import StrPath

#: Scripts that tests run; no tests themselves.
collect_ignore = ["real/compare_mt_counts.py", "parity/sacrebleu_commands.py"]

_EXPECTED = Path(__file__).resolve().parent / "expected"
#: How the reason of a test that is skipped for want of data begins.
_NO_DATA = "no data: "

settings.register_profile("mtassay", deadline=None, print_blob=True)
# Random inputs take much of the time of tests: `make test` tries a few, CI more, `make fuzz` very many.
settings.register_profile("test", deadline=None, print_blob=True, derandomize=True, max_examples=20)
settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True, max_examples=50)
# Under sanitizers Python itself is many times slower.
settings.register_profile("sanitize", deadline=None, print_blob=True, derandomize=True, max_examples=15)
settings.load_profile("mtassay")
# What a developer configured must not change what tests expect, nor what the commands they start print.
os.environ["MTASSAY_CONFIG"] = "none"


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts commands in the background with Ctrl-C ignored, and commands of tests would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _closed_pipes_raise() -> Iterator[None]:
    """No test may make a closed pipe end the process, which would end a later test without a word."""
    yield
    assert signal.signal(signal.SIGPIPE, signal.SIG_IGN) is signal.SIG_IGN


class DataFolder(PosixPath):
    """The data folder; a path to a data set that has not been built skips the test."""

    def __truediv__(self, key: StrPath) -> Self:
        name = Path(key).parts[0]
        if self == data_folder() and not super().__truediv__(name).is_dir():
            pytest.skip(f'{_NO_DATA}{COMMAND} SETS="{name}"')
        return super().__truediv__(key)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Real evaluation data."""
    return DataFolder(data_folder())


@pytest.fixture(scope="session")
def oracle_dir() -> Path:
    """Texts and annotations that the original tools were given."""
    folder = oracle_folder(data_folder())
    if not folder.is_dir():
        pytest.skip(f'{_NO_DATA}{COMMAND} SETS="oracles"')
    return folder


class Recorded:
    """What the original tools printed: the tables of tests/expected, whose README describes them."""

    def rows(self, table: str, **where: object) -> list[dict[str, str]]:
        """Rows of a table whose columns have the values given."""
        wanted = {column: str(value) for column, value in where.items()}
        found = [row for row in _table(table) if wanted.items() <= row.items()]
        assert found, f"{table} has no row with {wanted}"
        return found

    def numbers(self, table: str, column: str, **where: object) -> list[float]:
        """A column of those rows."""
        return [float(row[column]) for row in self.rows(table, **where)]

    def metaeval(self) -> list[dict[str, Any]]:
        """Expected values of meta-evaluation; in that table three columns are JSON."""
        return [
            row | {column: json.loads(row[column]) for column in ("metrics", "options", "value")}
            for row in self.rows("metaeval")
        ]

    @staticmethod
    def digest(words: Iterable[str]) -> str:
        """What stands for words in the tables, which hold no texts."""
        return hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]


@cache
def _table(name: str) -> list[dict[str, str]]:
    with gzip.open(_EXPECTED / f"{name}.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="session")
def recorded() -> Recorded:
    """What the original tools printed."""
    return Recorded()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say at the very end how many tests were skipped for want of data, and how to get them."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    skipped = [report for report in reporter.stats.get("skipped", ()) if _NO_DATA in str(report.longrepr)]
    if skipped:
        reporter.write_line(f"tests skipped for want of data: {len(skipped):,}; get the data with: {COMMAND}")


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
