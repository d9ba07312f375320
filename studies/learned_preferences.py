"""Metrics learned from WMT's rankings: logistic regression on differences of features.

The idea behind LogReg and TerrorCat of the WMT13 metrics task, on our features; it does not claim to be these systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from tables import markdown

from mtassay.data import load, load_judgements
from mtassay.execution import SERIAL, Execution
from mtassay.learn.models import kind_of
from mtassay.learn.search import search
from mtassay.learn.training_data import Material, material
from mtassay.report.document import Cell
from mtassay.report.wording import share, signed
from mtassay.stats.intervals import percentile
from mtassay.stats.kendall import preference_counts
from mtassay.stats.resampled_preferences import ResampledPreferences

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mtassay.types import Floats


LEARNED, BEST = "learned", "best feature"
#: Features of the modern set that stand beside what was learned.
BESIDE = {"METEOR": "meteor", "chrF": "chrf", "BLEU": "bleu"}
#: Which set is trained on, and which is tested on.
EXPERIMENTS = (
    ("wmt12/cs-en", "wmt13/cs-en"),
    ("wmt12/es-en", "wmt13/cs-en"),
    ("wmt12/cs-en", "wmt13/fr-en"),
    ("wmt13/cs-en", "wmt12/cs-en"),
    ("wmt13/fr-en", "wmt13/cs-en"),
    ("wmt13/cs-en", "wmt13/fr-en"),
)


@dataclass(frozen=True, eq=False)
class Outcome:
    """Kendall's τ as WMT13 has it, of what was learned on one set and of single features, on another set.

    Attributes:
        trained, tested: names of the sets.
        n_pairs: strict preferences trained on and tested on.
        feature: the single feature that was best on the training set.
        names: of what is compared.
        tau: shape (metrics,).
        drawn: of every draw of segments, shape (metrics, resamples).
    """

    trained: str
    tested: str
    n_pairs: tuple[int, int]
    feature: str
    names: tuple[str, ...]
    tau: Floats
    drawn: Floats

    def gain(self, name: str) -> str:
        """What learning gains over one of the others, and its 95 % interval."""
        one, other = (self.names.index(row) for row in (LEARNED, name))
        low, high = self.interval(name)
        return f"{signed(self.tau[one] - self.tau[other])} [{signed(low)}, {signed(high)}]"

    def interval(self, name: str) -> tuple[float, float]:
        """The 95 % interval of that gain."""
        one, other = (self.names.index(row) for row in (LEARNED, name))
        low, high = percentile(self.drawn[one] - self.drawn[other], 0.05)
        return float(low), float(high)


def ranked(data: Path, name: str, *, execution: Execution) -> Material:
    """Modern features of the systems that were ranked, and all strict preferences."""
    testset = load(data / name)
    judged: Any = load_judgements(data / name / "pairs.tsv", testset=testset)
    there = testset.select(systems=[system for system in testset.systems if system in judged.systems])
    return material(there, judged, "modern", execution=execution)


def compared(trained: Material, tested: Material, *, execution: Execution = SERIAL) -> Outcome:
    """Train on one set, and compare with features on the other."""
    kind = kind_of("logistic")
    best = search(trained, kind, trained.judged, execution=execution).best
    fitted = trained.train(kind, best.parameters, trained.judged)
    # A tie is half right: where ties are ignored, a feature is best that ties almost all and knows a few.
    taus = preference_counts(_columns(trained), np.moveaxis(trained.x, 2, 0)).tau("wmt14")
    place = int(np.argmax(np.abs(np.nan_to_num(taus))))
    single = np.sign(taus[place]) * tested.x[..., place]
    others = [tested.x[..., tested.features.index(name)] for name in BESIDE.values()]
    scores = np.stack([fitted.scores(tested.x), single, *others])
    pairs = _columns(tested)
    return Outcome(
        trained.name,
        tested.name,
        (len(_columns(trained)[0]), len(pairs[0])),
        trained.features[place],
        (LEARNED, BEST, *BESIDE),
        preference_counts(pairs, scores).tau("wmt13"),
        ResampledPreferences(pairs, scores).tau("wmt13"),
    )


def _columns(made: Material) -> tuple[Any, Any, Any]:
    """Segment, better and worse system."""
    better, worse, segment = np.asarray(made.pairs)
    return segment, better, worse


def preferences_table(outcomes: Sequence[Outcome]) -> str:
    """A row for each, with the interval of what learning gains."""
    rows = []
    for found in outcomes:
        top = int(np.argmax(found.tau))
        cells = [Cell(share(tau), best=place == top) for place, tau in enumerate(found.tau.tolist())]
        n_trained, n_tested = (f"{n:,}" for n in found.n_pairs)
        cells[found.names.index(BEST)] = Cell(f"{found.feature} {cells[found.names.index(BEST)].text}")
        gains = (found.gain(BEST), found.gain("METEOR"))
        rows.append((found.trained, found.tested, n_trained, n_tested, *cells, *gains))
    header = ("trained on", "tested on", "pairs", "pairs tested", *outcomes[0].names)
    return markdown((*header, "gain over the best feature", "gain over METEOR"), rows, n_labels=2, n_notes=2)


def preferences(data: Path, *, execution: Execution) -> list[Outcome]:
    """All experiments."""
    names = sorted({name for pair in EXPERIMENTS for name in pair})
    made = {name: ranked(data, name, execution=execution) for name in names}
    return [compared(made[trained], made[tested], execution=execution) for trained, tested in EXPERIMENTS]
