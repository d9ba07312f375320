"""Answers: the page of a screen, marking spans, and saving."""

from __future__ import annotations

import secrets
import sqlite3
from typing import TYPE_CHECKING, Any

from mtassay.collect import store
from mtassay.collect.protocols import Incomplete, mqm_score, read_answer
from mtassay.collect.spans import MarkedSpan, mark, read_spans, tokens_of
from mtassay.collect.tokens import is_signed
from mtassay.collect.web.forms import MalformedError, read_form
from mtassay.collect.web.site import Visit, for_judges, foreign_form
from mtassay.collect.web.views import screen_view

if TYPE_CHECKING:
    from starlette.responses import Response

#: Hidden fields that the form token signs.
_SIGNED = ("screen", "shown_at", "revision", "nonce")
_OUTDATED = "This screen has been answered in another tab. Save again to replace that answer."
_NOT_SAVED = "The answer could not be saved. Nothing is lost: wait a moment and save again."


@for_judges
async def save(visit: Visit) -> Response:
    """Store an answer, or mark a span."""
    form, several = await read_form(visit.request)
    signed = (form.get(name) for name in _SIGNED)
    if not is_signed(form.get("token", ""), visit.meta["secret"], visit.judge.id, *signed):
        return foreign_form(visit)
    place = store.place_of_screen(visit.site.reader, visit.judge.id, int(form["screen"]))
    if place is None:
        raise MalformedError
    spans = _spans(visit, place, form)
    action, _, argument = form.get("action", "save").partition(":")
    if action in ("mark", "unmark"):
        spans, problems = _marked(visit, place, spans, form, [action, argument, *several.get("token-at", ())])
        return screen_page(visit, place, form, spans=spans, problems=problems, again=form)
    try:
        payload = read_answer(visit.protocol, form, n_outputs=len(place.outputs), spans=spans)
    except Incomplete as missing:
        return screen_page(visit, place, form, spans=spans, problems=missing.problems, again=form, status=422)
    if visit.protocol.name == "mqm":
        payload["score"] = mqm_score(payload["spans"], visit.options["weights"])
    return await _store(visit, place, payload, form, spans)


async def _store(
    visit: Visit, place: store.Place, payload: dict[str, Any], form: dict[str, str], spans: list[MarkedSpan]
) -> Response:
    active = form.get("active", "")
    answer = store.NewAnswer(
        judge=visit.judge.id,
        screen=place.screen,
        revision=int(form["revision"]) + 1,
        payload=payload,
        shown_at=float(form["shown_at"]),
        active_ms=int(active) if active.isdecimal() and len(active) < 10 else None,
        nonce=form["nonce"],
    )
    now, lease = visit.site.clock(), 60 * visit.options["lease"]
    try:
        await visit.site.write(lambda connection: store.save_answer(connection, answer, now=now, lease=lease))
    except store.OutdatedError:
        newest = store.place_of_screen(visit.site.reader, visit.judge.id, place.screen) or place
        return screen_page(visit, newest, form, spans=spans, problems=[_OUTDATED], status=409)
    except sqlite3.Error:
        return screen_page(visit, place, form, spans=spans, problems=[_NOT_SAVED], again=form, status=503)
    return visit.site.go(f"/feedback?at={place.at}" if place.is_training else "/work")


def screen_page(
    visit: Visit,
    place: store.Place,
    given: dict[str, str],
    *,
    spans: list[MarkedSpan],
    problems: Any = (),
    again: dict[str, str] | None = None,
    status: int = 200,
) -> Response:
    """The page of a screen; `again` has the hidden fields if the same form is shown again."""
    hidden = again or {
        "screen": str(place.screen),
        "shown_at": f"{visit.site.clock():.3f}",
        "revision": str(place.revision),
        "nonce": secrets.token_hex(12),
    }
    parts = [hidden[name] for name in _SIGNED]
    view = screen_view(place, visit.protocol, visit.options, given=given, spans=spans, problems=problems)
    return visit.site.page(
        visit.protocol.name,
        status,
        view=view,
        hidden=dict(zip(_SIGNED, parts, strict=True)),
        token=visit.signature(*parts),
        aspect=visit.options["aspect"] or "",
    )


def _spans(visit: Visit, place: store.Place, form: dict[str, str]) -> list[MarkedSpan]:
    if not visit.protocol.severities:
        return []
    try:
        return read_spans(
            form.get("spans", ""),
            length=len(place.outputs[0].text),
            severities=visit.protocol.severities,
            categories=visit.options["categories"],
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        raise MalformedError from None


def _marked(
    visit: Visit, place: store.Place, spans: list[MarkedSpan], form: dict[str, str], action: list[str]
) -> tuple[list[MarkedSpan], list[str]]:
    """The spans after marking or removing one, and messages if something is missing for that."""
    what, argument, *chosen = action
    if what == "unmark":
        place_of_span = int(argument) if argument.isdecimal() and len(argument) < 6 else -1
        return [span for at, span in enumerate(spans) if at != place_of_span], []
    category = form.get("category", "")
    numbers = [int(one) for one in chosen if one.isdecimal() and len(one) < 6]
    if argument not in visit.protocol.severities:
        raise MalformedError
    if not numbers:
        return spans, ["Choose the words of the error first."]
    tokens = tokens_of(place.outputs[0].text)
    categories = visit.options["categories"]
    if categories and category not in categories:
        return spans, ["Choose the category of the error first."]
    new = mark(tokens, numbers, severity=argument, category=category if categories else "")
    # A new span replaces spans that it overlaps, and a new omission replaces an earlier one.
    kept = [span for span in spans if not any(_overlap(span, one) for one in new)]
    return sorted({*kept, *new}), []


def _overlap(one: MarkedSpan, other: MarkedSpan) -> bool:
    return (one.missing and other.missing) or (one.start < other.end and other.start < one.end)
