"""Agreement between two rankings of the same systems (Stroppa & Owczarzak 2007)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def outcomes(better: Any) -> NDArray[np.int64]:
    """1 if the first system of a pair is significantly better, -1 if the second is, else 0; shape (pairs,)."""
    relation = np.asarray(better, dtype=bool)
    first, second = np.triu_indices(len(relation), k=1)
    return relation[first, second].astype(np.int64) - relation[second, first].astype(np.int64)


def similarity(one: Any, other: Any) -> float:
    """The paper's S(C, D): mean over pairs of 1 for the same outcome, -1 for opposite outcomes, 0 otherwise.

    Args:
        one: whether x is significantly better than y, bool of shape (systems, systems).
        other: the same in the other ranking.

    >>> none = np.zeros((2, 2), dtype=bool)
    >>> first = np.array([[False, True], [False, False]])
    >>> similarity(first, first), similarity(first, none), similarity(first, first.T)
    (1.0, 0.0, -1.0)
    """
    a, b = _both(one, other)
    return float(((a == b).astype(np.int64) - (a * b == -1)).mean())


def rand_index(one: Any, other: Any) -> float:
    """Share of pairs that are significantly different in both rankings or in neither; arguments as for ``similarity``.

    >>> first = np.array([[False, True], [False, False]])
    >>> rand_index(first, first.T)
    1.0
    """
    a, b = _both(one, other)
    return float(((a == 0) == (b == 0)).mean())


def _both(one: Any, other: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    a, b = outcomes(one), outcomes(other)
    if len(a) != len(b):
        raise InputError("two rankings can be compared only if they have the same systems")
    if len(a) == 0:
        raise InputError("a ranking of one system has no pair to compare")
    return a, b
