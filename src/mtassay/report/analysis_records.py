"""The results of ``analyse`` and ``diff`` as rows of TSV files and data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError, unknown_name
from mtassay.report.document import Records

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.verbs.analyse_result import AnalyseResult


_BUCKETS = (
    *("view", "bucket", "measure", "system", "score", "low", "high", "n_segments", "matched", "in_output"),
    *("in_reference", "precision", "recall", "better_than"),
)


def records_of(table: str) -> Callable[[AnalyseResult], Records]:
    """The function that makes the rows of a table, one of ``TABLES``."""
    if table not in TABLES:
        raise InputError(unknown_name("table", table, TABLES))

    def made(result: AnalyseResult) -> Records:
        there = {
            "buckets": bool(result.words or result.segments),
            "ngrams": result.ngrams is not None and result.ngrams.pair is not None,
            "examples": result.examples is not None,
        }
        if not there[table]:
            others = " or ".join(name for name in TABLES if name != table)
            raise InputError(f"there are no {table}: choose --table {others} (table=), or other views with --by (by=)")
        return TABLES[table](result)

    return made


def _bucket_records(result: AnalyseResult) -> Records:
    """A row per view, bucket, measure and system."""
    data = result.to_dict()
    rows: list[tuple[Any, ...]] = []
    for view in data["words"]:
        for bucket in view["buckets"]:
            for one in bucket["systems"]:
                counts = (one["matched"], one["in_output"], one["in_reference"], one["precision"], one["recall"])
                ends = one["interval"] or (None, None)
                place = (view["view"], bucket["bucket"], "f1", one["system"], one["f1"], *ends)
                rows.append((*place, len(bucket["segments"]), *counts, one["better_than"]))
    for view in data["segments"]:
        for bucket in view["buckets"]:
            for metric in bucket["metrics"]:
                for one in metric["systems"]:
                    ends = one["interval"] or (None, None)
                    place = (view["view"], bucket["bucket"], metric["metric"], one["system"], one["score"], *ends)
                    rows.append((*place, one["n_segments"], *(None,) * 5, one["better_than"]))
    return Records(_BUCKETS, rows)


def _ngram_records(result: AnalyseResult) -> Records:
    """A row per kind and n-gram."""
    found = result.to_dict()["ngrams"]
    rows = [
        (
            of["kind"],
            " ".join(one["words"]),
            *one["counts"],
            one["salience"],
            one["p"],
            one["p_adjusted"],
            one["significant"],
            one["segments"],
        )
        for of in found["kinds"]
        for one in (*of["more_in_first"], *of["more_in_second"])
    ]
    header = ("kind", "ngram", "first", "second", "salience", "p", "p_adjusted", "significant", "segments")
    return Records(header, rows)


def _example_records(result: AnalyseResult) -> Records:
    return example_records(result.to_dict()["examples"])


#: The tables that can be written as records.
TABLES = {"buckets": _bucket_records, "ngrams": _ngram_records, "examples": _example_records}


def example_records(found: dict[str, Any]) -> Records:
    """A row per example."""
    texts = ("source", "references", "first", "second")
    preferences = ("prefer_first", "prefer_second", "ties")
    header = (
        *("better", "segment", "difference", *texts, "first_scores", "second_scores", "first_errors", "second_errors"),
        *("first_human", "second_human", *preferences),
    )
    rows = [
        (
            found["pair"][side],
            one["segment"],
            one["difference"],
            one["source"],
            one["references"],
            *(output["text"] for output in one["outputs"]),
            *(output["scores"] for output in one["outputs"]),
            *(_error_counts(output["errors"]) for output in one["outputs"]),
            *(output["human"] for output in one["outputs"]),
            *((one["preferences"] or {}).get(name) for name in ("first", "second", "ties")),
        )
        for side, name in enumerate(("better_first", "better_second"))
        for one in found[name]
    ]
    return Records(header, rows)


def _error_counts(errors: dict[str, int] | None) -> list[int] | None:
    """Number of words in each error class, in the order infl, reord, miss, ext, lex."""
    return None if errors is None else list(errors.values())
