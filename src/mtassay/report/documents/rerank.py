"""The best texts of n-best lists: ``rerank``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.report.document import Document, Preformatted, Records

if TYPE_CHECKING:
    from mtassay.tuning.rerank import RerankResult

#: Formats that other programs read: the text is the chosen texts.
AS_IS = ("text",)


def document(result: RerankResult) -> Document:
    """The best text of every sentence, one per line; records also have its model score."""
    return Document(
        "best texts",
        (Preformatted("\n".join(result.texts)),),
        lambda: Records(("sentence", "score", "text"), [tuple(one.values()) for one in result.to_dict()["sentences"]]),
        result.to_dict,
    )
