"""Test sets of the package sacrebleu, which downloads, checks and caches them (extra ``testsets``).

They are kept in the folder that the variable SACREBLEU names, by default ``~/.sacrebleu``.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from mtassay.data.formats.lines import read_lines
from mtassay.data.testset import TestSet
from mtassay.errors import InputError, MissingExtraError, counted, unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Fields of a test set that are neither outputs nor references.
_LABELS = {"src", "docid", "genre", "domain", "origlang"}


def package(module: str) -> Any:
    """A module of the package sacrebleu, such as ``dataset``; if it is missing, the error says how to install it."""
    try:
        return import_module(f"sacrebleu.{module}")
    except ModuleNotFoundError as error:
        raise MissingExtraError("a test set of sacreBLEU", "testsets") from error


def split_names(names: str | Sequence[str]) -> list[str]:
    """Names of test sets, given as a list or separated by commas.

    >>> split_names("wmt16,wmt17"), split_names(["wmt16"])
    (['wmt16', 'wmt17'], ['wmt16'])
    """
    return [name for part in ([names] if isinstance(names, str) else names) for name in part.split(",")]


def find_set(name: str, lp: str | None = None) -> Any:
    """The test set of this name, a ``Dataset`` of sacrebleu; it must have the language pair, if one is given."""
    known = package("dataset").DATASETS
    if name not in known:
        raise InputError(unknown_name("test set", name, known, see="mtassay score --list"))
    if lp is not None and lp not in known[name].langpairs:
        raise InputError(f"{name}: {unknown_name('language pair', lp, known[name].langpairs)}")
    return known[name]


def download(name: str, lp: str | None = None) -> list[str]:
    """Download a test set, all pairs or one, unless it is in the cache; returns the text files of the pair."""
    dataset = find_set(name, lp)
    with _download(name, lp):
        if lp is None:
            dataset.process_to_text(None)
            return []
        return list(map(str, dataset.get_files(lp)))


def load_set(
    names: str | Sequence[str],
    lp: str | None,
    *,
    origlang: str | None = None,
    subset: str | None = None,
    whole: bool = False,
) -> TestSet:
    """Read a test set, or several as one.

    Args:
        names: Names of test sets, as a list or separated by commas.
        lp: The language pair.
        origlang: Keep segments with this original language; ``non-XX`` for all others.
        subset: Keep documents whose labels in sacreBLEU match this regular expression.
        whole: Keep all references, not only sacreBLEU's standard ones.
    """
    wanted = split_names(names)
    parts = [_read_set(name, lp, prefix=f"{name}:" if len(wanted) > 1 else "") for name in wanted]
    testset = _joined(parts, lp)
    if not whole:
        standard = [name for name in parts[0].standard if name in testset.reference_names]
        testset = testset.select(references=standard or testset.reference_names)
    return keep_segments(testset, names, origlang=origlang, subset=subset)


def keep_segments(
    testset: TestSet, names: str | Sequence[str], *, origlang: str | None = None, subset: str | None = None
) -> TestSet:
    """Keep the segments of a whole test set that have an original language or a label; arguments as for `load_set`."""
    if origlang is None and subset is None:
        return testset
    return testset.at(_kept(split_names(names), str(testset.language_pair), testset.n_segments, origlang, subset))


def read_fields(
    name: str, lp: str, *, origlang: str | None = None, subset: str | None = None
) -> tuple[dict[str, list[str]], list[str]]:
    """The texts of a test set by field, and the fields of the standard references; arguments as for `load_set`."""
    dataset = find_set(name, lp)
    with _download(name, lp):
        files = dict(zip(dataset.fieldnames(lp), dataset.get_files(lp), strict=True))
        chosen = {str(path) for path in dataset.get_reference_files(lp)}
    fields = {field: read_lines(path) for field, path in files.items()}
    if origlang is not None or subset is not None:
        kept = _kept([name], lp, len(fields["src"]), origlang, subset)
        fields = {field: [texts[segment] for segment in kept] for field, texts in fields.items()}
    return fields, [field for field, path in files.items() if str(path) in chosen]


def _kept(names: list[str], lp: str, n_segments: int, origlang: str | None, subset: str | None) -> list[int]:
    """Positions of the segments that have an original language and a label."""
    chosen = " and ".join(f"{what} {value}" for what, value in (("origlang", origlang), ("subset", subset)) if value)
    joined = ",".join(names)
    try:
        (kept,) = package("utils").filter_subset([range(n_segments)], joined, lp, origlang, subset)
    except OSError as error:
        raise InputError(f"{joined}: {chosen} needs the files of the release: {error}") from error
    except Exception as error:
        raise InputError(f"{joined}: {chosen} cannot be chosen: {error}") from error
    if not kept:
        raise InputError(f"{joined} has no segments with {chosen}")
    return list(kept)


class _Part(NamedTuple):
    """One of the test sets that are joined: its texts by field, and the standard references."""

    name: str
    fields: dict[str, list[str]]
    standard: list[str]


def _read_set(name: str, lp: str | None, *, prefix: str) -> _Part:
    """Read the fields of a test set; `prefix` makes documents of several sets distinct."""
    if lp is None:
        pairs = ", ".join(find_set(name).langpairs)
        raise InputError(f"{name} needs a language pair: -l (lp=) {pairs}")
    fields, standard = read_fields(name, lp)
    if "docid" in fields:
        fields["docid"] = [f"{prefix}{document}" for document in fields["docid"]]
    return _Part(name, fields, standard)


def _joined(parts: list[_Part], lp: str | None) -> TestSet:
    """The texts of all parts one after the other; fields that some part lacks are left out."""
    name = ",".join(part.name for part in parts)
    first = parts[0]
    n_references = [sum(field.startswith("ref") for field in part.fields) for part in parts]
    if len({len(part.standard) for part in parts}) > 1:
        counts = ", ".join(f"{part.name} {counted(len(part.standard), 'reference')}" for part in parts)
        raise InputError(f"test sets with different numbers of references cannot be joined: {counts}")
    if len(parts) > 1 and (len(set(n_references)) > 1 or any(part.standard != first.standard for part in parts)):
        # Only the standard references of the parts correspond to each other.
        parts = [_with_numbered_references(part) for part in parts]
        first = parts[0]
    common = [field for field in first.fields if all(field in part.fields for part in parts)]
    joined = {field: [text for part in parts for text in part.fields[field]] for field in common}
    references = sorted(field for field in joined if field.startswith("ref"))
    return TestSet(
        [joined[field] for field in references],
        {field: joined[field] for field in joined if field not in _LABELS and not field.startswith("ref")},
        sources=joined.get("src"),
        documents=joined.get("docid"),
        domains=joined.get("domain", joined.get("genre")),
        reference_names=references,
        name=name,
        language_pair=lp,
    )


def _with_numbered_references(part: _Part) -> _Part:
    standard = {f"ref:{number}": part.fields[field] for number, field in enumerate(part.standard, 1)}
    others = {field: texts for field, texts in part.fields.items() if not field.startswith("ref")}
    return _Part(part.name, others | standard, list(standard))


@contextmanager
def _download(name: str, lp: str | None) -> Iterator[None]:
    """Turn errors of downloads into one line that says what to do."""
    import tarfile
    import zipfile

    utils = package("utils")
    what = f"{name} {lp}" if lp else name
    try:
        yield
    except (OSError, utils.portalocker.exceptions.LockException) as error:
        again = f"mtassay score --download {name}" + (f" -l {lp}" if lp else "")
        raise InputError(
            f"the test set {what} is not in {utils.SACREBLEU_DIR} and cannot be downloaded ({error}): run {again} "
            "on a machine with a network, and set the variable SACREBLEU to its folder"
        ) from error
    except (SystemExit, tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
        raise InputError(
            f"the download of {what} is damaged or has changed: remove {utils.SACREBLEU_DIR}/{name} and try again"
        ) from error
