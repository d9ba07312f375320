"""Formatting of numbers, names and counts in sentences and tables."""

from __future__ import annotations

from itertools import count, groupby, product
from math import ceil, floor, isnan, log10
from typing import TYPE_CHECKING

from mtassay.errors import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mtassay.metrics.core.metric import Metric

#: Shown in tables for a missing value.
MISSING = "–"
#: Not imported from the module ``string``, which takes 2 ms to import.
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: What is resampled, in the singular.
UNIT_NAMES = {"segment": "segment", "doc": "document"}
#: Kinds of confidence intervals.
INTERVAL_NAMES = {"percentile": "percentile", "bca": "BCa"}


def scores_of(aspect: str) -> str:
    """Scores, with their aspect if it is known.

    >>> scores_of("adequacy"), scores_of("score")
    ('scores of adequacy', 'scores')
    """
    return "scores" if aspect in {"", "score"} else f"scores of {aspect}"


def references_of(names: Sequence[str]) -> str:
    """Number and names of references.

    >>> references_of(("refA", "refB"))
    '2 references (refA, refB)'
    >>> references_of(())
    'no reference'
    """
    if not names:
        return "no reference"
    return f"{counted(len(names), 'reference')} ({', '.join(names)})"


def share(value: float | None, *, digits: int = 3) -> str:
    """A number between -1 and 1 as papers print it.

    >>> share(0.9841), share(-0.5), share(1.0), share(float("nan"))
    ('.984', '-.500', '1.000', '–')
    """
    if value is None or isnan(value):
        return MISSING
    shown = f"{value:.{digits}f}"
    shown = shown.removeprefix("-") if float(shown) == 0 else shown
    return shown.replace("0.", ".", 1) if abs(float(shown)) < 1 else shown


def signed(value: float) -> str:
    """A difference of shares, with its sign.

    >>> signed(0.0312), signed(-0.5), signed(float("nan"))
    ('+.031', '-.500', '–')
    """
    text = share(value)
    return text if text.startswith(("-", MISSING)) else f"+{text}"


def plain(value: float) -> str:
    """A share with as many digits as it needs and without its leading zero.

    >>> plain(0.05), plain(1.0)
    ('.05', '1')
    """
    return f"{value:g}".removeprefix("0") if 0 < value < 1 else f"{value:g}"


def p_value(value: float) -> str:
    """A p-value with two digits.

    >>> p_value(0.0312), p_value(1 / 10_001), p_value(0.00004)
    ('.031', '.0001', '4.0e-05')
    """
    rounded = float(f"{value:.2g}")
    return plain(rounded) if rounded >= 0.0001 else f"{value:.1e}"


def percent(value: float) -> str:
    """A share in per cent.

    >>> percent(0.95)
    '95 %'
    """
    return f"{100 * value:g} %"


def number(value: float, metric: Metric, *, width: int | None = None) -> str:
    """A score with `width` decimals, by default the metric's own; a dash if missing."""
    if isnan(value):
        return MISSING
    text = f"{value:.{metric.digits if width is None else width}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def interval(ends: Iterable[float], metric: Metric, *, width: int | None = None) -> str:
    """A confidence interval of scores."""
    return f"[{', '.join(number(float(end), metric, width=width) for end in ends)}]"


def headings(metrics: Sequence[Metric], *, arrows: bool = True) -> list[str]:
    """Column names: the metric's label, or its specification if labels coincide; ↓ if lower is better."""
    from mtassay.metrics.core.spec import distinct_names  # reports of human judgements need no metrics

    return [
        f"{name} ↓" if metric.higher_is_better is False and arrows else name
        for name, metric in zip(distinct_names(metrics), metrics, strict=True)
    ]


def letters_of_rows() -> Iterator[str]:
    """Names for rows: a … z, aa … zz, and so on."""
    for length in count(1):
        yield from ("".join(letters) for letters in product(_LETTERS, repeat=length))


def better_than(better: Iterable[int], order: Sequence[int]) -> str:
    """Letters of the rows that a row is better than; three or more in sequence are shortened to first–last.

    Args:
        better: members of `order`, in that order.
        order: the contents of the rows, from the first row to the last.

    >>> better_than([5, 7, 8, 9], [3, 5, 6, 7, 8, 9])
    'b d–f'
    """
    letters = dict(zip(order, letters_of_rows(), strict=False))
    place = {member: position for position, member in enumerate(order)}
    parts: list[str] = []
    for _, run in groupby(enumerate(better), key=lambda item: place[item[1]] - item[0]):
        members = [letters[member] for _, member in run]
        parts += [f"{members[0]}–{members[-1]}"] if len(members) > 2 else members
    return " ".join(parts)


def names(listed: Sequence[str], most: int) -> str:
    """Names separated by commas, at most `most` of them.

    >>> names(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def listed(items: Sequence[str], conjunction: str = "and") -> str:
    """Names joined as in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"], "or")
    ('a', 'a and b', 'a, b or c')
    """
    return f" {conjunction} ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def p_at_most(value: float) -> str:
    """A bound with two digits that a p-value does not exceed.

    >>> p_at_most(0.0312), p_at_most(0.03), p_at_most(0.000041)
    ('.032', '.03', '4.1e-05')
    """
    step = 10.0 ** (floor(log10(value)) - 1)
    return p_value(ceil(value / step - 1e-9) * step)
