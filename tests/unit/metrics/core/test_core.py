"""References, the choice among them, statistics that metrics share, and signatures."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mtassay
from mtassay.errors import InputError
from mtassay.execution import Execution
from mtassay.metrics import References, Signature, Texts, build_tables, parse
from mtassay.metrics.core import references as references_module
from mtassay.metrics.core.references import encode, first_best
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.strings import bleu as bleu_module


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=1, max_size=4), max_size=5))
def test_first_best(rows: list[list[float]]) -> None:
    values = np.array([value for row in rows for value in row])
    index = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    starts = np.cumsum([0, *(len(row) for row in rows)])
    expected = [start + row.index(max(row)) for start, row in zip(starts, rows, strict=False)]
    assert first_best(values, index).tolist() == expected


def test_references_are_laid_flat() -> None:
    references = References([["a", None, "c"], [None, "B", "C"]])
    assert references.texts.strings == ("a", "B", "c", "C")
    assert references.group_offsets.tolist() == [0, 1, 2, 4]
    assert (references.n_segments, references.n_references) == (3, "var")
    assert References([["a"], ["b"]]).n_references == "2"
    hyps, refs, rows = references.each_reference(np.array([7, 8]), np.array([2, 0]))
    assert (hyps.tolist(), refs.tolist(), rows.tolist()) == ([7, 7, 8], [2, 3, 0], [0, 0, 1])


@pytest.mark.parametrize(
    ("hypothesis", "rule", "expected"),
    [
        ("a a a", "closest", 2),
        ("a a", "closest", 2),
        ("a a a a a", "closest", 4),
        ("a a a", "shortest", 2),
        ("a a a a a", "shortest", 2),
        ("a a a", "average", 10 / 3),
    ],
)
def test_reference_length(hypothesis: str, rule: str, expected: float) -> None:
    scorer = parse(f"bleu:tok=none,ref_len={rule}").prepare(References([["b b b b"], ["b b"], ["c c c c"]]))
    assert scorer.statistics([hypothesis])[0, 1] == expected


def test_recall_is_taken_against_the_reference_that_sets_the_length() -> None:
    metric = parse("RAC1:tok=none")
    row = metric.prepare(References([["a b c d e"], ["x y"]])).statistics(["a b"])[0]
    assert dict(zip(metric.columns, row.tolist(), strict=True)) == {
        "hyp_len": 2,
        "ref_len": 2,
        "recalled_1": 0,
        "ref_total_1": 2,
    }


def test_metrics_with_the_same_counts_share_them(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    original = bleu_module._BleuScorer._statistics

    def counted(self: Any, *arguments: Any) -> Any:
        calls.append(self.metric)
        return original(self, *arguments)

    monkeypatch.setattr(bleu_module._BleuScorer, "_statistics", counted)
    references = References([["a b c d", "e f"]])
    systems = {"x": ["a b c d", "e"], "y": ["a", "f g"]}
    build_tables(references, systems, [parse("bleu")])
    n_calls_of_one = len(calls)
    calls.clear()
    specs = ["bleu", "PGBC4", "PAC4^u", "bleu:smooth=add-k", "0.5*PABC4+0.5*chrf", "RAC4"]
    tables = build_tables(references, systems, [parse(spec) for spec in specs])
    # The five of precision together count as one, recall as another.
    assert len(calls) == 2 * n_calls_of_one
    for table in tables[:5]:
        np.testing.assert_array_equal(table.statistics[..., :10], tables[0].statistics)


def test_systems_of_a_table_have_as_many_segments_as_the_references() -> None:
    with pytest.raises(InputError, match="x has 1 segment, the references have 2"):
        build_tables(References([["a", "b"]]), {"x": ("a",), "y": ("a", "b", "c")}, [parse("bleu")])


@pytest.mark.parametrize(
    ("hypotheses", "message"),
    [
        ("ab", "hypotheses is a single string"),
        (["a", None], "hypotheses, segment 2 is None"),
        (["a", 1], "hypotheses, segment 2 is an int"),
        (["a", "b", "c"], "the hypotheses have 3 segments, the references have 2"),
    ],
)
@pytest.mark.parametrize("references", [[["a", "b"]], References([["a", "b"]])], ids=["raw", "prepared"])
def test_hypotheses_are_checked_whatever_form_the_references_have(
    references: Any, hypotheses: Any, message: str
) -> None:
    with pytest.raises(InputError) as raised:
        parse("bleu").corpus_score(hypotheses, references)
    assert message in str(raised.value)


def test_texts_are_encoded_once_for_all_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, str]] = []
    original = encode

    def counted(texts: Any, tokenizer: str, *, case: str, vocabulary: Any) -> Any:
        calls.append((tokenizer, case))
        return original(texts, tokenizer, case=case, vocabulary=vocabulary)

    monkeypatch.setattr(references_module, "encode", counted)
    metrics = [parse(spec) for spec in ("bleu", "RAC1", "FGC2", "bleu:case=lower")]
    build_tables(References([["a b c d", "e f"]]), {"x": ["a b", "e"]}, metrics)
    assert sorted(calls) == [("13a", "lower")] * 2 + [("13a", "mixed")] * 2


def test_one_list_of_texts_serves_many_references() -> None:
    texts = Texts(["b a", "a"])
    first, second = (parse("bleu:tok=none").prepare(References([refs])) for refs in (["b a", "a"], ["x", "a"]))
    assert first.statistics(texts)[:, 2].tolist() == [2, 1]
    assert second.statistics(texts)[:, 2].tolist() == [0, 1]
    assert first.statistics(texts)[:, 2].tolist() == [2, 1]


@pytest.mark.parametrize(
    ("segments", "hypotheses", "message"),
    [
        ([0, 1, 2], None, "2 hypotheses, but 3 segments"),
        ([0, 3], None, "segment index out of range: there are 3, counted from 0"),
        ([0, -1], None, "segment index out of range"),
        ([0, 1], [0, 2], "hypothesis index out of range: there are 2"),
        ([0.5, 1.0], None, "segment index must be a list of whole numbers"),
        ([True, False], None, "segment index must be a list of whole numbers"),
        ([[0, 1]], None, "segment index must be a list of whole numbers"),
        (None, None, "2 hypotheses, but 3 segments"),
    ],
)
def test_indices_are_checked(segments: Any, hypotheses: Any, message: str) -> None:
    scorer = parse("bleu").prepare(References([["a", "b", "c"]]))
    with pytest.raises(InputError) as raised:
        scorer.statistics(["a", "b"], segments, hypothesis_index=hypotheses)
    assert message in str(raised.value)


def test_signature_with_resampling() -> None:
    signature = Signature.build("2", [Entry("case", "c", "mixed")], bs=1000, seed=12345)
    assert str(signature).startswith("nrefs:2|bs:1000|seed:12345|case:mixed|mtassay:")
    assert signature.format(short=True).startswith("#:2|bs:1000|rs:12345|c:mixed|v:")


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("PGBC4", "case:mixed|eff:no|tok:13a|smooth:none|segment_smooth:add[1.00]|code:PGBC4"),
        ("RAC1^u:tok=none", "case:mixed|eff:no|tok:none|smooth:none|code:RAC1^u"),
        ("bleu:ref_len=shortest,case=ascii", "case:lc-ascii|eff:no|tok:13a|smooth:exp|reflen:shortest"),
        ("bleu:bp=smooth", "case:mixed|eff:no|tok:13a|smooth:exp|bp:smooth[1.00]|code:PGBC4^b"),
        ("bleu:order=2", "case:mixed|eff:no|tok:13a|smooth:exp|code:PGBC2"),
    ],
)
def test_signature_shows_what_sacrebleu_does_not_have(spec: str, expected: str) -> None:
    assert f"|{expected}|" in str(parse(spec).signature(References([["a"]])))


@pytest.mark.parametrize("spec", ["bleu", "chrf", "ter"])
def test_pairwise_in_blocks_is_pairwise_at_once(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from mtassay.metrics.core import metric as base

    hypotheses, references = ["a b c", "b c", "c a b d"], ["a b", "c a b d"]
    whole = parse(spec).pairwise(hypotheses, references)
    monkeypatch.setattr(base, "_PAIRS_AT_ONCE", 4)
    assert parse(spec).pairwise(hypotheses, references).tolist() == whole.tolist()
    alone = [[parse(spec).segment_scores([h], [[r]])[0] for r in references] for h in hypotheses]
    assert whole.tolist() == alone


def test_metrics_must_be_a_list_without_repeats() -> None:
    for metrics, message in (
        (["bleu", "bleu:tok=13a"], "given twice"),
        ("bleu", "be a list: ['bleu']"),
        (None, "metrics must be a list such as ['bleu'], not None"),
        (3, "metrics must be a list such as ['bleu'], not 3"),
        ([], "no metric"),
    ):
        with pytest.raises(InputError) as raised:
            mtassay.score([["a"]], {"x": ["a"]}, metrics=metrics)  # type: ignore[arg-type]
        assert message in str(raised.value)


def test_looking_up_scores() -> None:
    result = mtassay.score([["a b"]], {"x": ["a b"]}, metrics=["chrf"], threads=0)
    assert result["x", "chrf"] == result["x", parse("chrf")] == 100.0
    assert repr(result) == "ScoreResult(x; chrf)"
    with pytest.raises(InputError, match="by system and metric"):
        result["x"]  # type: ignore[index]


def test_raw_references_are_prepared_where_needed() -> None:
    metric = parse("bleu")
    assert metric.prepare([["a b"]]).statistics(["a b"]).tolist() == [[2, 2, 2, 1, 0, 0, 2, 1, 0, 0]]  # type: ignore[arg-type]
    assert str(metric.signature([["a"], ["b"]])).startswith("nrefs:2|")


def test_alignments_number_references_as_they_were_given() -> None:
    first, second = mtassay.align([[None, "a"], ["x", "b"]], ["x", "a"]).alignments["hyp"]
    assert (first.reference, first.n_references, second.reference, second.n_references) == (2, 1, 1, 2)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_chunks_and_threads_change_nothing(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from mtassay.metrics.core import table

    words = ["the", "cat", "sat", "on", "a", "mat", ",", "quietly", "."]
    references = [[" ".join(words[i % 5 :]) for i in range(40)], [" ".join(words[: i % 9]) for i in range(40)]]
    systems = {name: [" ".join(words[(i * k) % 7 :: 2]) for i in range(40)] for k, name in enumerate("xyz", 1)}
    metrics = ["bleu", "RAC1", "chrf++", "ter", "0.5*bleu-0.5*ter"]
    expected = [t.statistics for t in mtassay.score(references, systems, metrics=metrics).tables]
    monkeypatch.setattr(table, "_CHUNK_TEXTS", 10)
    monkeypatch.setattr(table, "_WORTH_A_CHUNK", 5)
    found = [t.statistics for t in mtassay.score(references, systems, metrics=metrics, threads=threads).tables]
    for left, right in zip(expected, found, strict=True):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("spec", ["bleu", "chrf++", "ter:norm=yes", "rougeL", "0.5*bleu-0.5*ter"])
def test_threads_divide_the_pairs(spec: str) -> None:
    words = ["a", "b", "c", "d", "e", "f", "g"]
    texts = [" ".join(words[i % 7 :] + words[: i % 5]) + "." for i in range(40)]
    references: list[list[str | None]] = [[*texts[1:], *texts[:1]], [None, *texts[5:], *texts[:4]]]
    pairs = np.tile(np.arange(40), 30)
    expected, found = (
        parse(spec)
        .prepare(References(references), execution=Execution(threads))
        .statistics(texts, pairs, hypothesis_index=pairs[::-1])
        for threads in (1, 3)
    )
    np.testing.assert_array_equal(found, expected)


def test_a_function_is_called_in_the_thread_of_the_caller() -> None:
    callers = set()

    def length(hypothesis: str) -> float:
        callers.add(threading.get_ident())
        return float(len(hypothesis))

    mtassay.segment_metric(length).pairwise(["a", "bc"] * 30, ["x"] * 20, threads=3)
    assert callers == {threading.get_ident()}
