"""What compare-mt counts: reads texts as JSON, prints counts as JSON. Run by the Python that has compare-mt."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

from compare_mt import bucketers, ngram_utils, stat_utils


def main() -> None:
    """Count words, segments and n-grams of two systems and one reference, all of them lists of words."""
    given = json.load(sys.stdin)
    ref, outs = given["ref"], given["outs"]
    with contextlib.redirect_stdout(sys.stderr):  # it talks
        found = {
            "words": {
                "frequency": words(bucketers.FreqWordBucketer(freq_data=ref), ref, outs),
                "lower-cased": words(bucketers.FreqWordBucketer(freq_data=ref, case_insensitive=True), ref, outs),
                "counts": words(bucketers.FreqWordBucketer(freq_counts=given["counts"]), ref, outs),
                "case": words(bucketers.CaseWordBucketer(), ref, outs),
                "label": words(
                    bucketers.LabelWordBucketer(label_set=given["label_set"]),
                    ref,
                    outs,
                    ref_labels=given["ref_labels"],
                    out_labels=given["out_labels"],
                ),
            },
            "segments": {
                "length": segments(bucketers.LengthSentenceBucketer(), ref, outs),
                "difference": segments(bucketers.LengthDiffSentenceBucketer(), ref, outs),
            },
            "ngrams": ngrams(ref, outs),
        }
    json.dump(found, sys.stdout)


def words(bucketer: Any, ref: Any, outs: Any, **labels: Any) -> list[list[list[float]]]:
    """For each system and bucket: matched, reference, output, recall, precision, F1."""
    statistics = bucketer.calc_statistics(ref, outs, **labels)[0]
    return [[[float(value) for value in bucket] for bucket in system] for system in statistics]


def segments(bucketer: Any, ref: Any, outs: Any) -> list[list[int]]:
    """For each system and bucket the number of segments."""
    return [[len(bucket[0]) for bucket in bucketer.create_bucketed_corpus(out, ref=ref)] for out in outs]


def ngrams(ref: Any, outs: Any) -> list[dict[str, Any]]:
    """Counts of n-grams by kind and system, and saliences by kind."""
    counts = [ngram_utils.compare_ngrams(ref, out)[1:] for out in outs]
    return [
        {
            "counts": [{" ".join(words): n for words, n in of[kind].items()} for of in counts],
            "saliences": {
                " ".join(words): value
                for words, value in stat_utils.extract_salient_features(counts[0][kind], counts[1][kind]).items()
            },
        }
        for kind in range(3)
    ]


if __name__ == "__main__":
    main()
