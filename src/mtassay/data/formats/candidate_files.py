"""Reading candidates segment by segment, from one of three formats.

- ``moses``: an n-best list, ``sentence ||| text ||| features [||| score]``, sentences in order from 0; other fields are
  ignored.
- ``jsonl``: an object per segment: ``{"candidates": [...]}``, with texts, or objects with ``text``, ``score`` and
  ``count``; also ``scores``, ``counts``, ``references`` and ``source``.
- ``lines``: a candidate per line, ``text`` or ``text<TAB>count``. Segments end at empty lines, or have the same number
  of lines each.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, Any

from mtassay.data.candidate_lists import CandidateList
from mtassay.data.formats.jsonl import json_object
from mtassay.data.formats.lines import is_count
from mtassay.errors import InputError, at, counted, unknown_name
from mtassay.io.inputs import PathLike, shown
from mtassay.io.streams import stream_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Lines = Iterator[tuple[int, str]]

FORMATS = ("moses", "jsonl", "lines")
_JSON_EXAMPLE = '{"candidates": ["a text", "another"]}'
_NBEST_EXAMPLE = "0 ||| text ||| LM0= -1.2 ||| -7.8"
_SHOWN = 60


def read_candidates(
    path: PathLike, *, file_format: str | None = None, per_segment: int | None = None
) -> Iterator[CandidateList]:
    """Read candidates segment by segment; only one segment is in memory.

    Args:
        path: the file, plain or compressed, or ``-`` for standard input.
        file_format: ``moses``, ``jsonl`` or ``lines``; by default recognised by the first line.
        per_segment: in the format ``lines``, the number of lines of each segment; by default segments end at empty
            lines.
    """
    if file_format is not None and file_format not in FORMATS:
        raise InputError(unknown_name("format of candidates", file_format, FORMATS))
    if per_segment is not None and per_segment < 1:
        raise InputError(f"a segment needs at least one candidate, not {per_segment}")
    return _read(path, file_format, per_segment)


def _read(path: PathLike, file_format: str | None, per_segment: int | None) -> Iterator[CandidateList]:
    lines: Lines = enumerate((line.removesuffix("\r") for lines in stream_lines(path) for line in lines), 1)
    first = next(lines, (1, ""))
    file_format = file_format or ("lines" if per_segment else _recognised(first[1]))
    if per_segment is not None and file_format != "lines":
        raise InputError(f"{shown(path)}: the number of lines per segment is for files with a candidate per line")
    lines = chain([first], lines)
    if file_format == "lines":
        yield from _from_lines(lines, shown(path), per_segment)
    else:
        readers: dict[str, Callable[[Lines, str], Iterator[CandidateList]]]
        readers = {"moses": _from_moses, "jsonl": _from_json}
        yield from readers[file_format](lines, shown(path))


def _recognised(line: str) -> str:
    if "|||" in line:
        return "moses"
    return "jsonl" if line.lstrip().startswith("{") else "lines"


def _from_moses(lines: Lines, origin: str) -> Iterator[CandidateList]:
    sentence, start = 0, 1
    texts: list[str] = []
    scores: list[float | None] = []

    def finished() -> CandidateList:
        known = [score for score in scores if score is not None]
        if 0 < len(known) < len(scores):
            raise InputError(f"{at(origin, start)}: some candidates of sentence {sentence} have no score")
        return CandidateList(texts=tuple(texts), scores=tuple(known) if known else None, place=at(origin, start))

    for number, line in lines:
        if not line.strip():
            continue
        fields = line.split("|||")
        if len(fields) < 2:
            raise InputError(f"{at(origin, number)}: {counted(len(fields), 'field')}; write {_NBEST_EXAMPLE}")
        found = _sentence(fields[0], at(origin, number))
        if found != sentence:
            if found != sentence + 1 or not texts:
                expected = f"{sentence} or {sentence + 1}" if texts else str(sentence)
                raise InputError(f"{at(origin, number)}: sentence {found}, where {expected} is expected")
            yield finished()
            sentence, start = found, number
            texts.clear()
            scores.clear()
        texts.append(fields[1].strip())
        scores.append(_number(fields[3], at(origin, number), "score") if len(fields) > 3 else None)
    if not texts:
        raise InputError(f"{origin} has no candidates")
    yield finished()


def _sentence(field: str, place: str) -> int:
    text = field.strip()
    if not is_count(text):
        raise InputError(f"{place}: {text[:_SHOWN]!r} is not a sentence number; write {_NBEST_EXAMPLE}")
    return int(text)


def _number(text: str, place: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{place}: the {what} '{text.strip()}' is not a finite number")
    return value


def _from_lines(lines: Lines, origin: str, per_segment: int | None) -> Iterator[CandidateList]:
    texts: list[str] = []
    counts: list[int] = []
    start = number = 1

    def finished() -> CandidateList:
        return CandidateList(texts=tuple(texts), counts=tuple(counts), place=at(origin, start))

    for number, line in lines:
        if per_segment is None and not line.strip():
            if not texts:
                raise InputError(f"{at(origin, number)}: an empty line, but no candidates before it")
            yield finished()
            texts, counts, start = [], [], number + 1
            continue
        text, tab, count = line.rpartition("\t")
        texts.append((text if tab else line).strip())
        counts.append(_count(count, at(origin, number)) if tab else 1)
        if len(texts) == per_segment:
            yield finished()
            texts, counts, start = [], [], number + 1
    if texts and per_segment is not None:
        given = f"{counted(len(texts), 'line')} for the last segment, which needs {per_segment}"
        raise InputError(f"{at(origin, number)}: {given}")
    if texts:
        yield finished()


def _count(text: str, place: str) -> int:
    if not is_count(text.strip()):
        raise InputError(f"{place}: {text.strip()[:_SHOWN]!r} after the tab is not a count")
    return int(text)


def _from_json(lines: Lines, origin: str) -> Iterator[CandidateList]:
    for number, line in lines:
        if line.strip():
            place = at(origin, number)
            yield _json_list(json_object(line, place, example=_JSON_EXAMPLE), place)


def _json_list(item: dict[str, Any], place: str) -> CandidateList:
    known = {"candidates", "scores", "counts", "references", "source"}
    if "candidates" not in item:
        raise InputError(f'{place}: no "candidates"; write {_JSON_EXAMPLE}')
    candidates = _json_array(item, "candidates", place)
    columns: dict[str, list[Any]] = {
        name: _json_array(item, name, place) for name in known - {"candidates", "source"} if item.get(name) is not None
    }
    if candidates and all(isinstance(one, dict) for one in candidates):
        for name, key in (("scores", "score"), ("counts", "count")):
            if any(key in one for one in candidates):
                columns[name] = [one.get(key, 1 if key == "count" else None) for one in candidates]
        candidates = [one.get("text") for one in candidates]
    source = item.get("source")
    for name, texts in (("candidates", candidates), ("references", columns.get("references", []))):
        if not all(isinstance(text, str) for text in texts):
            raise InputError(f'{place}: every item of "{name}" must be a text')
    if not isinstance(source, str | None):
        raise InputError(f'{place}: "source" must be a text')
    for name, kinds in (("scores", (int, float)), ("counts", (int,))):
        if not all(isinstance(value, kinds) and not isinstance(value, bool) for value in columns.get(name, [])):
            raise InputError(f'{place}: every item of "{name}" must be a number')
    return CandidateList(
        texts=tuple(candidates),
        counts=tuple(columns.get("counts", ())),
        scores=tuple(map(float, columns["scores"])) if "scores" in columns else None,
        references=tuple(columns["references"]) if "references" in columns else None,
        source=source,
        place=place,
    )


def _json_array(item: dict[str, Any], name: str, place: str) -> list[Any]:
    if not isinstance(item[name], list):
        raise InputError(f'{place}: "{name}" must be a list')
    values: list[Any] = item[name]
    return values
