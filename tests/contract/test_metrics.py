"""What every metric must hold, whatever it measures."""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from mtassay import kernels
from mtassay.errors import MissingExtraError, SpecError
from mtassay.execution import Execution
from mtassay.metrics import Metric, References, build_tables, parse
from mtassay.metrics.core.combination import Combination
from mtassay.metrics.core.registry import BUILT_IN, metric_class
from mtassay.text import get_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SPECS = [
    "bleu",
    "bleu:tok=intl,case=lower",
    "bleu:tok=none,order=2,eff=no",
    "bleu:tok=char,smooth=floor",
    "bleu:tok=zh,smooth=add-k,k=0.5",
    "bleu:case=ascii,smooth=mteval,eff=no,ref_len=shortest",
    "bleu:smooth=none,ref_len=average",
    "bleu:segment_smooth=moses,eff=no",
    "bleu:base=F,clip=no,bp=smooth",
    "bleu:weights=0.1/0.3/0.5/0.1,smooth=nltk4",
    "bleu:weights=1/2,mean=A,bp=moses,segment_smooth=add",
    "bleu:smooth=nltk5,eff=no",
    "bleu:smooth=none,segment_smooth=nltk6,base=F,k=2",
    "bleu:segment_smooth=nltk7,eff=no,tok=none",
    "PGBC4",
    "RAC1",
    "PAB3^ub",
    "FGBC2^b",
    "RG4^u",
    "chrf",
    "chrf+",
    "chrf++",
    "chrf:char_order=3,beta=1,case=lower,whitespace=yes",
    "chrf++:eps=yes",
    "chrf+:min_order=3,char_order=4",
    "lepor",
    "lepor:tok=none,alpha=1,context=0,average=parts",
    "nlepor",
    "nlepor:weights=4/3/0/1,case=lower",
    "hlepor",
    "hlepor:variant=hlepor-py,w_npp=0,average=parts",
    "gtm",
    "gtm:e=1.5,tok=none",
    "gtm:e=3,result=r,case=lower",
    "rouge1",
    "rouge2",
    "rouge3:variant=rouge155,result=r",
    "rouge4:alpha=0.8,tok=13a,case=mixed",
    "rougeL",
    "rougeL:variant=rouge155",
    "rougeLsum",
    "rougeLsum:split=<n>,result=r,tok=none,case=mixed",
    "rougeW",
    "rougeW:variant=rouge155,weight=2",
    "rougeS:gap=-1",
    "rougeSU",
    "rougeSU:variant=rouge155,gap=2",
    "ter",
    "ter:variant=tercom,case=mixed",
    "ter:norm=yes,punct=no",
    "ter:norm=yes,asian=yes",
    "ter:variant=moses",
    "wer",
    "wer:as=accuracy,tok=none,case=lower",
    "cer",
    "cer:whitespace=no,as=accuracy,case=lower",
    "mer",
    "mer:as=accuracy",
    "wil",
    "wip:tok=none,case=lower",
    "per",
    "per:as=accuracy",
    "gleu",
    "gleu:tok=none,min_order=2,order=3",
    "ribes",
    "ribes:variant=nltk,alpha=0.5,beta=0,tok=none",
    "eed",
    "eed:lang=ja,case=lower,alpha=1,rho=0,deletion=0.5",
    "character",
    "character:tok=13a,case=lower",
    "cder",
    "cder:as=accuracy,tok=char",
    "nist",
    "nist:tok=intl,case=lower,order=2,variant=formula",
    "length_ratio",
    "length_ratio:tok=none,ref_len=shortest",
    "length_ratio:ref_len=average",
    "length_ratio:ref_len=longest",
    "exact",
    "exact:case=ascii,space=runs",
    "exact:space=none",
    "meant:annotator=halves",
    "meant:annotator=halves,similarity=stem,case=mixed",
    "meant:annotator=halves,similarity=meteor",
    "meant:annotator=halves,roles=dependencies",
    "umeant:annotator=halves",
    "meteor",
    "meteor:lang=other,stages=exact",
    "meteor:stages=exact+stem,data=none,task=tune,unit=char",
    "hwcm:annotator=halves",
    "hwcm:annotator=halves,n=2,case=mixed",
    "stm:annotator=halves",
    "stm:annotator=halves,depth=2,over=dependencies",
    "sempos:annotator=halves",
    "sempos:annotator=halves,variant=macro",
    "hjerson",
    "hjerson:annotator=halves,class=lex,case=lower",
    "hjerson:blocks=yes,tok=none",
    "addicter:annotator=halves",
    "addicter:annotator=halves,class=ord-s",
    "depref-exact:annotator=halves",
    "depref-exact:annotator=halves,weights=1,alpha=0.5",
    "depref-exact:annotator=halves,weights=1/0/2/1,tok=none,case=mixed",
    "depref-align:annotator=halves",
    "depref-align:annotator=halves,lang=other,stages=exact,weights=1/1",
    "0.5*bleu+0.5*chrf",
    "0.5*bleu-0.5*ter+2*PGBC4",
    "0.01*bleu+0.5*hwcm:annotator=halves",
]
#: By name of a metric: the score of a text against itself, which is also the best of all scores.
PERFECT = {
    "bleu": 100.0,
    "chrf": 100.0,
    "ter": 0.0,
    "wer": 0.0,
    "cer": 0.0,
    "mer": 0.0,
    "wil": 0.0,
    "per": 0.0,
    "cder": 0.0,
    "lepor": 1.0,
    "nlepor": 1.0,
    "hlepor": 1.0,
    "exact": 1.0,
    "meant": 1.0,
    "umeant": 1.0,
    "meteor": 1.0,
    "gtm": 1.0,
    "rouge1": 1.0,
    "rougeL": 1.0,
    "rougeLsum": 1.0,
    "gleu": 1.0,
    "ribes": 1.0,
    "character": 0.0,
    "rougeS": 1.0,
    "hwcm": 1.0,
    "stm": 1.0,
    "sempos": 1.0,
    "hjerson": 0.0,
    "addicter": 0.0,
}
#: Scores that end where the perfect score is, and at 0 on the other side.
BOUNDED = set(PERFECT) - {"ter", "wer", "cer", "mer", "wil", "per", "cder", "character", "hjerson", "addicter"}
#: Specifications with such a part have statistics that are no counts.
FRACTIONS = ("ter", "average", "lepor", "nist", "gtm", "rouge", "depref", "meant", "ribes", "eed", "character")
#: By name: metrics whose statistics of a segment depend on the references of all segments.
POOLED = {"nist", "umeant"}
#: Specifications with such a part score a copy of one of several references lower than 1: all references count.
ONE_REFERENCE = ("gtm", "rouge155")
#: Specifications with such a part can score above 100, or give a copy of the reference less.
NO_BEST = ("nltk5", "nltk7", "bp=moses")

LONG_METEOR = "meteor:lang=other,stages=exact"
#: Names that need data, sources, other systems or a large package; test_external.py, test_act.py and test_learned.py
#: have theirs.
NEURAL = {"bertscore", "bleurt", "comet", "cometkiwi", "metricx", "metricx-qe", "xcomet"}
NEEDS_DATA = {"act", "cross", "file", "learned", "terrorcat"} | NEURAL

HYPOTHESES = ("the cat sat on the mat .", "a dog barked", "", "Nobody , nobody came .", "yes")
STREAMS: tuple[tuple[str | None, ...], ...] = (
    ("the cat sat on a mat .", "the dog barked loudly", "it rained", "Nobody came .", "yes"),
    ("a cat was on the mat .", None, "", "No one came , nobody .", "no"),
)


@cache
def metric_of(spec: str) -> Metric:
    metric = parse(spec)
    try:
        metric.prepare(References([["a"]]))
    except MissingExtraError as error:
        pytest.skip(str(error))
    return metric


def perfect_score(metric: Metric) -> float:
    """The best score; an error rate given as accuracy is 1 minus it."""
    best = PERFECT[metric.name]
    return 1 - best if getattr(metric, "as_", "") == "accuracy" else best


def _rows(spec: str, hypotheses: Sequence[str] = HYPOTHESES, streams: Any = STREAMS, **options: Any) -> Any:
    return metric_of(spec).prepare(References(streams), **options).statistics(hypotheses)


@pytest.mark.parametrize("spec", SPECS)
def test_what_scores_segment_by_segment_does(spec: str) -> None:
    """Statistics of blocks of segments, each with references of its own, are those of the whole: streams need that."""
    metric = metric_of(spec)
    pooled = POOLED & {part.name for part in metric.parts}
    # A metric that forgets to say so is refused for streams, and its references are all sent to every worker.
    assert all(part.by_segment for part in metric.parts) == (not pooled)
    if pooled:
        return
    for streams in (STREAMS[:1], STREAMS):
        whole = _rows(spec, streams=streams)
        parts = [_rows(spec, HYPOTHESES[i : i + 2], [of[i : i + 2] for of in streams]) for i in range(0, 5, 2)]
        np.testing.assert_array_equal(np.concatenate(parts), whole)


@contextmanager
def kernel(name: str) -> Iterator[None]:
    """Run with the Python or the compiled kernels."""
    chosen = None if name == "python" else pytest.importorskip("mtassay._native", reason="not compiled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "_compiled", chosen)
        yield


_WORDS = ["a", "b", "the", "The", "x.", "1,5", "¿Qué?", "naïve", "ǅ", "İ", "ß", "中文", "日本", "한국", "😀", ".", ","]
_ODD = ["\x00", "\u2028", "\x85", "\ud800", "\udfff", "\xa0", "\t", "\x1c", "&amp;", "<skipped>", "-"]
_word = st.sampled_from([*_WORDS, *_ODD])
_text = st.builds(lambda words, joint: joint.join(words), st.lists(_word, max_size=9), st.sampled_from([" ", "", "  "]))


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], list[list[str | None]]]:
    """Hypotheses and one to three reference streams; the first one is complete."""
    n = draw(st.integers(1, 4))
    hypotheses = draw(st.lists(_text, min_size=n, max_size=n))
    first = draw(st.lists(_text, min_size=n, max_size=n))
    others = draw(st.lists(st.lists(st.none() | _text, min_size=n, max_size=n), max_size=2))
    return hypotheses, [first, *others]


every_metric = pytest.mark.parametrize("spec", SPECS)


def test_every_registered_name_is_here() -> None:
    assert {spec.partition(":")[0] for spec in SPECS} >= set(BUILT_IN) - NEEDS_DATA


@every_metric
def test_columns(spec: str) -> None:
    metric = metric_of(spec)
    rows = _rows(spec)
    assert rows.shape == (len(HYPOTHESES), len(metric.columns))
    assert len(set(metric.columns)) == len(metric.columns) or isinstance(metric, Combination)


@every_metric
def test_counts_are_integers(spec: str) -> None:
    if not any(mark in spec for mark in FRACTIONS):
        assert np.issubdtype(_rows(spec).dtype, np.integer)
    assert (_rows(spec) >= 0).all()


@every_metric
def test_rows_do_not_depend_on_each_other(spec: str) -> None:
    scorer = metric_of(spec).prepare(References(STREAMS))
    together = scorer.statistics(HYPOTHESES)
    for i, hypothesis in enumerate(HYPOTHESES):
        np.testing.assert_array_equal(scorer.statistics([hypothesis], [i]), together[i : i + 1])
    parts = scorer.statistics(HYPOTHESES[:2], [0, 1]).sum(axis=0) + scorer.statistics(HYPOTHESES[2:], [2, 3, 4]).sum(
        axis=0
    )
    np.testing.assert_allclose(parts, together.sum(axis=0), rtol=1e-15)


@every_metric
def test_order_of_segments_does_not_matter(spec: str) -> None:
    order = [3, 0, 4, 2, 1]
    metric = metric_of(spec)
    shuffled = _rows(spec, [HYPOTHESES[i] for i in order], [[stream[i] for i in order] for stream in STREAMS])
    np.testing.assert_array_equal(shuffled, _rows(spec)[order])
    assert metric.score(shuffled.sum(axis=0)) == pytest.approx(metric.score(_rows(spec).sum(axis=0)), rel=1e-14)


@every_metric
def test_scores_are_vectorised(spec: str) -> None:
    metric = metric_of(spec)
    rows = _rows(spec)
    weights = np.random.default_rng(3).integers(0, 4, size=(2, 3, len(rows)))
    totals = weights @ rows
    before = totals.copy()
    for function in (metric.score, metric.segment_score):
        scores = function(totals)
        assert (scores.shape, scores.dtype.type) == ((2, 3), np.float64)
        loop = [[float(function(totals[i, j])) for j in range(3)] for i in range(2)]
        np.testing.assert_allclose(scores, loop, rtol=1e-14)
        assert function(totals[0, 0]).shape == ()
        assert function(totals[:0]).shape == (0, 3)
    for part in metric.components(totals).values():
        assert part.shape == (2, 3)
    np.testing.assert_array_equal(totals, before)


@every_metric
def test_inputs_are_left_alone(spec: str) -> None:
    hypotheses, streams = list(HYPOTHESES), [list(stream) for stream in STREAMS]
    segments = np.array([4, 4, 0, 1, 2])
    metric_of(spec).prepare(References(streams)).statistics(hypotheses, segments)
    assert hypotheses == list(HYPOTHESES)
    assert streams == [list(stream) for stream in STREAMS]
    assert segments.tolist() == [4, 4, 0, 1, 2]


@every_metric
def test_metrics_name_their_annotators(spec: str) -> None:
    assert metric_of(spec).annotators == (("halves",) if "annotator=halves" in spec else ())


@every_metric
def test_threads_change_nothing(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = _rows(spec)
    monkeypatch.setattr("mtassay.metrics.core.metric._WORTH_THREADS", 1)
    np.testing.assert_array_equal(_rows(spec, execution=Execution(2)), expected)


@every_metric
def test_pairs_in_any_number_and_order(spec: str) -> None:
    metric = metric_of(spec)
    references = ["the cat sat", "it rained", ""]
    matrix = metric.pairwise(HYPOTHESES, references)
    assert matrix.shape == (len(HYPOTHESES), len(references))
    for i, hypothesis in enumerate(HYPOTHESES):
        for j, reference in enumerate(references):
            if metric.name in POOLED:
                row = metric.prepare(References([references])).statistics([hypothesis], [j])
                assert matrix[i, j] == metric.segment_score(row)[0]
            else:
                assert matrix[i, j] == metric.segment_scores([hypothesis], [[reference]])[0]
    scorer = metric.prepare(References(STREAMS))
    rows = scorer.statistics(HYPOTHESES, [4, 0, 0, 1], hypothesis_index=[0, 0, 0, 3])
    np.testing.assert_array_equal(rows[1], _rows(spec)[0])
    np.testing.assert_array_equal(rows[1], rows[2])
    assert scorer.statistics([], [], hypothesis_index=[]).shape == (0, len(metric.columns))


@every_metric
def test_tables_equal_single_systems(spec: str) -> None:
    metric = metric_of(spec)
    systems = {"x": HYPOTHESES, "y": HYPOTHESES[::-1]}
    references = References(STREAMS)
    [table] = build_tables(references, systems, [metric])
    for s, hypotheses in enumerate(systems.values()):
        assert table.scores()[s] == metric.corpus_score(hypotheses, STREAMS)
        np.testing.assert_array_equal(table.segment_scores()[s], metric.segment_scores(hypotheses, STREAMS))
    subset = np.array([0, 3])
    np.testing.assert_array_equal(table.scores(subset)[0], metric.score(_rows(spec)[subset].sum(axis=0)))


@every_metric
def test_empty_and_short_segments_have_scores(spec: str) -> None:
    metric = metric_of(spec)
    sentence = "the cat sat on the mat ."
    for hypothesis, reference in product(["", " ", "yes", "no", sentence], ["", "yes", sentence]):
        corpus = metric.corpus_score([hypothesis], [[reference]])
        [segment] = metric.segment_scores([hypothesis], [[reference]])
        for score in (corpus, segment):
            assert np.isfinite(score), (hypothesis, reference)
            if metric.name in BOUNDED and not any(mark in spec for mark in NO_BEST):
                assert 0 <= score <= perfect_score(metric) + 1e-9, (hypothesis, reference)
        totals = metric.prepare(References([[reference]])).statistics([hypothesis])[0]
        assert isinstance(metric.verbose(totals), str)
        assert all(np.isfinite(part) for part in metric.components(totals).values()), (hypothesis, reference)


@every_metric
@given(hypothesis=_text, corpus=corpora(), extra=st.sampled_from(["one two three four five .", "west xylo yes zero"]))
def test_nothing_is_better_than_the_reference(spec: str, hypothesis: str, corpus: Any, extra: str) -> None:
    metric = metric_of(spec)
    if metric.name not in PERFECT or any(mark in spec for mark in NO_BEST):
        pytest.skip("has no best score")
    # Long enough for every order: unsmoothed, a text shorter than the longest n-gram scores 0 even as the reference.
    references = [f"{stream[0] or ''} {extra}" for stream in corpus[1]]
    if any(mark in spec for mark in ONE_REFERENCE):
        references = references[:1]
    scores = metric.segment_scores([*references, hypothesis], [[r] * (len(references) + 1) for r in references])
    of_references, of_hypothesis = scores[:-1], scores[-1]
    best = (metric.sign * of_references).max()
    assert metric.sign * of_hypothesis <= best + 1e-9
    if len(references) == 1:
        assert of_references[0] == pytest.approx(perfect_score(metric), abs=1e-9)


@every_metric
@given(corpus=corpora())
def test_any_text_has_finite_scores(spec: str, corpus: tuple[list[str], list[list[str | None]]]) -> None:
    metric = metric_of(spec)
    rows = _rows(spec, *corpus)
    assert np.isfinite(metric.score(rows.sum(axis=0)))
    assert np.isfinite(metric.segment_score(rows)).all()


@every_metric
@given(corpus=corpora())
def test_compiled_and_python_kernels_agree(spec: str, corpus: tuple[list[str], list[list[str | None]]]) -> None:
    with kernel("native"):
        native = _rows(spec, *corpus)
    with kernel("python"):
        python = _rows(spec, *corpus)
    assert native.dtype == python.dtype
    np.testing.assert_array_equal(native, python)


@pytest.mark.parametrize(
    "spec",
    [
        "bleu",
        "FAC2",
        "chrf++",
        "gtm",
        "gtm:e=2",
        "hlepor",
        "rouge2",
        "rougeL",
        "rougeS",
        "ter",
        "wer",
        "mer",
        "per",
        "cder",
        "hwcm:annotator=halves",
        "stm:annotator=halves",
        "sempos:annotator=halves",
        LONG_METEOR,
    ],
)
def test_a_very_long_segment(spec: str) -> None:
    words = [f"w{i % 997}" for i in range(20_000)]
    reference = " ".join(words)
    hypothesis = " ".join([*words[:7000], "x", *words[7001:]])
    if spec in {"ter", "wer", "mer", "cder", LONG_METEOR} and kernels.backend() == "python":
        pytest.skip("minutes in plain Python")
    metric = metric_of(spec)
    exact, close = metric.segment_scores([reference, hypothesis], [[reference, reference]])
    best = perfect_score(metric)
    assert exact == pytest.approx(best, abs=1e-9)
    assert 0 < abs(close - best) < 1


# Specifications


def _values(field: dataclasses.Field[Any]) -> st.SearchStrategy[Any]:
    """Values that an option may have."""
    if field.metadata["choices"]:
        return st.sampled_from(field.metadata["choices"])
    if field.name == "tok":
        return st.sampled_from(["none", "13a", "intl", "zh", "char"])
    if field.name == "weights":
        return st.lists(st.floats(0.001, 1000), min_size=1, max_size=4).map(lambda values: "/".join(map(repr, values)))
    if field.name == "data":
        return st.just("none")
    if field.name == "annotator":
        return st.text(st.characters(exclude_categories=()), min_size=1)
    kind = field.metadata["kind"]
    if kind is bool:
        return st.booleans()
    low, high = field.metadata["minimum"] or 0, field.metadata["maximum"]
    return st.integers(int(low), int(high)) if kind is int else st.floats(low, high)


@st.composite
def metrics(draw: st.DrawFn) -> Metric:
    """Any metric with any options."""
    kind = metric_class(draw(st.sampled_from(sorted(set(BUILT_IN) - NEEDS_DATA))))
    names = st.lists(st.sampled_from([field.name for field in dataclasses.fields(kind)]), unique=True)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    needed = ["annotator"] if "annotator" in fields else []
    options = {name: draw(_values(fields[name])) for name in dict.fromkeys([*draw(names), *needed])}
    if options.get("char_order") == 0:
        options["word_order"] = 1
    try:
        return kind(**options)
    except SpecError:  # options that do not go together
        reject()


@given(metric=metrics())
def test_specifications_round_trip(metric: Metric) -> None:
    again = parse(str(metric))
    assert again == metric
    assert hash(again) == hash(metric)
    assert str(again) == str(metric)


@given(st.lists(st.tuples(st.floats(1e-9, 1e9), metrics()), min_size=1, max_size=4))
def test_combinations_round_trip(terms: list[tuple[float, Metric]]) -> None:
    oriented = tuple((weight * metric.sign, metric) for weight, metric in terms if metric.sign)
    assume(oriented)
    combination = Combination(oriented)
    assert parse(str(combination)) == combination


@every_metric
def test_written_specifications_round_trip(spec: str) -> None:
    metric = metric_of(spec)
    assert parse(str(metric)) == metric


@pytest.mark.parametrize("name", sorted(set(BUILT_IN) - NEEDS_DATA))
def test_signatures_name_the_version_of_the_tokenizer(name: str) -> None:
    pytest.importorskip("sacremoses")
    options = {field.name for field in dataclasses.fields(metric_class(name))}
    if "tok" not in options:
        pytest.skip("has no tokenizer")
    needs_annotator = name in {"addicter", "depref-exact", "depref-align"}
    metric = parse(f"{name}:tok=moses{',annotator=halves' if needs_annotator else ''}")
    shown = {entry.name: entry.value for entry in metric.signature_entries()}
    assert shown["tok"] == get_tokenizer("moses").signature != "moses"


@every_metric
def test_signature_names_what_was_measured(spec: str) -> None:
    metric = metric_of(spec)
    signature = metric.signature(References(STREAMS))
    assert str(signature).startswith("nrefs:var|")
    assert "|mtassay:" in str(signature)
    names = [entry.name for entry in signature.entries]
    assert len(set(names)) == len(names)
    assert len({entry.short for entry in signature.entries}) == len(names)
