"""Comparisons of streams are the bytes of comparisons of test sets."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamed_files import both, write_sample

import mtassay
from mtassay.cli.main import main
from mtassay.data import load_files
from mtassay.data.text_stream import TextStream
from mtassay.errors import InputError
from mtassay.execution import Execution, blocks
from mtassay.io import inputs
from mtassay.verbs import compare_files as streaming

#: Counts, fractions, and a combination of both kinds of direction.
METRICS = ["bleu", "ter", "lepor", "rougeL", "0.5*bleu-0.5*ter"]
FILES = ["ref", "-i", "atlas.gz", "dune", "ember"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The built-in sample as files, and blocks of few segments."""
    monkeypatch.chdir(tmp_path)
    write_sample()
    monkeypatch.setattr(blocks, "BLOCK", 24)


@pytest.fixture
def n_streamed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with every comparison of a stream."""
    found: list[int] = []
    used = streaming.compare_files

    def counted(*given: Any, **options: Any) -> Any:
        found.append(1)
        return used(*given, **options)

    monkeypatch.setattr(streaming, "compare_files", counted)
    return found


@pytest.mark.parametrize(
    "options",
    [
        ["-f", "json"],
        ["-f", "json", "-j", "4"],
        ["-f", "json", "--test", "bs"],
        ["-f", "json", "--test", "pbs", "-j", "3"],
        ["-f", "json", "--test", "riezler-maxwell"],
        ["-f", "json", "--test", "multeval", "--seed", "7"],
        ["-f", "json", "--unit", "doc", "--documents", "docs"],
        ["-f", "json", "--unit", "doc", "--documents", "docs", "--test", "bs", "-j", "2"],
        ["-f", "tsv", "--pairs", "--adjust", "holm"],
        ["--baseline", "dune", "--signatures"],
        ["-f", "html", "--sides", "1"],
    ],
)
def test_a_stream_gives_the_same_bytes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, n_streamed: list[int], options: list[str]
) -> None:
    command = ["compare", *FILES, "-m", *METRICS, "--resamples", "700", *options]
    whole, stream = both(capsys, monkeypatch, *command)
    assert whole[0] == 0
    assert stream == whole
    assert n_streamed == [1]


@pytest.mark.parametrize("options", [[], ["--by-intervals"], ["--sweep", "-f", "json", "-j", "3"]])
def test_rankings_of_streams(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, n_streamed: list[int], options: list[str]
) -> None:
    whole, stream = both(capsys, monkeypatch, "rank", *FILES, "-m", "bleu", "ter", "--resamples", "300", *options)
    assert whole[0] == 0
    assert stream == whole
    assert n_streamed == [1]


@pytest.mark.parametrize(
    "arguments",
    [
        [*FILES, "-m", "bleu", "nist"],
        [*FILES, "--interval", "bca"],
        [*FILES, "--test", "sacrebleu-bs"],
        [*FILES, "--test", "ar", "bs"],
        ["ref", "-i", "atlas", "dune", "--runs", "x"],
    ],
)
def test_what_needs_all_segments_is_not_streamed(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    n_streamed: list[int],
    arguments: list[str],
) -> None:
    whole, stream = both(capsys, monkeypatch, "compare", *arguments, "--resamples", "100")
    assert stream == whole
    assert not n_streamed


@pytest.mark.parametrize(
    "arguments",
    [
        ["ref", "-i", "atlas"],
        ["ref", "-i", "atlas", "short"],
        ["ref", "-i", "atlas", "none"],
        ["ref", "-i", "atlas", "dune", "--baseline", "nobody"],
        ["ref", "-i", "atlas", "dune", "--unit", "doc"],
        ["ref", "-i", "atlas", "dune", "--unit", "word"],
        ["ref", "-i", "atlas", "dune", "--alpha", "2"],
        ["ref", "-i", "atlas", "dune", "--adjust", "none at all"],
        ["ref", "-i", "atlas", "dune", "--resamples", "-1"],
        ["ref", "-i", "atlas", "dune", "--test", "t"],
        ["ref", "-i", "atlas", "dune", "-m", "length_ratio"],
        ["ref", "-i", "atlas", "dune", "-m", "bloo"],
        ["one", "-i", "one", "one", "--names", "x", "y", "--test", "bs"],
    ],
)
def test_errors_are_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    Path("short").write_text("one line\n", encoding="utf-8")
    Path("one").write_text("one line\n", encoding="utf-8")
    whole, stream = both(capsys, monkeypatch, "compare", *arguments)
    assert whole[0] == 2
    assert stream == whole


def test_few_segments_are_enumerated(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ref", "atlas", "dune"):
        lines = Path(name).read_text(encoding="utf-8").splitlines(keepends=True)
        Path(f"{name}.9").write_text("".join(lines[:9]), encoding="utf-8")
    monkeypatch.setattr(blocks, "BLOCK", 8)
    whole, stream = both(capsys, monkeypatch, "compare", "ref.9", "-i", "atlas.9", "dune.9", "--names", "x", "y")
    assert "all 512 exchanges" in whole[1]
    assert stream == whole


def test_outputs_from_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = zip(*(Path(name).read_text(encoding="utf-8").splitlines() for name in ("atlas", "dune")), strict=True)
    text = "".join(f"{x}\t{y}\n" for x, y in lines).encode()
    found = []
    for size in (1 << 40, 0):
        monkeypatch.setattr(inputs, "_LARGE", size)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert main(["compare", "ref", "--resamples", "300", "-f", "json"]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]


def test_references_from_standard_input_are_read_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, n_streamed: list[int]
) -> None:
    monkeypatch.setattr(inputs, "_LARGE", 0)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("ref").read_bytes())))
    assert main(["compare", "-", "-i", "atlas", "dune", "--resamples", "99"]) == 0
    assert not n_streamed
    assert "BLEU" in capsys.readouterr().out
    with pytest.raises(InputError, match="give the first reference as a file"):
        mtassay.compare_files(["-"], ["atlas", "dune"])


def test_in_python() -> None:
    streamed = mtassay.compare_files(["ref"], ["atlas", "dune", "ember"], metrics=["bleu"], resamples=500)
    compared = mtassay.compare(load_files(["ref"], ["atlas", "dune", "ember"]), metrics=["bleu"], resamples=500)
    assert streamed.to_dict() == compared.to_dict()
    for one, other in zip(
        streamed.pseudo_statistics("dune", "atlas"), compared.pseudo_statistics("dune", "atlas"), strict=True
    ):
        assert (one.observed, one.p) == (other.observed, other.p)
        np.testing.assert_array_equal(one.values, other.values)
    ranked = mtassay.rank_files(["ref"], ["atlas", "dune", "ember"], resamples=500, by_intervals=True)
    assert (
        ranked.to_dict()
        == mtassay.rank(load_files(["ref"], ["atlas", "dune", "ember"]), resamples=500, by_intervals=True).to_dict()
    )


@pytest.mark.parametrize(("options", "said"), [
    ({"metrics": ["nist"]}, "nist needs all segments at once"),
    ({"metrics": []}, "no metric"),
    ({"test": "sacrebleu-ar"}, "needs all of them in memory"),
    ({"unit": "doc"}, "no document labels"),
])  # fmt: skip
def test_what_python_refuses(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        mtassay.compare_files(["ref"], ["atlas", "dune"], **options)


@pytest.mark.parametrize("n_before", [40, 48, 70, 200])
def test_a_file_that_changes_meanwhile(monkeypatch: pytest.MonkeyPatch, n_before: int) -> None:
    monkeypatch.setattr(TextStream, "count", lambda _: n_before)
    with pytest.raises(InputError, match="ref changed while it was read"):
        mtassay.compare_files(["ref"], ["atlas", "dune"], resamples=50)


def test_the_number_of_blocks_is_known_to_a_progress_bar() -> None:
    lengths = []

    def progress(items: Any) -> Any:
        lengths.append(len(items))
        return items

    mtassay.compare_files(["ref"], ["atlas", "dune"], resamples=50, progress=progress)
    assert lengths == [3]


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes() -> None:
    pytest.importorskip("distributed", reason="pip install 'mtassay[cluster]'")
    from mtassay.execution.cluster import Cluster

    files = ["ref"], ["atlas", "dune", "ember"]
    with Cluster("local:2") as cluster:
        variants: list[dict[str, Any]] = [{"test": "ar"}, {"test": "bs"}, {"unit": "doc", "documents": "docs"}]
        for options in variants:
            alone = mtassay.compare_files(*files, metrics=["bleu", "lepor"], resamples=600, **options)
            shared = mtassay.compare_files(
                *files, metrics=["bleu", "lepor"], resamples=600, execution=cluster, **options
            )
            assert shared.render("json") == alone.render("json")


def test_an_interrupted_comparison_goes_on(tmp_path: Path) -> None:
    files = ["ref"], ["atlas", "dune"]
    kept = tmp_path / "kept"
    n_done = 0

    def broken(items: Any) -> Any:
        nonlocal n_done
        for item in items:
            if n_done == 2:
                raise KeyboardInterrupt
            n_done += 1
            yield item

    with pytest.raises(KeyboardInterrupt):
        mtassay.compare_files(*files, resamples=300, execution=Execution(resume=kept), progress=broken)
    assert n_done == 2
    resumed = mtassay.compare_files(*files, resamples=300, execution=Execution(resume=kept))
    assert resumed.render("json") == mtassay.compare_files(*files, resamples=300).render("json")
