"""METEOR's alignment of a hypothesis with a reference.

Denkowski & Lavie, Meteor Universal: Language Specific Translation Evaluation for Any Target Language, WMT 2014.

Four stages determine which words may match: exact (0), stem (1), synonym (2) and paraphrase (3); only the last joins
several words. Matches without competitors are fixed. The others are chosen by a beam search over the reference
from left to right, which prefers paths that match more words, then fewer chunks, then a smaller distance; among equal
paths the one found first stays in front. A chunk is a run of matches that are neighbours, in the same order, on both
sides.

A stage is switched off by facts that match nothing: stems of -1, words without synsets, phrase words of -1.
This is the executable specification of the compiled kernel: plain, and slow.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mtassay.kernels import Pairs, kernel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mtassay.types import Counts

BEAM = 40
EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
#: Numbers in a row of ``meteor_statistics``.
N_COLUMNS = 23
_HASH = 0x9E3779B97F4A7C15
_EMPTY = -1


class WordFacts(NamedTuple):
    """Facts about every word of the vocabulary for the stages, each an array indexed by word id.

    Attributes:
        sizes: int32, size of the word: 1, or its number of characters.
        function: uint8, whether it is a function word.
        stems: int32, number of its stem, or -1.
        synset_offsets: int64, shape (words + 1,); synsets of word w are synset_offsets[w] to synset_offsets[w + 1].
        synsets: int32, numbers of synsets, ascending for each word.
        phrase_words: int32, its number in the phrase table, or -1.
    """

    sizes: npt.NDArray[np.int32]
    function: npt.NDArray[np.uint8]
    stems: npt.NDArray[np.int32]
    synset_offsets: npt.NDArray[np.int64]
    synsets: npt.NDArray[np.int32]
    phrase_words: npt.NDArray[np.int32]


class PhraseTable(NamedTuple):
    """Phrases in a trie, and the paraphrases of each.

    Attributes:
        keys: int64, a hash table: parent node << 32 | word, or -1 if free. A key is at or after the slot given
            by its product with 0x9E3779B97F4A7C15, shifted right; the last slot is free.
        values: int32, the child node in the same slot; the root is node 0.
        shift: number of bits by which the 64-bit product is shifted.
        phrase_of_node: int32, the phrase that ends in a node, or -1.
        pair_offsets: int64, shape (phrases + 1,); paraphrases of phrase p are pair_offsets[p] to pair_offsets[p + 1].
        pairs: int32, phrases, in the order of the file they were read from.
    """

    keys: npt.NDArray[np.int64]
    values: npt.NDArray[np.int32]
    shift: int
    phrase_of_node: npt.NDArray[np.int32]
    pair_offsets: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int32]

    def child(self, node: int, word: int) -> int:
        """The node that a word leads to, or -1."""
        key = node << 32 | word
        place = (key * _HASH & (1 << 64) - 1) >> self.shift
        while self.keys[place] not in (key, _EMPTY):
            place += 1
        return int(self.values[place]) if self.keys[place] == key else -1


#: A table without phrases.
NO_PHRASES = PhraseTable(
    np.full(2, _EMPTY, np.int64),
    np.zeros(2, np.int32),
    63,
    np.full(1, -1, np.int32),
    np.zeros(1, np.int64),
    np.zeros(0, np.int32),
)


class WordMatch(NamedTuple):
    """Words of the reference that match words of the hypothesis."""

    ref_start: int
    ref_length: int
    hyp_start: int
    hyp_length: int
    stage: int

    @property
    def distance(self) -> int:
        """Distance of the two positions."""
        return abs(self.ref_start - self.hyp_start)

    @property
    def weight(self) -> int:
        """Contribution of the match to the total that the search maximises."""
        # Parity: in METEOR, matches that are not exact count half, but totals are integers, so halves are truncated.
        divisor = 1 if self.stage == EXACT else 2
        return self.hyp_length // divisor + self.ref_length // divisor

    @property
    def hyp_words(self) -> int:
        """The words of the hypothesis, as bits."""
        return ((1 << self.hyp_length) - 1) << self.hyp_start


@dataclass(frozen=True)
class Path:
    """A choice of matches for the first words of the reference."""

    matches: tuple[WordMatch, ...] = ()
    total: int = 0
    chunks: int = 0  # without the one that is still open
    distance: int = 0
    hyp_end: int = -1  # hypothesis position that would continue the open chunk, or -1
    used: int = 0  # words of the hypothesis, as bits

    @property
    def rank(self) -> tuple[int, int, int]:
        """Smaller is better."""
        return -self.total, self.chunks, self.distance

    @property
    def ref_end(self) -> int:
        """One past the last reference word of the last match."""
        return self.matches[-1].ref_start + self.matches[-1].ref_length if self.matches else 0

    def extended(self, match: WordMatch, distance: int) -> Path:
        """The path with one more match."""
        return Path(
            matches=(*self.matches, match),
            total=self.total + match.weight,
            chunks=self.chunks + (self.hyp_end not in (-1, match.hyp_start)),
            distance=distance,
            hyp_end=match.hyp_start + match.hyp_length,
            used=self.used | match.hyp_words,
        )

    def closed(self, distance: int) -> Path:
        """The path with its open chunk closed."""
        return replace(self, chunks=self.chunks + (self.hyp_end != -1), distance=distance, hyp_end=-1)


# ---- possible matches ------------------------------------------------------------------------------------


def _possible(hyp: Sequence[int], ref: Sequence[int], facts: WordFacts, phrases: PhraseTable) -> list[list[WordMatch]]:
    """All matches by the reference word they start at, in the order in which the search tries them."""
    starting: list[list[WordMatch]] = [[] for _ in ref]
    synsets = {word: set(_slice(facts.synset_offsets, facts.synsets, word)) for word in {*hyp, *ref}}
    for j, word in enumerate(ref):
        for stage in (EXACT, STEM, SYNONYM):
            for i, other in enumerate(hyp):
                if stage == EXACT:
                    same = word == other
                elif stage == STEM:
                    same = word != other and facts.stems[word] == facts.stems[other] != -1
                else:
                    same = word != other and not synsets[word].isdisjoint(synsets[other])
                if same:
                    starting[j].append(WordMatch(j, 1, i, 1, stage))
    hyp_phrases = _phrases(hyp, facts, phrases)
    ref_phrases = _phrases(ref, facts, phrases)
    for (j, ref_length), (i, hyp_length) in _paraphrases(ref_phrases, hyp_phrases, phrases):
        starting[j].append(WordMatch(j, ref_length, i, hyp_length, PARAPHRASE))
    for (i, hyp_length), (j, ref_length) in _paraphrases(hyp_phrases, ref_phrases, phrases):
        starting[j].append(WordMatch(j, ref_length, i, hyp_length, PARAPHRASE))
    return starting


def _slice(offsets: npt.NDArray[np.int64], values: npt.NDArray[np.int32], index: int) -> list[int]:
    found: list[int] = values[offsets[index] : offsets[index + 1]].tolist()
    return found


#: (position of the first word, number of words)
Place = tuple[int, int]


def _phrases(words: Sequence[int], facts: WordFacts, phrases: PhraseTable) -> list[tuple[Place, int]]:
    """Phrases of the table that a text contains, by position, then length."""
    found = []
    for start in range(len(words)):
        node = 0
        for end in range(start, len(words)):
            word = int(facts.phrase_words[words[end]])
            node = -1 if word == -1 else phrases.child(node, word)
            if node == -1:
                break
            if phrases.phrase_of_node[node] != -1:
                found.append(((start, end + 1 - start), int(phrases.phrase_of_node[node])))
    return found


def _paraphrases(
    given: list[tuple[Place, int]], others: list[tuple[Place, int]], phrases: PhraseTable
) -> Iterator[tuple[Place, Place]]:
    """Phrases of one text whose paraphrases are in the other."""
    places = defaultdict(list)
    for place, phrase in others:
        places[phrase].append(place)
    for place, phrase in given:
        for paraphrase in _slice(phrases.pair_offsets, phrases.pairs, phrase):
            for other in places.get(paraphrase, []):
                yield place, other


# ---- search ----------------------------------------------------------------------------------------------


def _fixed(starting: list[list[WordMatch]], n_hyp: int) -> dict[int, WordMatch]:
    """Matches whose words have no other match, by the reference word they start at."""
    hyp_cover, ref_cover = [0] * n_hyp, [0] * len(starting)
    for match in (match for matches in starting for match in matches):
        for i in range(match.hyp_start, match.hyp_start + match.hyp_length):
            hyp_cover[i] += 1
        for j in range(match.ref_start, match.ref_start + match.ref_length):
            ref_cover[j] += 1
    return {
        match.ref_start: match
        for match in (matches[0] for matches in starting if len(matches) == 1)
        if all(n == 1 for n in hyp_cover[match.hyp_start : match.hyp_start + match.hyp_length])
        and all(n == 1 for n in ref_cover[match.ref_start : match.ref_start + match.ref_length])
    }


def _search(starting: list[list[WordMatch]], fixed: dict[int, WordMatch]) -> tuple[WordMatch, ...]:
    """The matches of the best path."""
    paths = [Path()]
    for j, matches in enumerate(starting):
        following: list[Path] = []
        for path in sorted(paths, key=lambda path: path.rank)[:BEAM]:
            if j < path.ref_end:
                following.append(path)
            elif j in fixed:
                following.append(path.extended(fixed[j], path.distance + fixed[j].distance))
            else:
                distance = path.distance
                for match in matches:
                    if not path.used & match.hyp_words:
                        following.append(path.extended(match, distance))
                        # Parity: METEOR adds the distance of a match to later paths, not to the path of the match.
                        distance += match.distance
                following.append(path.closed(distance))
        paths = following
    paths = sorted(paths, key=lambda path: path.rank)[:BEAM]
    return min((path.closed(path.distance) for path in paths), key=lambda path: path.rank).matches


def _align(hyp: Sequence[int], ref: Sequence[int], facts: WordFacts, phrases: PhraseTable) -> tuple[WordMatch, ...]:
    if hyp == ref:
        # Parity: in METEOR, equal texts have only exact matches; the search would find the same.
        return tuple(WordMatch(i, 1, i, 1, EXACT) for i in range(len(ref)))
    starting = _possible(hyp, ref, facts, phrases)
    return _search(starting, _fixed(starting, len(hyp)))


def _count_chunks(matches: Sequence[WordMatch]) -> int:
    chunks = 0
    ends = (-1, -1)
    for match in matches:
        chunks += (match.ref_start, match.hyp_start) != ends
        ends = match.ref_start + match.ref_length, match.hyp_start + match.hyp_length
    return chunks


# ---- statistics ------------------------------------------------------------------------------------------


def _row(hyp: Sequence[int], ref: Sequence[int], matches: Sequence[WordMatch], facts: WordFacts) -> list[int]:
    row = [0] * N_COLUMNS
    for side, words in enumerate((hyp, ref)):
        row[side] = sum(int(facts.sizes[word]) for word in words)
        row[2 + side] = sum(int(facts.sizes[word]) for word in words if facts.function[word])
        for match in matches:
            start, length = match[2:4] if side == 0 else match[:2]
            for word in words[start : start + length]:
                row[4 + 4 * match.stage + 2 * bool(facts.function[word]) + side] += int(facts.sizes[word])
            row[21 + side] += length
    chunks = _count_chunks(matches)
    # Parity: in METEOR, a segment whose words all match in one chunk has no fragmentation.
    complete = row[21] == len(hyp) and row[22] == len(ref)
    row[20] = 0 if complete and chunks == 1 else chunks
    return row


@kernel
def meteor_statistics(pairs: Pairs, *, facts: WordFacts, phrases: PhraseTable) -> Counts:
    """Align the hypothesis of every pair with the reference.

    Args:
        pairs: the pairs.
        facts: facts about each word.
        phrases: the paraphrases.

    Returns:
        int64, shape (n, 23): size of hypothesis and reference, and of their function words; for each stage the size of
        the matched content words of hypothesis and reference, then of the matched function words; chunks, 0 if all
        words match in one; number of matched words of hypothesis and reference.

    >>> none, zeros = np.full(3, -1, np.int32), np.zeros(4, np.int64)
    >>> facts = WordFacts(np.ones(3, np.int32), np.zeros(3, np.uint8), none, zeros, none[:0], none)
    >>> from mtassay.kernels import Tokens
    >>> first = np.array([0])
    >>> pairs = Pairs(Tokens.of([[0, 1, 2]]), Tokens.of([[2, 1, 0]]), first, first)
    >>> meteor_statistics(pairs, facts=facts, phrases=NO_PHRASES)[0, [0, 1, 4, 5, 20]].tolist()
    [3, 3, 3, 3, 3]
    """
    rows = np.zeros((len(pairs.hyp_index), N_COLUMNS), dtype=np.int64)
    for p, (hyp, ref) in enumerate(pairs.each()):
        _check_facts(hyp, facts)
        _check_facts(ref, facts)
        rows[p] = _row(hyp, ref, _align(hyp, ref, facts, phrases), facts)
    return rows


@kernel
def meteor_matches(pairs: Pairs, *, facts: WordFacts, phrases: PhraseTable) -> Counts:
    """Align the hypothesis of every pair with the reference, and return the matches.

    Returns:
        int64, shape (matches, 6), pair after pair and in the order of the reference: the pair, first reference word,
        number of reference words, first hypothesis word, number of hypothesis words, stage.
    """
    rows = []
    for p, (hyp, ref) in enumerate(pairs.each()):
        _check_facts(hyp, facts)
        _check_facts(ref, facts)
        matches = _align(hyp, ref, facts, phrases)
        rows += [(p, m.ref_start, m.ref_length, m.hyp_start, m.hyp_length, m.stage) for m in matches]
    return np.array(rows, dtype=np.int64).reshape(-1, 6)


def _check_facts(words: list[int], facts: WordFacts) -> None:
    if words and not 0 <= min(words) <= max(words) < len(facts.sizes):
        raise ValueError("a word has no facts")
