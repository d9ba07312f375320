"""ACT, the accuracy of the translation of discourse connectives.

Hajlaoui & Popescu-Belis 2013, "Assessing the accuracy of discourse connective translations: validation of an automatic
metric".

    ACTA    = (c1 + c2) / (c1 + c2 + c3 + c4 + c5 + c6)
    ACTA5+6 = (c1 + c2) / (c1 + c2 + c3 + c4)

Each connective of the source text is one case. A dictionary lists the expressions that translate it, each with senses.
The first such expression in the reference is compared with the first in the hypothesis; with word alignments, the
expressions nearest to the words linked with the connective are compared instead:

    1  the same expression                               4  only the reference has one
    2  another one, with all senses of the reference's   5  only the hypothesis has one
    3  another one, which lacks some of these senses     6  neither has one

Whether a connective is one of the cases 5 and 6 depends only on source and reference, so both scores rank systems in
the same order.

Statistics: for each connective of the dictionary ``NAME_1 … NAME_6``, the numbers of its cases. Several references: the
one with the most cases 1 and 2, then the one with the fewest cases 3 and 4, then the first one. A segment whose source
has no connective does not count and has no score.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import option
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.linguistic.connectives import LANGUAGES, Dictionary, load_dictionary, normalised
from mtassay.metrics.linguistic.word_alignments import WordAlignments

if TYPE_CHECKING:
    from mtassay.metrics.linguistic.connectives import Occurrence
    from mtassay.types import Counts, Floats, Index, Statistics

N_CASES = 6
_NONE, _WITHOUT_REFERENCE = "none", "5+6"


@dataclass(frozen=True)
class Act(Metric):
    """ACT, accuracy of discourse connectives; needs source texts, in English unless a dictionary is given."""

    name: ClassVar[str] = "act"
    digits: ClassVar[int] = 3
    may_lack_scores: ClassVar[bool] = True

    lang: str | None = option(None, "language of the translations (that of -l en-fr)", choices=LANGUAGES, kind=str)
    dictionary: str = option("", "a dictionary of your own, connective ⇥ sense ⇥ expression")
    exclude: str = option(_NONE, "cases that do not count", choices=(_NONE, _WITHOUT_REFERENCE))
    alignments: str = option("", "file or folder of word alignments, source ⇥ translation ⇥ links")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dictionary:
            object.__setattr__(self, "lang", None)  # unused with a dictionary, even if -l sets it
        elif not self.lang:
            raise SpecError(
                f"act needs the language of the translations: -l en-fr, act:lang={' or '.join(LANGUAGES)}, "
                "or for others act:dictionary=FILE"
            )

    @classmethod
    def language_defaults(cls, source: str, target: str) -> dict[str, Any]:
        """The target language, if there is a dictionary for the language pair."""
        defaults = super().language_defaults(source, target)
        return {**defaults, "lang": target} if source == "en" and target in LANGUAGES else defaults

    @classmethod
    def _translate(cls, key: str, value: object) -> object:
        return str(value).removeprefix("en-") if key == "lang" else super()._translate(key, value)

    @property
    def label(self) -> str:
        """``ACTA`` or ``ACTA5+6``."""
        return "ACTA" if self.exclude == _NONE else f"ACTA{self.exclude}"

    @property
    def public_spec(self) -> str:
        """The specification without folders; the signature has digests of the files."""
        names = {name: PurePath(getattr(self, name)).name for name in ("dictionary", "alignments")}
        return str(replace(self, **names))

    @property
    def by_segment(self) -> bool:  # type: ignore[override]
        """True without word alignments, whose files are read as a whole."""
        return not self.alignments

    @property
    def translations(self) -> Dictionary:
        """The dictionary of connectives and their translations."""
        return load_dictionary(self.lang, self.dictionary)

    @property
    def columns(self) -> tuple[str, ...]:
        """Numbers of cases of each connective."""
        names = (connective.replace(" ", "_") for connective in self.translations.connectives)
        return tuple(f"{name}_{case}" for name in names for case in range(1, N_CASES + 1))

    @property
    def statistics_key(self) -> Act:
        """The statistics do not depend on the cases that are excluded."""
        return replace(self, exclude=_NONE)

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> ActScorer:
        """Find the connectives of the sources and their translations in the references."""
        return ActScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """Share of cases 1 and 2; NaN without cases."""
        return self._share(self._cases(totals).sum(axis=-2))

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """Numbers of all cases."""
        return _named(self._cases(totals).sum(axis=-2))

    def breakdown(self, totals: Statistics) -> dict[str, dict[str, Floats]]:
        """Numbers of cases and share of each connective."""
        cases = self._cases(totals)
        return {
            connective: {**_named(cases[..., i, :]), self.label: self._share(cases[..., i, :])}
            for i, connective in enumerate(self.translations.connectives)
        }

    def _cases(self, totals: Statistics) -> Statistics:
        """Numbers of cases, shape (..., connectives, 6)."""
        cases = np.asarray(totals)
        return cases.reshape(*cases.shape[:-1], cases.shape[-1] // N_CASES, N_CASES)

    def _share(self, cases: Statistics) -> Floats:
        counted = cases if self.exclude == _NONE else cases[..., :4]
        n = counted.sum(axis=-1)
        share: Floats = np.where(n > 0, cases[..., :2].sum(axis=-1) / np.where(n > 0, n, 1.0), np.nan)
        return share

    def verbose(self, totals: Statistics) -> str:
        """The number of connectives."""
        return f"(connectives = {np.sum(totals):.0f})"

    def signature_entries(self) -> list[Entry]:
        """The dictionary, the excluded cases, and the files of word alignments if any."""
        name = f"en-{self.lang}" if self.lang else f"file-{self.translations.digest}"
        entries = [Entry("dictionary", "d", name), Entry("exclude", "x", self.exclude)]
        if self.alignments:
            entries.append(Entry("alignments", "a", f"file-{WordAlignments(self.alignments).digest}"))
        return entries


def _named(cases: Statistics) -> dict[str, Floats]:
    return {f"C{case + 1}": cases[..., case] for case in range(N_CASES)}


class ActScorer(Scorer):
    """Connectives of the sources with their translations in the references."""

    metric: Act

    def __init__(self, metric: Act, references: References, *, execution: Execution = SERIAL) -> None:
        super().__init__(metric, references, execution=execution)
        self._dictionary = metric.translations
        self._alignments = WordAlignments(metric.alignments) if metric.alignments else None
        self._sources = self.sources
        self._number = {connective: i for i, connective in enumerate(self._dictionary.connectives)}
        self._found = [self._dictionary.in_source(normalised(source)) for source in self._sources]
        self._has_case = np.array([bool(found) for found in self._found], dtype=bool)
        segments = np.repeat(np.arange(self.references.n_segments), self.references.counts)
        self._of_references = [
            self._expressions(int(segment), text) if self._found[segment] else []
            for segment, text in zip(segments, self.references.texts.strings, strict=True)
        ]

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        segments = segment_index[rows]
        statistics: Counts = np.zeros((len(rows), len(self._number) * N_CASES), dtype=np.int64)
        for place in np.flatnonzero(self._has_case[segments]):
            segment = int(segments[place])
            expected = self._of_references[refs[place]]
            given = self._expressions(segment, texts.strings[hyps[place]])
            for found, reference, hypothesis in zip(self._found[segment], expected, given, strict=True):
                case = self._dictionary.case(found.phrase, reference, hypothesis)
                statistics[place, self._number[found.phrase] * N_CASES + case - 1] += 1
        if len(rows) > len(hyp_index):
            cases = statistics.reshape(len(rows), -1, N_CASES).sum(axis=1)
            most = int(cases.sum(axis=1).max(initial=0)) + 1
            statistics = statistics[first_best(cases[:, :2].sum(axis=1) * most - cases[:, 2:4].sum(axis=1), rows)]
        return statistics

    def _expressions(self, segment: int, text: str) -> list[str | None]:
        """The translation of each connective of a segment in a text."""
        connectives = self._found[segment]
        linked: list[list[int]] = [[] for _ in connectives]
        shown = normalised(text)
        if self._alignments is not None:
            pair = self._alignments.find(self._sources[segment], text)
            shown = pair.target
            places = self._dictionary.in_source(pair.source)
            # If the aligner's tokens hide a connective, the first expression counts, as without alignments.
            if [place.phrase for place in places] == [found.phrase for found in connectives]:
                words = [range(place.first, place.last + 1) for place in places]
                linked = [[j for i in of_connective for j in pair.links.get(i, ())] for of_connective in words]
        return [
            _nearest(self._dictionary.in_target(found.phrase, shown), near)
            for found, near in zip(connectives, linked, strict=True)
        ]


def _nearest(expressions: list[Occurrence], words: list[int]) -> str | None:
    """The expression nearest to any of these words, or the first one without words; in a tie, the first one."""
    if not expressions:
        return None
    return min(expressions, key=lambda e: min((max(e.first - w, w - e.last, 0) for w in words), default=0)).phrase
