"""``mtassay.tune``: tune the weights of features on n-best lists towards a metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError
from mtassay.execution import Execution, Progress
from mtassay.metrics.core.spec import parse_all
from mtassay.tuning.candidates import Candidates, candidates_of
from mtassay.tuning.optimise import check_optimiser, optimise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.data.nbest import NBest
    from mtassay.metrics.core.metric import Metric
    from mtassay.tuning.result import TuneResult

    Ends = Mapping[str, tuple[float | None, float | None]]


def tune(
    nbest: NBest | Candidates,
    references: Sequence[Sequence[str | None]] | None = None,
    metric: str | Metric = "bleu",
    *,
    lp: str | None = None,
    optimiser: str = "mert",
    start: Mapping[str, float] | None = None,
    starts: Sequence[Mapping[str, float]] = (),
    restarts: int | None = None,
    bounds: Ends | None = None,
    ranges: Ends | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 12345,
    threads: int = 1,
    progress: Progress = iter,
) -> TuneResult:
    """Tune weights of features so that the best candidates of the lists score well under a metric.

    For several objectives at once see ``mtassay.tune_objectives``; to run a decoder, ``mtassay.tune_decoder``.

    Args:
        nbest: the lists (``mtassay.data.read_nbest``), or candidates with their statistics and metric.
        references: one or more streams with one text (or ``None``) per segment; not with candidates.
        metric: the objective: a specification such as ``"bleu"`` or ``"0.5*bleu-0.5*ter"``; not with candidates.
        lp: language pair, such as ``en-de``, for a specification that does not name a language or tokenizer.
        optimiser: ``mert``, ``pro`` or ``mira``.
        start: weights to start from; all equal by default.
        starts: further starting points of MERT.
        restarts: number of random starting points of MERT; None for its default.
        bounds: lowest and highest weight by feature, None for an open end; MERT keeps weights inside.
        ranges: ranges of MERT's random starting points, by feature.
        options: further options of the optimiser, such as ``{"epochs": 5}`` for MIRA.
        seed: seed of the random numbers.
        threads: number of threads.
        progress: wraps long loops, for a progress bar.
    """
    given = {"restarts": restarts, "bounds": bounds, "ranges": ranges, "starts": list(starts) or None}
    chosen = {**(options or {}), **{name: value for name, value in given.items() if value is not None}}
    check_optimiser(optimiser, chosen)
    execution = Execution(threads, progress)
    if isinstance(nbest, Candidates):
        candidates = nbest
    elif references is None:
        raise InputError("tuning on n-best lists needs references: give one or more streams")
    else:
        (objective,) = parse_all([metric], lp)
        candidates = candidates_of(nbest, references, objective, execution=execution)
    return optimise(candidates, start, optimiser=optimiser, options=chosen, seed=seed, execution=execution)
