"""The output of a verb: options for format, files and plots, checks of these options, and writing the result."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mtassay.errors import MtassayError
from mtassay.report.render import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mtassay.cli.configuration import Defaults
    from mtassay.report.plots import Plot
    from mtassay.results import Result

#: Tuned weights may replace the starting weights.
_MAY_REPLACE = {"save": ("start", "ini")}
_STDOUT = "-"


def defaults_of_file() -> Defaults | None:
    """The defaults that this run has taken from a configuration file, if any."""
    if "mtassay.cli.configuration" not in sys.modules:
        return None
    from mtassay.cli.configuration import current_defaults

    return current_defaults()


def without_effect(args: argparse.Namespace, *names: str) -> None:
    """Restore the built-in defaults of options that have no effect in this run, if a configuration file set them."""
    defaults = defaults_of_file()
    if defaults is not None:
        defaults.take_back(args, names)


def without_tsv(args: argparse.Namespace) -> None:
    """Choose the built-in format if TSV, which cannot hold this result, is only the default of a configuration file."""
    if args.format == "tsv":
        without_effect(args, "format")


class Store(argparse.Action):
    """Stores a value; repeated options that take several values accumulate: ``-i a -i b`` is ``-i a b``."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        """Store the values."""
        before = getattr(namespace, self.dest)
        adds_up = self.option_strings and self.nargs in {"+", "*"} and before is not self.default
        setattr(namespace, self.dest, [*before, *values] if adds_up else values)


class OutputFile(Store):
    """An option that names a file to write."""

    may_be_folder = False
    must_be_folder = False

    def paths(self, value: Any) -> list[str]:
        """The files that the parsed value names; without -o, output goes to standard output."""
        if value is None:
            return [_STDOUT] if self.dest == "output" else []
        return [value]


class OutputPath(OutputFile):
    """An option that names a file to write, or a folder."""

    may_be_folder = True


class OutputFolder(OutputPath):
    """An option that names a folder to write; files are added to an existing folder."""

    must_be_folder = True

    def paths(self, value: Any) -> list[str]:
        """The folder, if one is given; it is never standard output."""
        return [] if value is None else [value]


class OutputPlots(OutputFile):
    """The option ``--plot KIND FILE``, any number of times.

    Attributes:
        kinds: the kinds of plots that the verb has.
    """

    def __init__(self, *args: Any, kinds: Mapping[str, Plot], **options: Any) -> None:
        super().__init__(*args, **options)
        self.kinds = kinds

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        """Add a kind and a file."""
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), values])

    def paths(self, value: Any) -> list[str]:
        """The files of all plots."""
        return [path for _, path in value]


def add_output(
    parser: argparse.ArgumentParser,
    *,
    formats: tuple[str, ...] = FORMATS,
    default: str = "text",
    folder: str = "",
    plots: str = "",
) -> argparse._ArgumentGroup:
    """Add the options for the format, file and plots of the report.

    Args:
        parser: gets the options.
        formats: the formats that the verb offers.
        default: the default format.
        folder: help text of -o, if the verb writes a folder instead of a file.
        plots: the verb whose plots can be drawn.
    """
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f",
        "--format",
        choices=formats,
        default=default,
        metavar="FORMAT",
        help=f"{' | '.join(formats)} (default: {default})",
    )
    output.add_argument(
        "-o",
        "--output",
        action=OutputFolder if folder else OutputFile,
        metavar="FOLDER" if folder else "FILE",
        required=bool(folder),
        help=folder or "write to this file, completely or not at all",
    )
    if plots:
        from mtassay.report.plots import PLOTS  # only for verbs with plots, to start fast

        about = "; ".join(f"{kind}: {plot.about}" for kind, plot in PLOTS[plots].items())
        output.add_argument(
            "--plot",
            action=OutputPlots,
            kinds=PLOTS[plots],
            default=[],
            nargs=2,
            metavar=("KIND", "FILE"),
            help=f"draw a plot as .svg, .pdf or .png; can be repeated. {about}",
        )
    return output


def check_outputs(args: argparse.Namespace, actions: Iterable[argparse.Action]) -> None:
    """Reject, before any work is done, outputs that are unwritable, named like compressed files, or given twice.

    Outputs are registered, so that reading one is an error (`mtassay.io.run_files`).

    Args:
        args: the parsed arguments.
        actions: the arguments that the command defines.
    """
    flags: dict[str, str] = {}
    outputs = [action for action in actions if isinstance(action, OutputFile)]
    for output, path in ((one, path) for one in outputs for path in one.paths(getattr(args, one.dest))):
        flag = output.option_strings[0]
        if "\0" in path:
            raise MtassayError(f"{path!r} is not a file name")
        place = _STDOUT if path == _STDOUT else os.path.realpath(path)
        if place in flags:
            if flags[place] == flag:
                raise MtassayError(f"{flag} names {path} twice: give each a file of its own")
            raise MtassayError(f"{flags[place]} and {flag} name the same file: {path}")
        flags[place] = flag
        if path == _STDOUT and output.must_be_folder:
            raise MtassayError(f"{flag} names a folder, which cannot go to standard output")
        if path != _STDOUT:
            from mtassay.io.run_files import allow_replacing, register_output

            for replaced in _MAY_REPLACE.get(output.dest, ()):
                given = getattr(args, replaced) or []
                for start in [given] if isinstance(given, str) else given:
                    allow_replacing(start, path)
            register_output(path, flag)
            _check_place(path, may_be_folder=output.may_be_folder)


def _check_place(path: str, *, may_be_folder: bool) -> None:
    """Reject a path that cannot be written."""
    from mtassay.io.atomic import check_replaceable  # imported here to start fast

    # os.path, not pathlib: it returns False for invalid names.
    folder = os.path.dirname(path) or "."  # noqa: PTH120
    if not os.path.isdir(folder):  # noqa: PTH112
        if not _may_be_looked_up(folder):
            raise MtassayError(f"{path} cannot be written: no permission to read its folder")
        raise MtassayError(f"{path} cannot be written: there is no folder {folder}; create it first")
    if os.path.isdir(path) and not may_be_folder:  # noqa: PTH112
        raise MtassayError(f"{path} is a folder; give a file name")
    if not may_be_folder:
        _check_suffix(path)
    # A regular file is replaced, so its folder must be writable. Others (/dev/null) are opened for writing.
    written = folder if os.path.isfile(path) or not os.path.exists(path) else path  # noqa: PTH110, PTH113
    if not os.access(written, os.W_OK):
        raise MtassayError(f"{path} cannot be written: permission denied")
    check_replaceable(path)


def _may_be_looked_up(folder: str) -> bool:
    try:
        os.stat(folder)  # noqa: PTH116
    except PermissionError:
        return False
    except (OSError, ValueError):
        return True
    return True


def _check_suffix(path: str) -> None:
    """Reject names of compressed files: outputs are not compressed, and readers would take them for broken archives."""
    from mtassay.io.inputs import COMPRESSION_SUFFIXES

    suffix = os.path.splitext(path)[1]  # noqa: PTH122
    kind = COMPRESSION_SUFFIXES.get(suffix.lower())
    if kind is not None:
        raise MtassayError(f"{path} is named like a {kind} file, but outputs are not compressed: leave out {suffix}")


def check_plots(args: argparse.Namespace, verb: str) -> None:
    """Reject plots that cannot be drawn, before any work is done."""
    from mtassay.report.plots import check, find_kind

    for kind, path in args.plot:
        find_kind(verb, kind)
        check(path)


def finish(args: argparse.Namespace, result: Result, *, plot: dict[str, Any] | None = None, **options: Any) -> int:
    """Draw the requested plots, write the report, and return the exit status.

    Plots are drawn first, since writing the report ends the program if the reader closes the pipe.

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
        out.line(result.render(args.format, configuration=_shown_configuration(result, args.format), **options))
    return 0


def _shown_configuration(result: Result, format_: str) -> dict[str, Any] | None:
    """The defaults of a configuration file for the report to show; if it cannot show them, `main` prints them."""
    defaults = defaults_of_file() if result.shows_configuration(format_) else None
    if defaults is None or not defaults.of_numbers:
        return None
    defaults.reported = True
    return {"file": defaults.file, **defaults.of_numbers}


@contextmanager
def writing(path: str | None) -> Iterator[Writer]:
    """A writer to standard output, or to a file that is created only if everything succeeds."""
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
