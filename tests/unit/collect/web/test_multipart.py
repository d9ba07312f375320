"""Forms with files: what browsers send, and what nobody should."""

from __future__ import annotations

import random
from email import message_from_bytes, policy

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'mtassay[judge]'")

from mtassay.collect.web.forms import MalformedError
from mtassay.collect.web.multipart import Part, TooManyPartsError, parse_multipart

KIND = "multipart/form-data; boundary=----WebKitFormBoundaryx"


def body_of(*parts: tuple[str, str | None, bytes], boundary: str = "----WebKitFormBoundaryx") -> bytes:
    """What a browser sends."""
    written = b""
    for name, file_name, content in parts:
        of_file = "" if file_name is None else f'; filename="{file_name}"\r\nContent-Type: text/plain'
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{of_file}\r\n\r\n'
        written += head.encode() + content + b"\r\n"
    return written + f"--{boundary}--\r\n".encode()


def test_bytes_arrive_as_they_were_sent() -> None:
    generator = random.Random(1)
    contents = [b"", b"\r\n", b"\r\n--", b"--\r\n", b"a\rb\nc\x85\xe2\x80\xa8\x00\xff", b"\r\n------WebKitFormBoundar"]
    contents += [bytes(generator.choices(b"\r\n-x\xff", k=200)) for _ in range(50)]
    sent = [("file", f"f{number}", content) for number, content in enumerate(contents)]
    assert parse_multipart(body_of(*sent), KIND, most=100) == [Part(*one) for one in sent]


def test_text_parts_are_those_of_the_standard_library() -> None:
    body = body_of(("a", None, b"1"), ("b", "x y.txt", b"line\r\nline"), ("a", None, "ä".encode()))
    read = message_from_bytes(f"Content-Type: {KIND}\r\n\r\n".encode() + body, policy=policy.HTTP)
    expected = [
        (part.get_param("name", header="content-disposition"), part.get_filename(), part.get_payload(decode=True))
        for part in read.iter_parts()
    ]
    assert [(p.name, p.file_name, p.content) for p in parse_multipart(body, KIND, most=9)] == expected


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("ref.txt", "ref.txt"),
        ("", ""),
        ("../../etc/passwd", "passwd"),
        ("C:\\texts\\ref.txt", "ref.txt"),
        ("a%22b.txt", 'a"b.txt'),
        ("日本語.txt", "日本語.txt"),
        ("a; name=b.txt", "a; name=b.txt"),
    ],
)
def test_names_of_files(sent: str, read: str) -> None:
    assert parse_multipart(body_of(("f", sent, b"x")), KIND, most=1) == [Part("f", read, b"x")]


def test_quoted_boundary() -> None:
    kind = 'Multipart/Form-Data; charset=utf-8; boundary="a b"'
    assert parse_multipart(body_of(("f", None, b"x"), boundary="a b"), kind, most=1) == [Part("f", None, b"x")]


GOOD = body_of(("f", None, b"x"))


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (GOOD, "multipart/form-data"),
        (GOOD, "multipart/form-data; boundary=other"),
        (GOOD, "multipart/form-data; boundary=ä"),
        (GOOD, f"multipart/form-data; boundary={'x' * 71}"),
        (b"", KIND),
        (GOOD[:-6], KIND),
        (b"before\r\n" + GOOD, KIND),
        (GOOD.replace(b'name="f"', b""), KIND),
        (GOOD.replace(b"form-data", b"attachment"), KIND),
        (GOOD.replace(b"\r\n\r\n", b"\r\n"), KIND),
        (GOOD.replace(b'"f"', b'"\xff"'), KIND),
        (GOOD.replace(b"Content", b"X: " + b"a" * 5000 + b"\r\nContent"), KIND),
    ],
)
def test_damaged_bodies(body: bytes, kind: str) -> None:
    with pytest.raises(MalformedError):
        parse_multipart(body, kind, most=10)


def test_too_many_parts() -> None:
    parts = [("f", "x", b"")] * 5
    assert len(parse_multipart(body_of(*parts), KIND, most=5)) == 5
    with pytest.raises(TooManyPartsError):
        parse_multipart(body_of(*parts), KIND, most=4)


@pytest.mark.parametrize("value", [b"\xff", b"a\0b"])
def test_fields_are_text(value: bytes) -> None:
    with pytest.raises(MalformedError):
        _ = Part("f", None, value).text
