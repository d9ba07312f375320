"""A cache folder of its own for every test, and models that are plain functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mtassay.metrics.neural import assessments, base, models

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The cache folder; nothing that a process remembers outlives a test."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MTASSAY_CACHE", str(folder))
    yield folder
    base._loaded.clear()
    assessments._in_memory.clear()
    models._commit.cache_clear()
