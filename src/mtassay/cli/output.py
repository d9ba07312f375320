"""What every verb does with its result: format, file and pictures."""

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
    """Format, file and pictures of the report.

    Args:
        parser: gets the options.
        formats: that the verb has.
        folder: where there is a folder to write instead of a file, which one in words.
        plots: the verb whose pictures can be drawn.
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
        help=folder or "write to a file (whole or not at all)",
    )
    if plots:
        from mtassay.report.plots import PLOTS  # only for verbs that draw: start-up counts

        about = "; ".join(f"{kind}: {plot.about}" for kind, plot in PLOTS[plots].items())
        output.add_argument(
            "--plot",
            action="append",
            default=[],
            nargs=2,
            metavar=("KIND", "FILE"),
            help=f"draw .svg, .pdf or .png; can be given several times. {about}",
        )
    return output


def check_plots(args: argparse.Namespace, verb: str) -> None:
    """Refuse a picture that cannot be drawn before any work is done."""
    from mtassay.report.plots import check, find_kind

    for kind, path in args.plot:
        find_kind(verb, kind)
        check(path)


def finish(args: argparse.Namespace, result: Result, *, plot: dict[str, Any] | None = None, **options: Any) -> int:
    """Draw the pictures that were asked for, write the report, and return the exit status.

    Pictures come first: whoever reads the report may stop reading, which ends the program.

    Args:
        args: with ``format``, ``output`` and, where the verb has them, ``plot`` and ``signatures``.
        result: what is reported.
        plot: options of pictures.
        options: those of the verb's document.
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
    """Somewhere to write lines to: standard output, or a file that appears only when everything went well."""
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
