"""The hot loops. Each exists twice: readable Python in this package, and compiled in ``mtassay._native``.

The Python function is the specification. The decorator ``kernel`` sends its calls to the compiled twin, which has the
same name and arguments. The choice is made once, in this file: compiled kernels if the installation could build
them, else Python. ``MTASSAY_KERNELS=python`` or ``native`` forces one. Both give the same numbers
(``tests/equivalence``).

``mtassay.kernels.ngrams.ngram_matches`` is such a function. Kernels of a plain ``mtassay score`` can also be imported
from here, which does not load their specifications if they are compiled.
"""

from __future__ import annotations

import os
from collections import defaultdict
from functools import update_wrapper
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, Self, TypeVar

import numpy as np

from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import ModuleType

    from mtassay.execution import Execution
    from mtassay.kernels.encoding import Vocabulary, encode_texts
    from mtassay.kernels.ngrams import ngram_matches
    from mtassay.types import Counts, Ids, Index, Offsets

__all__ = [
    "Pairs",
    "Tokens",
    "Vocabulary",
    "backend",
    "encode_texts",
    "for_kernels",
    "kernel",
    "n_ngrams",
    "ngram_matches",
    "positions",
]

#: Kernels of a plain score, and the modules of their specifications.
_OF_SCORE = {
    "Vocabulary": "mtassay.kernels.encoding",
    "encode_texts": "mtassay.kernels.encoding",
    "ngram_matches": "mtassay.kernels.ngrams",
}

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _choose() -> ModuleType | None:
    """The compiled kernels, or None if those in Python are used."""
    wanted = os.environ.get("MTASSAY_KERNELS", "")
    if wanted not in {"", "python", "native"}:
        raise InputError(f"MTASSAY_KERNELS is {wanted!r}: it must be 'python' or 'native'")
    if wanted == "python":
        return None
    try:
        from mtassay import _native
    except ImportError as error:
        if wanted == "native":
            raise InputError(
                "MTASSAY_KERNELS=native, but this installation has no compiled kernels: "
                "install a C++ compiler and reinstall mtassay"
            ) from error
        return None
    compiled: ModuleType = _native
    return compiled


_compiled = _choose()


def __getattr__(name: str) -> Any:
    if name not in _OF_SCORE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_OF_SCORE[name]) if _compiled is None else _compiled, name)


def backend() -> str:
    """Which kernels are in use: ``'native'`` or ``'python'``."""
    return "python" if _compiled is None else "native"


def for_kernels(execution: Execution) -> Execution:
    """The execution for work that calls kernels: in one thread if kernels are plain Python."""
    return execution.in_one_thread if _compiled is None else execution


class kernel(Generic[_P, _R]):  # noqa: N801  used as a decorator
    """Decorator of a specification, a function or a class: calls go to the compiled twin if it is in use.

    Attributes:
        specification: the decorated function or class.
    """

    def __init__(self, specification: Callable[_P, _R]) -> None:
        self.specification = specification
        self._name = specification.__name__
        update_wrapper(self, specification)

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call the kernel in use."""
        twin: Callable[_P, _R] = self.specification if _compiled is None else getattr(_compiled, self._name)
        return twin(*args, **kwargs)


class Tokens(NamedTuple):
    """Concatenated token ids of many texts; text *i* is ``ids[offsets[i]:offsets[i + 1]]``.

    Attributes:
        ids: int32, shape (total number of tokens,).
        offsets: int64, shape (number of texts + 1,).
    """

    ids: Ids
    offsets: Offsets

    @classmethod
    def of(cls, texts: Iterable[Sequence[int]]) -> Self:
        """Concatenate texts.

        >>> Tokens.of([[5, 6], [7]]).offsets.tolist()
        [0, 2, 3]
        """
        ids: list[int] = []
        offsets = [0]
        for text in texts:
            ids += text
            offsets.append(len(ids))
        return cls(np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64))

    @property
    def lengths(self) -> Index:
        """Number of tokens of each text, shape (number of texts,)."""
        return np.diff(self.offsets)

    def text(self, index: int) -> Ids:
        """Token ids of one text."""
        return self.ids[self.offsets[index] : self.offsets[index + 1]]


class Pairs(NamedTuple):
    """Pairs of hypotheses and references to compare, the input of every kernel that compares texts.

    Attributes:
        hypotheses: texts.
        references: texts.
        hyp_index: for each pair the hypothesis, int64, shape (n,).
        ref_index: for each pair the reference, or with `group_offsets` the group of references, int64, shape (n,).
        group_offsets: group *g* is reference texts ``group_offsets[g]:group_offsets[g + 1]``, int64, shape
            (groups + 1,); without it every reference is its own group. Only some kernels support groups.
    """

    hypotheses: Tokens
    references: Tokens
    hyp_index: Index
    ref_index: Index
    group_offsets: Offsets | None = None

    @property
    def lengths(self) -> tuple[Index, Index]:
        """Numbers of tokens of the hypothesis and of the reference of each pair, both of shape (n,)."""
        return self.hypotheses.lengths[self.hyp_index], self.references.lengths[self.ref_index]

    def each(self) -> Iterator[tuple[list[int], list[int]]]:
        """The hypothesis and the one reference of every pair.

        >>> texts = Tokens.of([[5, 6], [7]])
        >>> list(Pairs(texts, texts, np.array([1, 0]), np.array([0, 0])).each())
        [([7], [5, 6]), ([5, 6], [5, 6])]
        """
        if self.group_offsets is not None:
            raise ValueError("this kernel compares with single references, not groups")
        for hypothesis, group in self.each_group():
            yield hypothesis, self.references.text(group.start).tolist()

    def each_group(self) -> Iterator[tuple[list[int], range]]:
        """The hypothesis of every pair, and the range of reference texts it is compared with."""
        if len(self.hyp_index) != len(self.ref_index):
            raise ValueError("hyp_index and ref_index differ in length")
        n_hyps = len(self.hypotheses.offsets) - 1
        groups = self.group_offsets
        edges = (np.arange(len(self.references.offsets)) if groups is None else groups).tolist()
        for h, g in zip(self.hyp_index.tolist(), self.ref_index.tolist(), strict=True):
            if not (0 <= h < n_hyps and 0 <= g < len(edges) - 1):
                raise ValueError("index out of range")
            yield self.hypotheses.text(h).tolist(), range(edges[g], edges[g + 1])


def positions(text: Iterable[int]) -> dict[int, list[int]]:
    """The positions of each word of a text, ascending."""
    found = defaultdict[int, list[int]](list)
    for i, word in enumerate(text):
        found[word].append(i)
    return found


def n_ngrams(lengths: Counts, order: int) -> Counts:
    """Numbers of n-grams of texts of these lengths, shape (n, order).

    >>> n_ngrams(np.array([3, 1]), 2).tolist()
    [[3, 2], [1, 0]]
    """
    # Column by column, since NumPy is slow if the last axis is short.
    return np.column_stack([np.maximum(lengths - k, 0) for k in range(order)])
