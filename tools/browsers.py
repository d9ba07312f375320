"""A browser for tests and screenshots: the one that ``MTASSAY_BROWSER`` names, else one on the path."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)


class NoBrowserError(Exception):
    """Why there is no browser, with the command that gets it."""


@contextmanager
def started() -> Iterator[Browser]:
    """A running browser."""
    executable = _executable()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoBrowserError("no Playwright: pip install playwright") from None
    with sync_playwright() as playwright:
        # Without a sandbox, which a container or root does not have; the pages are our own.
        browser = playwright.chromium.launch(
            executable_path=executable, headless=True, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


def _executable() -> str:
    named = os.environ.get("MTASSAY_BROWSER")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, _NAMES)), None)
    if found:
        return found
    if named:
        raise NoBrowserError(f"MTASSAY_BROWSER names {named}, which is no program")
    raise NoBrowserError(
        "no browser on the path: apt-get install chromium-headless-shell, or set MTASSAY_BROWSER to one"
    )
