"""The progress of a campaign of human judgement: ``judge status``.

It also shows the pace of each judge, the results of control items, and agreement so far. It drops no judgements:
filters are applied when judgements are analysed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.data.campaigns import Answer, Campaign, read_campaign
from mtassay.results import Result, or_none

if TYPE_CHECKING:
    from mtassay.data.judgements import Scores
    from mtassay.io.inputs import PathLike

SCHEMA = "mtassay.judge-status/1"
#: Flags of Graham et al.: seconds per hundred items, and equal scores in a row.
_FEWEST_SECONDS, _MOST_EQUAL = 300, 8
#: Seconds between showing and saving an answer; longer times are breaks, which do not count in the pace.
_LONGEST_PAUSE = 600
_FEWEST_FOR_PACE = 20
_SCORED = ("da", "likert", "esa", "mqm")


@dataclass(frozen=True, kw_only=True)
class JudgeStatus:
    """One judge.

    Attributes:
        judge: the name.
        disabled: whether the link no longer works.
        active: whether the judge has an unfinished task.
        tasks: number of finished tasks.
        answers: number of answered screens.
        skipped: number of skipped screens.
        changed: number of answers that were changed.
        seconds: median seconds per screen; None if there is none.
        degraded_p: p-value of the test that degraded outputs score lower; None if untested.
        self_kappa: agreement with himself or herself on repeated screens (κ with P(E) = 1/3); None if untested.
        code: the completion code.
        notes: flags, in words.
    """

    judge: str
    disabled: bool
    active: bool
    tasks: int
    answers: int
    skipped: int
    changed: int
    seconds: float | None
    degraded_p: float | None
    self_kappa: float | None
    code: str
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class CampaignStatus(Result):
    """A campaign.

    Attributes:
        name: its name.
        protocol: its protocol.
        is_closed: whether it takes no more answers.
        answers: number of answered screens.
        wanted: number of answers needed: screens times judges per task.
        judges: a row per judge.
        tasks: number of screens, judges who finished, and wanted judges of each task.
        agreement: κ between judges (P(E) = 1/3) for rankings and pairs, Krippendorff's alpha for scores; None if no
            output was judged twice.
        self_agreement: κ of judges with themselves; None if untested.
    """

    verb: ClassVar[str] = "judge_status"

    name: str
    protocol: str
    is_closed: bool
    answers: int
    wanted: int
    judges: tuple[JudgeStatus, ...]
    tasks: tuple[dict[str, int], ...]
    agreement: float | None
    self_agreement: float | None

    @property
    def sentence(self) -> str:
        """The status in words."""
        n_finished = sum(min(task["finished"], task["wanted"]) for task in self.tasks)
        n_wanted = sum(task["wanted"] for task in self.tasks)
        share = 100 * self.answers / self.wanted if self.wanted else 0.0
        parts = [
            f"{self.answers:,} of {self.wanted:,} answers ({share:.0f} %)",
            f"{n_finished:,} of {n_wanted:,} tasks finished",
        ]
        measure = "Krippendorff's α" if self.protocol in _SCORED else "κ (P(E) = 1/3)"
        if self.agreement is not None:
            parts.append(f"agreement between judges {measure} = {self.agreement:.2f}")
        if self.self_agreement is not None:
            parts.append(f"of judges with themselves κ = {self.self_agreement:.2f}")
        return f"{'Closed. ' if self.is_closed else ''}{'; '.join(parts)}."

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        found = {"schema": SCHEMA, "sentence": self.sentence, **asdict(self)}
        judges = [{**judge, "notes": list(judge["notes"])} for judge in found["judges"]]
        return found | {"judges": judges, "tasks": list(found["tasks"])}


def status(campaign: PathLike) -> CampaignStatus:
    """The status of a campaign, even while it runs.

    Args:
        campaign: the file.
    """
    found = read_campaign(campaign)
    checks = _Checks(found)
    by_judge: dict[str, list[Answer]] = {row.judge: [] for row in found.judges}
    for answer in found.answers:
        by_judge[answer.judge].append(answer)
    judges = tuple(
        JudgeStatus(
            judge=row.judge,
            disabled=row.disabled,
            active=row.is_active,
            tasks=row.n_tasks,
            answers=row.n_answers,
            skipped=sum(answer.is_skipped for answer in by_judge[row.judge]),
            changed=sum(answer.revision > 1 for answer in by_judge[row.judge]),
            seconds=_pace(by_judge[row.judge]),
            degraded_p=checks.degraded_p.get(row.judge),
            self_kappa=checks.self_kappa.get(row.judge),
            code=row.code,
            notes=(
                *_notes(found.protocol, by_judge[row.judge], checks.degraded_p.get(row.judge)),
                *(("link disabled",) if row.disabled else ()),
            ),
        )
        for row in found.judges
    )
    return CampaignStatus(
        name=found.meta["name"],
        protocol=found.protocol,
        is_closed="closed_at" in found.meta,
        answers=sum(judge.answers for judge in judges),
        wanted=sum(k * n_screens for _, k, n_screens, _ in found.tasks),
        judges=judges,
        tasks=tuple(
            {"task": number, "screens": n_screens, "finished": finished, "wanted": k}
            for number, (_, k, n_screens, finished) in enumerate(found.tasks, 1)
        ),
        agreement=checks.agreement,
        self_agreement=checks.self_agreement,
    )


class _Checks:
    """Control results and agreement, by the same functions as ``humans`` and ``agreement``."""

    def __init__(self, campaign: Campaign) -> None:
        self.degraded_p: dict[str, float] = {}
        self.self_kappa: dict[str, float] = {}
        self.agreement: float | None = None
        self.self_agreement: float | None = None
        if not any(not answer.is_skipped for answer in campaign.answers):
            return
        from mtassay.data.formats.judgements import load_judgements
        from mtassay.data.judgements import Scores
        from mtassay.judging.arrays import preferences_or_scores

        task = "adequacy" if campaign.protocol == "likert" else None
        judged = preferences_or_scores(load_judgements(campaign.path, task=task))
        if isinstance(judged, Scores):
            self._of_scores(judged)
            return
        from mtassay.judging.kappa import inter_annotator, intra_annotator, intra_by_judge

        third = 1 / 3
        self.agreement = or_none(inter_annotator(judged).kappa_with(third))
        self.self_agreement = or_none(intra_annotator(judged).kappa_with(third))
        for judge, kappa in zip(judged.judges, intra_by_judge(judged), strict=True):
            if (value := or_none(kappa.kappa_with(third))) is not None:
                self.self_kappa[judge] = value

    def _of_scores(self, scores: Scores) -> None:
        from mtassay.judging.alpha import krippendorff_alpha
        from mtassay.judging.quality_control import degraded_p

        self.agreement = or_none(krippendorff_alpha(scores))
        for judge, p in zip(scores.judges, degraded_p(scores).tolist(), strict=True):
            if (value := or_none(p)) is not None:
                self.degraded_p[judge] = value


def _pace(answers: Sequence[Answer]) -> float | None:
    """Median seconds from showing to saving, breaks left out."""
    times = [answer.submitted_at - answer.shown_at for answer in answers if answer.revision == 1]
    times = [seconds for seconds in times if 0 <= seconds <= _LONGEST_PAUSE]
    return median(times) if times else None


def _notes(protocol: str, answers: Sequence[Answer], degraded_p: float | None) -> list[str]:
    """Flags for the organiser to look at; they exclude nobody."""
    notes = []
    if degraded_p is not None and degraded_p > 0.05:
        notes.append("does not score degraded outputs lower (p > .05)")
    pace = _pace(answers)
    if protocol == "da" and pace is not None and len(answers) >= _FEWEST_FOR_PACE and pace < _FEWEST_SECONDS / 100:
        notes.append(f"faster than {_FEWEST_SECONDS} s per 100 items")
    if protocol in ("da", "esa"):
        notes += _notes_on_scores(answers)
    return notes


def _notes_on_scores(answers: Sequence[Answer]) -> list[str]:
    notes = []
    run = longest = 0
    last = None
    for answer in answers:
        run = run + 1 if answer.payload.get("score") == last else 1
        last = answer.payload.get("score")
        longest = max(longest, run)
    if longest > _MOST_EQUAL:
        notes.append(f"{longest} equal scores in a row")
    means = {}
    for kind in ("", "degraded", "reference"):
        own = [answer.payload["score"] for answer in answers if answer.screen.kind == kind]
        if own:
            means[kind] = sum(own) / len(own)
    if "" in means and "degraded" in means and means["degraded"] >= means[""]:
        notes.append("degraded outputs score no lower than outputs on average")
    if "" in means and "reference" in means and means[""] >= means["reference"]:
        notes.append("outputs score no lower than references on average")
    return notes
