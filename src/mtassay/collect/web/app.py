"""The application of a campaign."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route

from mtassay.collect.database import connect
from mtassay.collect.serving import LOOPBACK
from mtassay.collect.web import answers, pages
from mtassay.collect.web.forms import MalformedError
from mtassay.collect.web.layout import asset_routes, page
from mtassay.collect.web.organiser import OrganiserPage
from mtassay.collect.web.security import Guard, Throttle
from mtassay.collect.web.site import Site, enter, enter_organiser
from mtassay.collect.writer import Writer
from mtassay.data.campaigns import DATABASE_ERRORS, read_meta
from mtassay.errors import InputError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    Handler = Callable[[Site, Request], Any]

#: Sentences for statuses that the framework raises.
_SENTENCES = {404: "There is no such page.", 405: "This page cannot be used that way."}


def campaign_app(
    path: str, *, url: str | None = None, hosts: Collection[str] = (), clock: Callable[[], float] = time
) -> ASGIApp:
    """The application with the pages of a campaign, behind `Guard`.

    Args:
        path: the file of the campaign.
        url: address of the server as judges see it; that of the campaign by default.
        hosts: further names of the server; loopback names are always accepted.
        clock: the time in seconds since 1970.
    """
    reader = connect(path)
    public = urlsplit(url or read_meta(reader, path).get("url", ""))
    site = Site(
        reader=reader,
        writer=Writer(path),
        clock=clock,
        prefix=public.path.rstrip("/"),
        secure=public.scheme == "https",
        throttle=Throttle(),
    )

    def bound(handler: Handler) -> Callable[[Request], Any]:
        async def handle(request: Request) -> Response:
            response: Response = await handler(site, request)
            return response

        return handle

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        site.writer.close()
        reader.close()

    app = Starlette(
        routes=[
            Route("/", bound(pages.welcome)),
            Route("/j/{token}", bound(enter)),
            Route("/o/{token}", bound(enter_organiser)),
            Route("/start", bound(pages.start), methods=["POST"]),
            Route("/work", bound(pages.work)),
            Route("/work", bound(answers.save), methods=["POST"]),
            Route("/feedback", bound(pages.show_feedback)),
            Route("/pause", bound(pages.pause)),
            Route("/done", bound(pages.done)),
            Route("/organiser", bound(OrganiserPage(path))),
            *asset_routes(),
        ],
        exception_handlers={
            HTTPException: _for_statuses(site),
            MalformedError: _for_malformed(site),
            # InputError: the file was damaged while it was served.
            **dict.fromkeys((*DATABASE_ERRORS, InputError), _for_database(site)),
        },
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.site = site
    known = {*LOOPBACK, *hosts, *([public.hostname] if public.hostname else [])}
    return Guard(app, hosts=known, prefix=site.prefix)


def _for_statuses(site: Site) -> Any:
    async def handle(request: Request, error: HTTPException) -> Response:
        text = _SENTENCES.get(error.status_code, "The request cannot be answered.")
        return site.page("message", error.status_code, title="Not here", text=text)

    return handle


def _for_malformed(site: Site) -> Any:
    async def handle(request: Request, error: MalformedError) -> Response:
        return site.page("message", 400, title="The form is damaged", text="Go back, load the page again, and save.")

    return handle


def _for_database(site: Site) -> Any:
    async def handle(request: Request, error: Exception) -> Response:
        text = "The campaign's file cannot be used at the moment. All saved answers are kept; try again in a moment."
        # Not Site.page, which would read the file.
        return page("message", 503, prefix=site.prefix, campaign="", title="Just a moment", text=text)

    return handle
