"""Every feature against brute force from its definition, on small texts and trees."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripts import load_script
from tree_parts import brute_chains, brute_subtrees

import mtassay
from mtassay.data.annotations import Annotations
from mtassay.data.formats.brackets import bracket_trees
from mtassay.data.formats.conllu import format_conllu
from mtassay.data.trees import DependencyTree
from mtassay.errors import InputError, MissingExtraError
from mtassay.learn import FEATURE_SETS, FEATURES, Resources, build_index, feature_matrix, likeness_matrices
from mtassay.learn.features import CORPUS, MODERN, STRINGS, TREEBANK, TREES
from mtassay.metrics.core.registry import BUILT_IN

ROOT = Path(__file__).resolve().parents[3]
N = 12


def edited(text: str, draw: random.Random) -> str:
    """Some words changed, left out, put in or moved."""
    words = text.split()
    for _ in range(draw.choice([0, 1, 1, 2])):
        place = draw.randrange(len(words)) if words else 0
        piece = words[place : place + 2] if draw.random() < 0.5 else [draw.choice(VOCABULARY)]
        words[place : place + draw.randint(0, 2)] = []
        place = draw.randint(0, len(words))
        words[place:place] = piece
    return " ".join(words)


VOCABULARY = ["a", "A", "b", "c", "d", "e", "f", "g", "h", "i", "."]
_draw = random.Random(11)
_first = [" ".join(_draw.choices(VOCABULARY, k=length)) for length in (6, 1, 3, 9, 4, 7, 2, 5, 12, 10, 8, 11)]
#: Texts by name, alike in part; some are empty, some have one word.
TEXTS = {name: [edited(text, _draw) for text in _first] for name in ("x", "y", "refA", "refB")}
TEXTS["bank"] = [edited(text, _draw).replace("i", "") for text in _first * 2]
for _name, _segment in (("x", 2), ("y", 4), ("refB", 7)):
    TEXTS[_name][_segment] = ""
TEXTS["y"][1] = "b"
#: (name, segment) without a parse.
UNPARSED = {("x", 3), ("refA", 5), ("refB", 5), ("bank", 0)}
for _number, (_name, _segment) in enumerate(sorted(UNPARSED), 3):
    # A text like no other: others would lend it their parse.
    TEXTS[_name][_segment] += " h" * _number
TAGS = {
    **dict.fromkeys("abc", "VERB"),
    **dict.fromkeys("def", "NOUN"),
    **dict.fromkeys("gh", "ADP"),
    **{"i": "ADJ", ".": "PUNCT"},
}


def make_trees(name: str) -> list[DependencyTree | None]:
    """Trees that are alike where the texts are: a word hangs from one of the three before it, as its letter says."""
    found: list[DependencyTree | None] = []
    for segment, text in enumerate(TEXTS[name]):
        words = tuple(text.split())
        heads = tuple(max(0, i - ord(word.lower()) % 3) for i, word in enumerate(words))
        relations = tuple("SOD"[ord(word.lower()) % 3] for word in words)
        tags = tuple(TAGS[word.lower()] for word in words)
        parsed = bool(words) and (name, segment) not in UNPARSED
        found.append(DependencyTree(words, heads, tags, relations) if parsed else None)
    return found


def make_brackets(name: str) -> list[str]:
    lines = []
    for segment, text in enumerate(TEXTS[name]):
        pieces = [f"({'NP' if word in 'abcd' else 'VP'} ({'VNA'[ord(word) % 3]} {word}))" for word in text.split()]
        missing = not pieces or (name, segment) in UNPARSED
        lines.append("()" if missing else "(X " + " (X ".join(pieces) + ")" * len(pieces))
    return lines


TREE = {name: make_trees(name) for name in TEXTS}
BRACKET = {name: bracket_trees(make_brackets(name), name) for name in TEXTS}


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    folder = tmp_path_factory.mktemp("resources")
    for name in TEXTS:
        found = (Annotations.missing(()) if tree is None else Annotations.of_trees(tree, None) for tree in TREE[name])
        (folder / f"{name}.conllu").write_text("".join(map(format_conllu, found, TEXTS[name])))
        (folder / f"{name}.ptb").write_text("\n".join(make_brackets(name)) + "\n")
    (folder / "bank.txt").write_text("\n".join(TEXTS["bank"]) + "\n")
    index = build_index([folder / "bank.txt"], folder / "index", trees=[folder / "bank.conllu"])
    return Resources(annotator=f"file:{folder}", corpus=index)


TESTSET = mtassay.TestSet(
    [TEXTS["refA"], TEXTS["refB"]],
    {"x": TEXTS["x"], "y": TEXTS["y"]},
    sources=[f"{text} xyz" for text in TEXTS["refB"][:-1]] + [""],
    reference_names=["refA", "refB"],
)

# Definitions, in plain Python: hypothesis words, reference words -> value


def words(name: str, segment: int) -> list[str]:
    return TEXTS[name][segment].lower().split()


def grams(tokens: list[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def precision(n: int) -> Callable[..., float]:
    def value(hyp: list[str], refs: list[list[str]]) -> float:
        known = {gram for ref in refs for gram in grams(ref, n)}
        own = grams(hyp, n)
        return ratio(sum(gram in known for gram in own), len(own))

    return value


def length_ratio(choose: Callable[..., float]) -> Callable[..., float]:
    def value(hyp: list[str], refs: list[list[str]]) -> float:
        reference = choose(len(ref) for ref in refs)
        return len(hyp) / reference if reference else float(len(hyp) or 1)

    return value


def distance(hyp: list[str], ref: list[str]) -> int:
    row = list(range(len(ref) + 1))
    for i, word in enumerate(hyp, 1):
        above, row = row, [i]
        for j, other in enumerate(ref, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (word != other)))
    return row[-1]


def error(edits: Callable[..., int]) -> Callable[..., float]:
    def value(hyp: list[str], refs: list[list[str]]) -> float:
        return min(edits(hyp, ref) / len(ref) if ref else float(bool(hyp)) for ref in refs)

    return value


def per_edits(hyp: list[str], ref: list[str]) -> int:
    correct = (Counter(hyp) & Counter(ref)).total()
    return max(len(hyp), len(ref)) - correct


def f_measure(hits: int, hyp: int, ref: int) -> float:
    p, r = ratio(hits, hyp), ratio(hits, ref)
    return 2 * p * r / (p + r) if p + r else 0.0


def pairs(tokens: list[str], gap: int) -> Counter[tuple[str, str]]:
    return Counter(
        (tokens[i], tokens[j]) for i in range(len(tokens)) for j in range(i + 1, min(i + gap + 2, len(tokens)))
    )


def skip(m: int) -> Callable[..., float]:
    def value(hyp: list[str], refs: list[list[str]]) -> float:
        own = pairs(hyp, m)
        of_refs = [pairs(ref, m) for ref in refs]
        return max(f_measure((own & other).total(), own.total(), other.total()) for other in of_refs)

    return value


def lcs(hyp: list[str], ref: list[str]) -> int:
    row = [0] * (len(ref) + 1)
    for word in hyp:
        above, row = row, [0]
        for j, other in enumerate(ref, 1):
            row.append(above[j - 1] + 1 if word == other else max(above[j], row[-1]))
    return row[-1]


def rouge_l(hyp: list[str], refs: list[list[str]]) -> float:
    return max(f_measure(lcs(hyp, ref), len(hyp), len(ref)) for ref in refs)


OF_STRINGS = {
    **{f"precision_{n}": precision(n) for n in range(1, 6)},
    "length_ratio_min": length_ratio(max),
    "length_ratio_max": length_ratio(min),
    "wer_lower": error(distance),
    "per_lower": error(per_edits),
    **{f"skip_{m}": skip(m) for m in range(1, 6)},
    "rouge_l": rouge_l,
}


@pytest.mark.parametrize("name", OF_STRINGS)
def test_strings_over_references(name: str) -> None:
    found = feature_matrix(TESTSET, [name])[..., 0]
    expected = [
        [OF_STRINGS[name](words(s, i), [words("refA", i), words("refB", i)]) for i in range(N)] for s in ("x", "y")
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_meteor() -> None:
    try:
        found = feature_matrix(TESTSET, ["meteor_precision", "meteor_recall", "meteor_fragmentation", "meteor"])
    except MissingExtraError as missing:
        pytest.skip(str(missing))
    exact = mtassay.TestSet([["the cat sat"] * 4], {"x": ["the cat sat", "sat the cat", "quite different words", ""]})
    perfect, moved, nothing, empty = feature_matrix(
        exact, ["meteor_precision", "meteor_recall", "meteor_fragmentation"]
    )[0]
    assert perfect.tolist() == [1, 1, 0]
    assert moved.tolist() == [1, 1, pytest.approx(2 / 3)]
    assert nothing.tolist() == empty.tolist() == [0, 0, 1]
    assert found.shape == (2, N, 4)
    assert ((found >= 0) & (found <= 1)).all()


# Trees


def over_references(bag: Callable[..., Counter[Any]], trees: dict[str, list[Any]], size: int) -> list[list[float]]:
    def value(name: str, i: int) -> float:
        refs = [trees[ref][i] for ref in ("refA", "refB")]
        usable = [
            tree and bag(tree, size)
            for tree, ref in zip(refs, ("refA", "refB"), strict=True)
            if tree or not TEXTS[ref][i]
        ]
        if not usable or (trees[name][i] is None and TEXTS[name][i]):
            return math.nan
        own = bag(trees[name][i], size) if TEXTS[name][i] else Counter()
        hits = sum(min(count, max((ref[part] if ref else 0) for ref in usable)) for part, count in own.items())
        return ratio(hits, own.total())

    return [[value(name, i) for i in range(N)] for name in ("x", "y")]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_trees_over_references(resources: Resources, size: int) -> None:
    names = [f"chain_{size}", f"subtree_{size}", f"dependency_subtree_{size}"]
    found = feature_matrix(TESTSET, names, resources)
    bags: list[tuple[Any, Any]] = [(brute_chains, TREE), (brute_subtrees, BRACKET), (brute_subtrees, TREE)]
    for column, (bag, trees) in enumerate(bags):
        np.testing.assert_allclose(found[..., column], over_references(bag, trees, size), rtol=1e-12)
    assert np.argwhere(np.isnan(found[..., 0])).tolist() == [[0, 3], [0, 5], [1, 5]]


def test_strings_over_a_corpus(resources: Resources) -> None:
    found = dict(
        zip(
            FEATURE_SETS["full"][27:41],
            np.moveaxis(feature_matrix(TESTSET, FEATURE_SETS["full"][27:41], resources), -1, 0),
            strict=True,
        )
    )
    corpus = [words("bank", i) for i in range(2 * N)]
    counts = {n: Counter(gram for line in corpus for gram in grams(line, n)) for n in range(1, 6)}
    for s, name in enumerate(("x", "y")):
        for i in range(N):
            hyp = words(name, i)
            for n in range(1, 6):
                own = grams(hyp, n)
                assert found[f"corpus_precision_{n}"][s, i] == ratio(sum(gram in counts[n] for gram in own), len(own))
                if n <= 3:
                    logs = ratio(sum(math.log2(1 + counts[n][gram]) for gram in own), len(own))
                    assert found[f"corpus_frequency_{n}"][s, i] == pytest.approx(logs, rel=1e-12)
                known = set().union(*(pairs(line, n) for line in corpus))
                mine = list(pairs(hyp, n).elements())
                expected = ratio(sum(pair in known for pair in mine), len(mine))
                assert found[f"corpus_skip_{n}"][s, i] == pytest.approx(expected, rel=1e-12)
            runs = [
                j - k
                for k in range(len(hyp))
                for j in range(k + 1, len(hyp) + 1)
                if all(gram in counts[2] for gram in grams(hyp[k:j], 2))
            ]
            assert found["corpus_run"][s, i] == ratio(max(runs, default=0), len(hyp))


def frames(tree: DependencyTree, tag: str, *, with_word: bool) -> list[Any]:
    found = []
    for position, (word, own) in enumerate(zip(tree.words, tree.tags, strict=True), 1):
        if own == tag:
            below = [
                (at > position, relation)
                for at, (head, other, relation) in enumerate(zip(tree.heads, tree.tags, tree.relations, strict=True), 1)
                if head == position and other != "PUNCT"
            ]
            found.append((word.lower() if with_word else "", frozenset(below)))
    return found


def _elements(bag: Callable[[Any, int], Counter[Any]], size: int, tree: DependencyTree) -> list[Any]:
    return list(bag(tree, size).elements())


def treebank_definitions() -> Iterator[tuple[str, Callable[[DependencyTree], list[Any]]]]:
    for size in (2, 3, 4):
        yield f"treebank_chain_{size}", partial(_elements, brute_chains, size)
        yield f"treebank_subtree_{size}", partial(_elements, brute_subtrees, size)
    for name, tag in (("verb", "VERB"), ("noun", "NOUN"), ("preposition", "ADP")):
        yield f"frame_{name}", partial(frames, tag=tag, with_word=False)
        yield f"word_frame_{name}", partial(frames, tag=tag, with_word=True)


DEFINITIONS = dict(treebank_definitions())


@pytest.mark.parametrize("name", DEFINITIONS)
def test_trees_over_a_treebank(resources: Resources, name: str) -> None:
    parts = DEFINITIONS[name]
    known = {part for tree in TREE["bank"] if tree for part in parts(tree)}
    found = feature_matrix(TESTSET, [name], resources)[..., 0]
    for s, system in enumerate(("x", "y")):
        for i, tree in enumerate(TREE[system]):
            if TEXTS[system][i] and tree is None:
                assert math.isnan(found[s, i])
            else:
                own = parts(tree) if tree else []
                assert found[s, i] == pytest.approx(ratio(sum(part in known for part in own), len(own)), rel=1e-12)
    assert np.isnan(found).sum() == 1


# Without references


def test_lengths() -> None:
    sources = [str(source).split() for source in TESTSET.sources or ()]
    n_words = np.array([max(len(source), 1) for source in sources])
    letters = np.array([len("".join(source)) for source in sources])
    of_outputs = np.array([[len(words(name, segment)) for segment in range(N)] for name in TESTSET.systems])
    found = feature_matrix(TESTSET, ["source_words", "source_word_length", "words", "source_ratio"])
    expected = [np.tile(n_words, (2, 1)), np.tile(letters / n_words, (2, 1)), of_outputs, of_outputs / n_words]
    np.testing.assert_allclose(found, np.stack(expected, axis=-1))
    without = mtassay.TestSet([TEXTS["refA"]], {"x": TEXTS["x"]})
    with pytest.raises(InputError, match="the feature source_ratio needs source texts, but the test set has none"):
        feature_matrix(without, ["source_ratio"])


def test_language_model(resources: Resources) -> None:
    """Stupid backoff, word by word, from counts of the corpus."""
    bank = [text.lower().split() for text in TEXTS["bank"]]
    counts = Counter(gram for text in bank for n in (1, 2, 3) for gram in grams(text, n))
    n_words = sum(map(len, bank))

    def score(history: tuple[str, ...], word: str) -> float:
        if not history:
            return max(counts[(word,)], 0.5) / n_words
        if counts[(*history, word)]:
            return counts[(*history, word)] / counts[history]
        return 0.4 * score(history[1:], word)

    found = feature_matrix(TESTSET, ["corpus_logprob"], resources)[..., 0]
    for row, name in zip(found, TESTSET.systems, strict=True):
        for segment, value in enumerate(row):
            text = words(name, segment)
            logs = [math.log2(score(tuple(text[max(i - 2, 0) : i]), word)) for i, word in enumerate(text)]
            assert value == pytest.approx(sum(logs) / len(logs) if logs else 0.0)


def test_other_systems_as_references() -> None:
    found = feature_matrix(TESTSET, ["cross:chrf", "cross:bleu:tok=none,case=lower"])
    for row, (name, other) in zip(found, (("x", "y"), ("y", "x")), strict=True):
        for column, spec in enumerate(("chrf", "bleu:tok=none,case=lower")):
            expected = mtassay.metric(spec).segment_scores(TEXTS[name], [TEXTS[other]])
            np.testing.assert_array_equal(row[:, column], expected)
    for name in ("cross:file:scores.tsv", "cross:learned:m.model", "cross:cross:bleu", "cross:nothing"):
        with pytest.raises(InputError, match="no feature named"):
            feature_matrix(TESTSET, [name])


# The table


def test_a_new_metric_changes_no_set_of_features() -> None:
    script = (
        "from mtassay.metrics.core import registry\n"
        "registry.BUILT_IN['new'] = registry.BUILT_IN['bleu']\n"
        "from mtassay.learn.features import FEATURE_SETS\n"
        "print(*FEATURE_SETS['modern'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert tuple(done.stdout.split()) == FEATURE_SETS["modern"]


def test_sizes_of_sets_and_groups() -> None:
    groups = Counter(FEATURES[name].group for name in FEATURE_SETS["full"])
    assert groups == {STRINGS: 18, TREES: 9, CORPUS: 14, TREEBANK: 12}
    assert len(FEATURE_SETS["full"]) == 53
    assert len(FEATURE_SETS["small"]) == 9
    assert len(FEATURE_SETS["modern"]) == 24
    assert set(FEATURE_SETS["modern"]) <= set(BUILT_IN)
    assert {FEATURES[name].group for name in FEATURE_SETS["modern"]} == {MODERN}
    assert {need for feature in FEATURES.values() for need in feature.needs} == {
        "trees",
        "tags",
        "corpus",
        "treebank",
        "meteor",
        "sources",
        "systems",
    }


def test_documentation_and_table_agree() -> None:
    tool = load_script("tools/feature_docs.py")
    written, _, generated = tool.PAGE.read_text(encoding="utf-8").partition(tool.BEGIN)
    assert generated == "\n" + tool.tables(), "run: python tools/feature_docs.py"
    for name in FEATURES:
        assert f"`{name}`" in generated
    assert "small" in written


def test_all_features_at_once_are_those_one_by_one(resources: Resources) -> None:
    names = [name for name in FEATURES if not {"meteor", "tags"} & set(FEATURES[name].needs)]
    together = feature_matrix(TESTSET, names, resources)
    assert together.shape == (2, N, len(names))
    for column, name in enumerate(names):
        np.testing.assert_array_equal(feature_matrix(TESTSET, name, resources)[..., 0], together[..., column])
    modern = [name for name in names if FEATURES[name].group == MODERN]
    scores = mtassay.score(TESTSET, metrics=modern).segment_scores()
    np.testing.assert_array_equal(together[..., [names.index(name) for name in modern]], scores)


def test_the_texts_above_tell_features_apart(resources: Resources) -> None:
    names = [name for name in FEATURE_SETS["full"] if "meteor" not in FEATURES[name].needs]
    columns = feature_matrix(TESTSET, names, resources).reshape(-1, len(names)).T
    for name, values in zip(names, columns, strict=True):
        assert len(np.unique(values[~np.isnan(values)])) >= 3, name
    assert len({tuple(values) for values in columns}) == len(names)


def test_what_is_not_given_is_asked_for(resources: Resources, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the feature chain_2 needs trees: give an annotator, --annotator"):
        feature_matrix(TESTSET, ["chain_2"])
    with pytest.raises(InputError, match="the feature corpus_run needs the index of a corpus: give --corpus"):
        feature_matrix(TESTSET, ["corpus_run"])
    with pytest.raises(InputError, match="the feature frame_verb needs the index"):
        feature_matrix(TESTSET, ["frame_verb"], Resources(annotator=resources.annotator))
    (tmp_path / "text").write_text("a\n")
    build_index([tmp_path / "text"], tmp_path / "index")
    only_text = Resources(annotator=resources.annotator, corpus=tmp_path / "index")
    with pytest.raises(
        InputError, match=r"index was built without trees \(\*\.conllu\), which the feature frame_verb needs"
    ):
        feature_matrix(TESTSET, ["frame_verb"], only_text)
    assert feature_matrix(TESTSET, ["corpus_precision_1"], only_text).shape == (2, N, 1)
    with pytest.raises(InputError, match="no feature named 'presicion_1'; did you mean 'precision_1'"):
        feature_matrix(TESTSET, ["presicion_1"])
    with pytest.raises(InputError, match="no features are given"):
        feature_matrix(TESTSET, [])
    with pytest.raises(InputError, match="has no annotations of 'b b b b b'"):
        feature_matrix(
            mtassay.TestSet([["a"]], {"z": ["b b b b b"]}, reference_names=["refA"]), ["frame_verb"], resources
        )


# Human-likeness


def test_people_and_machines_are_scored_against_as_many_references(resources: Resources) -> None:
    names = ["precision_1", "wer_lower", "chain_2", "corpus_skip_2", "treebank_chain_2"]
    machines, people = likeness_matrices(TESTSET, names, resources)
    assert (machines.shape, people.shape) == ((2, N, 5), (2, N, 5))
    against_b = TESTSET.select(references=["refB"])
    against_a = TESTSET.select(references=["refA"])
    mean = (feature_matrix(against_a, names, resources) + feature_matrix(against_b, names, resources)) / 2
    np.testing.assert_allclose(machines, mean, rtol=1e-15)
    for i in range(N):
        a, b = words("refA", i), words("refB", i)
        assert people[0, i, 1] == pytest.approx(error(distance)(a, [b]))
        assert people[1, i, 1] == pytest.approx(error(distance)(b, [a]))
        assert people[0, i, 0] == pytest.approx(precision(1)(a, [b]))


def test_likeness_needs_two_whole_references(resources: Resources) -> None:
    with pytest.raises(InputError, match="at least two human references"):
        likeness_matrices(TESTSET.select(references=["refA"]), "small")
    with pytest.raises(InputError, match="some are missing"):
        likeness_matrices(mtassay.TestSet([["a", None], ["a", "b"]], {"x": ["a", "b"]}), "small")
    made = mtassay.TestSet([["a b"], ["c"]], {"x": ["a"]}, reference_names=["refA", "synthetic_ref"])
    with pytest.raises(InputError, match="at least two human references; this test set has 1"):
        likeness_matrices(made, "small")
    copy = mtassay.TestSet([["a b"], ["c"]], {"r": ["a b"], "x": ["a"]}, reference_names=["r", "s"])
    machines, people = likeness_matrices(copy, ["wer_lower"])
    assert (machines.shape, people.shape) == ((1, 1, 1), (2, 1, 1))
