"""Scores that another program wrote to a file, as a metric: ``file:PATH``.

The score of a system is the mean of the scores of its segments. If the file has scores of whole systems, that score
is assigned to the first segment and the others have none: the system score is then exact to the last digit, and
anything that needs scores of segments is an error. A segment without a score does not count.

Statistics: ``sum n``; (0, 0) if a score is missing.
"""

from __future__ import annotations

import os.path
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.data.formats import uncompressed_name, without_suffix
from mtassay.data.formats.score_files import FILTERS, SUFFIXES, ScoreFile, read_scores
from mtassay.errors import SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.mean import MeanMetric, check_file, printable
from mtassay.metrics.core.metric import no_texts
from mtassay.metrics.core.options import option
from mtassay.metrics.core.references import References, as_references
from mtassay.metrics.core.signature import Entry, Signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.metrics.core.metric import Scorer


@dataclass(frozen=True, kw_only=True)
class FileMetric(MeanMetric):
    """Scores that another program wrote to a file: file:PATH."""

    name: ClassVar[str] = "file"
    first_option: ClassVar[str] = "path"
    scores_texts: ClassVar[bool] = False
    may_lack_scores: ClassVar[bool] = True
    needs_references: ClassVar[bool] = False

    path: str = option("", "the file; written first, without the option's name: file:scores.tsv")
    column: str | None = option(
        None, "column of a TSV or key of a JSONL file (default: score, or the only one)", kind=str
    )
    metric: str | None = option(None, "rows of this metric, if the file has several", kind=str)
    lp: str | None = option(None, "rows of this language pair, if the file has several", kind=str)
    testset: str | None = option(None, "rows of this test set, if the file has several", kind=str)
    higher_is_better: bool = option(True, "no if lower scores are better")
    label_: str | None = option(None, "name in tables (default: that of the metric, the column or the file)", kind=str)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.path:
            raise SpecError("file needs a path: file:scores.tsv")
        check_file(self, self.path, self.label_, what="scores")

    @property
    def label(self) -> str:
        """The given label, or the name of the scores in the file, or the name of the file."""
        named = self.label_ or self.metric or self.column
        named = named or without_suffix(uncompressed_name(self.path), SUFFIXES) or self.path
        return printable(named)

    @property
    def level(self) -> str:
        """The level of the file's scores."""
        return self._file.level

    @cached_property
    def _file(self) -> ScoreFile:
        chosen = {column: getattr(self, column) for column in FILTERS}
        where = {column: value for column, value in chosen.items() if value is not None}
        # Path.expanduser fails on plain names that begin with "~".
        path = os.path.expanduser(self.path)  # noqa: PTH111
        return read_scores(path, column=self.column, where=where)

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Raise an error: the file cannot score new texts."""
        raise no_texts(self)

    def statistics_of_systems(
        self, references: References, systems: Mapping[str, Sequence[str]], *, execution: Execution = SERIAL
    ) -> Any:
        """Look the systems up by their names."""
        del execution
        n_segments = references.n_segments
        statistics = np.zeros((len(systems), n_segments, len(self.columns)))
        for rows, system in zip(statistics, systems, strict=True):
            scores = self._file.of_system(system, n_segments, ids=references.ids)
            rows[: len(scores)] = [(0.0, 0.0) if score is None else (score, 1.0) for score in scores]
        return statistics

    @property
    def public_spec(self) -> str:
        """The specification without the folder."""
        return str(replace(self, path=PurePath(self.path).name or self.path))

    def signature(self, references: References | Sequence[Sequence[str | None]], **resampling: object) -> Signature:
        """The signature; it counts the references of the test set, which the other program may have read."""
        return Signature.build(as_references(references).n_references, self.signature_entries(), **resampling)

    def signature_entries(self) -> list[Entry]:
        """The file by name and digest, and the options that select its scores."""
        chosen = [(column, getattr(self, column)) for column in ("column", *FILTERS)]
        return [
            Entry("file", "f", PurePath(self.path).name),
            Entry("sha256", "sha", self._file.digest),
            Entry("level", "l", self.level),
            *(Entry(name, name[:3], value) for name, value in chosen if value is not None),
        ]
