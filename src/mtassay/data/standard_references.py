"""The standard reference and outlier systems of WMT test sets, as in mt-metrics-eval.

The columns of ``standard_references.tsv`` are test set, language pair, standard reference and names of outlier systems.
Other test sets have no outliers, and their standard reference is the first that is not synthetic.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Standard(NamedTuple):
    """The standard reference and the outlier systems of a test set."""

    reference: str
    outliers: tuple[str, ...]


def standard_of(test_set: str, pair: str, references: Sequence[str]) -> Standard:
    """The standard reference and outliers of one language pair of a test set.

    Args:
        test_set: its name, such as ``wmt23``.
        pair: the language pair.
        references: names of the available references.

    >>> standard_of("wmt23", "en-de", ["refA", "synthetic_ref"])
    Standard(reference='refA', outliers=('synthetic_ref',))
    >>> standard_of("mine", "en-de", ["synthetic_ref", "refB"])
    Standard(reference='refB', outliers=())
    """
    found = _table().get((test_set, pair))
    if found is not None and found.reference in references:
        return found
    natural = [name for name in references if not is_synthetic(name)]
    return Standard([*natural, *references][0], () if found is None else found.outliers)


def is_synthetic(name: str) -> bool:
    """Whether a reference is synthetic, by its name."""
    return "synthetic" in name.lower()


@cache
def _table() -> dict[tuple[str, str], Standard]:
    from importlib.resources import files  # takes 10 ms to import, and most test sets are not WMT's

    text = files("mtassay.data").joinpath("standard_references.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {
        (test_set, pair): Standard(reference, tuple(outliers.split())) for test_set, pair, reference, outliers in rows
    }
