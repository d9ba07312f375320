from __future__ import annotations

import re
import unicodedata

import pytest

from mtassay.text.unicode_classes import NUMBER, PUNCTUATION, SYMBOL, character_set, class_table, code_ranges


def test_classes_agree_with_python_where_python_knows_the_character() -> None:
    letters = {"P": 1, "S": 2, "N": 3}
    different = [
        code
        for code, value in enumerate(class_table())
        if (category := unicodedata.category(chr(code))) != "Cn" and letters.get(category[0], 0) != value
    ]
    # A character's category can change from one version of Unicode to the next, but seldom does.
    assert len(different) <= 10
    assert min(different, default=0x300) > 0x2FF


@pytest.mark.parametrize("table", [PUNCTUATION, SYMBOL, NUMBER])
def test_ranges_are_sorted_and_apart(table: str) -> None:
    edges = [edge for first, last in code_ranges(table) for edge in (first, last + 1)]
    assert edges == sorted(set(edges))


@pytest.mark.parametrize(("table", "value"), [(PUNCTUATION, 1), (SYMBOL, 2), (NUMBER, 3)])
def test_character_set_matches_its_class(table: str, value: int) -> None:
    pattern = re.compile(f"[{character_set(table)}]")
    everything = "".join(map(chr, range(0x110000)))
    assert [match.start() for match in pattern.finditer(everything)] == [
        code for code, kind in enumerate(class_table()) if kind == value
    ]
