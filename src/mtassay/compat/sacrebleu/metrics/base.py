"""Scores, signatures, and the base class of the three metrics.

A metric of this package has sacreBLEU's arguments. Its statistics come from a metric of ``mtassay.metrics``, which is
imported on first use, so that importing this module is as fast as importing sacreBLEU.
"""

from __future__ import annotations

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from mtassay.compat.sacrebleu.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mtassay.metrics.core.metric import Metric as Engine
    from mtassay.metrics.core.references import References
    from mtassay.types import Array

    #: Reference streams, each with one text (or None) per segment.
    Streams = Sequence[Sequence[str | None]]

sacrelogger = logging.getLogger("sacrebleu")

#: A corpus with at least this many texts that end in a separate full stop looks tokenised.
_TOKENISED_LINES = 100
#: How often prepared references are reused; they keep the words of all hypotheses that were compared with them.
_MOST_USES = 100


class Score:
    """A score with the name of its metric.

    Args:
        name: name of the metric.
        score: the value.
    """

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        # Mean and half interval over resamples; -1 if there are none.
        self._mean = -1.0
        self._ci = -1.0
        self._verbose = ""

    def format(self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False) -> str:
        """Write the score.

        Args:
            width: decimals.
            score_only: write only the number, with its interval if there is one.
            signature: signature to write between name and score.
            is_json: write a JSON object.
        """
        number = f"{self.score:.{width}f}"
        fields: dict[str, Any] = {"name": self.name, "score": float(number), "signature": signature}
        if self._mean > 0:
            mean, half = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
            interval = f"μ = {mean} ± {half}"
            number += f" ({interval})"
            fields |= {"confidence_mean": float(mean), "confidence_var": float(half), "confidence": interval}
        if score_only:
            return number
        if is_json:
            if self._verbose:
                fields["verbose_score"] = self._verbose
            fields |= dict(entry.split(":") for entry in signature.split("|"))
            return json.dumps(fields, indent=1, ensure_ascii=False)
        name = f"{self.name}|{signature}" if signature else self.name
        return f"{name} = {number}" + (f" {self._verbose}" if self._verbose else "")

    def estimate_ci(self, scores: Iterable[Score]) -> None:
        """Set the mean and half the width of the 95 % interval from the scores of resamples."""
        from statistics import mean

        values = sorted(score.score for score in scores)
        left_out = len(values) // 40
        self._ci = 0.5 * (values[-left_out - 1] - values[left_out])
        self._mean = mean(values)

    def __repr__(self) -> str:
        return self.format()


class Signature:
    """A signature, which makes a score reproducible.

    Args:
        args: attributes of the evaluated metric.
    """

    def __init__(self, args: Mapping[str, Any]) -> None:
        self._abbr = {
            "version": "v",
            "nrefs": "#",
            "test": "t",
            "lang": "l",
            "subset": "S",
            "origlang": "o",
            "bs": "bs",
            "ar": "ar",
            "seed": "rs",
        }
        if "num_refs" not in args:
            raise ValueError("the signature needs the number of references: score something first")
        self.info: dict[str, Any] = {
            "version": __version__,
            "nrefs": "var" if args["num_refs"] == -1 else args["num_refs"],
            "bs": args.get("n_bootstrap"),
            "ar": None,
            "seed": args.get("seed"),
            "test": args.get("test_set"),
            "lang": args.get("langpair"),
            "origlang": args.get("origlang"),
            "subset": args.get("subset"),
        }

    def format(self, short: bool = False) -> str:
        """Write the signature, with short names on request; the version and the backend come last."""
        entries = [(name, value) for name, value in self.info.items() if name != "version"]
        entries += [("version", self.info["version"]), ("backend", "mtassay")]
        shown = {True: "yes", False: "no"}
        return "|".join(
            f"{self._abbr.get(name, name) if short else name}:{shown[value] if isinstance(value, bool) else value}"
            for name, value in entries
            if value is not None
        )

    def update(self, key: str, value: Any) -> None:
        """Set an entry."""
        self.info[key] = value

    def __repr__(self) -> str:
        return self.format()


S = TypeVar("S", bound=Score)


class Metric(ABC, Generic[S]):
    """Base of the three metrics: checks, references, statistics."""

    _SIGNATURE_TYPE: ClassVar[type[Signature]] = Signature

    num_refs: int

    def __init__(self) -> None:
        self._ref_cache: References | None = None
        self._force = True
        self.n_bootstrap: int | None = None
        self.seed: str | None = None

    # Methods that a metric defines

    @abstractmethod
    def _engine(self) -> Engine:
        """The metric of mtassay that computes the statistics."""

    @abstractmethod
    def _compute_score_from_stats(self, stats: Any) -> S:
        """The score of summed statistics: a list, or an array of shape (K,)."""

    @abstractmethod
    def _values_from_stats(self, stats: Array) -> list[float]:
        """The values of many sums of statistics, shape (..., K)."""

    def _columns(self, statistics: Array) -> Array:
        """Statistics in sacreBLEU's columns, shape (N, K)."""
        return statistics

    def _prepared(self, texts: list[str]) -> list[str]:
        """Texts as the engine reads them."""
        return texts

    # Statistics

    def _cache_references(self, references: Streams) -> References:
        """Prepare references; longer streams are cut to the length of the shortest one."""
        n_segments = min(len(stream) for stream in references)
        prepared = _prepare([self._prepared_stream(list(stream[:n_segments])) for stream in references])
        self.num_refs = -1 if prepared.n_references == "var" else int(prepared.n_references)
        return prepared

    def _prepared_stream(self, stream: list[str | None]) -> list[str | None]:
        if None not in stream:
            return list(self._prepared(cast("list[str]", stream)))
        present = iter(self._prepared([text for text in stream if text is not None]))
        return [None if text is None else next(present) for text in stream]

    def _extract_corpus_statistics(self, hypotheses: Sequence[str], references: Streams | None) -> Array:
        """Statistics of every segment, shape (N, K); texts beyond the shortest list are left out."""
        if references:
            prepared = self._cache_references(references)
        elif self._ref_cache is not None:
            prepared = self._ref_cache
        else:
            raise RuntimeError("no references: give them here or to the constructor")
        texts = list(hypotheses[: prepared.n_segments])
        self._warn_tokenised(texts)
        return self._columns(self._count(self._prepared(texts), prepared))

    def _count(self, texts: list[str], references: References) -> Array:
        """Statistics of texts and their references; there may be fewer texts than references."""
        from mtassay.data.references import check_texts
        from mtassay.metrics.core.table import build_tables

        if len(texts) < references.n_segments or len(texts) == 1:
            return self._engine().prepare(references).statistics(texts, range(len(texts)))
        (table,) = build_tables(references, {"hypotheses": check_texts(texts, "hypotheses")}, [self._engine()])
        rows: Array = table.statistics[0]
        return rows

    def _warn_tokenised(self, texts: list[str]) -> None:
        if not self._force and sum(text.endswith(" .") for text in texts) >= _TOKENISED_LINES:
            sacrelogger.warning(
                "%d lines or more end in a separate full stop: the texts look tokenised, which lowers the score. "
                "Detokenise them, or use `force` to suppress this message.",
                _TOKENISED_LINES,
            )

    def _aggregate_and_compute(self, stats: Array) -> S:
        """The score of the sum of statistics (N, K)."""
        return self._compute_score_from_stats(_sum(stats))

    # Scores

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> S:
        """Score one segment.

        Args:
            hypothesis: the text.
            references: its references.
        """
        self._check_sentence_score_args(hypothesis, references)
        return self._aggregate_and_compute(
            self._extract_corpus_statistics([hypothesis], [[reference] for reference in references])
        )

    def corpus_score(self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1) -> S:
        """Score a corpus.

        Args:
            hypotheses: one text per segment.
            references: reference streams, each with one text (or None) per segment; None for those given to the
                constructor.
            n_bootstrap: number of resamples for a 95 % interval; 1 is none.
        """
        self._check_corpus_score_args(hypotheses, references)
        stats = self._extract_corpus_statistics(hypotheses, references)
        score = self._aggregate_and_compute(stats)
        if n_bootstrap > 1:
            from mtassay.compat.sacrebleu.significance import _bootstrap_resample

            self.n_bootstrap = n_bootstrap
            self.seed, resampled = _bootstrap_resample(stats, self, n_bootstrap)
            score.estimate_ci(resampled)
        return score

    def get_signature(self) -> Signature:
        """The signature of the last evaluation."""
        return self._SIGNATURE_TYPE(self.__dict__)

    # Checks, as strict as sacreBLEU's and no stricter

    def _check_sentence_score_args(self, hyp: Any, refs: Any) -> None:
        name = type(self).__name__
        if not isinstance(hyp, str):
            raise TypeError(f"{name}: `hyp` must be a string")
        if isinstance(refs, str) or not isinstance(refs, Sequence):
            raise TypeError(f"{name}: `refs` must be a sequence of strings")
        if not isinstance(refs[0], str) and refs[0] is not None:
            raise TypeError(f"{name}: every element of `refs` must be a string")

    def _check_corpus_score_args(self, hyps: Any, refs: Any) -> None:
        name = type(self).__name__
        if not isinstance(hyps, Sequence):
            raise TypeError(f"{name}: `hyps` must be a sequence of strings")
        if not isinstance(hyps[0], str) or any(text is None for text in hyps):
            raise TypeError(f"{name}: every element of `hyps` must be a string")
        if refs is None:
            return
        if not isinstance(refs, Sequence) or not isinstance(refs[0], Sequence):
            raise TypeError(f"{name}: `refs` must be a sequence of sequences of strings")
        if not isinstance(refs[0][0], str) and refs[0][0] is not None:
            raise TypeError(f"{name}: `refs` must be a sequence of sequences of strings")


class _Last:
    """The references of the last call. The next call mostly has the same, since systems are scored one by one.

    Streams, prepared references and the count of uses are one value, so that threads cannot mix them up.
    """

    kept: ClassVar[tuple[list[list[str | None]], References, Iterator[int]] | None] = None


def _prepare(streams: list[list[str | None]]) -> References:
    """Prepare references; those of the last call are reused."""
    from mtassay.metrics.core.references import References

    kept = _Last.kept
    if kept is None or kept[0] != streams or next(kept[2]) >= _MOST_USES:
        kept = _Last.kept = (streams, References(streams), count())
    return kept[1]


def _sum(stats: Array) -> list[Any]:
    """Sum statistics (N, K) as Python numbers; fractions (mean lengths) are added one after the other."""
    if stats.dtype.kind == "f":
        # Parity: sacreBLEU, no pairwise summation.
        return list(stats.cumsum(axis=0)[-1].tolist())
    return list(stats.sum(axis=0).tolist())
