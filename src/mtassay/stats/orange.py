"""ORANGE (Lin & Och 2004): a good metric ranks human translations above machine translations; needs no judgements.

Each reference in turn is scored against the others, together with the outputs of all systems. Its rank among them
(1 is best; ties get their average rank) is averaged over segments and references. ORANGE is the mean rank as a share
of the length of the list, so lower is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import equalised
from mtassay.errors import InputError

if TYPE_CHECKING:
    from mtassay.types import Floats


@dataclass(frozen=True, eq=False)
class Orange:
    """Ranks of references.

    Attributes:
        mean_rank: mean over segments and references, shape (metrics,).
        n_ranked: length of the list: all systems and one reference.
        by_reference: mean rank of each reference, shape (metrics, references).
    """

    mean_rank: Floats
    n_ranked: int
    by_reference: Floats

    @property
    def values(self) -> Floats:
        """Mean rank as a share of the list's length, shape (metrics,)."""
        return self.mean_rank / self.n_ranked


def orange(references: Any, systems: Any) -> Orange:
    """Rank each reference among the systems.

    Args:
        references: scores of each reference against the others, shape (metrics, references, segments).
        systems: scores of the systems against the same references, shape (metrics, references, systems, segments):
            the second axis is the reference that was left out.

    >>> orange([[[0.9], [0.5]]], [[[[0.1], [0.2]], [[0.5], [0.7]]]]).by_reference.tolist()
    [[1.0, 2.5]]
    """
    of_references, of_systems = np.asarray(references, dtype=np.float64), np.asarray(systems, dtype=np.float64)
    if of_references.ndim != 3 or of_systems.ndim != 4 or of_references.shape != of_systems[:, :, 0].shape:
        raise InputError(f"scores of references {of_references.shape} and of systems {of_systems.shape} do not match")
    if of_references.shape[1] < 2:
        raise InputError("ORANGE scores each reference against the others: give at least two references")
    if np.isnan(of_references).any() or np.isnan(of_systems).any():
        raise InputError("ORANGE needs a score of every reference and every output")
    compared = equalised(np.concatenate([of_references[:, :, None], of_systems], axis=2))
    own, others = compared[:, :, :1], compared[:, :, 1:]
    ranks = 1 + (others > own).sum(axis=2) + (others == own).sum(axis=2) / 2
    by_reference: Floats = ranks.mean(axis=2)
    return Orange(by_reference.mean(axis=1), of_systems.shape[2] + 1, by_reference)
