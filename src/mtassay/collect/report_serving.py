"""``mtassay serve``: a local page that makes reports from uploaded files."""

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

#: Least number of characters of a token, so that it cannot be guessed while wrong guesses are throttled.
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
    """Serve a page that accepts references and outputs and shows their report, until interrupted.

    Files stay in memory. Without a token, the page can be reached only from this machine.

    Args:
        host: address to listen on; loopback by default. Others need a token.
        port: port to listen on.
        url: address as visitors see it, such as https://example.org/mt behind a proxy.
        certificate: file of a TLS certificate chain.
        key: file of its private key.
        token: secret part of the link to the page; '' for a random one.
        max_size: maximum size of all files of a report, in bytes or with a unit.
        max_files: maximum number of files of a report.
        max_metrics: maximum number of metrics of a report.
        max_reports: maximum number of reports made at the same time.
    """
    try:
        from mtassay.collect.web.report_app import report_app
        from mtassay.collect.web.report_form import Limits
    except ImportError as error:
        raise MissingExtraError("serve", "judge") from error
    for what, value in (("max_files", max_files), ("max_metrics", max_metrics), ("max_reports", max_reports)):
        if type(value) is not int or value < 1:
            raise InputError(f"{what} must be a whole number from 1, not {value!r}")
    limits = Limits(size=parse_size(str(max_size), "max_size"), files=max_files, metrics=max_metrics, jobs=max_reports)
    given = check_url(url) if url else None
    names = {host} if given is None else {host, urlsplit(given).hostname or ""}
    token = _checked_token(token, reached_by=names)
    with listening(host, port) as found:
        public = given or own_address(host, found, certificate=certificate)
        if host not in LOOPBACK and certificate is None:
            warn_of_plain_text(host, "files and the token")
        link = public if token is None else f"{public.rstrip('/')}/t/{token}"
        app = report_app(limits=limits, token=token, url=public, hosts=(host,))
        message = f"open {link} in a browser; Ctrl-C ends"
        run_app(app, found, message=message, certificate=certificate, key=key)


def _checked_token(token: str | None, *, reached_by: set[str]) -> str | None:
    """The token, or a random one for ''; None is an error if others can reach the server."""
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
