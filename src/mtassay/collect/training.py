"""Training: screens before the first task, with feedback.

They are made from references, so that the best output is known: the outputs are a reference, and copies of it in which
a phrase was replaced by a phrase from another segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mtassay.collect.degrading import degraded
from mtassay.collect.planning import PlannedScreen
from mtassay.data.campaigns import Output

if TYPE_CHECKING:
    import numpy as np

    from mtassay.collect.protocols import Protocol
    from mtassay.data.testset import TestSet

#: A lower score for a perfect output, and a higher score for a degraded one, is not as expected.
_LOW_FOR_PERFECT, _HIGH_FOR_DEGRADED = 60, 90
_LOW_LIKERT = 3


def plan_training(
    testset: TestSet, protocol: Protocol, chosen: Sequence[int], rng: np.random.Generator, *, n: int
) -> list[PlannedScreen]:
    """Up to `n` training screens, if possible from segments that are not judged later."""
    stream = testset.references[0]
    usable = [segment for segment, text in enumerate(stream) if text and len(text.split()) > 1]
    spare = [segment for segment in usable if segment not in set(chosen)]
    picked = rng.permutation(spare if len(spare) >= n else usable)[:n].tolist()
    return [_screen(testset, protocol, segment, rng, place=place) for place, segment in enumerate(picked)]


def _screen(
    testset: TestSet, protocol: Protocol, segment: int, rng: np.random.Generator, *, place: int
) -> PlannedScreen:
    stream = testset.references[0]
    perfect = (stream[segment] or "").strip()
    others = [text for at, text in enumerate(stream) if text and at != segment]
    bad, (start, end) = degraded(perfect, others, rng)
    if not protocol.compares:
        # Outputs alternate: the first is degraded, the second is not, and so on.
        is_bad = place % 2 == 0
        least = 0 if protocol.name == "mqm" else _LOW_FOR_PERFECT  # scores of MQM are 0 without errors
        expected: dict[str, Any] = {"span": [start, end]} if is_bad else {"least": least}
        return PlannedScreen(segment, (Output((), bad if is_bad else perfect),), "training", expected)
    texts = [perfect, bad][: protocol.n_outputs]
    best = int(rng.integers(2))
    return PlannedScreen(segment, tuple(Output((), texts[at ^ best]) for at in (0, 1)), "training", {"best": best})


def feedback(expected: dict[str, Any], payload: dict[str, Any], text: str) -> tuple[bool, str]:
    """Whether a training answer is as expected, and a remark.

    Args:
        expected: what is known about the screen.
        payload: the answer.
        text: the text of the first output.
    """
    if "best" in expected:
        return _of_comparison(expected["best"], payload)
    if "span" in expected:
        return _of_degraded(text, payload, *expected["span"])
    if "adequacy" in payload:
        is_right = min(payload["adequacy"], payload["fluency"]) > _LOW_LIKERT
    else:
        is_right = not payload.get("spans") and payload["score"] >= expected["least"]
    remark = "This is a translation by a person, without known errors."
    return is_right, remark if is_right else f"{remark} Most judges give it a high score and mark nothing."


def _of_comparison(best: int, payload: dict[str, Any]) -> tuple[bool, str]:
    if "skip" in payload:
        return False, f"You skipped it. Output {best + 1} is a translation by a person; part of the other was replaced."
    if "ranks" in payload:
        ranks = payload["ranks"]
        is_right = ranks[best] < ranks[1 - best]
    else:
        is_right = payload["outcome"] == (1 if best == 0 else -1)
    remark = f"Output {best + 1} is a translation by a person; in the other one some words were replaced."
    return is_right, remark if is_right else f"{remark} Look again: it should come first."


def _of_degraded(text: str, payload: dict[str, Any], start: int, end: int) -> tuple[bool, str]:
    remark = f"The words “{text[start:end]}” do not belong here."
    if "spans" in payload:
        is_right = any(span["start"] < end and start < span["end"] for span in payload["spans"])
        return is_right, f"{remark} You marked them." if is_right else f"{remark} They should be marked as an error."
    if "adequacy" in payload:
        is_right = payload["adequacy"] <= _LOW_LIKERT + 1
    else:
        is_right = payload["score"] <= _HIGH_FOR_DEGRADED
    return is_right, remark if is_right else f"{remark} Outputs with such errors should score lower."
