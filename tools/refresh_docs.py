"""Run the commands that pages show, and write what they print now below them.

usage: python tools/refresh_docs.py [PAGE...]        by default README.md and all pages of docs/ with outputs

An output with lines left out ("…") keeps them out. Commands whose data are not there are left alone, and named.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import shown_commands
from not_run import reason_not_to_run
from shown_commands import ROOT, Place, Shown


def refresh(page: Path) -> int:
    """Rewrite the outputs of a page; the number of those that changed."""
    text = page.read_text(encoding="utf-8")
    lines = text.split("\n")
    changes: list[tuple[Shown, list[str]]] = []
    name = page.relative_to(ROOT).as_posix()
    with tempfile.TemporaryDirectory() as folder:
        found = shown_commands.find(text)
        place = Place(Path(folder) / "place", text)
        for shown in found:
            why_not = reason_not_to_run(name, shown.command) or shown.missing
            if why_not:
                if shown.output is not None:
                    print(f"{name}:{shown.line}: not run: {why_not}")
                continue
            status, printed = place.run(shown)
            if status != shown.status:
                print(f"{name}:{shown.line}: exit status {status}: {printed[-1]}")
            elif shown.output is not None and not shown_commands.matches(shown.output, printed):
                changes.append((shown, shown_commands.refreshed(shown.output, printed)))
    for shown, output in reversed(changes):
        print(f"{name}:{shown.line}: {shown.command.splitlines()[0]}")
        last = shown.first + len(shown.output or ())
        lines[shown.first : last] = [f"{shown.indent}{line}".rstrip() for line in output]
    if changes:
        page.write_text("\n".join(lines), encoding="utf-8")
    return len(changes)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write what the commands of pages print now below them.")
    parser.add_argument("page", nargs="*", type=Path, help="pages (default: README.md and all of docs/)")
    pages = parser.parse_args().page or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    with_output = [page.resolve() for page in pages if _has_output(page)]
    print(f"{sum(refresh(page) for page in with_output)} outputs changed in {len(with_output)} pages")


def _has_output(page: Path) -> bool:
    return any(shown.output is not None for shown in shown_commands.find(page.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
