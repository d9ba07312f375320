"""Correlations of the WMT13 metrics task, computed anew: a recipe for each row, and all rows of a direction.

A direction is a folder ``wmt13/XX-YY`` with references, system outputs and judgements (``rankings5way.train.csv`` or
``pairs.tsv``). Put another one beside these and the study has it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from wmt13_linguistic import LINGUISTIC
from wmt13_published import SYSTEM_LEVEL
from wmt13_recipes import STRINGS, Recipe

import mtassay
from mtassay.data import Rankings, TestSet, load_judgements
from mtassay.judging.rank_ranges import rank_ranges
from mtassay.judging.wins import win_ratio
from mtassay.stats.correlations import correlation
from mtassay.stats.intervals import percentile
from mtassay.stats.kendall import preference_counts
from mtassay.text import get_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mtassay.data import Preferences
    from mtassay.judging.rank_ranges import RankRanges
    from mtassay.types import Floats, Ints

JUDGEMENTS = ("rankings5way.train.csv", "pairs.tsv")
#: 1 − confidence of the paper's intervals.
LEVEL = 0.05
#: ± is a difference of two quantiles of a few discrete values: how often all resamples are repeated to see its spread.
SEEDS = 21
RECIPES = (*STRINGS, *LINGUISTIC)


@dataclass(frozen=True, eq=False)
class Direction:
    """What was computed for a direction.

    Attributes:
        recipes: those that could be computed, one for each row of the arrays.
        name: as in ``fr-en``.
        screens: where the judgements came from.
        n_systems: number of systems that people judged.
        n_pairs: number of strict preferences.
        rho: Spearman's ρ, shape (rows,).
        drawn: the same for every draw of judgements, shape (rows, seeds, resamples).
        others: Pearson's r with human scores, with clusters and with fuzzy ranks, shape (rows, 3).
        tau: Kendall's τ of WMT13, shape (rows,).
        tau_of_all: that of WMT14, which counts ties of the metric, shape (rows,).
        ties: share of preferences that a metric ties, shape (rows,).
    """

    recipes: tuple[Recipe, ...]
    name: str
    screens: str
    n_systems: int
    n_pairs: int
    rho: Floats
    drawn: Floats
    others: Floats
    tau: Floats
    tau_of_all: Floats
    ties: Floats

    @property
    def half(self) -> Floats:
        """Half of ρ's interval, shape (rows, seeds)."""
        return half(self.drawn)


def half(drawn: Floats) -> Floats:
    """Half of the interval that holds 95 % of the resamples (..., resamples)."""
    low, high = np.moveaxis(percentile(drawn, LEVEL), -1, 0)
    width: Floats = high - low
    return width / 2


def folders(data: Path) -> list[Path]:
    """Directions that have all that is needed, in the paper's order."""
    names = [name for table in SYSTEM_LEVEL for name in table.directions]
    found = [data / "wmt13" / name for name in names]
    return [f for f in found if (f / "ref").exists() and (f / "hyp").is_dir() and judgement_file(f) is not None]


def judgement_file(folder: Path) -> Path | None:
    """The best file of judgements in a folder."""
    return next((folder / name for name in JUDGEMENTS if (folder / name).exists()), None)


def preferences_of(path: Path, testset: TestSet) -> tuple[Preferences, str]:
    """Preferences with the screens they belong to, and how these are known."""
    found: Any = load_judgements(path, testset=testset)
    if isinstance(found, Rankings):
        return found.preferences(), f"screens of `{path.name}`"
    # The file has no screens, but keeps their order: a run of lines about one segment is one (with few exceptions two).
    runs = np.cumsum(np.diff(found.segment, prepend=found.segment[0]) != 0)
    return replace(found, item=runs), f"runs of lines about one segment in `{path.name}`, which stand for screens"


def moses(testset: TestSet, target: str) -> TestSet:
    """Quotes in LaTeX's style made plain, then Moses' tokenizer, then lower case."""
    words = get_tokenizer(f"moses-{target}")

    def prepared(texts: Iterable[str | None]) -> list[str]:
        plain = ((text or "").replace("``", '"').replace("''", '"') for text in texts)
        return [" ".join(words(text)).lower() for text in plain]

    return TestSet(map(prepared, testset.references), {s: prepared(texts) for s, texts in testset.systems.items()})


def compute(folder: Path, *, recipes: Sequence[Recipe] = RECIPES, seeds: int = SEEDS) -> Direction:
    """Rows of one direction."""
    testset = mtassay.load(folder)
    path = judgement_file(folder)
    if path is None:
        raise mtassay.InputError(f"{folder} has no judgements")
    preferences, screens = preferences_of(path, testset)
    testset = testset.select(systems=preferences.systems)
    target = folder.name.partition("-")[2]
    texts = {"raw": testset}
    if any(recipe.text == "moses" for recipe in recipes):
        texts["moses"] = moses(testset, target)
    done, systems, segments = [], [], []
    for recipe in recipes:
        metric = recipe.metric(target, folder.parent.parent) if recipe.serves(target) else None
        if metric is None:
            continue
        (table,) = mtassay.score(texts[recipe.text], metrics=[metric]).tables
        done.append(recipe)
        scores = table.scores()
        systems.append(table.metric.sign * (scores if recipe.digits is None else scores.round(recipe.digits)))
        segments.append(table.metric.sign * table.segment_scores())
    return _direction(
        tuple(done), (folder.name, screens), preferences, np.array(systems), segments=np.array(segments), seeds=seeds
    )


def _direction(
    recipes: tuple[Recipe, ...],
    about: tuple[str, str],
    preferences: Preferences,
    systems: Floats,
    *,
    segments: Floats,
    seeds: int,
) -> Direction:
    humans = [rank_ranges(preferences, win_ratio, confidence=1 - LEVEL, seed=seed) for seed in range(seeds)]
    human = humans[0]
    gold = np.array([human.scores, -_cluster_numbers(human), -human.fuzzy_ranks()])
    drawn = np.stack([of_seed.drawn for of_seed in humans])
    strict = preferences.strict()
    counts = preference_counts(strict_pairs(strict), segments)
    return Direction(
        recipes,
        *about,
        systems.shape[1],
        len(strict),
        rho=correlation(human.scores, systems, kind="spearman"),
        drawn=correlation(drawn, systems[:, None, None], kind="spearman"),
        others=correlation(gold, systems[:, None], kind="pearson"),
        tau=counts.tau("wmt13"),
        tau_of_all=counts.tau("wmt14"),
        ties=counts.tie_share,
    )


def strict_pairs(strict: Preferences) -> tuple[Ints, Ints, Ints]:
    """Segment, better and worse system of every strict preference, numbers from 0."""
    segment = np.array([int(number) - 1 for number in strict.segments])[strict.segment]
    won = strict.outcome == 1
    better, worse = (np.where(won, *pair) for pair in ((strict.first, strict.second), (strict.second, strict.first)))
    return segment, better, worse


def _cluster_numbers(human: RankRanges) -> Floats:
    numbers = np.empty(len(human.scores))
    for number, members in enumerate(human.clusters(), 1):
        numbers[list(members)] = number
    return numbers
