"""Random and nearly valid configurations, models, finished chunks, dictionaries, alignments and vectors."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.formats.word_vectors import read_word_vectors
from mtassay.errors import MtassayError
from mtassay.execution.finished import FinishedChunks
from mtassay.io.configuration import KEYS, VERBS, read_configuration
from mtassay.io.store import Store
from mtassay.learn import model_file
from mtassay.learn.corpus_index import CorpusIndex, build_index
from mtassay.learn.model_file import LearnedModel, load_model
from mtassay.learn.models import MODELS, fit
from mtassay.metrics.linguistic.connectives import HEADER, load_dictionary, normalised
from mtassay.metrics.linguistic.word_alignments import WordAlignments

ANY = st.characters(exclude_categories=())
WORD = st.one_of(
    st.sampled_from(["a", "b c", "while", "bien qu'", "’", "-", "", "A", "é", "(", "\\"]), st.text(max_size=3)
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(ANY, max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=6,
)


def check(reader: Callable[[Any], Any], path: Path, content: str | bytes) -> Any:
    """What the reader gives, or None after one line fit for a user."""
    path.write_bytes(content.encode("utf-8", errors="surrogatepass") if isinstance(content, str) else content)
    return answer(partial(reader, path))


def answer(call: Callable[[], Any]) -> Any:
    """What a call gives, or None after one line fit for a user."""
    try:
        return call()
    except MtassayError as error:
        message = str(error)
    assert len(message.splitlines()) == 1, message
    return None


NAMES = st.one_of(
    st.sampled_from([*KEYS, *VERBS, "tool", "mtassay", "aplha", '""', '"a\\nb"']), st.text("ab.\"'", max_size=3)
)
TOML = st.one_of(
    st.sampled_from(['"bleu"', '["bleu", "chrf"]', "0.01", "1000", "nan", "-inf", "true", "[]", '""', "{}", "{a = 1}"]),
    st.sampled_from(["1979-05-27", "[[1]]", '"\\u0000"', "0x10", '"""a\nb"""', "9" * 30, "1e400", "{bleu = {}}", "'"]),
    st.integers().map(str),
    st.text(ANY, max_size=4).map(json.dumps),
)
CONFIGURATION = st.lists(
    st.one_of(
        st.tuples(NAMES, TOML).map(" = ".join),
        NAMES.map(lambda name: f"[{name}]"),
        st.sampled_from(["[tool.mtassay]", "[tool.mtassay.compare]", "[compare]", "[[score]]", "# a", ""]),
        st.text(ANY, max_size=5),
    ),
    max_size=5,
).map("\n".join)


@given(st.one_of(CONFIGURATION, st.binary(max_size=9)), st.sampled_from(["mtassay.toml", "pyproject.toml"]))
def test_configurations(folder: Path, content: str | bytes, name: str) -> None:
    found = check(lambda path: read_configuration(str(path)), folder / name, content)
    for verb in VERBS if found else ():
        assert {*found.of(verb)} <= {*KEYS}


DICTIONARY = st.tuples(
    st.sampled_from(["\t".join(HEADER)] * 3 + ["", "connective\tsense"]),
    st.lists(
        st.one_of(
            st.tuples(WORD, st.sampled_from(["not", "contrast", "cause", ""]), WORD).map("\t".join),
            st.lists(WORD, max_size=4).map("\t".join),
            st.just("# a"),
        ),
        max_size=5,
    ),
).map(lambda parts: "\n".join([parts[0], *parts[1]]))


@given(st.one_of(DICTIONARY, DICTIONARY, st.text(ANY)), st.lists(WORD, max_size=6).map(" ".join))
def test_dictionaries_of_connectives(folder: Path, content: str, text: str) -> None:
    found = check(lambda path: load_dictionary(None, str(path)), folder / "dictionary.tsv", content)
    if found is None:
        return
    text = normalised(text)
    for occurrence in found.in_source(text):
        assert occurrence.phrase in found.senses
        assert 0 <= occurrence.first <= occurrence.last < len(text.split())
        for translation in found.in_target(occurrence.phrase, text):
            assert found.case(occurrence.phrase, translation.phrase, None) == 4


LINK = st.one_of(
    st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda pair: f"{pair[0]}-{pair[1]}"),
    st.sampled_from(["0-0", "-1-0", "0–0", "٣-٣", "9" * 5000 + "-0", "", "S-0", "0-0-0"]),
)
ALIGNMENTS = st.lists(
    st.tuples(WORD, WORD, st.lists(LINK, max_size=3).map(" ".join)).map("\t".join) | WORD, max_size=4
).map("\n".join)


@given(st.one_of(ALIGNMENTS, st.text(ANY)), WORD, WORD)
def test_word_alignments(folder: Path, content: str, source: str, target: str) -> None:
    found = check(lambda path: WordAlignments(str(path)), folder / "aligned.tsv", content)
    for pair in [(source, target), *((line + "\t").split("\t")[:2] for line in content.split("\n"))] if found else ():
        aligned = answer(partial(found.find, *pair))
        assert aligned is None or all(
            i < len(aligned.source.split()) and max(links) < len(aligned.target.split())
            for i, links in aligned.links.items()
        )


NUMBER = st.one_of(st.floats().map(repr), st.sampled_from(["0", "1", "2", "1e400", "1_0", "x", "٣", ""]))
VECTORS = st.lists(st.tuples(WORD, st.lists(NUMBER, max_size=3).map(" ".join)).map(" ".join), max_size=4)


@given(st.sampled_from(["", "2 3\n", "2\n", "² ²\n", "\ufeff"]), st.one_of(VECTORS.map("\n".join), st.text(ANY)))
def test_word_vectors(folder: Path, head: str, lines: str) -> None:
    found = check(read_word_vectors, folder / "vectors.txt", head + lines)
    if found is not None:
        assert len(found[0]) == len(found[1])
        assert np.isfinite(found[1]).all()


def trained(name: str) -> dict[str, bytes]:
    """The members of the file of a small model."""
    x = np.random.default_rng(1).normal(size=(20, 2))
    kind = MODELS[name]
    file = BytesIO()
    model = LearnedModel(
        fit(kind, kind.candidates()[0], x, x[:, 0]),
        ("bleu", "chrf"),
        {"name": "x", "sha256": "0" * 64, "n_references": 1},
    )
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder, "model"))
        file = BytesIO(Path(folder, "model").read_bytes())
    with zipfile.ZipFile(file) as archive:
        return {member: archive.read(member) for member in archive.namelist()}


@cache
def models() -> dict[str, dict[str, bytes]]:
    pytest.importorskip("sklearn", reason="no scikit-learn: pip install 'mtassay[learn]'")
    return {name: trained(name) for name in ("ridge", "svr", "trees")}


VALUES = st.one_of(
    JSON, st.sampled_from([0, -1, 2, 1e300, "ridge", "svr", ["bleu"], ["bleu", "bleu"], "mtassay.model/2"])
)


@given(st.data(), st.sampled_from(["ridge", "svr", "trees"]))
def test_models(folder: Path, data: st.DataObject, name: str) -> None:
    """Descriptions and arrays that were changed by somebody who put the sum right."""
    members = dict(models()[name])
    about = json.loads(members.pop("mtassay.json"))
    place: Any = about
    while True:
        key = data.draw(st.sampled_from([*place, "new"]))
        if not isinstance(place.get(key), dict) or data.draw(st.booleans()):
            break
        place = place[key]
    way = data.draw(st.sampled_from(["value", "left out", "array", "bytes"]))
    member = data.draw(st.sampled_from(sorted(members)))
    if way == "value":
        place[key] = data.draw(VALUES)
    elif way == "left out":
        place.pop(key, None)
    elif way == "array":
        array = np.load(BytesIO(members[member])).copy()
        array.flat[data.draw(st.integers(0, array.size - 1))] = data.draw(st.integers(-9, 99))
        members[member] = model_file._packed(array)
    else:
        cut = data.draw(st.integers(0, 200))
        members[member] = members[member][:cut] + data.draw(st.binary(max_size=4)) + members[member][cut + 2 :]
    about.pop("sha256", None)
    about["sha256"] = model_file._sum(members, about)
    members["mtassay.json"] = json.dumps(about).encode()
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for written, content in members.items():
            archive.writestr(written, content)
    found = check(load_model, folder / "x.model", file.getvalue())
    if found is not None:
        assert found.fitted.scores(np.zeros((1, 2))).shape == (1,)
        assert found.signature.isprintable()


def double(shared: int, item: int) -> Any:
    return (shared * item, {"item": item}, np.arange(item))


def inorder(function: Any, items: Any, shared: Any) -> Any:
    return (function(shared, item) for item in items)


@cache
def chunks() -> dict[str, bytes]:
    """The files of a folder of two finished chunks."""
    with tempfile.TemporaryDirectory() as folder:
        list(FinishedChunks(folder).map(inorder, double, [1, 2], 3))
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


TREES = st.recursive(
    st.one_of(JSON, st.just({"array": 0}), st.just({"number": 1}), st.just({"array": "0"})),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["tuple", "set", "frozenset", "dict", "array"]), inner, min_size=1, max_size=1),
        st.fixed_dictionaries(
            {
                "of": st.sampled_from(
                    ["mtassay.data.error_spans:ErrorSpan", "os:system", "mtassay.errors:at", "mtassay.no:x", "", "a:b"]
                ),
                "fields": st.dictionaries(st.sampled_from(["start", "severity", "command"]), inner, max_size=2),
            }
        ),
    ),
    max_leaves=5,
)


@given(st.one_of(TREES, st.binary(max_size=30)), st.booleans(), st.one_of(st.none(), JSON, st.binary(max_size=9)))
def test_finished_chunks(folder: Path, content: Any, is_summed: bool, listed: Any) -> None:
    """A folder of --resume whose list of jobs or first chunk was changed."""
    root = folder / "chunks"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for name, sound in chunks().items():
        (root / name).write_bytes(sound)
    chunk = next(root.glob("*-0.chunk"))
    head, _, data = chunk.read_bytes().partition(b"\n")
    if isinstance(content, bytes):
        data = content
    else:
        with_tree = BytesIO()
        tree = json.dumps(content).encode("utf-8", "surrogatepass")
        np.savez(with_tree, tree=np.frombuffer(tree, np.uint8), a0=np.arange(2), a1=np.array([None], dtype=object))
        data = with_tree.getvalue()
    if is_summed:
        head = head.rpartition(b" ")[0] + b" " + sha256(data).hexdigest().encode()
    chunk.write_bytes(head + b"\n" + data)
    if listed is not None:
        changed = listed if isinstance(listed, bytes) else json.dumps(listed).encode("utf-8", "surrogatepass")
        (root / "jobs.json").write_bytes(changed)
    found = answer(lambda: list(FinishedChunks(root).map(inorder, double, [1, 2], 3)))
    assert found is None or repr(found[1]) == repr(double(3, 2))


@cache
def stored(what: str) -> bytes:
    """A sound index of a corpus, or a sound cache."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        if what == "index":
            text = Path(folder, "text")
            text.write_text("a b c\na b\n")
            build_index([text], path)
        else:
            Store(path, content="scores").write({b"a": b"1", b"b": b"2" * 500})
        return path.read_bytes()


@st.composite
def damages(draw: st.DrawFn, what: str) -> tuple[int, bytes, bool]:
    """A place in a sound file, the bytes that replace those there, and whether the file ends after them."""
    return draw(st.integers(0, len(stored(what)))), draw(st.binary(max_size=4)), draw(st.booleans())


def damaged(what: str, damage: tuple[int, bytes, bool]) -> bytes:
    place, new, ends = damage
    content = stored(what)
    return content[:place] + new + (b"" if ends else content[place + len(new) :])


@given(st.deferred(lambda: damages("index")))
def test_indexes(folder: Path, damage: tuple[int, bytes, bool]) -> None:
    found = check(CorpusIndex.open, folder / "x.index", damaged("index", damage))
    if found is not None:
        assert len(found.digest) == 8
        assert (found.values("ngrams_1", np.arange(3, dtype=np.uint64)) >= -1).all()


@given(st.deferred(lambda: damages("cache")), st.sampled_from([True] + [False] * 9))  # a write waits for the disk
def test_caches(folder: Path, damage: tuple[int, bytes, bool], writes: bool) -> None:
    """A damaged cache loses values, and never gives one of another key."""
    path, other = folder / "cache.sqlite", b"a key that four bytes cannot make"
    path.write_bytes(damaged("cache", damage))
    store = Store(path, content="scores")
    assert set(store.read([b"a", b"b", other])) <= {b"a", b"b"}
    if writes and store.write({other: b"3"}):
        # SQLite does not notice every wrong pointer of its index; a value that is not found is computed again.
        assert store.read([other]) in ({other: b"3"}, {})
