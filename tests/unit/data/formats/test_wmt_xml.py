from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mtassay.data import TestSet, load, read_wmt_xml
from mtassay.errors import InputError

GOOD = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="test">
  <collection id="general">
  <doc id="d1" origlang="en" domain="news">
    <src lang="en"><p><seg id="1">one &amp; two</seg>
      <seg id="2">three
         four</seg></p><p><seg id="3">no reference</seg></p></src>
    <ref lang="de" translator="A"><p><seg id="1">eins</seg><seg id="2"> zwei </seg></p></ref>
    <ref lang="de" translator="B"><p><seg id="2"></seg><seg id="1">Eins</seg></p></ref>
    <hyp lang="de" system="online"><p><seg id="2">x2</seg><seg id="1">x1</seg><seg id="3">x3</seg></p></hyp>
  </doc>
  <doc id="suite" origlang="en" testsuite="special"><src lang="en"><p><seg id="1">s</seg></p></src></doc>
  <doc id="d2" origlang="en" domain="talk">
    <src lang="en"><p><seg id="1">five</seg></p></src>
    <ref lang="de" translator="B"><p><seg id="1">fuenf</seg></p></ref>
    <hyp lang="de" system="online"><p><seg id="1"/></p></hyp>
  </doc>
  </collection>
</dataset>
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "set.xml"
    path.write_text(text, encoding="utf-8")
    return path


def test_documents_references_and_systems(tmp_path: Path) -> None:
    assert load(write(tmp_path, GOOD)) == TestSet(
        [["eins", "zwei", None], ["Eins", None, "fuenf"]],
        {"online": ["x1", "x2", ""]},
        sources=["one & two", "three four", "five"],
        documents=["d1", "d1", "d2"],
        domains=["news", "news", "talk"],
        ids=["1", "2", "1"],
        reference_names=["refA", "refB"],
        name="set",
    )


def test_compressed_and_declared_encoding(tmp_path: Path) -> None:
    text = "<?xml version='1.0' encoding='iso-8859-1'?><dataset><doc id='d'><src><seg id='1'>é</seg></src>"
    text += "<ref><seg id='1'>ü</seg></ref></doc></dataset>"
    path = tmp_path / "set.xml.gz"
    path.write_bytes(gzip.compress(text.encode("latin-1")))
    testset = load(path)
    assert (testset.sources, testset.references, testset.reference_names) == (("é",), (("ü",),), ("ref",))
    assert testset.domains is None


BOMB = """<?xml version="1.0"?>
<!DOCTYPE dataset [
<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
]>
<dataset><doc id="d"><src><seg id="1">&b;</seg></src></doc></dataset>
"""
EXTERNAL = """<?xml version="1.0"?>
<!DOCTYPE dataset [
<!ENTITY x SYSTEM "file:///etc/hostname">
]>
<dataset><doc id="d"><src><seg id="1">&x;</seg></src></doc></dataset>
"""


@pytest.mark.parametrize("text", [BOMB, EXTERNAL])
def test_entities_are_refused(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_wmt_xml(path)
    assert f"{path}, line 3: entity declarations are not allowed" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</collection>", "</colection>", "line 18: broken XML (mismatched tag)"),
        ("one &amp; two", "one & two", "line 5: broken XML"),
        ('<doc id="d2"', "<doc", "line 13: <doc> without id"),
        ('system="online"><p><seg id="2"', '><p><seg id="2"', "line 10: <hyp> without system"),
        ('<seg id="1"/>', "<seg/>", "line 16: <seg> without id"),
        (
            'translator="B"><p><seg id="2"',
            'translator="A"><p><seg id="2"',
            "line 9: reference 'A' occurs twice",
        ),
        (
            '<seg id="2">x2',
            '<seg id="1">x2',
            "line 10: system 'online' has segment '1' of document 'd1' twice",
        ),
        ('<seg id="2">x2</seg>', "", "line 4: in document 'd1', system 'online' has no segment '2'"),
        ('<seg id="2">x2', '<seg id="9">x2', "line 4: in document 'd1', system 'online' has segment '9'"),
        ('<seg id="2"> zwei', '<seg id="9"> zwei', "line 4: in document 'd1', reference 'A' has segment '9'"),
        ('<seg id="1"/>', "<seg id='1'><seg id='2'/></seg>", "line 16: <seg> must be in"),
        (
            '<src lang="en"><p><seg id="1">five</seg></p></src>',
            '<seg id="1"/>',
            "line 14: <seg> must be in",
        ),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_wmt_xml(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<dataset/>", "has no <doc>"),
        ("<dataset><doc id='d'><src><seg id='1'>a</seg></src></doc></dataset>", "has no <ref>"),
        (
            "<dataset><doc id='d'><src><seg id='1'>a</seg></src><ref><seg id='1'/></ref></doc></dataset>",
            "no segment has a reference",
        ),
        ("not xml", "line 1: broken XML"),
        ("<?xml version='1.0' encoding='klingon'?><dataset/>", "line 1"),
    ],
)
def test_sets_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=message) as caught:
        read_wmt_xml(path)
    assert str(caught.value).startswith(str(path))
