"""Test sets as JSON lines: one object per segment.

    {"src": "...", "ref": "...", "tgt": {"system": "...", ...}, "doc": "...", "domain": "...", "id": "..."}

Instead of `ref`, `refs` has several references: a list, or an object by reference name; null marks a
missing one, and at least one must be a text. Only the reference is required;
every line must have the same keys, references and systems.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mtassay.data.formats.lines import lines_of
from mtassay.data.references import default_reference_names, first_repeated
from mtassay.data.testset import TestSet
from mtassay.errors import InputError, at, counted, did_you_mean, unknown_name
from mtassay.io.inputs import PathLike, naming, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

_LABELS = {"doc": "documents", "domain": "domains", "id": "ids"}
_KEYS = ("src", "ref", "refs", "tgt", *_LABELS)


def read_jsonl(path: PathLike, *, encoding: str = "utf-8", name: str | None = None) -> TestSet:
    """Read a test set from a JSONL file (compressed or not) or from standard input (``-``)."""
    lines = lines_of(read_text(path, encoding=encoding))
    rows = [_Row(line, at(shown(path), number)) for number, line in enumerate(lines, 1)]
    first = rows[0]
    for row in rows[1:]:
        row.check_like(first)
    fields: dict[str, Any] = {}
    if "src" in first.item:
        fields["sources"] = [row.text("src") for row in rows]
    for key, field in _LABELS.items():
        if key in first.item:
            fields[field] = [row.label(key) for row in rows]
    with naming(path):
        return TestSet(
            [[row.references[r] for row in rows] for r in first.references],
            {system: [row.outputs[system] for row in rows] for system in first.outputs},
            reference_names=list(first.references),
            name=name,
            **fields,
        )


def json_object(line: str, place: str, *, example: str) -> dict[str, object]:
    """The object of one line; `place` is file and line, `example` is shown in the error message."""
    try:
        item = json.loads(line, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise InputError(f"{place}: not JSON ({error.msg} at column {error.colno})") from None
    except RecursionError:
        raise InputError(f"{place}: JSON nested too deeply") from None
    except ValueError as error:  # a repeated key, or a number with thousands of digits
        raise InputError(f"{place}: {error}") from None
    if not isinstance(item, dict):
        raise InputError(f"{place}: expected an object such as {example}")
    return item


class _Row:
    """One line, checked by itself; `place` is file and line for messages."""

    def __init__(self, line: str, place: str) -> None:
        self.place = place
        self.item = self._parse(line)
        self.references = self._references()
        self.outputs = self._outputs()

    def _parse(self, line: str) -> dict[str, object]:
        item = json_object(line, self.place, example='{"ref": "...", "tgt": {"system": "..."}}')
        for key in item:
            if key not in _KEYS:
                raise InputError(f"{self.place}: {unknown_name('key', key, _KEYS)}")
        return item

    def _references(self) -> dict[str, str | None]:
        if ("ref" in self.item) == ("refs" in self.item):
            raise InputError(f"{self.place}: needs either 'ref' (one text) or 'refs' (a list of texts)")
        if "ref" in self.item:
            if self.item["ref"] is None:
                raise InputError(
                    f"{self.place}: 'ref' is null, but a segment needs a reference; in 'refs' some may be null"
                )
            return {"ref": self.text("ref")}
        refs = self.item["refs"]
        if isinstance(refs, list):
            refs = dict(zip(default_reference_names(len(refs)), refs, strict=True))
        if not isinstance(refs, dict):
            raise InputError(f"{self.place}: 'refs' must be a list of texts")
        for text in refs.values():
            if text is not None and not isinstance(text, str):
                raise InputError(
                    f"{self.place}: 'refs' contains {text!r}; every reference must be a text, or null if missing"
                )
        if refs and all(text is None for text in refs.values()):
            raise InputError(f"{self.place}: the segment has no reference; at least one of 'refs' must be a text")
        return refs

    def _outputs(self) -> Mapping[str, str]:
        outputs = self.item.get("tgt", {})
        if not isinstance(outputs, dict):
            raise InputError(f'{self.place}: \'tgt\' must be an object {{"system": "text", ...}}')
        for system, text in outputs.items():
            if not isinstance(text, str):
                raise InputError(f"{self.place}: the output of system {system!r} is {_shown(text)}; it must be a text")
        return outputs

    def text(self, key: str) -> str:
        value = self.item[key]
        if not isinstance(value, str):
            raise InputError(f"{self.place}: {key!r} is {_shown(value)}; it must be a text")
        return value

    def label(self, key: str) -> str:
        value = self.item[key]
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise InputError(f"{self.place}: {key!r} is {_shown(value)}; it must be a text or a whole number")
        return str(value)

    def check_like(self, first: _Row) -> None:
        """Reject keys, references or systems that differ from those of the first line."""
        _check_same(self.item, first.item, what="key", place=self.place)
        if len(self.references) != len(first.references):
            raise InputError(
                f"{self.place}: {counted(len(self.references), 'reference')}, line 1 has {len(first.references)}; "
                "write null for a missing one"
            )
        _check_same(self.references, first.references, what="reference", place=self.place)
        _check_same(self.outputs, first.outputs, what="system", place=self.place)


def _check_same(these: Mapping[str, object], those: Mapping[str, object], *, what: str, place: str) -> None:
    if these.keys() == those.keys():
        return
    for name in these:
        if name not in those:
            raise InputError(f"{place}: {what} {name!r} is not in line 1{did_you_mean(name, those)}")
    for name in those:
        if name not in these:
            raise InputError(f"{place}: {what} {name!r} is missing; line 1 has it")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    item = dict(pairs)
    if len(item) < len(pairs):
        raise ValueError(f"{first_repeated(key for key, _ in pairs)!r} is given twice in one object")
    return item


def _shown(value: object) -> str:
    return "null" if value is None else json.dumps(value)[:40]
