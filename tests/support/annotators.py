"""Annotators of tests, known by their names in specifications."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest

from mtassay.text import annotate


@contextmanager
def registered(annotator: type) -> Iterator[None]:
    """Know an annotator by its attribute ``name``."""
    name: str = annotator.name  # type: ignore[attr-defined]
    module = ModuleType(f"mtassay_annotator_{name}")
    module.Annotator = annotator  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, module.__name__, module)
        patch.setattr(annotate, "ANNOTATORS", {**annotate.ANNOTATORS, name: f"{module.__name__}:Annotator"})
        yield
