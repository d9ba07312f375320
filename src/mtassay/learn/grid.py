"""Whether a good classifier of human and machine translations is a good metric (Figure 1 of Albrecht & Hwa 2007).

For each Gaussian kernel and slack of a grid, a classifier is trained on two thirds of the segments; its accuracy and
its correlation with human scores are measured on the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from mtassay.execution import SERIAL, Execution
from mtassay.learn.bootstrap import number
from mtassay.learn.models import MODELS
from mtassay.learn.search import Tried, measured, rho, split
from mtassay.learn.stored_parts import cached
from mtassay.results import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.learn.models import Parameters
    from mtassay.learn.training_data import Material
    from mtassay.types import Ints

SCHEMA = "mtassay.learn.grid/1"
SLACKS = (0.01, 0.1, 1.0, 10.0, 100.0)
WIDTHS = (0.0001, 0.001, 0.01, 0.1, 1.0)
_TESTED = 1 / 3


@dataclass(frozen=True, eq=False, repr=False)
class GridResult(Result):
    """Accuracy and correlation of classifiers.

    Attributes:
        name: name of the test set.
        n_features: number of features.
        tried: parameters and results of the classifiers.
    """

    verb: ClassVar[str] = "learn_grid"

    name: str
    n_features: int
    tried: tuple[Tried, ...]

    @property
    def agreement(self) -> float:
        """Spearman's ρ between accuracy and correlation over the grid."""
        return rho([one.accuracy for one in self.tried], [one.correlation for one in self.tried])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "schema": SCHEMA,
            "testset": self.name,
            "features": self.n_features,
            "tried": [
                {
                    "parameters": one.parameters,
                    "correlation": number(one.correlation),
                    "accuracy": number(one.accuracy),
                }
                for one in self.tried
            ],
            "agreement": number(self.agreement),
        }

    def __repr__(self) -> str:
        return f"GridResult({self.name}, {len(self.tried)} classifiers)"


def grid(
    material: Material,
    *,
    slacks: Sequence[float] = SLACKS,
    widths: Sequence[float] = WIDTHS,
    seed: int = 12345,
    execution: Execution = SERIAL,
) -> GridResult:
    """Train classifiers with all parameters of a grid.

    Args:
        material: training data with human translations and human scores.
        slacks: values of C.
        widths: values of γ, for standardised features.
        seed: seed of the choice of segments.
        execution: how the work is run.
    """
    training, tested = split(material.judged, _TESTED, seed)

    candidates = [{"C": float(slack), "gamma": float(width)} for slack in slacks for width in widths]
    tried = execution.unkept.map_chunks(_attempt, candidates, shared=_Grid(material, training, tested))
    return GridResult(material.name, len(material.features), tuple(tried))


class _Grid(NamedTuple):
    """Data shared by all attempts."""

    material: Material
    training: Ints
    tested: Ints


def _attempt(grid: _Grid, parameters: Parameters) -> Tried:
    material, training, tested = grid

    def compute() -> list[float]:
        fitted = material.train(MODELS["svm"], parameters, training)
        return list(measured(material, fitted, tested))

    key = {"study": SCHEMA, "data": material.digest, "parameters": parameters, "training": training.tolist()}
    return Tried(parameters, *cached(key, compute))
