"""Recognises the format of a file of judgements by its first line, and reads it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mtassay.data.formats.judgements.matching import Names, check_aspect, meaningless
from mtassay.data.formats.judgements.rankings import read_acceptance, read_items, read_rankings
from mtassay.data.formats.judgements.rows import table_of
from mtassay.data.formats.judgements.scores import read_da, read_mqm, read_score_file
from mtassay.data.formats.judgements.tables import PAIRS, kind_of, read_own, read_pairs, table_of_objects
from mtassay.data.formats.judgements.tasks import read_tasks
from mtassay.data.formats.lines import lines_of
from mtassay.data.judgements import Scores
from mtassay.data.system_names import uncompressed_name
from mtassay.errors import InputError, at, unknown_name
from mtassay.io.inputs import PathLike, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.data.judgements import Preferences, Rankings
    from mtassay.data.testset import TestSet

FORMATS = ("rankings", "items", "tasks", "pairs", "acceptance", "da", "mqm", "scores", "tsv", "jsonl")
TASKS = ("rank", "constituent", "acceptability", "adequacy", "fluency")
#: Columns (in lower case) by which a format is known.
_MARKS = {
    "rankings": ({"srclang", "system1id"}, {"srclang", "system1rank"}),
    "items": ({"rankingid", "items"},),
    "tasks": ({"task", "type"}, {"type", "item_id"}),
    "acceptance": ({"srclang", "systemid"}, {"systemid", "judgment"}),
    "da": ({"sys", "sid"}, {"system", "sid", "human"}),
    "mqm": ({"system", "mqm_avg_score"},),
}
#: What there is nothing of in a format, by the option that would choose it.
_WHY = {
    "lp": "files in the format {} name no language pair",
    "task": "files in the format {} have no tasks, these judgements are preferences",
    "domain": "files in the format {} name no domain",
    "column": "the format {} says where scores are",
    "split": "files in the format {} do not join systems",
}
#: Formats of scores that have no name for what they are of.
_UNNAMED = ("acceptance", "da", "mqm", "scores")
#: Options that mean something in a format.
_OPTIONS = {
    "rankings": {"lp", "split"},
    "items": {"split"},
    "tasks": {"lp", "task", "domain"},
    "acceptance": {"lp", "task"},
    "da": {"lp", "column", "task"},
    "mqm": {"task"},
    "scores": {"lp", "column", "task"},
    "tsv": {"task"},
    "jsonl": {"task"},
}


def read_judgements(
    path: PathLike,
    *,
    format: str | None = None,
    lp: str | None = None,
    task: str | None = None,
    domain: str | None = None,
    column: str | None = None,
    split: bool = True,
    testset: TestSet | None = None,
    rename: Mapping[str, str | None] | None = None,
    rename_all: bool = True,
    encoding: str = "utf-8",
) -> Rankings | Preferences | Scores:
    """Read a file of human judgements (compressed or not).

    An option that chooses nothing in the file is an error, with one exception: beside a test set, `lp` may be what
    that was chosen by, and a file that names no language pair is taken to be of it.

    Args:
        path: the file; ``-`` is standard input.
        format: one of `FORMATS`; recognised by the first line where it is None.
        lp: the language pair (``cs-en``) where a file has several.
        task: one of `TASKS` where a file has several (WMT07–WMT09), or a value of the column ``aspect``. Scores that
            name neither are called so (``adequacy``, ``fluency`` or ``acceptability``).
        domain: the domain (``News``) where a file has several (WMT07–WMT09).
        column: the column with the score; ``Z.SCR`` or ``score`` by default.
        split: whether outputs that were judged once for several systems ("a+b", WMT15) become one of each.
        testset: where systems and segments must be. Systems get its names (``Online-A.5`` is ``Online-A``), segments
            its numbers from 1; references (``_ref``, ``HUMAN``) may stand among the systems.
        rename: other names of systems; None leaves a system out.
        rename_all: whether every system to be renamed must occur; False where names are for several files.
        encoding: the encoding of the file.
    """
    if format is not None and format not in FORMATS:
        raise InputError(unknown_name("format of judgements", format, FORMATS))
    names = Names(testset, rename or {})
    text = read_text(path, encoding=encoding)
    format = format or _recognised(lines_of(text)[0], path)
    given = {"task": task, "domain": domain, "column": column, "split": None if split else split}
    if testset is None:
        given["lp"] = lp
    for option, value in given.items():
        if value is not None and option not in _OPTIONS.get(format, set()):
            raise meaningless(option, shown(path), _WHY[option].format(format))
    found = _read(format, text, path, lp=lp, task=task, domain=domain, column=column, split=split, names=names)
    if task is not None and isinstance(found, Scores) and format in _UNNAMED:
        check_aspect(task, shown(path))
        found = replace(found, aspect=task)
    if rename_all:
        names.check_renamed(shown(path))
    return found


def _read(
    format: str,
    text: str,
    path: PathLike,
    *,
    lp: str | None,
    task: str | None,
    domain: str | None,
    column: str | None,
    split: bool,
    names: Names,
) -> Rankings | Preferences | Scores:
    lines = lines_of(text)
    if format == "scores":
        return read_score_file(text, path, lp=lp, column=column, names=names)
    if format == "jsonl":
        return read_own(table_of_objects(lines, path), aspect=task, names=names)
    if format == "pairs":
        return read_pairs(table_of(lines, path, delimiter="\t", header=PAIRS), names=names)
    delimiter = None if format in ("da", "mqm") else "," if format != "tsv" and "\t" not in lines[0] else "\t"
    table = table_of(lines, path, delimiter=delimiter, ragged=format == "tasks")
    if format == "rankings":
        return read_rankings(table, lp=lp, split=split, names=names)
    if format == "items":
        return read_items(table, split=split, names=names)
    if format == "tasks":
        return read_tasks(table, lp=lp, task=task, domain=domain, names=names)
    if format == "acceptance":
        return read_acceptance(table, lp=lp, names=names)
    if format == "da":
        return read_da(table, lp=lp, column=column, names=names)
    if format == "mqm":
        return read_mqm(table, names=names)
    return read_own(table, aspect=task, names=names)


def _recognised(first: str, path: PathLike) -> str:
    if first.lstrip().startswith("{"):
        return "jsonl"
    file_name = uncompressed_name(path).lower()
    if file_name.endswith(".score"):
        return "scores"
    if file_name.endswith(".rating"):
        raise InputError(f"{shown(path)} has spans of errors; give their scores (*.seg.score)")
    for cells in (first.split("\t"), first.split(","), first.split()):
        header = {cell.strip().lower() for cell in cells}
        for format_, marks in _MARKS.items():
            if any(mark <= header for mark in marks):
                return format_
    cells = first.split("\t")
    if kind_of([cell.strip().lower() for cell in cells]) is not None:
        return "tsv"
    if len(cells) == len(PAIRS) and cells[0].strip().isdigit():
        return "pairs"
    if len(cells) in (2, 5, 6, 7, 8):
        return "scores"
    raise InputError(
        f"{at(shown(path), 1)}: neither a known header nor pairs nor scores; formats of judgements are "
        f"{', '.join(FORMATS)}: choose one with --judgement-format (format=)"
    )
