"""The command that serves, in a process of its own."""

from __future__ import annotations

import logging
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

import pytest
from child_processes import free_port, wait_for_port

import mtassay
from mtassay.cli.main import main
from mtassay.errors import MissingExtraError
from mtassay.sample import sample_path

pytest.importorskip("starlette", reason="no Starlette: pip install 'mtassay[judge]'")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "c.db"
    mtassay.judge.new(made, mtassay.load(sample_path()), segments=5)
    return made


@contextmanager
def serving(path: Path, *words: str) -> Iterator[tuple[int, Callable[..., str]]]:
    """The port, and a function that ends the server and returns what it wrote."""
    port = free_port()
    command = [sys.executable, "-m", "mtassay", "judge", "serve", str(path), "--port", str(port), *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        wait_for_port(port)

        def end(*signals: int) -> str:
            for one in signals or (signal.SIGTERM,):
                process.send_signal(one)
                time.sleep(0.3)
            return process.communicate(timeout=20)[1]

        yield port, end
    finally:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


def test_other_addresses_than_loopback_get_a_warning_first(path: Path) -> None:
    with serving(path, "--host", "0.0.0.0") as (_, end):
        written = end()
    assert written.splitlines()[0].startswith("mtassay: warning: 0.0.0.0 can be reached by others without encryption")
    with serving(path) as (port, end):
        written = end()
    assert "warning" not in written
    assert f"http://127.0.0.1:{port}" in written


def test_another_port_than_that_of_the_links(path: Path) -> None:
    mtassay.judge.invite(path, ["ann"], url="http://localhost:1")
    with serving(path) as (port, end):
        written = end()
    hint = f"but links begin with http://localhost:1: give --url http://127.0.0.1:{port} or that port"
    assert written == f"mtassay: serving {path} on http://127.0.0.1:{port} ({hint}); Ctrl-C ends\n"
    with serving(path, "--url", "https://judge.example.org") as (port, end):
        written = end()
    assert written.endswith(f"on http://127.0.0.1:{port} (judges use https://judge.example.org); Ctrl-C ends\n")


def test_the_server_ends_in_order_while_a_request_is_unfinished(path: Path) -> None:
    """Ctrl-C, also pressed twice, ends within seconds and without a traceback."""
    head = "POST /work HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    with serving(path) as (port, end), socket.create_connection(("127.0.0.1", port), timeout=10) as slow:
        slow.sendall(f"{head}Content-Length: 100\r\n\r\nscreen=1".encode())
        time.sleep(0.3)
        written = end(signal.SIGINT, signal.SIGINT)
        assert b" 503 " in slow.recv(1000).splitlines()[0]
    assert "Traceback" not in written


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl: apt-get install openssl")
def test_https_with_a_certificate(path: Path, tmp_path: Path) -> None:
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "chain.pem")
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    alternative = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*words, *alternative, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    [invitation] = mtassay.judge.invite(path, ["ann"], url="https://localhost")
    with serving(path, "--certificate", certificate, "--key", key) as (port, _):
        context = ssl.create_default_context(cafile=certificate)
        connection = HTTPSConnection("localhost", port, context=context, timeout=10)
        connection.request("GET", f"/j/{invitation.link.rpartition('/')[2]}")
        reply = connection.getresponse()
        assert reply.status == 303
        assert "Secure" in (reply.getheader("set-cookie") or "")
        connection.close()


def test_addresses_that_cannot_be_had(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for words, message in (
            (["--port", port], f"cannot serve on 127.0.0.1:{port}: Address already in use"),
            (["--port", "99999"], "cannot serve on 127.0.0.1:99999"),
            (["--port", "0", "--certificate", str(path), "--key", "none.pem"], "cannot be used for HTTPS"),
            (["--port", "0", "--certificate", "none.pem"], "mtassay: none.pem cannot be used for HTTPS: No such file"),
            (["--port", "0", "--key", "none.pem"], "the key none.pem needs a certificate"),
        ):
            assert main(["judge", "serve", str(path), *words]) == 2
            [line] = capsys.readouterr().err.splitlines()
            assert message in line


def test_log_handlers_of_others_stay_open(path: Path) -> None:
    closed = []
    handler = logging.NullHandler()
    handler.close = lambda: closed.append(handler)  # type: ignore[method-assign]
    assert main(["judge", "serve", str(path), "--port", "0", "--certificate", "none.pem"]) == 2
    assert not closed


def test_any_free_port_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[int, str]] = []
    for module, command in (("serving", ["judge", "serve", str(path)]), ("report_serving", ["serve"])):
        monkeypatch.setattr(
            f"mtassay.collect.{module}.run_app",
            lambda app, found_socket, *, message, **_: found.append((found_socket.getsockname()[1], message)),
        )
        assert main([*command, "--port", "0"]) == 0
    assert len(found) == 2
    assert all(port > 0 and f"http://127.0.0.1:{port} " in message for port, message in found)


def test_without_the_extra(path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    for name in [name for name in sys.modules if name.startswith("mtassay.collect.web")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["judge", "serve", str(path)]) == 2
    assert str(MissingExtraError("judge serve", "judge")) in capsys.readouterr().err


def test_the_actions_explain_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    for action in ("new", "invite", "serve", "status", "edit", "backup", "close", "export"):
        with pytest.raises(SystemExit):
            main(["judge", action, "--help"])
        assert f"examples:\n  mtassay judge {action}" in capsys.readouterr().out
    assert main(["judge", "sevre"]) == 2
    assert "did you mean 'serve'?" in capsys.readouterr().err


def test_status_as_text(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    invited: Any = mtassay.judge.invite(path, 2)
    assert len(invited) == 2
    assert main(["judge", "status", str(path), "--tasks"]) == 0
    printed = capsys.readouterr().out
    assert "0 of 5 answers (0 %); 0 of 1 tasks finished." in printed
    assert "judge-2" in printed
