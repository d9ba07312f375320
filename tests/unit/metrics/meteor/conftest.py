"""A small folder in METEOR's formats, so that tests need not the package with METEOR's data."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mtassay.text import get_tokenizer

FILES = {
    "function/english.words": "the\nof\n,\n",
    "function/italian.words": "",
    "nonbreaking/english.prefixes": "# abbreviations\nMr\nNo #NUMERIC_ONLY#\n\nInc\t#other\n",
    "nonbreaking/czech.prefixes": "#Nothing for Czech yet\n",
    "synonym/english.synsets": "dog\n00000011 00000012\nhound\n00000011\nchild\n00000020\ntoddler\n00000020\n",
    "synonym/english.exceptions": "child\nchildren childer\n",
}
PARAPHRASES = [("in order to", "to"), ("to", "so as to"), ("in order to", "for"), ("in", "within")]


def write_paraphrases(path: Path, pairs: list[tuple[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"0.5\n{first}\n{second}\n" for first, second in pairs)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of a test."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MTASSAY_CACHE", str(folder))
    monkeypatch.delenv("MTASSAY_METEOR", raising=False)
    return folder


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """METEOR's data, unpacked."""
    folder = tmp_path / "unpacked"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "stem").mkdir()
    with gzip.open(folder / "stem" / "arabic-buckwalter-reduced.gz", "wt") as file:
        file.write("wAl 12 wAliy\nktAb 3 kitAb\n")
    write_paraphrases(folder / "data" / "paraphrase-en.gz", PARAPHRASES)
    return folder


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the package with METEOR's data were not installed."""
    get_tokenizer.cache_clear()  # another test may have had the data
    monkeypatch.setattr("mtassay.metrics.meteor.resources.find_spec", lambda name: None)
