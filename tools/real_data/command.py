"""The command ``make data``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from real_data.build import build
from real_data.errors import DataError
from real_data.folder import built_folder
from real_data.manifest import Manifest
from real_data.sources import HOST, reader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from real_data.build import Progress

_EXAMPLES = """\
examples:
  make data                              all sets (about 100 MB)
  make data SETS="wmt13 wmt23"           some of them
  make data MIRROR=/srv/mirrors          from local copies of the repositories, without the network
  MTASSAY_DATA=/srv/data make data       to another folder
"""


def main(arguments: Sequence[str] | None = None, *, manifest: Manifest | None = None) -> int:
    """Build the sets that are asked for; returns the exit status."""
    manifest = manifest or Manifest.read()
    parser = argparse.ArgumentParser(
        description="Build public data sets for tests, studies and benchmarks from public repositories. "
        "Files that are there are checked and kept; docs/data.md describes the sets.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"some of: {', '.join(manifest.sets)} (default: all)")
    parser.add_argument(
        "--to", type=Path, default=built_folder(), metavar="DIR", help="data folder (default: %(default)s)"
    )
    parser.add_argument(
        "--mirror",
        metavar="DIR|URL",
        help="read sources from a folder of repositories (bare, checked out or plain; named owner+name), or from a "
        f"server with the layout of {HOST}",
    )
    args = parser.parse_args(arguments)
    try:
        names = manifest.chosen(args.sets)
        read = reader(args.mirror)
        for name in names:
            show = _progress(name, len(manifest.of(name)))
            done = build(manifest, name, args.to, read=read, progress=show)
            print(f"{name}: {done.n_made} made, {done.n_kept} kept, {done.n_bytes / 1e6:.1f} MB", flush=True)
    except DataError as error:
        return _failed(str(error))
    except OSError as error:
        return _failed(f"{error.filename or args.to}: {error.strerror or error}")
    except KeyboardInterrupt:
        return _failed("stopped; the same command goes on from here", status=130)
    return 0


def _failed(message: str, *, status: int = 2) -> int:
    start = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{start}make data: {message}", file=sys.stderr)
    return status


def _progress(name: str, n_files: int) -> Progress:
    """Shows how many files are done, on a terminal."""

    def show(n_done: int) -> None:
        if sys.stderr.isatty():
            end = "\r\x1b[K" if n_done == n_files else ""
            print(f"\r{name}: {n_done}/{n_files} files", end=end, file=sys.stderr, flush=True)

    return show
