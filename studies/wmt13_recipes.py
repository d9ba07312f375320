"""How each row of the tables of the WMT13 metrics task is computed."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mtassay.metrics.linguistic.annotated import public_annotator

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LEPOR = (
    "The authors' notes on their scripts call LEPOR v3.1 of this task hLEPOR, and say that they tuned its weights and "
    "used linguistic features then; which, they do not say there."
)
NLEPOR = "The weights with which the authors took part are not known here, and their aligner has bugs of its own."
#: The annotator of trees for metrics that parse every output, from the environment.
TREES = os.environ.get("MTASSAY_TREES", "")


@dataclass(frozen=True)
class Recipe:
    """How a row of the tables is computed.

    Attributes:
        row: the metric's name at system level, without what is in brackets.
        spec: the metric; TARGET stands for the target language, TREES for the annotator of trees.
        text: ``raw``, or ``moses`` for what `wmt13_scores.moses` makes of it.
        digits: digits of the score that count, where a program printed it with four of them (on a scale of 0 to 1).
        segment_row: the name at segment level, where there is such a row.
        why: why figures differ, where they do.
        group: ``""`` for the task's own metrics, ``guessed`` where the authors' weights are not known, ``linguistic``
            where their analyses cannot be had.
        english: whether it is for English only.
        is_at_hand: whether what it needs is installed.
        model: makes the file of the metric that MODEL stands for, from the folder of all data; None where it cannot.
    """

    row: str
    spec: str
    text: str = "raw"
    digits: int | None = None
    segment_row: str = ""
    why: str = ""
    group: str = ""
    english: bool = False
    is_at_hand: bool = True
    model: Callable[[Path], str | None] | None = field(default=None, compare=False)

    @property
    def base(self) -> str:
        """The row's name without brackets."""
        return self.row.partition(" (")[0]

    def serves(self, target: str) -> bool:
        """Whether it can be computed for a target language."""
        return self.is_at_hand and (target == "en" or not self.english)

    def metric(self, target: str, data: Path | None = None) -> str | None:
        """The specification for a target language; with `data`, one that can be computed, None if it cannot."""
        spec = self.spec.replace("TARGET", target)
        if data is None:
            return spec.replace("TREES", public_annotator(TREES))
        path = self.model(data) if self.model else ""
        return None if path is None else spec.replace("TREES", TREES).replace("MODEL", path)


STRINGS = (
    Recipe("METEOR", "meteor:lang=TARGET", segment_row="METEOR"),
    Recipe("SIMPBLEU-RECALL", "RAC1:tok=none", segment_row="SIMPBLEU-RECALL"),
    Recipe(
        "SIMPBLEU-PREC",
        "PABC3:tok=none",
        segment_row="SIMPBLEU-PREC",
        why="How the participants smoothed segments is not known.",
    ),
    Recipe("BLEU-MTEVAL-INTL", "bleu:tok=intl,case=lower,smooth=mteval,eff=no", digits=2),
    Recipe("BLEU-MTEVAL", "bleu:case=ascii,smooth=mteval,eff=no", digits=2),
    Recipe("NIST-MTEVAL-INTL", "nist:tok=intl,case=lower", digits=4),
    Recipe("NIST-MTEVAL", "nist", digits=4),
    Recipe(
        "BLEU-MOSES",
        "bleu:tok=none,smooth=none,segment_smooth=moses,eff=no",
        text="moses",
        digits=2,
        segment_row="SENTBLEU-MOSES",
    ),
    Recipe("CDER-MOSES", "cder:tok=none", text="moses", digits=4),
    Recipe("WER-MOSES", "wer:tok=none", text="moses", digits=4),
    Recipe("PER-MOSES", "per:tok=none", text="moses", digits=4),
    Recipe("TER-MOSES", "ter:variant=moses", text="moses", digits=2),
    Recipe("LEPOR v3.100", "lepor:tok=none", text="moses", segment_row="LEPOR v3.100", why=LEPOR, group="guessed"),
    Recipe(
        "LEPOR v3.100 (hLEPOR)", "hlepor:tok=none", text="moses", segment_row="LEPOR v3.100", why=LEPOR, group="guessed"
    ),
    Recipe(
        "LEPOR v3.100 (hLEPOR, precision)",
        "hlepor:tok=none,alpha=1,beta=9",
        text="moses",
        segment_row="LEPOR v3.100",
        why=LEPOR,
        group="guessed",
    ),
    Recipe("NLEPOR", "nlepor:tok=none", text="moses", segment_row="NLEPOR", why=NLEPOR, group="guessed"),
)
