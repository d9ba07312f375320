"""The pictures of the docs, and the commands beside them."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from scripts import load_script

from mtassay.report.plots import PLOTS

if TYPE_CHECKING:
    pass

HERE = Path(__file__).resolve().parents[2]
PAGE = (HERE / "docs/plots.md").read_text(encoding="utf-8")
_COMMAND = re.compile(r"^    (mtassay .*--plot [\w-]+ ([\w-]+\.svg))$", re.MULTILINE)


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    module: ModuleType = load_script("tools/make_pictures.py")
    return module


def test_every_picture_has_a_command_and_a_file(tool: ModuleType) -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in tool.PAGES}
    for name, text in pages.items():
        tool.check(name, text)
    with_command = {name for text in pages.values() for name in tool.commands(text)}
    assert {path.name for path in (HERE / "docs/pictures").glob("*.svg")} == with_command
    for path in (HERE / "docs/pictures").glob("*.svg"):
        assert ET.parse(path).getroot().tag.endswith("svg")


def test_every_kind_of_picture_is_shown() -> None:
    from_studies = {"curve", "grid"}
    drawn = {
        (verb, kind)
        for block in _COMMAND.findall(PAGE)
        for verb in [block[0].split()[1]]
        for kind in re.findall(r"--plot ([\w-]+)", block[0])
    }
    for verb, kinds in PLOTS.items():
        name = {"compare_tests": "compare", "tune_loop": "tune", "learn_curve": "learn", "learn_grid": "learn"}
        for kind in set(kinds) - from_studies - {"tests"}:  # of conclusions: the heat maps of several tests
            assert (name.get(verb, verb), kind) in drawn


def test_the_readme_shows_the_same_commands(tool: ModuleType) -> None:
    commands = tool.commands(PAGE)
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(docs/pictures/([\w-]+\.svg)\)", readme)
    assert len(shown) >= 3
    beside = {name: command for command, name in _COMMAND.findall(readme)}
    for name in shown:
        if name in commands:  # others are screenshots
            assert beside[name] == commands[name].command


def test_a_picture_without_a_command_is_refused(tool: ModuleType) -> None:
    tool.check("page.md", "    mtassay rank x --plot clusters a.svg\n\n![a](pictures/a.svg)\n")
    with pytest.raises(SystemExit, match=r"page\.md: a\.svg is shown without its command"):
        tool.check("page.md", "![a](pictures/a.svg)")
