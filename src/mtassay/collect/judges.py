"""Judges of a campaign: invitations with personal links."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from time import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mtassay.collect.choices import check_stored_name
from mtassay.collect.database import set_meta, writing
from mtassay.collect.tokens import new_token, token_hash
from mtassay.data.campaigns import read_meta
from mtassay.errors import InputError, each_of, unknown_name

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike

DEFAULT_URL = "http://127.0.0.1:8000"
_MOST_JUDGES = 10_000


@dataclass(frozen=True)
class Invitation:
    """A judge and the link to work with; the link is shown once and cannot be read from the file."""

    judge: str
    link: str


def invite(
    campaign: PathLike,
    judges: Sequence[str] | int = (),
    *,
    renew: Sequence[str] = (),
    disable: Sequence[str] = (),
    enable: Sequence[str] = (),
    url: str | None = None,
) -> tuple[Invitation, ...]:
    """Invite judges; works while the campaign is served.

    Args:
        campaign: the file of the campaign.
        judges: names of new judges, or their number, which names them judge-1, judge-2 …
        renew: judges who get a new link; the old one stops working.
        disable: judges whose links stop working; their answers are kept.
        enable: disabled judges whose links work again.
        url: address of the server as judges see it; stored in the campaign.
    """
    with writing(campaign) as connection:
        meta = read_meta(connection, campaign)
        base = check_url(url or meta.get("url") or DEFAULT_URL)
        set_meta(connection, url=base)
        known = dict(connection.execute("SELECT name, id FROM judge"))
        for name in (*renew, *disable, *enable):
            if name not in known:
                raise InputError(f"{campaign}: {unknown_name('judge', name, known)}")
        _set_disabled(connection, disable, 1)
        _set_disabled(connection, enable, 0)
        links = []
        for name in renew:
            token = new_token()
            connection.execute("UPDATE judge SET token_hash = ? WHERE name = ?", (token_hash(token), name))
            links.append(Invitation(name, f"{base}/j/{token}"))
        names = _new_names(judges, known)
        for name in names:
            token = new_token()
            connection.execute(
                "INSERT INTO judge (name, token_hash, invited_at) VALUES (?, ?, ?)", (name, token_hash(token), time())
            )
            links.append(Invitation(name, f"{base}/j/{token}"))
        if meta.get("assignment") == "personal":
            _deal_tasks(connection, names)
    return tuple(links)


def renew_admin_token(connection: sqlite3.Connection, base: str) -> str:
    """Make a new link to the organiser's page; the old one stops working."""
    token = new_token()
    set_meta(connection, admin_hash=token_hash(token))
    return f"{base}/o/{token}"


def check_url(url: str) -> str:
    """The address of the server without a final slash; its path is the prefix of all pages behind a proxy."""
    try:
        parts = urlsplit(url)
        port_is_valid = parts.port is None or parts.port > 0
    except (ValueError, TypeError, AttributeError):
        raise InputError(f"{url!r} is not an address such as https://example.org/judge") from None
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or not port_is_valid
        or parts.query
        or parts.fragment
        or not url.isprintable()
        or " " in url
    ):
        raise InputError(f"{url!r} is not an address such as https://example.org/judge")
    return url.rstrip("/")


def _set_disabled(connection: sqlite3.Connection, names: Sequence[str], value: int) -> None:
    connection.executemany("UPDATE judge SET disabled = ? WHERE name = ?", [(value, name) for name in names])


def _new_names(judges: Sequence[str] | int, known: dict[str, int]) -> list[str]:
    if isinstance(judges, int):
        if not 1 <= judges <= _MOST_JUDGES:
            raise InputError(f"the number of judges must be from 1 to {_MOST_JUDGES:,}, not {judges}")
        numbers = (number for number in range(1, len(known) + judges + 1) if f"judge-{number}" not in known)
        return [f"judge-{number}" for number, _ in zip(numbers, range(judges), strict=False)]
    names = list(each_of(judges, "judges", such_as="['Ann', 'Ben']"))
    for name in names:
        check_stored_name(name, "judge")
        if name in known or names.count(name) > 1:
            raise InputError(f"judge {name!r} is already invited (--renew makes a new link)")
    return names


def _deal_tasks(connection: sqlite3.Connection, names: list[str]) -> None:
    """Give the open places of all tasks to the new judges, as evenly as possible."""
    if not names:
        return
    places = connection.execute(
        "SELECT t.id, t.k - (SELECT count(*) FROM personal p WHERE p.task = t.id) FROM task t WHERE NOT t.training"
    ).fetchall()
    ids = dict(connection.execute("SELECT name, id FROM judge"))
    load = dict.fromkeys((ids[name] for name in names), 0)
    most = ceil(sum(max(0, n) for _, n in places) / len(names))
    for task, n_open in places:
        for judge in sorted(load, key=lambda one: (load[one], one))[: max(0, n_open)]:
            if load[judge] < most:
                load[judge] += 1
                connection.execute("INSERT INTO personal (task, judge) VALUES (?, ?)", (task, judge))
