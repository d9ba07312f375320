"""The verb ``annotate``: write the annotations of a test set to files.

``NAME.conllu`` has the words of a reference or system with their lemmas, parts of speech and heads, ``NAME.ptb`` its
constituents if the annotator gives them, and ``annotator.json`` names the annotator. The annotator ``file:FOLDER``
reads these files.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.data.annotations import CONSTITUENTS, FULL, MISSING, PARTIAL, Annotations
from mtassay.data.formats.annotation_files import ANNOTATOR_FILE, BRACKETS, CONLLU, UNKNOWN, annotator_of
from mtassay.data.formats.brackets import format_brackets
from mtassay.data.formats.conllu import format_conllu
from mtassay.data.testset import TestSet, as_testset
from mtassay.errors import InputError
from mtassay.execution import Execution, Progress
from mtassay.io.atomic import atomic_write
from mtassay.results import Result
from mtassay.text.annotate import annotate as annotations_of
from mtassay.text.annotate import check_language, get_annotator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.io.inputs import PathLike
    from mtassay.text.annotate import Annotator

SCHEMA = "mtassay.annotate/1"


@dataclass(frozen=True)
class Coverage:
    """How much of a text was annotated, in segments.

    Attributes:
        full: all words are in the tree, or the annotator builds no trees.
        partial: some words are not in the tree.
        missing: not annotated.
        empty: no words.
    """

    full: int
    partial: int
    missing: int
    empty: int


@dataclass(frozen=True)
class AnnotateResult(Result):
    """What was annotated.

    Attributes:
        annotator: its name and version.
        texts: how much of each text was annotated, by name.
    """

    verb: ClassVar[str] = "annotate"

    annotator: str
    texts: dict[str, Coverage]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        texts = [{"name": name, **asdict(found)} for name, found in self.texts.items()]
        return {"schema": SCHEMA, "annotator": self.annotator, "texts": texts}


def annotate(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    output: PathLike,
    annotator: str = "link-grammar",
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> AnnotateResult:
    """Annotate references and outputs, and write the annotations to files.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each.
        systems: one text per segment, by system name; only without a test set.
        output: the folder; created if it does not exist.
        annotator: its specification, such as ``link-grammar`` or ``spacy:en_core_web_sm``.
        threads: number of threads, if the annotator allows several.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps the loop over chunks of the work, for a progress bar.
    """
    testset = as_testset(references, systems)
    check_language(annotator, testset.target_language)
    named: dict[str, Sequence[str | None]] = dict(zip(testset.reference_names, testset.references, strict=True))
    for name, texts in testset.systems.items():
        if named.setdefault(name, texts) != texts:
            raise InputError(f"a system has the name of the reference '{name}' but other texts; rename it")
    return annotate_texts(
        named, output=output, annotator=annotator, threads=threads, execution=execution, progress=progress
    )


def annotate_texts(
    texts: Mapping[str, Sequence[str | None]],
    *,
    output: PathLike,
    annotator: str = "link-grammar",
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> AnnotateResult:
    """Annotate texts by name; other arguments as for ``annotate``."""
    chosen = get_annotator(annotator)
    made_by = f"{chosen.name} {chosen.version}"
    folder = Path(output)
    _check_folder(folder, made_by)
    flat = [text for lines in texts.values() for text in lines if text is not None]
    found = dict(
        zip(
            flat,
            annotations_of(flat, chosen, execution=Execution.of(execution, threads=threads, progress=progress)),
            strict=True,
        )
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{output} cannot be created: {error.strerror}") from None
    with atomic_write(folder / ANNOTATOR_FILE, exact=True) as file:
        json.dump({"annotator": made_by}, file, ensure_ascii=False, indent=1)
    for name, lines in texts.items():
        _write(folder, name, lines, found, chosen)
    return AnnotateResult(made_by, {name: _coverage(lines, found) for name, lines in texts.items()})


def _check_folder(folder: Path, made_by: str) -> None:
    """Reject a folder with annotations by another annotator: ``annotator.json`` names one annotator for all files."""
    if folder.is_dir() and not (folder / ANNOTATOR_FILE).exists() and any(folder.iterdir()):
        raise InputError(f"{folder} has other files; choose a new folder")
    before = annotator_of(folder, is_own=True) if folder.is_dir() else UNKNOWN
    if before not in {UNKNOWN, made_by}:
        raise InputError(f"{folder} has annotations by {before}; choose another folder for those by {made_by}")


def _write(
    folder: Path, name: str, lines: Sequence[str | None], found: Mapping[str, Annotations], annotator: Annotator
) -> None:
    nothing = Annotations.missing(annotator.provides)
    segments = [(text, nothing if text is None else found[text]) for text in lines]
    with atomic_write(folder / f"{name}{CONLLU}", exact=True) as file:
        file.writelines(format_conllu(annotations, text) for text, annotations in segments)
    if CONSTITUENTS in annotator.provides:
        with atomic_write(folder / f"{name}{BRACKETS}", exact=True) as file:
            file.writelines(f"{format_brackets(annotations.constituents)}\n" for _, annotations in segments)


def _coverage(lines: Sequence[str | None], found: Mapping[str, Annotations]) -> Coverage:
    states = Counter(found[text].state if text and text.strip() else "empty" for text in lines)
    return Coverage(states[FULL], states[PARTIAL], states[MISSING], states["empty"])
