"""METEOR 1.5.

Denkowski & Lavie 2014, "Meteor Universal: Language Specific Translation Evaluation for Any Target Language".

    P = Σ_s w_s · (δ · content_s(hyp) + (1 - δ) · function_s(hyp)) / (δ · content(hyp) + (1 - δ) · function(hyp))
    R = the same for the reference
    Fmean = P · R / (α · P + (1 - α) · R)
    METEOR = (1 - γ · (chunks / matches)^β) · Fmean

Words are matched in stages s: exact, stem, synonym, paraphrase. A chunk is a run of matches that are neighbours in the
same order on both sides; matches is the mean of the numbers of matched words of hypothesis and reference. The
fragmentation (chunks / matches) is 0 if all words match in one chunk. Several references: the best one of each segment,
the first in a tie. The corpus score is computed from the summed statistics.

Statistics: ``hyp_len ref_len hyp_function ref_function``; for each stage ``hyp_content ref_content hyp_function
ref_function``; ``chunks hyp_matches ref_matches``. The statistics of a segment are METEOR's own, except that ``chunks``
is 0 if all words match in one chunk: these are the numbers that METEOR sums.

Empty hypothesis or empty reference: 0, even if both are empty.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.meteor import meteor_matches, meteor_statistics
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import option, show
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry, case_entry
from mtassay.metrics.meteor import LANGUAGES, canonical, tokenizer_name
from mtassay.metrics.meteor.facts import Facts
from mtassay.metrics.meteor.languages import of_target
from mtassay.metrics.meteor.parameters import STAGES, TASKS, Parameters, parameters_of, stages_of, tasks_of
from mtassay.metrics.meteor.resources import WITHOUT
from mtassay.metrics.meteor.tables import data_digest, function_words, has_paraphrases, language

if TYPE_CHECKING:
    from mtassay.kernels.meteor import WordFacts
    from mtassay.types import Counts, Floats, Index, Statistics

VERSION = "1.5"
_SIDES = ("hyp", "ref")
_COLUMNS = (
    *("hyp_len", "ref_len", "hyp_function", "ref_function"),
    *(f"{stage}_{side}_{kind}" for stage in STAGES for kind in ("content", "function") for side in _SIDES),
    *("chunks", "hyp_matches", "ref_matches"),
)
#: Every choice of stages; the first stage is always included.
STAGE_CHOICES = tuple(
    "+".join(["exact", *(stage for stage, taken in zip(STAGES[1:], chosen, strict=True) if taken)])
    for chosen in product((False, True), repeat=len(STAGES) - 1)
)


@dataclass(frozen=True, kw_only=True)
class Meteor(Metric):
    """METEOR 1.5."""

    name: ClassVar[str] = "meteor"
    aligner: ClassVar[str] = "mtassay.metrics.meteor.alignment"
    by_segment: ClassVar[bool] = True
    digits: ClassVar[int] = 4
    label: ClassVar[str] = "METEOR"
    columns: ClassVar[tuple[str, ...]] = _COLUMNS

    lang: str = option("en", "language", choices=tuple(LANGUAGES))
    task: str | None = option(
        None, "task that the parameters are tuned for (default: rank, else li)", choices=TASKS, kind=str
    )
    stages: str | None = option(
        None, "stages, joined by '+' (default: METEOR's stages that have data)", choices=STAGE_CHOICES, kind=str
    )
    norm: bool | None = option(None, "METEOR's -norm (default: yes if it supports the language)", kind=bool)
    punct: bool = option(True, "keep punctuation (no: -noPunct)")
    case: str = option(
        "lower", "letter case; norm=yes always lower-cases", choices=("lower", "mixed"), aliases=("lowercase",)
    )
    unit: str = option("word", "unit of lengths and matches (char: -ch)", choices=("word", "char"))
    function: str = option("english", "which function words: METEOR's, or the language's", choices=("english", "own"))
    alpha: float | None = option(None, "weight of recall in Fmean", minimum=0, maximum=1, kind=float)
    beta: float | None = option(None, "exponent of the fragmentation", minimum=0, maximum=100, kind=float)
    gamma: float | None = option(None, "weight of the fragmentation", minimum=0, maximum=1, kind=float)
    delta: float | None = option(None, "weight of content words", minimum=0, maximum=1, kind=float)
    exact: float | None = option(None, "weight of exact matches", minimum=0, maximum=1, kind=float)
    stem: float | None = option(None, "weight of stem matches", minimum=0, maximum=1, kind=float)
    synonym: float | None = option(None, "weight of synonym matches", minimum=0, maximum=1, kind=float)
    paraphrase: float | None = option(None, "weight of paraphrase matches", minimum=0, maximum=1, kind=float)
    data: str | None = option(None, "folder of METEOR's data, or 'none' (default: the package pycocoevalcap)", kind=str)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.is_normalised and self.case == "mixed":
            raise SpecError("meteor: norm=yes lower-cases, so case=mixed needs norm=no")
        if not self.punct and not self.is_normalised:
            raise SpecError("meteor: punct=no needs norm=yes")
        if self.norm and not LANGUAGES[self.lang].is_normalised:
            known = ", ".join(code for code, profile in LANGUAGES.items() if profile.is_normalised)
            raise SpecError(
                f"meteor: METEOR cannot normalise '{self.lang}' ({known} only): tokenise it and give norm=no"
            )
        used = self.parameters
        for stage in (self.stages or "exact").split("+"):
            if getattr(used, stage) is None:
                raise SpecError(
                    f"meteor has no weight for the stage '{stage}' with {self._situation}: give {stage}=WEIGHT"
                )
        self.check_weights(STAGES if self.stages is None else self.stages_used)

    @classmethod
    def language_defaults(cls, source: str, target: str) -> dict[str, Any]:
        """METEOR's language for the target language."""
        return {**super().language_defaults(source, target), "lang": of_target(target)}

    @classmethod
    def _translate(cls, key: str, value: object) -> object:
        if key == "lang":
            return canonical(str(value))
        if key == "stages" and isinstance(value, str):
            stages = value.split("+")
            return "+".join(sorted(stages, key=STAGES.index)) if set(stages) <= set(STAGES) else value
        return super()._translate(key, value)

    def check_weights(self, stages: tuple[str, ...]) -> None:
        """Reject weights that make all scores 0."""
        if not any(getattr(self.parameters, stage) for stage in stages):
            raise SpecError(f"{self}: all weights ({', '.join(stages)}) are 0, so all scores would be 0")

    @property
    def _situation(self) -> str:
        return f"lang={self.lang},task={self.task_used}"

    @property
    def is_normalised(self) -> bool:
        """Whether texts are normalised."""
        return LANGUAGES[self.lang].is_normalised if self.norm is None else self.norm

    @property
    def task_used(self) -> str:
        """The given task, or the language's first."""
        return self.task or tasks_of(self.lang)[0]

    @property
    def parameters(self) -> Parameters:
        """The parameters of the language and task, replaced by those that are given as options."""
        found = parameters_of(self.lang, self.task_used)
        given = {name: getattr(self, name) for name in Parameters._fields}
        return found._replace(**{name: value for name, value in given.items() if value is not None})

    @property
    def stages_used(self) -> tuple[str, ...]:
        """The given stages, or all that METEOR has for the language with data available."""
        if self.stages is not None:
            return tuple(self.stages.split("+"))
        has_table = has_paraphrases(self.lang, self.data)
        return stages_of(self.lang, self.task_used, has_paraphrases=has_table, has_data=self.data != WITHOUT)

    @property
    def function_language(self) -> str | None:
        """The language whose function words count 1 - δ; None if no word does."""
        if self.data == WITHOUT:
            return None
        if self.function == "own" or self.lang == "en":
            return self.lang
        # Parity: METEOR has lists for other languages, but always reads the English one.
        # With δ = .5 function words count as much as other words, so the data are not needed.
        return None if self.parameters.delta == 0.5 else "en"

    @property
    def public_spec(self) -> str:
        """The specification without the folder of data; the signature has a digest of the data."""
        return str(self if self.data == WITHOUT else replace(self, data=None))

    @property
    def tokenizer(self) -> str:
        """Name of the tokenizer that gives METEOR's words."""
        norm = ("norm" if self.punct else "nopunct") if self.is_normalised else "no"
        return tokenizer_name(self.lang, norm=norm, data=self.data)

    @property
    def encoding(self) -> dict[str, str]:
        """How texts are encoded."""
        # The normaliser looks at letter case, and lower-cases afterwards.
        return {"tokenizer": self.tokenizer, "case": "mixed" if self.is_normalised else self.case}

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Load the language and tokenise the references."""
        return MeteorScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """Fmean reduced by the penalty for fragmentation."""
        parts = self.components(totals)
        # Parity: METEOR's scores are never below 0.
        return np.maximum(parts["fmean"] * (1.0 - parts["penalty"]), 0.0)

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """Precision, recall, their mean, the penalty, and the counts behind it."""
        totals = np.asarray(totals, dtype=np.float64)
        used = self.parameters
        with np.errstate(divide="ignore", invalid="ignore"):
            precision, recall = (self._covered(totals, used, side) for side in (0, 1))
            fmean = 1.0 / ((1.0 - used.alpha) / precision + used.alpha / recall)
            matches = (totals[..., 21] + totals[..., 22]) / 2
            penalty = used.gamma * (totals[..., 20] / matches) ** used.beta
        # Parity: in METEOR, a division by 0 gives 0.
        parts = {"precision": precision, "recall": recall, "fmean": fmean, "penalty": penalty}
        finite = {name: np.nan_to_num(part, nan=0.0) for name, part in parts.items()}
        return {**finite, "matches": matches, "chunks": totals[..., 20]}

    @staticmethod
    def _covered(totals: Any, used: Parameters, side: int) -> Any:
        """Weighted share of a side's words that are matched; 0 is the hypothesis, 1 the reference."""
        matched = np.zeros(totals.shape[:-1])
        for kind, weight_of_kind in enumerate((used.delta, 1.0 - used.delta)):
            for stage, weight in enumerate(used[4:]):
                matched = matched + totals[..., 4 + 4 * stage + 2 * kind + side] * (weight or 0.0) * weight_of_kind
        content = totals[..., side] - totals[..., 2 + side]
        return matched / (used.delta * content + (1.0 - used.delta) * totals[..., 2 + side])

    def verbose(self, totals: Statistics) -> str:
        """Precision, recall and penalty."""
        parts = self.components(totals)
        return f"P = {parts['precision']:.4f} R = {parts['recall']:.4f} penalty = {parts['penalty']:.4f}"

    def signature_entries(self) -> list[Entry]:
        """Language, task, stages, normalisation, given parameters, and the data."""
        entries = [
            Entry("lang", "l", self.lang),
            Entry("task", "t", self.task_used),
            Entry("stages", "s", "+".join(self.stages_used)),
            Entry("norm", "nr", "yes" if self.is_normalised else "no"),
            case_entry(self.case),
        ]
        if self.function != "english":
            entries.append(Entry("function", "f", self.function))
        if not self.punct:
            entries.append(Entry("punct", "pn", "no"))
        if self.unit != "word":
            entries.append(Entry("unit", "u", self.unit))
        for name in Parameters._fields:
            value = getattr(self, name)
            if value is not None:
                entries.append(Entry(name, name, show(value)))
        digest = data_digest(self)
        if digest is not None:
            entries.append(Entry("data", "data", digest))
        return [*entries, Entry("meteor", "m", VERSION)]


class MeteorScorer(Scorer):
    """METEOR against prepared references; also gives the words and matches that ``mtassay align`` shows."""

    metric: Meteor

    def __init__(self, metric: Meteor, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references, execution=execution)
        self._encoding = metric.encoding
        stages = metric.stages_used
        metric.check_weights(stages)
        loaded = language(metric.lang, metric.data, stages)
        self._refs = self.tokens(self.references.texts)
        characters = metric.unit == "char"
        marked = function_words(metric)
        self._facts: Facts = self.references.texts.remember(
            (
                "meteor facts",
                metric.lang,
                metric.data,
                stages,
                metric.tokenizer,
                metric.case,
                characters,
                marked,
            ),
            lambda: Facts(loaded, marked, self.word, stages=stages, characters=characters),
        )

    def tokens(self, texts: Texts) -> Tokens:
        """The words that are compared, as ids."""
        return self.references.encode(texts, **self._encoding)

    def word(self, token: int) -> str:
        """The word behind an id."""
        return self.references.word(token, **self._encoding)

    def words(self) -> list[str]:
        """The words behind all ids so far."""
        return self.references.words(**self._encoding)

    def matches(self, hypothesis: Any, reference: Any) -> list[tuple[int, int, int, int, int]]:
        """The matches of one pair of token lists: rows of ``matches_of_pairs`` without the number of the pair."""
        first = np.zeros(1, dtype=np.int64)
        hypotheses, references = (
            Tokens(ids, np.array([0, len(ids)], dtype=np.int64)) for ids in (hypothesis, reference)
        )
        rows = self.matches_of_pairs(Pairs(hypotheses, references, first, first))
        return [(a, b, c, d, stage) for _, a, b, c, d, stage in rows.tolist()]

    def matches_of_pairs(self, pairs: Pairs) -> Counts:
        """The matches of many pairs; see ``mtassay.kernels.meteor.meteor_matches``."""
        return meteor_matches(pairs, facts=self._facts_of(pairs), phrases=self._facts.phrases)

    def _facts_of(self, pairs: Pairs) -> WordFacts:
        texts = pairs.hypotheses, pairs.references
        return self._facts.of_first(max((int(side.ids.max()) + 1 for side in texts if side.ids.size), default=0))

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        statistics = self.of_pairs(texts, hyps, refs)
        if len(rows) > len(hyp_index):
            statistics = statistics[first_best(self.metric.score(statistics), rows)]
        return statistics

    def of_pairs(self, texts: Texts, hyp_index: Index, ref_index: Index) -> Statistics:
        """Statistics of hypotheses against single references, shape (n, 23)."""
        pairs = Pairs(self.tokens(texts), self._refs, hyp_index, ref_index)
        return meteor_statistics(pairs, facts=self._facts_of(pairs), phrases=self._facts.phrases)
