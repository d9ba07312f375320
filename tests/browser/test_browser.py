"""The fixtures themselves: axe sees what is wrong, and an error of a page's script is an error of the test."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

_GOOD = "<!doctype html><html lang=en><title>t</title><main><h1>Heading</h1><p>Text.</p></main>"


def test_axe_passes_a_good_page(page: Page, axe: Callable[[Page], None]) -> None:
    page.set_content(_GOOD)
    axe(page)


def test_axe_finds_text_that_is_too_pale(page: Page, axe: Callable[[Page], None]) -> None:
    page.set_content(_GOOD.replace("<p>", "<p style='color: #ddd; background: #fff'>"))
    with pytest.raises(AssertionError, match="color-contrast"):
        axe(page)


def test_a_page_has_its_own_size_and_script_runs(page: Page) -> None:
    page.set_content(_GOOD)
    assert page.evaluate("innerWidth") == 1280
