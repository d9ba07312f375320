"""A real browser for pages that mtassay writes or serves, and axe, which checks whether everybody can use them.

``MTASSAY_BROWSER`` names the browser; without it the path is searched. Where there is none the tests skip, and say
how to get one; with ``MTASSAY_REQUIRE_BROWSER=1`` they fail instead.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NoReturn

import browsers
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def _missing(reason: str) -> NoReturn:
    if os.environ.get("MTASSAY_REQUIRE_BROWSER", "0") not in ("", "0"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser that all tests of a process share."""
    try:
        with browsers.started() as found:
            yield found
    except browsers.NoBrowserError as reason:
        _missing(str(reason))


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
