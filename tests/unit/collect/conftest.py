"""Campaigns of a small test set, and judges who fill in forms as a browser would."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from itertools import count
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

import mtassay
from mtassay.sample import sample_path

pytest.importorskip("starlette", reason="no Starlette: pip install 'mtassay[judge]'")

import uvicorn

from mtassay.collect.web.app import campaign_app

_HOST = "127.0.0.1"


@dataclass
class Reply:
    """A reply, after redirections."""

    status: int
    headers: dict[str, str]
    body: bytes
    path: str

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def page(self) -> Page:
        return Page(self.text)


@dataclass
class Client:
    """A browser without script: keeps cookies, follows redirections."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    replies: list[Reply] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._connection = HTTPConnection(_HOST, self.port, timeout=20)

    def close(self) -> None:
        self._connection.close()

    def request(
        self, method: str, path: str, *, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Reply:
        """One request; no redirection is followed."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        given = ({"Cookie": cookies} if cookies else {}) | (headers or {})
        self._connection.request(method, path, body, given)
        reply = self._connection.getresponse()
        found = Reply(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read(), path)
        for morsel in SimpleCookie(found.headers.get("set-cookie", "")).values():
            self.cookies[morsel.key] = morsel.value
        self.replies.append(found)
        return found

    def get(self, path: str) -> Reply:
        reply = self.request("GET", path)
        while reply.status == 303:
            reply = self.request("GET", reply.headers["location"])
        return reply

    def post(self, path: str, data: Any, *, headers: dict[str, str] | None = None) -> Reply:
        """Send a form; a redirection is returned, not followed."""
        form = {"Content-Type": "application/x-www-form-urlencoded"} | (headers or {})
        return self.request("POST", path, body=urlencode(data, doseq=True).encode(), headers=form)


class Visitor(Client):
    """A browser at the page of ``mtassay serve``."""

    def another(self) -> Visitor:
        """Another browser."""
        return Visitor(self.port)

    def send(
        self,
        parts: list[tuple[str, str | None, bytes]],
        *,
        token: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """Load the form, and send it: name of each field, name of the file if it is one, content."""
        token = self.get("/").page.fields["token"] if token is None else token
        body = b""
        for name, file_name, content in [("token", None, token.encode()), *parts]:
            file = "" if file_name is None else f'; filename="{file_name}"'
            body += f'--x\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + content + b"\r\n"
        form = {"Content-Type": "multipart/form-data; boundary=x"} | (headers or {})
        return self.request("POST", "/reports", body=body + b"--x--\r\n", headers=form)

    def wait(self, reply: Reply) -> str:
        """The address of a report, once it is made or has failed."""
        assert reply.status == 303, reply.text
        address = reply.headers["location"]
        while "refresh" in self.get(address).headers:
            sleep(0.05)
        return address


class Page(HTMLParser):
    """The parts of a page that a judge sees and sends back."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.choices: dict[str, list[str]] = {}
        self.outputs: list[str] = []
        self.links: list[str] = []
        self.alerts: list[str] = []
        self.text = ""
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.links.append(given["href"])
        elif tag == "input" and given.get("type") == "hidden":
            self.fields[given["name"]] = given["value"]
        elif tag == "input" and given.get("type") in ("radio", "checkbox"):
            self.choices.setdefault(given["name"], []).append(given["value"])
            if "checked" in given:
                self.fields[given["name"]] = given["value"]
        elif tag == "input" and "name" in given:
            self.choices[given["name"]] = []
            self.fields[given["name"]] = given.get("value", "")
        elif tag == "p" and "output" in given.get("class", ""):
            self._inside = "output"
            self.outputs.append("")
        elif given.get("role") == "alert":
            self._inside = "alert"
        elif self._inside == "alert" and tag == "p":
            self.alerts.append("")

    def handle_endtag(self, tag: str) -> None:
        if (tag, self._inside) in {("p", "output"), ("div", "alert")}:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._inside == "output":
            self.outputs[-1] += data
        elif self._inside == "alert" and data.strip():
            self.alerts[-1] += data


@dataclass
class Clock:
    """A clock that tests set."""

    now: float = 1_700_000_000.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@dataclass
class Judge:
    """A judge at work."""

    client: Client
    link: str

    def get(self, path: str) -> Reply:
        return self.client.get(path)

    def post(self, path: str, data: Any, **options: Any) -> Reply:
        return self.client.post(path, data, **options)

    def enter(self) -> Reply:
        return self.get(urlsplit(self.link).path)

    def start(self) -> Reply:
        """Take a task; the page after that."""
        page = Page(self.get("/").text)
        return self.get(self.post("/start", {"token": page.fields["token"]}).headers["location"])

    def page(self, path: str = "/work") -> Page:
        return Page(self.get(path).text)

    def save(self, page: Page, **answer: Any) -> Reply:
        return self.post("/work", {**page.fields, "action": "save", **answer})

    def work(self, answer: Callable[[Page], dict[str, Any]], most: int = 10_000) -> int:
        """Enter, and answer every screen of every task; returns their number, training included."""
        self.enter()
        n_answers = 0
        while self.start().path == "/work":
            while n_answers < most and (reply := self.get("/work")).path == "/work":
                page = Page(reply.text)
                done = self.save(page, **answer(page))
                assert done.status == 303, done.text
                n_answers += 1
            if n_answers == most:
                break
        return n_answers


@dataclass
class Campaign:
    """A campaign that is served."""

    path: Path
    plan: Any
    clock: Clock
    port: int
    app: Any
    clients: list[Client] = field(default_factory=list)

    def client(self) -> Client:
        self.clients.append(Client(self.port))
        return self.clients[-1]

    def judges(self, *names: str) -> list[Judge]:
        return [Judge(self.client(), invitation.link) for invitation in mtassay.judge.invite(self.path, names)]

    def judge(self, name: str) -> Judge:
        return self.judges(name)[0]

    def close(self) -> None:
        for client in self.clients:
            client.close()


@contextmanager
def served(app: Any) -> Iterator[int]:
    """Serve an application on a free port of this machine, in a thread."""
    with socket.socket(proto=socket.IPPROTO_TCP) as listening:  # else asyncio would not send small replies at once
        listening.bind((_HOST, 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", server_header=False))
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        while not server.started:
            sleep(0.002)
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def visiting() -> Iterator[Callable[[Any], Visitor]]:
    """A function that serves the application of reports until the module's tests end, and returns a visitor."""
    with ExitStack() as stack:

        def start(app: Any) -> Visitor:
            return stack.enter_context(closing(Visitor(stack.enter_context(served(app)))))

        yield start


@pytest.fixture(scope="session")
def sample() -> mtassay.TestSet:
    """64 segments, six systems; the language pair makes the target English."""
    return mtassay.load(sample_path(), lp="de-en")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory, sample: mtassay.TestSet) -> Iterator[Callable[..., Campaign]]:
    """A function that makes a campaign of the sample (or of ``testset``) and serves it until the module's tests end."""
    folder = tmp_path_factory.mktemp("campaigns")
    with ExitStack() as stack:
        made = count()

        def make(*, testset: mtassay.TestSet = sample, **options: Any) -> Campaign:
            path = folder / f"campaign{next(made)}.db"
            plan = mtassay.judge.new(path, testset, **options)
            clock = Clock()
            app = campaign_app(str(path), clock=clock)
            port = stack.enter_context(served(app))
            return stack.enter_context(closing(Campaign(path, plan, clock, port, app)))

        yield make
