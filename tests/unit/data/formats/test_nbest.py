from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mtassay.data import accumulate, read_nbest
from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]

MOSES = """0 ||| the cat ||| LM0= -1.5 TM0= -1 -2 ||| -3.5 ||| 0-0 1-1
0 ||| a  cat ||| LM0= -2 TM0= -1 -3 ||| -4
1 ||| ||| LM0= 0 TM0= -0.0 0 ||| 0
"""


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def write(text: str, name: str = "nbest") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


class TestFormats:
    def test_moses(self, written: Write) -> None:
        nbest = read_nbest(written(MOSES))
        assert nbest.features == ("LM0_0", "TM0_0", "TM0_1")
        assert nbest.values.tolist() == [[-1.5, -1, -2], [-2, -1, -3], [0, 0, 0]]
        assert not np.signbit(nbest.values[2]).any()
        assert nbest.texts == ("the cat", "a  cat", "")
        assert nbest.offsets.tolist() == [0, 2, 3]
        assert nbest.lines.tolist() == [1, 3]
        assert (len(nbest), nbest.n_sentences, nbest.sentence_index.tolist()) == (3, 2, [0, 0, 1])

    @pytest.mark.parametrize("end", ["\n", "\r\n", ""])
    def test_older_spelling_and_compression(self, tmp_path: Path, end: str) -> None:
        path = tmp_path / "nbest.gz"
        path.write_bytes(gzip.compress(f"0||| le chat  ||| d: 0 1 lm: -4 ||| -1{end}".encode()))
        nbest = read_nbest(path)
        assert (nbest.features, nbest.values.tolist(), nbest.texts) == (
            ("d_0", "d_1", "lm_0"),
            [[0, 1, -4]],
            ("le chat",),
        )

    def test_joshua_and_cdec(self, written: Write) -> None:
        nbest = read_nbest(written("0 ||| a ||| lm_0=-1 Glue=2 ||| 1\n0 ||| b ||| Glue=3 PassThrough=1e-1\n"))
        assert nbest.features == ("lm_0", "Glue", "PassThrough")
        assert nbest.values.tolist() == [[-1, 2, 0], [0, 3, 0.1]]

    def test_bare_numbers(self, written: Write) -> None:
        nbest = read_nbest(written("0 ||| a ||| 1 2 ||| 1\n0 ||| b ||| 3 4 ||| 1\n"))
        assert (nbest.features, nbest.values.tolist()) == (("F0", "F1"), [[1, 2], [3, 4]])

    def test_sparse_features_are_left_out_or_folded(self, written: Write) -> None:
        path = written("0 ||| a ||| LM0= 1 dlm_x= 2 dlm_y= 3 W= 5 ||| 0\n0 ||| b ||| LM0= 2 W= 6 dlm_x= -1 ||| 0\n")
        plain = read_nbest(path)
        assert (plain.features, plain.values.tolist()) == (("LM0_0", "W_0"), [[1, 5], [2, 6]])
        assert plain.left_out == {"dlm_x", "dlm_y"}
        folded = read_nbest(path, sparse_weights={"dlm_x": 10.0})
        assert (folded.features, folded.values.tolist()) == (("LM0_0", "W_0", "sparse"), [[1, 5, 20], [2, 6, -10]])

    def test_sentences_in_any_order(self, written: Write) -> None:
        nbest = read_nbest(written("1 ||| b ||| 1\n0 ||| a ||| 2\n1 ||| c ||| 3\n"))
        assert (nbest.texts, nbest.offsets.tolist(), nbest.lines.tolist()) == (("a", "b", "c"), [0, 1, 3], [2, 1])

    def test_blocks_do_not_change_anything(self, written: Write, monkeypatch: pytest.MonkeyPatch) -> None:
        path = written("".join(f"{i // 7} ||| text {i} é ||| LM0= {i} TM0= 1 {-i}\n" for i in range(50)))
        whole = read_nbest(path)
        monkeypatch.setattr("mtassay.io.streams._BLOCK", 60)
        pieces = read_nbest(path)
        assert whole.texts == pieces.texts
        np.testing.assert_array_equal(whole.values, pieces.values)
        np.testing.assert_array_equal(whole.lines, pieces.lines)


class TestDuplicates:
    def test_text_and_features_alike(self, written: Write) -> None:
        nbest = read_nbest(written("0 ||| a ||| 1\n0 ||| a ||| 2\n0 ||| a ||| 1\n0 ||| b ||| 1\n1 ||| a ||| 1\n"))
        assert (nbest.texts, nbest.values.ravel().tolist()) == (("a", "a", "b", "a"), [1, 2, 1, 1])
        assert nbest.offsets.tolist() == [0, 3, 4]

    def test_lists_of_several_iterations(self, written: Write) -> None:
        first = read_nbest(written("0 ||| a ||| 1\n1 ||| b ||| 1\n", "1"))
        second = read_nbest(written("0 ||| c ||| 1\n0 ||| a ||| 1\n1 ||| b ||| 2\n", "2"))
        merged = accumulate([first, second, first])
        assert (merged.texts, merged.values.ravel().tolist()) == (("a", "c", "b", "b"), [1, 1, 1, 2])
        assert merged.offsets.tolist() == [0, 2, 4]

    def test_features_that_may_be_absent(self, written: Write) -> None:
        first = read_nbest(written("0 ||| a ||| x=1\n", "1"))
        merged = accumulate([first, read_nbest(written("0 ||| b ||| y=2 x=3\n", "2"))])
        assert (merged.features, merged.values.tolist()) == (("x", "y"), [[1, 0], [3, 2]])

    def test_other_features_or_sentences_are_refused(self, written: Write) -> None:
        first = read_nbest(written("0 ||| a ||| LM= 1\n", "1"))
        with pytest.raises(InputError, match=r"1 has no feature 'TM_0', which .*2 has"):
            accumulate([first, read_nbest(written("0 ||| a ||| TM= 1\n", "2"))])
        with pytest.raises(InputError, match=r"2 sentences, .* has 1"):
            accumulate([first, read_nbest(written("0 ||| a ||| LM= 1\n1 ||| a ||| LM= 1\n", "3"))])
        with pytest.raises(InputError, match="no n-best list"):
            accumulate([])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 ||| a ||| LM= 1\n2 ||| a ||| LM= 1\n", "line 2: sentence 2, but sentence 1 has no candidates"),
        ("1 ||| a ||| LM= 1\n", "line 1: sentence 1, but sentence 0 has no candidates"),
        ("0 ||| a ||| LM= 1\n0 ||| a ||| LM= 1 2\n", "line 2: 2 features, but line 1 has 1"),
        ("0 ||| a ||| LM= 1\n\n0 ||| a ||| TM= 1\n", "line 3: feature 'TM_0', but line 1 has 'LM_0'"),
        (
            "0 ||| a ||| LM= 1\n0 ||| a ||| LM= nan\n",
            "line 2: feature 'LM_0' is nan; every feature needs",
        ),
        ("0 ||| a ||| LM= -inf\n", "line 1: feature 'LM_0' is -inf"),
        ("0 ||| a ||| LM= x\n", "line 1: feature 'LM_0' is not a number: 'x'"),
        ("0 ||| a ||| LM= 1\n0 ||| a ||| LM= 1_0\n", "line 2: feature 'LM_0' is not a number: '1_0'"),
        ("0 ||| a ||| x=1 x=2\n", "line 1: a feature occurs twice"),
        ("0 ||| a ||| LM= 1 LM= 2\n", "line 1: feature 'LM_0' occurs twice"),
        ("0 ||| a\n", "line 1: 2 fields; write 0"),
        ("x ||| a ||| LM= 1\n", "line 1: 'x' is not a sentence number"),
        ("\u0660 ||| a ||| LM= 1\n", "line 1: '\u0660' is not a sentence number"),
        ("0 ||| a ||| LM= \u0661\n", "line 1: feature 'LM_0' is not a number: '\u0661'"),
        ("-1 ||| a ||| LM= 1\n", "line 1: '-1' is not a sentence number"),
        ("0 ||| a ||| ||| 1\n", "has no features"),
        ("\n\n", "has no candidates"),
        (
            "0 ||| a ||| " + " ".join(f"f{i}=1" for i in range(1001)),
            "line 1: more than 1000 features; give lists without sparse features",
        ),
    ],
)
def test_bad_lists_are_named(written: Write, text: str, message: str) -> None:
    path = written(text)
    with pytest.raises(InputError) as error:
        read_nbest(path)
    assert message in str(error.value)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_bytes_that_are_no_text_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mtassay.io.streams._BLOCK", 10)
    path = tmp_path / "nbest"
    path.write_bytes(b"\xef\xbb\xbf0 ||| a ||| LM= 1\n0 ||| \xff ||| LM= 1\n")
    with pytest.raises(InputError, match="nbest, line 2: byte 0xff is not utf-8"):
        read_nbest(path)
