"""Which scores are equal: the rule for ties, in one place.

Scores that are equal by their formula may differ in their last bits, since floating-point sums and products depend on
the order of their operations: the BLEU of one output may be 19.850823739068115 and that of another 19.85082373906812.
Compared with ``==`` they are not tied. Here values are equal if they agree to 12 significant digits: rounding errors of
metrics are a thousand times smaller, and different scores are hardly ever that close.

Values are not rounded to 12 digits, since a boundary of rounding may lie between two equal values (for about one pair
of neighbouring floating-point numbers in 10,000). Instead, sorted values are cut where a gap is wider than the
tolerance, and all values between two cuts become the lowest of them. All other values stay as they are, bit by bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mtassay.types import Floats


#: Values that differ by no more than this share of the smaller one are equal: they agree to 12 significant digits.
#: Tests that compare one observed value with many simulated ones use it as the tolerance of ``>=``.
TOLERANCE = 1e-12


def equalised(values: Any, *, scale: float = 0.0) -> Floats:
    """Make values that differ only by rounding equal, so that ``==``, ``<``, sorting and ``np.unique`` see the tie.

    Args:
        values: array of any shape; NaN and infinity stay as they are. Only values of the same call can be compared.
        scale: size of the terms that were added or subtracted to give the values, as ``magnitude`` finds it. Near 0 a
            difference or a mean of such terms has fewer than 12 correct digits, so differences of up to ``TOLERANCE``
            times the scale count as rounding, too.

    Returns:
        the values in the same shape; equal values become the lowest of them.

    >>> equalised([0.3, 0.1 + 0.2, 0.4]).tolist()
    [0.3, 0.3, 0.4]
    >>> equalised([0.3 - 0.2 - 0.1, 0.0], scale=1.0).tolist()
    [-2.7755575615628914e-17, -2.7755575615628914e-17]
    """
    given = np.asarray(values, dtype=np.float64)
    flat = given.ravel()
    order = np.argsort(flat)
    in_order = flat[order]
    first = np.arange(len(flat))
    first[1:][alike(in_order[1:], in_order[:-1], scale=scale)] = 0
    result = np.empty_like(flat)
    result[order] = in_order[np.maximum.accumulate(first)]
    return result.reshape(given.shape)


def alike(x: Floats, y: Floats, *, scale: float = 0.0) -> NDArray[np.bool_]:
    """Whether values differ by no more than rounding, element by element; arguments as for ``equalised``.

    Not transitive: use ``equalised`` to compare more than two values.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # infinite values: equal only to themselves
        close = np.abs(x - y) < TOLERANCE * np.maximum(np.minimum(np.abs(x), np.abs(y)), scale)
    same: NDArray[np.bool_] = (x == y) | close
    return same


def best_first(values: Any, *, scale: float = 0.0) -> list[int]:
    """Indices of values (n,) from the highest to the lowest; ties keep their order, NaN comes last.

    >>> best_first([0.3, 0.1 + 0.2, 0.4])
    [2, 0, 1]
    """
    places: list[int] = np.argsort(-equalised(values, scale=scale), kind="stable").tolist()
    return places


def magnitude(values: Any) -> float:
    """The largest finite absolute value; 0 if there is none."""
    given = np.asarray(values, dtype=np.float64)
    return float(np.abs(given[np.isfinite(given)]).max(initial=0.0))
