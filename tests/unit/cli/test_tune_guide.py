"""The example of docs/tune.md runs as it is written, and says what it says there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mtassay import kernels

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_the_example(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    if kernels.backend() == "python":
        pytest.skip("takes long with plain Python kernels")
    guide = (ROOT / "docs" / "tune.md").read_text(encoding="utf-8").partition("## An example to run")[2]
    block = guide.partition("\n    $ ")[2].partition("\n\nNearly all")[0]
    shown = f"$ {block}".replace("\\\n", "").splitlines()
    commands = [line.strip().removeprefix("$ ") for line in shown if line.strip().startswith("$ ")]
    assert len(commands) == 5
    for name, arguments in (("python", ""), ("mtassay", "-m mtassay.cli.main")):
        tool = tmp_path / "bin" / name
        tool.parent.mkdir(exist_ok=True)
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n', encoding="utf-8")
        tool.chmod(0o755)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    script = "\n".join(['set -e; PATH="$PWD/bin:$PATH"', *commands])
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "run.svg").exists()
    printed = [line.split() for line in done.stdout.splitlines() if line.strip()]
    told = [line.split() for line in shown if line.strip() and not re.match(r"\s*(\$|…)", line)]
    assert [line for line in told if line not in printed] == []
