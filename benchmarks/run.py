"""Speed and memory against other tools: ``make bench``, or ``make bench ARGS="--quick --only bleu chrf"``.

Every measurement is a fresh process (benchmarks/workers.py) that starts from Python strings and ends with scores,
references included. The two sides take turns; medians are shown. CPU seconds of one thread, unless a line says
wall. A ratio is how many times less mtassay needs; the second one is against sacreBLEU with cached references, its
fastest documented way. The peer is sacreBLEU, or the tool that a line names; where none is at hand a line shows how
many segments per second one core scores. Two threads are compared with one and with two processes side by side, which
have nothing in common but the machine: they show how much its second core can give at that time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import inputs as data

HERE = Path(__file__).resolve().parent
AGREE = 1e-9
#: Importing, whole commands and what threads gain are short, so they are repeated more often.
SHORT_RUNS = 3


@dataclass(frozen=True)
class Task:
    """A line of the table.

    `target` is the smallest ratio to the peer, the largest amount, or the smallest rate; `recorded` the peer's amount
    where it cannot be measured here.
    """

    name: str
    label: str
    sides: tuple[str, ...] = ("ours", "peer", "cached")
    unit: str = "cpu"
    target: float | None = None
    recorded: float | None = None


#: Segments per second that one core must score at least.
_PLAIN = ("nist", "wer", "per", "cder", "gtm", "lepor", "nlepor", "hlepor", "hjerson", "depref-exact")
RATES = dict.fromkeys((*_PLAIN, *data.FURTHER), 30e3) | {"meteor": 5e3}

#: mt-metrics-eval on wmt23/en-de. Under its name the package index has a package of others: it must not be installed.
_RECORDED = ("ours", "recorded")
#: compare-mt is in an environment of its own; where none is at hand, only our side is measured.
_PAIR: Any = (("ours", "peer"), "cpu", 50) if data.python_with_compare_mt() else (("ours",),)
#: fastChrF and mbrs, too.
_MBR = ("ours", "peer") if data.python_with_mbr() else ("ours",)


def _against_mbr(name: str, label: str, target: float | None = None) -> Task:
    return Task(name, label, _MBR, "cpu", target if len(_MBR) > 1 else None)


TASKS = [
    Task("bleu", "BLEU", target=30),
    Task("chrf", "chrF", target=50),
    Task("chrf++", "chrF++"),
    Task("ter", "TER", ("ours", "peer"), target=120),
    Task("ter-all", "TER, all segments", ("ours",)),
    Task("drop-in-bleu", "compat: corpus_bleu", ("ours", "peer"), target=30),
    Task("drop-in-chrf", "compat: corpus_chrf", ("ours", "peer"), target=50),
    Task("drop-in-ter", "compat: corpus_ter", ("ours", "peer"), target=120),
    Task("drop-in-import", "compat: import", ("ours", "peer"), "wall", 1),
    Task("sentence-bleu", "sentence BLEU", ("ours", "peer")),
    Task("sentence-chrf", "sentence chrF", ("ours", "peer")),
    Task("pairwise-chrf", "pairwise chrF", target=150),
    Task("pairwise-bleu", "pairwise BLEU"),
    Task("threads-chrf", "chrF, 2 threads : 1", ("ours2", "ours", "beside"), "wall", 1.7),
    Task("threads-ter", "TER, 2 threads : 1", ("ours2", "ours", "beside"), "wall", 1.7),
    Task("cluster-score", "stream, 2 workers : 1", ("ours2", "ours"), "wall", 1.7),
    Task("import", "import", ("ours", "peer"), "wall", 1),
    Task("first-metric", "import, make a metric", ("ours", "peer"), "wall"),
    Task("command", "command, one system", ("ours", "peer"), "wall", 2),
    Task("memory", "peak memory", ("ours",), "peak_mb", 400),
    Task("ar", "randomisation, 190 : 19 pairs", ("ours", "peer"), target=100),
    Task("bs", "bootstrap, 190 : 19 pairs", ("ours", "peer"), target=200),
    Task("pair-bleu", "randomisation, one pair, BLEU", ("ours",), "wall", 0.002),
    Task("pair-nist", "randomisation, one pair, NIST", ("ours",), "wall", 0.004),
    Task("power-bleu", "power, one pair, 8 sizes, BLEU", ("ours",), target=10),
    Task("power-ter", "power, one pair, 8 sizes, TER", ("ours",), target=10),
    Task("ar-memory", "randomisation, peak memory", ("ours",), "peak_mb", 250),
    Task("ar-most", "4950 pairs × 6 metrics, 2 threads", ("ours",), "wall", 60),
    Task("analysis", "analysis, 1000 resamples a bucket", ("ours",), "wall", 5),
    Task("analysis-pair", "analysis of a pair, compare-mt", *_PAIR),
    Task("acc-eq", "acc_eq*, item", _RECORDED, target=10, recorded=0.26),
    Task("perm-segment", "PERM-BOTH, segments", _RECORDED, target=10, recorded=1.0),
    Task("perm-system", "PERM-BOTH, systems", _RECORDED, target=10, recorded=6.6),
    Task("metric-clusters", "metric clusters, both levels", _RECORDED, target=10, recorded=16.0),
    Task("tau", "segment τ", ("ours",), target=1),
    Task("resampled-judgements", "resampled judgements", ("ours",), target=2),
    Task("mert", "MERT, 20 restarts, 2 threads", ("ours",), "wall", 10),
    Task("mert-memory", "1,000,000 candidates, peak memory", ("ours",), "peak_mb", 2000),
    _against_mbr("mbr-exact", "MBR, chrF, fastChrF", 15),
    _against_mbr("mbr-exact-linear", "MBR, exact : fastChrF linear", 1),
    _against_mbr("mbr-linear", "MBR, linear, fastChrF"),
    _against_mbr("mbr-mbrs", "MBR, chrF, mbrs", 50),
    *(Task(f"segments-{name}", name, ("ours",), "rate", RATES.get(name)) for name in (*data.CLASSIC, *data.FURTHER)),
    Task("annotate-hanta", "tags and lemmas, HanTa", ("ours",), "cpu", 30),
    Task("segments-sempos", "sempos, annotated texts", ("ours",), "rate", 30e3),
    Task("hjerson-encoded", "Hjerson, words encoded", ("ours",), "cpu", 0.04),
    Task("annotated-hjerson", "Hjerson, annotated", ("ours",), "rate", 30e3),
    Task("annotated-umeant", "UMEANT, annotated", ("ours",), "rate", 30e3),
    Task("annotated-addicter", "Addicter, annotated", ("ours",), "rate", 30e3),
    Task("annotated-terrorcat", "TerrorCat's features, annotated", ("ours",), "rate", 3e3),
    Task("segments-depref-exact", "depref-exact", ("ours",), "rate", RATES["depref-exact"]),
    Task("segments-depref-align", "depref-align", ("ours",), "rate", 30e3),
    Task("rouge1", "ROUGE-1, rouge-score", ("ours", "peer")),
    Task("rougeL", "ROUGE-L, rouge-score", ("ours", "peer")),
    Task("wer", "WER, jiwer", ("ours", "peer")),
    Task("meteor", "METEOR, its jar", ("ours", "peer"), "wall", 20),
    Task("meteor-start", "METEOR, first command", ("ours",), "wall", 1.5),
    Task("all-metrics", "every metric, segments, -j 2", ("ours",), "wall", 30),
]
_IMPORTS = {
    "import": {"ours": "import mtassay", "peer": "import sacrebleu"},
    "drop-in-import": {"ours": "import mtassay.compat.sacrebleu", "peer": "import sacrebleu"},
    "first-metric": {
        "ours": "import mtassay; mtassay.metric('bleu')",
        "peer": "from sacrebleu.metrics import BLEU; BLEU()",
    },
}


#: Whole commands: systems, segments, options.
_COMMANDS = {
    "command": (1, data.N_SEGMENTS, ["-m", "bleu"]),
    "meteor-start": (1, 10, ["-m", "meteor"]),
    "all-metrics": (data.N_SYSTEMS, data.N_SEGMENTS, ["-m", *data.COMMON, *data.CLASSIC, "-sl", "-j", "2"]),
}


def main() -> None:
    args = _arguments()
    about = _worker("versions", "ours")
    about |= {"python": platform.python_version(), "cpu": _cpu(), "cores": os.cpu_count()}
    print(_heading(about, args.repeats))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for task in TASKS:
            if args.only and task.name not in args.only:
                continue
            runs = _measure(task, args.repeats, Path(folder))
            rows.append(
                {"task": task.name, "target": task.target, "unit": task.unit, "runs": runs} | _summary(task, runs)
            )
            print(_line(task, rows[-1]), flush=True)
    if any(row["agree"] is False for row in rows):
        print(f"* scores of the two sides differ by more than {AGREE:g}: the ratio compares different things")
    if any("beside" in row["runs"] for row in rows):
        print("p half of the time that two processes take which do the work side by side, each with one thread")
    if any("recorded" in row["runs"] for row in rows):
        print("r CPU seconds of mt-metrics-eval as recorded earlier: it cannot be installed, and was not run here")
    if args.json:
        for run in (run for row in rows for of_side in row["runs"].values() for run in of_side):
            run.pop("scores", None)
        args.json.write_text(json.dumps({"about": about, "rows": rows}, indent=1) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure speed and memory against sacreBLEU.")
    parser.add_argument("--repeats", type=int, help="runs of each side (default: 5)")
    parser.add_argument("--quick", action="store_true", help="one run of each side instead of five")
    names = [task.name for task in TASKS]
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names, help=f"some of: {' '.join(names)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every single run to this file")
    args = parser.parse_args()
    args.repeats = args.repeats or (1 if args.quick else 5)
    return args


def _measure(task: Task, repeats: int, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """All runs of a task by side; the sides take turns."""
    runs: dict[str, list[dict[str, Any]]] = {side: [] for side in task.sides}
    short = task.name in _IMPORTS or "beside" in task.sides or task.name in {"command", "meteor-start"}
    for repeat in range(repeats * SHORT_RUNS if short else repeats):
        for side in task.sides:
            _progress(f"{task.label}: run {repeat + 1}, {side}")
            if side == "recorded":
                run = {task.unit: task.recorded}
            elif task.name in _IMPORTS:
                run = _import_time(_IMPORTS[task.name][side])
            elif task.name in _COMMANDS:
                run = _command_time(task.name, side, folder)
            elif side == "beside":
                run = _beside(task.name)
            else:
                run = _worker(task.name, side)
            runs[side].append(run)
    _progress("")
    return runs


def _worker(task: str, side: str) -> dict[str, Any]:
    return _result(_start(task, side))


def _start(task: str, side: str) -> subprocess.Popen[str]:
    # NumPy's threads are of no use to either side, and would add their start to the CPU time.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    command = [sys.executable, str(HERE / "workers.py"), task, side]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)


def _result(worker: subprocess.Popen[str]) -> dict[str, Any]:
    output, errors = worker.communicate()
    if worker.returncode:
        sys.exit(f"{' '.join(worker.args)}: exit status {worker.returncode}\n{errors}")
    result: dict[str, Any] = json.loads(output)
    return result


def _beside(task: str) -> dict[str, Any]:
    """Two processes that do all of the work at the same time: half of what the slower one takes."""
    workers = [_start(task, "beside") for _ in range(2)]
    ready = [worker.stdout.readline() for worker in workers]
    for worker in workers:
        if all(ready):
            worker.stdin.write("go\n")
            worker.stdin.flush()
    runs = [_result(worker) for worker in workers]
    return runs[0] | {"wall": max(run["wall"] for run in runs) / 2}


def _import_time(statement: str) -> dict[str, Any]:
    """Wall seconds that a statement adds to starting Python."""
    seconds = [_wall([sys.executable, "-c", code]) for code in ("pass", statement)]
    return {"wall": max(seconds[1] - seconds[0], 1e-4), "input": "fresh Python"}


def _command_time(task: str, side: str, folder: Path) -> dict[str, Any]:
    n_systems, n_segments, options = _COMMANDS[task]
    reference = folder / f"{task}.ref"
    systems = [folder / f"{task}.{number}" for number in range(n_systems)]
    if not reference.exists():
        texts = data.load()
        for path, lines in zip([reference, *systems], [texts.reference, *texts.systems.values()], strict=False):
            path.write_text("".join(f"{line}\n" for line in lines[:n_segments]), encoding="utf-8")
    script = Path(sys.executable).parent / ("mtassay" if side == "ours" else "sacrebleu")
    if script.exists():
        command = [str(script)]
    else:
        command = [sys.executable, "-m", "mtassay.cli.main" if side == "ours" else "sacrebleu"]
    if side == "ours":
        command.append("score")
    return {
        "wall": _wall([*command, str(reference), "-i", *map(str, systems), *options]),
        "input": f"{n_systems} × {n_segments}",
    }


def _wall(command: list[str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return seconds


def _summary(task: Task, runs: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Medians by side, ratios to the first side, whether the target is met and whether the scores agree."""
    medians = {side: median(run[task.unit] for run in of_side) for side, of_side in runs.items()}
    ours = medians[task.sides[0]]
    ratios = {side: medians[side] / ours for side in task.sides[1:]}
    met = None
    if task.target is not None:
        met = ratios[task.sides[1]] >= task.target if ratios else _reached(ours, task)
    return {
        "medians": medians,
        "ratios": ratios,
        "met": met,
        "agree": _agree([of_side[0] for of_side in runs.values()]),
        "input": runs[task.sides[0]][0]["input"],
    }


def _reached(ours: float, task: Task) -> bool:
    return task.target is None or (ours >= task.target if task.unit == "rate" else ours <= task.target)


def _agree(runs: list[dict[str, Any]]) -> bool | None:
    runs = [run for run in runs if "scores" in run]
    if len(runs) < 2:
        return None
    first = runs[0]["scores"]
    return all(
        len(run["scores"]) == len(first)
        and all(abs(a - b) <= AGREE * max(1.0, abs(b)) for a, b in zip(first, run["scores"], strict=True))
        for run in runs[1:]
    )


# What is printed


def _heading(about: dict[str, Any], repeats: int) -> str:
    columns = f"{'task':<30}{'input':>16}{'ours':>11}{'peer':>11}{'ratio':>9}{'cached':>11}{'ratio':>9}{'target':>10}"
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"mtassay {about['mtassay']} ({about['kernels']} kernels) against sacreBLEU {about['sacrebleu']}, "
        f"NumPy {about['numpy']}, Python {about['python']}\n"
        f"{about['cpu']}, {about['cores']} cores{load}; {about['input']}; "
        f"median of {repeats} (imports, commands, threads: {repeats * SHORT_RUNS}), sides in turn\n\n"
        f"{columns}\n{'-' * (len(columns) + 7)}"
    )


def _line(task: Task, row: dict[str, Any]) -> str:
    medians, ratios = row["medians"], row["ratios"]
    cells = [_amount(medians[task.sides[0]], task.unit)]
    for side in (*task.sides[1:], *("",) * (3 - len(task.sides))):
        mark = {"recorded": "r ", "beside": "p "}.get(side, "")
        cells += [mark + _amount(medians[side], task.unit), _times(ratios[side])] if side else ["", ""]
    target = ""
    if task.target is not None:
        least = "≥" if task.unit == "rate" else "<"
        target = f"≥ {task.target:g}×" if ratios else f"{least} {_amount(task.target, task.unit)}"
    verdict = {None: "", True: "ok", False: "BELOW" if ratios or task.unit == "rate" else "ABOVE"}[row["met"]]
    mark = " *" if row["agree"] is False else ""
    label = f"{task.label}{' (wall)' if task.unit == 'wall' and 'thread' not in task.label else ''}"
    widths = (11, 11, 9, 11, 9)
    numbers = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"{label:<30}{row['input']:>16}{numbers}{target:>10}  {verdict}{mark}".rstrip()


def _amount(value: float, unit: str) -> str:
    if unit == "peak_mb":
        return f"{value:.0f} MB"
    if unit == "rate":
        return f"{value / 1000:.0f} k/s"
    return f"{value * 1000:.1f} ms" if value < 0.1 else f"{value:.3f} s"


def _times(ratio: float) -> str:
    return f"{ratio:.0f}×" if ratio >= 100 else f"{ratio:.1f}×" if ratio >= 10 else f"{ratio:.2f}×"


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
