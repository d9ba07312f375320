"""Learned metrics (Albrecht & Hwa 2007) on WMT21 and WMT23: what they gain, what they need, where they carry over.

English is parsed by link-grammar, once; parses, the index and parts of the studies are kept in the cache folder.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from mtassay.data import TestSet, load, read_judgements
from mtassay.learn.corpus_index import build_index
from mtassay.learn.curve import curve
from mtassay.learn.generalise import sets, systems
from mtassay.learn.grid import grid
from mtassay.learn.human import human_scores
from mtassay.learn.material import Material, material
from mtassay.learn.matrix import Resources, feature_matrix
from mtassay.learn.nested import nested
from mtassay.learn.search import rho
from mtassay.learn.training import train
from mtassay.report.learn import shown, train_tables
from mtassay.report.learn_studies import tables
from mtassay.text.meteor.cache import cache_folder
from mtassay.text.parsing import parse_files, parse_testset

#: Texts of the corpus: English references of other years.
CORPUS = {"wmt12": "wmt12/cs-en/ref", "wmt13": "wmt13/fr-en/ref", "wmt15-fi-en": "wmt15/fi-en/ref",
          "wmt15-ru-en": "wmt15/ru-en/ref"}  # fmt: skip
THREADS = 2
NO_TEXT = {f"metricsystem{number}": None for number in range(1, 6)}


def run(data: Path) -> str:
    """The page."""
    folder = cache_folder() / "studies" / "parses"
    czech = load(data / "wmt21" / "cs-en")
    parsed = parse_testset(czech, folder / "wmt21-cs-en", processes=THREADS)
    english = Resources(trees=folder / "wmt21-cs-en", corpus=_index(data, folder), threads=THREADS)
    czech_full = _czech(data, czech, ["full"], english)
    czech_modern = _czech(data, czech, ["modern"], replace(english, trees=None))
    old, new = _german21(data), _german23(data)
    n_sentences = sum(text.full + text.partial + text.missing for text in parsed.values())
    blocks = [
        _INTRODUCTION,
        "## What learning gains",
        _page(nested(new, threads=THREADS)),
        _LENGTHS.format(**_of_length(data, new)),
        _page(nested(_only(old), threads=THREADS)),
        _PEOPLE.format(**_overlaps(old)),
        _WHY_CZECH.format(**_numbering(data, czech)),
        _page(nested(czech_modern, threads=THREADS)),
        f"On the {len(czech_full.features)} features of the paper, with parses by link-grammar: of {n_sentences:,} "
        f"sentences {sum(text.partial for text in parsed.values()):,} have words that no link leads to and "
        f"{sum(text.missing for text in parsed.values())} have no parse.",
        _page(nested(replace(czech_full, people=None), regressors=["svr", "ridge"], threads=THREADS)),
        "## How many judgements it takes",
        "![Learning curves](learned-curve.svg)",
        _page(curve(old, ["small", "modern"], threads=THREADS)),
        _page(curve(czech_full, ["small", "full"], sizes=[100, 500, 2000], n_folds=2, threads=THREADS)),
        "## Telling people from machines is another task",
        "![Accuracy against correlation](learned-grid.svg)",
        _page(grid(_only(old), threads=THREADS)),
        _page(grid(czech_full, slacks=[0.1, 1, 10], widths=[0.0001, 0.001, 0.01, 0.1], threads=THREADS)),
        "## Other pairs, years and systems",
        _page(sets(czech_modern, [_only(old), new], threads=THREADS)),
        _page(sets(new, [czech_modern, _only(old)], models=["svr"], threads=THREADS)),
        _page(systems(_only(old), new, threads=THREADS)),
        "## Sentences that are fluent and wrong",
        _strangers(data),
    ]
    return "\n\n".join(blocks)


def draw(data: Path, folder: Path) -> None:
    """Figures 1 and 2 of the paper on WMT21 English-German; parts of the studies are in the cache by then."""
    old = _german21(data)
    curve(old, ["small", "modern"], threads=THREADS).plot(folder / "learned-curve.svg")
    grid(_only(old), threads=THREADS).plot(folder / "learned-grid.svg")


def _page(result: object) -> str:
    return shown(tables(result), "markdown", result)


def _index(data: Path, folder: Path) -> Path:
    """The index of English references of other years, and of their parses."""
    texts = {name: data / path for name, path in CORPUS.items()}
    out, copies = folder / "wmt12-13-15.index", folder / "texts"
    copies.mkdir(parents=True, exist_ok=True)
    for name, path in texts.items():
        (copies / name).write_bytes(path.read_bytes())
    parse_files([copies / name for name in texts], folder / "corpus", processes=THREADS)
    trees = [folder / "corpus" / f"{name}.conllu" for name in texts]
    build_index([copies / name for name in texts], out, trees=trees)
    return out


def _czech(data: Path, testset: TestSet, features: list[str], resources: Resources) -> Material:
    judged = read_judgements(data / "wmt21" / "cs-en" / "DA.ad-seg-scores-cs-en.csv", testset=testset)
    return material(testset, judged, features, resources=resources, likeness=True, baselines=True)


def _german21(data: Path) -> Material:
    """WMT21 English-German by MQM: the outputs that were judged, three references."""
    testset = load(data / "wmt21" / "en-de").without_references_as_systems()
    path = data / "wmt21" / "en-de" / "MQM.avg_seg_scores.tsv"
    judged = read_judgements(path, testset=testset, rename={"Nemo": "NVIDIA-NeMo", **NO_TEXT})
    there = testset.select(systems=[name for name in testset.systems if name in judged.systems])
    resources = Resources(language="de", threads=THREADS)
    return material(there, judged, ["small", "modern"], resources=resources, likeness=True, baselines=True)


def _german23(data: Path) -> Material:
    """WMT23 English-German by MQM: one human reference; the made-up one is neither reference nor system."""
    testset, judged = _wmt23(data)
    return material(testset, judged, ["modern"], resources=Resources(language="de", threads=THREADS), baselines=True)


def _wmt23(data: Path) -> tuple[TestSet, object]:
    testset = load(data / "wmt23", lp="en-de").select(references=["refA"])
    testset = testset.select(systems=[name for name in testset.systems if name not in {"refA", "synthetic_ref"}])
    return testset, read_judgements(data / "wmt23" / "human-scores" / "en-de.mqm.seg.score", testset=testset)


def _modern(made: Material) -> list[str]:
    from mtassay.learn.features import FEATURE_SETS

    return [name for name in made.features if name in FEATURE_SETS["modern"]]


def _only(made: Material) -> Material:
    return made.with_features(_modern(made))


def _strangers(data: Path) -> str:
    testset, judged = _wmt23(data)
    result = train(
        testset, judged, features=["modern"], resources=Resources(language="de", threads=THREADS), strangers=True
    )
    return shown(train_tables(result)[-1:], "markdown", result)


def _of_length(data: Path, made: Material) -> dict[str, str]:
    """How far people's scores and features follow how short the reference is, by Spearman's ρ."""
    lengths = np.array([len(str(text)) for text in _wmt23(data)[0].references[0]])
    short = np.where(np.isfinite(made.gold), -lengths, np.nan)
    found = {name: abs(rho(short, made.x[..., place])) for place, name in enumerate(made.features)}
    first, second = sorted(found, key=lambda name: -found[name])[:2]
    return {
        "of_people": f"{rho(made.gold, short):.2f}",
        "feature": first,
        "of_feature": f"{found[first]:.2f}",
        "of_next": f"{found[second]:.2f}",
    }


def _overlaps(made: Material) -> dict[str, str]:
    """Mean chrF of people and of machines against all references but one."""
    place = made.features.index("chrf")
    return {
        name: f"{np.mean(values[..., place]):.1f}"
        for name, values in (("people", made.people), ("machines", made.machines))
    }


def _numbering(data: Path, testset: TestSet) -> dict[str, str]:
    """Whether numbers of segments in the file of assessments are lines of the texts."""
    judged = read_judgements(data / "wmt21" / "cs-en" / "DA.ad-seg-scores-cs-en.csv", testset=testset)
    gold = human_scores(testset, judged)
    gaps: dict[bool, list[float]] = {True: [], False: []}
    outputs = list(testset.systems.values())
    for one, other in combinations(range(len(outputs)), 2):
        for place in np.flatnonzero(np.isfinite(gold[one] + gold[other])).tolist():
            same = outputs[one][place] == outputs[other][place]
            gaps[same].append((gold[one, place] - gold[other, place]) ** 2)
    titles = [
        place for place, text in enumerate(testset.sources or (), 1) if text.rstrip()[-1:] not in set('.!?…:"“”)')
    ]
    starts = _starts(judged)
    metric = feature_matrix(testset, ["chrf"])[..., 0]
    by_length, by_number = _by_length(gold, metric, starts, titles)
    return {
        "same": f"{np.mean(gaps[True]):.2f}",
        "n_same": f"{len(gaps[True]):,}",
        "error": f"{np.std(gaps[True]) / np.sqrt(len(gaps[True])):.2f}",
        "other": f"{np.mean(gaps[False]):.2f}",
        "n_starts": str(len(starts)),
        "n_titles": str(len(set(starts) & set(titles))),
        "expected": f"{len(starts) * len(titles) / testset.n_segments:.1f}",
        "n_documents": str(len(by_length)),
        "n_outputs": f"{sum(len(scores) for scores, _ in by_length):,}",
        "by_length": _pooled(by_length),
        "by_number": _pooled(by_number),
    }


def _by_length(gold: np.ndarray, metric: np.ndarray, starts: list[int], titles: list[int]) -> tuple[list, list]:
    """Scores of people and of a metric for documents of a length that only one has, in both numberings.

    Documents are matched by their number of segments alone, once, and once by the numbers of their segments.
    """
    end = gold.shape[1] + 1
    judged, written = ({a: b - a for a, b in pairwise([*found, end])} for found in (starts, titles))
    lengths = [list(found.values()) for found in (judged, written)]
    by_length, by_number = [], []
    for start, length in judged.items():
        if all(found.count(length) == 1 for found in lengths):
            (title,) = (place for place, other in written.items() if other == length)
            human = gold[:, start - 1 : start - 1 + length]
            there = np.isfinite(human)
            for place, found in ((title, by_length), (start, by_number)):
                found.append((human[there], metric[:, place - 1 : place - 1 + length][there]))
    return by_length, by_number


def _pooled(documents: list) -> str:
    """Mean over documents of Spearman's ρ, weighted by outputs, and how many standard errors it is from 0."""
    rhos = np.array([rho(human, metric) for human, metric in documents])
    sizes = np.array([len(human) for human, _ in documents])
    z = (np.arctanh(rhos) * (sizes - 3)).sum() / np.sqrt((sizes - 3).sum())
    return f"{np.average(rhos, weights=sizes):.2f} ({z:.1f} standard errors)"


def _starts(judged: object) -> list[int]:
    """Segments at which at least six systems begin a run of consecutive assessments: where documents begin."""
    counts: dict[int, set[int]] = {}
    before = (-1, -1)
    for system, segment in zip(judged.system.tolist(), judged.segment.tolist(), strict=True):
        number = int(judged.segments[segment])
        if (system, number - 1) != before:
            counts.setdefault(number, set()).add(system)
        before = (system, number)
    return sorted(number for number, found in counts.items() if len(found) >= 6)


_INTRODUCTION = """\
# Learned metrics on WMT21 and WMT23

Computed by `studies/learned.py`. Outputs of people are left out. Every model, set of features, parameter and single
feature is chosen on training folds alone (docs/learn.md). Intervals draw segments. The paper's own test (1000 draws of
outputs, paired t at 99.8 %) stands beside them; it calls almost any difference significant, because draws are no new
data."""

_LENGTHS = """\
Much of this is length. MQM adds up errors, and segments of WMT23 are whole paragraphs: how short the reference is
correlates with people's scores by {of_people}, more than any feature. {feature} is the best feature because it follows
the length most ({of_feature}; no other feature more than {of_next}), and a learned metric finds the length out from
several features together. Within segments, where length is the same for all, it gains nothing (see the column)."""

_PEOPLE = """\
Regression and classification go different ways. Against the other references people's translations have a mean chrF of
{people}, machines' {machines}: people are freer, so that a classifier takes distance from the references for a mark of
people, and its scores fall where people see quality."""

_WHY_CZECH = """\
The direct assessments of `wmt21/cs-en` are another matter: no feature correlates with them, and so nothing can be
learned. The reason is that the numbers of segments in their file are not lines of the texts at hand: the documents
stand in another order.

- Documents begin at titles; but of {n_starts} segments at which assessors begin a document, {n_titles} are titles in
  the texts, and chance alone would give {expected}.
- Two systems with the same output for a segment should get more similar scores than two with different outputs; but the
  mean squared difference is {same} ± {error} over {n_same} pairs of equal outputs and {other} over different ones.
- {n_documents} documents have a length that no other has, among the documents of the file and among those of the texts.
  Matched by this length alone, chrF correlates with their {n_outputs} scores: ρ = {by_length}. Matched by the
  numbers of their segments it does not: ρ = {by_number}.

System scores do not depend on the order of segments, which is why official rankings come out right nonetheless. The
names of documents, which would restore the order, are not among the data. The tables on `wmt21/cs-en` are reported as
they fall; those on `wmt21/en-de`, with three references, and on `wmt23/en-de` say what learning can do."""
