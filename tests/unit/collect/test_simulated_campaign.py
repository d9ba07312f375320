"""The analysis of the simulated campaign in ``examples/`` recovers the order that was simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripts import load_script

import mtassay


@pytest.fixture(scope="module")
def example() -> Any:
    return load_script("examples/simulated_campaign.py")


@pytest.mark.parametrize("protocol", ["da", "rank"])
def test_the_simulated_order_is_recovered(example: Any, tmp_path: Path, protocol: str) -> None:
    path = example.simulate(tmp_path, protocol=protocol, seed=1)
    judgements = mtassay.load_judgements(path)
    result = mtassay.humans(judgements, drop_careless=protocol == "da", resamples=200)
    scores = np.asarray(result.aspects[0].clustering.scores)
    assert [result.systems[place] for place in np.argsort(-scores)] == list(example.QUALITY)


def test_control_items_find_the_judge_who_answers_at_random(example: Any, tmp_path: Path) -> None:
    path = example.simulate(tmp_path, protocol="da", seed=1)
    result = mtassay.humans(mtassay.load_judgements(path), drop_careless=True, resamples=50)
    assert [dropped.judges for dropped in result.aspects[0].dropped] == [(example.CARELESS,)]
    flagged = [judge.judge for judge in mtassay.judge.status(path).judges if judge.notes]
    assert flagged == [example.CARELESS]


def test_repeats_find_the_judge_who_ranks_at_random(example: Any, tmp_path: Path) -> None:
    path = example.simulate(tmp_path, protocol="rank", seed=1)
    kappas = {judge.judge: judge.self_kappa for judge in mtassay.judge.status(path).judges}
    assert min(kappas, key=lambda name: kappas[name] or 0.0) == example.CARELESS


def test_the_methods_paragraph_has_the_numbers_of_the_log(example: Any, tmp_path: Path) -> None:
    path = example.simulate(tmp_path, protocol="da", seed=1)
    text = mtassay.judge.methods(path)
    judged = mtassay.load_judgements(path)
    n_answers = {kind: int((judged.item == kind).sum()) for kind in ("REPEAT", "BAD_REF", "REF")}
    assert f"{n_answers['REF']:,} references" in text
    assert "6 judges gave" in text
    assert "5 of 6 judges scored degraded outputs significantly lower" in text
    assert "seed 1" in text
    assert "\n" not in text
