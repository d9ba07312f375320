"""The list of metrics and their options."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from mtassay.errors import SpecError
from mtassay.metrics.core.options import show, written
from mtassay.metrics.core.registry import BUILT_IN, metric_class, metric_names
from mtassay.report.tables import Cell, Table

if TYPE_CHECKING:
    from mtassay.metrics.core.metric import Metric

_FOOT = """\
PGBC4, RAC1, PABC4^u ...   members of the BLEU family: {P|R|F}{A|G}{B?}{C?}{n}, ^u unsmoothed, ^b smoothed penalty
0.5*bleu-0.5*ter           weighted combinations
file:comet.seg.score       scores of another program
options are written name:option=value,option=value"""


def _meaning(name: str, found: type[Metric]) -> str:
    """What a name stands for that is not the first of its metric."""
    spec = str(found.from_options(name, {}))
    if spec != name:
        return f"short for {spec}"
    return f"{found.name} with {', '.join(f'{key}={show(value)}' for key, value in found.preset(name).items())}"


def listing() -> str:
    """Every metric with its options, their defaults and what they mean."""
    rows = []
    for name in metric_names():
        try:
            found = metric_class(name)
        except SpecError as error:  # of a third party: the others are still there to be listed
            rows.append((Cell(name), Cell(""), Cell(str(error))))
            continue
        if name != found.name and name in BUILT_IN:
            rows.append((Cell(name), Cell(""), Cell(_meaning(name, found))))
            continue
        summary = (found.__doc__ or "").partition("\n")[0]
        rows.append((Cell(name), Cell(""), Cell(summary)))
        for field in fields(found):
            default = field.default
            choices = field.metadata["choices"]
            allowed = f" ({' | '.join(choices)})" if choices else ""
            shown = "" if default is None else show(default)
            rows.append((Cell(f"  {written(field)}"), Cell(shown), Cell(f"{field.metadata['description']}{allowed}")))
    return f"{Table(('metric', 'default', ''), tuple(rows), n_labels=3).text()}\n\n{_FOOT}"
