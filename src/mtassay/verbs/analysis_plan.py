"""What the verb ``analyse`` looks for, and how: its options, checked before texts are scored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mtassay.analysis.bucket_tests import BucketResampling
from mtassay.analysis.views import SEGMENT_VIEWS, WORD_VIEWS
from mtassay.analysis.word_labels import is_given
from mtassay.analysis.word_marks import alignment_metric
from mtassay.data.annotations import ENTITIES
from mtassay.errors import InputError, each_of, unknown_name
from mtassay.stats.adjust import check_adjustment
from mtassay.stats.intervals import check_alpha
from mtassay.stats.procedures import Procedure
from mtassay.text import tokenizer_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.io.inputs import PathLike
    from mtassay.metrics.core.metric import Metric

#: Everything that can be asked for.
VIEWS = (*WORD_VIEWS, *SEGMENT_VIEWS, "errors", "ngrams", "examples")
#: Default number of resamples in each bucket, default correction of their p-values, and default number of n-grams and
#: examples.
RESAMPLES, ADJUST, TOP = 1000, "bh", 10
#: Views of two systems.
OF_PAIRS = ("ngrams", "examples")
#: The views that an option is for.
_USED_BY = {
    "top": OF_PAIRS,
    "frequencies": ("frequency",),
    "labels": ("label", "entity", "errors", "examples"),
    "layer": ("label",),
    "segment_labels": ("segment-label",),
    "judgements": ("examples",),
    "alignment": ("examples",),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class AnalysisPlan:
    """The options of ``analyse`` for a test set.

    Attributes:
        metrics: the metrics; examples are found by the first.
        views: the views that are made, in the order of ``VIEWS``.
        resampling: how buckets are tested.
        aligned: the metric whose alignment marks the words of examples.
        tokenizer: the tokenizer of words and n-grams.
        case: ``lower`` or ``mixed``.

    The other attributes are options as given.
    """

    testset: TestSet
    metrics: Sequence[Metric]
    by: Sequence[str] | None = None
    pair: tuple[str, str] | None
    frequencies: PathLike | Mapping[str, int] | None
    labels: str | Sequence[PathLike | Sequence[str]] | None
    layer: str | None
    segment_labels: PathLike | Sequence[str] | None
    alignment: str | Metric
    judgements: Judgements | None
    tok: str | None
    lowercase: bool
    top: int
    resamples: int = RESAMPLES
    alpha: float
    adjust: str = ADJUST
    seed: int
    views: list[str] = field(init=False)
    resampling: BucketResampling = field(init=False)
    aligned: Metric = field(init=False)
    tokenizer: str = field(init=False)
    case: str = field(init=False)

    def __post_init__(self) -> None:
        procedure = Procedure("ar", None, RESAMPLES if self.resamples == 0 else self.resamples, self.seed)
        resampling = BucketResampling(procedure, check_alpha(self.alpha), self.adjust)
        check_adjustment(self.adjust)
        check_top(self.top)
        if self.layer is not None and self.labels is None:
            raise InputError(f"the layer {self.layer} chooses labels of words, but there are no labels: also give them")
        found = {
            "views": self._chosen(),
            "resampling": resampling,
            "aligned": alignment_metric(self.alignment, self.testset.language_pair),
            "tokenizer": self.tok or tokenizer_of(self.testset.target_language),
            "case": "lower" if self.lowercase else "mixed",
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)  # the dataclass is frozen

    def _chosen(self) -> list[str]:
        """The requested views, or the default ones, in the order of ``VIEWS``."""
        testset = self.testset
        has_pair = len(testset.systems) > 1
        undirected = next((metric for metric in self.metrics[:1] if not metric.sign), None)
        if self.by is None:
            there = {
                "case": not self.lowercase,
                "label": self.labels is not None,
                "entity": is_given(ENTITIES, self.labels),
                "domain": testset.domains is not None,
                "document": False,  # only on request: the table has hundreds of rows
                "duplicates": testset.sources is not None and len(set(testset.sources)) < testset.n_segments,
                "segment-label": self.segment_labels is not None,
                "examples": has_pair and undirected is None,
            }
            return [name for name in VIEWS if there.get(name, True)]
        by = list(each_of(self.by, "by", such_as="['length', 'ngrams']"))
        for name in by:
            if name not in VIEWS:
                raise InputError(unknown_name("view", name, VIEWS))
            if name in OF_PAIRS and not has_pair:
                raise InputError(f"there is only one system: {name} need two")
        if "examples" in by and undirected is not None:
            raise InputError(
                f"{undirected.label} has no direction, so no output is better by it: put another metric first, or "
                "leave examples out of --by (by=)"
            )
        if "case" in by and self.lowercase:
            raise InputError(
                "words in lower case (-lc, lowercase=True) cannot be divided by letter case: leave out one"
            )
        return [name for name in VIEWS if name in by]

    def check_used(self) -> None:
        """Reject options that are only for views that are not made; the page of a report uses some in other parts."""
        given = {
            "frequencies": self.frequencies is not None,
            "labels": self.labels is not None,
            "layer": self.layer is not None,
            "segment_labels": self.segment_labels is not None,
            "judgements": self.judgements is not None,
            "alignment": self.alignment != "ter",
            "top": self.top != TOP,
        }
        is_alone = len(self.testset.systems) == 1
        for option, views in _USED_BY.items():
            flag = f"--{option.replace('_', '-')} ({option}=)"
            if given[option] and is_alone and set(views) <= set(OF_PAIRS):
                raise InputError(f"{flag} is for {', '.join(views)}, which need two systems: leave the option out")
            if given[option] and not set(views) & set(self.views):
                raise InputError(f"{flag} is for {', '.join(views)}: add one to --by (by=), or leave the option out")
        # Entities, and the lemmas of errors and examples, come from annotators; the view of entities says so itself.
        is_given_by_files = self.labels is not None and not isinstance(self.labels, str)
        if is_given_by_files and not {"label", "entity"} & set(self.views):
            raise InputError("labels of files are for the view label: add it to --by (by=), or leave them out")


def check_top(top: int) -> None:
    """Reject a number of rows that is not a whole number from 1."""
    if type(top) is not int or top < 1:
        raise InputError(f"the number of n-grams and examples must be a whole number from 1, not {top!r}")
