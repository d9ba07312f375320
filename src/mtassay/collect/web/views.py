"""The data that pages for judges may contain. Systems, kinds of items and expected answers are left out here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mtassay.collect.protocols import SKIPS, Protocol
from mtassay.collect.spans import MarkedSpan, Token, tokens_of, written
from mtassay.collect.web.layout import direction
from mtassay.data.campaign_checks import LIKERT_ASPECTS
from mtassay.data.testset import languages_of

if TYPE_CHECKING:
    from mtassay.collect.store import Place

_LABELS = {"source": "Source", "reference": "Reference"}


@dataclass(frozen=True)
class TextView:
    """A text with the previous and the next one, and its language."""

    label: str
    before: str
    text: str
    after: str
    lang: str
    dir: str


@dataclass(frozen=True)
class Marked:
    """A marked span; no words if something is missing."""

    words: str
    severity: str
    category: str


@dataclass(frozen=True, kw_only=True)
class ScreenView:
    """A screen as a template sees it.

    Attributes:
        texts: source and reference.
        outputs: texts of the outputs.
        lang: language of the outputs.
        dir: its direction.
        position: place in the task.
        n_screens: screens of the task.
        is_training: whether this is a training screen.
        at: place among the judge's answers.
        is_earlier: whether the screen was answered before.
        tokens: pieces of the output that can be marked, with the severity that they are marked with.
        marked: the marked spans.
        spans: the marked spans in a field of the form.
        severities: severities of spans.
        categories: categories of spans.
        given: values of the fields.
        reasons: reasons to skip.
        aspects: aspects of the protocol likert.
        problems: what is missing.
    """

    texts: list[TextView]
    outputs: list[str]
    lang: str
    dir: str
    position: int
    n_screens: int
    is_training: bool
    at: int
    is_earlier: bool
    tokens: list[tuple[Token, str, bool]]
    marked: list[Marked]
    spans: str
    severities: tuple[str, ...]
    categories: tuple[str, ...]
    given: Mapping[str, str]
    reasons: tuple[str, ...] = SKIPS
    aspects: tuple[str, ...] = LIKERT_ASPECTS
    problems: tuple[str, ...] = field(default=())


def screen_view(
    place: Place,
    protocol: Protocol,
    options: Mapping[str, Any],
    *,
    given: Mapping[str, str],
    spans: Sequence[MarkedSpan],
    problems: Sequence[str] = (),
) -> ScreenView:
    """The view of a screen.

    Args:
        place: the screen.
        protocol: the protocol.
        options: options of the campaign.
        given: values of fields that the judge has filled in.
        spans: spans that the judge has marked.
        problems: what is missing.
    """
    source, target = languages_of(options.get("language_pair"))
    languages = {"source": source, "reference": target}
    text = place.outputs[0].text
    return ScreenView(
        texts=[
            _text_view(one, place.texts[one], languages[one])
            for one in options["shows"]
            if one in place.texts and place.texts[one][1]
        ],
        outputs=[output.text for output in place.outputs],
        lang=target,
        dir=direction(target),
        position=place.position,
        n_screens=place.n_screens,
        is_training=place.is_training,
        at=place.at,
        is_earlier=place.revision > 0,
        tokens=_tokens(text, spans) if protocol.severities else [],
        marked=[Marked(text[span.start : span.end], span.severity, span.category) for span in spans],
        spans=written(spans),
        severities=protocol.severities,
        categories=tuple(options.get("categories") or ()),
        given=given,
        problems=tuple(problems),
    )


def _text_view(kind: str, texts: Sequence[str | None], language: str) -> TextView:
    before, text, after = (part or "" for part in texts)
    return TextView(_LABELS[kind], before, text, after, language, direction(language))


def given_of(payload: Mapping[str, Any] | None) -> dict[str, str]:
    """Values of the form fields for a stored answer."""
    if payload is None:
        return {}
    found = {name: str(payload[name]) for name in ("outcome", "score", *LIKERT_ASPECTS) if name in payload}
    found |= {f"rank-{slot}": str(rank) for slot, rank in enumerate(payload.get("ranks", ()), 1)}
    if "skip" in payload:
        found["reason"] = payload["skip"]
    if payload.get("spans") == []:
        found["no-errors"] = "yes"
    return found


def _tokens(text: str, spans: Sequence[MarkedSpan]) -> list[tuple[Token, str, bool]]:
    """Every token, the severity that it is marked with, and whether there is white space before it."""
    found = []
    end = 0
    for token in tokens_of(text):
        if token.text:
            inside = [span.severity for span in spans if span.start <= token.start and token.end <= span.end]
        else:
            inside = [span.severity for span in spans if span.missing]
        found.append((token, inside[-1] if inside else "", token.start > end))
        end = token.end
    return found
