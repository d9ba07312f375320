"""Where data are found: the only place that decides it."""

from __future__ import annotations

import os
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[2]
#: What a message advises where data are missing.
COMMAND = "make data"


def built_folder() -> Path:
    """The folder that ``make data`` fills: MTASSAY_DATA, or ``data`` in the repository."""
    return Path(os.environ.get("MTASSAY_DATA") or _REPOSITORY / "data")


def data_folder() -> Path:
    """The folder to read from: the built one; where neither exists, ``shared/data`` beside the repository.

    The folder that is returned need not exist.
    """
    beside = _REPOSITORY.parent / "shared" / "data"
    if os.environ.get("MTASSAY_DATA") or built_folder().is_dir() or not beside.is_dir():
        return built_folder()
    return beside


def oracle_folder(data: Path) -> Path:
    """The folder with the texts that the original tools were given: a data set like others, or beside the data."""
    built = data / "oracles"
    return built if built.is_dir() or not (data.parent / "oracles").is_dir() else data.parent / "oracles"
