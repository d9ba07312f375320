"""A cache of sacreBLEU's test sets that is filled from a server of the test."""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
import sacrebleu.utils
from sacrebleu.dataset import DATASETS

#: Documents of the test set: original language, domain, number of segments.
DOCUMENTS = {"d1": ("en", "news", 2), "d2": ("de", "social", 3)}


def _xml() -> str:
    """A release in the form of WMT23, with two references and two systems."""

    def segments(texts: list[str]) -> str:
        return "<p>" + "".join(f'<seg id="{i}">{text}</seg>' for i, text in enumerate(texts, 1)) + "</p>"

    documents = ""
    for name, (language, domain, n) in DOCUMENTS.items():
        refs = [f"der Satz {name} {i} ist lang genug" for i in range(n)]
        documents += (
            f'<doc id="{name}" origlang="{language}" domain="{domain}">'
            f'<src lang="en">{segments([f"sentence {name} {i}" for i in range(n)])}</src>'
            f'<ref lang="de" translator="refA">{segments(refs)}</ref>'
            f'<ref lang="de" translator="refB">{segments([f"ein {text}" for text in refs])}</ref>'
            f'<hyp system="good" language="de">{segments([text.replace("lang", "groß") for text in refs])}</hyp>'
            f'<hyp system="bad" language="de">{segments([text[:9] for text in refs])}</hyp></doc>'
        )
    return f'<?xml version="1.0" encoding="utf-8"?><dataset id="made">{documents}</dataset>'


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def sacrebleu_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """An empty cache, and wmt23 (en-de), made for the test, on a local server; nothing else can be downloaded.

    ``folder`` is the cache, ``close()`` takes the server away.
    """
    files, cache = tmp_path / "server", tmp_path / "cache"
    files.mkdir()
    path = "xml/wmttest2023.en-de.all.xml"
    with tarfile.open(files / "release.tar.gz", "w:gz") as archive:
        text = _xml().encode()
        entry = tarfile.TarInfo(path)
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(files)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    # A local port at which nothing answers stands for the network.
    monkeypatch.setattr(sacrebleu.utils, "SACREBLEU_DIR", str(cache))
    for name, dataset in DATASETS.items():
        monkeypatch.setattr(dataset, "data", ["http://127.0.0.1:9/none.tar.gz"])
        monkeypatch.setattr(dataset, "_outdir", str(cache / name))
        monkeypatch.setattr(dataset, "_rawdir", str(cache / name / "raw"))
    made = DATASETS["wmt23"]
    monkeypatch.setattr(made, "data", [f"http://127.0.0.1:{server.server_port}/release.tar.gz"])
    monkeypatch.setattr(made, "md5", [hashlib.md5((files / "release.tar.gz").read_bytes()).hexdigest()])
    monkeypatch.setattr(made, "langpairs", {"en-de": [path]})

    def close() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    closing: list[Callable[[], None]] = [close]
    yield SimpleNamespace(folder=cache, close=lambda: closing.pop()())
    for still_open in closing:
        still_open()
