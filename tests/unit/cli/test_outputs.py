"""Outputs that would replace an input, or each other, or have no folder, or are read-only, are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from contextvars import copy_context
from pathlib import Path

import numpy as np
import pytest
from command import refused

from mtassay.cli.main import main
from mtassay.data import load, write_jsonl
from mtassay.errors import MtassayError
from mtassay.io import start_run
from mtassay.io.run_files import register_output
from mtassay.metrics.meteor.cache import cached_arrays

TEXTS = {
    "ref.txt": "a b\nc d\n",
    "hyp.txt": "a b\nc\n",
    "pairs.tsv": "1\tx\ty\n2\ty\tx\n",
    "seg.tsv": "system\tsegment\tscore\nhyp\t1\t1\nhyp\t2\t2\n",
    "list.nbest": "0 ||| a ||| F= 1 ||| 1\n0 ||| a b ||| F= 2 ||| 2\n1 ||| c ||| F= 1 ||| 1\n",
    "weights.txt": "F_0 1\n",
    "cs-en.tsv": "1\tx\ty\n",
    "x.svg": "1\tx\ty\n",
    "set.jsonl": '{"ref": "a b", "tgt": {"hyp": "a"}}\n',
    "moses.ini": "[weight]\nF= 1\n",
    "set/ref": "a b\n",
    "set/hyp/A.txt": "a b\n",
    "trees/hyp.conllu": "1\ta\ta\t_\t_\t_\t0\troot\t_\t_\n\n" * 2,
    "trees/ref.conllu": "1\ta\ta\t_\t_\t_\t0\troot\t_\t_\n\n" * 2,
}
SCORED = ["ref.txt", "-i", "hyp.txt"]
LOST = {
    "score": (["score", *SCORED, "-o", "hyp.txt"], "-o", "hyp.txt"),
    "score -r": (["score", "-r", "ref.txt", "-i", "hyp.txt", "-o", "ref.txt"], "-o", "ref.txt"),
    "score file": (["score", *SCORED, "-m", "0.5*file:seg.tsv+0.5*bleu", "-o", "seg.tsv"], "-o", "seg.tsv"),
    "score quoted": (["score", *SCORED, "-m", 'file:"seg.tsv",label=x', "-o", "seg.tsv"], "-o", "seg.tsv"),
    "score escaped": (["score", *SCORED, "-m", "bleu", "0.5*file:./seg.tsv-0.5*ter", "-o", "seg.tsv"], "-o", "seg.tsv"),
    "score set": (["score", "set", "-o", "set/hyp/A.txt"], "-o", "set/hyp/A.txt"),
    "score set reference": (["score", "set", "-o", "set/ref"], "-o", "set/ref"),
    "score trees": (["score", *SCORED, "-m", "hwcm:annotator=file:trees", "-o", "trees/ref.conllu"],
                    "-o", "trees/ref.conllu"),
    "score symlink": (["score", *SCORED, "-o", "symlink.txt"], "-o", "symlink.txt"),
    "score through a symlink": (["score", "ref.txt", "-i", "symlink.txt", "-o", "hyp.txt"], "-o", "hyp.txt"),
    "score -j": (["score", *SCORED, "-j", "2", "-m", "hwcm:annotator=file:trees", "-o", "trees/hyp.conllu"],
                 "-o", "trees/hyp.conllu"),
    "compare": (["compare", *SCORED, "-o", "./hyp.txt"], "-o", "./hyp.txt"),
    "compare source": (["compare", *SCORED, "--source", "pairs.tsv", "-o", "pairs.tsv"], "-o", "pairs.tsv"),
    "rank": (["rank", *SCORED, "-o", "ref.txt"], "-o", "ref.txt"),
    "align": (["align", *SCORED, "-o", "hyp.txt"], "-o", "hyp.txt"),
    "humans": (["humans", "pairs.tsv", "-o", "pairs.tsv"], "-o", "pairs.tsv"),
    "humans plot": (["humans", "x.svg", "--plot", "ranks", "x.svg"], "--plot", "x.svg"),
    "humans link": (["humans", "pairs.tsv", "-o", "link.tsv"], "-o", "link.tsv"),
    "agreement": (["agreement", "pairs.tsv", "--agreed", "--keep", "pairs.tsv"], "--keep", "pairs.tsv"),
    "metaeval": (["metaeval", *SCORED, "--judgements", "pairs.tsv", "-o", "pairs.tsv"], "-o", "pairs.tsv"),
    "metaeval pair": (["metaeval", *SCORED, "-l", "cs-en", "--judgements", "{lp}.tsv", "-o", "cs-en.tsv"],
                      "-o", "cs-en.tsv"),
    "conclusions": (["conclusions", *SCORED, "--judgements", "pairs.tsv", "-o", "pairs.tsv"], "-o", "pairs.tsv"),
    "convert": (["convert", "set.jsonl", "-o", "set.jsonl"], "-o", "set.jsonl"),
    "tune": (["tune", "--nbest", "list.nbest", "-r", "ref.txt", "--save", "list.nbest"], "--save", "list.nbest"),
    "tune weights": (["tune", "--nbest", "list.nbest", "-r", "ref.txt", "--start", "weights.txt", "-o", "weights.txt"],
                     "-o", "weights.txt"),
    "tune ini": (["tune", "--nbest", "list.nbest", "-r", "ref.txt", "--ini", "moses.ini", "-o", "moses.ini"],
                 "-o", "moses.ini"),
    "rerank": (["rerank", "list.nbest", "--weights", "weights.txt", "-o", "weights.txt"], "-o", "weights.txt"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something of every kind in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    os.link("pairs.tsv", "link.tsv")
    Path("symlink.txt").symlink_to("hyp.txt")


@pytest.mark.parametrize("case", sorted(LOST))
def test_inputs_are_not_replaced(capsys: pytest.CaptureFixture[str], case: str) -> None:
    arguments, flag, path = LOST[case]
    assert (
        refused(capsys, *arguments)
        == f"{flag} names {path}, which is also an input and would be overwritten: choose another file"
    )
    assert {name: Path(name).read_text(encoding="utf-8") for name in TEXTS} == TEXTS


def test_other_files_are_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.txt").write_text("old", encoding="utf-8")
    assert main(["score", *SCORED, "-b", "-m", "ter", "-o", "out.txt", "--names", "pairs.tsv"]) == 0
    assert main(["score", *SCORED, "-b", "-m", "ter", "-o", "pairs.tsv", "--names", "pairs.tsv"]) == 0
    assert Path("out.txt").read_text(encoding="utf-8") == Path("pairs.tsv").read_text(encoding="utf-8") != "old"


@pytest.mark.parametrize(("option", "path"), [("--start", "weights.txt"), ("--ini", "moses.ini")])
def test_tuned_weights_may_replace_those_that_tuning_began_with(option: str, path: str) -> None:
    Path(path).write_text(TEXTS[path].replace("1", "7"), encoding="utf-8")
    assert main(["tune", "--nbest", "list.nbest", "-r", "ref.txt", option, path, "--save", path]) == 0
    assert "7" not in Path(path).read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="redirections of a POSIX shell")
def test_standard_input_may_be_a_file(tmp_path: Path) -> None:
    for path, status in (("hyp.txt", 2), ("out.txt", 0)):
        with Path("hyp.txt").open("rb") as hypotheses:
            ran = subprocess.run(
                [sys.executable, "-m", "mtassay", "score", "ref.txt", "-b", "-o", path],
                stdin=hypotheses,
                capture_output=True,
                text=True,
                check=False,
            )
        assert ran.returncode == status
    assert Path("hyp.txt").read_text(encoding="utf-8") == TEXTS["hyp.txt"]


def test_one_run_after_the_other_may_read_and_write_a_file() -> None:
    assert main(["score", *SCORED, "-sl", "-m", "ter", "-o", "out.tsv"]) == 0
    assert main(["score", *SCORED, "-m", "file:out.tsv,higher_is_better=no", "-o", "new.txt"]) == 0
    assert main(["score", *SCORED, "-sl", "-m", "ter", "-o", "out.tsv"]) == 0


def test_in_python_nothing_is_recorded() -> None:
    for _ in range(2):
        write_jsonl(load("set.jsonl"), "set.jsonl")
    assert Path("set.jsonl").read_text(encoding="utf-8") == TEXTS["set.jsonl"]


def test_an_output_that_was_written_may_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["learn", "index", "ref.txt", "-o", "a.index"]) == 0
    assert capsys.readouterr().err == ""


def test_a_cache_is_no_output(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> None:
        start_run()
        arrays = {"a": np.arange(3)}
        cached_arrays("kept.bin", lambda: arrays, description="building")
        Path("cache/kept.bin").write_bytes(b"damaged")
        cached_arrays("kept.bin", lambda: arrays, description="building")
        register_output("cache/kept.bin", "-o")
        with pytest.raises(MtassayError, match=r"-o names cache/kept\.bin, which is also an input"):
            cached_arrays("kept.bin", lambda: arrays, description="building")

    monkeypatch.setenv("MTASSAY_CACHE", "cache")
    copy_context().run(run)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["humans", "pairs.tsv", "-o", "a.svg", "--plot", "ranks", "./a.svg"], "-o and --plot name the same file"),
        (
            ["humans", "pairs.tsv", "--plot", "ranks", "no/where/a.svg"],
            "there is no folder no/where; create it first",
        ),
        (
            ["humans", "pairs.tsv", "--plot", "ranks", "a.svg", "--plot", "heatmap", "a.svg"],
            "--plot names a.svg twice: give each a file of its own",
        ),
        (["agreement", "pairs.tsv", "--agreed", "--keep", "k.tsv", "-o", "nowhere/x"], "there is no folder nowhere"),
        (["agreement", "pairs.tsv", "--agreed", "--keep", "-"], "-o and --keep name the same file: -"),
        (["rank", "nothing.txt", "-o", "nowhere/x"], "there is no folder nowhere"),
        (["demo", "--keep", "-"], "--keep names a folder, which cannot go to standard output"),
    ],
)
def test_refused_before_anything_is_read(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert said in refused(capsys, *arguments)
    assert not Path("a.svg").exists()
    assert not Path("k.tsv").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", *SCORED, "-sl", "-o", "x.tsv.gz"],
        ["compare", *SCORED, "-o", "x.tsv.gz"],
        ["humans", "pairs.tsv", "-o", "x.tsv.gz"],
        ["agreement", "pairs.tsv", "--agreed", "--keep", "x.tsv.gz"],
        ["rerank", "list.nbest", "--weights", "weights.txt", "-o", "x.tsv.gz"],
    ],
)
def test_names_of_compressed_files_are_refused(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    for suffix, kind in {".gz": "gzip", ".BZ2": "bzip2", ".xz": "xz"}.items():
        path = f"x.tsv{suffix}"
        said = f"{path} is named like a {kind} file, but outputs are not compressed: leave out {suffix}"
        assert refused(capsys, *arguments[:-1], path) == said
        assert not Path(path).exists()


def test_a_folder_may_have_any_name() -> None:
    assert main(["convert", *SCORED, "--to", "evalset", "-l", "cs-en", "-o", "set.gz"]) == 0


def test_only_folders_may_be_added_to(capsys: pytest.CaptureFixture[str]) -> None:
    Path("there").mkdir()
    assert refused(capsys, "score", *SCORED, "-o", "there") == "there is a folder; give a file name"
    assert main(["convert", *SCORED, "--to", "evalset", "-l", "cs-en", "-o", "there"]) == 0
    # The folder is no obstacle; the unknown annotator is.
    assert "no annotator named 'no'" in refused(capsys, "annotate", *SCORED, "--annotator", "no", "-o", "there")
