"""MultEval's figures for its example data: means over three optimiser runs, s_sel, s_opt and p."""

from __future__ import annotations

from pathlib import Path

import pytest

import mtassay
from mtassay.data import load_files

#: The table in MultEval's README: score, s_sel, s_opt, p against the baseline (two decimals).
PRINTED = {
    "bleu:tok=none": {"baseline": ("18.5", "0.3", "0.1"), "sys1": ("18.8", "0.3", "0.3", "0.00")},
    "ter:variant=tercom": {"baseline": ("65.7", "0.4", "0.2"), "sys1": ("64.8", "0.4", "0.6", "0.00")},
}


@pytest.mark.parametrize("spec", PRINTED)
def test_the_table_of_its_readme(data_dir: Path, spec: str) -> None:
    folder = data_dir / "wmt10-de-en-optimizer-runs" / "example"
    files = sorted(folder.glob("hyps.lc.tok.en.*"))
    names = [path.name.removeprefix("hyps.lc.tok.en.") for path in files]
    testset = load_files([folder / "refs.test2010.lc.tok.en.0"], files, names=names)
    result = mtassay.compare(
        testset, metrics=[spec], test="multeval", runs=r"\.opt\d$", baseline="baseline", resamples=2000
    )
    [comparison] = result.comparisons
    for system, expected in PRINTED[spec].items():
        s = result.systems.index(system)
        found = [f"{value[s]:.1f}" for value in (comparison.scores, comparison.s_sel, comparison.s_opt)]
        if system != "baseline":
            found.append(f"{comparison.p[result.systems.index('baseline'), s]:.2f}")
        assert tuple(found) == expected
    # sys2 is a copy of the baseline, which MultEval calls different.
    assert comparison.p[result.systems.index("baseline"), result.systems.index("sys2")] == 1 / 2001
    honest = mtassay.compare(testset, metrics=[spec], runs=r"\.opt\d$", baseline="baseline", resamples=200)
    assert honest.comparisons[0].p[result.systems.index("baseline"), result.systems.index("sys2")] == 1
