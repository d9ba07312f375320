"""The metric ``ter:variant=tercom`` from raw texts to scores, against tercom's own files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay import kernels
from mtassay.data import read_lines
from mtassay.execution import Execution
from mtassay.metrics import References, parse
from mtassay.metrics.strings.edit_alignment import Alignment


def _edits_and_lengths(recorded: Any, **where: str) -> list[tuple[float, float]]:
    """Edits and reference length of every segment."""
    return [(float(row["edits"]), float(row["words"])) for row in recorded.rows("tercom", **where)]


@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("v7.25.{}.2ref.def", ""),
        ("v7.25.{}.2ref.defN", ",norm=yes"),
        ("v7.25.{}.2ref.defNs", ",norm=yes,case=mixed"),
        ("{}.2ref.N-P", ",norm=yes,punct=no"),
    ],
)
def test_newstest2009_with_two_references(
    oracle_dir: Path, recorded: Any, *, system: str, name: str, options: str
) -> None:
    folder = oracle_dir / "newstest2009-200"
    metric = parse(f"ter:variant=tercom{options}")
    references = References([read_lines(folder / "text" / f"ref{i}.txt") for i in (0, 1)])
    rows = metric.prepare(references, execution=Execution(threads=2)).statistics(
        read_lines(folder / "text" / f"{system}.txt")
    )
    expected = _edits_and_lengths(recorded, input=folder.name, run=name.format(system))
    assert [(float(row[:4].sum()), float(row[4])) for row in rows] == expected


@pytest.mark.parametrize("system", ["cu-bojar", "jhu-heiro", "onlineA"])
@pytest.mark.parametrize(("name", "options"), [("default", ""), ("N-s", ",norm=yes,case=mixed")])
def test_wmt12(oracle_dir: Path, recorded: Any, *, system: str, name: str, options: str) -> None:
    folder = oracle_dir / "wmt12-cs-en"
    metric = mtassay.metric(f"ter:variant=tercom{options}")
    texts = [read_lines(folder / "text" / f"{stem}.txt") for stem in ("ref0", f"sys.{system}")]
    rows = metric.prepare(References(texts[:1])).statistics(texts[1])
    expected = _edits_and_lengths(recorded, input=folder.name, run=f"v7.25.{system}.1ref.{name}")
    assert [(float(row[:4].sum()), float(row[4])) for row in rows] == expected


# Hypothesis, reference, and what tercom 0.8 writes (insertions, deletions, substitutions, shifts, reference words)
# without options. 0.8 is 0.7.25 under a free licence (github.com/jhclark/tercom, commit e413d07).
WHITE_SPACE = [
    ("a\u00a0b c", "a b c", (0, 1, 1, 0, 3)),
    ("a\u00a0b c", "a\u00a0b c", (0, 0, 0, 0, 2)),
    ("c a\u00a0b", "a\u00a0b c", (0, 0, 0, 1, 2)),
    ("a\u2003b \u3000c", "a b c", (0, 1, 2, 0, 3)),
    ("\u00a0a b", "a b", (0, 0, 1, 0, 2)),
    ("a\x1cb c", "a b c", (0, 1, 1, 0, 3)),
    ("\x1ca b\x1f", "a b", (0, 0, 0, 0, 2)),
    (" a  b\tc ", "a b c", (0, 0, 0, 0, 3)),
    ("«\u00a0a\u00a0» b .", "« a » b .", (0, 2, 1, 0, 5)),
    ('" yes " he', "yes he", (2, 0, 0, 0, 2)),
    (". .", ".", (1, 0, 0, 0, 1)),
    ("機\u3000械 ア、イ", "機 械 ア", (0, 1, 2, 0, 3)),
    ("", "a b", (0, 2, 0, 0, 2)),
    ("a b", "", (2, 0, 0, 0, 0)),
    ("", "", (0, 0, 0, 0, 0)),
]
WITHOUT_PUNCTUATION = {8: (0, 2, 1, 0, 4), 9: (1, 0, 0, 0, 2), 10: (0, 1, 0, 0, 1)}


@pytest.fixture(params=["native", "python"])
def either_kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both kernels, where the compiled one is there."""
    compiled = None if request.param == "python" else pytest.importorskip("mtassay._native")
    monkeypatch.setattr(kernels, "_compiled", compiled)


@pytest.mark.usefixtures("either_kernel")
@pytest.mark.parametrize(
    ("options", "different"),
    [
        ("", {}),
        (",norm=yes", {}),
        (",punct=no", WITHOUT_PUNCTUATION),
        (",norm=yes,punct=no", WITHOUT_PUNCTUATION),
        (",norm=yes,asian=yes", {11: (3, 0, 0, 0, 3)}),
        (",norm=yes,punct=no,asian=yes", WITHOUT_PUNCTUATION | {11: (2, 0, 0, 0, 3)}),
    ],
)
def test_only_ascii_white_space_separates_words(options: str, different: dict[int, tuple[int, ...]]) -> None:
    metric = mtassay.metric(f"ter:variant=tercom{options}")
    hypotheses, references = [case[0] for case in WHITE_SPACE], [case[1] for case in WHITE_SPACE]
    rows = metric.prepare(References([references])).statistics(hypotheses)
    expected = [different.get(i, numbers) for i, (_, _, numbers) in enumerate(WHITE_SPACE)]
    np.testing.assert_array_equal(rows, expected)
    alignments = mtassay.align([references], hypotheses, metric=metric).alignments["hyp"]
    for alignment, (*edits, _) in zip(alignments, expected, strict=True):
        assert isinstance(alignment, Alignment)
        assert [*map(alignment.count, "IDS"), len(alignment.shifts)] == edits


@pytest.mark.usefixtures("either_kernel")
def test_alignment_shows_the_words_of_tercom() -> None:
    # tercom 0.8: 1 edit, 3.5 words, the second reference.
    streams = [["a b c x"], ["a\u00a0b c x"]]
    (alignment,) = mtassay.align(streams, ["c a\u00a0b x"], metric="ter:variant=tercom").alignments["hyp"]
    assert isinstance(alignment, Alignment)
    assert [step.hypothesis for step in alignment.steps] == ["a\u00a0b", "c", "x"]
    assert (alignment.reference, len(alignment.shifts)) == (2, 1)
    assert alignment.score == pytest.approx(100 / 3.5)
