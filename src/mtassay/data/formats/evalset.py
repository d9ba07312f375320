"""The directory layout of mt-metrics-eval.

    sources/LP.txt
    references/LP.NAME.txt
    system-outputs/LP/SYSTEM.txt
    documents/LP.docs             domain TAB document

A reference is often among the system outputs, too, so that it can be judged like a system. It is set aside unless
references count as systems. The default reference is the standard one of the release.
A column of documents/LP.docs with "-" on every line means that there are no such labels.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mtassay.data.formats import uncompressed_name, visible_files
from mtassay.data.formats.lines import read_lines, split_columns
from mtassay.data.references import ALL
from mtassay.data.standard_references import is_synthetic, standard_of
from mtassay.data.testset import TestSet
from mtassay.errors import InputError, counted, unknown_name
from mtassay.io.inputs import PathLike, naming

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_LABEL = "-"


def read_evalset(
    folder: PathLike,
    lp: str | None = None,
    *,
    references: str | Sequence[str] | None = None,
    include_references: bool = False,
    encoding: str = "utf-8",
) -> TestSet:
    """Read one language pair; `lp` can be left out if the folder has only one.

    Args:
        folder: The folder with sources, references, system-outputs and documents.
        lp: The language pair, for example "en-de".
        references: Names of the references to use, or "all"; the standard one of the release if left out.
        include_references: Whether references among the system outputs count as systems.
        encoding: Encoding of all files.
    """
    root = Path(folder)
    lp = _choose_pair(root, lp)
    known = _references(root).get(lp, {})
    standard = standard_of(root.resolve().name, lp, list(known))
    chosen = _choose(known, standard.reference if references is None else references, root / "references")
    hyps = root / "system-outputs" / lp
    systems = {_stem(path): path for path in visible_files(hyps)} if hyps.is_dir() else {}
    lines = AlignedLines(next(iter(chosen.values())), encoding=encoding)
    source = root / "sources" / f"{lp}.txt"
    labels = root / "documents" / f"{lp}.docs"
    domains, documents = split_columns(lines(labels), 2, labels) if labels.exists() else (None, None)
    streams = [lines(path) for path in chosen.values()]
    outputs = {name: lines(path) for name, path in systems.items()}
    aside = set() if include_references else {name for name in outputs if name in known or is_synthetic(name)}
    sources = lines(source) if source.exists() else None
    with naming(root):
        return TestSet(
            streams,
            {name: texts for name, texts in outputs.items() if name not in aside},
            sources=sources,
            documents=_labels(documents),
            domains=_labels(domains),
            reference_names=list(chosen),
            name=f"{root.resolve().name}/{lp}",
            language_pair=lp,
            set_aside={name: texts for name, texts in outputs.items() if name in aside},
            outliers=[name for name in standard.outliers if name in outputs],
        )


class AlignedLines:
    """Reads line files that must have as many lines as the first reference."""

    def __init__(self, reference: Path, *, encoding: str) -> None:
        self.reference = reference
        self.encoding = encoding
        self.n_lines = len(read_lines(reference, encoding=encoding))

    def __call__(self, path: Path) -> list[str]:
        """Read one file."""
        lines = read_lines(path, encoding=self.encoding)
        if len(lines) != self.n_lines:
            raise InputError(
                f"{path} has {counted(len(lines), 'line')}, {self.reference} has {self.n_lines:,}: "
                "every file needs one line per segment"
            )
        return lines


def is_evalset(folder: Path) -> bool:
    """Whether a folder has the layout."""
    return (folder / "references").is_dir()


def language_pairs(folder: Path) -> list[str]:
    """Language pairs with at least one reference."""
    return sorted(_references(folder))


def _references(root: Path) -> dict[str, dict[str, Path]]:
    """Reference files by language pair and name."""
    found: dict[str, dict[str, Path]] = {}
    if (root / "references").is_dir():
        for path in visible_files(root / "references"):
            lp, _, name = _stem(path).partition(".")
            if name:
                found.setdefault(lp, {})[name] = path
    return found


def _stem(path: Path) -> str:
    return uncompressed_name(path).removesuffix(".txt")


def _choose_pair(root: Path, lp: str | None) -> str:
    known = language_pairs(root)
    if not known:
        raise InputError(f"{root} has no references/LP.NAME.txt; expected the layout of mt-metrics-eval")
    if lp is None:
        if len(known) > 1:
            raise InputError(f"{root} has several language pairs; choose one with -l (lp=): {', '.join(known)}")
        return known[0]
    if lp not in known:
        raise InputError(f"{root}: {unknown_name('language pair', lp, known)}")
    return lp


def _choose(known: dict[str, Path], wanted: str | Sequence[str], folder: Path) -> dict[str, Path]:
    if wanted == ALL:
        return known
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    for name in names:
        if name not in known:
            raise InputError(f"{folder}: {unknown_name('reference', name, known)}")
    if not names:
        raise InputError(f"no reference chosen from {folder}; there are: {', '.join(known)}")
    return {name: known[name] for name in names}


def _labels(column: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if column is None or set(column) == {NO_LABEL} else column
