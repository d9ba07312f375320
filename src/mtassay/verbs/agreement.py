"""How far judges agree, and filters by agreement: the verb ``agreement``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.data.error_spans import ErrorSpans
from mtassay.data.judgements import OUTPUTS, Preferences, Scores
from mtassay.errors import InputError
from mtassay.judging.alpha import alpha_by_judge, krippendorff_alpha
from mtassay.judging.arrays import preferences_or_scores
from mtassay.judging.kappa import (
    RULES,
    Kappa,
    check_rule,
    drop_inconsistent_judges,
    find_agreed,
    inter_annotator,
    inter_by_judge,
    intra_annotator,
    intra_by_judge,
)
from mtassay.judging.span_matching import CREDITS, SpanAgreement, span_agreement
from mtassay.results import Result, or_none

if TYPE_CHECKING:
    from mtassay.data.judgements import Rankings
    from mtassay.judging.span_matching import SpanMatch
    from mtassay.judging.span_weights import Weights

    Judged = Rankings | Preferences | Scores | ErrorSpans

SCHEMA = "mtassay.agreement/1"
#: Rules and kinds of agreement (between judges, of judges with themselves); WMT's official rule comes first.
KINDS = tuple((rule, kind) for rule in reversed(RULES) for kind in ("inter", "intra"))
_TOTAL = {"inter": inter_annotator, "intra": intra_annotator}
_BY_JUDGE = {"inter": inter_by_judge, "intra": intra_by_judge}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


@dataclass(frozen=True)
class Filters:
    """Filters that leave judgements out.

    Attributes:
        least_self: drop judges whose self-agreement κ is lower than this; None drops nobody.
        least_repeats: keep judges with fewer pairs of repeated labels than this.
        rule: how self-agreement is counted for `least_self`: ``strict`` or ``official``.
        agreed: whether to keep only pairs of outputs on which judges agree, one preference per pair.
        least_judges: least number of judges of a pair for `agreed`.
        least_share: least share of equal labels of a pair for `agreed`.
    """

    least_self: float | None = None
    least_repeats: int = 1
    rule: str = "strict"
    agreed: bool = False
    least_judges: int = 2
    least_share: float = 0.6

    def __post_init__(self) -> None:
        """Reject numbers out of range, and options of a filter that is not applied."""
        check_rule(self.rule)
        if self.least_self is not None and not (_is_number(self.least_self) and -1 <= self.least_self <= 1):
            raise InputError(f"the least self-agreement must be a kappa between -1 and 1, not {self.least_self!r}")
        for what, number in (("repeats", self.least_repeats), ("judges", self.least_judges)):
            if type(number) is not int or number < 1:
                raise InputError(f"the least number of {what} must be a whole number of at least 1, not {number!r}")
        if not (_is_number(self.least_share) and 0 < self.least_share <= 1):
            raise InputError(f"the least share of equal labels must be over 0 and at most 1, not {self.least_share!r}")
        if self.least_self is None and (self.least_repeats, self.rule) != (1, "strict"):
            raise InputError(
                "--least-repeats and --rule (least_repeats=, rule=) are for --least-self (least_self=): also give it"
            )

    @property
    def drop(self) -> bool:
        """Whether anything can be left out."""
        return self.agreed or self.least_self is not None


@dataclass(frozen=True, kw_only=True, eq=False)
class OnPreferences:
    """Agreement on preferences.

    Attributes:
        preferences: the preferences.
        kappas: by rule and kind, see `KINDS`.
        by_judge: the same for every judge.
        n_pairs: number of judged pairs of systems, counted per segment.
        n_shared: number of these pairs labelled by enough judges.
        n_agreed: number of shared pairs on which enough labels are equal.
        kappa_agreed: strict agreement between judges on the agreed pairs.
    """

    preferences: Preferences
    kappas: dict[tuple[str, str], Kappa]
    by_judge: dict[tuple[str, str], tuple[Kappa, ...]]
    n_pairs: int
    n_shared: int
    n_agreed: int
    kappa_agreed: Kappa

    @property
    def judges(self) -> list[int]:
        """Numbers of the judges who gave preferences."""
        return _present(self.preferences.judge)

    @property
    def n_screens(self) -> int:
        """Number of screens that the preferences come from."""
        return len(np.unique(self.preferences.item))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        names = self.preferences.judges
        labels = np.bincount(self.preferences.judge, minlength=len(names)).tolist()
        return {
            "preferences": len(self.preferences),
            "screens": self.n_screens,
            "judges": len(self.judges),
            "kappas": [_described(at, kappa) for at, kappa in self.kappas.items()],
            "pairs": {
                "judged": self.n_pairs,
                "shared": self.n_shared,
                "agreed": self.n_agreed,
                "kappa_agreed": or_none(self.kappa_agreed.kappa),
            },
            "by_judge": [
                {
                    "judge": names[judge],
                    "preferences": labels[judge],
                    "kappas": [_described(at, kappas[judge]) for at, kappas in self.by_judge.items()],
                }
                for judge in self.judges
            ],
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class OnScores:
    """Agreement on scores.

    Attributes:
        scores: the scores, without those of control items.
        alpha: Krippendorff's alpha of all judges.
        by_judge: alpha of each judge with the others, shape (judges,).
        n_outputs: number of scored outputs.
        n_shared: number of outputs with at least two scores.
        n_spans: number of spans that judges marked; None if the judgements are scores alone.
        spans: agreement on spans, if there are any.
    """

    scores: Scores
    alpha: float
    by_judge: np.ndarray[Any, np.dtype[np.float64]]
    n_outputs: int
    n_shared: int
    n_spans: int | None = None
    spans: SpanAgreement | None = None

    @property
    def judges(self) -> list[int]:
        """Numbers of the judges who gave scores."""
        return _present(self.scores.judge)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        names = self.scores.judges
        counts = np.bincount(self.scores.judge, minlength=len(names)).tolist()
        found: dict[str, Any] = {
            "aspect": self.scores.aspect,
            "scores": len(self.scores),
            "judges": len(self.judges),
            "alpha": or_none(self.alpha),
            "outputs": {"scored": self.n_outputs, "shared": self.n_shared},
            "by_judge": [
                {"judge": names[judge], "scores": counts[judge], "alpha": or_none(self.by_judge[judge])}
                for judge in self.judges
            ],
        }
        if self.spans is not None:
            found["spans"] = {"marked": self.n_spans, "outputs": self.spans.n_outputs, **_f1(self.spans.match)}
            for row, judge in zip(found["by_judge"], self.judges, strict=True):
                row["spans"] = _f1(self.spans.by_judge[judge])
        return found


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement in one set of judgements.

    Attributes:
        name: name of the set.
        found: agreement in the whole set.
        dropped: judges whose preferences were left out, with their self-agreement.
        kept: agreement in the rest; None without filters.
        judgements: the remaining judgements.
    """

    name: str
    found: OnPreferences | OnScores
    dropped: dict[str, Kappa]
    kept: OnPreferences | None
    judgements: Preferences | Scores

    @property
    def ignored(self) -> tuple[str, ...]:
        """Judged systems that were left out because the test set does not have them."""
        of = self.found.scores if isinstance(self.found, OnScores) else self.found.preferences
        return of.ignored

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        described: dict[str, Any] = {"name": self.name, "ignored": list(self.ignored), **self.found.to_dict()}
        if self.kept is None:
            return described
        return described | {
            "dropped": [
                {"judge": name, "kappa": or_none(kappa.kappa), "comparable": kappa.comparable}
                for name, kappa in self.dropped.items()
            ],
            "kept": {**self.kept.to_dict(), "written": len(self.judgements)},
        }


@dataclass(frozen=True, eq=False, repr=False)
class AgreementResult(Result):
    """Agreement of judges.

    Attributes:
        sets: one for each set of judgements.
        filters: the filters that were applied.
    """

    verb: ClassVar[str] = "agreement"

    sets: tuple[Agreement, ...]
    filters: Filters

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        filters = self.filters
        return {
            "schema": SCHEMA,
            "least_self": filters.least_self,
            "least_repeats": filters.least_repeats,
            "rule": filters.rule,
            "agreed": filters.agreed,
            "least_judges": filters.least_judges,
            "least_share": filters.least_share,
            "sets": [agreement.to_dict() for agreement in self.sets],
        }

    def __repr__(self) -> str:
        return f"AgreementResult({', '.join(agreement.name for agreement in self.sets)})"


def agreement(
    judgements: Judged | Mapping[str, Judged],
    *,
    least_self: float | None = None,
    least_repeats: int = 1,
    rule: str = "strict",
    agreed: bool = False,
    least_judges: int = 2,
    least_share: float = 0.6,
    span_weights: Weights | None = None,
) -> AgreementResult:
    """Measure how far judges agree with each other and with themselves.

    Args:
        judgements: a result of `mtassay.load_judgements`, or several by name.
        least_self: drop judges whose self-agreement κ is lower than this; None drops nobody.
        least_repeats: keep judges with fewer pairs of repeated labels than this.
        rule: how self-agreement is counted for `least_self`: ``strict`` or ``official``.
        agreed: whether to keep only pairs of outputs on which judges agree, one preference per pair.
        least_judges: least number of judges of a pair for `agreed`.
        least_share: least share of equal labels of a pair for `agreed`.
        span_weights: how errors in spans count in scores: ``mqm``, ``esa`` or rules such as
            ``["minor=1", "major=5"]``. By default the judges' overall scores if there are any, else ``mqm``.

    >>> from mtassay.data import Preferences
    >>> import numpy as np
    >>> segment, judge, outcome = np.array([[1, 1, 2, 2], [0, 1, 0, 1], [1, 1, 0, -1]])
    >>> first, second = np.zeros(4, int), np.ones(4, int)
    >>> columns = {"first": first, "second": second, "outcome": outcome, "item": segment}
    >>> said = Preferences(("a", "b"), ("1", "2", "3"), ("x", "y"), segment, judge, **columns)
    >>> found = agreement(said).sets[0].found
    >>> found.kappas["strict", "inter"].p_agree, found.n_agreed
    (0.5, 1)
    """
    chosen = Filters(
        least_self=least_self,
        least_repeats=least_repeats,
        rule=rule,
        agreed=agreed,
        least_judges=least_judges,
        least_share=least_share,
    )
    named = judgements if isinstance(judgements, Mapping) else {"judgements": judgements}
    if not named:
        raise InputError("no judgements: give at least one set")
    sets = tuple(_agreement(name, said, chosen, span_weights) for name, said in named.items())
    return AgreementResult(sets, chosen)


def _agreement(name: str, said: Judged, filters: Filters, weights: Weights | None) -> Agreement:
    preferences = preferences_or_scores(said, weights)
    if isinstance(preferences, Scores):
        if filters != Filters():
            raise InputError(f"{name} has scores: the filters are for rankings and preferences")
        on_scores = _on_scores(preferences)
        if isinstance(said, ErrorSpans):
            on_scores = replace(on_scores, n_spans=said.n_spans, spans=span_agreement(said))
        return Agreement(name, on_scores, {}, None, preferences)
    if preferences.judges == ("",):
        raise InputError(f"{name} does not say who judged: agreement needs the judges' names")
    found = _on_preferences(preferences, filters)
    if not filters.drop:
        return Agreement(name, found, {}, None, preferences)
    dropped: dict[str, Kappa] = {}
    if filters.least_self is not None:
        left = drop_inconsistent_judges(
            preferences, least=filters.least_self, least_pairs=filters.least_repeats, rule=filters.rule
        )
        own = dict(zip(preferences.judges, found.by_judge[filters.rule, "intra"], strict=True))
        dropped, preferences = {judge: own[judge] for judge in left.dropped}, left.preferences
    labels = preferences
    if filters.agreed:
        pairs = find_agreed(preferences, least_judges=filters.least_judges, least_share=filters.least_share)
        preferences, labels = pairs.preferences, pairs.labels
    return Agreement(name, found, dropped, _on_preferences(labels, filters), preferences)


def _on_preferences(preferences: Preferences, filters: Filters) -> OnPreferences:
    pairs = find_agreed(preferences, least_judges=filters.least_judges, least_share=filters.least_share)
    return OnPreferences(
        preferences=preferences,
        kappas={(rule, kind): _TOTAL[kind](preferences, rule=rule) for rule, kind in KINDS},
        by_judge={(rule, kind): _BY_JUDGE[kind](preferences, rule=rule) for rule, kind in KINDS},
        n_pairs=pairs.n_judged,
        n_shared=pairs.n_shared,
        n_agreed=len(pairs.preferences),
        kappa_agreed=inter_annotator(pairs.labels),
    )


def _on_scores(given: Scores) -> OnScores:
    scores = given.rows(np.isin(given.item, OUTPUTS))
    sizes = np.unique(scores.system * max(len(scores.segments), 1) + scores.segment, return_counts=True)
    return OnScores(
        scores=scores,
        alpha=krippendorff_alpha(scores),
        by_judge=alpha_by_judge(scores),
        n_outputs=len(sizes[1]),
        n_shared=int((sizes[1] > 1).sum()),
    )


def _f1(match: SpanMatch) -> dict[str, Any]:
    """F1 by the credit for another severity, and the number of pairs of judged outputs."""
    return {"pairs": match.n_pairs, "f1": {name: or_none(match.f1(credit)) for name, credit in CREDITS.items()}}


def _described(at: tuple[str, str], kappa: Kappa) -> dict[str, Any]:
    rule, kind = at
    return {
        "rule": rule,
        "kind": kind,
        "p_agree": or_none(kappa.p_agree),
        "p_chance": or_none(kappa.p_chance),
        "kappa": or_none(kappa.kappa),
        "kappa_third": or_none(kappa.kappa_with(1 / 3)),
        "agree": kappa.agree,
        "comparable": kappa.comparable,
        "ties": kappa.ties,
        "labels": kappa.labels,
    }


def _present(judge: np.ndarray[Any, np.dtype[np.int64]]) -> list[int]:
    numbers: list[int] = np.unique(judge).tolist()
    return numbers
