"""The conclusions of tests, in sentences.

No sentence claims more than the numbers support: if no difference was found, systems are not called equal, and a claim
names the metric, the largest p-value behind it, and the adjustment.
"""

from __future__ import annotations

from math import ceil, isnan
from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import counted
from mtassay.report.wording import UNIT_NAMES, headings, listed, names, number, p_at_most, p_value, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mtassay.stats.clusters import Clustering
    from mtassay.types import Array
    from mtassay.verbs.compare import CompareResult, Comparison
    from mtassay.verbs.power import PairPower, PowerResult
    from mtassay.verbs.rank import RankResult

#: Up to this many systems, all pairs are named; with more systems, only the best systems and counts.
_MOST_SYSTEMS = 5
#: Largest numbers of names in a list, of pairs on which metrics disagree, and of clusters in a sentence.
_MOST_NAMES, _MOST_PAIRS, _MOST_CLUSTERS = 8, 3, 6
_ADJUSTMENTS = {"none": "", "holm": ", Holm", "bh": ", Benjamini–Hochberg"}
#: Descriptions of clusters by criterion: if there is one cluster, one per system, or several.
_CLUSTERS = {
    "test": {
        "one": "no two of the {} systems differ significantly",
        "every": "all {} systems differ significantly from each other",
        "some": "that do not differ significantly",
    },
    "intervals": {
        "one": "the intervals of any two of the {} systems overlap",
        "every": "the intervals of no two of the {} systems overlap",
        "some": "whose intervals overlap",
    },
}


def comparison_sentences(result: CompareResult) -> list[str]:
    """Which systems are significantly better under each metric, and where metrics disagree."""
    if len(result.systems) == 1:
        return [f"There is one system, {result.systems[0]}, and nothing to compare it with."]
    metrics = headings([comparison.metric for comparison in result.comparisons], arrows=False)
    found = []
    for metric, comparison in zip(metrics, result.comparisons, strict=True):
        if result.baseline is not None:
            claims = _against_baseline(result, comparison, result.baseline)
        elif len(result.systems) > _MOST_SYSTEMS:
            claims = _best_and_counts(result, comparison)
        else:
            claims = _all_pairs(result, comparison)
        found.append(f"By {metric}, {'; '.join(claims)}.")
    if len(metrics) > 1:
        found += _agreement(result, metrics)
    if result.adjust == "none" and len(result.pairs) > 1:
        each = " of each metric" if len(metrics) > 1 else ""
        found.append(f"The p-values are not adjusted for the {len(result.pairs)} comparisons{each}.")
    return found


def rank_sentences(result: RankResult) -> list[str]:
    """The clusters of each metric."""
    metrics = headings(result.metrics, arrows=False)
    return [
        f"By {metric}, {_clusters(result, clustering)}."
        for metric, clustering in zip(metrics, result.clusterings, strict=True)
    ]


def power_sentences(result: PowerResult, pair: PairPower) -> list[str]:
    """The difference that a test set like the pilot can show, and the size that the simulated difference needs."""
    design, curve, unit = result.design, pair.curve, UNIT_NAMES[result.unit]
    wanted = f"with {percent(design.power)} probability"
    place = int(np.argmin(np.abs(np.array(design.sizes) - pair.n_units)))
    size = counted(design.sizes[place], unit)
    detectable = float(curve.detectable[place])
    systems = f"between {pair.better} and {pair.worse}"
    if isnan(detectable):
        first = f"With {size} no difference {systems} that their outputs can have would be found {wanted}."
    else:
        first = f"With {size} a difference of {_amount(detectable, pair)} {systems} would be found {wanted}."
    return [first, _needed(result, pair, wanted)]


def _needed(result: PowerResult, pair: PairPower, wanted: str) -> str:
    """How large a test set must be to find the simulated difference."""
    design, curve, unit = result.design, pair.curve, UNIT_NAMES[result.unit]
    if curve.difference <= 0:
        return "No difference between their scores was observed."
    amount = _amount(curve.difference, pair)
    true = f"A true difference of {amount}" + ("" if result.difference is not None else ", as observed,")
    if (curve.power >= design.power).all():
        return (
            f"{true} would be found {wanted} or more in {counted(design.sizes[0], unit)}, the smallest simulated size."
        )
    if not isnan(curve.needed):
        return f"{true} would be found {wanted} in about {counted(ceil(curve.needed), unit)}."
    most = counted(design.sizes[-1], unit)
    return f"{true} would be found with {percent(round(float(curve.power[-1]), 2))} probability in {most}."


def _amount(difference: float, pair: PairPower) -> str:
    """A difference in a metric's scores.

    One more decimal than scores have: differences are smaller.
    """
    return f"{number(difference, pair.metric, width=pair.metric.digits + 1)} {pair.metric.label}"


def _all_pairs(result: CompareResult, comparison: Comparison) -> list[str]:
    """For every pair: which system is better, then the pairs without a significant difference."""
    order, better = comparison.ranked, comparison.better
    claims = []
    for x in order:
        if worse := [y for y in order if better[x, y]]:
            claims.append(
                f"{result.systems[x]} is significantly better than {_names(result, worse)} "
                f"({_p(result, comparison, [(x, y) for y in worse])})"
            )
    if not claims and len(order) > 2:
        return [f"no two of {_names(result, order)} differ significantly"]
    for place, x in enumerate(order):
        others = [y for y in order[place + 1 :] if not better[x, y] and not better[y, x]]
        if len(others) == 1:
            p = f" ({_p(result, comparison, [(x, others[0])])})" if len(order) == 2 else ""
            claims.append(f"{_names(result, [x, *others])} do not differ significantly{p}")
        elif others:
            claims.append(f"{result.systems[x]} does not differ significantly from {_names(result, others, 'or')}")
    return claims


def _best_and_counts(result: CompareResult, comparison: Comparison) -> list[str]:
    """The system that is better than all others, or those that none is better than; and how many pairs differ."""
    order, better = comparison.ranked, comparison.better
    found = [(x, y) for x in order for y in order if better[x, y]]
    n_pairs = len(result.pairs)
    if not found:
        return [f"none of the {n_pairs} pairs of systems differ significantly"]
    best = [x for x in order if not better[:, x].any()]
    differ = "differs" if len(found) == 1 else "differ"
    others = [(best[0], y) for y in order if y != best[0]]
    if all(better[pair] for pair in others):
        first = f"{result.systems[best[0]]} is significantly better than every other system"
        first += f" ({_p(result, comparison, others)})"
    else:
        first = f"no system is significantly better than {_names(result, best, 'or')}"
    return [
        first,
        f"{len(found)} of {n_pairs} pairs {differ} significantly ({_p(result, comparison, found)})",
    ]


def _against_baseline(result: CompareResult, comparison: Comparison, baseline: str) -> list[str]:
    """Which systems are better and worse than the baseline."""
    base = result.systems.index(baseline)
    others = [x for x in comparison.ranked if x != base]
    above = [x for x in others if comparison.better[x, base]]
    below = [x for x in others if comparison.better[base, x]]
    rest = [x for x in others if x not in above and x not in below]
    claims = []
    for group, word, pairs in (
        (above, "better", [(x, base) for x in above]),
        (below, "worse", [(base, x) for x in below]),
    ):
        if group:
            p = _p(result, comparison, pairs)
            claims.append(f"{_are(result, group)} significantly {word} than the baseline {baseline} ({p})")
    if rest:
        do = "does" if len(rest) == 1 else "do"
        claims.append(f"{_names(result, rest)} {do} not differ significantly from the baseline {baseline}")
    return claims


def _agreement(result: CompareResult, metrics: Sequence[str]) -> list[str]:
    """On which pairs metrics come to different conclusions."""
    outcomes = np.array(
        [[int(c.better[x, y]) - int(c.better[y, x]) for x, y in result.pairs] for c in result.comparisons]
    )
    opposite = (outcomes.max(axis=0) > 0) & (outcomes.min(axis=0) < 0)
    some = (outcomes != 0).any(axis=0) & (outcomes == 0).any(axis=0) & ~opposite
    said = []
    for pairs, what in (
        (np.flatnonzero(opposite), "metrics contradict each other"),
        (np.flatnonzero(some), "some metrics find a significant difference and others do not"),
    ):
        if len(pairs) > _MOST_PAIRS:
            said.append(f"On {len(pairs)} of {len(result.pairs)} pairs {what}.")
        else:
            said += [_conclusions(result, metrics, int(pair), outcomes[:, pair]) for pair in pairs]
    if said:
        return said
    n_pairs = len(result.pairs)
    return [f"The metrics lead to the same conclusion{'' if n_pairs == 1 else f's on all {n_pairs} pairs'}."]


def _conclusions(result: CompareResult, metrics: Sequence[str], pair: int, outcomes: Array) -> str:
    """What each metric concludes about a pair on which they disagree."""
    x, y = (result.systems[s] for s in result.pairs[pair])
    by = {sign: listed([m for m, o in zip(metrics, outcomes, strict=True) if o == sign]) for sign in set(outcomes)}
    claims = [
        f"{better} is significantly better than {worse} by {by[sign]}"
        for sign, better, worse in ((1, x, y), (-1, y, x))
        if sign in by
    ]
    return ", and ".join(claims) + (f", not by {by[0]}" if 0 in by else "") + "."


def _clusters(result: RankResult, clustering: Clustering) -> str:
    """The clusters of one metric, without claims about their order that the tests do not support."""
    words = _CLUSTERS[result.criterion]
    clusters = [_named([result.systems[s] for s in members]) for members in clustering.clusters]
    n_systems = len(result.systems)
    if len(clusters) == 1:
        return words["one"].format(n_systems)
    if all(len(members) == 1 for members in clustering.clusters):
        return f"{words['every'].format(n_systems)}: {_named(clusters)}, best first"
    said = f"there are {len(clusters)} clusters of systems {words['some']}"
    said += f": {'; '.join(clusters)}" if len(clusters) <= _MOST_CLUSTERS else f", the first of them {clusters[0]}"
    if len(clustering.breaches) == 1:
        [breach] = clustering.breaches
        said += f" (the tests do not support the order of clusters {breach.first + 1} and {breach.second + 1})"
    elif clustering.breaches:
        said += f" (the tests do not support the order of {len(clustering.breaches)} pairs of clusters)"
    return said


def _p(result: CompareResult, comparison: Comparison, pairs: Sequence[tuple[int, int]]) -> str:
    """The p-value of a pair, or an upper bound for several pairs."""
    values = [float(comparison.adjusted[pair]) for pair in pairs]
    shown = f"p = {p_value(values[0])}" if len(values) == 1 else f"p ≤ {p_at_most(max(values))}"
    return shown + _ADJUSTMENTS[result.adjust]


def _are(result: CompareResult, systems: Sequence[int]) -> str:
    return f"{_names(result, systems)} {'is' if len(systems) == 1 else 'are'}"


def _names(result: CompareResult, systems: Iterable[int], conjunction: str = "and") -> str:
    return _named([result.systems[s] for s in systems], conjunction)


def _named(systems: Sequence[str], conjunction: str = "and") -> str:
    """Names of systems; if there are many, only the first and a count."""
    if len(systems) > _MOST_NAMES:
        return names(systems, _MOST_NAMES)
    return listed(systems, conjunction)
