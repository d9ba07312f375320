"""The base class of all results of verbs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.errors import MissingExtraError

if TYPE_CHECKING:
    import os


class Result(ABC):
    """The result of a verb: it can be printed, converted and plotted.

    A subclass is a frozen dataclass that defines ``to_dict``. The module ``mtassay.report.documents.VERB`` builds its
    report; the keywords of ``document`` there choose what is shown.
    """

    #: Name of the module that builds the report.
    verb: ClassVar[str]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All contents as plain values, under stable names."""

    def to_pandas(self, **options: Any) -> Any:
        """The table that ``-f tsv`` writes, as a data frame; `options` as for the document."""
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            raise MissingExtraError("to_pandas", "pandas") from error
        records = self._document(**options).records()
        return pandas.DataFrame(list(records.rows), columns=list(records.header))

    def plot(self, path: str | os.PathLike[str], *, kind: str | None = None, **options: Any) -> None:
        """Draw a plot into a file.

        Args:
            path: a file name that ends in .svg, .pdf or .png.
            kind: kind of plot; by default the verb's first kind (docs/plots.md lists all).
            options: options of this kind of plot.
        """
        import_module("mtassay.report.plots").draw(self, path, kind=kind, **options)

    def report(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write a page that a browser opens: one HTML file that needs neither a network nor other files.

        Args:
            path: the file.
            options: options of the verb's report.
        """
        import_module("mtassay.report.page.writing").write(self.render("html", **options), path)

    def render(self, format_: str = "text", *, configuration: dict[str, Any] | None = None, **options: Any) -> str:
        """The report in a format: ``text``, ``json``, ``tsv``, ``latex``, ``markdown`` or ``html``.

        Args:
            format_: the format.
            configuration: the configuration file (``file``) and the defaults taken from it, for the report to show
                (`shows_configuration`).
            options: options of the verb's report. Text shows signatures on request, other formats always.
        """
        if format_ != "text":
            options = self._signed | options
        document = self._document(**options)
        if configuration and self.shows_configuration(format_):
            document = document.with_configuration(configuration)
        text: str = import_module("mtassay.report.render").render(document, format_)
        return text

    def shows_configuration(self, format_: str) -> bool:
        """Whether the report in a format has a place for the defaults of a configuration file."""
        shows: bool = import_module("mtassay.report.render").shows_configuration(self.verb, format_)
        return shows

    def __str__(self) -> str:
        """The text that the command prints."""
        return self.render("text")

    def _repr_html_(self) -> str:
        """The tables in a notebook."""
        html: str = import_module("mtassay.report.render.html").fragment(self._document(**self._signed))
        return html

    def _document(self, **options: Any) -> Any:
        return self._make_document(self, **options)

    @property
    def _signed(self) -> dict[str, Any]:
        """The report's option that shows signatures, if it has one."""
        return {"signatures": True} if "signatures" in (self._make_document.__kwdefaults__ or ()) else {}

    @property
    def _make_document(self) -> Any:
        """The function that builds the report of this verb."""
        return import_module(f"mtassay.report.documents.{self.verb}").document


def interval_or_none(ends: Any) -> list[float | None]:
    """Convert the two ends of an interval for JSON; an end that is not known is None."""
    return [or_none(end) for end in ends]


def or_none(value: float) -> float | None:
    """Convert a number for JSON: NaN becomes None.

    >>> or_none(0.5), or_none(float("nan"))
    (0.5, None)
    """
    return None if isnan(value) else float(value)
