"""Results of parts of a study, kept in files, so that an interrupted study resumes where it stopped."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtassay import __version__
from mtassay.errors import InputError
from mtassay.io.atomic import atomic_write
from mtassay.io.cache import cache_folder
from mtassay.io.inputs import open_input

if TYPE_CHECKING:
    from collections.abc import Callable

_PACKAGE = Path(__file__).parents[1]


def cached(key: dict[str, Any], compute: Callable[[], Any]) -> Any:
    """Return the result cached under `key`, computing it the first time.

    Args:
        key: everything that the result depends on, as plain values; the version of the toolkit and a digest of its
            files are added.
        compute: returns plain values that JSON can represent.
    """
    of_code = {"version": __version__, "code": code_digest(_PACKAGE)}
    text = json.dumps({**key, **of_code}, sort_keys=True)
    path = cache_folder() / "studies" / f"{sha256(text.encode()).hexdigest()[:32]}.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        with open_input(path, is_own=True) as file:
            found = json.load(file)
        if found["key"] == json.loads(text):
            return found["result"]
    result = json.loads(json.dumps(compute()))
    # If the folder is not writable, the result is computed again the next time.
    with suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path, exact=True) as file:
            json.dump({"key": json.loads(text), "result": result}, file)
    return result


@cache
def code_digest(folder: Path) -> str:
    """A digest of all files of a package, compiled modules and tables included, so that changed code is noticed."""
    digest = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.parent.name != "__pycache__":
            with path.open("rb") as file:
                digest.update(f"{path.relative_to(folder)}\0{file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
