"""The list of data sets, its page, where data are found, and texts that are stored as edits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from real_data import edits, folder
from real_data.manifest import Manifest
from real_data.recipes import RECIPES

HERE = Path(__file__).resolve().parents[2]


def test_edits() -> None:
    sources = [("x.sgm", b"<seg id='1'> A &amp; b </seg>\n<seg id='2'>Two</seg>"), ("y", b"first\nsecond\n")]
    base = edits.base_lines(sources)
    assert base == ["A & b\nfirst", "Two\nsecond"]
    assert edits.apply("2\t=0:3\t+ x\\ty\\\\\n1\t~0:1\t=6:11\n1\n", base) == "Two x\ty\\\nafirst\n\n"


def test_the_list_is_sound() -> None:
    manifest = Manifest.read()
    names = [entry.file for entry in manifest.entries]
    assert len(set(names)) == len(names)
    assert {entry.repository for entry in manifest.entries} == set(manifest.commits)
    assert {entry.recipe.partition(":")[0] for entry in manifest.entries} == set(RECIPES)
    for entry in manifest.entries:
        assert not Path(entry.file).is_absolute()
        assert ".." not in Path(entry.file).parts
        assert len(entry.sha256) == 64
    assert all(len(commit) == 40 for commit in manifest.commits.values())


def test_the_page_has_every_set_with_its_size_and_repositories() -> None:
    manifest = Manifest.read()
    page = (HERE / "docs/data.md").read_text(encoding="utf-8")
    for name in manifest.sets:
        (row,) = (line for line in page.split("\n") if line.startswith(f"| `{name}` |"))
        entries = manifest.of(name)
        assert f"| {len(entries)}, {sum(entry.size for entry in entries) / 1e6:.1f} |" in row
        assert all(entry.repository in row for entry in entries)
    for recipe in RECIPES:
        assert f"| `{recipe}` |" in page


def test_where_data_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "_REPOSITORY", tmp_path / "repository")
    monkeypatch.delenv("MTASSAY_DATA", raising=False)
    built, beside = tmp_path / "repository/data", tmp_path / "shared/data"
    assert folder.data_folder() == built
    beside.mkdir(parents=True)
    assert folder.data_folder() == beside
    assert folder.built_folder() == built
    (tmp_path / "shared/oracles").mkdir()
    assert folder.oracle_folder(beside) == tmp_path / "shared/oracles"
    built.mkdir(parents=True)
    assert folder.data_folder() == built
    assert folder.oracle_folder(built) == built / "oracles"
    monkeypatch.setenv("MTASSAY_DATA", str(tmp_path / "elsewhere"))
    assert folder.data_folder() == folder.built_folder() == tmp_path / "elsewhere"


def test_the_command_as_make_calls_it(tmp_path: Path) -> None:
    command = [sys.executable, str(HERE / "tools/get_data.py")]
    shown = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True)
    assert 'make data SETS="wmt13 wmt23"' in shown.stdout
    environment = os.environ | {"MTASSAY_DATA": str(tmp_path)}
    done = subprocess.run(
        [*command, "nosuch"], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("make data: no data set named nosuch; there are: ")
