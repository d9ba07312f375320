"""What several tests of parity share: mteval's output beside our statistics, and annotations from files."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.data.annotations import LEMMAS, XPOS, Annotations
from mtassay.metrics import References, StatsTable, build_tables, parse
from mtassay.text import annotate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path


def _read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def _read_padded(path: Path) -> list[str]:
    """Read lines as mteval's international tokenizer sees those of the SGML files of newstest2009-200.

    There a space stands on both sides of every text, so a full stop after a final digit is no longer at the end of the
    text and becomes a token of its own; in the files of wmt12-cs-en it does not, as in sacreBLEU.
    """
    return [re.sub(r"(?<=[0-9])([.,])$", r" \1", line) for line in _read_lines(path)]


class MtevalOutput:
    """One output of mteval beside our numbers.

    Args:
        oracle_dir: where the oracle sets are.
        recorded: what the original tools printed.
        folder: the oracle set.
        run: how mteval was called.
        n_references: how many references it was given.
        spec: our metric.
        label: the name that mteval prints.
        scale: how many times larger our scores are.
        words: our statistic with the number of words.
    """

    def __init__(
        self,
        oracle_dir: Path,
        recorded: Any,
        folder: str,
        run: str,
        n_references: int,
        *,
        spec: str,
        label: str,
        scale: float,
        words: str,
    ) -> None:
        text = oracle_dir / folder / "text"
        self.rows = partial(recorded.rows, input=folder, run=run, metric=label)
        self.scale = scale
        self.printed = {row["system"]: row["score"] for row in self.rows("mteval", level="system")}
        self.systems = list(self.printed)
        read = _read_padded if folder == "newstest2009-200" and "tok=intl" in spec else _read_lines
        references = References([read(text / f"ref{r}.txt") for r in range(n_references)])
        name = "sys.{}.txt" if folder == "wmt12-cs-en" else "{}.txt"
        outputs = {system: read(text / name.format(system)) for system in self.systems}
        self.metric = parse(spec)
        self.words = self.metric.columns.index(words)
        self.table: StatsTable = build_tables(references, outputs, [self.metric])[0]
        self.positions = self._positions(text, references.n_segments)

    @staticmethod
    def _positions(text: Path, n_segments: int) -> dict[tuple[str, str], int]:
        """Where (document, segment) stands in the files."""
        if not (text / "ids.txt").exists():
            return {("d1", str(i + 1)): i for i in range(n_segments)}
        ids = [re.findall(r"\[([^]]*)\]", line) for line in _read_lines(text / "ids.txt")]
        return {(document, segment): i for i, (_, document, segment) in enumerate(ids)}

    def check_segments(self) -> None:
        """Score and number of words of every segment."""
        scores = self.table.segment_scores() / self.scale
        found = self.rows("mteval", level="segment")
        assert len(found) == scores.size
        wrong = []
        for row in found:
            system, position = self.systems.index(row["system"]), self.positions[row["document"], row["segment"]]
            assert self.table.statistics[system, position, self.words] == int(row["words"])
            if f"{scores[system, position]:.4f}" != row["score"]:
                wrong.append((row["system"], position, row["score"], scores[system, position]))
        assert wrong == []

    def check_documents(self) -> None:
        """Score, segments and words of every document."""
        members: dict[str, list[int]] = defaultdict(list)
        for (document, _), position in self.positions.items():
            members[document].append(position)
        found = self.rows("mteval", level="document")
        assert len(found) == len(members) * len(self.systems)
        for row in found:
            system, index = self.systems.index(row["system"]), np.array(members[row["document"]])
            totals = self.table.totals(index)[system]
            assert (len(index), totals[self.words]) == (int(row["segments"]), int(row["words"]))
            assert f"{self.metric.score(totals) / self.scale:.4f}" == row["score"]

    def check_systems(self) -> None:
        """Score of every system."""
        scores = self.table.scores() / self.scale
        assert dict(zip(self.systems, (f"{score:.4f}" for score in scores), strict=True)) == self.printed

    def check_lengths(self) -> None:
        """Hypothesis and reference lengths of every system, BLEU's."""
        lengths = [[int(number) for number in row["values"].split()] for row in self._by_system("lengths")]
        assert self.table.totals()[:, :2].tolist() == lengths

    def _by_system(self, kind: str) -> list[dict[str, str]]:
        rows: list[dict[str, str]] = self.rows("mteval-systems", kind=kind)
        return rows

    def table_rows(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """The scores by n-gram length, 1 to 9, that mteval prints for every system: individual and cumulative ones."""
        individual, cumulative = (
            {row["system"]: row["values"].split() for row in self._by_system(kind)}
            for kind in ("individual", "cumulative")
        )
        return individual, cumulative


@pytest.fixture
def mteval(oracle_dir: Path, recorded: Any) -> Callable[..., Any]:
    """``MtevalOutput`` of the oracle sets."""
    return partial(MtevalOutput, oracle_dir, recorded)


class OracleAnnotator:
    """Annotations that lie beside the texts of an original tool; ``known`` has them by text."""

    name = "oracle"
    version = "1"
    is_parallel = True
    is_kept = False
    provides = frozenset({LEMMAS, XPOS})

    def __init__(self) -> None:
        self.known: dict[str, Annotations] = {}

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        return [self.known[text] for text in texts]

    def read_factors(self, path: Path) -> list[str]:
        """Read a file of form|tag|lemma and return the texts."""
        texts = []
        for line in _read_lines(path):
            words, tags, lemmas = zip(*(token.rsplit("|", 2) for token in line.split(" ")), strict=True)
            texts.append(" ".join(words))
            self.known[texts[-1]] = Annotations(words=words, xpos=tags, lemmas=lemmas, layers=self.provides)
        return texts

    def read_terrorcat(self, oracle_dir: Path, systems: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
        """Read the texts that TerrorCat was given: by system, with ``_ref`` for the reference, and the sources."""
        folder = oracle_dir / "linguistic" / "terrorcat"
        files = {name: f"fr-en.{name}.fact" for name in systems} | {"_ref": "en.fact"}
        texts = {name: self.read_factors(folder / file) for name, file in files.items()}
        return texts, self.read_factors(folder / "fr.fact")


@pytest.fixture(scope="module")
def oracle_annotator() -> Iterator[OracleAnnotator]:
    """An annotator, named ``oracle`` in specifications, that knows what a test tells it."""
    annotator = OracleAnnotator()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(annotate, "_made", lambda *_: annotator)
        patch.setattr(annotate, "ANNOTATORS", {"oracle": ""})
        yield annotator
