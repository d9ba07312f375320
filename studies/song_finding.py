"""Whether the finding of Song et al. 2013 holds: every part of it, on each set of data and under other choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bleu_family as family
import numpy as np
from tables import markdown, shown

if TYPE_CHECKING:
    from bleu_family import Floats, Verdict

RESAMPLES = 10_000


def finding(counts: dict[str, Floats], *, raw: Floats, unfiltered: tuple[str, Floats]) -> str:
    """The part of the page.

    Args:
        counts: outcomes by name of the data, as ``bleu_family.outcomes`` gives them.
        raw: outcomes of all data on raw tokens.
        unfiltered: outcomes of all data without the paper's filter, with what they are called.
    """
    everything = np.concatenate(list(counts.values()), axis=2)
    by_set = {name: family.judge(of_set, family.finding(), resamples=RESAMPLES) for name, of_set in counts.items()}
    whole = family.judge(everything, family.finding(), resamples=RESAMPLES)
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
        name: family.judge(of_choice, family.finding(marks), variant=variant, resamples=RESAMPLES)
        for name, (of_choice, marks, variant) in others.items()
    }
    rows = [(claim, name, *_cells(verdicts[claim])) for claim in whole for name, verdicts in tested.items()]
    second = markdown(("claim", "under", *header), rows, n_labels=2)
    more = family.judge(everything, family.further(), resamples=RESAMPLES)
    third = markdown(("the paper also says", *header), [(claim, *_cells(verdict)) for claim, verdict in more.items()])
    return f"""\
## Does the finding hold?

Each part of the finding is a list of pairs of codes that differ in one component. Counted are the pairs in which the \
code that should be better has the higher or the lower τ, and of these how many surely: p ≤ .05 by a two-sided \
randomisation test of the difference of τ ({RESAMPLES:,} resamples; what two codes say of a segment changes sides with \
probability ½), after Holm's correction over the pairs of codes. Mean Δτ is over the pairs of codes, its interval from \
1,000 resamples of segments, its p from the same test. Codes with add-one smoothing.

{_summary(whole, by_set, tested, n_pairs={name: of[:, 0].sum() for name, of in counts.items()})}

{first}

The same over all data together, under other choices:

{second}

What else the paper says of components, over all data together:

{third}"""


def _cells(verdict: Verdict) -> tuple[str, ...]:
    low, high = (shown(end) for end in verdict.interval)
    counts = (verdict.n, verdict.higher, verdict.lower, verdict.surely_higher, verdict.surely_lower)
    least = 1 / (RESAMPLES + 1)
    p = f"≤ {shown(1 / RESAMPLES, 4)}" if verdict.p <= least else shown(verdict.p, 4)
    return (*map(str, counts), shown(verdict.mean), f"[{low}, {high}]", p)


def _summary(
    whole: dict[str, Verdict],
    by_set: dict[str, dict[str, Verdict]],
    tested: dict[str, dict[str, Verdict]],
    *,
    n_pairs: dict[str, float],
) -> str:
    """Each claim in words: where the mean difference is significant, and which way."""
    largest = max(n_pairs, key=lambda name: n_pairs[name])
    share = n_pairs[largest] / sum(n_pairs.values())
    lines = []
    for claim, verdict in whole.items():
        in_sets = {name: _word(verdicts[claim]) for name, verdicts in by_set.items()}
        under = {name: _word(verdicts[claim]) for name, verdicts in tested.items()}
        differing = [f"{word} if {name}" for name, word in under.items() if word != _word(verdict)]
        lines.append(
            f"- **{claim}: {_by_word(in_sets)}**; all data together: {_word(verdict)} (higher in {verdict.higher} of "
            f"{verdict.n} pairs of codes, surely in {verdict.surely_higher}; lower in {verdict.lower}, surely in "
            f"{verdict.surely_lower}). "
            f"Together under other choices: {'; '.join(differing) if differing else 'the same throughout'}."
        )
    return "\n".join(
        [
            "*Holds*, *fails*: the mean difference is significant, for or against; *open*: it is not. "
            f"Together, {100 * share:.0f} % of the pairs of outputs are of {largest}, so that all data together say "
            "little beyond that set; where a smaller set leaves a claim open, it may lack the data to decide.",
            "",
            *lines,
        ]
    )


def _by_word(words: dict[str, str]) -> str:
    """Sets of data by what comes out on them: "holds on A, open on B and C"."""
    found: dict[str, list[str]] = {}
    for name, word in words.items():
        found.setdefault(word, []).append(name)
    if len(found) == 1:
        return f"{next(iter(found))} on every set"
    order = sorted(found, key=["holds", "fails", "open"].index)
    return "; ".join(f"{word} on {', '.join(found[word])}" for word in order)


def _word(verdict: Verdict) -> str:
    if verdict.p > family.LEVEL:
        return "open"
    return "holds" if verdict.mean > 0 else "fails"
