"""Writing pages to files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.io.atomic import atomic_write

if TYPE_CHECKING:
    import os


def write(page: str, path: str | os.PathLike[str]) -> None:
    """Write a page, completely or not at all."""
    with atomic_write(path) as file:
        print(page, file=file)
