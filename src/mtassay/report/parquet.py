"""Tables as Parquet files, written in row groups as rows are added: memory does not grow with the number of rows.

A file is created only when everything has been written. Its metadata have the signature of every metric, under the key
``mtassay``. Missing values are null.
"""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError, MissingExtraError
from mtassay.io.atomic import atomic_write, is_standard_output
from mtassay.report.documents.score import score_records, segment_labels
from mtassay.report.wording import headings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mtassay.types import Floats, Index
    from mtassay.verbs.score import ScoreResult, SystemScores

    _Column = Sequence[Any] | Index | Floats

#: Rows in a row group; the same for streams and tables in memory, so that both give the same bytes.
_ROWS = 1 << 17


def check_parquet(path: str | None) -> None:
    """Reject standard output, and a missing pyarrow, before any work is done."""
    if path is None or is_standard_output(path):
        raise InputError("-f parquet writes binary data, which cannot go to standard output: give -o FILE")
    _import("pyarrow")


def write_scores(path: str, result: SystemScores, *, width: int | None = None) -> None:
    """Write the table of ``-f tsv``: a row per system, and per document or domain."""
    records = score_records(result, width)
    with _writing(path) as table:
        for start in range(0, len(records.rows), _ROWS):
            columns = zip(*records.rows[start : start + _ROWS], strict=True)
            table.add(dict(zip(records.header, columns, strict=True)), result)


@contextmanager
def writing_segments(path: str, *, width: int | None = None) -> Iterator[Callable[[int, ScoreResult], None]]:
    """A function that writes segment scores; its first argument is the number of the first segment."""
    with _writing(path) as table:
        yield lambda first, scored: table.add(_segment_columns(scored, first, width), scored)


@contextmanager
def _writing(path: str) -> Iterator[_Table]:
    with atomic_write(path, binary=True) as file:
        table = _Table(file)
        try:
            yield table
            table.finish()
        except BaseException:
            table.abandon()
            raise


def _segment_columns(result: ScoreResult, first: int, width: int | None) -> dict[str, _Column]:
    """The columns of -sl: a row per segment and system."""
    n_systems, n = len(result.systems), result.testset.n_segments
    scores = result.segment_scores().transpose(1, 0, 2).reshape(n * n_systems, -1)
    if width is not None:
        scores = np.array([[round(value, width) for value in row] for row in scores.tolist()])
    labels = segment_labels(result.testset).items()
    return {
        "segment": np.repeat(np.arange(first, first + n), n_systems),
        "system": result.systems * n,
        **{name: [value for value in values for _ in range(n_systems)] for name, values in labels},
        **dict(zip(headings(result.metrics, arrows=False), scores.T, strict=True)),
    }


class _Table:
    """Rows that are written in groups of the same size."""

    def __init__(self, file: IO[bytes]) -> None:
        self._arrow, self._parquet = _import("pyarrow"), _import("pyarrow.parquet")
        self._file = file
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._n_waiting = 0

    def add(self, columns: Mapping[str, _Column], result: SystemScores) -> None:
        """Add rows; columns have texts, or numbers, which may be missing. The result gives the signatures."""
        table = self._arrow.table({name: self._array(values) for name, values in columns.items()})
        if self._writer is None:
            signatures = {
                str(metric): str(signature) for metric, signature in zip(result.metrics, result.signatures, strict=True)
            }
            about = {"mtassay": json.dumps({"signatures": signatures}, ensure_ascii=False)}
            self._writer = self._parquet.ParquetWriter(self._file, table.schema.with_metadata(about))
        self._waiting.append(table)
        self._n_waiting += len(table)
        if self._n_waiting >= _ROWS:
            self._write(self._n_waiting // _ROWS * _ROWS)

    def _array(self, values: _Column) -> Any:
        if isinstance(values, np.ndarray):
            return self._arrow.array(values, mask=np.isnan(values))
        if any(isinstance(value, str) for value in values):
            with suppress(UnicodeEncodeError):
                return self._arrow.array(values, type=self._arrow.string())
            # Lone surrogates, as in file names in another encoding, are escaped, as in other formats.
            return self._arrow.array([value.encode("utf-8", "backslashreplace").decode() for value in values])
        is_whole = all(isinstance(value, int) for value in values)
        return self._arrow.array(values, type=self._arrow.int64() if is_whole else self._arrow.float64())

    def _write(self, n_rows: int) -> None:
        """Write the first `n_rows` rows that are not yet written."""
        table = self._arrow.concat_tables(self._waiting)
        for start in range(0, n_rows, _ROWS):
            group = table.slice(start, min(_ROWS, n_rows - start)).combine_chunks()
            self._writer.write_table(group.cast(self._writer.schema), row_group_size=_ROWS)
        self._waiting, self._n_waiting = [table.slice(n_rows)], len(table) - n_rows

    def finish(self) -> None:
        """Write the remaining rows."""
        self._write(self._n_waiting)
        self._writer.close()

    def abandon(self) -> None:
        """Close a file that will be removed; otherwise garbage collection would write to it and close it."""
        if self._writer is not None:
            with suppress(Exception):
                self._writer.close()


def _import(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError("-f parquet", "parquet") from None
