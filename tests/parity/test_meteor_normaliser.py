"""Normalisation and stems against METEOR's own jar, run live where there is a Java.

Compared by hand once, with no difference: normalisation, with and without punctuation, of all 187,687 distinct English
lines of wmt12, wmt13, wmt15, wmt21 and wmt23 (in English), of 14,856 German and 30,361 Spanish ones, and of 22,090
sources and 150,000 random lines under the rules of each of the six languages; the synsets of 1,372,299 words (all of
the dictionary with usual endings) and of the 49,387 English words of the same data, and their stems.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from mtassay.metrics.meteor import normalise
from mtassay.metrics.meteor.stems import snowball

LANGUAGES = ["en", "cz", "de", "es", "fr", "ru"]
STEMMERS = {"en": "english", "de": "german", "es": "spanish", "fr": "french", "ru": "russian", "it": "italian"}
PIECES = [*"abXYZsİΣς.,'`’‘“”-–—\"!?:;()0129 \t\v\f\x1c\x85\xa0\u2009\u3000\u2028\x00\x01éßñжЯ\u0301中😀$&<ǅ"]
PIECES += ["..", "...", "''", "--", "Mr.", "U.S.", "No.", "e.g.", "DOTMULTI", "DOTDOTMULTI", "'s", "d'", *[" "] * 20]


@pytest.fixture(scope="module")
def jar() -> Path:
    found = find_spec("pycocoevalcap")
    if found is None or not found.submodule_search_locations:
        pytest.skip("METEOR's jar is in the package pycocoevalcap, which is not installed")
    if shutil.which("java") is None:
        pytest.skip("the original needs Java, which is not installed")
    return Path(next(iter(found.submodule_search_locations))) / "meteor" / "meteor-1.5.jar"


def run(jar: Path, lines: list[str], *arguments: str) -> list[str]:
    command = ["java", "-Xmx512M", "-Dfile.encoding=UTF-8", "-cp", str(jar), *arguments]
    text = "".join(f"{line}\n" for line in lines)
    finished = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    printed = finished.stdout.decode().split("\n")[:-1]
    assert len(printed) == len(lines)
    return printed


def differences(jar: Path, lines: list[str], language: str, *, punctuation: bool) -> list[tuple[str, str, str]]:
    theirs = run(jar, lines, "edu.cmu.meteor.util.Normalizer", language, str(punctuation).lower())
    ours = [normalise(line, language, punctuation=punctuation) for line in lines]
    return [found for found in zip(lines, ours, theirs, strict=True) if found[1] != found[2]]


def oracle_lines(oracle_dir: Path) -> list[str]:
    texts = [
        path for path in oracle_dir.glob("*/text/*.*") if path.suffix in (".txt", ".tok") and "nbest" not in path.name
    ]
    return sorted({line for path in texts for line in path.read_text(encoding="utf-8").split("\n")})


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("punctuation", [True, False])
def test_real_lines(jar: Path, oracle_dir: Path, language: str, punctuation: bool) -> None:
    lines = oracle_lines(oracle_dir)[:: 1 if language == "en" else 5]
    assert len(lines) > 500
    assert differences(jar, lines, language, punctuation=punctuation) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_random_lines(jar: Path, language: str) -> None:
    chance = random.Random(len(PIECES))
    lines = ["".join(chance.choices(PIECES, k=chance.randrange(15))) for _ in range(3000)]
    assert differences(jar, lines, language, punctuation=True) == []


@pytest.mark.study
@pytest.mark.parametrize("part", ["wmt12", "wmt13", "wmt15", "wmt21"])
def test_all_english_lines(jar: Path, data_dir: Path, part: str) -> None:
    texts = [path for path in (data_dir / part).glob("*-en/*/*") if path.parent.name in ("hyp", "ref")]
    lines = sorted({line for path in texts for line in path.read_text(encoding="utf-8").split("\n")})
    assert len(lines) > 1000
    assert differences(jar, lines, "en", punctuation=True) == []


@pytest.mark.parametrize("language", STEMMERS)
def test_stems(jar: Path, data_dir: Path, oracle_dir: Path, language: str) -> None:
    pytest.importorskip("Stemmer")
    texts = [path for path in data_dir.glob("*/*/src*") if path.is_file() and path.parent.name.startswith(language)]
    texts += [path for path in data_dir.glob("*/*/src/*") if path.parts[-3].startswith(language)]
    lines = [line for path in texts for line in path.read_text(encoding="utf-8").split("\n")] + oracle_lines(oracle_dir)
    words = sorted({word for line in lines for word in re.findall(r"[^\W\d_]+", line.lower())})
    theirs = run(jar, words, "Stemmer", language)
    ours = snowball(STEMMERS[language])(words)
    assert [found for found in zip(words, ours, theirs, strict=True) if found[1] != found[2]] == []
