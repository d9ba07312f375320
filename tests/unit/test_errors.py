"""What messages say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mtassay.cli.main import main
from mtassay.errors import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("bleu", ""),
        ("Bleu", "; did you mean 'bleu'?"),
        ("caf\u00e9", "; did you mean 'cafe\u0301'?"),
        ("bleuu", "; did you mean 'bleu'?"),
        ("xyz", ""),
    ],
)
def test_another_name_is_meant(word: str, hint: str) -> None:
    assert did_you_mean(word, ["bleu", "bleu2", "cafe\u0301"]) == hint


def test_a_link_to_nothing_is_not_suggested_for_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reference, hypothesis = tmp_path / "ref.txt", tmp_path / "hyp.txt"
    reference.write_text("a\n")
    hypothesis.symlink_to("nowhere.txt")
    assert main(["score", str(reference), "-i", str(hypothesis)]) == 2
    assert capsys.readouterr().err == f"mtassay: {hypothesis}: no such file\n"
