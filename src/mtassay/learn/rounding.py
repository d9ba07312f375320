"""How results of studies are shown."""

from __future__ import annotations

from importlib import import_module


class Shown:
    """A result that the report has tables for."""

    def __str__(self) -> str:
        """What the command prints."""
        return self._page("text")

    def _repr_html_(self) -> str:
        """The tables in a notebook."""
        return self._page("html")

    def _page(self, format_: str) -> str:
        page: str = import_module("mtassay.report.learn_studies").page(self, format_)
        return page
