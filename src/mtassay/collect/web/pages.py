"""The pages of a judge around the screens: instructions, training, pause, end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.collect import store
from mtassay.collect.spans import MarkedSpan
from mtassay.collect.tokens import is_signed
from mtassay.collect.training import feedback
from mtassay.collect.web.answers import screen_page
from mtassay.collect.web.forms import read_form
from mtassay.collect.web.site import Visit, for_judges, foreign_form
from mtassay.collect.web.views import given_of
from mtassay.data.campaigns import completion_code

if TYPE_CHECKING:
    from starlette.responses import Response


@for_judges
async def welcome(visit: Visit) -> Response:
    """The instructions, and a button to start or continue."""
    place = store.current_place(visit.site.reader, visit.judge.id)
    return visit.site.page(
        "welcome",
        judge=visit.judge.name,
        paragraphs=visit.meta["instructions"].split("\n\n"),
        is_begun=place is not None,
        n_answered=store.count_answers(visit.site.reader, visit.judge.id),
        token=visit.signature("start"),
    )


@for_judges
async def start(visit: Visit) -> Response:
    """Take the next task."""
    form, _ = await read_form(visit.request)
    if not is_signed(form.get("token", ""), visit.meta["secret"], visit.judge.id, "start"):
        return foreign_form(visit)
    options, now = visit.options, visit.site.clock()
    found = await visit.site.write(
        lambda connection: store.take_task(
            connection,
            visit.judge.id,
            now=now,
            lease=60 * options["lease"],
            pool=options["assignment"] == "pool",
            most=options["tasks_per_judge"],
        )
    )
    return visit.site.go("/work" if found else "/done")


@for_judges
async def done(visit: Visit) -> Response:
    """The page after a task: the completion code, and whether there are more tasks."""
    reader, judge, options = visit.site.reader, visit.judge.id, visit.options
    if store.current_place(reader, judge) is not None:
        return visit.site.go("/work")
    n_tasks = store.count_tasks(reader, judge)
    more = store.has_open_task(
        reader,
        judge,
        now=visit.site.clock(),
        pool=options["assignment"] == "pool",
        most=options["tasks_per_judge"],
    )
    return visit.site.page(
        "done",
        n_tasks=n_tasks,
        n_answered=store.count_answers(reader, judge),
        code=completion_code(visit.meta["secret"], judge, n_tasks) if n_tasks else "",
        more=more,
        token=visit.signature("start"),
    )


@for_judges
async def pause(visit: Visit) -> Response:
    """The page that a judge sees during a break."""
    n_answered = store.count_answers(visit.site.reader, visit.judge.id)
    return visit.site.page("pause", n_answered=n_answered, minutes=f"{visit.options['lease']:g}")


@for_judges
async def show_feedback(visit: Visit) -> Response:
    """Feedback on a training answer."""
    place = _earlier(visit)
    if place is None or not place.is_training or place.payload is None:
        return visit.site.go("/work")
    is_right, remark = feedback(place.expected, place.payload, place.outputs[0].text)
    is_last = place.position == place.n_screens
    return visit.site.page(
        "feedback", is_right=is_right, remark=remark, at=place.at, is_last=is_last, token=visit.signature("start")
    )


@for_judges
async def work(visit: Visit) -> Response:
    """The current screen, or an earlier one whose answer is to be changed."""
    reader, judge = visit.site.reader, visit.judge.id
    place = _earlier(visit) if "at" in visit.request.query_params else store.current_place(reader, judge)
    if place is None:
        return visit.site.go("/done")
    spans = [MarkedSpan(**span) for span in (place.payload or {}).get("spans", ())]
    return screen_page(visit, place, given_of(place.payload), spans=spans)


def _earlier(visit: Visit) -> store.Place | None:
    at = visit.request.query_params.get("at", "")
    if not at.isdecimal() or len(at) > 9:
        return None
    return store.earlier_place(visit.site.reader, visit.judge.id, int(at))
