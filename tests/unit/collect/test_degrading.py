"""Degraded outputs follow the published rule."""

from __future__ import annotations

import numpy as np
import pytest

from mtassay.collect.degrading import degraded, n_replaced
from mtassay.errors import InputError

OTHERS = [" ".join(f"o{number}-{word}" for word in range(12)) for number in range(5)]


def test_number_of_replaced_words() -> None:
    """The table of Graham et al.: 1–3: 1, 4–5: 2, 6–7: 3, 8–14: 4, 15–19: 5, from 20 on a quarter."""
    table = {1: 1, 3: 1, 4: 2, 5: 2, 6: 3, 7: 3, 8: 4, 14: 4, 15: 5, 19: 5, 20: 5, 23: 5, 24: 6, 40: 10}
    assert {n: n_replaced(n) for n in table} == table


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 14, 19, 23, 24, 28, 60])
def test_a_phrase_of_another_reference(n: int) -> None:
    words = [f"w{place}" for place in range(n)]
    for seed in range(20):
        text, (start, end) = degraded(" ".join(words), OTHERS, np.random.default_rng(seed))
        phrase = text[start:end].split()
        assert any(" ".join(phrase) in other for other in OTHERS)
        count = n_replaced(n)
        assert len(phrase) == (count if count <= 5 else 6)
        kept = [word for word in text.split() if word.startswith("w")]
        assert len(kept) == n - count
        assert kept == [word for word in words if word in kept]
        if n >= 3:
            assert (text.split()[0], text.split()[-1]) == (words[0], words[-1])


def test_characters_where_a_script_has_no_blanks() -> None:
    text, (start, end) = degraded("我们明天去北京", ["他喜欢吃苹果和香蕉"], np.random.default_rng(1))
    assert text[start:end] in "他喜欢吃苹果和香蕉"
    assert (len(text), end - start) == (7, 3)
    assert (text[0], text[-1]) == ("我", "京")


def test_the_phrase_differs_from_what_it_replaces() -> None:
    for seed in range(10):
        text, _ = degraded("a b c", ["b x"], np.random.default_rng(seed))
        assert text == "a x c"
    with pytest.raises(InputError, match="cannot be degraded"):
        degraded("a", ["a"], np.random.default_rng(0))
