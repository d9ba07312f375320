"""Python functions as metrics: ``mtassay.segment_metric``, and the base class of metrics that run Python code.

The code is called in the thread of the caller, whatever the number of threads, since it may not be thread-safe; on a
cluster, workers call it. If it reads one reference at a time, only the best reference of a segment counts (the first of
them in a tie).

Statistics: ``sum n``.
"""

from __future__ import annotations

import inspect
import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np

from mtassay.data.formats.score_files import LARGEST
from mtassay.data.testset import check_name
from mtassay.errors import InputError, MtassayError, SpecError, counted, did_you_mean
from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.mean import MeanMetric, check_label
from mtassay.metrics.core.metric import Scorer
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry

if TYPE_CHECKING:
    from mtassay.types import Floats, Index, Statistics

ARGUMENTS = ("hypothesis", "reference", "references", "source")
#: More decimals than any float has.
_MOST_DIGITS = 17
#: Number of calls of a function in a chunk.
_CALLS_AT_ONCE = 500


@dataclass(frozen=True, eq=False)
class Places:
    """Names of pairs in messages.

    Attributes:
        hypotheses: number of the hypothesis of each pair, shape (n,).
        segments: number of its segment, shape (n,).
        systems: names of the systems whose hypotheses follow one another; empty if hypotheses belong to no system.
        n_segments: number of hypotheses of each system.
    """

    hypotheses: Index
    segments: Index
    systems: tuple[str, ...] = ()
    n_segments: int = 0

    def __call__(self, pair: int) -> str:
        """The name of a pair, counted from 0."""
        hypothesis, segment = int(self.hypotheses[pair]), f"segment {self.segments[pair] + 1}"
        if not self.systems:
            return f"hypothesis {hypothesis + 1}, {segment}"
        return f"{self.systems[hypothesis // self.n_segments]}, {segment}"

    def __getitem__(self, pairs: Index | slice) -> Places:
        """The names of some pairs."""
        return replace(self, hypotheses=self.hypotheses[pairs], segments=self.segments[pairs])


@dataclass(frozen=True)
class PythonMetric(MeanMetric):
    """A metric that hands texts to Python code."""

    sends_chunks: ClassVar[bool] = True

    @property
    @abstractmethod
    def arguments(self) -> tuple[str, ...]:
        """The members of ARGUMENTS that the code reads."""

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        """Whether references are among the arguments."""
        return "reference" in self.arguments or "references" in self.arguments

    @abstractmethod
    def values(self, texts: Mapping[str, list[Any]], place: Places, *, execution: Execution = SERIAL) -> Floats:
        """Scores of n pairs, shape (n,).

        Args:
            texts: for every argument a list of n texts, and of n tuples of texts for ``references``.
            place: names a pair, counted from 0, in messages.
            execution: how chunks of pairs are run: one at a time in this process, or on a cluster.
        """

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> PairScorer:
        """Nothing to prepare."""
        return PairScorer(self, references, execution=execution)

    def statistics_of_systems(
        self, references: References, systems: Mapping[str, Sequence[str]], *, execution: Execution = SERIAL
    ) -> Any:
        """All systems and segments in one call."""
        scorer = self.prepare(references, execution=execution)
        return scorer.rows_of_systems(systems).reshape(len(systems), references.n_segments, len(self.columns))


class PairScorer(Scorer):
    """Scorer that passes texts to the code in lists."""

    metric: PythonMetric

    def __init__(self, metric: PythonMetric, references: References, *, execution: Execution = SERIAL) -> None:
        super().__init__(metric, references)  # pairs are not divided among threads
        # Finished chunks are not kept: models keep their scores themselves, and kept scores of a function would be
        # wrong after a change of the function.
        self.sending = execution.unkept.in_one_thread

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        return self.rows(texts, Places(hyp_index, segment_index))

    def rows_of_systems(self, systems: Mapping[str, Sequence[str]]) -> Statistics:
        """Statistics of all systems, one after the other, shape (systems · segments, K)."""
        return self.rows(*self.pairs_of_systems(systems))

    def pairs_of_systems(self, systems: Mapping[str, Sequence[str]]) -> tuple[Texts, Places]:
        """The texts of all systems in sequence, and the names of their pairs."""
        n = self.references.n_segments
        texts = Texts.of_checked(tuple(chain.from_iterable(systems.values())))
        return texts, Places(np.arange(len(texts)), np.tile(np.arange(n), len(systems)), tuple(systems), n)

    def rows(self, texts: Texts, place: Places) -> Statistics:
        """Statistics of checked pairs, shape (n, K)."""
        lists, pairs = self.arguments(texts, place.hypotheses, place.segments)
        values = np.empty(0)
        if len(pairs):
            values = self.metric.values(lists, place[pairs], execution=self.sending)
        if len(values) > len(place.segments):
            values = values[first_best(self.metric.sign * values, pairs)]
        return np.column_stack([values, np.ones(len(values))])

    def arguments(self, texts: Texts, hyp_index: Index, segment_index: Index) -> tuple[dict[str, list[Any]], Index]:
        """The lists that are passed to the code, one per argument, and for each row of them the pair it belongs to.

        If the code reads one reference at a time, a pair has one row per reference.
        """
        wanted = self.metric.arguments
        strings = self.references.texts.strings
        pairs: Index = np.arange(len(hyp_index), dtype=np.int64)
        lists: dict[str, list[Any]] = {}
        if "reference" in wanted:
            hyp_index, refs, pairs = self.references.each_reference(hyp_index, segment_index)
            lists["reference"] = [strings[i] for i in refs]
        lists["hypothesis"] = [texts.strings[i] for i in hyp_index]
        if "references" in wanted:
            edges = self.references.group_offsets
            lists["references"] = [strings[edges[i] : edges[i + 1]] for i in segment_index]
        if "source" in wanted:
            sources = self.sources
            lists["source"] = [sources[i] for i in segment_index[pairs]]
        return lists, pairs


@dataclass(frozen=True, eq=False, kw_only=True)
class FunctionMetric(PythonMetric):
    """A Python function as a metric; made by ``segment_metric``."""

    name: str  # type: ignore[misc]
    function: Callable[..., Any]
    higher_is_better: bool | None = True
    batch: bool = False
    digits: int = MeanMetric.digits  # type: ignore[misc]

    def __post_init__(self) -> None:
        check_name(self.name, "metric")
        if not self.name.isprintable():
            raise InputError(f"the metric name {self.name!r} cannot be shown in a table; give another name")
        check_label(self.name, "give the metric another name")
        _arguments(self.function, self.name)
        # By identity, since 1 == True and 0 == False.
        if not any(self.higher_is_better is known for known in (True, False, None)):
            raise SpecError(
                f"{self.name}: higher_is_better must be True, False or None, not {_shown(self.higher_is_better)}"
            )
        if not isinstance(self.batch, bool):
            raise SpecError(f"{self.name}: batch must be True or False, not {_shown(self.batch)}")
        if type(self.digits) is not int or not 0 <= self.digits <= _MOST_DIGITS:
            raise SpecError(
                f"{self.name}: digits must be a whole number from 0 to {_MOST_DIGITS}, not {_shown(self.digits)}"
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionMetric) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        return id(self.function), self.name, self.higher_is_better, self.batch, self.digits

    def __str__(self) -> str:
        """The name of the metric; a function has no specification."""
        return self.name

    @property
    def label(self) -> str:
        """The name of the metric."""
        return self.name

    @property
    def arguments(self) -> tuple[str, ...]:
        """The parameters of the function."""
        return _arguments(self.function, self.name)

    def values(self, texts: Mapping[str, list[Any]], place: Places, *, execution: Execution = SERIAL) -> Floats:
        """Call the function once for all pairs (``batch``), or once for every pair."""
        lists = {name: texts[name] for name in self.arguments}
        n = len(lists["hypothesis"])
        size = n if self.batch else _CALLS_AT_ONCE
        parts = [slice(first, first + size) for first in range(0, n, size)]
        chunks = [({name: found[part] for name, found in lists.items()}, place[part]) for part in parts]
        return np.concatenate(list(execution.map_chunks(_values, chunks, shared=self)))

    def called(self, lists: Mapping[str, list[Any]], place: Places) -> Floats:
        """Scores of the pairs of one chunk, shape (n,)."""
        n = len(lists["hypothesis"])
        if self.batch:
            found = self._call(dict(lists), counted(n, "text"))
            if isinstance(found, str | Mapping | Set) or not isinstance(found, Iterable):
                raise MtassayError(f"{self.name} must return a list of numbers, not {_shown(found)}")
            results = list(found)
            if len(results) != n:
                raise MtassayError(f"{self.name} returned {counted(len(results), 'score')} for {counted(n, 'text')}")
        else:
            results = [self._call({name: values[i] for name, values in lists.items()}, place(i)) for i in range(n)]
        return np.array([self._number(value, place(i)) for i, value in enumerate(results)])

    def _call(self, arguments: dict[str, Any], where: str) -> Any:
        try:
            return self.function(**arguments)
        except Exception as error:
            raise MtassayError(f"{self.name} failed on {where}: {type(error).__name__}: {error}") from error

    def _number(self, value: object, where: str) -> float:
        try:
            number = math.nan if isinstance(value, str | bytes) else float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not abs(number) <= LARGEST:
            wanted = f"a number of at most {LARGEST:g}" if math.isfinite(number) else "a finite number"
            raise MtassayError(f"{self.name} must return {wanted}, but for {where} it returned {_shown(value)}")
        return number

    def signature_entries(self) -> list[Entry]:
        """The function by its full name; its code is not recorded."""
        function = self.function
        named = getattr(function, "__qualname__", type(function).__qualname__)
        return [
            Entry("function", "fn", f"{getattr(function, '__module__', None) or '?'}.{named}"),
            Entry("batch", "b", "yes" if self.batch else "no"),
        ]


def _values(metric: FunctionMetric, chunk: tuple[dict[str, list[Any]], Places]) -> Floats:
    return metric.called(*chunk)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _arguments(function: object, name: str) -> tuple[str, ...]:
    """The texts that a function reads, by the names of its parameters."""
    if not callable(function):
        raise SpecError(f"{name}: a metric must be a function, not {_shown(function)}")
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise SpecError(f"{name}: the parameters of {_shown(function)} cannot be inspected; wrap it in a def") from None
    given = f"a metric is given {', '.join(ARGUMENTS)}"
    found = []
    for parameter in parameters:
        if parameter.name in ARGUMENTS and parameter.kind is parameter.POSITIONAL_ONLY:
            raise SpecError(f"{name}: '{parameter.name}' must not be positional-only (before '/'); {given} by name")
        known = parameter.name in ARGUMENTS and parameter.kind in (
            parameter.KEYWORD_ONLY,
            parameter.POSITIONAL_OR_KEYWORD,
        )
        if known:
            found.append(parameter.name)
        elif parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            raise SpecError(
                f"{name} has a parameter '{parameter.name}'{did_you_mean(parameter.name, ARGUMENTS)}; {given} by name"
            )
    if "hypothesis" not in found:
        raise SpecError(f"{name} has no parameter 'hypothesis'; {given} by name")
    if "reference" in found and "references" in found:
        raise SpecError(f"{name} asks for 'reference' and 'references'; choose one reference at a time, or all")
    return tuple(found)


@overload
def segment_metric(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    higher_is_better: bool | None = True,
    batch: bool = False,
    digits: int = 4,
) -> FunctionMetric: ...
@overload
def segment_metric(
    function: None = None,
    *,
    name: str | None = None,
    higher_is_better: bool | None = True,
    batch: bool = False,
    digits: int = 4,
) -> Callable[[Callable[..., Any]], FunctionMetric]: ...
def segment_metric(
    function: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    higher_is_better: bool | None = True,
    batch: bool = False,
    digits: int = 4,
) -> FunctionMetric | Callable[[Callable[..., Any]], FunctionMetric]:
    """Make a metric from a function that scores one segment; the score of a system is the mean.

    Args:
        function: called with the texts that its parameters name: ``hypothesis``, ``reference`` (one at a time; the best
            one counts) or ``references`` (a tuple of all references of the segment), ``source``. It returns a number.
            Without a function, a decorator is returned.
        name: name in tables; by default that of the function.
        higher_is_better: the direction; None if the metric has no direction.
        batch: call the function once, with a list for each parameter; it then returns a list of numbers.
        digits: decimals in tables.

    >>> import mtassay
    >>> @mtassay.segment_metric(higher_is_better=False)
    ... def length_gap(hypothesis, reference):
    ...     return abs(len(hypothesis.split()) - len(reference.split()))
    >>> length_gap.corpus_score(["a b", "c"], [["a b c", "c"]])
    0.5
    >>> mtassay.score([["a b c", "c"]], {"x": ["a b", "c"]}, metrics=["bleu", length_gap])["x", "length_gap"]
    0.5
    """

    def make(function: Callable[..., Any]) -> FunctionMetric:
        called = name if name is not None else getattr(function, "__name__", "<function>")
        if isinstance(called, str) and called.startswith("<"):
            raise SpecError("a function without a name needs name= for tables: segment_metric(function, name=...)")
        return FunctionMetric(
            name=called, function=function, higher_is_better=higher_is_better, batch=batch, digits=digits
        )

    return make if function is None else make(function)
