"""What a cluster costs and gains: ``python benchmarks/cluster.py workers tasks split``.

workers: a stream of BLEU, chrF and TER by one worker and by two, in turns; wall seconds, and their ratio. Beside them
    two processes without a cluster that have nothing in common but the machine: how much its second core can give at
    that time. Workers are started before the clock.
tasks: what chunks cost the client, the scheduler and each worker (CPU): many that do nothing, whose results are
    fetched together; chunks that take a while, whose results are fetched one by one; and seconds without chunks. With
    one worker, and with eight for what grows with workers.
split: how fast the client finds byte ranges with their hashes, and how many bytes a chunk and its result are.

Files are those of benchmarks/scale.py; more than one million segments are that million, several times over.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import add, call
from pathlib import Path
from statistics import median
from typing import Any

from scale import METRICS, write_files

#: Segments of the files, and how often each file is read: a job of about a minute for one worker.
SEGMENTS, TIMES = 1_000_000, 5
#: Seconds without chunks.
_IDLE = 5
#: Chunks that take a tenth of a second.
_PAUSES = 200


def make_files(folder: Path, n_segments: int, times: int) -> tuple[str, str]:
    """The reference and the output, of which the texts of `n_segments` are there several times."""
    write_files(folder, n_segments)
    for name in ("ref", "hyp"):
        once = (folder / name).read_bytes()
        with (folder / name).open("ab") as file:
            for _ in range(times - 1):
                file.write(once)
    return str(folder / "ref"), str(folder / "hyp")


def run_job(files: tuple[str, str], n_workers: int) -> dict[str, float]:
    """Wall seconds of the job on a local cluster, and CPU seconds of workers and of client and scheduler.

    0 workers: in this process.
    """
    import mtassay

    ref, hyp = files
    wall, cpu = time.perf_counter(), time.process_time()
    if not n_workers:
        mtassay.score_files([ref], [hyp], metrics=METRICS)
        return {"wall": time.perf_counter() - wall, "workers": time.process_time() - cpu, "client": 0.0, "idle": 0.0}
    with mtassay.Cluster(f"local:{n_workers}") as cluster:
        list(cluster.map_chunks(add, range(8 * n_workers), shared=1))  # loads what is loaded late
        cpu = time.process_time()
        time.sleep(_IDLE)
        idle = (time.process_time() - cpu) / _IDLE
        before = sum(cluster.connection.client.run(time.process_time).values())
        wall, cpu = time.perf_counter(), time.process_time()
        mtassay.score_files([ref], [hyp], metrics=METRICS, execution=cluster)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        used = sum(cluster.connection.client.run(time.process_time).values()) - before
        return {"wall": wall, "workers": used, "client": cpu, "idle": idle}


def _in_processes(files: tuple[str, str], n_workers: int, n_processes: int = 1) -> dict[str, float]:
    """The same in fresh processes that start together; the slowest counts."""
    command = [sys.executable, __file__, "job", *files, "--workers", str(n_workers)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(n_processes)]
    found = [json.loads(process.communicate()[0]) for process in started]
    return max(found, key=lambda run: float(run["wall"]))


def workers(folder: Path, n_segments: int, times: int, repeats: int) -> None:
    files = make_files(folder, n_segments, times)
    sides = {"one worker": (1, 1), "two workers": (2, 1), "one process": (0, 1), "two processes": (0, 2)}
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, (n_workers, n_processes) in sides.items():
            runs[name].append(_in_processes(files, n_workers, n_processes))
    load = f"load {os.getloadavg()[0]:.1f}"
    print(f"{n_segments * times:,} segments, {', '.join(METRICS)}; seconds, medians of {repeats}; {load}")
    best = {name: {key: median(run[key] for run in some) for key in some[0]} for name, some in runs.items()}
    for name, seconds in best.items():
        used = f"{seconds['workers']:6.2f} + {seconds['client']:.2f} (client and scheduler)"
        idle = f"{1e3 * seconds['idle']:.1f} ms a second without chunks"
        print(f"  {name:<14} wall {seconds['wall']:6.1f}   CPU {used}; {idle}")
    wall = {name: seconds["wall"] for name, seconds in best.items()}
    print(f"  two workers : one worker          {wall['one worker'] / wall['two workers']:.2f} times as fast")
    print(f"  two processes : one, no cluster   {2 * wall['one process'] / wall['two processes']:.2f} times as fast")
    print(f"  one worker : one process          {wall['one worker'] / wall['one process']:.2f} times as long")


def _cpu() -> float:
    used = os.times()
    return used.user + used.system


@contextmanager
def _processes(n_workers: int) -> Iterator[Callable[[], dict[str, float]]]:
    """A scheduler and workers on port 8799; yields a function: CPU seconds of client, scheduler and all workers."""
    import psutil

    started = [
        subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{what}", "--host", "127.0.0.1", "--no-dashboard", *more],
            stderr=subprocess.DEVNULL,
        )
        for what, more in (
            ("scheduler", ["--port", "8799"]),
            *[("worker", ["tcp://127.0.0.1:8799", "--nthreads", "1", "--no-nanny"])] * n_workers,
        )
    ]
    scheduler, *others = (psutil.Process(one.pid) for one in started)

    def used() -> dict[str, float]:
        return {
            "client": _cpu(),
            "scheduler": sum(scheduler.cpu_times()[:2]),
            "workers": sum(sum(worker.cpu_times()[:2]) for worker in others),
        }

    try:
        yield used
    finally:
        for one in started:
            one.kill()
            one.wait()


def tasks(n_tasks: int) -> None:
    import distributed

    import mtassay

    print(f"distributed {distributed.__version__}; load {os.getloadavg()[0]:.1f}")
    for n_workers in (1, 8):
        with _processes(n_workers) as used, mtassay.Cluster("tcp://127.0.0.1:8799") as cluster:
            cluster.connection.client.wait_for_workers(n_workers, timeout=60)
            list(cluster.map_chunks(add, range(100), shared=1))

            def measure(what: str, per: int, work: Callable[[], Any], used: Any = used, n: int = n_workers) -> None:
                before, start = used(), time.perf_counter()
                work()
                wall = time.perf_counter() - start
                cost = {name: 1e3 * (seconds - before[name]) / per for name, seconds in used().items()}
                shown = ", ".join(f"{name} {ms:.2f}" for name, ms in cost.items())
                print(f"  {n} workers, {what}, {wall:.1f} s, {per / wall:,.0f} a second; ms of CPU each: {shown}")

            measure("seconds without chunks", 20, lambda: time.sleep(20))
            measure(
                "chunks of 0.1 s", _PAUSES, lambda: list(cluster.map_chunks(call, [0.1] * _PAUSES, shared=time.sleep))
            )
            if n_workers == 1:
                measure("empty chunks", n_tasks, lambda: sum(cluster.map_chunks(add, range(n_tasks), shared=1)))


def split(folder: Path, n_segments: int) -> None:
    import pickle

    import mtassay
    from mtassay.data.text_stream import TextStream
    from mtassay.execution import Execution
    from mtassay.metrics.core.sent_chunks import SentMetrics
    from mtassay.verbs.score_files import _Shared, _sums_of
    from mtassay.verbs.stream_blocks import stream_blocks

    ref, hyp = make_files(folder, n_segments, 1)
    stream = TextStream([ref], [hyp])
    size = sum(Path(path).stat().st_size for path in (ref, hyp))
    start, cpu = time.perf_counter(), time.process_time()
    items = list(stream_blocks(stream, Execution(resume=folder / "never")))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - start
    metrics = SentMetrics([mtassay.metric(name) for name in METRICS])
    result = _sums_of(_Shared(stream, metrics, None, False), items[0])
    print(f"{size / 1e6:.0f} MB of {n_segments:,} segments split into {len(items)} chunks of 8192: {wall:.2f} s")
    print(f"  {cpu / size * 1e9:.2f} s of CPU a gigabyte, {1e3 * cpu / len(items):.2f} ms a chunk")
    print(f"  {size / n_segments:.0f} bytes of text a segment, of reference and one output")
    print(f"  {len(pickle.dumps(items[0], 5))} bytes sent a chunk, {len(pickle.dumps(result, 5))} bytes returned")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", help="workers, tasks, split")
    parser.add_argument("--segments", type=int, default=SEGMENTS)
    parser.add_argument("--times", type=int, default=TIMES, help="how often the segments are in the files")
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", type=int, default=0, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.what[0] == "job":  # in a process that measures one run
        print(json.dumps(run_job((args.what[1], args.what[2]), args.workers)))
        return
    measured: dict[str, Any] = {
        "workers": lambda folder: workers(folder, args.segments, args.times, args.repeats),
        "tasks": lambda _: tasks(args.tasks),
        "split": lambda folder: split(folder, args.segments),
    }
    for what in args.what:
        with tempfile.TemporaryDirectory() as folder:
            measured[what](Path(folder))


if __name__ == "__main__":
    main()
