from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mtassay.data.formats.mert_files import read_mert_features, read_mert_scores
from mtassay.data.formats.weights import listed, read_weights, update_ini
from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[[str], Path]

INI = """# a comment
[feature]
KENLM name=LM0
[weight]
LM0= 0.5
TM0= 0.2 0.3   # two
"""
OLD_INI = """[weight-l]
0.5

[weight-t]
0.2
-0.3
[other]
7
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str) -> Path:
        path = tmp_path / "file"
        path.write_text(text, encoding="utf-8")
        return path

    return written


class TestWeights:
    def test_moses_ini(self, write: Write) -> None:
        assert read_weights(write(INI)) == {"LM0_0": 0.5, "TM0_0": 0.2, "TM0_1": 0.3}
        assert read_weights(write(OLD_INI)) == {"lm_0": 0.5, "tm_0": 0.2, "tm_1": -0.3}

    def test_ini_is_written_with_everything_else_as_it_was(self, write: Write) -> None:
        assert update_ini(write(INI), {"TM0_1": -1.25}) == INI.replace("0.2 0.3   # two", "0.2 -1.25   # two")
        assert update_ini(write(OLD_INI), {"tm_0": 0.25, "lm_0": 1e-9}) == OLD_INI.replace("0.2", "0.25").replace(
            "0.5", "1e-09"
        )
        with pytest.raises(InputError, match="no weight of feature 'W_0'"):
            update_ini(write(INI), {"W_0": 1.0})

    def test_weights_that_stay_keep_their_digits(self, write: Write) -> None:
        text = "[weight]\nW0= -1   # fixed\nTM0=1 .50\n"
        assert update_ini(write(text), {"TM0_1": 0.5, "W0_0": -1.0}) == text
        assert update_ini(write(text), {"TM0_1": 0.25}) == text.replace(".50", "0.25")

    def test_ini_may_have_more_weights_than_lists_have_features(self, write: Write) -> None:
        assert read_weights(write(INI), ["LM0_0"]) == {"LM0_0": 0.5}
        with pytest.raises(InputError, match="no weight of feature 'LM1_0'"):
            read_weights(write(INI), ["LM1_0"])

    def test_deep_json(self, write: Write) -> None:
        with pytest.raises(InputError, match="nested too deeply"):
            read_weights(write('{"a": ' * 100_000 + "1" + "}" * 100_000))

    @pytest.mark.parametrize("text", ["a 1\nb -2.5\n", "a= 1\nb= -2.5\n", "a=1\n# c 3\nb=-2.5\n", "1 -2.5\n0 0\n1 1\n"])
    def test_lists(self, write: Write, text: str) -> None:
        assert read_weights(write(text), ["a", "b"]) == {"a": 1.0, "b": -2.5}

    def test_what_is_listed_reads_back(self, write: Write) -> None:
        weights = {"LM0_0": 0.1 + 0.2, "w": -1e-17}
        assert read_weights(write(listed(weights))) == weights

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("1 2 3\n", "line 1: 3 weights of 2 features"),
            ("a 1\n", "no weight of feature 'b'"),
            ("a 1\nb 1\nbb 1\n", "no feature named 'bb'; did you mean 'b'"),
            ("a 1\na 2\n", "line 2: a second weight of 'a'"),
            ("a nan\nb 1\n", "line 1: 'nan' is not a finite number"),
            ("a 1\nb x\n", "line 2: 'x' is not a finite number"),
            ("a 1 2\n", "line 1: 'a 1 2' is not a weight"),
            ("[feature]\nx\n", "no weights; there should be a section"),
            ("[weight]\nx\n", "line 2: 'x' is not a weight"),
            ("# nothing\n", "has no weights"),
            ('{"a": 1, "b": 2, "a": 3}\n', "'a' occurs twice"),
            ('{"weights": {"a": 1, "a": 3}}\n', "'a' occurs twice"),
            (f'{{"a": 1, "b": {"9" * 5000}}}\n', "the weight of 'b' is not a finite number"),
            ('{"a": 1, "b": true}\n', "the weight of 'b' is not a finite number"),
            ("[weight]\na= 1\nb= 1\na= 2 3\n", "line 4: a second weight of 'a_0'"),
            ("[weight-l]\n1\n[weight-l]\n2\n", "line 4: a second weight of 'lm_0'"),
            ("[weight-l]\n1 2\n", "line 2: '1 2' is not a finite number"),
            ("[weight]\na= 1=2\n", "line 2: '1=2' is not a finite number"),
            ("a \u0661\nb 1\n", "line 1: '\u0661' is not a finite number"),
            ("a 1_0\nb 1\n", "line 1: '1_0' is not a finite number"),
        ],
    )
    def test_bad_weights_are_named(self, write: Write, text: str, message: str) -> None:
        with pytest.raises(InputError, match=message):
            read_weights(write(text), ["a", "b"])

    def test_numbers_need_names(self, write: Write) -> None:
        with pytest.raises(InputError, match="line 1: numbers without names"):
            read_weights(write("1 2\n"))


FEATURES = """FEATURES_TXT_BEGIN_0 0 2 2 lm_0 w_0
-1.5 2
0 3
FEATURES_TXT_END_0
FEATURES_TXT_BEGIN_0 1 1 2 lm_0 w_0
1 1
FEATURES_TXT_END_0
"""


class TestMertFiles:
    def test_reading(self, write: Write) -> None:
        table = read_mert_features(write(FEATURES))
        assert table.names == ("lm_0", "w_0")
        assert (table.values.tolist(), table.offsets.tolist()) == ([[-1.5, 2], [0, 3], [1, 1]], [0, 2, 3])
        scores = FEATURES.replace("FEATURES", "SCORES").replace("lm_0 w_0", "BLEU")
        assert read_mert_scores(write(scores), table).names == ("BLEU",)

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("BEGIN_0 1 1 2", "BEGIN_0 \u0661 1 2", "line 5: expected 'FEATURES_TXT_BEGIN_0"),
            ("BEGIN_0 1 1 2", f"BEGIN_0 {'9' * 5000} 1 2", "line 5: expected 'FEATURES_TXT_BEGIN_0"),
            ("FEATURES_TXT_BEGIN_0 0", "FEATURES_BIN_BEGIN_0 0", "line 1: the binary form"),
            ("FEATURES_TXT_BEGIN_0 0", "SCORES_TXT_BEGIN_0 0", "line 1: expected 'FEATURES_TXT_BEGIN_0"),
            ("BEGIN_0 1 1", "BEGIN_0 2 1", "line 5: sentence 2, but sentence 1 is expected"),
            ("0 3\n", "0\n", "line 3: 1 value, expected 2"),
            ("0 3\n", "0 nan\n", "line 3: 'nan' is not a finite number"),
            ("0 3\n", "0 x\n", "line 3: 'x' is not a finite number"),
            ("0 3\n", "0 3\n4 4\n", "line 4: 'FEATURES_TXT_END_0' is missing after 2 candidates"),
            ("1 1\nFEATURES_TXT_END_0\n", "", "1 candidate announced, but the file ends after 0"),
            ("1 1 2 lm_0 w_0", "1 1 2 lm_0 x_0", "line 5: the columns differ from those in line 1"),
            ("0 2 2 lm_0 w_0", "0 2 2 lm_0", "line 5: the columns differ"),
            ("BEGIN_0 0 2 2", "BEGIN_0 0 0 2", "line 1: sentence 0 has no candidates"),
        ],
    )
    def test_bad_files_are_named(self, write: Write, old: str, new: str, message: str) -> None:
        assert old in FEATURES
        with pytest.raises(InputError, match=message):
            read_mert_features(write(FEATURES.replace(old, new)))

    def test_scores_of_other_candidates(self, write: Write) -> None:
        features = read_mert_features(write(FEATURES))
        scores = FEATURES.replace("FEATURES", "SCORES").replace("0 2 2", "0 1 2").replace("0 3\n", "")
        with pytest.raises(InputError, match=r"line 1: sentence 0 has different numbers of candidates here \(1\)"):
            read_mert_scores(write(scores), features)
        shorter = FEATURES.replace("FEATURES", "SCORES").split("SCORES_TXT_BEGIN_0 1")[0]
        with pytest.raises(InputError, match=r"has 1 sentence, .* has 2"):
            read_mert_scores(write(shorter), features)
