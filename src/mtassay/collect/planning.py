"""Screens and tasks of a campaign, planned in advance from a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.collect.degrading import degraded
from mtassay.data.campaigns import Output
from mtassay.errors import InputError

if TYPE_CHECKING:
    from mtassay.data.testset import TestSet

#: Number of screens and of outputs in a block of direct assessment; the others are a degraded output, a repeat and a
#: reference.
N_BLOCK, N_BLOCK_OUTPUTS = 10, 7
#: A repeat of a ranking comes at least this many screens after the first showing.
_FEWEST_BETWEEN = 10


@dataclass(frozen=True)
class PlannedScreen:
    """A screen to be shown; `expected` is the right answer of a training screen."""

    segment: int
    outputs: tuple[Output, ...]
    kind: str = ""
    expected: dict[str, Any] = field(default_factory=dict)


def different_outputs(testset: TestSet, segment: int) -> list[Output]:
    """The distinct outputs of a segment, each with all its systems; empty outputs are left out."""
    systems: dict[str, list[str]] = {}
    for name, texts in testset.systems.items():
        if text := texts[segment].strip():
            systems.setdefault(text, []).append(name)
    return [Output(tuple(names), text) for text, names in systems.items()]


def plan_comparisons(
    testset: TestSet,
    segments: Sequence[int],
    rng: np.random.Generator,
    *,
    n_screens: int,
    n_outputs: int,
    task_size: int,
    share_repeated: float,
) -> list[list[PlannedScreen]]:
    """Tasks of rankings or pairs.

    Systems are chosen greedily so that all pairs are compared equally often; the order on a screen is random. In each
    task a share of the screens is shown again, in an order drawn anew, at least ten screens later.
    """
    numbers = {name: number for number, name in enumerate(testset.systems)}
    met = [[0] * len(numbers) for _ in numbers]
    outputs_of = {segment: different_outputs(testset, segment) for segment in segments}
    order: list[int] = []
    while len(order) < n_screens:  # use every segment once before any is used again
        order += rng.permutation(segments).tolist()
    screens = []
    for segment in order[:n_screens]:
        outputs = outputs_of[segment]
        members = [[numbers[name] for name in output.systems] for output in outputs]
        chosen = _choose(members, met, min(n_outputs, len(outputs)), rng)
        screens.append(PlannedScreen(segment, tuple(outputs[place] for place in rng.permutation(chosen).tolist())))
    n_repeats = round(share_repeated * task_size)
    n_first = max(1, task_size - n_repeats)
    tasks = [screens[start : start + n_first] for start in range(0, len(screens), n_first)]
    return [_with_repeats(task, round(share_repeated * len(task) / (1 - share_repeated)), rng) for task in tasks]


def _choose(members: list[list[int]], met: list[list[int]], n: int, rng: np.random.Generator) -> list[int]:
    """Positions of `n` outputs whose systems were compared least often so far; updates the counts in `met`.

    The matrix is small and read entry by entry, for which lists are several times as fast as arrays.
    """
    chosen: list[int] = []
    while len(chosen) < n:
        left = [place for place in rng.permutation(len(members)).tolist() if place not in chosen]
        others = [system for place in chosen for system in members[place]] or range(len(met))

        def mean_of_meetings(place: int, others: Sequence[int] = others) -> float:
            total = sum(met[system][other] for system in members[place] for other in others)
            return total / (len(members[place]) * len(others))

        chosen.append(min(left, key=mean_of_meetings))
    for one in chosen:
        for other in chosen:
            if one != other:
                for system in members[one]:
                    for opponent in members[other]:
                        met[system][opponent] += 1
    return chosen


def _with_repeats(task: list[PlannedScreen], n: int, rng: np.random.Generator) -> list[PlannedScreen]:
    """The task with `n` of its screens shown again, or fewer if the distance does not allow more."""
    places = np.arange(max(0, len(task) - _FEWEST_BETWEEN + 1))
    repeated = [task[place] for place in rng.permutation(places)[:n].tolist()]
    screens = list(task)
    for screen in repeated:
        again = replace(screen, kind="repeat", outputs=_reshuffled(screen.outputs, rng))
        first = screens.index(screen) + _FEWEST_BETWEEN
        screens.insert(int(rng.integers(first, len(screens) + 1)), again)
    return screens


def _reshuffled(outputs: tuple[Output, ...], rng: np.random.Generator) -> tuple[Output, ...]:
    return tuple(outputs[place] for place in rng.permutation(len(outputs)).tolist())


def plan_scores(
    testset: TestSet,
    segments: Sequence[int],
    rng: np.random.Generator,
    *,
    task_size: int,
    controls: bool,
) -> list[list[PlannedScreen]]:
    """Tasks of single outputs.

    With `controls`, a task has an even number of blocks of ten screens: seven outputs, and three control items (a
    degraded output, a repeat and a reference) for outputs of the block half a task away. The last task may be shorter,
    and its blocks smaller.
    """
    shown = [(segment, output) for segment in segments for output in different_outputs(testset, segment)]
    items = [PlannedScreen(segment, (output,)) for segment, output in shown]
    items = [items[place] for place in rng.permutation(len(items)).tolist()]
    if not controls:
        return [items[start : start + task_size] for start in range(0, len(items), task_size)]
    if task_size < 2 * N_BLOCK or task_size % (2 * N_BLOCK):
        raise InputError(f"a task with control items has {2 * N_BLOCK}, {4 * N_BLOCK} … screens, not {task_size}")
    n_outputs = task_size // N_BLOCK * N_BLOCK_OUTPUTS
    used: Counter[int] = Counter()
    tasks = [items[start : start + n_outputs] for start in range(0, len(items), n_outputs)]
    return [_with_controls(testset, task, rng, used) for task in tasks]


def _with_controls(
    testset: TestSet, task: list[PlannedScreen], rng: np.random.Generator, used: Counter[int]
) -> list[PlannedScreen]:
    """The task with its control items; `used` counts how often the reference of each segment was shown."""
    n_blocks = 2 * -(-len(task) // (2 * N_BLOCK_OUTPUTS))
    if len(task) < n_blocks:
        return task
    blocks = [[task[place] for place in part.tolist()] for part in np.array_split(np.arange(len(task)), n_blocks)]
    stream, name = testset.references[0], testset.reference_names[0]
    screens: list[PlannedScreen] = []
    for place, block in enumerate(blocks):
        source = blocks[(place + n_blocks // 2) % n_blocks]
        mixed = rng.permutation(len(source)).tolist()
        bad, again = source[mixed[0]], source[mixed[1 % len(mixed)]]
        perfect = min((source[at] for at in reversed(mixed)), key=lambda screen: used[screen.segment])
        used[perfect.segment] += 1
        others = [text for at, text in enumerate(stream) if text and at != bad.segment]
        text, _ = degraded(bad.outputs[0].text, others, rng)
        shown = [
            *block,
            replace(bad, kind="degraded", outputs=(Output(bad.outputs[0].systems, text),)),
            replace(again, kind="repeat"),
        ]
        if (best := stream[perfect.segment]) is not None:
            shown.append(PlannedScreen(perfect.segment, (Output((name,), best.strip()),), "reference"))
        screens += [shown[at] for at in rng.permutation(len(shown)).tolist()]
    return screens
