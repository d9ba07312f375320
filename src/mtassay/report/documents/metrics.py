"""The list of metrics: ``score --list-metrics``."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

from mtassay.report.document import Document, Notes, Records, table
from mtassay.report.render import FORMATS

if TYPE_CHECKING:
    from mtassay.verbs.list_metrics import MetricList

#: The list depends on no default.
AS_IS = FORMATS
_FOOT = (
    "PGBC4, RAC1, PABC4^u ...   members of the BLEU family: {P|R|F}{A|G}{B?}{C?}{n}, ^u unsmoothed, ^b smoothed "
    "penalty",
    "0.5*bleu-0.5*ter           weighted combinations",
    "file:comet.seg.score       scores of another program",
    "options are written name:option=value,option=value",
)


def document(result: MetricList) -> Document:
    """Every metric, followed by its options with defaults and descriptions."""
    rows = [
        [f"  {entry.option}" if entry.option else entry.metric, entry.default or "", entry.description]
        for entry in result.entries
    ]
    return Document(
        "metrics",
        (table(["metric", "default", ""], rows, n_labels=3), Notes(_FOOT)),
        lambda: Records(("metric", "option", "default", "description"), [astuple(entry) for entry in result.entries]),
        result.to_dict,
    )
