"""The status of a campaign of human judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.report.document import Document, Heading, Records, Sentence, table
from mtassay.report.wording import MISSING, p_value, share

if TYPE_CHECKING:
    from mtassay.report.document import Block
    from mtassay.verbs.judge_status import CampaignStatus

_FIELDS = (
    *("judge", "disabled", "active", "tasks", "answers", "skipped", "changed", "seconds", "degraded_p", "self_kappa"),
    *("code", "notes"),
)


def document(result: CampaignStatus, *, tasks: bool = False) -> Document:
    """Progress, pace and control results of every judge.

    Args:
        result: the status.
        tasks: also show a row per task.
    """
    header = ["judge", "tasks", "answers", "skipped", "changed", "s/screen", "degraded p", "self κ", "code", "notes"]
    rows = [
        [
            judge.judge,
            f"{judge.tasks:,}",
            f"{judge.answers:,}",
            f"{judge.skipped:,}",
            f"{judge.changed:,}",
            MISSING if judge.seconds is None else f"{judge.seconds:.0f}",
            MISSING if judge.degraded_p is None else p_value(judge.degraded_p),
            share(judge.self_kappa, digits=2),
            judge.code or MISSING,
            "; ".join(judge.notes),
        ]
        for judge in result.judges
    ]
    blocks: list[Block] = [Sentence(f"{result.name} ({result.protocol}): {result.sentence}")]
    if rows:
        blocks.append(table(header, rows, n_notes=2))
    if tasks:
        numbers = [[str(value) for value in task.values()] for task in result.tasks]
        blocks += [Heading("Tasks"), table(["task", "screens", "finished", "wanted"], numbers)]
    return Document(
        "status of a campaign",
        tuple(blocks),
        lambda: Records(_FIELDS, [[getattr(judge, name) for name in _FIELDS] for judge in result.judges]),
        result.to_dict,
    )
