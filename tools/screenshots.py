"""Take the screenshots of the docs: pages on the built-in sample, in a light or a dark palette.

``make pictures`` takes the light ones for docs/screenshots. ``make docs`` takes both for the site; where there is no
browser, the site shows those of the repository.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import browsers
from PIL import Image
from shown_commands import ROOT, Place, find

import mtassay
from mtassay.sample import sample_path

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Palette = Literal["light", "dark"]
FOLDER = ROOT / "docs/screenshots"
PALETTES: tuple[Palette, Palette] = ("light", "dark")


class Camera:
    """Opens pages in one palette, and keeps pictures of them."""

    def __init__(self, browser: Browser, palette: Palette, folder: Path, work: Path) -> None:
        self._browser = browser
        self._palette = palette
        self._folder = folder
        self.work = work

    def page(self, address: str, *, width: int, height: int = 900) -> Page:
        """An open page of this size."""
        context = self._browser.new_context(viewport={"width": width, "height": height}, color_scheme=self._palette)
        context.set_default_timeout(30_000)
        page = context.new_page()
        page.goto(address)
        return page

    def take(self, page: Page, name: str, *, whole: bool = False) -> None:
        """Keep what the window shows, or the whole page, and close it."""
        path = self._folder / file_name(name, self._palette)
        taken = page.screenshot(full_page=whole, animations="disabled", caret="hide")
        page.context.close()
        # 256 colours are enough for text and lines, and take a third of the space.
        Image.open(BytesIO(taken)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def file_name(name: str, palette: Palette) -> str:
    """The file of a screenshot.

    >>> file_name("report", "light"), file_name("report", "dark")
    ('report.png', 'report-dark.png')
    """
    return f"{name}.png" if palette == "light" else f"{name}-dark.png"


def report(camera: Camera) -> None:
    """The first view of a report, and its segments, by the command of the page that shows them."""
    text = (ROOT / "docs/report.md").read_text(encoding="utf-8")
    [command] = [shown for shown in find(text) if "-o six.html" in shown.command]
    place = Place(camera.work / "place", text)
    status, printed = place.run(command)
    if status:
        raise RuntimeError(printed[-1])
    address = (place.home / "six.html").as_uri()
    camera.take(camera.page(address, width=1180, height=1440), "report")
    page = camera.page(address, width=1280, height=760)
    for _ in range(2):  # sections are laid out when they come into view, which moves what is below them
        page.evaluate("document.querySelector('#segments h2').scrollIntoView()")
        page.wait_for_timeout(300)
    camera.take(page, "report-segments")


def serve(camera: Camera) -> None:
    """The page of ``mtassay serve`` with chosen files."""
    testset = mtassay.load(sample_path())
    texts: dict[str, Sequence[str | None]] = {"reference": testset.references[0], "source": testset.sources or []}
    texts |= testset.systems
    paths = {name: camera.work / f"{name}.txt" for name in texts}
    for name, path in paths.items():
        path.write_text("".join(f"{text}\n" for text in texts[name]), encoding="utf-8")
    with _served("serve") as address:
        page = camera.page(address, width=1000)
        page.set_input_files("#references", paths["reference"])
        page.set_input_files("#outputs", [paths[name] for name in ("atlas", "borealis", "cobalt")])
        page.set_input_files("#source", paths["source"])
        camera.take(page, "serve", whole=True)


def rankings(camera: Camera) -> None:
    """A five-way ranking in the window of a computer and of a phone, and the feedback of the training."""
    with _campaign(camera, protocol="rank", training=1) as link:
        page = _begun(camera, link("Ann"), width=390, height=844)
        page.keyboard.press("1")
        camera.take(page, "judge-phone")
        page = _begun(camera, link("Ben"), width=900, height=360)
        # The first of the two outputs is the degraded one.
        page.keyboard.press("1")
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        page.wait_for_url("**/feedback*")
        camera.take(page, "judge-training")
    with _campaign(camera, protocol="rank", training=0) as link:
        page = _begun(camera, link("Ann"), width=900)
        for key in "241":
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        page.wait_for_selector(".alert p")
        camera.take(page, "judge-rank", whole=True)


def spans(camera: Camera) -> None:
    """Error spans with a score."""
    with _campaign(camera, protocol="esa", training=0) as link:
        page = _begun(camera, link("Ann"), width=900, height=680)
        for words, severity in (((1, 2), "minor"), ((6,), "major")):
            for word in words:
                page.locator(".tokens label").nth(word).click()
            page.click(f"button.{severity}")
            page.locator(".marked li", has_text=severity).wait_for()
        page.fill("#score", "62")
        page.locator("button[value=save]").focus()
        camera.take(page, "judge-esa", whole=True)


def organiser(camera: Camera) -> None:
    """The organiser's page of the simulated campaign."""
    folder = camera.work / "simulated"
    script = ROOT / "examples/simulated_campaign.py"
    subprocess.run([sys.executable, str(script), str(folder)], check=True, stdout=subprocess.DEVNULL)
    campaign = folder / "simulated.db"
    with _served("judge", "serve", str(campaign)) as address:
        link = mtassay.judge.edit(campaign, new_organiser_link=True) or ""
        page = camera.page(address + urlsplit(link).path, width=1000, height=690)
        page.wait_for_selector("table")
        camera.take(page, "judge-organiser")


SUBJECTS: tuple[Callable[[Camera], None], ...] = (report, serve, rankings, spans, organiser)


def take(folder: Path, palettes: tuple[Palette, ...] = PALETTES) -> None:
    """Take all screenshots; NoBrowserError if there is no browser."""
    with browsers.started() as browser:
        for palette in palettes:
            for subject in SUBJECTS:
                with tempfile.TemporaryDirectory() as work:
                    subject(Camera(browser, palette, folder, Path(work)))


@contextmanager
def _served(*words: str) -> Iterator[str]:
    """The address of a server that runs meanwhile."""
    command = [sys.executable, "-m", "mtassay", *words, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            said = server.stderr.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", said)
            if found is None:
                raise RuntimeError(said)
            yield found[0]
        finally:
            server.terminate()


@contextmanager
def _campaign(camera: Camera, *, protocol: str, training: int) -> Iterator[Callable[[str], str]]:
    """A function that invites a judge to a new campaign that is served meanwhile, and returns the link."""
    with tempfile.TemporaryDirectory(dir=camera.work) as folder:
        path = Path(folder) / "news.db"
        testset = mtassay.load(sample_path(), lp="de-en")
        mtassay.judge.new(path, testset, protocol=protocol, training=training, name="News, German–English")
        with _served("judge", "serve", str(path)) as address:
            yield lambda name: mtassay.judge.invite(path, [name], url=address)[0].link


def _begun(camera: Camera, link: str, *, width: int, height: int = 900) -> Page:
    """The first screen of a judge."""
    page = camera.page(link, width=width, height=height)
    page.press("button.main", "Enter")
    page.wait_for_selector("#answer")
    page.wait_for_load_state("load")  # style and script are there
    return page
