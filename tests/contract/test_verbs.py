"""The shell and Python give the same numbers for every kind of input, by the same names."""

from __future__ import annotations

import inspect
import json
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import pytest

import mtassay
from mtassay.cli.arguments import Parser
from mtassay.cli.main import VERBS, main
from mtassay.cli.output import OutputFile
from mtassay.data import load_files, read_nbest, write_evalset, write_jsonl
from mtassay.sample import human_scores_path, sample_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.data import TestSet

METRICS = ["bleu", "chrf", "ter"]


@cache
def sample() -> TestSet:
    """The sample; one output is also a reference, and white space stands at the end of some texts."""
    read = mtassay.load(sample_path())
    systems: dict[str, Any] = {
        name: [f"{text} " if place % 7 == 0 else text for place, text in enumerate(texts)]
        for name, texts in read.systems.items()
    }
    return mtassay.TestSet(
        read.references,
        systems | {"refA": read.references[0]},
        sources=read.sources,
        documents=read.documents,
        domains=read.domains,
        reference_names=["refA", "refB"],
    )  # fmt: skip


def _lines(path: Path, texts: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def _files(folder: Path) -> list[str]:
    found = sample()
    refs = [_lines(folder / f"ref{n}.txt", stream) for n, stream in enumerate(found.references)]
    systems = [_lines(folder / f"{name}.txt", texts) for name, texts in found.systems.items() if name != "refA"]
    return [*map(str, refs), "-i", *map(str, systems)]


def _jsonl(folder: Path) -> list[str]:
    write_jsonl(sample(), folder / "set.jsonl")
    return [str(folder / "set.jsonl")]


def _evalset(folder: Path) -> list[str]:
    write_evalset(sample(), folder / "de-en-set", "de-en")
    return [str(folder / "de-en-set"), "-l", "de-en"]


def _tsv(folder: Path) -> list[str]:
    found = sample()
    columns = {"src": found.sources, "doc": found.documents, "refA": found.references[0], "refB": found.references[1]}
    columns |= {name: texts for name, texts in found.systems.items() if name != "refA"}
    rows = ["\t".join(columns), *("\t".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    return [str(_lines(folder / "set.tsv", rows))]


def _wmt_folder(folder: Path) -> list[str]:
    found = sample()
    _lines(folder / "wmt" / "src", found.sources)
    for name, stream in zip("AB", found.references, strict=True):
        _lines(folder / "wmt" / f"ref.{name}", stream)
    for name, texts in found.systems.items():
        _lines(folder / "wmt" / "hyp" / name, texts)
    return [str(folder / "wmt")]


def _xml(folder: Path) -> list[str]:
    found = sample()

    def part(tag: str, texts: Any) -> str:
        segments = "".join(f'<seg id="{n}">{escape(text)}</seg>' for n, text in enumerate(texts, 1))
        return f"<{tag}><p>{segments}</p></{tag.split()[0]}>"

    parts = [part('src lang="de"', found.sources or ())]
    parts += [part(f'ref lang="en" translator="{n}"', s) for n, s in zip("AB", found.references, strict=True)]
    parts += [part(f'hyp lang="en" system="{name}"', texts) for name, texts in found.systems.items()]
    whole = f'<dataset id="set"><doc id="d" origlang="de">{"".join(parts)}</doc></dataset>'
    return [str(_lines(folder / "set.xml", [whole]))]


def _sgml(folder: Path) -> list[str]:
    found = sample()

    def of(name: str, tag: str, attribute: str, texts: Any) -> str:
        segments = "".join(f'<seg id="{n}">{escape(text)}</seg>' for n, text in enumerate(texts, 1))
        whole = f'<{tag} setid="s" {attribute}="{name}"><doc docid="d" {attribute}="{name}">{segments}</doc></{tag}>'
        return str(_lines(folder / f"{name}.sgm", [whole]))

    refs = [of(n, "refset", "refid", s) for n, s in zip(("refA", "refB"), found.references, strict=True)]
    systems = [of(n, "tstset", "sysid", texts) for n, texts in found.systems.items() if n != "refA"]
    return [*refs, "-i", *systems]


INPUTS: dict[str, Callable[[Path], list[str]]] = {
    "files": _files,
    "jsonl": _jsonl,
    "mt-metrics-eval": _evalset,
    "tsv": _tsv,
    "folder": _wmt_folder,
    "xml": _xml,
    "sgml": _sgml,
}


def _loaded(arguments: list[str]) -> TestSet:
    """What a user of Python reads for these arguments of the command."""
    if "-i" in arguments:
        place = arguments.index("-i")
        return load_files(arguments[:place], arguments[place + 1 :])
    lp = arguments[2] if len(arguments) > 2 else None
    return mtassay.load(arguments[0], lp=lp)


def judged(testset: TestSet | None = None) -> Any:
    return mtassay.load_judgements(human_scores_path(), testset=testset)


HUMANS = ["--judgements", str(human_scores_path())]
#: Options of the command, and the same call in Python.
ON_TEST_SETS: dict[str, tuple[list[str], Callable[[TestSet], Any]]] = {
    "score": (["-m", *METRICS], lambda s: mtassay.score(s, metrics=METRICS)),
    "compare": (
        ["-m", *METRICS, "--test", "bs", "--sides", "1", "--resamples", "200", "--alpha", ".01", "--adjust", "holm"],
        lambda s: mtassay.compare(s, metrics=METRICS, test="bs", sides=1, resamples=200, alpha=0.01, adjust="holm"),
    ),
    "compare, several tests": (
        ["--test", "ar", "pbs", "--resamples", "100"],
        lambda s: mtassay.compare_tests(s, test=["ar", "pbs"], resamples=100),
    ),
    "rank": (["--resamples", "200", "-m", "ter"], lambda s: mtassay.rank(s, metrics=["ter"], resamples=200)),
    "power": (
        ["-m", *METRICS, "--pair", "atlas", "dune", "--sizes", "20", "60", "--trials", "20", "--resamples", "50"],
        lambda s: mtassay.power(s, metrics=METRICS, pair=["atlas", "dune"], sizes=[20, 60], trials=20, resamples=50),
    ),
    "analyse": (
        ["-m", *METRICS, "--resamples", "50", "--alpha", ".01", "--adjust", "holm", "-lc", "--tok", "intl", "-n", "3"],
        lambda s: mtassay.analyse(
            s, metrics=METRICS, resamples=50, alpha=0.01, adjust="holm", lowercase=True, tok="intl", top=3
        ),
    ),
    "diff": (
        ["-m", "ter", "--grep", "the", "--bucket", "length:5-", "-n", "2"],
        lambda s: mtassay.diff(s, metric="ter", grep="the", bucket="length:5-", top=2),
    ),
    "align": (["--segment", "3-4"], lambda s: mtassay.align(s, segment=[2, 3])),
    "metaeval": (
        ["-m", *METRICS, *HUMANS, "--resamples", "50"],
        lambda s: mtassay.metaeval(s, judgements=judged(s), metrics=METRICS, resamples=50),
    ),
    "conclusions": (
        [*HUMANS, "--resamples", "1000", "--alpha", ".05", "--test", "ar1", "pbs"],
        lambda s: mtassay.conclusions(s, judgements=judged(s), resamples=1000, alpha=[0.05], test=["ar1", "pbs"]),
    ),
}
NBEST = "0 ||| a b c ||| LM= 1 TM= 2 ||| 3\n0 ||| a b d ||| LM= 2 TM= 0 ||| 2\n1 ||| e f ||| LM= 1 TM= 1 ||| 2\n"
#: The same for verbs that take other inputs.
ON_OTHERS: dict[str, tuple[list[str], Callable[[], Any]]] = {
    "humans": (
        [str(human_scores_path()), "--method", "z", "mean", "--resamples", "60"],
        lambda: mtassay.humans(judged(), method=["z", "mean"], resamples=60),
    ),
    "agreement": ([str(human_scores_path())], lambda: mtassay.agreement({str(human_scores_path()): judged()})),
    "tune": (
        ["--nbest", "nbest.txt", "-r", "ref.txt", "--restarts", "2", "-m", "bleu:tok=none"],
        lambda: mtassay.tune(read_nbest("nbest.txt"), [["a b c", "e f"]], "bleu:tok=none", restarts=2),
    ),
    "tune, with a language pair": (
        ["--nbest", "nbest.txt", "-r", "ref.txt", "--restarts", "2", "-l", "en-zh"],
        lambda: mtassay.tune(read_nbest("nbest.txt"), [["a b c", "e f"]], "bleu", lp="en-zh", restarts=2),
    ),
    "tune, several objectives": (
        [
            "--nbest",
            "nbest.txt",
            "-r",
            "ref.txt",
            "--restarts",
            "2",
            "-l",
            "en-zh",
            "-m",
            "bleu",
            "ter",
            "--also",
            "wer",
        ],
        lambda: mtassay.tune_objectives(
            read_nbest("nbest.txt"),
            [["a b c", "e f"]],
            ["bleu", "ter"],
            also=["wer"],
            lp="en-zh",
            options={"restarts": 2},
        ),
    ),
    "mbr": (
        ["nbest.txt", "-m", "bleu", "-l", "en-zh", "--n-best", "2", "--confidence", "0.9"],
        lambda: mtassay.mbr(read_nbest("nbest.txt"), metric="bleu", lp="en-zh", n_best=2, confidence=0.9),
    ),
    "rerank": (
        ["nbest.txt", "--weights", "weights.txt"],
        lambda: mtassay.rerank(read_nbest("nbest.txt"), {"LM_0": 1.0, "TM_0": 0.5}),
    ),
}


def _printed(capsys: pytest.CaptureFixture[str], verb: str, *arguments: str) -> str:
    assert main([verb.partition(",")[0], *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("verb", ON_TEST_SETS)
def test_test_sets(verb: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = INPUTS[kind](tmp_path)
    options, call = ON_TEST_SETS[verb]
    named, flags = [word for word in inputs if word not in {"-l", "de-en"}], inputs[-2:] if "-l" in inputs else []
    found = call(_loaded(inputs))
    printed = _printed(capsys, verb, *named, *flags, *options, "-f", "json")
    assert json.loads(printed) == json.loads(found.render("json"))
    assert "refA" not in getattr(found, "systems", ())


#: Options of the command, the same call in Python, and what the language pair makes of the metric.
WITH_PAIRS: dict[str, tuple[list[str], Callable[[TestSet, str], Any]]] = {
    "score": ([], lambda s, m: mtassay.score(s, metrics=[m])),
    "compare": (["--resamples", "100"], lambda s, m: mtassay.compare(s, metrics=[m], resamples=100)),
    "compare, several tests": (
        ["--test", "ar", "pbs", "--resamples", "100"],
        lambda s, m: mtassay.compare_tests(s, metrics=[m], test=["ar", "pbs"], resamples=100),
    ),
    "rank": (["--resamples", "100"], lambda s, m: mtassay.rank(s, metrics=[m], resamples=100)),
    "metaeval": (
        [*HUMANS, "--resamples", "50"],
        lambda s, m: mtassay.metaeval(s, judgements=judged(s), metrics=[m], resamples=50),
    ),
    "conclusions": (
        [*HUMANS, "--resamples", "100", "--alpha", ".05"],
        lambda s, m: mtassay.conclusions(s, judgements=judged(s), metrics=[m], resamples=100, alpha=[0.05]),
    ),
}


@pytest.mark.parametrize(
    ("pair", "metric", "specification"), [("en-de", "meteor", "meteor:lang=de"), ("en-zh", "bleu", "bleu:tok=zh")]
)
@pytest.mark.parametrize("kind", ["files", "jsonl", "name"])
@pytest.mark.parametrize("verb", WITH_PAIRS)
def test_the_language_pair_chooses_the_language_of_metrics(
    verb: str, kind: str, pair: str, metric: str, specification: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if kind == "files":
        inputs = _files(tmp_path)
        place = inputs.index("-i")
        testset, flags = load_files(inputs[:place], inputs[place + 1 :], lp=pair), ["-l", pair]
    elif kind == "jsonl":
        inputs = _jsonl(tmp_path)
        testset, flags = mtassay.load(inputs[0], lp=pair), ["-l", pair]
    else:  # the name of the test set ends in its pair
        write_jsonl(sample(), tmp_path / f"set.{pair}.jsonl")
        inputs = [str(tmp_path / f"set.{pair}.jsonl")]
        testset, flags = mtassay.load(inputs[0]), []
    options, call = WITH_PAIRS[verb]
    printed = json.loads(_printed(capsys, verb, *inputs, *flags, *options, "-m", metric, "-f", "json"))
    for spec in (metric, specification):
        assert printed == json.loads(call(testset, spec).render("json"))
    assert specification in json.dumps(printed)


def test_alignments_are_of_the_language_of_the_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [path] = _jsonl(tmp_path)
    testset = mtassay.load(path, lp="en-de")
    printed = json.loads(_printed(capsys, "align", path, "-l", "en-de", "-m", "meteor", "--segment", "1", "-f", "json"))
    assert printed["metric"] == "meteor:lang=de"
    for spec in ("meteor", "meteor:lang=de"):
        assert printed == json.loads(mtassay.align(testset, metric=spec, segment=[0]).render("json"))


#: Options of the command, the same keywords in Python, and the files that are read.
SCORE_FILES: dict[str, tuple[list[str], dict[str, Any], list[str]]] = {
    "systems": ([], {}, ["both.sys.score", "one.seg.score"]),
    "segments": (["--level", "segment"], {"level": "segment"}, ["both.seg.score", "one.seg.score"]),
    "soft accuracy": (["--correlation", "spa"], {"correlation": ["spa"]}, ["both.seg.score", "one.seg.score"]),
    "soft accuracy and others": (
        ["--correlation", "pearson", "soft-accuracy", "-m", "chrf"],
        {"correlation": ["pearson", "soft-accuracy"], "metrics": ["chrf"]},
        ["chrf", "both.sys.score", "one.seg.score"],
    ),
}


@pytest.mark.parametrize("case", SCORE_FILES)
def test_files_of_metric_scores(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [path] = _jsonl(tmp_path)
    testset = mtassay.load(path, lp="de-en")
    folder = tmp_path / "scores"
    rows = [f"{name}\t{len(text)}" for name, texts in testset.systems.items() for text in texts]
    _lines(folder / "de-en" / "both.seg.score", rows)
    _lines(folder / "de-en" / "one.seg.score", rows[::-1])
    _lines(folder / "de-en" / "both.sys.score", [f"{name}\t{n}" for n, name in enumerate(testset.systems)])
    options, keywords, read = SCORE_FILES[case]
    arguments = [path, "-l", "de-en", *HUMANS, "--metric-scores", str(folder), "--resamples", "50", *options]
    printed = json.loads(_printed(capsys, "metaeval", *arguments, "-f", "json"))
    found = mtassay.metaeval(testset, judgements=judged(testset), metric_scores=[folder], resamples=50, **keywords)
    assert printed == json.loads(found.render("json"))
    metrics = [str(metric).removeprefix(f"file:{folder}/de-en/") for metric in found.directions[0].metrics]
    assert metrics == read


@pytest.mark.parametrize("verb", ON_OTHERS)
def test_other_inputs(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _lines(tmp_path / "nbest.txt", NBEST.splitlines())
    _lines(tmp_path / "ref.txt", ["a b c", "e f"])
    _lines(tmp_path / "weights.txt", ["LM_0 1", "TM_0 0.5"])
    arguments, call = ON_OTHERS[verb]
    assert json.loads(_printed(capsys, verb, *arguments, "-f", "json")) == json.loads(call().render("json"))


@pytest.mark.parametrize("verb", [*ON_TEST_SETS, *ON_OTHERS])
def test_printing_a_result_is_printing_what_the_command_prints(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if verb in ON_TEST_SETS:
        options, of_set = ON_TEST_SETS[verb]
        inputs = _jsonl(tmp_path)
        printed, result = _printed(capsys, verb, *inputs, *options), of_set(_loaded(inputs))
    else:
        _lines(tmp_path / "nbest.txt", NBEST.splitlines())
        _lines(tmp_path / "ref.txt", ["a b c", "e f"])
        _lines(tmp_path / "weights.txt", ["LM_0 1", "TM_0 0.5"])
        options, call = ON_OTHERS[verb]
        printed, result = _printed(capsys, verb, *options), call()
    assert printed == f"{result}\n"


#: Verbs of the command that are no function: they write what functions of `mtassay.data` read, or run others.
NOT_IN_PYTHON = {"convert", "demo"}


def test_every_verb_is_a_function_with_explicit_keywords() -> None:
    for verb in set(VERBS) - NOT_IN_PYTHON:
        found = getattr(mtassay, verb)
        modules = {"learn": ["train"], "judge": mtassay.judge.__all__}
        functions = [getattr(found, name) for name in modules[verb]] if verb in modules else [found]
        for function in functions:
            kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
            assert inspect.Parameter.VAR_KEYWORD not in kinds, verb
        assert verb in dir(mtassay)


class _Parsed(Exception):  # noqa: N818
    """Carries the parser of a verb."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser


def _stop(parser: Parser, *_: Any) -> None:
    raise _Parsed(parser)


@pytest.fixture
def parser_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Parser]:
    """A function from a verb to the parser of its arguments."""
    monkeypatch.setattr(Parser, "parse_args", _stop)

    def find(verb: str) -> Parser:
        with pytest.raises(_Parsed) as stopped:
            main([*verb.split(), "x"])
        return stopped.value.parser

    return find


#: Options that say what to read; `mtassay.load`, `load_files` and `load_judgements` take them in Python.
READ = {
    "help",
    "input",
    "refs",
    "names",
    "source",
    "documents",
    "domains",
    "encoding",
    "num_refs",
    "language_pair",
    "include_references",
    "references",
    "systems",
    "max_file_size",
    "max_line_size",
    "no_config",
    "column",
    "domain",
    "ignore_unknown",
    "joined",
    "judgement_format",
    "rename",
    "task",
    "then",
    "test_set",
    "texts",
    "segment_labels",
    "labels",
    "frequencies",
    "judgements",
    "nbest",
    "mert",
    "decoder",
    "ini",
    "sparse_weights",
    # of sacreBLEU's test sets, or about them
    "cite",
    "citation",
    "download",
    "echo",
    "list",
    "origlang",
    "subset",
    # of candidates
    "list_format",
    "per_segment",
}
#: Options that say what to write; `Result.render` and `Result.plot` take them in Python, or another method.
WRITTEN = {
    "format",
    "output",
    "plot",
    "quiet",
    "signatures",
    "width",
    "pairs",
    "pair",
    "by_judge",
    "keep",
    "table",
    "save",
    "sweep",
    "tasks",
    "title",
    "intervals",
}
#: Options that other functions take: `tune_objectives` and `tune_decoder`, or the optimiser by `options`.
OF_TUNING = {"also", "held_out", "resamples", "alpha", "test", "run_folder", "iterations", "timeout", "set"}
#: One metric in Python where the command takes one behind the option that every verb has.
ONE_METRIC = {"metrics"}


#: Verbs that have actions, and the actions whose options are looked at.
ACTIONS = {"learn": ["train"], "judge": ["new", "invite", "serve", "status", "export", "backup", "close"]}
_OF_ACTIONS = {f"{verb} {action}" for verb, actions in ACTIONS.items() for action in actions}


@pytest.mark.parametrize("verb", sorted({*VERBS, *_OF_ACTIONS} - NOT_IN_PYTHON - {"score", *ACTIONS}))
def test_options_of_the_command_are_keywords_in_python(verb: str, parser_of: Callable[[str], Parser]) -> None:
    known = READ | WRITTEN | (OF_TUNING if verb == "tune" else set())
    flags = [flag for action in parser_of(verb)._actions for flag in action.option_strings]
    options = {flag[2:].replace("-", "_") for flag in flags if flag.startswith("--")}
    function = attrgetter(verb.replace(" ", "."))(mtassay)
    keywords = set(inspect.signature(function).parameters)
    if verb == "judge invite":  # a number of judges in place of their names
        known = known | {"number"}
    if verb == "judge export":  # `mtassay.judge.methods`
        known = known | {"methods"}
    if verb == "learn train":  # --no-standardise; annotator, corpus and language are resources
        known, options = (
            known | {"annotator", "corpus"},
            {option if option in known else option.removeprefix("no_") for option in options},
        )
    if "metric" in keywords:
        known |= ONE_METRIC
    if "execution" in keywords:
        known |= {"cluster", "resume"}
    assert options - known <= keywords


@pytest.mark.parametrize(
    "verb", sorted({*VERBS, *_OF_ACTIONS, "learn meant", "learn curve", "learn index"} - set(ACTIONS))
)
def test_options_that_name_outputs_are_checked(verb: str, parser_of: Callable[[str], Parser]) -> None:
    for action in parser_of(verb)._actions:
        if action.dest in {"output", "plot", "save", "keep"}:
            assert isinstance(action, OutputFile), action.dest
