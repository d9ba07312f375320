"""Requests that no page of ours makes are refused with the right status, and nothing is lost or leaked."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest

import mtassay
from mtassay.collect.web.security import Guard
from mtassay.data.campaigns import read_campaign

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def made(campaign: Callable[..., Any]) -> Any:
    return campaign(protocol="da", segments=10, controls=False, judges_per_task=100, training=0)


@pytest.fixture
def ann(made: Any, request: pytest.FixtureRequest) -> Any:
    """A judge at the first screen; of a name of each test's own."""
    judge = made.judge(request.node.name)
    judge.enter()
    judge.start()
    return judge


def n_stored(made: Any) -> int:
    return len(read_campaign(made.path).log)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "null", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 400),
        ({"Host": "[::1"}, 400),
        ({"Content-Type": "application/json"}, 415),
        ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
        ({"Content-Type": ""}, 415),
    ],
)
def test_foreign_requests(made: Any, ann: Any, headers: dict[str, str], status: int) -> None:
    before, page = n_stored(made), ann.page()
    assert ann.post("/work", {**page.fields, "score": "5"}, headers=headers).status == status
    assert n_stored(made) == before
    assert ann.save(page, score="5").status == 303


def test_own_requests_with_the_headers_of_browsers(made: Any, ann: Any) -> None:
    for headers in (
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Origin": f"http://127.0.0.1:{made.port}"},
        {"Host": f"localhost:{made.port}"},
    ):
        page = ann.page()
        assert ann.post("/work", {**page.fields, "score": "5"}, headers=headers).status == 303


@pytest.mark.parametrize("field", ["token", "screen", "shown_at", "revision", "nonce"])
def test_a_form_that_was_tampered_with(made: Any, ann: Any, field: str) -> None:
    before, page = n_stored(made), ann.page()
    changed = {**page.fields, field: "999"}
    assert ann.save(page, **changed).status == 403
    del changed[field]
    assert ann.post("/work", {**changed, "score": "5"}).status == 403
    assert n_stored(made) == before


def test_a_form_of_another_judge(made: Any, ann: Any) -> None:
    other = made.judge("other")
    other.enter()
    other.start()
    before = n_stored(made)
    assert other.save(ann.page(), score="5").status == 403
    assert n_stored(made) == before


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"x=" + b"a" * 70_000, 413),
        (b"&".join(b"x=1" for _ in range(2000)), 400),
        (b"x=%ff", 400),
        (b"\xff\xfe", 400),
        (b"x=%00", 400),
        (b"", 403),
        (b"action=save&screen=1", 403),
    ],
)
def test_oversized_and_malformed_bodies(made: Any, ann: Any, body: bytes, status: int) -> None:
    before = n_stored(made)
    assert ann.client.request("POST", "/work", body=body, headers=FORM).status == status
    assert n_stored(made) == before


def test_a_body_without_a_length_is_limited_too(made: Any, ann: Any) -> None:
    chunks = (b"a" * 10_000 for _ in range(20))
    ann.client._connection.request("POST", "/work", chunks, FORM, encode_chunked=True)  # no Content-Length
    assert ann.client._connection.getresponse().status == 413
    ann.client.close()


def test_a_form_whose_end_is_missing_does_not_reach_the_pages() -> None:
    """The connection broke after ``score=8`` of ``score=85``, which would be a valid answer."""
    messages = iter(
        [
            {"type": "http.request", "body": b"token=x&score=8", "more_body": True},
            {"type": "http.disconnect"},
        ]
    )
    reached: list[Any] = []
    sent: list[Any] = []

    async def receive() -> Any:
        return next(messages)

    async def app(*arguments: Any) -> None:
        reached.append(arguments)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", FORM["Content-Type"].encode()), (b"content-length", b"16")]
    scope = {"type": "http", "method": "POST", "path": "/work", "headers": headers}
    asyncio.run(Guard(app, hosts=["localhost"])(scope, receive, send))
    assert reached == []
    assert sent[0]["status"] == 400


def test_the_number_of_forms_at_a_time_is_limited() -> None:
    async def send_three() -> list[int]:
        may_end = asyncio.Event()
        statuses: list[int] = []

        async def receive() -> Any:
            await may_end.wait()
            return {"type": "http.request", "body": b"a=1"}

        async def send(message: Any) -> None:
            statuses.extend([message["status"]] if "status" in message else [])

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})

        guard = Guard(app, hosts=["localhost"], most_bodies=1)
        headers = [(b"host", b"localhost"), (b"content-type", FORM["Content-Type"].encode())]
        scope = {"type": "http", "method": "POST", "path": "/work", "headers": headers}
        slow = asyncio.create_task(guard(scope, receive, send))
        await asyncio.sleep(0)
        await guard({**scope, "method": "GET"}, receive, send)
        await guard(scope, receive, send)
        may_end.set()
        await slow
        await guard(scope, receive, send)
        return statuses

    assert asyncio.run(send_three()) == [200, 503, 200, 200]


def test_spans_that_were_tampered_with(campaign: Callable[..., Any]) -> None:
    made = campaign(protocol="esa", segments=3, controls=False, training=0)
    judge = made.judge("ann")
    judge.enter()
    judge.start()
    page = judge.page()
    span = {"start": 0, "end": 2, "severity": "minor", "category": ""}
    wrong: list[Any] = [{"end": 10_000}, {"start": -1}, {"severity": "awful"}, {"category": SCRIPT}, {"end": 0}]
    for spans in ("{", "[1]", "{}", "[" * 10_000, *(json.dumps([span | one]) for one in wrong)):
        assert judge.save(page, score="5", spans=spans).status == 400, spans[:80]
    assert judge.save(page, score="5", spans=json.dumps([span])).status == 303
    assert judge.post("/work", {**judge.page().fields, "action": "mark:awful", "token-at": "0"}).status == 400


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static/page.css/../../../campaign0.db",
        "/static/",
        "/campaign0.db",
        "//etc/passwd",
        "/work/",
        "/j/",
        "/j/a/b",
        "/organiser/x",
    ],
)
def test_paths_that_do_not_exist(ann: Any, path: str) -> None:
    assert ann.client.request("GET", path).status == 404


@pytest.mark.parametrize(("method", "path"), [("PUT", "/work"), ("DELETE", "/"), ("POST", "/pause"), ("GET", "/start")])
def test_methods(ann: Any, method: str, path: str) -> None:
    body = b"x=1" if method == "POST" else None
    assert ann.client.request(method, path, body=body, headers=FORM if body else None).status == 405


@pytest.mark.parametrize("path", ["/", "/work", "/pause", "/done", "/feedback", "/organiser"])
def test_pages_need_a_token(made: Any, path: str) -> None:
    assert made.client().get(path).status == 401


def test_disabled_renewed_and_guessed_tokens(made: Any, ann: Any, request: pytest.FixtureRequest) -> None:
    page, name = ann.page(), request.node.name
    mtassay.judge.invite(made.path, disable=[name])
    assert ann.save(page, score="5").status == 403
    assert ann.get("/work").status == 403
    mtassay.judge.invite(made.path, enable=[name])
    assert ann.save(page, score="5").status == 303
    [new] = mtassay.judge.invite(made.path, renew=[name])
    assert ann.get("/work").status == 401  # the stolen one
    assert ann.get(urlsplit(new.link).path).status == 200
    guessing = made.client()
    statuses = [guessing.get(f"/j/{'x' * 22}").status for _ in range(12)]
    assert statuses[-1] == 429
    assert set(statuses) <= {401, 429}
    assert guessing.replies[-1].headers["retry-after"] == "60"
    assert guessing.get("/o/guess").status == 429
    assert ann.get("/work").status == 200  # those with a token are not slowed down


def test_a_judge_is_no_organiser(made: Any, ann: Any) -> None:
    assert ann.get("/organiser").status == 401
    organiser = made.client()
    reply = organiser.get(urlsplit(made.plan.organiser_link).path)
    assert reply.status == 200
    assert "Judges" in reply.text


def test_headers_and_cookies(made: Any) -> None:
    judge = made.judge("headers")
    reply = judge.client.request("GET", urlsplit(judge.link).path)
    cookie = reply.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    for path in ("/", "/work", "/static/page.css", "/nothing"):
        headers = judge.client.request("GET", path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] in {"no-store", "no-cache"}


def test_tokens_are_not_in_the_file(made: Any) -> None:
    judge = made.judge("secret")
    tokens = [judge.link.rpartition("/")[2], made.plan.organiser_link.rpartition("/")[2]]
    with closing(sqlite3.connect(made.path)) as connection:
        dump = "\n".join(connection.iterdump())
    assert not [token for token in tokens if token in dump]


def test_script_in_texts_names_and_instructions(campaign: Callable[..., Any]) -> None:
    texts = [f"{SCRIPT} &amp; \"'{number}" for number in range(4)]
    testset = mtassay.TestSet(
        [texts],
        {"x": texts, f"y{SCRIPT}": [f"{text} b" for text in texts]},
        sources=texts,
        language_pair="de-en",
    )
    for protocol in ("rank", "pair", "da", "likert", "esa", "mqm"):
        options: dict[str, Any] = {} if protocol in ("rank", "pair") else {"controls": False}
        if protocol == "mqm":
            options["categories"] = [SCRIPT]
        made = campaign(
            testset=testset,
            protocol=protocol,
            name=SCRIPT,
            instructions=SCRIPT,
            training=0,
            **options,
        )
        judge = made.judge(f"ann {SCRIPT}")
        judge.enter()
        judge.start()
        judge.page()
        judge.save(judge.page())
        for path in ("/", "/pause", "/done", "/organiser"):
            judge.get(path)
        judge.get(urlsplit(made.plan.organiser_link).path)
        for reply in judge.client.replies:
            assert SCRIPT not in reply.text, reply.path
        assert any("&lt;script&gt;" in reply.text for reply in judge.client.replies)


def test_behind_a_proxy_with_a_prefix(campaign: Callable[..., Any]) -> None:
    made = campaign(protocol="da", segments=2, controls=False, training=0, url="https://example.org/judge")
    judge = made.judge("ann")
    assert judge.link.startswith("https://example.org/judge/j/")
    headers = {"Host": "example.org"}
    reply = judge.client.request("GET", urlsplit(judge.link).path, headers=headers)
    assert reply.headers["location"] == "/judge/"
    assert "secure" in reply.headers["set-cookie"].lower()
    assert "path=/judge/" in reply.headers["set-cookie"].lower()
    for path in ("/judge/", "/"):  # whether or not the proxy removes the prefix
        page = judge.client.request("GET", path, headers=headers)
        assert page.status == 200
        assert 'action="/judge/start"' in page.text
    origin = {**headers, "Origin": "https://example.org", "Sec-Fetch-Site": "same-origin"}
    assert judge.post("/judge/start", {"token": "x"}, headers=origin).status == 403  # the token, not the origin
