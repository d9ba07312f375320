"""The drop-in for sacreBLEU on WMT13: equal to the last digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sacrebleu as original

import mtassay.compat.sacrebleu as sacrebleu
from mtassay.data import read_lines


@pytest.fixture(scope="module")
def texts(data_dir: Path) -> tuple[list[list[str]], list[str]]:
    """Every tenth segment of three systems, and the reference."""
    folder = data_dir / "wmt13" / "fr-en"
    files = [*sorted((folder / "hyp").iterdir())[:3], folder / "ref"]
    *systems, reference = (read_lines(path)[::10] for path in files)
    return systems, reference


@pytest.mark.parametrize(
    ("function", "options", "n_segments"),
    [
        ("corpus_bleu", {}, 300),
        ("corpus_bleu", {"tokenize": "intl", "lowercase": True}, 300),
        ("corpus_chrf", {}, 300),
        ("corpus_chrf", {"word_order": 2, "eps_smoothing": True}, 300),
        ("corpus_ter", {"normalized": True}, 60),
        ("corpus_ter", {}, 60),
    ],
)
def test_equal(function: str, options: dict[str, Any], n_segments: int, texts: Any) -> None:
    systems, reference = texts
    for system in systems:
        arguments = (system[:n_segments], [reference[:n_segments], system[1 : n_segments + 1]])
        ours, theirs = (getattr(module, function)(*arguments, **options) for module in (sacrebleu, original))
        assert vars(ours) == vars(theirs)
