"""``mtassay judge serve``: runs the pages of a campaign."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from mtassay.collect.database import set_meta, writing
from mtassay.collect.judges import check_url
from mtassay.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from types import FrameType

    from starlette.types import ASGIApp

    from mtassay.io.inputs import PathLike

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8000
LOOPBACK = ("127.0.0.1", "localhost", "::1")
#: Connections of judges at one time.
_MOST_CONNECTIONS = 1000
#: How long a server that ends waits for requests that are under way.
_SECONDS_TO_END = 3


def serve(
    campaign: PathLike,
    *,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    url: str | None = None,
    certificate: str | None = None,
    key: str | None = None,
) -> None:
    """Serve a campaign until interrupted.

    Args:
        campaign: the file.
        host: address to listen on; loopback by default.
        port: port to listen on.
        url: address as judges see it, such as https://example.org/judge behind a proxy; remembered by the campaign.
        certificate: file of a TLS certificate chain.
        key: file of its private key.
    """
    try:
        from mtassay.collect.web.app import campaign_app
    except ImportError as error:
        raise MissingExtraError("judge serve", "judge") from error
    with writing(campaign) as connection:
        own = own_address(host, port, certificate=certificate)
        known = connection.execute("SELECT value FROM meta WHERE key = 'url'").fetchone()
        public = check_url(url or (known[0] if known else own))
        set_meta(connection, url=public)
    if host not in LOOPBACK and certificate is None:
        warn_of_plain_text(host, "personal links")
    with listening(host, port) as found:
        app = campaign_app(str(campaign), url=public, hosts=(host,))
        own = own_address(host, found.getsockname()[1], certificate=certificate)  # port 0 is any free one
        message = f"serving {campaign} on {own} (judges use {public}); Ctrl-C ends"
        run_app(app, found, message=message, certificate=certificate, key=key)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket at an address; an error if it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small replies at once.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, port))
        except (OSError, OverflowError) as error:
            raise InputError(f"cannot serve on {host}:{port}: {getattr(error, 'strerror', None) or error}") from None
        yield found


def run_app(
    app: ASGIApp,
    found: socket.socket,
    *,
    message: str = "",
    certificate: str | None = None,
    key: str | None = None,
    connections: int = _MOST_CONNECTIONS,
) -> None:
    """Run an application on a socket with uvicorn until interrupted; more connections are answered by 503.

    The message is printed once nothing can fail any more.
    """
    import uvicorn

    if key is not None and certificate is None:
        raise InputError(f"{key} is the key of which certificate? give --certificate, too")
    config = uvicorn.Config(
        app,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        log_level="warning",
        access_log=False,  # addresses of personal links must not get into a log
        server_header=False,
        limit_concurrency=connections,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            self.force_exit = False  # a second Ctrl-C changes nothing: the end is near, and in order

    try:
        config.load()
    except OSError as error:
        files = certificate if key is None else f"{certificate} or {key}"
        raise InputError(f"{files} cannot be used for HTTPS: {error.strerror or error}") from None
    if message:
        say(message)
    with suppress(KeyboardInterrupt):  # Ctrl-C is how serving ends
        Server(config).run(sockets=[found])


def own_address(host: str, port: int, *, certificate: str | None) -> str:
    """The address of a server.

    >>> own_address("::1", 8000, certificate=None)
    'http://[::1]:8000'
    """
    return f"{'https' if certificate else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def warn_of_plain_text(host: str, what: str) -> None:
    """Warn that others can read `what` on the way."""
    say(
        f"warning: {host} can be reached by others without encryption: {what} can be read on the way; "
        "use --certificate, or a proxy with HTTPS on this machine"
    )


def say(message: str) -> None:
    """Print a message about the server."""
    print(f"mtassay: {message}", file=sys.stderr, flush=True)
