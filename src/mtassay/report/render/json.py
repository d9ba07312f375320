"""The data of a document as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mtassay.report.document import Document


def render(document: Document) -> str:
    """Everything as JSON."""
    return json.dumps(document.data(), indent=1, ensure_ascii=False)
