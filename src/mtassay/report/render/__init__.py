"""Formats of reports by name: one module each, with a function ``render(document) -> str``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from mtassay.errors import InputError, unknown_name

if TYPE_CHECKING:
    from mtassay.report.document import Document

#: To add a format, add a module here and its name to this list.
FORMATS = ("text", "json", "tsv", "latex", "markdown", "html")


def render(document: Document, format_: str) -> str:
    """Render a document in one of ``FORMATS``."""
    if format_ not in FORMATS:
        raise InputError(unknown_name("format", format_, FORMATS))
    text: str = import_module(f"mtassay.report.render.{format_}").render(document)
    return text
