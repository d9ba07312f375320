"""What is measured on: WMT13 fr-en and WMT23 en-de if available, else simulated data of the same shape.

Every worker reads its own copy, so that no process has seen a text before the clock starts.
"""

from __future__ import annotations

import os
import random
import sys
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

sys.path.append(str(Path(__file__).resolve().parent.parent / "tools"))

from real_data import data_folder

#: Metrics of other tools' fame, and the usual ones.
CLASSIC = (
    *("nist", "wer", "per", "cder", "gtm", "gtm:e=2", "meteor", "lepor", "nlepor", "hlepor"),
    *("rouge1", "rouge2", "rougeL", "rougeW", "rougeS", "length_ratio", "exact", "ter:variant=moses", "hjerson"),
)
#: Metrics whose speed is measured, too, but that are not in the line of every metric at once.
FURTHER = ("cer", "mer", "wil", "gleu", "ribes", "eed", "character", "rougeLsum", "bleu:smooth=nltk7,eff=no")
COMMON = ("bleu", "chrf", "chrf++", "ter", "RAC1")
N_SYSTEMS = 13
N_SEGMENTS = 3000
N_PAIRWISE = 128
N_MANY_SYSTEMS = 31
#: Minimum Bayes risk: segments and candidates of each.
N_MBR_SEGMENTS, N_MBR_CANDIDATES = 200, 52
#: Systems whose pairs are tested against sacreBLEU's comparisons with a baseline, and the most that are tested.
N_TESTED_SYSTEMS, N_MOST_SYSTEMS = 20, 100
N_RESAMPLES = 10_000
#: Meta-evaluation: scored segments of WMT23 en-de; metrics and preferences of a large metrics task; judgements of one.
N_SCORED_SYSTEMS, N_SCORED_SEGMENTS, N_SCORED_METRICS = 12, 460, 10
N_TAU_METRICS, N_PREFERENCES = 20, 128_000
N_SCREENS, N_ON_SCREEN, SHARE_OF_TIES = 10_000, 5, 0.2
#: Not systems: a reference, and an outlier that WMT23 leaves out.
_NO_SYSTEMS = {"refA", "synthetic_ref"}


@dataclass(frozen=True)
class Inputs:
    """One reference and the outputs of several systems.

    Attributes:
        origin: where the texts come from, for the report.
        reference: one text per segment.
        systems: one text per segment, by system name.
    """

    origin: str
    reference: list[str]
    systems: dict[str, list[str]]

    def every(self, stride: int) -> Inputs:
        """Keep one segment in `stride`."""
        return Inputs(
            self.origin,
            self.reference[::stride],
            {name: texts[::stride] for name, texts in self.systems.items()},
        )

    @property
    def shape(self) -> str:
        """Numbers of systems and segments, for the report."""
        return f"{len(self.systems)} × {len(self.reference)}"


def load() -> Inputs:
    """The judged systems of WMT13 fr-en from the data folder, or simulated data."""
    folder = data_folder() / "wmt13" / "fr-en"
    if not (folder / "pairs.tsv").is_file():
        return made()
    judged = sorted({name for line in _lines(folder / "pairs.tsv") for name in line.split("\t")[1:]})
    systems = {name: _lines(folder / "hyp" / name) for name in judged}
    return Inputs("wmt13/fr-en, judged systems", _lines(folder / "ref"), systems)


def made() -> Inputs:
    """Texts of random words with the lengths and repetitions of news; systems change more and more words."""
    draw = random.Random(13)
    words = _vocabulary(draw, 20_000)
    weights = [1 / (rank + 3) for rank in range(len(words))]
    reference = [
        " ".join(draw.choices(words, weights, k=max(1, round(draw.gammavariate(3.2, 6.8))))) + " ."
        for _ in range(N_SEGMENTS)
    ]
    systems = {
        f"made-{number + 1}": [changed(text, draw, words=words, rate=0.3 + 0.03 * number) for text in reference]
        for number in range(N_SYSTEMS)
    }
    return Inputs("simulated data (no wmt13/fr-en: make data)", reference, systems)


def many(inputs: Inputs, n_systems: int) -> Inputs:
    """More systems than there are: further ones are changed copies, so that each has its own texts."""
    draw = random.Random(31)
    words = sorted({word for text in inputs.reference for word in text.split()})
    systems: dict[str, list[str]] = {}
    for number, name in enumerate(islice(cycle(inputs.systems), n_systems)):
        texts = inputs.systems[name]
        copied = number >= len(inputs.systems)
        systems[f"{name}#{number}"] = [changed(t, draw, words=words, rate=0.2) for t in texts] if copied else texts
    return Inputs(inputs.origin, inputs.reference, systems)


def changed(text: str, draw: random.Random, *, words: list[str], rate: float) -> str:
    """A copy with words replaced, dropped or moved, about `rate` of them."""
    result: list[str] = []
    for word in text.split():
        chance = draw.random() / rate
        if chance > 1:
            result.append(word)
        elif chance < 0.5:
            result.append(draw.choice(words))
        elif chance < 0.75:
            result.insert(draw.randrange(len(result) + 1), word)
    return " ".join(result)


def python_with_compare_mt() -> str | None:
    """The interpreter that has compare-mt: that of MTASSAY_COMPARE_MT, or this one."""
    from importlib.util import find_spec

    return os.environ.get("MTASSAY_COMPARE_MT") or (sys.executable if find_spec("compare_mt") else None)


def python_with_mbr() -> str | None:
    """The interpreter that has fastChrF and mbrs: that of MTASSAY_MBR, or this one."""
    from importlib.util import find_spec

    found = find_spec("fastchrf") and find_spec("mbrs")
    return os.environ.get("MTASSAY_MBR") or (sys.executable if found else None)


def candidates(texts: Inputs, *, stride: int = 1) -> list[list[str]]:
    """Different candidates of some segments: outputs, and the first half of one with the second half of another."""
    lists = []
    for outputs in list(zip(*texts.systems.values(), strict=True))[: N_MBR_SEGMENTS * 2]:
        halves = [(words[: len(words) // 2], words[len(words) // 2 :]) for words in map(str.split, outputs)]
        mixed = [" ".join(first + second) for first, _ in halves for _, second in halves]
        different = list(dict.fromkeys([*outputs, *mixed]))[:N_MBR_CANDIDATES]
        if len(different) == N_MBR_CANDIDATES:
            lists.append(different)
    return lists[:N_MBR_SEGMENTS:stride]


def human_and_metric_scores() -> tuple[str, Any, Any]:
    """Where they come from, gold (systems, segments) with NaN if there is none, and metrics (metrics, …)."""
    import numpy as np

    folder = data_folder() / "wmt23"
    gold_file = folder / "human-scores" / "en-de.mqm.seg.score"
    if not gold_file.is_file():
        draw = np.random.default_rng(23)
        gold = -draw.integers(0, 26, (N_SCORED_SYSTEMS, N_SCORED_SEGMENTS)).astype(float)
        noise = draw.normal(scale=10, size=(N_SCORED_METRICS, *gold.shape))
        return "made scores", gold, gold + noise
    from mtassay.data import read_scores

    names = [name for name in _of_sys_file(folder) if name not in _NO_SYSTEMS]
    n_segments = len(_lines(folder / "sources" / "en-de.txt"))

    def scores(path: Path) -> Any:
        found = read_scores(path)
        rows = [found.of_system(name, n_segments) for name in names]
        return np.array([[np.nan if score is None else score for score in row] for row in rows])

    files = sorted((folder / "metric-scores" / "en-de").glob("*.seg.score"))
    return "wmt23/en-de", scores(gold_file), np.array([scores(path) for path in files])


def _of_sys_file(folder: Path) -> list[str]:
    """Systems with a human score."""
    lines = [line.split() for line in _lines(folder / "human-scores" / "en-de.mqm.sys.score")]
    return [name for name, score in lines if score != "None"]


def judgements() -> Any:
    """Strict preferences of WMT13 fr-en, or made ones from as many screens."""
    from mtassay.data import Preferences, Rankings, load_judgements

    path = data_folder() / "wmt13" / "fr-en" / "rankings5way.train.csv"
    if path.is_file():
        said = load_judgements(path)
        return (said if isinstance(said, Preferences) else said.preferences()).strict()  # type: ignore[union-attr]
    import numpy as np

    draw = np.random.default_rng(13)
    systems = np.array([draw.permutation(N_SYSTEMS)[:N_ON_SCREEN] for _ in range(N_SCREENS)])
    item = np.repeat(np.arange(N_SCREENS), N_ON_SCREEN)
    rank = draw.integers(1, round(1 / SHARE_OF_TIES) + 1, item.shape)
    names = tuple(f"made-{number + 1}" for number in range(N_SYSTEMS))
    return (
        Rankings(names, ("1",), ("",), item * 0, item * 0, system=systems.ravel(), rank=rank, item=item)
        .preferences()
        .strict()
    )


def write_nbest(path: Path, n_sentences: int, n_best: int, *, n_features: int = 15) -> list[str]:
    """Write an n-best list of changed references whose features know in part how much was changed; return those."""
    draw = random.Random(7)
    texts = load().reference
    references = [texts[sentence % len(texts)] for sentence in range(n_sentences)]
    words = sorted({word for text in texts for word in text.split()})
    shares = [draw.random() for _ in range(n_features - 1)]
    with path.open("w", encoding="utf-8") as file:
        for sentence, reference in enumerate(references):
            for _ in range(n_best):
                rate = draw.uniform(0.2, 0.8)
                text = changed(reference, draw, words=words, rate=rate)
                values = [draw.gauss(-10 * share * rate, 2) for share in shares]
                listed = " ".join(f"{value:.4f}" for value in [*values, -len(text.split())])
                file.write(f"{sentence} ||| {text} ||| F= {listed} ||| {sum(values):.4f}\n")
    return references


def _vocabulary(draw: random.Random, size: int) -> list[str]:
    def spelled() -> Iterator[str]:
        while True:
            yield "".join(draw.choices("etaoinshrdlucmfwypvbgkjqxzé", range(27, 0, -1), k=draw.randint(1, 10)))

    words: dict[str, None] = {}
    for word in spelled():
        words.setdefault(word)
        if len(words) == size:
            break
    return [*words]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
