"""The optimisers by name, with the options that each of them has."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.tuning.candidates import Candidates
    from mtassay.tuning.result import TuneResult


@dataclass(frozen=True)
class Optimiser:
    """An optimiser: its function, its own options, and the common arguments that it takes."""

    place: str
    options: tuple[str, ...]
    common: tuple[str, ...]


OPTIMISERS = {
    "mert": Optimiser(
        "mtassay.tuning.mert:mert",
        ("restarts", "random_directions", "bounds", "ranges", "starts"),
        ("seed", "execution"),
    ),
    "pro": Optimiser(
        "mtassay.tuning.pro:pro", ("samples", "pairs", "least_difference", "interpolation", "regularisation"), ("seed",)
    ),
    "mira": Optimiser("mtassay.tuning.mira:mira", ("epochs", "largest_step", "decay"), ("seed", "execution")),
}


def check_optimiser(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Reject an unknown optimiser, and unknown or invalid options; return all options, including defaults.

    >>> check_optimiser("mira", {"epochs": 5})
    {'epochs': 5, 'largest_step': 0.1, 'decay': 0.999}
    """
    if name not in OPTIMISERS:
        raise InputError(unknown_name("optimiser", name, OPTIMISERS))
    for option in options:
        if option not in OPTIMISERS[name].options:
            raise InputError(f"{name}: {unknown_name('option', option, OPTIMISERS[name].options)}")
    module, _, function = OPTIMISERS[name].place.partition(":")
    found = import_module(module)
    parameters = signature(getattr(found, function)).parameters
    whole = {option: options.get(option, parameters[option].default) for option in OPTIMISERS[name].options}
    found.check_options(**whole)
    return whole


def optimise(
    candidates: Candidates,
    weights: Mapping[str, float] | None = None,
    *,
    optimiser: str = "mert",
    options: Mapping[str, Any] | None = None,
    **common: Any,
) -> TuneResult:
    """Tune weights with one of the optimisers.

    Args:
        candidates: the candidates, with the objective.
        weights: weights to start from; all equal by default.
        optimiser: ``mert``, ``pro`` or ``mira``.
        options: options of this optimiser, such as MERT's ``restarts``.
        **common: ``seed`` and ``execution``; those that the optimiser does not take are ignored.
    """
    check_optimiser(optimiser, options or {})
    chosen = OPTIMISERS[optimiser]
    module, _, function = chosen.place.partition(":")
    taken = {name: value for name, value in common.items() if name in chosen.common} | dict(options or {})
    found: TuneResult = getattr(import_module(module), function)(candidates, weights, **taken)
    return found
