"""Summaries of studies: below the title of each page, with numbers that the page has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path for path in (ROOT / "docs/studies").glob("*.md") if path.name != "index.md")
_NUMBER = re.compile(r"[\d.,]*\d")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_numbers_are_those_of_the_page(path: Path) -> None:
    summary = (ROOT / "studies/summaries" / path.name).read_text(encoding="utf-8")
    title, page = path.read_text(encoding="utf-8").split("\n", 1)
    assert page.startswith(f"\n{summary}")
    known = set(_NUMBER.findall(title + page[len(summary) + 1 :]))
    assert [number for number in _NUMBER.findall(summary) if number not in known] == []
    assert len(summary.splitlines()) < 12, "a summary fits on a screen"


def test_the_index_has_every_study() -> None:
    index = (ROOT / "docs/studies/index.md").read_text(encoding="utf-8")
    for path in PAGES:
        assert f"]({path.name})" in index
        assert f"\n{path.stem}\n" in index
    pages = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    table = "".join(line for line in index.splitlines(keepends=True) if line.startswith("|"))
    assert [number for number in re.findall(r"[+]?\d*\.\d+", table) if number not in pages] == []
