"""``mtassay learn``."""

from __future__ import annotations

import json
from pathlib import Path

import command
import numpy as np
import pytest

from mtassay.cli.main import main

pytest.importorskip("sklearn", reason="learning needs the extra learn")
ERRORS = {"good": 0.1, "middling": 0.35, "bad": 0.6}
N = 36


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two references, three systems, and scores and preferences of people in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(1)
    words = np.array([f"w{i}" for i in range(200)])
    reference = rng.choice(words, (N, 7))
    scores, pairs, quality = ["system\tsegment\tscore"], [], {}
    for name, rate in {"refB": 0.05, **ERRORS}.items():
        output = np.where(rng.random(reference.shape) < rate, rng.choice(words, reference.shape), reference)
        Path(f"{name}.txt").write_text("".join(" ".join(row) + "\n" for row in output), encoding="utf-8")
        quality[name] = (output == reference).mean(axis=1)
        if name in ERRORS:
            scores += [f"{name}\t{n + 1}\t{quality[name][n] + rng.normal(0, 0.02):.4f}" for n in range(N)]
    for n in range(N):
        if quality["good"][n] > quality["bad"][n]:
            pairs.append(f"{n + 1}\tgood\tbad")
    Path("refA.txt").write_text("".join(" ".join(row) + "\n" for row in reference), encoding="utf-8")
    Path("scores.tsv").write_text("\n".join(scores) + "\n", encoding="utf-8")
    Path("pairs.tsv").write_text("\n".join(pairs) + "\n", encoding="utf-8")


SYSTEMS = ["-i", "good.txt", "middling.txt", "bad.txt"]
ONE, TWO = ["refA.txt", *SYSTEMS], ["refA.txt", "refB.txt", *SYSTEMS]
HUMANS = ["--judgements", "scores.tsv", "--features", "bleu", "chrf", "wer"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.run(capsys, "learn", *arguments)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str, verb: str = "learn") -> str:
    return command.refused(capsys, verb, *arguments)


class TestWithoutMeteor:
    """The extra ``learn`` alone does not install METEOR's data."""

    @pytest.fixture(autouse=True)
    def missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("MTASSAY_METEOR", raising=False)
        monkeypatch.setattr("mtassay.metrics.meteor.resources._package_folder", lambda: None)

    def test_the_feature_set_is_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ["train", *ONE, "-l", "cs-en", "--judgements", "scores.tsv", "-o", "m.model"]
        assert refused(capsys, *arguments) == (
            "METEOR, for the feature set modern, needs an optional package: pip install 'mtassay[meteor]' (or choose "
            "other features: --features small (features=) needs no extra but learn)"
        )
        assert "METEOR, for the feature meteor, needs" in refused(capsys, *arguments, "--features", "bleu", "meteor")
        assert run(capsys, *arguments, "--features", "small", "--model", "ridge").startswith("ridge of 9 features")

    @pytest.mark.parametrize("command", ["study nested", "study grid", "curve"])
    def test_studies_say_that_it_is_their_baseline(self, capsys: pytest.CaptureFixture[str], command: str) -> None:
        chosen = ["--sets" if command == "curve" else "--features", "small"]
        assert refused(capsys, *command.split(), *TWO, "-l", "cs-en", "--judgements", "scores.tsv", *chosen) == (
            "METEOR, the baseline of studies of learned metrics, needs an optional package: "
            "pip install 'mtassay[meteor]'"
        )


def test_train_then_score(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "train", *ONE, *HUMANS, "--model", "ridge", "-o", "m.model")
    assert out.startswith("ridge of 3 features, trained on")
    assert "108 examples of 36 segments; parameters by correlation on 6 held-out segments" in out
    scored = run(capsys, "score", "m.model", *ONE)
    assert [line.split()[0] for line in scored.splitlines()[3:6]] == ["good", "middling", "bad"]
    assert "model:m.model|sha256:" in scored
    assert main(["score", *ONE, "-m", "learned:m.model"]) == 0
    assert capsys.readouterr().out == scored
    assert main(["rank", *ONE, "-m", "learned:m.model", "--resamples", "100"]) == 0


def test_the_model_is_not_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "train", *ONE, *HUMANS, "--model", "ridge", "-o", "m.model")
    content = Path("m.model").read_bytes()
    lost = "-o names m.model, which is also an input and would be overwritten: choose another file"
    assert refused(capsys, *ONE, "-m", "learned:m.model", "-o", "m.model", verb="score") == lost
    assert refused(capsys, *ONE, "-m", "0.5*learned:m.model+0.5*bleu", "-o", "m.model", verb="score") == lost
    assert refused(capsys, *ONE, "-m", "learned:m.model", "-o", "m.model", verb="rank") == lost
    assert refused(capsys, "score", "m.model", *ONE, "-o", "m.model") == lost
    assert Path("m.model").read_bytes() == content


@pytest.mark.parametrize("format_", ["json", "tsv", "latex", "markdown", "html"])
def test_formats(capsys: pytest.CaptureFixture[str], format_: str) -> None:
    out = run(capsys, "train", *ONE, *HUMANS, "--model", "ridge", "-o", "m.model", "-f", format_)
    if format_ == "json":
        found = json.loads(out)
        assert found["schema"] == "mtassay.learn.train/1"
        assert found["model"]["features"] == ["bleu", "chrf", "wer"]
        assert len(found["tried"]) == 5
    else:
        assert {
            "tsv": "alpha\tcorrelation\taccuracy\n",
            "latex": r"\toprule",
            "markdown": "|--:|--:|",
            "html": "<td>chrf</td>",
        }[format_] in out


def test_other_models(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "train", *TWO, *HUMANS, "--model", "svm", "--choose-by", "accuracy", "-o", "m.model")
    assert "accuracy" in out
    pairs = ["--judgements", "pairs.tsv", "--features", "bleu", "chrf"]
    out = run(capsys, "train", *ONE, *pairs, "--model", "logistic", "-o", "p.model")
    assert out.startswith("logistic of 2 features")
    compared = ["--judgements", "pairs.tsv", "--features", "words", "cross:chrf", "--stepwise", "--no-standardise"]
    out = run(capsys, "train", *ONE, *compared, "--model", "pairwise", "-o", "c.model")
    assert out.startswith("pairwise logistic of 2 features")
    assert "|refs:0|" in out
    out = run(capsys, "train", *ONE, *HUMANS, "--model", "ridge", "--strangers", "-o", "s.model")
    assert "outputs below another segment's reference" in out


def test_refusals_of_training(capsys: pytest.CaptureFixture[str]) -> None:
    train = ["train", *ONE, *HUMANS]
    assert "no model named 'svrr'; did you mean 'svr'" in refused(capsys, *train, "--model", "svrr", "-o", "m.model")
    assert "must end in .model" in refused(capsys, *train, "-o", "m.pickle")
    assert "at least two human references" in refused(capsys, *train, "--model", "svm", "-o", "m.model")
    assert "no feature named 'blue'" in refused(
        capsys, "train", *ONE, "--judgements", "scores.tsv", "--features", "blue", "-o", "m.model"
    )
    assert "needs trees: give an annotator" in refused(
        capsys, "train", *ONE, "--judgements", "scores.tsv", "--features", "chain_2", "-o", "m.model"
    )
    assert "comparisons; train logistic" in refused(
        capsys, "train", *ONE, "--judgements", "scores.tsv", "pairs.tsv", "--features", "bleu", "-o", "m.model"
    )
    assert "learns from rankings" in refused(capsys, *train, "--model", "logistic", "-o", "m.model")
    assert not Path("m.model").exists()


def test_refusals_of_seeds_and_constant_scores(capsys: pytest.CaptureFixture[str]) -> None:
    inputs = [*ONE, "-l", "cs-en", *HUMANS]
    curve = ["curve", *ONE, "-l", "cs-en", *HUMANS[:2]]
    learning = (["train", *inputs, "-o", "m.model"], ["study", "nested", *inputs], curve)
    for words in learning:
        assert "seed must be a whole number that is not negative" in refused(capsys, *words, "--seed", "-1")
    rows = [f"{name}\t{n + 1}\t0.5" for name in ERRORS for n in range(N)]
    Path("scores.tsv").write_text("\n".join(["system\tsegment\tscore", *rows]) + "\n", encoding="utf-8")
    for words in learning:
        assert "all human scores are equal" in refused(capsys, *words)
    assert not Path("m.model").exists()


def test_the_language_is_that_of_the_test_set(capsys: pytest.CaptureFixture[str]) -> None:
    for pair, language in (("en-de", "de"), ("de-cs", "cz"), ("en-zh", "other")):
        train = ["train", *ONE, "-l", pair, *HUMANS, "--model", "ridge", "-o", "m.model", "-f", "json"]
        assert json.loads(run(capsys, *train))["model"]["trained_on"]["language"] == language
    humans = ["--judgements", "scores.tsv", "--features", "bleu", "meteor"]
    assert "the feature meteor needs the language of the references: give -l" in refused(
        capsys, "train", *ONE, *humans, "-o", "m.model"
    )
    assert "give -l" in refused(capsys, "study", "nested", *ONE, *HUMANS)


def test_judgements_of_systems_that_were_not_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", *ONE, "-o", "set.jsonl"]) == 0
    capsys.readouterr()
    # As in WMT21, where the file of "bad.5" is "bad".
    scores = Path("scores.tsv").read_text(encoding="utf-8").replace("bad", "bad.5")
    Path("scores.tsv").write_text(f"{scores}stranger\t1\t0.5\n", encoding="utf-8")
    assert "'stranger' is not a system" in refused(capsys, "train", "set.jsonl", *HUMANS, "-o", "m.model")
    ignoring = ["train", "set.jsonl", *HUMANS, "--ignore-unknown", "--model", "ridge", "-o", "all.model", "-f", "json"]
    assert json.loads(run(capsys, *ignoring))["model"]["trained_on"]["systems"] == ["good", "middling", "bad"]
    train = ["train", "set.jsonl", "--systems", "good", "bad", *HUMANS, "--model", "ridge", "-o", "m.model"]
    assert json.loads(run(capsys, *train, "-f", "json"))["model"]["trained_on"]["systems"] == ["good", "bad"]


def test_score_with_an_index_and_other_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    signatures = []
    for text in ("refA", "refB"):
        run(capsys, "index", f"{text}.txt", "-o", f"{text}.index")
    looked_up = ["--judgements", "scores.tsv", "--features", "corpus_precision_2", "--model", "ridge", "-o", "m.model"]
    run(capsys, "train", *ONE, *looked_up, "--corpus", "refA.index")
    assert "needs the index of a corpus: give --corpus (corpus=)" in refused(capsys, "score", "m.model", *ONE)
    for text in ("refA", "refB"):
        scored = run(capsys, "score", "m.model", *ONE, "--corpus", f"{text}.index", "-m", "bleu")
        signatures += [line for line in scored.splitlines() if "sha256:" in line]
        assert "BLEU" in scored
    assert ["|corpus:" in signature for signature in signatures] == [True, True]
    assert signatures[0] != signatures[1]


def test_refusals_of_models(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "train", *ONE, *HUMANS, "--model", "ridge", "-o", "m.model")
    content = Path("m.model").read_bytes()
    Path("cut.model").write_bytes(content[: len(content) // 2])
    assert "cut.model is not loaded: it is not a model file, or is cut short" in refused(
        capsys, *ONE, "-m", "learned:cut.model", verb="score"
    )
    assert "no.model" in refused(capsys, *ONE, "-m", "learned:no.model", verb="score")
    for name in ("learned", "terrorcat"):
        assert f"{name} needs a model: {name}:FILE" in refused(capsys, *ONE, "-m", name, verb="score")
    assert "the model must come first" in refused(capsys, "score", "-i", "good.txt")


def test_actions(capsys: pytest.CaptureFixture[str]) -> None:
    for action in ([], ["train"], ["score"], ["study"], ["curve"], ["index"]):
        with pytest.raises(SystemExit) as stop:
            main(["learn", *action, "--help"])
        assert stop.value.code == 0
        assert f"examples:\n  mtassay {' '.join(['learn', *action])}" in capsys.readouterr().out
    assert "did you mean 'train'" in refused(capsys, "trian")
    assert "no study named 'nest'; did you mean 'nested'" in refused(capsys, "study", "nest")
    for trials in ("1", "1" + "0" * 18):
        assert "from 2 to 10,000,000" in refused(capsys, "study", "nested", *ONE, *HUMANS, "--trials", trials)
    assert "--on names other test sets" in refused(capsys, "study", "sets", *ONE, *HUMANS)
    assert "--plot is for grid" in refused(capsys, "study", "nested", *ONE, *HUMANS, "--plot", "grid", "a.svg")
    assert "--model is for systems" in refused(capsys, "study", "nested", *ONE, *HUMANS, "--model", "ridge")
    assert "--trials is not for grid" in refused(capsys, "study", "grid", *ONE, *HUMANS, "--trials", "10")
    assert "of --on: leave it out" in refused(capsys, "study", "nested", *ONE, *HUMANS, "--on-references", "refB")


def test_index(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "index", "refA.txt", "-o", "a.index")
    assert out.startswith("texts: 1 file, 36 segments, 252 words")
    assert "is also an input and would be overwritten" in refused(capsys, "index", "refA.txt", "-o", "refA.txt")
    Path("scores.svg").write_bytes(Path("scores.tsv").read_bytes())
    assert "is also an input and would be overwritten" in refused(
        capsys, "curve", *ONE, "--judgements", "scores.svg", "--plot", "curve", "scores.svg"
    )
    assert "give files" in refused(capsys, "index", "-o", "b.index")
