"""Tuned weights of MEANT's roles: ``learn meant``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.document import Document, Records, Sentence, table
from mtassay.report.wording import plain, share

if TYPE_CHECKING:
    from mtassay.learn.role_weights import RoleWeights


def document(result: RoleWeights) -> Document:
    """A row per group of roles."""
    rows = list(result.weights.items())
    n_preferences = counted(result.n_preferences, "preference")
    sentence = (
        f"weights of {result.metric}: Kendall's τ {share(result.tau)} on {n_preferences}, "
        f"with equal weights {share(result.tau_before)}"
    )
    blocks = (Sentence(sentence), table(("role", "weight"), [[name, plain(weight)] for name, weight in rows]))
    return Document("weights of roles", blocks, lambda: Records(("role", "weight"), rows), result.to_dict)
