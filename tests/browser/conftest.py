"""A real browser for pages that mtassay writes or serves, and axe, which checks whether everybody can use them.

``MTASSAY_BROWSER`` names the browser; without it the path is searched. Where there is none the tests skip, and say
how to get one; with ``MTASSAY_REQUIRE_BROWSER=1`` they fail instead.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)


def _missing(reason: str) -> NoReturn:
    if os.environ.get("MTASSAY_REQUIRE_BROWSER", "0") not in ("", "0"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def _executable() -> str:
    named = os.environ.get("MTASSAY_BROWSER")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, _NAMES)), None)
    if found:
        return found
    if named:
        _missing(f"MTASSAY_BROWSER names {named}, which is no program")
    _missing("no browser on the path: apt-get install chromium-headless-shell, or set MTASSAY_BROWSER to one")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser that all tests of a process share."""
    executable = _executable()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("no Playwright: pip install playwright")
    with sync_playwright() as playwright:
        # Without a sandbox, which a container or root does not have; the pages are our own.
        started = playwright.chromium.launch(
            executable_path=executable, headless=True, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page of its own, 1280 px wide, with no cookie; an error of its script fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(10_000)
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert not errors, errors


@pytest.fixture(scope="session")
def axe() -> Callable[[Page], None]:
    """Fails with axe's report where axe finds anything on a page: ``axe(page)``."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        _missing("no axe: pip install axe-playwright-python")
    checker = Axe()

    def check(page: Page) -> None:
        found = checker.run(page)
        assert not found.violations_count, found.generate_report()

    return check
