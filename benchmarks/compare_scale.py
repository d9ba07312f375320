"""Comparing large files as a stream and in memory: ``python benchmarks/compare_scale.py --segments 100000``.

The reference and ten outputs of WMT13 fr-en (else simulated texts) are repeated, each time with another number in every
text. Approximate randomisation of all pairs under BLEU, with bootstrap intervals, one thread, also in BLAS. Every
measurement is a fresh process; the clock counts CPU seconds (user and system) from files to p-values, modules loaded
before. Peak memory is that of the process, Python and libraries included.

Ways: ``stream`` (compare_files), ``memory`` (load_files, compare), ``resampling`` (in memory, without reading and
scoring). ``--other SRC`` runs the last two with the package in another folder as well, such as that of a release.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

import inputs as data

N_SYSTEMS = 10


def write_files(folder: Path, n_segments: int) -> None:
    """Write the reference and outputs."""
    given = data.many(data.load(), N_SYSTEMS)
    texts = {"ref": given.reference, **{f"sys{n}": lines for n, lines in enumerate(given.systems.values())}}
    for name, lines in texts.items():
        with (folder / name).open("w", encoding="utf-8") as file:
            for first in range(0, n_segments, len(lines)):
                numbered = enumerate(islice(lines, n_segments - first), first)
                file.writelines(f"{line.replace(' ', f' {n} ', 1)}\n" for n, line in numbered)


def measure(way: str, folder: Path, resamples: int) -> dict[str, Any]:
    """CPU seconds, peak memory and the p-values of one way, in this process."""
    import mtassay
    from mtassay.data import load_files

    ref, systems = str(folder / "ref"), sorted(map(str, folder.glob("sys*")))
    mtassay.compare(
        [["a b c", "d e"]], {"x": ["a b", "d e"], "y": ["a", "e"]}, resamples=2
    )  # loads what is loaded late
    if way == "resampling":
        from mtassay.stats.procedures import Procedure
        from mtassay.verbs.compare import compare_scored
        from mtassay.verbs.score import score

        scored = score(load_files([ref], systems))
        start = time.process_time()
        compared = compare_scored(scored, Procedure("ar", resamples=resamples))
    else:
        start = time.process_time()
        compared = (
            mtassay.compare_files([ref], systems, resamples=resamples)
            if way == "stream"
            else mtassay.compare(load_files([ref], systems), resamples=resamples)
        )
    seconds = time.process_time() - start
    return {
        "cpu": seconds,
        "peak_mb": _peak_mb(),
        "p": [pair["p"] for pair in compared.to_dict()["metrics"][0]["pairs"]],
    }


def _peak_mb() -> float:
    # Not ru_maxrss, which counts the process that started this one.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, nargs="+", default=[100_000], metavar="N")
    parser.add_argument("--resamples", type=int, default=1000, metavar="R")
    parser.add_argument("--other", metavar="SRC", help="folder of another version of the package")
    parser.add_argument("--measure", nargs=2, metavar=("WAY", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args.measure[0], Path(args.measure[1]), args.resamples)))
        return
    print(f"{N_SYSTEMS} systems, BLEU, {args.resamples} resamples; load average {os.getloadavg()[0]:.1f}")
    for n_segments in args.segments:
        with tempfile.TemporaryDirectory() as folder:
            write_files(Path(folder), n_segments)
            _compare_ways(Path(folder), args, n_segments)


def _compare_ways(folder: Path, args: argparse.Namespace, n_segments: int) -> None:
    others = [("memory", args.other), ("resampling", args.other)] if args.other else []
    streamed: dict[str, Any] = {}
    for way, source in [("stream", None), ("memory", None), ("resampling", None), *others]:
        command = [sys.executable, __file__, "--resamples", str(args.resamples), "--measure", way, str(folder)]
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"} | ({"PYTHONPATH": source} if source else {})
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        found = json.loads(done.stdout)
        streamed = streamed or found
        ratio = "" if way == "resampling" else f"  {found['cpu'] / streamed['cpu']:5.2f} x the stream"
        same = "" if source else ("  same p-values" if found["p"] == streamed["p"] else "  OTHER p-values")
        name = f"{way}{', ' + source if source else ''}"
        print(
            f"{n_segments:>10,} segments  {name:30} {found['cpu']:8.2f} s {found['peak_mb']:7.0f} MB{ratio}{same}",
            flush=True,
        )


if __name__ == "__main__":
    main()
