"""Translation edit rate: shifts and edits that turn a hypothesis into a reference.

Snover et al., A Study of Translation Edit Rate with Targeted Human Annotation, AMTA 2006.

The shift of a block of words that lowers the edit distance most is applied, repeatedly, until no shift lowers it.
The result is the number of shifts plus the remaining edit distance. A block may move if it occurs in the
reference, and if both the block and its target currently have an error.

Programs differ in the beam inside which the edit distance is computed, in the shifts they try, and in the
choice among equally good ones; `Rules` and the functions named after the programs implement these differences.
The Moses scorer gives the two texts to its search in the wrong order, so that the reference is shifted.
This is the executable specification of the compiled kernel: plain, and slow.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtassay.kernels import Pairs, kernel

if TYPE_CHECKING:
    from mtassay.types import Counts, Ids

MAX_BLOCK = 10
_UNREACHABLE = 1 << 29
_SIDES_EXCHANGED = str.maketrans("ID", "DI")


class Row(NamedTuple):
    """Costs of one row of the edit-distance matrix, from reference position `first` on."""

    first: int
    costs: list[int]

    @property
    def end(self) -> int:
        """One past the last reachable reference position."""
        return self.first + len(self.costs)

    def at(self, j: int) -> int:
        """Return the cost of aligning the row's hypothesis prefix with the first `j` reference words."""
        return self.costs[j - self.first] if self.first <= j < self.end else _UNREACHABLE

    def window(self, start: int, stop: int) -> list[int]:
        """Return the costs at positions start .. stop - 1."""
        if self.first <= start and stop <= self.end:
            return self.costs[start - self.first : stop - self.first]
        return [self.at(j) for j in range(start, stop)]


class BlockMove(NamedTuple):
    """A block of `length` words at `start` that moves before the word now at position `target` of the hypothesis."""

    start: int
    length: int
    target: int


Words = Sequence[int]


@dataclass(frozen=True)
class State:
    """The state of the search: the hypothesis as shifted so far, and its alignment with the reference."""

    hyp: Words
    ref: Words
    rows: list[Row]
    partner: list[int]  # per reference word: its hypothesis word, or if it has none, the word given by the rules
    hyp_error: list[bool]
    ref_error: list[bool]

    @property
    def distance(self) -> int:
        """Edit distance of the current hypothesis."""
        return self.rows[-1].at(len(self.ref))


class TerEdits(NamedTuple):
    """Trace after all shifts, the shifts, and the original position of each word of the text that was shifted."""

    ops: str
    shifts: list[tuple[int, int, int]]
    order: list[int]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The differences between TER programs."""

    beam: int
    max_distance: int
    max_candidates: int  # sacreBLEU: over all searches of a pair, after which they end; Moses: in one search
    next_row: Callable[[Row, int, Words, Words, int], Row]
    exchange: Callable[[BlockMove, int], tuple[int, int, int]]
    search: Callable[[State, int, Rules], tuple[BlockMove | None, int]]
    partner_of_deleted: int = -1  # the partner of a deleted reference word is the word before (-1) or after (0) it
    shifts_reference: bool = False


# ---- edit distance ---------------------------------------------------------------------------------------


def _row_near_diagonal(previous: Row, i: int, hyp: Words, ref: Words, beam: int) -> Row:
    """Row `i` of the matrix, with only the cells near the diagonal (sacreBLEU)."""
    ratio = len(ref) / len(hyp)
    if beam < ratio / 2:
        # Neighbouring rows would not overlap.
        beam = math.ceil(ratio / 2 + beam)
    diagonal = math.floor(i * ratio)
    end = len(ref) + 1 if i == len(hyp) else min(len(ref) + 1, diagonal + beam)
    return _row(previous, hyp[i - 1], ref, range(max(0, diagonal - beam), end), _UNREACHABLE - 1)


def _row_near_best(previous: Row, i: int, hyp: Words, ref: Words, beam: int) -> Row:
    """Row `i` of the matrix, continuing only cells near the best cost (tercom).

    A cell is continued if it costs at most `beam` more than the cheapest match or substitution into its row.
    The last row is exempt.
    """
    word = hyp[i - 1]
    into = (cost + (ref[j] != word) for j, cost in enumerate(previous.costs, previous.first) if j < len(ref))
    best = min(into, default=_UNREACHABLE)
    if i == len(hyp) or best >= _UNREACHABLE:
        return _row(previous, word, ref, range(previous.first, len(ref) + 1), _UNREACHABLE - 1)
    # Beyond the previous row's end there are only deletions, and at most `beam` of them.
    end = min(len(ref), previous.end + beam) + 1
    row = _row(previous, word, ref, range(previous.first, end), best + beam)
    reachable = [k for k, cost in enumerate(row.costs) if cost < _UNREACHABLE]
    return Row(row.first + reachable[0], row.costs[reachable[0] : reachable[-1] + 1])


def _row(previous: Row, word: int, ref: Words, cells: range, limit: int) -> Row:
    """Compute `cells` of the next row; those that cost more than `limit` are unreachable."""
    costs: list[int] = []
    above = previous.window(cells.start - 1, cells.stop)
    left = _UNREACHABLE
    for k, j in enumerate(cells):
        # At j = 0 the first cost is unreachable, so the word does not matter.
        both = above[k] + (ref[j - 1] != word)
        one = (above[k + 1] if above[k + 1] < left else left) + 1
        cost = both if both < one else one
        left = cost if cost <= limit else _UNREACHABLE
        costs.append(left)
    return Row(cells.start, costs)


def _rows(hyp: Words, ref: Words, known: list[Row], rules: Rules) -> list[Row]:
    """Complete a matrix whose first rows are known."""
    rows = known or [Row(0, list(range(len(ref) + 1)))]
    for i in range(len(rows), len(hyp) + 1):
        rows.append(rules.next_row(rows[-1], i, hyp, ref, rules.beam))
    return rows


def _trace(rows: list[Row], hyp: Words, ref: Words) -> str:
    """Trace the cheapest path from the end: a match or substitution if possible, else an insertion."""
    ops = []
    i, j = len(hyp), len(ref)
    while i > 0 or j > 0:
        here = rows[i].at(j)
        same = i > 0 and j > 0 and hyp[i - 1] == ref[j - 1]
        if i > 0 and j > 0 and rows[i - 1].at(j - 1) + (not same) == here:
            ops.append(" " if same else "S")
            i, j = i - 1, j - 1
        elif i > 0 and rows[i - 1].at(j) + 1 == here:
            ops.append("I")
            i -= 1
        else:
            ops.append("D")
            j -= 1
    return "".join(reversed(ops))


def _read_state(hyp: Words, ref: Words, rows: list[Row], ops: str, rules: Rules) -> State:
    state = State(hyp, ref, rows, [], [], [])
    for op in ops:
        if op != "D":
            state.hyp_error.append(op != " ")
        if op != "I":
            state.ref_error.append(op != " ")
            state.partner.append(len(state.hyp_error) + (rules.partner_of_deleted if op == "D" else -1))
    return state


def _fewest_edits(hyp: Words, ref: Words) -> int:
    """Lower bound of the edit distance over all orders of the hypothesis words."""
    return max(len(hyp), len(ref)) - (Counter(hyp) & Counter(ref)).total()


# ---- shifts ----------------------------------------------------------------------------------------------


def _exchange(shift: BlockMove, n_words: int, inside: int) -> tuple[int, int, int]:
    """Return (first, middle, last): the shift exchanges the blocks [first, middle) and [middle, last).

    A target inside the block moves it to the right by as many words, less `inside`.
    """
    end = shift.start + shift.length
    if shift.target < shift.start:
        return shift.target, shift.start, end
    if shift.target > end:
        return shift.start, end, shift.target
    return shift.start, end, min(n_words, end + max(0, shift.target - shift.start - inside))


def _exchange_sacrebleu(shift: BlockMove, n_words: int) -> tuple[int, int, int]:
    return _exchange(shift, n_words, inside=0)


def _exchange_tercom(shift: BlockMove, n_words: int) -> tuple[int, int, int]:
    # Parity: tercom gives the target by the word before it, even inside the block.
    return _exchange(shift, n_words, inside=1)


def _exchange_moses(shift: BlockMove, n_words: int) -> tuple[int, int, int]:
    if 0 < shift.target <= shift.start:
        # Parity: Moses moves a block to the left before the word that gives the target, not after it.
        return shift.target - 1, shift.start, shift.start + shift.length
    # Parity: in Moses, the position after the last word means the last word.
    return _exchange(shift._replace(target=min(shift.target, n_words)), n_words, inside=1)


def _shifted(words: Words, shift: BlockMove, rules: Rules) -> list[int]:
    first, middle, last = rules.exchange(shift, len(words))
    return [*words[:first], *words[middle:last], *words[first:middle], *words[last:]]


def _distance_after(shift: BlockMove, state: State, rules: Rules) -> int:
    first, middle, last = rules.exchange(shift, len(state.hyp))
    if first == middle or middle == last:
        return state.distance
    hyp = _shifted(state.hyp, shift, rules)
    return _rows(hyp, state.ref, state.rows[: first + 1], rules)[-1].at(len(state.ref))


def _candidates_sacrebleu(state: State, max_distance: int) -> Iterator[list[BlockMove]]:
    """Shifts to try, grouped by block and position in the reference."""
    hyp, ref, partner = state.hyp, state.ref, state.partner
    for start in range(len(hyp)):
        for place in range(max(0, start - max_distance), min(len(ref), start + max_distance + 1)):
            for length in range(1, min(MAX_BLOCK, len(hyp) - start, len(ref) - place) + 1):
                if hyp[start + length - 1] != ref[place + length - 1]:
                    break
                if start <= partner[place] < start + length:
                    break
                if not any(state.hyp_error[start : start + length]):
                    continue
                if not any(state.ref_error[place : place + length]):
                    continue
                targets: list[int] = []
                for k in range(place - 1, place + length):
                    target = 0 if k < 0 else partner[k] + 1
                    if targets[-1:] != [target]:
                        targets.append(target)
                yield [BlockMove(start, length, target) for target in targets]


def _search_sacrebleu(state: State, n_tried: int, rules: Rules) -> tuple[BlockMove | None, int]:
    """Take the largest gain, then the longest block, then the earliest start, then the earliest target."""
    candidates: list[BlockMove] = []
    for shifts in _candidates_sacrebleu(state, rules.max_distance):
        candidates += shifts
        n_tried += len(shifts)
        if n_tried >= rules.max_candidates:
            # Parity: sacreBLEU discards the shifts found so far, too.
            return None, n_tried
    best: BlockMove | None = None
    best_rank = (0, math.inf, 0, 0)
    for shift in dict.fromkeys(candidates):
        gain = state.distance - _distance_after(shift, state, rules)
        rank = (gain, shift.length, -shift.start, -shift.target)
        if rank > best_rank:
            best, best_rank = shift, rank
    return best, n_tried


def _candidates_tercom(state: State, max_distance: int) -> Iterator[BlockMove]:
    """Shifts to try, by start of the block, then its length, then its position in the reference."""
    hyp, ref, partner = state.hyp, state.ref, state.partner
    for start in range(len(hyp)):
        places = [j for j, word in enumerate(ref) if word == hyp[start]]
        # Parity: tercom allows one word farther to the left here than below.
        moves = [partner[p] - start for p in places]
        if not any(-max_distance - 1 <= move <= max_distance and move != 0 for move in moves):
            continue
        for length in range(1, min(MAX_BLOCK, len(hyp) - start) + 1):
            last = hyp[start + length - 1]
            places = [p for p in places if p + length <= len(ref) and ref[p + length - 1] == last]
            if not places:
                break
            if not any(state.hyp_error[start : start + length]):
                continue
            reachable = [
                p
                for p in places
                if abs(partner[p] - start) <= max_distance and not start <= partner[p] < start + length
            ]
            if not reachable:
                break
            for place in reachable:
                if any(state.ref_error[place : place + length]):
                    yield from _around(start, length, place, partner)


def _around(start: int, length: int, place: int, partner: list[int]) -> Iterator[BlockMove]:
    for k in range(place - 1, place + length):
        if k < 0:
            yield BlockMove(start, length, 0)
        elif partner[k] != start and (k == place or partner[k] != partner[place]):
            yield BlockMove(start, length, partner[k] + 1)


def _search_tercom(state: State, n_tried: int, rules: Rules) -> tuple[BlockMove | None, int]:
    """Take the longest blocks first, in the order found.

    A shift is one edit. The first one chosen must save at least that edit, later ones more than the best so far.
    """
    # Parity: Moses tries only the first ten candidates, some of which may be equal.
    found = islice(_candidates_tercom(state, rules.max_distance), rules.max_candidates)
    candidates = list(dict.fromkeys(found))
    candidates.sort(key=lambda shift: -shift.length)
    best: BlockMove | None = None
    edits = state.distance
    for shift in candidates:
        fixed = state.distance - edits
        if fixed > 2 * shift.length or (best is not None and fixed == 2 * shift.length):
            # Parity: tercom expects no block of this length or shorter to fix more.
            break
        gain = edits - (_distance_after(shift, state, rules) + 1)
        if gain > 0 or (best is None and gain == 0):
            best = shift
            edits -= gain
    return best, n_tried


_RULES = {
    "sacrebleu": Rules(
        beam=25,
        max_distance=50,
        max_candidates=1000,
        next_row=_row_near_diagonal,
        exchange=_exchange_sacrebleu,
        search=_search_sacrebleu,
    ),
    "tercom": Rules(
        beam=20,
        max_distance=50,
        max_candidates=sys.maxsize,
        next_row=_row_near_best,
        exchange=_exchange_tercom,
        search=_search_tercom,
    ),
    "moses": Rules(
        beam=10,
        max_distance=25,
        max_candidates=10,
        next_row=_row_near_best,
        exchange=_exchange_moses,
        search=_search_tercom,
        partner_of_deleted=0,
        shifts_reference=True,
    ),
}
#: Programs whose rules are implemented.
VARIANTS = tuple(_RULES)


def _rules_of(variant: str) -> Rules:
    if variant not in _RULES:
        raise ValueError(f"unknown variant '{variant}'")
    return _RULES[variant]


def _align(hyp: Words, ref: Words, rules: Rules) -> TerEdits:
    if not rules.shifts_reference:
        return _shift_and_trace(hyp, ref, rules)
    result = _shift_and_trace(ref, hyp, rules)
    return result._replace(ops=result.ops.translate(_SIDES_EXCHANGED))


def _shift_and_trace(hyp: Words, ref: Words, rules: Rules) -> TerEdits:
    """Shift blocks while that helps, then trace the remaining edits."""
    shifts: list[tuple[int, int, int]] = []
    order = list(range(len(hyp)))
    if not hyp or not ref:
        return TerEdits("I" * len(hyp) + "D" * len(ref), shifts, order)
    fewest = _fewest_edits(hyp, ref)
    n_tried = 0
    while True:
        rows = _rows(hyp, ref, [], rules)
        ops = _trace(rows, hyp, ref)
        shift = None
        if rows[-1].at(len(ref)) > fewest:
            shift, n_tried = rules.search(_read_state(hyp, ref, rows, ops, rules), n_tried, rules)
        if shift is None:
            return TerEdits(ops, shifts, order)
        first, _, last = rules.exchange(shift, len(hyp))
        landing = first if first < shift.start else last - shift.length
        shifts.append((shift.start, shift.start + shift.length - 1, landing))
        hyp = _shifted(hyp, shift, rules)
        order = _shifted(order, shift, rules)


# ---- the kernel's two functions --------------------------------------------------------------------------


@kernel
def ter_edits(pairs: Pairs, *, variant: str) -> Counts:
    """Count the edits of pairs.

    Args:
        pairs: the pairs.
        variant: the program whose rules apply, one of ``VARIANTS``.

    Returns:
        int64, shape (n, 5): insertions (hypothesis words without counterpart), deletions (reference words without
        counterpart), substitutions, shifts, shifted words. The first four sum to the number of edits.

    >>> from mtassay.kernels import Tokens
    >>> first = np.array([0])
    >>> pairs = Pairs(Tokens.of([[3, 1, 2]]), Tokens.of([[1, 2, 3, 4]]), first, first)
    >>> ter_edits(pairs, variant="sacrebleu").tolist()
    [[0, 1, 0, 1, 1]]
    """
    rules = _rules_of(variant)
    counts = np.zeros((len(pairs.hyp_index), 5), dtype=np.int64)
    for p, (hyp, ref) in enumerate(pairs.each()):
        result = _align(hyp, ref, rules)
        n_moved = sum(end - start + 1 for start, end, _ in result.shifts)
        counts[p] = (*(result.ops.count(op) for op in "IDS"), len(result.shifts), n_moved)
    return counts


@kernel
def ter_trace(hypothesis: Ids, reference: Ids, *, variant: str) -> tuple[str, list[tuple[int, int, int]], list[int]]:
    """Align one hypothesis with one reference.

    Returns:
        The operations after all shifts, a string of ' ' (match), S, I and D as in tercom's "Alignment:" line;
        the shifts in order, each (first position moved, last position moved, first position afterwards) in
        the hypothesis as the earlier shifts left it; and for each word of the shifted hypothesis its position
        in the original. With the variant ``moses`` the shifts and positions are those of the reference.

    >>> ter_trace(np.array([3, 1, 2], np.int32), np.array([1, 2, 3, 4], np.int32), variant="sacrebleu")
    ('   D', [(0, 0, 2)], [1, 2, 0])
    """
    result = _align(hypothesis.tolist(), reference.tolist(), _rules_of(variant))
    return result.ops, result.shifts, result.order
