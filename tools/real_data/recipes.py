"""How the files of data sets are made from their sources."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

from defusedxml.ElementTree import fromstring

from real_data import edits
from real_data.manifest import HERE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from real_data.manifest import Entry

    #: Path and contents of each source, the entry that is made, and all entries of its set.
    Recipe = Callable[[Sequence[tuple[str, bytes]], Entry, Sequence[Entry]], bytes]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LANGUAGE_CODES = {"en": "eng", "fi": "fin", "ru": "rus"}


def make(entry: Entry, sources: Sequence[tuple[str, bytes]], siblings: Sequence[Entry]) -> bytes:
    """Contents of a file.

    Args:
        entry: the file.
        sources: path and contents of each of its sources.
        siblings: all files of the same set.
    """
    return RECIPES[entry.recipe.partition(":")[0]](sources, entry, siblings)


def _copied(sources: Sequence[tuple[str, bytes]], entry: Entry, siblings: Sequence[Entry]) -> bytes:
    """The source as it is."""
    ((_, contents),) = sources
    return contents


def _plain(sources: Sequence[tuple[str, bytes]], entry: Entry, siblings: Sequence[Entry]) -> bytes:
    """Without a byte-order mark, lines ended by a line feed alone."""
    ((_, contents),) = sources
    return contents.removeprefix(_BYTE_ORDER_MARK).replace(b"\r\n", b"\n")


def _first_lines(sources: Sequence[tuple[str, bytes]], entry: Entry, siblings: Sequence[Entry]) -> bytes:
    """The first lines, as many as the argument says."""
    ((_, contents),) = sources
    return b"".join(contents.splitlines(keepends=True)[: int(entry.recipe.partition(":")[2])])


def _member(sources: Sequence[tuple[str, bytes]], entry: Entry, siblings: Sequence[Entry]) -> bytes:
    """The file of a tar archive that the argument names."""
    ((_, contents),) = sources
    with tarfile.open(fileobj=io.BytesIO(contents)) as archive:
        name = entry.recipe.partition(":")[2]
        member = archive.extractfile(name)
        if member is None:
            raise KeyError(name)
        return member.read()


def _judges_renamed(sources: Sequence[tuple[str, bytes]], entry: Entry, siblings: Sequence[Entry]) -> bytes:
    """A table of WMT with judges called judge0001, judge0002, … in the order in which they first appear."""
    head, *lines = _plain(sources, entry, siblings).decode("utf-8").split("\n")
    column = head.split(",").index("judgeId")
    known: dict[str, str] = {}
    rows = [line.split(",") for line in lines]
    for row in rows:
        if len(row) > column:
            row[column] = known.setdefault(row[column], f"judge{len(known) + 1:04d}")
    return "\n".join([head, *(",".join(row) for row in rows)]).encode()


def _pairs(sources: Sequence[tuple[str, bytes]], entry: Entry, siblings: Sequence[Entry]) -> bytes:
    """Preferences (segment, better, worse) of METEOR's training files.

    There systems are sys1, sys2, …: the outputs of the pair, in alphabetical order whatever their case.
    """
    ((_, contents),) = sources
    folder = entry.file.rpartition("/")[0] + "/hyp/"
    outputs = [other.file.removeprefix(folder) for other in siblings if other.file.startswith(folder)]
    names = {f"sys{number}": name for number, name in enumerate(sorted(outputs, key=str.lower), start=1)}
    rows = [line.split("\t") for line in contents.decode("utf-8").splitlines()]
    return "".join(f"{segment}\t{names[better]}\t{names[worse]}\n" for segment, _, better, _, worse in rows).encode()


def _rankings(sources: Sequence[tuple[str, bytes]], entry: Entry, siblings: Sequence[Entry]) -> bytes:
    """Rankings of one pair out of the XML of WMT15: number, segment, judge, and ``system+system=rank`` of each item.

    Rankings and judges are numbered over all pairs; skipped rankings count, but are not written.
    """
    ((_, contents),) = sources
    pair = entry.file.split("/")[1]
    languages = [_LANGUAGE_CODES[language] for language in pair.split("-")]
    judges: dict[str, int] = {}
    rows = ["rankingID\tsegment\tjudge\titems"]
    number = 0
    for hit in fromstring(gzip.decompress(contents)).iter("HIT"):
        is_wanted = [hit.get("source-language"), hit.get("target-language")] == languages
        for task in hit.iter("ranking-task"):
            for ranking in task.iter("ranking-result"):
                number += 1
                if not len(ranking):
                    continue
                judge = judges.setdefault(ranking.attrib["user"], len(judges) + 1)
                if is_wanted:
                    items = (f"{_systems(item.attrib['system'], pair)}={item.get('rank')}" for item in ranking)
                    rows.append(f"{number}\t{task.get('id')}\tjudge{judge}\t{' '.join(items)}")
    return "".join(f"{row}\n" for row in rows).encode()


def _systems(files: str, pair: str) -> str:
    names = (file.removeprefix("newstest2015.").removesuffix(f".{pair}.txt") for file in files.split(","))
    return "+".join(names)


def _edited(sources: Sequence[tuple[str, bytes]], entry: Entry, siblings: Sequence[Entry]) -> bytes:
    """A text that is stored as edits of its sources."""
    with zipfile.ZipFile(HERE / "edits.zip") as archive:
        written = archive.read(entry.file).decode("utf-8")
    return edits.apply(written, edits.base_lines(sources)).encode()


RECIPES: dict[str, Recipe] = {
    "copy": _copied,
    "plain": _plain,
    "head": _first_lines,
    "member": _member,
    "judges": _judges_renamed,
    "pairs": _pairs,
    "rankings": _rankings,
    "edits": _edited,
}
