"""NIST SGML files as mteval reads them: srcset, refset and tstset with doc and seg.

This is SGML by name only: `&` and `<` occur unescaped inside segments, so the file is scanned for its tags and
not parsed. The five basic entities are decoded (once: `&amp;lt;` is the text `&lt;`), a line break in a
segment becomes a space, and surrounding white space is removed. One file may have several systems or references.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mtassay.errors import InputError, at
from mtassay.io.inputs import PathLike, read_text, shown

Key = tuple[str, str]
"""Document and segment identifier."""

_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)(?![\w.-])", re.IGNORECASE)
_SEGMENT_END = re.compile(r"</seg\s*>|<seg(?![\w.-])|</?doc(?![\w.-])|</(?:src|ref|tst)set\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LINE_BREAK = re.compile(r"[ \t\r]*\n[ \t\r\n]*")


@dataclass(frozen=True)
class SgmlStream:
    """One system, reference or source of an SGML file."""

    kind: str
    """'src', 'ref' or 'tst'."""
    name: str | None
    """The sysid or refid, if the file has one."""
    texts: dict[Key, str] = field(default_factory=dict)
    genres: dict[str, str] = field(default_factory=dict)
    """Genre by document, where given."""


def read_sgml(path: PathLike, *, encoding: str = "utf-8") -> list[SgmlStream]:
    """Read every source, reference and system of an SGML file, in order of appearance."""
    scanner = _Scanner(path, encoding)
    scanner.scan()
    if not scanner.streams:
        raise InputError(f"{shown(path)} has no <seg>; expected NIST SGML: <refset> <doc docid=...> <seg id=...>")
    return list(scanner.streams.values())


def decode_entities(text: str) -> str:
    """Decode the five basic entities, once.

    >>> decode_entities("R&amp;D &lt; &amp;lt; &euro;")
    'R&D < &lt; &euro;'
    """
    return _ENTITY.sub(lambda match: _ENTITIES[match[1]], text) if "&" in text else text


def one_line(text: str) -> str:
    r"""Text of an element as one line.

    >>> one_line(" a\n  b ")
    'a b'
    """
    return _LINE_BREAK.sub(" ", text).strip(" \t\r\n")


class _Scanner:
    """Walks over the tags of one file and fills `streams`."""

    def __init__(self, path: PathLike, encoding: str) -> None:
        self.file = shown(path)
        self.text = read_text(path, encoding=encoding)
        self.streams: dict[tuple[str, str | None], SgmlStream] = {}
        self.kind: str | None = None
        self.of_set: dict[str, str] = {}
        self.of_doc: dict[str, str] | None = None

    def scan(self) -> None:
        position = 0
        while tag := _TAG.search(self.text, position):
            closing, element = bool(tag[1]), tag[2].lower()
            attributes, position = self.attributes(tag)
            if element == "seg":
                text, position = self.content(tag, position)
                self.add(text, self.required(attributes, "id", tag), tag)
            elif element == "doc":
                self.of_doc = None if closing else {**attributes, "docid": self.required(attributes, "docid", tag)}
            else:
                self.kind = None if closing else element[:3]
                self.of_set, self.of_doc = attributes, None

    def add(self, text: str, segment: str, tag: re.Match[str]) -> None:
        """Store a segment in the stream of the current set and document."""
        if self.kind is None or self.of_doc is None:
            raise self.error(tag, "<seg> outside of <doc> in <srcset>, <refset> or <tstset>")
        name = self.of_doc.get("name", self.of_set.get("name")) if self.kind != "src" else None
        stream = self.streams.setdefault((self.kind, name), SgmlStream(self.kind, name))
        document = self.of_doc["docid"]
        if (document, segment) in stream.texts:
            whose = "" if name is None else f" of {name!r}"
            raise self.error(tag, f"segment {segment!r} of document {document!r}{whose} occurs twice")
        stream.texts[document, segment] = text
        if "genre" in self.of_doc:
            stream.genres[document] = self.of_doc["genre"]

    def attributes(self, tag: re.Match[str]) -> tuple[dict[str, str], int]:
        """Attributes of a tag, with sysid or refid also as 'name', and the position of its end."""
        end = self.text.find(">", tag.end())
        if end < 0:
            raise self.error(tag, f"the tag <{tag[1]}{tag[2]} is not closed by '>'")
        found = {
            match[1].lower(): decode_entities(match[2] or match[3] or match[4] or "").strip()
            for match in _ATTRIBUTE.finditer(self.text, tag.end(), end)
        }
        name = found.get("sysid") or found.get("refid")
        if name:
            found["name"] = name
        return found, end + 1

    def content(self, tag: re.Match[str], start: int) -> tuple[str, int]:
        """Text of the segment that `tag` opens, and the position after its end tag."""
        if tag[1]:
            raise self.error(tag, "</seg> without <seg>")
        end = _SEGMENT_END.search(self.text, start)
        if end is None or not end[0].lower().startswith("</seg"):
            raise self.error(tag, "<seg> is not closed by </seg>")
        return one_line(decode_entities(self.text[start : end.start()])), end.end()

    def required(self, attributes: dict[str, str], name: str, tag: re.Match[str]) -> str:
        if not attributes.get(name):
            raise self.error(tag, f'<{tag[2]}> without {name}; every one needs {name}="..."')
        return attributes[name]

    def error(self, tag: re.Match[str], what: str) -> InputError:
        line = self.text.count("\n", 0, tag.start()) + 1
        return InputError(f"{at(self.file, line)}: {what}")
