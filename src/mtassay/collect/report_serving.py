"""``mtassay serve``: a local page that makes reports of files."""

from __future__ import annotations

from urllib.parse import urlsplit

from mtassay.collect.judges import check_url
from mtassay.collect.serving import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    LOOPBACK,
    listening,
    own_address,
    run_app,
    warn_of_plain_text,
)
from mtassay.collect.tokens import new_token
from mtassay.errors import InputError, MissingExtraError
from mtassay.io import parse_size

#: Connections at one time, each of which may send files.
_MOST_CONNECTIONS = 32
#: Characters of a token that cannot be guessed within reason while wrong ones are slowed down.
_SHORTEST_TOKEN = 12


def serve(
    *,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    url: str | None = None,
    certificate: str | None = None,
    key: str | None = None,
    token: str | None = None,
    max_size: str | int = "32M",
    max_files: int = 40,
    max_metrics: int = 8,
    max_reports: int = 2,
) -> None:
    """Serve a page that takes references and outputs and shows their report, until interrupted.

    Files stay in memory; the page is for this machine only, unless there is a token.

    Args:
        host: address to listen on; loopback by default. Others need a token.
        port: port to listen on.
        url: address as visitors see it, such as https://example.org/mt behind a proxy.
        certificate: file of a TLS certificate chain.
        key: file of its private key.
        token: what the link to the page has; '' for a random one.
        max_size: bytes of all files of a report, as a number or with a unit.
        max_files: files of a report.
        max_metrics: metrics of a report.
        max_reports: reports that are made at the same time.
    """
    try:
        from mtassay.collect.web.report_app import report_app
        from mtassay.collect.web.report_form import Limits
    except ImportError as error:
        raise MissingExtraError("serve", "judge") from error
    for what, value in (("max_files", max_files), ("max_metrics", max_metrics), ("max_reports", max_reports)):
        if type(value) is not int or value < 1:
            raise InputError(f"{what} must be a whole number from 1, not {value!r}")
    own = own_address(host, port, certificate=certificate)
    public = check_url(url) if url else own
    token = _checked_token(token, reached_by={host, urlsplit(public).hostname or ""})
    limits = Limits(size=parse_size(str(max_size), "max_size"), files=max_files, metrics=max_metrics, jobs=max_reports)
    if host not in LOOPBACK and certificate is None:
        warn_of_plain_text(host, "files and the token")
    with listening(host, port) as found:
        if not url:
            public = own_address(host, found.getsockname()[1], certificate=certificate)  # port 0 is any free one
        link = public if token is None else f"{public.rstrip('/')}/t/{token}"
        app = report_app(limits=limits, token=token, url=public, hosts=(host,))
        message = f"open {link} in a browser; Ctrl-C ends"
        run_app(app, found, message=message, certificate=certificate, key=key, connections=_MOST_CONNECTIONS)


def _checked_token(token: str | None, *, reached_by: set[str]) -> str | None:
    """The token, or a new one; an error if there must be one."""
    if token is None:
        if others := sorted(reached_by - set(LOOPBACK)):
            raise InputError(f"{others[0]} can be reached by others: give --token, so that only you can use the page")
        return None
    if not token:
        return new_token()
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.replace("-", "").replace("_", "").isalnum():
        raise InputError(
            f"a token needs at least {_SHORTEST_TOKEN} letters, digits, - and _; give --token alone for a random one"
        )
    return token
