"""Agreement of judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError, counted
from mtassay.judging.span_matching import CREDITS
from mtassay.report.document import Document, Records, Sentence, Table, table
from mtassay.report.wording import percent, plain, scores_of, share
from mtassay.verbs.agreement import KINDS, OnPreferences, OnScores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.judging.span_matching import SpanAgreement
    from mtassay.report.document import Block
    from mtassay.verbs.agreement import Agreement, AgreementResult

_FIGURES = ("p_agree", "p_chance", "kappa", "kappa_third", "agree", "comparable", "ties", "labels")


def document(result: AgreementResult, *, by_judge: bool = False) -> Document:
    """The number of judgements in each set, tables of agreement, and what remains after filtering.

    Args:
        result: the agreement.
        by_judge: add a row for each judge, to tables and records.
    """
    blocks = [block for agreement in result.sets for block in _blocks(result, agreement, by_judge=by_judge)]
    return Document("agreement of judges", tuple(blocks), lambda: _records(result, by_judge=by_judge), result.to_dict)


def _blocks(result: AgreementResult, agreement: Agreement, *, by_judge: bool) -> Iterator[Block]:
    """Sentences and tables of one set of judgements."""
    found, kept = agreement.found, agreement.kept
    left_out = f"; left out, not in the test set: {', '.join(agreement.ignored)}" if agreement.ignored else ""
    if isinstance(found, OnScores):
        yield from _of_scores(agreement.name, found, left_out, by_judge=by_judge)
        return
    yield Sentence(f"{agreement.name}: {_amount(found)}{left_out}")
    yield _kappa_table(found)
    yield Sentence(_pairs(result, found))
    if by_judge:
        yield _judge_table(found)
    if kept is None:
        return
    if result.filters.least_self is not None:
        yield Sentence(_dropped(result, agreement))
    agreed = f"{counted(len(agreement.judgements), 'agreed pair')}, which have " if result.filters.agreed else ""
    yield Sentence(f"left: {agreed}{_amount(kept)}")
    yield _kappa_table(kept)
    if by_judge:
        yield _judge_table(kept)


def _of_scores(name: str, found: OnScores, left_out: str, *, by_judge: bool) -> Iterator[Block]:
    by = counted(len(found.judges), "judge") if any(found.scores.judges) else "judges not named"
    yield Sentence(f"{name}: {len(found.scores):,} {scores_of(found.scores.aspect)}, {by}{left_out}")
    yield Sentence(
        f"Krippendorff's α (interval) {share(found.alpha)}, on {found.n_shared:,} of {found.n_outputs:,} outputs: "
        "those with two scores or more"
    )
    if found.spans is not None:
        yield Sentence(_about_spans(found, found.spans))
    if found.spans is not None and found.spans.match.n_pairs:
        yield table(
            ["F1 of spans", "places", "half credit", "same severity", "pairs"],
            [["all judges", *_span_cells(found.to_dict()["spans"])]],
        )
    if by_judge:
        described = sorted(found.to_dict()["by_judge"], key=lambda row: -row["scores"])
        rows = [
            [row["judge"], f"{row['scores']:,}", share(row["alpha"]), *_span_cells(row.get("spans"))]
            for row in described
        ]
        of_spans = () if found.spans is None else ("F1 places", "half credit", "same severity", "pairs")
        yield table(["judge", "scores", "α", *of_spans], rows)


def _about_spans(found: OnScores, spans: SpanAgreement) -> str:
    marked = f"{counted(found.n_spans or 0, 'span')} of errors"
    if not spans.match.n_pairs:
        return f"{marked}; no output was marked by two judges"
    return (
        f"{marked}; characters marked by both of two judges, on {spans.n_outputs:,} of {found.n_outputs:,} outputs: "
        "F1 of places, with half credit for another severity, and with none"
    )


def _span_cells(spans: dict[str, Any] | None) -> list[str]:
    """F1 by credit, and the number of pairs of judged outputs behind it."""
    return [] if spans is None else [*(share(spans["f1"][name]) for name in CREDITS), f"{spans['pairs']:,}"]


def _kappa_table(found: OnPreferences) -> Table:
    """A row for each rule and kind."""
    rows = []
    for (rule, kind), kappa in found.kappas.items():
        values = (kappa.p_agree, kappa.p_chance, kappa.kappa, kappa.kappa_with(1 / 3))
        rows.append([rule, kind, *map(share, values), f"{kappa.agree:,}", f"{kappa.comparable:,}"])
    return table(["rule", "kind", "P(A)", "P(E)", "κ", "κ, P(E) = 1/3", "equal", "comparable"], rows, n_labels=2)


def _judge_table(found: OnPreferences) -> Table:
    """A row for each judge, the most active first: κ and the number of pairs of labels behind it."""
    rows = []
    for judge in sorted(found.to_dict()["by_judge"], key=lambda row: -row["preferences"]):
        figures = [(share(of["kappa"]), f"{of['comparable']:,}") for of in judge["kappas"]]
        rows.append([judge["judge"], f"{judge['preferences']:,}", *(text for pair in figures for text in pair)])
    return table(["judge", "preferences", *(name for kind in KINDS for name in (" ".join(kind), "of"))], rows)


def _pairs(result: AgreementResult, found: OnPreferences) -> str:
    filters = result.filters
    return (
        f"{found.n_shared:,} of {counted(found.n_pairs, 'pair')} of outputs have labels of "
        f"{counted(filters.least_judges, 'judge')} or more; on {found.n_agreed:,} of these "
        f"{percent(filters.least_share)} of the labels or more are equal"
        + (f" (κ between judges there {share(found.kappa_agreed.kappa)})" if found.n_agreed else "")
    )


def _amount(found: OnPreferences) -> str:
    return (
        f"{counted(len(found.preferences), 'preference')} from {counted(found.n_screens, 'screen')}, "
        f"{counted(len(found.judges), 'judge')}"
    )


def _dropped(result: AgreementResult, agreement: Agreement) -> str:
    filters = result.filters
    low = f"κ under {plain(filters.least_self or 0.0)} with themselves ({filters.rule})"
    if not agreement.dropped:
        return f"no judge has {low}"
    named = ", ".join(
        f"{judge} ({share(kappa.kappa)} of {kappa.comparable:,})" for judge, kappa in agreement.dropped.items()
    )
    return f"dropped, {low}: {named}"


def _records(result: AgreementResult, *, by_judge: bool) -> Records:
    """A row for each file and rule, and for each judge on request."""
    kinds = {type(agreement.found) for agreement in result.sets}
    if len(kinds) > 1:
        raise InputError("tsv is one table: give only preferences or only scores, or choose json")
    sets = result.to_dict()["sets"]
    if kinds == {OnScores}:
        names = tuple(CREDITS) if any("spans" in described for described in sets) else ()
        of_scores = [
            (
                described["name"],
                described["aspect"],
                row.get("judge"),
                row["scores"],
                row["alpha"],
                *(row["spans"]["f1"][name] if "spans" in row else None for name in names),
            )
            for described in sets
            for row in _rows(described, by_judge=by_judge)
        ]
        header = ("file", "aspect", "judge", "scores", "alpha", *(f"f1_{name}" for name in names))
        return Records(header, of_scores)
    rows = [
        (described["name"], stage, row.get("judge"), of["rule"], of["kind"], *(of[name] for name in _FIGURES))
        for described in sets
        for stage, part in (("all", described), ("kept", described.get("kept")))
        if part is not None
        for row in _rows(part, by_judge=by_judge)
        for of in row["kappas"]
    ]
    return Records(("file", "judgements", "judge", "rule", "kind", *_FIGURES), rows)


def _rows(described: dict[str, Any], *, by_judge: bool) -> list[dict[str, Any]]:
    """Rows for all judges together, and on request for each judge."""
    return [described, *(described["by_judge"] if by_judge else [])]
