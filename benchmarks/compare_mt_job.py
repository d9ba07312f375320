"""compare-mt's report of two systems, timed: reads texts as JSON, prints JSON. Run by the Python that has compare-mt.

The default report with what ours has, too: intervals of 1000 resamples for the score and for words by frequency and by
case, and all three kinds of n-grams. (Intervals of sentence buckets it cannot compute: the option fails.)
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time

from compare_mt import compare_mt_main, reporters

WORDS = {"output_bucket_details": True}
SEGMENTS = (
    {"bucket_type": "length", "statistic_type": "score", "score_measure": "bleu"},
    {"bucket_type": "lengthdiff"},
    {"bucket_type": "score", "score_measure": "sentbleu"},
)


def main() -> None:
    given = json.load(sys.stdin)
    ref, outs = [text.split() for text in given["ref"]], [[text.split() for text in out] for out in given["outs"]]
    reporters.sys_names = ["sys1", "sys2"]
    with contextlib.redirect_stdout(io.StringIO()):
        wall, cpu = time.perf_counter(), time.process_time()
        compare_mt_main.generate_score_report(ref, outs, score_type="bleu", bootstrap=1000)
        words = [
            compare_mt_main.generate_word_accuracy_report(ref, outs, bucket_type=kind, **WORDS)
            for kind in ("freq", "case")
        ]
        for options in SEGMENTS:
            compare_mt_main.generate_sentence_bucketed_report(ref, outs, **options)
        for kind in ("match", "over", "under"):
            compare_mt_main.generate_ngram_report(ref, outs, compare_type=kind)
        compare_mt_main.generate_sentence_examples(ref, outs)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    f1 = [bucket[5] for report in words for system in report.statistics for bucket in system]
    json.dump({"cpu": cpu, "wall": wall, "scores": f1}, sys.stdout)


if __name__ == "__main__":
    main()
