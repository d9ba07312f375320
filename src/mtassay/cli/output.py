"""Options and functions for writing a verb's result: format, file and plots."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mtassay.report.render import FORMATS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from mtassay.results import Result


def add_output(
    parser: argparse.ArgumentParser, *, formats: tuple[str, ...] = FORMATS, folder: str = "", plots: str = ""
) -> argparse._ArgumentGroup:
    """Add the options for the format, file and plots of the report.

    Args:
        parser: gets the options.
        formats: the formats that the verb offers.
        folder: help text of -o, if the verb writes a folder instead of a file.
        plots: the verb whose plots can be drawn.
    """
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f",
        "--format",
        choices=formats,
        default="text",
        metavar="FORMAT",
        help=f"{' | '.join(formats)} (default: text)",
    )
    output.add_argument(
        "-o",
        "--output",
        metavar="FOLDER" if folder else "FILE",
        required=bool(folder),
        help=folder or "write to this file, completely or not at all",
    )
    if plots:
        from mtassay.report.plots import PLOTS  # only for verbs with plots, to start fast

        about = "; ".join(f"{kind}: {plot.about}" for kind, plot in PLOTS[plots].items())
        output.add_argument(
            "--plot",
            action="append",
            default=[],
            nargs=2,
            metavar=("KIND", "FILE"),
            help=f"draw a plot as .svg, .pdf or .png; can be repeated. {about}",
        )
    return output


def check_plots(args: argparse.Namespace, verb: str) -> None:
    """Reject plots that cannot be drawn, before any work is done."""
    from mtassay.report.plots import check, find_kind

    for kind, path in args.plot:
        find_kind(verb, kind)
        check(path)


def finish(args: argparse.Namespace, result: Result, *, plot: dict[str, Any] | None = None, **options: Any) -> int:
    """Draw the requested plots, write the report, and return the exit status.

    Plots come first: if the reader closes the pipe, writing the report ends the program.

    Args:
        args: with ``format``, ``output`` and, if the verb has them, ``plot`` and ``signatures``.
        result: the result to report.
        plot: options of plots.
        options: options of the verb's report.
    """
    for kind, path in getattr(args, "plot", ()):
        result.plot(path, kind=kind, **(plot or {}))
    if getattr(args, "signatures", False):
        options["signatures"] = True
    with writing(args.output) as out:
        out.line(result.render(args.format, **options))
    return 0


@contextmanager
def writing(path: str | None) -> Iterator[Writer]:
    """A writer to standard output, or to a file that appears only if everything succeeds."""
    if path is None or path == "-":
        yield Writer(sys.stdout)
    else:
        from mtassay.data import atomic_write

        with atomic_write(path) as file:
            yield Writer(file)


class Writer:
    """Writes lines."""

    def __init__(self, file: object) -> None:
        self._file = file

    def line(self, text: str) -> None:
        """Write one line."""
        print(text, file=self._file)  # type: ignore[call-overload]
