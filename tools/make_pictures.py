"""Draw the pictures of the docs anew: ``make pictures``.

A page has the command of each of its pictures. These commands are run as they stand there, in a folder with the
built-in sample and the data; what they draw goes to docs/pictures. ``make docs`` draws those that need no data, too.
Without --only, screenshots are taken, too.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from pathlib import Path

import screenshots
import shown_commands
from browsers import NoBrowserError
from not_run import reason_not_to_run
from shown_commands import ROOT, Place, Shown

PAGES = sorted((ROOT / "docs").glob("*.md"))
PICTURES = ROOT / "docs/pictures"
_SHOWN = re.compile(r"!\[[^\]]+\]\(pictures/([\w-]+\.svg)\)")
_DRAWN = re.compile(r"--plot [\w-]+ ([\w-]+\.svg)")


def commands(page: str) -> dict[str, Shown]:
    """The command that draws each picture of a page, by the name of its file."""
    shown = set(_SHOWN.findall(page))
    found = [(name, one) for one in shown_commands.find(page) for name in _DRAWN.findall(one.command)]
    return {name: one for name, one in found if name in shown}


def check(name: str, page: str) -> None:
    """Refuse a picture without a command beside it."""
    for picture in sorted(set(_SHOWN.findall(page)) - set(commands(page))):
        sys.exit(f"{name}: {picture} is shown without its command")


def draw(page: Path, into: Path, *, with_data: bool, only: list[str] | None = None) -> list[str]:
    """Draw the pictures of a page that are wanted; their names."""
    text = page.read_text(encoding="utf-8")
    check(page.name, text)
    wanted = {
        name: one
        for name, one in commands(text).items()
        if (only is None or name in only) and (with_data or not one.data_sets)
    }
    if not wanted:
        return []
    drawing = set(wanted.values())
    found = shown_commands.find(text)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder) / "place", text)
        runnable = [one for one in found if not reason_not_to_run(f"docs/{page.name}", one.command)]
        for one in runnable:
            # What a command needs is made by one without mtassay, or by one that changes the folder.
            if one in drawing or not one.command.startswith("mtassay") or " cd " in one.command:
                status, printed = place.run(one)
                if status:
                    sys.exit(f"{page.name}:{one.line}: {one.command}\n{printed[-1]}")
        for name in wanted:
            shutil.copyfile(next(place.home.rglob(name)), into / name)
    return list(wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the pictures of the docs anew.")
    parser.add_argument("--only", nargs="+", metavar="FILE", help="names of pictures")
    args = parser.parse_args()
    if not shown_commands.DATA.is_dir():
        sys.exit(f"no data in {shown_commands.DATA}: make data")
    for page in PAGES:
        for name in draw(page, PICTURES, with_data=True, only=args.only):
            print(f"{page.name}: {name}")
    if not args.only:
        try:
            screenshots.take(screenshots.FOLDER, ("light",))
        except NoBrowserError as reason:
            sys.exit(f"no screenshots were taken: {reason}")


if __name__ == "__main__":
    main()
