"""The size of a new campaign of human judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.document import Document, Notes, Records, Sentence, table

if TYPE_CHECKING:
    from mtassay.verbs.judge_plan import CampaignPlan


def document(result: CampaignPlan) -> Document:
    """The number of tasks, screens and working hours of a campaign, and the next commands."""
    kinds = [[kind, f"{n:,}"] for kind, n in result.kinds.items() if n]
    source = "assumed; --pace sets the rate of a pilot" if result.pace_is_assumed else "as given"
    sentence = (
        f"{result.name}: {result.protocol}, {counted(result.n_systems, 'system')}, "
        f"{counted(result.n_segments, 'segment')}, seed {result.seed}. "
        f"{counted(result.n_tasks, 'task')} with {counted(result.n_screens, 'screen')}, "
        f"{counted(result.judges_per_task, 'judge')} per task: about {result.hours:.1f} hours of work at "
        f"{result.pace:g} s per screen ({source})."
    )
    fewer = f"{counted(result.n_training, 'training screen')} instead of {result.n_training_asked:,}: each needs a "
    fewer += "segment of its own whose reference has two words or more"
    notes = (
        *([fewer] if result.n_training < result.n_training_asked else []),
        f"organiser's page (this link is shown once): {result.organiser_link}",
        f"next: mtassay judge invite {result.campaign} NAME...   mtassay judge serve {result.campaign}",
    )
    data = result.to_dict()
    return Document(
        "campaign",
        (Sentence(sentence), table(["screens", "number"], kinds), Notes(notes)),
        lambda: Records(("property", "value"), [(key, value) for key, value in data.items() if key != "kinds"]),
        result.to_dict,
    )
