"""``mtassay serve`` in a process of its own, and what it refuses before it starts."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection

import pytest
from child_processes import free_port, wait_for_port

import mtassay
from mtassay.cli.main import main

pytest.importorskip("starlette", reason="no Starlette: pip install 'mtassay[judge]'")


@contextmanager
def serving(*words: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The port and the process."""
    port = free_port()
    command = [sys.executable, "-m", "mtassay", "serve", "--port", str(port), *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_for_port(port)
            yield port, process
        finally:
            process.kill()


def _status(port: int, path: str, **headers: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_on_this_machine() -> None:
    with serving() as (port, process):
        assert _status(port, "/") == 200
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=20)[1]
    assert said == f"mtassay: open http://127.0.0.1:{port} in a browser; Ctrl-C ends\n"
    assert process.returncode == 0


def test_for_others_with_a_random_token() -> None:
    with serving("--token", "--host", "0.0.0.0") as (port, process):
        assert process.stderr is not None
        assert "without encryption: files and the token" in process.stderr.readline()
        link = process.stderr.readline().split()[2]
        token = link.rpartition("/t/")[2]
        assert len(token) == 22
        assert _status(port, "/") == 401
        assert _status(port, f"/t/{token}") == 303


@pytest.mark.parametrize(("trusted", "last"), [("", 429), ("127.0.0.1", 401)])
def test_visitors_name_no_other_address_unless_a_proxy_does(
    trusted: str, last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    if trusted:
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", trusted)
    with serving("--token", "a-token-of-others") as (port, _):
        statuses = [_status(port, "/t/guess", **{"X-Forwarded-For": f"192.0.2.{number}"}) for number in range(11)]
    assert statuses == [401] * 10 + [last]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "0.0.0.0"], "0.0.0.0 can be reached by others: give --token, so that only you can use the page"),
        (["--url", "https://example.org/mt"], "example.org can be reached by others: give --token"),
        (["--token", "short"], "a token needs at least 12 letters, digits, - and _"),
        (["--token", "with a blank and more"], "a token needs at least 12 letters, digits, - and _"),
        (["--max-files", "0"], "max_files must be a whole number from 1, not 0"),
        (["--max-size", "many"], "it must be a number of bytes above 0"),
        (["--url", "nowhere"], "'nowhere' is not an address"),
        (["--port", "70000"], "cannot serve on 127.0.0.1:70000"),
    ],
)
def test_refused_in_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(["serve", *words])
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    said = capsys.readouterr().err
    assert status == 2
    assert message in said
    assert said.count("\n") == 1


def test_in_python() -> None:
    with pytest.raises(mtassay.InputError, match="give --token"):
        mtassay.serve(host="192.0.2.1")
