"""Every code of the BLEU family against human preferences, and tests of one component against another.

A claim says that a component is better than another: it is a list of pairs of codes that differ in nothing else. Each
pair is tested by randomisation: what the two codes say of all preferences of a segment changes sides with probability
½, and the difference of τ is compared with the observed one, two-sided. Preferences of one segment share texts, so
that segments are what is exchanged, and what is resampled for intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mtassay.metrics import References, build_tables, parse
from mtassay.stats import resamples as drawing
from mtassay.stats.adjust import adjust
from mtassay.stats.intervals import percentile
from mtassay.stats.kendall import PreferenceCounts
from mtassay.stats.weighted_sums import WeightedSums

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mtassay.data import TestSet
    from mtassay.data.judgements import Preferences
    from mtassay.types import Floats

    Pairs = list[tuple[str, str]]

ORDERS = (1, 2, 3, 4)
#: Scores that are closer are equal: the same shares, summed in another order.
DIGITS = 9
LEVEL = 0.05
SEED = 12345


class Member(NamedTuple):
    """A member of the family by its components, each as its letters in the code."""

    base: str
    mean: str
    penalty: str
    clip: str
    n: int
    marks: str

    @property
    def code(self) -> str:
        """The code; with unigrams alone both means are the same, and it has one name.

        >>> Member("P", "G", "B", "C", 4, "u").code, Member("R", "G", "", "C", 1, "").code
        ('PGBC4^u', 'RAC1')
        """
        mean = self.mean if self.n > 1 else "A"
        return f"{self.base}{mean}{self.penalty}{self.clip}{self.n}{'^' + self.marks if self.marks else ''}"


MEMBERS = tuple(
    Member(*parts)
    for parts in product("PRF", "AG", ("B", ""), ("C", ""), ORDERS, ("", "u", "b", "ub"))
    if "b" not in parts[-1] or parts[2]
)
CODES = tuple(dict.fromkeys(member.code for member in MEMBERS))


def finding(marks: str = "") -> dict[str, Pairs]:
    """The three parts of the paper's finding, each as pairs of codes of which the first should be better."""
    members = [member for member in MEMBERS if member.marks == marks]
    claims = {
        "recall ≥ precision": pairs((m for m in members if m.base == "R"), base="P"),
        "arithmetic ≥ geometric": pairs((m for m in members if m.mean == "A" and m.n > 1), mean="G"),
    }
    for n, what in ((1, "unigrams"), (2, "1–2-grams"), (3, "1–3-grams")):
        claims[f"{what} ≥ 1–4-grams"] = pairs((m for m in members if m.n == n), n=4)
    return claims


def further() -> dict[str, Pairs]:
    """What else the paper says of components."""
    smoothed = [member for member in MEMBERS if not member.marks]
    bare = [member for member in smoothed if not member.penalty]
    return {
        "clipping ≥ none": pairs((m for m in smoothed if m.clip), clip=""),
        "penalty ≥ none (P)": pairs((m for m in smoothed if m.base == "P" and m.penalty), penalty=""),
        "no penalty ≥ penalty (R, F)": pairs((m for m in bare if m.base != "P"), penalty="B"),
        "F ≥ P without penalty": pairs((m for m in bare if m.base == "F"), base="P"),
        "unsmoothed ≥ add-one counts (A)": pairs((m for m in MEMBERS if m.mean == "A" and m.marks == "u"), marks=""),
        "smoothed ≥ plain penalty": pairs((m for m in MEMBERS if m.marks == "b"), marks=""),
    }


def pairs(members: Iterable[Member], **change: Any) -> Pairs:
    """Each member's code with that of the member in which one component is changed."""
    return list(dict.fromkeys((member.code, member._replace(**change).code) for member in members))


@dataclass(frozen=True, eq=False)
class Family:
    """All codes on one test set.

    Attributes:
        systems: names.
        segment_scores: shape (codes, systems, segments).
        scores: of whole systems, shape (codes, systems).
    """

    systems: tuple[str, ...]
    segment_scores: Floats
    scores: Floats


def score_family(testset: TestSet, systems: Sequence[str], options: str) -> Family:
    """Score systems under every code; `options` are those of BLEU, such as ``tok=13a,case=lower``."""
    metrics = [parse(f"{name}:{options}") for name in CODES]
    texts = {system: testset.systems[system] for system in systems}
    tables = build_tables(References(testset.references), texts, metrics)
    segments = np.stack([table.segment_scores() for table in tables])
    return Family(tuple(systems), np.round(segments, DIGITS), np.stack([table.scores() for table in tables]))


def outcomes(family: Family, preferences: Preferences) -> Floats:
    """Concordant, discordant and tied preferences by code and segment, shape (3, codes, segments with any).

    Preferences are strict; their segments are the lines of the test set, numbered from 1 in their names.
    """
    line = np.array([int(name) - 1 for name in preferences.segments])[preferences.segment]
    place = np.array([family.systems.index(name) for name in preferences.systems])
    first, second = place[preferences.first], place[preferences.second]
    better = np.where(preferences.outcome > 0, first, second)
    worse = np.where(preferences.outcome > 0, second, first)
    order = np.argsort(line, kind="stable")
    starts = np.flatnonzero(np.diff(line[order], prepend=-1))
    difference = (
        family.segment_scores[:, better[order], line[order]] - family.segment_scores[:, worse[order], line[order]]
    )
    return np.stack(
        [
            np.add.reduceat(said.astype(np.float64), starts, axis=1)
            for said in (difference > 0, difference < 0, difference == 0)
        ]
    )


def tau(counts: Floats, variant: str = "wmt13") -> Floats:
    """τ of sums of outcomes, shape (3, ...) -> (...)."""
    return PreferenceCounts(*counts).tau(variant)


@dataclass(frozen=True)
class Verdict:
    """A claim, tested.

    Attributes:
        n: pairs of codes.
        higher: pairs in which the code that should be better has the higher τ.
        lower: pairs in which it has the lower one.
        surely_higher: pairs in which it is higher and p ≤ .05 after Holm's correction over the pairs.
        surely_lower: the same for lower.
        mean: mean difference of τ over the pairs.
        interval: its 95 % interval, from resampled segments.
        p: of the mean difference, two-sided.
    """

    n: int
    higher: int
    lower: int
    surely_higher: int
    surely_lower: int
    mean: float
    interval: tuple[float, float]
    p: float


def judge(counts: Floats, claims: Mapping[str, Pairs], *, variant: str = "wmt13", resamples: int) -> dict[str, Verdict]:
    """Test claims; `counts` as ``outcomes`` gives them, of one test set or of several side by side."""
    return {claim: _judge(counts, pairs, variant, resamples) for claim, pairs in claims.items()}


def _judge(counts: Floats, pairs: Pairs, variant: str, resamples: int) -> Verdict:
    first, second = (np.array([CODES.index(name) for name in side]) for side in zip(*pairs, strict=True))
    one, other = counts[:, first], counts[:, second]
    swapped = WeightedSums((other - one).reshape(-1, counts.shape[2]))
    totals = [side.sum(axis=2)[..., None] for side in (one, other)]

    def differences(weights: Any) -> Floats:
        moved = swapped(weights).reshape(3, len(pairs), -1)
        return tau(totals[0] + moved, variant) - tau(totals[1] - moved, variant)

    observed = differences(np.zeros((1, counts.shape[2])))
    reached = np.ones(len(pairs) + 1)
    draw = drawing.Swaps(counts.shape[2], resamples, seed=SEED)
    for numbers in drawing.blocks(resamples):
        simulated = differences(draw(numbers))
        reached += _as_far(np.vstack([simulated, simulated.mean(axis=0)]), np.vstack([observed, observed.mean()]))
    p = reached / (resamples + 1)
    sure = adjust(p[:-1], "holm") <= LEVEL
    gain = observed[:, 0]
    low, high = percentile(_resampled(one, other, variant), LEVEL).tolist()
    return Verdict(
        n=len(pairs),
        higher=int((gain > 0).sum()),
        lower=int((gain < 0).sum()),
        surely_higher=int((sure & (gain > 0)).sum()),
        surely_lower=int((sure & (gain < 0)).sum()),
        mean=float(gain.mean()),
        interval=(low, high),
        p=float(p[-1]),
    )


def _as_far(simulated: Floats, observed: Floats) -> Floats:
    return (np.abs(simulated) >= np.abs(observed) - 1e-12).sum(axis=1)


def _resampled(one: Floats, other: Floats, variant: str, resamples: int = 1000) -> Floats:
    """The mean difference of τ over pairs in resamples of segments, shape (resamples,)."""
    n_pairs, n_segments = one.shape[1:]
    sums = WeightedSums(np.concatenate([one, other]).reshape(-1, n_segments))
    draw = drawing.Resamples(n_segments, resamples, seed=SEED)
    parts = []
    for numbers in drawing.blocks(resamples):
        drawn = sums(draw(numbers)).reshape(2, 3, n_pairs, -1)
        parts.append((tau(drawn[0], variant) - tau(drawn[1], variant)).mean(axis=0))
    return np.concatenate(parts)
