"""Song, Cohn & Specia 2013, "BLEU deconstructed": Tables 7 and 8, systems tuned towards members of the BLEU family.

The paper tunes Moses on one test set and decodes another. Here two fixed n-best lists are tuned on by halves: the first
half of the sentences is tuned on, the second is held out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from real_data.folder import oracle_folder
from tables import markdown

from mtassay.data.formats.lines import read_lines
from mtassay.data.formats.nbest_reading import read_nbest
from mtassay.data.judgements import Preferences
from mtassay.data.testset import TestSet
from mtassay.judging.preference_shares import preference_shares
from mtassay.metrics.core.spec import distinct_names
from mtassay.report.document import Cell
from mtassay.report.documents.tune_objectives import output_table, part_text, preference_table
from mtassay.report.render.markdown import table_text
from mtassay.tuning.rerank import rerank
from mtassay.verbs.score import score
from mtassay.verbs.tune_objectives import tune_objectives

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mtassay.data.nbest import NBest
    from mtassay.verbs.score import ScoreResult
    from mtassay.verbs.tune_objectives import ObjectivesResult, Outputs

PAPER = ("PABC4", "PGBC4", "PGBC2", "PGB4", "RGBC4")
#: How often the system of the column was judged better than that of the row.
TABLE_7 = (
    (np.nan, 0.27, 0.26, 0.25, 0.29),
    (0.31, np.nan, 0.29, 0.28, 0.28),
    (0.33, 0.29, np.nan, 0.21, 0.26),
    (0.28, 0.29, 0.23, np.nan, 0.24),
    (0.33, 0.32, 0.29, 0.28, np.nan),
)
#: Rankings of all five outputs that were left after unsteady annotators had been taken out.
N_RANKINGS = 143
TABLE_8 = {
    "P1": (0.4684, 0.4761, 0.4763, 0.4711, 0.4742),
    "P2": (0.1659, 0.1691, 0.1705, 0.1676, 0.1683),
    "P3": (0.0811, 0.0824, 0.0807, 0.0816, 0.0785),
    "P4": (0.0369, 0.0388, 0.0367, 0.0380, 0.0360),
    "LR": (1.0043, 0.9985, 0.9906, 0.9985, 1.0072),
    "BLEU": (0.1236, 0.1265, 0.1234, 0.1250, 0.1226),
}
#: Both lists have tokens already.
TOKENS = ":tok=none"
FURTHER = (f"bleu{TOKENS}", f"RAC1{TOKENS}", f"PABC4{TOKENS}", "ter", "chrf", "meteor", f"0.5*bleu{TOKENS}-0.5*ter")
SEED, RESTARTS, RESAMPLES, LEVEL = 12345, 20, 10_000, 0.05
#: Seeds of searches of their own, whose spread is shown; the tables have the best of all of them.
SEEDS = (1, 2, 3, 4, 5)


@dataclass(frozen=True, eq=False)
class Lists:
    """A list to tune on."""

    name: str
    nbest: NBest
    references: list[list[str]]

    @property
    def short_name(self) -> str:
        """What columns call it."""
        return self.name.split(",")[0]


@dataclass(frozen=True, eq=False)
class Runs:
    """The searches of all seeds, and the best of them."""

    of: Lists
    seeds: tuple[ObjectivesResult, ...]
    best: ObjectivesResult


def run(data: Path) -> str:
    """The page."""
    oracles = oracle_folder(data) / "newstest2009-200" / "text"
    moses = data / "nbest" / "test_scorer_data"
    lists = [
        Lists(
            "newstest2009, 200 sentences, 2 references, about 19 candidates each, 4 features",
            read_nbest(oracles / "nbest.txt"),
            [read_lines(oracles / f"ref{number}.tok") for number in (0, 1)],
        ),
        Lists(
            "Moses' test_scorer_data, 100 sentences, 1 reference, about 100 candidates each, 15 features",
            read_nbest(moses / "nbest.out"),
            [read_lines(moses / "reference.txt")[:100]],
        ),
    ]
    codes = [f"{code}{TOKENS}" for code in PAPER]
    family = [_tuned(of, codes, also=[f"bleu{TOKENS}"]) for of in lists]
    others = [_tuned(of, FURTHER) for of in lists]
    return "\n\n".join([_introduction(), *_table_8(family), *_others(others), *_table_7(), _limits()])


def _tuned(lists: Lists, metrics: Sequence[str], *, also: Sequence[str] = ()) -> Runs:
    def tuned(seed: int, resamples: int, starts: Sequence[Mapping[str, float]] = ()) -> ObjectivesResult:
        return tune_objectives(
            lists.nbest,
            lists.references,
            metrics,
            also=also,
            held_out=True,
            starts=starts,
            options={"restarts": RESTARTS},
            resamples=resamples,
            seed=seed,
            alpha=LEVEL,
            threads=2,
        )

    # No p-values of single seeds are shown.
    seeds = tuple(tuned(seed, 100) for seed in SEEDS)
    # MERT never ends below a start: this is at least the best of all seeds for every objective.
    found = {tuple(one.weights.values()): one.weights for result in seeds for one in result.tuned}
    return Runs(lists, seeds, tuned(SEED, RESAMPLES, list(found.values())))


def _outputs_blocks(runs: Runs) -> list[str]:
    """A table for each half, with a row of untuned weights, and which rows are the same."""
    blocks = []
    for outputs in runs.best.outputs:
        table = output_table(outputs, distinct_names(runs.best.objectives))
        table = table._replace(rows=(*table.rows, _untuned_row(runs.of, outputs)))
        same = _same_rows(outputs)
        told = (
            f" The same outputs, sentence by sentence: {'; '.join(same)}." if same else " No two outputs are the same."
        )
        blocks += [f"{runs.of.name}; {_which(outputs)}.{told}", table_text(table)]
    return blocks


def _untuned(lists: Lists, outputs: Outputs) -> ScoreResult:
    """Scores of the outputs that all weights alike choose, under the metrics of the table."""
    features = lists.nbest.features
    texts = rerank(lists.nbest, dict.fromkeys(features, 1 / len(features))).texts
    half = slice(0, outputs.n_segments) if outputs.name == "training" else slice(-outputs.n_segments, None)
    testset = TestSet([stream[half] for stream in lists.references], {"untuned": list(texts[half])})
    return score(testset, metrics=[comparison.metric for comparison in outputs.compared.comparisons])


def _untuned_row(lists: Lists, outputs: Outputs) -> tuple[Cell, ...]:
    scored = _untuned(lists, outputs)
    parts = outputs.bleu.components(score(scored.testset, metrics=[outputs.bleu]).tables[0].totals())
    return (
        Cell(""),
        Cell("nothing (all weights alike)"),
        *(Cell(part_text(name, float(parts[name][0]))) for name in outputs.parts),
        *(
            Cell(f"{value:.{metric.digits + 1}f}")
            for metric, value in zip(scored.metrics, scored.scores[0].tolist(), strict=True)
        ),
    )


def _same_rows(outputs: Outputs) -> list[str]:
    """Letters of rows whose texts are the same."""
    rows: dict[tuple[str | None, ...], list[str]] = {}
    for letter, texts in zip("abcdefg", outputs.compared.scored.testset.systems.values(), strict=False):
        rows.setdefault(tuple(texts), []).append(letter)
    return [" ".join(letters) for letters in rows.values() if len(letters) > 1]


def _spread(runs: Runs) -> list[str]:
    """What the seeds found: the objective on the sentences tuned on, and BLEU on the others."""
    bleu = [str(c.metric) for c in runs.best.outputs[1].compared.comparisons].index(f"bleu{TOKENS}")

    def told(values: Sequence[float], digits: int) -> str:
        return f"{min(values):.{digits}f} … {max(values):.{digits}f}"

    names = distinct_names(runs.best.objectives)
    rows = []
    for m, best in enumerate(runs.best.tuned):
        digits = best.metric.digits + 1
        tuned_on = [result.tuned[m].after for result in runs.seeds]
        held_out = [float(result.outputs[1].compared.comparisons[bleu].scores[m]) for result in runs.seeds]
        kept = float(runs.best.outputs[1].compared.comparisons[bleu].scores[m])
        cells = (
            *(names[m], told(tuned_on, digits), f"{best.after:.{digits}f}"),
            *(told(held_out, 2), f"{kept:.2f}"),
        )
        rows.append(cells)
    header = ("tuned towards", "objective, tuned on: seeds", "kept", "BLEU, held out: seeds", "kept")
    return [
        f"{runs.of.short_name}: lowest and highest of {len(SEEDS)} seeds, and what was kept:",
        markdown(header, rows),
    ]


def _introduction() -> str:
    return (
        "# Systems tuned towards other metrics (Song et al. 2013, Tables 7 and 8)\n\n"
        'Written by `make study ARGS="tuning --write"`; the code is [studies/tuning.py](../../studies/tuning.py).\n\n'
        "The paper tunes a German–English Moses system towards five members of the BLEU family, decodes another test "
        "set with each of the tuned systems, and shows what the outputs are made of (Table 8) and which of them people "
        "prefer (Table 7). The decoder and its test sets are not among the data. What can be done is the same "
        "comparison on fixed n-best lists: `tune_objectives` tunes the first half of the sentences towards every "
        f"objective (MERT, {RESTARTS} restarts, every objective also started from the optimum of every other), and the "
        "second half is "
        f"held out. That is done with {len(SEEDS)} seeds, and once more from all that they found; the tables show the "
        "last search, which is for every objective at least as high as that of any seed on the sentences tuned on. "
        "Letters behind a score name the rows than which it is significantly better "
        f"(approximate randomisation, {RESAMPLES:,} resamples, α = .05, not adjusted); bold is the best of a column. "
        "The last row, outputs of untuned weights, has no part in tests and in what is bold."
    )


# Table 8


def _table_8(family: list[Runs]) -> list[str]:
    blocks = ["## Table 8: what the outputs are made of", "Published (one row per system; scores as parts of 1):"]
    columns = list(TABLE_8)
    rows = tuple(
        (Cell(code), *(Cell(f"{TABLE_8[name][k]:.4f}", best=_is_best(name, k)) for name in columns))
        for k, code in enumerate(PAPER)
    )
    blocks.append(markdown(("tuned towards", *columns), rows))
    for runs in family:
        blocks += _outputs_blocks(runs)
    blocks.append(
        "Rows with the same outputs on the sentences tuned on may differ on the others: many weights choose the same "
        "outputs there, and where on such a plateau a search ends is chance, not the objective. How much the seed "
        "alone changes:"
    )
    for runs in family:
        blocks += _spread(runs)
    blocks.append(
        "What the paper says of its Table 8, and whether it is so here: in the tables above, and in brackets with how "
        f"many of the {len(SEEDS)} seeds alone. Where weights choose the same outputs, the highest value belongs to "
        "several systems and counts for each, so that a yes says little where rows are the same:"
    )
    blocks.append(_claims(family))
    return blocks


def _is_best(name: str, k: int) -> bool:
    return name != "LR" and TABLE_8[name][k] == max(TABLE_8[name])


def _which(outputs: Outputs) -> str:
    what = "tuned on" if outputs.name == "training" else "held out"
    return f"the {outputs.n_segments} sentences {what}"


def _claims(family: list[Runs]) -> str:
    """The paper's sentences about Table 8 as a table of yes and no."""

    def highest(name: str, code: str) -> Callable[[Outputs], bool]:
        return lambda outputs: float(_column(outputs, name)[PAPER.index(code)]) == float(_column(outputs, name).max())

    claims: dict[str, Callable[[Outputs], bool]] = {
        "tuned towards PGBC4: highest P3": highest("P3", "PGBC4"),
        "tuned towards PGBC4: highest P4": highest("P4", "PGBC4"),
        "tuned towards PGBC4: highest BLEU": highest("BLEU", "PGBC4"),
        "tuned towards PGBC2: highest P1": highest("P1", "PGBC2"),
        "tuned towards PGBC2: highest P2": highest("P2", "PGBC2"),
        "tuned towards RGBC4: longest output": highest("LR", "RGBC4"),
        "no clipping (PGB4): length within 1 % of that of PGBC4": lambda outputs: bool(
            abs(_column(outputs, "LR")[3] / _column(outputs, "LR")[1] - 1) < 0.01
        ),
    }
    halves = [(runs, half) for runs in family for half in (0, 1)]
    header = ["", *(f"{runs.of.short_name}, {('tuned on', 'held out')[half]}" for runs, half in halves)]

    def answer(holds: Callable[[Outputs], bool], runs: Runs, half: int) -> str:
        n_yes = sum(holds(result.outputs[half]) for result in runs.seeds)
        return f"{'yes' if holds(runs.best.outputs[half]) else 'no'} ({n_yes})"

    rows = [(claim, *(answer(holds, runs, half) for runs, half in halves)) for claim, holds in claims.items()]
    none = [not runs.best.outputs[half].compared.comparisons[-1].better.any() for runs, half in halves]
    rows.append(("no two systems differ significantly in BLEU", *("yes" if yes else "no" for yes in none)))
    return markdown(header, rows, n_notes=len(halves))


def _column(outputs: Outputs, name: str) -> np.ndarray:
    if name in outputs.parts:
        return np.round(outputs.parts[name], 9)
    return np.round(outputs.compared.comparisons[-1].scores, 9)


# Other objectives


def _others(others: list[Runs]) -> list[str]:
    blocks = [
        "## Other objectives",
        "The same with metrics of other kinds, and with a sum of two. On the sentences tuned on, every metric is best "
        "where it was the objective; on the others it need not be, and the tables stand as they fell.",
    ]
    for runs in others:
        blocks += _outputs_blocks(runs)
    for runs in others:
        blocks += _spread(runs)
    blocks += [_told(runs) for runs in others]
    return blocks


def _told(runs: Runs) -> str:
    """How often an objective pays on other sentences, and how much of what is significant chance would give."""
    outputs = runs.best.outputs[1]
    own = sum(_own_is_best(runs.best, outputs))
    alone = [sum(_own_is_best(result, result.outputs[1])) for result in runs.seeds]
    n_significant, n_tests = _n_different(outputs)
    untuned = _untuned(runs.of, outputs)
    lost = [
        metric.label
        for m, metric in enumerate(untuned.metrics)
        if metric.sign * untuned.scores[0, m] > max(metric.sign * outputs.compared.comparisons[m].scores)
    ]
    without = (
        f"untuned weights do better than all tuned ones under {' and '.join(lost)}"
        if lost
        else ("untuned weights do better than all tuned ones under none of the metrics")
    )
    return (
        f"On held-out sentences of {runs.of.short_name} {own} of {len(runs.best.objectives)} objectives are best under "
        f"the weights tuned towards them ({min(alone)} to {max(alone)} with single seeds). {n_significant} of "
        f"{n_tests} comparisons of two different outputs under a metric are significant at {LEVEL:g}; if no two "
        f"outputs differed but by chance, {LEVEL * n_tests:.2f} would be expected. On "
        f"the same sentences {without}."
    )


def _own_is_best(result: ObjectivesResult, outputs: Outputs) -> list[bool]:
    gains = np.array([c.metric.sign * c.scores for c in outputs.compared.comparisons[: len(result.objectives)]])
    return [bool(gains[m, m] >= gains[m].max()) for m in range(len(gains))]


def _n_different(outputs: Outputs) -> tuple[int, int]:
    """Significant comparisons, and all of them; outputs that are the same are not compared."""
    comparisons = outputs.compared.comparisons
    texts = [tuple(of) for of in outputs.compared.scored.testset.systems.values()]
    n_pairs = sum(one != other for one, other in combinations(texts, 2))
    return sum(int(c.better.sum()) for c in comparisons), len(comparisons) * n_pairs


# Table 7


def _table_7() -> list[str]:
    shares = np.array(TABLE_7)
    published = tuple(
        (
            Cell(code),
            *(
                Cell("–") if np.isnan(shares[y, x]) else Cell(f"{shares[y, x]:.2f}", best=shares[y, x] > shares[x, y])
                for x in range(len(PAPER))
            ),
        )
        for y, code in enumerate(PAPER)
    )
    found = preference_shares(_published_preferences(shares), PAPER, resamples=RESAMPLES, seed=SEED)
    p = found.p[PAPER.index("PABC4"), PAPER.index("PGBC4")]
    smallest = np.unravel_index(np.nanargmin(found.p), found.p.shape)
    return [
        "## Table 7: which outputs people prefer",
        "Published: how often the system of the column was judged better than that of the row; bold where it was more "
        "often so than the other way round.",
        markdown(("", *PAPER), published),
        "There are no human rankings of tuned systems among the data, so that no such table can be made of our own "
        "outputs; `mtassay tune … --judgements FILE` makes it where there are. What the published shares say can be "
        f"tested, though. The paper kept {N_RANKINGS} rankings of all five outputs after taking out unsteady "
        "annotators; as that many judgements of every pair, with the published shares of wins, losses and ties, the "
        "paired bootstrap over judgements gives these p, which are one-sided (how often the system of the column was "
        "not better than that of the row in a draw):",
        table_text(preference_table(found, PAPER)),
        f"For PABC4 against BLEU (PGBC4) that is p = {p:.2f} (one-sided), while the paper says p < 0.07. It does not "
        "say what it drew, so that why the two differ cannot be told from it. The smallest p of the table is "
        f"{found.p[smallest]:.2f}, for {PAPER[smallest[0]]} against {PAPER[smallest[1]]}.",
    ]


def _published_preferences(shares: np.ndarray) -> Preferences:
    """Judgements with the shares of the table, as many of every pair as there were rankings."""
    rows = []
    for x in range(len(PAPER)):
        for y in range(x + 1, len(PAPER)):
            wins, losses = (round(float(share) * N_RANKINGS) for share in (shares[y, x], shares[x, y]))
            outcomes = [1] * wins + [-1] * losses + [0] * (N_RANKINGS - wins - losses)
            rows += [(item, x, y, outcome) for item, outcome in enumerate(outcomes)]
    item, first, second, outcome = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Preferences(PAPER, ("",), ("",), item * 0, item * 0, first=first, second=second, outcome=outcome, item=item)


def _limits() -> str:
    limits = (
        "The lists are fixed: weights choose among candidates that other weights brought up. A decoder that is run "
        "again with the tuned weights (`mtassay tune --decoder`) would find others; the paper's did.",
        "50 to 100 sentences are few to tune 4 or 15 weights on, and to test differences of outputs on. What is not "
        "significant here may well be a difference.",
        "MERT finds local optima, and other seeds may end higher still. All that is certain is that no objective is "
        "higher with the weights of another, or with those of another seed. Answers about held-out sentences that "
        "differ between seeds are answers about the search as much as about the objectives.",
        "Tests compare the outputs at hand. They know nothing of the spread over seeds, which can be larger than what "
        "they call significant.",
        "The outputs of test_scorer_data are about a third shorter than their references (LR), so that brevity "
        "penalties weigh much there.",
        "Many candidates of the first list look like changed copies of others rather than like output of a decoder.",
    )
    return "\n".join(["## Limits\n", *(f"- {limit}" for limit in limits)])
