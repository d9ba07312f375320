"""Metrics that need no references are scored without them in every verb, and the others refuse."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.data import load_files
from mtassay.errors import InputError
from mtassay.learn.model_file import load_model
from mtassay.metrics.neural.assessments import Assessment
from mtassay.metrics.neural.comet import Comet
from mtassay.metrics.neural.metricx import MetricX
from mtassay.sample import human_scores_path, sample_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.data import TestSet

FREE = ["cross:chrf", "cross:bleu"]
HUMANS = ["--judgements", str(human_scores_path())]


@cache
def sample() -> TestSet:
    return mtassay.load(sample_path(), lp="de-en")


def _without(testset: TestSet) -> TestSet:
    return mtassay.TestSet([], testset.systems, sources=testset.sources, language_pair=testset.language_pair)


def _judged(testset: TestSet) -> Any:
    return mtassay.load_judgements(human_scores_path(), testset=testset)


def _length_ratio(hypothesis: str, source: str) -> float:
    return len(hypothesis) / len(source)


@pytest.fixture
def systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Arguments that name the systems, and no references."""
    monkeypatch.chdir(tmp_path)
    names = []
    for name, texts in sample().systems.items():
        Path(f"{name}.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        names.append(f"{name}.txt")
    Path("src").write_text("".join(f"{text}\n" for text in sample().sources or ()), encoding="utf-8")
    return ["-i", *names, "--source", "src", "-l", "de-en"]


#: Options of the command, and the same call in Python.
VERBS: dict[str, tuple[list[str], Callable[[TestSet], Any]]] = {
    "score": (["-m", *FREE], lambda s: mtassay.score(s, metrics=FREE)),
    "compare": (
        ["-m", *FREE, "--resamples", "100"],
        lambda s: mtassay.compare(s, metrics=FREE, resamples=100),
    ),
    "compare, several tests": (
        ["-m", *FREE, "--test", "ar", "pbs", "--resamples", "100"],
        lambda s: mtassay.compare_tests(s, metrics=FREE, test=["ar", "pbs"], resamples=100),
    ),
    "rank": (["-m", *FREE, "--resamples", "100"], lambda s: mtassay.rank(s, metrics=FREE, resamples=100)),
    "power": (
        ["-m", *FREE, "--pair", "atlas", "dune", "--sizes", "20", "--trials", "20", "--resamples", "50"],
        lambda s: mtassay.power(s, metrics=FREE, pair=["atlas", "dune"], sizes=[20], trials=20, resamples=50),
    ),
    "metaeval": (
        ["-m", *FREE, *HUMANS, "--resamples", "50"],
        lambda s: mtassay.metaeval(s, judgements=_judged(s), metrics=FREE, resamples=50),
    ),
    "conclusions": (
        ["-m", *FREE, *HUMANS, "--resamples", "100", "--alpha", ".05"],
        lambda s: mtassay.conclusions(s, judgements=_judged(s), metrics=FREE, resamples=100, alpha=[0.05]),
    ),
}


def _data(result: Any) -> Any:
    """The result as JSON, without the names of references."""

    def kept(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: kept(inner) for key, inner in value.items() if key != "references"}
        return [kept(inner) for inner in value] if isinstance(value, list) else value

    return kept(json.loads(result if isinstance(result, str) else result.render("json")))


@pytest.mark.parametrize("verb", VERBS)
def test_numbers_are_those_with_references(verb: str, systems: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    options, call = VERBS[verb]
    assert main([verb.partition(",")[0], *systems, *options, "-f", "json"]) == 0
    printed = capsys.readouterr().out
    assert _data(printed) == _data(call(_without(sample())))
    assert _data(printed) == _data(call(sample()))
    assert printed.count("nrefs:") == printed.count("nrefs:0|")
    assert "nrefs:0|" in printed or verb == "compare, several tests"  # its JSON has no signatures


@pytest.fixture
def neural(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Neural metrics without references, with a model that is a function of the texts."""

    def assess(samples: Any) -> list[Assessment]:
        return [Assessment(len(sample[1]) / (1 + len(sample[0]))) for sample in samples]

    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("mtassay.metrics.neural.base._loaded", [])
    for metric_class in (Comet, MetricX):
        monkeypatch.setattr(metric_class, "load", lambda self, path: assess)
    for name in (*Comet.needed_files, *MetricX.needed_files, "tokenizer_config.json"):
        (tmp_path / "model" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "model" / name).write_text("{}")
    return ["cometkiwi:model=model", "metricx-qe:model=model,tokenizer=model"]


@pytest.mark.parametrize("verb", [*VERBS, "report"])
def test_neural_metrics(verb: str, systems: list[str], neural: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("ref").write_text("".join(f"{text}\n" for text in sample().references[0]), encoding="utf-8")
    options = VERBS.get(verb, VERBS["compare"])[0]
    options = ["-m", *neural, *options[options.index("-m") + 1 + len(FREE) :]]
    found = []
    for references in ([], ["ref"]):
        assert main([verb.partition(",")[0], *references, *systems, *options, "-f", "json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    if verb == "report":
        assert found[0].pop("analyse") is None
        assert found[1].pop("analyse") is not None
        assert [" ref " in one.pop("command") for one in found] == [False, True]
    without, with_them = (_data(json.dumps(one)) for one in found)
    assert without == with_them


@pytest.mark.parametrize("verb", [*VERBS, "score, of a sum"])
def test_a_metric_that_needs_references_is_named(
    verb: str, systems: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    needing = "0.5*cross:bleu+0.5*bleu" if verb == "score, of a sum" else "chrf"
    options = [word for word in VERBS.get(verb, VERBS["score"])[0] if word not in FREE]
    options[options.index("-m") + 1 : options.index("-m") + 1] = ["cross:ter", needing]
    assert main([verb.partition(",")[0], *systems, *options]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err == f"mtassay: {needing} needs references, but there are none: {HOW}\n"


HOW = "write REF... -i SYS..., or -t SET; in Python TestSet(references, systems)"
#: Verbs that show or read references themselves, and the same call in Python.
NEEDING: dict[str, tuple[list[str], Callable[[TestSet], Any]]] = {
    "analyse": (["-m", "cross:bleu"], lambda s: mtassay.analyse(s, metrics=["cross:bleu"])),
    "diff": (["-m", "cross:bleu"], lambda s: mtassay.diff(s, metric="cross:bleu")),
    "align": ([], mtassay.align),
    "judge": (["new", "campaign.db"], lambda s: mtassay.judge.new("campaign.db", s)),
}


@pytest.mark.parametrize("verb", NEEDING)
def test_verbs_that_need_references_say_so(verb: str, systems: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    options, call = NEEDING[verb]
    message = f"{verb} needs references, but there are none: {HOW}"
    before = set(Path().iterdir())
    assert main([verb, *options, *systems]) == 2
    assert capsys.readouterr().err == f"mtassay: {message}\n"
    with pytest.raises(InputError) as refused:
        call(_without(sample()))
    assert str(refused.value) == message
    assert set(Path().iterdir()) == before


def test_tables_say_that_there_is_no_reference(systems: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", *systems, "-m", "cross:bleu"]) == 0
    assert capsys.readouterr().out.startswith("64 segments · no reference · ")
    assert main(["metaeval", *systems, "-m", "cross:bleu", *HUMANS]) == 0
    assert "no reference" in capsys.readouterr().out


def test_a_report_leaves_out_what_needs_references(systems: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    options = ["-m", *FREE, *HUMANS, "--resamples", "50"]
    assert main(["report", *systems, *options, "-o", "page.html"]) == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "There are no references, so this page has no buckets" in page
    assert 'id="metaeval"' in page
    assert 'id="segments"' not in page
    found, other = (
        json.loads(mtassay.report(s, metrics=FREE, judgements=_judged(s), resamples=50).render("json"))
        for s in (_without(sample()), sample())
    )
    assert found.pop("analyse") is None
    assert other.pop("analyse") is not None
    assert _data(json.dumps(found)) == _data(json.dumps(other))
    of_analysis = (["--segment-labels", "src"], ["--alignment", "meteor"], ["--tok", "char"], ["-lc"], ["--top", "3"])
    for given in of_analysis:
        assert main(["report", *systems, *options, *given, "-o", "other.html"]) == 2
        assert "=) needs references, but there are none" in capsys.readouterr().err
    assert not Path("other.html").exists()
    assert main(["report", *systems, "-o", "other.html"]) == 2
    assert capsys.readouterr().err.startswith("mtassay: bleu needs references, but there are none")


def test_standard_input_and_no_input(systems: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    del systems
    assert main(["score", "-m", "cross:bleu"]) == 2
    assert capsys.readouterr().err.startswith("mtassay: no references given: write REF... -i SYS...")
    assert main(["score", "-m", "cross:bleu", "-i"]) == 2
    assert capsys.readouterr().err.startswith("mtassay: -i needs at least one file")


@pytest.mark.usefixtures("systems")
def test_a_file_of_scores_of_sources_and_of_functions() -> None:
    Path("scores.tsv").write_text(
        "system\tsegment\tscore\n"
        + "".join(f"{name}\t{n}\t{n * len(name)}\n" for name in sample().systems for n in range(1, 65)),
        encoding="utf-8",
    )
    gap = mtassay.segment_metric(_length_ratio)
    metrics: list[Any] = ["file:scores.tsv", gap, "0.5*file:scores.tsv+0.5*cross:bleu"]
    with_them, without = (mtassay.score(one, metrics=metrics) for one in (sample(), _without(sample())))
    np.testing.assert_array_equal(with_them.scores, without.scores)
    np.testing.assert_array_equal(with_them.segment_scores()[..., 1], without.segment_scores()[..., 1])
    assert [str(signature)[:8] for signature in without.signatures] == ["nrefs:0|"] * 3
    # Whether the program that wrote the file read references is not known; functions say what they read.
    n_references = sample().n_references
    assert [str(signature)[:8] for signature in with_them.signatures[:2]] == [f"nrefs:{n_references}|", "nrefs:0|"]


def test_texts_without_references() -> None:
    gap = mtassay.segment_metric(_length_ratio)
    words = mtassay.segment_metric(lambda hypothesis: len(hypothesis.split()), name="words")
    assert words.corpus_score(["a b", "c"], []) == 1.5
    assert words.segment_scores(["a b", "c"], []).tolist() == [2, 1]
    assert gap.pairwise(["a", "ab"], [], sources=["a", "ab", "abcd"]).tolist() == [[1, 0.5, 0.25], [2, 1, 0.5]]
    with pytest.raises(InputError, match="the references are empty"):
        words.pairwise(["a"], [])
    with pytest.raises(InputError, match="bleu needs references, but there are none"):
        mtassay.metric("bleu").prepare(mtassay.metrics.References([], n_segments=2))


@pytest.mark.usefixtures("systems")
def test_learned_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn", reason="pip install 'mtassay[learn]'")
    arguments = [*HUMANS, "--model", "ridge", "--features", "cross:chrf", "words", "source_ratio"]
    inputs = ["-i", *(f"{name}.txt" for name in sample().systems), "--source", "src", "-l", "de-en"]
    Path("ref").write_text("".join(f"{text}\n" for text in sample().references[0]), encoding="utf-8")
    assert main(["learn", "train", *inputs, *arguments, "-o", "free.model"]) == 0
    assert main(["learn", "train", "ref", *inputs, *arguments, "-o", "with.model"]) == 0
    free, other = load_model("free.model"), load_model("with.model")
    assert free.trained_on["n_references"] == 0
    np.testing.assert_array_equal(free.fitted.arrays["coef"], other.fitted.arrays["coef"])
    with_them, without = (mtassay.score(one, metrics=["learned:free.model"]) for one in (sample(), _without(sample())))
    np.testing.assert_array_equal(with_them.segment_scores(), without.segment_scores())
    capsys.readouterr()
    assert main(["learn", "train", *inputs, *arguments, "precision_1", "-o", "more.model"]) == 2
    assert capsys.readouterr().err.startswith("mtassay: the feature precision_1 needs references, but there are none")
    study = ["--sets", "cross:chrf", "--sizes", "20", "--folds", "2", *HUMANS, "-f", "json"]
    found = []
    for references in ([], ["ref"]):
        assert main(["learn", "curve", *references, *inputs, *study]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert [list(one.pop("baselines")) for one in found] == [[], ["BLEU", "METEOR"]]
    assert found[0] == found[1]
    assert main(["learn", "train", *inputs, *arguments, "--strangers", "-o", "more.model"]) == 2
    assert "automatically assessed examples needs references" in capsys.readouterr().err


def test_json_lines_read_back(systems: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", *systems, "-o", "set.de-en.jsonl"]) == 0
    found = mtassay.load("set.de-en.jsonl")
    assert found.references == ()
    assert found.systems == _without(sample()).systems
    assert found.sources == sample().sources
    assert main(["convert", *systems, "--to", "evalset", "-o", "folder"]) == 2
    assert "the test set has no references, which the layout cannot leave out" in capsys.readouterr().err
    assert not Path("folder").exists()


def test_sgml_is_matched_by_its_keys(tmp_path: Path) -> None:
    for name, segments in {"A": [(1, "a"), (2, "b")], "B": [(2, "d"), (1, "c")]}.items():
        inner = "".join(f'<seg id="{number}">{text}</seg>' for number, text in segments)
        whole = f'<tstset setid="s" sysid="{name}"><doc docid="d" sysid="{name}">{inner}</doc></tstset>'
        (tmp_path / f"{name}.sgm").write_text(whole, encoding="utf-8")
    found = load_files([], [tmp_path / "A.sgm", tmp_path / "B.sgm"])
    assert found.systems == {"A": ("a", "b"), "B": ("c", "d")}
    assert found.ids == ("1", "2")


def test_test_sets() -> None:
    found = mtassay.TestSet([], {"A": ["x", "y"], "B": ["z", "w"]}, documents=["d", "e"])
    assert (found.n_segments, found.n_references, found.reference_names) == (2, 0, ())
    assert found.at([1]).systems == {"A": ("y",), "B": ("w",)}
    aside = found.select(systems=[])
    assert (aside.n_segments, aside.at([1]).set_aside) == (2, {"A": ("y",), "B": ("w",)})
    assert mtassay.TestSet([], {}, sources=["x", "y"]).n_segments == 2
    assert repr(found) == "TestSet(2 segments, 0 references, 2 systems)"
    with pytest.raises(InputError, match="system 'B' has 1 segment, system 'A' has 2: every system needs"):
        mtassay.TestSet([], {"A": ["x", "y"], "B": ["z"], "C": ["z", "y"]})
    with pytest.raises(InputError, match="the sources have 1 segment, system 'A' has 2: there must be one"):
        mtassay.TestSet([], {"A": ["x", "y"]}, sources=["x"])
    with pytest.raises(InputError, match="a test set without references needs outputs or sources"):
        mtassay.TestSet([], {})
    with pytest.raises(InputError, match="a test set without references needs outputs or sources"):
        mtassay.TestSet([], {"A": []})
