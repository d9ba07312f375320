"""References of the last call are kept: other ones must not get their place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import sacrebleu as original

import mtassay.compat.sacrebleu as sacrebleu
from mtassay.compat.sacrebleu.metrics import base


def test_the_same_references_are_prepared_once() -> None:
    refs = [["a b c d", "e f g h"]]
    first = sacrebleu.BLEU(references=refs)._ref_cache
    assert sacrebleu.CHRF(references=[list(stream) for stream in refs])._ref_cache is first
    refs[0][1] = "x y z"  # changed in place by the caller
    assert sacrebleu.BLEU(references=refs)._ref_cache is not first
    assert sacrebleu.corpus_bleu(["a b c d", "x y z"], refs).counts == [7, 5, 3, 1]


def test_references_are_not_kept_for_ever() -> None:
    refs = [["a b", "c d"]]
    kept = {id(sacrebleu.BLEU(references=refs)._ref_cache) for _ in range(2 * base._MOST_USES + 5)}
    assert len(kept) > 1


def test_threads() -> None:
    corpora = [([f"a b c d{i % 7} e", f"{i} x"], [[f"a b c d{i // 50} e", "x y"]]) for i in range(200)]
    expected = [original.corpus_bleu(hyps, refs).score for hyps, refs in corpora]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda corpus: sacrebleu.corpus_bleu(*corpus).score, corpora))
    assert found == expected
