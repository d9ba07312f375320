"""The application of ``mtassay serve``: a form for files, and the report made from them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from mtassay.collect.serving import LOOPBACK
from mtassay.collect.tokens import is_signed, sign, token_hash
from mtassay.collect.web.forms import MalformedError
from mtassay.collect.web.layout import asset_routes, page
from mtassay.collect.web.multipart import MULTIPART, TooManyPartsError, parse_multipart
from mtassay.collect.web.report_form import (
    MOST_FIELDS,
    N_PASTED,
    Limits,
    TooMuchError,
    check_limits,
    offered_metrics,
    read_request,
    read_test_set,
)
from mtassay.collect.web.report_jobs import Job, Jobs
from mtassay.collect.web.security import Guard, Throttle, remember_token
from mtassay.errors import InputError, counted
from mtassay.report.page.shell import policy_of
from mtassay.verbs.report import METRICS

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection, Request
    from starlette.types import ASGIApp

COOKIE = "mtassay_report"
#: Bytes of a request body in addition to the files.
_FRAME = 1 << 16
#: Largest number of forms with files in memory at a time.
_MOST_BODIES = 32
#: What the cookie of a visitor with the token signs. The cookie is not the token, which could be guessed by cookies.
_ENTERED = "entered"
#: Seconds after which the waiting page reloads itself.
_LOOK_AGAIN = 2
_SENTENCES = {404: "There is no such page.", 405: "This page cannot be used that way."}


def report_app(
    *, limits: Limits | None = None, token: str | None = None, url: str = "", hosts: Collection[str] = ()
) -> ASGIApp:
    """The application with the pages, behind `Guard`.

    Args:
        limits: limits on the files and metrics of a report.
        token: secret part of a visitor's link; None if everybody who can reach the server may use it.
        url: address of the server as visitors see it.
        hosts: further names of the server; loopback names are always accepted.
    """
    limits = limits or Limits()
    public = urlsplit(url)
    site = _Site(
        limits=limits,
        token_hash=None if token is None else token_hash(token),
        secret=secrets.token_hex(32),
        prefix=public.path.rstrip("/"),
        secure=public.scheme == "https",
        throttle=Throttle(),
        jobs=Jobs(limits.jobs),
    )
    app = Starlette(
        routes=[
            Route("/", _for_visitors(site, _show_form)),
            Route("/t/{token}", partial(_enter, site)),
            Route("/reports", _for_visitors(site, _start), methods=["POST"]),
            Route("/reports/{id}", _for_visitors(site, _show_job)),
            Route("/reports/{id}/page", _for_visitors(site, _show_report)),
            Route("/reports/{id}/file", _for_visitors(site, _send_file)),
            *asset_routes(),
        ],
        exception_handlers={HTTPException: partial(_show_status, site), MalformedError: partial(_show_damage, site)},
    )
    app.router.redirect_slashes = False
    app.state.site = site
    return Guard(
        app,
        hosts={*LOOPBACK, *hosts, *([public.hostname] if public.hostname else [])},
        prefix=site.prefix,
        max_body=limits.size + _FRAME,
        most_bodies=_MOST_BODIES,
        content_types=(MULTIPART,),
        too_large=f"The files are larger than {readable(limits.size)} in total, which is the limit of this server.",
        may_send=site.admits,
    )


def readable(size: int) -> str:
    """A size as a page shows it.

    >>> readable(32 << 20), readable(1 << 19)
    ('32 MB', '512 kB')
    """
    return f"{size / (1 << 20):.4g} MB" if size >= 1 << 20 else f"{size / 1024:.4g} kB"


@dataclass(frozen=True, kw_only=True)
class _Site:
    limits: Limits
    token_hash: str | None
    secret: str
    prefix: str
    secure: bool
    throttle: Throttle
    jobs: Jobs

    def admits(self, connection: HTTPConnection) -> bool:
        """Whether a visitor entered with the token, or none is needed."""
        return self.token_hash is None or is_signed(connection.cookies.get(COOKIE, ""), self.secret, _ENTERED)

    def message(self, status: int, title: str, text: str) -> Response:
        return page("message", status, prefix=self.prefix, campaign="mtassay", title=title, text=text)

    def form(
        self, status: int = 200, *, problem: str = "", fields: dict[str, str] | None = None, metrics: Any = METRICS
    ) -> Response:
        """The form, with an error message and the values that were filled in before."""
        return page(
            "upload",
            status,
            prefix=self.prefix,
            campaign="mtassay",
            token=sign(self.secret, "report"),
            limits=self.limits,
            size=readable(self.limits.size),
            offers=offered_metrics(),
            usual=METRICS,
            n_pasted=N_PASTED,
            problem=problem,
            fields=fields or {},
            chosen=set(metrics),
        )


def _for_visitors(site: _Site, handler: Callable[[_Site, Request], Any]) -> Callable[[Request], Any]:
    """Show a page only to visitors with the token, if the server has one."""

    async def handle(request: Request) -> Response:
        if site.admits(request):
            response: Response = await handler(site, request)
            return response
        return site.message(401, "Not signed in", "Open the link that mtassay serve printed.")

    return handle


async def _enter(site: _Site, request: Request) -> Response:
    """``/t/TOKEN``: note in a cookie that the visitor has the token, and redirect to an address without it."""
    token = request.path_params["token"]
    # A token may be short: after too many wrong ones, the right one is refused, too, or guessing would not be slowed.
    if site.token_hash is None or site.throttle.is_full(_client(request)) or token_hash(token) != site.token_hash:
        return _refuse_token(site, request)
    back = RedirectResponse(f"{site.prefix}/", 303)
    return remember_token(back, COOKIE, sign(site.secret, _ENTERED), prefix=site.prefix, secure=site.secure)


def _client(request: Request) -> str:
    return request.client.host if request.client else ""


def _refuse_token(site: _Site, request: Request) -> Response:
    if site.throttle.fail(_client(request)):
        response = site.message(429, "Too many attempts", "Wait a minute, then try again.")
        response.headers["Retry-After"] = "60"
        return response
    return site.message(401, "This link is not valid", "Open the link that mtassay serve printed.")


async def _show_form(site: _Site, request: Request) -> Response:
    return site.form()


async def _start(site: _Site, request: Request) -> Response:
    """Read the form, and start making the report."""
    content_type = request.headers.get("content-type", "")
    most = site.limits.files + MOST_FIELDS
    try:
        sent = read_request(parse_multipart(await request.body(), content_type, most=most))
    except TooManyPartsError:
        return site.form(413, problem=f"too many files: this server accepts {site.limits.files} at a time")
    if not is_signed(sent.fields.get("token", ""), site.secret, "report"):
        return site.message(403, "This form is not from here", "Go back to the page, load it again, and send it again.")
    form = partial(site.form, fields=sent.fields, metrics=sent.metrics)
    n_jobs = site.limits.jobs
    busy = (
        f"{counted(n_jobs, 'report')} {'is' if n_jobs == 1 else 'are'} being made at the moment, which is the limit: "
        "wait a moment, then send again"
    )
    try:
        check_limits(sent, site.limits)
        if site.jobs.are_all_busy():
            return form(503, problem=busy)
        testset = await run_in_threadpool(read_test_set, sent)
    except InputError as error:
        return form(413 if isinstance(error, TooMuchError) else 400, problem=str(error))
    job = site.jobs.start(testset, sent)
    return form(503, problem=busy) if job is None else RedirectResponse(f"{site.prefix}/reports/{job.id}", 303)


async def _show_job(site: _Site, request: Request) -> Response:
    """The page of a report: it waits, then links to the finished report."""
    job = _job(site, request)
    status = 200 if not job.error else 500 if job.is_fault else 400
    seconds = int(monotonic() - job.began)
    shown = page("report", status, prefix=site.prefix, campaign="mtassay", job=job, seconds=seconds)
    if job.is_running:
        # A header, since it needs no script, and accessibility rules forbid the element that does the same.
        shown.headers["Refresh"] = str(_LOOK_AGAIN)
    return shown


async def _show_report(site: _Site, request: Request) -> Response:
    """The report itself, in a sandbox: its own script and style run, but it has no access to this site."""
    made = _made(_job(site, request))
    sandbox = "sandbox allow-scripts allow-modals"  # modals: printing
    return HTMLResponse(
        made,
        headers={
            "Content-Security-Policy": f"{policy_of(made)}; frame-ancestors 'none'; {sandbox}",
            "Cross-Origin-Opener-Policy": "unsafe-none",  # browsers reject any other value together with a sandbox
        },
    )


async def _send_file(site: _Site, request: Request) -> Response:
    """The report as a download."""
    made = _made(_job(site, request))
    return HTMLResponse(f"{made}\n", headers={"Content-Disposition": 'attachment; filename="report.html"'})


def _job(site: _Site, request: Request) -> Job:
    found = site.jobs.find(request.path_params["id"])
    if found is None:
        raise HTTPException(404)
    return found


def _made(job: Job) -> str:
    if job.page is None:
        raise HTTPException(404)
    return job.page


async def _show_status(site: _Site, request: Request, error: Any) -> Response:
    text = _SENTENCES.get(error.status_code, "The request cannot be answered.")
    return site.message(error.status_code, "Not here", text)


async def _show_damage(site: _Site, request: Request, error: Any) -> Response:
    return site.message(400, "The form is damaged", "Go back, load the page again, and send it again.")
