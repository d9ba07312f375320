"""Nothing that reaches a judge's browser tells which system made an output, or what a control item is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mtassay

#: Names that no text contains.
SYSTEMS = ("sys-Quagga", "sys-Okapi", "sys-Zebu", "sys-Gnu", "sys-Kiang")
FORBIDDEN = (*SYSTEMS, "Quagga", "refQuokka", "degraded", "repeat", "BAD_REF")


@pytest.fixture(scope="module")
def testset(sample: mtassay.TestSet) -> mtassay.TestSet:
    systems = dict(zip(SYSTEMS, list(sample.systems.values()), strict=False))
    return mtassay.TestSet(
        sample.references[:1], systems, sources=sample.sources, reference_names=["refQuokka"], language_pair="de-en"
    )


def answers(page: Any) -> dict[str, str]:
    given = {name: values[-1] for name, values in page.choices.items() if values and name != "token-at"}
    return given | ({"score": "50"} if "score" in page.choices else {})


@pytest.mark.parametrize("protocol", ["rank", "pair", "da", "likert", "esa", "mqm"])
def test_no_reply_tells_what_is_judged(campaign: Callable[..., Any], testset: mtassay.TestSet, protocol: str) -> None:
    size = {} if protocol in ("rank", "pair", "mqm") else {"task_size": 20}
    made = campaign(testset=testset, protocol=protocol, segments=6, instructions="Judge.", name="Campaign", **size)
    judge = made.judge("ann")
    judge.work(answers)
    for at in range(1, 8):
        judge.get(f"/work?at={at}")
        judge.get(f"/feedback?at={at}")
    for path in ("/", "/pause", "/done", "/static/page.js", "/static/page.css", "/organiser", "/nothing", "/j/x"):
        judge.get(path)
    judge.save(judge.page("/work?at=3"))
    assert len(judge.client.replies) > 20
    for reply in judge.client.replies:
        everything = reply.text + reply.headers.get("location", "") + reply.headers.get("set-cookie", "")
        if reply.path.startswith("/static"):
            continue  # the same for every campaign
        assert not [word for word in FORBIDDEN if word.lower() in everything.lower()], reply.path


@pytest.mark.parametrize("protocol", ["da", "esa"])
def test_control_items_look_like_all_others(
    campaign: Callable[..., Any], testset: mtassay.TestSet, protocol: str
) -> None:
    """Pages of all kinds of items have the same tags and fields, whatever their texts are."""
    made = campaign(testset=testset, protocol=protocol, segments=8, task_size=20, training=0)
    judge = made.judge("ann")
    judge.work(answers)
    shapes = {
        (tuple(sorted(page.fields)), tuple(sorted(page.choices)), len(page.outputs), len(page.links) > 3)
        for reply in judge.client.replies
        if reply.path == "/work" and reply.status == 200 and "Save and next" in reply.text
        for page in [type(judge.page("/"))(reply.text)]
    }
    assert len(shapes) <= 2  # the first screen has no link to the previous one
