"""The examples of docs/metrics/external.md run, and give what is written there."""

from __future__ import annotations

import doctest
import importlib.metadata
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import mtassay
from mtassay.metrics.core import registry

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[4] / "docs" / "metrics" / "external.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
SESSIONS = [block for block in BLOCKS if block.startswith(">>>")]


@pytest.mark.parametrize("session", SESSIONS, ids=["file", "function"])
def test_sessions(session: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(session, {}, PAGE.name, str(PAGE), 0)
    flags = doctest.NORMALIZE_WHITESPACE
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0


@pytest.fixture
def plug_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    [source] = [block for block in BLOCKS if not block.startswith(">>>")]
    module = ModuleType("mtassay_same")
    monkeypatch.setitem(sys.modules, "mtassay_same", module)
    exec(source, module.__dict__)
    point = EntryPoint("same", "mtassay_same:Same", registry.ENTRY_POINTS)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [point])
    registry._third_party.cache_clear()
    yield
    registry._third_party.cache_clear()
    registry._load.cache_clear()


@pytest.mark.usefixtures("plug_in")
def test_plug_in() -> None:
    result = mtassay.score([["A b", "c"], ["x", None]], {"s": ["a b", "x"]}, metrics=["same", "same:case=lower"])
    assert result.scores.tolist() == [[0.0, 50.0]]
    assert mtassay.metric("same").pairwise(["a", "b"], ["b"]).tolist() == [[0.0], [100.0]]
    assert mtassay.metric("same").prepare([["a"]]).statistics([], [], hypothesis_index=[]).shape == (0, 2)  # type: ignore[arg-type]
