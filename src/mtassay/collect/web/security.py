"""Checks of every request (host, origin, size) before it reaches the application, and security headers of replies.

`Guard` is an ASGI middleware that knows nothing about campaigns; any local page of the toolkit can use it.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections import OrderedDict
from collections.abc import Callable, Collection
from math import inf
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import PlainTextResponse

from mtassay.collect.serving import LOOPBACK

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_COOKIE_SECONDS = 60 * 60 * 24 * 60
#: Largest body of a form, in bytes.
MAX_BODY = 64 * 1024
FORM = "application/x-www-form-urlencoded"
_MOST_CLIENTS = 10_000
#: Largest number of failures of a client within these seconds; further ones get status 429.
_MOST_FAILURES = 10
_THROTTLE_SECONDS = 60.0
#: Digits of the largest length of a body that is read as a number.
_MOST_DIGITS = 18
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Rejects requests that our pages never make, and adds security headers to every reply.

    Rejected are unknown hosts (400), methods other than GET, HEAD and POST (405), posts from other sites (403), and
    bodies that are not a form (415) or too large (413).

    Args:
        app: the application.
        hosts: names under which the server can be reached.
        prefix: prefix of all paths, if a proxy does not remove it.
        max_body: largest body in bytes.
        most_bodies: largest number of bodies in memory at a time; each stays until its request is answered.
        content_types: accepted content types of bodies.
        too_large: message for a larger body.
        may_send: whether the body of a post is read; if not, the application gets an empty body.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str],
        prefix: str = "",
        max_body: int = MAX_BODY,
        most_bodies: float = inf,
        content_types: Collection[str] = (FORM,),
        too_large: str = "The form is too large.",
        may_send: Callable[[HTTPConnection], bool] = lambda connection: True,
    ) -> None:
        self.app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._prefix = prefix
        self._max_body = max_body
        self._most_bodies = most_bodies
        self._n_bodies = 0
        self._content_types = frozenset(content_types)
        self._too_large = too_large
        self._may_send = may_send

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it to the application."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope["method"], Headers(scope=scope))
        is_read = refusal is None and scope["method"] == "POST" and self._may_send(HTTPConnection(scope))
        if is_read and self._n_bodies >= self._most_bodies:
            refusal, is_read = (503, "Too many forms are being sent: try again in a moment."), False
        self._n_bodies += is_read
        try:
            body = b""
            if is_read:
                refusal, body = await self._read(receive)
            if refusal is not None:
                await PlainTextResponse(f"{refusal[1]}\n", refusal[0])(scope, receive, _with_headers(send))
                return
            path = scope["path"]
            if self._prefix and (path == self._prefix or path.startswith(f"{self._prefix}/")):
                scope = {**scope, "path": path.removeprefix(self._prefix) or "/", "raw_path": None}
            await self.app(scope, _replayed(body, receive), _with_headers(send))
        finally:
            self._n_bodies -= is_read

    async def _read(self, receive: Receive) -> tuple[tuple[int, str] | None, bytes]:
        """The body of a request, and status and message if it is rejected."""
        try:
            read = await _read_body(receive, self._max_body)
        except ClientDisconnect:  # part of a form would be a valid form with another answer
            return (400, "The form is incomplete."), b""
        except CancelledError:  # the server is shutting down and does not wait for the rest
            return (503, "The server is shutting down."), b""
        return ((413, self._too_large), b"") if read is None else (None, read)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        """Status and message if a request is rejected."""
        host = headers.get("host", "")
        if _hostname(host) not in self._hosts:
            return 400, "This server is not known under that name (--url names others)."
        if method not in ("GET", "HEAD", "POST"):
            return 405, "Not allowed."
        if method != "POST":
            return None
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "Forms are accepted from this site only."
        # Because of the referrer policy, browsers send "null" for our own pages, too; then the form token decides.
        origin = headers.get("origin", "null")
        if origin != "null" and not self._is_own(origin, host):
            return 403, "Forms are accepted from this site only."
        if headers.get("content-type", "").partition(";")[0].strip().lower() not in self._content_types:
            return 415, "Only forms are accepted."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > _MOST_DIGITS or int(length) > self._max_body:
            return 413, self._too_large
        return None

    def _is_own(self, origin: str, host: str) -> bool:
        try:
            parts = urlsplit(origin)
            name = (parts.hostname or "").lower()
        except ValueError:
            return False
        # A proxy may send its own Host header; then the public name is among the known hosts.
        return parts.netloc.lower() == host.lower() or (name in self._hosts and name not in LOOPBACK)


class Throttle:
    """Counts failures of each client; clients with too many in a minute get status 429."""

    def __init__(self) -> None:
        self._failures: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def fail(self, client: str) -> bool:
        """Count a failure; returns whether there were too many."""
        began, count = self._counted(client)
        self._failures.pop(client, None)
        self._failures[client] = (began, count + 1)
        while len(self._failures) > _MOST_CLIENTS:
            self._failures.popitem(last=False)
        return count + 1 > _MOST_FAILURES

    def is_full(self, client: str) -> bool:
        """Whether the next failure is one too many."""
        return self._counted(client)[1] >= _MOST_FAILURES

    def _counted(self, client: str) -> tuple[float, int]:
        """When the client's minute began, and its failures since then."""
        now = monotonic()
        began, count = self._failures.get(client, (now, 0))
        return (now, 0) if now - began > _THROTTLE_SECONDS else (began, count)


def remember_token(response: Response, name: str, token: str, *, prefix: str, secure: bool) -> Response:
    """Set a cookie with a token, for the pages below a prefix."""
    response.set_cookie(
        name, token, max_age=_COOKIE_SECONDS, path=f"{prefix}/", secure=secure, httponly=True, samesite="lax"
    )
    return response


def _hostname(host: str) -> str:
    """The name in a Host header, without port and brackets.

    >>> _hostname("[::1]:8000"), _hostname("Example.org")
    ('::1', 'example.org')
    """
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


async def _read_body(receive: Receive, most: int) -> bytes | None:
    """The body of a request; None if it is too large. Raises `ClientDisconnect` if it does not arrive completely."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if not message.get("more_body"):
            return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    is_sent = False

    async def receive_again() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)  # a reply may have set its own value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return send_with_headers
