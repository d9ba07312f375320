"""Secrets: personal tokens and form tokens.

A personal token has 128 random bits; the file has only its hash, so nobody who reads the file can judge under another's
name. A form token is a keyed hash of the judge, the screen and the time of a page; it proves that a form came from this
server.
"""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256

_N_BYTES = 16


def new_token() -> str:
    """A token for a link, 22 characters."""
    return secrets.token_urlsafe(_N_BYTES)


def token_hash(token: str) -> str:
    """The hash that is stored; tokens are random, so no salt is needed."""
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def sign(secret: str, *parts: object) -> str:
    """A keyed hash of the parts."""
    message = "\0".join(map(str, parts)).encode()
    return hmac.new(bytes.fromhex(secret), message, sha256).hexdigest()[:32]


def is_signed(signature: str, secret: str, *parts: object) -> bool:
    """Whether a signature was made from these parts."""
    return hmac.compare_digest(signature.encode("utf-8", "surrogateescape"), sign(secret, *parts).encode())
