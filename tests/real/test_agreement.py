"""``mtassay agreement`` on the judgements of WMT campaigns, against what the campaigns printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mtassay.cli.main import main

#: Our names of the directions.
PAIRS = {"Finnish-English": "fi-en", "Russian-English": "ru-en"}
_COMMAND = re.compile(r"(collapsed\\)?wmt15\.\$lang-eng.*--(inter|intra)")
_LINE = re.compile(r" *(\w+-English) +([\d.]+) +([\d.]+) +([\d.]+) +(\d+) +(\d+) +(\d+) +(\d+)")


def printed(path: Path) -> list[tuple[str, bool, str, list[str], list[int]]]:
    """Direction, whether joined systems are one, kind, figures and counts, in the order of the file."""
    found = []
    # The shell of the record breaks lines anywhere.
    for block in path.read_text(encoding="utf-8").split("PS C:")[1:]:
        command = _COMMAND.search(block.replace("\n", ""))
        if command is None:
            continue
        for line in _LINE.findall(block):
            if line[0] in PAIRS:
                found.append(
                    (PAIRS[line[0]], bool(command[1]), command[2], list(line[1:4]), [int(n) for n in line[4:]])
                )
    return found


def test_kappas_of_wmt15_are_those_of_the_record(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = data_dir / "wmt15"
    lines = printed(folder / "official_agreement.txt")
    assert len(lines) == 8
    for pair, joined, kind, figures, counts in lines:
        path = str(folder / pair / "rankings.tsv")
        assert main(["agreement", path, "-f", "json", *(["--joined"] if joined else [])]) == 0
        [described] = json.loads(capsys.readouterr().out)["sets"]
        [found] = [row for row in described["kappas"] if (row["rule"], row["kind"]) == ("official", kind)]
        assert [found[name] for name in ("agree", "comparable", "ties", "labels")] == counts
        assert [f"{found[name]:.3f}" for name in ("p_agree", "p_chance", "kappa")] == figures
        assert main(["agreement", path, *(["--joined"] if joined else [])]) == 0
        shown = [figure.removeprefix("0") for figure in figures]
        assert re.search(rf"official +{kind} +{' +'.join(map(re.escape, shown))} ", capsys.readouterr().out)
