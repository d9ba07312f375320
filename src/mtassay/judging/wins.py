"""Scores of systems from human preferences between them.

Lopez 2012, "Putting human assessments of machine translation systems in order", and the WMT overviews. With w wins,
l losses and e ties of a system against one opponent (W, L, E over all opponents):

- ``wins``: W / (W + L), the official score of WMT12, and Lopez's "new" score (there in percent);
- ``wins+ties``: (W + E) / (W + L + E), the official score before WMT12, and Lopez's "old" score (there in percent, with
  the references among the systems);
- ``expected-wins``: the mean over opponents of w / (w + l), the score of WMT13;
- ``net-wins``: the mean over opponents of (w - l) / (w + l + e), Lopez's "expected net wins";
- ``soccer``: the mean over opponents of (w + e/2) / (w + l + e);
- ``bradley-terry``: the log strengths of ``bradley_terry``.

All take `wins` and `ties` as ``Preferences.counts`` returns them, shape (..., systems, systems), and return one score
per system, shape (..., systems). Means are over the opponents that a system met (for ``expected-wins``, with an outcome
other than a tie); a system that met none has the score NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError, unknown_name
from mtassay.judging.bradley_terry import bradley_terry

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.types import Floats


def win_ratio(wins: Any, ties: Any = None) -> Floats:
    """W / (W + L); ties are ignored.

    >>> win_ratio([[0, 3], [1, 0]]).tolist()
    [0.75, 0.25]
    """
    won, lost, _ = _three(wins, ties)
    return _ratio(won.sum(axis=-1), (won + lost).sum(axis=-1))


def win_or_tie_ratio(wins: Any, ties: Any) -> Floats:
    """(W + E) / (W + L + E).

    >>> win_or_tie_ratio([[0, 2], [1, 0]], [[0, 1], [1, 0]]).tolist()
    [0.75, 0.5]
    """
    won, lost, tied = _three(wins, ties)
    return _ratio((won + tied).sum(axis=-1), (won + lost + tied).sum(axis=-1))


def expected_wins(wins: Any, ties: Any = None) -> Floats:
    """Mean over opponents of w / (w + l); ties are ignored (Koehn 2012; Bojar et al. 2013).

    >>> expected_wins([[0, 3, 1], [1, 0, 0], [1, 0, 0]]).tolist()
    [0.625, 0.25, 0.5]
    """
    won, lost, _ = _three(wins, ties)
    return _mean_over_opponents(won, won + lost)


def expected_net_wins(wins: Any, ties: Any) -> Floats:
    """Mean over opponents of (w - l) / (w + l + e) (Lopez 2012).

    >>> expected_net_wins([[0, 2], [1, 0]], [[0, 1], [1, 0]]).tolist()
    [0.25, -0.25]
    """
    won, lost, tied = _three(wins, ties)
    return _mean_over_opponents(won - lost, won + lost + tied)


def soccer(wins: Any, ties: Any) -> Floats:
    """Mean over opponents of (w + e/2) / (w + l + e): a tie is half a win.

    >>> soccer([[0, 2], [1, 0]], [[0, 1], [1, 0]]).tolist()
    [0.625, 0.375]
    """
    won, lost, tied = _three(wins, ties)
    return _mean_over_opponents(won + tied / 2, won + lost + tied)


def _strengths(wins: Any, ties: Any) -> Floats:
    return bradley_terry(wins, ties).strengths


#: Functions from counts to scores, by name.
METHODS: dict[str, Callable[[Any, Any], Floats]] = {
    "wins": win_ratio,
    "wins+ties": win_or_tie_ratio,
    "expected-wins": expected_wins,
    "net-wins": expected_net_wins,
    "soccer": soccer,
    "bradley-terry": _strengths,
}


def method(name: str) -> Callable[[Any, Any], Floats]:
    """Look up a method by name.

    >>> method("wins")([[0, 3], [1, 0]], None).tolist()
    [0.75, 0.25]
    """
    if name not in METHODS:
        raise InputError(unknown_name("human score", name, METHODS))
    return METHODS[name]


def _three(wins: Any, ties: Any) -> tuple[Floats, Floats, Floats]:
    """Wins, losses and ties as arrays of one shape."""
    won = np.asarray(wins, dtype=np.float64)
    tied = np.zeros_like(won) if ties is None else np.asarray(ties, dtype=np.float64)
    return won, np.swapaxes(won, -1, -2), tied


def _ratio(parts: Floats, wholes: Floats) -> Floats:
    ratio: Floats = np.divide(parts, wholes, out=np.full(wholes.shape, np.nan), where=wholes > 0)
    return ratio


def _mean_over_opponents(parts: Floats, wholes: Floats) -> Floats:
    met = wholes > 0
    shares = np.divide(parts, wholes, out=np.zeros(wholes.shape), where=met)
    return _ratio(shares.sum(axis=-1), met.sum(axis=-1).astype(np.float64))
