"""Files of scores: every layout reads to the same values, every mistake is one line that names its place."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from mtassay.data import read_scores
from mtassay.errors import InputError

#: The same scores of two systems and three segments in every layout.
LAYOUTS = {
    "x.seg.score": "A\t0.5\nA\t-1\nA\t2e-1\nB\t1\nB\t2\nB\t3\n",
    "interleaved.score": "A\t0.5\nB\t1\nA\t-1\nB\t2\nA\t0.2\nB\t3\n",
    "long.tsv": "segment\tsystem\tscore\n2\tA\t-1\n1\tA\t0.5\n3\tA\t0.2\n3\tB\t3\n1\tB\t1\n2\tB\t2\n",
    "ids.tsv": "id\tsystem\tscore\ns2\tA\t-1\ns1\tA\t0.5\ns3\tA\t0.2\ns3\tB\t3\ns1\tB\t1\ns2\tB\t2\n",
    "other-column.tsv": "doc\tsystem\tsegment\tCOMET\n"
    "d\tA\t1\t0.5\nd\tA\t2\t-1\ne\tA\t3\t0.2\nd\tB\t1\t1\nd\tB\t2\t2\ne\tB\t3\t3\n",
    "wide.tsv": "segment\tdoc\tA\tB\n1\td\t0.5\t1\n2\td\t-1\t2\n3\te\t0.2\t3\n",
    "wide-ids.tsv": "B\tid\tA\n3\ts3\t0.2\n1\ts1\t0.5\n2\ts2\t-1\n",
    "x.jsonl": '{"system": "A", "segment": 1, "score": 0.5}\n{"system": "A", "segment": "2", "score": -1}\n'
    '{"segment": 3, "system": "A", "score": "0.2"}\n{"system": "B", "segment": 1, "score": 1}\n'
    '{"system": "B", "segment": 3, "score": 3.0}\n{"system": "B", "segment": 2, "score": 2}\n',
    "json-in-order": "".join(
        f'{{"system": "{s}", "score": {v}}}\n' for s, v in zip("AAABBB", [0.5, -1, 0.2, 1, 2, 3], strict=True)
    ),
    "task.seg": "".join(
        f"M\tfr-en\tnewstest2013\t{s}\t{i}\t{v}\n" for s, i, v in [*zip("AAA", "132", [0.5, 0.2, -1], strict=True)]
    )
    + "".join(f"M\tfr-en\tnewstest2013\tB\t{i}\t{i}\n" for i in (1, 2, 3)),
    "task-2018.seg": "".join(
        f"M\tfr-en\tt\t{s}\t{i}\t{v}\tnon-ensemble\tyes\n"
        for s, i, v in zip("AAABBB", "123123", [0.5, -1, 0.2, 1, 2, 3], strict=True)
    ),
    "windows.score": "A\t0.5\r\nA\t-1\r\nA\t0.2\r\nB\t1\r\nB\t2\r\nB\t3\r\n",
}


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_gives_the_same_scores(tmp_path: Path, name: str) -> None:
    found = read_scores(write(tmp_path, name, LAYOUTS[name]))
    assert found.level == "segment"
    assert list(found.rows) == (["B", "A"] if name == "wide-ids.tsv" else ["A", "B"])
    assert found.of_system("A", 3, ids=["s1", "s2", "s3"]) == [0.5, -1.0, 0.2]
    assert found.of_system("B", 3, ids=["s1", "s2", "s3"]) == [1.0, 2.0, 3.0]


def test_compressed_files_are_the_same_files(tmp_path: Path) -> None:
    plain = read_scores(write(tmp_path, "x.seg.score", LAYOUTS["x.seg.score"]))
    packed = tmp_path / "x.seg.score.gz"
    packed.write_bytes(gzip.compress(LAYOUTS["x.seg.score"].encode()))
    assert read_scores(packed).rows == plain.rows
    assert read_scores(packed).digest == plain.digest
    assert plain.digest == hashlib.sha256(LAYOUTS["x.seg.score"].encode()).hexdigest()[:8]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.sys.score", "A\t0.5\nB\t1\n"),
        ("x.score", "A\t0.5\nB\t1\n"),
        ("x.tsv", "system\tBLEU\nA\t0.5\nB\t1\n"),
        ("x.sys", "M\tfr-en\tt\tA\t0.5\nM\tfr-en\tt\tB\t1\n"),
        ("x", "M\tfr-en\tt\tA\t0.5\tno\tno\nM\tfr-en\tt\tB\t1\tno\tno\n"),
        ("x.jsonl", '{"system": "A", "score": 0.5}\n{"system": "B", "score": 1}\n'),
    ],
)
def test_scores_of_whole_systems(tmp_path: Path, name: str, text: str) -> None:
    found = read_scores(write(tmp_path, name, text))
    assert found.level == "system"
    assert found.of_system("A", 100) == [0.5]


@pytest.mark.parametrize("name", ["system", "id", "Segment", "score"])
def test_systems_with_names_of_columns(tmp_path: Path, name: str) -> None:
    found = read_scores(write(tmp_path, "x.seg.score", f"{name}\t0.5\n{name}\tNone\nB\t1\nB\t2\n"))
    assert found.of_system("B", 2) == [1.0, 2.0]
    assert list(found.rows) == [name, "B"]


def test_a_test_set_of_one_segment(tmp_path: Path) -> None:
    found = read_scores(write(tmp_path, "x.seg.score", "A\t0.5\n"))
    assert (found.level, found.of_system("A", 1)) == ("segment", [0.5])


def test_columns_and_rows_are_chosen(tmp_path: Path) -> None:
    path = write(
        tmp_path, "x.tsv", "METRIC\tLP\tSYSTEM\tSCORE\tz\nM\tfr-en\tA\t1\t5\nN\tfr-en\tA\t2\t6\nM\tde-en\tA\t3\t7\n"
    )
    assert read_scores(path, where={"metric": "M", "lp": "de-en"}).of_system("A", 9) == [3.0]
    assert read_scores(path, where={"metric": "N"}, column="z").of_system("A", 9) == [6.0]
    with pytest.raises(InputError, match=r"several values of metric; choose with metric= \(M, N\)"):
        read_scores(path)
    with pytest.raises(InputError, match=r"several values of lp; choose with lp= \(fr-en, de-en\)"):
        read_scores(path, where={"metric": "M"})
    with pytest.raises(InputError, match=r"no metric named 'X' \(known: M, N\)"):
        read_scores(path, where={"metric": "X"})
    with pytest.raises(InputError, match="has no column 'testset' to choose rows by; leave out testset="):
        read_scores(path, where={"testset": "t", "metric": "M", "lp": "fr-en"})


def test_rows_of_a_table_with_a_column_per_system_are_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, "x.tsv", "metric\tsegment\tA\tB\nM\t1\t0.1\t0.2\nN\t1\t0.3\t0.4\n")
    assert read_scores(path, where={"metric": "N"}).of_system("B", 1) == [0.4]
    with pytest.raises(InputError, match=r"several values of metric; choose with metric= \(M, N\)"):
        read_scores(path)


def test_a_missing_score_of_a_system_that_nobody_asks_for(tmp_path: Path) -> None:
    found = read_scores(write(tmp_path, "x.seg.score", "A\t1\nA\t2\nhuman\tNone\nhuman\t3\n"))
    assert found.of_system("A", 2) == [1.0, 2.0]
    assert found.of_system("human", 2) == [None, 3.0]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.seg.score", "A\t1\nA\tnan\n", "line 2: 'nan' is not a score; write a number, or None if it is missing"),
        ("x.seg.score", "A\t1\nA\tinf\n", "line 2: 'inf' is not a score"),
        ("x.seg.score", "A\t1\nA\t1e400\n", "line 2: '1e400' is not a score"),
        ("x.seg.score", "A\t1\nA\t-1e200\n", "line 2: '-1e200' is too large for a score"),
        ("x.seg.score", "A\t1\nA\t1_0\n", "line 2: '1_0' is not a score"),
        ("x.seg.score", "A\t1\nA\tgood\n", "line 2: 'good' is not a score"),
        ("x.seg.score", "A\t1\nA\n", "line 2: 1 tab-separated column, expected 2"),
        ("x.seg.score", "A\t1\n\t1\n", "line 2: 'system' is ''; it must be a text or a whole number"),
        ("x.seg.score", "A\tgood\nA\t1\n", "line 1: 'good' is not a score; write a number, or None if it is missing"),
        ("x.seg.score", "A\tnan\nA\t1\n", "line 1: 'nan' is not a score"),
        ("x.seg.score", "A\t1,5\nA\t1\n", "line 1: '1,5' is not a score"),
        ("x.tsv", "name\tscore\nA\t1\n", "'score' is not a score; write a number, or None if it is missing (a header"),
        ("x.tsv", "a\tb\tc\nA\t1\t2\n", "line 1: neither a header with 'system' nor scores"),
        ("x.txt", "a line of text\n", "line 1: neither a header with 'system' nor scores"),
        ("x.seg.score", "", "is empty"),
        ("x.score", "news\tA\t1\n", "has scores of documents or domains; give scores of segments"),
        ("x.doc.score", "d\tA\t1\n", "has scores of documents or domains"),
        ("x.tsv", "system\tscore\n", "line 1: only a header"),
        ("x.tsv", "system\tscore\tscore\n", "line 1: column 3 has the same name 'score' as another column"),
        ("x.tsv", "system\t\tscore\n", "line 1: column 2 has no name"),
        ("x.tsv", "system\ta\tb\nA\t1\t2\n", "no column of scores named 'score' (known: a, b); column= chooses one"),
        ("x.tsv", "system\tsegment\nA\t1\n", "no column of scores named 'score' (known: none)"),
        ("x.tsv", "segment\tdoc\n1\td\n", "has no column with scores"),
        ("x.jsonl", '{"system": "A", "score": NaN}\n', "line 1: 'nan' is not a score"),
        ("x.jsonl", '{"system": "A", "score": true}\n', "line 1: 'True' is not a score"),
        ("x.jsonl", '{"system": "A", "score": 1}\n{"system": "A"}\n', "line 2: there is no 'score'"),
        ("x.jsonl", '{"score": 1}\n', "line 1: there is no 'system'"),
        ("x.jsonl", '{"system": ["A"], "score": 1}\n', "line 1: 'system' is \"['A']\"; it must be a text"),
        ("x.jsonl", '{"system": "A", "system": "B"}\n', "line 1: 'system' is given twice in one object"),
        ("x.jsonl", "[1]\n", 'line 1: expected an object such as {"system": "...", "segment": 1, "score": 0.5}'),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_scores(write(tmp_path, name, text))
    assert message in str(raised.value)
    assert name in str(raised.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.seg.score", "A\t1\nA\t2\nA\t3\n", "line 3: 3 scores of A, the test set has 2 segments"),
        ("x.seg.score", "A\t1\nB\t2\n", "line 1: 1 score of A, the test set has 2 segments"),
        ("x.sys.score", "A\t1\nB\t2\nA\t3\n", "line 3: A is given twice (first in line 1)"),
        ("x.seg.score", "a\t1\na\t2\n", "no system named 'A' (known: a)"),
        (
            "x.tsv",
            "system\tsegment\tscore\nA\t1\t1\nA\t1\t2\n",
            "line 3: A, segment 1 is given twice (first in line 2)",
        ),
        (
            "x.tsv",
            "system\tsegment\tscore\nA\t1\t1\nA\t3\t2\n",
            "line 3: the segment '3' of A is not a number from 1 to 2",
        ),
        (
            "x.tsv",
            "system\tsegment\tscore\nA\t0\t1\nA\t1\t2\n",
            "line 2: the segment '0' of A is not a number from 1 to 2",
        ),
        ("x.tsv", "system\tsegment\tscore\nA\t2\t1\n", "x.tsv: A, segment 1 has no row"),
        ("x.tsv", "system\tid\tscore\nA\ts1\t1\nA\ts9\t1\n", "line 3: the id 's9' of A is not an id of the test set"),
        ("x.tsv", "segment\tA\n1\tNone\n2\tNone\n", "line 2: all scores of A are missing"),
    ],
)
def test_files_that_do_not_fit_the_test_set(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_scores(write(tmp_path, name, text)).of_system("A", 2, ids=["s1", "s2"])
    assert message in str(raised.value)


def test_hint_at_a_name(tmp_path: Path) -> None:
    found = read_scores(write(tmp_path, "x.sys.score", "online-A\t1\njhu\t2\n"))
    with pytest.raises(InputError, match=r"no system named 'onlineA'; did you mean 'online-A'\?"):
        found.of_system("onlineA", 2)


def test_identifiers_that_name_two_segments(tmp_path: Path) -> None:
    found = read_scores(write(tmp_path, "x.tsv", "system\tid\tscore\nA\ts\t1\n"))
    with pytest.raises(InputError, match="ids of the test set are not unique"):
        found.of_system("A", 2, ids=["s", "s"])


def test_identifiers_without_identifiers_in_the_test_set_are_numbers(tmp_path: Path) -> None:
    found = read_scores(write(tmp_path, "x.tsv", "system\tid\tscore\nA\t2\t1\nA\t1\t5\n"))
    assert found.of_system("A", 2) == [5.0, 1.0]
