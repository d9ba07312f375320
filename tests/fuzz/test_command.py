"""Random command lines: exit status 0 or 2, one line on errors, never a traceback."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.cli.main import main

FILES = {
    "ref.txt": b"the cat sat on the mat .\na dog\n\nlast line here\n",
    "refB.txt": b"a cat was on the mat\nthe dog\nempty\nlast line\n",
    "sysA.txt": b"the cat sat on mat .\ndog a\n\nhere last line\n",
    "sysB.txt.gz": bytes.fromhex("1f8b0800"),
    "bad.txt": b"one\nt\xffo\n",
    "short.txt": b"one\n",
    "empty.txt": b"",
    "tabs.txt": b"a\tb\nc\td\ne\tf\ng\th\n",
    "docs.txt": b"d1\nd1\nd2\nd2\n",
    "set.jsonl": b'{"ref": "a b", "tgt": {"A": "a b", "B": "b"}, "doc": 1}\n'
    b'{"ref": "c", "tgt": {"A": "", "B": "c"}, "doc": 1}\n',
    "set.tsv": b"ref\tA\nx y\tx\n",
    "x.seg.score": b"sysA\t1\nsysA\t0.5\nsysA\t0\nsysA\t-1\nref\t1\nref\t1\nref\t1\nref\t1\n",
    "x.sys.score": b"sysA\t0.25\nA\tNone\nB\t1\nref\t1\n",
    "set.xml": b"<dataset><doc id='1'></dataset>",
    "set.sgm": b'<tstset sysid="A"><doc docid="d"><seg id="1">x</seg></doc></tstset>'
    b'<tstset sysid="B"><doc docid="d"><seg id="1">y</seg></doc></tstset>'
    b'<refset refid="R"><doc docid="d"><seg id="1">x y</seg></doc></refset>',
}
PATHS = st.one_of(
    st.sampled_from(["ref.txt", "ref.txt", "refB.txt", "sysA.txt", "sysA.txt"]),
    st.sampled_from([*FILES, "-", "missing.txt", ".", "folder", "", "\x00", "x" * 300]),
)
SPECS = st.one_of(
    st.sampled_from(["bleu", "chrf", "chrf++", "ter", "RAC1", "bleu:tok=intl", "0.5*bleu-0.5*ter", "chrf:beta=0"]),
    st.sampled_from(["ter:variant=tercom,norm=yes", "1*ter", "0.5*chrf+0.5*bleu:k=2,smooth=floor", "bleu:tok=x"]),
    st.sampled_from(["bleuu", "bleu:order=x", "", ":"]),
    st.sampled_from(["file:x.seg.score", "file:x.sys.score", "0.5*bleu+2*file:x.seg.score", "file:set.tsv", "comet"]),
)
NUMBERS = st.one_of(
    st.sampled_from(["0", "1", "2", "-1", "x", "1.5", "nan", "1e400", "1e300", "٣", "", "9" * 12, "9" * 30]),
    st.integers(-9, 99).map(str),
)
WORDS = st.one_of(
    st.sampled_from(["none", "13a", "intl", "zh", "char", "en-zh", "en-de", "doc", "domain", "A", "B", "exp", "add-k"]),
    st.text(max_size=4),
)
FLAGS = ["-sl", "-b", "-v", "--signatures", "-sh", "-q", "-lc", "--force", "--list-metrics", "--list", "--help", "-h"]
FLAGS += ["--chrf-whitespace", "--chrf-lowercase", "--chrf-eps-smoothing", "--ter-case-sensitive", "--ter-no-punct"]
FLAGS += ["--ter-normalized", "--ter-asian-support", "--nonsense", "-x", "--", "--version"]
WITH_PATHS = ["-i", "-r", "--refs", "--input", "--source", "--documents", "--domains"]
WITH_WORDS = ["-tok", "-s", "-l", "--by", "--names", "--systems", "-e", "-t", "--download"]
WITH_NUMBERS = ["-w", "-sv", "-cc", "-cw", "--chrf-beta", "-nr", "-j", "--segment"]
FORMATS = st.sampled_from(["text", "json", "tsv", "latex", "markdown", "html"])
PART = st.one_of(
    st.sampled_from(FLAGS).map(lambda flag: [flag]),
    st.tuples(st.sampled_from(WITH_PATHS), st.lists(PATHS, max_size=3)).map(lambda part: [part[0], *part[1]]),
    st.tuples(st.sampled_from(WITH_WORDS), st.lists(WORDS, max_size=2)).map(lambda part: [part[0], *part[1]]),
    st.tuples(st.sampled_from(WITH_NUMBERS), st.lists(NUMBERS, max_size=2)).map(lambda part: [part[0], *part[1]]),
    st.tuples(st.sampled_from(["-m", "--metrics", "--metric"]), st.lists(SPECS, max_size=3)).map(
        lambda part: [part[0], *part[1]]
    ),
    FORMATS.map(lambda word: ["-f", word]),
    st.sampled_from(["out.txt", "-", "folder", "no/such/folder", "", "\x00"]).map(lambda path: ["-o", path]),
)
PARTS = st.lists(PART, max_size=4).map(lambda parts: [word for part in parts for word in part])


@pytest.fixture(scope="module")
def work_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("command")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    return folder


def check(arguments: list[str], work_dir: Path, stdin: bytes) -> None:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(work_dir)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        try:
            status = main(arguments)
        except SystemExit as stop:  # argparse, after --help
            status = stop.code if isinstance(stop.code, int) else -1
        err.flush()
    message = err.buffer.getvalue().decode()
    assert status in {0, 2}
    assert "Traceback" not in message
    if status == 2:
        assert message.splitlines()[-1].startswith("mtassay: ")
        assert all(line.startswith("mtassay: ") for line in message.splitlines())


STDIN = st.one_of(st.just(FILES["sysA.txt"]), st.sampled_from([FILES["tabs.txt"], b"", b"\xff", FILES["set.jsonl"]]))


@given(st.lists(PATHS, min_size=1, max_size=2), st.lists(PATHS, max_size=3), PARTS, STDIN)
def test_score(work_dir: Path, refs: list[str], systems: list[str], parts: list[str], stdin: bytes) -> None:
    check(["score", *refs, *(["-i", *systems] if systems else []), *parts], work_dir, stdin)


@given(st.lists(st.sampled_from(["chrf", "bleu", "ter", "RAC1", "chrf++"]), min_size=1, max_size=3, unique=True), PARTS)
def test_score_of_sound_files(work_dir: Path, metrics: list[str], parts: list[str]) -> None:
    check(["score", "ref.txt", "refB.txt", "-i", "sysA.txt", "ref.txt", "-m", *metrics, *parts], work_dir, b"")


@given(
    st.lists(st.tuples(st.sampled_from(WITH_NUMBERS), NUMBERS), min_size=1, max_size=2),
    st.lists(st.sampled_from(["-sl", "-b", "-v", "-fjson", "-ftsv", "-sfloor"]), max_size=3),
)
def test_numbers(work_dir: Path, numbers: list[tuple[str, str]], flags: list[str]) -> None:
    words = [word for pair in numbers for word in pair]
    check(["score", "ref.txt", "-i", "sysA.txt", "-m", "bleu", "chrf", "ter", *words, *flags], work_dir, b"")


@given(st.lists(PATHS, max_size=2), st.lists(PATHS, max_size=2), PARTS, STDIN)
def test_align(work_dir: Path, refs: list[str], systems: list[str], parts: list[str], stdin: bytes) -> None:
    check(["align", *refs, *(["-i", *systems] if systems else []), *parts], work_dir, stdin)


@given(
    st.lists(PATHS, max_size=2),
    PARTS,
    st.sampled_from([[], ["--to", "evalset"], ["--to", "jsonl"], ["--to", "x"]]),
    STDIN,
)
def test_convert(work_dir: Path, files: list[str], parts: list[str], to: list[str], stdin: bytes) -> None:
    check(["convert", *files, *parts, *to], work_dir, stdin)


@given(
    st.lists(st.one_of(st.sampled_from(["score", "align", "help", "-V", "--help"]), st.text(max_size=6)), max_size=3)
)
def test_any_words(work_dir: Path, arguments: list[str]) -> None:
    if arguments[:1] != ["demo"]:
        check(arguments, work_dir, b"")
