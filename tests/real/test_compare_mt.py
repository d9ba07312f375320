"""Buckets and n-grams against compare-mt itself, on all segments of two systems of WMT13 French–English."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.analysis.ngram_counts import KINDS, Ngrams
from mtassay.analysis.ngrams import salience
from mtassay.analysis.segments import DIFFERENCES, LENGTHS
from mtassay.analysis.views import tokenise
from mtassay.analysis.words import CASES, FREQUENCIES
from mtassay.data import TestSet

SYSTEMS = ("online-A", "JHU.2684")
LABELS = ["begin", "middle", "end"]
SCRIPT = Path(__file__).with_name("compare_mt_counts.py")


def python_with_compare_mt() -> str:
    """The interpreter that has compare-mt, which brings many packages along: better in an environment of its own."""
    if named := os.environ.get("MTASSAY_COMPARE_MT"):
        return named
    if find_spec("compare_mt") is None:
        pytest.skip("pip install compare-mt==0.2.10 six, here or elsewhere; MTASSAY_COMPARE_MT names that python")
    return sys.executable


def labels_of(words: list[str]) -> list[str]:
    """Labels that depend on the place of a word, so that it matters which occurrence matches which."""
    return [LABELS[min(3 * place // len(words), 2)] for place in range(len(words))]


@cache
def texts_of(folder: Path) -> TestSet:
    """One reference and two systems; white space is normalised, since compare-mt splits at single blanks."""
    read = mtassay.load(folder)

    def plain(texts: Any) -> list[str]:
        return [" ".join((text or "").split()) for text in texts]

    return TestSet([plain(read.references[0])], {name: plain(read.systems[name]) for name in SYSTEMS})


@cache
def theirs(folder: Path) -> dict[str, Any]:
    python = python_with_compare_mt()
    texts = texts_of(folder)
    ref = [str(text).split() for text in texts.references[0]]
    outs = [[text.split() for text in texts.systems[name]] for name in SYSTEMS]
    given = {
        "ref": ref,
        "outs": outs,
        "counts": counts_of_a_corpus(texts),
        "label_set": LABELS,
        "ref_labels": [labels_of(words) for words in ref],
        "out_labels": [[labels_of(words) for words in out] for out in outs],
    }
    done = subprocess.run(
        [python, str(SCRIPT)], input=json.dumps(given), capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def counts_of_a_corpus(texts: TestSet) -> dict[str, int]:
    """Counts that are not those of the reference: of the first system's output."""
    words, counts = np.unique(" ".join(texts.systems[SYSTEMS[0]]).split(), return_counts=True)
    return dict(zip(words.tolist(), counts.tolist(), strict=True))


@pytest.mark.parametrize("view", ["frequency", "lower-cased", "counts", "case", "label"])
def test_words_by_bucket(data_dir: Path, view: str) -> None:
    texts = texts_of(data_dir / "wmt13/fr-en")
    expected = np.array(theirs(data_dir / "wmt13/fr-en")["words"][view])
    options: dict[str, Any] = {"by": ["frequency"]}
    labels = [*(str(cutoff) for cutoff in range(5)), "5–9", "10–99", "100–999", "≥ 1000"]
    assert len(labels) == len(FREQUENCIES) + 1
    if view == "lower-cased":
        options["lowercase"] = True
    elif view == "counts":
        options["frequencies"] = counts_of_a_corpus(texts)
    elif view == "case":
        options, labels = {"by": ["case"]}, list(CASES)
    elif view == "label":
        streams = [*texts.references, *texts.systems.values()]
        given = [[" ".join(labels_of(str(text).split())) for text in stream] for stream in streams]
        options, labels = {"by": ["label"], "labels": given}, LABELS
        assert expected[:, -1].sum() == 0  # their bucket of other labels
        expected = expected[:, :-1]
    (found,) = mtassay.analyse(texts, metrics=["bleu"], tok="none", resamples=10, **options).words
    for b, label in enumerate(labels):
        matched, in_reference, in_output, recall, precision, f1 = expected[:, b].T
        if label not in found.labels:
            assert expected[:, b].sum() == 0
            continue
        here = found.labels.index(label)
        assert found.matched[here].tolist() == matched.tolist()
        assert found.in_reference[here].tolist() == in_reference.tolist()
        assert found.in_output[here].tolist() == in_output.tolist()
        # Where nothing is to be divided by, a share is missing here and 0 there.
        for ours, their_value in ((found.recall, recall), (found.precision, precision), (found.f1, f1)):
            np.testing.assert_allclose(np.nan_to_num(ours[here]), their_value, rtol=1e-12)


@pytest.mark.parametrize(("view", "cutoffs"), [("length", LENGTHS), ("difference", DIFFERENCES)])
def test_numbers_of_segments(data_dir: Path, view: str, cutoffs: tuple[int, ...]) -> None:
    expected = np.array(theirs(data_dir / "wmt13/fr-en")["segments"][view]).T
    assert len(expected) == len(cutoffs) + 1
    texts = texts_of(data_dir / "wmt13/fr-en")
    (found,) = mtassay.analyse(texts, metrics=["bleu"], tok="none", resamples=10, by=[view]).segments
    there = expected[expected.any(axis=1)]
    assert found.n_segments.tolist() == there.tolist()


@pytest.mark.parametrize("kind", range(3), ids=KINDS)
def test_ngrams(data_dir: Path, kind: int) -> None:
    """Every n-gram: counts of both systems, and salience."""
    expected = theirs(data_dir / "wmt13/fr-en")["ngrams"][kind]
    texts = tokenise(texts_of(data_dir / "wmt13/fr-en"), tok="none", case="mixed")
    ngrams = Ngrams(texts.matches, (0, 1))
    counts: list[dict[str, int]] = [{}, {}]
    saliences: dict[str, float] = {}
    for length in range(1, 5):
        totals = ngrams.count(length).totals(ngrams.sizes[length - 1], kind).T
        for number in np.flatnonzero(totals.any(axis=1)).tolist():
            words = " ".join(texts.vocabulary[word] for word in ngrams.words(length, number))
            saliences[words] = float(salience(totals[[number]])[0])
            for system in (0, 1):
                if totals[number, system]:
                    counts[system][words] = int(totals[number, system])
    assert counts == [{words: n for words, n in of.items() if n} for of in expected["counts"]]
    assert saliences == {words: pytest.approx(value, rel=1e-12) for words, value in expected["saliences"].items()}
    assert len(saliences) > 10_000


def test_listed_saliences_are_the_highest_of_theirs(data_dir: Path) -> None:
    """Of what is shown, and not hidden behind a longer n-gram, nothing that compare-mt ranks higher is left out."""
    texts = texts_of(data_dir / "wmt13/fr-en")
    result = mtassay.analyse(texts, metrics=["bleu"], by=["ngrams"], tok="none", pair=SYSTEMS, top=20)
    assert result.ngrams is not None
    for kind, name in enumerate(KINDS):
        saliences = theirs(data_dir / "wmt13/fr-en")["ngrams"][kind]["saliences"]
        for side, listed in zip((1, -1), result.ngrams.differences[name], strict=True):
            for one in listed:
                assert one.salience == pytest.approx(saliences[" ".join(one.words)], rel=1e-12)
            ranked = sorted((side * value for value in saliences.values()), reverse=True)
            assert side * listed[0].salience == pytest.approx(ranked[0], rel=1e-12)
