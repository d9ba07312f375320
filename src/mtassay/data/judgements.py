"""Human judgements of translations: rankings, preferences and scores.

All three are tables of arrays with one row per judgement. Segments, systems and judges are numbers that index the
names in ``segments``, ``systems`` and ``judges``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mtassay.errors import InputError, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.types import Floats, Ints, Labels

#: Kinds of rows that are outputs of systems, not control items.
OUTPUTS = ("", "SYSTEM", "TGT")
#: Outputs that a judge sees a second time.
REPEATS = ("REPEAT", "REP", "CHK")
#: Kinds of rows that count in scores. Parity: the scripts of WMT21 and WMT22, which count repeats like other outputs.
SCORED = (*OUTPUTS, *REPEATS)


@dataclass(frozen=True, eq=False, repr=False)
class Judgements:
    """Base class of all kinds of judgements.

    Attributes:
        systems: names of the systems that were judged.
        segments: names of the segments (numbers from 1, as text, if the file numbers them).
        judges: names of the judges; a single empty name if a file has none.
        segment: the segment of each row, shape (n,).
        judge: the judge of each row, shape (n,).
        ignored: names of systems that were left out because a test set does not have them.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    judges: tuple[str, ...]
    segment: Ints
    judge: Ints
    ignored: tuple[str, ...] = field(default=(), kw_only=True)

    def __len__(self) -> int:
        return len(self.segment)

    def __repr__(self) -> str:
        counts = [counted(len(self.systems), "system"), counted(len(self.segments), "segment")]
        counts.append(counted(len(self.judges), "judge") if any(self.judges) else "judges not named")
        return f"{type(self).__name__}({counted(len(self), 'row')}: {', '.join(counts)})"

    def __post_init__(self) -> None:
        """Check that columns match; readers have already reported errors in files, with file and line."""
        for name, values, limit in self._columns():
            if values.shape != self.segment.shape:
                raise InputError(f"judgements: {name} differs in length from segment")
            if len(values) and limit and not 0 <= values.min() <= values.max() < limit:
                raise InputError(f"judgements: {name} has a number without a name")

    def _columns(self) -> list[tuple[str, Any, int]]:
        """Name, values and number of names of each column; 0 if values do not index names."""
        return [("segment", self.segment, len(self.segments)), ("judge", self.judge, len(self.judges))]

    def rows(self, chosen: Any) -> Self:
        """Select rows by a mask or by numbers; names stay the same."""
        return replace(self, **{name: values[chosen] for name, values, _ in self._columns()})


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Preferences(Judgements):
    """Two outputs compared.

    Attributes:
        first: the system that was shown first, shape (n,).
        second: the other one, shape (n,).
        outcome: 1 if the first is better, -1 if the second is, 0 for a tie, shape (n,).
        item: number of the screen, shape (n,): rows of one screen (a five-way ranking) have the same number. Screens
            are units of resampling.
    """

    first: Ints
    second: Ints
    outcome: Ints
    item: Ints

    def _columns(self) -> list[tuple[str, Any, int]]:
        of_systems = [(name, getattr(self, name), len(self.systems)) for name in ("first", "second")]
        return [*super()._columns(), *of_systems, ("outcome", self.outcome, 0), ("item", self.item, 0)]

    @property
    def n_items(self) -> int:
        """Number of screens."""
        return int(self.item.max(initial=-1)) + 1

    def strict(self) -> Preferences:
        """The same without ties."""
        return self.rows(self.outcome != 0)

    def counts(self, weights: Any = None) -> tuple[Floats, Floats]:
        """Wins and ties: wins[x, y], how often x was better than y; ties[x, y], how often they were equal.

        Args:
            weights: how often each row counts, shape (n,); once by default.
        """
        n = len(self.systems)
        wins, ties = np.zeros((n, n)), np.zeros((n, n))
        weight = np.ones(len(self)) if weights is None else np.asarray(weights, dtype=np.float64)
        for outcome, x, y in ((1, self.first, self.second), (-1, self.second, self.first)):
            chosen = self.outcome == outcome
            np.add.at(wins, (x[chosen], y[chosen]), weight[chosen])
        tied = self.outcome == 0
        for x, y in ((self.first, self.second), (self.second, self.first)):
            np.add.at(ties, (x[tied], y[tied]), weight[tied])
        return wins, ties


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Rankings(Judgements):
    """Several outputs ranked on one screen, one row per output; the best output has the lowest rank.

    Attributes:
        system: the system, shape (n,).
        rank: its rank, shape (n,); equal ranks are ties.
        item: the screen, numbers from 0, shape (n,).
    """

    system: Ints
    rank: Ints
    item: Ints

    def _columns(self) -> list[tuple[str, Any, int]]:
        return [
            *super()._columns(),
            ("system", self.system, len(self.systems)),
            ("rank", self.rank, 0),
            ("item", self.item, 0),
        ]

    def preferences(self) -> Preferences:
        """All pairs of outputs of a screen, in the order of the screen."""
        order = np.argsort(self.item, kind="stable")
        starts = np.flatnonzero(np.diff(self.item[order], prepend=-1))
        sizes = np.diff(starts, append=len(order))
        pairs = [np.zeros((2, 0), dtype=np.int64)]
        for size in np.unique(sizes).tolist():  # all screens of one size at once
            firsts = starts[sizes == size, None]
            pairs.append(np.stack([(firsts + side).reshape(-1) for side in np.triu_indices(size, k=1)]))
        places = np.concatenate(pairs, axis=1)
        a, b = order[places[:, np.lexsort((places[1], places[0], self.item[order[places[0]]]))]]
        outcome = np.sign(self.rank[b] - self.rank[a])
        return Preferences(
            self.systems,
            self.segments,
            self.judges,
            self.segment[a],
            self.judge[a],
            first=self.system[a],
            second=self.system[b],
            outcome=outcome,
            item=self.item[a],
            ignored=self.ignored,
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JudgedOutputs(Judgements):
    """Base class of judgements of single outputs.

    Attributes:
        system: the system, shape (n,).
        score: the score, shape (n,).
        item: the kind of each row ("SYSTEM", "REF", "BAD-REF", "REPEAT" …) if a file names it, else "", shape (n,).
        hit: the task (HIT) that each row was judged in, numbers from 0, shape (n,); None if a file names none.
    """

    system: Ints
    score: Floats
    item: Labels
    hit: Ints | None = None

    def _columns(self) -> list[tuple[str, Any, int]]:
        hits = [] if self.hit is None else [("hit", self.hit, 0)]
        return [
            *super()._columns(),
            ("system", self.system, len(self.systems)),
            ("score", self.score, 0),
            ("item", self.item, 0),
            *hits,
        ]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Scores(JudgedOutputs):
    """Scores of single outputs: adequacy, fluency, direct assessment, MQM, ESA.

    Attributes:
        aspect: what was scored (``adequacy``, ``fluency``, ``da``, ``mqm`` …).
        higher_is_better: False for error scores.
        other_pairs: scores of other language pairs in the same file, one object each. They are used only to check
            judges by control items.
    """

    aspect: str
    higher_is_better: bool = True
    other_pairs: tuple[Scores, ...] = ()


def numbered(names: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """Distinct names in order of first appearance, and the number of each element.

    >>> names, numbers = numbered(["b", "a", "b"])
    >>> names, numbers.tolist()
    (('b', 'a'), [0, 1, 0])
    """
    places: dict[str, int] = {}
    numbers = np.fromiter((places.setdefault(name, len(places)) for name in names), np.int64, len(names))
    return tuple(places), numbers
