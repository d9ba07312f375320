"""Costs of the extended edit distance, in plain Python: the specification of ``native/eed.cpp``.

Stanchev, Wang and Ney 2019, "EED: extended edit distance measure for machine translation".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import Pairs, kernel

if TYPE_CHECKING:
    from mtassay.types import Floats

_SPACE = ord(" ")


@kernel
def eed_costs(pairs: Pairs, *, jump: float, deletion: float, insertion: float) -> Floats:
    """Cost of the cheapest path between texts of code points, and places of the hypothesis not visited exactly once.

    Args:
        pairs: the pairs.
        jump: cost of a jump to any place in the hypothesis, possible after a space of the reference.
        deletion: cost of leaving out a character of the hypothesis.
        insertion: cost of a character that only the reference has.

    Returns:
        float64, shape (n, 2): the cost; and for the places in the hypothesis, the number of visits after the first one,
        or 1 for a place without a visit, summed.
    """
    costs = [_costs(hyp, ref, jump, deletion, insertion) for hyp, ref in pairs.each()]
    return np.array(costs, dtype=np.float64).reshape(-1, 2)


def _costs(hyp: list[int], ref: list[int], jump: float, deletion: float, insertion: float) -> tuple[float, float]:
    visits = [-1] * (len(hyp) + 1)
    row = [0.0] + [1.0] * len(hyp)
    for ref_char in ref:
        above, row = row, [row[0] + 1.0]
        for i, char in enumerate(hyp, start=1):
            row.append(min(row[i - 1] + deletion, above[i - 1] + (char != ref_char), above[i] + insertion))
        least = min(row)
        visits[row.index(least)] += 1
        if ref_char == _SPACE:
            row = [min(cost, jump + least) for cost in row]
    return row[-1], float(sum(n if n >= 0 else 1 for n in visits))
