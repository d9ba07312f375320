"""Check that the relative links of Markdown pages lead to files and headings that exist.

usage: python tools/check_links.py
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Names of the headings of a page, as GitHub makes them."""
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path) -> list[str]:
    """Links of a page that lead nowhere."""
    found = []
    for link in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        is_outside = re.match(r"[a-z]+:", link) is not None
        if not is_outside and (not target.exists() or (anchor and anchor not in anchors(target))):
            found.append(f"{page.relative_to(ROOT)}: {link} leads nowhere")
    return found


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    problems = [problem for name in listed.stdout.splitlines() for problem in broken(ROOT / name)]
    print("\n".join(problems) or "all links lead somewhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
