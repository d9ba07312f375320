"""Random command lines and bad files: exit status 0 or 2, one line on errors, no traceback, nothing left behind."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import sys
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.cli.main import main
from mtassay.io.configuration import KEYS

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
SCORED = ["ref.txt", "-i", "sysA.txt"]
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


def check(arguments: list[str], work_dir: Path, stdin: bytes) -> int:
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
    assert not list(work_dir.rglob("*.tmp"))
    return status


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


CONFIGURED = st.dictionaries(
    st.sampled_from([*KEYS, *(f"{verb}.{key}" for verb in ("score", "align", "compare") for key in KEYS)]),
    st.one_of(
        st.sampled_from(['"bleu"', '["chrf", "ter"]', "0.05", "1", "20", '"json"', '"intl"', '"8G"', '"holm"', '"bs"']),
        st.sampled_from(["[]", "nan", "-1", "[0.05, 0.01]", "1e400", "9" * 30, "true", '"\\u0000"', '["bleu:tok=x"]']),
        st.text(max_size=3).map(json.dumps),
    ),
    max_size=3,
).map(lambda values: "".join(f"{key} = {value}\n" for key, value in values.items()))


@given(CONFIGURED, st.sampled_from(["score", "compare", "align"]), PARTS)
def test_configurations(work_dir: Path, content: str, verb: str, parts: list[str]) -> None:
    (work_dir / "configured.toml").write_bytes(content.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTASSAY_CONFIG", "configured.toml")
        few = ["--resamples", "20"] if verb == "compare" and "resamples" not in content else []
        check([verb, *SCORED, "refB.txt", *few, *parts], work_dir, b"")


def _packed(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


#: What a file may hold: something of every format, sound, and then what people and attackers give instead.
CONTENTS = [
    *FILES.values(),
    b"segment\tfirst\tsecond\toutcome\n1\tsysA\tref\t1\n2\tref\tsysA\t0\n",
    b"system\tsegment\tscore\njudge\n",
    b"system\tsegment\tscore\tjudge\nsysA\t1\t50\tx\nsysA\t2\t70\ty\nref\t1\t90\tx\nref\t2\t80\ty\n",
    b"1\tsysA\tref\n2\tref\tsysA\n3\tsysA\tref\n",
    b"srclang,trglang,srcIndex,judgeId,system1Id,system1rank,system2Id,system2rank\nen,de,1,j,sysA,1,ref,2\n",
    b"0 ||| a ||| F= 1 2 ||| 1\n0 ||| b ||| F= 2 1 ||| 2\n1 ||| a ||| F= 0 1 ||| 1\n2 ||| ||| F= 0 1 ||| 1\n"
    b"3 ||| x y ||| F= 0 1 ||| 1\n",
    b"F_0 1\nF_1 0.5\n",
    b"[weight]\nF= 1 0.5\n",
    b"FEATURES_TXT_BEGIN_0 0 2 1 d_0\n1\n2\nFEATURES_TXT_END_0\n",
    b"SCORES_TXT_BEGIN_0 0 2 9 BLEU\n1 2 1 2 1 2 1 2 3\n0 2 1 2 1 2 1 2 3\nSCORES_TXT_END_0\n",
    b"1\ta\ta\t_\t_\t_\t0\troot\t_\t_\n\n",
    b"(S (NP (N a)))\n",
    b"connective\tsense\texpression\nthe\tcause\ta\n",
    b"the cat sat on mat .\tthe cat sat on the mat .\t0-0 1-1\n",
    _packed(**{"mtassay.json": b"{}", "schema.json": b"{}"}),
    gzip.compress(b"a\n" * 500_000),
    b"<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><dataset><doc id='1'>&b;</doc></dataset>",
    b"\x00" * 5000,
    b"\xff\xfea\x00\n\x00",
    b"\xef\xbb\xbf",
    b"a" * 300_000,
    b"[" * 100_000,
    b'{"ref": ' + b"[" * 50_000,
    b'{"ref": "\\udcff", "tgt": {"\\udcff": "a"}}\n',
    b'{"ref": "a", "tgt": {"A": 1e999}, "ref": "b"}\n',
    b"system\tsegment\tscore\nA\t1\t1e999\nA\t1\tnan\n",
    b"segment\t" + b"\t".join(b"c%d" % number for number in range(5000)) + b"\n",
    b"\t" * 10_000 + b"\n",
    b"\n" * 2_000,
    "\u2028\x85\x0c\r\r\n\x1c".encode(),
]
NAMES_OF_FILES = ["x.txt", "x.jsonl", "x.tsv", "x.xml", "x.sgm", "x.gz", "x.seg.score", "x.csv", "x.nbest", "x.ini"]
FEW = ["--resamples", "20"]
#: Every verb, with @ where it reads a file.
READERS = [
    ["score", "@", "-i", "@"],
    ["score", "@"],
    ["score", "ref.txt", "-i", "@", "-m", "chrf", "ter"],
    ["score", *SCORED, "-m", "file:@"],
    ["score", *SCORED, "-m", "0.5*file:@+0.5*bleu", "-sl"],
    ["score", *SCORED, "-m", "learned:@"],
    ["score", *SCORED, "-m", "hwcm:trees=folder"],
    ["score", *SCORED, "--documents", "@", "--by", "doc"],
    ["compare", "@", *FEW],
    ["compare", "ref.txt", "-i", "sysA.txt", "@", *FEW],
    ["rank", "@", *FEW],
    ["rank", "ref.txt", "-i", "sysA.txt", "@", *FEW],
    ["analyse", "ref.txt", "-i", "sysA.txt", "@", *FEW],
    ["analyse", *SCORED, "--frequencies", "@", *FEW],
    ["analyse", *SCORED, "--labels", "@", "@", *FEW],
    ["analyse", *SCORED, "--segment-labels", "@", *FEW],
    ["diff", "ref.txt", "-i", "sysA.txt", "@"],
    ["diff", "@"],
    ["metaeval", *SCORED, "--judgements", "@"],
    ["metaeval", *SCORED, "--judgements", "@", "--level", "segment", "-l", "en-de"],
    ["humans", "@", *FEW],
    ["humans", "@", "-l", "en-de", *FEW],
    ["agreement", "@"],
    ["agreement", "@", "--agreed", "--keep", "kept.tsv"],
    ["conclusions", *SCORED, "--judgements", "@", *FEW],
    ["learn", "train", *SCORED, "--judgements", "@", "--features", "chrf", "--model", "ridge", "-o", "made.model"],
    ["learn", "score", "@", *SCORED],
    ["learn", "index", "@", "-o", "made.index"],
    ["learn", "index", "--trees", "@", "-o", "made.index"],
    ["tune", "--nbest", "@", "-r", "ref.txt", "--restarts", "1"],
    ["tune", "--mert", "@", "@", "--restarts", "1"],
    ["tune", "--nbest", "list.nbest", "-r", "ref.txt", "--start", "@", "--restarts", "1", "--save", "made.txt"],
    ["tune", "--nbest", "list.nbest", "-r", "ref.txt", "--ini", "@", "--restarts", "1", "--save", "made.ini"],
    ["rerank", "@", "--weights", "weights.txt"],
    ["rerank", "list.nbest", "--weights", "@"],
    ["score", *SCORED, "--source", "sysA.txt", "-m", "act:dictionary=@"],
    ["score", *SCORED, "--source", "sysA.txt", "-m", "act:lang=fr,alignments=@"],
    ["mbr", "@"],
    ["mbr", "@", "-r", "@", "--list-format", "lines", "--per-segment", "2"],
    ["judge", "status", "@"],
    ["judge", "export", "@", "-o", "made"],
    ["align", "@", "@"],
    ["convert", "@", "-o", "made.jsonl"],
    ["convert", "@", "--to", "evalset", "-l", "en-de", "-o", "made"],
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A content as it is, cut, with a part twice, or with some bytes changed."""
    content = draw(st.sampled_from(CONTENTS))
    places = sorted(draw(st.lists(st.integers(0, len(content)), min_size=2, max_size=2)))
    way = draw(st.sampled_from(["sound", "sound", "cut", "doubled", "changed"]))
    start, end = places
    if way == "cut":
        return content[:start] + content[end:]
    if way == "doubled":
        return content[:end] + content[start:]
    if way == "changed":
        return content[:start] + draw(st.binary(max_size=8)) + content[end:]
    return content


@pytest.fixture(scope="module")
def bad_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sound files beside those that are not."""
    folder = tmp_path_factory.mktemp("bad")
    for name in ("ref.txt", "sysA.txt"):
        (folder / name).write_bytes(FILES[name])
    (folder / "list.nbest").write_bytes(next(content for content in CONTENTS if content.startswith(b"0 |||")))
    (folder / "weights.txt").write_bytes(b"F_0 1\nF_1 0.5\n")
    (folder / "folder").mkdir()
    return folder


@given(st.sampled_from(READERS), st.sampled_from(NAMES_OF_FILES), damaged(), st.booleans())
def test_bad_files(bad_dir: Path, words: list[str], name: str, content: bytes, onto_itself: bool) -> None:
    """Any content in any file of any verb; with `onto_itself`, the output is the file that is read."""
    name = "x.model" if any("learned:" in word for word in words) or words[:2] == ["learn", "score"] else name
    file = bad_dir / name
    file.write_bytes(content)
    (bad_dir / "folder" / "sysA.conllu").write_bytes(content)
    before = {path.name for path in bad_dir.iterdir()}
    arguments = [word.replace("@", name) for word in words]
    has_output = {"-o", "--keep", "--save"} & set(words)
    if onto_itself and "-o" in words:
        arguments[words.index("-o") + 1] = name
    elif onto_itself:
        arguments += ["-o", name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTASSAY_MAX_FILE_SIZE", "600K")
        patch.setenv("MTASSAY_MAX_LINE_SIZE", "200K")
        patch.setenv("MTASSAY_CACHE", os.fspath(bad_dir / "folder"))
        status = check(arguments, bad_dir, b"")
    reads_it = "@" in " ".join(words)
    if onto_itself and reads_it:
        assert status == 2
        assert file.read_bytes() == content
    made = {path.name for path in bad_dir.iterdir()} - before
    assert not made or (status == 0 and (has_output or onto_itself))
    for left in made:
        shutil.rmtree(bad_dir / left) if (bad_dir / left).is_dir() else (bad_dir / left).unlink()
    file.unlink()
