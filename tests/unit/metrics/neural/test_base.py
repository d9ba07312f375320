"""What all neural metrics share, with a model that is a Python function: no text is scored twice."""

from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from child_processes import kill_when

import mtassay
from mtassay.errors import InputError, MissingExtraError, MtassayError
from mtassay.execution import Execution
from mtassay.io.store import Store
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.neural.assessments import Assessment, AssessmentStore
from mtassay.metrics.neural.base import NeuralMetric

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

TESTSET = mtassay.TestSet(
    [["the cat", "a dog", "rain"], ["one cat", None, "rain"]],
    {"x": ["the cat", "dogs", ""], "y": ["the cat", "a dog", "rain"]},
)
#: Without references: (hypothesis,); with: (hypothesis, reference).
PAIRS = [
    *(("the cat", "the cat"), ("the cat", "one cat"), ("dogs", "a dog")),
    *(("", "rain"), ("a dog", "a dog"), ("rain", "rain")),
]


class Model:
    """Scores by length; notes what it is asked."""

    def __init__(self) -> None:
        self.calls: list[list[tuple[str, ...]]] = []
        self.answer: Callable[[Sequence[tuple[str, ...]]], Any] = lambda samples: [
            Assessment(len(s[0]) + len(s[-1]) / 100) for s in samples
        ]

    def __call__(self, samples: Sequence[tuple[str, ...]]) -> Any:
        self.calls.append(list(samples))
        return self.answer(samples)

    @property
    def seen(self) -> list[tuple[str, ...]]:
        return [sample for call in self.calls for sample in call]


MODEL = Model()
LOADED: list[Path] = []


@dataclass(frozen=True, kw_only=True)
class Lengths(NeuralMetric):
    """Lengths of texts."""

    name: ClassVar[str] = "lengths"
    label: ClassVar[str] = "Lengths"
    extra: ClassVar[str] = "comet"
    package: ClassVar[str] = "numpy"

    refs: bool = option(True, "read references")
    bias: float = option(0.0, "changes scores")

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("hypothesis", "reference") if self.refs else ("hypothesis",)

    def load(self, path: Path) -> Model:
        LOADED.append(path)
        return MODEL

    def identity(self) -> tuple[object, ...]:
        return (self.bias,)

    def option_entries(self) -> list[Entry]:
        return [Entry("bias", "b", str(self.bias))]


@pytest.fixture(autouse=True)
def fresh() -> None:
    MODEL.__init__()  # type: ignore[misc]
    LOADED.clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tiny"
    made.mkdir()
    (made / "config.json").write_text("{}")
    (made / "weights.bin").write_bytes(b"123")
    return made


def scores(metric: NeuralMetric) -> list[list[float]]:
    found: list[list[float]] = mtassay.score(TESTSET, metrics=[metric]).segment_scores()[..., 0].tolist()
    return found


def test_every_text_is_scored_once(folder: Path) -> None:
    metric = Lengths(model=str(folder))
    expected = [[7.07, 4.05, 0.04], [7.07, 5.05, 4.04]]
    assert scores(metric) == expected
    assert sorted(MODEL.seen) == sorted(PAIRS)
    assert [folder] == LOADED
    assert scores(metric) == expected
    assert len(MODEL.seen) == len(PAIRS)
    mtassay.compare(TESTSET, metrics=[metric], resamples=20)
    mtassay.rank(TESTSET, metrics=[metric], resamples=20)
    mtassay.report(TESTSET, metrics=[metric], resamples=20)
    assert len(MODEL.seen) == len(PAIRS)
    new = mtassay.TestSet([["rain", "a"]], {"z": ["rain", "b"]})
    mtassay.score(new, metrics=[metric])
    assert MODEL.seen[len(PAIRS) :] == [("b", "a")]


def test_texts_are_sorted_and_kept_chunk_by_chunk(folder: Path) -> None:
    texts = [f"{'x' * (i % 7)}{i}" for i in range(40)]
    shown: list[int] = []

    def progress(items: Sequence[Any]) -> Iterable[Any]:
        shown.append(len(items))
        yield from items

    metric = Lengths(model=str(folder), batch=2, refs=False)
    testset = mtassay.TestSet([], {"x": texts})
    mtassay.score(testset, metrics=[metric], progress=progress, threads=3)
    assert [len(call) for call in MODEL.calls] == [16, 16, 8]
    assert shown == [3]
    lengths = [len(sample[0]) for sample in MODEL.seen]
    assert lengths == sorted(lengths, reverse=True)
    assert [folder] == LOADED


def test_what_changes_scores_is_part_of_the_key(folder: Path) -> None:
    def n_new(**options: Any) -> int:
        before = len(MODEL.seen)
        scores(Lengths(**{"model": str(folder), **options}))
        return len(MODEL.seen) - before

    assert n_new() == len(PAIRS)
    assert n_new(batch=1, device="cpu") == 0
    assert n_new(precision="bf16") == len(PAIRS)
    assert n_new(bias=1.0) == len(PAIRS)
    assert n_new(refs=False) == len({hypothesis for hypothesis, _ in PAIRS})
    other = folder.with_name("copy")
    folder.rename(other)
    assert n_new(model=str(other)) == 0
    (other / "weights.bin").write_bytes(b"124")
    assert n_new(model=str(other)) == len(PAIRS)
    (other / "more.txt").write_text("tokens")
    assert n_new(model=str(other)) == len(PAIRS)


def test_the_version_of_the_library_is_part_of_the_key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores(Lengths(model=str(folder)))
    monkeypatch.setattr(Lengths, "package", "scipy")
    scores(Lengths(model=str(folder)))
    assert len(MODEL.seen) == 2 * len(PAIRS)


def test_batch_size_and_device_share_statistics(folder: Path) -> None:
    one = Lengths(model=str(folder))
    other = Lengths(model=str(folder), batch=3, device="cuda:1")
    assert one.statistics_key == other.statistics_key
    assert one != other
    result = mtassay.score(TESTSET, metrics=[one, other])
    np.testing.assert_array_equal(result.scores[:, 0], result.scores[:, 1])


def test_signature(folder: Path) -> None:
    result = mtassay.score(TESTSET, metrics=[Lengths(model=str(folder), batch=3, precision="fp16")])
    [signature] = map(str, result.signatures)
    parts = dict(part.split(":") for part in signature.split("|"))
    assert list(parts) == ["nrefs", "model", "revision", "bias", "precision", "numpy", "mtassay"]
    assert (parts["nrefs"], parts["model"], parts["precision"]) == ("var", "tiny", "fp16")
    assert parts["numpy"] == np.__version__
    assert parts["revision"].startswith("sha256-")
    assert str(folder) not in Lengths(model=str(folder)).public_spec


@pytest.mark.parametrize("value", [b"", b"damaged", None])
def test_a_damaged_row_is_computed_again(folder: Path, cache: Path, value: bytes | None) -> None:
    metric = Lengths(model=str(folder))
    expected = scores(metric)
    [path] = cache.rglob("lengths-*.db")
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT text, value FROM scores ORDER BY text").fetchall()
        # None: a sound row, but of other texts
        damaged = rows[1][1] if value is None else value
        database.execute("UPDATE scores SET value = ? WHERE text = ?", (damaged, rows[0][0]))
    database.close()
    assert scores(metric) == expected
    assert len(MODEL.seen) == len(PAIRS) + 1
    assert scores(metric) == expected
    assert len(MODEL.seen) == len(PAIRS) + 1


@pytest.mark.parametrize("said", ['["KEY", NaN, []]', '["KEY", "1", []]', "[]", '["KEY", 1.5, [[0, 0, "minor"]]]', "7"])
def test_rows_that_are_no_assessments(cache: Path, said: str) -> None:
    store = AssessmentStore("lengths", ())
    sample = ("a", "b")
    store.write({sample: Assessment(1.5)})
    assert store.read([sample]) == {sample: Assessment(1.5)}
    [path] = cache.rglob("*.db")
    with sqlite3.connect(path) as database:
        [(key,)] = database.execute("SELECT text FROM scores").fetchall()
        row = zlib.compress(said.replace("KEY", key.hex()).encode())
        database.execute("UPDATE scores SET value = ?", (row,))
    database.close()
    assert store.read([sample]) == {}


@pytest.mark.parametrize("n_bytes", [0, 100, 3000])
def test_a_truncated_database_is_begun_anew(folder: Path, cache: Path, n_bytes: int) -> None:
    metric = Lengths(model=str(folder))
    expected = scores(metric)
    [path] = cache.rglob("lengths-*.db")
    path.write_bytes(path.read_bytes()[:n_bytes])
    assert scores(metric) == expected
    assert len(MODEL.seen) == 2 * len(PAIRS)
    assert scores(metric) == expected
    assert len(MODEL.seen) == 2 * len(PAIRS)


def test_a_folder_that_cannot_be_written_to(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "file" / "cache"))
    metric = Lengths(model=str(folder))
    with caplog.at_level(logging.WARNING, logger="mtassay"):
        expected = scores(metric)
    assert caplog.text.count("scores are not kept for the next time") == 1
    assert caplog.text.count("digests are not kept for the next time") == 1  # of several files
    assert scores(metric) == expected  # in this process they are
    assert len(MODEL.seen) == len(PAIRS)


def test_a_full_disk(
    folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def insert(self: Store, rows: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    metric = Lengths(model=str(folder))
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING, logger="mtassay"):
        patch.setattr(Store, "_insert", insert)
        expected = scores(metric)
        assert scores(metric) == expected
    assert "(database or disk is full)" in caplog.text
    assert len(MODEL.seen) == len(PAIRS)
    assert not list(cache.rglob("lengths-*.db"))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda samples: 1 / 0, "lengths:{} failed: ZeroDivisionError: division by zero"),
        (lambda samples: [Assessment(0.5)], "lengths:{} returned 1 score for 6 texts"),
        (
            lambda samples: [Assessment(float("nan") if s[0] == "dogs" else 1.0) for s in samples],
            "lengths:{} gave no finite score to x, segment 2",
        ),
    ],
)
def test_a_model_that_fails(folder: Path, answer: Any, message: str) -> None:
    MODEL.answer = answer
    with pytest.raises(MtassayError) as raised:
        scores(Lengths(model=str(folder)))
    assert str(raised.value) == message.format(f"model={folder}")


def test_what_was_scored_before_a_failure_is_kept(folder: Path) -> None:
    metric = Lengths(model=str(folder), batch=1, refs=False)
    texts = [f"{i:03}" for i in range(30)]
    testset = mtassay.TestSet([], {"x": texts})
    sound = MODEL.answer

    def failing(samples: Sequence[tuple[str, ...]]) -> Any:
        if ("020",) in samples:
            raise MemoryError
        return sound(samples)

    MODEL.answer = failing
    with pytest.raises(MtassayError, match=r"failed: MemoryError$"):
        mtassay.score(testset, metrics=[metric])
    n_seen, MODEL.answer = len(MODEL.seen), sound
    mtassay.score(testset, metrics=[metric])
    assert MODEL.seen[n_seen:] == [(text,) for text in texts[16:]]


def test_a_model_that_cannot_be_loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(self: Lengths, path: Path) -> Model:
        raise RuntimeError("size mismatch for x\nand for y")

    monkeypatch.setattr(Lengths, "load", load)
    with pytest.raises(MtassayError) as raised:
        scores(Lengths(model=str(folder)))
    assert str(raised.value) == f"the model {folder} cannot be loaded by numpy: RuntimeError: size mismatch for x"


def test_the_last_model_stays_loaded(folder: Path) -> None:
    for bias in (0.0, 1.0, 1.0, 0.0):
        testset = mtassay.TestSet([], {"x": [f"{len(LOADED)} {bias} {time.monotonic_ns()}"]})
        mtassay.score(testset, metrics=[Lengths(model=str(folder), bias=bias, refs=False)])
    assert len(LOADED) == 3


def test_several_threads(folder: Path) -> None:
    metric = Lengths(model=str(folder), refs=False)
    found = Execution(4).map(lambda i: metric.pairwise([f"{i % 5}", "same"], [], sources=["s"])[0, 0], list(range(40)))
    assert found == [1.01] * 40
    assert len(MODEL.seen) == 6


def test_odd_texts(folder: Path) -> None:
    testset = mtassay.TestSet([], {"x": ["", "a\x00b", "😀", " ", "a\u2028b"]})
    metric = Lengths(model=str(folder), refs=False)
    first = mtassay.score(testset, metrics=[metric]).segment_scores()
    np.testing.assert_array_equal(mtassay.score(testset, metrics=[metric]).segment_scores(), first)
    assert len(MODEL.seen) == 5
    half = mtassay.TestSet([], {"x": ["", "b"], "y": ["a", "c\ud800"]})
    with pytest.raises(InputError, match=r"^lengths:.* cannot read y, segment 2: it has half of a surrogate pair$"):
        mtassay.score(half, metrics=[metric])
    assert len(MODEL.seen) == 5


def test_a_missing_library() -> None:
    with pytest.raises(
        MissingExtraError, match=r"the metric lengths needs an optional package: pip install 'mtassay\["
    ):
        Lengths.library("no_such_library")


def test_an_unknown_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lengths, "package", "no-such-package")
    assert Lengths().package_version == "none"


_SLOW = """
import sys
import time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import mtassay
from test_base import MODEL, Lengths
sound = MODEL.answer
def slow(samples):
    time.sleep(0.1)
    return sound(samples)
MODEL.answer = slow
mtassay.score(
    mtassay.TestSet([], {"x": [f"w{i:04}" for i in range(2000)]}),
    metrics=[Lengths(model=sys.argv[2], batch=2, refs=False)],
)
"""


def test_a_killed_run_goes_on_where_it_was(folder: Path) -> None:
    """Of 2000 texts in chunks of 16, those of whole chunks are there after the process was killed."""
    samples = [(f"w{i:04}",) for i in range(2000)]
    metric = Lengths(model=str(folder), batch=2, refs=False)
    store = AssessmentStore(
        metric.name, (metric.files.version, metric.package_version, "fp32", metric.arguments, *metric.identity())
    )
    process = subprocess.Popen(
        [sys.executable, "-c", _SLOW, str(Path(__file__).parent), str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    kill_when(process, lambda: len(store.read(samples)) >= 48)
    kept = store.read(samples)
    assert 48 <= len(kept) < len(samples)
    mtassay.score(mtassay.TestSet([], {"x": [text for (text,) in samples]}), metrics=[metric])
    assert len(MODEL.seen) == len(samples) - len(kept)
    assert not set(MODEL.seen) & set(kept)
