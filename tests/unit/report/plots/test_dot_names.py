"""Names beside dots: near them, clear of each other, and joined to them by lines that cross nothing."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from mtassay.report.plots import style
from mtassay.report.plots.dot_names import DOT, place_names

SIZE = (2.75, 2.2)
#: WMT13 French–English: expected wins, BLEU and RAC1 of each system, which crowd at the top.
SYSTEMS = {
    "CMU_Tree-to-Tree.2893": (0.4283, 28.08, 62.13),
    "DCU__primary.2828": (0.4855, 29.78, 63.21),
    "JHU.2684": (0.3892, 26.08, 59.84),
    "KIT_primary.2658": (0.5613, 31.17, 63.85),
    "LIMSI-Ncode-SOUL-primary.2585": (0.5725, 31.29, 64.01),
    "MES-SimplifiedFrench-primary.2662": (0.5120, 29.97, 63.69),
    "RWTH_primary.2595": (0.4383, 29.82, 62.71),
    "Shef-wproa.2780": (0.3216, 23.60, 58.72),
    "cu-zeman.2738": (0.4198, 26.66, 59.96),
    "online-A": (0.5401, 30.09, 63.42),
    "online-B": (0.5907, 31.55, 63.41),
    "uedin-heafield-unconstrained.2755": (0.6376, 32.24, 65.00),
    "uedin-wmt13.2838": (0.6031, 31.46, 64.73),
}


def dots_of(values: np.ndarray) -> np.ndarray:
    """Dots in inches, in a panel with a margin."""
    share = (values - values.min(axis=0)) / np.ptp(values, axis=0)
    return np.asarray(0.12 + share * (np.array(SIZE) - 0.24))


def overlap(one: np.ndarray, other: np.ndarray) -> bool:
    return bool((np.maximum(one[:2], other[:2]) < np.minimum(one[2:], other[2:])).all())


def placed(names: list[str], dots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with style.applied():
        return place_names(names, dots, SIZE)


@pytest.mark.parametrize("column", [1, 2])
def test_names_and_lines_are_clear_of_each_other(column: int) -> None:
    dots = dots_of(np.array(list(SYSTEMS.values()))[:, [0, column]])
    boxes, lines = placed(list(SYSTEMS), dots)
    squares = np.hstack([dots - DOT, dots + DOT])
    for one, other in permutations(range(len(dots)), 2):
        assert not overlap(boxes[one], boxes[other])
        assert not overlap(boxes[one], squares[other])
        along = lines[one, 0] + np.linspace(0, 1, 500)[:, None] * (lines[one, 1] - lines[one, 0])
        for box in (boxes[other], squares[other]):
            assert not ((along > box[:2]) & (along < box[2:])).all(axis=1).any()
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, 2:] <= SIZE).all()


@pytest.mark.parametrize("column", [1, 2])
def test_names_are_near_their_dots(column: int) -> None:
    dots = dots_of(np.array(list(SYSTEMS.values()))[:, [0, column]])
    boxes, lines = placed(list(SYSTEMS), dots)
    distances = np.hypot(*(np.clip(dots, boxes[:, :2], boxes[:, 2:]) - dots).T)
    assert distances.max() < 0.25
    assert np.array_equal(~np.isnan(lines[:, 0, 0]), distances > 0.075)


def test_dots_at_one_place() -> None:
    dots = np.full((6, 2), 1.0)
    boxes, _ = placed([f"system{number}" for number in range(6)], dots)
    assert not any(overlap(boxes[one], boxes[other]) for one, other in permutations(range(6), 2))


def test_the_same_dots_have_the_same_places() -> None:
    dots = dots_of(np.random.default_rng(1).random((20, 2)))
    first, again = (placed(["system"] * 20, dots) for _ in range(2))
    assert np.array_equal(first[0], again[0])
    assert np.array_equal(first[1], again[1], equal_nan=True)


def test_one_dot() -> None:
    boxes, lines = placed(["alone"], np.array([[1.0, 1.0]]))
    assert boxes.shape == (1, 4)
    assert np.isnan(lines).all()
