"""Random requests to both servers and damaged campaigns: a page with the right status, or one line for the user."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mtassay
from mtassay.data import TestSet, load_judgements
from mtassay.data.campaigns import read_campaign
from mtassay.errors import MtassayError

pytest.importorskip("starlette", reason="no Starlette: pip install 'mtassay[judge]'")

from mtassay.collect.tokens import sign
from mtassay.collect.web import report_jobs
from mtassay.collect.web.app import campaign_app
from mtassay.collect.web.report_app import report_app
from mtassay.collect.web.report_form import Limits
from mtassay.collect.web.security import FORM

ANY = st.characters(exclude_categories=())
TEXTS = TestSet(
    [["the cat sat on the mat", "a dog", "it rains today"]],
    {"A": ["a cat on the mat", "a dog", "rain"], "B": ["cat", "dog", "it is raining"], "C": ["x", "y", "z"]},
    sources=["die Katze", "ein Hund", "es regnet"],
)
PROTOCOLS = ["rank", "pair", "da", "likert", "esa", "mqm"]
#: Statuses of pages and refusals; 500 is a fault of ours.
STATUSES = {200, 303, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 503}


class Server:
    """An application that is called without a network."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self._loop = asyncio.new_event_loop()

    def close(self) -> None:
        self._loop.close()

    def ask(
        self, method: str, path: str, *, body: bytes = b"", query: bytes = b"", headers: dict[str, bytes] | None = None
    ) -> tuple[int, str]:
        """Status and text of the reply."""
        given = {"host": b"localhost", "content-length": b"%d" % len(body)} | (headers or {})
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": quote(path, errors="replace").encode(),
            "query_string": query,
            "root_path": "",
            "headers": [(name.encode(), value) for name, value in given.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8000),
        }
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        self._loop.run_until_complete(self.app(scope, receive, send))
        assert sent[0]["status"] in STATUSES
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:]).decode()


PATHS = st.one_of(
    st.sampled_from(["/", "/work", "/start", "/feedback", "/pause", "/done", "/organiser", "/j/x", "/o/x", "/t/x"]),
    st.sampled_from(["/reports", "/reports/x", "/reports/x/page", "/reports/x/file", "/static/x", "//", "/../x", ""]),
    st.text(max_size=5).map(lambda text: f"/{text}"),
)
HEADERS = st.dictionaries(
    st.sampled_from(["host", "origin", "sec-fetch-site", "content-type", "content-length", "cookie", "accept"]),
    st.one_of(
        st.sampled_from([b"localhost", b"[::1", b"null", b"http://[", b"same-origin", b"-1", b"9" * 5000, b"\xb2"]),
        st.sampled_from([b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=x", b"mtassay_judge=x"]),
        st.binary(max_size=6),
    ),
    max_size=3,
)


@pytest.fixture(scope="module")
def reports() -> Iterator[Server]:
    """The server of reports; those that it begins are not made."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_jobs, "_make", lambda job, testset, sent: setattr(job, "error", "x"))
        with closing(Server(report_app(limits=Limits(size=2000, files=4, metrics=3, jobs=2)))) as server:
            yield server


def make(folder: Path, protocol: str) -> tuple[Path, str]:
    """The file of a campaign with one judge, and the judge's token."""
    path = folder / f"{protocol}.db"
    mtassay.judge.new(path, TEXTS, protocol=protocol, training=0, controls=False)
    (invitation,) = mtassay.judge.invite(path, ["ann"])
    return path, invitation.link.rpartition("/")[2]


class Campaign:
    """A served campaign of a protocol, with a judge at the first screen."""

    def __init__(self, folder: Path, protocol: str) -> None:
        path, token = make(folder, protocol)
        self.server = Server(campaign_app(str(path)))
        self.cookie = {"cookie": f"mtassay_judge={token}".encode()}
        self.secret = read_campaign(path).meta["secret"]
        self.post("/start", {"token": sign(self.secret, 1, "start")})

    def close(self) -> None:
        site = self.server.app.app.state.site
        site.writer.close()
        site.reader.close()
        self.server.close()

    def post(self, path: str, fields: Any) -> tuple[int, str]:
        headers = {**self.cookie, "content-type": b"application/x-www-form-urlencoded"}
        return self.server.ask("POST", path, body=urlencode(fields, errors="surrogatepass").encode(), headers=headers)


@pytest.fixture(scope="module")
def campaigns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Campaign]]:
    folder = tmp_path_factory.mktemp("campaigns")
    with ExitStack() as stack:
        yield {protocol: stack.enter_context(closing(Campaign(folder, protocol))) for protocol in PROTOCOLS}


@given(st.sampled_from(["GET", "HEAD", "POST", "PUT", "x"]), PATHS, HEADERS, st.binary(max_size=9), st.booleans())
@example("POST", "/work", {"content-type": FORM.encode(), "content-length": b"9" * 5000}, b"", True)
def test_any_request(
    reports: Server,
    campaigns: dict[str, Campaign],
    method: str,
    path: str,
    headers: dict[str, bytes],
    body: bytes,
    knows_judge: bool,
) -> None:
    campaign = campaigns["da"]
    reports.ask(method, path, body=body, query=body, headers=headers)
    campaign.server.ask(
        method, path, body=body, query=b"at=" + body, headers=headers | (campaign.cookie if knows_judge else {})
    )


NUMBERS = st.one_of(st.integers(-2, 6).map(str), st.sampled_from(["", "100", "101", "٣", "²", "9" * 400, "1.5", "x"]))
SPAN = st.fixed_dictionaries(
    {"start": st.integers(-1, 9), "end": st.integers(0, 9), "severity": st.sampled_from(["minor", "major", "x"])},
    optional={
        "category": st.sampled_from(["", "style", "x"]) | st.none(),
        "missing": st.booleans(),
        "more": st.none() | st.lists(st.none()),
    },
)
FIELDS = st.fixed_dictionaries(
    {"action": st.sampled_from(["save", "save", "skip", "mark:minor", "mark:x", "unmark:0", "unmark:²", ""])},
    optional={
        **dict.fromkeys(("score", "rank-1", "rank-2", "rank-3", "outcome", "adequacy", "fluency"), NUMBERS),
        "spans": st.one_of(
            st.lists(SPAN, max_size=2).map(json.dumps), st.sampled_from(["[", "{}", "[[]]", "[" * 9000])
        ),
        "token-at": NUMBERS,
        "category": st.sampled_from(["style", "x"]),
        "no-errors": st.just("yes"),
        "reason": st.sampled_from(["cannot decide", "x"]),
        "active": NUMBERS,
        "a": st.text(ANY, max_size=3),
    },
)
#: Hidden fields as they were signed, or as nobody would write them.
HIDDEN = st.fixed_dictionaries(
    {},
    optional={
        "screen": st.integers(0, 9).map(str),
        "revision": st.integers(0, 2).map(str),
        "nonce": st.text("ab", max_size=3),
    },
)


@given(st.sampled_from(PROTOCOLS), HIDDEN, FIELDS, st.booleans())
def test_answers(
    campaigns: dict[str, Campaign], protocol: str, hidden: dict[str, str], fields: dict[str, str], signed: bool
) -> None:
    campaign = campaigns[protocol]
    form = {"screen": "1", "shown_at": "1700000000.000", "revision": "0", "nonce": "n"} | hidden
    token = sign(campaign.secret, 1, *form.values()) if signed else "x"
    status, _ = campaign.post("/work", {**form, **fields, "token": token})
    assert signed or status in {400, 403}


PART = st.tuples(
    st.sampled_from(["references", "outputs", "source", "metrics", "pair", "title", "reference_text", "output_text_1"]),
    st.one_of(
        st.none(), st.sampled_from(["ref.txt", "a.txt", "b.sgm", "", "-", "../x", "a.tsv", "%22"]), st.text(max_size=3)
    ),
    st.one_of(
        st.sampled_from(
            [b"a b\nc d\n", b"a b\nc d\n", b"x\n", b"bleu", b"bleu", b"chrf", b"de-en", b"\x1f\x8b", b"\xff"]
        ),
        st.sampled_from([b"<refset><doc><seg>a</seg></doc></refset>", b"\0", b"\r\n--x--\r\n", b"a\r\nb\r\n"]),
        st.binary(max_size=9),
    ),
)


@cache
def form_token(app: Any) -> bytes:
    return sign(app.app.state.site.secret, "report").encode()


@given(st.lists(PART, max_size=6), st.one_of(st.none(), st.binary(max_size=9)), st.booleans())
def test_forms_of_reports(
    reports: Server, parts: list[tuple[str, str | None, bytes]], tail: bytes | None, is_sound: bool
) -> None:
    sound: list[tuple[str, str | None, bytes]] = [
        ("references", "r.txt", b"a b\nc d\n"),
        ("outputs", "s.txt", b"a b\nc d\n"),
        ("metrics", None, b"bleu"),
    ]
    body = b""
    for name, file_name, content in [("token", None, form_token(reports.app)), *(sound if is_sound else []), *parts]:
        file = "" if file_name is None else f'; filename="{file_name}"'
        body += f'--x\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + content + b"\r\n"
    body += b"--x--\r\n" if tail is None else tail
    reports.ask("POST", "/reports", body=body, headers={"content-type": b"multipart/form-data; boundary=x"})


ANSWERS: dict[str, Any] = {
    "rank": {"ranks": [1, 2, 2]},
    "pair": {"outcome": 1},
    "da": {"score": 7},
    "likert": {"adequacy": 1, "fluency": 5},
    "esa": {"score": 7, "spans": [{"start": 0, "end": 1, "severity": "minor", "category": ""}]},
    "mqm": {"score": -1.0, "spans": [{"start": 0, "end": 1, "severity": "minor", "category": ""}]},
}
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 9), st.floats(), st.text(ANY, max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["ranks", "score", "spans", "skip", "systems", "text", "start"]), inner, max_size=2
        ),
    ),
    max_leaves=5,
)
CELLS = st.one_of(
    st.none(),
    st.integers(-2, 9),
    st.floats(allow_nan=False),
    st.binary(max_size=3),
    JSON.map(json.dumps),
    st.text(max_size=3),
)
COLUMNS = ["answer.payload", "answer.payload", "screen.shown", "screen.kind", "screen.segment", "judge.name"]
COLUMNS += ["meta.value", "answer.revision", "answer.shown_at", "answer.submitted_at", "answer.active_ms", "task.k"]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of campaigns in which every screen of a task is answered."""
    folder = tmp_path_factory.mktemp("judged")
    for protocol in PROTOCOLS:
        path, _ = make(folder, protocol)
        with closing(sqlite3.connect(path)) as connection:
            payload = json.dumps(ANSWERS[protocol])
            connection.execute(
                "INSERT INTO answer SELECT id, id, 1, 1, ?, 1.0, 2.0, 3, 'n' || id FROM screen WHERE task = 1",
                (payload,),
            )
            for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                connection.execute(f"DROP TRIGGER {trigger}")
            connection.commit()
            connection.execute("PRAGMA journal_mode = DELETE")
    return folder


def check(reader: Callable[..., Any], path: Path) -> Any:
    try:
        return reader(path)
    except MtassayError as error:
        message = str(error)
    assert len(message.splitlines()) == 1
    return None


@given(
    st.sampled_from(PROTOCOLS),
    st.one_of(st.none(), st.tuples(st.sampled_from(COLUMNS), CELLS, st.integers(0, 12))),
    st.one_of(st.none(), st.tuples(st.integers(0, 60_000), st.binary(max_size=8))),
)
def test_campaigns(folder: Path, judged: Path, protocol: str, cell: Any, damage: Any) -> None:
    path = folder / "campaign.db"
    content = (judged / f"{protocol}.db").read_bytes()
    if damage is not None:
        place, new = damage
        content = content[:place] + new + content[place + len(new) :]
    path.write_bytes(content)
    if cell is not None and damage is None:
        column, value, row = cell
        table, name = column.split(".")
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA synchronous = OFF")  # nothing waits for the disk
            key = "key" if table == "meta" else "id"
            rows = connection.execute(f"SELECT {key} FROM {table}").fetchall()
            try:
                connection.execute(f"UPDATE {table} SET {name} = ? WHERE {key} = ?", (value, *rows[row % len(rows)]))
            except (sqlite3.IntegrityError, UnicodeEncodeError):
                return
    for reader in (load_judgements, mtassay.judge.status):
        found = check(reader, path)
        assert found is None or str(found)
