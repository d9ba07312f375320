"""Judgements in a campaign of ``mtassay judge``: the latest revision of every answer, without training.

Screens that a judge skipped are left out. Outputs that several systems share were shown once; the answer counts for
each of these systems (or for ``a+b``, if systems are not split).
"""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.campaign_checks import LIKERT_ASPECTS
from mtassay.data.campaigns import read_campaign
from mtassay.data.formats.judgements.columns import preferences, rankings, scores
from mtassay.data.formats.judgements.matching import Names, choose_from, meaningless
from mtassay.data.formats.judgements.rows import TextTable
from mtassay.errors import InputError
from mtassay.io.inputs import PathLike, shown

if TYPE_CHECKING:
    from mtassay.data.campaigns import Answer, Campaign, Output
    from mtassay.data.judgements import Preferences, Rankings, Scores

#: Kinds of screens, and their names in quality control.
KINDS = {"": "SYSTEM", "repeat": "REPEAT", "degraded": "BAD_REF", "reference": "REF"}


def read_judged_campaign(
    path: PathLike, *, task: str | None, lp: str | None, names: Names
) -> Rankings | Preferences | Scores:
    """The judgements of a campaign; `task` chooses adequacy or fluency of the protocol likert."""
    campaign = read_campaign(path)
    pair = campaign.options.get("language_pair")
    if lp is not None and pair is not None and lp != pair:
        raise InputError(f"{shown(path)} is a campaign of the language pair {pair}, not {lp}")
    answers = [answer for answer in campaign.answers if not answer.is_skipped]
    if not answers:
        raise InputError(f"{shown(path)} has no answer yet")
    _check_texts(campaign, answers, names)
    if campaign.protocol != "likert" and task is not None:
        raise meaningless("task", shown(path), f"a campaign of the protocol {campaign.protocol} has one task")
    if campaign.protocol == "rank":
        return _rankings(campaign, answers, names)
    if campaign.protocol == "pair":
        return _preferences(campaign, answers, names)
    return _scores(campaign, answers, task, names)


def _rankings(campaign: Campaign, answers: list[Answer], names: Names) -> Rankings:
    slots = [
        (row, _systems(output, names), rank)
        for row, answer in enumerate(answers)
        for output, rank in zip(answer.screen.outputs, answer.payload["ranks"], strict=True)
    ]
    cells = [(row, name) for row, systems, _ in slots for name in systems]
    table = TextTable(campaign.path, {"system": [name for _, name in cells]}, [row + 1 for row, _ in cells])
    found = iter(table.converted("system", names.system))
    outputs = [tuple(name for name in islice(found, len(systems)) if name) for _, systems, _ in slots]
    table.check_known()
    return rankings(
        _table(campaign, answers),
        outputs=outputs,
        rank=np.array([rank for *_, rank in slots], dtype=np.int64),
        screen=np.array([row for row, *_ in slots], dtype=np.int64),
        segment=_segments(campaign, answers, names),
        judge=[answer.judge for answer in answers],
    )


def _preferences(campaign: Campaign, answers: list[Answer], names: Names) -> Preferences:
    rows = [
        (row, first, second)
        for row, answer in enumerate(answers)
        for first, second in product(*(_systems(output, names) for output in answer.screen.outputs))
    ]
    of_rows = [answers[row] for row, *_ in rows]
    table = _table(campaign, of_rows, {"first": [first for _, first, _ in rows], "second": [x for *_, x in rows]})
    return preferences(
        table,
        first=table.converted("first", names.system),
        second=table.converted("second", names.system),
        outcome=np.array([answer.payload["outcome"] for answer in of_rows], dtype=np.int64),
        segment=_segments(campaign, of_rows, names),
        judge=[answer.judge for answer in of_rows],
        item=[str(row) for row, *_ in rows],
    )


def _scores(campaign: Campaign, answers: list[Answer], task: str | None, names: Names) -> Scores:
    key, aspect = "score", campaign.protocol
    if campaign.protocol == "likert":
        key = aspect = choose_from(_table(campaign, answers), LIKERT_ASPECTS, task, option="task")
    elif campaign.protocol == "da":
        aspect = campaign.options["aspect"]
    rows = [(answer, name) for answer in answers for name in _systems(answer.screen.outputs[0], names)]
    of_rows = [answer for answer, _ in rows]
    table = _table(campaign, of_rows, {"system": [name for _, name in rows]})
    return scores(
        table,
        system=table.converted("system", names.system),
        score=np.array([answer.payload[key] for answer in of_rows], dtype=np.float64),
        segment=_segments(campaign, of_rows, names),
        judge=[answer.judge for answer in of_rows],
        aspect=aspect,
        kind=[KINDS[answer.screen.kind] for answer in of_rows],
        hit=[str(answer.screen.task) for answer in of_rows],
    )


def _systems(output: Output, names: Names) -> tuple[str, ...]:
    """The systems of an output, or their joined name."""
    return output.systems if names.split else ("+".join(output.systems),)


def _table(campaign: Campaign, answers: list[Answer], columns: dict[str, list[str]] | None = None) -> TextTable:
    """A table for messages; its lines are numbers of answers."""
    return TextTable(campaign.path, columns or {}, range(1, len(answers) + 1))


def _segments(campaign: Campaign, answers: list[Answer], names: Names) -> list[str]:
    table = _table(campaign, answers, {"segment": [str(answer.screen.segment) for answer in answers]})
    return table.converted("segment", names.segment())


def _check_texts(campaign: Campaign, answers: list[Answer], names: Names) -> None:
    """Reject a test set whose outputs are not those that the judges saw."""
    if names.testset is None:
        return
    outputs = names.testset.outputs
    for answer in answers:
        if answer.screen.kind not in ("", "repeat") or answer.screen.segment > names.testset.n_segments:
            continue
        for output in answer.screen.outputs:
            for system in output.systems:
                now = outputs.get(system)
                if now is not None and now[answer.screen.segment - 1].split() != output.text.split():
                    raise InputError(
                        f"{campaign.path}: segment {answer.screen.segment} of {system!r} is not what the judges saw; "
                        "give the test set that the campaign was made from"
                    )
