"""BLEU of mteval-v13a (Perl), at system, document and segment level, to its printed digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

#: oracle set, how mteval was called, number of references, options.
CASES = {
    "default, one reference": ("newstest2009-200", "1ref.def", 1, "case=ascii"),
    "default": ("newstest2009-200", "2ref.def", 2, "case=ascii"),
    "cased": ("newstest2009-200", "2ref.defc", 2, "case=mixed"),
    "international": (
        "newstest2009-200",
        "2ref.definternationaltokenization",
        2,
        "tok=intl,case=lower",
    ),
    "shortest": ("newstest2009-200", "2ref.shortest", 2, "case=ascii,ref_len=shortest"),
    "wmt12 default": ("wmt12-cs-en", "1ref.def", 1, "case=ascii"),
    "wmt12 cased": ("wmt12-cs-en", "1ref.defc", 1, "case=mixed"),
    "wmt12 international": ("wmt12-cs-en", "1ref.definternationaltokenization", 1, "tok=intl,case=lower"),
}
UNSMOOTHED = ("newstest2009-200", "2ref.nosmoothing", 2, "case=ascii")
Case = tuple[str, str, int, str]
every_case = pytest.mark.parametrize("case", [*CASES.values(), UNSMOOTHED], ids=[*CASES.keys(), "without smoothing"])


def _output(mteval: Callable[..., Any], case: Case, order: int = 4) -> Any:
    rule = "none" if case is UNSMOOTHED else "mteval"
    spec = f"bleu:{case[3]},smooth={rule},eff=no,order={order}"
    return mteval(*case[:3], spec=spec, label="BLEU", scale=100, words="hyp_len")


@every_case
def test_scores_at_every_level(case: Case, mteval: Callable[..., Any]) -> None:
    output = _output(mteval, case)
    output.check_segments()
    output.check_documents()
    output.check_systems()
    if case is not UNSMOOTHED:  # lengths are not printed then
        output.check_lengths()


@every_case
def test_table_of_ngram_scores(case: Case, mteval: Callable[..., Any]) -> None:
    by_order = [_output(mteval, case, order) for order in range(1, 10)]
    individual, cumulative = by_order[0].table_rows()
    parts = by_order[-1].metric.components(by_order[-1].table.totals())
    for s, system in enumerate(by_order[0].systems):
        assert [f"{parts[f'P{n}'][s] / 100:.4f}" for n in range(1, 10)] == individual[system]
        assert [f"{output.table.scores()[s] / 100:.4f}" for output in by_order] == cumulative[system]
