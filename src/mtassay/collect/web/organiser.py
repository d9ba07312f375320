"""The organiser's page: progress, control results and agreement so far."""

from __future__ import annotations

import asyncio
import json
import sys
from time import monotonic
from typing import TYPE_CHECKING, Any

from mtassay.collect.tokens import token_hash
from mtassay.collect.web.site import ADMIN_COOKIE, Site

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

#: Seconds for which a computed status is shown again.
_FRESH = 5.0


class OrganiserPage:
    """The page, and the last status.

    The status is computed by another process, so that it does not slow down judges, and its libraries do not take
    memory of the server.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = asyncio.Lock()
        self._status: dict[str, Any] | None = None
        self._computed = float("-inf")

    async def __call__(self, site: Site, request: Request) -> Response:
        """Show the status to visitors with the organiser's token."""
        token = request.cookies.get(ADMIN_COOKIE, "")
        if token_hash(token) != site.meta()["admin_hash"]:
            if token:
                return site.refuse_token(request)
            text = "Open the organiser's link, which mtassay judge new printed."
            return site.page("message", 401, title="Not signed in", text=text)
        status = await self._current()
        if status is None:
            text = "The status cannot be computed at the moment; try again later."
            return site.page("message", 503, title="No status", text=text)
        return site.page("organiser", found=status)

    async def _current(self) -> dict[str, Any] | None:
        async with self._lock:
            if monotonic() - self._computed > _FRESH:
                words = [sys.executable, "-m", "mtassay", "judge", "status", self._path, "-f", "json"]
                process = await asyncio.create_subprocess_exec(
                    *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
                )
                printed, _ = await process.communicate()
                self._status = json.loads(printed) if process.returncode == 0 else None
                self._computed = monotonic()
            return self._status
