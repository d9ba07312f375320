"""Files of plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def check_files(result: Any, kind: str, folder: Path) -> None:
    """A plot can be written in every format, and a second SVG has the same bytes."""
    for ending, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        path = folder / f"picture.{ending}"
        result.plot(path, kind=kind)
        assert path.read_bytes().startswith(start)
    result.plot(folder / "again.svg", kind=kind)
    assert (folder / "again.svg").read_bytes() == (folder / "picture.svg").read_bytes()
