"""Recognition of judgement formats by the first line of a file, and reading."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence, Set
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING

from mtassay.data.formats import uncompressed_name
from mtassay.data.formats.judgements.control_items import APPRAISE, is_appraise, read_appraise, read_hits
from mtassay.data.formats.judgements.matching import Names, check_aspect, meaningless
from mtassay.data.formats.judgements.rankings import read_acceptance, read_items, read_rankings
from mtassay.data.formats.judgements.rows import TextTable, table_of
from mtassay.data.formats.judgements.scores import ScoreText, read_da, read_mqm, read_score_file
from mtassay.data.formats.judgements.spans import SpanFile, rating_file, read_ratings, read_spans, span_file
from mtassay.data.formats.judgements.tables import (
    PAIRS,
    kind_of,
    objects_of,
    read_own,
    read_pairs,
    table_of_objects,
)
from mtassay.data.formats.judgements.tasks import read_tasks
from mtassay.data.formats.lines import lines_of
from mtassay.data.judgements import Scores
from mtassay.errors import InputError, at, unknown_name
from mtassay.io.inputs import PathLike, is_database, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.data.error_spans import ErrorSpans
    from mtassay.data.judgements import Preferences, Rankings
    from mtassay.data.testset import TestSet

TASKS = ("rank", "constituent", "acceptability", "adequacy", "fluency")
#: The delimiter of cells: a comma, or a tab if the first line has one.
_COMMA_OR_TAB = ",\t"


@dataclass(frozen=True)
class Format:
    """How one format is recognised and read.

    Attributes:
        read: makes judgements of a table; takes `names` and the `options` by keyword.
        options: options of ``load_judgements`` that apply to the format: lp, task, domain, column, split.
        marks: sets of columns (in lower case); a file in this format has all columns of one set.
        delimiter: delimiter of cells; None for any white space.
        header: the columns of files without a header.
        ragged: whether cells at the end of a line may be missing.
        nameless: whether scores have no aspect in the file, so that the option task gives it.
    """

    read: Callable[..., Rankings | Preferences | Scores | ErrorSpans]
    options: Set[str] = frozenset()
    marks: tuple[Set[str], ...] = ()
    _: KW_ONLY
    delimiter: str | None = _COMMA_OR_TAB
    header: tuple[str, ...] = ()
    ragged: bool = False
    nameless: bool = False

    def table(self, lines: Sequence[str], path: PathLike) -> TextTable:
        """The lines of a file as a table; the first line may be a header."""
        delimiter = self.delimiter
        if delimiter == _COMMA_OR_TAB:
            delimiter = "\t" if "\t" in lines[0] else ","
        first = {cell.strip().lower() for cell in lines[0].split(delimiter)}
        header = () if any(mark <= first for mark in self.marks) else self.header
        return table_of(lines, path, delimiter=delimiter, header=header, ragged=self.ragged)


#: All formats by name, in the order in which their marks are compared with the columns of a file.
_FORMATS = {
    "rankings": Format(read_rankings, {"lp", "split"}, ({"srclang", "system1id"}, {"srclang", "system1rank"})),
    "items": Format(read_items, {"split"}, ({"rankingid", "items"},)),
    "tasks": Format(read_tasks, {"lp", "task", "domain"}, ({"task", "type"}, {"type", "item_id"}), ragged=True),
    "pairs": Format(read_pairs, delimiter="\t", header=PAIRS),
    "acceptance": Format(read_acceptance, {"lp"}, ({"srclang", "systemid"}, {"systemid", "judgment"}), nameless=True),
    "da": Format(
        read_da, {"lp", "column"}, ({"sys", "sid"}, {"system", "sid", "human"}), delimiter=None, nameless=True
    ),
    "mqm": Format(read_mqm, marks=({"system", "mqm_avg_score"},), delimiter=None, nameless=True),
    "hits": Format(read_hits, {"lp", "task"}, ({"hitid", "workerid"},), delimiter=None),
    "appraise": Format(
        read_appraise, {"lp"}, ({"username", "itemid", "itemtype"},), delimiter=",", header=APPRAISE, nameless=True
    ),
    "scores": Format(read_score_file, {"lp", "column"}, nameless=True),
    "spans": Format(read_spans),
    "ratings": Format(read_ratings),
    "tsv": Format(read_own, {"task"}, delimiter="\t"),
    "jsonl": Format(read_own, {"task"}),
}
FORMATS = tuple(_FORMATS)
_SPAN_FILES = {"spans": span_file, "ratings": rating_file}
#: Reasons why an option has no effect in a format.
_WHY = {
    "lp": "files in the format {} name no language pair",
    "task": "files in the format {} have no tasks",
    "domain": "files in the format {} name no domain",
    "column": "the column of scores is fixed in the format {}",
    "split": "files in the format {} do not join systems",
}


def load_judgements(
    path: PathLike,
    *,
    format: str | None = None,
    lp: str | None = None,
    task: str | None = None,
    domain: str | None = None,
    column: str | None = None,
    split: bool = True,
    testset: TestSet | None = None,
    ignore_unknown: bool = False,
    rename: Mapping[str, str | None] | None = None,
    rename_all: bool = True,
    encoding: str = "utf-8",
) -> Rankings | Preferences | Scores | ErrorSpans:
    """Read a file of human judgements (compressed or not), or a campaign of ``mtassay judge``.

    An option that has no effect on the file is an error, with one exception: with a test set, `lp` may be the pair of
    the test set (which is the default), and a file that names no language pair is assumed to be of that pair.

    Args:
        path: the file; ``-`` is standard input.
        format: one of `FORMATS`; None to recognise it by the first line.
        lp: the language pair (``cs-en``) if a file has several; by default that of the test set.
        task: one of `TASKS` if a file has several (WMT07–WMT09), or a value of the column ``aspect``. Scores without
            either get this name (``adequacy``, ``fluency`` or ``acceptability``).
        domain: the domain (``News``) if a file has several (WMT07–WMT09).
        column: the column with the score; ``Z.SCR`` or ``score`` by default.
        split: whether an output judged once for several systems ("a+b", WMT15) becomes one output of each: in the
            formats ``rankings`` and ``items``, and in others if the test set has these systems.
        testset: must contain the systems and segments. Systems get its names (``Online-A.5`` is ``Online-A``),
            segments its numbers from 1; references (``_ref``, ``HUMAN``) may be among the systems.
        ignore_unknown: whether systems that the test set does not have are left out (and listed in ``ignored`` of
            the judgements) instead of an error.
        rename: other names of systems; None leaves a system out.
        rename_all: whether every system to be renamed must occur; False if names are for several files.
        encoding: the encoding of the file.
    """
    if format is not None and format not in FORMATS:
        raise InputError(unknown_name("format of judgements", format, FORMATS))
    if ignore_unknown and testset is None:
        raise meaningless("ignore_unknown", shown(path), "without a test set no system is unknown")
    if lp is None and testset is not None:
        lp = testset.language_pair
    names = Names(testset, rename or {}, split, ignore_unknown)
    if format is None and is_database(path):
        from mtassay.data.formats.judgements.campaigns import read_judged_campaign  # loads sqlite3

        if domain is not None or column is not None:
            unused = "column" if domain is None else "domain"
            raise meaningless(unused, shown(path), "a campaign has none to choose from")
        judged = read_judged_campaign(path, task=task, lp=lp, names=names)
        names.announce_joined(shown(path))
        if rename_all:
            names.check_renamed(shown(path))
        return replace(judged, ignored=tuple(sorted(names.ignored)))
    text = read_text(path, encoding=encoding)
    format = format or _recognised(lines_of(text)[0], path)
    known = _FORMATS[format]
    given = {"task": task, "domain": domain, "column": column, "lp": lp, "split": split}
    for option, value in given.items():  # systems are split by default
        chooses = option in known.options or (option == "task" and known.nameless)
        beside = option in ("lp", "split") and testset is not None
        if value not in (None, True) and not chooses and not beside:
            raise meaningless(option, shown(path), _WHY[option].format(format))
    chosen = {option: given[option] for option in known.options - {"split"}}
    found = known.read(_input(format, text, path, names), names=names, **chosen)
    if task is not None and known.nameless and isinstance(found, Scores):
        check_aspect(task, shown(path))
        found = replace(found, aspect=task)
    names.announce_joined(shown(path))
    if rename_all:
        names.check_renamed(shown(path))
    return replace(found, ignored=tuple(sorted(names.ignored)))


def _input(format: str, text: str, path: PathLike, names: Names) -> TextTable | ScoreText | SpanFile:
    """The input of a format's reader."""
    if format == "scores":
        return ScoreText(text, path)
    lines = lines_of(text)
    if format in _SPAN_FILES:
        file = _SPAN_FILES[format](lines, path)
        return replace(file, table=names.spread(file.table))
    if format == "jsonl":
        return names.spread(table_of_objects(objects_of(lines, path), path))
    return names.spread(_FORMATS[format].table(lines, path))


def _recognised(first: str, path: PathLike) -> str:
    if first.lstrip().startswith("{"):
        return "spans" if _has_spans(first) else "jsonl"
    file_name = uncompressed_name(path).lower()
    if file_name.endswith(".score"):
        return "scores"
    if file_name.endswith(".rating"):
        return "ratings"
    for cells in (first.split("\t"), first.split(","), first.split()):
        header = {cell.strip().lower() for cell in cells}
        for name, format_ in _FORMATS.items():
            if any(mark <= header for mark in format_.marks):
                return name
    if is_appraise(first):
        return "appraise"
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


def _has_spans(first: str) -> bool:
    """Whether the object of a line has the key ``spans``; other faults are reported by the reader."""
    try:
        return "spans" in json.loads(first)
    except (ValueError, RecursionError):
        return False
