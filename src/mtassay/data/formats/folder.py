"""Plain folders of line files, one per language pair: src, ref or ref.A ref.B ..., hyp/SYSTEM.

Optional: `doc` and `domain` with one label per line. Files may end in .txt and be compressed.
The reference file `ref.A` is named "refA".
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtassay.data.formats import system_name, visible_files
from mtassay.data.formats.evalset import AlignedLines
from mtassay.data.testset import TestSet
from mtassay.errors import InputError
from mtassay.io.inputs import PathLike, naming

if TYPE_CHECKING:
    from collections.abc import Iterable

_ABOUT = {"src": "sources", "doc": "documents", "domain": "domains"}


def read_folder(folder: PathLike, *, encoding: str = "utf-8", name: str | None = None) -> TestSet:
    """Read a folder of line files."""
    root = Path(folder)
    files = _by_name(visible_files(root))
    references = {file: path for file, path in files.items() if _is_reference(file)}
    if not references:
        raise InputError(f"{root} has no file 'ref' (or 'ref.A', 'ref.B', ...)")
    outputs = root / "hyp"
    systems = _by_name(visible_files(outputs)) if outputs.is_dir() else {}
    lines = AlignedLines(next(iter(references.values())), encoding=encoding)
    streams = [lines(path) for path in references.values()]
    texts = {system: lines(path) for system, path in systems.items()}
    about: dict[str, Any] = {field: lines(files[file]) for file, field in _ABOUT.items() if file in files}
    with naming(root):
        return TestSet(
            streams,
            texts,
            reference_names=[reference.replace(".", "", 1) for reference in references],
            name=name or f"{root.resolve().parent.name}/{root.resolve().name}",
            **about,
        )


def is_folder(folder: Path) -> bool:
    """Whether a folder has the layout."""
    return folder.is_dir() and any(_is_reference(system_name(path)) for path in visible_files(folder))


def _is_reference(name: str) -> bool:
    return name == "ref" or (name.startswith("ref.") and len(name) > len("ref."))


def _by_name(paths: Iterable[Path]) -> dict[str, Path]:
    named: dict[str, Path] = {}
    for path in paths:
        name = system_name(path)
        if name in named:
            raise InputError(f"{named[name]} and {path} have the same name {name!r}; rename one")
        named[name] = path
    return named
