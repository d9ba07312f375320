"""``mtassay judge export --methods``: a paragraph for a paper on how judgements were collected."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from statistics import median
from typing import TYPE_CHECKING

from mtassay.data.campaign_checks import COMPARISONS
from mtassay.data.campaigns import Campaign, read_campaign
from mtassay.errors import InputError, counted
from mtassay.io.inputs import shown
from mtassay.verbs.judge_status import CampaignStatus, status

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike

_ASKED = {
    "rank": "Judges ranked up to five outputs of a segment at a time, with ties allowed",
    "pair": "Judges compared two outputs of a segment at a time, with ties allowed",
    "da": "Judges scored single outputs for {aspect} from 0 to 100 (direct assessment)",
    "likert": "Judges scored single outputs for adequacy and fluency from 1 to 5",
    "esa": "Judges marked minor and major errors in single outputs and scored each output from 0 to 100 (error span "
    "annotation)",
    "mqm": "Judges marked errors in single outputs by category and severity (MQM, with the weights {weights})",
}
_SAMPLES = {"random": "chosen at random", "document": "of documents chosen at random", "length": "spread over lengths"}


def methods(campaign: PathLike) -> str:
    """A paragraph for a paper on how judgements were collected, with numbers from the campaign.

    Args:
        campaign: the file of the campaign.
    """
    found = read_campaign(campaign)
    if not found.answers:
        raise InputError(f"{shown(campaign)} has no answer yet: there is nothing to describe")
    return " ".join([_design(found), _work(found), *_controls(found, status(campaign)), _provenance(found)])


def _design(campaign: Campaign) -> str:
    options = campaign.options
    weights = ", ".join(f"{name} {value:g}" for name, value in options["weights"].items())
    asked = _ASKED[campaign.protocol].format(aspect=options["aspect"], weights=weights)
    beside = {0: "", 1: ", beside the {}", 2: ", beside the {} and the {}"}[len(options["shows"])]
    segments = {answer.screen.segment for answer in campaign.answers}
    how = f" {_SAMPLES[options['sample']]}" if options["segments"] else ""
    limit = f" of at most {options['max_words']} words" if options["max_words"] else ""
    return (
        f"{asked}{beside.format(*options['shows'])}. Outputs were shown without the names of the "
        f"{counted(len(options['systems']), 'system')}; outputs that were equal were shown once. "
        f"The answers cover {counted(len(segments), 'segment')}{limit}{how}; {campaign_size(campaign)}."
    )


def campaign_size(campaign: Campaign) -> str:
    """How many screens and judges were planned."""
    n_screens = sum(n for _, _, n, _ in campaign.tasks)
    k = sorted({k for _, k, _, _ in campaign.tasks})
    wanted = str(k[0]) if len(k) == 1 else f"{k[0]} to {k[-1]}"
    return f"the campaign has {n_screens:,} screens in {counted(len(campaign.tasks), 'task')} for {wanted} judges each"


def _work(campaign: Campaign) -> str:
    judges = {answer.judge for answer in campaign.answers}
    times = [answer.submitted_at for answer in campaign.answers]
    first, last = (datetime.fromtimestamp(time, UTC).date().isoformat() for time in (min(times), max(times)))
    when = f"on {first}" if first == last else f"between {first} and {last}"
    seconds = [answer.submitted_at - answer.shown_at for answer in campaign.answers if answer.revision == 1]
    n_skipped = sum(answer.is_skipped for answer in campaign.answers)
    n_changed = sum(answer.revision > 1 for answer in campaign.answers)
    n_training = sum(answer.screen.kind == "training" and answer.revision == 1 for answer in campaign.log)
    training = f" after {counted(n_training, 'training answer')} in all" if n_training else ""
    pace = f", in a median of {median(seconds):.0f} seconds per screen" if seconds else ""
    return (
        f"{counted(len(judges), 'judge')} gave {len(campaign.answers):,} answers {when}{training}{pace}; "
        f"{n_skipped:,} screens were skipped and {n_changed:,} answers changed afterwards."
    )


def _controls(campaign: Campaign, now: CampaignStatus) -> list[str]:
    kinds = Counter(answer.screen.kind for answer in campaign.answers)
    names = {
        "repeat": "repeats",
        "reference": "references",
        "degraded": "degraded outputs, in which a phrase was replaced by one of another reference",
    }
    *others, last = [f"{kinds[kind]:,} {name}" for kind, name in names.items() if kinds[kind]] or [""]
    hidden = f"{', '.join(others)} and {last}" if others else last
    parts = [f"Hidden among them were {hidden}."] if hidden else []
    tested = [judge.degraded_p for judge in now.judges if judge.degraded_p is not None]
    if tested:
        passed = sum(p <= 0.05 for p in tested)
        parts.append(
            f"{passed} of {len(tested)} judges scored degraded outputs significantly lower than the outputs they were "
            "made from (one-sided paired t-test, p ≤ .05)."
        )
    if now.agreement is not None:
        measure = "Cohen's κ with P(E) = 1/3" if campaign.protocol in COMPARISONS else "Krippendorff's α"
        own = f", of judges with themselves {now.self_agreement:.2f}" if now.self_agreement is not None else ""
        parts.append(f"Agreement between judges was {now.agreement:.2f} ({measure}){own}.")
    return parts


def _provenance(campaign: Campaign) -> str:
    return (
        f"Tasks were made with seed {campaign.meta['seed']} from a test set with the SHA-256 hash "
        f"{campaign.meta['testset_hash'][:16]}…, and answers were collected with mtassay {campaign.meta['version']}."
    )
