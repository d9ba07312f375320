"""Runs studies: tables of papers, computed anew on the data at hand, beside what was published.

A study is a module of this folder with ``run(data: Path) -> str``, which gives a page of Markdown; its figures come
from the toolkit alone. What was found, in short, is in ``summaries``, and goes below the title. ``--write`` keeps the
pages in ``docs/studies``, with the pictures that ``draw(data, folder)`` makes, if the module has one.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
STUDIES: dict[str, str] = {
    "wmt13": "WMT13 metrics task (Macháček & Bojar 2013), the tables whose directions are at hand",
    "errors": "Hjerson's and Addicter's classes of errors on WMT13: which separate systems and agree with people?",
    "song": "Song et al. 2013: the BLEU family, piece by piece",
    "stroppa": "Stroppa & Owczarzak 2007: clusters of systems",
    "graham": "Graham et al. 2014: do significance tests on metrics conclude what people conclude?",
    "tuning": "Song et al. 2013, Tables 7 and 8: systems tuned towards other metrics",
    "mbr": "Minimum Bayes risk: aggregated references and pruning against exact utilities",
    "learned": "Albrecht & Hwa 2007: metrics learned from human scores",
}


def with_summary(name: str, page: str) -> str:
    """A page with what was found, in short, below its title."""
    title, rest = page.split("\n", 1)
    summary = (HERE / "summaries" / f"{name}.md").read_text(encoding="utf-8")
    return f"{title}\n\n{summary}{rest}"


def main() -> int:
    """Run the studies that are named, or all."""
    parser = argparse.ArgumentParser(
        description="Compute the tables of papers anew and print them beside the published."
    )
    parser.add_argument("names", nargs="*", metavar="STUDY", help=f"some of: {', '.join(STUDIES)} (default: all)")
    parser.add_argument("--data", type=Path, default=os.environ.get("MTASSAY_DATA", HERE.parent.parent / "shared/data"))
    parser.add_argument("--write", action="store_true", help="write each page to docs/studies")
    args = parser.parse_args()
    unknown = sorted(set(args.names) - set(STUDIES))
    if unknown:
        parser.error(f"no study named {', '.join(unknown)}; there are: {', '.join(STUDIES)}")
    if not Path(args.data).is_dir():
        parser.error(f"no data at {args.data}: MTASSAY_DATA or --data names their folder")
    sys.path.insert(0, str(HERE))
    for name in args.names or STUDIES:
        started = time.perf_counter()
        study = import_module(name)
        page = with_summary(name, study.run(Path(args.data)))
        print(page)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
        if args.write:
            from mtassay.data import atomic_write

            folder = HERE.parent / "docs" / "studies"
            with atomic_write(folder / f"{name}.md") as file:
                file.write(page + "\n")
            if hasattr(study, "draw"):
                study.draw(Path(args.data), folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
