"""Build the documentation site: ``make docs``.

The pages of docs/ are staged in out/docs, changed there only where a site differs from a folder of files, and given to
Sphinx, which treats every warning as an error. Nothing is fetched from a network.

- CONTRIBUTING.md and CHANGELOG.md become pages; a link to another file of the repository becomes its name.
- Pictures of pages whose commands need only the built-in sample are drawn anew.
- Screenshots are taken anew, where there is a browser.
- Every picture has a dark twin, and the page shows the one that suits its palette.
"""

from __future__ import annotations

import argparse
import colorsys
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import make_pictures
import screenshots
from browsers import NoBrowserError

ROOT = Path(__file__).resolve().parents[1]
#: Pages of the site that lie outside docs/.
OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
#: Where links of the repository lead to on the site, if not to the page of the same name.
ELSEWHERE = OUTSIDE | {
    "README.md": "index.md",
    "docs/decisions": "decisions/index.md",
    "docs/metrics": "metrics/index.md",
    "docs/studies": "studies/index.md",
}
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\.(svg|png)\)")
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")


def stage(folder: Path) -> None:
    """Copy the pages, and adapt them to a site."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for source, page in OUTSIDE.items():
        shutil.copy(ROOT / source, folder / page)
    origins = {page: ROOT / source for source, page in OUTSIDE.items()}
    for path in sorted(folder.rglob("*.md")):
        name = path.relative_to(folder).as_posix()
        text = adapted(path.read_text(encoding="utf-8"), origins.get(name, ROOT / "docs" / name), name)
        path.write_text(text, encoding="utf-8")


def adapted(text: str, origin: Path, page: str) -> str:
    """A page's text for the site: `origin` is where it lies in the repository, `page` where on the site."""
    text = _LINK.sub(lambda link: _inside(link, origin, page), text)
    return _PICTURE.sub(r"![\1](\2.\3){.only-light}\n![\1](\2-dark.\3){.only-dark}", text)


def _inside(link: re.Match[str], origin: Path, page: str) -> str:
    """A link of the site for one of the repository."""
    words, path, anchor = link[1], link[2], link[3] or ""
    target = (origin.parent / path).resolve()
    if re.match(r"[a-z]+:", path) or not target.is_relative_to(ROOT):
        return link[0]
    name = target.relative_to(ROOT).as_posix()
    if name not in ELSEWHERE and not name.startswith("docs/"):
        return words if name in words else f"{words} (`{name}`)"
    there = ELSEWHERE.get(name, name.removeprefix("docs/"))
    return f"[{words}]({os.path.relpath(there, Path(page).parent)}{anchor})"


def darkened(svg: str) -> str:
    """The same picture on a dark page: every colour keeps its hue, and light and dark change places.

    >>> darkened('<svg a="b"><path style="fill: #ffffff; stroke: #000000"/></svg>')
    '<svg fill="#e6e6e6" a="b"><path style="fill: #131416; stroke: #e6e6e6"/></svg>'
    """
    # matplotlib leaves out what is black.
    return _COLOUR.sub(_mirrored, svg).replace("<svg ", f'<svg fill="{_mirrored("#000000")}" ', 1)


def take_screenshots(folder: Path) -> None:
    """Take them anew in both palettes; without a browser those of the repository serve for both."""
    try:
        screenshots.take(folder)
    except NoBrowserError as reason:
        print(f"screenshots are those of docs/screenshots: {reason}")
        for light in sorted(folder.glob("*.png")):
            shutil.copy(light, folder / screenshots.file_name(light.stem, "dark"))


def _mirrored(colour: re.Match[str] | str) -> str:
    text = colour if isinstance(colour, str) else colour[0]
    if text == "#ffffff":
        return "#131416"  # the page's background
    hue, lightness, saturation = colorsys.rgb_to_hls(*(int(text[n : n + 2], 16) / 255 for n in (1, 3, 5)))
    channels = colorsys.hls_to_rgb(hue, 0.9 - 0.8 * lightness, saturation * 0.8)
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in channels)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--staged", type=Path, default=ROOT / "out/docs", help="folder for the staged pages")
    parser.add_argument("--site", type=Path, default=ROOT / "out/site", help="folder for the site")
    args = parser.parse_args()
    stage(args.staged)
    for page in make_pictures.PAGES:
        make_pictures.draw(page, args.staged / "pictures", with_data=False)
    for picture in sorted(args.staged.rglob("*.svg")):
        dark = picture.with_name(f"{picture.stem}-dark.svg")
        dark.write_text(darkened(picture.read_text(encoding="utf-8")), encoding="utf-8")
    take_screenshots(args.staged / screenshots.FOLDER.name)
    shutil.rmtree(args.site, ignore_errors=True)
    options = ["-q", "-W", "--keep-going", "-d", str(args.staged.parent / "docs-cache")]
    built = subprocess.run([sys.executable, "-m", "sphinx", *options, str(args.staged), str(args.site)], check=False)
    if built.returncode:
        sys.exit("the site was not built: every warning is an error")
    print(f"open {args.site.relative_to(Path.cwd()) if args.site.is_relative_to(Path.cwd()) else args.site}/index.html")


if __name__ == "__main__":
    main()
