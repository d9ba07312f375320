"""What a cluster costs and gains: ``python benchmarks/cluster.py workers tasks split``.

workers: a stream of BLEU, chrF and TER by one worker and by two, in turns; wall seconds, and their ratio. Beside them
    two processes without a cluster that have nothing in common but the machine: how much its second core can give at
    that time. Workers are started before the clock.
tasks: many chunks that do nothing: what scheduling a chunk costs the client, the scheduler and the worker (CPU
    seconds) and how many pass in a second.
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
from operator import add
from pathlib import Path
from statistics import median
from typing import Any

from scale import METRICS, write_files

#: Segments of the files, and how often each file is read: a job of about a minute for one worker.
SEGMENTS, TIMES = 1_000_000, 5


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
        return {"wall": time.perf_counter() - wall, "workers": time.process_time() - cpu, "client": 0.0}
    with mtassay.Cluster(f"local:{n_workers}") as cluster:
        list(cluster.map_chunks(add, range(8 * n_workers), shared=1))  # loads what is loaded late
        before = sum(cluster.connection.client.run(time.process_time).values())
        wall, cpu = time.perf_counter(), time.process_time()
        mtassay.score_files([ref], [hyp], metrics=METRICS, execution=cluster)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        used = sum(cluster.connection.client.run(time.process_time).values()) - before
        return {"wall": wall, "workers": used, "client": cpu}


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
    print(f"{n_segments * times:,} segments, {', '.join(METRICS)}; seconds, medians of {repeats}")
    best = {name: {key: median(run[key] for run in some) for key in some[0]} for name, some in runs.items()}
    for name, seconds in best.items():
        used = f"{seconds['workers']:6.1f} + {seconds['client']:.1f} (client)"
        print(f"  {name:<14} wall {seconds['wall']:6.1f}   CPU {used}")
    wall = {name: seconds["wall"] for name, seconds in best.items()}
    print(f"  two workers : one worker          {wall['one worker'] / wall['two workers']:.2f} times as fast")
    print(f"  two processes : one, no cluster   {2 * wall['one process'] / wall['two processes']:.2f} times as fast")
    print(f"  one worker : one process          {wall['one worker'] / wall['one process']:.2f} times as long")


def _cpu() -> float:
    used = os.times()
    return used.user + used.system


def tasks(n_tasks: int) -> None:
    import distributed
    import psutil

    import mtassay

    started = [
        subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{what}", "--host", "127.0.0.1", "--no-dashboard", *more],
            stderr=subprocess.DEVNULL,
        )
        for what, more in (
            ("scheduler", ["--port", "8799"]),
            ("worker", ["tcp://127.0.0.1:8799", "--nthreads", "1", "--no-nanny"]),
        )
    ]
    others = dict(zip(("scheduler", "worker"), map(psutil.Process, (one.pid for one in started)), strict=True))

    def used() -> dict[str, float]:
        found = {name: sum(process.cpu_times()[:2]) for name, process in others.items()}
        return {"client": _cpu(), **found}

    try:
        with mtassay.Cluster("tcp://127.0.0.1:8799") as cluster:
            list(cluster.map_chunks(add, range(100), shared=1))
            before, start = used(), time.perf_counter()
            total = sum(cluster.map_chunks(add, range(n_tasks), shared=1))
            wall = time.perf_counter() - start
            after = used()
        assert total == n_tasks * (n_tasks + 1) // 2
    finally:
        for one in started:
            one.kill()
            one.wait()
    print(
        f"{n_tasks:,} empty chunks, distributed {distributed.__version__}: {wall:.1f} s, {n_tasks / wall:,.0f} a second"
    )
    for name, seconds in after.items():
        print(f"  {name:<10} {1e3 * (seconds - before[name]) / n_tasks:.2f} ms of CPU a chunk")


def split(folder: Path, n_segments: int) -> None:
    import pickle

    import mtassay
    from mtassay.data.text_stream import TextStream
    from mtassay.execution import Execution
    from mtassay.verbs.score_files import _Shared, _sums_of
    from mtassay.verbs.stream_blocks import stream_blocks

    ref, hyp = make_files(folder, n_segments, 1)
    stream = TextStream([ref], [hyp])
    size = sum(Path(path).stat().st_size for path in (ref, hyp))
    start, cpu = time.perf_counter(), time.process_time()
    items = list(stream_blocks(stream, Execution(resume=folder / "never")))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - start
    result = _sums_of(_Shared(stream, [mtassay.metric(name) for name in METRICS], None, False), items[0])
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
