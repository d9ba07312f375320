"""Commands of README, tutorial and guides run as they are printed, and print what is shown below them.

``python tools/refresh_docs.py`` writes new outputs into the pages.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import not_run
import pytest
import shown_commands as tool

import mtassay
from mtassay import kernels

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").glob("*.md")))]
PAGES += [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs/coming-from").glob("*.md"))]
#: Pages whose commands take more than some seconds together.
SLOW = {
    "README.md",
    *(f"docs/{name}.md" for name in ("conclusions", "judge", "learn", "organisers", "plots", "power", "report")),
    *(f"docs/{name}.md" for name in ("scale", "tables", "tune", "tutorial")),
}
#: A line that looks like a command, in any block.
_COMMAND = re.compile(r"^(?:\$ )?(?:(?:z?cat|paste|printf) .*\| )?mtassay [a-z-].*$")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def commands(page: str, *, with_data: bool) -> list[tool.Shown]:
    """What is run of a page; commands with data are for the slow test, which runs the others of such a page, too."""
    found = [shown for shown in tool.find(text_of(page)) if not not_run.reason_not_to_run(page, shown.command)]
    return found if with_data else [shown for shown in found if not shown.data_sets]


WITH_DATA = [page for page in PAGES if any(shown.data_sets for shown in commands(page, with_data=True))]
WITHOUT_DATA = [
    pytest.param(page, marks=[pytest.mark.slow] if page in SLOW else [])
    for page in PAGES
    if commands(page, with_data=False) and not (page in SLOW and page in WITH_DATA)
]


def run(page: str, shown_of_page: list[tool.Shown], folder: Path) -> None:
    """Run commands of a page, and compare what they print."""
    if kernels.backend() == "python":
        pytest.skip("takes long with plain Python kernels")
    place = tool.Place(folder, text_of(page))
    missing = []
    for shown in shown_of_page:
        if shown.missing:
            missing.append(shown.missing)
            continue
        status, printed = place.run(shown)
        where = f"{page}:{shown.line}: {shown.command}"
        assert status == shown.status, f"{where}\n{printed[-1]}"
        if shown.output is not None and not tool.matches(shown.output, printed):
            assert "\n".join(printed) == "\n".join(shown.output), where
    if missing:
        pytest.skip(f"{len(missing)} of {len(shown_of_page)} commands of {page} were not run: {missing[0]}")


@pytest.mark.parametrize("page", WITHOUT_DATA)
def test_commands_print_what_pages_show(page: str, tmp_path: Path) -> None:
    run(page, commands(page, with_data=False), tmp_path / "place")


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_DATA)
def test_commands_with_data_print_what_pages_show(page: str, tmp_path: Path) -> None:
    run(page, commands(page, with_data=True), tmp_path / "place")


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if "coming-from" in page])
def test_commands_in_tables_run(page: str, tmp_path: Path) -> None:
    rows = "".join(line for line in text_of(page).splitlines(keepends=True) if line.startswith("|"))
    cells = re.findall(r"`((?:cat \S+ .{2} )?mtassay [^`]*\.txt[^`]*)`", rows)
    in_cells = [cell.replace("\\|", "|") for cell in cells]
    place = tool.Place(tmp_path / "place")
    for shown in commands(page, with_data=False):  # they make files
        place.run(shown)
    for command in in_cells:
        shown = tool.Shown(0, command, None, 0, "", in_session=False)
        if not not_run.reason_not_to_run(page, command) and shown.missing is None:
            assert place.run(shown)[0] == 0, command


@pytest.mark.parametrize("page", PAGES)
def test_no_command_escapes(page: str) -> None:
    found = {line.removeprefix("$ ") for shown in tool.find(text_of(page)) for line in shown.command.split("\n")}
    lines = [line.strip() for line in text_of(page).split("\n")]
    assert [line for line in lines if _COMMAND.match(line) and line.removeprefix("$ ") not in found] == []


def test_every_exception_is_needed() -> None:
    everything = [(page, shown.command) for page in PAGES for shown in tool.find(text_of(page))]
    for where, pattern, reason in not_run.NOT_RUN:
        assert reason
        assert any(where in ("", page) and re.search(pattern, command) for page, command in everything), pattern


def test_python_of_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tool.Place(tmp_path / "place")
    monkeypatch.chdir(place.home / "sample")
    [session] = re.findall(r"```python\n(>>>.*?)```", text_of("docs/tutorial.md"), flags=re.DOTALL)
    test = doctest.DocTestParser().get_doctest(session, {}, "tutorial.md", "docs/tutorial.md", 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_blocks_of_commands() -> None:
    session = "    $ a 1 \\\n        --b\n    out\n\n    more\n    $ c\n"
    found = tool.find(f"Text\n\n{session}\n```console\n$ d\n…\nlast\n```\n\n    mtassay x\n")
    assert [shown.command for shown in found] == ["a 1 \\\n    --b", "c", "d", "mtassay x"]
    assert [shown.output for shown in found] == [("out", "", "more"), None, ("…", "last"), None]
    assert [shown.in_session for shown in found] == [True, True, True, False]


def test_outputs_with_lines_left_out() -> None:
    printed = ["head 1", "a 2", "b 3", "c 4", "tail 5"]
    assert tool.matches(("head 1", "…", "b 3", "…"), printed)
    assert not tool.matches(("head 1", "b 3", "…"), printed)
    assert not tool.matches(("head 2", "…"), printed)
    assert tool.refreshed(("head 9", "…", "b 9", "…", "tail 9"), printed) == ["head 1", "…", "b 3", "…", "tail 5"]


def test_the_reference_has_every_public_name() -> None:
    reference = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs/api").glob("*.md"))
    named = set(re.findall(r"^\.\. auto\w+:: mtassay\.(?:verbs\.report\.)?(\w+)", reference, flags=re.MULTILINE))
    assert set(dir(mtassay)) - {"__version__"} <= named
