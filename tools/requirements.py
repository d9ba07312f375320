"""Print what mtassay and its named extras require, one requirement a line, without building mtassay.

usage: python tools/requirements.py [EXTRA...]
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path


def expand(extra: str, extras: dict[str, list[str]]) -> list[str]:
    """List the requirements of an extra; a reference to our own extras, ``mtassay[a,b]``, is followed."""
    found = []
    for requirement in extras[extra]:
        own = re.fullmatch(r"mtassay\[([\w,]+)\]", requirement)
        found += [r for name in own[1].split(",") for r in expand(name, extras)] if own else [requirement]
    return found


def main() -> None:
    project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())["project"]
    wanted = list(project["dependencies"])
    for extra in sys.argv[1:]:
        wanted += expand(extra, project["optional-dependencies"])
    print("\n".join(wanted))


if __name__ == "__main__":
    main()
