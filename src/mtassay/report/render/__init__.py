"""Formats of reports by name: one module each, with a function ``render(document) -> str``.

``SHOWS_CONFIGURATION`` of the module says whether the format has a place for the defaults of a configuration file:
records have none, blocks and data do.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from mtassay.errors import InputError, unknown_name

if TYPE_CHECKING:
    from mtassay.report.document import Document

#: To add a format, add a module here and its name to this list.
FORMATS = ("text", "json", "tsv", "latex", "markdown", "html")


def shows_configuration(verb: str, format_: str) -> bool:
    """Whether the report of a verb in a format shows the defaults of a configuration file.

    Some reports are read by other programs as they are: the formats in ``AS_IS`` of the verb's document.
    """
    as_is = getattr(import_module(f"mtassay.report.documents.{verb}"), "AS_IS", ())
    has_room: bool = import_module(f"mtassay.report.render.{format_}").SHOWS_CONFIGURATION
    return has_room and format_ not in as_is


def render(document: Document, format_: str) -> str:
    """Render a document in one of ``FORMATS``."""
    if format_ not in FORMATS:
        raise InputError(unknown_name("format", format_, FORMATS))
    text: str = import_module(f"mtassay.report.render.{format_}").render(document)
    return text
