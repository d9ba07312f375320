"""What the study of learned metrics learns from and tests on: texts, human scores, parses and features.

English is parsed by link-grammar, once; parses and indexes are kept in the cache folder.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data import Scores, TestSet, load, load_judgements
from mtassay.data.formats.lines import read_lines
from mtassay.data.judgements import numbered
from mtassay.execution import Execution
from mtassay.io.cache import cache_folder
from mtassay.learn.corpus_index import build_index
from mtassay.learn.features import FEATURE_SETS
from mtassay.learn.matrix import Resources
from mtassay.learn.training_data import Material, material
from mtassay.verbs.annotate import Coverage, annotate, annotate_texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EXECUTION = Execution(threads=2)
ANNOTATOR = "link-grammar"
#: English references of several years, for the corpus; those of the set that is scored are left out.
CORPUS = {"wmt12": "wmt12/cs-en/ref", "wmt13": "wmt13/fr-en/ref", "wmt15-fi-en": "wmt15/fi-en/ref",
          "wmt15-ru-en": "wmt15/ru-en/ref"}  # fmt: skip
#: Pairs into English of the direct assessments of WMT13: what is trained on, and what is tested on.
ASSESSED, ASSESSED_TOO = "es-en", ("cs-en", "de-en", "fr-en", "ru-en")
#: Metrics that have human scores in a file of WMT21 and no outputs.
NO_TEXT = {f"metricsystem{number}": None for number in range(1, 6)}


def only(made: Material, name: str) -> Material:
    """The same with the features of one set."""
    return made.with_features([feature for feature in made.features if feature in FEATURE_SETS[name]])


def index(data: Path, *, without: str = "") -> Path:
    """The index of English references, and of their parses, without those of one year."""
    names = [name for name in CORPUS if not without or not name.startswith(without)]
    folder = _parses()
    out, copies = folder / f"{'+'.join(names)}.index", folder / "texts"
    copies.mkdir(parents=True, exist_ok=True)
    for name in names:
        (copies / name).write_bytes((data / CORPUS[name]).read_bytes())
    texts = {name: read_lines(copies / name) for name in names}
    annotate_texts(texts, annotator=ANNOTATOR, output=folder / "corpus", threads=EXECUTION.threads)
    build_index([copies / name for name in names], out, trees=[folder / "corpus" / f"{name}.conllu" for name in names])
    return out


def parsed(testset: TestSet, name: str) -> Mapping[str, Coverage]:
    """How much of each text of a test set was parsed."""
    return annotate(testset, annotator=ANNOTATOR, output=_parses() / name, threads=EXECUTION.threads).texts


def _parses() -> Path:
    return cache_folder() / "studies" / "parses"


def czech_texts(data: Path) -> TestSet:
    """WMT21 Czech-English: two references."""
    return load(data / "wmt21" / "cs-en")


def czech_scores(data: Path) -> Any:
    """Its direct assessments."""
    return load_judgements(data / "wmt21" / "cs-en" / "DA.ad-seg-scores-cs-en.csv", testset=czech_texts(data))


@cache
def czech(data: Path) -> Material:
    """WMT21 Czech-English with the features of the paper and the modern ones."""
    testset = czech_texts(data)
    resources = Resources(annotator=ANNOTATOR, corpus=index(data))
    features = ["small", "full", "modern"]
    return material(
        testset, czech_scores(data), features, resources=resources, likeness=True, baselines=True, execution=EXECUTION
    )


@cache
def german21(data: Path) -> Material:
    """WMT21 English-German by MQM: the outputs that were judged, three references."""
    testset = load(data / "wmt21" / "en-de")
    path = data / "wmt21" / "en-de" / "MQM.avg_seg_scores.tsv"
    judged = load_judgements(path, testset=testset, rename={"Nemo": "NVIDIA-NeMo", **NO_TEXT})
    there = testset.select(systems=[name for name in testset.systems if name in judged.systems])
    resources = Resources(language="de")
    return material(
        there, judged, ["small", "modern"], resources=resources, likeness=True, baselines=True, execution=EXECUTION
    )


def german23_texts(data: Path) -> TestSet:
    """WMT23 English-German: one human reference; the made-up one is neither reference nor system."""
    testset = load(data / "wmt23", lp="en-de").select(references=["refA"])
    return testset.select(systems=[name for name in testset.systems if name not in {"refA", "synthetic_ref"}])


def german23_scores(data: Path) -> Any:
    """Its scores by MQM."""
    path = data / "wmt23" / "human-scores" / "en-de.mqm.seg.score"
    return load_judgements(path, testset=german23_texts(data))


@cache
def german23(data: Path) -> Material:
    """WMT23 English-German by MQM."""
    resources = Resources(language="de")
    return material(
        german23_texts(data),
        german23_scores(data),
        ["modern"],
        resources=resources,
        baselines=True,
        execution=EXECUTION,
    )


def assessed_texts(data: Path, pairs: Sequence[str]) -> tuple[TestSet, Scores]:
    """Outputs of WMT13 that were directly assessed, of one or several pairs: their segments, and the scores.

    A segment has a score for the outputs that were assessed, usually one. In the places of all other systems its first
    output stands again, without a score.
    """
    folder = data / "wmt13-da-segments"
    files: list[Any] = [load_judgements(folder / f"human-scores.{pair}.csv") for pair in pairs]
    named = list(zip(pairs, files, strict=True))
    systems, system = numbered([judged.systems[place] for judged in files for place in judged.system])
    ids, segment = numbered([f"{pair} {judged.segments[place]}" for pair, judged in named for place in judged.segment])
    outputs, references = (
        [line for pair in pairs for line in read_lines(folder / f"{kind}.{pair}")] for kind in ("sys", "ref")
    )
    _, firsts = np.unique(segment, return_index=True)
    texts = {name: [outputs[row] for row in firsts] for name in systems}
    for row, output in enumerate(outputs):
        texts[systems[system[row]]][segment[row]] = output
    testset = TestSet(
        [[references[row] for row in firsts]],
        texts,
        ids=ids,
        reference_names=["ref"],
        name=f"wmt13/{'+'.join(pairs)} (DA)",
    )
    places = tuple(str(place) for place in range(1, len(ids) + 1))
    of_rows = [np.concatenate([getattr(judged, name) for judged in files]) for name in ("judge", "score", "item")]
    judge, score, item = of_rows
    return testset, Scores(systems, places, ("",), segment, judge, system=system, score=score, aspect="da", item=item)


@cache
def assessed(data: Path, pairs: tuple[str, ...]) -> Material:
    """The same with the features of the paper and the modern ones; no reference of WMT13 is in the corpus."""
    testset, judged = assessed_texts(data, pairs)
    resources = Resources(annotator=ANNOTATOR, corpus=index(data, without="wmt13"))
    return material(
        testset, judged, ["small", "full", "modern"], resources=resources, baselines=True, execution=EXECUTION
    )


def assessed_too(data: Path) -> list[Material]:
    """The pairs that are tested on, one by one and together, without the segments that are trained on.

    All pairs of WMT13 have the same segments and English references.
    """
    seen = {name.partition(" ")[2] for name in assessed_texts(data, [ASSESSED])[0].ids or ()}
    together = assessed(data, ASSESSED_TOO)
    names = [name.split(" ") for name in assessed_texts(data, ASSESSED_TOO)[0].ids or ()]
    found = []
    for pairs in (*((pair,) for pair in ASSESSED_TOO), ASSESSED_TOO):
        there = np.array([pair in pairs and number not in seen for pair, number in names])
        title, n = "+".join(pairs), int(np.isfinite(together.gold[:, there]).sum())
        scores = np.where(there, together.gold, np.nan)
        found.append(
            replace(together, name=f"wmt13/{title} ({n} outputs)", human=scores, digest=f"{together.digest} {title}")
        )
    return found


def assessed_together(data: Path) -> Material:
    """All pairs of WMT13 that were directly assessed, as one set: a segment is the same in all of them.

    What stands for systems is the first, second … output of a segment; where there is none, the first stands again,
    without a score.
    """
    numbers: list[str] = []
    rows, scores = [], []
    parts = [assessed(data, pairs) for pairs in ((ASSESSED,), ASSESSED_TOO)]
    for pairs, made in zip(((ASSESSED,), ASSESSED_TOO), parts, strict=True):
        ids = assessed_texts(data, pairs)[0].ids or ()
        system, segment = np.nonzero(np.isfinite(made.gold))
        numbers += [ids[place].partition(" ")[2] for place in segment]
        rows.append(made.x[system, segment])
        scores.append(made.gold[system, segment])
    _, segment = numbered(numbers)
    slot = np.array([numbers[:row].count(number) for row, number in enumerate(numbers)])
    _, firsts = np.unique(segment, return_index=True)
    x = np.repeat(np.concatenate(rows)[firsts][None], slot.max() + 1, axis=0)
    human = np.full(x.shape[:2], np.nan)
    x[slot, segment], human[slot, segment] = np.concatenate(rows), np.concatenate(scores)
    return replace(
        parts[0],
        name=f"wmt13, {1 + len(ASSESSED_TOO)} pairs into English (DA)",
        systems=tuple(f"output {place}" for place in range(1, len(x) + 1)),
        x=x,
        human=human,
        baselines={},
        digest="+".join(made.digest for made in parts),
    )
