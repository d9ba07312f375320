"""Runs studies: tables of papers, computed anew on public data, beside what was published.

A study is a module of this folder with ``run(data: Path) -> str``, which gives a page of Markdown; its figures come
from the toolkit alone. What was found, in short, is in ``summaries``, and goes below the title. ``--write`` keeps the
pages in ``docs/studies``, with the pictures that ``draw(data, folder)`` makes, if the module has one.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools")]

from real_data import COMMAND, data_folder  # noqa: E402 (found by the line above)
from real_data.folder import oracle_folder  # noqa: E402

STUDIES: dict[str, str] = {
    "wmt13": "WMT13 metrics task (Macháček & Bojar 2013), the tables whose directions are among the data",
    "errors": "Hjerson's and Addicter's classes of errors on WMT13: which separate systems and agree with people?",
    "song": "Song et al. 2013: the BLEU family, piece by piece",
    "stroppa": "Stroppa & Owczarzak 2007: clusters of systems",
    "graham": "Graham et al. 2014: do significance tests on metrics conclude what people conclude?",
    "tuning": "Song et al. 2013, Tables 7 and 8: systems tuned towards other metrics",
    "mbr": "Minimum Bayes risk: aggregated references and pruning against exact utilities",
    "learned": "Albrecht & Hwa 2007: metrics learned from human scores",
}
#: The data sets that each study reads.
DATA_SETS: dict[str, tuple[str, ...]] = {
    "wmt13": ("wmt12", "wmt13"),
    "errors": ("wmt13",),
    "song": ("wmt07-11", "wmt12", "wmt13"),
    "stroppa": ("wmt07-11", "wmt12"),
    "graham": ("wmt07-11", "wmt12", "wmt21"),
    "tuning": ("nbest", "oracles"),
    "mbr": ("nbest",),
    "learned": ("wmt12", "wmt13", "wmt13-da-segments", "wmt15", "wmt21", "wmt23"),
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
    parser.add_argument("--data", type=Path, default=data_folder(), help="data folder (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help="write each page to docs/studies")
    args = parser.parse_args()
    unknown = sorted(set(args.names) - set(STUDIES))
    if unknown:
        parser.error(f"no study named {', '.join(unknown)}; there are: {', '.join(STUDIES)}")
    names = args.names or list(STUDIES)
    missing = missing_sets(args.data, names)
    if missing:
        print(f'no {", ".join(missing)} in {args.data}: {COMMAND} SETS="{" ".join(missing)}"', file=sys.stderr)
        return 2
    for name in names:
        started = time.perf_counter()
        study = import_module(name)
        page = with_summary(name, with_origin(study.run(args.data), name))
        print(page)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
        if args.write:
            from mtassay.data import atomic_write

            folder = HERE.parent / "docs" / "studies"
            with atomic_write(folder / f"{name}.md") as file:
                file.write(page + "\n")
            if hasattr(study, "draw"):
                study.draw(args.data, folder)
    return 0


def missing_sets(data: Path, names: Sequence[str]) -> list[str]:
    """Data sets that studies need and that are not built."""
    needed = sorted({data_set for name in names for data_set in DATA_SETS[name]})
    places = {name: oracle_folder(data) if name == "oracles" else data / name for name in needed}
    return [name for name, place in places.items() if not place.is_dir()]


def with_origin(page: str, name: str) -> str:
    """A page that says, below its title, where its data come from."""
    title, _, text = page.partition("\n\n")
    sets = ", ".join(f"`{data_set}`" for data_set in DATA_SETS[name])
    return f"{title}\n\nData: {sets} of `{COMMAND}`; [data.md](../data.md) says where they come from.\n\n{text}"


if __name__ == "__main__":
    sys.exit(main())
