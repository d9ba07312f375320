"""``mtassay judge serve``: serve the pages of a campaign."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mtassay.collect.database import set_meta, writing
from mtassay.collect.judges import check_url
from mtassay.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from types import FrameType

    from starlette.types import ASGIApp

    from mtassay.io.inputs import PathLike

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8000
LOOPBACK = ("127.0.0.1", "localhost", "::1")
#: Largest number of simultaneous connections.
_MOST_CONNECTIONS = 1000
#: Environment variable of uvicorn with the addresses of proxies whose X-Forwarded-For is the address of the visitor.
_TRUSTED_PROXIES = "FORWARDED_ALLOW_IPS"
#: Seconds that a server waits for running requests before it ends.
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
        url: address as judges see it, such as https://example.org/judge behind a proxy; stored in the campaign.
        certificate: file of a TLS certificate chain.
        key: file of its private key.
    """
    try:
        from mtassay.collect.web.app import campaign_app
    except ImportError as error:
        raise MissingExtraError("judge serve", "judge") from error
    with listening(host, port) as found:
        own = own_address(host, found, certificate=certificate)
        with writing(campaign) as connection:
            known = connection.execute("SELECT value FROM meta WHERE key = 'url'").fetchone()
            public = check_url(url or (known[0] if known else own))
            set_meta(connection, url=public)
        if host not in LOOPBACK and certificate is None:
            warn_of_plain_text(host, "personal links")
        app = campaign_app(str(campaign), url=public, hosts=(host,))
        links, there = f"judges use {public}", urlsplit(public)
        if there.hostname in LOOPBACK and there.port != urlsplit(own).port:
            links = f"but links begin with {public}: give --url {own} or that port"
        message = f"serving {campaign} on {own} ({links}); Ctrl-C ends"
        run_app(app, found, message=message, certificate=certificate, key=key)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket for a server, which Ctrl-C stops; an error if the address cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small replies at once only if the socket names its protocol.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, port))
        except (OSError, OverflowError) as error:
            raise InputError(f"cannot serve on {host}:{port}: {getattr(error, 'strerror', None) or error}") from None
        with suppress(KeyboardInterrupt):
            yield found


def run_app(
    app: ASGIApp,
    found: socket.socket,
    *,
    message: str = "",
    certificate: str | None = None,
    key: str | None = None,
) -> None:
    """Run an application on a socket with uvicorn until interrupted; connections above the limit get status 503.

    The message is printed when the server runs.
    """
    import uvicorn

    if key is not None and certificate is None:
        raise InputError(f"the key {key} needs a certificate: also give --certificate")
    config = uvicorn.Config(
        app,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        log_level="warning",
        log_config=None,  # uvicorn's own closes the handlers of everybody else in the process
        access_log=False,  # personal links must not be logged
        server_header=False,
        # Many proxies forward X-Forwarded-For as visitors send it: by default, guesses of tokens are not counted by it.
        proxy_headers=_TRUSTED_PROXIES in os.environ,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if message and not self.should_exit:
                say(message)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            self.force_exit = False  # ignore a second Ctrl-C: the server is already shutting down in order

    try:
        config.load()
    except OSError as error:
        files = certificate if key is None else f"{certificate} or {key}"
        raise InputError(f"{files} cannot be used for HTTPS: {error.strerror or error}") from None
    Server(config).run(sockets=[found])


def own_address(host: str, found: socket.socket, *, certificate: str | None) -> str:
    """The address of a server, with the port of the socket, even if any free port was requested (0)."""
    port = found.getsockname()[1]
    return f"{'https' if certificate else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def warn_of_plain_text(host: str, what: str) -> None:
    """Warn that `what` is sent over the network without encryption."""
    say(
        f"warning: {host} can be reached by others without encryption: {what} can be read on the way; "
        "use --certificate, or a proxy with HTTPS on this machine"
    )


def say(message: str) -> None:
    """Print a message about the server."""
    print(f"mtassay: {message}", file=sys.stderr, flush=True)
