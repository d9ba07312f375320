"""Templates and assets, shared by all pages of the toolkit's servers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

_HERE = Path(__file__).parent
#: Assets by name: no path from a request is ever used as a file name.
ASSETS = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "upload.js": "text/javascript; charset=utf-8",
}
#: Languages that are written from right to left.
_RIGHT_TO_LEFT = {"ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "syr", "ug", "ur", "yi"}


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(name: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A page from a template; every value is escaped."""
    return HTMLResponse(_environment().get_template(f"{name}.html").render(context), status)


def direction(language: str | None) -> str:
    """The direction of a language, for the attribute ``dir``.

    >>> direction("ar"), direction("de"), direction(None)
    ('rtl', 'ltr', 'auto')
    """
    if not language:
        return "auto"
    return "rtl" if language.partition("-")[0].lower() in _RIGHT_TO_LEFT else "ltr"


def asset_routes() -> list[Route]:
    """A route per asset."""
    return [Route(f"/static/{name}", _asset(name, kind)) for name, kind in ASSETS.items()]


def _asset(name: str, kind: str) -> Any:
    content = (_HERE / "static" / name).read_bytes()

    async def send(request: Any) -> Response:
        # Browsers check for a new version on every load, so that an update of the program takes effect.
        return Response(content, headers={"Content-Type": kind, "Cache-Control": "no-cache"})

    return send
