"""WMT XML (2021 and later): a dataset of doc elements, each with src, ref and hyp and their numbered seg.

Parsed with defusedxml, which rejects entity declarations. As in sacreBLEU, documents with a `testsuite`
attribute and segments without any reference text are left out. A segment that only some references
translate has None in the others; a system must have every segment. A reference by translator "A" is named
"refA". The encoding is the one that the file declares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax import SAXException, SAXParseException  # exception classes only: parsing goes through defusedxml
from xml.sax.handler import ContentHandler

from mtassay.data.formats.sgml import one_line
from mtassay.data.testset import TestSet
from mtassay.errors import InputError, at
from mtassay.io.inputs import PathLike, naming, read_bytes, shown

if TYPE_CHECKING:
    from xml.sax.xmlreader import AttributesImpl, Locator

Texts = dict[str, str]
"""Text by segment identifier."""


def read_wmt_xml(path: PathLike, *, name: str | None = None) -> TestSet:
    """Read a test set from a WMT XML file (compressed or not) or from standard input (``-``)."""
    documents = _parse(path)
    translators = list(dict.fromkeys(t for document in documents for t in document.references))
    systems = list(dict.fromkeys(s for document in documents for s in document.outputs))
    if not translators:
        raise InputError(f"{shown(path)} has no <ref>; a test set needs at least one reference")
    segments = [(document, segment) for document in documents for segment in document.segments()]
    if not segments:
        raise InputError(f"{shown(path)}: no segment has a reference text")
    for document in documents:
        document.check(systems)
    domains = [document.domain for document, _ in segments]
    with naming(path):
        return TestSet(
            [[document.references.get(t, {}).get(s) or None for document, s in segments] for t in translators],
            {system: [document.outputs[system][s] for document, s in segments] for system in systems},
            sources=[document.source[s] for document, s in segments],
            documents=[document.label for document, _ in segments],
            domains=None if None in domains else [domain or "" for domain in domains],
            ids=[segment for _, segment in segments],
            reference_names=["ref" + translator for translator in translators],
            name=name,
        )


class _Document:
    def __init__(self, label: str, domain: str | None, place: str) -> None:
        self.label = label
        self.domain = domain
        self.place = place
        self.source: Texts = {}
        self.references: dict[str, Texts] = {}
        self.outputs: dict[str, Texts] = {}

    def check(self, systems: list[str]) -> None:
        """Reject segments that the source lacks, and systems that lack a segment with a reference."""
        streams = {f"reference {name!r}": texts for name, texts in self.references.items()}
        streams |= {f"system {name!r}": texts for name, texts in self.outputs.items()}
        for what, texts in streams.items():
            for segment in texts:
                if segment not in self.source:
                    raise self._error(f"{what} has segment {segment!r}, which the source lacks")
        for system in systems:
            texts = self.outputs.get(system, {})
            for segment in self.segments():
                if segment not in texts:
                    raise self._error(f"system {system!r} has no segment {segment!r}")

    def segments(self) -> list[str]:
        """Segments with at least one reference text, in order of the source."""
        # Parity: sacreBLEU, an empty reference counts as missing.
        return [s for s in self.source if any(texts.get(s) for texts in self.references.values())]

    def _error(self, what: str) -> InputError:
        return InputError(f"{self.place}: in document {self.label!r}, {what}")


class _Handler(ContentHandler):
    """Collects documents; `file` names the input in messages."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file
        self.documents: list[_Document] = []
        self.document: _Document | None = None
        self.texts: Texts | None = None
        self.what = ""
        self.segment: str | None = None
        self.pieces: list[str] = []
        self.locator: Locator | None = None

    def setDocumentLocator(self, locator: Locator) -> None:  # noqa: N802 (the interface's name)
        self.locator = locator

    def place(self) -> str:
        return at(self.file, self.locator.getLineNumber() if self.locator else None)

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802
        if name == "doc":
            self._start_document(attrs)
        elif self.document is None:
            return
        elif name == "src":
            self._start_texts(self.document.source, "the source")
        elif name == "ref":
            translator = attrs.get("translator") or ""
            self._start_stream(self.document.references, translator, f"reference {translator!r}")
        elif name == "hyp":
            system = attrs.get("system") or ""
            if not system:
                raise InputError(f'{self.place()}: <hyp> without system; every one needs system="..."')
            self._start_stream(self.document.outputs, system, f"system {system!r}")
        elif name == "seg":
            self._start_segment(attrs)

    def endElement(self, name: str) -> None:  # noqa: N802
        if name == "doc":
            self.document = self.texts = None
        elif name in ("src", "ref", "hyp"):
            self.texts = None
        elif name == "seg" and self.segment is not None and self.texts is not None:
            self.texts[self.segment] = one_line("".join(self.pieces))
            self.segment = None

    def characters(self, content: str) -> None:
        if self.segment is not None:
            self.pieces.append(content)

    def _start_document(self, attrs: AttributesImpl) -> None:
        label = attrs.get("id") or ""
        if not label:
            raise InputError(f'{self.place()}: <doc> without id; every one needs id="..."')
        document = _Document(label, attrs.get("domain"), self.place())
        self.document = document
        self.texts = self.segment = None
        if "testsuite" not in attrs:  # Parity: sacreBLEU, test suites are not part of the test set
            self.documents.append(document)

    def _start_stream(self, streams: dict[str, Texts], name: str, what: str) -> None:
        if name in streams:
            raise InputError(f"{self.place()}: {what} occurs twice in document {self._label()!r}")
        streams[name] = {}
        self._start_texts(streams[name], what)

    def _start_texts(self, texts: Texts, what: str) -> None:
        self.texts, self.what = texts, what

    def _start_segment(self, attrs: AttributesImpl) -> None:
        if self.texts is None or self.segment is not None:
            raise InputError(f"{self.place()}: <seg> must be in <src>, <ref> or <hyp>, and not in another <seg>")
        segment = attrs.get("id") or ""
        if not segment:
            raise InputError(f'{self.place()}: <seg> without id; every one needs id="..."')
        if segment in self.texts:
            raise InputError(f"{self.place()}: {self.what} has segment {segment!r} of document {self._label()!r} twice")
        self.segment, self.pieces = segment, []

    def _label(self) -> str:
        return self.document.label if self.document else ""


def _parse(path: PathLike) -> list[_Document]:
    # Imported here: only this format needs it.
    from defusedxml import DefusedXmlException
    from defusedxml.sax import parseString

    raw = read_bytes(path, has_lines=True)
    handler = _Handler(shown(path))
    try:
        parseString(raw, handler)
    except SAXParseException as error:
        place = at(shown(path), error.getLineNumber())
        raise InputError(f"{place}: broken XML ({error.getMessage()})") from None
    except DefusedXmlException:
        raise InputError(f"{handler.place()}: entity declarations are not allowed; write the text itself") from None
    except (SAXException, LookupError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{handler.place()}: cannot be read as XML ({error})") from None
    if not handler.documents:
        raise InputError(f"{shown(path)} has no <doc>; expected WMT XML: <dataset> <doc id=...> <src> <p> <seg id=...>")
    return handler.documents
