"""Linguistic metrics at segment level: both rules for ties, and whether the trees of DEPREF help."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from tables import markdown, shown
from wmt13_linguistic import LINK_GRAMMAR
from wmt13_recipes import TREES
from wmt13_scores import LEVEL, folders, judgement_file, preferences_of, strict_pairs

import mtassay
from mtassay.metrics.linguistic.annotated import public_annotator
from mtassay.stats.intervals import percentile
from mtassay.text import get_tokenizer
from mtassay.text.annotate import get_annotator, signature_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wmt13_scores import Direction

    from mtassay.data import TestSet
    from mtassay.types import Floats, Ints

RESAMPLES = 2000
SEED = 1
RULES = ("wmt13", "wmt14")


def segment_rules(directions: list[Direction]) -> list[str]:
    """τ of the linguistic metrics by both rules; SEMPOS has no row in Table 4."""
    parts = []
    for direction in [d for d in directions if d.name.endswith("-en")]:
        rows = [
            (recipe.row, shown(direction.tau[n]), f"{direction.ties[n]:.1%}", shown(direction.tau_of_all[n]))
            for n, recipe in enumerate(direction.recipes)
            if recipe.group == "linguistic" or recipe.row in {"METEOR", "SIMPBLEU-RECALL"}
        ]
        parts += [f"### {direction.name}", markdown(("metric", "τ, rule of WMT13", "ties", "τ of all pairs"), rows)]
    if not parts:
        return []
    return [
        "## Linguistic metrics at segment level",
        "The rule of WMT13 ignores pairs of outputs that a metric scores equally, so a metric with few distinct scores "
        "looks better by it than it is. SEMPOS counts a handful of items in a segment; over all pairs it is no longer "
        "ahead. SIMPBLEU-RECALL, the recall of plain words, and METEOR stand beside the linguistic metrics.",
        *([_about_trees()] if TREES else []),
        *parts,
    ]


def _about_trees() -> str:
    return (
        f"UMEANT, MEANT and the rows of DEPREF that name it have trees by `{signature_value(get_annotator(TREES))}`; "
        "[meant.md](../metrics/meant.md#trees) says how ours was trained."
    )


def trees(data: Path) -> list[str]:
    """What dependency n-grams and trees add to the words of DEPREF, with intervals."""
    annotators = [*(["link-grammar"] if LINK_GRAMMAR else []), *([TREES] if TREES else [])]
    into_english = [folder for folder in folders(data) if folder.name.endswith("-en")]
    if not (annotators and into_english):
        return []
    rows = [row for folder in into_english for row in _of_direction(folder, annotators)]
    header = (
        "direction",
        "metric",
        "trees",
        "τ",
        "− words alone",
        "− neighbours",
        "of all pairs",
        "− words",
        "− neighbours",
    )
    return [
        "## Do the trees of DEPREF help?",
        f"Differences of τ with {1 - LEVEL:.0%} intervals over {RESAMPLES} resamples of segments, first by the rule of "
        "WMT13, then over all pairs. *Words alone* is the same metric without dependency n-grams (`weights=1`). "
        "*Neighbours* has a tree in which every word depends on the next one, so its chains are plain n-grams of the "
        "reference: what a parser gains must be gained over that.",
        markdown(header, rows, n_labels=3),
        _conclusion(rows),
    ]


def _conclusion(rows: Sequence[tuple[str, ...]]) -> str:
    gained = [row for row in rows if "(+" in row[5] and "(+" in row[8]]
    lost = [row for row in rows if _is_below(row[5]) or _is_below(row[8])]
    of_all = f"of {len(rows)} rows"
    found = "no row" if not gained else f"{len(gained)} {of_all}"
    return (
        f"Trees gain over plain n-grams by both rules in {found}"
        f"{f', and lose by one in {len(lost)}' if lost else ''}. Intervals that hold 0 show no gain."
    )


def _is_below(cell: str) -> bool:
    return cell.partition(", ")[2].startswith("-")


def _of_direction(folder: Path, annotators: Sequence[str]) -> list[tuple[str, ...]]:
    testset = mtassay.load(folder)
    path = judgement_file(folder)
    if path is None:
        return []
    strict = preferences_of(path, testset)[0].strict()
    testset = testset.select(systems=strict.systems)
    pairs = strict_pairs(strict)
    rows = []
    with TemporaryDirectory() as neighbours:
        _write_neighbours(testset, Path(neighbours))
        for name in ("exact", "align"):
            used = [*annotators, f"file:{neighbours}"]
            specs = [f"depref-{name}:annotator={a}" for a in used] + [f"depref-{name}:annotator={used[0]},weights=1"]
            scored = mtassay.score(testset, metrics=specs)
            counts = np.stack([_by_segment(pairs, table.segment_scores()) for table in scored.tables])
            taus = _taus(counts)
            drawn = _drawn(counts)
            for number, annotator in enumerate(annotators):
                cells = []
                for rule in range(len(RULES)):
                    cells.append(shown(taus[rule, number]))
                    for other in (-1, -2):
                        cells.append(_difference(taus[rule], drawn[rule], number, other=other))
                rows.append((folder.name, f"depref-{name}", public_annotator(annotator), *cells))
    return rows


def _difference(taus: Floats, drawn: Floats, number: int, *, other: int) -> str:
    low, high = percentile(drawn[:, number] - drawn[:, other], LEVEL)
    cells = [f"{value:+.3f}".replace("0.", ".", 1) for value in (taus[number] - taus[other], low, high)]
    return f"{cells[0]} ({cells[1]}, {cells[2]})"


def _by_segment(pairs: tuple[Ints, Ints, Ints], scores: Floats) -> Floats:
    """Concordant, discordant and tied preferences of each segment, shape (3, segments)."""
    segment, better, worse = pairs
    sign = np.sign(np.round(scores[better, segment] - scores[worse, segment], 12))
    return np.stack([np.bincount(segment[sign == s], minlength=scores.shape[1]) for s in (1, -1, 0)]).astype(float)


def _taus(counts: Floats) -> Floats:
    """τ of metrics by each of `RULES`, shape (rules, …), from counts (…, 3, segments) or sums (…, 3)."""
    sums = counts.sum(axis=-1) if counts.ndim == 3 else counts
    concordant, discordant, tied = np.moveaxis(sums, -1, 0)
    difference, untied = concordant - discordant, concordant + discordant
    return np.stack([difference / untied, difference / (untied + tied)])


def _drawn(counts: Floats) -> Floats:
    """τ of metrics in resamples of segments, shape (rules, resamples, metrics)."""
    n_metrics, _, n = counts.shape
    rng = np.random.default_rng(SEED)
    sums = np.stack([counts @ np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(RESAMPLES)])
    return _taus(sums.reshape(RESAMPLES * n_metrics, 3)).reshape(len(RULES), RESAMPLES, n_metrics)


def _write_neighbours(testset: TestSet, folder: Path) -> None:
    """References in which every word depends on the next one, as CoNLL-U."""
    words = get_tokenizer("13a")
    with (folder / "ref.conllu").open("w", encoding="utf-8") as file:
        for text in testset.references[0]:
            tokens = words(text or "")
            file.write(f"# newpar\n# text = {text}\n")
            for place, token in enumerate(tokens, 1):
                head = place + 1 if place < len(tokens) else 0
                file.write(f"{place}\t{token}\t_\t_\t_\t_\t{head}\tdep\t_\t_\n")
            file.write("\n")
