"""Writers for JSON lines and for the directory layout of mt-metrics-eval; reading them back gives the same test set."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from mtassay.data.formats.evalset import NO_LABEL
from mtassay.data.references import default_reference_names
from mtassay.data.testset import check_language_pair
from mtassay.errors import InputError
from mtassay.io.atomic import atomic_folder, atomic_write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mtassay.data.testset import TestSet
    from mtassay.io.inputs import PathLike

_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_FORBIDDEN_IN_NAMES = re.compile(r"[/\\\x00]")


def write_jsonl(testset: TestSet, path: PathLike) -> None:
    """Write a test set as JSON lines; ``-`` is standard output.

    Named references are written as an object by name, others as text or list.
    """
    with atomic_write(path, exact=True) as file:
        for index in range(testset.n_segments):
            file.write(_json(_item(testset, index), index) + "\n")


def write_evalset(testset: TestSet, folder: PathLike, lp: str) -> None:
    """Write a test set as a new folder in the layout of mt-metrics-eval.

    The layout cannot mark a missing reference, so a test set that lacks one is an error. Missing labels are written as
    "-"; segment identifiers are not written.
    """
    check_language_pair(lp)
    if not testset.references:
        raise InputError("the test set has no references, which the layout cannot leave out: write JSONL")
    for number, names in enumerate(zip(*testset.references, strict=True), 1):
        if None in names:
            name = testset.reference_names[names.index(None)]
            raise InputError(f"segment {number} has no reference {name!r}, which the layout cannot mark: write JSONL")
    for name in testset.reference_names:
        _check_file_name(name, "reference")
    for name in testset.systems:
        _check_file_name(name, "system")
    with atomic_folder(folder) as root:
        if testset.sources is not None:
            _write_lines(root / "sources" / f"{lp}.txt", testset.sources, "the source")
        for name, stream in zip(testset.reference_names, testset.references, strict=True):
            texts = [text or "" for text in stream]
            _write_lines(root / "references" / f"{lp}.{name}.txt", texts, f"reference {name!r}")
        for name, outputs in testset.systems.items():
            _write_lines(root / "system-outputs" / lp / f"{name}.txt", outputs, f"system {name!r}")
        _write_lines(root / "documents" / f"{lp}.docs", _labels(testset), "the labels")


def _item(testset: TestSet, index: int) -> dict[str, object]:
    item: dict[str, object] = {}
    if testset.sources is not None:
        item["src"] = testset.sources[index]
    texts = [stream[index] for stream in testset.references]
    if testset.reference_names != default_reference_names(len(texts)):
        item["refs"] = dict(zip(testset.reference_names, texts, strict=True))
    elif len(texts) == 1:
        item["ref"] = texts[0]
    else:
        item["refs"] = texts
    if testset.systems:
        item["tgt"] = {name: outputs[index] for name, outputs in testset.systems.items()}
    for key, labels in (("doc", testset.documents), ("domain", testset.domains), ("id", testset.ids)):
        if labels is not None:
            item[key] = labels[index]
    return item


def _json(item: dict[str, object], index: int) -> str:
    line = json.dumps(item, ensure_ascii=False)
    if _SURROGATE.search(line) is None:
        return line
    if _SURROGATE_PAIR.search(line):
        raise InputError(
            f"segment {index + 1} contains two surrogates that JSON would join into one character; remove them"
        )
    return json.dumps(item)  # escapes lone surrogates, which UTF-8 cannot encode


def _write_lines(path: Path, lines: Sequence[str], what: str) -> None:
    for number, line in enumerate(lines, 1):
        if "\n" in line:
            raise InputError(
                f"{what}, segment {number} contains a line break, which line files do not allow: write JSONL"
            )
        if _SURROGATE.search(line):
            raise InputError(
                f"{what}, segment {number} contains a lone surrogate, which UTF-8 does not allow: write JSONL"
            )
    # The reader removes a byte-order mark and the CRs of Windows files; if the text has them, write them twice.
    mark = "\ufeff" if lines[0].startswith("\ufeff") else ""
    end = "\r\n" if all(line.endswith("\r") for line in lines) else "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((mark + end.join(lines) + end).encode("utf-8"))


def _labels(testset: TestSet) -> list[str]:
    absent = (NO_LABEL,) * testset.n_segments
    columns = (testset.domains or absent, testset.documents or absent)
    for what, column in zip(("domain", "document"), columns, strict=True):
        for number, label in enumerate(column, 1):
            if "\t" in label:
                raise InputError(
                    f"the {what} label of segment {number} contains a tab, which the layout does not allow: write JSONL"
                )
    return [f"{domain}\t{document}" for domain, document in zip(*columns, strict=True)]


def _check_file_name(name: str, what: str) -> None:
    if not name or _FORBIDDEN_IN_NAMES.search(name) or name.startswith(".") or _SURROGATE.search(name):
        raise InputError(f"the {what} name {name!r} cannot be a file name; rename it")
