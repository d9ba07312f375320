"""One sentence for every name that does not exist, whatever it is the name of."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.data.formats.judgements import load_judgements
from mtassay.data.formats.weights import check_names
from mtassay.errors import MtassayError, among, unknown_name
from mtassay.judging.feedback_arcs import arcs
from mtassay.judging.kappa import check_rule
from mtassay.judging.wins import method
from mtassay.learn.features import chosen
from mtassay.learn.models import kind_of
from mtassay.metrics.meteor.languages import canonical
from mtassay.stats.adjust import check_adjustment
from mtassay.stats.correlations import correlation
from mtassay.stats.kendall import preference_counts
from mtassay.stats.metric_significance import williams
from mtassay.stats.procedures import Procedure
from mtassay.text import get_tokenizer
from mtassay.text.annotate import get_annotator
from mtassay.tuning.optimise import check_optimiser
from mtassay.verbs.metaeval import metric_tests

if TYPE_CHECKING:
    from collections.abc import Callable

REFERENCES = [["a b c d", "e f"]]
SYSTEMS = {"good": ["a b c d", "e f"], "bad": ["a", "f"]}
ONE, TWO = np.arange(4.0), np.ones((1, 4))
compare = partial(mtassay.compare, REFERENCES, SYSTEMS, metrics=["ter"], resamples=10)


def _result() -> Any:
    return mtassay.score(REFERENCES, SYSTEMS, metrics=["ter"])


CASES: list[tuple[str, Callable[[str], object], str, str]] = [
    ("metric", mtassay.metric, "bleuu", "bleu"),
    ("option", lambda name: mtassay.metric(f"bleu:{name}=1"), "tokk", "tok"),
    ("value of case", lambda name: mtassay.metric("bleu", case=name), "mixd", "mixed"),
    ("tokenizer", get_tokenizer, "int", "intl"),
    ("annotator", get_annotator, "spacyy", "spacy"),
    ("language of METEOR", canonical, "englisch", "english"),
    ("test", lambda name: Procedure(name), "pbss", "pbs"),
    ("adjustment", check_adjustment, "hol", "holm"),
    ("unit", lambda name: compare(unit=name), "docs", "doc"),
    ("interval", lambda name: compare(interval=name), "percentil", "percentile"),
    ("system", lambda name: compare(baseline=name), "goood", "good"),
    ("system", lambda name: _result()[name, "ter"], "goood", "good"),
    ("correlation", lambda name: correlation(ONE, TWO, kind=name), "pearsn", "pearson"),
    ("variant of τ", lambda name: preference_counts(([], [], []), np.ones((1, 1, 1))).tau(name), "wmt1", "wmt14"),
    ("variant of Williams' test", lambda name: williams(ONE, TWO, variant=name), "grahm", "graham"),
    ("test between metrics", lambda name: metric_tests.testable(name, "system"), "willams", "williams"),
    ("rule of agreement", check_rule, "strickt", "strict"),
    ("human score", method, "soccr", "soccer"),
    ("weight of arcs", lambda name: arcs([[0, 1], [1, 0]], weight=name), "nett", "net"),
    ("model", kind_of, "svrr", "svr"),
    ("feature", lambda name: chosen([name]), "presicion_1", "precision_1"),
    ("feature", lambda name: check_names({name: 1.0}, ["lm_0"], "weights"), "lm_1", "lm_0"),
    ("optimiser", lambda name: check_optimiser(name, {}), "mart", "mert"),
    ("format", lambda name: _result().render(name), "jsn", "json"),
    ("format of judgements", lambda name: load_judgements("x", format=name), "ranking", "rankings"),
    ("plot", lambda name: compare().plot("x.svg", kind=name), "heatmapp", "heatmap"),
]


@pytest.mark.parametrize(("kind", "use", "wrong", "right"), CASES, ids=[f"{case[0]}-{case[2]}" for case in CASES])
def test_every_kind_of_name(kind: str, use: Callable[[str], object], wrong: str, right: str) -> None:
    with pytest.raises(MtassayError) as raised:
        use(wrong)
    sentence = rf"(.*: )?no {re.escape(kind)} named '{wrong}'; did you mean '{right}'\? \((known|mtassay|docs).+\)"
    assert re.match(sentence, str(raised.value)), str(raised.value)


def test_verbs_and_actions(capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["scor"], "mtassay: no verb named 'scor'; did you mean 'score'? (mtassay --help)\n"),
        (
            ["learn", "trian"],
            "no action of mtassay learn named 'trian'; did you mean 'train'? (mtassay learn --help)\n",
        ),
        (["learn", "study", "nest"], "no study named 'nest'; did you mean 'nested'? (known: "),
    ):
        assert main(words) == 2
        assert said in capsys.readouterr().err


def test_nothing_alike_and_nothing_known() -> None:
    assert unknown_name("system", "qq", ["a"]) == "no system named 'qq' (known: a)"
    assert unknown_name("system", "qq", []) == "no system named 'qq' (known: none)"


def test_very_many_names_are_not_all_listed() -> None:
    names = [f"system{number}" for number in range(1000)]
    said = among("sistem999", names)
    assert said.startswith("; did you mean 'system999'? (known: system0, system1, ")
    assert said.endswith(", system49, …)")
