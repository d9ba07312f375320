"""Fields of small forms."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

if TYPE_CHECKING:
    from starlette.requests import Request

_MOST_FIELDS = 1000


class MalformedError(Exception):
    """A request body that is not a form of these pages."""


async def read_form(request: Request) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The last value of each field, and all values; raises `MalformedError`."""
    body = await request.body()
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:  # not ASCII, not UTF-8, or too many fields
        raise MalformedError from None
    if any("\0" in value for pair in pairs for value in pair):
        raise MalformedError
    several: dict[str, list[str]] = {}
    for name, value in pairs:
        several.setdefault(name, []).append(value)
    return dict(pairs), several
