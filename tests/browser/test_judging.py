"""The pages of a campaign in a real browser: by keyboard, on a phone, right to left, without script, and again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from child_processes import free_port, wait_for_port

import mtassay
from mtassay.data.campaigns import read_campaign
from mtassay.sample import sample_path

pytest.importorskip("starlette", reason="no Starlette: pip install 'mtassay[judge]'")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PROTOCOLS = ("rank", "pair", "da", "likert", "esa", "mqm")


class Server:
    """``mtassay judge serve`` on a port of its own, which can be killed and started again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        words = [sys.executable, "-m", "mtassay", "judge", "serve", str(self.path), "--port", str(self.port)]
        self.process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        wait_for_port(self.port)

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def link(self, name: str) -> str:
        [invitation] = mtassay.judge.invite(self.path, [name], url=f"http://127.0.0.1:{self.port}")
        return invitation.link

    def address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


def mark_minor_error(page: Page, *, category: int | None) -> None:
    """Mark the second word as a minor error, of a category where there are some."""
    page.locator(".tokens label").nth(1).click()
    if category is not None:
        page.select_option("#category", index=category)
    page.click("button.minor")
    page.wait_for_selector(".marked li")


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """A function that makes a campaign and serves it."""
    servers: list[Server] = []

    def make(testset: mtassay.TestSet | None = None, **options: Any) -> Server:
        path = tmp_path / f"{len(servers)}.db"
        mtassay.judge.new(path, testset or mtassay.load(sample_path(), lp="de-en"), **options)
        servers.append(Server(path))
        return servers[-1]

    yield make
    for server in servers:
        server.kill()


def begin(page: Page, server: Server, name: str = "ann") -> None:
    page.goto(server.link(name))
    page.press("button.main", "Enter")
    page.wait_for_selector("#answer")
    page.wait_for_load_state("load")  # style and script are there


def press_focused(page: Page) -> None:
    """Press Enter when the browser has focused what the page asks for, which it does after loading."""
    page.wait_for_function("document.activeElement && document.activeElement !== document.body")
    page.keyboard.press("Enter")


def log(server: Server) -> list[dict[str, Any]]:
    return [answer.payload for answer in read_campaign(server.path).log]


def small(**options: Any) -> dict[str, Any]:
    return {"segments": 6, "training": 0, **options}


def next_screen(page: Page, key: str = "Enter") -> None:
    screen = page.input_value("[name=screen]")
    page.keyboard.press(key)
    page.wait_for_function("old => document.querySelector('[name=screen]')?.value !== old", arg=screen)


def test_rankings_by_keyboard_alone(page: Page, serve: Callable[..., Server]) -> None:
    server = serve(protocol="rank", **small())
    begin(page, server)
    for digit in "12":
        page.keyboard.press(digit)
    page.keyboard.press("Backspace")  # takes the second rank back
    for digit in "5434":
        page.keyboard.press(digit)
    next_screen(page)
    assert log(server) == [{"ranks": [1, 5, 4, 3, 4]}]
    page.keyboard.press("Enter")
    page.wait_for_selector(".alert p")
    assert page.locator(".alert p").all_inner_texts() == [f"Output {n} has no rank yet." for n in range(1, 6)]
    page.keyboard.press("Backspace")  # nothing to take back: the previous screen
    page.wait_for_selector("text=You are changing an earlier answer")
    assert page.locator("input:checked").count() == 5
    page.click("text=Save the change")
    page.wait_for_selector("text=2 of")
    assert [answer.revision for answer in read_campaign(server.path).log] == [1, 2]


def test_training_and_a_break_by_keyboard_alone(page: Page, serve: Callable[..., Server]) -> None:
    server = serve(protocol="rank", segments=5, training=2)
    begin(page, server)
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.wait_for_url("**/feedback*")
    press_focused(page)
    page.wait_for_url("**/work")
    assert "Training 2 of 2" in page.inner_text("body")
    page.goto(server.address("/pause"))
    press_focused(page)
    page.wait_for_url("**/work")


def test_other_protocols_by_keyboard(page: Page, serve: Callable[..., Server]) -> None:
    for protocol, keys, payload in (
        ("pair", "2", {"outcome": -1}),
        ("da", "73", {"score": 73}),
        ("likert", "42", {"adequacy": 4, "fluency": 2}),
    ):
        size = {} if protocol == "pair" else {"controls": False}
        server = serve(protocol=protocol, **small(**size))
        begin(page, server)
        for key in keys:
            page.keyboard.press(key)
        next_screen(page)
        assert log(server) == [payload]


def test_spans_by_keyboard(page: Page, serve: Callable[..., Server]) -> None:
    texts = {"x": ["one 👩‍🔬 two three"], "y": ["one 👩‍🔬 two four"]}
    testset = mtassay.TestSet([["one two"]], texts, sources=["eins zwei"], language_pair="de-en")
    server = serve(testset, protocol="esa", controls=False, training=0)
    begin(page, server)
    page.locator("[name=token-at]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")  # the second and the third word
    page.locator("button.major").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".marked li")
    page.locator("#score").focus()
    page.keyboard.type("40")
    next_screen(page)
    [answer] = read_campaign(server.path).log
    text = answer.screen.outputs[0].text
    [span] = answer.payload["spans"]
    assert text[span["start"] : span["end"]] == "👩‍🔬 two"
    assert (span["severity"], answer.payload["score"]) == ("major", 40)


def test_a_slider_without_a_preset_thumb(page: Page, serve: Callable[..., Server]) -> None:
    server = serve(protocol="da", **small(controls=False))
    begin(page, server)
    slider = page.locator("input[type=range]")
    assert "unset" in (slider.get_attribute("class") or "")
    page.keyboard.press("Enter")
    page.wait_for_selector(".alert p")
    assert not log(server)
    slider = page.locator("input[type=range]")
    slider.fill("31")
    assert page.input_value("#score") == "31"
    assert "unset" not in (slider.get_attribute("class") or "")


def context_for(browser: Browser, **options: Any) -> BrowserContext:
    context = browser.new_context(**options)
    context.set_default_timeout(10_000)
    return context


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_everybody_can_use_every_page(
    browser: Browser, axe: Callable[[Page], None], serve: Callable[..., Server], protocol: str
) -> None:
    """Axe finds nothing, and nothing is wider than the screen, in light and dark, at 1280 and at 390 px."""
    size = {} if protocol in ("rank", "pair", "mqm") else {"task_size": 20}
    server = serve(protocol=protocol, segments=6, training=1, **size)
    for number, (scheme, width) in enumerate((("light", 1280), ("dark", 390))):
        context = context_for(browser, viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = context.new_page()

        def check(page: Page = page) -> None:
            axe(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

        page.goto(server.link(f"judge {number}"))
        check()
        page.press("button.main", "Enter")
        page.wait_for_selector("#answer")
        page.wait_for_load_state("load")  # style and script are there
        check()
        if protocol in ("esa", "mqm"):
            mark_minor_error(page, category=1 if protocol == "mqm" else None)
            check()
        page.click("button[value=save]")
        page.wait_for_selector(".alert p" if protocol != "mqm" else "article")
        check()
        context.close()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_everybody_can_use_the_pages_between_tasks(
    browser: Browser, axe: Callable[[Page], None], serve: Callable[..., Server], scheme: Any
) -> None:
    testset = mtassay.TestSet([["a b", "c d"]], {"x": ["a", "b"]}, sources=["a", "b"], language_pair="de-en")
    server = serve(testset, protocol="da", controls=False, task_size=1, training=1)
    context = context_for(browser, viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    begin(page, server)
    for path, text in (("/pause", "Take a break"), ("/nothing", "There is no such page"), ("/work", "Training 1 of 1")):
        page.goto(server.address(path))
        page.wait_for_selector(f"text={text}")
        axe(page)
    for text in ("The training is over", "Your completion code", "finished 2 tasks"):
        page.fill("#score", "50")
        page.click("button[value=save]")
        page.wait_for_selector(f"text={text}")
        axe(page)
        if page.locator("button.main").count():
            page.click("button.main")
    page.click("#back")
    page.wait_for_selector("text=You are changing an earlier answer")
    axe(page)
    context.close()


def test_targets_are_large_enough_for_a_thumb(browser: Browser, serve: Callable[..., Server]) -> None:
    server = serve(protocol="rank", **small())
    context = context_for(browser, viewport={"width": 390, "height": 800}, has_touch=True, color_scheme="dark")
    page = context.new_page()
    page.goto(server.link("ann"))
    page.tap("button.main")
    page.wait_for_selector("#answer")
    page.wait_for_load_state("load")  # style and script are there
    for target in page.locator(".scale label, button, nav a, #back, summary").all():
        if target.is_visible():
            box = target.bounding_box()
            assert box is not None
            assert box["height"] >= 44, target.inner_text()
    for slot in range(1, 6):
        page.tap(f"label:has([name=rank-{slot}][value='{slot}'])")
    page.tap("button[value=save]")
    page.wait_for_selector("text=2 of")
    assert log(server) == [{"ranks": [1, 2, 3, 4, 5]}]
    context.close()


@pytest.mark.parametrize("protocol", ["rank", "da", "esa"])
def test_words_that_are_longer_than_a_line(page: Page, serve: Callable[..., Server], protocol: str) -> None:
    """Such as addresses of pages: they are broken, in every text and in names."""
    long = 500 * "w"
    testset = mtassay.TestSet([[long]], {"x": [f"{long}x"], "y": [f"{long}y"]}, sources=[long])
    controls = {} if protocol == "rank" else {"controls": False}
    server = serve(testset, protocol=protocol, training=0, show=["source", "reference"], **controls)
    page.goto(server.link(long))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.press("button.main", "Enter")
    page.wait_for_selector("#answer")
    page.wait_for_load_state("load")  # style and script are there
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_right_to_left(page: Page, serve: Callable[..., Server]) -> None:
    testset = mtassay.TestSet(
        [["مرحبا بالعالم"]], {"x": ["مرحبا يا عالم"], "y": ["أهلا"]}, sources=["Hello world"], language_pair="en-ar"
    )
    server = serve(testset, protocol="esa", controls=False, training=0)
    begin(page, server)
    assert page.get_attribute(".output", "dir") == "rtl"
    assert page.get_attribute(".output", "lang") == "ar"
    assert page.get_attribute(".given p", "dir") == "ltr"
    first, second = (page.locator(".tokens label").nth(place).bounding_box() for place in (0, 1))
    assert first is not None
    assert second is not None
    assert first["x"] > second["x"]
    page.locator("[name=token-at]").first.focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.value") == "1"


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_script(browser: Browser, serve: Callable[..., Server], protocol: str) -> None:
    size = {} if protocol in ("rank", "pair") else {"controls": False}
    server = serve(protocol=protocol, **small(**size))
    context = context_for(browser, java_script_enabled=False)
    page = context.new_page()
    page.goto(server.link("ann"))
    page.click("text=Start")
    page.click("button[value=save]")
    page.wait_for_selector(".alert p")
    if protocol in ("esa", "mqm"):
        mark_minor_error(page, category=2 if protocol == "mqm" else None)
        assert page.locator(".marked li").count() == 1
    for slot in range(1, 6):
        if page.locator(f"[name=rank-{slot}]").count():
            page.locator(f"label:has([name=rank-{slot}][value='2'])").click()
    for name in ("outcome", "adequacy", "fluency"):
        if page.locator(f"[name={name}]").count():
            page.locator(f"label:has([name={name}][value='1'])").click()
    if page.locator("#score").count():
        page.fill("#score", "12")
    page.click("button[value=save]")
    page.wait_for_selector(".progress :text('2 of')")
    assert len(log(server)) == 1
    context.close()


def test_reload_two_tabs_and_a_double_click(browser: Browser, serve: Callable[..., Server]) -> None:
    server = serve(protocol="da", **small(controls=False))
    context = context_for(browser)
    first = context.new_page()
    begin(first, server)
    second = context.new_page()
    second.goto(server.address("/work"))
    first.fill("#score", "10")
    first.dblclick("button[value=save]")
    first.wait_for_selector("text=2 of")
    assert log(server) == [{"score": 10}]
    second.fill("#score", "20")
    second.click("button[value=save]")
    second.wait_for_selector("text=answered in another tab")
    assert second.input_value("#score") == "20"
    second.click("button[value=save]")
    second.wait_for_selector("text=2 of")
    assert log(server) == [{"score": 10}, {"score": 20}]
    screen = first.input_value("[name=screen]")
    first.reload()
    assert first.input_value("[name=screen]") == screen
    context.close()


@pytest.mark.skipif(os.name != "posix", reason="kills by a signal")
def test_an_answer_given_while_the_server_is_dead_arrives_later(page: Page, serve: Callable[..., Server]) -> None:
    server = serve(protocol="da", **small(controls=False))
    begin(page, server)
    server.kill()
    page.fill("#score", "64")
    page.click("button[value=save]")
    page.wait_for_selector("text=Not saved yet")
    server.start()
    page.wait_for_selector("text=2 of", timeout=20_000)
    assert log(server) == [{"score": 64}]


def test_an_unsent_answer_survives_the_page(page: Page, serve: Callable[..., Server]) -> None:
    server = serve(protocol="da", **small(controls=False))
    begin(page, server)
    page.route("**/work", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.fill("#score", "65")
    page.click("button[value=save]")
    page.wait_for_selector("text=Not saved yet")
    page.unroute("**/work")
    page.goto(server.address("/"))  # what was not sent is sent from the next page
    page.wait_for_selector("text=2 of", timeout=20_000)
    assert log(server) == [{"score": 65}]


def test_the_organisers_page(page: Page, serve: Callable[..., Server], axe: Callable[[Page], None]) -> None:
    server = serve(protocol="rank", **small())
    begin(page, server)
    for _ in range(5):
        page.keyboard.press("1")
    next_screen(page)
    link = mtassay.judge.edit(server.path, new_organiser_link=True)
    assert link is not None
    page.goto(link)
    page.wait_for_selector("table")
    axe(page)
    page.emulate_media(color_scheme="dark")
    axe(page)
    assert "ann" in page.inner_text("table >> nth=0")
    assert "1 of" in page.inner_text("main")
