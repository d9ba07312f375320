"""Parts of texts and trees as 64-bit numbers that are the same in every process and on every machine.

Two different parts have the same number with a probability of about one in 10^19. If ten million parts are looked up
in an index of ten million parts, the expected number of wrong hits is 5·10^-6.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mtassay.metrics.linguistic.forest import Forest, chains, subtrees

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mtassay.data.trees import DependencyTree
    from mtassay.kernels import Tokens
    from mtassay.types import Hashes, Index


#: Classes of words whose argument structures are hashed, with their universal parts of speech.
CLASSES = {"verb": ("VERB", "AUX"), "noun": ("NOUN", "PROPN"), "preposition": ("ADP",)}


class Hashed(NamedTuple):
    """Hashed parts: the number of the text or tree of each, ascending, and its hash; both of shape (parts,)."""

    owners: Index
    hashes: Hashes


def hash_words(words: Iterable[str]) -> Hashes:
    """Hashes of words, shape (words,).

    >>> hash_words(["a"]).tolist()
    [3405396810240292928]
    """
    digests = [blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest() for word in words]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def combine(left: Any, right: Any) -> Any:
    """Hashes of pairs, in this order, shape (n,): a multiplication, an addition and the finish of splitmix64."""
    with np.errstate(over="ignore"):
        mixed = left * np.uint64(0x9E3779B97F4A7C15) + right
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))


def hashed_ngrams(tokens: Tokens, words: Hashes, *, order: int) -> Iterator[Hashed]:
    """N-grams of 1, 2 … `order` words; `words` are the hashes by token id."""
    single = words[tokens.ids]
    owners = np.repeat(np.arange(len(tokens.lengths)), tokens.lengths)
    ends = tokens.offsets[1:][owners] if len(owners) else owners
    starts = np.arange(len(single))
    hashes = single
    yield Hashed(owners, hashes)
    for n in range(2, order + 1):
        there = starts + n <= ends[starts]
        starts, hashes = starts[there], combine(hashes[there], single[starts[there] + n - 1])
        yield Hashed(owners[starts], hashes)


def hashed_skips(tokens: Tokens, words: Hashes, *, gap: int) -> Iterator[Hashed]:
    """Pairs of words with exactly 0, 1 … `gap` words between them."""
    single = words[tokens.ids]
    owners = np.repeat(np.arange(len(tokens.lengths)), tokens.lengths)
    ends = tokens.offsets[1:][owners] if len(owners) else owners
    starts = np.arange(len(single))
    for between in range(gap + 1):
        starts = starts[starts + between + 2 <= ends[starts]]
        yield Hashed(owners[starts], combine(single[starts], single[starts + between + 1]))


def hashed_parts(
    trees: Sequence[DependencyTree | None], *, longest: int, deepest: int
) -> tuple[list[Hashed], list[Hashed]]:
    """Chains of 1, 2 … `longest` words, and sub-trees of 1, 2 … `deepest` levels; words in lower case."""
    forest = Forest.of(trees, fold=str.lower)
    labels = hash_words(forest.names)[forest.labels]
    owners = np.repeat(np.arange(forest.n_trees), np.diff(forest.offsets))
    found = (
        chains(forest, labels, longest=longest, combine=combine),
        subtrees(forest, labels, deepest=deepest, combine=combine),
    )
    chained, cut = ([Hashed(owners[parts.nodes], parts.numbers) for parts in kind] for kind in found)
    return chained, cut


def hashed_frames(trees: Sequence[DependencyTree | None]) -> dict[str, tuple[Hashed, Hashed]]:
    """Argument structures by class of word, hashed with the class and hashed with the word itself.

    The structure of a word is the set of relations of its dependents on the left and the set of those on the right;
    punctuation marks do not count as dependents.
    """
    owners: dict[str, list[int]] = {name: [] for name in CLASSES}
    written: dict[str, list[tuple[str, str]]] = {name: [] for name in CLASSES}
    class_of = {tag: name for name, tags in CLASSES.items() for tag in tags}
    for number, tree in enumerate(trees):
        if tree is None:
            continue
        for word, (left, right) in enumerate(_dependents(tree)):
            name = class_of.get(tree.tags[word])
            if name is not None:
                frame = f"{' '.join(sorted(left))}\t{' '.join(sorted(right))}"
                owners[name].append(number)
                written[name].append((f"{name}\t{frame}", f"{tree.words[word].lower()}\t{frame}"))
    return {
        name: (
            Hashed(np.array(owners[name], np.int64), _hash_all([general for general, _ in written[name]])),
            Hashed(np.array(owners[name], np.int64), _hash_all([lexical for _, lexical in written[name]])),
        )
        for name in CLASSES
    }


def _dependents(tree: DependencyTree) -> list[tuple[set[str], set[str]]]:
    """For each word the relations of its dependents on the left and on the right."""
    sides: list[tuple[set[str], set[str]]] = [(set(), set()) for _ in tree.words]
    for word, (head, tag, relation) in enumerate(zip(tree.heads, tree.tags, tree.relations, strict=True)):
        if head and tag != "PUNCT":
            sides[head - 1][word > head - 1].add(relation)
    return sides


def _hash_all(strings: list[str]) -> Hashes:
    different = {string: number for number, string in enumerate(dict.fromkeys(strings))}
    return hash_words(different)[[different[string] for string in strings]]
