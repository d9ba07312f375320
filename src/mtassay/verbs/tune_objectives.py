"""Tuning of the same lists towards several metrics, and comparison of the outputs (Song et al. 2013, Tables 7 and 8).

Each objective is tuned from the given and random starts, and then from the optimum of every other objective, until
every objective scores best with its own weights. The chosen outputs are scored by all metrics and tested pair by pair,
on the training sentences and on the held-out ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.data.testset import TestSet
from mtassay.errors import InputError, counted
from mtassay.execution import Execution, Progress
from mtassay.metrics.core.metric import Metric
from mtassay.metrics.core.spec import parse, parse_all
from mtassay.results import Result
from mtassay.stats.procedures import Procedure
from mtassay.tuning.candidates import Candidates, candidates_of
from mtassay.tuning.mert import mert
from mtassay.tuning.rerank import rerank
from mtassay.verbs.compare import compare_scored
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.data.nbest import NBest
    from mtassay.judging.preference_shares import PreferenceShares
    from mtassay.tuning.result import TuneResult
    from mtassay.types import Floats, Index
    from mtassay.verbs.compare import CompareResult


SCHEMA = "mtassay.tuning-objectives/1"
#: The metric whose components are shown unless one of the metrics is BLEU.
_BLEU = "bleu"


@dataclass(frozen=True, eq=False)
class Outputs:
    """The outputs of all tuned weights on some sentences.

    Attributes:
        name: ``training`` or ``held out``.
        compared: scores and tests; the systems are the objectives.
        bleu: the BLEU metric whose components are in `parts`.
        parts: P1 … P4 and the ratio of lengths by name, each of shape (objectives,).
    """

    name: str
    compared: CompareResult
    bleu: Metric
    parts: Mapping[str, Floats]

    @property
    def n_segments(self) -> int:
        """Number of sentences."""
        return self.compared.scored.texts.n_segments

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "name": self.name,
            "segments": self.n_segments,
            "bleu": str(self.bleu),
            "parts": {name: values.tolist() for name, values in self.parts.items()},
            "compare": self.compared.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class ObjectivesResult(Result):
    """Weights tuned towards several objectives, and their outputs.

    Attributes:
        tuned: one result per objective.
        cross: cross[m, k], the score of metric m with the weights tuned towards k, on the training lists.
        outputs: outputs for the training sentences, and for the held-out ones if any.
        preferences: human preferences between the outputs, if there are any.
    """

    verb: ClassVar[str] = "tune_objectives"

    tuned: tuple[TuneResult, ...]
    cross: Floats
    outputs: tuple[Outputs, ...]
    preferences: PreferenceShares | None = None

    @property
    def objectives(self) -> tuple[Metric, ...]:
        """The objectives."""
        return tuple(result.metric for result in self.tuned)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "schema": SCHEMA,
            "objectives": [result.to_dict() for result in self.tuned],
            "cross": self.cross.tolist(),
            "outputs": [outputs.to_dict() for outputs in self.outputs],
            "preferences": None if self.preferences is None else self.preferences.to_dict(),
        }

    def __repr__(self) -> str:
        return f"ObjectivesResult({', '.join(map(str, self.objectives))})"


def tune_objectives(
    nbest: NBest,
    references: Sequence[Sequence[str | None]],
    metrics: Sequence[str | Metric],
    *,
    also: Sequence[str | Metric] = (),
    lp: str | None = None,
    start: Mapping[str, float] | None = None,
    starts: Sequence[Mapping[str, float]] = (),
    options: Mapping[str, Any] | None = None,
    held_out: bool = False,
    preferences: PreferenceShares | None = None,
    test: str = "ar",
    resamples: int = 0,
    alpha: float = 0.05,
    seed: int = 12345,
    threads: int = 1,
    progress: Progress = iter,
) -> ObjectivesResult:
    """Tune towards several objectives on the same lists with MERT, and compare the outputs.

    Args:
        nbest: the list.
        references: one or more streams with one text (or ``None``) per segment.
        metrics: the objectives.
        also: further metrics in the tables.
        lp: language pair, such as ``en-de``, for specifications that do not name a language or tokenizer.
        start: weights to start from; all equal by default.
        starts: further starts of every objective, such as what other seeds found.
        options: MERT's, such as ``restarts``.
        held_out: tune on the first half of the sentences only, and look at the second half too.
        preferences: human ones between the outputs, for the result to carry.
        test: between outputs, as for ``mtassay.compare``.
        resamples: resamples of the test.
        alpha: significance level; p-values up to it are significant.
        seed: seed of random starts and resamples.
        threads: number of threads.
        progress: wraps the loops of the optimiser, for a progress bar.
    """
    objectives = parse_all(metrics, lp)
    if len(objectives) < 2:
        raise InputError("comparing objectives needs two or more")
    shown = list({str(metric): metric for metric in [*objectives, *parse_all(also, lp)]}.values())
    halves = _halves(nbest.n_sentences, held_out=held_out)
    _check_metrics(shown)
    execution = Execution(threads, progress)
    training = [
        candidates_of(nbest, references, metric, execution=execution).of_segments(halves[0][1]) for metric in objectives
    ]
    search = {"seed": seed, "execution": execution, **(options or {})}
    all_starts = [*starts, *search.pop("starts", ())]
    tuned = [mert(candidates, start, starts=all_starts, **search) for candidates in training]
    tuned = _climb_together(tuned, training, search)
    procedure = Procedure(test, None, resamples, seed)
    outputs = []
    for name, segments in halves:
        systems = {str(result.metric): _texts(nbest, result.weights, segments) for result in tuned}
        testset = TestSet([[stream[s] for s in segments.tolist()] for stream in references], systems)
        outputs.append(_outputs(name, testset, shown, procedure, alpha=alpha, execution=execution.quiet))
    return ObjectivesResult(tuple(tuned), _cross(tuned, training), tuple(outputs), preferences)


def _check_metrics(metrics: Sequence[Metric]) -> None:
    from mtassay.tuning.candidates import check_objective

    for metric in metrics:
        check_objective(metric)


def _halves(n_sentences: int, *, held_out: bool) -> list[tuple[str, Index]]:
    """Names and sentences of the training part and of the held-out part."""
    everything = np.arange(n_sentences)
    if not held_out:
        return [("training", everything)]
    if n_sentences < 4:
        raise InputError(f"holding out half of {counted(n_sentences, 'sentence')} leaves too few; tune on all of them")
    middle = (n_sentences + 1) // 2
    return [("training", everything[:middle]), ("held out", everything[middle:])]


def _climb_together(
    tuned: list[TuneResult], training: Sequence[Candidates], search: Mapping[str, Any]
) -> list[TuneResult]:
    """Tune from each other's optima until every objective scores best with its own weights.

    This terminates: MERT never ends below its start, so every round improves an objective that was not best with its
    own weights, and there are finitely many outputs to choose from.
    """
    pending = list(range(len(tuned)))
    while pending:
        starts = [result.weights for result in tuned]
        climbed = list(tuned)
        for m in pending:
            others = [weights for k, weights in enumerate(starts) if k != m]
            found = mert(training[m], starts[m], starts=others, **{**search, "restarts": 0})
            if training[m].metric.sign * (found.after - tuned[m].after) > 0:
                climbed[m] = replace(
                    found, before=tuned[m].before, history=tuned[m].history + found.history, options=tuned[m].options
                )
        tuned = climbed
        signs = np.array([candidates.metric.sign for candidates in training])
        gains = signs[:, None] * _cross(tuned, training)
        pending = np.flatnonzero((gains > np.diag(gains)[:, None]).any(axis=1)).tolist()
    return tuned


def _cross(tuned: Sequence[TuneResult], training: Sequence[Candidates]) -> Floats:
    return np.array([[candidates.score(result.weights) for result in tuned] for candidates in training])


def _texts(nbest: NBest, weights: Mapping[str, float], segments: Index) -> list[str]:
    texts = rerank(nbest, weights).texts
    return [texts[s] for s in segments.tolist()]


def _outputs(
    name: str, testset: TestSet, metrics: Sequence[Metric], procedure: Procedure, *, alpha: float, execution: Execution
) -> Outputs:
    scored = score(testset, metrics=metrics, threads=execution.threads)
    compared = compare_scored(scored, procedure, alpha=alpha, execution=execution)
    bleu = next((m for m in metrics if m.name == "bleu" and {"P1", "P4", "LR"} <= _part_names(m)), parse(_BLEU))
    totals = score(testset, metrics=[bleu], threads=execution.threads).tables[0].totals()
    parts = {part: values for part, values in bleu.components(totals).items() if part != "BP"}
    return Outputs(name, compared, bleu, parts)


def _part_names(metric: Metric) -> set[str]:
    return set(metric.components(np.zeros(len(metric.columns))))
