"""``mtassay judge export``: the answers of a campaign as files that other programs read.

==================  ============================================================================================
file                what
==================  ============================================================================================
NAME.tsv            the judgements as mtassay's own table (likert: NAME.adequacy.tsv and NAME.fluency.tsv)
NAME.wmt.csv        rank, pair: the rankings in the format that WMT published; systems with equal outputs as "a+b"
NAME.appraise.csv   da, esa: as Appraise exports them
NAME.spans.jsonl    esa, mqm: one line per output and judge, with the spans
NAME.log.jsonl      all revisions with times and what was shown, training and skipped screens included
NAME.methods.txt    a paragraph for a paper
==================  ============================================================================================
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from mtassay.collect.maintenance import backup
from mtassay.collect.methods_paragraph import methods
from mtassay.data.campaign_checks import COMPARISONS, LIKERT_ASPECTS
from mtassay.data.campaigns import Answer, Campaign, read_campaign
from mtassay.data.formats.judgements import load_judgements, write_judgements
from mtassay.data.formats.judgements.campaigns import KINDS
from mtassay.errors import InputError
from mtassay.io.atomic import atomic_folder, atomic_write, naming_as
from mtassay.io.inputs import shown

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike

_APPRAISE = ("username", "system", "itemId", "itemType", "srcLang", "trgLang", "score", "timeStart", "timeEnd")
#: Kinds of items under Appraise's names.
_APPRAISE_KINDS = {"": "TGT", "repeat": "CHK", "degraded": "BAD", "reference": "REF"}
#: Ranks of two outputs by outcome.
_PAIR_RANKS = {1: [1, 2], 0: [1, 1], -1: [2, 1]}


def export(campaign: PathLike, folder: PathLike, *, joined: bool = False) -> tuple[str, ...]:
    """Write the answers of a campaign into a new folder.

    While the campaign runs, all files have the answers up to one moment: they are written from a copy.

    Args:
        campaign: the file of the campaign.
        folder: the folder; must be absent or empty.
        joined: whether outputs that several systems share are one system "a+b" in NAME.tsv.

    Returns:
        Names of the files.
    """
    with TemporaryDirectory(prefix="mtassay-") as temporary:
        copy = Path(temporary) / Path(campaign).name
        backup(campaign, copy)
        with naming_as(copy, shown(campaign)):
            found = read_campaign(copy)
            answers = [answer for answer in found.answers if not answer.is_skipped]
            if not answers:
                raise InputError(f"{shown(campaign)} has no answer yet: there is nothing to export")
            with atomic_folder(folder) as made:
                _write_files(made, copy, found, answers, joined=joined)
                names = sorted(path.name for path in made.iterdir())
    return tuple(names)


def _write_files(folder: Path, path: Path, campaign: Campaign, answers: list[Answer], *, joined: bool) -> None:
    """Write all files of a campaign, which is in the file `path`."""
    stem = path.stem
    for aspect in LIKERT_ASPECTS if campaign.protocol == "likert" else (None,):
        judged = load_judgements(path, task=aspect, split=not joined)
        write_judgements(judged, folder / f"{stem}{f'.{aspect}' if aspect else ''}.tsv")
    if campaign.protocol in COMPARISONS:
        _write_csv(folder / f"{stem}.wmt.csv", _wmt_rows(campaign, answers))
    if campaign.protocol in ("da", "esa"):
        _write_csv(folder / f"{stem}.appraise.csv", _appraise_rows(campaign, answers))
    if campaign.protocol in ("esa", "mqm"):
        _write_jsonl(folder / f"{stem}.spans.jsonl", _span_lines(answers))
    _write_jsonl(folder / f"{stem}.log.jsonl", map(_logged, campaign.log))
    with atomic_write(folder / f"{stem}.methods.txt") as file:
        file.write(f"{methods(path)}\n")


def _write_csv(path: Path, rows: Iterator[list[str]]) -> None:
    with atomic_write(path, exact=True) as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _write_jsonl(path: Path, lines: Iterator[dict[str, Any]]) -> None:
    with atomic_write(path, exact=True) as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _languages(campaign: Campaign) -> list[str]:
    source, dash, target = (campaign.options.get("language_pair") or "").partition("-")
    return [source, target] if dash else ["source", "target"]


def _wmt_rows(campaign: Campaign, answers: list[Answer]) -> Iterator[list[str]]:
    """One screen per line; empty slots have rank -1, as in WMT."""
    n_slots = max(len(answer.screen.outputs) for answer in answers)
    slots = range(1, n_slots + 1)
    is_pair = campaign.protocol == "pair"
    yield [
        *("srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"),
        *(name for slot in slots for name in (f"system{slot}Number", f"system{slot}Id")),
        *(f"system{slot}rank" for slot in slots),
        *(["rankingID"] if is_pair else []),
    ]
    for number, answer in enumerate(answers):
        ranks = _PAIR_RANKS[answer.payload["outcome"]] if is_pair else answer.payload["ranks"]
        empty = n_slots - len(ranks)
        names = ["+".join(output.systems) for output in answer.screen.outputs] + [""] * empty
        segment = str(answer.screen.segment)
        yield [
            *(*_languages(campaign), segment, "-1", segment, answer.judge),
            *(cell for name in names for cell in ("-1", name)),
            *map(str, [*ranks, *[-1] * empty]),
            *([str(number)] if is_pair else []),
        ]


def _appraise_rows(campaign: Campaign, answers: list[Answer]) -> Iterator[list[str]]:
    yield list(_APPRAISE)
    for answer in answers:
        for system in answer.screen.outputs[0].systems:
            yield [
                *(answer.judge, system, str(answer.screen.segment), _APPRAISE_KINDS[answer.screen.kind]),
                *_languages(campaign),
                *(str(answer.payload["score"]), f"{answer.shown_at:.3f}", f"{answer.submitted_at:.3f}"),
            ]


def _span_lines(answers: list[Answer]) -> Iterator[dict[str, Any]]:
    """One line per output and judge; if a judge saw a control item in two tasks, the last answer counts."""
    lines: dict[tuple[object, ...], dict[str, Any]] = {}
    for answer in answers:
        for system in answer.screen.outputs[0].systems:
            line = {
                "segment": answer.screen.segment,
                "system": system,
                "judge": answer.judge,
                "score": answer.payload["score"],
                "spans": answer.payload["spans"],
                "kind": KINDS[answer.screen.kind],
            }
            lines[answer.screen.segment, system, answer.judge, answer.screen.kind] = line
    return iter(lines.values())


def _logged(answer: Answer) -> dict[str, Any]:
    screen = answer.screen
    return {
        "screen": screen.id,
        "task": screen.task,
        "segment": screen.segment,
        "kind": "training" if screen.kind == "training" else KINDS[screen.kind],
        "shown": [{"systems": list(output.systems), "text": output.text} for output in screen.outputs],
        "judge": answer.judge,
        "revision": answer.revision,
        "answer": answer.payload,
        "shown_at": _time(answer.shown_at),
        "submitted_at": _time(answer.submitted_at),
        "active_ms": answer.active_ms,
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
