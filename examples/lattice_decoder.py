"""A small decoder to try tuning with: it recombines the outputs of several systems, word by word.

    python examples/lattice_decoder.py OUTPUT... --weights weights.txt --nbest nbest.txt

It translates nothing itself. The outputs of one sentence form a lattice: a word may follow another if it does so in
some output at about the same place, so that a path can begin like one output and end like another. Paths are scored by
the weighted sum of features, and the best ones are found exactly:

    Votes_0    log of the share of systems behind each step, summed
    LM_0       log probability under a bigram model of all outputs together
    Words_0    minus the number of words
    Sys_0 …    steps that the first, second … output supports

The weights file has a line ``name value`` for each; the list has Moses' format. Words are what blanks separate.
"""

from __future__ import annotations

import argparse
import heapq
import math
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

START, END = "<s>", "</s>"
#: How many words a place in one output may lie from that in another.
WINDOW = 2
#: Added to every count of the bigram model.
SMOOTHING = 0.1


class Route(NamedTuple):
    """A way through the lattice so far."""

    score: float
    words: tuple[str, ...]
    features: tuple[float, ...]


class Bigrams:
    """Log probabilities of words given the word before."""

    def __init__(self, sentences: list[list[str]]) -> None:
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._before: Counter[str] = Counter()
        for words in sentences:
            self._pairs.update(pairwise(words))
            self._before.update(words[:-1])
        self._n_words = len({word for words in sentences for word in words})

    def __call__(self, before: str, word: str) -> float:
        """The log probability of `word` after `before`."""
        count, total = self._pairs[before, word], self._before[before]
        return math.log((count + SMOOTHING) / (total + SMOOTHING * self._n_words))


def steps(outputs: list[list[str]]) -> dict[tuple[int, str], dict[str, set[int]]]:
    """What may follow a word at a place, and the outputs in which it does."""
    found: dict[tuple[int, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for number, words in enumerate(outputs):
        for place, (word, following) in enumerate(pairwise(words)):
            for near in range(max(0, place - WINDOW), place + WINDOW + 1):
                found[near, word][following].add(number)
    return found


def decode(outputs: list[list[str]], bigrams: Bigrams, weights: list[float], size: int) -> list[Route]:
    """The best paths through the lattice of one sentence, best first."""
    possible = steps(outputs)
    n_outputs = len(outputs)
    complete: list[Route] = []
    ends = {START: [Route(0.0, (), (0.0,) * len(weights))]}
    place = 0
    while ends:
        reached: dict[str, list[Route]] = defaultdict(list)
        for word, paths in ends.items():
            for following, voters in possible.get((place, word), {}).items():
                step = [math.log(len(voters) / n_outputs), bigrams(word, following), -float(following != END)]
                step += [float(number in voters) for number in range(n_outputs)]
                gain = sum(weight * value for weight, value in zip(weights, step, strict=True))
                said = () if following == END else (following,)
                reached[following] += [
                    Route(
                        path.score + gain,
                        path.words + said,
                        tuple(a + b for a, b in zip(path.features, step, strict=True)),
                    )
                    for path in paths
                ]
        complete = heapq.nlargest(size, complete + reached.pop(END, []))
        # Nothing but the last word and the place matters for what follows: the best of each are enough.
        ends = {word: heapq.nlargest(size, paths) for word, paths in reached.items()}
        place += 1
    return complete


def read_weights(path: Path, names: list[str]) -> list[float]:
    lines = path.read_text(encoding="utf-8").splitlines()
    given = dict(line.split() for line in lines if line.strip())
    missing = [name for name in names if name not in given]
    if missing:
        raise SystemExit(f"{path}: no weight of {', '.join(missing)}")
    return [float(given[name]) for name in names]


def main() -> None:
    parser = argparse.ArgumentParser(description="Recombine the outputs of several systems.")
    parser.add_argument("outputs", nargs="+", type=Path, metavar="OUTPUT", help="one sentence per line")
    parser.add_argument("--weights", type=Path, required=True, metavar="FILE", help="a line 'name value' per feature")
    parser.add_argument("--nbest", type=Path, required=True, metavar="FILE", help="where to write the list")
    parser.add_argument("--size", type=int, default=50, metavar="N", help="candidates per sentence (default: 50)")
    args = parser.parse_args()
    texts = [path.read_text(encoding="utf-8").splitlines() for path in args.outputs]
    if len({len(lines) for lines in texts}) > 1:
        raise SystemExit("the outputs have different numbers of lines")
    names = ["Votes_0", "LM_0", "Words_0", *(f"Sys_{number}" for number in range(len(texts)))]
    weights = read_weights(args.weights, names)
    sentences = [[[START, *line.split(), END] for line in lines] for lines in zip(*texts, strict=True)]
    bigrams = Bigrams([words for outputs in sentences for words in outputs])
    with args.nbest.open("w", encoding="utf-8") as file:
        for number, outputs in enumerate(sentences):
            for score, words, (votes, lm, length, *supported) in decode(outputs, bigrams, weights, args.size):
                features = (
                    f"Votes= {votes:.6f} LM= {lm:.6f} Words= {length:g} Sys= {' '.join(map('{:g}'.format, supported))}"
                )
                file.write(f"{number} ||| {' '.join(words)} ||| {features} ||| {score:.6f}\n")


if __name__ == "__main__":
    main()
