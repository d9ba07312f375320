"""Choice of the reader: `load` for a whole test set, `load_files` for separate files."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mtassay.data.formats import system_name, uncompressed_name
from mtassay.data.formats.lines import read_lines, split_columns
from mtassay.data.references import ALL, default_reference_names
from mtassay.data.testset import TestSet, check_language_pair
from mtassay.errors import InputError, counted, unknown_name
from mtassay.io.inputs import STDIN, PathLike, check_path, naming, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mtassay.data.formats.sgml import Key

#: Ends of the names of NIST SGML files.
SGML = (".sgm", ".sgml")
#: Test sets that are never read as plain text; a .tsv may be one text per line.
_NOT_LINES = (".jsonl", ".xml")


def load(
    path: PathLike,
    *,
    lp: str | None = None,
    references: str | Sequence[str] | None = None,
    include_references: bool = False,
    keep_whitespace: bool = False,
    encoding: str = "utf-8",
    source: str | None = None,
    origlang: str | None = None,
    subset: str | None = None,
) -> TestSet:
    """Read a test set from a folder or from a .jsonl, .tsv, .xml or .sgm file (compressed or not).

    Args:
        path: The folder or file; standard input (``-``) must hold JSON lines. With `source`, the name of a test set.
        lp: The language pair; chooses one of a folder that has several. By default the one that the set's name ends in.
        references: Names of the references to use, or "all". By default all; of a folder in the layout of
            mt-metrics-eval the standard one of the release.
        include_references: Whether outputs that are named like a reference count as systems.
        keep_whitespace: Keep white space at the end of texts, which is dropped by default, as in other programs.
        encoding: Encoding of all files.
        source: "sacrebleu" for a test set of the package sacrebleu, which downloads it if necessary; several names
            have commas between them. Systems are the outputs in the release, if it has any.
        origlang: With `source`, keep segments with this original language; "non-XX" for all others.
        subset: With `source`, keep documents whose labels match this regular expression.
    """
    if source is not None or origlang is not None or subset is not None:
        testset = _load_from(source, path, lp, references, origlang=origlang, subset=subset)
        return testset if keep_whitespace else testset.without_trailing_space()
    # Formats are imported on use, as in `_load_whole`, to start fast.
    from mtassay.data.formats.evalset import is_evalset, read_evalset
    from mtassay.data.standard_references import is_synthetic

    check_path(path)
    if isinstance(references, str) and references != ALL:
        references = [references]
    if _is_folder(path) and is_evalset(_folder(path)):
        testset = read_evalset(
            path, lp, references=references, include_references=include_references, encoding=encoding
        )
    else:
        testset = _load_whole(path, lp, encoding)
        if not include_references:
            aside = [name for name in testset.systems if name in testset.reference_names or is_synthetic(name)]
            testset = testset.setting_aside(aside)
        if references is not None and references != ALL:
            testset = testset.select(references=references)
    if lp is not None:
        if testset.language_pair not in (None, lp):
            raise InputError(
                f"{shown(path)} is a single test set, by its name of {testset.language_pair}; leave out -l {lp} (lp=)"
            )
        testset = testset.with_language_pair(lp)
    return testset if keep_whitespace else testset.without_trailing_space()


def _load_from(
    source: str | None,
    name: PathLike,
    lp: str | None,
    references: str | Sequence[str] | None,
    *,
    origlang: str | None,
    subset: str | None,
) -> TestSet:
    """Read a test set by its name."""
    if source != "sacrebleu":
        raise InputError(f"source must be 'sacrebleu', or None for files, not {source!r}")
    from mtassay.data.sacrebleu_sets import load_set

    testset = load_set(os.fspath(name), lp, origlang=origlang, subset=subset, whole=references is not None)
    if references is None or references == ALL:
        return testset
    return testset.select(references=[references] if isinstance(references, str) else references)


def _load_whole(path: PathLike, lp: str | None, encoding: str) -> TestSet:
    """Read everything in a folder or file."""
    stem, suffix = _stem_and_suffix(path)
    if is_test_set(path):
        return _load_folder(_folder(path), lp, encoding) if _is_folder(path) else _READERS[suffix](path, encoding, stem)
    if os.fspath(path) == STDIN:
        return _load_jsonl(path, encoding, None)
    if suffix in SGML:
        return _load_sgml(path, encoding)
    if not os.path.exists(path):  # noqa: PTH110
        raise InputError(f"{shown(path)}: no such file or folder")
    raise InputError(
        f"{shown(path)} is not a test set by its name; expected a folder, .jsonl, .tsv, .xml or .sgm "
        "(plain text: give references and systems as separate files)"
    )


def is_test_set(path: PathLike, *, n_ref_columns: int = 1) -> bool:
    """Whether the name is that of a whole test set: a folder, or .jsonl, .tsv or .xml (compressed or not).

    An SGML file is not, since most hold only references or systems; nor is a .tsv of several columns of references.

    >>> is_test_set("wmt.jsonl.gz"), is_test_set("WMT.TSV"), is_test_set("ref.txt")
    (True, True, False)
    >>> is_test_set("refs.tsv", n_ref_columns=2)
    False
    """
    suffix = _stem_and_suffix(path)[1]
    if suffix == ".tsv" and n_ref_columns > 1:
        return _is_folder(path)
    return suffix in _READERS or _is_folder(path)


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
        keep_whitespace: Keep white space at the end of lines, which is dropped by default, as in other programs.
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
        # Parity: sacreBLEU drops white space at the end of lines; of several columns, the last one ends a line.
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
                f"{testset.n_segments}: every system needs one line per segment"
            )
    named = system_names([(stream.name, stream.path) for stream in streams], names)
    outputs = dict(zip(named, (tuple(stream.texts) for stream in streams), strict=True))
    for name in outputs:
        if name in testset.systems:
            raise InputError(
                f"the test set {testset.name} has a system {name!r}, too: name yours with --names (names=)"
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
                f"{shown(stream.path)} has {counted(n, 'line')}, {shown(self.first.path)} has {expected}: "
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
    # Parity: sacreBLEU, the first line of standard input says how many systems there are, and these names.
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
        if _stem_and_suffix(path)[1] in _NOT_LINES:
            raise InputError(
                f"{shown(path)} is a whole test set by its name, but separate files must be plain text or .sgm; "
                "give a test set alone"
            )
    if sum(os.fspath(path) == STDIN for path in paths) > 1:
        raise InputError("standard input (-) can be read only once; give the other inputs as files")


def _stem_and_suffix(path: PathLike) -> tuple[str, str]:
    """Stem and suffix of a file name, without the suffix of compression; suffixes are lower case."""
    stem, suffix = os.path.splitext(uncompressed_name(path))  # noqa: PTH122
    return stem, suffix.lower()


def _folder(path: PathLike) -> Path:
    from pathlib import Path  # line files need none, and it takes 2 ms to load

    return Path(path)


def _is_folder(path: PathLike) -> bool:
    # os.path, not pathlib: it returns False for invalid names instead of raising.
    return os.path.isdir(path)  # noqa: PTH112


def _load_jsonl(path: PathLike, encoding: str, name: str | None) -> TestSet:
    from mtassay.data.formats.jsonl import read_jsonl

    return read_jsonl(path, encoding=encoding, name=name)


def _load_tsv(path: PathLike, encoding: str, name: str | None) -> TestSet:
    from mtassay.data.formats.tsv import read_tsv

    return read_tsv(path, encoding=encoding, name=name)


def _load_xml(path: PathLike, _encoding: str, name: str | None) -> TestSet:
    from mtassay.data.formats.wmt_xml import read_wmt_xml

    return read_wmt_xml(path, name=name)


_READERS = {".jsonl": _load_jsonl, ".tsv": _load_tsv, ".xml": _load_xml}


def _load_folder(folder: Path, lp: str | None, encoding: str) -> TestSet:
    from mtassay.data.formats.folder import is_folder, read_folder

    if is_folder(folder):
        return read_folder(folder, encoding=encoding)
    inside = sorted(entry.name for entry in folder.iterdir() if is_folder(entry))
    if not inside:
        raise InputError(
            f"{folder} is not a test set; expected ref, src and hyp/ inside, or the layout of mt-metrics-eval "
            "(references/, system-outputs/)"
        )
    if lp is None:
        raise InputError(f"{folder} has several test sets; choose one with -l (lp=): {', '.join(inside)}")
    if lp not in inside:
        raise InputError(f"{folder}: {unknown_name('test set', lp, inside)}")
    return read_folder(folder / lp, encoding=encoding)


def _load_sgml(path: PathLike, encoding: str) -> TestSet:
    """Read an SGML file with both references and systems."""
    from mtassay.data.formats.sgml import read_sgml

    kinds = {stream.kind for stream in read_sgml(path, encoding=encoding)}
    if not {"ref", "tst"} <= kinds:
        raise InputError(
            f"{shown(path)} has only {' and '.join(sorted(f'a {kind}set' for kind in kinds))}; "
            "give references and systems as separate files"
        )
    with naming(path):
        return load_files([path], [path], source=path if "src" in kinds else None, encoding=encoding)
