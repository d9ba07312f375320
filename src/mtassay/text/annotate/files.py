"""Annotations from files, ``file:PATH``: a folder of CoNLL-U and brackets, or one such file."""

from __future__ import annotations

import os.path
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from mtassay.data.formats.annotation_files import annotator_of, open_annotations
from mtassay.errors import InputError
from mtassay.text.annotate.annotator import Argument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.annotations import Annotations
    from mtassay.data.formats.annotation_files import AnnotationFiles

_SHOWN = 60


class Files:
    """Looks texts up in files.

    Args:
        path: the folder or file.
    """

    name: ClassVar[str] = "file"
    argument: ClassVar[Argument] = Argument.OTHER
    is_parallel: ClassVar[bool] = True
    is_kept: ClassVar[bool] = False

    def __init__(self, path: str = "") -> None:
        if not path:
            raise InputError("the annotator 'file' needs a folder or a file: file:FOLDER")
        self._path = os.path.expanduser(path)  # noqa: PTH111  (Path.expanduser fails on plain names that begin with "~")

    @cached_property
    def _opened(self) -> tuple[AnnotationFiles, str]:
        return open_annotations(self._path)

    @property
    def version(self) -> str:
        """The annotator named in the folder, and eight digits of the SHA-256 of the annotations."""
        return f"{annotator_of(self._path)} {self._opened[1]}"

    @property
    def provides(self) -> frozenset[str]:
        """Layers that at least one of the files has."""
        return self._opened[0].layers

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        """Annotations of the texts; an error if the files lack one of the texts."""
        found = []
        for text in texts:
            annotations = self._opened[0].find(text)
            if annotations is None:
                shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
                raise InputError(f"{self._path} has no annotations of {shown!r}; create them with mtassay annotate")
            found.append(annotations)
        return found
