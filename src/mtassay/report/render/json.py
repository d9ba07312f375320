"""The data of a document as JSON."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mtassay.report.document import Document

SHOWS_CONFIGURATION = True


def render(document: Document) -> str:
    """Everything as JSON; a number that is not known is null."""
    data = document.data()
    try:
        return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)
    except ValueError:  # JSON has no NaN and no infinity: other programs could not read it
        return json.dumps(_known(data), indent=1, ensure_ascii=False, allow_nan=False)


def _known(value: Any) -> Any:
    """The value with None in place of numbers that are not finite.

    >>> _known({"interval": (0.5, float("nan"))})
    {'interval': [0.5, None]}
    """
    if isinstance(value, dict):
        return {key: _known(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_known(inner) for inner in value]
    return None if isinstance(value, float) and not isfinite(value) else value
