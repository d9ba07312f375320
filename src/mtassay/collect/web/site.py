"""The served campaign, its visitors, and the replies to visitors without a valid link."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse, Response

from mtassay.collect import store
from mtassay.collect.protocols import Protocol, find_protocol
from mtassay.collect.tokens import sign, token_hash
from mtassay.collect.web.layout import page
from mtassay.collect.web.security import Throttle, remember_token
from mtassay.data.campaign_checks import check_meta

if TYPE_CHECKING:
    from starlette.requests import Request

    from mtassay.collect.writer import Writer

COOKIE, ADMIN_COOKIE = "mtassay_judge", "mtassay_organiser"


@dataclass(frozen=True)
class Site:
    """The served campaign.

    Attributes:
        reader: a connection for reading.
        writer: the thread that writes.
        clock: function that returns the time in seconds since 1970.
        prefix: prefix of all paths.
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
        """The current properties of the campaign; raises `InputError` if the file was damaged in the meantime."""
        found: dict[str, str] = dict(self.reader.execute("SELECT key, value FROM meta"))
        check_meta(found)
        return found

    async def write(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        """Run `work` in the writing thread and wait until its changes are on the disk."""
        return await asyncio.wrap_future(self.writer.submit(work))

    def page(self, name: str, status: int = 200, **context: Any) -> Response:
        """A page of the campaign."""
        meta = self.meta()
        return page(name, status, prefix=self.prefix, campaign=meta["name"], **context)

    def go(self, path: str) -> Response:
        """A redirect to a path of this site, after a form or to the judge's current page."""
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
        """Store a token in a cookie of the browser."""
        return remember_token(response, name, token, prefix=self.prefix, secure=self.secure)


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
    """Show a page only to judges with a valid link."""

    async def handle(site: Site, request: Request) -> Response:
        token = request.cookies.get(COOKIE, "")
        judge = store.find_judge(site.reader, token) if token else None
        if judge is None:
            if token:
                return site.refuse_token(request)
            text = "Open the personal link that you were sent."
            return site.page("message", 401, title="Not signed in", text=text)
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
    """``/j/TOKEN``: store the token in a cookie, and redirect to an address without it."""
    token = request.path_params["token"]
    judge = store.find_judge(site.reader, token)
    if judge is None:
        return site.refuse_token(request)
    return site.set_cookie(site.go("/"), COOKIE, token)


async def enter_organiser(site: Site, request: Request) -> Response:
    """``/o/TOKEN``: store the organiser's token in a cookie, and redirect to the organiser's page."""
    token = request.path_params["token"]
    if token_hash(token) != site.meta()["admin_hash"]:
        return site.refuse_token(request)
    return site.set_cookie(site.go("/organiser"), ADMIN_COOKIE, token)


def foreign_form(visit: Visit) -> Response:
    """The reply to a form that this server did not make for this judge."""
    text = "Go back to the page, load it again, and save once more."
    return visit.site.page("message", 403, title="This form is not from here", text=text)
