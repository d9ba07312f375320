"""The data with which the script of a page shows any two systems: scores of segments, buckets, and texts."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.analysis.example_details import errors_of
from mtassay.analysis.marked_texts import marked_text
from mtassay.analysis.selection import select_segments, spread
from mtassay.analysis.word_marks import MOVED, SIMILAR, WRONG, marker
from mtassay.data.testset import languages_of
from mtassay.judging.gold import ScoreGold
from mtassay.report.page.texts import json_script
from mtassay.report.wording import headings
from mtassay.results import or_none
from mtassay.stats.procedures import all_pairs

if TYPE_CHECKING:
    from mtassay.analysis.bucket_tests import BucketTests
    from mtassay.analysis.segments import SegmentView
    from mtassay.analysis.words import WordView
    from mtassay.judging.gold import Gold
    from mtassay.types import Array, Floats, Index
    from mtassay.verbs.analyse_result import AnalyseResult

#: Marks of words, as numbers for the script.
_MARKS = {WRONG: 1, MOVED: 2, SIMILAR: 3}
#: Decimals of human scores.
_HUMAN_DIGITS = 2
#: A missing score.
_NONE = {"<i2": -(1 << 15), "<i4": -(1 << 31)}


def explorer(result: AnalyseResult, *, n_examples: int, gold: Gold | None = None) -> str:
    """The data as an element of the page, with texts of `n_examples` segments, and human scores from `gold`."""
    return json_script(explorer_data(result, n_examples=n_examples, gold=gold), name="data")


def explorer_data(result: AnalyseResult, *, n_examples: int, gold: Gold | None = None) -> dict[str, Any]:
    """Everything that the script shows, as plain values; segments and systems are counted from 0."""
    scored = result.scored
    scores = scored.segment_scores()
    source, target = languages_of(scored.testset.language_pair)
    pair = result.pair or (result.systems[0], result.systems[0])
    views = [_of_words(view) for view in result.words]
    views += [_of_segments(result, view) for view in result.segments if view.name != "errors"]
    return {
        "systems": list(result.systems),
        "order": scored.ranked,
        "pair": [result.systems.index(name) for name in pair],
        "n": scored.testset.n_segments,
        "alpha": result.resampling.alpha,
        "metrics": [
            _of_scores(heading, metric.sign, metric.digits, scores[:, :, m])
            for m, (metric, heading) in enumerate(zip(scored.metrics, headings(scored.metrics), strict=True))
        ]
        + _of_humans(result, gold),
        "views": views,
        "languages": [source, target],
        "similar": result.alignment.name == "meteor",
        "texts": _texts(result, _selected(result, scores[:, :, 0], n_examples)),
    }


def _of_humans(result: AnalyseResult, gold: Gold | None) -> list[dict[str, Any]]:
    """Human scores of segments in the form of a metric's scores; an empty list without them."""
    if not isinstance(gold, ScoreGold) or gold.per_segment is None:
        return []
    scores = np.full((len(result.systems), gold.per_segment.shape[1]), np.nan)
    scores[[result.systems.index(name) for name in gold.systems]] = gold.per_segment
    return [_of_scores(f"human {gold.method}", 1.0, _HUMAN_DIGITS, scores)]


def _of_scores(heading: str, sign: float, digits: int, scores: Floats) -> dict[str, Any]:
    """A metric and its segment scores, system after system, as whole numbers in units of the last shown digit."""
    numbers = _in_last_digit(scores, digits)
    largest = np.nanmax(np.abs(numbers), initial=0.0)
    kind = "<i2" if largest < -_NONE["<i2"] else "<i4"
    encoded = np.where(np.isnan(numbers), _NONE[kind], numbers).astype(kind)
    return {"name": heading, "digits": digits, "sign": sign, "kind": kind, "scores": _base64(encoded)}


def _in_last_digit(scores: Floats, digits: int) -> Floats:
    """Scores as whole numbers in units of the last shown digit, rounded as Python prints them."""
    moved = scores * 10.0**digits
    numbers: Floats = np.rint(moved)
    for place in np.argwhere(np.abs(np.abs(moved - np.trunc(moved)) - 0.5) < 1e-6):
        numbers[tuple(place)] = round(float(f"{scores[tuple(place)]:.{digits}f}") * 10**digits)
    return numbers


def _of_words(view: WordView) -> dict[str, Any]:
    n_words = view.in_reference.max(axis=1)
    return {
        "name": view.name,
        "title": f"F1 of {view.title}",
        "unit": "words",
        "labels": list(view.labels),
        "sizes": n_words.tolist(),
        "members": [[_base64(segments)] for segments in map(_bits, view.segments)],
        "measures": [{"metric": None, "digits": 3, "sign": 1, **_of_tests(view.f1, view.tests)}],
    }


def _of_segments(result: AnalyseResult, view: SegmentView) -> dict[str, Any]:
    of_buckets = [of_bucket[:1] if view.paired else of_bucket for of_bucket in view.segments]
    return {
        "name": view.name,
        "title": view.title,
        "unit": "segments",
        "labels": list(view.labels),
        "sizes": [[len(index) for index in of_bucket] for of_bucket in of_buckets],
        "members": [[_base64(_bits(index)) for index in of_bucket] for of_bucket in of_buckets],
        "measures": [
            {
                "metric": result.scored.metrics.index(metric),
                "digits": metric.digits,
                "sign": metric.sign if view.paired else 0,
                **_of_tests(tests.scores, tests),
            }
            for metric, tests in zip(view.metrics, view.tests, strict=True)
        ],
    }


def _of_tests(scores: Floats, tests: BucketTests) -> dict[str, Any]:
    """Scores and intervals of each bucket and system, and corrected p-values of each bucket and pair."""
    pairs = all_pairs(scores.shape[1])
    p = tests.adjusted[:, pairs[:, 0], pairs[:, 1]]
    # Without tests (each system has different segments in a bucket), leave the p-values out.
    p = p[:, :0] if np.isnan(p).all() else p
    low, high = ([[or_none(value) for value in row] for row in tests.intervals[:, :, end].tolist()] for end in (0, 1))
    return {
        "scores": [[or_none(value) for value in row] for row in scores.tolist()],
        "low": low,
        "high": high,
        "p": _base64(p.astype("<f8")),
    }


def _bits(segments: Index) -> Array:
    """A bit for each segment, lowest bit first."""
    bits = np.zeros(int(segments.max(initial=0)) + 1, dtype=bool)
    bits[segments] = len(segments) > 0
    return np.packbits(bits, bitorder="little")


def _base64(values: Array) -> str:
    return b64encode(np.ascontiguousarray(values).tobytes()).decode()


def _selected(result: AnalyseResult, scores: Floats, most: int) -> Index:
    """The segments whose texts are in the page: from every bucket, n-gram and example, those that differ most."""
    groups: list[Index] = []
    if result.examples is not None:
        found = [example.segment for example in (*result.examples.first, *result.examples.second)]
        groups += [np.array([segment]) for segment in found]
    if result.ngrams is not None:
        kinds = result.ngrams.differences.values()
        groups += [one.segments for first, second in kinds for one in (*first, *second)]
    groups += [index for view in result.words for index in view.segments]
    groups += [of_bucket[0] for view in result.segments for of_bucket in view.segments]
    return select_segments(groups, spread(scores), most)


def _texts(result: AnalyseResult, segments: Index) -> dict[str, Any]:
    testset, chosen = result.scored.testset, segments.tolist()
    marked = marker(result.alignment, result.texts, chosen, result.systems)
    errors = errors_of(testset, chosen, result.systems, result.errors)

    def output(system: str, segment: int) -> list[Any]:
        _, words, missing = marked(system, segment)
        pieces: list[Any] = [
            [_MARKS[mark], text] if mark in _MARKS else text
            for text, mark in marked_text(testset.systems[system][segment], words)
        ]
        found = errors.get((system, segment), {})
        return [pieces, " ".join(missing), ", ".join(f"{n} {name}" for name, n in found.items() if n)]

    return {
        str(segment): {
            "source": None if testset.sources is None else testset.sources[segment],
            "references": [text for stream in testset.references if (text := stream[segment]) is not None],
            "outputs": [output(system, segment) for system in result.systems],
        }
        for segment in chosen
    }
