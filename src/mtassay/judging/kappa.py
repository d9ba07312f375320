"""Agreement of judges on preferences, with each other and with themselves.

κ = (P(A) - P(E)) / (1 - P(E)) (Cohen 1960), where P(A) is the share of pairs of labels of one item that are equal, and
P(E) = t² + 2((1 - t)/2)² is the agreement by chance if a share t of all labels are ties and the rest is evenly split.
Song et al. 2013 take P(E) = 1/3 instead.

Two rules define items, and which pairs of their labels count:

- ``strict``: an item is a segment and two systems, whichever was shown first. *inter* pairs labels of different judges,
  *intra* labels of the same judge.
- ``official``, as in the overviews of WMT15 and WMT16 (Appraise): the same systems shown in the other order are
  another item. *inter* pairs all labels, including those of the same judge.

Under both, P(E) of *inter* comes from all labels, and P(E) of *intra* from the labels of those judges and segments that
have an item labelled twice. Labels of joined systems ("a+b") depend on how judgements were read: joined names as one
system give WMT's "collapsed" figures, split names its "expanded" figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.equality import TOLERANCE
from mtassay.errors import InputError, unknown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mtassay.data.judgements import Preferences
    from mtassay.types import Ints


RULES = ("strict", "official")


def check_rule(rule: str) -> str:
    """Reject an unknown rule."""
    if rule not in RULES:
        raise InputError(unknown_name("rule of agreement", rule, RULES))
    return rule


@dataclass(frozen=True)
class Kappa:
    """Agreement on labels.

    Attributes:
        agree: number of pairs of equal labels.
        comparable: number of all pairs of labels.
        ties: number of ties among the labels that determine the agreement by chance.
        labels: number of these labels.

    >>> found = Kappa(agree=3, comparable=4, ties=1, labels=3)
    >>> found.p_agree, round(found.p_chance, 4), round(found.kappa, 4)
    (0.75, 0.3333, 0.625)
    """

    agree: int
    comparable: int
    ties: int
    labels: int

    @property
    def p_agree(self) -> float:
        """P(A); NaN if nothing can be compared."""
        return self.agree / self.comparable if self.comparable else float("nan")

    @property
    def p_chance(self) -> float:
        """P(E) from the share of ties; NaN without labels."""
        tied = self.ties / self.labels if self.labels else float("nan")
        return tied**2 + 2 * ((1 - tied) / 2) ** 2

    @property
    def kappa(self) -> float:
        """κ with P(E) from the share of ties."""
        return self.kappa_with(self.p_chance)

    def kappa_with(self, p_chance: float) -> float:
        """κ with another P(E); NaN if agreement is certain or nothing can be compared."""
        return (self.p_agree - p_chance) / (1 - p_chance) if p_chance < 1 else float("nan")


def inter_annotator(preferences: Preferences, *, rule: str = "strict") -> Kappa:
    """Agreement between judges."""
    labels = _Labels(preferences, rule)
    agree, comparable = labels.pairs(labels.item)
    if rule == "strict":
        own_agree, own_comparable = labels.pairs(labels.own_item)
        agree, comparable = agree - own_agree, comparable - own_comparable
    return Kappa(agree, comparable, *labels.ties(slice(None)))


def intra_annotator(preferences: Preferences, *, rule: str = "strict") -> Kappa:
    """Agreement of judges with themselves."""
    labels = _Labels(preferences, rule)
    agree, comparable = labels.pairs(labels.own_item)
    return Kappa(agree, comparable, *labels.ties(labels.repeated))


def inter_by_judge(preferences: Preferences, *, rule: str = "strict") -> tuple[Kappa, ...]:
    """Agreement of each judge with the others, by number of the judge.

    Under both rules, labels are paired with those of other judges; P(E) comes from the labels of all judges.
    """
    labels = _Labels(preferences, rule)
    agree, comparable = (
        everyone - own
        for everyone, own in zip(labels.partners(labels.item), labels.partners(labels.own_item), strict=True)
    )
    chance = labels.ties(slice(None))
    return tuple(
        Kappa(int(equal), int(all_), *chance)
        for equal, all_ in zip(labels.by_judge(agree), labels.by_judge(comparable), strict=True)
    )


def intra_by_judge(preferences: Preferences, *, rule: str = "strict") -> tuple[Kappa, ...]:
    """Self-agreement of each judge, by number of the judge; P(E) comes from the judge's own labels."""
    labels = _Labels(preferences, rule)
    agree, comparable = labels.partners(labels.own_item)
    return tuple(
        # Each pair was counted twice.
        Kappa(int(equal) // 2, int(all_) // 2, *labels.ties(labels.repeated & (preferences.judge == judge)))
        for judge, (equal, all_) in enumerate(zip(labels.by_judge(agree), labels.by_judge(comparable), strict=True))
    )


@dataclass(frozen=True, eq=False)
class KeptPreferences:
    """The remaining preferences.

    Attributes:
        preferences: the preferences.
        dropped: names of the judges whose preferences were left out.
    """

    preferences: Preferences
    dropped: tuple[str, ...]


def drop_inconsistent_judges(
    preferences: Preferences, *, least: float, least_pairs: int = 1, rule: str = "strict"
) -> KeptPreferences:
    """Drop judges with low self-agreement (Song et al. 2013).

    Args:
        preferences: the judgements.
        least: drop judges whose κ is lower than this.
        least_pairs: keep judges with fewer comparable pairs of labels, since too little is known about them.
        rule: ``strict`` or ``official``.
    """
    found = intra_by_judge(preferences, rule=rule)
    low = np.array([own.comparable >= least_pairs and own.kappa < least for own in found], dtype=bool)
    dropped = tuple(name for name, bad in zip(preferences.judges, low, strict=True) if bad)
    return KeptPreferences(preferences.rows(~low[preferences.judge]), dropped)


@dataclass(frozen=True, eq=False)
class AgreedPairs:
    """Segments with two systems ("pairs") on which enough judges agree.

    Attributes:
        preferences: one row for each such pair, with the label that was agreed on.
        labels: all rows of these pairs.
        n_judged: number of judged pairs.
        n_shared: number of pairs labelled by enough judges.
    """

    preferences: Preferences
    labels: Preferences
    n_judged: int
    n_shared: int


def find_agreed(preferences: Preferences, *, least_judges: int = 2, least_share: float = 0.6) -> AgreedPairs:
    """One row for each segment and pair of systems on which enough judges agree (Song et al. 2013).

    A pair is kept if at least `least_judges` judges labelled it and at least `least_share` of the labels are equal; its
    row is the first one with that label. If two labels reach the share, there is no agreement and the pair is left out.
    """
    labels = _Labels(preferences, "strict")
    table = np.zeros((labels.item.max(initial=-1) + 1, 3), dtype=np.int64)
    np.add.at(table, (labels.item, labels.label), 1)
    judges = np.bincount(labels.item[labels.first_of(labels.own_item)], minlength=len(table))
    enough = table >= least_share * table.sum(axis=1, keepdims=True) - TOLERANCE
    agreed = (judges >= least_judges) & (enough.sum(axis=1) == 1)
    fits = agreed[labels.item] & enough[labels.item, labels.label]
    kept = np.flatnonzero(fits)
    _, first = np.unique(labels.item[kept], return_index=True)
    return AgreedPairs(
        preferences.rows(np.sort(kept[first])),
        preferences.rows(agreed[labels.item]),
        n_judged=len(table),
        n_shared=int((judges >= least_judges).sum()),
    )


class _Labels:
    """The labels of preferences, and which of them belong to one item.

    Attributes:
        label: 0, 1 or 2 for worse, tied and better, shape (n,).
        item: the item of each label.
        own_item: the item of each label, separately for each judge.
        repeated: whether a label's judge has labelled an item of its segment twice.
    """

    def __init__(self, preferences: Preferences, rule: str) -> None:
        check_rule(rule)
        first, second, outcome = preferences.first, preferences.second, preferences.outcome
        if rule == "strict":
            turned = first > second
            first, second = np.minimum(first, second), np.maximum(first, second)
            outcome = np.where(turned, -outcome, outcome)
        n, n_judges = len(preferences.systems), len(preferences.judges)
        self._judge, self._n_judges = preferences.judge, n_judges
        self.label = outcome + 1
        self.item = _renumbered((preferences.segment * n + first) * n + second)
        self.own_item = _renumbered(self.item * n_judges + preferences.judge)
        group = _renumbered(preferences.segment * n_judges + preferences.judge)
        twice = np.bincount(self.own_item)[self.own_item] > 1 if len(group) else np.zeros(0, dtype=bool)
        self.repeated = np.isin(group, group[twice])

    def pairs(self, item: Ints) -> tuple[int, int]:
        """Pairs of equal labels of one item, and all pairs."""
        same, all_ = np.bincount(item * 3 + self.label), np.bincount(item)
        return int((same * (same - 1) // 2).sum()), int((all_ * (all_ - 1) // 2).sum())

    def partners(self, item: Ints) -> tuple[Ints, Ints]:
        """For each label, the number of equal other labels of its item, and the number of all others."""
        key = item * 3 + self.label
        return np.bincount(key)[key] - 1, np.bincount(item)[item] - 1

    def ties(self, chosen: slice | NDArray[np.bool_]) -> tuple[int, int]:
        """Number of ties among some labels, and number of these labels."""
        labels = self.label[chosen]
        return int((labels == 1).sum()), len(labels)

    def by_judge(self, values: Ints) -> list[int]:
        """Sums of a value of each label, by judge."""
        sums: list[int] = np.bincount(self._judge, values, self._n_judges).astype(np.int64).tolist()
        return sums

    def first_of(self, item: Ints) -> Ints:
        """The first label of each item."""
        return np.unique(item, return_index=True)[1]


def _renumbered(keys: Ints) -> Ints:
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)
