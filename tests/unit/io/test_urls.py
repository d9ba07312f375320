"""Inputs on a web server, with and without faults; the server is on the loopback interface."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from mtassay.cli.main import main
from mtassay.errors import InputError
from mtassay.io.inputs import read_text
from mtassay.io.streams import stream_lines

pytest.importorskip("aiohttp", reason="pip install aiohttp")
pytest.importorskip("fsspec", reason="pip install 'mtassay[remote]'")

#: More than a server's or client's buffer holds.
TEXT = "".join(f"line {n * n} of a text\n" for n in range(60_000))


class Handler(BaseHTTPRequestHandler):
    """Sends the text; the first part of the path chooses a fault."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        _, kind, name = self.path.split("/")
        body = gzip.compress(TEXT.encode()) if name.endswith(".gz") else TEXT.encode()
        if kind in {"404", "500"}:
            self.send_error(int(kind))
            return
        self.send_response(200)
        n_wrong = {"longer": 1000, "shorter": -1000}.get(kind, 0)  # more, or fewer, than are sent
        if kind == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
        elif kind != "unknown":
            self.send_header("Content-Length", str(len(body) + n_wrong))
        self.end_headers()
        self.close_connection = True
        if self.command == "HEAD":
            return
        sent = body[: len(body) // 2] if kind in {"dropped", "chunked"} else body
        sent = b"%x\r\n%b\r\n" % (len(sent), sent) if kind == "chunked" else sent
        try:
            self.wfile.write(sent)
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
        except OSError:  # the client has enough
            pass

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        thread = Thread(target=served.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()
        thread.join()


@pytest.mark.parametrize("name", ["known/text", "unknown/text", "known/text.gz", "unknown/text.gz"])
def test_files_of_known_and_unknown_length(server: str, name: str) -> None:
    assert [line for lines in stream_lines(f"{server}/{name}") for line in lines] == TEXT.split("\n")[:-1]
    assert read_text(f"{server}/{name}") == TEXT


@pytest.mark.parametrize("name", ["dropped/text", "longer/text", "chunked/text", "dropped/text.gz"])
def test_a_connection_that_ends_too_early(server: str, name: str) -> None:
    with pytest.raises(InputError, match=rf"/{name}(, line \d+)? cannot be read: .*[Nn]ot"):
        list(stream_lines(f"{server}/{name}"))


def test_addresses_that_have_nothing(server: str) -> None:
    for kind in ("404", "500"):
        with pytest.raises(InputError, match=f"/{kind}/text cannot be read: {kind}"):
            read_text(f"{server}/{kind}/text")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(InputError, match="cannot be read: Cannot connect"):
            read_text(f"http://127.0.0.1:{free.getsockname()[1]}/text")


@pytest.mark.parametrize("form", ["tsv", "json", "parquet"])
@pytest.mark.parametrize("kind", ["dropped", "shorter"])
def test_nothing_half_written_stays(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, form: str
) -> None:
    (tmp_path / "ref").write_text(TEXT, encoding="utf-8")
    given = [str(tmp_path / "ref"), "-i", f"{server}/{kind}/hyp", "-m", "exact", "-sl"]
    assert main(["score", *given, "-f", form, "-o", str(tmp_path / "out")]) == 2
    # Fewer bytes than the server has are a whole answer: only the number of lines shows it.
    expected = "cannot be read" if kind == "dropped" else "has 60,000: every system needs one line per reference line"
    assert expected in capsys.readouterr().err
    assert [entry.name for entry in tmp_path.iterdir()] == ["ref"]


def test_scores_are_those_of_files(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hyp").write_text(TEXT, encoding="utf-8")
    found = []
    for place in (f"{server}/unknown", str(tmp_path)):
        assert main(["score", f"{server}/known/ref.gz", "-i", f"{place}/hyp", "-m", "bleu", "ter", "-f", "json"]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]
