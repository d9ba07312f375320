"""Rules for the form of the code that neither ruff nor mypy knows."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import mtassay

#: Parameters that may be given by position: nobody remembers the order of more.
_MOST_POSITIONAL = 6


def _callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """All functions, methods and constructors that the package defines."""
    for info in pkgutil.walk_packages(mtassay.__path__, "mtassay."):
        # In compat, names and arguments are those of other tools.
        if info.name in {"mtassay.__main__", "mtassay._native"} or info.name.startswith("mtassay.compat."):
            continue
        module = import_module(info.name)
        for name, value in vars(module).items():
            if getattr(value, "__module__", None) != info.name:
                continue
            place = f"{info.name}.{name}"
            if inspect.isfunction(value):
                yield place, value
            # A named tuple is a row; it is unpacked by position, too.
            elif inspect.isclass(value) and not issubclass(value, tuple):
                if str(getattr(value.__init__, "__module__", "")).startswith("mtassay"):
                    yield place, value.__init__
                methods = [part for part in vars(value).items() if inspect.isfunction(part[1])]
                yield from ((f"{place}.{part}", method) for part, method in methods)


def test_long_lists_of_parameters_take_keywords() -> None:
    positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    found = []
    for place, function in _callables():
        names = [name for name, one in inspect.signature(function).parameters.items() if one.kind in positional]
        if len(names) - (names[:1] == ["self"]) > _MOST_POSITIONAL:
            found.append(place)
    assert not found


#: Packages to the right of which verbs stand: they are given an Execution, never threads and progress apart.
_VERBS = ("mtassay.verbs", "mtassay.report", "mtassay.collect", "mtassay.compat", "mtassay.cli", "mtassay.execution")
#: Verbs that stand elsewhere: those of ``mtassay.learn``, and the conveniences of a metric for texts.
_ALSO_VERBS = ("mtassay.learn.training.train", "mtassay.learn.role_weights.tune_role_weights", "mtassay.metrics.core.")


def test_only_verbs_take_threads_and_progress() -> None:
    found = [
        place
        for place, function in _callables()
        if not place.startswith((*_VERBS, *_ALSO_VERBS))
        and {"threads", "progress"} & set(inspect.signature(function).parameters)
    ]
    assert not found
