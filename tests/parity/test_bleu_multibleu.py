"""Corpus BLEU of multi-bleu.perl and multi-bleu-detok.perl, every printed digit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from mtassay.metrics import References, parse

if TYPE_CHECKING:
    from pathlib import Path

_LINE = re.compile(
    r"^(?P<system>\w+) (?P<refs>\d)ref (?P<options>.+): BLEU = (?P<score>\d+\.\d+), (?P<precisions>[\d./]+) "
    r"\(BP=(?P<bp>\d\.\d+), ratio=(?P<ratio>\d\.\d+), hyp_len=(?P<hyp_len>\d+), ref_len=(?P<ref_len>\d+)\)$",
    re.MULTILINE,
)
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
def test_every_printed_figure(system: str, oracle_dir: Path) -> None:
    text = oracle_dir / "newstest2009-200" / "text"
    output = (oracle_dir / "newstest2009-200" / "expected" / "multibleu" / "all.txt").read_text(encoding="utf-8")
    found = [match for match in _LINE.finditer(output) if match["system"] == system]
    assert len(found) == 5
    for match in found:
        ending, options = _CALLS[match["options"]]
        metric = parse(f"bleu:{options},smooth=none")
        references = References([read_lines(text / f"ref{r}.{ending}") for r in range(int(match["refs"]))])
        totals = metric.prepare(references).statistics(read_lines(text / f"{system}.{ending}")).sum(axis=0)
        parts = metric.components(totals)
        assert f"{metric.score(totals):.2f}" == match["score"]
        assert "/".join(f"{parts[f'P{n}']:.1f}" for n in range(1, 5)) == match["precisions"]
        assert (f"{parts['BP']:.3f}", f"{parts['LR']:.3f}") == (match["bp"], match["ratio"])
        assert totals[:2].tolist() == [int(match["hyp_len"]), int(match["ref_len"])]
