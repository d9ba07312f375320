"""Exact randomisation tests of human preferences."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from mtassay.data.judgements import Preferences
from mtassay.judging.preference_clusters import randomisation_p


def preferences(outcomes: list[int]) -> Preferences:
    """Judgements of two systems, each on a segment of its own."""
    place = np.arange(len(outcomes))
    names = tuple(str(number + 1) for number in range(len(outcomes)))
    zeros = 0 * place
    return Preferences(
        ("x", "y"), names, ("",), place, zeros, first=zeros, second=zeros + 1, outcome=np.array(outcomes), item=place
    )


@pytest.mark.parametrize(("n_won", "n_lost", "n_tied"), [(3, 1, 2), (40, 25, 0), (1800, 1650, 10)])
def test_single_judgements_are_the_sign_test(n_won: int, n_lost: int, n_tied: int) -> None:
    n = n_won + n_lost
    tail = Fraction(sum(comb(n, k) for k in range(n_won, n + 1)), 2**n)
    judged = preferences([1] * n_won + [-1] * n_lost + [0] * n_tied)
    assert randomisation_p(judged)[0, 1] == pytest.approx(float(2 * tail), rel=1e-14)
    assert randomisation_p(judged, sides=1)[0, 1] == pytest.approx(float(tail), rel=1e-14)
