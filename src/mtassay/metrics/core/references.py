"""References of a test set for metrics, and texts that are encoded once."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mtassay.data.references import check_references, check_texts
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Tokens, Vocabulary, encode_texts
from mtassay.text import get_tokenizer, lowercase

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from mtassay.data.annotations import Annotations
    from mtassay.data.testset import TestSet
    from mtassay.text.annotate import Annotator
    from mtassay.types import Index, Offsets

_T = TypeVar("_T")

#: Tokenizers built into the kernel; others run before it. ``chrf`` and ``ascii-space`` (tercom) belong to one metric.
_COMPILED_TOKENIZERS = frozenset({"none", "13a", "intl", "zh", "char", "chrf", "rouge", "ascii-space"})
#: Rules for the length of several references.
REF_LENGTHS = ("closest", "shortest", "longest", "average")


def encode(texts: Sequence[str], tokenizer: str, *, case: str, vocabulary: Vocabulary) -> Tokens:
    """Lower-case, tokenise and intern texts.

    >>> vocabulary = Vocabulary()
    >>> tokens = encode(["The cat, the mat."], "13a", case="lower", vocabulary=vocabulary)
    >>> [vocabulary.word(i) for i in tokens.ids.tolist()]
    ['the', 'cat', ',', 'the', 'mat', '.']
    """
    if tokenizer not in _COMPILED_TOKENIZERS:
        tokenise = get_tokenizer(tokenizer)
        texts = [" ".join(tokenise(lowercase(text, case))) for text in texts]
        tokenizer, case = "none", "mixed"
    return Tokens(*encode_texts(texts, tokenizer, case=case, vocabulary=vocabulary))


class Texts:
    """A fixed list of texts that caches values computed from it (tokens, code points)."""

    __slots__ = ("_lock", "_memory", "strings")

    def __init__(self, strings: Iterable[str]) -> None:
        self.strings = check_texts(strings, "hypotheses")
        self._memory: dict[Hashable, Any] = {}
        self._lock = RLock()  # several threads may ask at once, and a computation may ask for other values

    @classmethod
    def of_checked(cls, strings: tuple[str, ...]) -> Texts:
        """Make an instance of texts that ``check_texts`` has already checked."""
        texts = cls(())
        texts.strings = strings
        return texts

    def __len__(self) -> int:
        return len(self.strings)

    def __reduce__(self) -> tuple[Any, ...]:
        return Texts.of_checked, (self.strings,)

    def remember(self, key: Hashable, compute: Callable[[], _T]) -> _T:
        """Return the value cached under `key`, computing it the first time."""
        with self._lock:
            if key not in self._memory:
                self._memory[key] = compute()
            found: _T = self._memory[key]
        return found


class References:
    """One or more references per segment, in a flat list, and the vocabularies that hypotheses share with them.

    Args:
        streams: R reference streams of N segments each; a text is ``None`` if a segment lacks that reference. R may be
            0 for metrics that need no references.
        sources: the N source texts, for metrics that read them.
        ids: the N identifiers of the segments, for metrics that look scores up by them.
        n_segments: the number of segments; read only if there are no streams.

    >>> references = References([["a b", "c"], [None, "c d"]])
    >>> references.n_segments, references.n_references
    (2, 'var')
    >>> references.texts.strings
    ('a b', 'c', 'c d')
    """

    def __init__(
        self,
        streams: Sequence[Sequence[str | None]],
        *,
        sources: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        n_segments: int | None = None,
    ) -> None:
        checked = check_references(streams, None, may_be_empty=n_segments is not None)
        n_segments = len(checked[0]) if checked else n_segments or 0
        self.sources = None if sources is None else check_texts(sources, "sources", n_segments=n_segments)
        self.ids = None if ids is None else check_texts(ids, "ids", n_segments=n_segments)
        by_segment = chain.from_iterable(zip(*checked, strict=True))
        self.texts = Texts.of_checked(tuple(text for text in by_segment if text is not None))
        present = np.zeros(n_segments, dtype=np.int64)
        for stream in checked:
            present += np.fromiter((text is not None for text in stream), np.int64)
        #: References of segment i are texts group_offsets[i] to group_offsets[i + 1], shape (N + 1,).
        self.group_offsets: Offsets = np.concatenate([[0], np.cumsum(present)])
        self._vocabularies: dict[tuple[str, str], Vocabulary] = {}

    def __getstate__(self) -> dict[str, Any]:
        """The texts only: the other process computes the tokens again."""
        return {name: getattr(self, name) for name in ("sources", "ids", "texts", "group_offsets")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _vocabularies={})

    def part(self, segments: range) -> References:
        """The references of a range of segments.

        >>> References([["a", "b", "c"]]).part(range(1, 3)).texts.strings
        ('b', 'c')
        """
        first, last = segments.start, segments.stop
        edges = self.group_offsets[first : last + 1]
        found = References.__new__(References)
        found.__setstate__(
            {
                "sources": None if self.sources is None else self.sources[first:last],
                "ids": None if self.ids is None else self.ids[first:last],
                "texts": Texts.of_checked(self.texts.strings[edges[0] : edges[-1]]),
                "group_offsets": edges - edges[0],
            }
        )
        return found

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.group_offsets) - 1

    @cached_property
    def counts(self) -> Index:
        """Number of references of each segment, shape (N,)."""
        return np.diff(self.group_offsets)

    @cached_property
    def n_references(self) -> str:
        """The number of references as a signature shows it: a number, or ``var`` if segments differ."""
        if not len(self.texts):
            return "0"
        return str(self.counts[0]) if (self.counts == self.counts[0]).all() else "var"

    def encode(self, texts: Texts, *, tokenizer: str, case: str) -> Tokens:
        """Tokens of `texts` in the vocabulary of this tokenizer and case; computed once for each ``Texts`` object."""
        key = (tokenizer, case)
        if key not in self._vocabularies:
            self._vocabularies.setdefault(key, Vocabulary())  # atomic: threads that ask at once share the first
        vocabulary = self._vocabularies[key]
        return texts.remember(
            vocabulary,
            lambda: encode(texts.strings, tokenizer, case=case, vocabulary=vocabulary),
        )

    def annotate(self, texts: Texts, annotator: Annotator, *, execution: Execution = SERIAL) -> list[Annotations]:
        """Annotations of `texts`; computed once for each ``Texts`` object, and cached on disk if that saves time."""
        from mtassay.text.annotate import annotate  # most metrics need no annotations

        key = ("annotations", annotator.name, annotator.version)
        return texts.remember(key, lambda: annotate(texts.strings, annotator, execution=execution))

    def word(self, token: int, *, tokenizer: str, case: str) -> str:
        """The word behind a token id that ``encode`` gave."""
        return self._vocabularies[tokenizer, case].word(token)

    def words(self, *, tokenizer: str, case: str) -> list[str]:
        """All words that ``encode`` has seen, in the order of their ids."""
        return self._vocabularies[tokenizer, case].words()

    def each_reference(self, hyp_index: Index, segment_index: Index) -> tuple[Index, Index, Index]:
        """Expand pairs (hypothesis, segment) to triples, one for every reference of the segment.

        Returns:
            (hypothesis, reference text, row of the pair), each of shape (number of triples,), ordered by row, then by
            reference.
        """
        if self.n_references == "1":
            return hyp_index, segment_index, np.arange(len(hyp_index), dtype=np.int64)
        counts = self.counts[segment_index]
        rows = np.repeat(np.arange(len(segment_index), dtype=np.int64), counts)
        within = np.arange(len(rows), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
        return hyp_index[rows], self.group_offsets[segment_index][rows] + within, rows


def references_of(testset: TestSet) -> References:
    """The references of a test set, with sources and identifiers."""
    return References(testset.references, sources=testset.sources, ids=testset.ids, n_segments=testset.n_segments)


def as_references(references: References | Sequence[Sequence[str | None]]) -> References:
    """Return prepared references unchanged, and prepare raw streams."""
    return references if isinstance(references, References) else References(references, n_segments=0)


def first_best(values: Any, rows: Index) -> Index:
    """For every row, the position of its largest value, the first in a tie.

    Args:
        values: shape (m,).
        rows: the row that each value belongs to, shape (m,), ascending; every row occurs.

    >>> first_best(np.array([1.0, 3.0, 3.0, 2.0]), np.array([0, 0, 0, 1])).tolist()
    [1, 3]
    """
    order = np.lexsort((np.arange(len(rows)), -values, rows))
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    best: Index = order[starts]
    return best
