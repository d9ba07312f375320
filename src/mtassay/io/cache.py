"""The cache folder: METEOR's tables, annotations of texts, parts of studies.

The environment variable MTASSAY_CACHE names it. Otherwise it is the platform's cache folder: $XDG_CACHE_HOME/mtassay or
~/.cache/mtassay, ~/Library/Caches/mtassay on macOS, %LOCALAPPDATA%/mtassay/Cache on Windows. Everything in it may be
deleted at any time.
"""

from __future__ import annotations

import os
from pathlib import Path

from mtassay.errors import InputError


def cache_folder() -> Path:
    """Return the cache folder, which may not exist yet."""
    from platformdirs import user_cache_path  # imported here to start fast

    named = os.environ.get("MTASSAY_CACHE")
    try:
        return (Path(named) if named else user_cache_path("mtassay", appauthor=False)).expanduser()
    except RuntimeError:
        raise InputError("the home folder is not known; MTASSAY_CACHE can name a folder for the cache") from None
