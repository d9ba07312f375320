"""NIST of mteval (Perl), at system, document and segment level, to its printed digits."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

#: oracle set, how mteval was called, number of references, options.
CASES = {
    "default, one reference": ("newstest2009-200", "1ref.def", 1, ""),
    "default": ("newstest2009-200", "2ref.def", 2, ""),
    "cased": ("newstest2009-200", "2ref.defc", 2, "case=mixed"),
    "international": (
        "newstest2009-200",
        "2ref.definternationaltokenization",
        2,
        "tok=intl,case=lower",
    ),
    # Smoothing and reference length are BLEU's: NIST must not notice.
    "no smoothing": ("newstest2009-200", "2ref.nosmoothing", 2, ""),
    "shortest": ("newstest2009-200", "2ref.shortest", 2, ""),
    "v14": ("newstest2009-200", "2ref.v14", 2, ""),
    "wmt12 default": ("wmt12-cs-en", "1ref.def", 1, ""),
    "wmt12 cased": ("wmt12-cs-en", "1ref.defc", 1, "case=mixed"),
    "wmt12 international": ("wmt12-cs-en", "1ref.definternationaltokenization", 1, "tok=intl,case=lower"),
}
#: Versions that print no segments and documents; v12 knew the international tokenizer only.
OLD = {
    "v11b": ("newstest2009-200", "2ref.v11b", 2, ""),
    "v12": ("newstest2009-200", "2ref.v12", 2, "tok=intl,case=lower"),
}
Case = tuple[str, str, int, str]


def _output(mteval: Callable[..., Any], case: Case, *options: str) -> Any:
    spec = ",".join(option for option in (case[3], *options) if option)
    return mteval(*case[:3], spec=f"nist:{spec}" if spec else "nist", label="NIST", scale=1, words="total_1")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_scores_at_every_level(case: Case, mteval: Callable[..., Any]) -> None:
    output = _output(mteval, case)
    output.check_segments()
    output.check_documents()
    output.check_systems()


@pytest.mark.parametrize("case", OLD.values(), ids=OLD.keys())
def test_system_scores_of_older_versions(case: Case, mteval: Callable[..., Any]) -> None:
    _output(mteval, case).check_systems()


@pytest.mark.parametrize("case", [*CASES.values(), *OLD.values()], ids=[*CASES.keys(), *OLD.keys()])
def test_table_of_ngram_scores(case: Case, mteval: Callable[..., Any]) -> None:
    output = _output(mteval, case, "order=9")
    individual, cumulative = output.table_rows()
    parts = output.metric.components(output.table.totals())
    for s, system in enumerate(output.systems):
        ours = [parts[f"NIST{n}"][s] for n in range(1, 10)]
        assert [f"{value:.4f}" for value in ours] == individual[system]
        assert [f"{value:.4f}" for value in accumulate(ours)] == cumulative[system]


@pytest.mark.parametrize("order", range(1, 10))
def test_every_order(order: int, mteval: Callable[..., Any]) -> None:
    output = _output(mteval, CASES["default"], f"order={order}")
    _, cumulative = output.table_rows()
    printed = [cumulative[system][order - 1] for system in output.systems]
    assert [f"{score:.4f}" for score in output.table.scores()] == printed


def test_the_formula_differs_behind_the_word_0_only(mteval: Callable[..., Any]) -> None:
    """Segments 53 and 55 hold "1:0", where mteval takes "0" for no word."""
    ours, theirs = (_output(mteval, CASES["wmt12 default"], f"variant={v}").table for v in ("formula", "mteval"))
    differ = (ours.segment_scores() != theirs.segment_scores()).any(axis=0)
    assert (differ.nonzero()[0] + 1).tolist() == [53, 55]
