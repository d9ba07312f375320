"""The scorer of MEANT: frames of texts laid out for the kernel, under each way of comparing words."""

from __future__ import annotations

from collections import Counter
from copy import copy
from itertools import chain, count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mtassay.data.annotations import FRAMES
from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Tokens
from mtassay.kernels.frames import Frames, frame_matches
from mtassay.metrics.core.metric import Scorer
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.linguistic.annotated import annotator_with
from mtassay.metrics.linguistic.roles import GROUPS, PREDICATE, Argument, derived, labelled
from mtassay.metrics.meteor.facts import is_text
from mtassay.metrics.meteor.language import load_language
from mtassay.metrics.meteor.metric import Meteor, MeteorScorer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mtassay.data.annotations import Annotations
    from mtassay.metrics.linguistic.meant import FrameMetric
    from mtassay.metrics.linguistic.roles import Arguments
    from mtassay.types import Index, Statistics

#: Weight of a predicate relative to a role filler in UMEANT.
_OF_PREDICATES = 0.25


class Layout(NamedTuple):
    """The frames of one text, laid end to end; in tuples of numbers, which the garbage collector does not track.

    Attributes:
        places: positions of the words of all arguments.
        sizes: number of words of each argument.
        roles: role of each argument.
        n_arguments: number of arguments of each frame.
        coverage: number of words of the text that each frame covers.
    """

    places: tuple[int, ...]
    sizes: tuple[int, ...]
    roles: tuple[str, ...]
    n_arguments: tuple[int, ...]
    coverage: tuple[int, ...]

    @classmethod
    def of(cls, frames: Sequence[Arguments]) -> Layout:
        """Lay frames end to end."""
        arguments = [argument for frame in frames for argument in frame]
        return cls(
            tuple(chain.from_iterable(words for _, words in arguments)),
            tuple([len(words) for _, words in arguments]),
            tuple([role for role, _ in arguments]),
            tuple([len(frame) for frame in frames]),
            tuple([len(set().union(*(words for _, words in frame))) for frame in frames]),
        )


class FramedText(NamedTuple):
    """A text with its frames.

    Attributes:
        words: numbers of its words.
        frames: its frames.
    """

    words: tuple[int, ...]
    frames: Layout

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.frames.coverage)

    @property
    def whole(self) -> FramedText:
        """The text as one frame without roles."""
        return FramedText(self.words, Layout.of([(Argument(PREDICATE, tuple(range(len(self.words)))),)]))


class FrameScorer(Scorer):
    """MEANT or UMEANT against prepared references; the frames of a reference are found once."""

    metric: FrameMetric

    def __init__(self, metric: FrameMetric, references: References, *, execution: Execution = SERIAL) -> None:
        super().__init__(metric, references, execution=execution)
        self._annotator = annotator_with(metric.layer, metric.annotator, wanted_by=metric.name)
        self._words: dict[str, int] = dict(metric.word_vectors[0])
        self._forms: dict[str, int] = {}
        self._next = count(len(self._words))
        self._vectors = metric.word_vectors[1]
        self._stem = None
        if metric.similarity == "stem":
            self._stem = load_language(metric.lang, folder="none", stages=("stem",)).stem
        self._meteor = _MeteorWords(metric) if metric.similarity == "meteor" else None
        self._keys: dict[str, int] = {}
        self._of_references: dict[int, FramedText | None] = {}
        weights = metric.group_weights
        self.weights = self._weights_of_references() if weights is None else weights

    def with_weights(self, weights: dict[str, float]) -> FrameScorer:
        """A copy with other weights of the groups of roles; it shares the annotations."""
        other = copy(self)
        other.weights = weights
        return other

    def _weights_of_references(self) -> dict[str, float]:
        """The share of each group of roles among all fillers of the references; equal weights if there are none."""
        found = self._reference_texts(range(len(self.references.texts)))
        roles = Counter(role for text in found if text for role in text.frames.roles)
        counts = Counter[str]()
        for role, n in roles.items():
            counts[Argument(role, ()).group] += n
        n_predicates = counts.pop(PREDICATE, 0)
        n_fillers = counts.total()
        if not n_fillers:
            return dict.fromkeys(GROUPS, 1.0)
        shares = {group: counts[group] / n_fillers for group in GROUPS}
        return {**shares, PREDICATE: _OF_PREDICATES * n_predicates / n_fillers}

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        used_hyps, hyps = np.unique(hyps, return_inverse=True)
        used_refs, refs = np.unique(refs, return_inverse=True)
        framed = self._framed(texts)
        statistics = self._of_pairs(
            [framed[number] for number in used_hyps], self._reference_texts(used_refs.tolist()), hyps, refs
        )
        if len(rows) > len(hyp_index):
            # An annotated reference is preferred to one that is not annotated; then the best one.
            statistics = statistics[first_best(statistics[:, 0] + statistics[:, -1], rows)]
        return statistics

    def _of_pairs(
        self, hyps: list[FramedText | None], refs: list[FramedText | None], hyp_index: Index, ref_index: Index
    ) -> Statistics:
        """Statistics of pairs of a hypothesis and a reference, shape (n, 4); zeros if an annotation is missing."""
        n_frames = [np.array([-1 if text is None else text.n_frames for text in side]) for side in (hyps, refs)]
        of_hyps, of_refs = n_frames[0][hyp_index], n_frames[1][ref_index]
        found = np.zeros((len(hyp_index), 4))
        for rows, whole in (((of_hyps > 0) & (of_refs > 0), False), ((of_hyps == 0) & (of_refs == 0), True)):
            if rows.any():
                found[rows] = self._matches(hyps, refs, hyp_index[rows], ref_index[rows], whole=whole)
        precision, recall = (_ratio(found[:, i], found[:, i + 1]) for i in (0, 2))
        score = _ratio(2 * precision * recall, precision + recall)
        annotated = (of_hyps >= 0) & (of_refs >= 0)
        return np.column_stack([score, precision, recall, annotated.astype(np.float64)])

    def _matches(
        self,
        hyps: list[FramedText | None],
        refs: list[FramedText | None],
        hyp_index: Index,
        ref_index: Index,
        *,
        whole: bool,
    ) -> Any:
        """Result of the kernel for these pairs, all of which are annotated."""
        hyp_numbers, hyp_index = np.unique(hyp_index, return_inverse=True)
        ref_numbers, ref_index = np.unique(ref_index, return_inverse=True)
        ours, theirs = (
            [text.whole if whole else text for n in numbers if (text := side[n]) is not None]
            for side, numbers in ((hyps, hyp_numbers), (refs, ref_numbers))
        )
        if self._meteor is not None:
            # Which words match depends on both texts: each pair has words of its own.
            pairs = [self._meteor.matched(ours[h], theirs[r]) for h, r in zip(hyp_index, ref_index, strict=True)]
            ours, theirs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            hyp_index = ref_index = np.arange(len(pairs))
        # A whole text has the role of a predicate, but must not get the weight of predicates, which may be 0.
        weights = dict.fromkeys(GROUPS, 1.0) if whole else self.weights
        sides = [self._laid_out(side, weights) for side in (ours, theirs)]
        return frame_matches(*sides, hyp_index=hyp_index, ref_index=ref_index, vectors=self._vectors)

    def _laid_out(self, texts: list[FramedText], of_groups: dict[str, float]) -> Frames:
        """Frames of several texts in the form that the kernel takes."""
        words = np.fromiter(chain.from_iterable(text.words for text in texts), np.int32)
        places, sizes, n_arguments, coverage = (
            np.fromiter(chain.from_iterable(getattr(text.frames, name) for text in texts), np.int64)
            for name in ("places", "sizes", "n_arguments", "coverage")
        )
        starts = _offsets(len(text.words) for text in texts)[:-1]
        places += np.repeat(starts, [len(text.frames.places) for text in texts])
        roles = list(chain.from_iterable(text.frames.roles for text in texts))
        known = {role: Argument(role, ()) for role in set(roles)}
        keys = {role: self._keys.setdefault(argument.key, next(self._next)) for role, argument in known.items()}
        weights = {role: of_groups[argument.group] for role, argument in known.items()}
        return Frames(
            Tokens(words[places], _offsets(sizes)),
            np.fromiter(map(keys.__getitem__, roles), np.int64, len(roles)),
            np.fromiter(map(weights.__getitem__, roles), np.float64, len(roles)),
            _offsets(n_arguments),
            coverage.astype(np.float64),
            _offsets(text.n_frames for text in texts),
        )

    def _reference_texts(self, numbers: Iterable[int]) -> list[FramedText | None]:
        wanted = list(numbers)
        new = [number for number in wanted if number not in self._of_references]
        strings = self.references.texts.strings
        framed = self._framed(Texts.of_checked(tuple(strings[number] for number in new)))
        self._of_references.update(zip(new, framed, strict=True))
        return [self._of_references[number] for number in wanted]

    def _framed(self, texts: Texts) -> list[FramedText | None]:
        """Words and frames of texts; None if an annotation is missing."""
        found = self.references.annotate(texts, self._annotator, execution=self.execution)
        key = ("frames", self.metric.layer, self._annotator.name, self._annotator.version)
        frames = texts.remember(key, lambda: [self._frames(*each) for each in zip(texts.strings, found, strict=True)])
        return [
            None if of_text is None else FramedText(self._numbered(annotations.words), of_text)
            for annotations, of_text in zip(found, frames, strict=True)
        ]

    def _frames(self, text: str, annotations: Annotations) -> Layout | None:
        if self.metric.layer not in annotations.layers:
            raise InputError(f"the annotator '{self._annotator.name}' has no {self.metric.layer} of {text[:60]!r}")
        if self.metric.layer == FRAMES:
            return None if annotations.frames is None else Layout.of(labelled(annotations.frames))
        if annotations.heads and annotations.upos is None:
            raise InputError(f"roles=dependencies needs parts of speech, but there are none for {text[:60]!r}")
        frames = derived(annotations)
        return None if frames is None else Layout.of(frames)

    def _numbered(self, words: Sequence[str]) -> tuple[int, ...]:
        """Numbers of words, equal for words that are compared as equal."""
        forms = [word.lower() for word in words] if self.metric.case == "lower" else list(words)
        if self._meteor is not None:
            return self._meteor.numbered(forms)
        known = self._forms
        return tuple([known[form] if form in known else self._new_number(form) for form in forms])

    def _new_number(self, form: str) -> int:
        like = form if self._stem is None or not is_text(form) else self._stem([form])[0]
        # Several threads may do this at once: a number may then be skipped, but none is used twice.
        return self._forms.setdefault(form, self._words.setdefault(like, next(self._next)))


class _MeteorWords:
    """The words that METEOR matches between two texts."""

    def __init__(self, metric: FrameMetric) -> None:
        meteor = Meteor(lang=metric.lang, norm=False, case="mixed")
        self._scorer = MeteorScorer(meteor, References([["-"]]), execution=SERIAL)

    def numbered(self, words: list[str]) -> tuple[int, ...]:
        """METEOR's numbers of words; spaces inside a word do not split it."""
        text = " ".join("_".join(word.split()) or "_" for word in words)
        return tuple(self._scorer.tokens(Texts.of_checked((text,))).ids.tolist())

    def matched(self, hyp: FramedText, ref: FramedText) -> tuple[FramedText, FramedText]:
        """Both texts, renumbered so that two words have equal numbers exactly if METEOR matches them."""
        trace = self._scorer.matches(np.array(hyp.words, dtype=np.int32), np.array(ref.words, dtype=np.int32))
        n = len(trace)
        ours = list(range(n, n + len(hyp.words)))
        theirs = list(range(n + len(ours), n + len(ours) + len(ref.words)))
        for number, (ref_start, n_ref, hyp_start, n_hyp, _) in enumerate(trace):
            theirs[ref_start : ref_start + n_ref] = [number] * n_ref
            ours[hyp_start : hyp_start + n_hyp] = [number] * n_hyp
        return FramedText(tuple(ours), hyp.frames), FramedText(tuple(theirs), ref.frames)


def _offsets(sizes: Iterable[int]) -> Any:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _ratio(part: Any, whole: Any) -> Any:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0)
