"""Whether numbers of segments in the direct assessments of WMT21 Czech-English are lines of the texts: they are not."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from learned_data import czech_scores, czech_texts

from mtassay.judging.learning_targets import human_scores
from mtassay.learn.matrix import feature_matrix
from mtassay.learn.search import rho

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.types import Floats


#: Ends of sentences; titles have none of them.
_ENDS = frozenset('.!?…:"“”)')
#: A line before a title that has no more characters than this is the title's first line.
_SHORT = 40
_SHUFFLES = 1000


def numbering(data: Path) -> str:
    """What speaks against the numbers, as a part of the page."""
    testset, judged = czech_texts(data), czech_scores(data)
    sources = testset.sources or ()
    gold = human_scores(testset, judged)
    starts, titles = _starts(judged), _titles(sources)
    by_length, by_number = _by_length(gold, feature_matrix(testset, ["chrf"])[..., 0], starts, titles)
    heads = [place - 1 if place > 1 and len(sources[place - 2]) <= _SHORT else place for place in titles]
    return _PAGE.format(
        **_equal_outputs(testset.systems, gold),
        **_order(*(_lengths(found, testset.n_segments) for found in (starts, heads))),
        n_starts=len(starts),
        n_titles=len(set(starts) & set(titles)),
        expected=f"{len(starts) * len(titles) / testset.n_segments:.1f}",
        short=_SHORT,
        n_heads=len(heads),
        n_documents=len(by_length),
        n_outputs=f"{sum(len(scores) for scores, _ in by_length):,}",
        by_length=_pooled(by_length),
        by_number=_pooled(by_number),
    )


def _starts(judged: Any) -> list[int]:
    """Segments at which at least six systems begin a run of consecutive assessments: where documents begin."""
    counts: dict[int, set[int]] = {}
    before = (-1, -1)
    for system, segment in zip(judged.system.tolist(), judged.segment.tolist(), strict=True):
        number = int(judged.segments[segment])
        if (system, number - 1) != before:
            counts.setdefault(number, set()).add(system)
        before = (system, number)
    return sorted(number for number, found in counts.items() if len(found) >= 6)


def _titles(sources: tuple[str, ...]) -> list[int]:
    """Segments that do not end as sentences do."""
    return [place for place, text in enumerate(sources, 1) if text.rstrip()[-1:] not in _ENDS]


def _lengths(starts: list[int], n_segments: int) -> list[int]:
    return [end - start for start, end in pairwise([*starts, n_segments + 1])]


def _order(judged: list[int], written: list[int]) -> dict[str, Any]:
    """How many lengths of documents both have, and how many in the same order one after the other."""
    rng = np.random.default_rng(12345)
    shuffled = [_longest_run(judged, rng.permutation(written).tolist()) for _ in range(_SHUFFLES)]
    return {
        "in_common": (Counter(judged) & Counter(written)).total(),
        "run": _longest_run(judged, written),
        "shuffled": f"{np.mean(shuffled):.1f}",
    }


def _longest_run(one: list[int], other: list[int]) -> int:
    return SequenceMatcher(None, one, other, autojunk=False).find_longest_match().size


def _equal_outputs(systems: dict[str, tuple[str, ...]], gold: Floats) -> dict[str, str]:
    """Squared differences between the scores of two systems, where outputs are equal and where they are not."""
    gaps: dict[bool, list[float]] = {True: [], False: []}
    outputs = list(systems.values())
    for one, other in combinations(range(len(outputs)), 2):
        for place in np.flatnonzero(np.isfinite(gold[one] + gold[other])).tolist():
            same = outputs[one][place] == outputs[other][place]
            gaps[same].append((gold[one, place] - gold[other, place]) ** 2)
    return {
        "same": f"{np.mean(gaps[True]):.2f}",
        "n_same": f"{len(gaps[True]):,}",
        "error": f"{np.std(gaps[True]) / np.sqrt(len(gaps[True])):.2f}",
        "other": f"{np.mean(gaps[False]):.2f}",
    }


def _by_length(gold: Floats, metric: Floats, starts: list[int], titles: list[int]) -> tuple[list[Any], list[Any]]:
    """Scores of people and of a metric for documents of a length that only one has, in both numberings.

    Documents are matched by their number of segments alone, once, and once by the numbers of their segments.
    """
    n = gold.shape[1]
    judged, written = (dict(zip(found, _lengths(found, n), strict=True)) for found in (starts, titles))
    lengths = [list(found.values()) for found in (judged, written)]
    by_length, by_number = [], []
    for start, length in judged.items():
        if all(found.count(length) == 1 for found in lengths):
            (title,) = (place for place, other in written.items() if other == length)
            human = gold[:, start - 1 : start - 1 + length]
            there = np.isfinite(human)
            for place, found in ((title, by_length), (start, by_number)):
                found.append((human[there], metric[:, place - 1 : place - 1 + length][there]))
    return by_length, by_number


def _pooled(documents: list[Any]) -> str:
    """Mean over documents of Spearman's ρ, weighted by outputs, and how many standard errors it is from 0."""
    rhos = np.array([rho(human, metric) for human, metric in documents])
    sizes = np.array([len(human) for human, _ in documents])
    z = (np.arctanh(rhos) * (sizes - 3)).sum() / np.sqrt((sizes - 3).sum())
    return f"{np.average(rhos, weights=sizes):.2f} ({z:.1f} standard errors)"


_PAGE = """\
The direct assessments of `wmt21/cs-en` are another matter: no feature correlates with them, and so nothing can be
learned. The reason is that the numbers of segments in their file are not lines of the texts at hand: the documents
stand in another order.

- Documents begin at titles; but of {n_starts} segments at which assessors begin a document, {n_titles} are titles in
  the texts, and chance alone would give {expected}.
- Where a line of at most {short} characters before a title counts as part of it (of 40 to 80, what gives most), the
  texts have {n_heads} documents; {in_common} of their lengths in segments occur in the file, too, each counted once.
  But the longest run of lengths that file and texts have in the same order
  is {run}; in an order by chance it is {shuffled}.
- Two systems with the same output for a segment should get more similar scores than two with different outputs; but the
  mean squared difference is {same} ± {error} over {n_same} pairs of equal outputs and {other} over different ones.
- {n_documents} documents have a length that no other has, among the documents of the file and among those of the texts.
  Matched by this length alone, chrF correlates with their {n_outputs} scores: ρ = {by_length}. Matched by the
  numbers of their segments it does not: ρ = {by_number}.

System scores do not depend on the order of segments, which is why official rankings come out right nonetheless. The
names of documents, which would restore the order, are not among the data. The tables on `wmt21/cs-en` are reported as
they fall; what the features of the paper can do is seen on the direct assessments of WMT13."""
