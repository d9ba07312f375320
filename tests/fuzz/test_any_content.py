"""Whatever bytes a reader meets, it answers with a test set or with one line for the user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import read_jsonl, read_lines, read_sgml, read_tsv, read_wmt_xml
from mtassay.errors import InputError

READERS: list[Callable[[Path], object]] = [read_lines, read_tsv, read_jsonl, read_sgml, read_wmt_xml]
PIECES = [
    *(
        b"\n",
        b"\r\n",
        b"\t",
        b"\xef\xbb\xbf",
        b"\0",
        b"\xed\xa0\x80",
        b"\xff",
        b"&amp;",
        b"&#0;",
        b"&x;",
        b"&",
    ),
    *(b"\x1f\x8b", b"BZh91AY&SY", b"\xfd7zXZ\0", b"ref", b"src", b"doc", b"id", b"ref\tA\n", b"a\tb\n"),
    *(
        b'{"ref": "a"}',
        b'{"refs": [null, "a"]}',
        b'"tgt": {"A": "x"}',
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b",",
        b":",
    ),
    *(
        b"<refset>",
        b"<tstset sysid=x>",
        b'<doc docid="d">',
        b'<doc id="d">',
        b"</doc>",
        b'<seg id="1">',
        b"</seg>",
    ),
    *(b"<dataset>", b"</dataset>", b"<src>", b"</src>", b"<ref>", b"</ref>", b'<hyp system="A">', b"</hyp>"),
    *(b'<?xml version="1.0" encoding="utf-16"?>', b'<!DOCTYPE x [<!ENTITY x "y">]>', b"<![CDATA[", b"]]>"),
]
CONTENT = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=6)), max_size=20).map(b"".join)


def complaint(reader: Callable[[Path], object], path: Path) -> str | None:
    try:
        reader(path)
    except InputError as error:
        return str(error)
    return None


@given(CONTENT)
def test_pieces_of_every_format(folder: Path, content: bytes) -> None:
    path = folder / "pieces"
    path.write_bytes(content)
    for reader in READERS:
        message = complaint(reader, path)
        assert message is None or (str(path) in message and "\n" not in message)
