"""Which segments of a test set are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError, counted, unknown_name

if TYPE_CHECKING:
    from mtassay.data.testset import TestSet

SAMPLES = ("random", "document", "length")


def n_words(testset: TestSet, segment: int) -> int:
    """Length of a segment: words of the source, or of the first reference."""
    text = testset.references[0][segment] if testset.sources is None else testset.sources[segment]
    return len((text or "").split())


def choose_segments(
    testset: TestSet,
    rng: np.random.Generator,
    *,
    n: int | None,
    sample: str,
    max_words: int | None,
    fewest_outputs: int,
) -> list[int]:
    """Indices of the chosen segments, in the order of the test set.

    Args:
        testset: the test set.
        rng: the random generator.
        n: number of segments; None for all that can be judged.
        sample: ``random``; ``document``: whole documents, until there are `n` or more segments; ``length``: one segment
            from each of `n` classes of length.
        max_words: words in the longest segment.
        fewest_outputs: number of different outputs that a screen needs.
    """
    if sample not in SAMPLES:
        raise InputError(unknown_name("way of choosing segments", sample, SAMPLES))
    fit = [segment for segment in range(testset.n_segments) if _fits(testset, segment, max_words, fewest_outputs)]
    if not fit:
        longest = "" if max_words is None else f" of at most {max_words} words"
        raise InputError(f"no segment{longest} has {counted(fewest_outputs, 'different output')} to show")
    if n is None and sample != SAMPLES[0]:
        raise InputError(f"the sample {sample!r} is of some segments: give their number, --segments (segments=)")
    if n is None or n == len(fit):
        return fit
    if not 1 <= n < len(fit):
        raise InputError(f"{counted(n, 'segment')} cannot be chosen: at most {len(fit)} can be judged")
    if sample == "document":
        return _by_document(testset, rng, fit, n)
    if sample == "random":
        return sorted(rng.permutation(fit)[:n].tolist())
    by_length = sorted(fit, key=lambda segment: (n_words(testset, segment), segment))
    return sorted(int(rng.choice(part)) for part in np.array_split(np.array(by_length), n))


def _fits(testset: TestSet, segment: int, max_words: int | None, fewest_outputs: int) -> bool:
    texts = {texts[segment].strip() for texts in testset.systems.values()} - {""}
    return len(texts) >= fewest_outputs and (max_words is None or n_words(testset, segment) <= max_words)


def _by_document(testset: TestSet, rng: np.random.Generator, fit: list[int], n: int) -> list[int]:
    documents = testset.groups("doc")
    allowed = set(fit)
    found: list[int] = []
    for place in rng.permutation(len(documents)).tolist():
        if len(found) >= n:
            break
        found += [segment for segment in documents[place][1].tolist() if segment in allowed]
    return sorted(found)
