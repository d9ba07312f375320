"""Corpus BLEU of multi-bleu.perl and multi-bleu-detok.perl, every printed digit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mtassay.metrics import References, parse

if TYPE_CHECKING:
    from pathlib import Path

#: How the tool was called: file ending and specification. It lower-cases by Perl's ``lc``, that is all of Unicode.
_CALLS = {
    "cased": ("tok", "tok=none"),
    "-lc": ("tok", "tok=none,case=lower"),
    "detok": ("txt", "tok=13a"),
    "detok -lc": ("txt", "tok=13a,case=lower"),
}


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
def test_every_printed_figure(system: str, oracle_dir: Path, recorded: Any) -> None:
    text = oracle_dir / "newstest2009-200" / "text"
    found = recorded.rows("multi-bleu", system=system)
    assert len(found) == 5
    for row in found:
        ending, options = _CALLS[row["call"]]
        metric = parse(f"bleu:{options},smooth=none")
        references = References([read_lines(text / f"ref{r}.{ending}") for r in range(int(row["references"]))])
        totals = metric.prepare(references).statistics(read_lines(text / f"{system}.{ending}")).sum(axis=0)
        parts = metric.components(totals)
        assert f"{metric.score(totals):.2f}" == row["score"]
        assert "/".join(f"{parts[f'P{n}']:.1f}" for n in range(1, 5)) == row["precisions"]
        assert (f"{parts['BP']:.3f}", f"{parts['LR']:.3f}") == (row["brevity_penalty"], row["ratio"])
        assert totals[:2].tolist() == [int(row["hyp_len"]), int(row["ref_len"])]
