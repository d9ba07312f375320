from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mtassay.io.cache import cache_folder


def test_the_variable_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MTASSAY_CACHE", "~/here")
    assert cache_folder() == tmp_path / "here"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="folders of Linux")
def test_the_folder_of_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MTASSAY_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "mtassay"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "mtassay"
