"""Reading whole test sets, with the reader chosen by the name of the file or folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mtassay.data.formats import SGML, is_directory, pair_of_folder, stem_and_suffix
from mtassay.data.references import ALL
from mtassay.data.separate_files import load_files
from mtassay.errors import InputError, unknown_name
from mtassay.io.inputs import STDIN, PathLike, check_path, naming, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mtassay.data.testset import TestSet


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
        path: The folder or file; ``wmt23/en-de`` is a pair of such a folder; standard input (``-``) must hold JSON
            lines. With `source`, the name of a test set.
        lp: The language pair; chooses one if a folder has several. By default the pair at the end of the set's name.
        references: Names of the references to use, or "all". By default all; from a folder in the layout of
            mt-metrics-eval, only the standard reference of the release.
        include_references: Whether outputs that are named like a reference count as systems.
        keep_whitespace: Keep white space at the end of texts; it is dropped by default, as in sacreBLEU.
        encoding: Encoding of all files.
        source: "sacrebleu" for a test set of the package sacrebleu, which downloads it if necessary; separate several
            names with commas. Systems are the outputs in the release, if it has any.
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
    if (within := pair_of_folder(path)) is not None:
        if lp not in (None, within[1]):
            raise InputError(f"{shown(path)} names the language pair: leave out -l {lp} (lp=)")
        path, lp = within[0] or ".", within[1]
    if isinstance(references, str) and references != ALL:
        references = [references]
    if is_directory(path) and is_evalset(_folder(path)):
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
                f"{shown(path)} is a single test set, for {testset.language_pair} by its name; leave out -l {lp} (lp=)"
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
    stem, suffix = stem_and_suffix(path)
    if is_directory(path):
        return _load_folder(_folder(path), lp, encoding)
    if suffix in _READERS:
        return _READERS[suffix](path, encoding, stem)
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


def _folder(path: PathLike) -> Path:
    from pathlib import Path  # takes 2 ms to import, and line files do not need it

    return Path(path)


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
