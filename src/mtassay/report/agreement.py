"""Agreement of judges as text, tables and JSON."""

from __future__ import annotations

import json
from math import isnan
from typing import TYPE_CHECKING

from mtassay.errors import InputError
from mtassay.report.compare import caption
from mtassay.report.tables import Cell, Table, numbered, scores_of
from mtassay.verbs.agreement import KINDS, OnPreferences, OnScores

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mtassay.judging.kappa import Kappa
    from mtassay.verbs.agreement import Agreement, AgreementResult

_FIGURES = ("p_agree", "p_chance", "kappa", "kappa_third", "agree", "comparable", "ties", "labels")


def text(result: AgreementResult, *, by_judge: bool = False) -> str:
    """What each file has, its tables, and what filters leave."""
    return "\n\n".join(
        block if isinstance(block, str) else block.text()
        for agreement in result.sets
        for block in _blocks(result, agreement, by_judge=by_judge)
    )


def pages(result: AgreementResult, format_: str, *, by_judge: bool = False) -> str:
    """The tables in another format: ``tsv``, ``latex``, ``markdown`` or ``html``."""
    if format_ == "tsv":
        return _tsv(result, by_judge=by_judge).tsv()
    return "\n\n".join(
        caption(block, format_) if isinstance(block, str) else getattr(block, format_)()
        for agreement in result.sets
        for block in _blocks(result, agreement, by_judge=by_judge)
    )


def json_text(result: AgreementResult) -> str:
    """Everything as JSON."""
    return json.dumps(result.to_dict(), indent=1, ensure_ascii=False)


def kappa_table(found: OnPreferences) -> Table:
    """A row for each rule and kind."""
    rows = [
        (rule, kind, *_digits(kappa), f"{kappa.agree:,}", f"{kappa.comparable:,}")
        for (rule, kind), kappa in found.kappas.items()
    ]
    header = ("rule", "kind", "P(A)", "P(E)", "κ", "κ, P(E) = 1/3", "equal", "comparable")
    return _table(header, rows, n_labels=2)


def judge_table(found: OnPreferences) -> Table:
    """A row for each judge, those with most preferences first: κ and how many pairs of labels it is from."""
    described = found.to_dict()["by_judge"]
    rows = []
    for place, judge in sorted(enumerate(found.judges), key=lambda at: -described[at[0]]["preferences"]):
        cells = [f"{described[place]['judge']}", f"{described[place]['preferences']:,}"]
        for kappas in found.by_judge.values():
            cells += [_digit(kappas[judge].kappa), f"{kappas[judge].comparable:,}"]
        rows.append(cells)
    return _table(("judge", "preferences", *(c for kind in KINDS for c in (" ".join(kind), "of"))), rows)


def alpha_table(found: OnScores) -> Table:
    """A row for each judge, those with most scores first."""
    described = sorted(found.to_dict()["by_judge"], key=lambda row: -row["scores"])
    rows = [(row["judge"], f"{row['scores']:,}", _digit(row["alpha"])) for row in described]
    return _table(("judge", "scores", "α"), rows)


def _blocks(result: AgreementResult, agreement: Agreement, *, by_judge: bool) -> Iterator[str | Table]:
    """Sentences and tables of one set of judgements."""
    found = agreement.found
    if isinstance(found, OnScores):
        by = numbered(len(found.judges), "judge") if any(found.scores.judges) else "judges not named"
        yield f"{agreement.name}: {len(found.scores):,} {scores_of(found.scores.aspect)}, {by}"
        yield (
            f"Krippendorff's α (interval) {_digit(found.alpha)}, on {found.n_shared:,} of {found.n_outputs:,} outputs: "
            "those with two scores or more"
        )
        if by_judge:
            yield alpha_table(found)
        return
    yield f"{agreement.name}: {_amount(found)}"
    yield kappa_table(found)
    yield _pairs(result, found)
    if by_judge:
        yield judge_table(found)
    kept = agreement.kept
    if kept is None:
        return
    if result.filters.least_self is not None:
        yield _dropped(result, agreement)
    if result.filters.agreed:
        yield f"left: {numbered(len(agreement.judgements), 'agreed pair')}, which have {_amount(kept)}"
    else:
        yield f"left: {_amount(kept)}"
    yield kappa_table(kept)
    if by_judge:
        yield judge_table(kept)


def _pairs(result: AgreementResult, found: OnPreferences) -> str:
    filters = result.filters
    return (
        f"{found.n_shared:,} of {numbered(found.n_pairs, 'pair')} of outputs have labels of "
        f"{numbered(filters.least_judges, 'judge')} or more; on {found.n_agreed:,} of these "
        f"{100 * filters.least_share:g} % of the labels or more are equal"
        + (f" (κ between judges there {_digit(found.kappa_agreed.kappa)})" if found.n_agreed else "")
    )


def _amount(found: OnPreferences) -> str:
    return (
        f"{numbered(len(found.preferences), 'preference')} from {numbered(found.n_screens, 'screen')}, "
        f"{numbered(len(found.judges), 'judge')}"
    )


def _dropped(result: AgreementResult, agreement: Agreement) -> str:
    filters = result.filters
    low = f"κ under {filters.least_self:g} with themselves ({filters.rule})"
    if not agreement.dropped:
        return f"no judge has {low}"
    named = ", ".join(
        f"{judge} ({_digit(kappa.kappa)} of {kappa.comparable:,})" for judge, kappa in agreement.dropped.items()
    )
    return f"dropped, {low}: {named}"


def _tsv(result: AgreementResult, *, by_judge: bool) -> Table:
    """One table: a row for each file and rule, and for each judge on request."""
    kinds = {type(agreement.found) for agreement in result.sets}
    if len(kinds) > 1:
        raise InputError("tsv is one table: give files of preferences or files of scores, or take json")
    rows: list[list[object]] = []
    for described in result.to_dict()["sets"]:
        if kinds == {OnScores}:
            shown = [("", described["scores"], described["alpha"])]
            shown += [(row["judge"], row["scores"], row["alpha"]) for row in described["by_judge"] if by_judge]
            rows += [[described["name"], described["aspect"], *row] for row in shown]
            continue
        for stage in ("all", "kept"):
            part = described if stage == "all" else described.get("kept")
            if part is None:
                continue
            judges = [{"judge": "", **part}, *(part["by_judge"] if by_judge else [])]
            rows += [
                [described["name"], stage, row["judge"], at["rule"], at["kind"], *(at[name] for name in _FIGURES)]
                for row in judges
                for at in row["kappas"]
            ]
    if kinds == {OnScores}:
        return _table(("file", "aspect", "judge", "scores", "alpha"), _shown(rows))
    return _table(("file", "judgements", "judge", "rule", "kind", *_FIGURES), _shown(rows))


def _shown(rows: list[list[object]]) -> list[list[str]]:
    return [["" if value is None else str(value) for value in row] for row in rows]


def _table(header: tuple[str, ...], rows: Iterable[Iterable[str]], *, n_labels: int = 1) -> Table:
    return Table(header, tuple(tuple(Cell(value) for value in row) for row in rows), n_labels=n_labels)


def _digits(kappa: Kappa) -> list[str]:
    return [_digit(value) for value in (kappa.p_agree, kappa.p_chance, kappa.kappa, kappa.kappa_with(1 / 3))]


def _digit(value: float | None) -> str:
    """Three decimals; a dash where there is nothing to compare."""
    return "–" if value is None or isnan(value) else f"{value:.3f}"
