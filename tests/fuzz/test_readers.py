"""Random bytes and nearly valid files to readers: a sound test set, or MtassayError."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import (
    TestSet,
    load,
    load_files,
    load_judgements,
    read_jsonl,
    read_lines,
    read_scores,
    read_sgml,
    read_tsv,
    read_wmt_xml,
    write_evalset,
    write_jsonl,
    write_judgements,
)
from mtassay.errors import MtassayError

ANY = st.characters(exclude_categories=())
LINE = st.one_of(st.text(max_size=6), st.sampled_from(["", " ", "a b", "\r", "\u2028", "\x85", "\x00", "é", "\ufeff"]))
LINES = st.lists(LINE, max_size=5).map("\n".join)
ENCODINGS = st.one_of(
    st.just("utf-8"),
    st.sampled_from(
        ["utf-8-sig", "utf-16", "utf-32", "utf-7", "latin-1", "ascii", "cp1252", "big5", "idna", "punycode"]
    ),
    st.sampled_from(
        ["hex", "rot13", "zlib", "undefined", "unicode_escape", "raw_unicode_escape", "mbcs", "", "\x00", "é"]
    ),
    st.text(ANY, max_size=5),
)
COMPRESS: dict[str, Any] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, "": bytes}


def check(reader: Any, *args: Any, **options: Any) -> Any:
    """What the reader gives, or None after an error fit for a user."""
    try:
        found = reader(*args, **options)
    except MtassayError:
        return None
    if isinstance(found, TestSet):
        streams = [*found.references, *found.systems.values()]
        assert found.n_segments > 0
        assert {len(stream) for stream in streams} <= {found.n_segments}  # there may be sources alone
        assert all(any(text is not None for text in texts) for texts in zip(*found.references, strict=True))
        assert len(found.reference_names) == found.n_references
        for labels in (found.sources, found.documents, found.domains, found.ids):
            assert labels is None or len(labels) == found.n_segments
        assert repr(found)
    return found


def encoded(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogatepass")


@given(st.one_of(st.binary(), LINES.map(encoded)), ENCODINGS)
def test_lines(folder: Path, content: bytes, encoding: str) -> None:
    path = folder / "lines"
    path.write_bytes(content)
    lines = check(read_lines, path, encoding=encoding)
    assert lines is None or all(isinstance(line, str) and "\n" not in line for line in lines)


@given(LINES.map(encoded), st.sampled_from([*COMPRESS]), st.sampled_from([*COMPRESS]), st.data())
def test_compressed_and_damaged(folder: Path, content: bytes, kind: str, suffix: str, data: st.DataObject) -> None:
    packed = bytearray(COMPRESS[kind](content))
    for _ in range(data.draw(st.integers(0, 2))):
        if packed:
            packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.just(len(packed)), st.integers(0, len(packed))))
    path = folder / f"packed{suffix}"
    path.write_bytes(bytes(packed[:cut]) + data.draw(st.sampled_from([b"", b"", b"\x00\x00", b"tail"])))
    check(read_lines, path)


COLUMN = st.sampled_from(["ref", "ref1", "refA", "ref:x", "src", "doc", "domain", "id", "sys", "B", "source", "", " "])


@given(
    st.lists(COLUMN, min_size=1, max_size=5, unique=True),
    st.lists(st.lists(LINE, min_size=1, max_size=5), max_size=4),
    st.booleans(),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
)
def test_tsv(folder: Path, header: list[str], rows: list[list[str]], fit: bool, end: str) -> None:
    if fit:
        rows = [(row * len(header))[: len(header)] for row in rows]
    path = folder / "set.tsv"
    path.write_bytes(encoded(end.join("\t".join(row) for row in [header, *rows])))
    check(read_tsv, path)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(ANY, max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=6,
)
SYSTEMS = st.dictionaries(st.sampled_from(["A", "B", "", "a\tb", "\ud800"]), st.one_of(LINE, LINE, JSON), max_size=2)
REFERENCES = st.one_of(
    st.lists(st.one_of(LINE, st.none()), max_size=3),
    st.dictionaries(st.sampled_from(["refA", "refB", ""]), st.one_of(LINE, st.none()), max_size=2),
    JSON,
)
OBJECT = st.fixed_dictionaries(
    {},
    optional={
        "ref": st.one_of(LINE, LINE, JSON),
        "refs": REFERENCES,
        "tgt": st.one_of(SYSTEMS, SYSTEMS, JSON),
        "src": st.one_of(LINE, JSON),
        "doc": st.one_of(LINE, st.integers(), JSON),
        "domain": LINE,
        "id": st.one_of(st.integers(), LINE),
    },
)


@given(st.lists(st.one_of(OBJECT, OBJECT, OBJECT, JSON), min_size=1, max_size=3), st.booleans(), st.data())
def test_jsonl(folder: Path, objects: list[Any], repeat: bool, data: st.DataObject) -> None:
    lines = [json.dumps(item, ensure_ascii=data.draw(st.booleans())) for item in objects]
    if repeat:
        lines = lines[:1] * 3
    text = "\n".join(lines)
    cut = data.draw(st.one_of(st.just(len(text)), st.integers(0, len(text))))
    path = folder / "set.jsonl"
    path.write_bytes(encoded(text[:cut]))
    check(read_jsonl, path)


SCORE_HEADERS = ["system", "segment", "id", "score", "SCORE", "doc", "metric", "lp", "testset", "A", "B", "", " "]
SCORE_CELLS = st.one_of(
    st.sampled_from(["A", "B", "A", "1", "2", "0", "0.5", "-1e3", "None", "nan", "inf", "1e999", "1_0", "", "fr-en"]),
    st.sampled_from(["\r", "\ufeff", "٣", "{", '{"a": 1}', "1" * 400]),
    LINE,
)


def check_scores(path: Path, **options: Any) -> None:
    """Whatever is read can be asked for any system, or refuses with an error fit for a user."""
    found = check(read_scores, path, **options)
    if found is None:
        return
    for system in [*found.rows, "A", "C"]:
        for ids in (None, ["A", "1"]):
            values = check(found.of_system, system, 2, ids=ids)
            assert values is None or len(values) == (1 if found.level == "system" else 2)
            for value in values or ():  # None is a missing score
                assert value is None or (isinstance(value, float) and abs(value) < 1e101)


@given(
    st.lists(st.sampled_from(SCORE_HEADERS), max_size=6),
    st.lists(st.lists(SCORE_CELLS, min_size=1, max_size=8), max_size=4),
    st.integers(0, 8),
    st.sampled_from(["x.tsv", "x.seg.score", "x.sys.score", "x.doc.score", "x.jsonl", "x"]),
    st.sampled_from([None, "score", "A", "system", ""]),
)
def test_scores(
    folder: Path, header: list[str], rows: list[list[str]], width: int, name: str, column: str | None
) -> None:
    width = len(header) or width
    rows = [(row * 8)[:width] for row in rows] if width else rows
    path = folder / name
    path.write_bytes(encoded("\n".join("\t".join(row) for row in ([header] if header else []) + rows)))
    check_scores(path, column=column)


SCORE_OBJECT = st.fixed_dictionaries(
    {},
    optional={
        "system": st.one_of(st.sampled_from(["A", "A", "B"]), JSON),
        "segment": st.one_of(st.integers(0, 3), SCORE_CELLS, JSON),
        "id": st.one_of(st.sampled_from(["1", "A"]), JSON),
        "score": st.one_of(st.floats(), st.integers(), SCORE_CELLS, JSON),
        "lp": st.sampled_from(["fr-en", "de-en"]),
        "x": JSON,
    },
)


@given(st.lists(st.one_of(SCORE_OBJECT, SCORE_OBJECT, JSON), min_size=1, max_size=4), st.sampled_from(["fr-en", "x"]))
def test_scores_in_jsonl(folder: Path, objects: list[Any], lp: str) -> None:
    path = folder / "scores.jsonl"
    path.write_bytes(encoded("\n".join(json.dumps(item) for item in objects)))
    check_scores(path)
    check_scores(path, where={"lp": lp}, column="x")


@given(st.binary(), st.sampled_from(["x.seg.score", "x.jsonl", "x.tsv.gz"]))
def test_any_bytes_as_scores(folder: Path, content: bytes, name: str) -> None:
    path = folder / name
    path.write_bytes(content)
    check_scores(path)


JUDGED = TestSet([["r", "s"]], {"A": ["a", "b"], "B": ["c", "d"]}, ids=["A", "1"])
EARLY = ["TASK", "TYPE", "ITEM_ID", "ANNOTATOR_ID", *(f"SYSTEM_{k}" for k in range(5))]
EARLY += [f"SCORE_{k}_{letter}" for k in range(5) for letter in "AB"]
JUDGEMENT_HEADERS = [
    ["srclang", "trglang", "srcIndex", "judgeId", "system1Id", "system1rank", "system2Id", "system2rank"],
    ["srclang", "trglang", "srcIndex", "judgeId", "system1Id", "system1rank", "system2Id", "system2rank", "rankingID"],
    ["srclang", "trglang", "srcIndex", "judgeId", "systemId", "judgment"],
    ["rankingID", "segment", "judge", "items"],
    ["SYS", "SID", "RAW.SCR", "Z.SCR", "N"],
    ["LP", "SYSTEM", "SID", "HUMAN"],
    ["system", "mqm_avg_score", "seg_id"],
    ["segment", "judge", "system", "score", "kind", "aspect", "better"],
    ["id", "judge", "system", "rank", "item"],
    ["segment", "first", "second", "outcome", "item"],
    EARLY,
    ["HITId", "WorkerId", "src", "trg", "item", "hit", "sys_id", "rid", "type", "sid", "score", "time"],
    ["username", "system", "itemId", "itemType", "srcLang", "trgLang", "score", "timeStart", "timeEnd"],
    [],
]
#: What belongs into columns, so that some files are read whole.
FIT = {
    "srclang": ["Czech", "French"], "trglang": ["English"], "items": ["A=1 B=2", "A+B=1", "A=1 B=2", "A=1 A=1"],
    "TASK": ["WMT08 Czech-English News"] * 3 + ["WMT07 Czech-English News"], "outcome": ["1", "0", "-1"],
    "TYPE": ["RANK", "NIST", "CONSTITUENT_ACCEPT", "EDIT_ACCEPT"], "judgment": ["YES", "NO", "UNK"],
    "better": ["higher"] * 3 + ["lower"], "LP": ["cs-en"], "aspect": ["da", "da", "esa"], "id": ["A", "1", "2"],
    "src": ["cs", "cs", "fr"], "trg": ["en"], "item": ["ad", "ad", "fl"], "itemType": ["TGT", "BAD", "CHK", "REF"],
    "type": ["SYSTEM", "SYSTEM", "BAD_REF", "REPEAT", "REF"], "srcLang": ["cze", "cze", "fra"], "trgLang": ["eng"],
}  # fmt: skip
NUMBERS = ["1", "2", "1", "2"]
ODD_CELLS = st.one_of(st.sampled_from(["3", "-1", "0", "1.5", "-", "", "9" * 30, "A+B"]), SCORE_CELLS)
SYSTEM_COLUMNS = ("system", "SYS", "SYSTEM", "systemId", "system1Id", "system2Id", "first", "second", "sys_id")


def check_judgements(folder: Path, path: Path, **options: Any) -> None:
    """Whatever is read is sound, and is written and read back the same."""
    found = check(load_judgements, path, **options)
    if found is None:
        return
    assert len(found) > 0
    assert len(set(found.systems)) == len(found.systems)
    copy = folder / "copy.jsonl"
    write_judgements(found, copy, format="jsonl")
    back = load_judgements(copy)
    assert type(back) is type(found)
    for key, value in vars(found).items():
        if hasattr(value, "all"):
            np.testing.assert_array_equal(value, getattr(back, key))
        elif key != "other_pairs":  # a file that is written has one language pair
            assert value == getattr(back, key)


@given(
    st.sampled_from(JUDGEMENT_HEADERS),
    st.sampled_from([",", "\t", " "]),
    st.booleans(),
    st.fixed_dictionaries(
        {},
        optional={
            "lp": st.sampled_from(["cs-en", "x"]),
            "task": st.sampled_from(["rank", "adequacy", "fluency", "acceptability", "da"]),
            "split": st.booleans(),
            "testset": st.just(JUDGED),
            "rename": st.sampled_from([{"B": None}, {"B": "A"}]),
        },
    ),
    st.data(),
)
def test_judgements(
    folder: Path, header: list[str], delimiter: str, odd: bool, options: dict[str, Any], data: st.DataObject
) -> None:
    def cell(column: str) -> st.SearchStrategy[str]:
        names = ["A", "B", "A.7", "_ref"] if column in SYSTEM_COLUMNS or "SYSTEM_" in column else None
        return st.one_of(st.sampled_from(FIT.get(column) or names or NUMBERS), *([ODD_CELLS] if odd else []))

    rows = data.draw(st.lists(st.tuples(*map(cell, header or ["segment", "first", "second"])), min_size=1, max_size=4))
    path = folder / "judgements"
    lines = [delimiter.join(row) for row in ([header] if header else []) + [list(row) for row in rows]]
    path.write_bytes(encoded("\n".join(lines)))
    check_judgements(folder, path, **options)


SCORED = {"segment": st.one_of(st.integers(0, 3), JSON), "system": st.sampled_from(["A", "B", ""])}
RANKED = st.fixed_dictionaries({**SCORED, "rank": st.integers(-1, 5), "item": st.integers(0, 3)})
OFFSET = st.one_of(st.integers(0, 5), JSON)
SPAN = st.fixed_dictionaries(
    {"severity": st.one_of(st.sampled_from(["minor", "major", "critical"]), JSON)},
    optional={
        "start": OFFSET,
        "end": OFFSET,
        "category": st.one_of(st.just("a/b"), JSON),
        "missing": st.booleans(),
        "source": st.booleans(),
    },
)
SPANS = st.one_of(st.lists(SPAN, max_size=2), st.just([]), JSON)
OBJECTS = st.one_of(
    st.lists(st.fixed_dictionaries({**SCORED, "spans": SPANS}), min_size=1, max_size=3),
    st.lists(st.one_of(SCORE_OBJECT, JSON), min_size=1, max_size=4),
    st.lists(st.fixed_dictionaries({**SCORED, "score": st.one_of(st.floats(), st.none())}), min_size=1, max_size=4),
    st.lists(RANKED, min_size=1, max_size=4),
)


@given(OBJECTS)
def test_judgements_in_jsonl(folder: Path, objects: list[Any]) -> None:
    path = folder / "judgements.jsonl"
    path.write_bytes(encoded("\n".join(json.dumps(item) for item in objects)))
    check_judgements(folder, path)


RATED = st.one_of(
    st.just("None"),
    st.fixed_dictionaries({"errors": st.lists(SPAN, max_size=2)}).map(json.dumps),
    JSON.map(json.dumps),
)


@given(
    st.lists(st.tuples(st.sampled_from("AB"), RATED, LINE), min_size=1, max_size=4), st.integers(1, 3), st.booleans()
)
def test_ratings(folder: Path, rows: list[tuple[str, str, str]], width: int, is_checked: bool) -> None:
    path = folder / "x.rating"
    path.write_bytes(encoded("\n".join("\t".join(row[:width]) for row in rows)))
    check_judgements(folder, path, **({"testset": JUDGED} if is_checked else {}))


@given(
    st.binary(), st.sampled_from([None, "rankings", "tasks", "pairs", "da", "jsonl", "scores", "spans", "ratings", "?"])
)
def test_any_bytes_as_judgements(folder: Path, content: bytes, form: str | None) -> None:
    path = folder / "judgements"
    path.write_bytes(content)
    check_judgements(folder, path, format=form)


MARKUP = [
    "<refset ",
    "<tstset ",
    "<srcset ",
    "</refset>",
    "</tstset>",
    'setid="s" ',
    'sysid="A"',
    "refid=R ",
    "trglang='en' ",
]
MARKUP += [
    ">",
    '<doc docid="d1">',
    "<doc docid=d2 genre='news'>",
    "<doc>",
    "</doc>",
    '<seg id="1">',
    "<seg id=2>",
    "<SEG>",
]
MARKUP += ["</seg>", "</SEG >", "text", "a < b & c", "&amp;lt;", "\n", "  ", "é", "\x00", '"', "'", "<!--", "-->"]
SGML = st.lists(st.sampled_from(MARKUP), max_size=20).map("".join)
SOUND_SGML = st.lists(st.tuples(LINE, st.sampled_from("123")), max_size=4).map(
    lambda segments: (
        '<refset setid="s" refid="R"><doc docid="d">'
        + "".join(f'<seg id="{number}">{text}</seg>' for text, number in segments)
        + '</doc></refset><tstset sysid="A"><doc docid="d">'
        + "".join(f'<seg id="{number}">{text}</seg>' for text, number in segments[::-1])
        + "</doc></tstset>"
    )
)


@given(st.one_of(SGML, SOUND_SGML, st.tuples(SGML, SOUND_SGML, SGML).map("".join), st.text(ANY)))
def test_sgml(folder: Path, text: str) -> None:
    path = folder / "set.sgm"
    path.write_bytes(encoded(text))
    check(read_sgml, path)
    check(load, path)


XML = [
    "<dataset>",
    "</dataset>",
    '<doc id="d1">',
    '<doc id="d2" domain="news">',
    '<doc testsuite="t" id="d3">',
    "<doc>",
]
XML += [
    "</doc>",
    "<src>",
    "</src>",
    '<ref translator="A">',
    "<ref>",
    "</ref>",
    '<hyp system="S">',
    "<hyp>",
    "</hyp>",
    "<p>",
]
XML += [
    "</p>",
    '<seg id="1">',
    '<seg id="2">',
    "<seg>",
    "</seg>",
    "text",
    "&lt;",
    "&#0;",
    "&x;",
    "é",
    "\n",
    "<a/>",
    "]]>",
]
HEADS = [
    "",
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<?xml version="1.0" encoding="latin-1"?>',
    "\ufeff",
    "\n<?xml?>",
]
HEADS += ['<?xml version="1.0" encoding="nonsense"?>', '<!DOCTYPE d [<!ENTITY x "y">]>', "<!DOCTYPE d SYSTEM 'x'>"]
HEADS += ['<?xml version="1.0" encoding="utf-16"?>']


@st.composite
def xml_documents(draw: st.DrawFn) -> str:
    """Elements in their right places most of the time."""
    contents = st.sampled_from(["a", "", "&amp;", "b\nc"])
    numbered = draw(st.lists(st.tuples(st.sampled_from(["1", "2", "3", ""]), contents), max_size=3))
    segments = "".join(f'<seg id="{number}">{text}</seg>' for number, text in numbered)
    streams = draw(
        st.lists(st.sampled_from(["src", 'ref translator="A"', 'ref translator="B"', "ref", 'hyp system="S"', "hyp"]))
    )
    inside = "".join(
        f"<{s}><p>{segments}</p></{s.split()[0]}>" + draw(st.sampled_from(["", "", "", *XML])) for s in streams
    )
    about = draw(st.sampled_from(["", "domain='n'", "testsuite='t'"]))
    return f'<dataset id="x"><doc id="d" {about}>{inside}</doc></dataset>'


@given(
    st.sampled_from(HEADS),
    st.one_of(xml_documents(), xml_documents(), st.lists(st.sampled_from(XML), max_size=20).map("".join), st.text(ANY)),
)
def test_wmt_xml(folder: Path, head: str, body: str) -> None:
    path = folder / "set.xml"
    path.write_bytes(encoded(head + body))
    check(read_wmt_xml, path)


@given(st.binary(), st.sampled_from([".tsv", ".jsonl", ".sgm", ".xml", ".xml.gz", ".txt", ""]), ENCODINGS)
def test_any_bytes_as_a_test_set(folder: Path, content: bytes, suffix: str, encoding: str) -> None:
    path = folder / f"bytes{suffix}"
    path.write_bytes(content)
    check(load, path, encoding=encoding)


EVALSET_FILES = [
    "references/en-de.refA.txt",
    "references/en-de.refB.txt.gz",
    "references/fr-en.ref.txt",
    "references/x",
]
EVALSET_FILES += ["system-outputs/en-de/sysA.txt", "system-outputs/en-de/refA.txt", "system-outputs/en-de/.hidden"]
EVALSET_FILES += [
    "sources/en-de.txt",
    "documents/en-de.docs",
    "ref",
    "ref.A.txt",
    "src",
    "hyp/S",
    "hyp/S.txt",
    "doc",
    "de/ref",
]
LAYOUT_LINE = st.one_of(LINE, st.sampled_from(["news\td1", "-\t-"]))


@given(
    st.dictionaries(st.sampled_from(EVALSET_FILES), st.lists(LAYOUT_LINE, min_size=1, max_size=2), max_size=7),
    st.one_of(st.none(), st.sampled_from(["en-de", "fr-en", "de", "", "../x", "\x00"])),
)
def test_folders(folder: Path, files: dict[str, list[str]], lp: str | None) -> None:
    root = folder / "layout"
    for path in sorted(root.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    root.mkdir(exist_ok=True)
    for name, lines in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = encoded("".join(line + "\n" for line in lines))
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    check(load, root, lp=lp)


@given(st.one_of(st.text(ANY), st.text("a/.~\x00", max_size=400), st.integers(200, 6000).map(lambda n: "x" * n)))
def test_any_path(name: str) -> None:
    if name.strip() != "-":
        check(load, name)
        check(read_lines, name)


@given(
    st.lists(st.tuples(st.sampled_from(["r.txt", "r.sgm", "s.txt", "t.gz"]), LINES), max_size=3),
    st.lists(st.sampled_from(["r.txt", "r.sgm", "s.txt", "t.gz"]), max_size=2),
    st.one_of(st.none(), st.lists(LINE, max_size=2)),
    st.integers(-1, 3),
)
def test_separate_files(
    folder: Path, references: list[tuple[str, str]], systems: list[str], names: list[str] | None, n_columns: int
) -> None:
    for name, text in references:
        (folder / name).write_bytes(encoded(text))
    check(
        load_files,
        [folder / name for name, _ in references],
        [folder / name for name in systems],
        names=names,
        n_ref_columns=n_columns,
    )


NAME = st.one_of(st.sampled_from(["A", "B.c", "x y", ".hidden", "a/b", "..", "con"]), st.text(ANY, max_size=4))


@st.composite
def whole_sets(draw: st.DrawFn) -> TestSet | None:
    n = draw(st.integers(1, 3))
    texts = st.lists(st.one_of(LINE, st.text(ANY, max_size=4)), min_size=n, max_size=n)
    optional = st.one_of(st.none(), texts)
    references: list[list[Any]] = [draw(texts)]
    references += draw(st.lists(st.lists(st.one_of(st.none(), LINE), min_size=n, max_size=n), max_size=1))
    made: TestSet | None = check(
        TestSet,
        references,
        draw(st.dictionaries(NAME, texts, max_size=2)),
        sources=draw(optional),
        documents=draw(optional),
        domains=draw(optional),
        ids=draw(optional),
        reference_names=draw(st.one_of(st.none(), st.lists(NAME, min_size=len(references), max_size=len(references)))),
    )
    return made


@given(whole_sets())
def test_what_is_written_reads_back_equal(folder: Path, made: TestSet | None) -> None:
    if made is None:
        return
    path = folder / "written.jsonl"
    try:
        write_jsonl(made, path)
    except MtassayError:
        return
    back = read_jsonl(path)
    assert (back.references, back.systems) == (made.references, made.systems)
    assert (back.sources, back.documents, back.domains, back.ids) == (
        made.sources,
        made.documents,
        made.domains,
        made.ids,
    )


@given(whole_sets(), st.one_of(st.just("en-de"), NAME))
def test_what_is_written_as_a_folder_reads_back_equal(folder: Path, made: TestSet | None, lp: str) -> None:
    if made is None:
        return
    root = folder / "written"
    for path in sorted(root.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    if root.exists():
        root.rmdir()
    try:
        write_evalset(made, root, lp)
    except MtassayError:
        return
    back = load(root, lp=lp, references="all", include_references=True, keep_whitespace=True)
    by_name = dict(zip(back.reference_names, back.references, strict=True))
    assert by_name == dict(zip(made.reference_names, made.references, strict=True))
    assert (back.systems, back.sources) == (made.systems, made.sources)
