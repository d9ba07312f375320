"""Reading test sets from separate files: references, systems, sources and labels."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mtassay.data.formats import SGML, stem_and_suffix, system_name, uncompressed_name
from mtassay.data.formats.lines import read_lines, split_columns
from mtassay.data.references import default_reference_names
from mtassay.data.testset import TestSet, check_language_pair
from mtassay.errors import InputError, counted
from mtassay.io.inputs import STDIN, PathLike, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.formats.sgml import Key

#: Test sets that are never read as plain text; a .tsv may be one text per line.
_NOT_LINES = (".jsonl", ".xml")


def load_files(
    references: Sequence[PathLike],
    systems: Sequence[PathLike],
    *,
    source: PathLike | None = None,
    documents: PathLike | None = None,
    domains: PathLike | None = None,
    names: Sequence[str] | None = None,
    lp: str | None = None,
    encoding: str = "utf-8",
    n_ref_columns: int = 1,
    keep_whitespace: bool = False,
) -> TestSet:
    """Read a test set from line files or NIST SGML files.

    Args:
        references: One file per reference; none for metrics that need no reference.
        systems: One file per system; ``-`` is standard input, where tabs separate several systems.
        source: File of the source texts.
        documents: File with one document label per line.
        domains: File with one domain label per line.
        names: Names of the systems; by default taken from the file names (or from SGML sysid).
        lp: The language pair, such as "en-de".
        encoding: Encoding of all files.
        n_ref_columns: Number of tab-separated references in each reference file.
        keep_whitespace: Keep white space at the end of lines; it is dropped by default, as in sacreBLEU.
    """
    if not references and not systems:
        raise InputError("no files of references or systems; give at least one")
    check_language_pair(lp)
    about = {"sources": source, "documents": documents, "domains": domains}
    paths = [path for path in (*references, *systems, *about.values()) if path is not None]
    check_line_files(paths)
    refs = [s for path in references for s in _read_references(path, n_ref_columns, encoding)]
    outputs = [s for path in systems for s in _read_systems(path, encoding)]
    labels = {what: _read(path, "src", encoding)[0] for what, path in about.items() if path is not None}
    keyed = next((s for s in [*refs, *outputs, *labels.values()] if s.keys is not None), None)
    if not keep_whitespace:
        # Parity: sacreBLEU, white space at the end of lines is dropped: with several columns, that of the last one.
        ends = [number % n_ref_columns == 0 for number in range(1, len(refs) + 1)]
        refs = [stream.stripped() if end else stream for stream, end in zip(refs, ends, strict=True)]
        outputs = [stream.stripped() for stream in outputs]
    align = _Aligner((refs or outputs)[0], keyed)
    first = "reference line" if refs else "segment"
    fields = {} if keyed is None else keyed.labels()
    fields |= {what: align(stream, f"the {what} need one line per {first}") for what, stream in labels.items()}
    return TestSet(
        [align(stream, "all references need the same number of lines") for stream in refs],
        zip(
            system_names([(stream.name, stream.path) for stream in outputs], names),
            [align(s, f"every system needs one line per {first}") for s in outputs],
            strict=True,
        ),
        sources=fields.get("sources"),
        documents=fields.get("documents"),
        domains=fields.get("domains"),
        ids=fields.get("ids"),
        reference_names=reference_names([stream.name for stream in refs]),
        language_pair=lp,
    )


def with_outputs(
    testset: TestSet,
    systems: Sequence[PathLike],
    *,
    names: Sequence[str] | None = None,
    encoding: str = "utf-8",
) -> TestSet:
    """The test set with outputs from files as further systems; arguments as for `load_files`."""
    streams = [stream.stripped() for path in systems for stream in _read_systems(path, encoding)]
    for stream in streams:
        if len(stream.texts) != testset.n_segments:
            raise InputError(
                f"{shown(stream.path)} has {counted(len(stream.texts), 'line')}, the test set {testset.name} has "
                f"{testset.n_segments:,}: every system needs one line per segment"
            )
    named = system_names([(stream.name, stream.path) for stream in streams], names)
    outputs = dict(zip(named, (tuple(stream.texts) for stream in streams), strict=True))
    for name in outputs:
        if name in testset.systems:
            raise InputError(
                f"the test set {testset.name} already has a system {name!r}: name yours with --names (names=)"
            )
    return replace(testset, systems={**testset.systems, **outputs})


class _Stream(NamedTuple):
    """Texts of one file or column; `keys` are the (document, segment) of SGML files."""

    name: str
    path: PathLike
    texts: Sequence[str]
    keys: Sequence[Key] | None = None
    genres: dict[str, str] | None = None

    def stripped(self) -> _Stream:
        """The same without white space at the end of texts."""
        return self._replace(texts=[text.rstrip() for text in self.texts])

    def labels(self) -> dict[str, Sequence[str]]:
        """Documents, identifiers and, if every document has one, genres as domains."""
        keys, genres = self.keys or (), self.genres or {}
        labels: dict[str, Sequence[str]] = {
            "documents": [document for document, _ in keys],
            "ids": [segment for _, segment in keys],
        }
        if all(document in genres for document, _ in keys):
            labels["domains"] = [genres[document] for document, _ in keys]
        return labels


class _Aligner:
    """Sorts streams by the keys of the first stream that has keys; line files must have as many lines."""

    def __init__(self, first: _Stream, keyed: _Stream | None) -> None:
        self.first = first
        self.keyed = keyed

    def __call__(self, stream: _Stream, what_is_needed: str) -> Sequence[str]:
        texts = stream.texts
        if self.keyed is not None and self.keyed.keys is not None and stream.keys is not None:
            texts = self._by_key(stream, self.keyed.keys, shown(self.keyed.path))
        n, expected = len(texts), len(self.first.texts)
        if n != expected:
            raise InputError(
                f"{shown(stream.path)} has {counted(n, 'line')}, {shown(self.first.path)} has {expected:,}: "
                f"{what_is_needed}"
            )
        return texts

    @staticmethod
    def _by_key(stream: _Stream, keys: Sequence[Key], other: str) -> list[str]:
        texts = dict(zip(stream.keys or (), stream.texts, strict=True))
        place = f"{shown(stream.path)}: {stream.name!r}"
        for document, segment in keys:
            if (document, segment) not in texts:
                raise InputError(f"{place} has no segment {segment!r} of document {document!r}, {other} has it")
        if len(texts) > len(keys):
            known = set(keys)
            document, segment = next(key for key in texts if key not in known)
            raise InputError(f"{place} has segment {segment!r} of document {document!r}, which {other} lacks")
        return [texts[key] for key in keys]


def _read(path: PathLike, kind: str, encoding: str) -> list[_Stream]:
    """Read the streams of a file; from an SGML file with several kinds, those of the given kind."""
    if not uncompressed_name(path).lower().endswith(SGML):
        return [_Stream(system_name(path), path, read_lines(path, encoding=encoding))]
    from mtassay.data.formats.sgml import read_sgml

    streams = read_sgml(path, encoding=encoding)
    return [
        _Stream(s.name or system_name(path), path, list(s.texts.values()), list(s.texts), s.genres)
        for s in [s for s in streams if s.kind == kind] or streams
    ]


def _read_references(path: PathLike, n_columns: int, encoding: str) -> list[_Stream]:
    streams = _read(path, "ref", encoding)
    if n_columns == 1 or streams[0].keys is not None:
        return streams
    name, _, lines, *_ = streams[0]
    # Parity: sacreBLEU -nr, an empty column is an empty reference, not a missing one.
    columns = split_columns(lines, n_columns, path)
    return [_Stream(f"{name}:{i}", path, column) for i, column in enumerate(columns, 1)]


def _read_systems(path: PathLike, encoding: str) -> list[_Stream]:
    streams = _read(path, "tst", encoding)
    if os.fspath(path) != STDIN:
        return streams
    # Parity: sacreBLEU, the first line of standard input determines the number of systems; their names are these, too.
    lines = streams[0].texts
    columns = split_columns(lines, lines[0].count("\t") + 1, path)
    return [_Stream(system_of_column(i), path, column) for i, column in enumerate(columns, 1)]


def system_of_column(number: int) -> str:
    """The name of the system in a column of standard input, counted from 1."""
    return f"System {number}"


def system_names(systems: Sequence[tuple[str, PathLike]], names: Sequence[str] | None) -> list[str]:
    """The given names, or those of the files, which must differ.

    Args:
        systems: name and file of each system.
        names: names given by the user.
    """
    if names is not None:
        if isinstance(names, str) or len(names) != len(systems):
            n = 1 if isinstance(names, str) else len(names)
            raise InputError(f"{counted(n, 'name')} for {counted(len(systems), 'system')}; give one name per system")
        return list(names)
    seen: dict[str, PathLike] = {}
    for name, path in systems:
        if name in seen:
            raise InputError(
                f"{shown(seen[name])} and {shown(path)} are both named {name!r}; name the systems with --names (names=)"
            )
        seen[name] = path
    return list(seen)


def reference_names(files: Sequence[str]) -> tuple[str, ...]:
    """Names from files if they are distinct, else numbers."""
    names = tuple("ref" if name == STDIN else name for name in files)
    return names if len(set(names)) == len(names) else default_reference_names(len(names))


def check_line_files(paths: Sequence[PathLike]) -> None:
    """Reject names of whole test sets, whose lines would be read as texts, and standard input given twice."""
    for path in paths:
        if stem_and_suffix(path)[1] in _NOT_LINES:
            raise InputError(
                f"{shown(path)} is a whole test set by its name, but separate files must be plain text or .sgm; "
                "give a test set alone"
            )
    if sum(os.fspath(path) == STDIN for path in paths) > 1:
        raise InputError("standard input (-) can be read only once; give the other inputs as files")
