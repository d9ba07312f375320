"""The contract of results: what every verb returns prints, converts, renders and draws.

A new verb is a line in ``RESULTS``, and in ``OPTIONS`` where its document has options that choose other records.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from pkgutil import iter_modules
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mtassay
from mtassay.data import ErrorSpan, ErrorSpans, Preferences, Scores, TestSet, load, load_judgements, read_nbest
from mtassay.judging.preference_shares import preference_shares
from mtassay.learn.curve import curve
from mtassay.learn.generalise import sets
from mtassay.learn.grid import grid
from mtassay.learn.nested import nested
from mtassay.learn.role_weights import RoleWeights
from mtassay.learn.training import train
from mtassay.learn.training_data import material
from mtassay.metrics.linguistic.roles import GROUPS
from mtassay.report import documents
from mtassay.report.plots import PLOTS
from mtassay.report.render import FORMATS
from mtassay.results import Result
from mtassay.sample import human_scores_path, sample_path
from mtassay.tuning.candidates import candidates_of
from mtassay.tuning.loop import Iteration, LoopResult
from mtassay.tuning.mert import mert
from mtassay.tuning.rerank import rerank
from mtassay.verbs.annotate import AnnotateResult, Coverage
from mtassay.verbs.conclusions import conclusions
from mtassay.verbs.list_metrics import list_metrics
from mtassay.verbs.sacrebleu_tests import paired
from mtassay.verbs.tune_objectives import tune_objectives

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.data.nbest import NBest

METRICS = ("bleu", "ter")


@cache
def texts() -> TestSet:
    return load(sample_path())


@cache
def campaign() -> tuple[Result, Result]:
    """A new campaign with a judge, and its status."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "campaign.db"
        plan = mtassay.judge.new(path, texts(), protocol="rank", segments=10)
        mtassay.judge.invite(path, ["ann"])
        return plan, mtassay.judge.status(path)


@cache
def scores() -> Scores:
    judged = load_judgements(human_scores_path(), testset=texts())
    assert isinstance(judged, Scores)
    return judged


def fluency() -> Scores:
    """A second aspect, in which the first system is no longer the best."""
    judged = scores()
    return replace(judged, score=judged.score - 40.0 * (judged.system == 0), aspect="fluency")


@cache
def preferences() -> Preferences:
    """Of every two systems that a judge scored on a segment, the one with the higher score."""
    judged = scores()
    value = {
        (int(judge), int(segment), int(system)): float(score)
        for judge, segment, system, score in zip(judged.judge, judged.segment, judged.system, judged.score, strict=True)
    }
    rows = [
        (segment, judge, x, y, np.sign(value[judge, segment, x] - value[judge, segment, y]))
        for judge, segment in dict.fromkeys((judge, segment) for judge, segment, _ in value)
        for x, y in combinations(range(len(judged.systems)), 2)
    ]
    segment, judge, first, second, outcome = np.array(rows, dtype=np.int64).T
    item = judge * len(judged.segments) + segment
    return Preferences(
        judged.systems,
        judged.segments,
        judged.judges,
        segment,
        judge,
        first=first,
        second=second,
        outcome=outcome,
        item=item,
    )


@cache
def spans() -> ErrorSpans:
    """A major error in the first letters of every output, the longer the lower its score, and sometimes an omission."""
    judged = scores()
    lacks = ErrorSpan(severity="minor", category="accuracy/omission", missing=True)
    return ErrorSpans(
        judged.systems,
        judged.segments,
        judged.judges,
        judged.segment,
        judged.judge,
        system=judged.system,
        spans=tuple(
            (ErrorSpan(start=0, end=1 + int(100 - score) % 9, severity="major"), *([lacks] if score < 50 else []))
            for score in judged.score.tolist()
        ),
        score=np.full(len(judged), np.nan),
        item=judged.item,
    )


def first_judge() -> ErrorSpans:
    """The spans of a judge who stands for a metric."""
    said = spans()
    counts = np.bincount(said.judge)
    return said.rows(said.judge == counts.argmax())


def whole() -> Scores:
    """A score of each system."""
    n = len(scores().systems)
    nothing = np.zeros(n, dtype=np.int64)
    values = np.arange(n, dtype=np.float64)
    return Scores(
        scores().systems,
        ("",),
        ("",),
        nothing,
        nothing,
        system=np.arange(n),
        score=values,
        aspect="da",
        item=np.full(n, ""),
    )


def scored() -> Any:
    return mtassay.score(texts(), metrics=METRICS)


@cache
def made() -> Any:
    """What metrics are learned from; one of them stands for the usual baselines."""
    pytest.importorskip("sklearn")
    found = material(texts(), scores(), ["bleu", "chrf", "wer"], likeness=True)
    return replace(found, baselines={"BLEU": found.x[..., 0]})


def trained() -> Result:
    pytest.importorskip("sklearn")
    return train(texts(), scores(), model="ridge", features=["bleu", "chrf"], strangers=True)


@cache
def lists() -> NBest:
    """The outputs of all systems as candidates."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "list"
        path.write_text(
            "".join(
                f"{n} ||| {output[n]} ||| LM= {-len(output[n].split())} TM= {k + n % 3} ||| 0\n"
                for n in range(texts().n_segments)
                for k, output in enumerate(texts().systems.values())
            ),
            encoding="utf-8",
        )
        return read_nbest(path)


def looped() -> Result:
    start, tuned = {"LM_0": 0.5, "TM_0": 0.5}, {"LM_0": 0.2, "TM_0": 0.8}
    iterations = (
        Iteration(
            number=1,
            weights=start,
            score=20.5,
            n_candidates=60,
            n_new=60,
            n_known=60,
            n_misplaced=0,
            tuned=tuned,
            predicted=25.25,
        ),
        Iteration(
            number=2,
            weights=tuned,
            score=24.5,
            n_candidates=60,
            n_new=0,
            n_known=60,
            n_misplaced=texts().n_segments,
            ended="candidates",
        ),
    )
    return LoopResult("mert", mtassay.metric("bleu"), {"restarts": 2, "seed": 1}, iterations, texts().n_segments)


def preferred() -> Any:
    """Preferences between outputs named as objectives."""
    judged = preferences()
    names = ("bleu", "ter", *judged.systems[2:])
    return preference_shares(replace(judged, systems=names), ["bleu", "ter"], resamples=100)


#: A result of every verb on the built-in sample, and of what makes a verb's tables differ.
RESULTS: dict[str, Callable[[], Result]] = {
    "annotate": lambda: AnnotateResult("link-grammar:5.12", {"ref": Coverage(60, 2, 1, 1)}),
    "score": scored,
    "sacrebleu_tests": lambda: paired(scored(), "bs", resamples=100),
    "compare": lambda: mtassay.compare(texts(), metrics=METRICS, resamples=100),
    "compare_tests": lambda: mtassay.compare_tests(texts(), metrics=METRICS, resamples=100),
    "rank": lambda: mtassay.rank(texts(), metrics=METRICS, resamples=100),
    "power": lambda: mtassay.power(texts(), metrics=METRICS, trials=20, resamples=40, baseline="atlas"),
    "analyse": lambda: mtassay.analyse(texts(), metrics=METRICS, resamples=50),
    "report": lambda: mtassay.report(texts(), metrics=METRICS, resamples=100, judgements=scores(), gold="z"),
    "report, one system": lambda: mtassay.report(texts().select(systems=["atlas"]), metrics=METRICS),
    "diff": lambda: mtassay.diff(texts(), metric="ter", top=3),
    "humans": lambda: mtassay.humans(scores(), method=["z", "mean"], resamples=60),
    "humans, two aspects": lambda: mtassay.humans([scores(), fluency()], resamples=60),
    "humans, preferences": lambda: mtassay.humans(preferences(), resamples=60),
    "humans, whole systems": lambda: mtassay.humans(whole()),
    "agreement": lambda: mtassay.agreement({"human.tsv": scores()}),
    "humans, spans": lambda: mtassay.humans(spans(), span_weights=["minor=1", "major=4"], resamples=60),
    "agreement, spans": lambda: mtassay.agreement({"spans.jsonl": spans(), "human.tsv": scores()}),
    "agreement, preferences": lambda: mtassay.agreement(preferences(), least_self=0.2, agreed=True),
    "metaeval": lambda: mtassay.metaeval(texts(), judgements=scores(), metrics=METRICS, test="perm-both", resamples=60),
    "metaeval, spans": lambda: mtassay.metaeval(
        texts(), judgements=spans(), metrics=METRICS, metric_spans={"J": first_judge()}, test="perm-both", resamples=60
    ),
    "metaeval, two directions": lambda: mtassay.metaeval(
        {"de-en": texts(), "again": texts()},
        judgements={"de-en": scores(), "again": preferences()},
        metrics=METRICS,
        correlation=["pearson", "spearman", "accuracy"],
        test="perm-both",
        resamples=60,
    ),
    "conclusions": lambda: conclusions(
        texts(), judgements=scores(), metrics=METRICS, alpha=[0.05, 0.01], resamples=200
    ),
}
RESULTS |= {
    "align": lambda: mtassay.align(texts(), segment=range(3)),
    "align, meteor": lambda: mtassay.align(texts(), metric="meteor:stages=exact,lang=other", segment=[0]),
    "metrics": list_metrics,
    "learn_train": trained,
    "learn_meant": lambda: RoleWeights("meant:annotator=link-grammar", dict.fromkeys(GROUPS, 0.5), 0.3, 0.2, 70),
    "learn_curve": lambda: curve(made(), ["bleu"], models=["ridge"], sizes=[20, 40], n_folds=2),
    "learn_grid": lambda: grid(made(), slacks=[0.1, 1.0], widths=[0.01, 0.1]),
    "learn_nested": lambda: nested(made(), regressors=["ridge"], n_folds=2, n_trials=20),
    "learn_generalise": lambda: sets(made(), [made()], models=["ridge"], n_trials=20),
    "judge_plan": lambda: campaign()[0],
    "judge_status": lambda: campaign()[1],
    "mbr": lambda: mtassay.mbr(lists()),
    "mbr, several": lambda: mtassay.mbr(lists(), metric="bleu", n_best=2, aggregate=True),
    "rerank": lambda: rerank(lists(), {"LM_0": 1.0, "TM_0": 1.0}),
    "tune": lambda: mert(candidates_of(lists(), texts().references, mtassay.metric("bleu")), restarts=1),
    "tune_loop": looped,
    "tune_objectives": lambda: tune_objectives(
        lists(),
        texts().references,
        METRICS,
        options={"restarts": 1},
        preferences=preferred(),
        held_out=True,
        resamples=100,
    ),
}
#: Options of documents that choose records, by verb.
OPTIONS: dict[str, dict[str, Any]] = {
    "compare": {"pairs": True},
    "analyse": {"table": "ngrams"},
    "humans": {"pairs": True},
    "agreement": {"by_judge": True},
    "metaeval": {"pairs": True},
}
#: Results of which an option or a picture is refused.
REFUSED = {"humans, whole systems"}

_result = cache(lambda name: RESULTS[name]())
every = pytest.mark.parametrize("name", RESULTS)


def options_of(name: str) -> list[dict[str, Any]]:
    """Of the document: none, and those that choose other records."""
    found = OPTIONS.get(_result(name).verb)
    return [{}] if found is None or name in REFUSED else [{}, found]


def test_every_document_has_a_result_here() -> None:
    """A verb without a line above would not be tested."""
    known = {module.name for module in iter_modules(documents.__path__)}
    assert {_result(name).verb for name in RESULTS} == known


@every
def test_data_are_plain_values(name: str) -> None:
    result = _result(name)
    described = result.to_dict()
    assert isinstance(result, Result)
    assert described["schema"].startswith("mtassay.")
    assert json.loads(json.dumps(described, allow_nan=False)) == described


@every
@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_has_something(name: str, format_: str) -> None:
    for options in options_of(name):
        text = _result(name).render(format_, **options)
        assert text.strip()
        assert text == text.strip("\n")
        assert "nan" not in text.lower().split()
        assert "np." not in text


@every
@pytest.mark.parametrize("format_", FORMATS)
def test_a_report_says_whether_it_shows_the_configuration(name: str, format_: str) -> None:
    """Where it does not, the command shows the defaults on standard error."""
    result = _result(name)
    text = result.render(format_, configuration={"file": "mtassay.toml", "alpha": 0.05})
    assert ("mtassay.toml" in text) == result.shows_configuration(format_)
    assert ("mtassay.toml" in text) == (text != result.render(format_))


@every
def test_rows_are_as_long_as_the_header(name: str) -> None:
    for options in options_of(name):
        header, *rows = table_of(_result(name), options)
        assert rows
        assert len(set(header)) == len(header)
        assert {len(row) for row in rows} == {len(header)}


@every
def test_options_choose_other_records(name: str) -> None:
    tables = [table_of(_result(name), options) for options in options_of(name)]
    assert all(one != other for one, other in combinations(tables, 2))


@every
def test_a_data_frame_is_the_tsv(name: str) -> None:
    pandas = pytest.importorskip("pandas")
    for options in options_of(name):
        frame = _result(name).to_pandas(**options)
        header, *rows = table_of(_result(name), options)
        assert list(frame.columns) == header
        assert len(frame) == len(rows)
        for values, fields in zip(frame.itertuples(index=False, name=None), rows, strict=True):
            for value, field in zip(values, fields, strict=True):
                missing = not isinstance(value, list | tuple) and pandas.isna(value)
                assert (field == "") if missing else is_same(value, field), (value, field)


@every
def test_print_shows_what_render_gives(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = _result(name)
    print(result)
    assert capsys.readouterr().out == result.render("text") + "\n"
    assert result.render() == result.render("text")


@every
def test_a_notebook_shows_tables(name: str) -> None:
    result = _result(name)
    fragment = result._repr_html_()
    # Agreement of scores is a number; judges are a table.
    # Alignments and texts are lines.
    shown = result.render("html", by_judge=True) if name == "agreement" else fragment
    usual = {"align": "<pre>", "rerank": "<pre>", "diff": '<div class="example">'}
    assert ("<pre>" if name == "mbr" else usual.get(result.verb, "<table>")) in shown
    page = result.render("html")
    # Pages have charts that need a script, too.
    assert all(line in page for line in fragment.split("\n"))


@every
def test_a_page_is_written(name: str, tmp_path: Path) -> None:
    _result(name).report(tmp_path / "page.html")
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert written == _result(name).render("html") + "\n"
    assert "Content-Security-Policy" in written


@every
def test_every_picture_is_written(name: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = _result(name)
    kinds = PLOTS.get(result.verb, {})
    for kind in kinds:
        path = tmp_path / f"{kind}.svg"
        if name in REFUSED:
            with pytest.raises(mtassay.InputError):
                result.plot(path, kind=kind)
            assert not path.exists()
        else:
            result.plot(path, kind=kind)
            assert "</svg>" in path.read_text(encoding="utf-8")
    if not kinds:
        with pytest.raises(mtassay.InputError, match="has no plot"):
            result.plot(tmp_path / "none.svg")


def table_of(result: Result, options: dict[str, Any]) -> list[list[str]]:
    """Fields of the TSV, line by line."""
    return [line.split("\t") for line in result.render("tsv", **options).split("\n")]


def is_same(value: Any, field: str) -> bool:
    """Whether a value of a data frame is that of a field; a column with missing values holds floats."""
    if isinstance(value, list | tuple):
        return bool(list(value) == json.loads(field))
    if isinstance(value, str | bool | np.bool_):
        return str(value) == field
    return float(value) == float(field)
