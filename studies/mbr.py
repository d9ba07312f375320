"""Minimum Bayes risk: how far aggregated references and pruning are from the exact expected utility."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tables import markdown

from mtassay.data.formats.candidate_files import read_candidates
from mtassay.data.formats.lines import read_lines
from mtassay.metrics.core.spec import parse
from mtassay.verbs.mbr import mbr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.candidate_lists import CandidateList
    from mtassay.verbs.mbr import MbrResult

UTILITIES = ("chrf", "chrf++", "bleu:tok=none")
#: Weights of pseudo-references: alike, or from model scores with this scale.
WEIGHTS: dict[str, dict[str, Any]] = {"uniform": {}, "model scores": {"weights": "scores", "scale": 1.0}}
METHODS: dict[str, dict[str, Any]] = {
    "exact": {},
    "aggregated": {"aggregate": True},
    "pruned, .99": {"confidence": 0.99},
    "pruned, .9": {"confidence": 0.9},
}
#: More than any list has.
EVERY = 1000


@dataclass(frozen=True, eq=False)
class Lists:
    """Candidates and the reference of each sentence."""

    candidates: Sequence[CandidateList]
    reference: Sequence[str]


def run(data: Path) -> str:
    """The page."""
    lists = _read(data)
    sizes = [len(set(one.texts)) for one in lists.candidates]
    first = [one.texts[0] for one in lists.candidates]
    parts = [_part(lists, utility) for utility in UTILITIES]
    return "\n\n".join(
        [
            "# Minimum Bayes risk: aggregated references and pruning against exact utilities",
            'Written by `make study ARGS="mbr --write"`; the code is [studies/mbr.py](../../studies/mbr.py).',
            f"{len(sizes)} sentences of a Moses n-best list with {min(sizes)} to {max(sizes)} different candidates "
            f"(median {np.median(sizes):.0f}) and model scores. Every candidate is a pseudo-reference. *Same choice*: "
            "sentences in which the method chooses the exact method's candidate. *Loss*: how much lower the exact "
            "expected utility of its choice is than the highest, mean and largest over sentences. *Error*: aggregated "
            "minus exact utility over all candidates, mean, and standard deviation inside sentences, which is what can "
            "change a choice. *τ*: Kendall's correlation of aggregated and exact utilities inside sentences, mean. "
            "*Comparisons*: pairs of texts scored, as a share of all; aggregated references need one for each "
            "candidate. Scores of the outputs are against the reference.",
            *parts,
            f"Without minimum Bayes risk, the first candidate of each list scores {_scores(first, lists.reference)}.",
        ]
    )


def _read(data: Path) -> Lists:
    folder = data / "nbest" / "test_scorer_data"
    candidates = list(read_candidates(folder / "nbest.out"))
    return Lists(candidates, read_lines(folder / "reference.txt")[: len(candidates)])


def _part(lists: Lists, utility: str) -> str:
    rows = []
    for weights, weighting in WEIGHTS.items():
        results = {
            name: mbr(lists.candidates, metric=utility, n_best=EVERY, **weighting, **method)
            for name, method in METHODS.items()
        }
        exact = results["exact"]
        rows += [
            [
                weights if name == "exact" else "",
                name,
                *_differences(result, exact, aggregated=name == "aggregated"),
                _share_of_comparisons(result, exact),
                _scores(result.texts, lists.reference),
            ]
            for name, result in results.items()
        ]
    header = ["weights", "method", "same choice", "mean loss", "largest loss", "error", "τ", "comparisons", "outputs"]
    return f"## {parse(utility).label}\n\n" + markdown(header, rows, n_labels=2, n_notes=1)


def _differences(result: MbrResult, exact: MbrResult, *, aggregated: bool) -> list[str]:
    """Same choices, loss of exact utility, and for aggregated references their error and rank correlation."""
    from scipy.stats import kendalltau

    utilities = [{one.text: one.utility for one in segment.best} for segment in exact.segments]
    pairs = list(zip(result.texts, utilities, strict=True))
    losses = np.array([max(known.values()) - known[text] for text, known in pairs])
    same = np.mean([text == best for text, best in zip(result.texts, exact.texts, strict=True)])
    cells = [f"{100 * same:.0f} %", f"{losses.mean():.3f}", f"{losses.max():.2f}", "", ""]
    if aggregated:
        values = [
            (np.array([one.utility for one in segment.best]), np.array([known[one.text] for one in segment.best]))
            for segment, known in zip(result.segments, utilities, strict=True)
        ]
        errors = [ours - theirs for ours, theirs in values]
        spread = np.mean([error.std() for error in errors])
        cells[3] = f"{np.mean([error.mean() for error in errors]):+.2f} ± {spread:.2f}"
        cells[4] = f"{np.nanmean([kendalltau(*both).statistic for both in values if len(both[0]) > 1]):.3f}"
    return cells


def _share_of_comparisons(result: MbrResult, exact: MbrResult) -> str:
    numbers = [sum(segment.n_comparisons for segment in one.segments) for one in (result, exact)]
    return f"{100 * numbers[0] / numbers[1]:.1f} %"


def _scores(texts: Sequence[str], reference: Sequence[str]) -> str:
    scores = [(spec, parse(spec).corpus_score(texts, [reference])) for spec in ("bleu:tok=none", "chrf")]
    return ", ".join(f"{parse(spec).label} {score:.2f}" for spec, score in scores)
