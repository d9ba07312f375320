"""Classes of errors on WMT13: which separate the systems, and which correlate with human scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import t as student
from tables import markdown, shown
from wmt13_scores import LEVEL, folders, judgement_file, preferences_of, strict_pairs

import mtassay
from mtassay.errors import InputError
from mtassay.judging.rank_ranges import rank_ranges
from mtassay.judging.wins import win_ratio
from mtassay.metrics.linguistic.addicter_errors import KINDS
from mtassay.metrics.linguistic.terrorcat_features import FEATURE_NAMES, TAG_CLASSES, TerrorCatFeatures
from mtassay.stats.correlations import correlation
from mtassay.stats.intervals import percentile
from mtassay.stats.kendall import preference_counts

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.data import Preferences, TestSet
    from mtassay.types import Floats, Ints

ANNOTATOR = "hanta:en"
HJERSON = ("infl", "reord", "miss", "ext", "lex")
#: Number of features by part of speech that are shown.
N_BEST = 10
SEED = 1
ABOUT = {
    "Hjerson infl": "a word whose base the reference has, in another form",
    "Hjerson reord": "a word that stands elsewhere in the reference",
    "Hjerson miss": "a reference word without a counterpart",
    "Hjerson ext": "a word without a counterpart",
    "Hjerson lex": "a word in the place of another one",
    "Addicter miss": "a reference word that is not aligned",
    "Addicter extr": "a word that is not aligned",
    "Addicter untr": "a word that is not aligned and stands in the source",
    "Addicter lex-dis": "an aligned word of another lemma",
    "Addicter diffpos": "an aligned word of the same lemma and another tag",
    "Addicter infl": "an aligned word of the same lemma and tag in another form",
    "Addicter ord-s": "two words that are switched",
    "Addicter ord-l": "a word that is shifted over several others",
}


def _specs() -> dict[str, str]:
    """Metrics by the names of their rows."""
    specs = {f"{tool} all": f"{tool.lower()}:annotator={ANNOTATOR}" for tool in ("Hjerson", "Addicter")}
    classes = (("Hjerson", HJERSON), ("Addicter", KINDS))
    single = {f"{tool} {name}": f"{specs[f'{tool} all']},class={name}" for tool, names in classes for name in names}
    order = [name for tool in ("Hjerson", "Addicter") for name in (*single, f"{tool} all") if name.startswith(tool)]
    return {name: (specs | single)[name] for name in order}


@dataclass(frozen=True, eq=False)
class Found:
    """What was found for a direction; rows are those of `_specs`, all turned so that higher is better.

    Attributes:
        name: as in ``fr-en``.
        rates: rates of systems in per cent, shape (rows, systems).
        n_pairs: number of pairs of systems.
        separated: number of pairs that a test separates, shape (rows,).
        right: number of these in which the system with fewer errors has the higher human score, shape (rows,).
        rho: Spearman's ρ with human scores, shape (rows,).
        interval: its interval over resampled judgements, shape (rows, 2).
        tau: τ of segments by the rule of WMT13 and over all pairs, shape (2, rows).
        ties: share of preferences that a row ties, shape (rows,).
        features: τ over all pairs of TerrorCat's features, shape (261,).
    """

    name: str
    rates: Floats
    n_pairs: int
    separated: Ints
    right: Ints
    rho: Floats
    interval: Floats
    tau: Floats
    ties: Floats
    features: Floats


def run(data: Path) -> str:
    """The page."""
    found = [_of(folder) for folder in folders(data) if folder.name.endswith("-en")]
    if not found:
        raise InputError(f"{data / 'wmt13'} has no direction into English with outputs and judgements")
    return page(found)


def page(found: list[Found]) -> str:
    """The page for directions that were computed."""
    parts = [
        "# Classes of errors",
        "Which classes of errors separate the systems of WMT13, and which agree with people? Classes are those of "
        "[Hjerson](../metrics/hjerson.md) and [Addicter](../metrics/addicter.md), with HanTa's lemmas and tags "
        f"(`annotator={ANNOTATOR}`), as rates in per cent of the words. *All* is their sum.",
        markdown(("class", "an error is"), list(ABOUT.items()), n_labels=2),
        "- *Separated*: pairs of systems whose rates differ significantly, by approximate randomisation of segments, "
        f"two-sided, at {LEVEL} after Holm's correction over all pairs of a row; *right*: the share of these in which "
        "the system with fewer errors has the higher human score.\n"
        "- ρ: Spearman's correlation of the systems' rates with their shares of wins, turned so that fewer errors are "
        f"better; its {1 - LEVEL:.0%} interval is over resampled screens of judgements, with the systems as they are.\n"
        "- τ: Kendall's τ of segments with strict preferences, by the rule of WMT13, which ignores pairs that a class "
        "ties, and over all pairs.",
    ]
    for direction in found:
        parts += [f"## {direction.name}", _table(direction)]
    parts += ["## What was found", "\n".join(_sentences(found)), *_by_tag(found)]
    return "\n\n".join(parts)


def _of(folder: Path) -> Found:
    testset = mtassay.load(folder)
    path = judgement_file(folder)
    if path is None:
        raise InputError(f"{folder} has no judgements")
    preferences, _ = preferences_of(path, testset)
    return found_in(folder.name, testset.select(systems=preferences.systems), preferences)


def found_in(name: str, testset: TestSet, preferences: Preferences) -> Found:
    """Everything about one direction."""
    compared = mtassay.compare(testset, metrics=list(_specs().values()), adjust="holm", alpha=LEVEL, seed=SEED)
    tables = compared.scored.tables
    human = rank_ranges(preferences, win_ratio, confidence=1 - LEVEL, seed=SEED)
    rates = np.array([table.scores() for table in tables])
    better = np.array([comparison.better for comparison in compared.comparisons])
    agrees = human.scores[:, None] > human.scores[None]
    pairs = strict_pairs(preferences.strict())
    counts = preference_counts(pairs, np.array([-table.segment_scores() for table in tables]))
    (features,) = mtassay.score(testset, metrics=[TerrorCatFeatures(annotator=ANNOTATOR)]).tables
    of_features = np.moveaxis(np.asarray(features.statistics, dtype=np.float64)[..., :-1], -1, 0)
    return Found(
        name,
        rates,
        rates.shape[1] * (rates.shape[1] - 1) // 2,
        separated=better.sum(axis=(1, 2)),
        right=(better & agrees).sum(axis=(1, 2)),
        rho=correlation(human.scores, -rates, kind="spearman"),
        interval=percentile(correlation(human.drawn, -rates[:, None], kind="spearman"), LEVEL),
        tau=np.stack([counts.tau("wmt13"), counts.tau("wmt14")]),
        ties=counts.tie_share,
        features=preference_counts(pairs, -of_features).tau("wmt14"),
    )


def _table(found: Found) -> str:
    rows = []
    for n, name in enumerate(_specs()):
        low, high = found.interval[n]
        right = f"{found.right[n] / found.separated[n]:.0%}" if found.separated[n] else "–"
        rows.append(
            (
                name,
                f"{found.rates[n].min():.2f}–{found.rates[n].max():.2f}",
                f"{found.separated[n]} of {found.n_pairs}",
                right,
                f"{shown(found.rho[n])} [{shown(low)}, {shown(high)}]",
                *map(shown, found.tau[:, n]),
                f"{found.ties[n]:.0%}",
            )
        )
    return markdown(("class", "rates", "separated", "right", "ρ", "τ, WMT13", "τ, all pairs", "ties"), rows)


def _critical(n_systems: int) -> float:
    """The smallest |ρ| of so many independent systems that is significant, by Student's t."""
    t = float(student.ppf(1 - LEVEL / 2, n_systems - 2))
    return t / float(np.sqrt(n_systems - 2 + t * t))


def _sentences(found: list[Found]) -> list[str]:
    """What the tables say, in words."""
    names = list(_specs())
    single = [n for n, name in enumerate(names) if not name.endswith(" all")]
    lines = []
    for f in found:
        by_pairs = sorted(single, key=lambda n: -f.separated[n])
        by_rho = sorted(single, key=lambda n: -f.rho[n])
        by_tau = sorted(single, key=lambda n: -f.tau[1, n])
        least = _critical(f.rates.shape[1])
        open_ = [f"{names[n]} ({shown(f.rho[n])})" for n in single if abs(f.rho[n]) < least]
        lines.append(
            f"- {f.name}: most pairs of systems are separated by {_named(names, by_pairs, f.separated)}, fewest by "
            f"{names[by_pairs[-1]]} ({f.separated[by_pairs[-1]]}). With human scores of systems correlate most "
            f"{_named(names, by_rho, [shown(value) for value in f.rho])}; of segments, over all pairs, "
            f"{_named(names, by_tau, [shown(value) for value in f.tau[1]])}. With {f.rates.shape[1]} systems |ρ| must "
            f"be {shown(least)} to be significant at {LEVEL}"
            + (f", and is not for {', '.join(open_)}." if open_ else ".")
        )
    both = [names[n] for n in single if all(f.rho[n] >= _critical(f.rates.shape[1]) for f in found)]
    lines.append(
        f"- In every direction ρ is significant for {', '.join(both) if both else 'no class'}. The systems are few and "
        "the directions have the same references, so other systems may be separated by other classes."
    )
    return lines


def _named(names: list[str], order: list[int], values: Any) -> str:
    return ", ".join(f"{names[n]} ({values[n]})" for n in order[:3])


def _by_tag(found: list[Found]) -> list[str]:
    """Features of TerrorCat, errors by class of the word's tag, that agree most with preferences on average."""
    mean = np.mean([f.features for f in found], axis=0)
    order = [n for n in np.argsort(-mean, kind="stable") if not FEATURE_NAMES[n].startswith("h_infl2")][:N_BEST]
    rows = [(f"`{FEATURE_NAMES[n]}`", *(shown(f.features[n]) for f in found)) for n in order]
    tools = {"a": "Addicter", "h": "Hjerson"}
    kinds = ", ".join(f"`{letter}_`: {tool}" for letter, tool in tools.items())
    return [
        "## By part of speech",
        f"Of the {len(FEATURE_NAMES)} features of [TerrorCat](../metrics/terrorcat.md), which count errors by class of "
        f"the word's tag ({', '.join(TAG_CLASSES)}; {kinds}), these {len(rows)} have the highest τ over all pairs, on "
        "average over directions. Each is 0 in most segments, so τ is small.",
        markdown(("feature", *(f"τ, {f.name}" for f in found)), rows),
    ]
