"""Files of error spans: our own JSONL and ratings of mt-metrics-eval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import ErrorSpan, ErrorSpans, TestSet, load_judgements, write_judgements
from mtassay.errors import InputError

#: "c😀d" has three code points, and four units of UTF-16.
SET = TestSet(
    [["r", "s"]],
    {"x": ["an output", "b"], "y": ["c😀d", "😀😀"], "z": ["e", "f"]},
    sources=["source", "t"],
    ids=["d:1", "d:2"],
)
LINE: dict[str, Any] = {"segment": 1, "system": "x", "judge": "a", "score": 70, "spans": []}
MINOR = {"start": 3, "end": 9, "severity": "minor", "category": "fluency/grammar"}


def read(folder: Path, *lines: dict[str, Any], **options: Any) -> ErrorSpans:
    path = folder / "spans.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = load_judgements(path, **options)
    assert isinstance(found, ErrorSpans)
    return found


def rated(folder: Path, text: str, **options: Any) -> ErrorSpans:
    path = folder / "en-de.mqm.seg.rating"
    path.write_text(text, encoding="utf-8")
    found = load_judgements(path, **options)
    assert isinstance(found, ErrorSpans)
    return found


def test_own(tmp_path: Path) -> None:
    omission = {"severity": "major", "missing": True}
    found = read(
        tmp_path,
        LINE | {"spans": [MINOR, omission]},
        LINE | {"judge": "b", "score": None},
        LINE | {"system": "y", "spans": [{"start": 0, "end": 2, "severity": "critical", "source": True, "text": "c"}]},
        testset=SET,
    )
    assert (found.systems, found.segments, found.judges) == (("x", "y"), ("1",), ("a", "b"))
    assert found.spans == (
        (
            ErrorSpan(start=3, end=9, severity="minor", category="fluency/grammar"),
            ErrorSpan(severity="major", missing=True),
        ),
        (),
        (ErrorSpan(start=0, end=2, severity="critical", in_source=True),),
    )
    np.testing.assert_array_equal(found.score, [70.0, np.nan, 70.0])


def test_fewest_keys_and_identifiers(tmp_path: Path) -> None:
    found = read(tmp_path, {"id": "d:2", "system": "z", "spans": []}, testset=SET)
    assert (found.segments, found.judges, found.item.tolist()) == (("2",), ("",), [""])
    assert np.isnan(found.score).all()
    assert read(tmp_path, {"segment": "any", "system": "z", "spans": []}).segments == ("any",)


def test_offsets_are_code_points(tmp_path: Path) -> None:
    emoji = {"start": 1, "end": 2, "severity": "minor"}
    assert read(tmp_path, LINE | {"system": "y", "spans": [emoji]}, testset=SET).n_spans == 1
    utf_16 = emoji | {"end": 4}
    with pytest.raises(InputError, match="line 1: span 1: 1–4 ends after the output of y, which has 3 code points"):
        read(tmp_path, LINE | {"system": "y", "spans": [utf_16]}, testset=SET)


def test_systems_with_the_same_output_have_the_same_spans(tmp_path: Path) -> None:
    found = read(tmp_path, LINE | {"system": "x+z", "segment": 2}, testset=SET)
    assert (found.systems, found.spans) == (("x", "z"), ((), ()))
    assert read(tmp_path, LINE | {"system": "x+z"}).systems == ("x+z",)


def test_degraded_outputs_are_other_texts(tmp_path: Path) -> None:
    beyond = {"start": 5, "end": 20, "severity": "minor"}
    found = read(tmp_path, LINE | {"kind": ""}, LINE | {"kind": "BAD", "spans": [beyond]}, testset=SET)
    assert found.item.tolist() == ["", "BAD"]
    with pytest.raises(InputError, match="line 1: span 1: 5–20 ends after"):
        read(tmp_path, LINE | {"kind": "CHK", "spans": [beyond]}, testset=SET)


def test_systems_can_be_renamed_and_ignored(tmp_path: Path) -> None:
    assert read(tmp_path, LINE, LINE | {"system": "q"}, testset=SET, ignore_unknown=True).ignored == ("q",)
    assert read(tmp_path, LINE, LINE | {"system": "q"}, rename={"q": None}).systems == ("x",)
    with pytest.raises(InputError, match="line 2: system 'q' is not a system of the test set"):
        read(tmp_path, LINE, LINE | {"system": "q"}, testset=SET)


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"spans": [MINOR, MINOR | {"severity": "majr"}]}, "span 2: no severity named 'majr'; did you mean 'major'"),
    ({"spans": [{"start": 0, "end": 1}]}, "span 1: no severity named ''"),
    ({"spans": [MINOR | {"severity": 3}]}, "span 1: severity '3' is not a text"),
    ({"spans": [MINOR | {"start": 9}]}, "span 1: the span 9–9 is empty"),
    ({"spans": [MINOR | {"start": 10}]}, "span 1: the span 10–9 ends before it starts"),
    ({"spans": [MINOR | {"start": -1}]}, "span 1: start '-1' is not a whole number"),
    ({"spans": [MINOR | {"end": 10}]}, "span 1: 3–10 ends after the output of x, which has 9 code points"),
    ({"spans": [MINOR | {"source": True}]}, "span 1: 3–9 ends after the source, which has 6 code points"),
    ({"spans": [MINOR | {"missing": 1}]}, "span 1: missing '1' is neither true nor false"),
    ({"spans": [3]}, "span 1 is '3'; it must be an object"),
    ({"spans": {"start": 1}}, "spans are .* must be a list"),
    ({"score": "high"}, "score 'high' is not a score"),
    ({"segment": 3}, "segment '3' is not in the test set"),
    ({"segment": None}, "segment is empty; give a name"),
    ({"system": ["x"]}, "'system' is .* must be a text or a number"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_faults(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=rf"spans\.jsonl, line 2: {message}"):
        read(tmp_path, LINE | {"judge": "z"}, LINE | change, testset=SET)


def test_faults_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: x, segment 1 is judged twice by a \(first in line 1\)"):
        read(tmp_path, LINE, LINE)
    assert len(read(tmp_path, LINE | {"kind": ""}, LINE | {"kind": "REPEAT"})) == 2
    tasks = read(tmp_path, LINE | {"hit": "t7"}, LINE | {"hit": "t9"})
    assert tasks.hit is not None
    assert tasks.hit.tolist() == [0, 1]
    write_judgements(tasks, tmp_path / "copy.jsonl", format="jsonl")
    copied = load_judgements(tmp_path / "copy.jsonl")
    assert isinstance(copied, ErrorSpans)
    assert copied.hit is not None
    assert copied.rows([1]).hit.tolist() == [1]  # type: ignore[union-attr]
    with pytest.raises(InputError, match="line 1: unknown column 'judges'; did you mean 'judge'"):
        read(tmp_path, {"segment": 1, "system": "x", "judges": "a", "spans": []})
    with pytest.raises(InputError, match=r"line 2: no key 'spans'; write \[\]"):
        read(tmp_path, LINE, {"segment": 2, "system": "x", "judge": "a", "score": 3})
    with pytest.raises(InputError, match="line 2: the key 'judge' is not in every line"):
        read(tmp_path, LINE, {"segment": 2, "system": "x", "score": 3, "spans": []})
    with pytest.raises(InputError, match="line 1: segment is empty"):
        read(tmp_path, LINE | {"segment": None})
    with pytest.raises(InputError, match=r"--task \(task=\) chooses nothing here"):
        read(tmp_path, LINE, task="adequacy")


RATINGS = (
    'x\t{"errors": [{"start": 0, "end": 2, "category": "accuracy/omission", "severity": "Major", "score": 5, '
    '"is_source_error": true}, {"start": 9, "end": 9, "category": "fluency/punctuation", "severity": "minor", '
    '"score": 0.1, "is_source_error": false}]}\n'
    "x\tNone\n"
    'y\t{"errors": []}\trater1\n'
    'y\t{"errors": [{"start": 0, "end": 2, "severity": "minor", "category": null}]}\trater2\n'
)


def test_ratings(tmp_path: Path) -> None:
    found = rated(tmp_path, RATINGS, testset=SET)
    assert (found.systems, found.segments, found.judges) == (("x", "y"), ("1", "2"), ("", "rater1", "rater2"))
    assert (found.segment.tolist(), found.judge.tolist()) == ([0, 0, 1], [0, 1, 2])
    assert found.spans == (
        (
            ErrorSpan(start=0, end=2, severity="major", category="accuracy/omission", missing=True, in_source=True),
            ErrorSpan(start=9, end=9, severity="minor", category="fluency/punctuation", missing=True),
        ),
        (),
        (ErrorSpan(start=0, end=2, severity="minor"),),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RATINGS + "y\tNone\n", r"has 2 lines for x and 3 for y: every system needs a line per segment"),
        (RATINGS.replace("x\tNone", "x"), "line 2: 1 column, expected system, rating and perhaps a judge"),
        (RATINGS.replace("x\tNone", "x\tnone"), "line 2: not JSON"),
        (RATINGS.replace("x\tNone", "x\t{}"), "line 2: no key 'errors'"),
        (RATINGS.replace('"Major"', '"Neutral"'), "line 1: span 1: no severity named 'neutral'"),
        (RATINGS.replace('"end": 9', '"end": 10'), "line 1: span 2: 9–10 ends after the output of x"),
        (RATINGS.replace('"start": 0', '"start": 9'), "line 1: span 1: the span 9–2 ends before it starts"),
        ("x\tNone\nx\tNone\n", "no judgements: all of them are missing"),
        ("x\tNone\nx\tNone\nx\t" + '{"errors": []}\n', "line 3: segment '3' is not in the test set"),
    ],
)
def test_faults_of_ratings(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"seg\.rating.*{message}"):
        rated(tmp_path, text, testset=SET)


ERRORS = st.builds(
    lambda start, length, severity, category, missing, in_source: ErrorSpan(
        start=start,
        end=start + (length if missing else max(length, 1)),
        severity=severity,
        category=category,
        missing=missing,
        in_source=in_source,
    ),
    st.integers(0, 50),
    st.integers(0, 9),
    st.sampled_from(["minor", "major", "critical"]),
    st.text(max_size=5),
    st.booleans(),
    st.booleans(),
)


@given(
    st.lists(st.tuples(st.lists(ERRORS, max_size=4), st.none() | st.floats(0, 100)), min_size=1, max_size=4),
    st.booleans(),
)
def test_what_is_written_reads_back(tmp_path_factory: pytest.TempPathFactory, rows: Any, kinds: bool) -> None:
    n = len(rows)
    written = ErrorSpans(
        ("x",),
        tuple(map(str, range(1, n + 1))),
        ("a",),
        np.arange(n),
        np.zeros(n, dtype=np.int64),
        system=np.zeros(n, dtype=np.int64),
        spans=tuple(tuple(errors) for errors, _ in rows),
        score=np.array([np.nan if score is None else score for _, score in rows]),
        item=np.array(["REPEAT" if kinds else ""] * n),
    )
    path = tmp_path_factory.mktemp("spans") / "written.jsonl"
    write_judgements(written, path, format="jsonl")
    found = load_judgements(path)
    assert isinstance(found, ErrorSpans)
    assert (found.spans, found.segments, found.judges) == (written.spans, written.segments, written.judges)
    np.testing.assert_array_equal(found.score, written.score)
    assert found.item.tolist() == written.item.tolist()


def test_spans_are_not_written_as_tsv(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="write jsonl"):
        write_judgements(read(tmp_path, LINE), tmp_path / "out.tsv")
