"""Power of tests."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.document import Document, Notes, Prose, Records, Sentence, Signatures, Table, table
from mtassay.report.sentences import power_sentences
from mtassay.report.wording import MISSING, UNIT_NAMES, listed, number, percent, plain, share

if TYPE_CHECKING:
    from mtassay.report.document import Block
    from mtassay.verbs.power import PairPower, PowerResult

#: With fewer significant trials, shares of them are off by several hundredths.
_FEW_TRIALS = 100


def document(
    result: PowerResult,
    *,
    width: int | None = None,
    signatures: bool = False,
    guide: bool = True,
) -> Document:
    """A table per metric and pair, and the result in words.

    Args:
        result: the power of a test.
        width: decimals of differences; by default one more than the metric's scores have.
        signatures: show the signatures.
        guide: add lines on how to read the tables.
    """
    blocks: list[Block] = []
    for pair in result.pairs:
        blocks += [Sentence(_headline(result, pair)), _table(result, pair, width)]
        blocks.append(Prose("\n".join(power_sentences(result, pair))))
        blocks += _precision_notes(result, pair)
    blocks += _reach_notes(result)
    if guide:
        blocks.append(Notes(_guide(result)))
    if signatures:
        lines = dict.fromkeys(f"{pair.metric.label}|{pair.signature}" for pair in result.pairs)
        blocks.append(Signatures(tuple(lines)))
    return Document("power of tests", tuple(blocks), lambda: _records(result), result.to_dict)


def _headline(result: PowerResult, pair: PairPower) -> str:
    """What was simulated, in a line."""
    design = result.design
    observed = f"{pair.better} {number(pair.observed, pair.metric)} ahead of {pair.worse}"
    parts = [
        f"{pair.metric.label}, {observed} in {counted(pair.n_units, UNIT_NAMES[result.unit])}: "
        f"{design.procedure.title}",
        counted(design.procedure.resamples, "resample"),
        f"α = {plain(design.alpha)}",
        f"{counted(design.trials, 'trial')} per size",
        f"seed {design.procedure.seed}",
    ]
    if result.difference is not None:
        parts.append(f"true difference {result.difference:g}")
    return ", ".join(parts)


def _table(result: PowerResult, pair: PairPower, width: int | None) -> Table:
    """A row per size."""
    digits = pair.metric.digits + 1 if width is None else width
    curve = pair.curve
    rows = [
        [
            f"{size:,}",
            share(float(curve.power[place]), digits=2),
            share(float(curve.wrong_sign[place]), digits=2),
            MISSING if isnan(curve.exaggeration[place]) else f"{curve.exaggeration[place]:.2f}",
            number(float(curve.detectable[place]), pair.metric, width=digits),
        ]
        for place, size in enumerate(result.design.sizes)
    ]
    found = f"found with {percent(result.design.power)}"
    return table([f"{UNIT_NAMES[result.unit]}s", "power", "wrong sign", "exaggeration", found], rows, n_labels=0)


def _precision_notes(result: PowerResult, pair: PairPower) -> list[Notes]:
    """The sizes for which few significant trials describe the significant results."""
    design = result.design
    few = [
        f"{size:,}"
        for size, power in zip(design.sizes, pair.curve.power, strict=True)
        if 0 < power * design.trials < _FEW_TRIALS
    ]
    if not few:
        return []
    where = f"{listed(few)} {UNIT_NAMES[result.unit]}s"
    return [
        Notes(
            (
                f"With {where} fewer than {_FEW_TRIALS} trials were significant: wrong sign and exaggeration are "
                "imprecise there; use more --trials.",
            )
        )
    ]


def _reach_notes(result: PowerResult) -> list[Notes]:
    """A warning if not even the largest size can have a significant result."""
    design = result.design
    most = design.sizes[-1]
    if design.procedure.smallest_p(most) <= design.alpha:
        return []
    if design.procedure.exact(most):
        return [Notes((f"With so few {UNIT_NAMES[result.unit]}s no difference can be significant.",))]
    return [Notes(("With so few resamples no difference can be significant: use more --resamples.",))]


def _guide(result: PowerResult) -> tuple[str, ...]:
    """How to read the table."""
    which = "the observed" if result.difference is None else "this"
    found = percent(result.design.power)
    return (
        f"power: probability of a significant result if {which} difference is the true one;",
        "wrong sign: share of significant results in favour of the worse system;",
        "exaggeration: mean of significant differences as a multiple of the true one;",
        f"found with {found}: the smallest true difference that is found with {found} probability.",
    )


def _records(result: PowerResult) -> Records:
    """A row per metric, pair and size."""
    names = ("size", "power", "wrong_sign", "exaggeration", "detectable")
    rows = [
        (of["name"], pair["better"], pair["worse"], pair["difference"], *(row[name] for name in names))
        for of in result.to_dict()["metrics"]
        for pair in of["pairs"]
        for row in pair["sizes"]
    ]
    return Records(("metric", "better", "worse", "difference", *names), rows)
