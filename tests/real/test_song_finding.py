"""The study of Song et al. 2013 on a slice of WMT12: its filter, its counts and its test, each by brute force."""

from __future__ import annotations

import csv
import math
from collections import Counter, defaultdict
from importlib import import_module
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.data import load, load_judgements
from mtassay.data.judgements import Rankings
from mtassay.judging.kappa import find_agreed

if TYPE_CHECKING:
    from collections.abc import Iterator

STUDIES = Path(__file__).resolve().parents[2] / "studies"
N_SEGMENTS = 30
#: A segment, the better system and the worse one.
Preference = tuple[int, str, str]


@pytest.fixture(scope="module")
def family() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(STUDIES))
        yield import_module("bleu_family")


@pytest.fixture(scope="module")
def folder(data_dir: Path) -> Path:
    return data_dir / "wmt12"


@pytest.fixture(scope="module")
def agreed(folder: Path) -> list[Preference]:
    """The paper's filter, read and applied without the toolkit."""
    labels: dict[tuple[int, str, str], list[tuple[str, int]]] = defaultdict(list)
    with (folder / "wmt12.RNK_results.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if (row["srclang"], row["trglang"]) != ("Czech", "English"):
                continue
            ranks = {row[f"system{slot}Id"]: int(row[f"system{slot}rank"]) for slot in range(1, 6)}
            for one, other in combinations(sorted(name for name, rank in ranks.items() if rank != -1), 2):
                sign = (ranks[one] > ranks[other]) - (ranks[one] < ranks[other])
                labels[int(row["srcIndex"]), one, other].append((row["judgeId"], sign))
    found = []
    for (segment, one, other), given in sorted(labels.items()):
        counts = Counter(sign for _, sign in given)
        enough = [sign for sign, count in counts.items() if 5 * count >= 3 * len(given)]
        if len({judge for judge, _ in given}) >= 2 and len(enough) == 1 and enough[0] != 0:
            found.append((segment, one, other) if enough[0] < 0 else (segment, other, one))
    return found


@pytest.fixture(scope="module")
def slice_(agreed: list[Preference]) -> list[Preference]:
    chosen = sorted({segment for segment, _, _ in agreed})[:N_SEGMENTS]
    return [preference for preference in agreed if preference[0] in chosen]


@pytest.fixture(scope="module")
def counts(family: Any, folder: Path, slice_: list[Preference]) -> Any:
    """Outcomes of the slice, shape (3, codes, segments)."""
    testset = load(folder / "cs-en")
    rankings = load_judgements(folder / "wmt12.RNK_results.csv", lp="cs-en", testset=testset)
    assert isinstance(rankings, Rankings)
    judged = rankings.preferences()
    kept = find_agreed(judged).preferences.strict()
    wanted = {str(segment) for segment, _, _ in slice_}
    kept = kept.rows(np.array([kept.segments[segment] in wanted for segment in kept.segment]))
    return family.outcomes(family.score_family(testset, judged.systems, "tok=13a,case=lower"), kept)


@pytest.fixture(scope="module")
def scores(folder: Path, slice_: list[Preference], family: Any) -> dict[tuple[str, int, str], float]:
    """Scores by code, segment and system, from the definition."""
    tokenize = pytest.importorskip("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
    systems = sorted({name for _, *names in slice_ for name in names})
    texts = {name: (folder / "cs-en/hyp" / name).read_text(encoding="utf-8").split("\n") for name in systems}
    references = (folder / "cs-en/ref").read_text(encoding="utf-8").split("\n")
    found = {}
    for segment, name in product(sorted({segment for segment, _, _ in slice_}), systems):
        hypothesis, reference = (tokenize(text[segment - 1].lower()).split() for text in (texts[name], references))
        for code in family.CODES:
            found[code, segment, name] = by_definition(code, hypothesis, reference)
    return found


def by_definition(code: str, hypothesis: list[str], reference: list[str]) -> float:
    letters, _, marks = code.partition("^")
    added = 0 if "u" in marks else 1
    values = []
    for n in range(1, int(letters[-1]) + 1):
        ours, theirs = (
            [tuple(words[i : i + n]) for i in range(len(words) - n + 1)] for words in (hypothesis, reference)
        )
        common = sum((Counter(ours) & Counter(theirs)).values())
        matches = {"P": common, "R": common}
        if "C" not in letters:
            matches = {"P": sum(gram in theirs for gram in ours), "R": sum(gram in ours for gram in theirs)}
        totals = {"P": len(ours) + added, "R": len(theirs) + added}
        share = {side: (matches[side] + added) / totals[side] if totals[side] else 0.0 for side in "PR"}
        below = share["R"] + 9 * share["P"]
        share["F"] = 10 * share["P"] * share["R"] / below if below else 0.0
        values.append(share[letters[0]])
    mean = sum(values) / len(values) if letters[1] == "A" else math.prod(values) ** (1 / len(values))
    smooth = 1 if "b" in marks else 0
    short = "B" in letters and len(hypothesis) < len(reference)
    return 100 * mean * (math.exp(1 - (len(reference) + smooth) / (len(hypothesis) + smooth)) if short else 1.0)


def outcome(scores: dict[tuple[str, int, str], float], code: str, preference: Preference) -> int:
    segment, better, worse = preference
    gap = scores[code, segment, better] - scores[code, segment, worse]
    return 0 if abs(gap) < 1e-8 else 1 if gap > 0 else -1


def tau(signs: list[int]) -> float:
    return sum(signs) / sum(sign != 0 for sign in signs)


def test_the_filter_keeps_what_people_agree_on(folder: Path, agreed: list[Preference]) -> None:
    testset = load(folder / "cs-en")
    rankings = load_judgements(folder / "wmt12.RNK_results.csv", lp="cs-en", testset=testset)
    assert isinstance(rankings, Rankings)
    judged = rankings.preferences()
    kept = find_agreed(judged).preferences.strict()
    found = []
    for segment, first, second, sign in zip(kept.segment, kept.first, kept.second, kept.outcome, strict=True):
        better, worse = (first, second) if sign > 0 else (second, first)
        found.append((int(kept.segments[segment]), kept.systems[better], kept.systems[worse]))
    assert sorted(found) == sorted(agreed)


def test_every_code_against_its_definition(
    family: Any, counts: Any, scores: dict[tuple[str, int, str], float], slice_: list[Preference]
) -> None:
    assert len(family.CODES) == 252
    found = family.tau(counts.sum(axis=2))
    for code, value in zip(family.CODES, found.tolist(), strict=True):
        assert value == pytest.approx(tau([outcome(scores, code, one) for one in slice_]), abs=1e-12), code


#: Each part of the finding: letters of the code that should be better, and what they are replaced by.
PARTS = {
    "recall ≥ precision": (("R", "P"), range(1, 5)),
    "arithmetic ≥ geometric": (("A", "G"), range(2, 5)),
    "unigrams ≥ 1–4-grams": (("1", "4"), (1,)),
    "1–2-grams ≥ 1–4-grams": (("2", "4"), (2,)),
    "1–3-grams ≥ 1–4-grams": (("3", "4"), (3,)),
}


@pytest.mark.parametrize("part", PARTS)
def test_counts_of_the_finding(
    part: str, family: Any, counts: Any, scores: dict[tuple[str, int, str], float], slice_: list[Preference]
) -> None:
    (should, other), orders = PARTS[part]
    letters = {"".join(code) for code in product("PRF", "AG", ("B", ""), ("C", ""), "1234")}
    gains = {}
    for code in sorted(letters):
        if should in code and int(code[-1]) in orders:
            pair = [_one_name(code), _one_name(code.replace(should, other))]
            first, second = (tau([outcome(scores, name, one) for one in slice_]) for name in pair)
            gains[tuple(pair)] = first - second
    verdict = family.judge(counts, family.finding(), resamples=100)[part]
    assert verdict.n == len(gains)
    assert verdict.higher == sum(gain > 1e-12 for gain in gains.values())
    assert verdict.lower == sum(gain < -1e-12 for gain in gains.values())
    assert verdict.mean == pytest.approx(sum(gains.values()) / len(gains), abs=1e-12)


def _one_name(code: str) -> str:
    """With unigrams alone both means are the same."""
    return code.replace("G", "A") if code.endswith("1") else code


def test_p_against_all_ways_of_swapping(
    family: Any, counts: Any, scores: dict[tuple[str, int, str], float], slice_: list[Preference]
) -> None:
    segments = sorted({segment for segment, _, _ in slice_})[:12]
    said = [
        [[outcome(scores, code, one) for one in slice_ if one[0] == segment] for segment in segments]
        for code in ("RAC1", "PAC4")
    ]

    def difference(swaps: tuple[int, ...]) -> float:
        sides = [[said[side ^ swap][place] for place, swap in enumerate(swaps)] for side in (0, 1)]
        first, second = (tau([sign for of_segment in side for sign in of_segment]) for side in sides)
        return first - second

    observed = abs(difference((0,) * len(segments)))
    ways = list(product((0, 1), repeat=len(segments)))
    exact = sum(abs(difference(swaps)) >= observed - 1e-12 for swaps in ways) / len(ways)
    resamples = 10_000
    verdict = family.judge(counts[:, :, :12], {"x": [("RAC1", "PAC4")]}, resamples=resamples)["x"]
    assert 0 < exact < 1
    assert verdict.p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / resamples) + 1 / resamples)
