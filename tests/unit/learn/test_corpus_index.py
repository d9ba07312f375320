"""The index of a corpus: what it has equals brute force over texts and trees, and bad files are refused."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.annotations import Annotations
from mtassay.data.formats.conllu import format_conllu
from mtassay.data.trees import DependencyTree
from mtassay.errors import InputError, SpecError
from mtassay.kernels import Vocabulary
from mtassay.learn import CorpusIndex, build_index
from mtassay.learn import corpus_index as module
from mtassay.learn.hashing import combine, hash_words, hashed_ngrams, hashed_skips
from mtassay.metrics.core.references import encode
from mtassay.metrics.meteor.cache import write_arrays

LINES = ["The cat sat on the mat .", "a dog", "", "the cat sat down", "x"]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt.gz"
    path.write_bytes(gzip.compress("\n".join(LINES).encode()))
    return path


def hashed(*words: str) -> Any:
    hashes = hash_words(words)
    found = hashes[:1]
    for other in hashes[1:]:
        found = combine(found, np.array([other]))
    return found


def test_counts_of_ngrams(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LINES_AT_ONCE", 2)  # so that pieces are put together
    index = build_index([text], tmp_path / "index", tok="none")
    words = [line.lower().split() for line in LINES]
    for n in range(1, 6):
        expected = Counter(tuple(line[i : i + n]) for line in words for i in range(len(line) - n + 1))
        for gram, count in expected.items():
            assert index.values(f"ngrams_{n}", hashed(*gram)).tolist() == [count]
        assert index.values(f"ngrams_{n}", hashed(*["no"] * n)).tolist() == [-1]
    assert index.about["text"][0]["words"] == 14
    assert index.about["text"][0]["segments"] == 5
    assert (index.tok, len(index.digest)) == ("none", 8)


def test_smallest_gaps(text: Path, tmp_path: Path) -> None:
    index = CorpusIndex.open(build_index([text], tmp_path / "index", tok="none").path)
    words = [line.lower().split() for line in LINES]
    nearest: dict[tuple[str, str], int] = {}
    for line in words:
        for i, first in enumerate(line):
            for between, second in enumerate(line[i + 1 : i + 7]):
                nearest[first, second] = min(nearest.get((first, second), 99), between)
    assert nearest["the", "mat"] == 0
    assert nearest["the", "."] == 1
    for pair, between in nearest.items():
        assert index.values("skips", hashed(*pair)).tolist() == [between]
    assert index.values("skips", hashed("mat", "the")).tolist() == [-1]


@given(st.lists(st.lists(st.sampled_from("ab"), max_size=7), min_size=1, max_size=4))
def test_hashed_parts_belong_to_their_texts(texts: list[list[str]]) -> None:
    vocabulary = Vocabulary()
    tokens = encode([" ".join(words) for words in texts], "none", case="lower", vocabulary=vocabulary)
    words = hash_words(vocabulary.words())
    for n, found in enumerate(hashed_ngrams(tokens, words, order=4), 1):
        expected = [(t, hashed(*w[i : i + n])[0]) for t, w in enumerate(texts) for i in range(len(w) - n + 1)]
        assert sorted(zip(found.owners.tolist(), found.hashes.tolist(), strict=True)) == sorted(expected)
    for gap, found in enumerate(hashed_skips(tokens, words, gap=3)):
        expected = [(t, hashed(w[i], w[i + gap + 1])[0]) for t, w in enumerate(texts) for i in range(len(w) - gap - 1)]
        assert sorted(zip(found.owners.tolist(), found.hashes.tolist(), strict=True)) == sorted(expected)


def tree(words: str, heads: list[int], tags: str, relations: str) -> DependencyTree:
    return DependencyTree(tuple(words.split()), tuple(heads), tuple(tags.split()), tuple(relations.split()))


def test_trees(tmp_path: Path) -> None:
    bank = tmp_path / "bank.conllu"
    first = tree("The dog saw him .", [2, 3, 0, 3, 3], "DET NOUN VERB PRON PUNCT", "D S root O X")
    found = Annotations.of_trees(first, None)
    bank.write_text("".join(map(format_conllu, (found, Annotations.missing(()), found))))
    index = build_index([], tmp_path / "index", trees=[bank])
    assert index.values("chains_2", hashed("the", "dog")).tolist() == [2]
    assert index.values("chains_3", hashed("the", "dog", "saw")).tolist() == [2]
    assert index.values("chains_2", hashed("dog", "the")).tolist() == [-1]
    assert index.values("chains_4", hashed("a", "b", "c", "d")).tolist() == [-1]
    assert index.values("subtrees_2", hashed("saw", "dog", "him", ".")).tolist() == [2]
    of_dog = combine(hash_words(["dog"]), hash_words(["the"]))
    deep = combine(combine(combine(hash_words(["saw"]), of_dog), hash_words(["him"])), hash_words(["."]))
    assert index.values("subtrees_3", deep).tolist() == [2]
    assert index.values("frames", hash_words(["verb\tS\tO"])).tolist() == [2]
    assert index.values("word_frames", hash_words(["saw\tS\tO"])).tolist() == [2]
    assert index.values("frames", hash_words(["noun\tD\t"])).tolist() == [2]
    assert index.values("word_frames", hash_words(["him\t\t"])).tolist() == [-1]  # pronouns are not looked at
    assert index.about["trees"][0] | {"sha256": ""} == {
        "file": "bank.conllu",
        "sha256": "",
        "segments": 3,
        "parsed": 2,
        "words": 10,
    }
    with pytest.raises(InputError, match="was built without texts, which it needs"):
        index.require("text", "it")


def test_files_that_are_no_index(text: Path, tmp_path: Path) -> None:
    path = tmp_path / "index"
    with pytest.raises(InputError, match="index: no such file; build the index"):
        CorpusIndex.open(path)
    with pytest.raises(InputError, match="is not an index of a corpus, or is damaged"):
        CorpusIndex.open(text)
    build_index([text], path)
    whole = path.read_bytes()
    for damaged in (whole[:-64], whole[: len(whole) // 2], whole[:-100] + b"\x01" + whole[-99:], b""):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="is not an index of a corpus, or is damaged"):
            CorpusIndex.open(path)
    for about, message in (
        (b"[]", "is not an index of a corpus"),
        (b"{", "is not an index of a corpus"),
        (b'{"kind": "mtassay corpus index", "schema": 99}', "is an index of version 99, this program reads 1"),
    ):
        write_arrays(path, {"about": np.frombuffer(about, np.uint8)})
        with pytest.raises(InputError, match=message):
            CorpusIndex.open(path)


def test_nothing_is_left_of_an_index_that_failed(text: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs texts or trees"):
        build_index([], tmp_path / "index")
    with pytest.raises(InputError, match="no such file"):
        build_index([text, tmp_path / "absent"], tmp_path / "index")
    with pytest.raises(SpecError, match="no tokenizer named"):
        build_index([text], tmp_path / "index", tok="nix")
    assert not (tmp_path / "index").exists()


def test_the_same_corpus_gives_the_same_bytes(text: Path, tmp_path: Path) -> None:
    build_index([text], tmp_path / "one")
    build_index([text], tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    other = tmp_path / "other.txt"
    other.write_text("else\n")
    assert build_index([other], tmp_path / "two").digest != CorpusIndex.open(tmp_path / "one").digest
