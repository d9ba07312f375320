"""``mtassay judge serve``: runs the pages of a campaign."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mtassay.collect.database import set_meta, writing
from mtassay.collect.judges import check_url
from mtassay.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from mtassay.io.inputs import PathLike

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8000
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
#: Connections at one time; more are answered by 503.
_MOST_CONNECTIONS = 1000


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
        scheme = "https" if certificate else "http"
        own = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
        known = connection.execute("SELECT value FROM meta WHERE key = 'url'").fetchone()
        public = check_url(url or (known[0] if known else own))
        set_meta(connection, url=public)
    app = campaign_app(str(campaign), url=public, hosts=(host,))
    if host not in _LOOPBACK and certificate is None:
        print(
            f"mtassay: warning: {host} can be reached by others without encryption: personal links can be read on the "
            "way; use --certificate, or a proxy with HTTPS on this machine",
            file=sys.stderr,
        )
    print(f"mtassay: serving {campaign} on {own} (judges use {public}); Ctrl-C ends", file=sys.stderr, flush=True)
    run_app(app, host=host, port=port, certificate=certificate, key=key)


def run_app(app: ASGIApp, *, host: str, port: int, certificate: str | None = None, key: str | None = None) -> None:
    """Run an application with uvicorn until interrupted."""
    import uvicorn

    try:
        uvicorn.run(
            app,
            host=host,
            port=port,
            ssl_certfile=certificate,
            ssl_keyfile=key,
            log_level="warning",
            access_log=False,  # addresses of personal links must not get into a log
            server_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_keep_alive=30,
        )
    except OSError as error:
        raise InputError(f"cannot serve on {host}:{port}: {error.strerror or error}") from None
