"""The protocols: how many outputs a screen has, how long it takes, and what an answer is.

=========  ==================================================================================
protocol   an answer
=========  ==================================================================================
rank       ``{"ranks": [1, 2, 2, 4, 5]}``, a rank per output, 1 is best; ties allowed
pair       ``{"outcome": 1}``: 1 if the first is better, -1 if the second is, 0 if neither
da         ``{"score": 73}`` from 0 to 100
likert     ``{"adequacy": 4, "fluency": 5}`` from 1 to 5
esa        ``{"spans": [...], "score": 73}``
mqm        ``{"spans": [...], "score": -6.0}``: minus the sum of the weights of the severities
=========  ==================================================================================

Screens of rank and pair can also be skipped: ``{"skip": reason}``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mtassay.collect.spans import MarkedSpan
from mtassay.data.campaign_checks import HIGHEST_SCORE, LIKERT_ASPECTS, N_RANKS, PROTOCOLS, SEVERITIES
from mtassay.errors import InputError, unknown_name

#: Reasons to skip a screen.
SKIPS = ("cannot decide", "source or reference is damaged", "outputs are damaged", "not my language")
WEIGHTS = {"minor": 1.0, "major": 5.0, "critical": 25.0}
CATEGORIES = (
    *("accuracy/mistranslation", "accuracy/addition", "accuracy/omission", "accuracy/untranslated"),
    *("fluency/grammar", "fluency/spelling", "fluency/punctuation", "fluency/register", "fluency/inconsistency"),
    *("terminology", "style", "locale", "source error", "non-translation", "other"),
)

Form = Mapping[str, str]
Payload = dict[str, Any]


class Incomplete(Exception):  # noqa: N818  (not an error: the page says what is missing)
    """Raised for an incomplete answer; has a sentence for each thing that is missing."""

    def __init__(self, *problems: str) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """The properties of a protocol.

    Attributes:
        name: one of `PROTOCOLS`.
        n_outputs: number of outputs on a screen.
        pace: assumed seconds per screen, if there is no value from a pilot.
        task_size: number of screens in a task.
        max_words: longest segment, in words; None for any.
        shows: texts beside the outputs: ``source``, ``reference``.
        controls: whether tasks have degraded outputs, repeats and references by default, as in direct assessment.
        severities: severities of spans; empty if no spans are marked.
        read: function that makes an answer from a form.
    """

    name: str
    n_outputs: int
    pace: float
    task_size: int
    max_words: int | None
    shows: tuple[str, ...]
    controls: bool
    severities: tuple[str, ...]
    read: Callable[[Form, int, Sequence[MarkedSpan]], Payload]

    @property
    def compares(self) -> bool:
        """Whether outputs are compared with each other."""
        return self.n_outputs > 1


def read_answer(protocol: Protocol, form: Form, *, n_outputs: int, spans: Sequence[MarkedSpan]) -> Payload:
    """The answer in a form; raises `Incomplete` if something is missing.

    Args:
        protocol: the protocol.
        form: the fields.
        n_outputs: number of outputs on the screen.
        spans: the spans that were marked so far.
    """
    if form.get("action") == "skip":
        if not protocol.compares:
            raise Incomplete("This screen cannot be skipped.")
        reason = form.get("reason", "")
        if reason not in SKIPS:
            raise Incomplete("Choose a reason to skip this screen.")
        return {"skip": reason}
    return protocol.read(form, n_outputs, spans)


def _rank(form: Form, n_outputs: int, spans: Sequence[MarkedSpan]) -> Payload:
    ranks = [_choice(form.get(f"rank-{slot}"), 1, N_RANKS) for slot in range(1, n_outputs + 1)]
    missing = [f"Output {slot} has no rank yet." for slot, rank in enumerate(ranks, 1) if rank is None]
    if missing:
        raise Incomplete(*missing)
    return {"ranks": ranks}


def _pair(form: Form, n_outputs: int, spans: Sequence[MarkedSpan]) -> Payload:
    outcome = _choice(form.get("outcome"), -1, 1)
    if outcome is None:
        raise Incomplete("Choose the better output, or that neither is better.")
    return {"outcome": outcome}


def _score(form: Form) -> int:
    text = form.get("score", "").strip()
    if not text:
        raise Incomplete("There is no score yet: choose a number from 0 to 100.")
    score = _choice(text, 0, HIGHEST_SCORE)
    if score is None:
        raise Incomplete("The score must be a whole number from 0 to 100.")
    return score


def _da(form: Form, n_outputs: int, spans: Sequence[MarkedSpan]) -> Payload:
    return {"score": _score(form)}


def _likert(form: Form, n_outputs: int, spans: Sequence[MarkedSpan]) -> Payload:
    found = {aspect: _choice(form.get(aspect), 1, N_RANKS) for aspect in LIKERT_ASPECTS}
    missing = [f"{aspect.capitalize()} has no score yet." for aspect, value in found.items() if value is None]
    if missing:
        raise Incomplete(*missing)
    return {**found}


def _esa(form: Form, n_outputs: int, spans: Sequence[MarkedSpan]) -> Payload:
    return {"spans": [span.to_dict() for span in spans], "score": _score(form)}


def _mqm(form: Form, n_outputs: int, spans: Sequence[MarkedSpan]) -> Payload:
    if not spans and form.get("no-errors") != "yes":
        raise Incomplete("No error is marked: mark the errors, or choose “There is no error”.")
    return {"spans": [span.to_dict() for span in spans]}


def mqm_score(spans: Sequence[Mapping[str, Any]], weights: Mapping[str, float]) -> float:
    """Minus the sum of the weights, as in the releases of WMT.

    >>> mqm_score([{"severity": "minor"}, {"severity": "major"}], WEIGHTS)
    -6.0
    """
    return 0.0 - sum(weights[span["severity"]] for span in spans)


def _choice(text: str | None, least: int, most: int) -> int | None:
    if text is None or len(text) > 3 or not text.removeprefix("-").isdecimal():  # 100 has three digits
        return None
    return int(text) if least <= int(text) <= most else None


_BOTH = ("source", "reference")


def _scored(name: str, read: Callable[[Form, int, Sequence[MarkedSpan]], Payload], **about: Any) -> Protocol:
    """A protocol that shows one output at a time."""
    usual: dict[str, Any] = {"n_outputs": 1, "task_size": 100, "max_words": None, "controls": True, "severities": ()}
    return Protocol(name=name, read=read, **(usual | about))


def _compared(name: str, read: Callable[[Form, int, Sequence[MarkedSpan]], Payload], **about: Any) -> Protocol:
    """A protocol that compares outputs; segments must not be too long (WMT13)."""
    return Protocol(
        name=name, read=read, task_size=20, max_words=30, shows=_BOTH, controls=False, severities=(), **about
    )


_ALL = (
    _compared("rank", _rank, n_outputs=5, pace=60.0),
    _compared("pair", _pair, n_outputs=2, pace=25.0),
    _scored("da", _da, pace=12.0, shows=("reference",)),
    _scored("likert", _likert, pace=20.0, shows=_BOTH),
    _scored("esa", _esa, pace=40.0, task_size=40, shows=("source",), severities=("minor", "major")),
    _scored("mqm", _mqm, pace=60.0, task_size=40, shows=("source",), controls=False, severities=SEVERITIES),
)
_BY_NAME = {protocol.name: protocol for protocol in _ALL}


def find_protocol(name: str) -> Protocol:
    """Look up a protocol by name."""
    if name not in PROTOCOLS:  # unlike the mapping, a tuple can look for anything
        raise InputError(unknown_name("protocol", name, PROTOCOLS))
    return _BY_NAME[name]
