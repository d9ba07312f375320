"""References, and outputs that lack some of their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np


def made_references(n: int) -> list[str]:
    """Texts that differ in two words."""
    return [f"the cat number {i} sat on the mat of colour {i % 7} today" for i in range(n)]


def with_losses(texts: Sequence[str], rate: float, generator: np.random.Generator) -> list[str]:
    """The texts, of which each word is lost with probability `rate`."""
    return [" ".join(word for word in text.split() if generator.random() > rate) for text in texts]


def write_simulated(rates: Mapping[str, float], generator: np.random.Generator, *, n: int = 40) -> None:
    """Write ``ref.txt``, and the output of each system, which loses words at its rate, into the current folder."""
    references = made_references(n)
    Path("ref.txt").write_text("\n".join(references) + "\n", encoding="utf-8")
    for name, rate in rates.items():
        Path(f"{name}.txt").write_text("\n".join(with_losses(references, rate, generator)) + "\n", encoding="utf-8")
