"""The size of a campaign of human judgement: the result of ``judge new``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from mtassay.results import Result

SCHEMA = "mtassay.judge-plan/1"


@dataclass(frozen=True, kw_only=True)
class CampaignPlan(Result):
    """The size of a new campaign, and how much work it is.

    Attributes:
        campaign: the file.
        name: name of the campaign, shown to judges.
        protocol: the protocol.
        n_systems: number of systems.
        n_segments: number of segments.
        n_tasks: number of tasks.
        n_screens: number of screens in all tasks.
        kinds: number of screens of each kind: ``output``, ``repeat``, ``degraded``, ``reference``.
        n_training: number of training screens for each judge.
        n_training_asked: requested number of training screens.
        judges_per_task: number of judges who do each task.
        pace: seconds per screen.
        pace_is_assumed: whether the pace is the protocol's default and not that of a pilot.
        seed: the seed.
        testset_hash: hash of the test set.
        organiser_link: address of the organiser's page; shown once.
    """

    verb: ClassVar[str] = "judge_plan"

    campaign: str
    name: str
    protocol: str
    n_systems: int
    n_segments: int
    n_tasks: int
    n_screens: int
    kinds: dict[str, int]
    n_training: int
    n_training_asked: int
    judges_per_task: int
    pace: float
    pace_is_assumed: bool
    seed: int
    testset_hash: str
    organiser_link: str

    @property
    def hours(self) -> float:
        """Working time of all judges together."""
        return self.n_screens * self.judges_per_task * self.pace / 3600

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {"schema": SCHEMA, **asdict(self), "hours": self.hours}
