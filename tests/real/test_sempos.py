"""SEMPOS with HanTa on WMT13, against figures of an independent script over the same tags and lemmas.

Published, from analyses by TectoMT: ρ .938 ± .014 and .955 ± .018 (Macháček & Bojar 2013, Table 2).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from mtassay.metrics import References, parse


@pytest.mark.parametrize(
    ("pair", "rho", "tau", "tau_of_all", "tied"),
    [
        pytest.param("fr-en", 0.956, 0.305, 0.172, 0.44, marks=pytest.mark.slow),
        pytest.param("cs-en", 0.964, 0.292, 0.176, 0.40, marks=pytest.mark.study),
    ],
)
def test_wmt13(data_dir: Path, pair: str, rho: float, tau: float, tau_of_all: float, tied: float) -> None:
    pytest.importorskip("HanTa", reason="pip install 'mtassay[annotate]'")
    folder = data_dir / "wmt13" / pair
    preferences = [line.split("\t") for line in (folder / "pairs.tsv").read_text(encoding="utf-8").splitlines()]
    systems = sorted({name for _, *names in preferences for name in names})
    metric, references = parse("sempos"), References([_lines(folder / "ref")])
    scorer = metric.prepare(references)
    rows = {name: scorer.statistics(_lines(folder / "hyp" / name)) for name in systems}
    # Expected wins: the mean, over the other systems, of the share of comparisons that a system won.
    won = Counter((better, worse) for _, better, worse in preferences)
    gold = [np.mean([won[a, b] / (won[a, b] + won[b, a]) for b in systems if won[a, b] + won[b, a]]) for a in systems]
    scores = [float(metric.score(rows[name].sum(axis=0))) for name in systems]
    assert spearmanr(scores, gold).statistic == pytest.approx(rho, abs=0.0005)
    segments = {name: metric.segment_score(rows[name]) for name in systems}
    signs = np.array([np.sign(segments[a][int(n) - 1] - segments[b][int(n) - 1]) for n, a, b in preferences])
    assert (signs == 0).mean() == pytest.approx(tied, abs=0.01)
    assert signs.sum() / (signs != 0).sum() == pytest.approx(tau, abs=0.002)
    assert signs.mean() == pytest.approx(tau_of_all, abs=0.002)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
