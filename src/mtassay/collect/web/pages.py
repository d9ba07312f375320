"""The pages of a judge."""

from __future__ import annotations

import asyncio
import json
import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse, Response

from mtassay.collect import store
from mtassay.collect.protocols import Incomplete, Protocol, find_protocol, mqm_score, read_answer
from mtassay.collect.spans import Span, mark, read_spans, tokens_of
from mtassay.collect.tokens import is_signed, sign, token_hash
from mtassay.collect.training import feedback
from mtassay.collect.web.forms import MalformedError, read_form
from mtassay.collect.web.layout import page
from mtassay.collect.web.security import Throttle
from mtassay.collect.web.views import given_of, screen_view
from mtassay.data.campaigns import completion_code

if TYPE_CHECKING:
    from starlette.requests import Request

    from mtassay.collect.writer import Writer

COOKIE, ADMIN_COOKIE = "mtassay_judge", "mtassay_organiser"
_COOKIE_SECONDS = 60 * 60 * 24 * 60
_OUTDATED = "This screen was answered in another tab meanwhile. Save again to replace that answer."
_NOT_SAVED = "The answer could not be saved just now. Nothing is lost: wait a moment and save again."
_LONGEST_NONCE = 64


@dataclass(frozen=True)
class Site:
    """The campaign that is served, and how.

    Attributes:
        reader: a connection for reading.
        writer: writes.
        clock: the time in seconds since 1970.
        prefix: path in front of all addresses.
        secure: whether judges reach the server by HTTPS.
        throttle: counts wrong tokens.
    """

    reader: sqlite3.Connection
    writer: Writer
    clock: Callable[[], float]
    prefix: str
    secure: bool
    throttle: Throttle

    def meta(self) -> dict[str, str]:
        """The properties of the campaign, as they are now."""
        return dict(self.reader.execute("SELECT key, value FROM meta"))

    async def write(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        """Run `work` in the writing thread and wait until it is on the disk."""
        return await asyncio.wrap_future(self.writer.submit(work))

    def page(self, name: str, status: int = 200, **context: Any) -> Response:
        """A page of the campaign."""
        meta = self.meta()
        return page(name, status, prefix=self.prefix, campaign=meta["name"], **context)

    def go(self, path: str) -> Response:
        """A redirection after a form, or to where the judge is."""
        return RedirectResponse(self.prefix + path, 303)

    def refuse_token(self, request: Request) -> Response:
        """The reply to a wrong token."""
        client = request.client.host if request.client else ""
        if self.throttle.fail(client):
            response = self.page("message", 429, title="Too many attempts", text="Wait a minute, then try again.")
            response.headers["Retry-After"] = "60"
            return response
        return self.page(
            "message", 401, title="This link is not valid", text="Open the personal link that you were sent."
        )

    def set_cookie(self, response: Response, name: str, token: str) -> Response:
        """Remember a token in the browser."""
        response.set_cookie(
            name,
            token,
            max_age=_COOKIE_SECONDS,
            path=f"{self.prefix}/",
            secure=self.secure,
            httponly=True,
            samesite="lax",
        )
        return response


@dataclass(frozen=True)
class Visit:
    """A judge's request."""

    site: Site
    judge: store.Judge
    meta: dict[str, str]
    request: Request

    @property
    def protocol(self) -> Protocol:
        """The protocol of the campaign."""
        return find_protocol(self.meta["protocol"])

    @property
    def options(self) -> dict[str, Any]:
        """The options of the campaign."""
        found: dict[str, Any] = json.loads(self.meta["options"])
        return found

    def signature(self, *parts: object) -> str:
        """A form token for this judge."""
        return sign(self.meta["secret"], self.judge.id, *parts)


def for_judges(handler: Callable[[Visit], Any]) -> Callable[[Site, Request], Any]:
    """A page that only a judge with a valid link sees."""

    async def handle(site: Site, request: Request) -> Response:
        token = request.cookies.get(COOKIE, "")
        judge = store.find_judge(site.reader, token) if token else None
        if judge is None:
            if token:
                return site.refuse_token(request)
            text = "Open the personal link that you were sent."
            return site.page("message", 401, title="Who are you?", text=text)
        if judge.disabled:
            text = "Ask the organiser of the campaign for a new one. Your answers are kept."
            return site.page("message", 403, title="This link no longer works", text=text)
        meta = site.meta()
        if "closed_at" in meta:
            text = "Thank you for your work. All answers that you saved are kept."
            return site.page("message", 403, title="This campaign is closed", text=text)
        response: Response = await handler(Visit(site, judge, meta, request))
        return response

    return handle


async def enter(site: Site, request: Request) -> Response:
    """``/j/TOKEN``: remember the token in a cookie, and take it out of the address."""
    token = request.path_params["token"]
    judge = store.find_judge(site.reader, token)
    if judge is None:
        return site.refuse_token(request)
    return site.set_cookie(site.go("/"), COOKIE, token)


async def enter_organiser(site: Site, request: Request) -> Response:
    """``/o/TOKEN``: the same for the organiser."""
    token = request.path_params["token"]
    if token_hash(token) != site.meta()["admin_hash"]:
        return site.refuse_token(request)
    return site.set_cookie(site.go("/organiser"), ADMIN_COOKIE, token)


@for_judges
async def welcome(visit: Visit) -> Response:
    """Instructions, and where to begin or go on."""
    place = store.current_place(visit.site.reader, visit.judge.id)
    return visit.site.page(
        "welcome",
        judge=visit.judge.name,
        paragraphs=visit.meta["instructions"].split("\n\n"),
        is_begun=place is not None,
        n_answered=store.count_answers(visit.site.reader, visit.judge.id),
        token=visit.signature("start"),
    )


@for_judges
async def start(visit: Visit) -> Response:
    """Take the next task."""
    form, _ = await read_form(visit.request)
    if not is_signed(form.get("token", ""), visit.meta["secret"], visit.judge.id, "start"):
        return _foreign_form(visit)
    options, now = visit.options, visit.site.clock()
    found = await visit.site.write(
        lambda connection: store.take_task(
            connection,
            visit.judge.id,
            now=now,
            lease=60 * options["lease"],
            pool=options["assignment"] == "pool",
            most=options["tasks_per_judge"],
        )
    )
    return visit.site.go("/work" if found else "/done")


@for_judges
async def done(visit: Visit) -> Response:
    """After a task: the completion code, and whether there is more to do."""
    reader, judge, options = visit.site.reader, visit.judge.id, visit.options
    if store.current_place(reader, judge) is not None:
        return visit.site.go("/work")
    n_tasks = store.count_tasks(reader, judge)
    more = store.has_open_task(
        reader,
        judge,
        now=visit.site.clock(),
        pool=options["assignment"] == "pool",
        most=options["tasks_per_judge"],
    )
    return visit.site.page(
        "done",
        n_tasks=n_tasks,
        n_answered=store.count_answers(reader, judge),
        code=completion_code(visit.meta["secret"], judge, n_tasks) if n_tasks else "",
        more=more,
        token=visit.signature("start"),
    )


@for_judges
async def pause(visit: Visit) -> Response:
    """A break."""
    n_answered = store.count_answers(visit.site.reader, visit.judge.id)
    return visit.site.page("pause", n_answered=n_answered, minutes=f"{visit.options['lease']:g}")


@for_judges
async def show_feedback(visit: Visit) -> Response:
    """What was expected of a training answer."""
    place = _earlier(visit)
    if place is None or not place.is_training or place.payload is None:
        return visit.site.go("/work")
    is_right, remark = feedback(place.expected, place.payload, place.outputs[0].text)
    is_last = place.position == place.n_screens
    return visit.site.page(
        "feedback", is_right=is_right, remark=remark, at=place.at, is_last=is_last, token=visit.signature("start")
    )


@for_judges
async def work(visit: Visit) -> Response:
    """The current screen, or an earlier one to be changed."""
    reader, judge = visit.site.reader, visit.judge.id
    place = _earlier(visit) if "at" in visit.request.query_params else store.current_place(reader, judge)
    if place is None:
        return visit.site.go("/done")
    spans = [Span(**span) for span in (place.payload or {}).get("spans", ())]
    return _screen(visit, place, given_of(place.payload), spans=spans)


@for_judges
async def save(visit: Visit) -> Response:
    """Store an answer, or mark a span."""
    form, several = await read_form(visit.request)
    names = ("screen", "shown_at", "revision", "nonce")
    if not is_signed(form.get("token", ""), visit.meta["secret"], visit.judge.id, *(form.get(one) for one in names)):
        return _foreign_form(visit)
    place = store.place_of_screen(visit.site.reader, visit.judge.id, int(form["screen"]))
    if place is None:
        raise MalformedError
    spans = _spans(visit, place, form)
    action, _, argument = form.get("action", "save").partition(":")
    if action in ("mark", "unmark"):
        spans, problems = _marked(visit, place, spans, form, [action, argument, *several.get("token-at", ())])
        return _screen(visit, place, form, spans=spans, problems=problems, again=form)
    try:
        payload = read_answer(visit.protocol, form, n_outputs=len(place.outputs), spans=spans)
    except Incomplete as missing:
        return _screen(visit, place, form, spans=spans, problems=missing.problems, again=form, status=422)
    if visit.protocol.name == "mqm":
        payload["score"] = mqm_score(payload["spans"], visit.options["weights"])
    return await _store(visit, place, payload, form, spans)


async def _store(
    visit: Visit, place: store.Place, payload: dict[str, Any], form: dict[str, str], spans: list[Span]
) -> Response:
    active = form.get("active", "")
    answer = store.NewAnswer(
        judge=visit.judge.id,
        screen=place.screen,
        revision=int(form["revision"]) + 1,
        payload=payload,
        shown_at=float(form["shown_at"]),
        active_ms=int(active) if active.isdecimal() and len(active) < 10 else None,
        nonce=form["nonce"][:_LONGEST_NONCE],
    )
    now, lease = visit.site.clock(), 60 * visit.options["lease"]
    try:
        await visit.site.write(lambda connection: store.save_answer(connection, answer, now=now, lease=lease))
    except store.OutdatedError:
        newest = store.place_of_screen(visit.site.reader, visit.judge.id, place.screen) or place
        return _screen(visit, newest, form, spans=spans, problems=[_OUTDATED], status=409)
    except sqlite3.Error:
        return _screen(visit, place, form, spans=spans, problems=[_NOT_SAVED], again=form, status=503)
    return visit.site.go(f"/feedback?at={place.at}" if place.is_training else "/work")


def _screen(
    visit: Visit,
    place: store.Place,
    given: dict[str, str],
    *,
    spans: list[Span],
    problems: Any = (),
    again: dict[str, str] | None = None,
    status: int = 200,
) -> Response:
    """The page of a screen; `again` has the hidden fields of a form that is shown once more."""
    hidden = again or {
        "screen": str(place.screen),
        "shown_at": f"{visit.site.clock():.3f}",
        "revision": str(place.revision),
        "nonce": secrets.token_hex(12),
    }
    parts = [hidden[name] for name in ("screen", "shown_at", "revision", "nonce")]
    view = screen_view(place, visit.protocol, visit.options, given=given, spans=spans, problems=problems)
    return visit.site.page(
        visit.protocol.name,
        status,
        view=view,
        hidden=dict(zip(("screen", "shown_at", "revision", "nonce"), parts, strict=True)),
        token=visit.signature(*parts),
        aspect=visit.options["aspect"] or "",
    )


def _earlier(visit: Visit) -> store.Place | None:
    at = visit.request.query_params.get("at", "")
    if not at.isdecimal() or len(at) > 9:
        return None
    return store.earlier_place(visit.site.reader, visit.judge.id, int(at))


def _spans(visit: Visit, place: store.Place, form: dict[str, str]) -> list[Span]:
    if not visit.protocol.severities:
        return []
    try:
        return read_spans(
            form.get("spans", ""),
            length=len(place.outputs[0].text),
            severities=visit.protocol.severities,
            categories=visit.options["categories"],
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        raise MalformedError from None


def _marked(
    visit: Visit, place: store.Place, spans: list[Span], form: dict[str, str], action: list[str]
) -> tuple[list[Span], list[str]]:
    """The spans after one was marked or taken back, and what is missing for that."""
    what, argument, *chosen = action
    if what == "unmark":
        place_of_span = int(argument) if argument.isdecimal() else -1
        return [span for at, span in enumerate(spans) if at != place_of_span], []
    category = form.get("category", "")
    numbers = [int(one) for one in chosen if one.isdecimal() and len(one) < 6]
    if argument not in visit.protocol.severities:
        raise MalformedError
    if not numbers:
        return spans, ["Choose the words of the error first."]
    tokens = tokens_of(place.outputs[0].text)
    categories = visit.options["categories"]
    if categories and category not in categories:
        return spans, ["Choose the category of the error first."]
    new = mark(tokens, numbers, severity=argument, category=category if categories else "")
    # A new mark replaces those that it overlaps, and an omission the other one.
    kept = [span for span in spans if not any(_overlap(span, one) for one in new)]
    return sorted({*kept, *new}), []


def _overlap(one: Span, other: Span) -> bool:
    return (one.missing and other.missing) or (one.start < other.end and other.start < one.end)


def _foreign_form(visit: Visit) -> Response:
    text = "Go back to the page, load it again, and save once more."
    return visit.site.page("message", 403, title="This form is not from here", text=text)
