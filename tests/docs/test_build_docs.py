"""How pages of the repository become pages of the site."""

from __future__ import annotations

import re
from pathlib import Path

import build_docs
import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs/compare.md"


@pytest.mark.parametrize(
    ("origin", "page", "link", "there"),
    [
        (GUIDE, "compare.md", "[power](power.md#sizes)", "[power](power.md#sizes)"),
        (
            GUIDE,
            "compare.md",
            "[recipe](../CONTRIBUTING.md#adding-a-metric)",
            "[recipe](contributing.md#adding-a-metric)",
        ),
        (GUIDE, "compare.md", "[start](../README.md)", "[start](index.md)"),
        (
            GUIDE,
            "compare.md",
            "[a decoder](../examples/lattice_decoder.py)",
            "a decoder (`examples/lattice_decoder.py`)",
        ),
        (GUIDE, "compare.md", "[studies/mbr.py](../studies/mbr.py)", "studies/mbr.py"),
        (GUIDE, "compare.md", "[site](https://example.org/a.md)", "[site](https://example.org/a.md)"),
        (ROOT / "docs/metrics/bleu.md", "metrics/bleu.md", "[all](../studies)", "[all](../studies/index.md)"),
        (ROOT / "CHANGELOG.md", "changelog.md", "[guide](docs/metrics/bleu.md)", "[guide](metrics/bleu.md)"),
    ],
)
def test_links(origin: Path, page: str, link: str, there: str) -> None:
    assert build_docs.adapted(f"See {link}.", origin, page) == f"See {there}."


@pytest.mark.parametrize("picture", ["pictures/two.svg", "screenshots/three.png"])
def test_pictures_come_in_light_and_dark(picture: str) -> None:
    dark = picture.replace(".", "-dark.")
    found = build_docs.adapted(f"![two]({picture})", GUIDE, "compare.md")
    assert found == f"![two]({picture}){{.only-light}}\n![two]({dark}){{.only-dark}}"


def test_without_a_browser_the_screenshots_of_the_repository_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MTASSAY_BROWSER", "no-such-browser")
    (tmp_path / "report.png").write_bytes(b"a picture")
    build_docs.take_screenshots(tmp_path)
    assert (tmp_path / "report-dark.png").read_bytes() == b"a picture"
    assert "MTASSAY_BROWSER names no-such-browser, which is no program" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["sample-clusters", "heatmap", "sweep"])
def test_dark_pictures_are_dark(name: str) -> None:
    light = (ROOT / f"docs/pictures/{name}.svg").read_text(encoding="utf-8")
    dark = build_docs.darkened(light)
    assert "#ffffff" not in dark
    assert "stroke: #000000" not in dark
    # Nothing but colours has changed.
    assert re.sub(r"#[0-9a-f]{6}", "", dark).replace(' fill=""', "", 1) == re.sub(r"#[0-9a-f]{6}", "", light)
