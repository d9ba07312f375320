"""Scores of judges brought to one scale: what it is worth for a learned metric.

Campaigns of annotation of WMT23 English-German stand for judges: two by ESA, two by ESA with errors marked before by a
machine, one by MQM, all of the same outputs. What is learned is compared with MQM of the metrics task, which none of
them is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from learned_data import german23, german23_texts
from tables import markdown, shown

from mtassay.data import Scores, load_judgements
from mtassay.execution import Execution
from mtassay.judging.learning_targets import NORMALISATIONS, human_scores
from mtassay.learn.bootstrap import trials
from mtassay.learn.models import kind_of
from mtassay.learn.nested import FOLDS, folds_of
from mtassay.learn.search import rho, scores_of, search

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.learn.bootstrap import Trials
    from mtassay.learn.training_data import Material
    from mtassay.types import Floats


CAMPAIGNS = ("ESA-1", "ESA-2", "ESAAI-1", "ESAAI-2", "MQM-1")
#: How many of them, from the first, judge: those with one scale, and all.
GROUPS = {"four by ESA": 4, "these and MQM": 5}


@dataclass(frozen=True, eq=False)
class Judged:
    """What targets of three normalisations lead to; in the order of ``NORMALISATIONS``.

    Attributes:
        who: the judges.
        n_outputs: outputs that were judged and have a score by MQM.
        targets: Spearman's ρ of the targets themselves with MQM.
        learned: that of the metrics that were learned.
    """

    who: str
    n_outputs: int
    targets: tuple[float, ...]
    learned: Trials


def campaigns(data: Path) -> Scores:
    """All campaigns, each as a judge."""
    testset = german23_texts(data)
    folder = data / "wmt23" / "esa-campaign"
    found: list[Any] = [load_judgements(folder / f"en-de.{name}.seg.score", testset=testset) for name in CAMPAIGNS]
    if any((one.systems, one.segments) != (found[0].systems, found[0].segments) for one in found):
        raise ValueError("campaigns have different outputs")
    columns = {name: np.concatenate([getattr(one, name) for one in found]) for name in ("segment", "score", "item")}
    system = np.concatenate([one.system for one in found])
    judge = np.repeat(np.arange(len(found)), [len(one) for one in found])
    return replace(found[0], judges=CAMPAIGNS, judge=judge, system=system, **columns)


def judges(data: Path, *, execution: Execution) -> list[Judged]:
    """Learn from the targets of each normalisation, and compare with MQM of the task, by cross-validation."""
    everyone = campaigns(data)
    found = []
    for name, n in GROUPS.items():
        # By turns, so that all judges have as many segments and none has harder ones than another.
        turns = {f"{name}, all": everyone.judge < n, f"{name}, one per segment": everyone.segment % n == everyone.judge}
        found += [_judged(data, who, everyone.rows(chosen), execution=execution) for who, chosen in turns.items()]
    return found


def _judged(data: Path, who: str, scores: Scores, *, execution: Execution) -> Judged:
    made, testset = german23(data), german23_texts(data)
    targets = [human_scores(testset, scores, normalise=normalise) for normalise in NORMALISATIONS]
    gold = np.where(np.isfinite(targets[0]), made.gold, np.nan)
    learned = [_learned(replace(made, human=target), execution=execution) for target in targets]
    of_targets = tuple(rho(gold, target) for target in targets)
    return Judged(who, int(np.isfinite(gold).sum()), of_targets, trials(gold, learned))


def _learned(made: Material, *, execution: Execution) -> Floats:
    """Scores of every fold by a model of the others, in deviations of its own training segments."""
    kind, found = kind_of("svr"), np.full(made.gold.shape, np.nan)
    for fold in folds_of(made.judged, FOLDS, 12345):
        training = np.setdiff1d(made.judged, fold)
        best = search(made, kind, training, execution=execution).best
        fitted = made.train(kind, best.parameters, training)
        known = scores_of(made, fitted, training)
        found[:, fold] = (scores_of(made, fitted, fold) - known.mean()) / known.std()
    return found


def judges_table(found: list[Judged]) -> str:
    """A row for each normalisation; gains over scores as they are."""
    lines = []
    for one in found:
        for place, normalise in enumerate(NORMALISATIONS):
            gain = one.learned.difference(place, 0)
            lines.append(
                (
                    one.who,
                    normalise,
                    shown(one.targets[place]),
                    shown(float(one.learned.values[place])),
                    f"{gain.value:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]" if place else "",
                )
            )
    header = ("judges", "normalisation", "ρ of the target", "ρ of what is learned", "gain over mean")
    return markdown(header, lines, n_labels=2, n_notes=1)
