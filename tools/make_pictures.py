"""Draw the pictures of the docs anew: ``make pictures``.

docs/plots.md has the command of each picture above it. All of them are run as they stand there, in a folder with the
built-in sample (``sample``), the data of WMT13 (``wmt13``) and ``examples``; what they draw goes to docs/pictures.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from itertools import groupby
from pathlib import Path
from textwrap import dedent

from real_data import COMMAND, data_folder

HERE = Path(__file__).resolve().parent.parent
PAGE = HERE / "docs/plots.md"
PICTURES = HERE / "docs/pictures"
_SHOWN = re.compile(r"!\[[^\]]+\]\(pictures/([\w-]+\.svg)\)")
_DRAWN = re.compile(r"--plot [\w-]+ ([\w-]+\.svg)")
_INDENT = "    "


def commands(page: str) -> dict[str, str]:
    """The block of commands that draws each picture, by the name of its file."""
    blocks = ["\n".join(lines) for indented, lines in groupby(page.split("\n"), _is_command) if indented]
    return {name: dedent(block) for block in blocks for name in _DRAWN.findall(block)}


def _is_command(line: str) -> bool:
    return line.startswith(_INDENT)


def check(page: str) -> None:
    """Refuse a picture without a command, and a command whose picture is not shown."""
    shown, drawn = set(_SHOWN.findall(page)), set(commands(page))
    for name in sorted(shown ^ drawn):
        sys.exit(f"{PAGE.name}: {name} is {'shown without a command' if name in shown else 'drawn and not shown'}")


def main() -> None:
    """Run the commands of the pictures that are asked for, by default all."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the docs anew.")
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder with wmt13 (default: %(default)s)")
    parser.add_argument("--only", nargs="+", metavar="FILE", help="names of pictures")
    args = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    check(page)
    wanted = {name: block for name, block in commands(page).items() if args.only is None or name in args.only}
    wmt13 = args.data.resolve() / "wmt13"
    if not wmt13.is_dir():
        sys.exit(f'no {wmt13}: {COMMAND} SETS="wmt13"')
    tools = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', '')}"}
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "wmt13").symlink_to(wmt13)
        (place / "examples").symlink_to(HERE / "examples")
        subprocess.run([tools / "mtassay", "demo", "--keep", place / "sample"], check=True, stdout=subprocess.DEVNULL)
        for name, block in wanted.items():
            print(block)
            subprocess.run(["bash", "-euc", block], cwd=place, env=environment, check=True, stdout=subprocess.DEVNULL)
            shutil.copyfile(place / name, PICTURES / name)


if __name__ == "__main__":
    main()
