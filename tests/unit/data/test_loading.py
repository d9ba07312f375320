from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mtassay.data import is_test_set, load, load_files, read_lines, system_name
from mtassay.errors import InputError


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "ref.txt": "a1\na2\na3\n",
        "refs.tsv.txt": "a1\tb1\na2\t\na3\tb3\n",
        "online-A.txt": "x1\nx2\nx3\n",
        "online-B.0": "y1\ny2\ny3\n",
        "short.txt": "x1\nx2\n",
        "sub/online-A.txt": "z1\nz2\nz3\n",
        "src": "s1\ns2\ns3\n",
        "docs": "d1\nd1\nd2\n",
    }.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)


def stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_white_space_at_the_end_of_lines_is_dropped_unless_it_is_kept() -> None:
    Path("ref.txt").write_text("a1 \na2\u3000\n a3\n", encoding="utf-8")
    Path("online-A.txt").write_text("x1\t\nx2\n x3 \n")
    dropped = load_files(["ref.txt"], ["online-A.txt"])
    assert dropped.references == (("a1", "a2", " a3"),)
    assert dropped.systems == {"online-A": ("x1", "x2", " x3")}
    kept = load_files(["ref.txt"], ["online-A.txt"], keep_whitespace=True)
    assert kept.references == (("a1 ", "a2\u3000", " a3"),)
    assert kept.systems == {"online-A": ("x1\t", "x2", " x3 ")}


def test_a_pair_of_a_folder_is_named_like_a_file_in_it() -> None:
    for name, text in {"references/en-de.refA.txt": "a\n", "system-outputs/en-de/x.txt": "b\n"}.items():
        path = Path("wmt99", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert is_test_set("wmt99/en-de")
    assert load("wmt99/en-de") == load("wmt99", lp="en-de") == load("wmt99/en-de", lp="en-de")
    assert load("wmt99/en-de").language_pair == "en-de"
    with pytest.raises(InputError, match=r"wmt99/en-de names the language pair: leave out -l en-fr \(lp=\)"):
        load("wmt99/en-de", lp="en-fr")
    assert not is_test_set("sub/en-de")
    with pytest.raises(InputError, match="sub/en-de: no such file or folder"):
        load("sub/en-de")


def test_files_with_names_from_file_names() -> None:
    testset = load_files(["ref.txt"], ["online-A.txt", Path("online-B.0")], source="src", documents="docs")
    assert testset.systems == {"online-A": ("x1", "x2", "x3"), "online-B.0": ("y1", "y2", "y3")}
    assert testset.sources == ("s1", "s2", "s3")
    assert testset.documents == ("d1", "d1", "d2")
    assert testset.reference_names == ("ref",)


def test_given_names() -> None:
    testset = load_files(["ref.txt"], ["online-A.txt", "sub/online-A.txt"], names=["one", "two"])
    assert list(testset.systems) == ["one", "two"]


def test_references_only() -> None:
    assert load_files(["ref.txt", "ref.txt"], []).reference_names == ("ref1", "ref2")


def test_reference_columns_keep_empty_texts() -> None:
    testset = load_files(["refs.tsv.txt"], ["online-A.txt"], n_ref_columns=2)
    assert testset.references == (("a1", "a2", "a3"), ("b1", "", "b3"))
    assert testset.reference_names == ("refs.tsv:1", "refs.tsv:2")


def test_systems_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b"x1\ty1\nx2\ty2\nx3\ty3\n")
    assert load_files(["ref.txt"], ["-"]).systems == {
        "System 1": ("x1", "x2", "x3"),
        "System 2": ("y1", "y2", "y3"),
    }
    stdin(monkeypatch, b"x1\nx2\tq\nx3\n")
    with pytest.raises(InputError, match="standard input, line 2: 2 tab-separated columns, expected 1"):
        load_files(["ref.txt"], ["-"])


def test_unequal_line_counts_read_as_in_the_manual() -> None:
    with pytest.raises(InputError) as caught:
        load_files(["ref.txt"], ["short.txt"])
    assert str(caught.value) == "short.txt has 2 lines, ref.txt has 3: every system needs one line per reference line"
    Path("long.txt").write_text("x\n" * 1001)
    with pytest.raises(InputError, match=r"short\.txt has 2 lines, long\.txt has 1,001: every"):
        load_files(["long.txt"], ["short.txt"])
    Path("short.txt").write_text("x1\n")
    with pytest.raises(InputError, match=r"^short\.txt has 1 line, ref\.txt has 3: every system needs"):
        load_files(["ref.txt"], ["short.txt"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"references": [], "systems": []}, "no files of references or systems"),
        (
            {"references": [], "systems": ["online-A.txt", "short.txt"]},
            "short.txt has 2 lines, online-A.txt has 3: every system needs one line per segment",
        ),
        ({"lp": "en_zh"}, "en_zh: a language pair is written SRC-TGT"),
        ({"lp": "zh"}, "zh: a language pair is written SRC-TGT"),
        ({"lp": "en-"}, "en-: a language pair is written SRC-TGT"),
        (
            {"references": ["ref.txt", "short.txt"]},
            "short.txt has 2 lines, ref.txt has 3: all references need the same number of lines",
        ),
        ({"source": "short.txt"}, "short.txt has 2 lines, ref.txt has 3: the sources need"),
        ({"documents": "short.txt"}, "short.txt has 2 lines, ref.txt has 3: the documents need"),
        ({"domains": "short.txt"}, "short.txt has 2 lines, ref.txt has 3: the domains need"),
        (
            {"systems": ["online-A.txt", "sub/online-A.txt"]},
            "are both named 'online-A'; name the systems with --names",
        ),
        ({"names": ["a", "b"]}, "2 names for 1 system;"),
        ({"names": "a"}, "1 name for 1 system; give one name per system"),
        ({"systems": ["online-A.txt", "online-B.0"], "names": ["a", "a"]}, "two systems are named 'a'"),
        ({"systems": ["-", "-"]}, "standard input (-) can be read only once"),
        ({"references": ["-"], "systems": ["-"]}, "standard input (-) can be read only once"),
        ({"systems": ["online-C.txt"]}, "online-C.txt: no such file"),
        ({"references": ["ref.txt", "set.jsonl"]}, "set.jsonl is a whole test set by its name, but separate"),
        ({"references": ["set.XML.gz", "-"]}, "set.XML.gz is a whole test set by its name"),
        ({"systems": ["online-A.txt", "set.jsonl"]}, "set.jsonl is a whole test set by its name"),
        ({"source": "set.jsonl"}, "set.jsonl is a whole test set by its name"),
        (
            {"references": ["refs.tsv.txt"], "n_ref_columns": 3},
            "refs.tsv.txt, line 1: 2 tab-separated columns",
        ),
    ],
)
def test_mistakes(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        load_files(**{"references": ["ref.txt"], "systems": ["online-A.txt"], **arguments})  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_tables_may_be_plain_text() -> None:
    Path("x.tsv").write_text("x1\nx2\nx3\n")
    assert load_files(["ref.txt", "x.tsv"], ["x.tsv"]).systems == {"x.tsv": ("x1", "x2", "x3")}


def test_load_refuses_what_it_does_not_know() -> None:
    with pytest.raises(InputError, match=r"ref\.txt is not a test set by its name"):
        load("ref.txt")
    with pytest.raises(InputError, match=r"absent: no such file or folder"):
        load("absent")
    with pytest.raises(InputError, match=r"absent\.jsonl: no such file"):
        load("absent.jsonl")


@pytest.mark.parametrize("read", [load, read_lines, lambda path: load_files(["ref.txt"], [path])])
def test_an_empty_name_is_no_file(read: Callable[[str], object]) -> None:
    with pytest.raises(InputError, match="an empty file name"):
        read("")


@pytest.mark.parametrize("closed", [None, "closed"])
def test_closed_standard_input(monkeypatch: pytest.MonkeyPatch, closed: str | None) -> None:
    stdin(monkeypatch, b"x\n")
    if closed:
        sys.stdin.close()
    else:
        monkeypatch.setattr(sys, "stdin", None)
    for read in (load, read_lines):
        with pytest.raises(InputError, match=r"^standard input is closed; give a file$"):
            read("-")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("x.jsonl", True),
        ("x.tsv.gz", True),
        ("x.XML", True),
        ("S.JSONL.GZ", True),
        ("sub", True),
        ("ref.sgm", False),
        ("ref.txt", False),
        ("refs.tsv.txt", False),
        ("-", False),
        ("", False),
        ("a\0b", False),
    ],
)
def test_names_of_whole_test_sets(path: str, expected: bool) -> None:
    assert is_test_set(path) is expected


def test_suffixes_in_upper_case() -> None:
    Path("S.JSONL").write_text('{"ref": "a", "tgt": {"A": "b"}}\n')
    Path("S.TSV.GZ").write_bytes(gzip.compress(b"ref\tA\na\tb\n"))
    assert load("S.JSONL") == load("S.TSV.GZ")
    assert load("S.JSONL").name == "S"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b/online-A.0", "online-A.0"),
        ("sys.txt.gz", "sys"),
        ("SYS.TXT.GZ", "SYS"),
        ("sys.sgm", "sys"),
        ("sys.v2.txt", "sys.v2"),
        ("sys.hyp.xz", "sys.hyp"),
        (".txt", ".txt"),
        (".gz", ".gz"),
        ("MES:.2796", "MES:.2796"),
    ],
)
def test_system_names(path: str, name: str) -> None:
    assert system_name(path) == name


@pytest.mark.parametrize("path", [None, 3, b"ref.txt", io.StringIO("a"), ["ref.txt"]])
def test_load_wants_a_name(path: object) -> None:
    with pytest.raises(InputError, match=f"by its name, as str or Path, not as {type(path).__name__}$"):
        load(path)  # type: ignore[arg-type]


@pytest.mark.parametrize("suffix", [".jsonl", ".tsv", ".sgm"])
@pytest.mark.parametrize(("mark", "encoding"), [(b"\xff\xfe", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")])
def test_nothing_but_a_byte_order_mark_is_empty(suffix: str, mark: bytes, encoding: str) -> None:
    path = Path(f"mark{suffix}")
    path.write_bytes(mark)
    with pytest.raises(InputError, match=rf"^mark{suffix} is empty$"):
        load(path, encoding=encoding)
