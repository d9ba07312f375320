"""The optimisers by name, with the options that each of them has."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.tune.candidates import Candidates
    from mtassay.tune.result import TuneResult

#: Where each is, and what can be set besides the seed.
OPTIMISERS: dict[str, tuple[str, frozenset[str]]] = {
    "mert": ("mtassay.tune.mert:mert", frozenset({"restarts", "random_directions", "bounds"})),
}


def check_optimiser(name: str, options: Mapping[str, Any]) -> None:
    """Refuse an unknown optimiser, or options that it does not have."""
    if name not in OPTIMISERS:
        known = ", ".join(OPTIMISERS)
        raise InputError(f"no optimiser named '{name}'{did_you_mean(name, OPTIMISERS)} (choose from {known})")
    for option in options:
        if option not in OPTIMISERS[name][1]:
            owners = [other for other, (_, theirs) in OPTIMISERS.items() if option in theirs]
            raise InputError(f"{option} is an option of {' and '.join(owners) or 'no optimiser'}, not of {name}")


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
        candidates: what to choose from, with the objective.
        weights: where to start; all alike by default.
        optimiser: ``mert``, ``pro`` or ``mira``.
        options: those that only this optimiser has, such as MERT's ``restarts``.
        common: what all of them take: ``seed``, ``threads``, ``progress``.
    """
    check_optimiser(optimiser, options or {})
    module, _, function = OPTIMISERS[optimiser][0].partition(":")
    found: TuneResult = getattr(import_module(module), function)(candidates, weights, **(options or {}), **common)
    return found
