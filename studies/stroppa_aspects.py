"""Clusters of systems by adequacy and by fluency, on the judgements of WMT07 (no outputs are at hand).

As in the paper, scores of segments are exchanged between two systems; here each pair has the segments on which both
were judged. Scores of judges on different scales are made comparable first (Blatz et al. 2003), or taken as they are.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from tables import markdown, shown

import mtassay
from mtassay.data import load_judgements
from mtassay.judging.assessments import even_out, segment_scores
from mtassay.stats.clusters import cluster
from mtassay.stats.ranking_agreement import outcomes, rand_index, similarity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.judgements import Scores
    from mtassay.stats.clusters import Clustering
    from mtassay.verbs.rank import RankResult

ASPECTS = ("adequacy", "fluency")
LANGUAGES = {"Czech": "cs", "English": "en", "French": "fr", "German": "de", "Spanish": "es"}
RESAMPLES = 20_000
#: Levels of the paper's Figure 3.
LEVELS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)


@dataclass(frozen=True, eq=False)
class Judged:
    """One direction and domain.

    Attributes:
        name: languages and domain.
        n: judged outputs.
        evened: ranking by adequacy and by fluency, judges made comparable.
        raw: the same with scores as they are.
    """

    name: str
    n: int
    evened: RankResult
    raw: RankResult


@cache
def judged(data: Path) -> list[Judged]:
    """All directions and domains of WMT07 that have scores of adequacy and fluency."""
    path = data / "wmt07-11" / "wmt07.judgements.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        tasks = sorted({row["TASK"] for row in csv.DictReader(lines) if row["TYPE"] == "NIST"})
    found = []
    for task in tasks:
        _, languages, domain = task.split(" ", 2)
        lp = "-".join(LANGUAGES[name] for name in languages.split("-"))
        scores = [load_judgements(path, lp=lp, domain=domain, task=aspect) for aspect in ASPECTS]
        n = len(scores[0])
        found.append(Judged(f"{lp} {domain}", n, _ranked([even_out(one) for one in scores]), _ranked(scores)))
    return found


def _ranked(aspects: Sequence[Scores]) -> RankResult:
    """Rank systems by scores of their segments, as scores in a file are ranked."""
    systems, segments = (
        list(dict.fromkeys(name for scores in aspects for name in getattr(scores, kind)))
        for kind in ("systems", "segments")
    )
    with TemporaryDirectory() as folder:
        metrics = []
        for scores in aspects:
            path = Path(folder) / f"{scores.aspect}.seg.score"
            path.write_text(_as_file(scores, systems, segments), encoding="utf-8")
            metrics.append(f"file:{path}")
        texts = dict.fromkeys(systems, [""] * len(segments))
        return mtassay.rank([[""] * len(segments)], texts, metrics=metrics, sides=1, resamples=RESAMPLES)


def _as_file(scores: Scores, systems: Sequence[str], segments: Sequence[str]) -> str:
    """Scores of segments as a file of scores has them, system by system; None if there is none."""
    means = segment_scores(scores)
    known = {
        (system, segment): float(means[x, y])
        for x, system in enumerate(scores.systems)
        for y, segment in enumerate(scores.segments)
        if not np.isnan(means[x, y])
    }
    return "".join(f"{system}\t{known.get((system, segment))}\n" for system in systems for segment in segments)


def page(data: Path) -> str:
    """The part of the page."""
    sets = judged(data)
    if not sets:
        return "## Adequacy and fluency: WMT07\n\nThere are no judgements of WMT07 here."
    rows, told, similarities = [], [], []
    for one in sets:
        relations = [clustering.better for clustering in one.evened.clusterings]
        raw = [clustering.better for clustering in one.raw.clusterings]
        n_units = min(int(comparison.n_units.min()) for comparison in one.evened.compared.comparisons)
        n_told = [int(np.abs(outcomes(relation)).sum()) for relation in relations]
        told.append(n_told)
        similarities.append(similarity(*relations))
        rows.append(
            (
                one.name,
                str(len(one.evened.systems)),
                f"{one.n:,}",
                str(n_units),
                str(len(outcomes(relations[0]))),
                *map(str, n_told),
                *(str(len(clustering.clusters)) for clustering in one.evened.clusterings),
                shown(similarities[-1], 2),
                shown(rand_index(*relations), 2),
                shown(similarity(*raw), 2),
            )
        )
    header = ("", "systems", "outputs", "least segments", "pairs", "different: ad.", "fl.", "clusters: ad.", "fl.")
    table = markdown((*header, "S(ad., fl.)", "Rand", "S, raw scores"), rows)
    more = sum(fluency > adequacy for adequacy, fluency in told)
    fewer = sum(fluency < adequacy for adequacy, fluency in told)
    breaches = sum(len(clustering.breaches) for one in sets for clustering in one.evened.clusterings)
    shown_set = _shown(sets)
    return f"""\
## Adequacy and fluency: WMT07, judgements only

Clusters by scores of adequacy and of fluency (1 to 5, mapped to each judge's own distribution), one-sided approximate \
randomisation of segments, {RESAMPLES:,} resamples, α = .05. Two systems are compared on segments where both were \
judged, at least so many as the column says. S is the Rand index where no pair has opposite outcomes. The last column \
has scores as they are.

{table}

By fluency more pairs differ significantly than by adequacy in {more} of {len(sets)} sets, fewer in {fewer}; the \
paper finds that systems differ more clearly in fluency. S(adequacy, fluency) has mean \
{shown(float(np.mean(similarities)), 2)}, from \
{shown(min(similarities), 2)} to {shown(max(similarities), 2)}; the paper's example in its Figure 1 has .67. Since \
pairs are compared on different segments, {breaches} pairs of clusters in all {2 * len(sets)} rankings have an order \
that the tests do not support.

Figure 2, for {shown_set.name}:

![Clusters by adequacy and by fluency](stroppa-aspects.svg)

Figure 3, the same systems at the paper's values of α:

{_levels(shown_set)}"""


def draw(data: Path, folder: Path) -> None:
    """The picture of one set, in the manner of the paper's Figure 2."""
    sets = judged(data)
    if sets:
        _shown(sets).evened.plot(folder / "stroppa-aspects.svg", kind="clusters")


def _shown(sets: Sequence[Judged]) -> Judged:
    """The set that is shown whole: the most systems, then the most judgements."""
    return max(sets, key=lambda one: (len(one.evened.systems), one.n))


def _levels(one: Judged) -> str:
    rows = []
    for level in LEVELS:
        found = [
            cluster(clustering.scores, comparison.better_at(level))
            for clustering, comparison in zip(one.evened.clusterings, one.evened.compared.comparisons, strict=True)
        ]
        rows.append([shown(level), *(in_words(clustering, one.evened.systems) for clustering in found)])
    return markdown(("p", *ASPECTS), rows, n_labels=3)


def in_words(clustering: Clustering, systems: Sequence[str]) -> str:
    """Clusters from the best to the worst."""
    return " ".join(f"({', '.join(systems[member] for member in members)})" for members in clustering.clusters)
