"""Minimum Bayes risk by fastChrF or mbrs, timed: reads candidates as JSON, prints JSON. Run by a Python that has them.

CPU seconds are those of all threads and processes; mbrs starts a pool of processes for every segment.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any


def exact(lists: list[list[str]]) -> list[float]:
    import fastchrf

    return [max(sum(row) / len(row) for row in matrix) for matrix in fastchrf.pairwise_chrf(lists, lists)]


def linear(lists: list[list[str]]) -> list[float]:
    import fastchrf

    return [max(scores) for scores in fastchrf.aggregate_chrf(lists, lists)]


def mbrs(lists: list[list[str]]) -> list[float]:
    from mbrs.decoders import DecoderMBR
    from mbrs.metrics import MetricChrF

    decoder = DecoderMBR(DecoderMBR.Config(), MetricChrF(MetricChrF.Config(num_workers=2)))
    return [float(decoder.decode(texts, texts).score[0]) for texts in lists]


def main() -> None:
    run: Any = {"exact": exact, "linear": linear, "mbrs": mbrs}[sys.argv[1]]
    lists = json.load(sys.stdin)
    run([["a", "b"]])  # loads everything
    before, wall = os.times(), time.perf_counter()
    scores = run(lists)
    after, wall = os.times(), time.perf_counter() - wall
    json.dump({"cpu": sum(after[:4]) - sum(before[:4]), "wall": wall, "scores": scores}, sys.stdout)


if __name__ == "__main__":
    main()
