"""Jobs on real schedulers and workers, in processes on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from importlib import import_module
from itertools import islice
from operator import add, eq
from pathlib import Path
from typing import Any

import pytest

from mtassay.cli.main import main
from mtassay.errors import InputError, MissingExtraError
from mtassay.execution.cluster import Cluster, ClusterError
from mtassay.sample import sample_path

pytest.importorskip("distributed")


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Functions that workers can import, too."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return import_module("cluster_jobs")


@pytest.mark.parametrize("address", ["local:0", "local:x", "local:", "no-such-file", "", "tcp:/x"])
def test_a_wrong_address_is_one_line(address: str) -> None:
    with pytest.raises(InputError, match="local:N"):
        Cluster(address)


def test_no_scheduler_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mtassay.execution.cluster._PATIENCE", 1)
    with Cluster("tcp://127.0.0.1:9") as cluster, pytest.raises(ClusterError, match="no scheduler answers"):
        list(cluster.map_chunks(add, range(2), shared=1))


@pytest.mark.parametrize("address", ["tls://127.0.0.1:9", "tcp://127.0.0.1:port", "tcp://"])
def test_addresses_that_cannot_be_used_end_at_once_in_one_line(address: str) -> None:
    job = subprocess.run(
        [sys.executable, "-m", "mtassay", "score", str(sample_path()), "--cluster", address],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (job.returncode, job.stdout, job.stderr.count("\n")) == (2, "", 1)
    assert job.stderr.startswith(f"mtassay: no scheduler answers at {address}: ")


def test_no_worker_is_one_line(processes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mtassay.execution.cluster._WORKER_PATIENCE", 1)
    with Cluster(str(processes.file)) as cluster, pytest.raises(ClusterError, match="has no worker after"):
        list(cluster.map_chunks(add, range(2), shared=1))


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"mtassay\[cluster\]"):
        list(Cluster("local:1").map_chunks(add, range(2), shared=1))


def test_local_workers(jobs: Any) -> None:
    shown = []

    def progress(items: Any) -> Any:
        for item in items:
            shown.append(item)
            yield item

    with Cluster("local:2", progress=progress) as cluster:
        assert list(cluster.map_chunks(jobs.square, range(30), shared=0.0)) == [n * n for n in range(30)]
        assert shown == list(range(30))
        assert cluster.dashboard_link.startswith("http://127.0.0.1:")
        # Many items are taken a few at a time, and what was submitted is cancelled if the rest is not wanted.
        many = iter(range(10**6))
        results = cluster.map_chunks(add, many, shared=1)
        assert list(islice(results, 20)) == list(range(1, 21))
        results.close()  # type: ignore[attr-defined]
        assert next(many) < 100
        with pytest.raises(InputError, match=r"^ref\.txt, line 7: bad$"):
            list(cluster.map_chunks(jobs.refuse, range(20), shared=7))
    assert threading.active_count() < 10


def test_large_chunks_are_sent_without_a_warning_of_dask(processes: Any) -> None:
    processes.worker()
    large = bytes(11 << 20)
    with Cluster(str(processes.file)) as cluster:
        assert list(cluster.map_chunks(eq, [large, b""], shared=large)) == [True, False]


@pytest.mark.slow
def test_a_chunk_that_ends_every_worker_is_given_up(jobs: Any) -> None:
    with Cluster("local:1") as cluster, pytest.raises(ClusterError, match="workers may lack memory"):
        list(cluster.map_chunks(jobs.die, range(3), shared=1))


@pytest.mark.slow
def test_a_worker_above_its_memory_limit_changes_nothing(processes: Any, jobs: Any, tmp_path: Path) -> None:
    """Dask's nanny ends the worker, and starts another one."""
    processes.worker("--nanny", "--memory-limit", "400MiB")
    with Cluster(str(processes.file)) as cluster:
        found = list(cluster.map_chunks(jobs.fill_memory, range(12), shared=str(tmp_path)))
    assert found == [n * n for n in range(12)]
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "tried").read_text(encoding="ascii")), 0)


def test_a_worker_that_is_killed_changes_nothing(processes: Any, jobs: Any) -> None:
    workers = [processes.worker(), processes.worker()]
    with Cluster(str(processes.file)) as cluster:
        cluster.connection.client.wait_for_workers(2, timeout=30)
        results = cluster.map_chunks(jobs.square, range(60), shared=0.02)
        found = list(islice(results, 10))
        workers[0].kill()
        assert found + list(results) == [n * n for n in range(60)]


@pytest.mark.slow
def test_a_worker_that_is_paused_changes_nothing(processes: Any, jobs: Any) -> None:
    workers = [processes.worker(), processes.worker()]
    with Cluster(str(processes.file)) as cluster:
        cluster.connection.client.wait_for_workers(2, timeout=30)
        results = cluster.map_chunks(jobs.square, range(40), shared=0.02)
        found = list(islice(results, 5))
        workers[1].send_signal(signal.SIGSTOP)
        assert found + list(results) == [n * n for n in range(40)]


@pytest.mark.slow
def test_a_scheduler_that_is_killed_is_one_line_and_the_job_goes_on(
    processes: Any, jobs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mtassay.execution.cluster._PATIENCE", 2)
    processes.worker()
    kept = tmp_path / "kept"
    with Cluster(str(processes.file), resume=kept) as cluster:
        results = cluster.map_chunks(jobs.square, range(40), shared=0.05)
        assert list(islice(results, 5)) == [0, 1, 4, 9, 16]
        processes.scheduler.kill()
        with pytest.raises(ClusterError, match=r"is gone; start it again \(with --resume DIR"):
            list(results)
    n_kept = len(list(kept.glob("*.chunk")))
    assert 5 <= n_kept < 40
    with Cluster("local:1", resume=kept) as cluster:
        assert list(cluster.map_chunks(jobs.square, range(40), shared=0.05)) == [n * n for n in range(40)]
    assert len(list(kept.glob("*.chunk"))) == 40


def test_a_worker_of_another_version_is_refused(processes: Any) -> None:
    other = processes.folder / "preload.py"
    other.write_text("import mtassay\nmtassay.__version__ = '0.0.1'\n", encoding="utf-8")
    processes.worker("--preload", str(other))
    with Cluster(str(processes.file)) as cluster, pytest.raises(ClusterError, match=r"runs mtassay 0\.0\.1, not"):
        list(cluster.map_chunks(add, range(2), shared=1))


def test_a_worker_without_mtassay_is_one_line(processes: Any) -> None:
    other = processes.folder / "preload.py"
    other.write_text("import sys\nsys.modules['mtassay'] = None\n", encoding="utf-8")
    processes.worker("--preload", str(other))
    with Cluster(str(processes.file)) as cluster, pytest.raises(ClusterError, match="install mtassay"):
        list(cluster.map_chunks(add, range(2), shared=1))


@pytest.mark.parametrize("content", ["a b c", "", "{}", "[]", '{"address": 5}', '{"address": "x"}', "[" * 100_000])
def test_a_file_that_is_no_scheduler_file_is_one_line(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text(content, encoding="utf-8")
    assert main(["score", "ref.txt", "-i", "hyp.txt", "--cluster", str(file)]) == 2
    assert capsys.readouterr().err == (
        f"mtassay: {file} is not a scheduler file, as dask scheduler --scheduler-file writes it\n"
    )


def test_the_environment_names_a_cluster(
    processes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    processes.worker()
    for name in ("ref", "hyp"):
        (tmp_path / f"{name}.txt").write_text("a b c d e\n", encoding="utf-8")
    command = ["score", str(tmp_path / "ref.txt"), "-i", str(tmp_path / "hyp.txt"), "-b"]
    monkeypatch.setenv("MTASSAY_CLUSTER", str(processes.file))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(command) == 0
    shown = capsys.readouterr()
    assert shown.out == "100.0\n"
    assert "mtassay: 1 worker; dashboard: http://127.0.0.1:" in shown.err
    monkeypatch.setenv("MTASSAY_CLUSTER", "nowhere")
    assert main(command) == 2
    assert "there is no scheduler file 'nowhere'" in capsys.readouterr().err
    assert main([*command, "--cluster", "none"]) == 0


_INTERRUPTED = """
import sys, time
from mtassay.execution.cluster import Cluster
from cluster_jobs import square
with Cluster(sys.argv[1]) as cluster:
    for result in cluster.map_chunks(square, range(10_000), shared=0.05):
        print(result, flush=True)
"""


_STARTING = """
import os, signal, threading, time
from distributed.deploy.spec import SpecCluster
from mtassay.cli.main import main

# As those of BLAS: it takes signals that the main thread blocks.
threading.Thread(target=threading.Event().wait, daemon=True).start()
correct_state = SpecCluster._correct_state


def interrupt(cluster):
    # To the workers, too, as a terminal does: one is being started.
    os.killpg(0, signal.{name})
    time.sleep(0.1)
    return correct_state(cluster)


SpecCluster._correct_state = interrupt
raise SystemExit(main(["score", "ref.txt", "-i", "hyp.txt", "--cluster", "local:1"]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_ctrl_c_while_local_workers_start(name: str, tmp_path: Path) -> None:
    for text in ("ref.txt", "hyp.txt"):
        (tmp_path / text).write_text("a b c d\n" * 9, encoding="utf-8")
    command = [sys.executable, "-c", _STARTING.format(name=name)]
    job = subprocess.run(command, cwd=tmp_path, capture_output=True, start_new_session=True, check=False, timeout=60)
    assert (job.returncode, job.stdout, job.stderr) == (130, b"", b"mtassay: interrupted\n")


_HUNG_UP = """
import os, signal, sys
from mtassay.cli.main import main
from mtassay.execution.cluster import Connection

run = Connection.run


def hang_up(connection, *chunks):
    results = run(connection, *chunks)
    yield next(results)
    os.killpg(0, signal.SIGHUP)  # to the workers, too, as a closing terminal does
    yield from results


Connection.run = hang_up
raise SystemExit(main(["score", *sys.argv[1:], "-m", "bleu", "chrf", "--cluster", "local:1"]))
"""


def test_a_closing_terminal_ends_a_job_with_local_workers_in_one_line() -> None:
    command = [sys.executable, "-c", _HUNG_UP, str(sample_path())]
    job = subprocess.run(command, capture_output=True, start_new_session=True, check=False, timeout=60)
    assert (job.returncode, job.stdout, job.stderr) == (130, b"", b"mtassay: interrupted\n")


@pytest.mark.slow
def test_local_workers_that_cannot_start() -> None:
    job = subprocess.run(
        [sys.executable, "-m", "mtassay", "score", str(sample_path()), "--cluster", "local:1"],
        env={**os.environ, "DASK_DISTRIBUTED__WORKER__PRELOAD": "no_such_module"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (job.returncode, job.stdout) == (2, b"")
    assert job.stderr.endswith(b"mtassay: local workers cannot be started: Nanny failed to start.\n")


@pytest.mark.slow
def test_ctrl_c_cancels_what_was_submitted(processes: Any, jobs: Any) -> None:
    processes.worker()
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", _INTERRUPTED, str(processes.file)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}
    ) as job:
        assert job.stdout is not None
        assert job.stdout.readline() == b"0\n"
        job.send_signal(signal.SIGINT)
        _, errors = job.communicate(timeout=30)
    assert errors.rstrip().endswith(b"KeyboardInterrupt")
    with Cluster(str(processes.file)) as cluster:
        # The worker is free at once: nothing of the 10,000 chunks is left.
        assert list(cluster.map_chunks(jobs.square, range(3), shared=0.0)) == [0, 1, 4]
        tasks = cluster.connection.client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        assert tasks <= 4
