"""Every kernel has a twin of the same name and arguments, in Python and compiled."""

from __future__ import annotations

import inspect
import pkgutil
import re
from importlib import import_module

import pytest

from mtassay import kernels

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")


def _specifications() -> dict[str, kernels.kernel[..., object]]:
    modules = [import_module(info.name) for info in pkgutil.iter_modules(kernels.__path__, "mtassay.kernels.")]
    return {
        name: value for module in modules for name, value in vars(module).items() if isinstance(value, kernels.kernel)
    }


def test_both_have_the_same_kernels() -> None:
    assert set(_specifications()) == {name for name in dir(native) if not name.startswith("_")}


def _compiled_arguments(name: str) -> list[str]:
    """Read them from the first line of the docstring, where nanobind writes the signature."""
    signature = getattr(native, name).__doc__.partition("\n")[0]
    inside = re.sub(r"\[[^\[\]]*\]", "", signature).partition("(")[2].partition(")")[0]
    return [argument.partition(":")[0] for argument in inside.split(", ")]


@pytest.mark.parametrize("name", sorted(set(_specifications()) - {"Vocabulary"}))
def test_both_take_the_same_arguments(name: str) -> None:
    expected: list[str] = []
    for parameter in inspect.signature(_specifications()[name].specification).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in expected:
            expected.append("*")
        expected.append(parameter.name)
    assert _compiled_arguments(name) == expected


def test_kernels_of_a_score_are_the_ones_in_use() -> None:
    for name, module in kernels._OF_SCORE.items():
        twin = native if kernels.backend() == "native" else import_module(module)
        assert getattr(kernels, name) is getattr(twin, name)
        assert isinstance(getattr(import_module(module), name), kernels.kernel)
