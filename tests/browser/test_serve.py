"""``mtassay serve`` in a real browser: dropping files, by keyboard, on a phone, in the dark, without script."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from child_processes import free_port, wait_for_port

import mtassay
from mtassay.sample import sample_path

pytest.importorskip("starlette", reason="no Starlette: pip install 'mtassay[judge]'")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server."""
    port = free_port()
    words = [sys.executable, "-m", "mtassay", "serve", "--port", str(port), "--max-size", "200K", "--max-files", "6"]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
        wait_for_port(port)
        yield f"http://127.0.0.1:{port}"
        process.kill()


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reference and two systems of the sample, and a file that is too short."""
    folder = tmp_path_factory.mktemp("texts")
    sample = mtassay.load(sample_path())
    streams: dict[str, Any] = {"reference": sample.references[0], "source": sample.sources}
    streams |= dict(list(sample.systems.items())[:2])
    streams["short"] = ["one", "two"]
    names = {name: folder / f"{name}.txt" for name in streams}
    for name, path in names.items():
        path.write_text("".join(f"{text}\n" for text in streams[name]), encoding="utf-8")
    return names


def fill(page: Page, texts: dict[str, Path]) -> None:
    first, second = list(texts.values())[2:4]
    page.set_input_files("#references", texts["reference"])
    page.set_input_files("#outputs", [first, second])


def picture(page: Page, name: str) -> None:
    """Keep a picture where ``MTASSAY_PICTURES`` says, to be looked at."""
    if folder := os.environ.get("MTASSAY_PICTURES"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def in_light_and_dark(page: Page, axe: Callable[[Page], None]) -> None:
    for colours in ("dark", "light"):
        page.emulate_media(color_scheme=colours)
        axe(page)


def test_from_files_to_the_report(
    page: Page, address: str, texts: dict[str, Path], axe: Callable[[Page], None], tmp_path: Path
) -> None:
    page.goto(address)
    fill(page, texts)
    page.set_input_files("#source", texts["source"])
    assert page.locator(".files li").count() == 4
    picture(page, "serve")
    in_light_and_dark(page, axe)
    page.get_by_role("button", name="Make the report").click()
    page.wait_for_selector("text=The report is ready", timeout=60_000)
    picture(page, "serve-ready")
    in_light_and_dark(page, axe)
    with page.expect_download() as saved:
        page.click("text=Save the report")
    path = tmp_path / "report.html"
    saved.value.save_as(path)
    page.click("text=Open the report")
    page.wait_for_selector("#summary")
    assert page.content().count("<section") > 5
    # The script of the report runs, in an origin of its own.
    assert page.get_by_role("button", name="Print").count() == 1
    assert page.evaluate("self.origin") == "null"
    picture(page, "serve-report")
    written = path.read_text(encoding="utf-8")
    testset = mtassay.data.load_files([texts["reference"]], list(texts.values())[2:4], source=texts["source"])
    command = written.partition("mtassay report ")[2].partition("<")[0]
    assert command.startswith("reference.txt -i ")
    assert written == mtassay.report(testset, command=f"mtassay report {command}").render("html") + "\n"


def test_dropping_files(page: Page, address: str) -> None:
    page.goto(address)
    for number, area in enumerate(["references", "outputs", "outputs", "source", "source"]):
        page.evaluate(
            """([area, number]) => {
                const data = new DataTransfer();
                data.items.add(new File(["a b c d\\n"], `file${number}.txt`));
                const target = document.querySelector(`#${area}`).closest(".drop");
                for (const kind of ["dragover", "drop"])
                    target.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
            }""",
            [area, number],
        )
    names = page.locator(".files li").all_inner_texts()
    assert names == ["file0.txt (1 kB)", "file1.txt (1 kB)", "file2.txt (1 kB)", "file4.txt (1 kB)"]
    page.get_by_role("button", name="Make the report").click()
    page.wait_for_selector("text=The report is ready", timeout=60_000)


def test_limits_are_told_before_sending(page: Page, address: str, tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_bytes(b"a\n" * 150_000)
    page.goto(address)
    page.set_input_files("#references", tmp_path / "large.txt")
    page.get_by_role("button", name="Make the report").click()
    assert page.locator("#alert").inner_text() == "the files have 293 kB in total: this server accepts 200 kB"


def test_errors_are_shown_in_one_line(
    page: Page, address: str, texts: dict[str, Path], axe: Callable[[Page], None]
) -> None:
    page.goto(address)
    page.set_input_files("#references", texts["reference"])
    page.set_input_files("#outputs", texts["short"])
    page.get_by_role("button", name="Make the report").click()
    page.wait_for_selector(".alert p")
    expected = "short.txt has 2 lines, reference.txt has 64: every system needs one line per reference line"
    assert page.locator("#alert").inner_text() == expected
    assert page.evaluate("document.activeElement.id") == "alert"
    picture(page, "serve-error")
    in_light_and_dark(page, axe)


@pytest.mark.parametrize("colours", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_on_a_phone_without_script(browser: Browser, address: str, colours: Any, axe: Callable[[Page], None]) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 800}, color_scheme=colours, java_script_enabled=False
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.goto(address)
    for summary in ("Paste text instead", "More metrics"):
        page.click(f"text={summary}")
    picture(page, f"serve-phone-{colours}")
    page.fill("#reference_text", "the cat sat on the mat\na dog barked")
    page.fill("#output_text_1", "the cat sat on a mat\na dog barked")
    page.fill("#output_text_2", "cat\n")
    page.check("[value=wer]")
    page.click("text=Make the report")
    alert = page.locator("#alert")
    assert (
        alert.inner_text()
        == "pasted 2 has 1 line, pasted reference has 2: every system needs one line per reference line"
    )
    assert page.input_value("#output_text_1") == "the cat sat on a mat\na dog barked"
    assert page.is_checked("[value=wer]")
    page.fill("#output_text_2", "cat\ndog")
    page.click("text=Make the report")
    page.wait_for_selector("text=The report is ready")  # the page reloads itself
    page.click("text=Open the report")
    page.wait_for_selector("#scores")
    context.close()
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme=colours)
    page = context.new_page()  # axe is a script
    page.goto(address)
    for summary in ("Paste text instead", "More metrics"):
        page.click(f"text={summary}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    axe(page)
    context.close()


def test_by_keyboard_alone(page: Page, address: str) -> None:
    page.goto(address)
    for _ in range(4):  # three files, and then the texts to be pasted
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("a b c d")
    page.keyboard.press("Tab")
    page.keyboard.type("mine")
    page.keyboard.press("Tab")
    page.keyboard.type("a b c")
    for _ in range(4):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")  # no BLEU
    page.focus("#title")
    page.keyboard.type("By keyboard")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=The report is ready", timeout=60_000)
    page.focus("text=Open the report")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=By keyboard")
    assert "mine" in page.locator("#scores").inner_text()
    assert "BLEU" not in page.locator("#scores").inner_text()
