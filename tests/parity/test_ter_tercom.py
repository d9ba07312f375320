"""TER with tercom's rules: edit counts, alignments and shifts are those that tercom 0.7.25 and 0.10 wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.ter import ter_edits, ter_trace
from mtassay.text.tokenizers.tercom import normalise, tercom_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Texts = list[list[str]]


class Kernel(NamedTuple):
    """Both functions of one twin, and how many segments it sees at most."""

    edits: Callable[..., Any]
    trace: Callable[..., Any]
    most: int


def _kernels() -> list[Any]:
    # The specification is slow: it sees the first segments only.
    python = pytest.param(Kernel(ter_edits.specification, ter_trace.specification, 10), id="python")
    try:
        from mtassay import _native
    except ImportError:
        return [python]
    return [pytest.param(Kernel(_native.ter_edits, _native.ter_trace, 500), id="native"), python]


KERNELS = pytest.mark.parametrize("kernel", _kernels())


class Run(NamedTuple):
    """One way in which tercom was called."""

    expected: str
    text: str
    lower: bool = True
    normalised: bool = False
    punctuation: bool = True
    n_refs: int = 2


RUNS = [
    Run("v7.25.{}.2ref.def", "txt"),
    Run("v7.25.{}.2ref.defN", "txt", normalised=True),
    Run("v7.25.{}.2ref.defNs", "txt", lower=False, normalised=True),
    Run("v7.25.{}.1ref.tok-cased", "tok", lower=False, n_refs=1),
    Run("v7.25.{}.1ref.toklc", "tok.lc", n_refs=1),
    Run("{}.2ref.def", "txt"),
    Run("{}.2ref.N", "txt", normalised=True),
    Run("{}.2ref.N-s", "txt", lower=False, normalised=True),
    Run("{}.2ref.N-P", "txt", normalised=True, punctuation=False),
]
SYSTEMS = ["sysA", "sysB", "sysC"]


def _words(path: Path, run: Run, n: int | None = None) -> Texts:
    lines = path.read_text(encoding="utf-8").split("\n")[:-1][:n]
    if run.lower:
        lines = [line.lower() for line in lines]
    return [tercom_words(line, normalised=run.normalised, punctuation=run.punctuation, asian=False) for line in lines]


class Numbers(dict[str, int]):
    """Words as numbers, in the order in which they come."""

    def __missing__(self, word: str) -> int:
        self[word] = len(self)
        return self[word]


def _best(kernel: Kernel, hyps: Texts, refs: list[Texts]) -> tuple[Any, Any]:
    """Counts against the reference that needs fewest edits, and which one that is."""
    numbers = Numbers()
    index = np.arange(len(hyps))
    counts = []
    for texts in refs:
        hypotheses, references = (
            Tokens.of([numbers[word] for word in text] for text in side) for side in (hyps, texts)
        )
        counts.append(kernel.edits(Pairs(hypotheses, references, index, index), variant="tercom"))
    stacked = np.stack(counts)
    best = stacked[:, :, :4].sum(axis=2).argmin(axis=0)
    return stacked[best, index], best


_COUNTS = ("insertions", "deletions", "substitutions", "shifts", "words_shifted", "edits", "words")


@KERNELS
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("run", RUNS, ids=[run.expected for run in RUNS])
def test_counts_of_newstest2009(kernel: Kernel, run: Run, *, system: str, oracle_dir: Path, recorded: Any) -> None:
    folder, n = oracle_dir / "newstest2009-200", min(kernel.most, 200)
    name = run.expected.format(system)
    expected = np.column_stack([recorded.numbers("tercom-counts", column, run=name)[:n] for column in _COUNTS])
    hyps = _words(folder / "text" / f"{system}.{run.text}", run, n)
    refs = [_words(folder / "text" / f"ref{k}.{run.text}", run, n) for k in range(run.n_refs)]
    counts, _ = _best(kernel, hyps, refs)
    assert len(expected) == len(counts) == n
    np.testing.assert_array_equal(counts, expected[:, :5])
    np.testing.assert_array_equal(counts[:, :4].sum(axis=1), expected[:, 5])
    np.testing.assert_allclose(np.mean([[len(text) for text in ref] for ref in refs], axis=0), expected[:, 6])


class Segment(NamedTuple):
    """What tercom writes about one segment: alignment, shifts, digest of the shifted hypothesis."""

    ops: str
    shifts: list[tuple[int, int, int]]
    after: str


def _alignments(recorded: Any, name: str) -> list[Segment]:
    segments = []
    for row in recorded.rows("tercom-alignments", run=name):
        shifts = []
        for shift in row["shifts"].split():
            start, end, newloc = map(int, shift.split(":"))
            shifts.append(_landing(start, end, newloc, int(row["words"])))
        segments.append(Segment(row["alignment"].replace("=", " "), shifts, row["words_digest"]))
    return segments


def _landing(start: int, end: int, newloc: int, n_words: int) -> tuple[int, int, int]:
    """Turn tercom's "goes after the word newloc" into the position where the block then begins."""
    length = end - start + 1
    if newloc < start:
        return start, end, newloc + 1
    if newloc > end:
        return start, end, newloc + 1 - length
    return start, end, min(newloc, n_words - length)


PRA_RUNS = [run for run in RUNS if run.expected.rpartition(".")[2] in ("def", "defN", "defNs", "N-s")]


@KERNELS
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("run", PRA_RUNS, ids=[run.expected for run in PRA_RUNS])
def test_alignments_and_shifts_of_newstest2009(
    kernel: Kernel, run: Run, *, system: str, oracle_dir: Path, recorded: Any
) -> None:
    folder, n = oracle_dir / "newstest2009-200", min(kernel.most, 200)
    expected = _alignments(recorded, run.expected.format(system))[:n]
    hyps = _words(folder / "text" / f"{system}.{run.text}", run, n)
    refs = [_words(folder / "text" / f"ref{k}.{run.text}", run, n) for k in range(run.n_refs)]
    _, best = _best(kernel, hyps, refs)
    assert len(expected) == len(hyps) == n
    for i, (hyp, segment) in enumerate(zip(hyps, expected, strict=True)):
        numbers = Numbers()
        ids = [np.array([numbers[word] for word in text], np.int32) for text in (hyp, refs[best[i]][i])]
        ops, shifts, order = kernel.trace(*ids, variant="tercom")
        assert Segment(ops, shifts, recorded.digest(hyp[k] for k in order)) == segment, f"segment {i + 1}"


@KERNELS
@pytest.mark.parametrize("system", ["cu-bojar", "jhu-heiro", "onlineA"])
@pytest.mark.parametrize(
    "run",
    [Run("default", "txt", n_refs=1), Run("N-s", "txt", lower=False, normalised=True, n_refs=1)],
    ids=["default", "N-s"],
)
def test_edits_of_wmt12(kernel: Kernel, run: Run, *, system: str, oracle_dir: Path, recorded: Any) -> None:
    folder, n = oracle_dir / "wmt12-cs-en", kernel.most
    name = f"v7.25.{system}.1ref.{run.expected}"
    expected = [recorded.numbers("tercom", column, input=folder.name, run=name)[:n] for column in ("edits", "words")]
    hyps = _words(folder / "text" / f"sys.{system}.txt", run, n)
    refs = _words(folder / "text" / "ref0.txt", run, n)
    counts, _ = _best(kernel, hyps, [refs])
    assert len(counts) == n
    assert counts[:, :4].sum(axis=1).tolist() == expected[0]
    assert [len(ref) for ref in refs] == expected[1]


def test_sacrebleus_normaliser_gives_the_same_words_with_punctuation(oracle_dir: Path) -> None:
    for path in sorted((oracle_dir / "newstest2009-200" / "text").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
            words = tercom_words(line, normalised=True, punctuation=True, asian=False)
            assert normalise(line, normalised=True, punctuation=True, asian=False).split() == words
