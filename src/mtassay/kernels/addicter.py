"""Addicter's alignment of words and its errors of order, in plain Python: the specification of ``native/addicter.cpp``.

Zeman, Fishel, Berka and Bojar 2011, "Addicter: what is wrong with my translations?"; Winkler 1994, "Advanced methods
for record linkage" (the comparison of letters, known as strcmp95).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtassay.kernels import Pairs, Tokens, kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.types import Counts, Ids

#: Pairs of similar letters, for strcmp95.
_ALIKE = "AE AI AO AU BV EI EO EU IO IU OU IY EY CG EF WU WV XK SZ XS QC UV MN LI QO PR IJ 2Z 5S 8B 1I 1L 0O 0Q CK GJ"
_SIMILAR = frozenset(tuple(map(ord, letters)) for pair in _ALIKE.split() for letters in (pair, pair[::-1]))
_LOWEST_SCORE = 8.0
_MOST_LETTERS = 64


def strcmp95(first: Sequence[int], second: Sequence[int]) -> float:
    """Similarity of two words in capital letters, 0 to 1.

    >>> strcmp95(b"MARTHA", b"MARHTA")
    0.9708333333333333
    """
    if not first or not second:
        return 0.0
    shorter = min(len(first), len(second))
    window = max(max(len(first), len(second)) // 2 - 1, 0)
    of_first, of_second = [False] * len(first), [False] * len(second)
    for i, letter in enumerate(first):
        for j in range(max(0, i - window), min(i + window, len(second) - 1) + 1):
            if not of_second[j] and second[j] == letter:
                of_first[i] = of_second[j] = True
                break
    common = sum(of_first)
    if not common:
        return 0.0
    matched = zip(_those(first, of_first), _those(second, of_second), strict=True)
    transposed = sum(x != y for x, y in matched) // 2
    alike = 0
    if shorter > common:
        for i, letter in enumerate(first):
            j = next((j for j, x in enumerate(second) if not of_second[j] and (letter, x) in _SIMILAR), -1)
            if not of_first[i] and j >= 0:
                alike += 3
                of_second[j] = True
    similar = alike / 10 + common
    weight = (similar / len(first) + similar / len(second) + (common - transposed) / common) / 3
    return _boosted(weight, first, second, common) if weight > 0.7 else weight


def _those(letters: Sequence[int], chosen: Sequence[bool]) -> list[int]:
    return [letter for letter, is_chosen in zip(letters, chosen, strict=True) if is_chosen]


def _boosted(weight: float, first: Sequence[int], second: Sequence[int], common: int) -> float:
    """Raise the similarity for a common prefix, and for long words with most letters in common."""
    shorter, start = min(len(first), len(second)), 0
    while start < min(shorter, 4) and first[start] == second[start] and not _is_digit(first[start]):
        start += 1
    weight += start * 0.1 * (1 - weight)
    if shorter > 4 and common > start + 1 and 2 * common >= shorter + start and not _is_digit(first[0]):
        weight += (1 - weight) * ((common - start - 1) / (len(first) + len(second) - start * 2 + 2))
    return weight


def _is_digit(letter: int) -> bool:
    return ord("0") <= letter <= ord("9")


class _Text(NamedTuple):
    words: Sequence[int]
    lemmas: Sequence[int]
    tags: Sequence[int]


class _Similarity(NamedTuple):
    """Facts about lemmas and tags, by number."""

    letters: Tokens
    tag_starts: Ids
    tag_marks: Ids

    def __call__(self, hyp: _Text, ref: _Text, h: int, r: int) -> float:
        """Points of two words for lemma, tag and position."""
        letters = self.letters.text(hyp.lemmas[h]).tolist(), self.letters.text(ref.lemmas[r]).tolist()
        lemma = max(0.0, (strcmp95(*letters) - 0.6) / 0.4)
        place = 1 - abs(h / len(hyp.words) - r / len(ref.words))
        return 7 * lemma + 6 * self._tag(hyp.tags[h], ref.tags[r]) + 5 * place

    def _tag(self, x: int, y: int) -> float:
        if x == y:
            return 1.0
        if self.tag_marks[x] != self.tag_marks[y]:
            return -10.0
        return 0.5 if self.tag_starts[x] == self.tag_starts[y] else 0.0


def _aligned(hyp: _Text, ref: _Text, similarity: _Similarity) -> list[int]:
    """For each hypothesis word the position of its aligned reference word, -1 if there is none."""
    to_ref, to_hyp = [-1] * len(hyp.words), [-1] * len(ref.words)
    _align_unique(hyp.words, ref.words, to_ref, to_hyp)
    _align_unique(hyp.lemmas, ref.lemmas, to_ref, to_hyp)
    points = {
        (h, r): similarity(hyp, ref, h, r)
        # Parity: to Addicter, a word that is not aligned at this point has the place before the first reference word.
        + 3 * (r == 0 and h > 0 and to_ref[h - 1] < 0)
        for h in range(len(hyp.words))
        for r in range(len(ref.words))
        if to_ref[h] < 0 and to_hyp[r] < 0
    }
    while points:
        best, (h, r) = -np.inf, (-1, -1)
        for (i, j), score in points.items():
            beside = (i > 0 and j > 0 and to_ref[i - 1] == j - 1) + (i + 1 < len(to_ref) and to_ref[i + 1] == j + 1)
            if score + 3 * beside > best:
                best, (h, r) = score + 3 * beside, (i, j)
        if best < _LOWEST_SCORE:
            break
        to_ref[h], to_hyp[r] = r, h
        points = {(i, j): score for (i, j), score in points.items() if i != h and j != r}
    return to_ref


def _align_unique(hyp: Sequence[int], ref: Sequence[int], to_ref: list[int], to_hyp: list[int]) -> None:
    """Align values that occur exactly once among the free words of both sides."""
    free = []
    for values, other in ((hyp, to_ref), (ref, to_hyp)):
        places = defaultdict[int, list[int]](list)
        for place, value in enumerate(values):
            if other[place] < 0:
                places[value].append(place)
        free.append(places)
    for value, of_hyp in free[0].items():
        of_ref = free[1].get(value, [])
        if len(of_hyp) == len(of_ref) == 1:
            to_ref[of_hyp[0]], to_hyp[of_ref[0]] = of_ref[0], of_hyp[0]


@kernel
def addicter_alignments(
    pairs: Pairs,
    *,
    hypothesis_lemmas: Ids,
    hypothesis_tags: Ids,
    reference_lemmas: Ids,
    reference_tags: Ids,
    letters: Tokens,
    tag_starts: Ids,
    tag_marks: Ids,
) -> Ids:
    """Align the words of pairs of a hypothesis and a reference, at most one to one.

    First, words that occur once on both sides are aligned, then lemmas that do. Then the two free words with the most
    points are aligned, repeatedly, as long as they have 8 points: at most 7 for similar lemmas, 6 for the tag, 3 for
    each pair of neighbours that are aligned, and 5 for the position.

    Args:
        pairs: the pairs.
        hypothesis_lemmas: number of the lemma of each word of the hypotheses, laid end to end like them, int32.
        hypothesis_tags: number of the tag of each word of the hypotheses, in the same order, int32.
        reference_lemmas: number of the lemma of each word of the references, int32.
        reference_tags: number of the tag of each word of the references, int32.
        letters: upper-case letters of each lemma, only as many as are compared, at most 64.
        tag_starts: the first letter of each tag, int32.
        tag_marks: 1 if a tag is that of a punctuation mark, else 0, int32.

    Returns:
        for each hypothesis word, pair after pair, the position of the reference word, -1 if there is none; int32.
    """
    sides = (
        (pairs.hypotheses, hypothesis_lemmas, hypothesis_tags),
        (pairs.references, reference_lemmas, reference_tags),
    )
    n_lemmas, n_tags = len(letters.offsets) - 1, len(tag_starts)
    for texts, lemmas, tags in sides:
        if not len(texts.ids) == len(lemmas) == len(tags):
            raise ValueError("there must be one lemma and one tag per word")
        if len(lemmas) and not (
            0 <= lemmas.min() <= lemmas.max() < n_lemmas and 0 <= tags.min() <= tags.max() < n_tags
        ):
            raise ValueError("index out of range")
    if len(tag_marks) != n_tags:
        raise ValueError("tag_starts and tag_marks differ in length")
    if letters.lengths.max(initial=0) > _MOST_LETTERS:
        raise ValueError("a lemma has more than 64 letters")
    similarity = _Similarity(letters, tag_starts, tag_marks)
    columns = [
        pairs._replace(hypotheses=texts[0]._replace(ids=texts[1]), references=texts[2]._replace(ids=texts[3])).each()
        for texts in (
            (pairs.hypotheses, pairs.hypotheses.ids, pairs.references, pairs.references.ids),
            (pairs.hypotheses, hypothesis_lemmas, pairs.references, reference_lemmas),
            (pairs.hypotheses, hypothesis_tags, pairs.references, reference_tags),
        )
    ]
    found: list[int] = []
    for (hyp, ref), (hyp_lemmas, ref_lemmas), (hyp_tags, ref_tags) in zip(*columns, strict=True):
        found += _aligned(_Text(hyp, hyp_lemmas, hyp_tags), _Text(ref, ref_lemmas, ref_tags), similarity)
    return np.array(found, dtype=np.int32)


class _State(NamedTuple):
    """A state of the search for the right order.

    Attributes:
        cost: number of runs of swaps.
        order: the words.
        right: the word that a further swap can move to the right without a new run, -1 if there is none.
        left: the word that a further swap can move to the left without a new run, -1 if there is none.
        runs: swaps (left word, right word), run by run.
    """

    cost: int
    order: tuple[int, ...]
    right: int
    left: int
    runs: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def badness(self) -> tuple[int, int]:
        """Number of runs, and length of the last one."""
        return self.cost, len(self.runs[-1])

    def swapped(self, place: int) -> _State:
        """The state after the words at this place and the next one are swapped."""
        first, second = self.order[place : place + 2]
        order = (*self.order[:place], second, first, *self.order[place + 2 :])
        longer = (*self.runs[:-1], (*self.runs[-1], (first, second))) if self.runs else ()
        if first == self.right:
            return _State(self.cost, order, first, -1, longer)
        if second == self.left:
            return _State(self.cost, order, -1, second, longer)
        return _State(self.cost + 1, order, first, second, (*self.runs, ((first, second),)))


def sorting_runs(order: Sequence[int], *, beam: int) -> list[list[tuple[int, int]]]:
    """Runs of swaps of neighbours that sort distinct numbers, as few as a beam search finds.

    A run moves one word in one direction. Two states are equal if their orders are equal and their last swaps were of
    the same words.

    >>> sorting_runs([1, 2, 0, 4, 3], beam=25)
    [[(2, 0), (1, 0)], [(4, 3)]]
    """
    best = _State(0, tuple(order), -1, -1, ())
    states = [best]
    while True:
        made: list[_State] = []
        kept = _Beam(beam)
        for state in states:
            for place in range(len(order) - 1):
                if state.order[place] > state.order[place + 1]:
                    made.append(state.swapped(place))
                    kept.add((made[-1].order, state.order[place]), made[-1])
        if not made:
            return [list(run) for run in best.runs]
        best = min(made, key=lambda state: state.cost)
        states = kept.states


class _Beam:
    """The states with which a search continues, each at its own place.

    Parity: Addicter. A new state replaces an equal one if it has fewer runs. If all places are taken, it replaces the
    worst state (the last one in a tie) if it is better: if it has fewer runs or, with as many runs, a shorter last run.
    So the states are not in the order in which they were added.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._keys: list[tuple[tuple[int, ...], int]] = []
        self.states: list[_State] = []

    def add(self, key: tuple[tuple[int, ...], int], state: _State) -> None:
        if key in self._keys:
            place = self._keys.index(key)
            is_better = state.cost < self.states[place].cost
        elif len(self.states) < self._size:
            self._keys.append(key)
            self.states.append(state)
            return
        else:
            place = max(range(self._size), key=lambda i: (self.states[i].badness, i))
            is_better = state.badness < self.states[place].badness
        if is_better:
            self._keys[place], self.states[place] = key, state


@kernel
def order_errors(orders: Tokens, *, beam: int) -> Counts:
    """Words in another order than in the reference.

    Args:
        orders: for each text the positions of its words in the reference, all distinct.
        beam: number of states that the search keeps.

    Returns:
        one row per error, text after text, by the word's place in the reference, int64, shape (n, 4): the text;
        0 for two neighbours that are switched, 1 for a word that is shifted; the place in the text of the left one of
        the two, or of the word; the place of the right one, or of the last word that it jumps over.
    """
    if beam < 1:
        raise ValueError("beam must be at least 1")
    rows = []
    for number in range(len(orders.offsets) - 1):
        order = orders.text(number).tolist()
        if len(set(order)) < len(order):
            raise ValueError("places in the reference must be different")
        places = {value: place for place, value in enumerate(order)}
        errors = []
        for run in sorting_runs(order, beam=beam):
            to_right = len(run) == 1 or run[0][0] == run[1][0]
            word, last = run[-1] if to_right else run[-1][::-1]
            errors.append((word, len(run) > 1, places[word], places[last]))
        rows += [(number, *error[1:]) for error in sorted(errors, key=lambda error: error[0])]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)
