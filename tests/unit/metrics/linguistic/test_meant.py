"""MEANT and UMEANT against an enumeration of all alignments, from the definition."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from annotators import registered

import mtassay
from mtassay.data.annotations import FRAMES, Annotations
from mtassay.data.frames import Frame, Role, Span
from mtassay.errors import InputError, MissingExtraError, MtassayError, SpecError
from mtassay.metrics import References, parse
from mtassay.metrics.linguistic.roles import GROUPS, derived, labelled

GROUP = {"A0": "A0", "A1": "A1", "A2": "A2", "AM-BNF": "A2", "AM-TMP": "TMP", "AM-LOC": "LOC", "A3": "LOC"}
GROUP |= {"AM-CAU": "CAU", "AM-PNC": "CAU", "AM-MNR": "other", "AM-NEG": "other"}
#: Words and frames by text.
KNOWN: dict[str, tuple[list[str], tuple[Frame, ...] | None]] = {}


class Known:
    name, version, is_parallel, is_kept, provides = "known", "1", True, False, frozenset({FRAMES})

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        return [Annotations(words=tuple(KNOWN[t][0]), frames=KNOWN[t][1], layers=self.provides) for t in texts]


@pytest.fixture(scope="module", autouse=True)
def known() -> Iterator[None]:
    with registered(Known):
        yield


def made(rng: random.Random) -> str:
    """A text of few different words, with up to three frames."""
    words = [rng.choice("abcdeF") for _ in range(rng.randint(1, 9))]
    frames = []
    for _ in range(rng.choice([0, 1, 2, 3, 3])):
        roles = []
        for _ in range(rng.randint(0, 3)):
            start = rng.randrange(len(words))
            roles.append(Role(rng.choice(list(GROUP)), Span(start, rng.randint(start + 1, len(words)))))
        place = rng.randrange(len(words))
        frames.append(Frame(Span(place, place + 1), "", tuple(roles)))
    text = f"{' '.join(words)} {len(KNOWN)}"
    KNOWN[text] = (words, tuple(frames))
    return text


def like(one: list[str], other: list[str]) -> float:
    in_common = Counter(map(str.lower, one)) & Counter(map(str.lower, other))
    return 2 * in_common.total() / (len(one) + len(other))


def alignments(n: int, m: int) -> Iterator[list[tuple[int, int]]]:
    """All ways to give each of the shorter side one of the longer."""
    if n <= m:
        yield from ([*enumerate(chosen)] for chosen in permutations(range(m), n))
    else:
        yield from ([(i, j) for j, i in enumerate(chosen)] for chosen in permutations(range(n), m))


def best_scores(hyp: str, ref: str, weights: dict[str, float]) -> set[float]:
    """F of every alignment of frames that is as good as any; few differ."""
    (h_words, h_frames), (r_words, r_frames) = KNOWN[hyp], KNOWN[ref]
    assert h_frames is not None
    assert r_frames is not None
    if not h_frames and not r_frames:
        return {round(like(h_words, r_words), 9)}

    def words(of: list[str], span: Span) -> list[str]:
        return of[span.start : span.end]

    def covered(frame: Frame) -> int:
        return len({place for span in (frame.predicate, *(r.span for r in frame.roles)) for place in range(*span)})

    def whole(frame: Frame) -> float:
        return weights["V"] + sum(weights[GROUP[role.label]] for role in frame.roles)

    def fillers(one: Frame, other: Frame) -> tuple[float, float]:
        """The largest sum of similarities, and the largest weighted one that goes with it."""
        found = []
        for pairs in alignments(len(one.roles), len(other.roles)):
            plain = weighted = 0.0
            for i, j in pairs:
                (label, span), (other_label, other_span) = one.roles[i], other.roles[j]
                group, other_group = GROUP[label], GROUP[other_label]
                if (label if group == "other" else group) == (other_label if other_group == "other" else other_group):
                    value = like(words(h_words, span), words(r_words, other_span))
                    plain, weighted = plain + value, weighted + weights[group] * value
            found.append((plain, weighted))
        return max(found)

    found = []
    for pairs in alignments(len(h_frames), len(r_frames)):
        of_predicates = of_fillers = precision = recall = 0.0
        for i, k in pairs:
            one, other = h_frames[i], r_frames[k]
            value = like(words(h_words, one.predicate), words(r_words, other.predicate))
            if value > 0:
                plain, weighted = fillers(one, other)
                of_predicates, of_fillers = of_predicates + value, of_fillers + plain
                matched = weights["V"] * value + weighted
                precision += covered(one) * matched / whole(one)
                recall += covered(other) * matched / whole(other)
        p = precision / sum(map(covered, h_frames)) if h_frames else 0.0
        r = recall / sum(map(covered, r_frames)) if r_frames else 0.0
        found.append((round(of_predicates, 9), round(of_fillers, 9), 2 * p * r / (p + r) if p + r else 0.0))
    top = max(one[:2] for one in found)
    return {round(f, 9) for *order, f in found if tuple(order) == top}


@pytest.mark.parametrize("name", ["meant", "umeant"])
def test_scores_are_those_of_all_alignments(name: str, tmp_path: Path) -> None:
    rng = random.Random(17)
    hyps, refs = [made(rng) for _ in range(200)], [made(rng) for _ in range(200)]
    path = tmp_path / "weights"
    weights = {group: round(rng.random() + 0.1, 2) for group in GROUPS}
    path.write_text("".join(f"{group} {weight}\n" for group, weight in weights.items()))
    spec = f"{name}:annotator=known"
    if name == "umeant":
        labels = Counter(GROUP[role.label] for ref in refs for frame in KNOWN[ref][1] or () for role in frame.roles)
        n_predicates = sum(len(KNOWN[ref][1] or ()) for ref in refs)
        weights = {group: labels[group] / labels.total() for group in GROUPS}
        weights["V"] = 0.25 * n_predicates / labels.total()
        assert sum(weights.values()) - weights["V"] == pytest.approx(1)
    else:
        spec += f",weights={path}"
    metric = parse(spec)
    found = metric.segment_scores(hyps, [refs])
    n_between = 0
    for hyp, ref, score in zip(hyps, refs, found, strict=True):
        allowed = best_scores(hyp, ref, weights)
        assert any(score == pytest.approx(value, abs=1e-8) for value in allowed), (hyp, ref)
        n_between += 0 < score < 1
    assert n_between > 60
    assert metric.corpus_score(hyps, [refs]) == pytest.approx(found.mean())


def text(name: str, words: str, *frames: Frame) -> str:
    KNOWN[name] = (words.split(), frames)
    return name


def test_by_hand(tmp_path: Path) -> None:
    """One frame of three words, its predicate right, its agent half right, its patient missing."""
    ref = text("r", "dogs bite old men", Frame(Span(1, 2), "", (Role("A0", Span(0, 1)), Role("A1", Span(2, 4)))))
    hyp = text("h", "the dogs bite", Frame(Span(2, 3), "", (Role("A0", Span(0, 2)),)))
    agent = 2 * 1 / (2 + 1)
    p, r = (1 + agent) / 2, (1 + agent) / 3
    metric = parse("meant:annotator=known")
    assert metric.corpus_score([hyp], [[ref]]) == pytest.approx(2 * p * r / (p + r))
    rows = metric.prepare(References([[ref]])).statistics([hyp])
    assert rows.tolist() == [pytest.approx([2 * p * r / (p + r), p, r, 1])]
    assert metric.components(rows.sum(axis=0))["P"] == pytest.approx(p)
    # A second frame of two words that is nowhere in the reference: coverage 3 and 2.
    more = text("h2", "the dogs bite we saw", *KNOWN["h"][1] or (), Frame(Span(4, 5), "", (Role("A0", Span(3, 4)),)))
    p = 3 * p / 5
    assert metric.corpus_score([more], [[ref]]) == pytest.approx(2 * p * r / (p + r))
    (tmp_path / "w").write_text(
        '{"weights": {"V": 1, "A0": 0, "A1": 3, "A2": 1, "TMP": 1, "LOC": 1, "CAU": 1, "other": 1}}'
    )
    p, r = 1.0, 1 / 4
    weighted = parse(f"meant:annotator=known,weights={tmp_path / 'w'}")
    assert weighted.corpus_score([hyp], [[ref]]) == pytest.approx(2 * p * r / (p + r))


#: Two references by ASSERT, and an output in the columns of CoNLL 2005.
ASSERT = """\
0: [ARG0 The dog] [TARGET bit ] [ARG1 the old man] [ARGM-TMP yesterday]
1: [ARG0 She] [TARGET reads ] [ARG1 books]
"""
CONLL05 = """\
A          -     (A0*
dog        -        *)
bit        bite   (V*)
the        -     (A1*
man        -        *)
yesterday  - (AM-TMP*)

She        -     (A0*)
reads      read   (V*)
"""


def test_files_of_role_labellers(tmp_path: Path) -> None:
    (tmp_path / "ref.assert").write_text(ASSERT)
    (tmp_path / "A.conll05").write_text(CONLL05)
    references = ["The dog bit the old man yesterday", "She reads books"]
    outputs = {"A": ["A dog bit the man yesterday", "She reads"]}
    agent, patient = 2 * 1 / (2 + 2), 2 * 2 / (2 + 3)  # dog; the, man
    expected = {
        # Four of four arguments on both sides; then two of two, and of three.
        "meant": ((1 + agent + patient + 1) / 4, 2 * 1 * (2 / 3) / (1 + 2 / 3)),
        # Of the references' five fillers two are A0, two A1 and one TMP; V is a quarter of 2 / 5.
        "umeant": (
            (0.1 + 0.4 * agent + 0.4 * patient + 0.2) / (0.1 + 0.4 + 0.4 + 0.2),
            2 * 1 * (5 / 9) / (1 + 5 / 9),
        ),
    }
    for name, scores in expected.items():
        metric = parse(f"{name}:annotator=file:{tmp_path}")
        assert metric.segment_scores(outputs["A"], [references]).tolist() == pytest.approx(scores)
        scored = mtassay.score([references], outputs, metrics=[metric])
        assert scored["A", str(metric)] == pytest.approx(sum(scores) / 2)
        assert "|roles:frames|" in str(metric.signature([references]))


@pytest.mark.parametrize("name", ["meant", "umeant"])
def test_frames_are_derived_where_the_annotator_gives_trees_only(name: str) -> None:
    metric = parse(name)
    assert str(metric) == name
    try:
        signature = str(metric.signature([["a"]]))
    except MtassayError as missing:
        pytest.skip(str(missing))
    assert "|roles:dependencies|" in signature
    assert "|annotator:link-grammar-" in signature


def test_references_missing_and_empty_annotations() -> None:
    good = text("g", "we go", Frame(Span(1, 2), "", (Role("A0", Span(0, 1)),)))
    bad = text("b", "they went", Frame(Span(1, 2), "", (Role("A0", Span(0, 1)),)))
    KNOWN["missing"] = (["x"], None)
    plain, same = text("p", "yes indeed"), text("p2", "yes")
    metric = parse("meant:annotator=known")
    assert metric.segment_scores([good], [[bad], [good]]).tolist() == [1.0]
    assert metric.segment_scores([good], [["missing"], [bad]]).tolist() == [0.0]
    assert np.isnan(metric.segment_scores(["missing"], [[good]])).all()
    assert metric.segment_scores([plain, plain, good], [[same, good, plain]]).tolist() == pytest.approx([2 / 3, 0, 0])
    scored = mtassay.score([[good, good]], {"x": [good, "missing"]}, metrics=[metric])
    assert scored["x", str(metric)] == 1.0


def test_texts_without_frames_need_no_weight_of_predicates(tmp_path: Path) -> None:
    (tmp_path / "w").write_text("V 0\nA0 1\nA1 1\nA2 1\nTMP 1\nLOC 1\nCAU 1\nother 1\n")
    metric = parse(f"meant:annotator=known,weights={tmp_path / 'w'}")
    plain, same = text("w1", "yes indeed"), text("w2", "yes")
    assert metric.segment_scores([plain], [[same]]).tolist() == pytest.approx([2 / 3])


def test_stems_and_meteor() -> None:
    ref = text(
        "s1", "he walks home quickly", Frame(Span(1, 2), "", (Role("A0", Span(0, 1)), Role("AM-MNR", Span(3, 4))))
    )
    hyp = text(
        "s2", "he walked home rapidly", Frame(Span(1, 2), "", (Role("A0", Span(0, 1)), Role("AM-MNR", Span(3, 4))))
    )
    try:
        scores = [
            parse(f"meant:annotator=known,similarity={how}").corpus_score([hyp], [[ref]])
            for how in ("exact", "stem", "meteor")
        ]
    except MissingExtraError as missing:
        pytest.skip(str(missing))
    assert scores == pytest.approx([0, 2 / 3, 1])


def test_vectors(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("4 2\ncat 2 0\ndog 3 4\nfish 0 -1\nnothing 0 0\n")
    ref = text("v1", "cat Cat zebra", Frame(Span(0, 1), "", (Role("A0", Span(1, 3)),)))
    hyp = text("v2", "dog fish zebra", Frame(Span(0, 1), "", (Role("A0", Span(1, 3)),)))
    predicate = 0.6
    filler = 0.5  # zebra is itself, fish is like nothing
    expected = (predicate + filler) / 2
    metric = parse(f"meant:annotator=known,similarity=vectors,vectors={path}")
    assert metric.corpus_score([hyp], [[ref]]) == pytest.approx(expected)
    assert "|vectors:v.txt-" in str(metric.signature([[ref]]))
    assert str(tmp_path) not in metric.public_spec
    with pytest.raises(SpecError, match="similarity=vectors and vectors=FILE go together"):
        parse("meant:annotator=known,similarity=vectors")
    for content, message in (
        ("cat 1 x\n", "v.txt, line 1: not a word and numbers"),
        ("cat 1 2\ndog 1\n", "v.txt, line 2: 1 numbers, but 2 in the lines above"),
        ("cat\n", "v.txt, line 1: not a word and finite numbers"),
        ("2 3\n", "has no word vectors"),
    ):
        path.write_text(content)
        with pytest.raises(InputError, match=message):
            parse(str(metric)).corpus_score([hyp], [[ref]])


def test_specifications_and_refusals(tmp_path: Path) -> None:
    metric = parse("umeant:annotator=known")
    assert str(metric.signature([["x"]])).startswith(
        "nrefs:1|roles:frames|similarity:exact|weights:references|case:lc|"
    )
    assert "reconstruction" in (type(metric).__doc__ or "")
    with pytest.raises(InputError, match="meant needs dependencies, but the annotator known gives none"):
        parse("meant:annotator=known,roles=dependencies").prepare(References([["a"]]))
    (tmp_path / "w").write_text("V 1\nA0 -1\nA1 1\nA2 1\nTMP 1\nLOC 1\nCAU 1\nother 1\n")
    with pytest.raises(SpecError, match="weights of roles must be at least 0"):
        parse(f"meant:annotator=known,weights={tmp_path / 'w'}").prepare(References([["a"]]))
    (tmp_path / "w").write_text("V 1\nA0 1\n")
    with pytest.raises(InputError, match="no weight of feature 'A1'"):
        parse(f"meant:annotator=known,weights={tmp_path / 'w'}").prepare(References([["a"]]))


# Roles


def shown(frames: Any) -> list[str]:
    return [" ".join(f"{role}:{','.join(map(str, words))}" for role, words in frame) for frame in frames]


def test_parts_of_fillers_belong_together() -> None:
    roles = (Role("A1", Span(0, 2)), Role("R-A0", Span(2, 3)), Role("C-A1", Span(4, 5)), Role("AM-NEG", Span(5, 6)))
    assert shown(labelled((Frame(Span(3, 4), "", roles),))) == ["V:3 A1:0,1,4 NEG:5"]
    assert shown(labelled((Frame(Span(0, 1), "", (Role("C-A1", Span(1, 2)),)),))) == ["V:0 A1:1"]


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        # Universal Dependencies; a sub-tree is the filler, also where it has gaps.
        (
            "She/PRON/4/nsubj will/AUX/4/aux not/PART/4/advmod give/VERB/0/root us/PRON/4/iobj red/ADJ/7/amod "
            "cars/NOUN/4/obj today/NOUN/4/obl:tmod",
            ["V:3 A0:0 MOD:1 NEG:2 A2:4 A1:5,6 TMP:7"],
        ),
        (
            "It/PRON/3/nsubj:pass was/AUX/3/aux:pass seen/VERB/0/root by/ADP/5/case her/PRON/3/obl:agent "
            "smoking/VERB/3/xcomp",
            ["V:2 A1:0 A0:3,4 A1:5", "V:5"],
        ),
        # spaCy's English models.
        (
            "He/PRON/3/nsubj n't/PART/3/neg eats/VERB/0/root fish/NOUN/3/dobj with/ADP/3/prep me/PRON/5/pobj",
            ["V:2 A0:0 NEG:1 A1:3 ADV:4,5"],
        ),
        # link-grammar: the auxiliary has the subject.
        (
            "laws/NOUN/2/S will/VERB/4/I partially/ADV/4/E undermine/VERB/0/root it/PRON/4/O",
            ["V:3 A0:0 MOD:1 ADV:2 A1:4"],
        ),
        ("bills/NOUN/2/S were/VERB/3/P introduced/VERB/0/root in/ADP/3/MV 2011/NUM/4/J", ["V:2 A0:0 ADV:3,4"]),
        ("thing/NOUN/2/S is/VERB/0/root certain/ADJ/2/P", ["V:1 A0:0 A1:2"]),
        ("no/DET/2/det verb/NOUN/0/root", []),
    ],
)
def test_frames_from_dependencies(tree: str, expected: list[str]) -> None:
    words, tags, heads, relations = zip(*(token.split("/", 3) for token in tree.split()), strict=True)
    annotations = Annotations(words=words, upos=tags, heads=tuple(map(int, heads)), relations=relations)
    assert shown(derived(annotations) or []) == expected
    assert derived(Annotations(words=words)) is None
