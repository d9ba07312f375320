"""Reading n-best lists.

A line is ``sentence ||| text ||| features [||| score [||| alignment ...]]``; sentences are numbered from 0. Features
are written as Moses does (``LM0= -12.3 TM0= -1 -2``, older ``lm: -12.3 tm: -1 -2``), as Joshua and cdec do
(``LanguageModel=-12.3``), or as bare numbers:

- ``TM0= -1 -2`` becomes the features ``TM0_0`` and ``TM0_1``, as in Moses' own files; all lines must have them.
- ``tm_pt_0=-1`` is named as written; if it is absent from a line, its value is 0.
- Bare numbers are ``F0``, ``F1`` …
- A Moses label with an underscore (``dlm_the_cat= 1``) is a sparse feature. Sparse features have no weight of their own
  here: they are left out, or, if their weights are given, folded into one feature ``sparse``, as Moses does.

A candidate listed twice, with the same text and features, counts once.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.formats.score_files import LARGEST
from mtassay.data.nbest import NBest, distinct
from mtassay.data.references import first_repeated
from mtassay.errors import InputError, at, counted
from mtassay.io.inputs import PathLike, shown
from mtassay.io.streams import decode_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.types import Floats, Index

    #: Features of one line: those that all lines have, those that may be absent, and sparse ones.
    Parsed = tuple[list[tuple[str, float]], list[tuple[str, float]], list[tuple[str, float]]]

#: The feature into which sparse features are folded.
SPARSE = "sparse"
_SEPARATOR = "|||"
_EXAMPLE = "0 ||| text ||| LM0= -1.2 TM0= -3.4 -5.6 ||| -7.8"
#: Largest sentence number and number of features; more would be a mistake and fill memory.
_MOST_SENTENCES = 10_000_000
_MOST_FEATURES = 1000


def read_nbest(path: PathLike, *, sparse_weights: Mapping[str, float] | None = None) -> NBest:
    """Read an n-best list, plain or compressed.

    Args:
        path: the file, or ``-`` for standard input.
        sparse_weights: weights of sparse features by name, which are then folded into one feature ``sparse``.
    """
    reader = _Reader(shown(path), sparse_weights)
    for first_line, lines in decode_blocks(path):
        reader.add(first_line, lines)
    return reader.finish()


class _Reader:
    """Collects the lines of a list, block by block."""

    def __init__(self, origin: str, sparse_weights: Mapping[str, float] | None) -> None:
        self._origin = origin
        self._weights = sparse_weights
        self._texts: list[str] = []
        self._sentences: list[int] = []
        self._line_numbers: list[int] = []
        #: Labelled and bare features, which all lines must have, and the line that set them.
        self._names: tuple[str, ...] | None = None
        self._template: tuple[int, list[str]] = (0, [])
        self._blocks: list[Floats] = []
        #: Features that may be absent, by column; their values, and those of folded sparse ones, block by block.
        self._optional: dict[str, int] = {}
        self._further: list[Floats] = []
        self._left_out: set[str] = set()

    def add(self, first_line: int, lines: list[str]) -> None:
        numbered = [(number, line.split(_SEPARATOR)) for number, line in enumerate(lines, first_line) if line.strip()]
        if not numbered:
            return
        features = []
        memory: dict[str, str] = {}
        for number, fields in numbered:
            if len(fields) < 3:
                raise InputError(f"{at(self._origin, number)}: {counted(len(fields), 'field')}; write {_EXAMPLE}")
            self._sentences.append(self._sentence(fields[0], number))
            text = fields[1].strip()
            self._texts.append(memory.setdefault(text, text))
            features.append(fields[2].split())
            self._line_numbers.append(number)
        numbers = [number for number, _ in numbered]
        if self._names is None:
            self._names = tuple(name for name, _ in self._parse(features[0], numbers[0])[0])
            self._template = numbers[0], [token for token in features[0] if _is_label(token)]
        block = self._alike(features)
        if block is None:
            self._one_by_one(features, numbers)
        else:
            self._blocks.append(block)
            self._further.append(np.zeros((len(features), 0)))

    def finish(self) -> NBest:
        if not self._texts or self._names is None:
            raise InputError(f"{self._origin} has no candidates")
        names = (*self._names, *self._optional)
        if not names:
            raise InputError(f"{self._origin} has no features; write {_EXAMPLE}")
        if (twice := first_repeated(names)) is not None:
            raise InputError(f"{at(self._origin, self._template[0])}: feature '{twice}' occurs twice")
        values = np.zeros((len(self._texts), len(names)))
        row = 0
        for dense, further in zip(self._blocks, self._further, strict=True):
            end = row + len(dense)
            values[row:end, : dense.shape[1]] = dense
            values[row:end, len(self._names) : len(self._names) + further.shape[1]] = further
            row = end
        values += 0.0  # -0 and 0 are the same value
        sentence = np.array(self._sentences, dtype=np.int64)
        order = np.argsort(sentence, kind="stable")
        self._check_sentences(sentence, order)
        n_sentences = int(sentence.max()) + 1
        first = order[np.searchsorted(sentence[order], np.arange(n_sentences))]
        kept, offsets = distinct(order, sentence, self._texts, values, n_sentences=n_sentences)
        texts = self._texts
        return NBest(
            features=names,
            values=values if len(kept) == len(values) and (order[:-1] < order[1:]).all() else values[kept],
            texts=tuple(texts[i] for i in kept.tolist()),
            offsets=offsets,
            origin=self._origin,
            lines=np.array(self._line_numbers, dtype=np.int64)[first],
            optional=frozenset(self._optional),
            left_out=frozenset(self._left_out),
        )

    def _sentence(self, field: str, line: int) -> int:
        try:
            number = int(field) if field.isascii() else -1
        except ValueError:
            number = -1
        if not 0 <= number < _MOST_SENTENCES:
            raise InputError(f"{at(self._origin, line)}: '{field.strip()}' is not a sentence number; write {_EXAMPLE}")
        return number

    def _check_sentences(self, sentence: Index, order: Index) -> None:
        numbers = np.unique(sentence)
        gaps = np.flatnonzero(numbers != np.arange(len(numbers)))
        if len(gaps):
            missing = int(gaps[0])
            line = self._line_numbers[int(order[np.searchsorted(sentence[order], missing)])]
            raise InputError(
                f"{at(self._origin, line)}: sentence {numbers[missing]}, but sentence {missing} has no candidates; "
                "every sentence from 0 on needs some"
            )

    def _alike(self, features: list[list[str]]) -> Floats | None:
        """Values of a block of lines with the labels of the first line in the same places; None if labels differ."""
        _, labels = self._template
        n_tokens = len(labels) + len(self._names or ())
        tokens = list(chain.from_iterable(features))
        if len(tokens) != n_tokens * len(features) or not tokens or self._optional or self._weights is not None:
            return None
        places = [k for k, token in enumerate(features[0]) if _is_label(token)]
        if [features[0][k] for k in places] != labels or "_" in "".join(tokens):  # "_": a sparse feature, or 1_000
            return None
        if any(
            tokens[place::n_tokens].count(label) != len(features) for place, label in zip(places, labels, strict=True)
        ):
            return None
        of_labels = set(places)
        columns = [tokens[k::n_tokens] for k in range(n_tokens) if k not in of_labels]
        try:
            values = np.array([list(map(float, column)) for column in columns]).T
        except ValueError:
            return None
        return np.ascontiguousarray(values) if (np.abs(values) <= LARGEST).all() else None

    def _one_by_one(self, features: list[list[str]], numbers: list[int]) -> None:
        """Values of lines with sparse or optional features, or with errors."""
        names = self._names or ()
        dense = np.empty((len(features), len(names)))
        further: list[dict[int, float]] = []
        for row, (tokens, number) in enumerate(zip(features, numbers, strict=True)):
            found, optional, sparse = self._parse(tokens, number)
            self._check_names(tuple(name for name, _ in found), number)
            dense[row] = [value for _, value in found]
            if self._weights is None:
                self._left_out.update(name for name, _ in sparse)
            else:
                weights = self._weights
                optional.append((SPARSE, math.fsum(weights.get(name, 0.0) * value for name, value in sparse)))
            further.append({self._column(name, number): value for name, value in optional})
            if len(further[-1]) < len(optional):
                raise InputError(f"{at(self._origin, number)}: a feature occurs twice")
        self._blocks.append(dense)
        filled = np.zeros((len(features), len(self._optional)))
        for row, values in enumerate(further):
            for column, value in values.items():
                filled[row, column] = value
        self._further.append(filled)

    def _column(self, name: str, number: int) -> int:
        column = self._optional.setdefault(name, len(self._optional))
        if column >= _MOST_FEATURES:
            raise InputError(
                f"{at(self._origin, number)}: more than {_MOST_FEATURES} features; give lists without sparse features"
            )
        return column

    def _check_names(self, found: tuple[str, ...], number: int) -> None:
        expected, line = self._names or (), self._template[0]
        if len(found) != len(expected):
            raise InputError(
                f"{at(self._origin, number)}: {counted(len(found), 'feature')}, but line {line} has {len(expected)}"
            )
        for name, wanted in zip(found, expected, strict=True):
            if name != wanted:
                raise InputError(f"{at(self._origin, number)}: feature '{name}', but line {line} has '{wanted}'")

    def _parse(self, tokens: list[str], number: int) -> Parsed:
        dense: list[tuple[str, float]] = []
        optional: list[tuple[str, float]] = []
        sparse: list[tuple[str, float]] = []
        label, position = "", 0
        for token in tokens:
            if _is_label(token):
                label, position = token[:-1], 0
                continue
            name, _, value = token.rpartition("=")
            if name:
                optional.append((name, self._number(value, name, number)))
            elif label and "_" in label:
                sparse.append((label, self._number(token, label, number)))
                label = ""
            else:
                name = f"{label}_{position}" if label else f"F{len(dense)}"
                dense.append((name, self._number(token, name, number)))
                position += 1
        return dense, optional, sparse

    def _number(self, text: str, name: str, line: int) -> float:
        try:
            # Python's float would accept 1_000 and digits of other scripts, which other tools reject.
            value = float(text.replace("_", "x") if text.isascii() else "x")
        except ValueError:
            raise InputError(f"{at(self._origin, line)}: feature '{name}' is not a number: '{text}'") from None
        if not abs(value) <= LARGEST:
            raise InputError(
                f"{at(self._origin, line)}: feature '{name}' is {text}; every feature needs a finite value"
            )
        return value


def _is_label(token: str) -> bool:
    return token[-1] in ":=" and len(token) > 1
