"""METEOR's table of paraphrases, compiled into arrays.

The table is a gzip file of three lines per pair: a probability, which METEOR does not use, a phrase p, and a phrase q
that may stand for it. The compiled table has a numbered list of words, a trie of all phrases, and for every phrase p
the phrases q in the order of the file, because METEOR's search breaks ties by that order.
"""

from __future__ import annotations

import gzip
import zlib
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mtassay.errors import InputError, at
from mtassay.io.inputs import open_input
from mtassay.metrics.meteor.cache import cached_arrays

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

#: Version of the arrays; change it with them, so that older files are not read.
_VERSION = 1
_MULTIPLIER = 0x9E3779B97F4A7C15
_LINES_AT_ONCE = 300_000


class ParaphraseTable(NamedTuple):
    """Phrases and what they can match, as arrays that kernels walk.

    The children of the trie's nodes are in a hash table with open addressing. The key of a child is
    ``node << 32 | word``; its slot is the key times 0x9E3779B97F4A7C15, modulo 2**64, shifted right by `shift`, or the
    next free one after it. The search does not wrap around, and the last slot is free. The root is node 0.

    Attributes:
        keys: a child's key, or -1 in a free slot, int64.
        values: the child's node, int32.
        shift: see above.
        phrase_of_node: the phrase that ends at a node, or -1, int32.
        pair_offsets: where the matches of each phrase begin in `pairs`, shape (phrases + 1,), int64.
        pairs: phrases that match, int32.
        longest: number of words of the longest phrase.
        words: every word with its number.
    """

    keys: NDArray[np.int64]
    values: NDArray[np.int32]
    shift: int
    phrase_of_node: NDArray[np.int32]
    pair_offsets: NDArray[np.int64]
    pairs: NDArray[np.int32]
    longest: int
    words: Mapping[str, int]

    @classmethod
    def load(cls, path: Path) -> ParaphraseTable:
        """Return the table of a file such as paraphrase-en.gz, compiled the first time and then cached."""
        return _load(path, table_identity(path))

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, str]]) -> ParaphraseTable:
        """Return the table of these pairs of phrases.

        >>> table = ParaphraseTable.from_pairs([("in order to", "to"), ("to", "so as to")])
        >>> table.word_ids(["order", "chaos"]).tolist(), table.longest
        ([1, -1], 3)
        >>> node = table.child(table.child(table.child(0, "in"), "order"), "to")
        >>> phrase = table.phrase_of_node[node]
        >>> table.pairs[table.pair_offsets[phrase] : table.pair_offsets[phrase + 1]].tolist()
        [1]
        """
        return cls._of(_compile(((p.encode(), q.encode()) for p, q in pairs), "the table"))

    @classmethod
    def _of(cls, arrays: Mapping[str, NDArray[Any]]) -> ParaphraseTable:
        words = arrays["words"].tobytes().decode().split("\n")
        return cls(
            keys=arrays["keys"],
            values=arrays["values"],
            shift=int(arrays["shift"][0]),
            phrase_of_node=arrays["phrase_of_node"],
            pair_offsets=arrays["pair_offsets"],
            pairs=arrays["pairs"],
            longest=int(arrays["longest"][0]),
            words={word: number for number, word in enumerate(words) if word},
        )

    def word_ids(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Return the number of each word; -1 for those that no phrase has."""
        numbers = self.words
        return np.fromiter((numbers.get(word, -1) for word in words), np.int32)

    def child(self, node: int, word: str) -> int:
        """Return the node to which `word` leads from `node`; -1 if none."""
        key = node << 32 | self.words.get(word, -1)
        if node < 0 or key < 0:
            return -1
        slot = (key * _MULTIPLIER & 0xFFFFFFFFFFFFFFFF) >> self.shift
        while self.keys[slot] not in (key, -1):
            slot += 1
        return int(self.values[slot]) if self.keys[slot] == key else -1


@lru_cache(maxsize=4)
def _load(path: Path, identity: str) -> ParaphraseTable:
    arrays = cached_arrays(
        f"meteor-paraphrases-v{_VERSION}-{identity}.bin",
        lambda: _compile(_read_pairs(path), at(path)),
        description=f"compiling {path.name}{_effort(path)}",
    )
    return ParaphraseTable._of(arrays)


def _effort(path: Path) -> str:
    """A remark on the time it takes; empty for small files."""
    n_megabytes = path.stat().st_size / 1e6
    return f" ({n_megabytes:.0f} MB, which takes a while)" if n_megabytes >= 1 else ""


def table_identity(path: Path) -> str:
    """Identify a table quickly, by the size of the file and the checksum and length at the end of a gzip file."""
    try:
        with open_input(path) as file:
            size = file.seek(0, 2)
            file.seek(max(size - 8, 0))
            return f"{size:x}-{file.read(8).hex()}"
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None


def _read_pairs(path: Path) -> Iterator[tuple[bytes, bytes]]:
    try:
        with open_input(path) as packed, gzip.open(packed, "rb") as file:
            n_read = 0
            while lines := list(islice(file, _LINES_AT_ONCE)):
                if len(lines) % 3:
                    raise InputError(f"{at(path, n_read + len(lines))}: the table ends within a pair (of three lines)")
                yield from zip(lines[1::3], lines[2::3], strict=True)
                n_read += len(lines)
            if not n_read:
                raise InputError(f"{path} is empty: METEOR's paraphrase tables have three lines per pair")
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def _compile(pairs: Iterable[tuple[bytes, bytes]], place: str) -> dict[str, NDArray[Any]]:
    phrases, sources, targets = _number_phrases(pairs)
    words, lengths, ids = _number_words(phrases)
    n_phrases = len(lengths)
    if not lengths.all():
        raise InputError(f"{place} has a phrase without words")
    try:
        b"\n".join(words).decode()
    except UnicodeDecodeError:
        raise InputError(f"{place} is not UTF-8") from None
    order = np.argsort(sources, kind="stable")
    pair_offsets = np.zeros(n_phrases + 1, dtype=np.int64)
    np.cumsum(np.bincount(sources, minlength=n_phrases), out=pair_offsets[1:])
    trie = _trie(lengths, ids)
    return {
        "words": np.frombuffer(b"\n".join(words), dtype=np.uint8),
        "longest": np.array([lengths.max(initial=0)], dtype=np.int64),
        "pair_offsets": pair_offsets,
        "pairs": targets[order],
        **trie,
    }


def _number_phrases(pairs: Iterable[tuple[bytes, bytes]]) -> tuple[list[bytes], NDArray[np.int32], NDArray[np.int32]]:
    """Return the distinct phrases, and the two sides of all pairs as their numbers."""
    numbers: dict[bytes, int] = {}
    sides: list[NDArray[np.int32]] = []
    pairs = iter(pairs)
    while some := list(islice(pairs, _LINES_AT_ONCE)):
        found = [numbers.setdefault(phrase.strip(), len(numbers)) for pair in some for phrase in pair]
        sides.append(np.array(found, dtype=np.int32).reshape(-1, 2))
    both = np.concatenate(sides) if sides else np.zeros((0, 2), dtype=np.int32)
    return list(numbers), both[:, 0], both[:, 1]


def _number_words(phrases: Sequence[bytes]) -> tuple[list[bytes], NDArray[np.int64], NDArray[np.int32]]:
    """Return the distinct words, the length of each phrase, and the words of all phrases end to end as numbers."""
    numbers: dict[bytes, int] = {}
    lengths: list[int] = []
    ids: list[NDArray[np.int32]] = []
    for first in range(0, len(phrases), _LINES_AT_ONCE):
        found: list[int] = []
        for phrase in phrases[first : first + _LINES_AT_ONCE]:
            words = phrase.split()
            lengths.append(len(words))
            found += [numbers.setdefault(word, len(numbers)) for word in words]
        ids.append(np.array(found, dtype=np.int32))
    return list(numbers), np.array(lengths, dtype=np.int64), np.concatenate(ids or [np.zeros(0, dtype=np.int32)])


def _trie(lengths: NDArray[np.int64], ids: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    """Number the nodes level by level, and put every node but the root into the hash table."""
    starts = np.cumsum(lengths) - lengths
    at_node = np.zeros(len(lengths), dtype=np.int64)
    keys: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    n_nodes = 1
    for depth in range(int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > depth)
        wanted = at_node[longer] << 32 | ids[starts[longer] + depth]
        distinct, positions = np.unique(wanted, return_inverse=True)
        at_node[longer] = n_nodes + positions
        n_nodes += len(distinct)
        keys.append(distinct)
    phrase_of_node = np.full(n_nodes, -1, dtype=np.int32)
    phrase_of_node[at_node] = np.arange(len(lengths), dtype=np.int32)
    return {"phrase_of_node": phrase_of_node, **_hash_table(np.concatenate(keys))}


def _hash_table(keys: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Place the keys of nodes 1, 2, ... so that each is in its slot or the first free one after it."""
    bits = max(1, int(len(keys) * 5 // 4).bit_length())
    shift = 64 - bits
    home = (keys.astype(np.uint64) * np.uint64(_MULTIPLIER) >> np.uint64(shift)).astype(np.int64)
    order = np.argsort(home, kind="stable")
    rank = np.arange(len(keys))
    slots = np.maximum.accumulate(home[order] - rank) + rank
    size = max(1 << bits, int(slots.max(initial=0)) + 1) + 1
    table_keys = np.full(size, -1, dtype=np.int64)
    values = np.full(size, -1, dtype=np.int32)
    table_keys[slots] = keys[order]
    values[slots] = order + 1
    return {"keys": table_keys, "values": values, "shift": np.array([shift], dtype=np.int64)}
