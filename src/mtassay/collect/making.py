"""A new campaign: ``mtassay judge new``."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from mtassay import __version__
from mtassay.collect.choices import (
    Choices,
    check_aspect,
    check_assignment,
    check_categories,
    check_controls,
    check_count,
    check_duration,
    check_instructions,
    check_repeats,
    check_shows,
    check_stored_name,
    check_weights,
)
from mtassay.collect.database import TABLES, cannot_write, check_new, connect, serialized, set_meta, transaction
from mtassay.collect.instructions import default_instructions
from mtassay.collect.judges import DEFAULT_URL, check_url, renew_admin_token
from mtassay.collect.planning import PlannedScreen, plan_comparisons, plan_scores
from mtassay.collect.protocols import Protocol, find_protocol
from mtassay.collect.sampling import choose_segments
from mtassay.collect.training import plan_training
from mtassay.data.campaigns import SCHEMA
from mtassay.data.references import no_references
from mtassay.errors import InputError
from mtassay.io.atomic import atomic_write
from mtassay.stats.resamples import check_seed
from mtassay.verbs.judge_plan import CampaignPlan

if TYPE_CHECKING:
    import numpy as np

    from mtassay.data.testset import TestSet
    from mtassay.io.inputs import PathLike
    from mtassay.judging.span_weights import Weights


def new(
    campaign: PathLike,
    testset: TestSet,
    *,
    protocol: str = "rank",
    segments: int | None = None,
    sample: str = "random",
    max_words: int | None = None,
    screens: int | None = None,
    judges_per_task: int = 1,
    task_size: int | None = None,
    controls: bool | None = None,
    repeats: float | None = None,
    training: int = 2,
    show: Sequence[str] | None = None,
    aspect: str | None = None,
    weights: Weights | None = None,
    categories: Sequence[str] | None = None,
    assignment: str = "pool",
    tasks_per_judge: int | None = None,
    lease: float = 30.0,
    instructions: str | None = None,
    name: str | None = None,
    pace: float | None = None,
    url: str = DEFAULT_URL,
    seed: int = 12345,
) -> CampaignPlan:
    """Make a campaign from a test set; the same seed gives the same tasks and screens.

    Args:
        campaign: the file to make; must not exist.
        testset: the test set; its texts are copied.
        protocol: ``rank``, ``pair``, ``da``, ``likert``, ``esa`` or ``mqm``.
        segments: number of segments to judge; all by default.
        sample: how they are chosen: ``random``, ``document`` (whole documents) or ``length`` (evenly by length).
        max_words: words in the longest segment; by default 30 for rank and pair, else any.
        screens: number of screens of rank and pair, without repeats; one per segment by default.
        judges_per_task: number of judges who do each task.
        task_size: number of screens in a task.
        controls: whether tasks have degraded outputs, repeats and references; by default for da, likert and esa.
        repeats: share of screens of rank and pair that are shown twice; .1 by default.
        training: number of training screens.
        show: texts shown beside outputs: ``source``, ``reference``, both or none.
        aspect: what direct assessment asks for: ``adequacy`` or ``fluency``.
        weights: weights of severities for mqm, as a mapping or as rules such as ``major=5``.
        categories: error categories for mqm.
        assignment: ``pool`` (the next judge takes the next task) or ``personal`` (tasks are dealt to invited judges).
        tasks_per_judge: maximum number of tasks of one judge.
        lease: minutes for which a started task is kept for its judge; every answer renews it.
        instructions: text for judges; blank lines separate paragraphs.
        name: name of the campaign, shown to judges.
        pace: seconds per screen, from a pilot.
        url: address of the server as judges see it; its path is the prefix behind a proxy.
        seed: the seed.
    """
    import numpy as np

    kind = find_protocol(protocol)
    if not testset.references:
        raise no_references("judge")
    check_new(campaign, "choose another name (a campaign is never replaced)")
    if pace is not None:
        check_duration(pace, "pace")
    if instructions is not None:
        check_instructions(instructions)
    name = testset.name or Path(campaign).stem if name is None else name
    check_stored_name(name, "campaign")
    for system in testset.systems:
        check_stored_name(system, "system")
    choices = Choices(
        protocol=protocol,
        language_pair=testset.language_pair,
        segments=None if segments is None else check_count(segments, "segments"),
        sample=sample,
        max_words=kind.max_words if max_words is None else check_count(max_words, "words"),
        judges_per_task=check_count(judges_per_task, "judges per task"),
        task_size=kind.task_size if task_size is None else check_count(task_size, "screens of a task"),
        controls=check_controls(kind, controls),
        repeats=check_repeats(kind, repeats),
        training=check_count(training, "training screens", least=0),
        shows=check_shows(kind, show, aspect, testset),
        aspect=check_aspect(kind, aspect),
        assignment=check_assignment(assignment),
        lease=check_duration(lease, "lease"),
        tasks_per_judge=None if tasks_per_judge is None else check_count(tasks_per_judge, "tasks per judge"),
        weights=check_weights(kind, weights),
        categories=check_categories(kind, categories),
        systems=tuple(testset.systems),
    )
    tasks, lessons = _plan(testset, choices, kind, screens, np.random.default_rng(check_seed(seed)))
    meta = {
        "schema": SCHEMA,
        "version": __version__,
        "protocol": protocol,
        "name": name,
        "seed": str(seed),
        "testset_hash": testset_hash(testset),
        "options": json.dumps(choices.to_dict()),
        "assignment": assignment,
        "instructions": instructions or default_instructions(protocol, aspect=choices.aspect, shows=choices.shows),
        "url": check_url(url),
        "secret": secrets.token_hex(32),
        "created_at": repr(time()),
    }
    link = _write(campaign, testset, meta, tasks=tasks, lessons=lessons, k=judges_per_task)
    made = [screen for task in tasks for screen in task]
    kinds = Counter(screen.kind or "output" for screen in made)
    return CampaignPlan(
        campaign=os.fspath(campaign),
        name=name,
        protocol=protocol,
        n_systems=len(testset.systems),
        n_segments=len({screen.segment for screen in made}),
        n_tasks=len(tasks),
        n_screens=len(made),
        kinds={one: kinds[one] for one in ("output", "repeat", "degraded", "reference")},
        n_training=len(lessons),
        n_training_asked=choices.training,
        judges_per_task=judges_per_task,
        pace=pace or kind.pace,
        pace_is_assumed=pace is None,
        seed=seed,
        testset_hash=meta["testset_hash"],
        organiser_link=link,
    )


def _plan(
    testset: TestSet, choices: Choices, kind: Protocol, screens: int | None, rng: np.random.Generator
) -> tuple[list[list[PlannedScreen]], list[PlannedScreen]]:
    """Tasks, and training screens."""
    chosen = choose_segments(
        testset,
        rng,
        n=choices.segments,
        sample=choices.sample,
        max_words=choices.max_words,
        fewest_outputs=min(2, kind.n_outputs),
    )
    if kind.compares:
        tasks = plan_comparisons(
            testset,
            chosen,
            rng,
            n_screens=len(chosen) if screens is None else check_count(screens, "screens"),
            n_outputs=kind.n_outputs,
            task_size=choices.task_size,
            share_repeated=choices.repeats,
        )
    elif screens is not None:
        raise InputError(f"{kind.name} shows every output of the chosen segments: give their number, not screens")
    else:
        tasks = plan_scores(testset, chosen, rng, task_size=choices.task_size, controls=choices.controls)
    return tasks, plan_training(testset, kind, chosen, rng, n=choices.training)


def testset_hash(testset: TestSet) -> str:
    """Hash of all texts and system names of a test set."""
    texts = [testset.sources, testset.references, sorted(testset.systems.items())]
    return sha256(json.dumps(texts, ensure_ascii=True).encode()).hexdigest()


def _write(
    path: PathLike,
    testset: TestSet,
    meta: dict[str, str],
    *,
    tasks: list[list[PlannedScreen]],
    lessons: list[PlannedScreen],
    k: int,
) -> str:
    """Make the campaign in memory, then write its file, so that an incomplete one is never visible."""
    try:
        with closing(connect(":memory:")) as connection:
            connection.executescript(TABLES)
            with transaction(connection):
                set_meta(connection, **meta)
                link = renew_admin_token(connection, meta["url"])
                used = sorted({screen.segment for task in (*tasks, lessons) for screen in task})
                rows = [(number + 1, json.dumps(_texts(testset, number))) for number in used]
                connection.executemany("INSERT INTO segment VALUES (?, ?)", rows)
                if lessons:
                    _add_task(connection, lessons, k=0, training=1)
                for task in tasks:
                    _add_task(connection, task, k=k, training=0)
            content = serialized(connection)
    except sqlite3.Error as error:
        raise cannot_write(path, error) from None
    with atomic_write(path, binary=True, replace=False) as file:
        file.write(content)
    return link


def _add_task(connection: sqlite3.Connection, screens: Sequence[PlannedScreen], *, k: int, training: int) -> None:
    cursor = connection.execute(
        "INSERT INTO task (k, n_screens, training) VALUES (?, ?, ?)", (k, len(screens), training)
    )
    for position, screen in enumerate(screens, 1):
        shown = [{"systems": list(output.systems), "text": output.text} for output in screen.outputs]
        connection.execute(
            "INSERT INTO screen (task, position, segment, kind, shown, expected) VALUES (?, ?, ?, ?, ?, ?)",
            (
                cursor.lastrowid,
                position,
                screen.segment + 1,
                screen.kind,
                json.dumps(shown, ensure_ascii=False),
                json.dumps(screen.expected) if screen.expected else None,
            ),
        )


def _texts(testset: TestSet, segment: int) -> dict[str, list[str | None]]:
    """Source and reference of a segment, each with the previous and the next text of the same document."""

    def beside(texts: Sequence[str | None]) -> list[str | None]:
        places = (segment - 1, segment, segment + 1)
        return [texts[place] if _together(testset, segment, place) else None for place in places]

    found = {"reference": beside(testset.references[0])}
    return found if testset.sources is None else {"source": beside(testset.sources), **found}


def _together(testset: TestSet, segment: int, other: int) -> bool:
    if not 0 <= other < testset.n_segments:
        return False
    return testset.documents is None or testset.documents[segment] == testset.documents[other]
