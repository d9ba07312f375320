"""BLEU of mteval-v13a (Perl), at system, document and segment level, to its printed digits."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mtassay.metrics import References, StatsTable, build_tables, parse

if TYPE_CHECKING:
    from pathlib import Path

_NUMBER = r"(\d+\.\d+)"
_SEGMENT = re.compile(
    rf'^  BLEU score using 4-grams = {_NUMBER} for system "([^"]+)" on segment (\d+) of document "([^"]+)" '
    r"\((\d+) words\)$",
    re.MULTILINE,
)
_DOCUMENT = re.compile(
    rf'^BLEU score using   4-grams = {_NUMBER} for system "([^"]+)" on document "([^"]+)" '
    r"\((\d+) segments, (\d+) words\)$",
    re.MULTILINE,
)
_SYSTEM = re.compile(rf'BLEU score = {_NUMBER} for system "([^"]+)"$', re.MULTILINE)
_LENGTHS = re.compile(r"^length ratio: \S+ \((\d+)/(\d+)\)", re.MULTILINE)
_TABLE_ROW = re.compile(r'^ BLEU:((?:\s+\d+\.\d+){9})\s+"([^"]+)"$', re.MULTILINE)

#: oracle set, expected file, number of references, options.
CASES = {
    "default, one reference": ("newstest2009-200", "mteval/1ref.def.txt", 1, "case=ascii"),
    "default": ("newstest2009-200", "mteval/2ref.def.txt", 2, "case=ascii"),
    "cased": ("newstest2009-200", "mteval/2ref.defc.txt", 2, "case=mixed"),
    "international": (
        "newstest2009-200",
        "mteval/2ref.definternationaltokenization.txt",
        2,
        "tok=intl,case=lower",
    ),
    "shortest": ("newstest2009-200", "mteval/2ref.shortest.txt", 2, "case=ascii,ref_len=shortest"),
    "wmt12 default": ("wmt12-cs-en", "mteval-v13a.txt", 1, "case=ascii"),
    "wmt12 cased": ("wmt12-cs-en", "mteval-v13a.cased.txt", 1, "case=mixed"),
    "wmt12 international": ("wmt12-cs-en", "mteval-v13a.intl.txt", 1, "tok=intl,case=lower"),
}
UNSMOOTHED = ("newstest2009-200", "mteval/2ref.nosmoothing.txt", 2, "case=ascii")
Case = tuple[str, str, int, str]


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def read_padded(path: Path) -> list[str]:
    """Read lines as mteval's international tokenizer sees those of the SGML files of newstest2009-200.

    There a space stands on both sides of every text, so a full stop after a final digit is no longer at the end of the
    text and becomes a token of its own; in the files of wmt12-cs-en it does not, as in sacreBLEU.
    """
    return [re.sub(r"(?<=[0-9])([.,])$", r" \1", line) for line in read_lines(path)]


class Printed:
    """What mteval printed, and our statistics of the same texts."""

    def __init__(self, oracle_dir: Path, case: Case, options: str) -> None:
        folder, expected, n_references, _ = case
        text = oracle_dir / folder / "text"
        self.output = (oracle_dir / folder / "expected" / expected).read_text(encoding="utf-8")
        self.systems = [match[2] for match in _SYSTEM.finditer(self.output)]
        read = read_padded if folder == "newstest2009-200" and "tok=intl" in options else read_lines
        references = References([read(text / f"ref{r}.txt") for r in range(n_references)])
        name = "sys.{}.txt" if folder == "wmt12-cs-en" else "{}.txt"
        outputs = {system: read(text / name.format(system)) for system in self.systems}
        self.metric = parse(f"bleu:{options}")
        self.table: StatsTable = build_tables(references, outputs, [self.metric])[0]
        self.positions = self._positions(text, references.n_segments)

    @staticmethod
    def _positions(text: Path, n_segments: int) -> dict[tuple[str, str], int]:
        """Where (document, segment) stands in the files."""
        if not (text / "ids.txt").exists():
            return {("d1", str(i + 1)): i for i in range(n_segments)}
        ids = [re.findall(r"\[([^]]*)\]", line) for line in read_lines(text / "ids.txt")]
        return {(document, segment): i for i, (_, document, segment) in enumerate(ids)}

    def check_segments(self) -> None:
        scores = self.table.segment_scores() / 100
        found = list(_SEGMENT.finditer(self.output))
        assert len(found) == scores.size
        wrong = []
        for match in found:
            system, position = self.systems.index(match[2]), self.positions[match[4], match[3]]
            assert self.table.statistics[system, position, 0] == int(match[5])
            if f"{scores[system, position]:.4f}" != match[1]:
                wrong.append((match[2], position, match[1], scores[system, position]))
        assert wrong == []

    def check_documents(self) -> None:
        members: dict[str, list[int]] = defaultdict(list)
        for (document, _), position in self.positions.items():
            members[document].append(position)
        found = list(_DOCUMENT.finditer(self.output))
        assert len(found) == len(members) * len(self.systems)
        for match in found:
            system, index = self.systems.index(match[2]), np.array(members[match[3]])
            totals = self.table.totals(index)[system]
            assert (len(index), totals[0]) == (int(match[4]), int(match[5]))
            assert f"{self.metric.score(totals) / 100:.4f}" == match[1]

    def check_systems(self) -> None:
        scores = self.table.scores() / 100
        printed = {match[2]: match[1] for match in _SYSTEM.finditer(self.output)}
        assert dict(zip(self.systems, (f"{score:.4f}" for score in scores), strict=True)) == printed
        lengths = [[int(match[1]), int(match[2])] for match in _LENGTHS.finditer(self.output)]
        if lengths:  # not printed without smoothing
            assert self.table.totals()[:, :2].tolist() == lengths


@pytest.mark.parametrize("case", [*CASES.values(), UNSMOOTHED], ids=[*CASES.keys(), "without smoothing"])
def test_scores_at_every_level(case: Case, oracle_dir: Path) -> None:
    rule = "none" if case is UNSMOOTHED else "mteval"
    printed = Printed(oracle_dir, case, f"{case[3]},smooth={rule},eff=no")
    printed.check_segments()
    printed.check_documents()
    printed.check_systems()


@pytest.mark.parametrize("case", [*CASES.values(), UNSMOOTHED], ids=[*CASES.keys(), "without smoothing"])
def test_table_of_ngram_scores(case: Case, oracle_dir: Path) -> None:
    rule = "none" if case is UNSMOOTHED else "mteval"
    by_order = [Printed(oracle_dir, case, f"{case[3]},smooth={rule},eff=no,order={n}") for n in range(1, 10)]
    rows = [(match[2], match[1].split()) for match in _TABLE_ROW.finditer(by_order[0].output)]
    systems = by_order[0].systems
    assert len(rows) == 2 * len(systems)
    parts = by_order[-1].metric.components(by_order[-1].table.totals())
    for system, individual in rows[: len(systems)]:
        ours = [parts[f"P{n}"][systems.index(system)] / 100 for n in range(1, 10)]
        assert [f"{value:.4f}" for value in ours] == individual
    for system, cumulative in rows[len(systems) :]:
        ours = [printed.table.scores()[systems.index(system)] / 100 for printed in by_order]
        assert [f"{value:.4f}" for value in ours] == cumulative
