"""Cost of a segment and peak memory by number of segments: ``python benchmarks/scale.py --segments 10000 100000``.

A reference and an output of WMT13 fr-en (else simulated texts) are repeated, each time with another number in every
text, so that words are new to the end. One system, BLEU, chrF and TER, one thread. Every measurement is a fresh
process; the clock counts CPU seconds (user and system) from files to scores, modules loaded before. Peak memory is that
of the process, Python and libraries included.

Ways: ``stream`` (score_files), ``memory`` (load_files, score), ``documents`` (a stream, with scores of documents of ten
segments each), ``segments`` and ``parquet`` (a stream, with scores of segments into a file).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import inputs as data

METRICS = ("bleu", "chrf", "ter")
WAYS = ("stream", "memory", "documents", "segments", "parquet")
#: Segments of a document.
_DOCUMENT = 10


def write_files(folder: Path, n_segments: int) -> None:
    """Write reference, output and labels of documents."""
    given = data.load()
    texts = {"ref": given.reference, "hyp": next(iter(given.systems.values()))}
    for name, lines in texts.items():
        with (folder / name).open("w", encoding="utf-8") as file:
            for first in range(0, n_segments, len(lines)):
                numbered = enumerate(islice(lines, n_segments - first), first)
                file.writelines(f"{line.replace(' ', f' {n} ', 1)}\n" for n, line in numbered)
    with (folder / "docs").open("w", encoding="utf-8") as file:
        file.writelines(f"document-{n // _DOCUMENT}\n" for n in range(n_segments))


def measure(way: str, folder: Path) -> dict[str, Any]:
    """CPU seconds and peak memory of one way, in this process."""
    import mtassay
    from mtassay.cli.score import run as score
    from mtassay.data import load_files
    from mtassay.io import inputs

    ref, hyp, docs = (str(folder / name) for name in ("ref", "hyp", "docs"))
    small = inputs.NamedBytes("x", b"a b c")
    mtassay.score_files([small], [small], metrics=METRICS)  # loads what is loaded late
    inputs._LARGE = 0  # the command streams files of any size
    command = [ref, "-i", hyp, "-m", *METRICS, "-o", str(folder / "out")]
    ways: dict[str, Callable[[], object]] = {
        "stream": lambda: mtassay.score_files([ref], [hyp], metrics=METRICS),
        "memory": lambda: mtassay.score(load_files([ref], [hyp]), metrics=METRICS),
        "documents": lambda: score([*command, "--by", "doc", "--documents", docs, "-f", "tsv"]),
        "segments": lambda: score([*command, "-sl"]),
        "parquet": lambda: score([*command, "-sl", "-f", "parquet"]),
    }
    start = time.process_time()
    ways[way]()
    return {"cpu": time.process_time() - start, "peak_mb": _peak_mb()}


def _peak_mb() -> float:
    # Not ru_maxrss, which counts the process that started this one.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, nargs="+", default=[10_000, 100_000], metavar="N")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=["stream"])
    parser.add_argument("--measure", nargs=2, metavar=("WAY", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args.measure[0], Path(args.measure[1]))))
        return
    print(f"{'segments':>10} {'way':<10} {'CPU s':>8} {'µs/segment':>11} {'peak MB':>8} {'load':>5}", flush=True)
    for n_segments in args.segments:
        with tempfile.TemporaryDirectory() as folder:
            write_files(Path(folder), n_segments)
            for way in args.ways:
                command = [sys.executable, __file__, "--measure", way, folder]
                found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
                each = 1e6 * found["cpu"] / n_segments
                print(
                    f"{n_segments:>10} {way:<10} {found['cpu']:>8.2f} {each:>11.2f} {found['peak_mb']:>8.0f}"
                    f" {os.getloadavg()[0]:>5.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
