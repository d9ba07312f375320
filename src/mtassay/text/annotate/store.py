"""Annotations kept on disk, so that an annotator annotates no text twice.

There is one database (``mtassay.io.store``) per annotator and version, in the folder ``annotations`` of the cache
(``mtassay.io.cache``). The key of a row is the SHA-256 of a text; its value is the annotations, packed with a checksum
of both. If a row is damaged, its text is annotated again. If the folder is not writable, texts are annotated each time.
"""

from __future__ import annotations

import re
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from mtassay.data.annotations import Annotations
from mtassay.io.cache import cache_folder
from mtassay.io.store import Store, digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mtassay.text.annotate.annotator import Annotator

#: Increase when the format of rows changes.
_SCHEMA = 2
#: Bytes of the sum before a row.
_SUM = 8


class AnnotationStore:
    """Annotations by one version of an annotator."""

    def __init__(self, annotator: Annotator) -> None:
        of = sha256(repr((_SCHEMA, annotator.name, annotator.version)).encode()).hexdigest()
        self.path: Path = cache_folder() / "annotations" / f"{re.sub(r'[^a-z0-9-]+', '-', annotator.name)}-{of[:16]}.db"
        self._rows = Store(self.path, content="annotations")

    def read(self, texts: Iterable[str]) -> dict[str, Annotations]:
        """Annotations of the texts that are stored and undamaged."""
        of_keys = {digest(text): text for text in texts}
        found: dict[str, Annotations] = {}
        for key, value in self._rows.read(of_keys).items():
            if value[:_SUM] == _sum(key, value[_SUM:]):  # damage can also exchange rows
                with suppress(ValueError):
                    found[of_keys[key]] = Annotations.unpack(value[_SUM:])
        return found

    def write(self, annotated: Mapping[str, Annotations]) -> None:
        """Store all of these annotations, or none if that fails."""
        packed = {digest(text): annotations.pack() for text, annotations in annotated.items()}
        self._rows.write({key: _sum(key, value) + value for key, value in packed.items()})


def _sum(key: bytes, value: bytes) -> bytes:
    return sha256(key + value).digest()[:_SUM]
