"""Test sets of the package sacrebleu, which downloads, checks and caches them (extra ``testsets``)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mtassay.errors import MissingExtraError


def package(module: str) -> Any:
    """A module of the package sacrebleu, such as ``dataset``; an error that says how to get it if it is missing."""
    try:
        return import_module(f"sacrebleu.{module}")
    except ModuleNotFoundError as error:
        raise MissingExtraError("sacreBLEU's test sets", "testsets") from error
