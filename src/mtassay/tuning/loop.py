"""Tuning a decoder in a loop: decode, add the candidates to the known ones, optimise on all of them, and repeat.

The loop ends when the decoder finds no new candidate, when the weights no longer change, or after the requested number
of iterations. Each set of weights is scored by the outputs of the decoder with these weights; the best one is the
result.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.data.formats.nbest_reading import read_nbest
from mtassay.data.formats.weights import check_names, listed, update_ini
from mtassay.errors import InputError, at
from mtassay.io.inputs import PathLike, shown
from mtassay.results import Result
from mtassay.stats.resamples import check_seed
from mtassay.tuning.candidates import Pool
from mtassay.tuning.optimise import check_optimiser, optimise
from mtassay.tuning.rerank import rerank
from mtassay.tuning.result import search_dict
from mtassay.tuning.run_folder import RunFolder
from mtassay.tuning.weights import Bounds, Ranges, as_array, normalised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mtassay.data.nbest import NBest
    from mtassay.execution import Execution
    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.core.references import References
    from mtassay.tuning.decoder import Decoder

SCHEMA = "mtassay.tuning-loop/1"
#: The loop ends if all normalised weights change by less than this, as in Moses' mert-moses.
_SETTLED = 1e-5
#: Why a loop ended, for reports.
REASONS = {
    "candidates": "the decoder found no new candidates",
    "weights": "weights stayed as they were",
    "iterations": "all iterations were made",
}


@dataclass(frozen=True, kw_only=True)
class Iteration:
    """One iteration of the loop.

    Attributes:
        number: number of the iteration, from 1.
        weights: the weights that the decoder was given.
        score: score of the candidates that these weights choose from the decoder's list.
        n_candidates: number of candidates in the list.
        n_new: number of candidates that were not in earlier lists.
        n_known: number of candidates in all lists so far.
        n_misplaced: number of segments whose list does not begin with the candidate that the weights choose.
        tuned: the weights that the optimiser then found; None if the list had no new candidates.
        predicted: score of the tuned weights on all lists so far.
        ended: ``candidates`` or ``weights`` if the loop ended here for that reason, else ``""``.
    """

    number: int
    weights: Mapping[str, float]
    score: float
    n_candidates: int
    n_new: int
    n_known: int
    n_misplaced: int
    tuned: Mapping[str, float] | None = None
    predicted: float | None = None
    ended: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class LoopResult(Result):
    """The result of a loop.

    Attributes:
        optimiser: ``mert``, ``pro`` or ``mira``.
        metric: the objective.
        options: options of the optimiser.
        iterations: all iterations.
        n_segments: number of segments.
        left_out: names of sparse features in the decoder's lists, which have no weights here.
    """

    verb: ClassVar[str] = "tune_loop"

    optimiser: str
    metric: Metric
    options: Mapping[str, Any]
    iterations: tuple[Iteration, ...]
    n_segments: int
    left_out: frozenset[str] = frozenset()

    @property
    def best(self) -> Iteration:
        """The iteration whose weights gave the decoder the best score, the first in a tie."""
        return max(self.iterations, key=lambda iteration: self.metric.sign * iteration.score)

    @property
    def weights(self) -> Mapping[str, float]:
        """The best weights."""
        return self.best.weights

    @property
    def reason(self) -> str:
        """Why the loop ended: a key of ``REASONS``."""
        return self.iterations[-1].ended or "iterations"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "schema": SCHEMA,
            **search_dict(self.optimiser, self.metric, self.options),
            "higher_is_better": self.metric.higher_is_better,
            "segments": self.n_segments,
            "left_out": sorted(self.left_out),
            "ended": self.reason,
            "best": self.best.number,
            "before": self.iterations[0].score,
            "after": self.best.score,
            "weights": dict(self.weights),
            "iterations": [asdict(iteration) for iteration in self.iterations],
        }

    def __repr__(self) -> str:
        return f"LoopResult({self.metric}; {len(self.iterations)} iterations)"


def run_loop(
    decoder: Decoder,
    references: References,
    metric: Metric,
    *,
    start: Mapping[str, float],
    folder: PathLike,
    ini: PathLike | None,
    optimiser: str,
    options: Mapping[str, Any],
    iterations: int,
    seed: int,
    report: Callable[[Iteration], object],
    execution: Execution,
) -> LoopResult:
    """Decode and optimise in turn; arguments as for ``mtassay.tune_decoder``."""
    if type(iterations) is not int or iterations < 1:
        raise InputError(f"iterations must be a whole number from 1 on, not {iterations!r}")
    # Options are checked before the decoder runs, which may take long.
    whole_options = check_optimiser(optimiser, options)
    check_seed(seed)
    names, bounds = tuple(start), Bounds(tuple(start), whole_options.get("bounds"))
    Ranges(names, whole_options.get("ranges"))
    for weights in (start, *whole_options.get("starts", ())):
        bounds.check(as_array(weights, names))
    run_options: dict[str, Any] = {
        "decoder": decoder.command,
        "metric": str(metric),
        "references": _digest([references.texts.strings, references.group_offsets.tolist()]),
        "start": dict(start),
        "ini": None if ini is None else _digest(update_ini(ini, start)),
        "optimiser": optimiser,
        "options": whole_options,
        "seed": seed,
    }
    run = RunFolder(folder, run_options)
    turn = _Turn(run, decoder, references, metric, ini=ini, execution=execution)

    def tune(weights: Mapping[str, float], number: int) -> tuple[dict[str, float], float]:
        common = {"seed": seed + number, "execution": execution}
        candidates = turn.pool.candidates()
        known = dict(whole_options)
        if "starts" in known:  # a moses.ini may have weights of features that are not to be tuned
            known["starts"] = [{name: further[name] for name in candidates.names} for further in known["starts"]]
        found = optimise(candidates, weights, optimiser=optimiser, options=known, **common)
        return dict(found.weights), found.after

    done: list[Iteration] = []
    with run.opened():
        # Complete iterations of an earlier run count even if fewer iterations are requested now.
        while (len(done) < iterations or run.complete(len(done) + 1)) and not (done and done[-1].ended):
            weights = done[-1].tuned if done else start
            done.append(turn.make(len(done) + 1, weights or {}, tune))
            report(done[-1])
        result = LoopResult(
            optimiser,
            metric,
            whole_options | {"seed": seed},
            tuple(done),
            references.n_segments,
            frozenset() if turn.pool.nbest is None else turn.pool.nbest.left_out,
        )
        run.write_json("result.json", result.to_dict())
        run.write(*_weights_file(result.weights, ini))
    return result


class _Turn:
    """Runs iterations in order, or restores them from the run folder."""

    def __init__(
        self,
        run: RunFolder,
        decoder: Decoder,
        references: References,
        metric: Metric,
        *,
        ini: PathLike | None,
        execution: Execution,
    ) -> None:
        self.pool = Pool(metric, references, execution=execution)
        self._run = run
        self._decoder = decoder
        self._references = references
        self._ini = ini

    def make(
        self,
        number: int,
        weights: Mapping[str, float],
        tune: Callable[[Mapping[str, float], int], tuple[dict[str, float], float]],
    ) -> Iteration:
        earlier = self._run.complete(number)
        if earlier is not None:
            written = self._run.iteration(number) / "nbest.txt"
            if not written.is_file():
                raise InputError(
                    f"{shown(written)} is missing; remove {shown(written.parent)} to make the iteration again"
                )
            self.pool.add(self._read(written, weights))
            return _restored(earlier, number, self._run.iteration(number))
        nbest = self._read(self._decode(number, weights), weights)
        if self._ini is not None:  # a moses.ini may have weights of features that are not to be tuned
            weights = {name: weights[name] for name in nbest.features}
        chosen = rerank(nbest, weights)
        n_new = self.pool.add(nbest)
        tuned, predicted = tune(weights, number) if n_new else (None, None)
        found = Iteration(
            number=number,
            weights=dict(weights),
            score=self.pool.metric.corpus_score(chosen.texts, self._references),
            n_candidates=len(nbest),
            n_new=n_new,
            n_known=len(self.pool.candidates()),
            n_misplaced=chosen.n_misplaced(),
            tuned=tuned,
            predicted=predicted,
            ended="candidates" if tuned is None else "weights" if _settled(weights, tuned) else "",
        )
        self._run.finish(number, asdict(found))
        return found

    def _decode(self, number: int, weights: Mapping[str, float]) -> Path:
        folder = self._run.begin(number)
        name, text = _weights_file(weights, self._ini)
        self._run.write(f"{folder.name}/{name}", text)
        # A decoder that outlived a killed run must not write into the list of the next run.
        written = folder / f"nbest.{secrets.token_hex(4)}.tmp"
        self._decoder.run(folder / name, written, log=folder / "decoder.log", what=f"iteration {number}")
        return written.replace(folder / "nbest.txt")

    def _read(self, path: Path, weights: Mapping[str, float]) -> NBest:
        nbest = read_nbest(path)
        absent = [name for name in weights if name not in nbest.features]
        if (
            absent and nbest.optional and self._ini is None
        ):  # sparse lists leave out a feature that is 0 for all candidates
            nbest = nbest.with_features((*nbest.features, *absent))
        known = weights if self._ini is None else {name: weights[name] for name in nbest.features if name in weights}
        check_names(known, nbest.features, f"{at(shown(path), 1)}: the features are not those of the weights")
        return nbest


def _weights_file(weights: Mapping[str, float], ini: PathLike | None) -> tuple[str, str]:
    """Name and content of the file for the decoder."""
    return ("weights.txt", listed(weights)) if ini is None else ("moses.ini", update_ini(ini, weights))


def _settled(weights: Mapping[str, float], tuned: Mapping[str, float]) -> bool:
    names = tuple(weights)
    one, other = (normalised(as_array(given, names)) for given in (weights, tuned))
    return bool(np.abs(one - other).max() < _SETTLED)


def _restored(earlier: Mapping[str, Any], number: int, folder: Path) -> Iteration:
    fine = (
        set(earlier) == {field.name for field in fields(Iteration)}
        and earlier["number"] == number
        and earlier["ended"] in ("", "candidates", "weights")
        and all(type(earlier[name]) is int for name in ("n_candidates", "n_new", "n_known", "n_misplaced"))
        and type(earlier["score"]) in (int, float)
        and (earlier["predicted"] is None or type(earlier["predicted"]) in (int, float))
        and _are_weights(earlier["weights"])
        and (_are_weights(earlier["tuned"]) or (earlier["tuned"] is None and earlier["ended"] == "candidates"))
    )
    if not fine:
        raise InputError(
            f"{shown(folder)} has an iteration.json that was changed or made by another version; take another run "
            "folder, or remove this one to make the iteration again"
        )
    return Iteration(**earlier)


def _are_weights(value: Any) -> bool:
    return isinstance(value, dict) and all(type(weight) in (int, float) for weight in value.values())


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()
