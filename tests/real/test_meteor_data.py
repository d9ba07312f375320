"""METEOR's own data, from the package that holds them."""

from __future__ import annotations

import gzip
from collections import defaultdict
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import pytest

from mtassay.metrics.meteor import LANGUAGES, ParaphraseTable, load_language, normalise

pytestmark = pytest.mark.skipif(find_spec("pycocoevalcap") is None, reason="pycocoevalcap is not installed")


@pytest.mark.parametrize("code", LANGUAGES)
def test_which_languages_have_function_words(code: str) -> None:
    assert bool(load_language(code, stages=("exact",)).function_words) == LANGUAGES[code].has_function_words


def test_english() -> None:
    pytest.importorskip("Stemmer")
    language = load_language("en", stages=("exact", "stem", "synonym"))
    assert {"the", ",", "of"} < language.function_words
    offsets, ids = language.synsets(["automobile", "cars", "mice", "mouse", "qwerty"])
    automobile, car, mice, mouse, unknown = (set(ids[offsets[i] : offsets[i + 1]].tolist()) for i in range(5))
    assert automobile & car
    assert mouse <= mice
    assert not unknown
    assert normalise("Dr. No. 5 vs. the U.K.'s Inc. Ltd", "en") == "Dr. No. 5 vs. the UK ' s Inc . Ltd"


@pytest.mark.study
def test_the_compiled_table_holds_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path))
    (folder,) = find_spec("pycocoevalcap").submodule_search_locations  # type: ignore[union-attr,misc]
    path = Path(folder) / "meteor" / "data" / "paraphrase-en.gz"
    table = ParaphraseTable.load(path)

    def phrase(text: str) -> int:
        node = 0
        for word in text.split():
            node = table.child(node, word)
        return int(table.phrase_of_node[node])

    sample: dict[str, list[str]] = defaultdict(list)
    n_pairs = 0
    with gzip.open(path, "rt", encoding="utf-8") as file:
        while pair := [line.rstrip("\n") for line in islice(file, 3)]:
            n_pairs += 1
            if hash_of(pair[1]) % 100 == 0:
                sample[pair[1]].append(pair[2])
    assert len(table.pairs) == n_pairs
    assert len(sample) > 1000
    for text, expected in sample.items():
        number = phrase(text)
        found = table.pairs[table.pair_offsets[number] : table.pair_offsets[number + 1]].tolist()
        assert found == [phrase(match) for match in expected]


def hash_of(text: str) -> int:
    return sum(map(ord, text))
