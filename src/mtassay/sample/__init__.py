"""A small German-English test set made for illustration; README.md beside this file says how.

Texts, systems and human scores are invented. This package only says where the files
are; `mtassay.data` reads them.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["human_scores_path", "sample_path"]


def sample_path() -> Path:
    """Where the segments are: sources, two references and six systems, as JSON lines.

    >>> sample_path().name
    'sample.jsonl'
    """
    return _path("sample.jsonl")


def human_scores_path() -> Path:
    """Where the invented human scores are: a TSV with columns segment, system, judge and score.

    >>> human_scores_path().read_text(encoding="utf-8").splitlines()[0].split()
    ['segment', 'system', 'judge', 'score']
    """
    return _path("human.tsv")


def _path(name: str) -> Path:
    return Path(str(files(__name__) / name))
