"""What CITATION.cff says of the program."""

from __future__ import annotations

import re
from pathlib import Path

import mtassay

_CITATION = Path(__file__).parents[2] / "CITATION.cff"


def test_the_version_is_that_of_the_program() -> None:
    assert re.findall(r"^version: (.+)$", _CITATION.read_text(encoding="utf-8"), re.MULTILINE) == [mtassay.__version__]
