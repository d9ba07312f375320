"""Song, Cohn & Specia 2013, "BLEU deconstructed": Tables 3 to 6, and whether the finding holds on other data.

Segment level: τ of every code with the preferences of WMT12 and WMT13 that people agree on. Document level: ρ with the
scores of systems from the same judgements, and the human side of the three tasks of WMT08.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import bleu_family as family
import numpy as np
import song_finding
import song_systems
from tables import markdown, shown

from mtassay.data import load, load_judgements
from mtassay.judging.kappa import find_agreed, inter_annotator
from mtassay.report.document import Cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bleu_family import Family, Floats

    from mtassay.data.judgements import Preferences

#: As in Chiang's script, which the paper starts from: mteval's tokens, lower-cased. And as SIMPBLEU in WMT13.
OPTIONS, RAW = "tok=13a,case=lower", "tok=none"
#: Where judgements of a campaign are, in the campaign's folder; the first that is there counts.
JUDGEMENTS = {"wmt12": ("wmt12.RNK_results.csv",), "wmt13": ("{lp}/rankings5way.train.csv", "{lp}/pairs.tsv")}

#: Published values; None if the copy of the paper at hand has lost a cell.
TABLE_3 = {
    "GBC4": (0.2116, 0.1942, 0.1905),
    "GB4": (0.2102, 0.1913, 0.1868),
    "GC4": (0.1879, 0.2387, 0.2054),
    "ABC4": (0.2288, 0.2126, 0.2076),
    "AB4": (0.2267, 0.2411, 0.2036),
    "AC4": (0.2055, 0.2462, 0.2178),
}
TABLE_4 = {
    "ABC4^u": (None, 0.2209, None),
    "GBC4^ub": (0.2128, 0.1935, 0.1900),
    "AC4^u": (0.2176, 0.2462, 0.2178),
}
TABLE_5 = {
    "PGBC": (0.2116, 0.2252, 0.2295, 0.2284),
    "PGB": (0.2102, 0.2230, 0.2278, 0.2181),
    "PABC^u": (None, 0.2375, 0.2353, 0.2293),
    "RAC": (0.2462, 0.2491, 0.2501, 0.2726),
}
PUBLISHED_PAIRS, PUBLISHED_KAPPA = 10_278, 0.8576


@dataclass(frozen=True, eq=False)
class Judged:
    """A test set with its judgements.

    Attributes:
        name: campaign and languages.
        preferences: all judgements.
        kept: strict preferences that pass the paper's filter; None if the judges are not known.
        kappa: agreement on the pairs that pass it, by the paper's rule.
        scored: scores under every code.
        all_counts: outcomes of all strict preferences by segment.
        counts: outcomes of those kept; None if there are none.
        raw_counts: the same on raw tokens.
    """

    name: str
    preferences: Preferences
    kept: Preferences | None
    kappa: float
    scored: Family
    all_counts: Floats
    counts: Floats | None
    raw_counts: Floats | None


@cache
def judged(data: Path) -> list[Judged]:
    """All test sets of WMT12 and WMT13 that have outputs and judgements."""
    found = []
    for campaign, names in JUDGEMENTS.items():
        for folder in sorted(path.parent for path in (data / campaign).glob("*/ref")):
            places = [data / campaign / name.format(lp=folder.name) for name in names]
            there = [place for place in places if place.exists()]
            if there:
                found.append(_judged(folder, there[0]))
    return found


def _judged(folder: Path, judgements: Path) -> Judged:
    testset = load(folder)
    read = load_judgements(judgements, lp=folder.name, testset=testset)
    preferences = read.preferences() if hasattr(read, "preferences") else read
    scored = family.score_family(testset, preferences.systems, OPTIONS)
    kept, kappa = None, float("nan")
    if len(preferences.judges) > 1:
        agreed = find_agreed(preferences).preferences
        kept = agreed.strict()
        passed = preferences.rows(np.isin(_pair_of(preferences), _pair_of(agreed)))
        kappa = inter_annotator(passed).kappa_with(1 / 3)
    raw = family.score_family(testset, preferences.systems, RAW) if kept else None
    return Judged(
        f"{folder.parent.name.upper()} {folder.name}",
        preferences,
        kept,
        kappa,
        scored,
        family.outcomes(scored, preferences.strict()),
        family.outcomes(scored, kept) if kept else None,
        family.outcomes(raw, kept) if kept and raw else None,
    )


def _pair_of(preferences: Preferences) -> Floats:
    """A number for each segment and pair of systems."""
    n = len(preferences.systems)
    low, high = (end(preferences.first, preferences.second) for end in (np.minimum, np.maximum))
    return (preferences.segment * n + low) * n + high


def pooled(sets: Sequence[Judged], which: str = "counts") -> Floats:
    """Outcomes of several sets side by side."""
    return np.concatenate([getattr(one, which) for one in sets if getattr(one, which) is not None], axis=2)


def run(data: Path) -> str:
    """The page."""
    sets = judged(data)
    n_strict = sum(len(one.preferences.strict()) for one in sets)
    finding = song_finding.finding(
        {one.name: one.counts for one in sets if one.counts is not None},
        raw=pooled(sets, "raw_counts"),
        unfiltered=(f"all {n_strict:,} strict preferences", pooled(sets, "all_counts")),
    )
    rho = {
        f"{one.name} ({len(one.preferences.systems)} systems)": song_systems.rho(one.preferences, one.scored)
        for one in sets
    }
    documents = [song_systems.document_level(rho), song_systems.tasks(data)]
    return "\n\n".join([_introduction(sets), _tables(sets), _all_codes(sets), finding, *documents])


def draw(data: Path, folder: Path) -> None:
    """The picture: τ against the length of n-grams."""
    from curves import draw as draw_curves

    sets = judged(data)
    values = dict(zip(family.CODES, family.tau(pooled(sets).sum(axis=2)).tolist(), strict=True))
    titles = {"P, penalty": "P{}BC", "P, no penalty": "P{}C", "R, no penalty": "R{}C", "F, no penalty": "F{}C"}
    kinds = {"arithmetic": ("A", ""), "geometric": ("G", ""), "arithmetic, counts not smoothed": ("A", "^u")}
    panels = {
        title: {
            name: [values[f"{code.format(mean if n > 1 else 'A')}{n}{marks}"] for n in family.ORDERS]
            for name, (mean, marks) in kinds.items()
        }
        for title, code in titles.items()
    }
    n = int(pooled(sets)[:, 0].sum())
    caption = f"Kendall's τ with {n:,} preferences that judges agree on, ties of the metric ignored; clipped counts."
    draw_curves(
        folder / "song.svg",
        panels,
        family.ORDERS,
        labels=("n-grams up to", "τ"),
        caption=caption,
        columns=2,
        ticks=family.ORDERS,
    )


def _introduction(sets: Sequence[Judged]) -> str:
    rows = [
        (
            one.name,
            str(len(one.preferences.systems)),
            str(len(one.preferences.judges)) if one.kept else "not known",
            f"{len(one.preferences.strict()):,}",
            f"{len(one.kept):,}" if one.kept else "–",
            shown(one.kappa, 4),
        )
        for one in sets
    ]
    kept = sum(len(one.kept) for one in sets if one.kept)
    largest = max((one for one in sets if one.kept), key=lambda one: len(one.kept or ()))
    share = 100 * len(largest.kept or ()) / kept
    rows.append(("published (WMT09–WMT11, pooled)", "", "", "", f"{PUBLISHED_PAIRS:,}", shown(PUBLISHED_KAPPA, 4)))
    table = markdown(("data", "systems", "judges", "strict preferences", "pairs that pass", "κ"), rows)
    without = ", ".join(one.name for one in sets if not one.kept)
    absent = f" {without} names no judges: it counts where all strict preferences do." if without else ""
    return f"""\
# Song, Cohn & Specia 2013: BLEU deconstructed

The paper takes BLEU apart: precision, recall or F (P, R, F), arithmetic or geometric mean (A, G), brevity penalty \
(B), clipping (C), n-grams up to n; `^u` leaves counts unsmoothed, `^b` smooths the penalty. Its finding: at segment \
level recall does better than precision, the arithmetic mean better than the geometric one, and short n-grams better \
than long ones. Here all {len(family.CODES)} codes are computed, and the finding is tested.

**Limits.** The paper's segment-level data (WMT09–WMT11, es, fr and de from and to English) and the outputs of WMT08 \
are not among the data; other campaigns and directions stand in for them, so that published values are beside ours to \
compare their pattern, not their height. The filter is the paper's: pairs of outputs judged by two annotators or more, \
of whose labels at least 60 % are equal; agreed ties are left out. {kept:,} pairs pass, {share:.0f} % of them of \
{largest.name}.{absent} Tokens are those of mteval, lower-cased, as in the script that the paper starts from; one \
reference. κ is that of the pairs that pass, with P(E) = 1/3.

{table}

τ = (concordant − discordant) / (concordant + discordant): ties, human or of the metric, are ignored, as the paper \
says (WMT13's variant). "Ties" is the share of pairs that a metric ties."""


def _tables(sets: Sequence[Judged]) -> str:
    counts = pooled(sets).sum(axis=2)
    values = dict(zip(family.CODES, family.tau(counts).tolist(), strict=True))
    halves = dict(zip(family.CODES, family.tau(counts, "wmt14").tolist(), strict=True))
    ties = dict(zip(family.CODES, (counts[2] / counts.sum(axis=0)).tolist(), strict=True))
    header = ["", *(f"{base} {what}" for base in "PRF" for what in ("published", "here"))]

    def by_base(published: Mapping[str, Sequence[float | None]]) -> str:
        rows = []
        for code, of_code in published.items():
            here = [values[base + code] for base in "PRF"]
            cells = [Cell(shown(value, 4), best=value == max(here)) for value in here]
            rows.append(
                [f"`{code}`", *(x for p, cell in zip(of_code, cells, strict=True) for x in (shown(p, 4), cell))]
            )
        return markdown(header, rows)

    orders = (4, 3, 2, 1)
    names = {column: [_code(column, n) for n in orders] for column in TABLE_5}
    best = {column: max(values[code] for code in codes) for column, codes in names.items()}
    rows = []
    for place, n in enumerate(orders):
        row: list[str | Cell] = [f"1–{n}-grams" if n > 1 else "unigrams"]
        for column, codes in names.items():
            value = values[codes[place]]
            row += [shown(TABLE_5[column][place], 4), Cell(shown(value, 4), best=value == best[column])]
            row.append(f"{100 * ties[codes[place]]:.0f} %")
        rows.append(row)
    table_5 = markdown(
        ["", *(f"`{column}` {what}" for column in TABLE_5 for what in ("published", "here", "ties"))], rows
    )
    misprint = ", ".join(f"{shown(values[base + 'GBC4^b'], 4)} ({base})" for base in "PRF")
    return f"""\
## Tables 3 to 5: segment level

Table 3, add-one smoothing; the best of P, R and F here is bold.

{by_base(TABLE_3)}

Table 4, without smoothing of counts. The copy of the paper at hand has lost the name and two cells of the first row; \
the text points to `ABC4^u`. The second row is printed as `GBC4^u,b`, though its published values are nearly those of \
the smoothed `GBC4` and a footnote calls unsmoothed `PGBC4` very low; with smoothed counts, `GBC4^b` has {misprint} \
here.

{by_base(TABLE_4)}

How low unsmoothed `PGBC4` is depends on what a tie counts, since a segment without a common 4-gram has 0: `PGBC4^u` \
ties {100 * ties["PGBC4^u"]:.0f} % of the pairs, and its τ is {shown(values["PGBC4^u"], 4)} if ties are ignored but \
{shown(halves["PGBC4^u"], 4)} if they stay in the denominator (`PGBC4`: {shown(values["PGBC4"], 4)} and \
{shown(halves["PGBC4"], 4)}).

Table 5, by length of n-grams; the best of each column here is bold. `RAC4` is published in Table 3; the cell of \
`PABC4^u` is lost in the copy at hand.

{table_5}

![τ by length of n-grams](song.svg)"""


def _code(column: str, n: int) -> str:
    """The code of a column of Table 5 for a length of n-grams."""
    letters, _, marks = column.partition("^")
    penalty, clip = ("B" if "B" in letters else ""), ("C" if "C" in letters else "")
    return family.Member(letters[0], letters[1], penalty, clip, n, marks).code


def _all_codes(sets: Sequence[Judged]) -> str:
    values = dict(zip(family.CODES, family.tau(pooled(sets).sum(axis=2)).tolist(), strict=True))
    top = max(values.values())
    best = [code for code, value in values.items() if np.isclose(value, top, rtol=0, atol=1e-12)]
    kinds = list(dict.fromkeys((m.mean, m.penalty, m.clip, m.marks) for m in family.MEMBERS))
    rows = []
    for mean, penalty, clip, marks in kinds:
        row: list[str | Cell] = [f"`{mean}{penalty}{clip}{'^' + marks if marks else ''}`"]
        for base in "PRF":
            for n in family.ORDERS:
                code = family.Member(base, mean, penalty, clip, n, marks).code
                row.append(Cell(shown(values[code], 4), best=code in best))
        rows.append(row)
    table = markdown(["", *(f"{base}{n}" for base in "PRF" for n in family.ORDERS)], rows)
    return f"""\
## All codes

τ over all pairs that pass the filter; with unigrams alone A and G are the same. Best: \
{" and ".join(f"`{code}`" for code in best)}, {shown(top, 4)}.

{table}"""
