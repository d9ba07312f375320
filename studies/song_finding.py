"""Whether the finding of Song et al. 2013 holds: every part of it, on each set of data and under other choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bleu_family as family
import numpy as np
from tables import markdown, shown

if TYPE_CHECKING:
    from bleu_family import Floats, Verdict

DRAWS = 10_000


def finding(counts: dict[str, Floats], *, raw: Floats, unfiltered: tuple[str, Floats]) -> str:
    """The part of the page.

    Args:
        counts: outcomes by name of the data, as ``bleu_family.outcomes`` gives them.
        raw: outcomes of all data on raw tokens.
        unfiltered: outcomes of all data without the paper's filter, with what they are called.
    """
    everything = np.concatenate(list(counts.values()), axis=2)
    by_set = {name: family.judge(of_set, family.finding(), draws=DRAWS) for name, of_set in counts.items()}
    whole = family.judge(everything, family.finding(), draws=DRAWS)
    rows = [
        (claim, name, *_cells(verdicts[claim]))
        for claim in whole
        for name, verdicts in (*by_set.items(), ("all together", whole))
    ]
    header = ("codes", "higher", "lower", "surely higher", "surely lower", "mean Δτ", "95 % interval", "p")
    first = markdown(("claim", "data", *header), rows, n_labels=2)
    others = {
        "ties count half (WMT14)": (everything, "", "wmt14"),
        "ties count as wrong (WMT12)": (everything, "", "wmt12"),
        "counts not smoothed (^u)": (everything, "u", "wmt13"),
        "counts not smoothed, ties half": (everything, "u", "wmt14"),
        "raw tokens, case kept": (raw, "", "wmt13"),
        unfiltered[0]: (unfiltered[1], "", "wmt13"),
    }
    tested = {
        name: family.judge(of_choice, family.finding(marks), variant=variant, draws=DRAWS)
        for name, (of_choice, marks, variant) in others.items()
    }
    rows = [(claim, name, *_cells(verdicts[claim])) for claim in whole for name, verdicts in tested.items()]
    second = markdown(("claim", "under", *header), rows, n_labels=2)
    more = family.judge(everything, family.further(), draws=DRAWS)
    third = markdown(("the paper also says", *header), [(claim, *_cells(verdict)) for claim, verdict in more.items()])
    return f"""\
## Does the finding hold?

Each part of the finding is a list of pairs of codes that differ in one component. Counted are the pairs in which the \
code that should be better has the higher or the lower τ, and of these how many surely: p ≤ .05 by a two-sided \
randomisation test of the difference of τ ({DRAWS:,} draws; what two codes say of a segment changes sides with \
probability ½), after Holm's correction over the pairs of codes. Mean Δτ is over the pairs of codes, its interval from \
1,000 resamples of segments, its p from the same test. Codes with add-one smoothing.

{_summary(whole, by_set, tested)}

{first}

The same over all data together, under other choices:

{second}

What else the paper says of components, over all data together:

{third}"""


def _cells(verdict: Verdict) -> tuple[str, ...]:
    low, high = (shown(end) for end in verdict.interval)
    counts = (verdict.n, verdict.higher, verdict.lower, verdict.surely_higher, verdict.surely_lower)
    least = 1 / (DRAWS + 1)
    p = f"≤ {shown(1 / DRAWS, 4)}" if verdict.p <= least else shown(verdict.p, 4)
    return (*map(str, counts), shown(verdict.mean), f"[{low}, {high}]", p)


def _summary(
    whole: dict[str, Verdict], by_set: dict[str, dict[str, Verdict]], tested: dict[str, dict[str, Verdict]]
) -> str:
    """Each claim in words: where the mean difference is significant, and which way."""
    lines = []
    for claim, verdict in whole.items():
        in_sets = {name: _word(verdicts[claim]) for name, verdicts in by_set.items()}
        under = {name: _word(verdicts[claim]) for name, verdicts in tested.items()}
        differing = [f"{word} if {name}" for name, word in under.items() if word != _word(verdict)]
        lines.append(
            f"- **{claim}: {_word(verdict)}** over all data (higher in {verdict.higher} of {verdict.n} pairs of codes, "
            f"surely in {verdict.surely_higher}; lower in {verdict.lower}, surely in {verdict.surely_lower}). "
            f"By data: {', '.join(f'{name} {word}' for name, word in in_sets.items())}. "
            f"Under other choices: {'; '.join(differing) if differing else 'the same throughout'}."
        )
    return "\n".join(
        ["*Holds*, *fails*: the mean difference is significant, for or against; *open*: it is not.", "", *lines]
    )


def _word(verdict: Verdict) -> str:
    if verdict.p > family.LEVEL:
        return "open"
    return "holds" if verdict.mean > 0 else "fails"
