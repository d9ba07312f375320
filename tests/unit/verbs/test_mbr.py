"""Minimum Bayes risk: expected utilities by brute force, weights, aggregation, pruning, shortlists."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mtassay
from mtassay.data import CandidateList, read_candidates, read_nbest
from mtassay.errors import InputError, MtassayError
from mtassay.metrics import Metric, parse

_words = st.lists(st.sampled_from(["a", "b", "cat", "cats", "the", "sat"]), max_size=6).map(" ".join)
_lists = st.lists(_words, min_size=1, max_size=7)
_METRICS = ["chrf", "bleu", "ter", "0.5*bleu-0.5*ter", "meteor:stages=exact,lang=other"]


def _expected(metric: Metric, candidates: list[str], references: list[str], weights: list[float]) -> dict[str, float]:
    """Expected scores from the definition, pair by pair."""
    return {
        text: sum(
            weight * float(metric.segment_scores([text], [[reference]])[0])
            for reference, weight in zip(references, weights, strict=True)
        )
        for text in dict.fromkeys(candidates)
    }


def _assert_best(result: Any, expected: dict[str, float], sign: float) -> None:
    best = result.segments[0].best
    assert [one.text for one in best[:1]] == list(result.texts)
    assert len(best) == len(expected)
    for one in best:
        assert one.utility == pytest.approx(expected[one.text], rel=1e-12, abs=1e-12)
    gains = [sign * one.utility for one in best]
    assert gains == pytest.approx(sorted(gains, reverse=True), rel=1e-12, abs=1e-12)
    assert gains[0] == pytest.approx(max(sign * value for value in expected.values()), rel=1e-12)


@pytest.mark.parametrize("spec", _METRICS)
@settings(max_examples=20)
@given(candidates=_lists)
def test_expected_utility(spec: str, candidates: list[str]) -> None:
    metric = parse(spec)
    expected = _expected(metric, candidates, candidates, [1 / len(candidates)] * len(candidates))
    result = mtassay.mbr([candidates], metric=spec, n_best=99)
    _assert_best(result, expected, metric.sign)
    for one in result.segments[0].best:
        assert candidates.index(one.text) == one.position


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("n_shared", [1, 3, 5])
def test_candidates_with_the_same_scores_keep_their_order(n: int, n_shared: int) -> None:
    """Each candidate is alike to itself and equally far from all others, so every utility is the same sum."""
    shared = ["lorem", "ipsum", "dolor", "sit", "amet"][:n_shared]
    texts = [" ".join([*shared, letter]) for letter in "ABCDEFG"[:n]]
    scores = parse("chrf").pairwise(texts, texts)
    assert all(sorted(row) == sorted(scores[0].tolist()) for row in scores.tolist())
    best = mtassay.mbr([texts], metric="chrf", n_best=n).segments[0].best
    assert [one.position for one in best] == list(range(n))
    short = mtassay.mbr([texts], metric="ter", shortlist="chrf", keep=2, n_best=n).segments[0].best
    assert [one.position for one in short] == [0, 1]


@settings(max_examples=20)
@given(candidates=_lists, references=_lists)
def test_separate_references(candidates: list[str], references: list[str]) -> None:
    expected = _expected(parse("chrf"), candidates, references, [1 / len(references)] * len(references))
    _assert_best(mtassay.mbr([candidates], references=[references], n_best=99), expected, 1.0)
    inside = CandidateList(texts=tuple(candidates), references=tuple(references))
    _assert_best(mtassay.mbr([inside], n_best=99), expected, 1.0)


@settings(max_examples=20)
@given(
    drawn=st.lists(st.tuples(_words, st.floats(-50, 0), st.integers(1, 5)), min_size=1, max_size=6),
    scale=st.floats(0, 3),
)
def test_weights(drawn: list[tuple[str, float, int]], scale: float) -> None:
    texts, scores, counts = (list(column) for column in zip(*drawn, strict=True))
    given_list = CandidateList(texts=tuple(texts), scores=tuple(scores), counts=tuple(counts))
    masses = np.array(counts) * np.exp(scale * (np.array(scores) - max(scores)))
    expected = _expected(parse("chrf"), texts, texts, (masses / masses.sum()).tolist())
    _assert_best(mtassay.mbr([given_list], weights="scores", scale=scale, n_best=99), expected, 1.0)
    shares = [count / sum(counts) for count in counts]
    _assert_best(mtassay.mbr([given_list], n_best=99), _expected(parse("chrf"), texts, texts, shares), 1.0)


def _ngrams(tokens: Any, n: int) -> Counter[Any]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


@settings(max_examples=30)
@given(candidates=_lists)
def test_aggregated_chrf(candidates: list[str]) -> None:
    """From the definition: chrF against mean counts."""
    result = mtassay.mbr([candidates], metric="chrf:char_order=2", aggregate=True, n_best=99)
    squeezed = ["".join(text.split()) for text in candidates]
    for one in result.segments[0].best:
        hyp = "".join(one.text.split())
        shares = []
        for n in (1, 2):
            mean: Counter[Any] = Counter()
            for text in squeezed:
                for ngram, count in _ngrams(text, n).items():
                    mean[ngram] += count / len(candidates)  # type: ignore[assignment]
            counts, total = _ngrams(hyp, n), sum(mean.values())
            matched = sum(min(count, mean[ngram]) for ngram, count in counts.items())
            if counts.total() and total:
                shares.append((matched / counts.total(), matched / total))
        precision, recall = np.mean(shares, axis=0) if shares else (0.0, 0.0)
        below = 4 * precision + recall
        assert one.utility == pytest.approx(100 * 5 * precision * recall / below if below else 0.0)


@settings(max_examples=30)
@given(candidates=_lists.filter(lambda texts: any(texts)))
def test_aggregated_bleu(candidates: list[str]) -> None:
    """From the definition: BLEU-2 against mean counts and the mean length."""
    spec = "bleu:tok=none,order=2,smooth=none,eff=no"
    result = mtassay.mbr([candidates], metric=spec, aggregate=True, n_best=99)
    length = np.mean([len(text.split()) for text in candidates])
    for one in result.segments[0].best:
        words = one.text.split()
        value = 100.0 * min(1.0, np.exp(1 - length / len(words))) if words else 0.0
        for n in (1, 2):
            mean: Counter[Any] = Counter()
            for text in candidates:
                for ngram, count in _ngrams(text.split(), n).items():
                    mean[ngram] += count / len(candidates)  # type: ignore[assignment]
            counts = _ngrams(words, n)
            matched = sum(min(count, mean[ngram]) for ngram, count in counts.items())
            value *= np.sqrt(matched / counts.total()) if counts else 0.0
        assert one.utility == pytest.approx(value)


@pytest.mark.parametrize("spec", ["chrf", "chrf++", "bleu"])
def test_one_reference_is_its_own_aggregate(spec: str) -> None:
    candidates, reference = [["the cat sat", "a cat", "sat the cat sat"]], [["the cat sat down"]]
    exact = mtassay.mbr(candidates, metric=spec, references=reference, n_best=3)
    aggregated = mtassay.mbr(candidates, metric=spec, references=reference, n_best=3, aggregate=True)
    assert exact.texts == aggregated.texts
    for one, other in zip(exact.segments[0].best, aggregated.segments[0].best, strict=True):
        assert one.utility == pytest.approx(other.utility, rel=1e-14)


def _samples(n: int, seed: int = 1) -> list[str]:
    rng = np.random.default_rng(seed)
    start = ["the", "small", "cat", "sat", "on", "the", "big", "red", "mat", "in", "the", "old", "house"]
    return [" ".join(word if rng.random() > 0.2 else rng.choice(start) for word in start) for _ in range(n)]


def test_pruning_finds_the_best_with_fewer_comparisons() -> None:
    lists = [_samples(200, seed) for seed in range(5)]
    exact = mtassay.mbr(lists, metric="chrf")
    pruned = mtassay.mbr(lists, metric="chrf", confidence=0.99)
    again = mtassay.mbr(lists, metric="chrf", confidence=0.99, threads=2)
    assert pruned.to_dict() == again.to_dict()
    assert sum(one == other for one, other in zip(pruned.texts, exact.texts, strict=True)) >= 4
    for one, other in zip(pruned.segments, exact.segments, strict=True):
        assert one.n_comparisons < other.n_comparisons / 2
        if one.best[0].text == other.best[0].text:
            assert one.best[0].utility == pytest.approx(other.best[0].utility, rel=1e-13)
    few = mtassay.mbr([texts[:16] for texts in lists], metric="chrf", confidence=0.5)
    assert few.texts == mtassay.mbr([texts[:16] for texts in lists], metric="chrf").texts


def test_more_confidence_prunes_less() -> None:
    """A candidate is left out if it is as good as the best in at most 1 - confidence of the resamples."""
    lists = [_samples(100, seed) for seed in range(3)]
    numbers = []
    for confidence in (0.5, 0.99, 0.999):
        found = mtassay.mbr(lists, metric="chrf", confidence=confidence)
        numbers.append(sum(segment.n_comparisons for segment in found.segments))
    assert numbers[0] < numbers[1] < numbers[2]


def test_shortlists() -> None:
    texts = _samples(40)
    by_chrf = [one.position for one in mtassay.mbr([texts], metric="chrf", n_best=40).segments[0].best]
    found = mtassay.mbr([texts], metric="ter", shortlist="chrf", keep=5, n_best=40)
    assert {one.position for one in found.segments[0].best} == set(by_chrf[:5])
    every = {one.text: one.utility for one in mtassay.mbr([texts], metric="ter", n_best=40).segments[0].best}
    assert all(one.utility == every[one.text] for one in found.segments[0].best)
    assert found.texts[0] == min((one.text for one in found.segments[0].best), key=every.__getitem__)
    n_refs = found.segments[0].n_references
    assert found.segments[0].n_comparisons == n_refs * n_refs + 5 * n_refs


@pytest.mark.parametrize("options", [{}, {"aggregate": True}, {"confidence": 0.9}, {"shortlist": "bleu", "keep": 3}])
def test_threads_change_nothing(options: dict[str, Any]) -> None:
    lists = [_samples(30, seed) for seed in range(70)]
    results = [mtassay.mbr(lists, metric="chrf", n_best=2, threads=threads, **options) for threads in (1, 2, 3)]
    assert results[0].render("json") == results[1].render("json") == results[2].render("json")


def test_segments_are_read_as_they_are_needed() -> None:
    from mtassay.execution import Execution
    from mtassay.verbs.mbr import mbr_options, mbr_segments

    n_read = 0

    def lists() -> Any:
        nonlocal n_read
        for _ in range(1000):
            n_read += 1
            yield ["a", "b"]

    options = mbr_options(
        metric="chrf", weights="uniform", scale=1.0, aggregate=False, confidence=None, shortlist=None, keep=None,
        n_best=1, seed=1,
    )  # fmt: skip
    segments = mbr_segments(lists(), options, execution=Execution())
    next(segments)
    assert n_read < 100


def test_sources_reach_the_metric() -> None:
    @mtassay.segment_metric(name="same-length")
    def same_length(hypothesis: str, source: str) -> float:
        return -abs(len(hypothesis) - len(source))

    result = mtassay.mbr([["a", "bb"], ["a", "bb"]], metric=same_length, sources=["x", "yy"])
    assert result.texts == ("a", "bb")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "length_ratio"}, "has no direction"),
        ({"metric": "file:x.tsv"}, "not of texts"),
        ({"metric": "ter", "aggregate": True}, "cannot aggregate references"),
        ({"metric": "RAC1", "aggregate": True}, "cannot aggregate references"),
        ({"aggregate": True, "confidence": 0.9}, "either aggregate or confidence"),
        ({"confidence": 1.0}, "the confidence must be between 0 and 1"),
        ({"weights": "score"}, "no kind of weights named 'score'"),
        ({"weights": "scores"}, "candidates, segment 1: weights from model scores need scores"),
        ({"scale": -1.0}, "the scale of model scores"),
        ({"n_best": 0}, "n_best must be a whole number from 1"),
        ({"keep": 3}, "keep is the length of a shortlist"),
        ({"shortlist": "chrf", "keep": 0}, "keep must be a whole number from 1"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"references": [["a"], ["b"]]}, "there are references of segment 2, but no candidates of it"),
        ({"references": []}, "there are candidates of segment 1, but no references of it"),
        ({"references": [[]]}, "references, segment 1: no candidates"),
        ({"sources": ["a", "b"]}, "there are sources of segment 2"),
    ],
)
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(MtassayError, match=message):
        mtassay.mbr([["a", "b"]], **arguments)


def test_lists_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="there are no candidates"):
        mtassay.mbr([])
    with pytest.raises(InputError, match="candidates, segment 2: no candidates"):
        mtassay.mbr([["a"], []])
    with pytest.raises(InputError, match="2 candidates, but 1 score"):
        CandidateList(texts=("a", "b"), scores=(1.0,))
    with pytest.raises(InputError, match="a count is 0"):
        CandidateList(texts=("a", "b"), counts=(1, 0))
    with pytest.raises(InputError, match="a score is not finite"):
        CandidateList(texts=("a",), scores=(float("nan"),))


def test_nbest_lists(tmp_path: Path) -> None:
    path = tmp_path / "nbest.txt"
    lines = ["0 ||| a b ||| x= 1", "0 ||| a c ||| x= 2", "0 ||| a b c ||| x= 1", "1 ||| d ||| x= 1", ""]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert mtassay.mbr(read_nbest(path)).texts == mtassay.mbr(read_candidates(path)).texts
