"""Stroppa & Owczarzak 2007, "A cluster-based representation for multi-system MT evaluation".

Tables 1 and 2, Figures 2 to 5. The outputs and judgements of IWSLT06 are not among the data. WMT12 stands in for them,
with human preferences instead of adequacy and fluency; those are on WMT07, for which there are judgements only
(``stroppa_aspects``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import stroppa_aspects
from stroppa_aspects import LEVELS, RESAMPLES, in_words
from tables import markdown, shown

import mtassay
from mtassay.data import load, load_judgements
from mtassay.errors import counted
from mtassay.judging.preference_clusters import randomisation_p
from mtassay.judging.wins import expected_wins
from mtassay.report.document import Cell
from mtassay.stats.clusters import cluster
from mtassay.stats.intervals import percentile
from mtassay.stats.ranking_agreement import outcomes, rand_index, similarity
from mtassay.verbs.rank import ALPHAS as SWEPT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from mtassay.data.judgements import Preferences
    from mtassay.stats.clusters import Clustering
    from mtassay.verbs.rank import RankResult

METRICS = ("BLEU", "NIST", "METEOR", "GTM")
LEVEL = 0.05
#: Of pairs of systems, for the interval of a difference.
PAIR_RESAMPLES, SEED = 10_000, 12345
#: Published: S of metrics with fluency and with adequacy, by track.
TABLE_1 = {
    "SS-ASR": ((0.47, 0.0, 0.0, -0.13), (0.4, 0.6, 0.53, 0.6)),
    "RS-ASR": ((0.47, 0.4, 0.33, 0.2), (0.33, 0.27, 0.13, 0.2)),
    "RS-CRR": ((0.73, 0.4, 0.53, 0.33), (0.47, 0.27, 0.26, 0.33)),
    "Mixed Track": ((0.58, 0.34, 0.39, 0.31), (0.70, 0.64, 0.71, 0.70)),
}
TABLE_2 = {
    ("BLEU", "NIST"): 0.64,
    ("BLEU", "METEOR"): 0.77,
    ("NIST", "METEOR"): 0.79,
    ("BLEU", "GTM"): 0.70,
    ("NIST", "GTM"): 0.79,
    ("METEOR", "GTM"): 0.86,
}


@dataclass(frozen=True, eq=False)
class Track:
    """All directions of WMT12 into one language: they have the same reference, as the paper's tracks have.

    Attributes:
        name: such as ``into en``.
        ranked: systems of all directions together under the paper's metrics.
        directions: by name, places of the systems in `ranked`.
        preferences: by name of the direction.
    """

    name: str
    ranked: RankResult
    directions: dict[str, list[int]]
    preferences: dict[str, Preferences]

    def metrics(self, direction: str | None, level: float) -> list[NDArray[np.bool_]]:
        """Which system is better than which under each metric, in one direction or in all together."""
        places = list(range(len(self.ranked.systems))) if direction is None else self.directions[direction]
        return [comparison.better_at(level)[np.ix_(places, places)] for comparison in self.ranked.compared.comparisons]

    def humans(self, direction: str, level: float) -> Clustering:
        """Clusters by the same test over judgements: exact, one-sided, whole segments exchanged."""
        wins, ties = self.preferences[direction].counts()
        return cluster(expected_wins(wins, ties), _p(self.preferences[direction]) <= level)


@cache
def _p(preferences: Preferences) -> Any:
    return randomisation_p(preferences, unit="segment", sides=1)


@cache
def tracks(data: Path) -> list[Track]:
    """What is at hand of WMT12."""
    together: dict[tuple[str, bytes], list[Path]] = {}
    for path in sorted((data / "wmt12").glob("*/ref")):
        together.setdefault((path.parent.name.partition("-")[2], path.read_bytes()), []).append(path.parent)
    judgements = data / "wmt12" / "wmt12.RNK_results.csv"
    return [_track(target, folders, judgements) for (target, _), folders in together.items()]


def _track(target: str, folders: Sequence[Path], judgements: Path) -> Track:
    texts: dict[str, Sequence[str]] = {}
    directions, preferences = {}, {}
    for folder in folders:
        testset = load(folder)
        read = load_judgements(judgements, lp=folder.name, testset=testset).preferences()
        directions[folder.name] = list(range(len(texts), len(texts) + len(read.systems)))
        preferences[folder.name] = read
        prefix = f"{folder.name} " if len(folders) > 1 else ""
        texts |= {prefix + system: testset.systems[system] for system in read.systems}
    meteor = "meteor" if target == "en" else f"meteor:lang={target}"
    ranked = mtassay.rank(
        testset.references, texts, metrics=["bleu", "nist", meteor, "gtm"], sides=1, resamples=RESAMPLES
    )
    return Track(f"into {target}", ranked, directions, preferences)


def run(data: Path) -> str:
    """The page."""
    found = tracks(data)
    parts = [_introduction(found), _table_1(found), _table_2(found), _figure_3(found), _figures_4_5(found)]
    return "\n\n".join([*parts, stroppa_aspects.page(data)])


def draw(data: Path, folder: Path) -> None:
    """The pictures: agreement with people by level, and clusters."""
    from curves import draw as draw_curves

    panels = {
        f"WMT12 {direction}": _swept(track, direction) for track in tracks(data) for direction in track.directions
    }
    caption = (
        "Agreement S(C, D) of clusters under each metric with clusters from human preferences. One-sided approximate "
        f"randomisation of segments, {RESAMPLES:,} resamples; of preferences, exact."
    )
    labels = ("significance level α", "S(C, D)")
    draw_curves(folder / "stroppa-levels.svg", panels, SWEPT, labels=labels, caption=caption, columns=3)
    smallest = min(tracks(data), key=lambda track: len(track.ranked.systems))
    smallest.ranked.plot(folder / "stroppa-clusters.svg", kind="clusters")
    stroppa_aspects.draw(data, folder)


def _swept(track: Track, direction: str) -> dict[str, list[float]]:
    """S of each metric with people at all levels."""
    lines: dict[str, list[float]] = {metric: [] for metric in METRICS}
    for level in SWEPT:
        human = track.humans(direction, level).better
        for metric, relation in zip(METRICS, track.metrics(direction, level), strict=True):
            lines[metric].append(similarity(relation, human))
    return lines


def _introduction(found: Sequence[Track]) -> str:
    directions = [
        f"{direction} ({len(places)} systems, {len(track.preferences[direction].strict()):,} strict preferences)"
        for track in found
        for direction, places in track.directions.items()
    ]
    mixed = max(found, key=lambda track: len(track.ranked.systems))
    return f"""\
# Stroppa & Owczarzak 2007: clusters of systems

Systems without a significant difference share a cluster, and a system may be in several. S(C, D) compares two \
clusterings of the same systems: 1 for a pair with the same outcome, −1 for opposite outcomes, 0 otherwise, the \
mean over pairs.

**Limits.** The paper's data, IWSLT06 Chinese–English (6 systems in each of three conditions, 7 references, \
adequacy and fluency of every output), are not among the data. WMT12 stands in: {"; ".join(directions)}; 3,003 \
segments, one reference, and preferences between outputs instead of adequacy and fluency. So published values stand \
beside ours to compare their pattern. As the paper merges its three conditions into a mixed track of 18 systems, all \
systems {mixed.name} are merged here, since they share a reference: {len(mixed.ranked.systems)} systems. People \
compared systems of one direction only, so the mixed track has no human clusters.

The test is the paper's: one-sided approximate randomisation of segments, with {RESAMPLES:,} resamples, not 1,000, \
and p = (c + 1)/(resamples + 1). For people, the preferences between two systems in a segment are exchanged, and p is \
exact. METEOR is version 1.5, the others are those of mteval and GTM with exponent 1. Level .05 unless said."""


def _table_1(found: Sequence[Track]) -> str:
    rows, similarities, of_pairs = [], [], []
    for track in found:
        for direction, places in track.directions.items():
            human = track.humans(direction, LEVEL).better
            relations = track.metrics(direction, LEVEL)
            values = [similarity(relation, human) for relation in relations]
            similarities.append(values)
            of_pairs.append(_of_pairs(relations, human))
            rows.append(_row(f"WMT12 {direction}, preferences ({len(places)} systems)", values))
            rands = [rand_index(relation, human) for relation in relations]
            rows.append([f"WMT12 {direction}, Rand index", *(shown(value, 2) for value in rands)])
    every = np.concatenate(of_pairs, axis=1)
    pooled = np.round(every.mean(axis=1), 9).tolist()
    rows.append(_row(f"WMT12, all {every.shape[1]} pairs of systems of one direction", pooled))
    for track, aspects in TABLE_1.items():
        rows += [
            _row(f"IWSLT06 {track}, {aspect}, published", values)
            for aspect, values in zip(("fluency", "adequacy"), aspects, strict=True)
        ]
    wins = sum(values[0] == max(values) for values in similarities)
    return f"""\
## Table 1: metrics and people

S(C, D) of the clusters under each metric with those from people; the best of a row is bold.

{markdown(("", *METRICS), rows)}

{_who_is_best(every)} BLEU is best, alone or with others, in {wins} of {len(similarities)} directions. In the paper \
BLEU agrees best with fluency throughout, and with adequacy in two of three conditions."""


def _of_pairs(relations: Sequence[NDArray[np.bool_]], human: NDArray[np.bool_]) -> NDArray[np.int64]:
    """What each pair of systems adds to S under each metric: 1, 0 or -1, shape (metrics, pairs)."""
    people = outcomes(human)
    of_metrics = np.array([outcomes(relation) for relation in relations])
    added: NDArray[np.int64] = (of_metrics == people).astype(np.int64) - (of_metrics * people == -1)
    return added


def _who_is_best(every: NDArray[np.int64]) -> str:
    """Which metrics have the highest S over all pairs, and whether that is more than chance."""
    n_pairs = every.shape[1]
    sums = every.sum(axis=1)
    best, last = int(sums.argmax()), int(sums.argmin())
    names = " and ".join(METRICS[place] for place in np.flatnonzero(sums == sums[best]))
    drawn = np.random.default_rng(SEED).integers(n_pairs, size=(PAIR_RESAMPLES, n_pairs))
    low, high = percentile((every[best] - every[last])[drawn].mean(axis=1), LEVEL)
    n_apart = int((every[best] != every[last]).sum())
    verdict = "so the order of the metrics may be chance" if low <= 0 else "so the two differ"
    return (
        f"Over all {n_pairs} pairs S is highest for {names}, {shown(sums[best] / n_pairs, 2)}, and lowest for "
        f"{METRICS[last]}, {shown(sums[last] / n_pairs, 2)}: {sums[best] - sums[last]} of {n_pairs}, where "
        f"{METRICS[best]} and {METRICS[last]} differ about {counted(n_apart, 'pair')}. The "
        f"95 % interval of the difference is [{shown(low, 2)}, {shown(high, 2)}] "
        f"({PAIR_RESAMPLES:,} resamples of pairs, "
        f"which share systems, so that it is too narrow if anything), {verdict}."
    )


def _row(label: str, values: Sequence[float]) -> list[str | Cell]:
    return [label, *(Cell(shown(value, 2), best=value == max(values)) for value in values)]


def _table_2(found: Sequence[Track]) -> str:
    mixed = max(found, key=lambda track: len(track.ranked.systems))
    columns = {f"mixed {mixed.name} ({len(mixed.ranked.systems)})": mixed.metrics(None, LEVEL)}
    people = []
    for track in found:
        for direction, places in track.directions.items():
            relations = track.metrics(direction, LEVEL)
            columns[f"{direction} ({len(places)})"] = relations
            people.append([similarity(one, track.humans(direction, LEVEL).better) for one in relations])
    rows = []
    for pair, published in TABLE_2.items():
        first, second = (METRICS.index(metric) for metric in pair)
        here = [shown(similarity(relations[first], relations[second]), 2) for relations in columns.values()]
        rows.append([" – ".join(pair), shown(published, 2), *here])
    own = list(columns.values())[1:]
    between = [[similarity(one, other) for one, other in combinations(relations, 2)] for relations in own]
    above = sum(min(values) > max(with_people) for values, with_people in zip(between, people, strict=True))
    return f"""\
## Table 2: metrics and metrics

S(C, D) between metrics; numbers of systems in brackets.

{markdown(("", "mixed, published (18)", *columns), rows)}

The paper finds that metrics agree more with each other than with people. Here the mean S between metrics in a \
direction is {shown(float(np.mean(between)), 2)}, and between a metric and people \
{shown(float(np.mean(people)), 2)}; in {above} of {len(own)} directions every two metrics agree more \
than any metric with people."""


def _figure_3(found: Sequence[Track]) -> str:
    track, direction = min(
        ((track, direction) for track in found for direction in track.directions),
        key=lambda place: len(place[0].directions[place[1]]),
    )
    systems = track.preferences[direction].systems
    rows = [[shown(level), in_words(track.humans(direction, level), systems)] for level in LEVELS]
    names = [(one, name) for one in found for name in one.directions]
    header = ("p", *(f"{name} {who}" for _, name in names for who in ("people", *METRICS)))
    counts = []
    for level in LEVELS:
        row = [shown(level)]
        for one, name in names:
            places = one.directions[name]
            row.append(str(len(one.humans(name, level).clusters)))
            for clustering, relation in zip(one.ranked.clusterings, one.metrics(name, level), strict=True):
                row.append(str(len(cluster(clustering.scores[places], relation).clusters)))
        counts.append(row)
    whole = sum(cell == "1" for cell in counts[0][1:])
    return f"""\
## Figure 3: clusters by significance level

Clusters from people's preferences, {direction}, the best first:

{markdown(("p", "clusters"), rows, n_labels=2)}

Number of clusters:

{markdown(header, counts)}

At p = .001 the paper's Figure 3 has a single cluster, by fluency and by adequacy; here {whole} of \
{len(counts[0]) - 1} clusterings have. An α in this one-sided test is nearly 2α in a two-sided one."""


def _figures_4_5(found: Sequence[Track]) -> str:
    lines = []
    for track in found:
        for direction in track.directions:
            swept = _swept(track, direction)
            spread = {metric: max(values[1:]) - min(values[1:]) for metric, values in swept.items()}
            widest = max(spread, key=lambda metric: spread[metric])
            heights = np.round(np.array(list(swept.values()))[:, 1:], 9)
            lines.append(
                f"- {direction}: from p = .002 to .05 S changes most for {widest}, by {shown(spread[widest], 2)}; "
                f"{_always_best(heights)}."
            )
    smallest = min(found, key=lambda track: len(track.ranked.systems))
    return f"""\
## Figures 4 and 5: agreement with people by significance level

The paper has fluency in one figure and adequacy in the other; here there is one panel for each direction. It finds \
little variation between .002 and .05.

![S(C, D) with people by significance level](stroppa-levels.svg)

{chr(10).join(lines)}

Clusters {smallest.name} under the four metrics:

![Clusters under four metrics](stroppa-clusters.svg)"""


def _always_best(heights: NDArray[np.float64]) -> str:
    """Which metric is best at every α, and who shares that place at some."""
    best = heights == heights.max(axis=0)
    always = np.flatnonzero(best.all(axis=1)).tolist()
    if not always:
        return "no metric is best at every α"
    shared = {METRICS[row]: int(of.sum()) for row, of in enumerate(best) if row not in always and of.any()}
    beside = "".join(f", together with {name} at {n} of {best.shape[1]}" for name, n in shared.items())
    are = "is" if len(always) == 1 else "are"
    return f"{' and '.join(METRICS[row] for row in always)} {are} best at every α{beside}"
