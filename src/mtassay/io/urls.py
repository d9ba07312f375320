"""Inputs named by URLs, which fsspec opens with the package of their protocol."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

from mtassay.errors import MissingExtraError, MtassayError
from mtassay.io.inputs import PathLike, UnreadableUrlError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def open_url(url: str) -> Iterator[IO[bytes]]:
    """Open a URL for reading."""
    try:
        fsspec = import_module("fsspec")
    except ImportError:
        raise MissingExtraError(url, "remote") from None
    try:
        with fsspec.open(url, "rb", **_options(url, fsspec)) as file:
            yield file
    except FileNotFoundError as error:
        if error.__cause__ is None or isinstance(error.__cause__, FileNotFoundError):
            raise
        raise UnreadableUrlError(url, error.__cause__) from None  # a server that fails, or does not answer
    except (MtassayError, OSError, MemoryError):
        raise
    except Exception as error:  # an unknown protocol, its missing package, or whatever that package raises
        raise UnreadableUrlError(url, error) from None


def is_web_address(path: PathLike) -> bool:
    """Whether an input is read by HTTP, from its beginning to its end."""
    return os.fspath(path).lower().startswith(("http://", "https://"))


def _options(url: str, fsspec: Any) -> dict[str, Any]:
    """Options of fsspec: read a web file as one response, however long it takes, since not all servers have ranges."""
    if not is_web_address(url):
        return {}
    client: dict[str, Any] = {"headers": {"Accept-Encoding": "identity"}}
    with suppress(ImportError):  # which fsspec reports
        client["timeout"] = import_module("aiohttp").ClientTimeout(total=None, sock_connect=60, sock_read=300)
    own = fsspec.config.conf.get(url.partition(":")[0].lower(), {}).get("client_kwargs", {})
    return {"block_size": 0, "client_kwargs": client | own}
