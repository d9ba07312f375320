"""Metric and Scorer: a metric is a table of additive statistics and a function from summed statistics to a score.

``metric.prepare(references)`` gives a ``Scorer``, which holds everything that depends on the references and never
changes afterwards. ``scorer.statistics(hypotheses, segment_index)`` gives one row of statistics per hypothesis. Rows
can be summed in any way, and ``metric.score(totals)`` turns sums into scores, vectorised over every leading axis.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from mtassay.data.references import check_references, check_texts, no_references
from mtassay.errors import InputError, SpecError, did_you_mean, unknown_name
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import for_kernels
from mtassay.metrics.core.options import convert, quoted, show, written, yes_or_no
from mtassay.metrics.core.references import References, Texts, as_references
from mtassay.metrics.core.signature import Entry, Signature
from mtassay.metrics.core.table import build_tables
from mtassay.text import TOKENIZER_OF

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from mtassay.types import Floats, Index, Statistics


#: Pairs whose statistics are held together in ``pairwise``.
_PAIRS_AT_ONCE = 500_000
#: Fewer pairs are not worth a second thread.
_WORTH_THREADS = 500
#: Parts per thread: enough that threads finish together, few enough that work on references is seldom repeated.
_PARTS_PER_THREAD = 2


class Scorer(ABC):
    """A metric together with prepared references.

    Args:
        metric: the metric.
        references: the references; scorers prepared from the same object share tokens.
        execution: each thread takes parts of the pairs.
    """

    def __init__(self, metric: Any, references: References, *, execution: Execution = SERIAL) -> None:
        self.metric = metric
        self.references = as_references(references)
        if not len(self.references.texts):
            metric.check_references()
        self.execution = for_kernels(execution).quiet

    @property
    def sources(self) -> tuple[str, ...]:
        """The source texts, for metrics that read them; raises an error if there are none."""
        if self.references.sources is None:
            raise InputError(
                f"{self.metric} reads source texts, but there are none: give --source FILE, "
                "or in Python TestSet(..., sources=) or References(..., sources=)"
            )
        return self.references.sources

    def statistics(
        self,
        hypotheses: Texts | Sequence[str],
        segment_index: Sequence[int] | Index | None = None,
        *,
        hypothesis_index: Sequence[int] | Index | None = None,
    ) -> Statistics:
        """Statistics of any list of (hypothesis, segment) pairs.

        Args:
            hypotheses: the texts.
            segment_index: for each pair the segment it is compared with (0-based), shape (n,); by default the
                hypotheses are those of segments 0, 1, 2 …
            hypothesis_index: for each pair the hypothesis, shape (n,); by default hypothesis *i* belongs to pair *i*.

        Returns:
            shape (n, K): one row per pair, with the columns that ``metric.columns`` names.
        """
        texts = hypotheses if isinstance(hypotheses, Texts) else Texts(hypotheses)
        segments = _index("segment", segment_index, self.references.n_segments)
        rows = _index("hypothesis", hypothesis_index, len(texts))
        if len(rows) != len(segments):
            raise InputError(
                f"{len(rows)} hypotheses, but {len(segments)} segments: every hypothesis needs one segment"
            )
        if self.execution.threads == 1 or len(rows) < _WORTH_THREADS:
            return self._statistics(texts, rows, segments)
        n_parts = _PARTS_PER_THREAD * self.execution.threads
        edges = np.linspace(0, len(rows), n_parts + 1).astype(np.int64)

        def compute(number: int) -> Statistics:
            part = slice(edges[number], edges[number + 1])
            return self._statistics(texts, rows[part], segments[part])

        return np.concatenate(self.execution.map(compute, range(n_parts)))

    @abstractmethod
    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        """Statistics of checked pairs, shape (n, K)."""

    def expected_statistics(self, texts: Texts, weights: Floats) -> Statistics:
        """Statistics of hypotheses against one aggregated reference, whose n-gram counts are weighted means.

        Args:
            texts: n hypotheses.
            weights: weight of each segment's reference, shape (segments,), sum 1.

        Returns:
            shape (n, K), not whole numbers. Only some n-gram metrics can do this; others raise an error.
        """
        del texts, weights
        raise SpecError(f"{self.metric} cannot aggregate references; bleu and chrf can")


def no_texts(metric: Metric) -> SpecError:
    """The error for scoring texts with a metric that only has scores of systems."""
    return SpecError(f"{metric} has scores of the systems of a test set, not of texts; use mtassay.score(...)")


def _index(what: str, given: Sequence[int] | Index | None, limit: int) -> Index:
    """Check an index of shape (n,); by default 0, 1, 2 … `limit` - 1."""
    if given is None:
        return np.arange(limit, dtype=np.int64)
    index = np.asarray(given)
    if index.ndim != 1 or (index.size and not np.issubdtype(index.dtype, np.integer)):
        raise InputError(f"{what} index must be a list of whole numbers")
    if index.size and (index.min() < 0 or index.max() >= limit):
        raise InputError(f"{what} index out of range: there are {limit}, counted from 0")
    return index.astype(np.int64)


@dataclasses.dataclass(frozen=True)
class Metric(ABC):
    """Base class of all metrics; a subclass is a frozen dataclass whose fields are options."""

    #: Name in specifications.
    name: ClassVar[str]
    #: Decimals shown in tables.
    digits: ClassVar[int] = 1
    #: The option that comes first in a specification, without its name (``file:PATH``); '' if there is none.
    first_option: ClassVar[str] = ""
    #: Whether the first option is the specification of another metric (``cross:bleu``).
    wraps_metric: ClassVar[bool] = False
    #: Whether the metric can score any text; a file, for example, has only the scores of its systems.
    scores_texts: ClassVar[bool] = True
    #: Whether the metric reads references; if not, it also scores test sets that have none.
    needs_references: ClassVar[bool] = True
    #: Whether the statistics of a segment depend on nothing but its own texts, so that streams can be scored.
    by_segment: ClassVar[bool] = False
    #: Whether a metric with annotators reads annotations of outputs; if not, it reads only those of references.
    annotates_outputs: ClassVar[bool] = True
    #: Whether its scorer itself divides the work into chunks, also for other processes (models, functions of users).
    sends_chunks: ClassVar[bool] = False
    #: Whether the metric marks errors in texts: it then has a method ``error_spans``.
    marks_errors: ClassVar[bool] = False
    #: Module whose ``align_segment(scorer, texts, segment, numbers)`` gives alignments; '' if there is none.
    aligner: ClassVar[str] = ""
    #: Whether segments may lack a score (NaN); comparisons then use the segments that have scores of both systems.
    may_lack_scores: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, convert(self.name, field, getattr(self, field.name)))

    @property
    def higher_is_better(self) -> bool | None:
        """The direction of the score; None if it has no direction (a ratio of lengths)."""
        return True

    @property
    def sign(self) -> float:
        """Factor that makes higher values better: 1, -1, or 0 if the metric has no direction."""
        return {True: 1.0, False: -1.0, None: 0.0}[self.higher_is_better]

    @property
    def level(self) -> str:
        """``segment``, or ``system`` if only whole systems have a score."""
        return "segment"

    def check_level(self, wanted: str) -> None:
        """Raise an error if the metric has no scores of segments; `wanted` names what needs them."""
        if self.level == "system":
            raise InputError(f"{self} has only scores of whole systems, but {wanted} need scores of segments")

    def check_references(self) -> None:
        """Raise an error if the metric needs references; called where there are none."""
        if self.needs_references:
            raise no_references(self)

    # What a metric defines

    @property
    @abstractmethod
    def label(self) -> str:
        """Name in tables and in sacreBLEU's output, such as ``chrF2++``."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of the K statistics."""

    @abstractmethod
    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Do the work that depends only on the references."""

    @abstractmethod
    def score(self, totals: Statistics) -> Floats:
        """Scores of summed statistics, shape (..., K) -> (...)."""

    @abstractmethod
    def signature_entries(self) -> list[Entry]:
        """The metric's part of the signature."""

    def segment_score(self, rows: Statistics) -> Floats:
        """Scores of single segments, shape (..., K) -> (...); ``score`` unless the metric's docs say why not."""
        return self.score(rows)

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """Named parts of the score for verbose output, each of shape (...)."""
        del totals
        return {}

    def breakdown(self, totals: Statistics) -> dict[str, dict[str, Floats]]:
        """Values for parts of the data, such as each connective, for verbose output; each of shape (...)."""
        del totals
        return {}

    def verbose(self, totals: Statistics) -> str:
        """The text that sacreBLEU prints after the score of one system; `totals` has shape (K,)."""
        del totals
        return ""

    def statistics_of_systems(
        self, references: References, systems: Mapping[str, Sequence[str]], *, execution: Execution = SERIAL
    ) -> Any:
        """Statistics of all systems in one call, shape (systems, segments, K), for metrics that need them together.

        None (the default) if the scorer that ``prepare`` returns computes them, in chunks and in several threads.
        """
        del references, systems, execution
        return None

    @property
    def statistics_key(self) -> Hashable:
        """Metrics with equal keys have equal statistics, which are then computed once."""
        return self

    @property
    def annotators(self) -> tuple[str, ...]:
        """Specifications of the annotators whose annotations the metric reads."""
        return ()

    @property
    def parts(self) -> tuple[Metric, ...]:
        """The metrics whose statistics, side by side, are this metric's; only itself unless it combines others."""
        return (self,)

    # Specifications

    @classmethod
    def preset(cls, name: str) -> dict[str, Any]:
        """Option values that a name stands for (``chrf++``: ``word_order=2``)."""
        del name
        return {}

    @classmethod
    def language_defaults(cls, source: str, target: str) -> dict[str, Any]:
        """Option values for a language pair, used if a specification sets no others; `source` may be '' (unknown)."""
        del source
        has_tok = any(field.name == "tok" for field in dataclasses.fields(cls))
        return {"tok": TOKENIZER_OF[target]} if has_tok and target in TOKENIZER_OF else {}

    @classmethod
    def from_options(
        cls, name: str, options: Mapping[str, object], *, defaults: Mapping[str, object] | None = None
    ) -> Self:
        """Make a metric from the parts of a specification.

        Args:
            name: the name or code that was written.
            options: the options written after it.
            defaults: values of options that `name` and `options` do not set, such as ``-tok`` of the command line.
        """
        names = {written(f): f for f in dataclasses.fields(cls)}
        for field in list(names.values()):
            names.update(dict.fromkeys(field.metadata["aliases"], field))
        given: dict[str, Any] = {}
        for key, value in options.items():
            if key not in names:
                known = map(written, dataclasses.fields(cls))
                raise SpecError(f"{name}: {unknown_name('option', key, known, hint=did_you_mean(key, names))}")
            field = names[key]
            if field.name in given:
                raise SpecError(f"{name}: {written(field)} is given twice")
            given[field.name] = convert(name, field, cls._translate(key, value))
        preset = cls.preset(name)
        given = {key: value for key, value in (defaults or {}).items() if key not in preset} | given
        return cls(**cls._complete(preset | given, given))

    @classmethod
    def _translate(cls, key: str, value: object) -> object:
        """Turn the value of an alias into the option's own vocabulary (sacreBLEU's ``lowercase=yes``)."""
        if key == "lowercase":
            return {True: "lower", False: "mixed", None: value}[yes_or_no(value)]
        return value

    @classmethod
    def _complete(cls, options: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Set options that depend on those given by the user."""
        del given
        return options

    @property
    def spec_name(self) -> str:
        """The name under which the canonical specification is written."""
        return self.name

    def __str__(self) -> str:
        """The canonical specification; parsing it gives an equal metric."""
        preset = self._complete(self.preset(self.spec_name), {})
        options = [
            ("" if field.name == self.first_option else f"{written(field)}=") + quoted(show(getattr(self, field.name)))
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != preset.get(field.name, field.default)
        ]
        return f"{self.spec_name}:{','.join(options)}" if options else self.spec_name

    @property
    def public_spec(self) -> str:
        """The specification as signatures show it: without folders, which differ between machines."""
        return str(self)

    def signature(self, references: References | Sequence[Sequence[str | None]], **resampling: object) -> Signature:
        """The signature of scores against these references; it shows 0 references if the metric reads none."""
        n_references = as_references(references).n_references if self.needs_references else "0"
        return Signature.build(n_references, self.all_entries(), **resampling)

    def all_entries(self) -> list[Entry]:
        """The metric's part of the signature, with the package that it comes from if that is not mtassay."""
        from mtassay.metrics.core.registry import package_of  # imports this module

        package = package_of(type(self), self.spec_name)
        return [*self.signature_entries(), *([] if package is None else [Entry("package", "pkg", package)])]

    # Texts to scores, for Python users

    def corpus_score(
        self, hypotheses: Sequence[str], references: References | Sequence[Sequence[str | None]], *, threads: int = 1
    ) -> float:
        """Score one system.

        Args:
            hypotheses: one text per segment.
            references: one or more reference streams, each with one text (or ``None``) per segment.
            threads: number of threads.

        >>> import mtassay
        >>> round(mtassay.metric("bleu").corpus_score(["the cat sat on the mat"], [["the cat sat on a mat"]]), 2)
        53.73
        """
        rows = self._rows(hypotheses, references, threads=threads)
        return float(self.score(rows.sum(axis=0)))

    def segment_scores(
        self, hypotheses: Sequence[str], references: References | Sequence[Sequence[str | None]], *, threads: int = 1
    ) -> Floats:
        """Score every segment of one system, shape (N,); arguments as for ``corpus_score``."""
        return self.segment_score(self._rows(hypotheses, references, threads=threads))

    def pairwise(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str],
        *,
        sources: Sequence[str] | None = None,
        threads: int = 1,
        execution: Execution | None = None,
    ) -> Floats:
        """Segment scores of every hypothesis against every reference, for MBR decoding and reranking.

        Args:
            hypotheses: N texts.
            references: M texts, each used as the only reference. For metrics that need no references, the list may be
                empty; M is then the number of sources.
            sources: the M source texts of the references, for metrics that read them.
            threads: number of threads.
            execution: a cluster, in place of threads.

        Returns:
            shape (N, M).

        >>> import mtassay
        >>> mtassay.metric("chrf").pairwise(["a b", "c"], ["a b", "b c", "c"]).round(1).tolist()
        [[100.0, 25.0, 0.0], [0.0, 55.6, 100.0]]
        """
        texts = Texts(hypotheses)
        checked = check_texts(references, "references")
        sources = None if sources is None else check_texts(sources, "sources")
        without = not (checked or self.needs_references) and sources is not None
        prepared = References([] if without else [checked], sources=sources, n_segments=len(sources or ()))
        execution = Execution.of(execution, threads=threads)
        if execution.leaves_process and not self.sends_chunks:
            from mtassay.metrics.core.sent_chunks import pairwise_of_sent_chunks

            return pairwise_of_sent_chunks(self, texts.strings, prepared, execution=execution)
        scorer = self.prepare(prepared, execution=execution)
        return self.pairwise_scores(scorer, texts)

    def pairwise_scores(self, scorer: Scorer, texts: Texts) -> Floats:
        """Segment scores of every hypothesis against every segment of a scorer, shape (N, M)."""
        n_refs = scorer.references.n_segments
        scores = np.empty((len(texts), n_refs))
        # One block of hypotheses at a time, since statistics need far more memory than scores.
        size = max(1, _PAIRS_AT_ONCE // max(1, n_refs))
        for first in range(0, len(texts), size):
            block = np.arange(first, min(first + size, len(texts)))
            rows = scorer.statistics(
                texts, np.tile(np.arange(n_refs), len(block)), hypothesis_index=np.repeat(block, n_refs)
            )
            scores[block] = self.segment_score(rows).reshape(len(block), n_refs)
        return scores

    def _rows(self, hypotheses: Sequence[str], references: Any, *, threads: int) -> Statistics:
        for part in self.parts:
            if not part.scores_texts:
                raise no_texts(part)
        checked = check_texts(hypotheses, "hypotheses")
        if not isinstance(references, References):
            streams = check_references(references, len(checked), may_be_empty=True)
            references = References(streams, n_segments=len(checked))
        (table,) = build_tables(references, {"hypotheses": checked}, [self], execution=Execution(threads))
        rows: Statistics = table.statistics[0]
        return rows
