"""Candidates chosen by minimum Bayes risk: ``mbr``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.report.document import Block, Document, Preformatted, Records, Signatures, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.tuning.mbr import MbrSegment
    from mtassay.verbs.mbr import MbrResult

#: Formats that other programs read: the text is the chosen texts.
AS_IS = ("text",)
HEADER = ("segment", "rank", "candidate", "utility", "text")


def document(result: MbrResult, *, signatures: bool = False) -> Document:
    """The best text of every segment, one per line; or a table of the n best texts with their utilities."""
    metric = result.options.metric
    blocks: list[Block] = [Preformatted("\n".join(result.texts))]
    if result.options.n_best > 1:
        shown = [
            (str(segment), str(rank), str(candidate), f"{utility:.{metric.digits}f}", text)
            for segment, rank, candidate, utility, text in _rows(result)
        ]
        header = ("segment", "rank", "candidate", f"expected {metric.label}", "text")
        blocks = [table(header, shown, n_notes=1)]
    if signatures:
        blocks.append(Signatures((f"{metric.label}: {result.signature}",)))
    return Document("best candidates", tuple(blocks), lambda: Records(HEADER, list(_rows(result))), result.to_dict)


def _rows(result: MbrResult) -> Iterator[tuple[int, int, int, float, str]]:
    for number, segment in enumerate(result.segments, 1):
        yield from segment_rows(segment, number)


def segment_rows(segment: MbrSegment, number: int) -> Iterator[tuple[int, int, int, float, str]]:
    """Rows of one segment, under ``HEADER``; `number` is that of the segment, from 1."""
    for rank, one in enumerate(segment.best, 1):
        yield number, rank, one.position + 1, one.utility, one.text
