"""The folder in which computed things are kept: METEOR's tables, annotations of texts, parts of studies.

It is that of the environment variable MTASSAY_CACHE, else the platform's own: $XDG_CACHE_HOME/mtassay or
~/.cache/mtassay, ~/Library/Caches/mtassay on macOS, %LOCALAPPDATA%/mtassay/Cache on Windows. Everything in it may be
deleted at any time.
"""

from __future__ import annotations

import os
from pathlib import Path

from mtassay.errors import InputError


def cache_folder() -> Path:
    """Return where computed things are kept; it may not exist yet."""
    from platformdirs import user_cache_path  # only where it is asked: start-up counts

    named = os.environ.get("MTASSAY_CACHE")
    try:
        return (Path(named) if named else user_cache_path("mtassay", appauthor=False)).expanduser()
    except RuntimeError:
        raise InputError("the home folder is not known; MTASSAY_CACHE can name a folder for the cache") from None
