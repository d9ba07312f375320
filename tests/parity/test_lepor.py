"""LEPOR, nLEPOR and hLEPOR against the formulas, the package hLepor 0.0.4 and the authors' Perl scripts.

All expected values belong to the tokenised texts, lower-cased, with one reference. The Perl scripts print every part of
the formula; their alignment has bugs, which ``_Script`` repeats one by one: with all of them every printed number is
found again, so the bugs that docs/metrics/lepor.md names are the whole difference.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.metrics import References, parse

if TYPE_CHECKING:
    from pathlib import Path

_SYSTEMS = pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
_OPTIONS = "tok=none,case=lower"
#: The scripts print 15 digits.
_PRINTED: dict[str, Any] = {"rtol": 1e-13, "atol": 1e-14}

Pair = tuple[list[str], list[str]]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


class Texts:
    """One system and its reference."""

    def __init__(self, oracle_dir: Path, recorded: Any, system: str) -> None:
        folder = oracle_dir / "newstest2009-200" / "text"
        self.hypotheses = _lines(folder / f"{system}.tok")
        self.references = _lines(folder / "ref0.tok")
        self.recorded = recorded
        self.system = system

    def rows(self, spec: str) -> Any:
        return parse(spec).prepare(References([self.references])).statistics(self.hypotheses)

    def pairs(self) -> list[Pair]:
        both = zip(self.hypotheses, self.references, strict=True)
        return [(hyp.lower().split(), ref.lower().split()) for hyp, ref in both]

    def printed(self, script: str) -> dict[str, Any]:
        """What a script wrote: numbers by their heading; it writes nothing for some zeros."""
        return {
            row["quantity"]: np.array([float(number or 0) for number in row["values"].split(" ")])
            for row in self.recorded.rows("lepor", script=script, system=self.system)
        }


@pytest.fixture
def texts(oracle_dir: Path, recorded: Any, system: str) -> Texts:
    return Texts(oracle_dir, recorded, system)


# The formulas, written down once more: slowly, and with whole texts instead of an index of words.


def _near(text: list[str], i: int) -> set[str]:
    return {text[k] for k in range(len(text)) if 0 < abs(k - i) <= 2}


def _npp(hyp: list[str], ref: list[str]) -> float:
    taken: dict[int, int] = {}
    for must_agree in (True, False):
        for i, word in enumerate(hyp):
            found = [
                (abs((i + 1) * len(ref) - (j + 1) * len(hyp)), j)
                for j in range(len(ref))
                if ref[j] == word and j not in taken.values() and (not must_agree or _near(hyp, i) & _near(ref, j))
            ]
            if i not in taken and found:
                taken[i] = min(found)[1]
    differences = (abs((i + 1) / len(hyp) - (j + 1) / len(ref)) for i, j in taken.items())
    return math.exp(-sum(differences) / len(hyp))


def _hpr(hyp: list[str], ref: list[str], n: int) -> float:
    grams = [Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1)) for text in (hyp, ref)]
    matched = (grams[0] & grams[1]).total()
    if not matched:
        return 0.0
    precision, recall = matched / grams[0].total(), matched / grams[1].total()
    return 10 / (9 / recall + 1 / precision)


def _lp(hyp: list[str], ref: list[str]) -> float:
    c, r = len(hyp), len(ref)
    return math.exp(1 - r / c) if c < r else math.exp(1 - c / r)


@_SYSTEMS
def test_the_formulas(texts: Texts) -> None:
    expected: dict[str, list[float]] = {"lepor": [], "hlepor": [], "nlepor": [], "nlepor:weights=1/2/3": []}
    for pair in texts.pairs():
        lp, npp = _lp(*pair), _npp(*pair)
        hpr = [_hpr(*pair, n) if min(map(len, pair)) >= n else None for n in (1, 2, 3)]
        expected["lepor"].append(lp * npp * (hpr[0] or 0))
        expected["hlepor"].append(10 / (2 / lp + 1 / npp + 7 / hpr[0]) if hpr[0] else 0.0)
        for spec, weights in (("nlepor", (1, 1)), ("nlepor:weights=1/2/3", (1, 2, 3))):
            # An order counts where one of the texts is long enough.
            used = [(w, hpr[n] or 0.0) for n, w in enumerate(weights) if max(map(len, pair)) > n]
            logs = sum(w * (math.log(x) if x else -math.inf) for w, x in used)
            expected[spec].append(lp * npp * math.exp(logs / sum(w for w, _ in used)))
    for spec, scores in expected.items():
        metric = parse(f"{spec}{',' if ':' in spec else ':'}{_OPTIONS}")
        np.testing.assert_allclose(metric.segment_score(texts.rows(str(metric))), scores, rtol=1e-12, atol=1e-15)


# hLepor 0.0.4


@_SYSTEMS
def test_hlepor_py(texts: Texts) -> None:
    mean, *segments = texts.recorded.numbers("hlepor-py", "score", system=texts.system)
    exact = parse(f"hlepor:{_OPTIONS},variant=hlepor-py")
    rows = texts.rows(str(exact))
    np.testing.assert_allclose(exact.segment_score(rows), segments, rtol=1e-14)
    assert exact.score(rows.sum(axis=0)) == pytest.approx(mean, rel=1e-14)
    ours = texts.rows(f"hlepor:{_OPTIONS}")[:, 0]
    differences = np.abs(ours - segments)
    assert differences.mean() < 0.0005
    assert differences.max() < 0.005
    np.testing.assert_array_equal(ours > 0, np.array(segments) > 0)


# The Perl scripts


class _Script:
    """What the scripts do with one pair; without one of the bugs, its name is in `without`."""

    def __init__(self, hyp: list[str], ref: list[str], without: str = "") -> None:
        self.hyp, self.ref, self.without = hyp, ref, without

    def n_common(self) -> int:
        """Matched words; position 1 seems taken as soon as 1 or any of 10 … 19 is: digits are compared as a prefix."""
        if self.without == "prefix":
            return (Counter(self.hyp) & Counter(self.ref)).total()
        taken: list[str] = []
        for word in self.hyp:
            free = (str(k) for k, other in enumerate(self.ref) if other == word)
            found = next((k for k in free if not any(t.startswith(k) for t in taken)), None)
            taken += [found] if found is not None else []
        return len(taken)

    def _confirmed(self, j: int, k: int) -> bool:
        """Whether a neighbour matches, too."""
        n = len(self.hyp)
        before: tuple[int, ...]
        after: tuple[int, ...]
        if j == 0 and self.without != "sides":
            before, after = (), (1, 2)
        elif j >= n - 2 and self.without != "sides":
            before, after = (-1, -2), ()
        elif self.without == "itself":
            before, after = (-2, -1), (1, 2)
        else:
            return True  # the word itself, at distance 0, is among the neighbours
        hyp_near, ref_near = (
            {text[p] for d in (*before, *after) if 0 <= (p := at + d) < len(text)}
            for text, at in ((self.hyp, j), (self.ref, k))
        )
        return not hyp_near.isdisjoint(ref_near)

    def npp(self) -> float:
        hyp, ref = self.hyp, self.ref
        if self.n_common() == len(hyp) == len(ref):
            return 1.0
        partner: dict[int, int] = {}
        open_ = [True] * len(ref)
        for j, word in enumerate(hyp):
            for k in range(len(ref)):
                if self.without != "reset":
                    open_[k] = True  # the mark that an earlier word had set is lost
                elif not open_[k]:
                    continue
                if word == ref[k] and self._confirmed(j, k):
                    partner[j], open_[k] = k, False
                    break
        for j, word in enumerate(hyp):
            places = [k for k in range(len(ref)) if ref[k] == word]
            if j not in partner and places:
                free = [k for k in places if open_[k]]
                if free:
                    partner[j] = min(free, key=lambda k: abs(k - j))
                elif self.without != "reset":
                    partner[j] = 0  # without a free word the first one of the reference, whatever it is
                if free and self.without == "reset":
                    open_[partner[j]] = False
        differences = (abs((j + 1) / len(hyp) - (k + 1) / len(ref)) for j, k in partner.items())
        return math.exp(-sum(differences) / len(hyp))


def _found_again(oracle_dir: Path, recorded: Any, without: str = "") -> tuple[int, int]:
    """Of 600 segments, how many have the printed number of matched words, and how many the printed NPP."""
    n_common = n_npp = 0
    for system in ("sysA", "sysB", "sysC"):
        texts = Texts(oracle_dir, recorded, system)
        printed = texts.printed("hlepor")
        scripts = [_Script(*pair, without) for pair in texts.pairs()]
        common = [script.n_common() for script in scripts]
        n_common += int((common == printed["common number between sys and ref"]).sum())
        npp = [script.npp() for script in scripts]
        n_npp += int(np.isclose(npp, printed["Position different penalty"], **_PRINTED).sum())
    return n_common, n_npp


def test_the_bugs_are_all_the_difference(oracle_dir: Path, recorded: Any) -> None:
    assert _found_again(oracle_dir, recorded) == (600, 600)


@pytest.mark.parametrize("bug", ["prefix", "itself", "sides", "reset"])
def test_every_bug_is_needed(oracle_dir: Path, recorded: Any, bug: str) -> None:
    assert sum(_found_again(oracle_dir, recorded, bug)) < 1200


@_SYSTEMS
@pytest.mark.parametrize("name", ["lepor", "hlepor"])
def test_formulas_of_the_scripts(texts: Texts, name: str) -> None:
    """Their parts give their scores, by segment and by both averages; LP is the same, HPR where the count is."""
    printed = texts.printed(name)
    parts = [
        printed["length penalty with longer or shorter"],
        printed["Position different penalty"],
        printed["harmonic of precision and recall"],
    ]
    metric, by_parts = parse(name), parse(f"{name}:average=parts")
    scores = metric.combine(*parts)  # type: ignore[attr-defined]
    np.testing.assert_allclose(scores, printed[f"evaluation value {name.upper()} of every single sentence"], **_PRINTED)
    totals = np.column_stack([scores, *parts, np.ones(len(scores))]).sum(axis=0)
    [mean] = printed[f"mean value {name.upper()} of all single sentence"]
    [other] = printed[f"mean value {name.upper()}_anotherway of all single sentence"]
    assert metric.score(totals) == pytest.approx(mean, rel=1e-13)
    assert by_parts.score(totals) == pytest.approx(other, rel=1e-13)
    rows = texts.rows(f"{name}:{_OPTIONS}")
    np.testing.assert_allclose(rows[:, 1], parts[0], **_PRINTED)
    right = [_Script(*p).n_common() == _Script(*p, "prefix").n_common() for p in texts.pairs()]
    np.testing.assert_allclose(rows[right, 3], parts[2][right], **_PRINTED)


@_SYSTEMS
def test_the_nlepor_script_is_lepor(texts: Texts) -> None:
    first, second = texts.printed("nlepor"), texts.printed("lepor")
    for heading, numbers in first.items():
        np.testing.assert_array_equal(numbers, second[heading])
    np.testing.assert_array_equal(texts.rows(f"nlepor:{_OPTIONS},weights=1"), texts.rows(f"lepor:{_OPTIONS}"))
