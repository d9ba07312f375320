"""``mtassay serve``: from files to the report, and requests that are refused."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import pytest

import mtassay
from mtassay.cli.main import main

pytest.importorskip("starlette", reason="no Starlette: pip install 'mtassay[judge]'")

from mtassay.collect.web import report_jobs
from mtassay.collect.web.report_app import report_app
from mtassay.collect.web.report_form import Limits, Request, offered_metrics
from mtassay.verbs.report import report

TOKEN = "correct-horse-battery"
REFERENCE = b"the cat sat on the mat\na dog barked\nyes it did\n"
GOOD, BAD = b"the cat sat on a mat\na dog barked\nyes it did\n", b"cat mat\nno dog\nno\n"
SCRIPT = "<script>alert(1)</script>"
Sent = list[tuple[str, str | None, bytes]]


def files(**changes: bytes) -> Sent:
    """A form that makes a report; `changes` replace the contents of files."""
    contents = {"ref": REFERENCE, "good": GOOD, "bad": BAD} | changes
    fields = [("references" if name == "ref" else "outputs", f"{name}.txt", text) for name, text in contents.items()]
    return [*fields, ("source", "", b""), ("metrics", None, b"bleu")]


@pytest.fixture(scope="module")
def shared(visiting: Callable[..., Any]) -> Any:
    """A visitor of a server with small limits."""
    return visiting(report_app(limits=Limits(size=20_000, files=4, metrics=3, jobs=2)))


@pytest.fixture
def visitor(shared: Any) -> Any:
    """A visitor of that server, with no cookies."""
    shared.cookies.clear()
    return shared


def problem(reply: Any) -> str:
    [line] = reply.page.alerts
    return str(line)


def test_the_report_is_that_of_the_command(visitor: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = files()
    sent[-2:] = [
        ("references", "other.txt", GOOD.upper()),
        *(("metrics", None, name) for name in (b"chrf", b"ter")),
        ("pair", None, b"de-en"),
        ("title", None, "Ärger & <Co>".encode()),
    ]
    address = visitor.wait(visitor.send(sent))
    ready = visitor.get(address)
    assert f"{address}/page" in ready.page.links
    saved = visitor.get(f"{address}/file")
    assert saved.headers["content-disposition"] == 'attachment; filename="report.html"'
    assert saved.body == visitor.get(f"{address}/page").body + b"\n"
    monkeypatch.chdir(tmp_path)
    for name, file_name, content in sent:
        if name in ("references", "outputs"):
            (tmp_path / str(file_name)).write_bytes(content)
    words = "report ref.txt other.txt -i good.txt bad.txt -l de-en -m chrf ter --title 'Ärger & <Co>' -o report.html"
    assert main(shlex.split(words)) == 0
    assert (tmp_path / "report.html").read_bytes() == saved.body


def test_pasted_text_and_a_source(visitor: Any) -> None:
    windows = {name: text.replace(b"\n", b"\r\n") for name, text in {"r": REFERENCE, "g": GOOD, "b": BAD}.items()}
    sent: Sent = [
        ("references", "", b""),
        ("reference_text", None, windows["r"]),
        ("output_name_1", None, b"first"),
        ("output_text_1", None, windows["g"].rstrip()),
        ("output_text_2", None, windows["b"]),
        ("source_text", None, b"eins\r\nzwei\r\ndrei"),
        ("metrics", None, b"ter"),
    ]
    made = visitor.get(f"{visitor.wait(visitor.send(sent))}/page").text
    result = mtassay.report(
        mtassay.TestSet(
            [REFERENCE.decode().splitlines()],
            {"first": GOOD.decode().splitlines(), "pasted 2": BAD.decode().splitlines()},
            sources=["eins", "zwei", "drei"],
            reference_names=["pasted reference"],
        ),
        metrics=["ter"],
    )
    assert made == result.render("html")


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (
            files(bad=b"one\ntwo\n"),
            "bad.txt has 2 lines, ref.txt has 3: every system needs one line per reference line",
        ),
        (
            files(good=b"a\nb\xe4c\nd\n"),
            "good.txt, line 2: byte 0xe4 is not utf-8 (invalid continuation byte); convert the file",
        ),
        (files(ref=b""), "ref.txt is empty"),
        (files(bad=b"\x1f\x8b\x08\x00"), "bad.txt is compressed (gzip): decompress it first"),
        (files()[1:], "no reference: choose a file, or paste text"),
        ([files()[0], *files()[3:]], "no output: choose one file for each system, or paste text"),
        (files()[:-1], "no metric: choose at least one"),
        (
            [*files(), ("metrics", None, b"file:/etc/passwd")],
            "'file:/etc/passwd' is not among the metrics of this page",
        ),
        ([*files(), ("metrics", None, b"comet")], "'comet' is not among the metrics of this page"),
        ([*files(), ("outputs", "good", GOOD)], "two outputs are named 'good': rename one of them"),
        ([*files(), ("pair", None, b"german")], "'german' is not a language pair: write two codes, such as de-en"),
        (
            [*files()[:2], ("source", "s", b"a"), ("source_text", None, b"a")],
            "there can be one source, either a file or pasted text",
        ),
        (
            [*files(), ("source", "s", b"a\nb")],
            "s has 2 lines, ref.txt has 3: the sources need one line per reference line",
        ),
        (
            [("references", "set.xml", b"<x/>"), *files()[1:]],
            "set.xml is a whole test set by its name, but separate files must be plain text or .sgm",
        ),
    ],
)
def test_errors_of_the_input(visitor: Any, sent: Sent, message: str) -> None:
    reply = visitor.send([*sent, ("title", None, b"Kept")])
    assert reply.status == 400
    assert problem(reply).removesuffix("; give a test set alone") == message
    assert 'value="Kept"' in reply.text


def test_a_metric_that_fails_says_so(visitor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    address = visitor.wait(visitor.send([*files(ref=b"a\nb\nc", good=b"a\nb\nc", bad=b"\n\n\n")]))
    assert visitor.get(address).status == 200
    for error, status in ((mtassay.InputError("line 3 is odd"), 400), (ZeroDivisionError(), 500)):

        def fail(*words: Any, error: Exception = error, **options: Any) -> None:
            raise error

        monkeypatch.setattr(report_jobs, "report", fail)
        address = visitor.wait(visitor.send(files()))
        reply = visitor.get(address)
        assert reply.status == status
        assert ("line 3 is odd" if status == 400 else "ZeroDivisionError") in reply.text
        assert visitor.get(f"{address}/page").status == 404


def test_limits(visitor: Any) -> None:
    many = visitor.send([*files(), ("outputs", "a", GOOD), ("outputs", "b", GOOD)])
    assert (many.status, problem(many)) == (413, "5 files: this server accepts 4 at a time")
    far_more = visitor.send([*files(), *([("outputs", "a", b"")] * 300)])
    assert (far_more.status, problem(far_more)) == (413, "too many files: this server accepts 4 at a time")
    metrics = visitor.send([*files(), *(("metrics", None, name) for name in (b"ter", b"chrf", b"wer"))])
    assert (metrics.status, problem(metrics)) == (413, "4 metrics: this server accepts 3 at a time")
    large = visitor.send(files(good=b"x" * 100_000))
    assert large.status == 413
    assert "larger than 19.53 kB in total" in large.text


def test_the_server_answers_while_reports_are_made(visitor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    release = Event()

    def slow(*words: Any, **options: Any) -> Any:
        assert release.wait(20)
        return report(*words, **options)

    monkeypatch.setattr(report_jobs, "report", slow)
    first, second = visitor.send(files()), visitor.send(files())
    assert [first.status, second.status] == [303, 303]
    third = visitor.send(files())
    assert (third.status, problem(third)) == (
        503,
        "2 reports are being made at the moment, which is the limit: wait a moment, then send again",
    )
    waiting = visitor.get(first.headers["location"])
    assert waiting.headers["refresh"] == "2"
    assert "Making the report" in waiting.text
    assert visitor.get(f"{first.headers['location']}/page").status == 404
    release.set()
    assert visitor.get(visitor.wait(first)).status == visitor.get(visitor.wait(second)).status == 200


def test_old_reports_are_dropped() -> None:
    jobs = report_jobs.Jobs(1)
    testset = mtassay.TestSet([["a b"]], {"x": ["a b"]})
    made = []
    for _ in range(25):
        job = jobs.start(testset, Request(metrics=["no such"]))
        assert job is not None
        while job.is_running:
            sleep(0.001)
        made.append(job)
    assert [jobs.find(job.id) is not None for job in made] == [False] * 5 + [True] * 20


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 400),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content-Type": "text/plain; boundary=x"}, 415),
        ({"Content-Type": "multipart/form-data"}, 400),
        ({"Content-Type": "multipart/form-data; boundary=y"}, 400),
    ],
)
def test_foreign_and_damaged_requests(visitor: Any, headers: dict[str, str], status: int) -> None:
    assert visitor.send(files(), headers=headers).status == status


@pytest.mark.parametrize("token", ["", "x", "\N{BLACK STAR}"])
def test_a_form_token_is_needed(visitor: Any, token: str) -> None:
    assert visitor.send(files(), token=token).status == 403


@pytest.mark.parametrize(
    "path", ["/reports/x", "/reports/x/page", "/reports/../x", "/t/x/y", "/static/upload.html", "/j/x"]
)
def test_unknown_addresses(visitor: Any, path: str) -> None:
    assert visitor.request("GET", path).status == 404


def test_headers(visitor: Any) -> None:
    address = visitor.wait(visitor.send(files()))
    for path in ("/", address, "/nothing", "/static/upload.js", f"{address}/file"):
        headers = visitor.request("GET", path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
    of_report = visitor.get(f"{address}/page").headers
    policy = of_report["content-security-policy"]
    assert policy.endswith("; frame-ancestors 'none'; sandbox allow-scripts allow-modals")
    assert "unsafe" not in policy
    assert policy.count("'sha256-") == 2
    assert of_report["referrer-policy"] == "no-referrer"
    assert of_report["cache-control"] == "no-store"


def test_with_a_token(visiting: Callable[..., Any]) -> None:
    visitor = visiting(report_app(token=TOKEN, url="http://127.0.0.1/mt"))
    assert visitor.request("GET", "/").status == 401
    refused = visitor.send(files(), token="x")
    assert refused.status == 401
    entered = visitor.request("GET", f"/mt/t/{TOKEN}")
    assert (entered.status, entered.headers["location"]) == (303, "/mt/")
    assert "httponly" in entered.headers["set-cookie"].lower()
    assert visitor.get(visitor.wait(visitor.send(files()))).status == 200
    guessing = visitor.another()
    statuses = [guessing.get(f"/t/{'x' * number}").status for number in range(1, 13)]
    assert statuses == [401] * 10 + [429] * 2
    assert guessing.replies[-1].headers["retry-after"] == "60"
    assert guessing.get(f"/t/{TOKEN}").status == 429  # else guessing would not be slowed down
    for guess in ("wrong", TOKEN):
        guessing.cookies["mtassay_report"] = guess
        assert guessing.get("/").status == 401
    guessing.close()
    assert visitor.get("/").status == 200


def test_a_body_is_not_read_without_the_token(visiting: Callable[..., Any]) -> None:
    visitor = visiting(report_app(token=TOKEN, limits=Limits(size=10**6)))
    assert visitor.send(files(good=b"x" * 100_000), token="x").status == 401


def test_markup_in_names_is_shown(visitor: Any) -> None:
    sent = [
        *files()[:2],
        ("outputs", SCRIPT, b"a\n"),
        ("title", None, SCRIPT.encode()),
        ("metrics", None, SCRIPT.encode()),
    ]
    reply = visitor.send(sent)
    assert reply.status == 400
    assert SCRIPT not in reply.text
    sent[-1] = ("metrics", None, b"bleu")
    reply = visitor.send(sent)
    assert SCRIPT not in reply.text
    assert "&lt;script&gt;" in reply.text


def test_nothing_is_written(visiting: Callable[..., Any]) -> None:
    """No file is opened for writing while a report is made, by any thread of this process."""
    opened: list[str] = []
    is_over = False

    def audit(event: str, details: Any) -> None:
        if event == "open" and not is_over and details[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            opened.append(str(details[0]))

    visitor = visiting(report_app())
    sys.addaudithook(audit)  # stays until the process ends
    with tempfile.SpooledTemporaryFile(max_size=10) as file:
        file.write(b"more than ten bytes")
    assert opened, "a temporary file is noticed"
    opened.clear()
    large = ("source", "source.txt", b"\n".join([b"ein langer Satz " * 40_000] * 3))
    sent = [*files(), large, ("metrics", None, b"chrf"), ("metrics", None, b"ter")]
    address = visitor.wait(visitor.send(sent))
    assert visitor.get(f"{address}/page").status == 200
    is_over = True
    assert not [name for name in opened if "__pycache__" not in name]


def test_a_file_named_like_standard_input(visitor: Any) -> None:
    sent = files()
    sent[1] = ("outputs", "-", GOOD)
    assert visitor.get(visitor.wait(visitor.send(sent))).status == 200


def test_offered_metrics_work_without_further_data() -> None:
    names = [offer.name for offer in offered_metrics()]
    assert names[:3] == ["bleu", "chrf", "ter"]
    assert {"meteor", "chrf++", "wer"} <= set(names)
    assert not {"comet", "file", "cross", "learned", "sempos", "length_ratio"} & set(names)
    mtassay.report([["a b c d", "e f"]], {"x": ["a b c", "e f"], "y": ["a c", "f"]}, metrics=names, resamples=20)
