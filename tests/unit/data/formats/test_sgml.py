from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data import load, load_files, read_sgml
from mtassay.errors import InputError

REF = """<!DOCTYPE mteval>
<REFSET setid="x" refid='r1'>
<Doc DocID="d1" genre="news" origlang="cs">
<hl><seg id="1"> R&amp;D &lt;b&gt; &quot;q&quot; &apos;s&apos; &euro; &amp;lt; </seg></hl>
<p>
<seg id=2>bare & and < stay
  on one line</seg>
</p>
</doc>
<doc docid="d2" genre="talk"><seg id="1"></seg></doc>
</REFSET>
"""


def write(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def system(name: str, *segments: tuple[str, str, str]) -> str:
    docs = "".join(
        f'<doc docid="{doc}" sysid="{name}"><seg id="{seg}">{text}</seg></doc>\n' for doc, seg, text in segments
    )
    return f"<tstset>\n{docs}</tstset>\n"


def test_tags_attributes_and_entities(tmp_path: Path) -> None:
    (stream,) = read_sgml(write(tmp_path, "ref.sgm", REF))
    assert (stream.kind, stream.name) == ("ref", "r1")
    assert stream.texts == {
        ("d1", "1"): "R&D <b> \"q\" 's' &euro; &lt;",
        ("d1", "2"): "bare & and < stay on one line",
        ("d2", "1"): "",
    }
    assert stream.genres == {"d1": "news", "d2": "talk"}


def test_segments_are_matched_by_document_and_segment(tmp_path: Path) -> None:
    ref = write(tmp_path, "ref.sgm", REF)
    two = system("A", ("d2", "1", "a3"), ("d1", "2", "a2"), ("d1", "1", "a1"))
    two += system("B", ("d1", "1", "b1"), ("d1", "2", "b2"), ("d2", "1", "b3"))
    testset = load_files([ref], [write(tmp_path, "sys.sgm", two)])
    assert testset.systems == {"A": ("a1", "a2", "a3"), "B": ("b1", "b2", "b3")}
    assert testset.documents == ("d1", "d1", "d2")
    assert testset.domains == ("news", "news", "talk")
    assert testset.ids == ("1", "2", "1")
    assert testset.reference_names == ("r1",)


def test_line_files_follow_the_order_of_the_sgml_file(tmp_path: Path) -> None:
    ref = write(tmp_path, "ref.sgm", REF)
    testset = load_files([ref], [write(tmp_path, "A.txt", "1\n2\n3\n")])
    assert testset.systems == {"A": ("1", "2", "3")}
    with pytest.raises(InputError, match=r"B\.txt has 2 lines, .*ref\.sgm has 3"):
        load_files([ref], [write(tmp_path, "B.txt", "1\n2\n")])
    plain = write(tmp_path, "plain", "1\n2\n")
    with pytest.raises(InputError, match=r"ref\.sgm has 3 lines, .*plain has 2"):
        load_files([plain], [ref])


def test_names_come_from_the_file_where_it_gives_none(tmp_path: Path) -> None:
    ref = write(tmp_path, "ref.sgm", '<refset><doc docid="d"><seg id="1">a</seg></doc></refset>')
    hyp = write(tmp_path, "hyp.sgm", '<tstset><doc docid="d"><seg id="1">b</seg></doc></tstset>')
    testset = load_files([ref], [hyp])
    assert (testset.reference_names, testset.systems) == (("ref",), {"hyp": ("b",)})
    assert testset.domains is None


def test_one_file_with_everything(tmp_path: Path) -> None:
    source = '<srcset><doc docid="d" sysid="x"><seg id="1">s</seg></doc></srcset>'
    ref = '<refset><doc docid="d" sysid="r"><seg id="1">a</seg></doc></refset>'
    both = f"<mteval>{source}{ref}{system('A', ('d', '1', 'b'))}</mteval>"
    testset = load(write(tmp_path, "all.sgm", both))
    assert (testset.references, testset.systems, testset.sources) == ((("a",),), {"A": ("b",)}, ("s",))


def test_load_needs_references_and_systems(tmp_path: Path) -> None:
    path = write(tmp_path, "ref.sgm", REF)
    with pytest.raises(InputError, match="has only a refset; give references and systems as separate files"):
        load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plain text\n", "has no <seg>"),
        (
            '<refset>\n<doc docid="d">\n<seg id="1">a\n<seg id="2">b</seg></doc></refset>',
            "line 3: <seg> is not closed",
        ),
        ('<refset>\n<doc docid="d">\n<seg id="1">a\n</doc></refset>', "line 3: <seg> is not closed"),
        ('<refset>\n<doc docid="d">\n<seg id="1">a', "line 3: <seg> is not closed"),
        ('<refset>\n<doc docid="d">\n<seg id="1"', "line 3: the tag <seg is not closed by '>'"),
        ('<refset>\n<doc docid="d">\n</seg>', "line 3: </seg> without <seg>"),
        ('<refset>\n<doc docid="d">\n<seg>a</seg></doc></refset>', "line 3: <seg> without id"),
        ('<refset>\n<doc>\n<seg id="1">a</seg></doc></refset>', "line 2: <doc> without docid"),
        ('<refset>\n<seg id="1">a</seg></refset>', "line 2: <seg> outside of <doc>"),
        ('<doc docid="d">\n<seg id="1">a</seg></doc>', "line 2: <seg> outside of <doc>"),
        (
            '<refset><doc docid="d" sysid="r">\n<seg id="1">a</seg>\n<seg id="1">b</seg></doc></refset>',
            "line 3: segment '1' of document 'd' of 'r' occurs twice",
        ),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, "x.sgm", text)
    with pytest.raises(InputError) as caught:
        read_sgml(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        ([("d1", "1", "a"), ("d2", "1", "c")], "'A' has no segment '2' of document 'd1'"),
        (
            [("d1", "1", "a"), ("d1", "2", "b"), ("d2", "1", "c"), ("d3", "1", "d")],
            "'A' has segment '1' of document 'd3'",
        ),
    ],
)
def test_missing_and_surplus_segments(tmp_path: Path, segments: list[tuple[str, str, str]], message: str) -> None:
    ref = write(tmp_path, "ref.sgm", REF)
    with pytest.raises(InputError) as caught:
        load_files([ref], [write(tmp_path, "sys.sgm", system("A", *segments))])
    assert "sys.sgm: " in str(caught.value)
    assert message in str(caught.value)
