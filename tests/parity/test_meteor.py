"""METEOR against the original's files: scores, statistics and alignments of METEOR 1.5's Java program."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.data import read_lines
from mtassay.errors import MissingExtraError
from mtassay.metrics import References, parse

SYSTEMS = pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])


def _rows(spec: str, hypotheses: list[str], streams: list[list[str]]) -> tuple[Any, Any]:
    """The metric, and the statistics of every segment."""
    metric = parse(spec)
    try:
        scorer = metric.prepare(References(streams))
    except MissingExtraError as error:
        pytest.skip(str(error))
    return metric, scorer.statistics(hypotheses)


def _newstest(oracle_dir: Path, spec: str, system: str, n_references: int, ending: str = "txt") -> tuple[Any, Any]:
    folder = oracle_dir / "newstest2009-200" / "text"
    streams = [read_lines(folder / f"ref{i}.{ending}") for i in range(n_references)]
    return _rows(spec, read_lines(folder / f"{system}.{ending}"), streams)


def _recorded(recorded: Any, folder: str, run: str) -> tuple[list[float], float]:
    """Segment scores and the final score of a run of the original."""
    *scores, final = recorded.numbers("meteor", "score", input=folder, run=run)
    return scores, final


def _printed(path: Path) -> tuple[list[float], float]:
    """Segment scores and the final score of an output file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    scores = [float(line.split()[-1]) for line in lines if line.startswith("Segment ")]
    (final,) = (float(line.split()[-1]) for line in lines if line.startswith("Final score:"))
    return scores, final


def _check(metric: Any, rows: Any, printed: tuple[list[float], float]) -> None:
    np.testing.assert_allclose(metric.segment_score(rows), printed[0], rtol=0, atol=1e-12)
    assert metric.score(rows.sum(axis=0)) == pytest.approx(printed[1], abs=1e-12)


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("en-norm", "meteor"),
        ("en-norm.exact", "meteor:stages=exact"),
        ("en-norm.exact-stem", "meteor:stages=exact+stem"),
        ("en-norm.exact-stem-syn", "meteor:stages=exact+stem+synonym"),
        ("en-norm.task-adq", "meteor:task=adq"),
        ("en-norm.task-hter", "meteor:task=hter"),
        ("en-norm.task-li", "meteor:task=li"),
        ("en-norm.task-tune", "meteor:task=tune"),
        ("en-norm.task-util", "meteor:task=util"),
        ("lang-cz", "meteor:lang=cz"),
        ("lang-de", "meteor:lang=de"),
        ("lang-es", "meteor:lang=es"),
        ("lang-fr", "meteor:lang=fr"),
        ("lang-ru", "meteor:lang=ru,stages=exact"),
    ],
)
def test_one_reference(oracle_dir: Path, recorded: Any, name: str, spec: str) -> None:
    printed = _recorded(recorded, "newstest2009-200", f"sysA.1ref.{name}")
    _check(*_newstest(oracle_dir, spec, "sysA", 1), printed)


@SYSTEMS
def test_two_references(oracle_dir: Path, recorded: Any, system: str) -> None:
    printed = _recorded(recorded, "newstest2009-200", f"{system}.2ref.en-norm")
    _check(*_newstest(oracle_dir, "meteor", system, 2), printed)


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("", "meteor:norm=no"),
        (".lang-it", "meteor:lang=it"),
        (".lang-nl", "meteor:lang=nl"),
        (".lang-other", "meteor:lang=other"),
        (".lang-ru", "meteor:lang=ru,stages=exact,norm=no"),
    ],
)
def test_tokenised_texts(oracle_dir: Path, recorded: Any, name: str, spec: str) -> None:
    printed = _recorded(recorded, "newstest2009-200", f"sysA.2ref.tok-lower{name}")
    _check(*_newstest(oracle_dir, spec, "sysA", 2, "tok.lc"), printed)


@pytest.mark.parametrize("system", ["cu-bojar", "jhu-heiro", "onlineA"])
def test_wmt12(oracle_dir: Path, recorded: Any, system: str) -> None:
    folder = oracle_dir / "wmt12-cs-en"
    texts = [read_lines(folder / "text" / f"{stem}.txt") for stem in ("ref0", f"sys.{system}")]
    metric, rows = _rows("meteor", texts[1], texts[:1])
    _check(metric, rows, _recorded(recorded, folder.name, f"{system}.1ref.en-norm"))


@SYSTEMS
def test_statistics_are_the_originals(oracle_dir: Path, recorded: Any, system: str) -> None:
    _, rows = _newstest(oracle_dir, "meteor", system, 2)
    expected = np.array([row["values"].split() for row in recorded.rows("meteor-statistics", system=system)], int)
    # A text that matches in one chunk has 1 in METEOR's line, and adds 0 to its sum.
    complete = (expected[:, 20] == 1) & (expected[:, 21] == expected[:, 0]) & (expected[:, 22] == expected[:, 1])
    expected[complete, 20] = 0
    np.testing.assert_array_equal(rows, expected)


def test_components(oracle_dir: Path, recorded: Any) -> None:
    metric, rows = _newstest(oracle_dir, "meteor", "sysA", 2)
    names = ("precision", "recall", "penalty")
    expected = np.column_stack([recorded.numbers("meteor-parts", name) for name in names])
    expected[np.isnan(expected)] = 0  # the original's penalty where nothing matches
    parts = metric.components(rows)
    ours = np.column_stack([parts[name] for name in names])
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)


def test_alignments(oracle_dir: Path, recorded: Any, capsys: pytest.CaptureFixture[str]) -> None:
    _newstest(oracle_dir, "meteor", "sysA", 2)  # skips where there are no data
    folder = oracle_dir / "newstest2009-200" / "text"
    *refs, system = (str(folder / f"{name}.txt") for name in ("ref0", "ref1", "sysA"))
    assert main(["align", *refs, "-i", system, "--metrics", "meteor", "-f", "json"]) == 0
    stages = ("exact", "stem", "synonym", "paraphrase")
    ours = []
    for alignment in json.loads(capsys.readouterr().out)["alignments"]:
        matches = [
            (
                *(match["reference_start"], len(match["reference"])),
                *(match["hypothesis_start"], len(match["hypothesis"])),
                stages.index(match["stage"]),
            )
            for match in alignment["matches"]
        ]
        digests = [recorded.digest(alignment[words]) for words in ("hypothesis_words", "reference_words")]
        ours.append([" ".join(":".join(map(str, match)) for match in matches), *digests])
    columns = ("matches", "hypothesis_digest", "reference_digest")
    assert ours == [[row[column] for column in columns] for row in recorded.rows("meteor-alignments")]


# Texts made to be ambiguous, run through the original where it is at hand.

_WORDS = ["the", "a", "of", "cat", "cats", "dog", "dogs", "hound", "house", "home", "big", "large", "run", "ran", ","]


def _ambiguous(n: int) -> list[str]:
    rng = np.random.default_rng(n)
    return [" ".join(rng.choice(_WORDS, size=rng.integers(1, 30))) for _ in range(n)]


def test_ambiguous_texts_live(tmp_path: Path) -> None:
    java = shutil.which("java")
    jar = Path(str(getattr(pytest.importorskip("pycocoevalcap"), "__path__", [""])[0])) / "meteor" / "meteor-1.5.jar"
    if java is None or not jar.is_file():
        pytest.skip("no Java, or no METEOR")
    hypotheses, first, second = _ambiguous(300), _ambiguous(301)[:300], _ambiguous(302)[:300]
    (tmp_path / "hyp").write_text("\n".join(hypotheses) + "\n")
    (tmp_path / "ref").write_text("".join(f"{a}\n{b}\n" for a, b in zip(first, second, strict=True)))
    command = [java, "-Xmx1G", "-jar", str(jar), "hyp", "ref", "-r", "2", "-lower", "-m", "exact stem synonym"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    (tmp_path / "out").write_text(done.stdout)
    metric, rows = _rows("meteor:norm=no,stages=exact+stem+synonym", hypotheses, [first, second])
    _check(metric, rows, _printed(tmp_path / "out"))


def test_python_interface() -> None:
    metric = mtassay.metric("meteor", lang="other", stages="exact")
    # P = 3/4, R = 3/5, two chunks of 2 and 1 words; α .75, β 1.4, γ .7, δ .5.
    fmean = 0.75 * 0.6 / (0.75 * 0.75 + 0.25 * 0.6)
    expected = fmean * (1 - 0.7 * (2 / 3) ** 1.4)
    assert metric.segment_scores(["a b x e"], [["a b c d e"]])[0] == pytest.approx(expected)
