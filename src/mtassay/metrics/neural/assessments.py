"""Scores of texts by neural models, kept on disk so that no text is scored twice.

There is one database (``mtassay.io.store``) for each combination of metric, model, version and everything else that
changes scores, in the folder ``scores`` of the cache (``mtassay.io.cache``). The key of a row is the SHA-256 of the
texts; its value is the model's assessment, compressed, with a checksum and the key. A damaged row is computed again. If
the folder is not writable, scores are kept in memory until the process ends.
"""

from __future__ import annotations

import json
import math
import zlib
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from mtassay.data.error_spans import ErrorSpan
from mtassay.errors import InputError
from mtassay.io.cache import cache_folder
from mtassay.io.store import Store, digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    #: The texts of one hypothesis, in the order of the metric's arguments.
    Sample = tuple[str, ...]

#: Increase when the format of rows changes.
_SCHEMA = 1
#: Rows that could not be written, by database.
_in_memory: dict[Path, dict[bytes, bytes]] = {}


class Assessment(NamedTuple):
    """A model's assessment of one hypothesis.

    Attributes:
        score: the score.
        spans: the marked errors; empty if there are none, or if the model marks no errors.
    """

    score: float
    spans: tuple[ErrorSpan, ...] = ()


class AssessmentStore:
    """Assessments by one model.

    Args:
        metric: the name of the metric.
        identity: everything else that changes scores.
    """

    def __init__(self, metric: str, identity: tuple[object, ...]) -> None:
        of = sha256(repr((_SCHEMA, metric, identity)).encode("utf-8", "surrogatepass")).hexdigest()
        self.path: Path = cache_folder() / "scores" / f"{metric}-{of[:16]}.db"
        self._rows = Store(self.path, content="scores")

    def read(self, samples: Iterable[Sample]) -> dict[Sample, Assessment]:
        """Assessments of the samples that are stored and undamaged."""
        of_keys = {_key(sample): sample for sample in samples}
        here = _in_memory.get(self.path, {})
        rows = self._rows.read(of_keys) | {key: here[key] for key in of_keys.keys() & here.keys()}
        found = {}
        for key, packed in rows.items():
            if (assessment := _unpacked(key, packed)) is not None:
                found[of_keys[key]] = assessment
        return found

    def write(self, assessed: Mapping[Sample, Assessment]) -> None:
        """Store these assessments: on disk, or else in memory."""
        rows = {}
        for sample, assessment in assessed.items():
            key = _key(sample)
            rows[key] = _packed(key, assessment)
        if not self._rows.write(rows):
            _in_memory.setdefault(self.path, {}).update(rows)


def _key(sample: Sample) -> bytes:
    return digest(json.dumps(sample))


def _packed(key: bytes, assessment: Assessment) -> bytes:
    spans = [(span.start, span.end, span.severity) for span in assessment.spans]
    return zlib.compress(json.dumps([key.hex(), assessment.score, spans]).encode(), 1)


def _unpacked(key: bytes, packed: bytes) -> Assessment | None:
    """The assessment; None if the row is damaged."""
    try:
        of, score, spans = json.loads(zlib.decompress(packed))
        found = tuple(ErrorSpan(start=start, end=end, severity=severity) for start, end, severity in spans)
        is_sound = of == key.hex() and type(score) is float and math.isfinite(score)
    except (zlib.error, ValueError, TypeError, InputError):
        return None
    return Assessment(score, found) if is_sound else None
