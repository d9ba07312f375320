"""The metric ``ter:variant=tercom`` from raw texts to scores, against tercom's own files."""

from __future__ import annotations

from pathlib import Path

import pytest

import mtassay
from mtassay.data import read_lines
from mtassay.metrics import References, parse


def _edits_and_lengths(path: Path) -> list[tuple[float, float]]:
    """Edits and reference length of every segment of a .ter file."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()[2:]]
    return [(float(row[1]), float(row[2])) for row in rows if len(row) == 4]


@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("v7.25.{}.2ref.def", ""),
        ("v7.25.{}.2ref.defN", ",norm=yes"),
        ("v7.25.{}.2ref.defNs", ",norm=yes,case=mixed"),
        ("{}.2ref.N-P", ",norm=yes,punct=no"),
    ],
)
def test_newstest2009_with_two_references(oracle_dir: Path, system: str, name: str, options: str) -> None:
    folder = oracle_dir / "newstest2009-200"
    metric = parse(f"ter:variant=tercom{options}")
    references = References([read_lines(folder / "text" / f"ref{i}.txt") for i in (0, 1)])
    rows = metric.prepare(references, threads=2).statistics(read_lines(folder / "text" / f"{system}.txt"))
    expected = _edits_and_lengths(folder / "expected" / "tercom" / f"{name.format(system)}.ter")
    assert [(float(row[:4].sum()), float(row[4])) for row in rows] == expected


@pytest.mark.parametrize("system", ["cu-bojar", "jhu-heiro", "onlineA"])
@pytest.mark.parametrize(("name", "options"), [("default", ""), ("N-s", ",norm=yes,case=mixed")])
def test_wmt12(oracle_dir: Path, system: str, name: str, options: str) -> None:
    folder = oracle_dir / "wmt12-cs-en"
    metric = mtassay.metric(f"ter:variant=tercom{options}")
    texts = [read_lines(folder / "text" / f"{stem}.txt") for stem in ("ref0", f"sys.{system}")]
    rows = metric.prepare(References(texts[:1])).statistics(texts[1])
    expected = _edits_and_lengths(folder / "expected" / f"tercom-0.7.25.{name}.{system}.ter")
    assert [(float(row[:4].sum()), float(row[4])) for row in rows] == expected
