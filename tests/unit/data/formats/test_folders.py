from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mtassay.data import TestSet, load, read_evalset, read_folder
from mtassay.errors import InputError


def put(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def evalset(tmp_path: Path) -> Path:
    root = tmp_path / "wmt"
    put(
        root,
        **{
            "sources/en-de.txt": "s1\ns2\n",
            "references/en-de.refA.txt": "a1\na2\n",
            "references/en-de.ref.B.txt": "b1\nb2\n",
            "system-outputs/en-de/refA.txt": "a1\na2\n",
            "system-outputs/en-de/online-A.0.txt": "x1\nx2\n",
            "system-outputs/en-de/.DS_Store": "junk",
            "documents/en-de.docs": "news\td1\nnews\td2\n",
        },
    )
    return root


def test_evalset(evalset: Path) -> None:
    expected = TestSet(
        [["b1", "b2"], ["a1", "a2"]],
        {"online-A.0": ["x1", "x2"], "refA": ["a1", "a2"]},
        sources=["s1", "s2"],
        documents=["d1", "d2"],
        domains=["news", "news"],
        reference_names=["ref.B", "refA"],
        name="wmt/en-de",
    )
    whole: Any = {"references": "all", "include_references": True}
    assert load(evalset, **whole) == expected
    assert load(evalset, lp="en-de", **whole) == expected
    assert read_evalset(evalset, "en-de", references=["refA"]).references == (("a1", "a2"),)
    assert read_evalset(evalset, references=["refA", "ref.B"]).reference_names == ("refA", "ref.B")


def test_the_standard_reference_of_an_evalset(tmp_path: Path) -> None:
    texts = {
        f"references/{lp}.{name}.txt": f"{name}\n" for lp in ("en-de", "he-en") for name in ("refB", "refA", "refC")
    }
    texts |= {"references/en-de.asynthetic_ref.txt": "s\n", "system-outputs/en-de/refB.txt": "refB\n"}
    texts |= {"system-outputs/en-de/A.txt": "a \n", "system-outputs/en-de/synthetic.x.txt": "a\n"}
    for name in ("wmt23", "mine"):
        (tmp_path / name).mkdir()
        put(tmp_path / name, **texts)
    standard = {(name, lp): load(tmp_path / name, lp=lp) for name in ("wmt23", "mine") for lp in ("en-de", "he-en")}
    # As the release has it; elsewhere the first that is not synthetic, in the order of names.
    assert standard["wmt23", "en-de"].reference_names == ("refA",)
    assert standard["wmt23", "he-en"].reference_names == ("refB",)
    assert standard["mine", "en-de"].reference_names == ("refA",)
    assert standard["mine", "en-de"].systems == {"A": ("a",)}
    assert set(standard["mine", "en-de"].set_aside) == {"refB", "synthetic.x"}
    assert load(tmp_path / "mine", lp="en-de", keep_whitespace=True).systems == {"A": ("a ",)}
    assert load(tmp_path / "mine", lp="en-de", references="refC").references == (("refC",),)


def test_evalset_without_labels_or_systems(evalset: Path) -> None:
    put(evalset, **{"documents/en-de.docs": "-\td1\n-\td2\n", "references/zh-en.refA.txt": "x\n"})
    assert read_evalset(evalset, "en-de").domains is None
    assert read_evalset(evalset, "en-de").documents == ("d1", "d2")
    small = read_evalset(evalset, "zh-en")
    assert (small.systems, small.sources, small.documents) == ({}, None, None)


def test_evalset_choices(evalset: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"pair named 'en-dd'; did you mean 'en-de'\? \(known: en-de\)"):
        read_evalset(evalset, "en-dd")
    with pytest.raises(InputError, match="no reference named 'refa'; did you mean 'refA'"):
        read_evalset(evalset, references="refa")
    with pytest.raises(InputError, match=r"no reference chosen .*there are: ref\.B, refA"):
        read_evalset(evalset, references=[])
    put(evalset, **{"references/zh-en.refA.txt": "x\n"})
    with pytest.raises(InputError, match=r"several language pairs; choose one with -l \(lp=\): en-de, zh-en"):
        load(evalset)
    with pytest.raises(InputError, match=r"has no references/LP\.NAME\.txt"):
        read_evalset(tmp_path)


def test_evalset_line_errors(evalset: Path) -> None:
    put(evalset, **{"documents/en-de.docs": "news\td1\nnews d2\n"})
    with pytest.raises(InputError, match=r"en-de\.docs, line 2: 1 tab-separated column, expected 2"):
        read_evalset(evalset)
    put(evalset, **{"documents/en-de.docs": "news\td1\n"})
    with pytest.raises(InputError, match=r"en-de\.docs has 1 line, .*en-de\.ref\.B\.txt has 2"):
        read_evalset(evalset)
    put(evalset, **{"system-outputs/en-de/jhu.txt": "x\n", "documents/en-de.docs": "n\td\nn\td\n"})
    with pytest.raises(InputError, match=r"^\S*jhu\.txt has 1 line, \S*en-de\.ref\.B\.txt has 2: every file"):
        read_evalset(evalset)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "wmt21" / "en-de"
    put(
        root,
        **{
            "src": "s1\ns2\n",
            "ref.A": "a1\na2\n",
            "ref.C.txt": "c1\nc2\n",
            "pairs.tsv": "1\tx\ty\n",
            "hyp/online-A.0": "x1\nx2\n",
            "doc": "d1\nd1\n",
        },
    )
    (root / "hyp" / "jhu.txt.gz").write_bytes(gzip.compress(b"y1\ny2\n"))
    return root


def test_folder(folder: Path) -> None:
    expected = TestSet(
        [["a1", "a2"], ["c1", "c2"]],
        {"jhu": ["y1", "y2"], "online-A.0": ["x1", "x2"]},
        sources=["s1", "s2"],
        documents=["d1", "d1"],
        reference_names=["refA", "refC"],
        name="wmt21/en-de",
    )
    assert load(folder) == expected
    assert load(folder, lp="en-de") == expected
    assert load(folder.parent, lp="en-de") == expected


def test_folder_of_no_pair_may_be_of_any(folder: Path) -> None:
    single = folder.rename(folder.parent / "my-set")
    assert load(single, lp="en-zh") == replace(load(single), language_pair="en-zh")


def test_files_of_another_pair_by_their_name(tmp_path: Path) -> None:
    for name, text in (("news.en-de.jsonl", '{"ref": "a", "tgt": {"x": "b"}}\n'), ("news.en-de.tsv", "ref\tx\na\tb\n")):
        put(tmp_path, **{name: text})
        assert load(tmp_path / name).language_pair == load(tmp_path / name, lp="en-de").language_pair == "en-de"
        with pytest.raises(
            InputError, match=rf"{name} is a single test set, for en-de by its name; leave out -l zh-en"
        ):
            load(tmp_path / name, lp="zh-en")


def test_folder_errors(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"for en-de by its name; leave out -l zh-en \(lp=\)"):
        load(folder, lp="zh-en")
    with pytest.raises(InputError, match=r"has several test sets; choose one with -l \(lp=\): en-de"):
        load(folder.parent)
    with pytest.raises(InputError, match=r"no test set named 'en-dd'; did you mean 'en-de'\? \(known: en-de\)"):
        load(folder.parent, lp="en-dd")
    with pytest.raises(InputError, match="is not a test set"):
        load(tmp_path)
    with pytest.raises(InputError, match="has no file 'ref'"):
        read_folder(folder / "hyp")
    put(folder, **{"hyp/jhu": "y1\ny2\n"})
    with pytest.raises(InputError, match="have the same name 'jhu'"):
        load(folder)
    (folder / "hyp" / "jhu").unlink()
    put(folder, **{"hyp/short": "y1\n"})
    with pytest.raises(InputError, match=r"^\S*hyp/short has 1 line, \S*ref\.A has 2"):
        load(folder)
    with pytest.raises(InputError, match="cannot be listed"):
        read_folder(tmp_path / "absent")
