"""Opening inputs and writing outputs, independent of formats; and where the configuration file is."""

from __future__ import annotations

import os

#: Names a configuration file, or ``none``.
CONFIGURATION_VARIABLE = "MTASSAY_CONFIG"
#: A file of our own, and one of a project, of which a table may be ours.
CONFIGURATION_FILE, PROJECT_FILE = "mtassay.toml", "pyproject.toml"


def find_configuration() -> str | None:
    """The configuration file; None if there is none. It stands here because a package is loaded in any case.

    The environment variable MTASSAY_CONFIG names it, or is ``none``. Else it is the first of these that exists:
    ``mtassay.toml`` or a ``pyproject.toml`` with a table ``[tool.mtassay]`` in the working directory and the folders
    above it, up to the home folder or the root; then ``mtassay/mtassay.toml`` in $XDG_CONFIG_HOME or ~/.config.
    """
    named = os.environ.get(CONFIGURATION_VARIABLE)
    if named:
        return None if named == "none" else named
    home = os.path.expanduser("~")  # noqa: PTH111  (pathlib is not needed, and raises without a home)
    try:
        folder = os.getcwd()  # noqa: PTH109
    except OSError:  # the working directory was removed
        folder = home
    while True:
        for name in (CONFIGURATION_FILE, PROJECT_FILE):
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.isfile(path) and (name == CONFIGURATION_FILE or _mentions_us(path)):  # noqa: PTH113
                return path
        above = os.path.dirname(folder)  # noqa: PTH120
        if folder == home or above == folder:
            break
        folder = above
    user = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")  # noqa: PTH118
    path = os.path.join(user, "mtassay", CONFIGURATION_FILE)  # noqa: PTH118
    return path if os.path.isfile(path) else None  # noqa: PTH113


def _mentions_us(path: str) -> bool:
    """Whether a project's file has our table; it is parsed only if it has our name."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            content = file.read()
    except OSError:
        return False
    if b"mtassay" not in content:
        return False
    import tomllib

    try:
        return "mtassay" in tomllib.loads(content.decode()).get("tool", {})
    except ValueError:  # reading it reports the fault, if it is ours to report
        return b"tool.mtassay" in content
