"""The test sets of the package sacrebleu (extra ``testsets``), imported on first use."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # requested by tools that inspect modules
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mtassay.data.sacrebleu_sets import package

    return getattr(package("dataset"), name)
