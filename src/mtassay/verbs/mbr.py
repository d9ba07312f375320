"""``mtassay.mbr``: choose candidates by minimum Bayes risk under any metric."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.data.candidate_lists import CandidateList
from mtassay.data.nbest import NBest
from mtassay.data.references import check_texts
from mtassay.errors import InputError, SpecError, unknown_name
from mtassay.execution import Execution
from mtassay.kernels import for_kernels
from mtassay.metrics.core.metric import no_texts
from mtassay.metrics.core.spec import parse_all
from mtassay.results import Result
from mtassay.tuning.mbr import WEIGHTS, MbrOptions, MbrSegment, choose_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mtassay.metrics.core.metric import Metric

    Lists = NBest | Iterable[CandidateList | Sequence[str]]

SCHEMA = "mtassay.mbr/1"
#: Default number of candidates on the shortlist.
_N_KEPT = 20


@dataclass(frozen=True, eq=False, repr=False)
class MbrResult(Result):
    """The best candidates of every segment.

    Attributes:
        options: how they were chosen.
        segments: the segments in order.
    """

    verb: ClassVar[str] = "mbr"

    options: MbrOptions
    segments: tuple[MbrSegment, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The best text of each segment."""
        return tuple(segment.best[0].text for segment in self.segments)

    @property
    def signature(self) -> str:
        """The signature of the metric, which compares with one reference at a time."""
        return str(self.options.metric.signature([["a"]]))

    @property
    def method(self) -> str:
        """``exact``, ``aggregated`` or ``pruned``."""
        if self.options.aggregate:
            return "aggregated"
        return "exact" if self.options.confidence is None else "pruned"

    def to_dict(self) -> dict[str, Any]:
        """The best candidates of each segment; segments and candidates are numbered from 1."""
        options = self.options
        return {
            "schema": SCHEMA,
            "metric": str(options.metric),
            "name": options.metric.label,
            "signature": self.signature,
            "method": self.method,
            "weights": options.weights,
            "scale": options.scale if options.weights == "scores" else None,
            "confidence": options.confidence,
            "seed": None if options.confidence is None else options.seed,
            "shortlist": None if options.shortlist is None else str(options.shortlist),
            "keep": None if options.shortlist is None else options.keep,
            "segments": [
                {
                    "segment": number,
                    "n_candidates": segment.n_candidates,
                    "n_references": segment.n_references,
                    "n_comparisons": segment.n_comparisons,
                    "best": [
                        {"candidate": one.position + 1, "utility": one.utility, "text": one.text}
                        for one in segment.best
                    ],
                }
                for number, segment in enumerate(self.segments, 1)
            ],
        }

    def __repr__(self) -> str:
        return f"MbrResult({len(self.segments)} segments; {self.options.metric})"


def mbr(
    candidates: Lists,
    *,
    metric: str | Metric = "chrf",
    references: Lists | None = None,
    sources: Sequence[str] | None = None,
    lp: str | None = None,
    weights: str = "uniform",
    scale: float = 1.0,
    aggregate: bool = False,
    confidence: float | None = None,
    shortlist: str | Metric | None = None,
    keep: int | None = None,
    n_best: int = 1,
    seed: int = 12345,
    threads: int = 1,
    execution: Execution | None = None,
) -> MbrResult:
    """Choose the candidates with the highest expected utility, segment by segment.

    Args:
        candidates: for each segment a list of texts or a ``CandidateList`` (with counts and model scores), as
            ``mtassay.data.read_candidates`` gives them; or an n-best list (``mtassay.data.read_nbest``).
        metric: the utility: any metric that scores texts.
        references: pseudo-references, in the same form; by default the candidates.
        sources: a source text per segment, for metrics that read it.
        lp: language pair, such as ``en-de``, for a specification that does not name a language or tokenizer.
        weights: ``uniform`` (by counts), or ``scores``: counts times exp(scale · model score).
        scale: factor of model scores.
        aggregate: compare with the mean of the pseudo-references' n-grams, in linear time (bleu and chrf).
        confidence: drop candidates early that are not the best with this confidence, such as 0.99.
        shortlist: a fast metric that selects the candidates for the utility.
        keep: number of candidates on the shortlist; 20 by default.
        n_best: number of candidates to return for each segment.
        seed: seed of the random numbers for `confidence`.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.

    >>> result = mbr([["a cat sat", "the cat sat", "the cat sat down", "dogs"]], metric="chrf")
    >>> result.texts, round(result.segments[0].best[0].utility, 2)
    (('the cat sat down',), 66.19)
    """
    options = mbr_options(
        metric=metric,
        lp=lp,
        weights=weights,
        scale=scale,
        aggregate=aggregate,
        confidence=confidence,
        shortlist=shortlist,
        keep=keep,
        n_best=n_best,
        seed=seed,
    )
    segments = mbr_segments(
        candidates, options, references=references, sources=sources, execution=Execution.of(execution, threads=threads)
    )
    found = tuple(segments)
    if not found:
        raise InputError("there are no candidates")
    return MbrResult(options, found)


def mbr_options(
    *,
    metric: str | Metric,
    lp: str | None = None,
    weights: str,
    scale: float,
    aggregate: bool,
    confidence: float | None,
    shortlist: str | Metric | None,
    keep: int | None,
    n_best: int,
    seed: int,
) -> MbrOptions:
    """Check the arguments of ``mbr``, and collect them in one object."""
    (utility,) = parse_all([metric], lp)
    (cheap,) = (None,) if shortlist is None else parse_all([shortlist], lp)
    for one in (utility, cheap):
        if one is not None:
            _check_metric(one)
    if weights not in WEIGHTS:
        raise InputError(unknown_name("kind of weights", weights, WEIGHTS))
    if not 0 <= scale <= 1e9:
        raise InputError(f"the scale of model scores must be from 0 to 1e9, not {scale}")
    if scale != 1 and weights != "scores":
        raise InputError("the scale applies to model scores: also give --weights scores (weights='scores')")
    if confidence is not None and not 0 < confidence < 1:
        raise InputError(f"the confidence must be between 0 and 1, such as 0.99, not {confidence}")
    if aggregate and confidence is not None:
        raise InputError("with aggregated references there is nothing to prune: give either aggregate or confidence")
    if keep is not None and cheap is None:
        raise InputError("keep is the length of a shortlist: also give --shortlist METRIC (shortlist=)")
    keep = _N_KEPT if keep is None else keep
    for name, number in (("keep", keep), ("n_best", n_best)):
        if type(number) is not int or number < 1:
            raise InputError(f"{name} must be a whole number from 1, not {number!r}")
    if type(seed) is not int or seed < 0:
        raise InputError(f"seed must be a whole number from 0, not {seed!r}")
    return MbrOptions(
        metric=utility,
        weights=weights,
        scale=scale,
        aggregate=aggregate,
        confidence=confidence,
        shortlist=cheap,
        keep=keep,
        n_best=n_best,
        seed=seed,
    )


def _check_metric(metric: Metric) -> None:
    for part in metric.parts:
        if not part.scores_texts:
            raise no_texts(part)
    metric.check_level("decisions")
    if not metric.sign:
        raise SpecError(f"{metric} has no direction, so no candidate is the best one")


def mbr_segments(
    candidates: Lists,
    options: MbrOptions,
    *,
    references: Lists | None = None,
    sources: Iterable[str] | None = None,
    execution: Execution,
) -> Iterator[MbrSegment]:
    """Choose the best candidates segment by segment, as they are read; arguments as for ``mbr``."""
    lists = _with_sources(_lists(candidates, "candidates"), sources)
    pairs = _paired(lists, None if references is None else _lists(references, "references"))
    return choose_all(pairs, options, execution=for_kernels(execution))


def _lists(given: Lists, what: str) -> Iterator[CandidateList]:
    if isinstance(given, NBest):
        for sentence, (start, end) in enumerate(pairwise(given.offsets.tolist())):
            yield CandidateList(texts=given.texts[start:end], place=given.place(sentence))
        return
    for number, one in enumerate(given, 1):
        place = f"{what}, segment {number}"
        yield one if isinstance(one, CandidateList) else CandidateList(texts=check_texts(one, place), place=place)


def _with_sources(lists: Iterator[CandidateList], sources: Iterable[str] | None) -> Iterator[CandidateList]:
    if sources is None:
        yield from lists
        return
    for one, source in _matched(lists, iter(sources), "sources"):
        yield replace(one, source=source)


def _paired(
    lists: Iterator[CandidateList], references: Iterator[CandidateList] | None
) -> Iterator[tuple[CandidateList, CandidateList]]:
    if references is not None:
        yield from _matched(lists, references, "references")
        return
    for one in lists:
        yield one, one if one.references is None else CandidateList(texts=one.references, place=one.place)


def _matched(lists: Iterator[CandidateList], others: Iterator[Any], what: str) -> Iterator[tuple[CandidateList, Any]]:
    """The lists of each segment with the other items of the same segment; both must have the same length."""
    number = 0
    for number, one in enumerate(lists, 1):
        other = next(others, None)
        if other is None:
            raise InputError(f"there are candidates of segment {number}, but no {what} of it")
        yield one, other
    if next(others, None) is not None:
        raise InputError(f"there are {what} of segment {number + 1}, but no candidates of it")
