"""``mtassay.tune_decoder``: tune the weights of a decoder in a loop with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.execution import Execution, Progress
from mtassay.metrics.core.references import as_references
from mtassay.metrics.core.spec import parse_all
from mtassay.tuning.loop import run_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mtassay.io.inputs import PathLike
    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.core.references import References
    from mtassay.tuning.decoder import Decoder
    from mtassay.tuning.loop import Iteration, LoopResult

ITERATIONS = 25


def tune_decoder(
    decoder: Decoder,
    references: References | Sequence[Sequence[str | None]],
    metric: str | Metric,
    *,
    start: Mapping[str, float],
    folder: PathLike,
    ini: PathLike | None = None,
    lp: str | None = None,
    optimiser: str = "mert",
    options: Mapping[str, Any] | None = None,
    iterations: int = ITERATIONS,
    seed: int = 12345,
    threads: int = 1,
    progress: Progress = iter,
    report: Callable[[Iteration], object] = lambda _: None,
) -> LoopResult:
    """Tune the weights of a decoder.

    A run that was killed continues after its last complete iteration when it is started again with the same options;
    the result is that of an uninterrupted run. The number of iterations may then be larger.

    Args:
        decoder: the command.
        references: one or more streams with one text (or ``None``) per segment.
        metric: the objective.
        start: weights of the first iteration, by name of the feature.
        folder: the run folder.
        ini: a moses.ini; the decoder then gets a copy with the weights of the iteration.
        lp: language pair, such as ``en-de``, for a specification that does not name a language or tokenizer.
        optimiser: ``mert``, ``pro`` or ``mira``.
        options: options of this optimiser, such as MERT's ``restarts``.
        iterations: maximum number of iterations.
        seed: seed of the random numbers.
        threads: number of threads.
        progress: wraps the loops of the optimiser, for a progress bar.
        report: called with each complete iteration.
    """
    (objective,) = parse_all([metric], lp)
    return run_loop(
        decoder,
        as_references(references),
        objective,
        start=start,
        folder=folder,
        ini=ini,
        optimiser=optimiser,
        options=options or {},
        iterations=iterations,
        seed=seed,
        report=report,
        execution=Execution(threads, progress),
    )
